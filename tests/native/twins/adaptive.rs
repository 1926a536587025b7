//! Parts that the twins of adaptive policies share: frames, and candidates that take over.

use super::conservative::{self, Plan};
use super::draw::random_jobs;
use super::easy::{EASY, Easy};
use super::flex::{FLEX, Flex};
use super::lookahead::{self, LOOKAHEAD};
use super::orders::{ARRIVAL, Order};
use super::priority::{self, Limit};
use super::queue::{ONCE, View, starts};
use super::words::{Experiment, Job, Overruns, Schedule, Workload};
use std::rc::Rc;

/// Length of a frame in seconds.
pub const FRAME: i64 = 60;

/// Candidates in several orders, so that each takes over from each.
pub static CANDIDATES: [[&str; 3]; 3] = [
    ["easy", "flex", "conservative"],
    ["priority", "lookahead", "flex"],
    ["conservative", "priority", "easy"],
];

type Decides = Box<dyn FnMut(&mut View<'_>)>;

/// Returns a candidate in its initial state. Some candidates remember their plans, the others
/// remember nothing.
pub fn candidate(name: &str) -> Decides {
    match name {
        "easy" => {
            let mut easy = Easy::default();
            Box::new(move |view| easy.decide(view, EASY))
        }
        "priority" => Box::new(|view| priority::decide(view, Order("shortest"), Limit::None)),
        "lookahead" => Box::new(|view| lookahead::decide(view, LOOKAHEAD)),
        "conservative" => {
            let mut plan = Plan::default();
            Box::new(move |view| conservative::decide(view, &mut plan, ARRIVAL))
        }
        _ => {
            let mut flex = Flex::new(FLEX);
            Box::new(move |view| flex.decide(view))
        }
    }
}

pub fn experiment(policy: &'static str, candidates: &[&str]) -> Experiment {
    let experiment = Experiment::new(policy)
        .with("candidates", candidates.join("+").as_str())
        .with("frame", FRAME as f64);
    if candidates.contains(&"priority") {
        experiment
            .with("priority.order", "shortest")
            .with("priority.starvation", "none")
    } else {
        experiment
    }
}

/// Jobs over several frames.
pub fn long_workload(seed: u64) -> Rc<Workload> {
    let (processors, mut jobs) = random_jobs(seed, Overruns::Never);
    let (_, more) = random_jobs(seed + 10_000, Overruns::Never);
    let last = jobs.last().unwrap().submit;
    jobs.extend(more.into_iter().map(|job| Job {
        submit: job.submit + last + 30,
        processors: job.processors.min(processors),
        ..job
    }));
    Rc::new(Workload::new(processors, jobs))
}

/// Instants from which a candidate decides, each with the candidate's number.
pub type Switches = Vec<(i64, usize)>;

/// Returns the starts and the switches of a run. At the end of each frame, `choose` gets the
/// instant and the number of the candidate that decides, and returns the number of the next one.
pub fn run(
    workload: &Workload,
    candidates: &[&str],
    mut choose: impl FnMut(i64, usize) -> usize,
) -> (Vec<i64>, Switches) {
    let begin = workload.jobs[0].submit;
    let (mut ends, mut active) = (begin + FRAME, 0);
    let mut deciding = candidate(candidates[0]);
    let mut switches = vec![(begin, 0)];
    let starts = starts(workload, ONCE, |view| {
        if view.now == ends {
            let chosen = choose(ends, active);
            if chosen != active {
                switches.push((ends, chosen));
                deciding = candidate(candidates[chosen]);
            }
            active = chosen;
            ends += FRAME;
        }
        deciding(view);
        view.wakes.insert(ends);
    });
    (starts, switches)
}

/// Returns the starts of a run whose switches are given: `script` has an instant and a candidate
/// for each of them.
pub fn scripted(workload: &Workload, candidates: &[&str], script: &[(i64, usize)]) -> Vec<i64> {
    let next = |end: i64, active: usize| {
        script
            .iter()
            .find(|(at, _)| *at == end)
            .map_or(active, |(_, next)| *next)
    };
    run(workload, candidates, next).0
}

pub fn schedule((starts, switches): (Vec<i64>, Switches)) -> Schedule {
    let mut schedule = Schedule::of(starts);
    schedule
        .counts
        .insert("switches", switches.len() as u64 - 1);
    let line = |(at, policy): (i64, usize)| format!("{at} s: candidate {policy}");
    schedule
        .told
        .insert("switches", switches.into_iter().map(line).collect());
    schedule
}
