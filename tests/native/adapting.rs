//! Tests of PBAS and WBAS: a single candidate gives the schedule of that policy, and a switch loses
//! nothing.

use super::support::{
    Job, Overruns, random_jobs, random_workload, schedule, small, starts, workload,
};
use schedscope::experiment::Scenario;
use schedscope::policy::{self, candidates::candidates_param};
use schedscope::schedule::Schedule;
use schedscope::{machines, time::Time};

const FRAME: i64 = 60;
const METRICS: [&str; 5] = [
    "utilisation",
    "response",
    "bounded_slowdown",
    "wait",
    "slowdown",
];

/// Draws jobs that run over several frames.
fn long_jobs(seed: u64) -> (u32, Vec<Job>) {
    let (processors, mut jobs) = random_jobs(seed, Overruns::Never);
    let (_, more) = random_jobs(seed + 10_000, Overruns::Never);
    let last = jobs.last().unwrap().submit;
    jobs.extend(more.into_iter().map(|job| Job {
        submit: job.submit + last + 30,
        processors: job.processors.min(processors),
        ..job
    }));
    (processors, jobs)
}

/// True for a policy whose decisions do not depend on how long jobs are expected to run.
fn is_blind(policy: &str) -> bool {
    ["fcfs", "migration"].contains(&policy)
}

#[test]
fn one_candidate_alone_is_that_policy() {
    for machine in machines::ALL {
        for spec in policy::ALL
            .iter()
            .filter(|spec| spec.runs_on(machine.offer) && candidates_param(spec).is_none())
        {
            for estimates in ["requested", "predicted"] {
                let on = |policy: &str| {
                    small(Scenario {
                        machine: machine.id.into(),
                        ..Scenario::new(policy)
                    })
                };
                let mut alone = on(spec.id);
                if spec.params.iter().any(|param| param.key == "estimates") {
                    alone = alone.with("estimates", estimates);
                } else if estimates == "predicted" && !is_blind(spec.id) {
                    // Alone, the policy cannot use the predictions that it gets as a candidate.
                    continue;
                }
                let candidate = on("pbas")
                    .with("candidates", spec.id)
                    .with("frame", 60.0)
                    .with("estimates", estimates);
                for seed in 0..if machine.offer.processes { 3 } else { 40 } {
                    let workload = random_workload(&alone, seed, Overruns::Never);
                    assert_eq!(
                        schedule(&alone, &workload).digest(),
                        schedule(&candidate, &workload).digest(),
                        "{} on {}, seed {seed}, estimates={estimates}: alone (left) the policy gives \
                            another schedule than as the only candidate of PBAS (right)",
                        spec.id,
                        machine.id
                    );
                }
            }
        }
    }
}

/// Two equal candidates never differ, so there is never a reason to switch. The end of a frame
/// changes nothing.
#[test]
fn equals_never_switch() {
    for policy in ["easy", "conservative", "flex", "selective", "priority"] {
        let words = format!("{policy}+{policy}2");
        let mut adaptive = Scenario::new("pbas")
            .with("candidates", words.as_str())
            .with("frame", 60.0);
        let mut plain = Scenario::new(policy);
        if policy == "easy" {
            // The priorities of this order change with time. A further decision could therefore
            // start another job.
            plain = plain.with("order", "wfp3");
            adaptive = adaptive
                .with("easy.order", "wfp3")
                .with("easy2.order", "wfp3");
        }
        for (seed, metric) in (0..300).zip(METRICS.iter().cycle()) {
            let (processors, jobs) = long_jobs(seed);
            let workload = workload(processors, &jobs);
            let schedule_of = |scenario: &Scenario| schedule(scenario, &workload);
            let adapted = schedule_of(&adaptive.clone().with("metric", *metric));
            assert_eq!(
                starts(&adapted),
                starts(&schedule_of(&plain)),
                "{words} seed {seed} {metric}"
            );
            assert_eq!(adapted.switches.len(), 1, "{words} seed {seed} {metric}");
        }
    }
}

/// The machine in the background behaves like the real one, also with alternative scheduling.
#[test]
fn equals_never_switch_where_rows_alternate() {
    let gang = |policy: &str| {
        Scenario {
            machine: "gang".into(),
            ..Scenario::new(policy)
        }
        .with("slots", 3.0)
        .with("quantum", 4.0)
        .with("alternate", "on")
    };
    let adaptive = gang("pbas")
        .with("candidates", "easy+easy2")
        .with("frame", 60.0);
    for (seed, metric) in (0..100).zip(METRICS.iter().cycle()) {
        let (processors, jobs) = long_jobs(seed);
        let adapted = schedule(
            &adaptive.clone().with("metric", *metric),
            &workload(processors, &jobs),
        );
        assert_eq!(adapted.switches.len(), 1, "seed {seed} {metric}");
        assert_eq!(
            starts(&adapted),
            starts(&schedule(&gang("easy"), &workload(processors, &jobs))),
            "seed {seed} {metric}"
        );
    }
}

/// Policies replace each other many times in the middle of a run. The audit finds that every job
/// starts exactly once.
#[test]
fn a_switch_loses_no_job_and_starts_none_twice() {
    let mut switches = 0;
    for machine in machines::ALL {
        let able: Vec<_> = policy::ALL
            .iter()
            .filter(|spec| spec.runs_on(machine.offer) && candidates_param(spec).is_none())
            .collect();
        for one in &able {
            for other in [able[0], able[1], able[able.len() - 1]] {
                let words = format!("{}+{}2", one.id, other.id);
                // With a factor of 1, the usual parallelism is that of the last job, so about every
                // second frame ends with a switch.
                let scenario = small(Scenario {
                    machine: machine.id.into(),
                    ..Scenario::new("wbas")
                })
                .with("candidates", words.as_str())
                .with("maf", 1.0)
                .with("frame", 60.0);
                for seed in 0..if machine.offer.processes { 3 } else { 30 } {
                    let (processors, jobs) = long_jobs(seed);
                    let schedule = schedule(
                        &scenario,
                        &super::support::workload_for(&scenario, processors, &jobs),
                    );
                    assert!(schedule.is_complete(), "{words} seed {seed}");
                    switches += schedule.switches.len() - 1;
                }
            }
        }
    }
    assert!(
        switches > 1000,
        "{switches} switches are too few for a test"
    );
}

/// The same test under PBAS. The replaced policy continues in the background, with predictions and
/// event by event.
#[test]
fn the_one_before_goes_on_in_the_background() {
    let mut switches = 0;
    for machine in machines::ALL {
        let able: Vec<_> = policy::ALL
            .iter()
            .filter(|spec| spec.runs_on(machine.offer) && candidates_param(spec).is_none())
            .collect();
        for pair in able.windows(2) {
            for (seed, metric) in (0..if machine.offer.processes { 2 } else { 20 })
                .zip(METRICS.iter().cycle().skip(1))
            {
                let scenario = small(Scenario {
                    machine: machine.id.into(),
                    ..Scenario::new("pbas")
                })
                .with(
                    "candidates",
                    format!("{}+{}", pair[0].id, pair[1].id).as_str(),
                )
                .with("metric", *metric)
                .with(
                    "estimates",
                    if seed % 2 == 0 {
                        "predicted"
                    } else {
                        "requested"
                    },
                )
                .with(
                    "ties",
                    if machine.id == "flat" && seed % 4 > 1 {
                        "per_event"
                    } else {
                        "together"
                    },
                )
                .with("frame", 60.0);
                let (processors, jobs) = long_jobs(seed);
                let schedule = schedule(
                    &scenario,
                    &super::support::workload_for(&scenario, processors, &jobs),
                );
                assert!(schedule.is_complete(), "{scenario:?} seed {seed}");
                switches += schedule.switches.len() - 1;
            }
        }
    }
    assert!(switches > 200, "{switches} switches are too few for a test");
}

fn adaptive(policy: &str, candidates: &[&str]) -> Scenario {
    let scenario = Scenario::new(policy)
        .with("candidates", candidates.join("+").as_str())
        .with("frame", FRAME as f64);
    if !candidates.contains(&"priority") {
        return scenario;
    }
    scenario
        .with("priority.order", "shortest")
        .with("priority.starvation", "none")
}

fn switches(schedule: &Schedule) -> Vec<(i64, u32)> {
    schedule
        .switches
        .iter()
        .map(|switch| (switch.at.whole_seconds(), switch.policy))
        .collect()
}

/// If all jobs so far came in the first frame, its mean is the mean of all jobs. Rounding of
/// fractions must not hide this: the second candidate decides.
#[test]
fn wbas_does_not_decide_its_first_frame_by_rounding() {
    for seed in 0..200 {
        let mut stream = schedscope::random::Stream::new(seed, "sizes");
        let job = |submit| Job {
            submit,
            runtime: 1,
            estimate: 1,
            processors: stream.below(10) as u32 + 1,
            user: 0,
        };
        let mut jobs: Vec<Job> = (0..=FRAME).map(job).collect();
        jobs.push(Job {
            submit: FRAME + 10,
            ..jobs[0]
        });
        let scenario = adaptive("wbas", &["easy", "fcfs"])
            .with("maf", 1e9)
            .with("beginning", "mean");
        assert_eq!(
            switches(&schedule(&scenario, &workload(10, &jobs)))[..2],
            [(0, 0), (FRAME, 1)],
            "seed {seed}"
        );
    }
}

/// With MAF 2, the average is 8 after 8, 6 after 4, 4 after 2, 5 after 6 and 4 after 3.
#[test]
fn wbas_by_hand() {
    let job = |submit: i64, processors: u32| Job {
        submit,
        runtime: 1,
        estimate: 1,
        processors,
        user: 0,
    };
    let jobs = [
        // In (0, 60] the sizes are 8 and 4. Their mean of 6 equals the average, so the second
        // candidate decides.
        job(0, 8),
        job(10, 4),
        // In (60, 120] the size is 2. It is below the average of 4, so nothing changes.
        job(70, 2),
        // In (120, 180] the size is 6, above the average of 5, so the first candidate decides. No
        // job arrives in (180, 240].
        job(180, 6),
        // In (240, 300] the size is 3. It is below the average of 4, so the second candidate
        // decides.
        job(241, 3),
        job(400, 1),
    ];
    let scenario = adaptive("wbas", &["easy", "priority"]).with("maf", 2.0);
    // Event by event too, the frame that ends at 180 includes the arrival of that instant.
    let event_by_event = schedule(
        &scenario.clone().with("ties", "per_event"),
        &workload(10, &jobs),
    );
    let schedule = schedule(&scenario, &workload(10, &jobs));
    assert_eq!(switches(&schedule), [(0, 0), (60, 1), (180, 0), (300, 1)]);
    assert_eq!(switches(&event_by_event), switches(&schedule));
    let measures = schedscope::metrics::measure(&schedule, &schedscope::param::Settings::default());
    assert_eq!(schedule.span(), (Time::ZERO, Time::from_seconds(401)));
    let figure = |key: &str| measures.figures[key];
    assert_eq!(
        (figure("switches.count"), figure("switches.per_day")),
        (3.0, 3.0 / (401.0 / 86_400.0))
    );
    assert!(
        (figure("deciding.1st") - 180.0 / 401.0).abs() < 1e-12
            && (figure("deciding.2nd") - 221.0 / 401.0).abs() < 1e-12
    );
}
