//! Jobs that are placed by switches: cases worked out by hand, and what a run tells of them.

use super::preempting::{log, run};
use schedscope::experiment::Scenario;
use schedscope::job::JobId;
use schedscope::schedule::audit::audit;
use schedscope::slurm::{KeywordEffect, SlurmConf, keywords};
use std::fmt::Write;

/// Eight nodes of one core below three leaves of three, two and three nodes.
const CLUSTER: &str = "NodeName=n[1-8] CPUs=1 RealMemory=1000\n\
    PartitionName=low Nodes=ALL\nSwitchName=top Switches=a,b,c\nSwitchName=a Nodes=n[1-3]\n\
    SwitchName=b Nodes=n[4-5]\nSwitchName=c Nodes=n[6-8],login LinkSpeed=7\n";

/// Returns the processors of each of these jobs, which come in this order and run side by side. Processor 0
/// belongs to the node `n1`.
fn places(sizes: &[i64], cluster: &str, conf: &str) -> Vec<Vec<u32>> {
    let lines = (0..).zip(sizes);
    let lines: Vec<_> = lines
        .map(|(place, size)| (place, 10_000, *size, 1, "x", 0))
        .collect();
    let run = run(&log(&lines), cluster, conf, "");
    let schedule = run.schedule();
    assert_eq!(audit(schedule, 3), Vec::<String>::new());
    let all = 0..sizes.len();
    all.map(|job| {
        let place = schedule.place_of(JobId(job as u32)).unwrap();
        let placement = schedule.placement(&schedule.order[place]);
        placement.columns().collect()
    })
    .collect()
}

/// A job comes below the smallest leaf that suffices, and below several leaves if none does.
#[test]
fn jobs_come_below_few_switches() {
    let [cores, linear] =
        ["cons_tres", "linear"].map(|plugin| format!("{CLUSTER}SelectType=select/{plugin}\n"));
    let tree = "TopologyPlugin=topology/tree";
    for cluster in [&cores, &linear] {
        assert_eq!(
            places(&[2, 3, 2], cluster, tree),
            [vec![3, 4], vec![0, 1, 2], vec![5, 6]],
            "{cluster}"
        );
        // Without the plugin, and if only jobs that ask for switches count: from the first node on.
        for conf in ["", &format!("{tree};TopologyParam=TopoOptional")] {
            assert_eq!(
                places(&[2, 3, 2], cluster, conf),
                [vec![0, 1], vec![2, 3, 4], vec![5, 6]],
                "{cluster}{conf}"
            );
        }
    }
    // Cores: all leaves fit for one more node, so that the smallest one comes first, and then the next.
    assert_eq!(places(&[4, 4], &cores, tree), [[0, 1, 3, 4], [2, 5, 6, 7]]);
    // Whole nodes: the leaves with the fewest CPUs come first.
    assert_eq!(
        places(&[4, 3], &linear, tree),
        [vec![0, 1, 3, 4], vec![5, 6, 7]]
    );
}

/// A job never has nodes of two trees, even if one of them has too few for it alone.
#[test]
fn a_job_stays_below_one_root() {
    for plugin in ["cons_tres", "linear"] {
        let cluster = format!(
            "NodeName=n[1-6] CPUs=1\nPartitionName=low Nodes=ALL\nSelectType=select/{plugin}\n\
                SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-6]\n"
        );
        let trace = log(&[
            (0, 100, 2, 1, "x", 0),
            (1, 50, 2, 1, "x", 0),
            (2, 50, 3, 1, "x", 0),
        ]);
        let run = run(&trace, &cluster, "TopologyPlugin=topology/tree", "");
        let schedule = run.schedule();
        assert_eq!(audit(schedule, 3), Vec::<String>::new());
        let place = schedule.place_of(JobId(2)).unwrap();
        let placement = schedule.placement(&schedule.order[place]);
        let columns: Vec<u32> = placement.columns().collect();
        assert!(
            columns.iter().all(|column| *column >= 2),
            "{plugin}: {columns:?}"
        );
    }
}

#[test]
fn what_does_not_fit_together_is_told() {
    let told = |cluster: &str, conf: &str| {
        let scenario = Scenario {
            machine: "nodes".into(),
            ..Scenario::new("slurm")
                .with("cluster", cluster)
                .with("conf", conf)
        };
        scenario.resolve().unwrap().not_modelled
    };
    let tree = "TopologyPlugin=topology/tree";
    assert_eq!(
        told(CLUSTER, tree),
        [
            "Names of nodes in lines `SwitchName` that the cluster does not have: 1. Nodes that no switch \
            reaches, so that no job gets them: 0."
        ]
    );
    assert_eq!(
        told(CLUSTER, "SelectType=select/linear"),
        ["Lines `SwitchName`, without effect because `TopologyPlugin` is not `topology/tree`: 4."]
    );
    let nodes = "NodeName=n[1-8] CPUs=1";
    assert_eq!(
        told(nodes, tree),
        [
            "`TopologyPlugin=topology/tree` without lines `SwitchName` of topology.conf: jobs are placed as \
            without switches."
        ]
    );
    for none in ["none", "default", "flat"] {
        let line = format!("TopologyPlugin=topology/{none}");
        assert_eq!(told(nodes, &line), Vec::<String>::new());
        let fact = keywords(&line).remove(0);
        assert_eq!(fact.effect, KeywordEffect::WithoutEffect, "{line}");
    }
    assert_eq!(
        told(&format!("{nodes}\nSwitchName=s Nodes=n[1-8]"), tree),
        Vec::<String>::new()
    );
    let mut effects = String::new();
    for text in [CLUSTER, nodes] {
        for conf in [
            tree,
            "TopologyParam=Dragonfly",
            "TopologyParam=NoInAddrAny,TopoOptional",
        ] {
            for fact in keywords(&format!("{text}\n{conf}")) {
                if fact.keyword.starts_with("Topology") || fact.keyword == "Switches" {
                    let _ = write!(effects, "{} {:?}; ", fact.keyword, fact.effect);
                }
            }
        }
    }
    assert_eq!(
        effects,
        "Switches Used; TopologyPlugin Used; Switches WithoutEffect; TopologyParam NotModelled; \
            Switches WithoutEffect; TopologyParam Used; TopologyPlugin NotModelled; \
            TopologyParam NotModelled; TopologyParam Used; "
    );
    let facts = keywords(tree);
    assert_eq!(facts[0].effect, KeywordEffect::Used);
}

#[test]
fn bad_switches_are_refused() {
    let lines = |count: usize, line: &dyn Fn(usize) -> String| {
        (0..count).map(line).collect::<Vec<String>>().join("\n")
    };
    let names = lines(2001, &|at| format!("SwitchName=s{at} Nodes=n1"));
    let wide = lines(11, &|at| format!("SwitchName=a{at} Nodes=n1,x[1-99999]"));
    let forward = lines(40, &|at| format!("SwitchName=c{at} Switches=c{}", at + 1));
    let chain = lines(40, &|at| {
        format!("SwitchName=c{} Switches=c{}", 39 - at, 40 - at)
    });
    for (bad, says) in [
        ("SwitchName=a", "either"),
        ("SwitchName=a Nodes=n1 Switches=b", "either"),
        ("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n1", "one line"),
        (
            "SwitchName=a Nodes=n1\nSwitchName=b Switches=c",
            "other switches",
        ),
        ("SwitchName=b Switches=b", "other switches"),
        (
            "SwitchName=a Switches=b\nSwitchName=b Switches=a",
            "no tree",
        ),
        ("SwitchName=a Nodes=n[1-", "bracket"),
        (
            &format!("{forward}\nSwitchName=c40 Nodes=n1"),
            "too many levels",
        ),
        (&names, "2001 switches"),
        (&wide, "names of nodes and switches"),
    ] {
        let text = format!(
            "TopologyPlugin=topology/tree\nNodeName=n1\nPartitionName=p Nodes=ALL\n{bad}\n"
        );
        let problem = SlurmConf::read(&text).unwrap_err();
        assert!(problem.to_string().contains(says), "{bad:.60}: {problem}");
        // Slurm does not read the file without the plugin.
        let text = text.replace("topology/tree", "topology/none");
        assert!(SlurmConf::read(&text).is_ok(), "{bad:.60}");
    }
    // Lines from the leaves up need one round, however many they are.
    let text = format!(
        "TopologyPlugin=topology/tree\nNodeName=n1\nPartitionName=p Nodes=ALL\nSwitchName=c40 Nodes=n1\n{chain}"
    );
    assert!(SlurmConf::read(&text).is_ok());
}
