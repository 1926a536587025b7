//! Times parsing, EASY and the timeline natively, for the comparison with the browser that `cargo
//! xtask bench-web` makes.
//!
//! `timing FILE.swf [ARRIVAL_FACTOR [FIRST_JOB]]` prints one line of JSON with times in
//! milliseconds. The factor scales the load of the runs of all policies. If a first job is given,
//! these runs are those of the schedulers of the torus, on 10,000 jobs from the first one on.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    use schedscope::experiment::Scenario;
    use schedscope::import::{BadLines, Reader};
    use schedscope::view::{Colouring, Colours, Frame, Index, Lanes, Theme, Viewport, raster};
    use std::sync::Arc;
    use std::time::Instant;

    let path = std::env::args()
        .nth(1)
        .expect("usage: timing FILE.swf [ARRIVAL_FACTOR [FIRST_JOB]]");
    let factor: f64 = std::env::args().nth(2).map_or(1.0, |factor| {
        factor.parse().expect("the factor is a number")
    });
    let text = std::fs::read(&path).expect("the file is readable");
    let began = Instant::now();
    let mut reader = Reader::new(BadLines::Stop);
    text.chunks(1 << 16)
        .try_for_each(|piece| reader.push(piece))
        .expect("the file is a trace");
    let trace = Arc::new(reader.finish("timing").expect("the file is a trace"));
    let parse = began.elapsed();
    let mut run = Scenario::new("easy")
        .resolve()
        .expect("EASY exists")
        .run(Arc::clone(&trace))
        .expect("the trace has jobs");
    let began = Instant::now();
    run.advance(u64::MAX);
    let easy = began.elapsed();
    let schedule = run.schedule();
    let (first, last) = schedule.span();
    let window = Viewport {
        from: first,
        to: last,
        top: 0.0,
        bottom: f64::from(schedule.workload.processors),
    };
    let mut colours = Colours::new(&schedule.workload, Colouring::Wait, Theme::Light);
    colours.update(schedule);
    let index = Index::new(schedule);
    let began = Instant::now();
    raster(
        schedule,
        &index,
        &colours,
        &window,
        &Frame {
            width: 1600,
            height: 800,
            background: [255; 3],
        },
        &Lanes::Rows(schedule.workload.processors),
    );
    let draw = began.elapsed();
    // The workloads are so large that the slowest policy takes seconds.
    let mut policies = serde_json::Map::new();
    let first_job = std::env::args()
        .nth(3)
        .map(|first| first.parse::<f64>().expect("the first job is a number"));
    let machine = if first_job.is_some() {
        &schedscope::machines::torus::SPEC
    } else {
        &schedscope::machines::flat::SPEC
    };
    for spec in schedscope::policy::ALL
        .iter()
        .filter(|spec| spec.runs_on(machine.offer) && schedule.workload.len() < 300_000)
    {
        let scenario = Scenario {
            machine: machine.id.into(),
            ..Scenario::new(spec.id)
        }
        .with("arrival_factor", factor);
        let windowed = |first: f64| {
            scenario
                .clone()
                .with("first_job", first)
                .with("jobs", 10_000.0)
                .with("incomplete", "drop_zero")
        };
        let scenario = first_job
            .map_or_else(|| scenario.clone(), windowed)
            .resolve()
            .expect("the policy exists");
        let mut run = scenario
            .run(Arc::clone(&trace))
            .expect("the trace has jobs");
        let began = Instant::now();
        run.advance(u64::MAX);
        let took = began.elapsed().as_secs_f64() * 1000.0;
        policies.insert(
            spec.id.into(),
            serde_json::json!([took, format!("{:016x}", run.schedule().digest())]),
        );
    }
    let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1000.0;
    let figures = serde_json::json!({
        "jobs": schedule.workload.len(), "parse": milliseconds(parse),
        "easy": milliseconds(easy), "draw": milliseconds(draw),
        "digest": format!("{:016x}", schedule.digest()), "policies": policies,
    });
    println!("{figures}");
}

#[cfg(target_arch = "wasm32")]
fn main() {}
