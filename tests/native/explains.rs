//! The explanations of a watched run: watching changes nothing, every waiting job has a reason, and
//! the causes of a wait add up to the wait.

use super::support::{
    Overruns, random_jobs, random_workload, scenarios, schedule, simulation, starts, workload,
};
use schedscope::experiment::Scenario;
use schedscope::explain::{STORY_WAITING, StoryTeller, Wait, WaitCauses, Waiter};
use schedscope::job::JobId;
use schedscope::machines::torus::geometry;
use schedscope::policy;
use schedscope::schedule::Recorder;
use schedscope::sim::Why;
use schedscope::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Returns the scenarios of all tests, and settings under which a policy gives further reasons.
fn talkative() -> Vec<Scenario> {
    let mut all = scenarios();
    all.extend([0.0, 2.0].map(|depth| {
        Scenario::new("easy")
            .with("depth", depth)
            .with("rescan", "new")
    }));
    all.extend(["none", "bestfit"].map(|word| Scenario::new("maui").with("backfill", word)));
    all.push(Scenario::new("lookahead").with("lookahead", 2.0));
    all.push(Scenario::new("priority").with("starvation", "none"));
    all.extend(["pyss", "predictsim"].map(|preset| Scenario {
        preset: Some(preset.into()),
        ..Scenario::new("easy")
    }));
    all
}

/// Returns true if the policy may leave a job untried. The reasons are: a look-ahead limit, an
/// arrival, a start that the job was given once, a hole that a later job left when reservations
/// were compressed, or an event without a decision.
fn may_leave_untried(scenario: &Scenario) -> bool {
    let has = |key: &str| scenario.settings.0.contains_key(key);
    has("lookahead")
        || has("rescan")
        || has("reservation")
        || scenario.preset.as_deref() == Some("predictsim")
        || has("ties")
        || scenario.preset.is_some()
        || ["conservative", "selective"].contains(&scenario.policy.as_str())
}

/// No job starts after its first reservation, if run times keep to estimates.
#[test]
fn conservative_keeps_what_it_tells() {
    for order in ["arrival", "shortest", "largest"] {
        let scenario = Scenario::new("conservative").with("order", order);
        let mut promises = 0;
        for seed in 0..300 {
            let (processors, jobs) = random_jobs(seed, Overruns::Never);
            let workload = workload(processors, &jobs);
            let mut watched = (
                Recorder::new(Arc::clone(&workload)),
                StoryTeller::new(Arc::clone(&workload)),
            );
            simulation(&scenario, &workload).run(&mut watched);
            let mut first = std::collections::BTreeMap::new();
            for outline in watched
                .1
                .into_story()
                .steps
                .iter()
                .flat_map(|step| &step.reserved)
            {
                first
                    .entry(outline.reservation.job)
                    .or_insert(outline.reservation.start);
            }
            promises += first.len();
            assert!(
                first
                    .iter()
                    .all(|(job, promised)| watched.0.schedule().starts[job.index()] <= *promised),
                "{order}, seed {seed}"
            );
        }
        assert!(promises > 1000);
    }
}

#[test]
fn watching_changes_nothing_and_everybody_who_waits_has_a_reason() {
    for scenario in talkative() {
        for seed in 0..40 {
            let overruns = if seed % 2 == 0 {
                Overruns::Never
            } else {
                Overruns::Sometimes
            };
            let workload = random_workload(&scenario, seed, overruns);
            let mut watched = (
                Recorder::new(Arc::clone(&workload)),
                StoryTeller::new(Arc::clone(&workload)),
            );
            simulation(&scenario, &workload).run(&mut watched);
            assert_eq!(
                starts(watched.0.schedule()),
                starts(&schedule(&scenario, &workload)),
                "{scenario:?}, seed {seed}"
            );
            let story = watched.1.into_story();
            // Event by event, the free processors of an instant can differ from those that the
            // recorded ends leave.
            let is_together =
                !format!("{scenario:?}").contains("per_event") && scenario.preset.is_none();
            // On a torus, a job can get more nodes than it asks for.
            let raised = |size: u32| {
                if scenario.machine == "torus" {
                    geometry(&scenario.settings).possible(size)
                } else {
                    size
                }
            };
            let mut waiting: Vec<JobId> = Vec::new();
            for (at, step) in story.steps.iter().enumerate() {
                waiting.extend(&step.submitted);
                waiting.retain(|job| !step.started.contains(job));
                let told: Vec<JobId> = step.waiting.iter().map(|(job, _)| *job).collect();
                // Event by event, an arrival that cannot fit causes no decision.
                if is_together {
                    assert_eq!(told, waiting, "{scenario:?}, seed {seed}, step {at}");
                }
                for (job, why) in &step.waiting {
                    let size = raised(workload.request(*job).processors);
                    match why {
                        Why::Processors { free } => assert!(
                            size > *free && (*free == step.free || !is_together),
                            "{scenario:?}: {step:?}"
                        ),
                        Why::Behind { ahead } | Why::Reserved { by: ahead } => {
                            assert!(
                                ahead != job && waiting.contains(ahead),
                                "{scenario:?}, seed {seed}, {job:?}: {step:?}"
                            );
                        }
                        Why::Partition { largest } => assert!(
                            size <= step.free && *largest <= step.free,
                            "{scenario:?}: {step:?}"
                        ),
                        Why::Nodes { .. } => assert!(
                            scenario.machine == "nodes" && size <= step.free,
                            "{scenario:?}: {step:?}"
                        ),
                        Why::StartDelay | Why::Recorded | Why::Lost => panic!("{step:?}"),
                        Why::Slurm { .. } => assert_eq!(scenario.policy, "slurm"),
                        Why::NotChosen => assert_eq!(scenario.policy, "lookahead"),
                        Why::NotTried => assert!(
                            may_leave_untried(&scenario),
                            "{scenario:?}, seed {seed}, {job:?}: {step:?}"
                        ),
                    }
                    if is_together && matches!(why, Why::Reserved { .. }) {
                        assert!(size <= step.free, "{scenario:?}: {step:?}");
                    }
                    if is_together && size > step.free {
                        assert!(
                            !matches!(why, Why::Reserved { .. }),
                            "{scenario:?}: {step:?}"
                        );
                    }
                }
                for outline in &step.reserved {
                    assert!(
                        waiting.contains(&outline.reservation.job)
                            && (outline.reservation.start >= step.at || !is_together)
                    );
                    let drawn = outline.placement.get().size();
                    let most = if scenario.machine == "torus" {
                        workload.processors
                    } else {
                        workload.request(outline.reservation.job).processors
                    };
                    assert!(drawn <= most);
                }
            }
        }
    }
}

#[test]
fn the_causes_of_a_wait_add_up_to_it() {
    for scenario in talkative() {
        for seed in 0..15 {
            let workload = random_workload(&scenario, seed, Overruns::Never);
            let schedule = schedule(&scenario, &workload);
            for job in workload.ids() {
                let mut waiter = Waiter::new(job);
                simulation(&scenario, &workload).run(&mut waiter);
                assert!(waiter.is_over());
                let wait = Wait::new(waiter, &schedule);
                let total = wait
                    .causes
                    .iter()
                    .fold(Span::ZERO, |total, cause| total + cause.total);
                assert_eq!(
                    Some(total),
                    schedule.wait(job),
                    "{scenario:?}, seed {seed}, {job:?}"
                );
                let start = |job: &JobId| schedule.starts[job.index()];
                assert!(
                    wait.overtakers
                        .iter()
                        .all(|other| *other > job && start(other) < start(&job))
                );
                assert!(wait.ahead.iter().all(|other| *other < job));
                assert!(scenario.policy != "fcfs" || wait.overtakers.is_empty());
            }
        }
    }
}

/// The causes of all waits are those of each job, added up by class and kind.
#[test]
fn causes_of_all_waits_add_up_those_of_each_job() {
    let name = |why: Why| {
        format!("{why:?}")
            .split([' ', '('])
            .next()
            .unwrap()
            .to_owned()
    };
    for scenario in talkative() {
        for seed in 0..2 {
            let workload = random_workload(&scenario, seed, Overruns::Never);
            let class: Vec<Option<u32>> = (0..workload.len() as u32)
                .map(|job| (job % 4 < 3).then_some(job % 4))
                .collect();
            let mut all = WaitCauses::new(class.clone());
            simulation(&scenario, &workload).run(&mut all);
            let mut found: BTreeMap<(u32, String), Span> = BTreeMap::new();
            for ((class, kind), total) in all.into_totals() {
                let kind = format!("{kind:?}").split('(').next().unwrap().to_owned();
                *found.entry((class, kind)).or_default() += total;
            }
            let mut expected: BTreeMap<(u32, String), Span> = BTreeMap::new();
            for job in workload.ids() {
                let Some(class) = class[job.index()] else {
                    continue;
                };
                let mut waiter = Waiter::new(job);
                simulation(&scenario, &workload).run(&mut waiter);
                for cause in waiter.into_causes() {
                    *expected.entry((class, name(cause.why))).or_default() += cause.total;
                }
            }
            assert_eq!(found, expected, "{scenario:?}, seed {seed}");
        }
    }
}

/// A run computes the reasons from one of its forks, and they are the same.
#[test]
fn a_run_explains_waits_from_its_forks() {
    let settings = schedscope::param::Settings::default()
        .with("jobs", 600.0)
        .with("processors", 32.0);
    let trace = Arc::new(schedscope::workload::model::generate("lublin", &settings).unwrap());
    for spec in policy::ALL {
        let run = super::support::run(&Scenario::new(spec.id), &trace);
        let workload = &run.schedule().workload;
        for job in workload.ids().step_by(37) {
            let mut waiter = Waiter::new(job);
            simulation(&Scenario::new(spec.id), workload).run(&mut waiter);
            assert_eq!(
                run.why(job),
                Wait::new(waiter, run.schedule()),
                "{}, {job:?}",
                spec.id
            );
        }
        assert!(run.story().unwrap_err().what.contains("too many"));
    }
}

/// A part of a run, told from one of its forks, is that part of the whole story: the same steps,
/// after the same jobs. A queue of more jobs than a step lists is counted.
#[test]
fn a_run_is_told_from_any_instant() {
    let settings = schedscope::param::Settings::default()
        .with("jobs", 450.0)
        .with("processors", 32.0);
    let trace = Arc::new(schedscope::workload::model::generate("lublin", &settings).unwrap());
    let mut scenarios = talkative();
    scenarios.extend(policy::ALL.iter().map(|spec| Scenario::new(spec.id)));
    // The jobs of this trace need no more.
    scenarios.retain(|scenario| scenario.machine.is_empty() || scenario.machine == "flat");
    scenarios.push(Scenario::new("easy").with("start_delay", 7.0));
    // A queue of more jobs than a step lists.
    scenarios.push(Scenario::new("easy").with("arrival_factor", 100.0));
    for (machine, policy) in [
        ("gang", "easy"),
        ("torus", "easy"),
        ("torus", "migration"),
        ("fat_tree", "easy"),
    ] {
        scenarios.push(Scenario {
            machine: machine.into(),
            ..Scenario::new(policy)
        });
    }
    let mut told = 0;
    for scenario in scenarios {
        let run = super::support::run(&scenario, &trace);
        let whole = run.story().unwrap().steps;
        let mut instants: Vec<Time> = whole.iter().map(|step| step.at).collect();
        instants.dedup();
        for at in instants.iter().skip(1).step_by(41) {
            let late = Time::from_microseconds(at.microseconds() + 1);
            let (part, running) = run.story_from(late, 9).unwrap();
            let first = whole.iter().position(|step| step.at == *at).unwrap();
            let mut expected = whole[first..].to_vec();
            expected.truncate(9);
            for step in &mut expected {
                step.unlisted = step.waiting.len().saturating_sub(STORY_WAITING) as u32;
                step.waiting.truncate(STORY_WAITING);
                told += u32::from(step.unlisted > 0);
            }
            assert_eq!(part.steps, expected, "{scenario:?}, {at:?}");
            let mut holding = BTreeSet::new();
            for step in &whole[..first] {
                holding.extend(&step.started);
                for job in &step.ended {
                    holding.remove(job);
                }
            }
            assert_eq!(running, Vec::from_iter(holding), "{scenario:?}, {at:?}");
        }
        // Before the first instant, and after the last one.
        let first = Time::from_microseconds(whole[0].at.microseconds() - 1);
        let (begin, nothing) = run.story_from(first, 5).unwrap();
        assert_eq!(begin.steps[..], whole[..5.min(whole.len())], "{scenario:?}");
        assert!(nothing.is_empty());
        let (end, _) = run.story_from(Time::NEVER, 5).unwrap();
        assert_eq!(end.steps.last(), whole.last(), "{scenario:?}");
    }
    assert!(told > 50, "{told}");
}
