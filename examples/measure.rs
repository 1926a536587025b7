//! Measures one run, for `cargo xtask bench`, which starts it again for every figure.
//!
//! Arguments are `key=value`. `policy` and `machine` choose these. `model` draws the trace, or `file`
//! names one. `at=once` lets all jobs arrive at one instant. `work=read` measures the reading of the
//! file, `work=all` a run with pictures and figures, and `work=schedule`, the default, only policy
//! and machine; `work=write` writes the file. All others are settings.
//!
//! Prints one line: seconds, jobs, the longest queue, the largest memory in bytes (0 if the system
//! does not tell) and the digest of the schedule.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    use schedscope::experiment::Scenario;
    use schedscope::import::{BadLines, read};
    use schedscope::machine::Placements;
    use schedscope::param::{Settings, Value};
    use schedscope::schedule::Recorder;
    use schedscope::time::Time;
    use schedscope::trace::Trace;
    use schedscope::workload::model::generate;
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::time::Instant;

    /// Returns the largest memory that the process has had.
    fn largest_memory() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kilobytes.unwrap_or(0) * 1024
    }

    let mut given: BTreeMap<String, String> = std::env::args()
        .skip(1)
        .map(|argument| {
            let (key, value) = argument.split_once('=').expect("arguments are key=value");
            (key.to_owned(), value.to_owned())
        })
        .collect();
    let mut take = |key: &str, otherwise: &str| given.remove(key).unwrap_or(otherwise.to_owned());
    let (policy, machine) = (take("policy", "easy"), take("machine", "flat"));
    let (work, model) = (take("work", "schedule"), take("model", "lublin"));
    let (file, at) = (take("file", ""), take("at", ""));
    let jobs = [
        take("jobs", "10000"),
        take("processors", "256"),
        take("overestimate", "5"),
    ];

    let began = Instant::now();
    let trace: Trace = if file.is_empty() || work == "write" {
        let keys = ["jobs", "processors", "overestimate"];
        let values = jobs.iter().map(|value| Value::parse(value));
        let settings = keys
            .into_iter()
            .zip(values)
            .fold(Settings::default(), |settings, (key, value)| {
                settings.with(key, value)
            });
        generate(&model, &settings).expect("the settings are in range")
    } else {
        let text = std::fs::read(&file).expect("the file is readable");
        read("file", &text, BadLines::Stop).expect("the file is a trace")
    };
    let reading = began.elapsed();
    if work == "write" {
        let mut text = String::new();
        schedscope::trace::write_trace(&trace, |line| text.push_str(line));
        std::fs::write(&file, text).expect("the file can be written");
    }
    let scenario = given.iter().fold(
        Scenario {
            machine,
            ..Scenario::new(&policy)
        },
        |scenario, (key, value)| scenario.with(key, Value::parse(value)),
    );
    let resolve = |scenario: &Scenario| scenario.clone().resolve().expect("the scenario is good");
    let mut workload = resolve(&scenario)
        .workload(&trace)
        .expect("the trace has jobs");
    if at == "once" {
        for request in &mut workload.requests {
            request.submitted = Time::ZERO;
        }
    }
    let workload = Arc::new(workload);
    let began = Instant::now();
    let (longest, digest) = match work.as_str() {
        "all" => {
            let run = resolve(&scenario).run(Arc::new(trace));
            let mut run = run.expect("the trace has jobs");
            while !run.advance(100_000).done {}
            std::hint::black_box(run.measures());
            (0, run.schedule().digest())
        }
        "read" | "write" => (0, workload.len() as u64),
        _ => {
            let mut recorder = Recorder::new(Arc::clone(&workload));
            let mut run = resolve(&scenario).simulation(Arc::clone(&workload), Placements::Counted);
            let mut longest = 0;
            while !run.advance(1000, &mut recorder).done {
                longest = longest.max(run.waiting());
            }
            (longest, recorder.schedule().digest())
        }
    };
    let time = if work == "read" {
        reading
    } else {
        began.elapsed()
    };
    println!(
        "{} {} {longest} {} {digest:016x}",
        time.as_secs_f64(),
        workload.len(),
        largest_memory()
    );
}

#[cfg(target_arch = "wasm32")]
fn main() {}
