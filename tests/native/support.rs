//! Helpers that tests share: small workloads, and runs that are audited.

pub use super::twins::{Job, Overruns, random_jobs};

use schedscope::experiment::{Run, Scenario};
use schedscope::import::{BadLines, file::read_file};
use schedscope::job::{Program, Request};
use schedscope::machine::Placements;
use schedscope::machines;
use schedscope::policy;
use schedscope::schedule::{Schedule, audit::audit};
use schedscope::sim::Simulation;
use schedscope::time::{Span, Time};
use schedscope::trace::Trace;
use schedscope::workload::Workload;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Arc;

/// Returns a job whose estimate is its run time.
pub fn job(submit: i64, runtime: i64, processors: u32) -> Job {
    Job {
        submit,
        runtime,
        estimate: runtime,
        processors,
        user: 0,
    }
}

pub fn workload(processors: u32, jobs: &[Job]) -> Arc<Workload> {
    workload_in(1, processors, jobs)
}

/// Makes a workload with times in ticks, of which a second has `ticks`. Jobs can then end within a
/// second of each other.
pub fn workload_in(ticks: i64, processors: u32, jobs: &[Job]) -> Arc<Workload> {
    let span = |of: i64| Span::from_microseconds(of * 1_000_000 / ticks);
    let request = |(index, job): (usize, &Job)| Request {
        number: index as i64 + 1,
        submitted: Time::ZERO + span(job.submit),
        estimate: span(job.estimate),
        processors: job.processors,
        user: job.user,
        group: -1,
        application: -1,
        queue: -1,
    };
    let workload = Workload {
        requests: jobs.iter().enumerate().map(request).collect(),
        programs: jobs
            .iter()
            .map(|job| Program::rigid(span(job.runtime)))
            .collect(),
        sources: (0..jobs.len() as u32).collect(),
        processors,
        ..Workload::default()
    };
    workload.check().unwrap();
    Arc::new(workload)
}

/// Returns the scenario on a machine that random jobs of at most 12 processors fill.
pub fn small(scenario: Scenario) -> Scenario {
    let machine = machines::find(&scenario.machine).unwrap();
    let set = |scenario: Scenario, (key, value): &(&str, f64)| scenario.with(key, *value);
    machine.small.iter().fold(scenario, set)
}

/// Makes the workload of a scenario from jobs. The machine has its own size if it determines one,
/// otherwise `processors`.
pub fn workload_for(scenario: &Scenario, processors: u32, jobs: &[Job]) -> Arc<Workload> {
    workload(
        scenario.resolve().unwrap().capacity().unwrap_or(processors),
        jobs,
    )
}

/// Draws random jobs for the machine of a scenario.
pub fn random_workload(scenario: &Scenario, seed: u64, overruns: Overruns) -> Arc<Workload> {
    let (processors, jobs) = random_jobs(seed, overruns);
    workload_for(scenario, processors, &jobs)
}

/// Returns every policy with its defaults, and with settings under which it remembers or examines
/// more.
pub fn scenarios() -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = policy::ALL
        .iter()
        .map(|spec| small(Scenario::new(spec.id)))
        .collect();
    let easy = Scenario::new("easy");
    scenarios.extend([
        easy.clone().with("depth", 3.0).with("scan", "shortest"),
        easy.clone().with("estimates", "predicted"),
        easy.with("order", "wfp3"),
        Scenario::new("conservative")
            .with("estimates", "predicted")
            .with("order", "expansion"),
        Scenario::new("selective").with("threshold_rule", "adaptive"),
        Scenario::new("maui")
            .with("weight_passed", 2.0)
            .with("reservation_depth", 2.0)
            .with("backfill", "greedy"),
        Scenario::new("lookahead")
            .with("reserve", "none")
            .with("order", "shortest"),
        Scenario::new("easy").with("estimates", "actual_until_start"),
        Scenario::new("easy").with("reservation", "once"),
        small(Scenario {
            machine: "torus".into(),
            ..Scenario::new("easy")
        })
        .with("reservation", "once"),
        Scenario::new("conservative")
            .with("estimates", "actual_until_start")
            .with("compression", "anew"),
        Scenario::new("flex").with("estimates", "actual_until_start"),
        Scenario::new("selective").with("estimates", "actual_until_start"),
        Scenario::new("pbas")
            .with("frame", 60.0)
            .with("estimates", "actual_until_start"),
        Scenario::new("priority")
            .with("starvation", "passes")
            .with("pass_limit", 2.0),
        Scenario::new("flex")
            .with("cost", "wait")
            .with("slack_measure", "hours")
            .with("reconsidered", 2.0),
        Scenario::new("pbas")
            .with("candidates", "flex+easy+conservative")
            .with("frame", 60.0)
            .with("easy.scan", "shortest"),
        Scenario::new("wbas")
            .with("candidates", "flex+selective")
            .with("frame", 60.0)
            .with("maf", 3.0)
            .with("estimates", "predicted"),
        small(Scenario {
            machine: "torus".into(),
            ..Scenario::new("pbas")
        })
        .with("frame", 60.0)
        .with("metric", "wait"),
        small(Scenario {
            machine: "torus".into(),
            ..Scenario::new("fcfs")
        }),
        small(Scenario {
            machine: "torus".into(),
            ..Scenario::new("easy")
        })
        .with("depth", 3.0),
        small(Scenario::new("bm"))
            .with("migration_cost", 3.0)
            .with("scan", "shortest"),
    ]);
    let tied = |ties: &'static str| {
        scenarios
            .iter()
            .map(move |scenario| scenario.clone().with("ties", ties))
    };
    let event_by_event: Vec<Scenario> = tied("per_event")
        .chain(tied("per_event_ends_first"))
        .collect();
    scenarios.extend(
        event_by_event
            .into_iter()
            .filter(|scenario| scenario.resolve().is_ok()),
    );
    scenarios
}

/// Returns the simulation of a scenario on a workload, without a trace.
pub fn simulation(scenario: &Scenario, workload: &Arc<Workload>) -> Simulation {
    scenario
        .resolve()
        .unwrap()
        .simulation(Arc::clone(workload), Placements::Recorded)
}

/// Returns the audited schedule of a scenario.
pub fn schedule(scenario: &Scenario, workload: &Arc<Workload>) -> Schedule {
    let resolved = scenario.resolve().unwrap();
    let mut recorder = resolved.recorder(workload);
    simulation(scenario, workload).run(&mut recorder);
    let schedule = recorder.into_schedule();
    assert_eq!(audit(&schedule, 3), Vec::<String>::new(), "{scenario:?}");
    schedule
}

pub fn starts(schedule: &Schedule) -> Vec<i64> {
    schedule
        .starts
        .iter()
        .map(|start| start.whole_seconds())
        .collect()
}

/// Returns a recorded and audited run of a trace.
pub fn run(scenario: &Scenario, trace: &Arc<Trace>) -> Run {
    let mut run = scenario.resolve().unwrap().run(Arc::clone(trace)).unwrap();
    run.advance(u64::MAX);
    run.check_complete().unwrap();
    assert_eq!(
        audit(run.schedule(), 3),
        Vec::<String>::new(),
        "{scenario:?}"
    );
    run
}

/// Reports that the current test, or a part of it, is skipped: on its output, and in the file of
/// the final count.
pub fn skipped(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    eprintln!("skipped: {test}: {why}");
    let Some(list) = std::env::var_os("SCHEDSCOPE_SKIPPED") else {
        return;
    };
    let mut list = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(list)
        .unwrap();
    list.write_all(format!("{test}\t{why}\n").as_bytes())
        .unwrap();
}

/// Returns a real trace. If the folder of traces is absent, returns `None` with a message.
pub fn real_trace(name: &str) -> Option<Arc<Trace>> {
    let folder = std::env::var_os("SCHEDSCOPE_TRACES").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        PathBuf::from,
    );
    let path = folder.join(name);
    if !path.exists() {
        skipped(&format!(
            "{name} is not in the folder that SCHEDSCOPE_TRACES names"
        ));
        return None;
    }
    Some(Arc::new(
        read_file(&path, BadLines::Stop, |_, _| ()).unwrap(),
    ))
}

/// Returns the project's folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns a folder of the repository that the published crate leaves out. In the crate, returns
/// `None` with a message.
pub fn unpublished(folder: &str) -> Option<PathBuf> {
    // Cargo puts this file into packages only. In the repository, a missing folder fails the test.
    if root().join("Cargo.toml.orig").exists() {
        skipped(&format!("{folder}/ is not part of the published crate"));
        return None;
    }
    Some(root().join(folder))
}

/// Makes a folder for the files of a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = root()
        .join("target/tests")
        .join(format!("{name}-{}", std::process::id()));
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the program with arguments.
pub fn schedscope(arguments: &[&dyn AsRef<OsStr>]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_schedscope"))
        .args(arguments)
        .output()
        .unwrap()
}

/// Returns the standard output of a program that must have succeeded.
pub fn check(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the standard error of a program that must have failed.
pub fn refused(output: &Output) -> String {
    assert!(
        !output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}
