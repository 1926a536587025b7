//! The machine with nodes: with one core to a node it is the flat machine, requests follow from the
//! log, and jobs that can never start are counted.

use super::support::random_jobs;
use super::support::{Overruns, run, schedule, workload};
use schedscope::experiment::Scenario;
use schedscope::explain::StoryTeller;
use schedscope::import::{BadLines, read};
use schedscope::machine::Placements;
use schedscope::metrics::{Grouping, measure, measure_classes};
use schedscope::param::{Settings, Value};
use schedscope::policy;
use schedscope::random::Stream;
use schedscope::schedule::Attempt;
use schedscope::session::{Look, Picture, Session};
use schedscope::sim::Why;
use schedscope::time::Time;
use schedscope::trace::Trace;
use schedscope::view::{Colouring, RowsBy, Theme, Viewport};
use schedscope::workload::NodeRequests;
use std::fmt::Write;
use std::sync::Arc;

const LOOK: Look = Look {
    colouring: Colouring::Wait,
    theme: Theme::Light,
};

fn on(machine: &str, policy: &str) -> Scenario {
    Scenario {
        machine: machine.into(),
        ..Scenario::new(policy)
    }
}

#[test]
fn nodes_of_one_core_are_the_flat_machine() {
    let nodes = schedscope::machines::find("nodes").unwrap();
    let both = |spec: &&&policy::Spec| {
        spec.runs_on(nodes.offer)
            && spec.needs != policy::Needs::Nodes
            && schedscope::policy::candidates::candidates_param(spec).is_none()
    };
    let settings = [
        ("", ""),
        ("depth", "4"),
        ("compression", "every"),
        ("compression", "anew"),
        ("reservation", "once"),
        ("rescan", "new"),
        ("order", "shortest"),
        ("starvation", "passes"),
        ("backfill", "bestfit"),
        ("backfill", "none"),
        ("estimates", "predicted"),
    ];
    let mut compared = 0;
    for spec in policy::ALL.iter().filter(both) {
        for (key, word) in settings {
            let has = |param: &&schedscope::param::Param| param.key == key;
            if !key.is_empty() && !spec.params.iter().any(|param| has(&param)) {
                continue;
            }
            for seed in 0..60 {
                let overruns = [Overruns::Never, Overruns::Sometimes][seed as usize % 2];
                let (processors, jobs) = random_jobs(seed, overruns);
                let workload = workload(processors, &jobs);
                let digest = |machine: &str| {
                    let scenario = on(machine, spec.id);
                    let scenario = if key.is_empty() {
                        scenario
                    } else {
                        scenario.with(key, Value::parse(word))
                    };
                    schedule(&scenario, &workload).digest()
                };
                assert_eq!(
                    digest("flat"),
                    digest("nodes"),
                    "{} {key}={word}, workload {seed}",
                    spec.id
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
}

/// A log with nodes, GPUs and memory in kB for each processor. A line has: submission, run time,
/// processors, memory, queue, nodes, GPUs.
fn log(lines: &[[i64; 7]]) -> Trace {
    let mut text = String::from(
        "; Note: written by Schedscope 0\n; MaxProcs: 64\n; Queue: 1 batch\n; Queue: 2 gpu,big\n\
            ; Field 19: Nodes (column nodes, numbers)\n; Field 20: GPUs (column gpus, numbers)\n",
    );
    for (number, [submit, run, processors, memory, queue, nodes, gpus]) in (1..).zip(lines) {
        writeln!(
            text,
            "{number} {submit} -1 {run} {processors} -1 -1 {processors} {run} {memory} 1 1 1 -1 \
                {queue} -1 -1 -1 {nodes} {gpus}"
        )
        .unwrap();
    }
    read("log", text.as_bytes(), BadLines::Stop).unwrap()
}

const CLUSTER: &str = "NodeName=c[1-4] CPUs=8 RealMemory=100\n\
    NodeName=g[1-2] CPUs=8 RealMemory=100 Gres=gpu:4\n\
    PartitionName=batch Nodes=c[1-4] Default=YES MaxTime=1\n\
    PartitionName=gpu Nodes=g[1-2] DefMemPerCPU=3\n\
    PartitionName=big Nodes=ALL MaxNodes=3 OverSubscribe=EXCLUSIVE MaxTime=2:0\n\
    PartitionName=old State=DOWN";

fn requests(trace: &Trace) -> (NodeRequests, Vec<(String, u64)>) {
    let scenario = on("nodes", "fcfs").with("cluster", CLUSTER);
    let workload = scenario.resolve().unwrap().workload(trace).unwrap();
    let rules = workload.report.rules.iter();
    let counts = rules.map(|rule| (rule.id.clone(), rule.count)).collect();
    (workload.nodes.unwrap(), counts)
}

#[test]
fn requests_follow_from_the_log() {
    let (nodes, rules) = requests(&log(&[
        // 20 processors on 3 nodes: at most 7 on each.
        [0, 30, 20, 2048, 1, 3, -1],
        // GPUs without nodes: six need two nodes.
        [0, 60, 4, -1, 2, -1, 6],
        // No partition of this name: the default one.
        [0, 60, 2, 1025, 3, -1, -1],
        // One GPU, and more cores than a node has: two nodes.
        [0, 60, 12, -1, 2, -1, 1],
    ]));
    let of = |job: usize| &nodes.table[nodes.of[job] as usize];
    let first = of(0);
    assert_eq!(
        (
            first.tasks,
            first.least_nodes,
            first.most_nodes,
            first.most_tasks
        ),
        (20, 3, 3, 7)
    );
    assert_eq!((first.per_task[0], first.per_task[1]), (1, 2));
    assert_eq!((first.partitions, first.is_whole), (1, false));
    let second = of(1);
    assert_eq!((second.least_nodes, second.most_nodes), (2, 2));
    assert_eq!((second.per_node[2], second.per_task[1]), (3, 3));
    assert_eq!((second.partitions, second.is_whole), (2 | 4, true));
    let third = of(2);
    assert_eq!((third.partitions, third.per_task[1]), (1, 2));
    assert_eq!(third.most_nodes, u32::MAX);
    let fourth = of(3);
    assert_eq!(
        (fourth.least_nodes, fourth.most_nodes, fourth.most_tasks),
        (2, 2, 6)
    );
    let count = |id: &str| {
        rules
            .iter()
            .find(|(own, _)| own == id)
            .map(|(_, count)| *count)
    };
    assert_eq!(count("nodes_of_gpus"), Some(2));
    assert_eq!(count("nodes_partition"), Some(1));
}

/// Memory of the whole job: 16 GB for the one processor that was asked for, although the job had two.
#[test]
fn memory_of_a_job_is_divided_by_its_tasks() {
    let row = |requested: u32| {
        let cells = format!("1|ann|COMPLETED|1714982400|1714982460|1714986060|1|2|{requested}");
        let tres = |count: u32| format!("cpu={count},mem=16G,node=1");
        format!(
            "JobID|User|State|Submit|Start|End|NNodes|AllocCPUS|ReqCPUS|ReqTRES|AllocTRES\n{cells}|{}|{}\n",
            tres(requested),
            tres(2)
        )
    };
    for (requested, each) in [(1, 16_384), (2, 8_192)] {
        let trace = read("log", row(requested).as_bytes(), BadLines::Stop).unwrap();
        let scenario = on("nodes", "fcfs").with("cluster", "NodeName=a CPUs=2 RealMemory=16384");
        let workload = scenario.resolve().unwrap().workload(&trace).unwrap();
        let request = &workload.nodes.unwrap().table[0];
        assert_eq!((request.tasks, request.per_task[1]), (requested, each));
    }
}

/// A job with a whole node of 40 cores asks for 180 GB of it and for 32 tasks. 180 GB / 32 for each of the 40 cores would
/// be more than the node has.
#[test]
fn memory_of_a_node_is_the_same_with_any_number_of_tasks() {
    const LARGE: &str = "NodeName=a CPUs=40 RealMemory=187000 Gres=gpu:2\n\
        PartitionName=batch Nodes=ALL Default=YES\nSelectTypeParameters=CR_Core_Memory";
    let events = "-dt 0 -e submit_batch_job | -J jobid_1 -sim-walltime 60 -t 10 -N 1 -n 32 --mem=180G --gres=gpu:2 \
        --exclusive x.job\n";
    let table = "JobID|State|Submit|Start|End|NNodes|AllocCPUS|ReqCPUS|ReqMem|Constraints\n\
        1|COMPLETED|1714982400|1714982400|1714982460|1|32|32|180Gn|:excl\n";
    let json = r#"{"jobs": [{"job_id": 1, "state": {"current": ["COMPLETED"]}, "required": {"CPUs": 32, "memory_per_node":
        {"set": true, "infinite": false, "number": 184320}}, "allocation_nodes": 1, "constraints": ":excl",
        "time": {"submission": 1714982400, "start": 1714982400, "end": 1714982460, "elapsed": 60, "limit": 10}}]}"#;
    let csv = "id,submit,start,end,cpus,nodes,mem_per_node,features\n1,0,0,60,32,1,180G,:excl\n";
    for text in [events, table, json, csv] {
        let trace = Arc::new(read("log", text.as_bytes(), BadLines::Stop).unwrap());
        for policy in ["easy", "slurm"] {
            let scenario = on("nodes", policy).with("cluster", LARGE);
            let run = run(&scenario, &trace);
            let schedule = run.schedule();
            let request = &schedule.workload.nodes.as_ref().unwrap().table[0];
            assert_eq!((request.per_node[1], request.per_task[1]), (184_320, 0));
            assert!(request.is_whole);
            let job = schedule.workload.ids().next().unwrap();
            assert!(schedule.wait(job).is_some(), "{policy}: {text}");
        }
    }
}

/// Each job asks for 50 GB of two nodes of 100 GB, with one task on one and two on the other. Two jobs fit at a time.
#[test]
fn memory_of_nodes_is_shared_between_jobs() {
    let line = |job: u32, size: &str| {
        format!("-dt 0 -e submit_batch_job | -J jobid_{job} -sim-walltime 60 -t 1 {size} x.job\n")
    };
    let text: String = (1..=3)
        .map(|job| line(job, "-N 2 -n 3 --mem=50G"))
        .collect();
    // Without a number of nodes, too: 60 GB fit once on a node.
    let any: String = (1..=3).map(|job| line(job, "-n 1 --mem=60G")).collect();
    for text in [text, any] {
        let trace = Arc::new(read("log", text.as_bytes(), BadLines::Stop).unwrap());
        let starts = |memory: &str| -> Vec<f64> {
            let cluster = "NodeName=a[1-2] CPUs=8 RealMemory=102400";
            let scenario = on("nodes", "easy")
                .with("cluster", cluster)
                .with("memory", memory);
            let run = run(&scenario, &trace);
            let schedule = run.schedule();
            let waits = schedule
                .workload
                .ids()
                .map(|job| schedule.wait(job).unwrap().seconds());
            waits.collect()
        };
        assert_eq!(starts("requested"), [0.0, 0.0, 60.0]);
        assert_eq!(starts("none"), [0.0; 3]);
        // The log tells no memory that was used.
        assert_eq!(starts("used"), [0.0; 3]);
    }
}

/// A log with nodes, and with the least number of nodes. A line has: run time, processors, nodes, least nodes.
fn log_of_least_nodes(lines: &[[i64; 4]]) -> Trace {
    let mut text = String::from(
        "; Note: written by Schedscope 0\n; MaxProcs: 64\n\
            ; Field 19: Nodes (column nodes, numbers)\n\
            ; Field 20: Least nodes (column least_nodes, numbers)\n",
    );
    for (number, [run, processors, nodes, least]) in (1..).zip(lines) {
        writeln!(
            text,
            "{number} {number} -1 {run} {processors} -1 -1 {processors} {run} -1 1 1 1 -1 1 -1 -1 -1 {nodes} {least}"
        )
        .unwrap();
    }
    read("log", text.as_bytes(), BadLines::Stop).unwrap()
}

#[test]
fn a_job_that_asked_for_fewer_nodes_than_it_had_gets_so_many_or_more() {
    let (nodes, rules) = requests(&log_of_least_nodes(&[
        [30, 20, 3, 1],
        [30, 20, 3, 2],
        [30, 20, 3, -1],
        [30, 2, 2, 3],
        [30, 20, -1, 2],
    ]));
    let of = |job: usize| {
        let one = &nodes.table[nodes.of[job] as usize];
        let bounds = (one.least_nodes, one.most_nodes, one.most_tasks);
        (bounds, one.asked_nodes)
    };
    let any = u32::MAX;
    assert_eq!(of(0), ((1, any, any), None));
    assert_eq!(of(1), ((2, 3, any), Some([2, 3])));
    assert_eq!(of(2), ((3, 3, 7), Some([3, 3])));
    assert_eq!(of(3), ((2, 2, 1), Some([2, 2])));
    assert_eq!(of(4), ((2, any, any), Some([2, 0])));
    assert!(
        rules.contains(&("nodes_at_least".to_owned(), 3)),
        "{rules:?}"
    );
}

/// Job 1 takes the first node, and two cores of the second. Job 2 had two nodes, but asked for one: it starts on
/// the second. If it asks for two, it waits.
#[test]
fn such_a_job_starts_where_it_fits() {
    const TWO: &str = "NodeName=a[1-2] CPUs=8\nPartitionName=batch Nodes=ALL Default=YES";
    for (policy, slack) in [("fcfs", 0.0), ("easy", 0.0), ("slurm", 10.0)] {
        let wait = |least: i64| -> f64 {
            let trace = log_of_least_nodes(&[[3600, 10, -1, -1], [3600, 6, 2, least]]);
            let scenario = on("nodes", policy).with("cluster", TWO);
            let run = run(&scenario, &Arc::new(trace));
            let schedule = run.schedule();
            let second = schedule.workload.ids().nth(1).unwrap();
            schedule.wait(second).unwrap().seconds()
        };
        assert!(wait(1) <= slack, "{policy}: {}", wait(1));
        for least in [-1, 2] {
            assert!(wait(least) > 3500.0, "{policy}, {least}: {}", wait(least));
        }
    }
}

/// The reservation keeps the first node for jobs that name it. Job 1 runs on the second node, job 2 on the first.
/// Job 3 names the reservation too: under Slurm it waits for the first node, under EASY it takes any.
#[test]
fn a_job_of_a_reservation_may_use_its_nodes() {
    const KEPT: &str = "NodeName=a[1-2] CPUs=8\nPartitionName=batch Nodes=ALL Default=YES\n\
        ReservationName=course StartTime=0 Duration=2:00:00 Nodes=a1 Users=nobody";
    let log = |named: &str| {
        let head = "; Note: written by Schedscope 0\n; MaxProcs: 16\n\
            ; Field 19: Reservation (column reservation, words)\n";
        let jobs = [(600, "-1"), (1800, named), (1800, named)];
        let lines: Vec<String> = (1..)
            .zip(jobs)
            .map(|(number, (run, name))| {
                format!("{number} {number} -1 {run} 8 -1 -1 8 {run} -1 1 1 1 -1 1 -1 -1 -1 {name}")
            })
            .collect();
        let text = format!("{head}{}\n", lines.join("\n"));
        Arc::new(read("log", text.as_bytes(), BadLines::Stop).unwrap())
    };
    let waits = |policy: &str, named: &str| -> Vec<f64> {
        let scenario = on("nodes", policy).with("cluster", KEPT);
        let run = run(&scenario, &log(named));
        let schedule = run.schedule();
        let ids = schedule.workload.ids();
        ids.map(|job| schedule.wait(job).unwrap().seconds())
            .collect()
    };
    let near = |found: &[f64], expected: [f64; 3], slack: f64| {
        let is_near = |(found, expected): (&f64, f64)| (0.0..slack).contains(&(found - expected));
        assert!(found.iter().zip(expected).all(is_near), "{found:?}");
    };
    near(&waits("easy", "course"), [0.0, 0.0, 598.0], 1.0);
    near(&waits("slurm", "course"), [0.0, 0.0, 1795.0], 40.0);
    // A reservation that is not there: the jobs wait for the second node.
    near(&waits("easy", "other"), [0.0, 599.0, 2398.0], 1.0);
    let scenario = on("nodes", "easy").with("cluster", KEPT);
    let workload = scenario.resolve().unwrap().workload(&log("other")).unwrap();
    assert_eq!(workload.report.of("nodes_without_reservation"), 2);
}

#[test]
fn jobs_that_can_never_start_are_counted() {
    let (nodes, rules) = requests(&log(&[
        [0, 60, 1, -1, 1, -1, -1],
        // Nine processors on one node.
        [0, 60, 9, -1, 1, 1, -1],
        // 101 MB for a processor.
        [0, 60, 1, 101 * 1024, 1, -1, -1],
        // A node with five GPUs.
        [0, 60, 1, -1, 2, 1, 5],
        // Longer than the minute of its partition.
        [0, 61, 1, -1, 1, -1, -1],
        // More nodes than processors.
        [0, 60, 2, -1, 1, 4, -1],
    ]));
    assert_eq!(nodes.of.len(), 2);
    let skipped: Vec<(&str, u64)> = rules
        .iter()
        .filter(|(id, _)| id.starts_with("nodes_"))
        .map(|(id, count)| (id.as_str(), *count))
        .collect();
    for id in [
        "nodes_cores",
        "nodes_memory",
        "nodes_gpus",
        "nodes_time",
        "nodes_lowered",
    ] {
        assert!(skipped.contains(&(id, 1)), "{id}: {skipped:?}");
    }
}

#[test]
fn features_name_the_nodes_that_serve() {
    let text = "; MaxProcs: 16\n; 0: job\n; 20: required_properties (a word)\n\
        1 0 -1 60 8 -1 -1 8 60 -1 1 1 1 -1 1 -1 -1 -1 0 60 fast:excl:1x8\n\
        2 0 -1 60 1 -1 -1 1 60 -1 1 1 1 -1 1 -1 -1 -1 0 60 all\n\
        3 0 -1 60 1 -1 -1 1 60 -1 1 1 1 -1 1 -1 -1 -1 0 60 slow\n\
        4 0 -1 60 1 -1 -1 1 60 -1 1 1 1 -1 1 -1 -1 -1 0 60 fast|slow\n";
    let trace = read("log", text.as_bytes(), BadLines::Stop).unwrap();
    let cluster = "NodeName=a CPUs=8\nNodeName=b CPUs=8 Feature=big,fast";
    let scenario = on("nodes", "fcfs").with("cluster", cluster);
    let workload = scenario.resolve().unwrap().workload(&trace).unwrap();
    let nodes = workload.nodes.as_ref().unwrap();
    let of: Vec<(u64, bool)> = nodes
        .of
        .iter()
        .map(|at| &nodes.table[*at as usize])
        .map(|request| (request.features, request.is_whole))
        .collect();
    assert_eq!(of, [(2, true), (0, false), (0, false)]);
    let rules = &workload.report.rules;
    for id in ["nodes_features", "nodes_without_features"] {
        assert!(
            rules.iter().any(|rule| rule.id == id && rule.count == 1),
            "{rules:?}"
        );
    }
}

#[test]
fn nodes_are_inferred_from_the_log() {
    let trace = log(&[[0, 60, 24, -1, 1, 3, 6], [0, 60, 4, -1, 1, -1, -1]]);
    let scenario = on("nodes", "easy");
    let workload = scenario.resolve().unwrap().workload(&trace).unwrap();
    let cluster = &workload.nodes.as_ref().unwrap().cluster;
    assert_eq!((cluster.nodes(), cluster.cores()), (8, 64));
    assert_eq!(cluster.amounts(0)[..3], [8, u32::MAX, 2]);
    let says = "cluster: inferred from the log: 8 nodes of 8 cores";
    let steps = &workload.provenance.steps;
    assert!(steps.iter().any(|step| step.starts_with(says)), "{steps:?}");
}

#[test]
fn the_resource_that_was_short_is_told() {
    let cluster = "NodeName=a[1-2] CPUs=4 RealMemory=8 Gres=gpu:1";
    let scenario = on("nodes", "priority").with("cluster", cluster);
    // One after the other the first four jobs take all memory, all GPUs, and a core of each node.
    let trace = log(&[
        [0, 100, 2, 7 * 1024, 1, 2, -1],
        [0, 100, 2, 0, 1, 2, 2],
        [1, 10, 1, 2 * 1024, 1, -1, -1],
        [1, 10, 1, 0, 1, 1, 1],
        [1, 10, 3, 0, 1, 1, -1],
        [1, 10, 5, 0, 1, -1, -1],
    ]);
    let resolved = scenario.resolve().unwrap();
    let workload = Arc::new(resolved.workload(&trace).unwrap());
    let mut teller = StoryTeller::new(Arc::clone(&workload));
    resolved
        .simulation(Arc::clone(&workload), Placements::Recorded)
        .run(&mut teller);
    let story = teller.into_story();
    let waiting: Vec<(u32, Why)> = story.steps[1]
        .waiting
        .iter()
        .map(|(job, why)| (job.0, *why))
        .collect();
    assert_eq!(
        waiting,
        [
            (2, Why::Nodes { short: 1 }),
            (3, Why::Nodes { short: 2 }),
            (4, Why::Nodes { short: 0 }),
            (5, Why::Processors { free: 4 }),
        ]
    );
}

#[test]
fn what_would_eat_the_machine_is_refused() {
    let mut trace = log(&[[0, 60, 1, -1, 1, -1, -1]]);
    trace.header = vec!["; MaxProcs: 16777216".into()];
    let resolved = on("nodes", "fcfs").resolve().unwrap();
    let problem = resolved.workload(&trace).unwrap_err();
    assert!(problem.what.contains("16777216 nodes"), "{problem}");
    let mut many = String::from("NodeName=n[1-100000]\n");
    (0..11).for_each(|at| writeln!(many, "PartitionName=p{at}").unwrap());
    for (cluster, says) in [
        (many.as_str(), "partitions"),
        ("NodeName=n[1-200000]", "hosts"),
    ] {
        let problem = on("nodes", "fcfs").with("cluster", cluster).resolve();
        let problem = problem.err().unwrap();
        assert!(problem.what.contains(says), "{problem}");
    }
    let in_nodes = on("nodes", "fcfs").with("sizes", "nodes").resolve();
    assert!(in_nodes.err().unwrap().what.contains("sizes=nodes"));
}

#[test]
fn stranded_resources_are_measured() {
    // The first job takes all cores of the node with GPUs for 60 s, and its 4 GPUs stay idle. The
    // second one then uses two of them for 40 s.
    let trace = log(&[[0, 60, 8, -1, 1, 1, -1], [60, 40, 4, -1, 1, 1, 2]]);
    let scenario = on("nodes", "fcfs").with("cluster", "NodeName=g CPUs=8 Gres=gpu:4");
    let resolved = scenario.resolve().unwrap();
    let workload = Arc::new(resolved.workload(&trace).unwrap());
    let figures = measure(&schedule(&scenario, &workload), &Settings::default()).figures;
    assert!((figures["node_use.gpus"] - 0.2).abs() < 1e-12);
    assert!((figures["node_stranded.gpus"] - 0.6).abs() < 1e-12);
    assert_eq!(figures["node_use.memory"], 0.0);
    // Nothing is never written as "-0".
    for (key, figure) in &figures {
        assert!(*figure != 0.0 || figure.is_sign_positive(), "{key}");
    }
}

/// The two classes of sizes hold different parts of the memory and the GPUs, which add up to those of the
/// run.
#[test]
fn classes_hold_memory_and_gpus() {
    let trace = log(&[
        [0, 60, 8, 1024, 1, 1, -1],
        [60, 40, 4, 2048, 1, 1, 2],
        [60, 40, 4, -1, 1, 1, 1],
    ]);
    let scenario = on("nodes", "fcfs")
        .with("cluster", "NodeName=g CPUs=8 RealMemory=16 Gres=gpu:4")
        .with("memory", "requested");
    let resolved = scenario.resolve().unwrap();
    let workload = Arc::new(resolved.workload(&trace).unwrap());
    let schedule = schedule(&scenario, &workload);
    let settings = Settings::default();
    let classes = measure_classes(&schedule, &settings, Grouping::Size);
    let held = |class: usize| {
        let figures = &classes[class].figures;
        [figures["node_use.memory"], figures["node_use.gpus"]]
    };
    assert_eq!(classes.len(), 2);
    // The node has 16 MB and 4 GPUs for 100 s. The small jobs hold 8 MB and 3 GPUs for 40 s, the large one
    // 8 MB for 60 s.
    for (class, memory, gpus) in [(0, 0.2, 0.3), (1, 0.3, 0.0)] {
        let [of_memory, of_gpus] = held(class);
        assert!((of_memory - memory).abs() < 1e-12, "{of_memory}");
        assert!((of_gpus - gpus).abs() < 1e-12, "{of_gpus}");
    }
    let all = measure(&schedule, &settings).figures;
    assert!((all["node_use.memory"] - 0.5).abs() < 1e-12);
    assert!((all["node_use.gpus"] - 0.3).abs() < 1e-12);
}

#[test]
fn pictures_show_what_nodes_give() {
    let trace = log(&[[0, 60, 12, 1024, 1, 2, -1], [1, 60, 4, -1, 2, 1, 3]]);
    let resolved = on("nodes", "fcfs")
        .with("cluster", CLUSTER)
        .resolve()
        .unwrap();
    let mut session = Session::new(resolved.run(Arc::new(trace)).unwrap());
    while !session.advance(1000) {}
    let mut ask = |question: serde_json::Value| session.show(question, LOOK).unwrap();
    let cluster = ask(serde_json::json!({ "ask": "cluster" }));
    assert_eq!(cluster["kinds"][1]["first_core"], 32);
    let nodes = ask(serde_json::json!({ "ask": "nodes", "at": 2.0 }));
    assert_eq!(nodes["jobs"][0]["parts"][1]["used"][1], 6);
    // The second job has a whole node, with all its memory and GPUs.
    assert_eq!(nodes["jobs"][1]["parts"][0]["used"][2], 4);
    let uses = ask(serde_json::json!({ "ask": "resources", "from": 0.0, "to": 2.0, "count": 1 }));
    assert_eq!(uses[2]["resource"], "gpu");
}

/// Two nodes of three GPUs. The first job has two of each, the second one, the third waits for the first.
#[test]
fn timelines_have_a_row_for_each_gpu() {
    let trace = log(&[
        [0, 60, 4, -1, 1, 2, 4],
        [10, 80, 1, -1, 1, 1, 1],
        [20, 40, 1, -1, 1, 1, 3],
    ]);
    let resolved = on("nodes", "fcfs")
        .with("cluster", "NodeName=a[1-2] CPUs=4 Gres=gpu:3")
        .resolve()
        .unwrap();
    let mut session = Session::new(resolved.run(Arc::new(trace)).unwrap());
    while !session.advance(1000) {}
    assert_eq!(session.facts().gpus, 6);
    let picture = Picture {
        window: Viewport {
            from: Time::ZERO,
            to: Time::from_seconds(200),
            top: 0.0,
            bottom: 6.0,
        },
        size: (200, 6),
        rows: RowsBy::Gpus,
    };
    let boxes = session.visible(&picture, 100).unwrap();
    let boxes: Vec<[f64; 5]> = boxes
        .chunks(6)
        .map(|found| [found[0], found[2], found[3], found[4], found[5]])
        .collect();
    // Job, from, to, first GPU, GPUs.
    assert_eq!(
        boxes,
        [
            [0.0, 0.0, 60.0, 0.0, 2.0],
            [0.0, 0.0, 60.0, 3.0, 2.0],
            [1.0, 10.0, 90.0, 2.0, 1.0],
            [2.0, 60.0, 100.0, 3.0, 3.0],
        ]
    );
    assert_eq!(
        session.job(0).unwrap().gpus.unwrap().ranges,
        [(0, 2), (3, 2)]
    );
    let mut at = |time: f64, height: f64| session.job_at(time, height, 1.0, RowsBy::Gpus);
    assert_eq!(at(30.0, 2.5), Some(1));
    assert_eq!(at(30.0, 5.5), None);
    assert_eq!(at(70.0, 5.5), Some(2));
    assert_eq!(at(70.0, 6.5), None);
    let window = Viewport {
        top: 2.0,
        bottom: 4.0,
        ..picture.window
    };
    let area = session.area(&window, RowsBy::Gpus);
    assert_eq!((area.jobs, area.work), (3, 180.0));
    let pixels = session.raster(&picture, [1, 2, 3], LOOK);
    let is_free = |x: usize, y: usize| pixels[4 * (200 * y + x)..][..3] == [1, 2, 3];
    assert!(is_free(30, 5) && !is_free(70, 5) && !is_free(30, 4) && is_free(95, 2));
}

/// On random workloads each attempt holds as many GPUs of each node as the job asks for, and no GPU has two
/// attempts at once. Each attempt has the lowest ones that are free.
#[test]
fn gpus_of_attempts_are_apart() {
    let mut shown = 0;
    for seed in 0..60 {
        let mut stream = Stream::new(seed, "gpu rows");
        let mut at = 0;
        let jobs: Vec<[i64; 7]> = (0..80)
            .map(|_| {
                at += stream.below(20) as i64;
                let nodes = 1 + stream.below(3) as i64;
                let cores = nodes * (1 + stream.below(4) as i64);
                let gpus = stream.below(4) as i64 - 1;
                [at, stream.below(90) as i64, cores, -1, 1, nodes, gpus]
            })
            .collect();
        let cluster = "NodeName=a[1-3] CPUs=8 Gres=gpu:4\nNodeName=b[1-2] CPUs=6 Gres=gpu:3";
        let scenario = on("nodes", ["fcfs", "easy"][seed as usize % 2]).with("cluster", cluster);
        let workload = Arc::new(scenario.resolve().unwrap().workload(&log(&jobs)).unwrap());
        let schedule = schedule(&scenario, &workload);
        let rows = schedule.own.unit_rows(&schedule).unwrap();
        let needs = workload.nodes.as_ref().unwrap();
        let node_of = |gpu: u32| {
            if gpu < 12 {
                gpu / 4
            } else {
                3 + (gpu - 12) / 3
            }
        };
        let attempts: Vec<Attempt> = schedule.attempts().collect();
        let gpus = |attempt: &Attempt| -> Vec<u32> {
            let ranges = rows.of(*attempt).iter();
            ranges.flat_map(|range| range.first..range.end()).collect()
        };
        for attempt in attempts.iter().filter(|one| one.from < one.end) {
            let own = gpus(attempt);
            shown += own.len();
            assert!(own.is_sorted());
            let request = &needs.table[needs.of[attempt.job.index()] as usize];
            let mut cores = [0; 5];
            for range in schedule.at(attempt.placed).ranges {
                for core in range.first..range.end() {
                    cores[if core < 24 {
                        core / 8
                    } else {
                        3 + (core - 24) / 6
                    } as usize] += 1;
                }
            }
            let others: Vec<u32> = attempts
                .iter()
                .filter(|other| {
                    other.place < attempt.place
                        && other.from < other.end
                        && other.end > attempt.from
                })
                .flat_map(gpus)
                .collect();
            for (node, cores) in (0..).zip(cores) {
                let here: Vec<u32> = own
                    .iter()
                    .copied()
                    .filter(|gpu| node_of(*gpu) == node)
                    .collect();
                let wanted = if cores == 0 {
                    0
                } else {
                    request.used(request.tasks_of(cores))[2]
                };
                assert_eq!(here.len(), wanted as usize, "seed {seed}, {attempt:?}");
                let lowest = (0..18).filter(|gpu| node_of(*gpu) == node && !others.contains(gpu));
                let lowest: Vec<u32> = lowest.take(here.len()).collect();
                assert_eq!(here, lowest, "seed {seed}, {attempt:?}");
            }
        }
    }
    assert!(shown > 2000, "{shown}");
}

#[test]
fn pictures_show_all_periods() {
    let trace = log(&[
        [0, 60, 1, -1, 1, 1, -1],
        [3500 * 86_400, 60, 1, -1, 1, 1, -1],
    ]);
    let cluster = "NodeName=a[1-2] CPUs=4; \
        ReservationName=daily Nodes=a2 StartTime=0 Duration=60 Flags=DAILY";
    let resolved = on("nodes", "fcfs").with("cluster", cluster).resolve();
    let mut session = Session::new(resolved.unwrap().run(Arc::new(trace)).unwrap());
    while !session.advance(1000) {}
    let question = serde_json::json!({ "ask": "cluster" });
    let cluster = session.show(question, LOOK).unwrap();
    let periods = cluster["advance"][0]["periods"].as_array().unwrap();
    assert_eq!(periods.len(), 3501);
    assert_eq!(periods[3500][0], 3500.0 * 86_400.0);
}

/// The header of an archive's log names queues or partitions by their numbers.
#[test]
fn the_header_of_a_plain_log_names_partitions() {
    let of = |header: &str, queue: i64, partition: i64| {
        let text = format!(
            "; MaxProcs: 8\n{header}1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 -1 {queue} {partition} -1 -1\n"
        );
        let trace = read("log", text.as_bytes(), BadLines::Stop).unwrap();
        let cluster =
            "NodeName=a[1-2] CPUs=4; PartitionName=one Nodes=a1; PartitionName=two Nodes=a2";
        let scenario = on("nodes", "fcfs").with("cluster", cluster);
        let workload = scenario.resolve().unwrap().workload(&trace).unwrap();
        let noted = workload.report.of("nodes_partition");
        (workload.nodes.unwrap().table[0].partitions, noted)
    };
    assert_eq!(of("; Queue: 5 two (wide jobs)\n", 5, -1), (2, 0));
    assert_eq!(of("; Partition: 3 \"one\" 4\n", 5, 3), (1, 0));
    assert_eq!(of("; Queue: 5 short\n; Partition: 3 two\n", 5, 3), (2, 0));
    assert_eq!(of("; Queue: 5 short\n", 5, 3), (3, 1));
}
