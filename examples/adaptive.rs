//! Compares the run times of adaptive policies with those of their candidates, natively, as a
//! Markdown table for docs/performance.md.
//!
//! `cargo run --release --example adaptive -- FILE.swf...` times the schedule only, and prints the
//! medians of five rounds.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    use schedscope::experiment::Scenario;
    use schedscope::import::{BadLines, read};
    use schedscope::machine::Placements;
    use schedscope::sim::Silent;
    use schedscope::trace::Trace;
    use std::sync::Arc;
    use std::time::Instant;

    const ROUNDS: usize = 5;

    fn seconds(scenario: &Scenario, trace: &Trace) -> f64 {
        let resolved = scenario.resolve().expect("the scenario is good");
        let workload = Arc::new(resolved.workload(trace).expect("the trace has jobs"));
        let began = Instant::now();
        resolved
            .simulation(workload, Placements::Counted)
            .run(&mut Silent);
        began.elapsed().as_secs_f64()
    }

    let alone = ["conservative", "easy", "flex", "maui"].map(Scenario::new);
    let pbas = || Scenario::new("pbas");
    let adaptive = [
        ("PBAS, utilisation, 7 days", pbas(), &["flex", "maui"][..]),
        (
            "PBAS, response, 12 hours",
            pbas().with("metric", "response").with("frame", 43_200.0),
            &["flex", "maui"],
        ),
        (
            "PBAS, utilisation, 1 minute",
            pbas().with("frame", 60.0),
            &["flex", "maui"],
        ),
        (
            "PBAS over all four, 7 days",
            pbas().with("candidates", "conservative+easy+flex+maui"),
            &["conservative", "easy", "flex", "maui"],
        ),
        (
            "WBAS, 7,500, 1 day",
            Scenario::new("wbas"),
            &["flex", "maui"],
        ),
        (
            "WBAS, 7,500, 2 hours",
            Scenario::new("wbas").with("frame", 7200.0),
            &["flex", "maui"],
        ),
    ];
    println!(
        "| log | policy | seconds | candidates together | slowest candidate \
            |\n|---|---|---|---|---|"
    );
    for path in std::env::args().skip(1) {
        let text = std::fs::read(&path).expect("the file is readable");
        let trace = read("file", &text, BadLines::Stop).expect("the file is a trace");
        let name = std::path::Path::new(&path)
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let scenarios: Vec<&Scenario> = alone
            .iter()
            .chain(adaptive.iter().map(|(_, scenario, _)| scenario))
            .collect();
        let mut rounds: Vec<Vec<f64>> = vec![Vec::new(); scenarios.len()];
        for _ in 0..ROUNDS {
            for (at, scenario) in scenarios.iter().enumerate() {
                rounds[at].push(seconds(scenario, &trace));
            }
        }
        let median = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values[ROUNDS / 2]
        };
        let medians: Vec<f64> = rounds.iter_mut().map(median).collect();
        for (scenario, seconds) in alone.iter().zip(&medians) {
            println!("| {name} | {} | {seconds:.3} | | |", scenario.policy);
        }
        for ((label, _, candidates), seconds) in adaptive.iter().zip(&medians[alone.len()..]) {
            let of = alone
                .iter()
                .zip(&medians)
                .filter(|(scenario, _)| candidates.contains(&scenario.policy.as_str()));
            let (sum, slowest) = of.fold((0.0, 0.0_f64), |(sum, most), (_, seconds)| {
                (sum + seconds, most.max(*seconds))
            });
            println!(
                "| {name} | {label} | {seconds:.3} | {:.2} | {:.2} |",
                seconds / sum,
                seconds / slowest
            );
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
