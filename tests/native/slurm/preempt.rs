//! Preemption: small cases worked out by hand, and random workloads under the clock.

use schedscope::slurm::{
    ArrayAsked, AskedJob, ClockFigures, Controller, JobFound, JobState, NodesAsked, SlurmAccounts,
    SlurmClock, SlurmConf, WaitReason,
};
use schedscope::time::Time;
use std::collections::BTreeSet;

const PARTITIONS: &str = "NodeName=n[1-4] CPUs=1\n\
                          PartitionName=low Nodes=ALL Default=YES PriorityTier=1\n\
                          PartitionName=high Nodes=n[1-3] PriorityTier=2\n";

fn controller(conf: &str, accounts: &str) -> Controller {
    let conf = SlurmConf::read(conf).unwrap_or_else(|problem| panic!("{problem}"));
    let accounts = SlurmAccounts::read(accounts).unwrap_or_else(|problem| panic!("{problem}"));
    Controller::with_accounts(conf, accounts)
}

fn tiers(mode: &str, options: &str) -> Controller {
    controller(
        &format!(
            "PreemptType=preempt/partition_prio\nPreemptMode={mode}\n{options}\n{PARTITIONS}\
             SelectType=select/linear\n"
        ),
        "",
    )
}

fn job(number: u64, nodes: u32, partition: &str) -> AskedJob {
    AskedJob {
        number,
        nodes: Some(NodesAsked {
            least: nodes,
            most: nodes,
        }),
        minutes: Some(10),
        partitions: vec![partition.to_owned()],
        ..AskedJob::default()
    }
}

/// Submits a job and runs a main pass a second later. Returns the numbers of the jobs that started.
fn pass(controller: &mut Controller, now: i64) -> Vec<u64> {
    controller.main_pass(now, true);
    let started = controller.take_started();
    started.iter().map(|one| one.number).collect()
}

fn preempted(controller: &mut Controller) -> Vec<(u64, bool)> {
    let preempted = controller.take_preempted();
    preempted
        .iter()
        .map(|one| (one.number, one.is_requeued))
        .collect()
}

#[test]
fn a_requeued_job_completes_waits_and_starts_again() {
    let mut slurm = tiers("REQUEUE", "");
    let victim = slurm.submit(&job(1, 3, "low"), 1000).unwrap();
    assert_eq!(pass(&mut slurm, 1001), [1]);
    // Nodes n1 to n3 are in use, and job 2 needs two of them.
    slurm.submit(&job(2, 2, "high"), 1002).unwrap();
    assert!(pass(&mut slurm, 1003).is_empty());
    assert_eq!(preempted(&mut slurm), [(1, true)]);
    let record = slurm.record(victim);
    assert!(record.is_completing && record.state == JobState::Pending);
    assert_eq!(record.restarts, 1);
    // The nodes that answer are free at once.
    slurm.clean_node(victim, 1, 1003);
    slurm.clean_node(victim, 2, 1003);
    assert_eq!(pass(&mut slurm, 1004), [2]);
    assert!(slurm.clean_node(victim, 0, 1006));
    let record = slurm.record(victim);
    assert!(!record.is_completing && record.submitted == 1006);
    // It waits for 121 s from then.
    assert!(pass(&mut slurm, 1126).is_empty());
    assert_eq!(slurm.record(victim).reason, WaitReason::BeginTime);
    slurm.finish(1, 1126, JobState::Completed);
    slurm.clean(1, 1126);
    assert_eq!(pass(&mut slurm, 1127), [1]);
}

#[test]
fn cancelled_jobs_do_not_come_back() {
    for (mode, options) in [("CANCEL", ""), ("REQUEUE", "JobRequeue=0")] {
        let mut slurm = tiers(mode, options);
        slurm.submit(&job(1, 4, "low"), 1000).unwrap();
        pass(&mut slurm, 1001);
        slurm.submit(&job(2, 1, "high"), 1002).unwrap();
        assert!(pass(&mut slurm, 1003).is_empty());
        assert_eq!(preempted(&mut slurm), [(1, false)]);
        assert_eq!(slurm.record(0).state, JobState::Preempted);
        slurm.clean(0, 1004);
        assert_eq!(pass(&mut slurm, 1005), [2]);
        assert_eq!(slurm.record(0).state, JobState::Preempted);
    }
}

#[test]
fn a_grace_time_ends_at_a_test_of_limits() {
    let mut slurm = controller(
        "PreemptType=preempt/partition_prio\nPreemptMode=CANCEL\nNodeName=n[1-2] CPUs=1\n\
         PartitionName=low Nodes=ALL Default=YES GraceTime=20\n\
         PartitionName=high Nodes=ALL PriorityTier=2\nSelectType=select/linear\nKillWait=5\n",
        "",
    );
    slurm.submit(&job(1, 2, "low"), 1000).unwrap();
    pass(&mut slurm, 1001);
    slurm.submit(&job(2, 1, "high"), 1002).unwrap();
    pass(&mut slurm, 1003);
    assert!(preempted(&mut slurm).is_empty());
    assert_eq!(slurm.record(0).end, 1023);
    slurm.end_overdue(1022);
    // Within KillWait + MessageTimeout the job preempts no more; after that it finds the time over.
    pass(&mut slurm, 1017);
    assert!(preempted(&mut slurm).is_empty());
    let mut other = slurm.clone();
    pass(&mut other, 1023);
    assert_eq!(preempted(&mut other), [(1, false)]);
    slurm.end_overdue(1023);
    assert_eq!(preempted(&mut slurm), [(1, false)]);
}

#[test]
fn young_jobs_and_partitions_that_are_off_are_spared() {
    let mut slurm = tiers("CANCEL", "PreemptExemptTime=00:00:30");
    slurm.submit(&job(1, 4, "low"), 1000).unwrap();
    pass(&mut slurm, 1001);
    slurm.submit(&job(2, 1, "high"), 1002).unwrap();
    pass(&mut slurm, 1030);
    assert!(preempted(&mut slurm).is_empty());
    pass(&mut slurm, 1031);
    assert_eq!(preempted(&mut slurm), [(1, false)]);
    let conf = "PreemptType=preempt/partition_prio\nPreemptMode=CANCEL\nNodeName=n1\n\
                PartitionName=low Nodes=n1 Default=YES PreemptMode=OFF\n\
                PartitionName=high Nodes=n1 PriorityTier=2\n";
    let mut slurm = controller(conf, "");
    slurm.submit(&job(1, 1, "low"), 1000).unwrap();
    pass(&mut slurm, 1001);
    slurm.submit(&job(2, 1, "high"), 1002).unwrap();
    pass(&mut slurm, 1003);
    assert!(preempted(&mut slurm).is_empty());
}

/// The least number of jobs, the smallest first, unless one alone suffices.
#[test]
fn few_victims_are_taken() {
    let mut slurm = tiers("CANCEL", "");
    for (number, nodes) in [(1, 1), (2, 2)] {
        slurm.submit(&job(number, nodes, "low"), 1000).unwrap();
    }
    pass(&mut slurm, 1001);
    // Job 1 has fewer nodes, so it goes first; then job 2 alone is found to suffice.
    slurm.submit(&job(3, 2, "high"), 1002).unwrap();
    pass(&mut slurm, 1003);
    assert_eq!(preempted(&mut slurm), [(2, false)]);
}

const QOS: &str = "add qos low priority=1\nadd qos mid priority=9 preempt=low\n\
                   add qos high priority=5 preempt=low,mid\n\
                   modify account root set qos=low,mid,high\n\
                   modify user root set qos=low,mid,high defaultqos=low\n";

fn by_qos(accounts: &str) -> Controller {
    controller(
        "PreemptType=preempt/qos\nPreemptMode=REQUEUE\nNodeName=n[1-2]\nSelectType=select/linear\n\
         PartitionName=p Nodes=ALL Default=YES\n",
        accounts,
    )
}

fn of_qos(number: u64, nodes: u32, qos: &str) -> AskedJob {
    AskedJob {
        user: "root".to_owned(),
        qos: qos.to_owned(),
        partitions: Vec::new(),
        ..job(number, nodes, "")
    }
}

#[test]
fn a_qos_goes_before_those_that_it_preempts() {
    let mut slurm = by_qos(QOS);
    for (number, qos) in [(1, "low"), (2, "mid"), (3, "high")] {
        slurm.submit(&of_qos(number, 2, qos), 1000).unwrap();
    }
    // Priorities count down, and yet the last one starts.
    assert_eq!(pass(&mut slurm, 1001), [3]);
    let mut slurm = by_qos(QOS);
    slurm.submit(&of_qos(1, 2, "low"), 1000).unwrap();
    pass(&mut slurm, 1001);
    slurm.submit(&of_qos(2, 1, "low"), 1002).unwrap();
    pass(&mut slurm, 1003);
    assert!(preempted(&mut slurm).is_empty());
    slurm.submit(&of_qos(3, 1, "mid"), 1004).unwrap();
    pass(&mut slurm, 1005);
    assert_eq!(preempted(&mut slurm), [(1, true)]);
}

#[test]
fn a_qos_has_a_mode_a_grace_time_and_an_exemption() {
    let shown = "Name|Priority|GraceTime|Preempt|PreemptExemptTime|PreemptMode\n\
                 normal|0|00:00:00|||cluster\n\
                 low|1|00:00:00||00:00:20|cancel\nhigh|9|00:00:00|low||cluster\n";
    let added = "add qos low preemptmode=cancel preemptexempttime=00:00:20\n\
                 add qos high preempt=low\n";
    let user = "modify account root set qos=low,high\nmodify user root set defaultqos=low\n";
    for accounts in [format!("{shown}{user}"), format!("{added}{user}")] {
        let mut slurm = by_qos(&accounts);
        slurm.submit(&of_qos(1, 2, "low"), 1000).unwrap();
        pass(&mut slurm, 1001);
        slurm.submit(&of_qos(2, 1, "high"), 1002).unwrap();
        pass(&mut slurm, 1020);
        assert!(preempted(&mut slurm).is_empty(), "{accounts}");
        pass(&mut slurm, 1021);
        assert_eq!(preempted(&mut slurm), [(1, false)], "{accounts}");
    }
    let graced = QOS.replace("low priority=1", "low gracetime=7");
    let mut slurm = by_qos(&graced);
    slurm.submit(&of_qos(1, 2, "low"), 1000).unwrap();
    pass(&mut slurm, 1001);
    slurm.submit(&of_qos(2, 1, "high"), 1002).unwrap();
    pass(&mut slurm, 1003);
    assert_eq!(slurm.record(0).end, 1010);
}

#[test]
fn a_watched_job_tells_that_it_waits_for_the_nodes_of_others() {
    let main = |slurm: &Controller| {
        let look = slurm.watched().main.unwrap();
        (look.second, look.found)
    };
    for partitions in [&["high"][..], &["high", "low"]] {
        let mut slurm = tiers("CANCEL", "");
        slurm.submit(&job(1, 3, "low"), 1000).unwrap();
        pass(&mut slurm, 1001);
        let mut preemptor = job(2, 3, "");
        preemptor.partitions = partitions.iter().map(|name| (*name).to_owned()).collect();
        let record = slurm.submit(&preemptor, 1002).unwrap();
        slurm.watch(Some(record));
        pass(&mut slurm, 1003);
        assert_eq!(preempted(&mut slurm), [(1, false)]);
        assert_eq!(main(&slurm), (1003, JobFound::Preempting));
        if partitions.len() > 1 {
            continue;
        }
        // A pass later it ends nobody, and still waits: its nodes are not clean.
        let other = slurm.submit(&job(3, 3, "high"), 1003).unwrap();
        assert!(pass(&mut slurm, 1004).is_empty());
        assert_eq!(main(&slurm), (1004, JobFound::Preempting));
        // Another job that waits for the same nodes has ended nobody.
        slurm.watch(Some(other));
        assert!(pass(&mut slurm, 1005).is_empty());
        assert_eq!(main(&slurm), (1005, JobFound::Closed { by: 1 }));
        slurm.clean(0, 1006);
        slurm.watch(Some(record));
        assert_eq!(pass(&mut slurm, 1007), [2]);
        assert_eq!(main(&slurm), (1007, JobFound::Started));
    }
}

#[test]
fn a_watched_array_without_reservations_is_no_job_that_was_not_reached() {
    for (reservations, found) in [(0, JobFound::Array), (1, JobFound::Planned { start: 1601 })] {
        let mut slurm = controller(
            &format!(
                "NodeName=n[1-2]\nSelectType=select/linear\nPartitionName=p Nodes=ALL Default=YES\n\
                 SchedulerParameters=bf_max_job_array_resv={reservations}\n"
            ),
            "",
        );
        slurm.submit(&job(1, 2, "p"), 1000).unwrap();
        pass(&mut slurm, 1001);
        let mut array = job(2, 1, "p");
        array.array = Some(ArrayAsked {
            tasks: (0..3).collect(),
            most_running: 0,
        });
        let record = slurm.submit(&array, 1002).unwrap();
        slurm.watch(Some(record));
        slurm.backfill_pass(1003);
        let look = slurm.watched().backfill.unwrap();
        assert_eq!((look.second, look.found), (1003, found), "{reservations}");
    }
}

#[test]
fn qos_that_preempt_each_other_in_a_loop_are_refused() {
    let shown = |lists: &[(&str, &str)]| {
        let rows = lists.iter().map(|(name, list)| format!("{name}|{list}\n"));
        format!("Name|Preempt\nnormal|\n{}", rows.collect::<String>())
    };
    for (lists, names) in [
        (&[("a", "a")][..], "`a`"),
        (&[("a", "b"), ("b", "a")], "`a`, `b`"),
        (
            &[
                ("x", "a,c"),
                ("a", "b,c"),
                ("b", "c,d"),
                ("c", ""),
                ("d", "a"),
            ],
            "`a`, `b`, `d`",
        ),
    ] {
        let problem = SlurmAccounts::read(&shown(lists)).unwrap_err();
        let told = format!("in a loop: {names}.");
        assert!(problem.what.ends_with(&told), "{problem}");
    }
    for lists in [
        &[("a", "b,c"), ("b", "c"), ("c", "")][..],
        &[("a", "b,c"), ("b", "d"), ("c", "d"), ("d", "undefined")],
    ] {
        assert!(SlurmAccounts::read(&shown(lists)).is_ok(), "{lists:?}");
    }
    let changed = "add qos a\nadd qos b preempt=a\nmodify qos a set preempt=b\n";
    assert!(SlurmAccounts::read(changed).is_err());
    let ring = |last: &str| {
        let list = (0..900).map(|at| format!("q{at}|q{}\n", at + 1));
        format!("Name|Preempt\n{}q900|{last}\n", list.collect::<String>())
    };
    assert!(SlurmAccounts::read(&ring("")).is_ok());
    let problem = SlurmAccounts::read(&ring("q0")).unwrap_err();
    assert!(
        problem.what.ends_with("`q6`, `q7` and 893 more."),
        "{problem}"
    );
}

#[test]
fn wrong_values_are_told_and_others_turn_preemption_off() {
    for bad in [
        "PreemptExemptTime=soon",
        "MessageTimeout=x",
        "SchedulerParameters=preempt_reorder_count=x",
    ] {
        let text = format!("{bad}\n{PARTITIONS}");
        assert!(SlurmConf::read(&text).is_err(), "{bad}");
    }
    for bad in ["gracetime=x", "preemptexempttime=x"] {
        let text = format!("add qos q {bad}\n");
        assert!(SlurmAccounts::read(&text).is_err(), "{bad}");
    }
    for (kind, mode, is_on) in [
        ("partition_prio", "CANCEL", true),
        ("qos", "requeue", true),
        ("none", "OFF", false),
        ("none", "gang", false),
        ("qos", "SUSPEND,GANG", false),
        (
            "partition_prio",
            "gang,suspend\nSelectType=select/cons_tres",
            true,
        ),
        (
            "partition_prio",
            "gang,suspend\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU",
            false,
        ),
        ("partition_prio", "GANG,SUSPEND,CANCEL", false),
    ] {
        let text = format!("PreemptType=preempt/{kind}\nPreemptMode={mode}\n{PARTITIONS}");
        let conf = SlurmConf::read(&text).unwrap();
        let controller = Controller::new(conf);
        assert_eq!(controller.conf().preempts(), is_on, "{kind} {mode}");
    }
    // slurmctld does not start with one of the two alone.
    for alone in [
        "PreemptType=preempt/partition_prio\nPreemptMode=OFF",
        "PreemptType=preempt/qos\nPreemptMode=within,gang",
        "PreemptType=preempt/qos",
        "PreemptType=preempt/none\nPreemptMode=CANCEL",
        "PreemptMode=WITHIN",
        "PreemptMode=REQUEUE",
    ] {
        let problem = SlurmConf::read(&format!("{alone}\n{PARTITIONS}")).unwrap_err();
        assert!(problem.why.starts_with("It needs `Preempt"), "{problem}");
    }
}

/// Runs a random workload under the clock, with every node held by one job at most.
fn run(conf: &str, seed: u64) -> (usize, usize) {
    let mut state = seed * 2_654_435_761 + 12_345;
    let mut random = |most: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % most
    };
    let mut slurm = controller(conf, "");
    let start = Time::from_seconds(86_400);
    let mut clock = SlurmClock::new(&slurm, start, ClockFigures::default());
    let mut events: BTreeSet<(i64, u8, usize, u32)> = BTreeSet::new();
    let (jobs, mut ends) = (60, 0);
    let mut asked = Vec::new();
    for number in 0..jobs {
        let at = 86_460_000_000 + random(200_000_000) as i64;
        let partition = ["low", "low", "mid", "high"][random(4) as usize];
        let mut one = job(number as u64, 1 + random(3) as u32, partition);
        one.ntasks = Some(1 + random(6) as u32).filter(|_| random(2) > 0);
        one.minutes = Some(1 + random(3) as i64);
        if random(6) == 0 {
            one.array = Some(ArrayAsked {
                tasks: (0..4).collect(),
                most_running: random(3) as u32,
            });
        }
        asked.push(one);
        events.insert((at, 1, number, 0));
    }
    let mut preemptions = 0;
    loop {
        let outside = events.first().copied();
        let next = clock.next(&slurm, outside.is_some());
        let next = next.filter(|next| outside.is_none_or(|(at, ..)| next.microseconds() < at));
        let now = match (next, outside) {
            (Some(next), _) => {
                clock.work(&mut slurm, next);
                next
            }
            (None, Some(event)) => {
                events.remove(&event);
                let (at, kind, index, restarts) = event;
                let at = Time::from_microseconds(at);
                clock.skip_to(&mut slurm, at);
                let second = clock.second(at);
                if kind == 1 {
                    // A job may ask for more than its partition has.
                    let _ = slurm.submit(&asked[index], second);
                } else if slurm.record(index).state == JobState::Running
                    && slurm.record(index).restarts == restarts
                {
                    slurm.finish(index, second, JobState::Completed);
                    clock.ended(index, at);
                    ends += 1;
                }
                at
            }
            (None, None) => break,
        };
        for started in slurm.take_started() {
            let restarts = slurm.record(started.record).restarts;
            let run = 3_000_000 + random(50_000_000) as i64;
            events.insert((now.microseconds() + run, 0, started.record, restarts));
        }
        preemptions += slurm.take_preempted().len();
        let running = slurm.records();
        let running = running.filter(|one| one.state == JobState::Running);
        let mut cpus = [0; 8];
        for share in running.flat_map(|one| &one.shares) {
            cpus[share.node as usize] += share.cpus;
        }
        assert!(cpus.iter().all(|used| *used <= 4), "{cpus:?}");
    }
    let mut left = slurm.records();
    assert!(left.all(|one| !one.is_completing && one.state != JobState::Running));
    (preemptions, ends)
}

#[test]
fn random_workloads_end_and_never_share_what_is_taken() {
    let mut all = 0;
    for (at, mode) in ["CANCEL", "REQUEUE"].into_iter().enumerate() {
        for select in ["linear", "cons_tres\nSelectTypeParameters=CR_Core"] {
            for options in ["", ",preempt_strict_order", ",preempt_youngest_first"] {
                let conf = format!(
                    "SelectType=select/{select}\nPreemptType=preempt/partition_prio\n\
                     PreemptMode={mode}\nSchedulerParameters=bf_interval=5{options}\n\
                     AuthInfo=cred_expire=9\nNodeName=n[1-8] CPUs=4\n\
                     PartitionName=low Nodes=ALL Default=YES GraceTime={}\n\
                     PartitionName=mid Nodes=n[1-6] PriorityTier=2\n\
                     PartitionName=high Nodes=n[3-8] PriorityTier=3\n",
                    at * 4
                );
                for seed in 0..4 {
                    let (preemptions, ends) = run(&conf, seed);
                    assert!(ends > 30, "{conf}");
                    all += preemptions;
                }
            }
        }
    }
    assert!(all > 200, "{all}");
}
