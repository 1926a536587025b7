//! The audit finds every defect of a schedule: each test breaks a good schedule in one way.

use super::support::{Job, schedule, workload};
use schedscope::experiment::Scenario;
use schedscope::job::JobId;
use schedscope::machine::Range;
use schedscope::schedule::{Closure, LostAttempt, Schedule, audit::audit};
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

/// Two jobs of the whole machine: the first one runs from 0 to 3 s, is requeued, and runs again after the
/// second one, from 13 to 23 s.
fn requeued() -> Schedule {
    let job = |submit| Job {
        submit,
        runtime: 10,
        estimate: 10,
        processors: 4,
        user: 1,
    };
    let mut schedule = schedule(&Scenario::new("fcfs"), &workload(4, &[job(0), job(1)]));
    let at = Time::from_seconds;
    schedule.order.push(schedule.order[0]);
    let lost = LostAttempt {
        job: JobId(0),
        from: at(0),
        start: at(0),
        end: at(3),
        moves: Vec::new(),
    };
    schedule.lost.insert(0, lost);
    schedule.lost_places.insert(JobId(0), vec![0]);
    (schedule.starts[0], schedule.ends[0]) = (at(13), at(23));
    (schedule.starts[1], schedule.ends[1]) = (at(3), at(13));
    schedule
}

fn lost(schedule: &mut Schedule) -> &mut LostAttempt {
    schedule.lost.get_mut(&0).unwrap()
}

#[test]
fn attempts_that_cannot_have_been() {
    let at = Time::from_seconds;
    assert_eq!(audit(&requeued(), 10), Vec::<String>::new());
    let finds = |what: &str, damage: &dyn Fn(&mut Schedule)| {
        let mut schedule = requeued();
        damage(&mut schedule);
        let findings = audit(&schedule, 10);
        assert!(
            findings.iter().any(|finding| finding.contains(what)),
            "expected `{what}` among {findings:?}"
        );
    };
    finds("processors of 4 are used", &|schedule| {
        lost(schedule).end = at(4);
    });
    finds("was stopped when it did not run", &|schedule| {
        lost(schedule).end = at(11);
    });
    finds("was stopped when it did not run", &|schedule| {
        lost(schedule).start = at(1);
    });
    finds("before it was submitted", &|schedule| {
        (lost(schedule).from, lost(schedule).start) = (at(-1), at(-1));
    });
    finds("started again before it was stopped", &|schedule| {
        lost(schedule).end = at(14);
    });
    finds("started 0 times", &|schedule| {
        let again = LostAttempt {
            from: at(13),
            start: at(13),
            end: at(14),
            ..lost(schedule).clone()
        };
        schedule.lost.insert(2, again);
    });
    finds("was requeued after its last start", &|schedule| {
        let mut late = schedule.lost.remove(&0).unwrap();
        (late.from, late.start, late.end) = (at(24), at(24), at(25));
        schedule.lost.insert(2, late);
        (schedule.starts[0], schedule.ends[0]) = (at(0), at(10));
    });
    finds("ran for 7 s, not 10 s", &|schedule| {
        schedule.ends[1] = at(10);
    });
    // A job that was cancelled runs for less, and never for more.
    let cancelled = |end| {
        let mut schedule = requeued();
        schedule.cancelled.insert(JobId(1), at(3));
        schedule.ends[1] = at(end);
        audit(&schedule, 10)
    };
    assert_eq!(cancelled(10), Vec::<String>::new());
    assert!(cancelled(14)[0].contains("was stopped when it did not run"));
    // A promise is about the first start.
    let promised = |latest| {
        let mut schedule = requeued();
        schedule.promises.push(schedscope::schedule::Promise {
            job: JobId(0),
            at: at(0),
            latest: at(latest),
            switches: 0,
        });
        audit(&schedule, 10).len()
    };
    assert_eq!((promised(0), promised(-1)), (0, 1));
}

/// An outage closes processors in every row: the second job has the second row.
#[test]
fn starts_in_outages_in_any_row() {
    let job = |submit| Job {
        submit,
        runtime: 10,
        estimate: 10,
        processors: 4,
        user: 1,
    };
    let scenario = Scenario {
        machine: "gang".into(),
        ..Scenario::new("fcfs").with("slots", 2.0)
    };
    let mut schedule = schedule(&scenario, &workload(4, &[job(0), job(1)]));
    assert_eq!(schedule.placement(&schedule.order[1]).row, 1);
    schedule.closed.push(Closure {
        at: Time::ZERO,
        until: Time::from_seconds(5),
        placed: schedule.order[0].placed,
    });
    let finding = "job 1 (number 2) started on a processor that is out of service";
    assert_eq!(audit(&schedule, 10), [finding]);
}
