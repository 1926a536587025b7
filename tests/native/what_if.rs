//! Tests of what-ifs: the past of the run stays the same, and the future is the one that a twin
//! computes.

use super::support::{Job, Overruns, job, random_jobs};
use schedscope::experiment::{JobChange, Outage, Run, Scenario, WhatIf};
use schedscope::import::{BadLines, read};
use schedscope::job::JobId;
use schedscope::machine::{Placements, Range};
use schedscope::machines::torus::occupancy;
use schedscope::policy::ALL;
use schedscope::random::Stream;
use schedscope::schedule::{Schedule, audit::audit};
use schedscope::sim::{Policy, Turn, Turning};
use schedscope::time::{Span, Time};
use schedscope::trace::Trace;
use schedscope::view::Index;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

fn trace(processors: u32, jobs: &[Job]) -> Arc<Trace> {
    let mut text = format!("; MaxProcs: {processors}\n");
    for (
        at,
        Job {
            submit,
            runtime,
            estimate,
            processors,
            user,
        },
    ) in jobs.iter().enumerate()
    {
        writeln!(
            text,
            "{} {submit} -1 {runtime} {processors} -1 -1 {processors} {estimate} -1 1 \
            {user} 1 1 1 1 -1 -1",
            at + 1
        )
        .unwrap();
    }
    Arc::new(read("what if", text.as_bytes(), BadLines::Stop).unwrap())
}

fn run(scenario: &Scenario, trace: &Arc<Trace>) -> Run {
    let mut run = scenario.resolve().unwrap().run(Arc::clone(trace)).unwrap();
    // The slices are small, so that some end before and some after the instant of the change.
    while !run.advance(3).done {}
    run
}

fn complete(scenario: &Scenario, trace: &Arc<Trace>) -> Run {
    let run = run(scenario, trace);
    run.check_complete()
        .unwrap_or_else(|problem| panic!("{problem} {scenario:?}"));
    assert_eq!(
        audit(run.schedule(), 3),
        Vec::<String>::new(),
        "{scenario:?}"
    );
    run
}

fn with(scenario: &Scenario, what_if: WhatIf) -> Scenario {
    Scenario {
        what_if: Some(Box::new(what_if)),
        ..scenario.clone()
    }
}

/// Returns start and end of each job, by its number.
fn times(schedule: &Schedule) -> BTreeMap<i64, (i64, i64)> {
    let almost = Span::from_microseconds(999_999);
    let of = |job: JobId| {
        (
            schedule.workload.request(job).number,
            (
                // Slurm starts jobs within a second.
                (schedule.starts[job.index()] + almost).whole_seconds(),
                schedule.ends[job.index()].whole_seconds(),
            ),
        )
    };
    schedule.workload.ids().map(of).collect()
}

/// Returns an instant of a run, somewhere between its ends.
fn somewhere(schedule: &Schedule, stream: &mut Stream) -> i64 {
    let (first, last) = (
        schedule.span().0.whole_seconds(),
        schedule.span().1.whole_seconds(),
    );
    first - 1 + stream.below((last - first).max(1) as u64) as i64
}

/// Policies without memory. If they start anew, the run continues as before.
const FORGETFUL: [&str; 4] = ["fcfs", "easy", "lookahead", "maui"];

#[test]
fn begun_anew_policies_that_remember_nothing_go_on_as_before() {
    for seed in 0..60 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let trace = trace(processors, &jobs);
        let mut stream = Stream::new(seed, "what if");
        for policy in FORGETFUL {
            let plain = complete(&Scenario::new(policy), &trace);
            let at = somewhere(plain.schedule(), &mut stream) as f64;
            if plain.schedule().ends.iter().any(|end| end.seconds() > at) {
                let what_if = WhatIf {
                    at,
                    policy: Some(policy.into()),
                    ..WhatIf::default()
                };
                let other = complete(&with(&Scenario::new(policy), what_if), &trace);
                assert_eq!(
                    times(other.schedule()),
                    times(plain.schedule()),
                    "{policy}, seed {seed}, at {at}"
                );
                assert_eq!(other.measures().figures, plain.measures().figures);
            }
        }
    }
}

#[test]
fn with_nothing_otherwise_nothing_is() {
    for seed in 0..20 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let trace = trace(processors, &jobs);
        for policy in ["conservative", "priority", "flex", "pbas"] {
            let plain = complete(&Scenario::new(policy), &trace);
            let at = plain.schedule().span().0.seconds() + 1.0;
            if plain.schedule().ends.iter().any(|end| end.seconds() > at) {
                let other = complete(
                    &with(
                        &Scenario::new(policy),
                        WhatIf {
                            at,
                            ..WhatIf::default()
                        },
                    ),
                    &trace,
                );
                assert_eq!(
                    other.schedule().digest(),
                    plain.schedule().digest(),
                    "{policy}, seed {seed}"
                );
            }
        }
    }
}

/// Event by event, processors that return from an outage go to a waiting job, although no job ends
/// or arrives then.
#[test]
fn processors_that_come_back_are_given_away() {
    let trace = trace(4, &[job(0, 10, 1), job(20, 10, 4), job(500, 10, 1)]);
    let closed = |at: f64, seconds| WhatIf {
        at,
        closed: Some(Outage {
            first: 0.0,
            count: 4.0,
            seconds,
        }),
        ..WhatIf::default()
    };
    for ties in ["together", "per_event"] {
        let scenario = Scenario::new("easy").with("ties", ties);
        let found = times(complete(&with(&scenario, closed(5.0, 30.0)), &trace).schedule());
        assert_eq!(
            found,
            BTreeMap::from([(1, (0, 10)), (2, (35, 45)), (3, (500, 510))]),
            "{ties}"
        );
        // An outage can also begin before the first arrival.
        let found = times(complete(&with(&scenario, closed(-1000.0, 500.0)), &trace).schedule());
        assert_eq!(found[&1], (0, 10), "{ties}");
        let found = times(complete(&with(&scenario, closed(-10.0, 15.0)), &trace).schedule());
        assert_eq!(found[&1], (5, 15), "{ties}");
    }
}

#[test]
fn a_job_before_all_others() {
    let trace = trace(4, &[job(0, 100, 3), job(10, 50, 4)]);
    let change = JobChange {
        number: 2,
        submitted: Some(-500.0),
        ..JobChange::default()
    };
    for machine in ["flat", "gang"] {
        let scenario = Scenario {
            machine: machine.into(),
            ..Scenario::new("fcfs")
        };
        let what_if = WhatIf {
            at: -1000.0,
            jobs: vec![change.clone()],
            ..WhatIf::default()
        };
        assert_eq!(
            times(complete(&with(&scenario, what_if), &trace).schedule()),
            BTreeMap::from([(1, (0, 100)), (2, (-500, -450))]),
            "{machine}"
        );
    }
}

/// A policy that does not predict does not use earlier predictions.
#[test]
fn predictions_end_with_their_policy() {
    for seed in 0..40 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let trace = trace(processors, &jobs);
        let at = (jobs[0].submit - 5) as f64;
        let scenario = Scenario::new("easy").with("estimates", "predicted");
        let settings = serde_json::from_str("{\"estimates\": \"requested\"}").unwrap();
        let other = complete(
            &with(
                &scenario,
                WhatIf {
                    at,
                    settings,
                    ..WhatIf::default()
                },
            ),
            &trace,
        );
        assert_eq!(
            times(other.schedule()),
            times(complete(&Scenario::new("easy"), &trace).schedule()),
            "seed {seed}"
        );
    }
    // User 1's first jobs were short, so the third one is expected to be short. It is long, and the
    // new policy does not correct the prediction.
    let job = |submit, runtime, estimate, processors, user| Job {
        submit,
        runtime,
        estimate,
        processors,
        user,
    };
    let jobs = [
        job(0, 5, 1000, 1, 1),
        job(1, 5, 1000, 1, 1),
        job(10, 1000, 1000, 2, 1),
        job(11, 10, 10, 4, 2),
        job(12, 500, 500, 1, 3),
    ];
    let trace = trace(4, &jobs);
    let scenario = Scenario::new("easy").with("estimates", "predicted");
    let settings = serde_json::from_str("{\"estimates\": \"requested\"}").unwrap();
    let other = complete(
        &with(
            &scenario,
            WhatIf {
                at: 13.0,
                settings,
                ..WhatIf::default()
            },
        ),
        &trace,
    );
    assert_eq!(
        times(other.schedule())[&5].0,
        13,
        "job 4 cannot start before 1010 by the estimate of job 3"
    );
}

/// With any change, everything up to the instant stays the same, and every remaining job runs once.
#[test]
fn what_was_stays_under_every_policy() {
    for seed in 0..40 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let trace = trace(processors, &jobs);
        let mut stream = Stream::new(seed, "what was");
        for spec in ALL {
            let mut scenario = Scenario::new(spec.id);
            if scenario.machine == "torus" || spec.id == "lomarc" {
                continue;
            }
            if spec.id == "pbas" || spec.id == "wbas" {
                scenario = scenario.with("frame", 60.0);
            }
            let plain = complete(&scenario, &trace);
            let at = somewhere(plain.schedule(), &mut stream);
            if plain
                .schedule()
                .ends
                .iter()
                .all(|end| end.whole_seconds() <= at)
            {
                continue;
            }
            let before = times(plain.schedule());
            let waiting: Vec<i64> = before
                .iter()
                .filter(|(_, (start, _))| *start > at)
                .map(|(number, _)| *number)
                .collect();
            let mut what_if = WhatIf {
                at: at as f64,
                ..WhatIf::default()
            };
            match stream.below(4) {
                0 => {
                    let user = jobs[stream.below(jobs.len() as u64) as usize].user;
                    what_if.without_users = if jobs.iter().any(|job| job.user != user) {
                        vec![user]
                    } else {
                        Vec::new()
                    };
                }
                1 if !waiting.is_empty() => {
                    let number = waiting[stream.below(waiting.len() as u64) as usize];
                    what_if.jobs = vec![JobChange {
                        number,
                        processors: Some(1.0),
                        estimate: Some(50.0),
                        ..JobChange::default()
                    }];
                }
                2 => {
                    let first = stream.below(processors.into()) as u32;
                    let count = 1 + stream.below((processors - first).into()) as u32;
                    what_if.closed = Some(Outage {
                        first: first.into(),
                        count: count.into(),
                        seconds: 1.0 + stream.below(40) as f64,
                    });
                }
                _ => {
                    let last = if scenario.machine == "nodes" {
                        "priority"
                    } else {
                        "flex"
                    };
                    what_if.policy = Some(
                        ["fcfs", "easy", "conservative", last][stream.below(4) as usize].into(),
                    );
                }
            }
            let other = complete(&with(&scenario, what_if.clone()), &trace);
            let after = times(other.schedule());
            for (number, (start, end)) in &before {
                if *start <= at {
                    assert_eq!(
                        after[number],
                        (*start, *end),
                        "{} {what_if:?}: job {number}, seed {seed}",
                        spec.id
                    );
                } else if let Some((start, _)) = after.get(number) {
                    assert!(*start >= at, "{} {what_if:?}", spec.id);
                }
            }
            let gone: Vec<i64> = before
                .keys()
                .filter(|number| !after.contains_key(number))
                .copied()
                .collect();
            assert!(gone.iter().all(|number| {
                before[number].0 > at
                    && what_if
                        .without_users
                        .contains(&jobs[*number as usize - 1].user)
            }));
        }
    }
}

/// If a what-if changes only jobs that have not arrived, the run equals that of a trace with these
/// changes.
#[test]
fn jobs_to_come_are_as_if_the_trace_had_said_so() {
    let mut tried = 0;
    for seed in 0..120 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let plain_trace = trace(processors, &jobs);
        let mut stream = Stream::new(seed, "to come");
        let at = jobs[stream.below(jobs.len() as u64) as usize].submit;
        for policy in FORGETFUL {
            let to_come: Vec<usize> = (0..jobs.len())
                .filter(|job| jobs[*job].submit > at)
                .collect();
            if to_come.is_empty() {
                continue;
            }
            tried += 1;
            // One job gets another size, estimate and submission. All jobs of one user are still to
            // come, and are withdrawn.
            let changed = to_come[stream.below(to_come.len() as u64) as usize];
            let size = 1 + stream.below(processors.into()) as u32;
            let submit = at + 1 + stream.below(30) as i64;
            let estimate = jobs[changed].runtime + 1 + stream.below(50) as i64;
            let gone = to_come.iter().map(|job| jobs[*job].user).find(|user| {
                *user != jobs[changed].user
                    && jobs.iter().all(|job| job.user != *user || job.submit > at)
            });
            let change = JobChange {
                number: changed as i64 + 1,
                processors: Some(size.into()),
                estimate: Some(estimate as f64),
                submitted: Some(submit as f64),
            };
            let what_if = WhatIf {
                at: at as f64,
                jobs: vec![change],
                without_users: gone.into_iter().collect(),
                ..WhatIf::default()
            };
            let found = complete(&with(&Scenario::new(policy), what_if), &plain_trace);
            // The twin reads the trace with the changed lines. Jobs of one instant keep their
            // order.
            let mut lines: Vec<(i64, Job)> = jobs
                .iter()
                .copied()
                .zip(1..)
                .map(|(job, number)| (number, job))
                .collect();
            lines[changed].1 = Job {
                submit,
                processors: size,
                estimate,
                ..lines[changed].1
            };
            lines.retain(|(_, job)| Some(job.user) != gone);
            lines.sort_by_key(|(_, job)| job.submit);
            let twin = complete(
                &Scenario::new(policy),
                &trace(
                    processors,
                    &lines.iter().map(|(_, job)| *job).collect::<Vec<_>>(),
                ),
            );
            let twin: BTreeMap<i64, (i64, i64)> = times(twin.schedule())
                .into_iter()
                .map(|(number, times)| (lines[number as usize - 1].0, times))
                .collect();
            assert_eq!(times(found.schedule()), twin, "{policy}, seed {seed}");
        }
    }
    assert!(tried > 100);
}

/// Checks FCFS second by second: processors in an outage go to no job, and the head starts as soon
/// as it fits.
#[test]
fn closed_processors_under_fcfs() {
    for seed in 0..150 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let jobs: Vec<Job> = jobs.into_iter().filter(|job| job.runtime > 0).collect();
        if jobs.is_empty() {
            continue;
        }
        let trace = trace(processors, &jobs);
        let mut stream = Stream::new(seed, "closed");
        let plain = complete(&Scenario::new("fcfs"), &trace);
        let at = somewhere(plain.schedule(), &mut stream).max(jobs[0].submit);
        if plain
            .schedule()
            .ends
            .iter()
            .all(|end| end.whole_seconds() <= at)
        {
            continue;
        }
        let first = stream.below(processors.into()) as u32;
        let count = 1 + stream.below((processors - first).into()) as u32;
        let length = 1 + stream.below(60) as i64;
        let closed = Outage {
            first: first.into(),
            count: count.into(),
            seconds: length as f64,
        };
        let found = complete(
            &with(
                &Scenario::new("fcfs"),
                WhatIf {
                    at: at as f64,
                    closed: Some(closed),
                    ..WhatIf::default()
                },
            ),
            &trace,
        );
        let schedule = found.schedule();
        for start in &schedule.order {
            let began = schedule.starts[start.job.index()].whole_seconds();
            let is_on_closed = schedule
                .placement(start)
                .ranges
                .iter()
                .any(|range| range.first < first + count && first < range.end());
            assert!(
                !(is_on_closed && began > at && began < at + length),
                "seed {seed}: {start:?} starts on a closed processor"
            );
        }
        // The twin knows until when each processor is held. Processors in an outage belong to no
        // job.
        let mut free_from = vec![i64::MIN; processors as usize];
        let mut twin = BTreeMap::new();
        let mut last = i64::MIN;
        for (at_job, job) in jobs.iter().enumerate() {
            let mut now = job.submit.max(last);
            loop {
                let is_closed = |processor: usize| {
                    now > at
                        && now < at + length
                        && (first as usize..(first + count) as usize).contains(&processor)
                };
                let at_the_instant =
                    now == at && plain.schedule().starts[at_job].whole_seconds() != now;
                let is_shut = |processor: usize| {
                    is_closed(processor)
                        || at_the_instant
                            && (first as usize..(first + count) as usize).contains(&processor)
                };
                let able: Vec<usize> = (0..processors as usize)
                    .filter(|p| free_from[*p] <= now && !is_shut(*p))
                    .take(job.processors as usize)
                    .collect();
                if able.len() == job.processors as usize {
                    able.iter()
                        .for_each(|processor| free_from[*processor] = now + job.runtime);
                    twin.insert(at_job as i64 + 1, (now, now + job.runtime));
                    last = now;
                    break;
                }
                now += 1;
            }
        }
        assert_eq!(
            times(schedule),
            twin,
            "seed {seed}, closed {first}+{count} from {at} for {length}"
        );
    }
}

/// On a fat tree, `placing=lowest` gives the same hosts as the flat machine. `placing=switches`
/// gives other hosts, and the audit finds no host that two jobs hold.
#[test]
fn closed_hosts_of_a_fat_tree() {
    let tree = |placing: &str| Scenario {
        machine: "fat_tree".into(),
        ..Scenario::new("easy")
            .with("ports", 4.0)
            .with("placing", placing)
    };
    let mut tried = 0;
    for seed in 0..150 {
        let (_, jobs) = random_jobs(seed, Overruns::Sometimes);
        let trace = trace(16, &jobs);
        let mut stream = Stream::new(seed, "closed hosts");
        let plain = complete(&Scenario::new("easy"), &trace);
        let at = somewhere(plain.schedule(), &mut stream).max(jobs[0].submit);
        let last = plain.schedule().ends.iter().max().unwrap().whole_seconds();
        if at >= last {
            continue;
        }
        let first = stream.below(16) as u32;
        let what_if = WhatIf {
            at: at as f64,
            closed: Some(Outage {
                first: first.into(),
                count: (1 + stream.below((16 - first).into()) as u32).into(),
                seconds: 1.0 + stream.below(60) as f64,
            }),
            ..WhatIf::default()
        };
        let closed = |scenario: &Scenario| {
            let run = complete(&with(scenario, what_if.clone()), &trace);
            (times(run.schedule()), run.schedule().closed.len())
        };
        let flat = closed(&Scenario::new("easy"));
        assert_eq!(closed(&tree("lowest")), flat, "seed {seed}");
        tried += closed(&tree("switches")).1;
    }
    assert!(tried > 50, "{tried}");
}

/// Two nodes without any advance reservation. The second one is out of service from 10 s to 200 s. Job 2
/// wants both, and nothing else happens when it comes back.
#[test]
fn closed_nodes_open_for_the_job_that_waits_for_them() {
    let jobs = [job(0, 50, 1), job(20, 30, 2)];
    let closed = WhatIf {
        at: 10.0,
        closed: Some(Outage {
            first: 1.0,
            count: 1.0,
            seconds: 190.0,
        }),
        ..WhatIf::default()
    };
    for policy in ["fcfs", "easy", "conservative"] {
        let scenario = Scenario {
            machine: "nodes".into(),
            ..Scenario::new(policy).with("cluster", "NodeName=n[1-2] CPUs=1")
        };
        let found = complete(&with(&scenario, closed.clone()), &trace(2, &jobs));
        let expected = BTreeMap::from([(1, (0, 50)), (2, (200, 230))]);
        assert_eq!(times(found.schedule()), expected, "{policy}");
    }
}

/// The whole machine is out of service from 20 s to 45 s. Job 2 holds no reservation when it comes back, and
/// nothing else happens then.
#[test]
fn the_end_of_an_outage_lets_jobs_without_reservation_start() {
    let jobs = [job(0, 10, 1), job(30, 100, 4)];
    let closed = WhatIf {
        at: 20.0,
        closed: Some(Outage {
            first: 0.0,
            count: 4.0,
            seconds: 25.0,
        }),
        ..WhatIf::default()
    };
    for scenario in [
        Scenario::new("selective")
            .with("threshold_rule", "fixed")
            .with("threshold", 3.0),
        Scenario::new("conservative"),
        Scenario::new("maui"),
        Scenario::new("flex"),
    ] {
        let found = complete(&with(&scenario, closed.clone()), &trace(4, &jobs));
        let expected = BTreeMap::from([(1, (0, 10)), (2, (45, 145))]);
        assert_eq!(times(found.schedule()), expected, "{scenario:?}");
    }
}

/// A line of five nodes. Job 1 has the first two until 100 s. The third one is out of service from 10 s to
/// 200 s, and the second one from the end of job 1 on. Job 2 wants two nodes, job 3 three.
#[test]
fn closed_nodes_of_a_torus() {
    let jobs = [
        job(0, 100, 2),
        job(20, 30, 2),
        job(60, 10, 3),
        job(60, 400, 1),
    ];
    let mut scenario = Scenario {
        machine: "torus".into(),
        ..Scenario::new("easy").with("start_delay", 0.0)
    };
    for (key, edge) in [("x", 5.0), ("y", 1.0), ("z", 1.0)] {
        scenario = scenario
            .with(key, edge)
            .with(&format!("wrap_{key}"), "mesh");
    }
    let closed = |first: f64, seconds: f64| WhatIf {
        at: 10.0,
        closed: Some(Outage {
            first,
            count: 2.0,
            seconds,
        }),
        ..WhatIf::default()
    };
    let found = complete(&with(&scenario, closed(1.0, 190.0)), &trace(5, &jobs));
    let schedule = found.schedule();
    assert_eq!(
        times(schedule),
        BTreeMap::from([
            (1, (0, 100)),
            // Nodes 3 and 4 are free.
            (2, (20, 50)),
            // Three nodes in a row are free only after the outage. Job 4 does not delay that on node 3.
            (3, (200, 210)),
            (4, (60, 460)),
        ])
    );
    let placement = |job: usize| schedule.placement(&schedule.order[job]).ranges.to_vec();
    assert_eq!(placement(2), [Range { first: 3, count: 1 }]);
    assert_eq!(placement(3), [Range { first: 0, count: 3 }]);
    let at = |seconds: i64| {
        let index = Index::new(schedule);
        let found = occupancy(schedule, &index, Time::from_seconds(seconds)).unwrap();
        (
            found.free,
            found.largest.map(|largest| largest.extent[0]),
            found.closed,
        )
    };
    let nodes = vec![Range { first: 1, count: 2 }];
    assert_eq!(at(5), (3, Some(3), vec![]));
    assert_eq!(at(10), (2, Some(2), nodes.clone()));
    assert_eq!(at(150), (2, Some(1), nodes));
    assert_eq!(at(205), (1, Some(1), vec![]));
    // Nodes 0 and 4 are apart for 100 s; from 210 s on node 3 parts three nodes from one. No node is free for
    // 30 s of the 460 s.
    let scattered = found.measures().figures["fragmentation.value"];
    let expected = (100.0 * 0.5 + 250.0 * 0.25) / 430.0;
    assert!((scattered - expected).abs() < 1e-12, "{scattered}");

    // Node 3 alone parts nodes 2 and 4 from 10 s to 100 s.
    let middle = WhatIf {
        closed: Some(Outage {
            first: 3.0,
            count: 1.0,
            seconds: 90.0,
        }),
        ..closed(0.0, 0.0)
    };
    let alone = complete(&with(&scenario, middle), &trace(5, &jobs[..1]));
    let scattered = alone.measures().figures["fragmentation.value"];
    assert!((scattered - 0.9 * 0.5).abs() < 1e-12, "{scattered}");
    // Job 1 runs longer than this outage, so its nodes stay in service.
    let all = closed(0.0, 20.0);
    let kept = complete(&with(&scenario, all), &trace(5, &jobs));
    assert!(kept.schedule().closed.is_empty());
}

#[test]
fn another_policy_from_an_instant_on() {
    // Job 1 has 3 of 4 processors until 100 s, job 2 needs 4, and job 3 is small and short. Under
    // FCFS job 3 waits for job 2. From 50 s on EASY lets it pass, because it ends by 100 s.
    let trace = trace(4, &[job(0, 100, 3), job(0, 50, 4), job(10, 20, 1)]);
    let switched = |at: f64| {
        let what_if = WhatIf {
            at,
            policy: Some("easy".into()),
            ..WhatIf::default()
        };
        times(complete(&with(&Scenario::new("fcfs"), what_if), &trace).schedule())
    };
    assert_eq!(
        switched(50.0),
        BTreeMap::from([(1, (0, 100)), (2, (100, 150)), (3, (50, 70))])
    );
    assert_eq!(switched(-5.0)[&3], (10, 30));
    assert_eq!(
        switched(81.0)[&3],
        (150, 170),
        "too late: job 3 would delay job 2"
    );
    // The what-if gives EASY another setting than the switch above: with depth 0 nothing is
    // reserved, so job 3 starts before job 2 although it delays job 2.
    let what_if = WhatIf {
        at: 81.0,
        policy: Some("easy".into()),
        settings: serde_json::from_str("{\"depth\": 0}").unwrap(),
        ..WhatIf::default()
    };
    assert_eq!(
        times(complete(&with(&Scenario::new("fcfs"), what_if), &trace).schedule())[&3],
        (81, 101)
    );
}

#[test]
fn what_cannot_be_is_told() {
    let trace = trace(4, &[job(0, 100, 3), job(0, 50, 4), job(10, 20, 1)]);
    let change = |number, estimate, processors, submitted| {
        vec![JobChange {
            number,
            estimate,
            processors,
            submitted,
        }]
    };
    let at = |at: f64| WhatIf {
        at,
        ..WhatIf::default()
    };
    for (what_if, told) in [
        (
            WhatIf {
                jobs: change(1, Some(5.0), None, None),
                ..at(50.0)
            },
            "job 1 has started by then",
        ),
        (
            WhatIf {
                jobs: change(3, None, None, Some(60.0)),
                ..at(50.0)
            },
            "job 3 cannot be submitted at another time",
        ),
        (
            WhatIf {
                jobs: change(9, None, None, None),
                ..at(50.0)
            },
            "there is no job 9",
        ),
        (
            WhatIf {
                jobs: change(3, None, Some(5.0), None),
                ..at(50.0)
            },
            "job 3 cannot have 5 processors",
        ),
        (
            WhatIf {
                jobs: change(3, Some(-1.0), None, None),
                ..at(50.0)
            },
            "an estimate cannot be -1",
        ),
        (
            WhatIf {
                without_users: vec![7],
                ..at(50.0)
            },
            "there is no user 7",
        ),
        (
            WhatIf {
                closed: Some(Outage {
                    first: 2.0,
                    count: 3.0,
                    seconds: 5.0,
                }),
                ..at(50.0)
            },
            "does not have all processors",
        ),
        (
            WhatIf {
                closed: Some(Outage {
                    first: 0.5,
                    count: 3.0,
                    seconds: 5.0,
                }),
                ..at(50.0)
            },
            "whole numbers",
        ),
        (
            WhatIf {
                policy: Some("esay".into()),
                ..at(50.0)
            },
            "no policy `esay`",
        ),
        (
            WhatIf {
                policy: Some("lomarc".into()),
                ..at(50.0)
            },
            "cannot run on the machine",
        ),
        (
            WhatIf {
                settings: serde_json::from_str("{\"nonsense\": 1}").unwrap(),
                ..at(50.0)
            },
            "nonsense",
        ),
        (at(1000.0), "the run is over by then"),
        (
            WhatIf {
                settings: serde_json::from_str("{\"overrun\": \"raise\"}").unwrap(),
                ..at(50.0)
            },
            "`overrun` is not a parameter of the policy `fcfs`",
        ),
        (
            WhatIf {
                jobs: [
                    change(3, Some(60.0), None, None),
                    change(3, None, Some(1.0), None),
                ]
                .concat(),
                ..at(50.0)
            },
            "job 3 is named twice",
        ),
        (at(f64::NAN), "`at` cannot be NaN"),
        (at(1e300), "`at` cannot be"),
    ] {
        let found = with(&Scenario::new("fcfs"), what_if.clone())
            .resolve()
            .and_then(|resolved| {
                let mut run = resolved.run(Arc::clone(&trace))?;
                while !run.advance(1).done {}
                run.check_complete()
            });
        let problem = found.expect_err(told);
        assert!(
            format!("{problem} {}", problem.why).contains(told),
            "{told}: {problem}"
        );
    }
}

/// What-ifs also work on machines with rows, and on machines where two jobs share nodes.
#[test]
fn on_other_machines() {
    for seed in 0..30 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let trace = trace(processors, &jobs);
        let mut stream = Stream::new(seed, "machines");
        for (machine, policy) in [
            ("gang", "easy"),
            ("gang", "fcfs"),
            ("smt", "lomarc"),
            ("smt", "easy"),
        ] {
            let scenario = Scenario {
                machine: machine.into(),
                ..Scenario::new(policy)
            };
            let plain = complete(&scenario, &trace);
            let at = somewhere(plain.schedule(), &mut stream);
            if plain
                .schedule()
                .ends
                .iter()
                .all(|end| end.whole_seconds() <= at)
            {
                continue;
            }
            let gone = jobs[stream.below(jobs.len() as u64) as usize].user;
            if jobs.iter().all(|job| job.user == gone) {
                continue;
            }
            let other = complete(
                &with(
                    &scenario,
                    WhatIf {
                        at: at as f64,
                        without_users: vec![gone],
                        ..WhatIf::default()
                    },
                ),
                &trace,
            );
            let (before, after) = (times(plain.schedule()), times(other.schedule()));
            for (number, (start, end)) in &before {
                if *end <= at {
                    assert_eq!(
                        after[number],
                        (*start, *end),
                        "{machine} {policy}, seed {seed}"
                    );
                } else if *start <= at {
                    assert_eq!(after[number].0, *start, "{machine} {policy}, seed {seed}");
                } else {
                    assert_eq!(
                        after.contains_key(number),
                        jobs[*number as usize - 1].user != gone
                    );
                }
            }
        }
    }
}

/// Outages on the machines where jobs share processors, under every policy that runs there.
#[test]
fn outages_where_jobs_share_processors() {
    let mut tried = BTreeMap::new();
    for seed in 0..24 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let trace = trace(processors, &jobs);
        let mut stream = Stream::new(seed, "shared");
        for (machine, spec) in ["gang", "smt", "bsp"]
            .into_iter()
            .flat_map(|machine| ALL.iter().map(move |spec| (machine, spec)))
        {
            let mut scenario = Scenario {
                machine: machine.into(),
                ..Scenario::new(spec.id)
            };
            if spec.id == "pbas" || spec.id == "wbas" {
                scenario = scenario.with("frame", 60.0);
            }
            if scenario.resolve().is_err() || machine == "bsp" && seed > 4 {
                continue;
            }
            let plain = complete(&scenario, &trace);
            let at = somewhere(plain.schedule(), &mut stream);
            if plain
                .schedule()
                .ends
                .iter()
                .all(|end| end.seconds() <= at as f64)
            {
                continue;
            }
            let first = stream.below(processors.into()) as u32;
            let count = 1 + stream.below((processors - first).into()) as u32;
            let seconds = 1.0 + stream.below(80) as f64;
            let closed = Some(Outage {
                first: first.into(),
                count: count.into(),
                seconds,
            });
            let what_if = WhatIf {
                at: at as f64,
                closed,
                ..WhatIf::default()
            };
            let other = complete(&with(&scenario, what_if.clone()), &trace);
            for (job, start) in plain.schedule().starts.iter().enumerate() {
                let other = other.schedule().starts[job];
                assert!(
                    if start.seconds() <= at as f64 {
                        other == *start
                    } else {
                        other.seconds() >= at as f64
                    },
                    "{machine} {} {what_if:?}, seed {seed}",
                    spec.id
                );
            }
            assert_eq!(other.schedule().closed.len(), 1);
            *tried.entry((machine, spec.id)).or_insert(0) += 1;
        }
    }
    for machine in ["gang", "smt", "bsp"] {
        for policy in ["fcfs", "easy", "lookahead", "priority", "pbas", "wbas"] {
            assert!(tried.contains_key(&(machine, policy)), "{tried:?}");
        }
    }
    assert!(tried[&("smt", "lomarc")] > 15, "{tried:?}");
}

/// A matrix with one row is the flat machine, also in an outage.
#[test]
fn outages_of_one_row_are_those_of_the_flat_machine() {
    let mut waits = 0;
    for seed in 0..150 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let trace = trace(processors, &jobs);
        let mut stream = Stream::new(seed, "one row");
        let plain = complete(&Scenario::new("easy"), &trace);
        let (first, last) = plain.schedule().span();
        let at = first.whole_seconds() + stream.below(30) as i64;
        if at >= last.whole_seconds() {
            continue;
        }
        let low = stream.below(processors.into()) as u32;
        let what_if = WhatIf {
            at: at as f64,
            closed: Some(Outage {
                first: low.into(),
                count: (1 + stream.below((processors - low).into()) as u32).into(),
                seconds: 1.0 + stream.below(60) as f64,
            }),
            ..WhatIf::default()
        };
        for policy in ["fcfs", "easy", "deep", "lookahead", "priority"] {
            let flat = match policy {
                "deep" => Scenario::new("easy").with("depth", 1000.0),
                policy => Scenario::new(policy),
            };
            let found = |machine: &str, rows: &str| {
                let scenario = Scenario {
                    machine: machine.into(),
                    ..flat.clone()
                };
                let scenario = if machine == "flat" {
                    scenario
                } else {
                    scenario.with(rows, 1.0)
                };
                let run = complete(&with(&scenario, what_if.clone()), &trace);
                times(run.schedule())
            };
            let expected = found("flat", "");
            assert_eq!(found("gang", "slots"), expected, "{policy}, seed {seed}");
            assert_eq!(found("smt", "threads"), expected, "{policy}, seed {seed}");
            waits += u32::from(expected != times(plain.schedule()) && policy == "easy");
        }
    }
    assert!(waits > 40, "{waits}");
}

/// Two slots of four processors. Processors 1 and 2 are out of service from 5 s to 100 s.
#[test]
fn closed_processors_of_a_gang_matrix() {
    let jobs = [
        job(0, 20, 2),
        job(10, 10, 2),
        job(15, 10, 3),
        job(21, 5, 2),
        job(40, 100, 1),
    ];
    let scenario = Scenario {
        machine: "gang".into(),
        ..Scenario::new("easy").with("slots", 2.0)
    };
    let what_if = WhatIf {
        at: 5.0,
        closed: Some(Outage {
            first: 1.0,
            count: 2.0,
            seconds: 95.0,
        }),
        ..WhatIf::default()
    };
    let found = complete(&with(&scenario, what_if), &trace(4, &jobs));
    let schedule = found.schedule();
    assert_eq!(
        times(schedule),
        BTreeMap::from([
            // On processors 0 and 1, to its end.
            (1, (0, 20)),
            // Slot 1 has room only on processor 3. In slot 2 its first turn begins at 20 s.
            (2, (10, 30)),
            // No slot has three processors before the outage ends.
            (3, (100, 110)),
            // Slot 1 has room on processors 0 and 3, and its turn at 30 s.
            (4, (21, 35)),
            // It runs beyond 100 s, so it leaves processors 0 to 2 of slot 1 to job 3.
            (5, (40, 140)),
        ])
    );
    let one = |first| Range { first, count: 1 };
    let places: BTreeMap<u32, _> = schedule
        .order
        .iter()
        .map(|start| {
            let placement = schedule.placement(start);
            (start.job.0 + 1, (placement.row, placement.ranges.to_vec()))
        })
        .collect();
    assert_eq!(
        places,
        BTreeMap::from([
            (1, (0, vec![Range { first: 0, count: 2 }])),
            (2, (1, vec![one(0), one(3)])),
            (3, (0, vec![Range { first: 0, count: 3 }])),
            (4, (0, vec![one(0), one(3)])),
            (5, (0, vec![one(3)])),
        ])
    );
}

/// Look-ahead fills both slots with the jobs that fit on two of four processors. If all four counted, it
/// would choose the job of three processors, and start one job less.
#[test]
fn lookahead_counts_no_closed_processor() {
    let job = |processors| Job {
        submit: 10,
        runtime: 10,
        estimate: 10,
        processors,
        user: 1,
    };
    let scenario = Scenario {
        machine: "gang".into(),
        ..Scenario::new("lookahead")
            .with("slots", 2.0)
            .with("reserve", "none")
    };
    let what_if = WhatIf {
        at: 5.0,
        closed: Some(Outage {
            first: 2.0,
            count: 2.0,
            seconds: 95.0,
        }),
        ..WhatIf::default()
    };
    let jobs = [job(3), job(1), job(2)];
    let found = complete(&with(&scenario, what_if), &trace(4, &jobs));
    let starts = times(found.schedule())
        .into_values()
        .map(|(start, _)| start);
    assert_eq!(starts.collect::<Vec<_>>(), [100, 10, 10]);
}

/// Daemons take half of the time, so a job of 10 s still runs when an outage of its processors ends at
/// 12 s. Job 2 waits for job 1, which is believed to end at 15 s; job 3 ends before that.
#[test]
fn processes_that_outlive_an_outage() {
    let job = |submit, runtime, estimate, processors| Job {
        submit,
        runtime,
        estimate,
        processors,
        user: 1,
    };
    let jobs = [job(0, 10, 15, 3), job(13, 1, 1, 4), job(13, 1, 1, 1)];
    let scenario = Scenario {
        machine: "bsp".into(),
        ..Scenario::new("easy")
            .with("coscheduling", "batch")
            .with("noise_length", 500_000.0)
    };
    let what_if = WhatIf {
        at: 2.0,
        closed: Some(Outage {
            first: 0.0,
            count: 2.0,
            seconds: 10.0,
        }),
        ..WhatIf::default()
    };
    let found = complete(&with(&scenario, what_if), &trace(4, &jobs));
    let found = times(found.schedule());
    assert!(found[&1].1 > 18, "{found:?}");
    assert!(found[&2].0 > 18, "{found:?}");
    assert_eq!(found[&3].0, 13);
}

/// A policy that finds each processor free, or counted in one running job or in the outage.
struct Counting(Box<dyn Policy>);

impl Counting {
    fn count(turn: &Turn<'_>) {
        let held: u32 = turn.running().iter().map(|entry| entry.processors).sum();
        assert_eq!(turn.free() + held, turn.capacity(), "at {:?}", turn.now());
    }
}

impl Policy for Counting {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        Self::count(turn);
        self.0.decide(turn);
        Self::count(turn);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(Self(self.0.fork()))
    }
}

#[test]
fn every_processor_counts_once_in_an_outage() {
    let torus = |policy: &str| {
        let edges = [("x", 4.0), ("y", 2.0), ("z", 2.0)];
        let scenario = Scenario {
            machine: "torus".into(),
            ..Scenario::new(policy)
        };
        edges
            .into_iter()
            .fold(scenario, |scenario, (key, edge)| scenario.with(key, edge))
    };
    let on = |machine: &str, rows: &str, number: f64| Scenario {
        machine: machine.into(),
        ..Scenario::new("easy").with(rows, number)
    };
    let scenarios = [
        Scenario::new("easy"),
        torus("easy"),
        torus("bm").with("fn_tor", 0.0).with("fn_max", 1.0),
        on("gang", "slots", 1.0),
        on("gang", "slots", 3.0)
            .with("unify", "on")
            .with("move_jobs", "on"),
        on("gang", "slots", 2.0).with("packing", "buddy"),
        on("smt", "threads", 2.0),
    ];
    for seed in 0..60 {
        let (_, jobs) = random_jobs(seed, Overruns::Never);
        let trace = trace(16, &jobs);
        let mut stream = Stream::new(seed, "counting");
        let at = Time::from_seconds(jobs[0].submit + stream.below(40) as i64);
        let first = stream.below(16) as u32;
        let count = 1 + stream.below((16 - first).into()) as u32;
        let length = Span::from_seconds(1 + stream.below(60) as i64);
        for scenario in &scenarios {
            let resolved = scenario.resolve().unwrap();
            let workload = Arc::new(resolved.workload(&trace).unwrap());
            let mut recorder = resolved.recorder(&workload);
            let mut begun = resolved.simulation(Arc::clone(&workload), Placements::Recorded);
            begun.advance_through(at, &mut recorder);
            let turning = Turning {
                at,
                policy: Box::new(Counting((resolved.policy.build)(&resolved.settings))),
                predicts: false,
                known_until_start: None,
                closed: Some((Range { first, count }, length)),
            };
            let same: Vec<Option<JobId>> = workload.ids().map(Some).collect();
            let other = begun.otherwise(&workload, &same, turning, &mut recorder);
            other.unwrap().run(&mut recorder);
            let schedule = recorder.into_schedule();
            assert_eq!(audit(&schedule, 3), Vec::<String>::new(), "{scenario:?}");
        }
    }
}

/// Both candidates are equally good, so no policy takes over when the frame ends, which is also
/// when the processors return. The policy must be asked nevertheless, or a job would wait for ever.
#[test]
fn processors_that_come_back_at_the_end_of_a_frame_are_used() {
    let job = |submit, processors| Job {
        submit,
        runtime: 10,
        estimate: 10,
        processors,
        user: 0,
    };
    let closed = Some(Outage {
        first: 0.0,
        count: 4.0,
        seconds: 60.0,
    });
    for policy in ["pbas", "wbas"] {
        let scenario = Scenario::new(policy)
            .with("candidates", "easy+fcfs")
            .with("frame", 60.0);
        let what_if = WhatIf {
            at: 5.0,
            closed: closed.clone(),
            ..WhatIf::default()
        };
        let run = complete(
            &with(&scenario, what_if),
            &trace(4, &[job(0, 1), job(20, 4)]),
        );
        assert_eq!(times(run.schedule())[&2].0, 65, "{policy}");
    }
}
