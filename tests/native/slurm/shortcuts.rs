//! Passes and plans that are left out change nothing.

use super::driver::{Mode, Recording, Row, Start, run};
use super::recorded;
use schedscope::random::Stream;
use schedscope::slurm::{ClockFigures, NodeReservation, NodeSet, SlurmAccounts, SlurmConf};
use schedscope::time::Span;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The parameters of select of a cluster with GPUs.
const GPUS: &str = "CR_Core\nGresTypes=gpu";

/// Plugins, what they count, and options of the scheduler.
const CLUSTERS: [(&str, &str, &str); 7] = [
    ("select/cons_tres", "CR_Core", "bf_interval=5"),
    (
        "select/cons_tres",
        "CR_Core_Memory",
        "bf_interval=5,bf_resolution=1",
    ),
    ("select/cons_tres", "CR_CPU", "bf_interval=9,bf_busy_nodes"),
    (
        "select/cons_tres",
        "CR_Socket_Memory",
        "bf_interval=5,bf_window=10",
    ),
    (
        "select/cons_tres",
        "CR_Core,CR_LLN",
        "bf_interval=5,bf_max_job_test=7",
    ),
    ("select/linear", "", "bf_interval=7"),
    ("select/cons_tres", GPUS, "bf_interval=5"),
];

/// A time to clean nodes that is longer than the time between two passes.
const CLEANUP: Span = Span::from_seconds(11);

fn is_same(one: &Start, other: &Start) -> bool {
    let key = |start: &Start| (start.at.to_bits(), start.is_backfilled);
    key(one) == key(other) && one.nodes == other.nodes
}

/// Compares a run with one that leaves nothing out. Returns the number of starts.
fn compare(name: &str, recording: &Recording) -> usize {
    let (ours, full) = (
        run(recording, Mode::Free, 0),
        run(recording, Mode::Unshortened, 0),
    );
    assert_eq!(ours.starts.len(), full.starts.len(), "{name}");
    for (key, start) in &ours.starts {
        assert!(is_same(start, &full.starts[key]), "{name}: {key:?}");
    }
    let states = ours.states.iter().zip(&full.states);
    for (at, (ours, full)) in states.enumerate() {
        assert_eq!(ours, full, "{name}: work {at}");
    }
    ours.starts.len()
}

#[test]
fn recordings_come_out_the_same_without_shortcuts() {
    let recordings = recorded();
    let starts = recordings.iter().map(|(name, one)| compare(name, one));
    assert!(starts.sum::<usize>() > 3_000);
}

#[test]
fn generated_workloads_come_out_the_same_without_shortcuts() {
    let mut random = Stream::new(11, "shortcuts");
    for round in 0..35 {
        let conf = configuration(round);
        let kinds = ["Memory\n", GPUS].map(|what| conf.contains(what));
        let jobs = jobs(&mut random, kinds);
        let starts = compare(&conf, &recording(&conf, jobs, Vec::new()));
        assert!(starts > 200, "{starts} of {conf}");
    }
}

/// Returns the row of a job that arrives at a second, with its run time in seconds and its limit in minutes.
fn row(at: f64, (seconds, minutes): (u64, u64), asked: String) -> Row {
    let cells = [
        ("submit", at.to_string()),
        ("seconds", seconds.to_string()),
        ("minutes", minutes.to_string()),
        ("extra", asked),
    ];
    cells.map(|(head, cell)| (head.to_owned(), cell)).into()
}

fn recording(conf: &str, jobs: Vec<Row>, reservations: Vec<NodeReservation>) -> Recording {
    Recording {
        conf: SlurmConf::read(conf).unwrap(),
        accounts: SlurmAccounts::default(),
        jobs,
        passes: Vec::new(),
        life: BTreeMap::new(),
        cleanings: BTreeMap::new(),
        suspensions: BTreeMap::new(),
        has_steps: false,
        reasons: Vec::new(),
        phase: BTreeMap::new(),
        figures: ClockFigures::default(),
        reservations,
    }
}

/// Jobs for which the sum of the free cores counts, among others, on more nodes than a word has bits.
#[test]
fn wide_workloads_come_out_the_same_without_shortcuts() {
    const OPTIONS: [&str; 5] = [
        "bf_interval=5",
        "bf_interval=7,bf_window_linear=20",
        "bf_interval=5,bf_resolution=1",
        "bf_interval=9,bf_window=5,bf_max_job_part=30",
        "bf_interval=5,bf_one_resv_per_job",
    ];
    let mut random = Stream::new(13, "wide shortcuts");
    for round in 0..16 {
        let what = ["CR_Core", "CR_Core_Memory", "CR_CPU"][round % 3];
        let (threads, nodes) = (1 + round / 4 % 2, 130);
        let conf = format!(
            "SelectType=select/cons_tres\nSelectTypeParameters={what}\nLicenses=a:4\n\
                OverTimeLimit={}\nSchedulerParameters={}\n\
                NodeName=n[1-90] Sockets=2 CoresPerSocket=4 ThreadsPerCore={threads} RealMemory=8000\n\
                NodeName=n[91-{nodes}] Sockets=1 CoresPerSocket=4 RealMemory=4000 Weight={}\n\
                PartitionName=all Nodes=ALL Default=YES MaxTime=60\n\
                PartitionName=some Nodes=n[50-120] MaxTime=60 PriorityTier={}\n",
            ["UNLIMITED", "0"][round / 5 % 2],
            OPTIONS[round % OPTIONS.len()],
            1 + round % 2,
            1 + round / 2 % 2,
        );
        let jobs = wide_jobs(&mut random, what == "CR_Core_Memory");
        let all: Vec<NodeReservation> = (0..round % 3)
            .map(|number| reservation(&mut random, number, nodes, 60))
            .collect();
        let starts = compare(&conf, &recording(&conf, jobs, all));
        assert!(starts > 200, "{starts} of {conf}");
    }
}

/// Jobs that ask for numbers of nodes, memory and features, and jobs that preempt others.
#[test]
fn mixed_workloads_come_out_the_same_without_shortcuts() {
    const MODES: [&str; 4] = [
        "",
        "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n",
        "PreemptType=preempt/partition_prio\nPreemptMode=CANCEL\nPreemptExemptTime=00:01:00\n",
        "",
    ];
    let mut random = Stream::new(17, "mixed shortcuts");
    for round in 0..24 {
        let what = ["CR_Core_Memory", "CR_Core", "CR_CPU_Memory"][round % 3];
        let option = [
            "bf_interval=5",
            "bf_interval=8,bf_resolution=1,bf_window_linear=15",
            "bf_interval=5,bf_busy_nodes",
            "bf_interval=7,bf_max_job_part=20,bf_window=20",
            "bf_interval=6,pack_serial_at_end",
        ][round % 5];
        let threads = 1 + round / 6 % 2;
        let conf = format!(
            "SelectType=select/cons_tres\nSelectTypeParameters={what}\n{}\
                SchedulerParameters={option}\n\
                NodeName=n[1-30] Sockets=2 CoresPerSocket=4 ThreadsPerCore={threads} RealMemory=8000 Feature=a Weight={}\n\
                NodeName=n[31-60] Sockets=2 CoresPerSocket=5 RealMemory=8000 Feature=b\n\
                NodeName=n[61-70] Sockets=2 CoresPerSocket=5 RealMemory=32000 Feature=b,big Weight=4\n\
                PartitionName=all Nodes=ALL Default=YES MaxTime=60 {}\n\
                PartitionName=some Nodes=n[20-65] MaxTime=60 PriorityTier={}\n",
            MODES[round % MODES.len()],
            1 + round % 2,
            if round % 7 == 6 {
                "MaxCPUsPerNode=6"
            } else {
                ""
            },
            1 + round / 2 % 2,
        );
        let jobs = mixed_jobs(&mut random, what != "CR_Core");
        let mut recording = recording(&conf, jobs, Vec::new());
        if round % 4 == 0 {
            recording.figures.cleanup = CLEANUP;
        }
        let starts = compare(&conf, &recording);
        // Some jobs ask for more than a node may give.
        assert!(starts > 150, "{starts} of {conf}");
    }
}

/// Jobs below switches: one root above all nodes, two roots, nodes that no leaf reaches, and only leaves.
#[test]
fn workloads_below_switches_come_out_the_same_without_shortcuts() {
    const TREES: [&str; 4] = [
        "SwitchName=top Switches=a,b,c\nSwitchName=a Nodes=n[1-25]\nSwitchName=b Nodes=n[26-32]\n\
            SwitchName=c Nodes=n[33-70]\n",
        "SwitchName=a Nodes=n[1-30]\nSwitchName=b Nodes=n[31-50]\nSwitchName=one Switches=a,b\n\
            SwitchName=c Nodes=n[51-70]\nSwitchName=other Switches=c\n",
        "SwitchName=a Nodes=n[1-30]\nSwitchName=b Nodes=n[35-70]\nSwitchName=top Switches=a,b\n",
        "SwitchName=a Nodes=n[1-40]\nSwitchName=b Nodes=n[30-70]\n",
    ];
    let mut random = Stream::new(23, "shortcuts below switches");
    for round in 0..24 {
        let what = ["CR_Core_Memory", "CR_Core", "CR_CPU_Memory"][round % 3];
        let option = ["bf_interval=5", "bf_interval=8,bf_resolution=1"][round / 12];
        let conf = format!(
            "SelectType=select/cons_tres\nSelectTypeParameters={what}\nTopologyPlugin=topology/tree\n\
                SchedulerParameters={option}\n{}\
                NodeName=n[1-30] Sockets=2 CoresPerSocket=4 RealMemory=8000 Feature=a Weight={}\n\
                NodeName=n[31-60] Sockets=2 CoresPerSocket=5 RealMemory=8000 Feature=b\n\
                NodeName=n[61-70] Sockets=2 CoresPerSocket=5 RealMemory=32000 Feature=b,big Weight=4\n\
                PartitionName=all Nodes=ALL Default=YES MaxTime=60\n\
                PartitionName=some Nodes=n[20-65] MaxTime=60 PriorityTier={}\n",
            TREES[round % TREES.len()],
            1 + round % 2,
            1 + round / 2 % 2,
        );
        let jobs = mixed_jobs(&mut random, what != "CR_Core");
        let starts = compare(&conf, &recording(&conf, jobs, Vec::new()));
        assert!(starts > 150, "{starts} of {conf}");
    }
}

/// Accounts with limits of jobs and of resources.
const ACCOUNTS: &str = "add cluster c\nadd account phys fairshare=50\nadd account chem fairshare=30\n\
    add user u1 account=phys fairshare=3\nadd user u2 account=phys\nadd user u3 account=chem\n\
    add user u4 account=chem fairshare=2\nadd qos cpus priority=50 maxtresperuser=cpu=12\n\
    add qos jobs priority=80 maxjobsperuser=2\nadd qos group priority=100 grptres=cpu=20 grpjobs=5\n\
    modify account phys set qos=normal,cpus,jobs,group grptres=cpu=60\n\
    modify account chem set qos=normal,cpus,jobs,group maxjobs=9 maxtresperjob=node=4\n";

/// Jobs of accounts with limits, whose priorities change every minute, and limits of the jobs in a pass.
#[test]
fn limited_workloads_come_out_the_same_without_shortcuts() {
    const OPTIONS: [&str; 7] = [
        "bf_interval=4",
        "bf_interval=4,bf_max_job_user=3,bf_max_job_test=12,default_queue_depth=4",
        "bf_interval=5,bf_max_job_assoc=4,bf_window=20",
        "bf_interval=4,assoc_limit_stop,bf_window=30",
        "bf_interval=5,bf_job_part_count_reserve=3",
        "bf_interval=4,bf_max_job_user_part=2,bf_min_prio_reserve=2500",
        "bf_interval=6,bf_max_job_part=9,bf_one_resv_per_job,sched_interval=15",
    ];
    let mut random = Stream::new(19, "limited shortcuts");
    for round in 0..42 {
        let has_gpus = round >= 28;
        let plugin = match round / 7 % 2 {
            _ if has_gpus => "cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu",
            0 => "cons_tres\nSelectTypeParameters=CR_Core_Memory",
            _ => "linear",
        };
        let preemption = if round % 3 == 1 {
            "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n"
        } else {
            ""
        };
        let conf = format!(
            "AccountingStorageType=accounting_storage/slurmdbd\n\
                AccountingStorageEnforce=associations,limits,qos\n\
                PriorityType=priority/multifactor\nPriorityCalcPeriod=00:01\nPriorityDecayHalfLife=5\n\
                PriorityMaxAge=6\nPriorityWeightFairshare=5000\nPriorityWeightAge=3000\nPriorityWeightQOS=1000\n\
                PriorityWeightPartition={}\n\
                SelectType=select/{plugin}\n{preemption}SchedulerParameters={}\n\
                NodeName=n[1-7] Sockets=2 CoresPerSocket=4 RealMemory=8000\n\
                NodeName=n[8-12] Sockets=2 CoresPerSocket=4 RealMemory=8000{}\n\
                PartitionName=all Nodes=ALL Default=YES MaxTime=60\n\
                PartitionName=some Nodes=n[4-9] MaxTime=60 PriorityJobFactor=7 PriorityTier={}\n",
            2000 * (round / 4 % 2),
            OPTIONS[round % OPTIONS.len()],
            if has_gpus { " Gres=gpu:2" } else { "" },
            1 + round % 2,
        );
        let minutes = if round % 5 == 4 {
            "modify account phys set grptresrunmins=cpu=300\n"
        } else {
            ""
        };
        let jobs = limited_jobs(&mut random, has_gpus);
        let mut recording = recording(&conf, jobs, Vec::new());
        recording.accounts = SlurmAccounts::read(&format!("{ACCOUNTS}{minutes}")).unwrap();
        if round % 4 == 2 {
            recording.figures.cleanup = CLEANUP;
        }
        let starts = compare(&conf, &recording);
        assert!(starts > 100, "{starts} of {conf}");
    }
}

/// Jobs that wait for something besides nodes: the tasks of arrays, others that must end first, a time, a
/// reservation, and a limit of time that only the backfill scheduler keeps.
#[test]
fn waiting_workloads_come_out_the_same_without_shortcuts() {
    let mut random = Stream::new(29, "waiting shortcuts");
    for round in 0..24 {
        let plugin = ["cons_tres\nSelectTypeParameters=CR_Core", "linear"][round / 12];
        let priority = if round % 3 == 0 {
            "PriorityType=priority/multifactor\nPriorityCalcPeriod=00:01\nPriorityWeightAge=3000\nPriorityMaxAge=6\n"
        } else {
            ""
        };
        let preemption = if round % 4 == 3 {
            "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n"
        } else {
            ""
        };
        let conf = format!(
            "SelectType=select/{plugin}\n{priority}{preemption}SchedulerParameters=bf_interval={}{}\n\
                NodeName=n[1-12] Sockets=2 CoresPerSocket=4 RealMemory=8000\n\
                PartitionName=all Nodes=ALL Default=YES MaxTime=8\n\
                PartitionName=some Nodes=n[4-9] MaxTime=60 PriorityTier={}\n",
            4 + round % 3,
            ["", ",defer"][round / 3 % 2],
            1 + round / 2 % 2,
        );
        let jobs = waiting_jobs(&mut random);
        let of_number = |number: usize| NodeReservation {
            is_magnetic: number == 1,
            // They come again, so that jobs can ask for them at all times.
            every: 900,
            periods: 10,
            ..reservation(&mut random, number, 12, 5)
        };
        let all: Vec<NodeReservation> = (0..2).map(of_number).collect();
        let starts = compare(&conf, &recording(&conf, jobs, all));
        assert!(starts > 150, "{starts} of {conf}");
    }
}

fn waiting_jobs(random: &mut Stream) -> Vec<Row> {
    let mut jobs = Vec::new();
    let mut at = 0.0;
    for number in 1..=180 {
        at += random.below(140) as f64 / 10.0;
        let minutes = 1 + random.below(8);
        let seconds = 1 + random.below(minutes * 70);
        let mut below = |bound: u64| 1 + random.below(bound);
        let mut asked = match below(4) {
            1 => format!("-N {}", below(5)),
            2 => format!("-N 1 -n {}", below(8)),
            _ => format!("-n {}", below(24)),
        };
        match below(12) {
            1 => asked += " -p some",
            2 => asked += " -p all,some",
            3 => asked += " --reservation=r0",
            4 | 9 => {
                let _ = write!(asked, " -a 1-{}%{}", below(5), below(3));
            }
            5 => {
                let kind = ["afterany", "afterok", "after"][below(3) as usize - 1];
                let _ = write!(asked, " -d {kind}:{}", below(number));
            }
            6 => asked += " -d singleton -J same",
            7 => {
                let _ = write!(asked, " -b now+{}", below(200));
            }
            8 => {
                let _ = write!(asked, " -t 20 --time-min={}", below(6));
            }
            _ => {}
        }
        jobs.push(row(at, (seconds, minutes), asked));
    }
    jobs
}

fn limited_jobs(random: &mut Stream, has_gpus: bool) -> Vec<Row> {
    let mut jobs = Vec::new();
    let mut at = 0.0;
    for _ in 0..160 {
        at += random.below(140) as f64 / 10.0;
        let minutes = 1 + random.below(7);
        let seconds = 1 + random.below(minutes * 70);
        let mut below = |bound: u64| 1 + random.below(bound);
        let mut asked = match below(5) {
            1 => format!("-N {}", below(5)),
            2 => format!("-N {} --ntasks-per-node={}", below(3), below(8)),
            3 => format!("-N 1 -n {}", below(8)),
            _ => format!("-n {}", below(24)),
        };
        match below(6) {
            1 => asked += " -p some",
            2 => asked += " -p all,some",
            _ => {}
        }
        let _ = write!(asked, " --mem={}", 500 * below(8));
        if has_gpus && below(3) == 1 {
            let _ = write!(asked, " --gres=gpu:{}", below(2));
        }
        if below(2) == 1 {
            let _ = write!(
                asked,
                " -q {}",
                ["cpus", "jobs", "group"][below(3) as usize - 1]
            );
        }
        let user = below(4);
        let mut job = row(at, (seconds, minutes), asked);
        let account = ["phys", "chem"][user as usize / 3];
        job.insert("user".to_owned(), format!("u{user}"));
        job.insert("account".to_owned(), account.to_owned());
        jobs.push(job);
    }
    jobs
}

fn mixed_jobs(random: &mut Stream, has_memory: bool) -> Vec<Row> {
    let mut jobs = Vec::new();
    let mut at = 0.0;
    for _ in 0..260 {
        at += random.below(30) as f64 / 10.0;
        let minutes = 1 + random.below(9);
        let seconds = 1 + random.below(minutes * 90);
        let mut below = |bound: u64| 1 + random.below(bound);
        let mut asked = match below(9) {
            1 => {
                let nodes = below(8);
                format!("-N {nodes} -n {}", nodes * below(8))
            }
            2 => format!("-N {} --ntasks-per-node={}", below(5), below(8)),
            3 => format!("-N {}-{} -n {}", below(3), 2 + below(4), below(20)),
            4 => format!("-N {} --exclusive", below(4)),
            5 => format!("-N 1 -n {} -c {}", below(4), below(3)),
            6 => format!("-n {} --ntasks-per-node={}", below(20), below(6)),
            7 => format!("-n {}", below(60)),
            _ => format!("-N 1 -n {}", below(10)),
        };
        match below(8) {
            1 => asked += " -C a",
            2 => asked += " -C b",
            3 => asked += " -C big",
            _ => {}
        }
        match below(5) {
            1 => asked += " -p some",
            2 => asked += " -p all,some",
            _ => {}
        }
        if has_memory {
            let memory = [500, 2_000, 5_000, 7_500][below(4) as usize - 1];
            if below(6) == 1 {
                let _ = write!(asked, " --mem-per-cpu={}", memory / 5);
            } else {
                let _ = write!(asked, " --mem={memory}");
            }
        }
        jobs.push(row(at, (seconds, minutes), asked));
    }
    jobs
}

/// Returns a reservation of some nodes that begins some minutes after the first job.
fn reservation(random: &mut Stream, number: usize, nodes: usize, most: usize) -> NodeReservation {
    let mut kept = NodeSet::none(nodes);
    (0..most).for_each(|_| kept.insert(random.below(nodes as u64) as usize));
    let start = 1_795_411_200 + 60 + random.below(900) as i64;
    NodeReservation {
        name: format!("r{number}"),
        start,
        end: start + 60 + random.below(600) as i64,
        periods: 1,
        nodes: kept,
        ..NodeReservation::default()
    }
}

fn wide_jobs(random: &mut Stream, has_memory: bool) -> Vec<Row> {
    let mut jobs = Vec::new();
    let mut at = 0.0;
    for _ in 0..220 {
        at += random.below(80) as f64 / 10.0;
        let minutes = 1 + random.below(9);
        let seconds = 1 + random.below(minutes * 90);
        let mut below = |bound: u64| 1 + random.below(bound);
        let mut asked = match below(8) {
            1 => format!("-N {} --exclusive", below(30)),
            2 => format!("-n {} -c {}", below(40), below(3)),
            3 | 4 => format!("-n {}", below(12)),
            5 => format!("-n {} --exclusive", below(100)),
            _ => format!("-n {}", below(400)),
        };
        match below(8) {
            1 | 2 => asked += " -p some",
            3 => asked += " -p all,some",
            _ => {}
        }
        if below(9) == 1 {
            asked += " -L a:2";
        }
        if has_memory {
            let _ = write!(
                asked,
                " --mem-per-cpu={}",
                [200, 900][below(2) as usize - 1]
            );
        }
        jobs.push(row(at, (seconds, minutes), asked));
    }
    jobs
}

/// Returns a slurm.conf with two kinds of nodes and two partitions.
fn configuration(round: usize) -> String {
    let (plugin, what, option) = CLUSTERS[round % CLUSTERS.len()];
    let what = match what {
        "" => String::new(),
        what => format!("SelectTypeParameters={what}\n"),
    };
    let priority = if round % 4 == 1 {
        "PriorityType=priority/multifactor\nPriorityWeightJobSize=1000\nPriorityFavorSmall=YES\n"
    } else {
        ""
    };
    let gres = if what.contains(GPUS) {
        " Gres=gpu:2"
    } else {
        ""
    };
    let (threads, tier) = (1 + round / 7 % 2, 1 + round % 3);
    format!(
        "SelectType={plugin}\n{what}{priority}OverTimeLimit=UNLIMITED\n\
            SchedulerParameters={option}\n\
            NodeName=n[1-9] Sockets=2 CoresPerSocket=4 ThreadsPerCore={threads} RealMemory=8000{gres}\n\
            NodeName=n[10-14] Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=4000 Weight=2\n\
            PartitionName=all Nodes=ALL Default=YES MaxTime=60\n\
            PartitionName=some Nodes=n[4-12] MaxTime=60 PriorityTier={tier}\n"
    )
}

fn jobs(random: &mut Stream, [has_memory, has_gpus]: [bool; 2]) -> Vec<Row> {
    let mut jobs = Vec::new();
    let mut at = 0.0;
    for _ in 0..260 {
        at += random.below(60) as f64 / 10.0;
        let minutes = 1 + random.below(9);
        let seconds = 1 + random.below(minutes * 60);
        let mut below = |bound: u64| 1 + random.below(bound);
        let mut asked = match below(6) {
            1 => format!("-N {} --exclusive", below(8)),
            2 => format!("-N {} --ntasks-per-node={}", below(5), below(4)),
            3 => format!("-n {} -c {}", below(9), below(3)),
            4 => format!("-N 1 -n {}", below(4)),
            _ => format!("-n {}", below(40)),
        };
        if below(3) == 1 {
            asked += " -p some";
        }
        if has_memory {
            let (option, most) = match below(3) {
                1 => ("mem", 3000),
                _ => ("mem-per-cpu", 400),
            };
            let _ = write!(asked, " --{option}={}", 50 + below(most));
        }
        if below(12) == 1 {
            asked += " --contiguous";
        }
        if has_gpus && below(3) == 1 {
            let _ = write!(asked, " --gres=gpu:{}", below(2));
        }
        jobs.push(row(at, (seconds, minutes), asked));
    }
    jobs
}
