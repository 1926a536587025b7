//! Overviews of workloads, and comparisons of two runs, against figures that were calculated by
//! hand.

use schedscope::experiment::{Run, Scenario};
use schedscope::import::{BadLines, read};
use schedscope::metrics::compare;
use schedscope::time::Span;
use schedscope::trace::Trace;
use schedscope::workload::{Group, workload_profile};
use std::fmt::Write;
use std::sync::Arc;

/// Makes a trace of rows of submission, run time, processors, estimate and user.
fn trace(rows: &[(i64, i64, i64, i64, i64)]) -> Trace {
    let mut text = String::from("; MaxProcs: 4\n");
    for (index, (submit, run, processors, estimate, user)) in rows.iter().enumerate() {
        writeln!(
            text,
            "{} {submit} -1 {run} {processors} -1 -1 {processors} {estimate} -1 1 \
            {user} 1 1 1 1 -1 -1",
            index + 1
        )
        .unwrap();
    }
    read("by hand", text.as_bytes(), BadLines::Stop).unwrap()
}

fn finished(trace: &Trace, policy: &str) -> Run {
    played(trace, &Scenario::new(policy))
}

fn played(trace: &Trace, scenario: &Scenario) -> Run {
    let mut run = scenario
        .resolve()
        .unwrap()
        .run(Arc::new(trace.clone()))
        .unwrap();
    while !run.advance(100).done {}
    run
}

/// FCFS on a machine with two rows that take turns of 10 s.
fn two_rows() -> Scenario {
    Scenario {
        machine: "gang".into(),
        ..Scenario::new("fcfs")
    }
    .with("slots", 2.0)
    .with("quantum", 10.0)
}

fn waits(run: &Run) -> Vec<f64> {
    let schedule = run.schedule();
    schedule
        .workload
        .ids()
        .map(|job| schedule.wait(job).map_or(f64::NAN, Span::seconds))
        .collect()
}

#[test]
fn a_comparison_by_hand() {
    // Job 1 holds 3 of 4 processors until 100 s. Job 2 needs 4 processors. FCFS lets jobs 3 and 4
    // wait behind job 2. Under EASY job 3 runs at once, because it ends by 100 s. Job 4 waits as
    // before, because its estimate ends later.
    let trace = trace(&[
        (0, 100, 3, 100, 1),
        (0, 50, 4, 50, 2),
        (10, 20, 1, 20, 3),
        (10, 20, 1, 200, 3),
    ]);
    let (fcfs, easy) = (finished(&trace, "fcfs"), finished(&trace, "easy"));
    assert_eq!(
        (waits(&fcfs), waits(&easy)),
        (vec![0.0, 100.0, 140.0, 140.0], vec![0.0, 100.0, 0.0, 140.0])
    );
    let found = compare(&waits(&fcfs), easy.schedule(), &easy.scenario.settings);
    assert_eq!(
        (
            found.paired.jobs,
            found.paired.mean,
            found.paired.smaller,
            found.paired.larger
        ),
        (4, -35.0, 0.25, 0.0)
    );
    let bars: Vec<(&str, usize)> = found
        .distribution
        .iter()
        .filter(|bar| bar.jobs > 0)
        .map(|bar| (bar.name.as_str(), bar.jobs))
        .collect();
    assert_eq!(bars, [("1 min to 10 min less", 1), ("the same", 3)]);
    assert_eq!(found.distribution.len(), 15);
    let user = |name: &str| {
        found.classes["user"]
            .iter()
            .find(|class| class.name == name)
            .unwrap()
            .clone()
    };
    let three = user("user 3");
    assert_eq!(
        (
            three.jobs,
            three.first,
            three.second,
            three.gained,
            three.lost
        ),
        (2, 140.0, 70.0, 1, 0)
    );
    assert_eq!(
        (user("user 2").first, user("user 2").second),
        (100.0, 100.0)
    );
    assert_eq!((found.winners.len(), found.losers.len()), (1, 0));
    assert_eq!(
        (
            found.winners[0].number,
            found.winners[0].first,
            found.winners[0].second
        ),
        (3, 140.0, 0.0)
    );
    // All jobs arrive within 10 s: the first two in the first part, the others in the last part.
    let parts: Vec<(usize, usize, f64)> = found
        .over_time
        .iter()
        .enumerate()
        .filter(|(_, part)| part.jobs > 0)
        .map(|(at, part)| (at, part.jobs, part.mean))
        .collect();
    assert_eq!(parts, [(0, 2, 0.0), (119, 2, -70.0)]);
    // In the reverse comparison, the winner is the loser.
    let back = compare(&waits(&easy), fcfs.schedule(), &fcfs.scenario.settings);
    assert_eq!(
        (back.losers[0].number, back.winners.len(), back.paired.mean),
        (3, 0, 35.0)
    );
}

/// Every way to group jobs has the same jobs with the same differences.
#[test]
fn every_way_of_grouping_adds_up() {
    let settings = schedscope::param::Settings::default()
        .with("jobs", 2000.0)
        .with("overestimate", 4.0);
    let trace = schedscope::workload::model::generate("lublin", &settings).unwrap();
    let (first, second) = (finished(&trace, "easy"), finished(&trace, "multiqueue"));
    let (before, after) = (waits(&first), waits(&second));
    let found = compare(&before, second.schedule(), &second.scenario.settings);
    let differences: Vec<f64> = before
        .iter()
        .zip(&after)
        .map(|(before, after)| after - before)
        .collect();
    let total: f64 = differences.iter().sum();
    let near = |sum: f64| (sum - total).abs() < 1e-6 * total.abs().max(1.0);
    assert!(near(found.paired.mean * 2000.0));
    assert!(near(
        found
            .over_time
            .iter()
            .map(|part| part.mean * part.jobs as f64)
            .sum()
    ));
    assert_eq!(
        found.distribution.iter().map(|bar| bar.jobs).sum::<usize>(),
        2000
    );
    let less = differences
        .iter()
        .filter(|difference| **difference < 0.0)
        .count();
    assert_eq!(
        found.distribution[..7]
            .iter()
            .map(|bar| bar.jobs)
            .sum::<usize>(),
        less
    );
    for classes in found.classes.values() {
        assert!(near(
            classes
                .iter()
                .map(|class| (class.second - class.first) * class.jobs as f64)
                .sum()
        ));
        assert_eq!(
            classes.iter().map(|class| class.gained).sum::<usize>(),
            less
        );
    }
    let mut sorted = differences.clone();
    sorted.sort_by(f64::total_cmp);
    let told: Vec<f64> = found
        .winners
        .iter()
        .map(|job| job.second - job.first)
        .collect();
    assert_eq!(told, sorted[..told.len()].to_vec());
    let told: Vec<f64> = found
        .losers
        .iter()
        .map(|job| job.second - job.first)
        .collect();
    assert_eq!(
        told,
        sorted
            .iter()
            .rev()
            .take(told.len())
            .copied()
            .collect::<Vec<f64>>()
    );
}

fn names(groups: &[Group]) -> Vec<(&str, usize, f64)> {
    groups
        .iter()
        .map(|group| (group.name.as_str(), group.jobs, group.work))
        .collect()
}

/// Until the last arrival at 100 s the machine does 4 x 100 for the first job. A machine without
/// limits would also have done 2 x 50 for the second job. The third job arrives at the end.
#[test]
fn the_accepted_load_by_hand() {
    let trace = trace(&[(0, 100, 4, 100, 1), (0, 50, 2, 50, 2), (100, 10, 1, 10, 3)]);
    let figures = finished(&trace, "fcfs").measures().figures;
    assert_eq!(
        (figures["accepted.value"], figures["accepted.share"]),
        (1.0, 0.8)
    );
}

/// Job 1 runs for 20 s from 0 to 30 s, and job 2 for 10 s from 0 to 20 s. At the last arrival at 15
/// s, job 1 has done half of its 20 s on 4 processors, and job 2 three quarters of its 10 s on 2
/// processors. Without limits they would have done 4 x 15 and 2 x 10.
#[test]
fn the_accepted_load_of_shared_processors_by_hand() {
    let trace = trace(&[(0, 20, 4, 20, 1), (0, 10, 2, 10, 2), (15, 5, 1, 5, 3)]);
    let run = played(&trace, &two_rows());
    let ends: Vec<f64> = run
        .schedule()
        .ends
        .iter()
        .map(|end| end.seconds())
        .collect();
    assert_eq!(ends, [30.0, 20.0, 20.0]);
    let figures = run.measures().figures;
    assert_eq!(
        (figures["accepted.value"], figures["accepted.share"]),
        (55.0 / 60.0, 55.0 / 80.0)
    );
}

/// Jobs 1 and 2 share 2 of 4 processors, and job 1 holds a third one, so one is free. From 5 s on
/// job 3 asks for 4 processors, and has them from 10 to 30 s. For 5 s no job asked for the free
/// processor, and for another 5 s job 3 did.
#[test]
fn the_unused_capacity_of_shared_processors_by_hand() {
    let trace = trace(&[(0, 10, 3, 10, 1), (0, 10, 2, 10, 2), (5, 10, 4, 10, 3)]);
    let run = played(&trace, &two_rows());
    let ends: Vec<f64> = run
        .schedule()
        .ends
        .iter()
        .map(|end| end.seconds())
        .collect();
    assert_eq!(ends, [10.0, 20.0, 30.0]);
    let figures = run.measures().figures;
    assert_eq!(
        (figures["unused.value"], figures["occupied.value"]),
        (5.0 / 120.0, 110.0 / 120.0)
    );
    assert_eq!(
        (figures["utilisation.value"], figures["lost.value"]),
        (90.0 / 120.0, 1.0 - 90.0 / 120.0 - 5.0 / 120.0)
    );
}

#[test]
fn a_workload_profile_by_hand() {
    let day = 86_400;
    // This job is in the second week, after a gap of eight days.
    let trace = trace(&[
        (0, 0, 1, 10, 1),
        (3600, 5, 3, 1, 2),
        (7200, 30, 4, 60, 2),
        (8 * day + 7200, 60, 2, 60, 1),
    ]);
    let scenario = Scenario::new("fcfs").with("overrun", "kill");
    let workload = scenario.resolve().unwrap().workload(&trace).unwrap();
    let found = workload_profile(&workload, &trace);
    let weeks: Vec<(f64, usize, f64)> = found
        .weeks
        .iter()
        .map(|week| (week.from, week.jobs, week.work))
        .collect();
    // Job 2 is killed at its estimate of 1 s.
    assert_eq!(weeks, [(0.0, 3, 123.0), (604_800.0, 1, 120.0)]);
    assert!((found.weeks[0].load - 123.0 / (604_800.0 * 4.0)).abs() < 1e-15);
    assert_eq!(
        names(&found.sizes),
        [("1", 1, 0.0), ("2", 1, 120.0), ("3 to 4", 2, 123.0)]
    );
    assert_eq!(
        names(&found.run_times),
        [
            ("0 s", 1, 0.0),
            ("up to 10 s", 1, 3.0),
            ("up to 1 min", 2, 240.0)
        ]
    );
    assert_eq!(
        names(&found.accuracy),
        [
            ("0 to 10 %", 1, 0.0),
            ("50 to 60 %", 1, 120.0),
            ("100 %", 2, 123.0)
        ]
    );
    assert_eq!(
        names(&found.hours),
        [("00", 1, 0.0), ("01", 1, 3.0), ("02", 2, 240.0)]
    );
    let users: Vec<(i32, usize, f64)> = found
        .users
        .iter()
        .map(|user| (user.user, user.jobs, user.work))
        .collect();
    assert_eq!(
        (users, found.users_in_all),
        (vec![(2, 2, 123.0), (1, 2, 120.0)], 2)
    );
    let odd: Vec<(&str, usize, &[u64])> = found
        .oddities
        .iter()
        .map(|odd| (odd.id, odd.jobs, odd.lines.as_slice()))
        .collect();
    assert_eq!(
        odd,
        [
            ("gap", 0, &[4, 5][..]),
            ("short_estimate", 1, &[3]),
            ("no_run_time", 1, &[2]),
            ("whole_machine", 1, &[4])
        ]
    );
}

#[test]
fn a_flurry_is_found_with_its_lines() {
    let mut rows: Vec<(i64, i64, i64, i64, i64)> =
        (0..50).map(|at| (at * 1000, 10, 1, 20, at % 7)).collect();
    // On the third day user 9 submits 120 of 150 jobs. On the fourth day the user submits 99, which
    // is not a flurry.
    rows.extend((0..150).map(|at| {
        (
            2 * 86_400 + at * 10,
            10,
            1,
            20,
            if at % 5 == 0 { 3 } else { 9 },
        )
    }));
    rows.extend((0..99).map(|at| (3 * 86_400 + at, 10, 1, 20, 9)));
    let trace = trace(&rows);
    let workload = Scenario::new("fcfs")
        .resolve()
        .unwrap()
        .workload(&trace)
        .unwrap();
    let found = workload_profile(&workload, &trace);
    assert_eq!(found.oddities.len(), 1);
    assert_eq!(
        found.oddities[0].text,
        "Flurry: user 9 submitted 120 of the 150 jobs of day 3."
    );
    assert_eq!(found.oddities[0].lines, [53, 54, 55, 56, 58]);
}
