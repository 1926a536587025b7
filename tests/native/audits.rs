//! The audit finds every defect of a schedule: each test breaks a good schedule in one way.

use super::support::{Job, schedule, workload};
use schedscope::experiment::Scenario;
use schedscope::machine::Range;
use schedscope::schedule::{Schedule, audit::audit};
use schedscope::time::{Span, Time};

/// Three jobs on 4 processors: two side by side, then one that takes the whole machine.
fn good() -> Schedule {
    let job = |submit, processors| Job {
        submit,
        runtime: 10,
        estimate: 10,
        processors,
        user: 1,
    };
    schedule(
        &Scenario::new("easy"),
        &workload(4, &[job(0, 2), job(1, 2), job(2, 4)]),
    )
}

fn finds(what: &str, damage: impl FnOnce(&mut Schedule)) {
    let mut schedule = good();
    damage(&mut schedule);
    let findings = audit(&schedule, 10);
    assert!(
        findings.iter().any(|finding| finding.contains(what)),
        "expected `{what}` among {findings:?}"
    );
}

#[test]
fn a_good_schedule_has_no_finding() {
    assert_eq!(audit(&good(), 10), Vec::<String>::new());
}

#[test]
fn jobs_that_cannot_have_run_so() {
    let second = |schedule: &mut Schedule, by: i64| {
        schedule.starts[1] = Time::from_seconds(schedule.starts[1].whole_seconds() + by);
        schedule.ends[1] = Time::from_seconds(schedule.ends[1].whole_seconds() + by);
    };
    finds("before it was submitted", |schedule| second(schedule, -1));
    finds("ran for 9 s, not 10 s", |schedule| {
        schedule.ends[0] = schedule.ends[0] - Span::SECOND;
    });
    finds("never ended", |schedule| schedule.ends[2] = Time::NEVER);
    finds("started 2 times", |schedule| {
        schedule.order.push(schedule.order[0]);
    });
    finds("started 0 times", |schedule| {
        schedule.order.remove(1);
    });
    finds("out of order", |schedule| schedule.order.swap(0, 2));
}

#[test]
fn machines_that_are_not_so_large() {
    // The wide job starts one second before the end of the second narrow job.
    finds("processors of 4 are used at", |schedule| {
        schedule.starts[2] = schedule.starts[2] - Span::SECOND;
        schedule.ends[2] = schedule.ends[2] - Span::SECOND;
    });
    finds("share a processor", |schedule| {
        schedule.ranges[1] = Range { first: 1, count: 2 }
    });
    finds("got 1 processors, not 2", |schedule| {
        schedule.ranges[1] = Range { first: 2, count: 1 }
    });
    finds("that do not exist", |schedule| {
        schedule.ranges[1] = Range { first: 3, count: 2 }
    });
}
