//! Times each scenario of sections 3 and 4 of the paper on flexible coscheduling, natively, as a
//! Markdown table for docs/performance.md.
//!
//! Run `cargo run --release --example coscheduling`. With a word as its argument, it runs only the
//! scenarios whose names contain the word. Digests and seconds go to standard error, for the
//! comparison with the browser (`node www/e2e/bench-coscheduling.mjs`).

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    use schedscope::experiment::Scenario;
    use schedscope::param::Settings;
    use schedscope::workload::model::generate;
    use std::sync::Arc;
    use std::time::Instant;

    const MIXES: [(&str, &str); 7] = [
        ("3.1", "balanced"),
        ("3.2", "imbalanced"),
        ("3.3", "complementing"),
        ("3.4", "combined"),
        ("4 SWEEP3D", "sweep3d"),
        ("4 SAGE", "sage"),
        ("4 both", "sage_sweep3d"),
    ];
    let word = std::env::args().nth(1).unwrap_or_default();
    println!("| scenario | batch (s) | GS (s) | SB (s) | FCS (s) |\n|---|---|---|---|---|");
    for (name, mix) in MIXES.into_iter().filter(|(name, _)| name.contains(&word)) {
        let trace = Arc::new(
            generate("programs", &Settings::default().with("mix", mix)).expect("the mix exists"),
        );
        let seconds = ["batch", "gang", "spin_block", "flexible"].map(|algorithm| {
            let mut scenario = Scenario {
                machine: "bsp".into(),
                ..Scenario::new("fcfs")
            }
            .with("programs", "library");
            scenario = scenario.with("coscheduling", algorithm);
            if name.starts_with('4') {
                scenario = scenario
                    .with("slice", 200.0)
                    .with("mpl", 2.0)
                    .with("reload", 8000.0)
                    .with("displaced", 0.09);
                scenario = scenario.with("local_quantum", 20.0);
            }
            let mut run = scenario
                .resolve()
                .expect("the settings are in range")
                .run(Arc::clone(&trace))
                .expect("it runs");
            let began = Instant::now();
            run.advance(u64::MAX);
            let seconds = began.elapsed().as_secs_f64();
            eprintln!(
                "{mix} {algorithm} {:016x} {seconds}",
                run.schedule().digest()
            );
            format!("{seconds:.2}")
        });
        println!("| {name} | {} |", seconds.join(" | "));
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
