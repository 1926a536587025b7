//! The policy against a controller that a plain loop drives: submissions, ends and passes reach the
//! controller at the same times, with every pass run in full.

use super::super::support::{Overruns, random_jobs, schedule, workload_for};
use schedscope::cluster::description;
use schedscope::experiment::{Run, Scenario};
use schedscope::import::{BadLines, read};
use schedscope::job::JobId;
use schedscope::schedule::audit::{audit, audit_but};
use schedscope::slurm::{
    AskedJob, ClockFigures, Controller, GENERAL, JobState, KeywordEffect, SCHEDULER, SlurmAccounts,
    SlurmClock, SlurmConf, keywords,
};
use schedscope::time::{Span, Time};
use schedscope::workload::Workload;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// Seconds from 1970 to the zero of a log without a date, and from the controller's start to the first
/// arrival.
const ZERO: i64 = 86_400;
const LEAD: i64 = 60;

/// Lines of slurm.conf, separated by `;`.
const CONFS: [&str; 5] = [
    "",
    "SchedulerType=sched/builtin;SchedulerParameters=batch_sched_delay=1",
    "SchedulerParameters=bf_interval=3,bf_resolution=1,sched_interval=7,batch_sched_delay=0",
    "PriorityType=priority/multifactor;PriorityWeightJobSize=1000;PriorityFavorSmall=YES;\
        SchedulerParameters=bf_interval=5,bf_max_job_test=4",
    "SchedulerParameters=bf_interval=2,bf_window=2,default_queue_depth=2,sched_min_interval=2500000",
];

/// Returns the starts of all jobs, in microseconds of the log.
fn driven(workload: &Workload, processors: u32, lines: &str) -> Vec<i64> {
    let text = format!(
        "NodeName=n[1-{processors}] CPUs=1\nPartitionName=all Nodes=ALL Default=YES\n\
            SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n{}\nOverTimeLimit=UNLIMITED\n",
        lines.replace(';', "\n")
    );
    let mut controller = Controller::new(SlurmConf::read(&text).unwrap());
    controller.run_all_passes();
    let zero = Span::from_seconds(ZERO);
    let first = workload.requests[0].submitted;
    let start = first + zero - Span::from_seconds(LEAD);
    let mut clock = SlurmClock::new(&controller, start, ClockFigures::default());
    // Events by time; ends come before submissions.
    let mut events: BTreeSet<(Time, u8, usize)> = workload
        .ids()
        .map(|job| (workload.request(job).submitted + zero, 1, job.index()))
        .collect();
    let mut starts = vec![0; workload.len()];
    let mut records = vec![0; workload.len()];
    loop {
        let outside = events.first().copied();
        let next = clock.next(&controller, false);
        let next = next.filter(|next| outside.is_none_or(|(at, ..)| *next < at));
        let now = if let Some(next) = next {
            clock.work(&mut controller, next);
            next
        } else if let Some(event) = outside {
            events.remove(&event);
            let (at, kind, job) = event;
            clock.skip_to(&mut controller, at);
            let second = clock.second(at);
            if kind == 0 {
                controller.finish(records[job], second, JobState::Completed);
                clock.ended(records[job], at);
            } else {
                let request = &workload.requests[job];
                let whole = (request.estimate.microseconds() + 59_999_999) / 60_000_000;
                let asked = AskedJob {
                    number: job as u64,
                    ntasks: Some(request.processors),
                    minutes: Some(whole.max(1)),
                    user: request.user.to_string(),
                    ..AskedJob::default()
                };
                records[job] = controller.submit(&asked, second).unwrap();
            }
            at
        } else {
            return starts;
        };
        for started in controller.take_started() {
            let job = started.number as usize;
            starts[job] = (now - zero).microseconds();
            events.insert((now + workload.programs[job].runtime, 0, job));
        }
    }
}

#[test]
fn the_policy_starts_what_its_controller_starts() {
    let mut waited = 0;
    for seed in 0..60 {
        let (processors, jobs) = random_jobs(seed, Overruns::Sometimes);
        for lines in CONFS {
            let scenario = Scenario {
                machine: "nodes".into(),
                ..Scenario::new("slurm").with("conf", lines)
            };
            let workload = workload_for(&scenario, processors, &jobs);
            let ours: Vec<i64> = schedule(&scenario, &workload)
                .starts
                .iter()
                .map(|start| start.microseconds())
                .collect();
            assert_eq!(
                ours,
                driven(&workload, processors, lines),
                "seed {seed}: {lines}"
            );
            waited += ours.iter().filter(|start| *start % 1_000_000 != 0).count();
        }
    }
    assert!(waited > 1000, "{waited}");
}

/// Returns the problem of a run on a cluster, if it has one.
fn problem_of(cluster: &str, conf: &str) -> Option<String> {
    let scenario = Scenario {
        machine: "nodes".into(),
        ..Scenario::new("slurm")
            .with("cluster", cluster)
            .with("conf", conf)
    };
    let log = "; MaxProcs: 8\n1 0 -1 100 4 -1 -1 4 9000000000 -1 1 1 1 1 1 1 -1 -1\n\
        2 1 -1 100 6 -1 -1 6 200 -1 1 1 1 1 1 1 -1 -1\n";
    let trace = std::sync::Arc::new(read("log", log.as_bytes(), BadLines::Stop).unwrap());
    let run = match scenario.resolve() {
        Ok(resolved) => resolved.run(trace),
        Err(problem) => return Some(problem.what),
    };
    let mut run = run.unwrap_or_else(|problem| panic!("{problem}"));
    while !run.advance(1000).done {}
    run.check_complete().err().map(|problem| problem.what)
}

#[test]
fn texts_that_slurm_and_the_machine_read_alike_run_and_others_are_told() {
    let two = "NodeName=a CPUs=4\nNodeName=b CPUs=4";
    assert_eq!(problem_of(two, ""), None);
    // A continuation in a comment is none.
    let commented = "NodeName=a CPUs=4\n# old \\\nNodeName=b CPUs=4";
    assert_eq!(problem_of(commented, ""), None);
    let joined = "NodeName=a \\\n CPUs=4; NodeName=b CPUs=4 # the last one";
    assert_eq!(problem_of(joined, "# bf_interval=3; nothing"), None);
    // Steps of a window over a limit of 285 years are not taken one by one.
    let steps = "SchedulerParameters=bf_window_linear=1,bf_interval=10";
    assert_eq!(problem_of(two, steps), None);
    let whole = problem_of(two, "SelectType=select/linear").unwrap();
    assert!(whole.contains("gives whole nodes"), "{whole}");
    let kept = problem_of("NodeName=a[1-2] CPUs=4 CoreSpecCount=1", "").unwrap();
    assert!(kept.contains("differently"), "{kept}");
    let preempts = "PreemptType=preempt/partition_prio;PreemptMode=REQUEUE";
    assert_eq!(problem_of(two, preempts), None);
    let number = problem_of(two, "SchedulerParameters=bf_interval=soon").unwrap();
    assert!(number.contains("bf_interval"), "{number}");
}

/// Four nodes of four cores; the jobs 1 and 2 have half of them each until 1,000 s, job 3 waits for 12 cores.
const QUEUE: &str = "; MaxProcs: 16\n; UnixStartTime: 1700000000\n\
    1 0 -1 1000 8 -1 -1 8 1200 -1 1 1 1 1 1 1 -1 -1\n\
    2 10 -1 1000 8 -1 -1 8 1200 -1 1 2 1 1 1 1 -1 -1\n\
    3 20 -1 1000 12 -1 -1 12 1200 -1 1 1 1 1 1 1 -1 -1\n\
    4 30 -1 500 4 -1 -1 4 1200 -1 1 2 1 1 1 1 -1 -1\n\
    5 40 -1 1000 16 -1 -1 16 1200 -1 1 3 1 1 1 1 -1 -1\n";

/// Returns the first and the last rank of a job of [`QUEUE`], as text.
fn ranks_of(conf: &str, job: u32) -> Vec<String> {
    let scenario = Scenario {
        machine: "nodes".into(),
        ..Scenario::new("slurm")
            .with("cluster", "NodeName=a[1-4] CPUs=4")
            .with("conf", conf)
    };
    let trace = read("log", QUEUE.as_bytes(), BadLines::Stop).unwrap();
    let mut run = scenario
        .resolve()
        .and_then(|resolved| resolved.run(std::sync::Arc::new(trace)))
        .unwrap();
    while !run.advance(1000).done {}
    let wait = run.why(JobId(job));
    let told = wait.ranks.iter().map(|(at, rank)| {
        let parts = rank.parts.iter();
        let parts: Vec<String> = parts.map(|(name, part)| format!("{part} {name}")).collect();
        let looks = rank.looks.iter().map(|look| {
            let by = look.by.map_or(-1, |job| i64::from(job.0));
            let planned = look.planned.map_or(-1.0, Time::seconds);
            let at = look.at.seconds();
            format!("{} {at}: {} {by} {planned}", look.scheduler, look.found)
        });
        let looks: Vec<String> = looks.collect();
        let place = (rank.place, rank.waiting);
        format!(
            "{:.0} s: {place:?} of {} = {}; {}",
            at.seconds(),
            rank.priority,
            parts.join(" + "),
            looks.join("; ")
        )
    });
    told.collect()
}

#[test]
fn a_watched_job_tells_its_rank_and_what_each_scheduler_found() {
    // Job 5 asks for all: size factor (4/4 + 16/16) / 2, and its CPUs at submission are few.
    let multifactor = "PriorityType=priority/multifactor; PriorityWeightJobSize=1000; \
        PriorityWeightPartition=100; SchedulerParameters=bf_interval=10";
    assert_eq!(
        ranks_of(multifactor, 4),
        [
            "40 s: (1, 3) of 725 = 625 job size + 100 partition; ",
            "1010 s: (1, 3) of 725 = 625 job size + 100 partition; \
                main 1000: needed nodes that were in use -1 -1; \
                backfill 1000: got a reservation -1 1210",
        ]
    );
    // Job 4 comes behind job 3 (number 2), and the backfill scheduler tests one job.
    let one = "SchedulerParameters=bf_interval=10,bf_max_job_test=1";
    assert_eq!(
        ranks_of(one, 3),
        [
            "30 s: (2, 2) of 4294901756 = ; ",
            "1010 s: (2, 3) of 4294901756 = ; \
                main 1000: came after a job that closed the partition 2 -1; \
                backfill 1000: was not reached before the pass ended -1 -1",
        ]
    );
}

#[test]
fn what_is_left_out_of_the_settings_is_told() {
    let told = |conf: &str, accounts: &str| {
        let scenario = Scenario {
            machine: "nodes".into(),
            ..Scenario::new("slurm")
                .with("cluster", "NodeName=a CPUs=4 CpuSpecList=1")
                .with("conf", conf)
                .with("accounts", accounts)
        };
        scenario.resolve().unwrap().not_modelled
    };
    let of_cluster = "Keywords of the cluster that are not modelled: `CpuSpecList=1`.";
    assert_eq!(told("SchedulerParameters=bf_window=60", ""), [of_cluster]);
    let preempts = "PreemptType=preempt/partition_prio; PreemptExemptTime=00:01:00; KillWait=20";
    assert_eq!(
        told(&format!("{preempts}; PreemptMode=REQUEUE"), ""),
        [of_cluster]
    );
    assert_eq!(
        told(
            "PreemptType=preempt/none; PreemptMode=OFF; JobRequeue=1",
            ""
        ),
        [of_cluster]
    );
    assert_eq!(
        told(&format!("{preempts}; PreemptMode=SUSPEND,GANG"), ""),
        [
            of_cluster,
            "Keywords of slurm.conf that are not modelled: `PreemptMode=SUSPEND,GANG`.",
        ]
    );
    assert_eq!(
        told(
            "RoutePlugin=route/topology; SchedulerParameters=what=3\nNodeName=b CPUs=8",
            "add qos high Priority=3 MinPrioThreshold=4"
        ),
        [
            of_cluster,
            "Keywords of slurm.conf that are not modelled: `RoutePlugin=route/topology`, `what=3`.",
            "Keywords of the accounts that are not modelled: `MinPrioThreshold=4`.",
            "Lines of `conf` that describe nodes, partitions or licences, left out because the machine \
                has them: 1.",
        ]
    );
}

#[test]
fn an_option_for_many_associations_is_told_once_and_too_many_are_refused() {
    let users = "a,b,c,d,a,B";
    let text = format!(
        "add account one\nadd user {users} account=one Fairshare=3\nmodify user {users} set MaxJobs=2"
    );
    let accounts = SlurmAccounts::read(&text).unwrap();
    let told: Vec<(u64, &str)> = accounts
        .facts
        .iter()
        .map(|fact| (fact.line, fact.keyword.as_str()))
        .collect();
    assert_eq!(told, [(2, "Fairshare"), (3, "MaxJobs")]);
    let names: Vec<String> = (0..20_000).map(|user| format!("u{user}")).collect();
    let names = names.join(",");
    let mut text = format!("add account one\nadd user {names} account=one\n");
    let options = "MaxJobs=2 ".repeat(300);
    let _ = writeln!(text, "modify user {names} set {options}");
    let problem = SlurmAccounts::read(&text).unwrap_err();
    assert!(problem.why.contains("5000000"), "{problem}");
}

/// A run of four jobs of 1, 16, 2 and 4 processors, under a limit of so many for their account. The last one
/// arrives after the others have ended.
fn under_a_limit(processors: u32) -> Run {
    let log = "JobID|User|Account|Partition|State|Submit|Start|End|Timelimit|NNodes|AllocCPUS\n\
        1|ann|phys|all|COMPLETED|1704067200|1704067200|1704067800|00:20:00|1|1\n\
        2|ann|phys|all|COMPLETED|1704067201|1704067201|1704067801|00:20:00|4|16\n\
        3|ann|phys|all|COMPLETED|1704077202|1704077202|1704077802|00:20:00|1|4\n\
        4|ann|phys|all|COMPLETED|1704067203|1704067203|1704067803|00:20:00|1|2\n";
    let trace = read("log", log.as_bytes(), BadLines::Stop).unwrap();
    let accounts = format!(
        "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'phys':GrpTRES=cpu={processors}\n\
            Parent - 'phys'\nUser - 'ann':DefaultAccount='phys'\n"
    );
    let mut run = Scenario {
        machine: "nodes".into(),
        ..Scenario::new("slurm")
    }
    .with(
        "cluster",
        description("NodeName=n[1-4] CPUs=4\nPartitionName=all Nodes=ALL\n")
            .unwrap()
            .as_str(),
    )
    .with(
        "conf",
        "AccountingStorageType=accounting_storage/slurmdbd;AccountingStorageEnforce=limits",
    )
    .with("accounts", accounts.as_str())
    .resolve()
    .unwrap()
    .run(Arc::new(trace))
    .unwrap();
    while !run.advance(100_000).done {}
    run
}

#[test]
fn jobs_that_a_limit_keeps_for_ever_are_told_with_the_limit() {
    let run = under_a_limit(2);
    let told = "Slurm never starts 2 of 4 jobs: 2 with the reason `AssocGrpCpuLimit` (the first is job 2).";
    assert_eq!(run.check_complete().unwrap_err().what, told);
    // The figures are those of the other jobs.
    run.check_ended().unwrap();
    assert_eq!(
        run.not_modelled(),
        [format!(
            "{told} They stay pending, and the job metrics leave them out."
        )]
    );
    assert_eq!(run.pending(), BTreeSet::from([JobId(1), JobId(3)]));
    let figures = run.measures().figures;
    assert_eq!(figures["jobs.value"], 2.0);
    // Job 2 waits all the time, and job 4 while job 1 runs. The last end comes before job 3.
    let near = |key: &str, value: f64| {
        assert!(
            (figures[key] - value).abs() < 0.01 * value,
            "{key}: {}",
            figures[key]
        );
    };
    near("queue.mean", 1.5);
    near("makespan.value", 1200.0);
    // Job 2 never goes first in a plan, so job 4 could have started at once.
    near("unfairness.max", 597.0);
    // The fifth job does not exist; the second never ends.
    assert_eq!(figures["job_response.5th"], 0.0);
    assert!(!figures.contains_key("job_response.2nd"));
    let mut lines = 0;
    run.jobs_csv(|_| lines += 1);
    assert_eq!(lines, 3);
    let mut swf = String::new();
    run.swf(|line| swf += line);
    assert!(swf.contains("Slurm never starts 2 of 4 jobs"), "{swf}");
    // They wait up to the end of the run.
    assert!(!run.why(JobId(1)).causes.is_empty());
    // The audit knows them, and nothing else that is wrong.
    let schedule = run.schedule();
    assert_eq!(audit_but(schedule, &run.pending(), 6), Vec::<String>::new());
    assert_eq!(
        audit(schedule, 6),
        [
            "job 1 (number 2) started 0 times",
            "job 3 (number 3) started 0 times"
        ]
    );
    assert_eq!(
        audit_but(schedule, &BTreeSet::from([JobId(0)]), 1),
        ["job 0 (number 1) started 1 times"]
    );
}

#[test]
fn a_run_without_a_job_that_ends_has_no_figures() {
    let run = under_a_limit(0);
    let problem = run.check_ended().unwrap_err();
    assert_eq!(
        problem.what,
        "Slurm never starts 4 of 4 jobs: 4 with the reason `AssocGrpCpuLimit` (the first is job 1)."
    );
}

#[test]
fn each_word_that_is_offered_for_a_value_changes_what_a_controller_reads() {
    const SWITCH: &str = "SwitchName=s Nodes=a\n";
    const TREE: &str = "TopologyPlugin=topology/tree\nSwitchName=s Nodes=a\n";
    let about = "NodeName=a CPUs=4\nPartitionName=all Nodes=ALL\nSelectType=select/cons_tres\n\
        PriorityType=priority/multifactor\n";
    let read = |lines: &str| {
        let mut conf = SlurmConf::read(&format!("{about}{lines}\n")).unwrap();
        conf.facts.clear();
        format!("{conf:?}")
    };
    let mut same = Vec::new();
    for word in GENERAL {
        for value in word.values {
            let line = format!("{}={value}", word.name);
            // Some count only beside others, and of some neither can be without the other.
            let (other, before) = match (word.name, *value) {
                ("PreemptType", "preempt/partition_prio" | "preempt/qos") => {
                    ("PreemptMode=REQUEUE\n", "")
                }
                ("PreemptMode", "CANCEL" | "REQUEUE" | "SUSPEND,GANG") => {
                    ("PreemptType=preempt/partition_prio\n", "")
                }
                ("TopologyPlugin", "topology/tree") => (SWITCH, SWITCH),
                ("TopologyParam", _) => (TREE, TREE),
                _ => ("", ""),
            };
            let lines = format!("{other}{line}");
            let facts = keywords(&format!("{about}{lines}"));
            let fact = facts.iter().rfind(|fact| fact.keyword == word.name);
            assert_ne!(fact.unwrap().effect, KeywordEffect::NotModelled, "{line}");
            if read(&lines) == read(before) {
                same.push(line);
            }
        }
    }
    // Those that are written above, defaults, and two that are modelled because they change nothing.
    assert_eq!(
        same,
        [
            "AccountingStorageType=accounting_storage/none",
            "JobRequeue=1",
            "PreemptMode=OFF",
            "PreemptType=preempt/none",
            "PriorityFavorSmall=NO",
            "PriorityFlags=CALCULATE_RUNNING",
            "PriorityType=priority/multifactor",
            "PriorityUsageResetPeriod=NONE",
            "PriorityUsageResetPeriod=NOW",
            "SchedulerType=sched/backfill",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_Core_Memory",
            "TopologyPlugin=topology/none",
        ]
    );
}

#[test]
fn options_out_of_their_ranges_are_told() {
    let scenario = Scenario {
        machine: "nodes".into(),
        ..Scenario::new("slurm").with(
            "conf",
            "SchedulerParameters=bf_interval=0,bf_window=43201,sched_interval=-1,bf_max_job_test=0,bf_max_job_test=20",
        )
    };
    assert_eq!(
        scenario.resolve().unwrap().not_modelled,
        [
            "Options out of their ranges, for which the default counts, as in Slurm: `bf_interval=0`, \
            `bf_window=43201`."
        ]
    );
    // The ranges are those that a controller reads.
    let read = |options: &str| {
        let text = format!(
            "NodeName=a CPUs=4\nPartitionName=all Nodes=ALL\nSchedulerParameters={options}\n"
        );
        let mut conf = SlurmConf::read(&text).unwrap();
        conf.facts.clear();
        format!("{conf:?}")
    };
    for word in SCHEDULER.iter().filter(|word| word.range.0 > i64::MIN) {
        let (least, most) = (word.range.0, word.range.1.min(1 << 40));
        let usual = read(word.name);
        for number in [least - 1, word.range.1.saturating_add(1)] {
            let excluded = word.excludes(number);
            assert!(excluded || number == i64::MAX, "{} {number}", word.name);
            let is_usual = read(&format!("{}={number}", word.name)) == usual;
            assert_eq!(is_usual, excluded, "{} {number}", word.name);
        }
        for number in [least, most]
            .into_iter()
            .filter(|number| number.to_string() != word.default)
        {
            assert!(!word.excludes(number));
            assert_ne!(
                read(&format!("{}={number}", word.name)),
                usual,
                "{} {number}",
                word.name
            );
        }
    }
}

#[test]
fn a_keyword_that_a_later_line_repeats_has_no_effect() {
    let text =
        "SchedulerParameters=bf_window=60\nPriorityWeightAge=5\nSchedulerParameters=bf_interval=9";
    let found: Vec<(u64, String, KeywordEffect)> = keywords(text)
        .into_iter()
        .map(|fact| (fact.line, fact.keyword, fact.effect))
        .collect();
    assert_eq!(
        found
            .iter()
            .map(|(line, word, effect)| (*line, word.as_str(), *effect))
            .collect::<Vec<_>>(),
        [
            (1, "SchedulerParameters", KeywordEffect::WithoutEffect),
            (2, "PriorityWeightAge", KeywordEffect::Used),
            (3, "SchedulerParameters", KeywordEffect::Used),
            (3, "bf_interval", KeywordEffect::Used),
        ]
    );
    // The machine reads all lines of reservations.
    let effects = |text: &str| -> Vec<KeywordEffect> {
        keywords(text).iter().map(|fact| fact.effect).collect()
    };
    let one = "ReservationName=a StartTime=0 Duration=5\n";
    let two = effects(&format!("{one}{}", one.replace("=a", "=b")));
    assert_eq!(two, [effects(one), effects(one)].concat());
    let twice = effects("PreemptMode=SUSPEND,GANG\nPreemptMode=OFF\n");
    assert_eq!(twice[0], KeywordEffect::WithoutEffect);
}

#[test]
fn jobs_that_the_accounts_do_not_know_are_told_after_the_run() {
    let log = "JobID|User|Account|Partition|State|Submit|Start|End|Timelimit|NNodes|AllocCPUS\n\
        1|ann|phys|all|COMPLETED|1704067200|1704067200|1704067800|00:20:00|1|1\n\
        2|bob|chem|all|COMPLETED|1704067201|1704067201|1704067801|00:20:00|1|3\n";
    let told = |accounts: &str| {
        let trace = read("log", log.as_bytes(), BadLines::Stop).unwrap();
        let cluster = description("NodeName=n[1-4] CPUs=4\nPartitionName=all Nodes=ALL\n").unwrap();
        let mut run = Scenario {
            machine: "nodes".into(),
            ..Scenario::new("slurm")
        }
        .with("cluster", cluster.as_str())
        .with("conf", "AccountingStorageType=accounting_storage/slurmdbd")
        .with("accounts", accounts)
        .resolve()
        .unwrap()
        .run(Arc::new(trace))
        .unwrap();
        while !run.advance(100_000).done {}
        run.check_complete().unwrap();
        run.not_modelled()
    };
    let of = |user: &str| {
        format!(
            "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'phys'\nParent - 'phys'\n\
                User - '{user}':DefaultAccount='phys'\n"
        )
    };
    let some = "Jobs that none of the accounts knows: 1 of 2. No fair share and no limit of an account \
        counts for them.";
    assert_eq!(told(&of("ann")), [some]);
    assert_eq!(told(&of("zoe")), [some.replace("1 of 2", "2 of 2")]);
    assert_eq!(told(""), [""; 0]);
}

#[test]
fn weights_of_priorities_are_not_negative() {
    let problem = problem_of("NodeName=a CPUs=4", "PriorityWeightFairshare=-5");
    assert!(problem.unwrap().contains("PriorityWeightFairshare"));
}

#[test]
fn weights_of_tres_are_bounded() {
    let two = "NodeName=a CPUs=4\nNodeName=b CPUs=4";
    for weights in ["CPU=-1", "Mem=1e300", "Node=nan"] {
        let conf = format!("PriorityType=priority/multifactor; PriorityWeightTRES={weights}");
        let problem = problem_of(two, &conf).unwrap();
        assert!(problem.contains("PriorityWeightTRES"), "{problem}");
    }
}

#[test]
fn the_account_of_a_log_counts_and_not_the_group_of_the_user() {
    let log = "JobID|User|Group|Account|Partition|State|Submit|Start|End|Timelimit|NNodes|AllocCPUS\n\
        1|ann|staff|phys|all|COMPLETED|1704067200|1704067200|1704067800|00:20:00|1|1\n\
        2|ann|staff|phys|all|COMPLETED|1704067201|1704067201|1704067801|00:20:00|1|1\n\
        3|ann|staff|chem|all|COMPLETED|1704067202|1704067202|1704067802|00:20:00|1|1\n";
    let cluster = "NodeName=n[1-4] CPUs=4\nPartitionName=all Nodes=ALL\n\
        ReservationName=week StartTime=100000 Duration=60 Nodes=n[1-4] Accounts=phys\n";
    let trace = read("log", log.as_bytes(), BadLines::Stop).unwrap();
    let mut run = Scenario {
        machine: "nodes".into(),
        ..Scenario::new("slurm")
    }
    .with("cluster", description(cluster).unwrap().as_str())
    .with(
        "conf",
        "AccountingStorageType=accounting_storage/slurmdbd;AccountingStorageEnforce=limits",
    )
    .with(
        "accounts",
        "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'phys':GrpJobs=1\nAccount - 'chem'\n\
            Parent - 'phys'\nUser - 'ann':DefaultAccount='chem'\nParent - 'chem'\nUser - 'ann'\n",
    )
    .resolve()
    .unwrap()
    .run(Arc::new(trace))
    .unwrap();
    while !run.advance(100_000).done {}
    let schedule = run.schedule();
    let wait = |job: usize| {
        let submitted = schedule.workload.requests[job].submitted;
        (schedule.starts[job] - submitted).seconds()
    };
    // The second job waits for the end of the first one; the third one does not.
    assert!(wait(0) < 10.0 && wait(2) < 10.0, "{} {}", wait(0), wait(2));
    assert!(wait(1) > 590.0, "{}", wait(1));
    let nodes = schedule.workload.nodes.as_ref().unwrap();
    let admitted = |job: usize| nodes.table[nodes.of[job] as usize].admitted;
    assert_eq!([admitted(0), admitted(2)], [1, 0]);
}
