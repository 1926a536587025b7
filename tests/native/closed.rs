//! The closed loop: jobs that arrive their think time after the end of another.

use schedscope::experiment::{Run, Scenario};
use schedscope::import::{BadLines, read};
use schedscope::policy;
use schedscope::random::Stream;
use schedscope::schedule::audit::audit;
use schedscope::trace::Trace;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// A line of a log: times in seconds, size in processors.
#[derive(Clone, Copy)]
struct Line {
    number: i64,
    submit: i64,
    wait: i64,
    run: i64,
    size: i64,
    limit: i64,
    preceding: i64,
    think: i64,
}

fn log(lines: &[Line]) -> Arc<Trace> {
    let mut text = String::from("; MaxProcs: 16\n");
    for line in lines {
        let Line {
            number,
            submit,
            wait,
            run,
            size,
            limit,
            preceding,
            think,
        } = line;
        writeln!(
            text,
            "{number} {submit} {wait} {run} {size} -1 -1 {size} {limit} -1 1 {} 1 1 1 1 \
                {preceding} {think}",
            number % 4
        )
        .unwrap();
    }
    Arc::new(read("log", text.as_bytes(), BadLines::Stop).unwrap())
}

fn random_lines(seed: u64) -> Vec<Line> {
    let mut dice = Stream::new(seed, "closed");
    let mut submit = 0;
    let count = dice.below(40) as i64 + 2;
    (1..=count)
        .map(|number| {
            submit += dice.below(40) as i64;
            let run = dice.below(60) as i64;
            Line {
                number,
                submit,
                wait: dice.below(50) as i64 - 1,
                run,
                size: dice.below(16) as i64 + 1,
                limit: run + dice.below(60) as i64 + 1,
                // Some jobs follow a job that is later, or that does not exist.
                preceding: if dice.uniform() < 0.7 {
                    dice.below(count as u64 + 3) as i64
                } else {
                    -1
                },
                think: dice.below(40) as i64 - 2,
            }
        })
        .collect()
}

fn done(scenario: &Scenario, trace: &Arc<Trace>) -> Run {
    let mut run = scenario.resolve().unwrap().run(Arc::clone(trace)).unwrap();
    while !run.advance(7).done {}
    run.check_complete().unwrap();
    run
}

/// Returns submission, start and end of each job, by its number.
fn times(run: &Run) -> BTreeMap<i64, [i64; 3]> {
    let schedule = run.schedule();
    let of = |job: schedscope::job::JobId| {
        let request = schedule.workload.request(job);
        let at = job.index();
        (
            request.number,
            [request.submitted, schedule.starts[at], schedule.ends[at]]
                .map(schedscope::time::Time::microseconds),
        )
    };
    schedule.workload.ids().map(of).collect()
}

/// Finds the closed loop by open runs alone: each run gets the submissions that follow from the
/// ends of the run before, until nothing changes.
fn by_open_runs(scenario: &Scenario, lines: &[Line]) -> (BTreeMap<i64, [i64; 3]>, usize) {
    let think = |line: &Line| {
        let before = lines.iter().find(|other| {
            other.number == line.preceding
                && (other.submit, other.number) < (line.submit, line.number)
        })?;
        let gap = match (line.think, before.wait) {
            (0.., _) => line.think,
            (_, 0..) => line.submit - (before.submit + before.wait + before.run),
            _ => 0,
        };
        Some(gap.max(1))
    };
    let mut now = lines.to_vec();
    for round in 1.. {
        let mut sorted: Vec<Line> = now
            .iter()
            .map(|line| Line {
                preceding: -1,
                think: -1,
                ..*line
            })
            .collect();
        sorted.sort_by_key(|line| (line.submit, line.number));
        let found = times(&done(scenario, &log(&sorted)));
        let next: Vec<Line> = now
            .iter()
            .zip(lines)
            .map(|(line, given)| Line {
                submit: think(given).map_or(given.submit, |think| {
                    found[&given.preceding][2] / 1_000_000 + think
                }),
                ..*line
            })
            .collect();
        if next.iter().zip(&now).all(|(a, b)| a.submit == b.submit) {
            return (found, round);
        }
        assert!(round < 1000, "the open runs do not settle");
        now = next;
    }
    unreachable!()
}

#[test]
fn the_loop_is_what_open_runs_settle_on() {
    let mut rounds = 0;
    for (number, policy) in [
        "fcfs",
        "easy",
        "conservative",
        "priority",
        "flex",
        "selective",
    ]
    .into_iter()
    .enumerate()
    {
        for seed in 0..60 {
            let lines = random_lines(1000 * number as u64 + seed);
            for ties in ["together", "per_event"] {
                let scenario = Scenario::new(policy).with("ties", ties);
                let (open, took) = by_open_runs(&scenario, &lines);
                rounds = rounds.max(took);
                let run = done(&scenario.with("closed_loop", "on"), &log(&lines));
                assert_eq!(times(&run), open, "{policy}, {ties}, {seed}");
                assert!(audit(run.schedule(), 10).is_empty());
            }
        }
    }
    assert!(rounds > 4, "no chain of jobs was longer than {rounds}");
}

/// Under every policy the audit finds each follower where it must be, except for policies that
/// simulate on their own: these say that they cannot.
#[test]
fn every_policy_closes_the_loop_or_says_why_not() {
    let mut refused = Vec::new();
    for spec in policy::ALL {
        for seed in 0..10 {
            let trace = log(&random_lines(seed));
            let scenario = Scenario::new(spec.id).with("closed_loop", "on");
            match scenario.resolve().unwrap().run(Arc::clone(&trace)) {
                Ok(mut run) => {
                    while !run.advance(5).done {}
                    run.check_complete().unwrap();
                    let findings = audit(run.schedule(), 10);
                    assert!(findings.is_empty(), "{}: {findings:?}", spec.id);
                    let follows = &run.schedule().workload.follows;
                    assert!(follows.iter().any(Option::is_some), "{}", spec.id);
                }
                Err(problem) => {
                    assert!(problem.what.contains("closed_loop"), "{problem}");
                    refused.push(spec.id);
                    break;
                }
            }
        }
    }
    assert_eq!(refused, ["pbas"]);
}

/// A golden case. On 16 processors, job 2 needs the whole machine and follows job 1 after 10 s. In
/// the log job 1 ended at 130; here it ends at 100. Job 3 follows job 2 without a think time.
#[test]
fn a_golden_case_by_hand() {
    let line = |number, submit, wait, run, size, preceding, think| Line {
        number,
        submit,
        wait,
        run,
        size,
        limit: 200,
        preceding,
        think,
    };
    let lines = [
        line(1, 0, 30, 100, 8, -1, -1),
        line(4, 100, 0, 15, 1, -1, -1),
        line(2, 140, 0, 50, 16, 1, 10),
        line(3, 195, 0, 20, 4, 2, -1),
        line(5, 400, 0, 10, 4, 99, 5),
    ];
    let run = done(
        &Scenario::new("fcfs").with("closed_loop", "on"),
        &log(&lines),
    );
    let seconds = |times: [i64; 3]| times.map(|time| time / 1_000_000);
    let found: Vec<(i64, [i64; 3])> = times(&run)
        .into_iter()
        .map(|(number, times)| (number, seconds(times)))
        .collect();
    assert_eq!(
        found,
        [
            (1, [0, 0, 100]),
            // Submitted 10 s after the end of job 1. It waits for job 4.
            (2, [110, 115, 165]),
            // In the log it came 5 s after the end of job 2.
            (3, [170, 170, 190]),
            (4, [100, 100, 115]),
            // It follows a job that is not there.
            (5, [400, 400, 410]),
        ]
    );
    let report = &run.schedule().workload.report;
    let count = |id: &str| {
        report
            .rules
            .iter()
            .find(|rule| rule.id == id)
            .map(|rule| rule.count)
    };
    assert_eq!(count("follows"), Some(2));
    assert_eq!(count("think_time_derived"), Some(1));
    assert_eq!(count("follows_none"), Some(1));
    assert_eq!(count("preceding_job"), None);
    // Without the option, every job arrives as in the log, and the report says what is not used.
    let open = done(&Scenario::new("fcfs"), &log(&lines));
    assert_eq!(seconds(times(&open)[&2])[0], 140);
    let report = &open.schedule().workload.report;
    assert!(report.rules.iter().any(|rule| rule.id == "preceding_job"));
    assert!(open.schedule().workload.follows.is_empty());
}

#[test]
fn what_cannot_be_is_told() {
    let trace = log(&random_lines(3));
    let problem = |scenario: Scenario| {
        scenario
            .resolve()
            .and_then(|resolved| resolved.run(Arc::clone(&trace)))
            .err()
            .expect("this cannot run")
            .to_string()
    };
    let closed = Scenario::new("easy").with("closed_loop", "on");
    assert!(problem(closed.clone().with("resample", "weeks")).contains("`resample`"));
    let mut forked = closed;
    forked.what_if = Some(Box::new(schedscope::experiment::WhatIf {
        at: 10.0,
        policy: Some("fcfs".into()),
        ..Default::default()
    }));
    assert!(problem(forked).contains("what-if"));
    // The recorded schedule has the arrivals of the log.
    let lines: Vec<Line> = random_lines(3)
        .into_iter()
        .map(|line| Line { wait: 5, ..line })
        .collect();
    let recorded = Scenario::new("recorded").with("closed_loop", "on");
    let run = done(&recorded, &log(&lines));
    for line in &lines {
        assert_eq!(times(&run)[&line.number][1], (line.submit + 5) * 1_000_000);
    }
}

/// The audit sees a follower that arrives at a wrong time.
#[test]
fn the_audit_sees_a_broken_loop() {
    let run = done(
        &Scenario::new("easy").with("closed_loop", "on"),
        &log(&random_lines(5)),
    );
    let mut schedule = run.schedule().clone();
    let mut workload = (*schedule.workload).clone();
    let follow = workload.follows.iter_mut().flatten().next().unwrap();
    follow.think += schedscope::time::Span::SECOND;
    schedule.workload = Arc::new(workload);
    let findings = audit(&schedule, 10);
    assert!(findings[0].contains("after the end of job"), "{findings:?}");
}
