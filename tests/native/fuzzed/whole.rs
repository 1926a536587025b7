//! Whole runs, which must be the same in one go, in slices of any size, after a fork and after
//! JSON, and pass the audit.

use super::draw::{Experiment, experiment};
use super::{Outcome, check, finish, refused};
use arbitrary::Unstructured;
use schedscope::experiment::{Run, Scenario, summary};
use schedscope::import::{BadLines, read};
use schedscope::machine::Placements;
use schedscope::problem::Problem;
use schedscope::schedule::Recorder;
use schedscope::trace::Trace;
use std::sync::Arc;

/// True if a problem rests on what the jobs of the trace ask for.
fn is_of_jobs(problem: &Problem) -> bool {
    let begins = [
        "What if:",
        "On the machine",
        "The policy `slurm` knows",
        "This slurm.conf gives whole nodes",
        "Jobs ask for memory",
        "Slurm and the machine count",
        "Slurm never starts",
    ];
    begins.iter().any(|start| problem.what.starts_with(start))
}

/// Draws an experiment from bytes, and runs it in every way.
pub fn whole_run(bytes: &[u8]) -> Outcome {
    let Ok(Experiment {
        trace,
        scenario,
        slices,
        fork_after,
        tells,
    }) = experiment(&mut Unstructured::new(bytes))
    else {
        return Outcome::Unused;
    };
    let trace = Arc::new(trace);
    let mut run = match begin(&scenario, &trace) {
        Ok(run) => run,
        Err(outcome) => return outcome,
    };
    if !finish(&mut run) {
        return Outcome::GivenUp;
    }
    let text = serde_json::to_string(&scenario).expect("all numbers are finite");
    let again: Scenario = serde_json::from_str(&text).expect("a written text can be read");
    assert_eq!(again, scenario);
    let mut sliced = begin(&again, &trace)
        .unwrap_or_else(|_| panic!("the scenario was accepted before: {text}"));
    for budget in slices.iter().cycle() {
        if sliced.advance(*budget).done {
            break;
        }
    }
    assert_eq!(run.check_complete(), sliced.check_complete(), "{text}");
    assert_eq!(
        run.schedule().digest(),
        sliced.schedule().digest(),
        "in slices: {text}"
    );
    if let Err(problem) = run.check_complete() {
        assert!(is_of_jobs(&problem), "{problem}: {text}");
        return refused(&problem);
    }
    check(&run);
    assert_eq!(run.measures(), sliced.measures(), "{text}");
    forked(&run, fork_after, &text);
    if tells {
        tell(&run, &text);
    }
    Outcome::Held
}

fn begin(scenario: &Scenario, trace: &Arc<Trace>) -> Result<Run, Outcome> {
    scenario
        .resolve()
        .and_then(|resolved| resolved.run(Arc::clone(trace)))
        .map_err(|problem| refused(&problem))
}

/// Checks that a fork has the same future, and does not change its original.
fn forked(run: &Run, after: u64, text: &str) {
    if run.scenario.what_if.is_some() {
        return;
    }
    let workload = &run.schedule().workload;
    let mut recorder = Recorder::new(Arc::clone(workload));
    let mut original = run
        .scenario
        .simulation(Arc::clone(workload), Placements::Recorded);
    if after > 0 {
        original.advance(after, &mut recorder);
    }
    let (mut fork, mut of_fork) = (original.fork(), recorder.clone());
    fork.run(&mut of_fork);
    assert_eq!(
        of_fork.schedule().digest(),
        run.schedule().digest(),
        "a fork after {after}: {text}"
    );
    original.run(&mut recorder);
    assert_eq!(
        recorder.schedule().digest(),
        run.schedule().digest(),
        "forked after {after}: {text}"
    );
}

/// Asks a finished run for everything that it can be asked for.
fn tell(run: &Run, text: &str) {
    run.story()
        .unwrap_or_else(|problem| panic!("{problem}: {text}"));
    run.schedule()
        .workload
        .ids()
        .for_each(|job| drop(run.why(job)));
    let summary = summary(run, &run.measures());
    let written = serde_json::to_string(&summary).expect("the text is JSON");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&written).expect("the text is JSON"),
        summary,
        "{text}"
    );
    let mut swf = String::new();
    run.swf(|line| swf.push_str(line));
    let read = read("written", swf.as_bytes(), BadLines::Stop)
        .unwrap_or_else(|problem| panic!("{problem}: {text}"));
    assert_eq!(read.records.len(), run.schedule().workload.len(), "{text}");
    let mut lines = 0;
    run.jobs_csv(|_| lines += 1);
    assert_eq!(lines, run.schedule().workload.len() + 1, "{text}");
    run.chrome_trace(|_| ());
}
