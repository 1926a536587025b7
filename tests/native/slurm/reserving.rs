//! Advance reservations: recorded reasons, and small cases worked out by hand.

use super::super::support::run;
use super::driver::{self, Mode};
use super::golden;
use schedscope::experiment::{Outage, Scenario, WhatIf};
use schedscope::import::{BadLines, read};
use schedscope::slurm::{
    AskedJob, Controller, JobState, NodeReservation, NodeSet, NodesAsked, SlurmConf, WaitReason,
};
use std::sync::Arc;

/// Returns the plain word of a reason that squeue prints in more words.
fn plain(reason: &str) -> &str {
    if reason.starts_with("Nodes required for job are") {
        "Resources"
    } else if reason.starts_with("ReqNodeNotAvail, UnavailableNodes") {
        "ReqNodeNotAvail"
    } else {
        reason
    }
}

#[test]
fn reasons_beside_reservations_are_as_recorded() {
    let all = golden();
    let all = all
        .iter()
        .filter(|(_, recording)| !recording.reservations.is_empty());
    let mut recordings = 0;
    for (name, recording) in all {
        let reasons = driver::run(recording, Mode::Driven, 26_000).reasons;
        let is_same = |(at, job, word): &&(i64, u64, String)| {
            reasons.get(&(*at, *job)).copied() == Some(plain(word))
        };
        let same = recording.reasons.iter().filter(is_same).count();
        let share = same as f64 / recording.reasons.len() as f64 * 100.0;
        println!(
            "{name:24} {share:.1} % of {} reasons",
            recording.reasons.len()
        );
        assert!(share >= 99.0, "{name}: {share}");
        recordings += 1;
    }
    assert!(recordings >= 6);
}

fn controller(lines: &str) -> Controller {
    let text = format!(
        "NodeName=n[1-4] CPUs=1\nPartitionName=all Nodes=ALL Default=YES\n\
            SelectType=select/linear\n{lines}\n"
    );
    Controller::new(SlurmConf::read(&text).unwrap_or_else(|problem| panic!("{problem}")))
}

fn reservation(name: &str, (start, end): (i64, i64), nodes: &[usize]) -> NodeReservation {
    let mut set = NodeSet::none(4);
    nodes.iter().for_each(|node| set.insert(*node));
    NodeReservation {
        name: name.to_owned(),
        start,
        end,
        periods: 1,
        nodes: set,
        ..NodeReservation::default()
    }
}

fn job(number: u64, nodes: u32, minutes: i64) -> AskedJob {
    AskedJob {
        number,
        nodes: Some(NodesAsked {
            least: nodes,
            most: nodes,
        }),
        minutes: Some(minutes),
        user: "ann".to_owned(),
        ..AskedJob::default()
    }
}

/// Returns the numbers of the jobs that have started.
fn started(controller: &mut Controller) -> Vec<u64> {
    let started = controller.take_started();
    started.iter().map(|one| one.number).collect()
}

#[test]
fn a_reservation_is_for_those_that_it_names() {
    let mut slurm = controller("");
    let lab = NodeReservation {
        users: vec!["ann".to_owned()],
        accounts: vec!["physics".to_owned()],
        ..reservation("lab", (2000, 3000), &[0, 1])
    };
    slurm.reserve_nodes(lab, 1000).unwrap();
    let ask = |name: &str, user: &str, account: &str| AskedJob {
        reservation: name.to_owned(),
        user: user.to_owned(),
        account: account.to_owned(),
        ..job(1, 1, 10)
    };
    for bad in [
        ask("labs", "ann", "physics"),
        ask("lab", "bob", "physics"),
        ask("lab", "ann", "chemistry"),
    ] {
        assert!(slurm.submit(&bad, 1000).is_err());
    }
    let record = slurm.submit(&ask("lab", "Ann", "physics"), 1000).unwrap();
    slurm.main_pass(1999, true);
    assert_eq!(slurm.record(record).reason, WaitReason::Reservation);
    slurm.main_pass(2000, true);
    assert_eq!(started(&mut slurm), [1]);
}

#[test]
fn a_job_ends_with_its_reservation_and_others_are_held() {
    let mut slurm = controller("ResvOverRun=1");
    let lab = reservation("lab", (1000, 1100), &[0, 1]);
    slurm.reserve_nodes(lab, 1000).unwrap();
    let in_lab = |number: u64, nodes: u32| AskedJob {
        reservation: "lab".to_owned(),
        ..job(number, nodes, 100)
    };
    let first = slurm.submit(&in_lab(1, 2), 1000).unwrap();
    let second = slurm.submit(&in_lab(2, 1), 1001).unwrap();
    slurm.main_pass(1002, true);
    assert_eq!(started(&mut slurm), [1]);
    // A minute after the end of the reservation.
    assert!(slurm.end_overdue(1160).is_empty());
    assert_eq!(slurm.record(second).reason, WaitReason::Resources);
    assert_eq!(slurm.end_overdue(1161), [first]);
    assert_eq!(slurm.record(first).state, JobState::Timeout);
    assert_eq!(slurm.record(second).reason, WaitReason::ReservationDeleted);
    assert_eq!(slurm.record(second).priority, 0);
    slurm.clean(first, 1162);
    slurm.main_pass(1163, true);
    slurm.backfill_pass(1163);
    assert!(started(&mut slurm).is_empty());
}

#[test]
fn maintenance_takes_nodes_of_a_reservation_and_holds_no_job() {
    let mut slurm = controller("");
    slurm
        .reserve_nodes(reservation("lab", (1000, 9000), &[0, 1, 2]), 1000)
        .unwrap();
    let maintenance = NodeReservation {
        is_maintenance: true,
        ..reservation("m", (1500, 2000), &[2])
    };
    slurm.reserve_nodes(maintenance, 1000).unwrap();
    let in_lab = |number: u64, nodes: u32| AskedJob {
        reservation: "lab".to_owned(),
        ..job(number, nodes, 10)
    };
    // Three nodes are never left before the maintenance is over.
    let wide = slurm.submit(&in_lab(1, 3), 1000).unwrap();
    slurm.submit(&in_lab(2, 1), 1001).unwrap();
    // A job without the reservation does not compare itself with those in it.
    let plain = slurm.submit(&job(3, 1, 10), 1002).unwrap();
    assert_eq!(slurm.record(plain).reason, WaitReason::None);
    slurm.main_pass(1003, true);
    assert_eq!(slurm.record(wide).reason, WaitReason::Reservation);
    // The nodes of the reservation are closed for the rest of the pass.
    assert_eq!(started(&mut slurm), [3]);
    slurm.backfill_pass(1004);
    assert_eq!(started(&mut slurm), [2]);
    slurm.finish(1, 1900, JobState::Completed);
    slurm.clean(1, 1901);
    slurm.main_pass(2000, true);
    assert_eq!(started(&mut slurm), [1]);
}

#[test]
fn a_magnetic_entry_does_not_count_and_reserves_nothing() {
    let mut slurm = controller("SchedulerParameters=bf_resolution=1,bf_max_job_test=1");
    let magnet = NodeReservation {
        is_magnetic: true,
        ..reservation("magnet", (1000, 9000), &[0])
    };
    slurm.reserve_nodes(magnet, 1000).unwrap();
    slurm.submit(&job(1, 1, 10), 1000).unwrap();
    slurm.main_pass(1001, true);
    assert_eq!(slurm.record(0).nodes.iter().collect::<Vec<_>>(), [0]);
    // The entry with the reservation waits for node n1, and the other one starts.
    slurm.submit(&job(2, 1, 10), 1002).unwrap();
    slurm.backfill_pass(1003);
    assert_eq!(started(&mut slurm), [1, 2]);
}

#[test]
fn licences_in_use_and_any_reservation_leave_a_job_without_a_plan() {
    for has_reservation in [false, true] {
        let mut slurm = controller("Licenses=l:1\nSchedulerParameters=bf_licenses,bf_resolution=1");
        if has_reservation {
            let far = reservation("far", (900_000, 900_100), &[3]);
            slurm.reserve_nodes(far, 1000).unwrap();
        }
        let with_licence = |number: u64| AskedJob {
            licences: vec![("l".to_owned(), 1)],
            ..job(number, 1, 10)
        };
        slurm.submit(&with_licence(1), 1000).unwrap();
        let second = slurm.submit(&with_licence(2), 1001).unwrap();
        slurm.main_pass(1002, true);
        assert_eq!(started(&mut slurm), [1]);
        slurm.backfill_pass(1003);
        assert_eq!(slurm.record(second).start == 0, has_reservation);
    }
}

#[test]
fn only_the_current_period_counts() {
    let mut slurm = controller("SchedulerParameters=bf_resolution=1,bf_window=5760");
    let daily = NodeReservation {
        every: 86_400,
        periods: 3,
        ..reservation("daily", (1000, 1100), &[0, 1, 2, 3])
    };
    slurm.reserve_nodes(daily, 900).unwrap();
    // Two days: the job would meet the second period, too.
    let long = slurm.submit(&job(1, 1, 2880), 950).unwrap();
    slurm.backfill_pass(960);
    // The second after the end.
    assert_eq!(slurm.record(long).start, 1101);
    slurm.backfill_pass(1101);
    assert!(started(&mut slurm).is_empty());
    // The second period counts from its end on, and then the third one, the last.
    assert_eq!(slurm.record(long).start, 87_501);
    slurm.backfill_pass(87_500);
    assert_eq!(slurm.record(long).start, 173_901);
    slurm.backfill_pass(173_900);
    assert_eq!(started(&mut slurm), [1]);
}

/// Two nodes, one of which is in maintenance from 200 s to 300 s. Jobs of one core: number, submission,
/// run time and estimate.
const WINDOW: &str = "; MaxProcs: 2\n\
    1 0 -1 100 1 -1 -1 1 150 -1 1 1 1 1 1 1 -1 -1\n\
    2 5 -1 50 1 -1 -1 1 240 -1 1 1 1 1 1 1 -1 -1\n\
    3 80 -1 60 2 -1 -1 2 60 -1 1 1 1 1 1 1 -1 -1\n\
    4 90 -1 70 2 -1 -1 2 90 -1 1 2 1 1 1 1 -1 -1\n";

#[test]
fn jobs_keep_out_of_a_window_and_those_admitted_do_not() {
    let trace = Arc::new(read("log", WINDOW.as_bytes(), BadLines::Stop).unwrap());
    let starts = |who: &str| -> Vec<i64> {
        let cluster = format!(
            "NodeName=n1 CPUs=1\nNodeName=n2 CPUs=1\n\
                ReservationName=m Nodes=n1 StartTime=200 EndTime=300 Flags=MAINT {who}"
        );
        let scenario = Scenario {
            machine: "nodes".into(),
            ..Scenario::new("slurm").with("cluster", cluster.as_str())
        };
        let run = run(&scenario, &trace);
        let starts = run.schedule().starts.iter();
        starts.map(|start| start.whole_seconds()).collect()
    };
    // Job 2 has a limit of 4 minutes: it gets n2. Job 3 needs both nodes from 100 s on, and ends before
    // 200 s. Job 4 would not.
    let outside = starts("");
    assert!(
        outside[0] < 5 && (5..10).contains(&outside[1]),
        "{outside:?}"
    );
    assert!((100..110).contains(&outside[2]), "{outside:?}");
    assert!((300..340).contains(&outside[3]), "{outside:?}");
    let inside = starts("Users=2");
    assert_eq!(inside[..3], outside[..3]);
    assert!((160..180).contains(&inside[3]), "{inside:?}");
}

#[test]
fn an_outage_and_a_window_both_keep_jobs_off() {
    let trace = Arc::new(read("log", WINDOW.as_bytes(), BadLines::Stop).unwrap());
    // n2 is out of service from 75 s to 350 s.
    let outage = WhatIf {
        at: 75.0,
        closed: Some(Outage {
            first: 1.0,
            count: 1.0,
            seconds: 275.0,
        }),
        ..WhatIf::default()
    };
    for before in ["slurm", "easy"] {
        let what_if = WhatIf {
            policy: (before != "slurm").then(|| "slurm".to_owned()),
            ..outage.clone()
        };
        let scenario = Scenario {
            machine: "nodes".into(),
            what_if: Some(Box::new(what_if)),
            ..Scenario::new(before).with(
                "cluster",
                "NodeName=n1 CPUs=1\nNodeName=n2 CPUs=1\n\
                    ReservationName=m Nodes=n1 StartTime=200 EndTime=300 Flags=MAINT",
            )
        };
        let run = run(&scenario, &trace);
        let starts = run.schedule().starts.iter();
        let starts: Vec<i64> = starts.map(|start| start.whole_seconds()).collect();
        // Jobs 3 and 4 need both nodes.
        assert!((350..360).contains(&starts[2]), "{before}: {starts:?}");
        assert!((410..425).contains(&starts[3]), "{before}: {starts:?}");
    }
}
