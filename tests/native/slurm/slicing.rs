//! Jobs that take turns on the same cores: cases worked out by hand.

use super::preempting::{log, run};
use schedscope::job::JobId;
use schedscope::schedule::Schedule;
use schedscope::schedule::audit::audit;
use schedscope::slurm::{KeywordEffect, SlurmConf};
use schedscope::time::{Span, Time};
use schedscope::trace::Trace;
use std::sync::Arc;

const SLICES: &str = "PreemptMode=GANG;SchedulerTimeSlice=10;SelectType=select/cons_tres;\
    SelectTypeParameters=CR_Core";

/// The time from the end of a slice to the next: ten seconds and what Slurm needs itself.
const SLICE: Span = Span::from_microseconds(10_001_000);

/// A node of four cores, on each of which two jobs can be.
const CLUSTER: &str = "NodeName=n1 CPUs=4\n\
    PartitionName=low Nodes=ALL Default=YES OverSubscribe=FORCE:2\n";

fn finished(trace: &Arc<Trace>, cluster: &str, conf: &str, accounts: &str) -> Schedule {
    let run_ = run(trace, cluster, conf, accounts);
    run_.check_complete().unwrap();
    assert_eq!(audit(run_.schedule(), 3), Vec::<String>::new());
    run_.schedule().clone()
}

/// Returns the times in which a job runs.
fn spells(schedule: &Schedule, job: u32) -> Vec<(Time, Time)> {
    let place = schedule.place_of(JobId(job)).unwrap();
    let attempt = schedule.attempt(place);
    let spells = schedule.spells(attempt);
    spells.filter(|(from, to)| from < to).collect()
}

fn suspensions(schedule: &Schedule, job: u32) -> Vec<(Time, Time)> {
    let place = schedule.place_of(JobId(job)).unwrap();
    let known = schedule.suspensions_of(schedule.attempt(place)).iter();
    known.map(|one| (one.from, one.to)).collect()
}

fn length(spells: &[(Time, Time)]) -> Span {
    spells
        .iter()
        .fold(Span::ZERO, |sum, (from, to)| sum + (*to - *from))
}

/// Job 1 has all cores. Job 2 starts on the same ones, and is suspended at once. From the next end of a slice on
/// they take turns, and each runs for 40 s in all. Job 3 waits for a row.
#[test]
fn two_jobs_take_turns() {
    let trace = log(&[
        (0, 40, 4, 1, "x", 0),
        (5, 40, 4, 1, "x", 0),
        (6, 40, 1, 1, "x", 0),
    ]);
    let schedule = finished(&trace, CLUSTER, SLICES, "");
    let (first, second) = (spells(&schedule, 0), spells(&schedule, 1));
    assert_eq!(length(&first), Span::from_seconds(40));
    assert_eq!(length(&second), Span::from_seconds(40));
    let started = schedule.starts[1];
    assert!(started < Time::from_seconds(12), "{started:?}");
    assert_eq!(suspensions(&schedule, 1)[0].0, started);
    // The spells alternate without a gap, and the inner ones are whole slices.
    let mut all = [first.clone(), second].concat();
    all.sort_unstable();
    for pair in all.windows(2) {
        let gap = pair[1].0 - pair[0].1;
        assert!(
            gap == Span::ZERO || gap == Span::from_microseconds(2_000),
            "{all:?}"
        );
    }
    for (from, to) in &all[1..all.len() - 2] {
        assert_eq!(*to - *from, SLICE, "{all:?}");
    }
    assert_eq!(
        all.iter().filter(|spell| first.contains(spell)).count(),
        first.len()
    );
    // A row has room again once the nodes of job 1 are clean.
    assert!(schedule.starts[2] > schedule.ends[0]);
    assert!(schedule.starts[2] < schedule.ends[1]);
}

/// Without gang scheduling, and with `OverSubscribe=NO`, job 2 waits.
#[test]
fn without_rows_or_slices_a_job_waits() {
    let trace = log(&[(0, 40, 4, 1, "x", 0), (5, 40, 4, 1, "x", 0)]);
    let one_row = CLUSTER.replace("FORCE:2", "NO");
    for (cluster, conf) in [
        (CLUSTER, &*SLICES.replace("PreemptMode=GANG;", "")),
        (&*one_row, SLICES),
    ] {
        let schedule = finished(&trace, cluster, conf, "");
        assert!(schedule.suspensions.is_empty());
        assert!(schedule.starts[1] > schedule.ends[0]);
    }
}

/// With three rows, each of three jobs runs for one slice of three.
#[test]
fn three_jobs_go_round() {
    let trace = log(&[
        (0, 100, 4, 1, "x", 0),
        (1, 100, 4, 1, "x", 0),
        (2, 100, 4, 1, "x", 0),
    ]);
    let cluster = CLUSTER.replace("FORCE:2", "YES:3");
    let schedule = finished(&trace, &cluster, SLICES, "");
    let mut all: Vec<(Time, Time, u32)> = Vec::new();
    for job in 0..3 {
        let spells = spells(&schedule, job);
        assert_eq!(length(&spells), Span::from_seconds(100));
        all.extend(spells.into_iter().map(|(from, to)| (from, to, job)));
    }
    all.sort_unstable();
    let order: Vec<u32> = all.iter().map(|(.., job)| *job).collect();
    assert_eq!(order[..9], [0, 1, 2, 0, 1, 2, 0, 1, 2], "{all:?}");
}

/// Two small jobs share a turn, and a job that fits beside the ones that run fills the row.
#[test]
fn jobs_that_fit_share_a_turn() {
    let trace = log(&[
        (0, 60, 2, 1, "x", 0),
        (0, 60, 2, 1, "x", 0),
        (5, 60, 4, 1, "x", 0),
    ]);
    let schedule = finished(&trace, CLUSTER, SLICES, "");
    assert_eq!(suspensions(&schedule, 0), suspensions(&schedule, 1));
    let (small, large) = (spells(&schedule, 0), spells(&schedule, 2));
    for (from, to) in &small {
        let meets = |other: &&(Time, Time)| other.0 < *to && *from < other.1;
        assert_eq!(large.iter().find(meets), None);
    }
}

/// A job of a higher tier keeps its cores through the slices of the lower one.
#[test]
fn a_higher_tier_takes_no_turns() {
    let cluster = "NodeName=n1 CPUs=4\n\
        PartitionName=low Nodes=ALL Default=YES OverSubscribe=FORCE:2 PriorityTier=1\n\
        PartitionName=mid Nodes=ALL OverSubscribe=FORCE:1 PriorityTier=2\n";
    let conf = SLICES.replace(
        "PreemptMode=GANG",
        "PreemptType=preempt/partition_prio;PreemptMode=SUSPEND,GANG",
    );
    let trace = log(&[
        (0, 40, 2, 1, "x", 0),
        (0, 40, 2, 1, "x", 0),
        (5, 40, 4, 1, "x", 0),
        (8, 50, 2, 2, "x", 0),
    ]);
    let schedule = finished(&trace, cluster, &conf, "");
    assert_eq!(suspensions(&schedule, 3), []);
    // Job 3 needs all cores, and runs neither while job 4 does nor beside another.
    let (high, large) = (spells(&schedule, 3), spells(&schedule, 2));
    let meets = |one: &(Time, Time)| one.0 < high[0].1 && high[0].0 < one.1;
    assert!(!large.iter().any(meets), "{large:?} {high:?}");
    assert_eq!(length(&large), Span::from_seconds(40));
}

/// A job whose QOS suspends another takes turns with it; one whose QOS does not waits.
#[test]
fn by_qos_a_job_takes_turns_with_its_victim() {
    let accounts = "add qos low\nadd qos high preempt=low\nadd account one\n\
        add user 1,2,3 account=one qos=low,high defaultqos=low\n";
    let cluster = CLUSTER.replace("FORCE:2", "FORCE:1");
    let conf = SLICES.replace(
        "PreemptMode=GANG",
        "PreemptType=preempt/qos;PreemptMode=SUSPEND,GANG",
    );
    let trace = log(&[
        (0, 60, 4, 1, "low", 0),
        (5, 30, 4, 1, "low", 0),
        (6, 30, 4, 1, "high", 0),
    ]);
    let schedule = finished(&trace, &cluster, &conf, accounts);
    let started = schedule.starts[2];
    assert!(started < Time::from_seconds(40), "{started:?}");
    assert_eq!(suspensions(&schedule, 2)[0].0, started);
    assert!(!suspensions(&schedule, 0).is_empty());
    assert!(
        schedule.starts[1] > schedule.ends[2],
        "the row of a QOS is not for job 2"
    );
    // With `OverSubscribe=NO`, there is no row for job 3 either.
    let cluster = CLUSTER.replace("FORCE:2", "NO");
    let schedule = finished(&trace, &cluster, &conf, accounts);
    assert!(schedule.suspensions.is_empty());
    assert!(schedule.starts[2] > schedule.ends[0]);
}

/// Jobs of partitions that share cores get no nodes with jobs of partitions that do not, and the other way round.
#[test]
fn sharing_and_other_jobs_are_on_different_nodes() {
    let cluster = "NodeName=n[1-2] CPUs=4\n\
        PartitionName=low Nodes=ALL Default=YES\n\
        PartitionName=mid Nodes=ALL OverSubscribe=FORCE:2\n";
    let lines = [
        (0, 100, 1, 1, "x", 0),
        (5, 100, 1, 2, "x", 0),
        (6, 50, 4, 1, "x", 0),
    ];
    let schedule = finished(&log(&lines), cluster, SLICES, "");
    let node = |job: u32| {
        let place = schedule.place_of(JobId(job)).unwrap();
        let placed = schedule.attempt(place).placed;
        schedule.at(placed).columns().next().unwrap() / 4
    };
    assert_ne!(node(0), node(1));
    assert!(
        schedule.starts[2] > schedule.ends[0],
        "three cores are free beside job 2"
    );
    // Without gang scheduling, job 2 gets no node of job 1, but job 3 gets one of job 2.
    let cluster = cluster.replace("FORCE:2", "FORCE:1");
    let conf = SLICES.replace("PreemptMode=GANG;", "");
    let lines = [
        (0, 100, 5, 1, "x", 0),
        (5, 100, 1, 2, "x", 0),
        (6, 50, 1, 1, "x", 0),
    ];
    let schedule = finished(&log(&lines), &cluster, &conf, "");
    assert!(schedule.starts[1] > schedule.ends[0]);
    assert!(schedule.starts[2] < schedule.ends[0]);
}

/// Below a shadow, a job that has to stop ends in the way of its partition: here at its own start, again and again,
/// until the cores are free. The shadow is on the other node.
#[test]
fn a_job_can_be_requeued_at_its_own_start() {
    let cluster = "NodeName=n[1-2] CPUs=2\n\
        PartitionName=low Nodes=n2 Default=YES OverSubscribe=FORCE:2 PreemptMode=REQUEUE PriorityTier=1\n\
        PartitionName=mid Nodes=n1 OverSubscribe=FORCE:1 PriorityTier=2\n";
    let conf = SLICES.replace(
        "PreemptMode=GANG",
        "PreemptType=preempt/partition_prio;PreemptMode=SUSPEND,GANG;AuthInfo=cred_expire=5",
    );
    let trace = log(&[
        (0, 200, 1, 2, "x", 0),
        (0, 60, 2, 1, "x", 0),
        (5, 20, 2, 1, "x", 0),
    ]);
    let schedule = finished(&trace, cluster, &conf, "");
    assert!(schedule.requeues(JobId(2)) > 1);
    for (_, lost) in schedule.lost_of(JobId(2)) {
        assert_eq!(lost.from, lost.end);
    }
    assert!(schedule.starts[2] > schedule.ends[1]);
    assert!(suspensions(&schedule, 1).is_empty());
}

/// The words that count are listed as used only where they do.
#[test]
fn keywords_of_slices_are_used_where_they_count() {
    let effects = |general: &str| {
        let text = format!("{general}\n{CLUSTER}");
        let facts = SlurmConf::read(&text).unwrap().facts;
        ["SchedulerTimeSlice", "OverSubscribe", "PreemptMode"].map(|name| {
            let fact = facts.iter().find(|fact| fact.keyword == name);
            fact.unwrap().effect
        })
    };
    let used = effects(&SLICES.replace(';', "\n"));
    assert_eq!(used, [KeywordEffect::Used; 3]);
    let linear = SLICES.replace("cons_tres", "linear").replace(';', "\n");
    assert_eq!(effects(&linear), [KeywordEffect::NotModelled; 3]);
}
