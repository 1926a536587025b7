//! Measures the number of jobs that each policy schedules in a second, natively, as a Markdown
//! table for docs/performance.md.
//!
//! Run `cargo run --release --example policies -- [FILE.swf]`. The table has the file, if one is
//! given, and 100,000 generated jobs at loads of 0.9 and 1.3. At each load their estimates are once
//! exact, and once up to five times the run times.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    use schedscope::experiment::Scenario;
    use schedscope::import::{BadLines, read};
    use schedscope::machine::Placements;
    use schedscope::param::Settings;
    use schedscope::sim::Silent;
    use schedscope::trace::Trace;
    use schedscope::workload::Workload;
    use schedscope::workload::model::generate;
    use std::sync::Arc;
    use std::time::Instant;

    /// Returns the offered load: the work of all jobs over what the processors can do until the
    /// last arrival.
    fn load(workload: &Workload) -> f64 {
        let work = |index: usize| {
            f64::from(workload.requests[index].processors)
                * workload.programs[index].runtime.seconds()
        };
        let first = workload
            .requests
            .first()
            .map_or(0.0, |request| request.submitted.seconds());
        let last = workload
            .requests
            .last()
            .map_or(0.0, |request| request.submitted.seconds());
        (0..workload.len()).map(work).sum::<f64>() / (last - first) / f64::from(workload.processors)
    }

    fn generated(overestimate: f64) -> Trace {
        let settings = Settings::default()
            .with("jobs", 100_000.0)
            .with("processors", 256.0)
            .with("overestimate", overestimate);
        generate("lublin", &settings).expect("the settings are in range")
    }

    let file = std::env::args().nth(1).map(|path| {
        let text = std::fs::read(&path).expect("the file is readable");
        (
            path,
            read("file", &text, BadLines::Stop).expect("the file is a trace"),
            None,
        )
    });
    let mut workloads: Vec<(String, Trace, Option<f64>)> = file.into_iter().collect();
    for load in [0.9, 1.3] {
        workloads.push((
            "generated, exact estimates".to_owned(),
            generated(1.0),
            Some(load),
        ));
        workloads.push(("generated".to_owned(), generated(5.0), Some(load)));
    }
    println!(
        "| workload | load | policy | longest queue | seconds | jobs/s |\n|---|---|---|---|---|---|"
    );
    for (name, trace, wanted) in workloads {
        let plain = Scenario::new("fcfs")
            .resolve()
            .expect("FCFS exists")
            .workload(&trace)
            .expect("the trace has jobs");
        let factor = wanted.map_or(1.0, |wanted| wanted / load(&plain));
        for spec in schedscope::policy::ALL
            .iter()
            .filter(|spec| spec.runs_on(schedscope::machines::flat::SPEC.offer))
        {
            let scenario = Scenario::new(spec.id)
                .with("arrival_factor", factor)
                .resolve()
                .expect("the scenario is good");
            let workload = Arc::new(scenario.workload(&trace).expect("the trace has jobs"));
            let began = Instant::now();
            let mut run = scenario.simulation(Arc::clone(&workload), Placements::Counted);
            let mut longest = 0;
            while !run.advance(1000, &mut Silent).done {
                longest = longest.max(run.waiting());
            }
            let seconds = began.elapsed().as_secs_f64();
            let rate = workload.len() as f64 / seconds;
            println!(
                "| {name} | {:.2} | {} | {longest} | {seconds:.2} | {rate:.0} |",
                load(&workload),
                spec.id
            );
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
