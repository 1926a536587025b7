//! Times 8,000 jobs under each of LOMARC's heuristics, against the length of the queue, natively,
//! as a Markdown table for docs/performance.md.
//!
//! Run `cargo run --release --example matching`. Digests and seconds go to standard error, for the
//! comparison with the browser (`node www/e2e/bench-matching.mjs`).

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    use schedscope::experiment::Scenario;
    use schedscope::param::Settings;
    use schedscope::workload::model::generate;
    use std::sync::Arc;
    use std::time::Instant;

    const HEURISTICS: [&str; 7] = [
        "none", "always", "adjacent", "first", "gain1", "gain2", "response",
    ];
    println!(
        "| alpha | jobs that wait, under PSS and L-R | {} |\n|---|---|{}",
        HEURISTICS.join(" | "),
        "---|".repeat(HEURISTICS.len())
    );
    for alpha in [10.23, 9.83, 8.83, 8.0, 7.0] {
        let trace = Arc::new(
            generate(
                "lublin",
                &Settings::default()
                    .with("jobs", 8000.0)
                    .with("alpha", alpha),
            )
            .expect("the model exists"),
        );
        let mut queues = Vec::new();
        let seconds = HEURISTICS.map(|heuristic| {
            let scenario = Scenario {
                machine: "smt".into(),
                ..Scenario::new("lomarc")
            };
            let scenario = scenario
                .with("heuristic", heuristic)
                .with("demands", "m1")
                .with("slowdowns", "printed");
            let mut run = scenario
                .resolve()
                .expect("the settings are in range")
                .run(Arc::clone(&trace))
                .expect("it runs");
            let began = Instant::now();
            run.advance(u64::MAX);
            let seconds = began.elapsed().as_secs_f64();
            eprintln!(
                "{alpha} {heuristic} {:016x} {seconds}",
                run.schedule().digest()
            );
            if ["none", "response"].contains(&heuristic) {
                queues.push(format!("{:.0}", run.measures().figures["queue.mean"]));
            }
            format!("{seconds:.2}")
        });
        println!(
            "| {alpha} | {} | {} |",
            queues.join(", "),
            seconds.join(" | ")
        );
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
