//! Tests of sessions: everything that a session keeps between questions equals the answers of a
//! fresh session.

use super::support::{Job, Overruns, random_jobs};
use schedscope::experiment::{Run, Scenario};
use schedscope::import::{BadLines, read};
use schedscope::session::{Look, Picture, Session};
use schedscope::time::Time;
use schedscope::trace::Trace;
use schedscope::view::{Colouring, RowsBy, Theme, Viewport};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// Writes jobs as SWF and reads them, so that a run can be forked and explained.
fn trace(processors: u32, jobs: &[Job]) -> Arc<Trace> {
    let mut text = format!("; MaxProcs: {processors}\n");
    for (index, job) in jobs.iter().enumerate() {
        let (number, size) = (index + 1, job.processors);
        writeln!(
            text,
            "{number} {} -1 {} {size} -1 -1 {size} {} -1 1 {} -1 -1 -1 -1 -1 -1",
            job.submit, job.runtime, job.estimate, job.user
        )
        .unwrap();
    }
    Arc::new(read("random", text.as_bytes(), BadLines::Stop).unwrap())
}

fn run(trace: &Arc<Trace>, policy: &str) -> Run {
    let scenario = Scenario::new(policy).resolve().unwrap();
    scenario.run(Arc::clone(trace)).unwrap()
}

const LOOK: Look = Look {
    colouring: Colouring::Wait,
    theme: Theme::Light,
};

fn picture(to: i64, processors: u32) -> Picture {
    Picture {
        window: Viewport {
            from: Time::ZERO,
            to: Time::from_seconds(to),
            top: 0.0,
            bottom: f64::from(processors),
        },
        size: (60, 40),
        rows: RowsBy::Slots,
    }
}

/// Returns all answers of a session as text.
fn answers(session: &mut Session, processors: u32) -> String {
    let whole = picture(400, processors);
    let jobs = session.schedule().workload.len() as u32;
    let facts: Vec<Value> = (0..=jobs)
        .map(|job| serde_json::to_value(session.job(job)).unwrap())
        .collect();
    let area = serde_json::to_value(session.area(&whole.window, RowsBy::Slots)).unwrap();
    let at: Vec<Option<u32>> = (0..40)
        .map(|at| session.job_at(f64::from(at) * 10.0, 0.5, 1.0, RowsBy::Slots))
        .collect();
    let changes: Vec<Option<Time>> = (0..40)
        .flat_map(|at| [true, false].map(|forwards| (Time::from_seconds(at * 10), forwards)))
        .map(|(at, forwards)| session.next_change(at, forwards))
        .collect();
    let raster = session.raster(&whole, [255; 3], LOOK);
    let legend = serde_json::to_value(session.legend()).unwrap();
    let (waiting, first) = (session.listed("wait", 0, 100), session.listed("", 3, 5));
    let visible = session.visible(&whole, 1000);
    format!(
        "{facts:?}\n{area}\n{at:?}\n{changes:?}\n{raster:?}\n{legend}\n{visible:?}\n{waiting:?}\n\
            {first:?}\n{:?}\n{:?}",
        (session.starts(), session.ends(), session.waits()),
        session.bins(Time::ZERO, Time::from_seconds(400), 7),
    )
}

/// A session that was asked in many states of its run, with filters and comparisons in between,
/// gives the same final answers as a session that was asked once.
#[test]
fn what_a_session_keeps_is_never_old() {
    for seed in 0..20 {
        let (processors, jobs) = random_jobs(seed, Overruns::Sometimes);
        let trace = trace(processors, &jobs);
        let mut kept = Session::new(run(&trace, "easy"));
        let mut fresh = Session::new(run(&trace, "easy"));
        let mut other = Session::new(run(&trace, "fcfs"));
        while !other.advance(1000) {}
        while !fresh.advance(1000) {}
        for step in 0.. {
            let over = kept.advance(1);
            let before = answers(&mut kept, processors);
            kept.filter(["user:1", "", "wait>2"][step % 3]).unwrap();
            answers(&mut kept, processors);
            let (records, starts) = (other.records().to_vec(), other.starts());
            kept.against(&records, &starts, &other.ends(), &other.waits());
            answers(&mut kept, processors);
            kept.filter("").unwrap();
            kept.against(&[], &[], &[], &[]);
            assert_eq!(answers(&mut kept, processors), before, "seed {seed}");
            if over {
                break;
            }
        }
        assert_eq!(
            answers(&mut kept, processors),
            answers(&mut fresh, processors),
            "seed {seed}"
        );
    }
}

/// A comparison holds that is told before the first question about the run.
#[test]
fn a_comparison_can_come_first() {
    let (processors, jobs) = random_jobs(1, Overruns::Never);
    let trace = trace(processors, &jobs);
    let [mut early, mut late, mut other] =
        ["easy", "easy", "fcfs"].map(|policy| Session::new(run(&trace, policy)));
    while !early.advance(1000) {}
    while !late.advance(1000) {}
    while !other.advance(1000) {}
    let (from, to) = (Time::ZERO, Time::from_seconds(100_000));
    let compare = |session: &mut Session| {
        let records = other.records().to_vec();
        session.against(&records, &other.starts(), &other.ends(), &other.waits());
    };
    compare(&mut early);
    early.bins(from, to, 7);
    late.bins(from, to, 7);
    compare(&mut late);
    assert_eq!(early.versus(from, to, 7), late.versus(from, to, 7));
    assert!(late.versus(from, to, 7).iter().any(|part| *part > 0.0));
}

/// A filter dims the jobs that it excludes, in every answer.
#[test]
fn a_filter_holds_for_every_answer() {
    let job = |submit, runtime, processors, user| Job {
        submit,
        runtime,
        estimate: runtime,
        processors,
        user,
    };
    let jobs = [job(0, 100, 4, 1), job(0, 50, 4, 2), job(10, 20, 8, 1)];
    let trace = trace(8, &jobs);
    let mut session = Session::new(run(&trace, "fcfs"));
    while !session.advance(1000) {}
    let all = session.filter("").unwrap();
    assert_eq!((all.jobs, all.work), (3, 760.0));
    let found = session.filter("user:1").unwrap();
    assert_eq!((found.jobs, found.work), (2, 560.0));
    assert_eq!(session.listed("", 0, 10), [0, 2]);
    assert_eq!(session.listed("wait", 0, 10), [2, 0]);
    let numbers: Vec<f64> = session.visible(&picture(200, 8), 100).unwrap();
    let dimmed = numbers.chunks(6).filter(|found| found[1].is_nan()).count();
    assert_eq!((numbers.len() / 6, dimmed), (3, 1));
    // From 0 to 50 s the window shows 4 processors of job 1. Those of job 2 do not count.
    let window = picture(50, 8).window;
    let area = session.area(&window, RowsBy::Slots);
    assert_eq!((area.jobs, area.work), (1, 200.0));
    assert!(session.filter("nonsense:1").is_err());
    // An invalid filter leaves the last valid one in place.
    assert_eq!(session.listed("", 0, 10), [0, 2]);
}

/// Jobs are found by number, by record and by index. An unknown one is not found.
#[test]
fn jobs_are_found_by_their_names() {
    let (processors, jobs) = random_jobs(3, Overruns::Never);
    let trace = trace(processors, &jobs);
    let mut session = Session::new(run(&trace, "conservative"));
    while !session.advance(1000) {}
    let count = jobs.len() as u32;
    for (index, record) in session.records().to_vec().into_iter().enumerate() {
        let facts = session.job(index as u32).unwrap();
        assert_eq!((facts.job, facts.record), (index as u32, record));
        assert_eq!(session.find_job(facts.number), Some(index as u32));
        assert_eq!(session.job_of_record(record).unwrap().job, index as u32);
        assert_eq!(facts.wait, Some(facts.start.unwrap() - facts.submitted));
    }
    assert!(session.job(count).is_none());
    assert!(session.job_of_record(count).is_none());
    assert_eq!(session.find_job(-5), None);
    let refused = session.show(json!({"ask": "geometry"}), LOOK).unwrap_err();
    assert_eq!(refused.what, "The machine has no pictures of its own.");
}

/// The pictures of a torus agree with the schedule; a wrong question is refused.
#[test]
fn a_torus_answers_about_its_boxes() {
    let jobs = [(4, 100), (4, 50), (12, 30)].map(|(size, runtime)| {
        format!("1 0 -1 {runtime} {size} -1 -1 {size} {runtime} -1 1 1 -1 -1 -1 -1 -1 -1\n")
    });
    let text = format!("; MaxProcs: 12\n{}", jobs.concat());
    let trace = Arc::new(read("three", text.as_bytes(), BadLines::Stop).unwrap());
    let scenario = Scenario {
        machine: "torus".into(),
        ..Scenario::new("easy")
            .with("x", 2.0)
            .with("y", 2.0)
            .with("z", 3.0)
    };
    let mut session = Session::new(scenario.resolve().unwrap().run(trace).unwrap());
    while !session.advance(1000) {}
    let mut ask = |question: Value| session.show(question, LOOK);
    assert_eq!(
        ask(json!({"ask": "geometry"})).unwrap(),
        json!({"extent": [2, 2, 3], "wraps": [true, true, true], "supernode": 512})
    );
    // The first two jobs have begun after a second; the third waits for all nodes.
    let found = ask(json!({"ask": "occupancy", "at": 60.0})).unwrap();
    assert_eq!((&found["free"], &found["waiting"]), (&json!(8), &json!(1)));
    let resident = &found["residents"][0];
    let volume = |found: &Value| -> u64 {
        let extent = found["extent"].as_array().unwrap();
        extent.iter().map(|edge| edge.as_u64().unwrap()).product()
    };
    assert_eq!(
        (
            found["residents"].as_array().unwrap().len(),
            resident["job"].clone()
        ),
        (1, json!(0))
    );
    assert_eq!(
        (volume(&resident["box"]), volume(&found["largest"])),
        (4, 8)
    );
    // Parts: both jobs run, one job runs, the third holds every node.
    let parts = ask(json!({"ask": "contiguity", "from": 0.0, "to": 150.0, "count": 3})).unwrap();
    assert_eq!(parts, json!([1.0, 1.0, null]));
    for wrong in [
        json!({"ask": "searches", "at": 0.0}),
        json!({"ask": "occupancy", "at": "now"}),
        json!({"ask": "geometry", "at": 1}),
        json!(7),
    ] {
        let refused = ask(wrong).unwrap_err();
        assert!(
            refused.what.starts_with("The question is not understood: "),
            "{refused:?}"
        );
    }
}

/// The values of the jobs are those that the metric counts: their mean is the metric's, and the
/// jobs of the warm-up have none.
#[test]
fn values_of_jobs_have_the_mean_of_their_metric() {
    let (processors, jobs) = random_jobs(7, Overruns::Sometimes);
    let trace = trace(processors, &jobs);
    let mut scenario = Scenario::new("easy");
    scenario.settings = std::mem::take(&mut scenario.settings).with("warm_up", 0.2);
    let run = scenario.resolve().unwrap().run(trace).unwrap();
    let mut session = Session::new(run);
    while !session.advance(1000) {}
    let figures = session.result().unwrap().figures;
    for metric in ["wait", "response", "bounded_slowdown"] {
        let values = session.per_job(metric).unwrap();
        assert_eq!(values.len(), jobs.len());
        assert!(values[0].is_nan(), "the first job is of the warm-up");
        let counted: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
        let mean = counted.iter().sum::<f64>() / counted.len() as f64;
        let expected = figures[format!("{metric}.mean").as_str()];
        assert!((mean - expected).abs() <= 1e-9 * expected.abs(), "{metric}");
    }
    assert!(session.per_job("makespan").is_none());
}
