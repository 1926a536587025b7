//! Conformance: what a policy does wrong on small workloads, in words for its author.

use super::scenario::{Resolved, Scenario};
use crate::job::{JobId, Program, Request};
use crate::machine::Placements;
use crate::param::Settings;
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::schedule::audit::audit;
use crate::sim::Simulation;
use crate::time::{Span, Time};
use crate::workload::Workload;
use crate::workload::model::generate;
use serde::Serialize;
use std::sync::Arc;

/// A fault of a policy, or something that its author should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Shortcoming {
    /// True if a policy must never do this; false if its author should only know.
    pub is_fault: bool,
    /// Event, and the workload on which it happened.
    pub what: String,
    /// The rule.
    pub why: String,
    /// Advice for the author.
    pub next: String,
}

/// ModelValues of settings, by their keys.
type ModelValues = &'static [(&'static str, f64)];

/// The workloads: a name, and settings of the model `random` and of the run.
const WORKLOADS: &[(&str, ModelValues, ModelValues)] = &[
    ("few jobs", &[("jobs", 60.0)], &[]),
    ("many jobs", &[("jobs", 150.0), ("span", 20_000.0)], &[]),
    ("all at once", &[("jobs", 60.0), ("span", 1.0)], &[]),
    (
        "ends much earlier than estimated",
        &[("jobs", 120.0), ("span", 40_000.0)],
        &[("runtime_factor", 0.2)],
    ),
    (
        "one processor",
        &[("jobs", 40.0), ("processors", 1.0), ("span", 100_000.0)],
        &[],
    ),
];

/// Events after which a run of one of these workloads counts as endless. An instant at which nothing
/// happens counts as one.
const MOST: u64 = 500_000;

/// Seeds of each workload.
const SEEDS: u32 = 4;

/// Runs a policy on small workloads. Returns what it does wrong; nothing if it conforms.
///
/// # Errors
/// Returns a problem if the scenario is invalid.
pub fn conformance(scenario: &Scenario) -> Result<Vec<Shortcoming>, Problem> {
    let mut found = Vec::new();
    if scenario.resolve()?.machine.offer.processes {
        return Err(Problem::new(
            format!(
                "The check does not run on the machine `{}`.",
                scenario.machine
            ),
            "It simulates every process, and the check would take hours.",
            "Choose another machine.",
        ));
    }
    for (name, model, run) in WORKLOADS {
        for seed in 1..=SEEDS {
            let with = |settings: Settings, (key, value): &(&str, f64)| settings.with(key, *value);
            let model = model.iter().fold(Settings::default(), with);
            let trace = generate("random", &model.with("seed", f64::from(seed)))?;
            let mut scenario = scenario.clone();
            scenario.settings = run.iter().fold(scenario.settings, with);
            let resolved = scenario.resolve()?;
            let workload = Arc::new(resolved.workload(&trace)?);
            let name = format!("{name} (seed {seed})");
            // One fault of a workload is enough: others would follow from it.
            if let Err(shortcoming) = check(&resolved, &workload, &name) {
                // The same rule is told once.
                if found
                    .iter()
                    .all(|known: &Shortcoming| known.why != shortcoming.why)
                {
                    found.push(shortcoming);
                }
                break;
            }
        }
    }
    if found.is_empty() {
        found.extend(starving(&scenario.resolve()?));
    }
    Ok(found)
}

type Judged<T = ()> = Result<T, Shortcoming>;

fn fault(what: String, why: &str, next: &str) -> Shortcoming {
    Shortcoming {
        is_fault: true,
        what,
        why: why.to_owned(),
        next: next.to_owned(),
    }
}

fn begun(resolved: &Resolved, workload: &Arc<Workload>) -> Simulation {
    resolved.simulation(Arc::clone(workload), Placements::Recorded)
}

/// Returns the schedule of a run that advances in steps of `budget` events.
fn whole(
    resolved: &Resolved,
    workload: &Arc<Workload>,
    (name, budget): (&str, u64),
) -> Judged<Schedule> {
    let mut simulation = begun(resolved, workload);
    let mut recorder = resolved.recorder(workload);
    let mut events = 0;
    while !simulation.advance(budget, &mut recorder).done {
        events += budget;
        if events >= MOST {
            return Err(fault(
                format!("A run of the workload *{name}* does not come to an end."),
                "A run ends when no timer is left, or when no job waits.",
                "Start every job in the end, or ask for fewer turns (`wakeAt`).",
            ));
        }
    }
    if let Some(problem) = simulation.failed() {
        return Err(fault(
            format!("On the workload *{name}*: {}", problem.what),
            &problem.why,
            &problem.next,
        ));
    }
    let schedule = recorder.into_schedule();
    complete(&schedule, name)?;
    Ok(schedule)
}

fn complete(schedule: &Schedule, name: &str) -> Judged {
    let never = |job: &JobId| schedule.starts[job.index()] == Time::NEVER;
    let left: Vec<JobId> = schedule.workload.ids().filter(never).collect();
    let Some(first) = left.first() else {
        return Ok(());
    };
    Err(fault(
        format!(
            "On the workload *{name}*, {} of {} jobs never started. The first is job {}, which needs \
                {} of {} processors.",
            left.len(),
            schedule.workload.len(),
            schedule.workload.request(*first).number,
            schedule.workload.request(*first).processors,
            schedule.workload.processors
        ),
        "A policy must start every job in the end. After the last arrival and the last completion \
            nothing calls it again.",
        "Start jobs while they fit, or ask for a turn with `wakeAt`.",
    ))
}

/// Checks the runs of a workload.
fn check(resolved: &Resolved, workload: &Arc<Workload>, name: &str) -> Judged {
    let first = whole(resolved, workload, (name, MOST))?;
    if let Some(finding) = audit(&first, 1).first() {
        return Err(fault(
            format!("On the workload *{name}*, the audit finds: {finding}."),
            "Each schedule must be one that can have happened.",
            "This is a defect of the engine; please report it with the policy.",
        ));
    }
    let outside = "A policy decides by its turn and its state alone.";
    let next = "Look for a clock, for `Math.random`, and for variables outside the state.";
    let again = whole(resolved, workload, (name, MOST))?;
    same(&first, &again, || {
        (
            format!("The same run of the workload *{name}* gives another schedule the second time"),
            outside,
            next,
        )
    })?;
    let sliced = whole(resolved, workload, (name, 1))?;
    same(&first, &sliced, || {
        (
            format!("A run of the workload *{name}* in small steps gives another schedule"),
            outside,
            next,
        )
    })?;
    forked(resolved, workload, (name, &first))
}

/// Forks a run in the middle, and lets both go on in turn. Data that they share shows.
fn forked(
    resolved: &Resolved,
    workload: &Arc<Workload>,
    (name, first): (&str, &Schedule),
) -> Judged {
    let mut simulation = begun(resolved, workload);
    let mut recorder = resolved.recorder(workload);
    simulation.advance(workload.len() as u64, &mut recorder);
    let before = recorder.schedule().starts.clone();
    let mut fork = simulation.fork();
    let mut other = resolved.recorder(workload);
    for _ in 0..MOST {
        let one = simulation.advance(1, &mut recorder).done;
        if fork.advance(1, &mut other).done && one {
            break;
        }
    }
    if let Some(problem) = fork.failed() {
        return Err(fault(
            format!(
                "A copy of a run of the workload *{name}* fails: {}",
                problem.what
            ),
            &problem.why,
            &problem.next,
        ));
    }
    let (one, two) = (recorder.into_schedule(), other.into_schedule());
    let differs = |job: &JobId| {
        let (first, one, two) = (
            first.starts[job.index()],
            one.starts[job.index()],
            two.starts[job.index()],
        );
        // The recorder of the copy has seen the later starts only.
        let is_later = before[job.index()] == Time::NEVER;
        first != one || is_later && first != two
    };
    let found = workload.ids().find(differs);
    found.map_or(Ok(()), |job| {
        Err(fault(
            format!(
                "On the workload *{name}*, a run and its copy do not decide alike: job {} starts at \
                    another time.",
                workload.request(job).number
            ),
            "The engine copies runs for explanations and what-ifs. The copy gets a copy of the \
                policy's state.",
            "Keep everything in the state, and nothing in variables of the module.",
        ))
    })
}

fn same<'a>(
    first: &Schedule,
    other: &Schedule,
    about: impl FnOnce() -> (String, &'a str, &'a str),
) -> Judged {
    let differs = |job: &JobId| first.starts[job.index()] != other.starts[job.index()];
    let Some(job) = first.workload.ids().find(differs) else {
        return Ok(());
    };
    let (what, why, next) = about();
    let since = |start: Time| (start - first.span().0).seconds();
    Err(fault(
        format!(
            "{what}: job {} starts after {} s, and after {} s.",
            first.workload.request(job).number,
            since(first.starts[job.index()]),
            since(other.starts[job.index()])
        ),
        why,
        next,
    ))
}

/// The number of narrow jobs that arrive after the wide one.
const NARROW: u32 = 300;

/// Notes if a stream of narrow jobs keeps a wide job from starting.
fn starving(resolved: &Resolved) -> Option<Shortcoming> {
    let processors = resolved.capacity().unwrap_or(16);
    let wide = 1;
    let job = |index: u32| {
        let size = if index == wide {
            processors
        } else {
            processors.div_ceil(2)
        };
        let length = Span::from_seconds(100);
        let request = Request {
            number: i64::from(index) + 1,
            submitted: Time::ZERO + Span::from_seconds(i64::from(index) * 45),
            estimate: length,
            processors: size,
            user: 1,
            group: -1,
            application: -1,
            queue: -1,
        };
        (request, Program::rigid(length))
    };
    let (requests, programs) = (0..NARROW).map(job).unzip();
    let workload = Arc::new(Workload {
        requests,
        programs,
        sources: (0..NARROW).collect(),
        processors,
        ..Workload::default()
    });
    workload.check().ok()?;
    let schedule = whole(resolved, &workload, ("a stream", MOST)).ok()?;
    let start = schedule.starts[wide as usize];
    let later = &schedule.starts[wide as usize + 1..];
    let passed = later.iter().filter(|other| **other < start).count();
    (passed > NARROW as usize / 2).then(|| Shortcoming {
        is_fault: false,
        what: format!(
            "In a stream of jobs of half the machine, {passed} later jobs pass a job of the whole \
                machine."
        ),
        why: "Without a reservation or a short limit, a wide job can wait for ever.".to_owned(),
        next:
            "Reserve processors for the job that has waited longest, if that is not what you want."
                .to_owned(),
    })
}
