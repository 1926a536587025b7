//! Nodes: a cluster as it is. Nodes of several kinds have cores, memory, GPUs and other resources;
//! jobs ask for some of them, and share nodes unless they ask for whole ones.
//!
//! docs/machines/nodes.md has the rules: how a cluster is described, and what a job asks for if its
//! log does not say it.

mod audit;
mod figures;
mod placing;
mod prepare;
mod record;
mod space;
mod timetable;
mod units;
mod view;

pub use placing::Placing;
pub use record::NodesRecord;
pub use view::{
    ClusterFacts, NodeJobFacts, NodeKindFacts, NodePart, NodesFacts, NodesQuestion, ResourceUse,
};

use super::shared::{Counted, Dedicated, MachineSpec, start_delay};
use crate::cluster::{self, Cluster, NOTHING, NodeRequest};
use crate::machine::{Fit, Machine, Offer};
use crate::metrics::{Better, MetricSpec, Unit};
use crate::param::{Settings, Typed, lines, words};
use crate::problem::Problem;
use crate::schedule::Nothing;
use crate::time::Span;
use crate::workload::Workload;
use crate::workload::clean::{SIZES, Sizes};
use space::NodeSpace;
use std::sync::Arc;

const CLUSTER: Typed<Option<String>> = lines("cluster", "Cluster").help(
    "Nodes and partitions in the words of slurm.conf, such as `NodeName=n[1-16] CPUs=32 \
        RealMemory=128000 Gres=gpu:4`; without it, nodes are inferred from the log",
);

words! {
    /// The choice between parts of nodes and whole nodes.
    enum Sharing {
        Shared = "shared": "jobs share nodes, unless their partition gives whole nodes",
        Whole = "whole": "every job gets whole nodes",
    }
}

const SHARING: Typed<Sharing> =
    Sharing::param("sharing", "Nodes of a job", Sharing::Shared).help("Whether jobs share nodes");

words! {
    /// The memory that a job asks for.
    enum MemoryOf {
        Requested = "requested": "the memory that the job requested",
        Used = "used": "the memory that the job used",
        None = "none": "no memory: it never decides whether a job fits",
    }
}

const MEMORY_OF: Typed<MemoryOf> =
    MemoryOf::param("memory", "Memory of a job", MemoryOf::Requested)
        .help("The memory of the log that a job asks for, for each of its processors or nodes");

const PLACING: Typed<Placing> = Placing::param("nodes_by", "Choice of nodes", Placing::First)
    .help("Rule that chooses among the nodes that can run a job");

const CARBON: Typed<Option<String>> = lines("carbon", "Carbon of power").help(
    "Grams of carbon dioxide of a kWh for each hour, from the zero of the log on: 1, 24 or 168 \
        numbers, which repeat; without them, no carbon is counted",
);

const DELAY: Typed<i64> = start_delay(0);

const METRICS: &[MetricSpec] = &[
    MetricSpec {
        id: "node_use",
        name: "Use of nodes",
        unit: Unit::Share,
        units: &[],
        better: Better::Higher,
        help: "Mean share of the cluster's memory, and of its GPUs, that running jobs hold, from \
            the first start to the last end",
        figures: &["memory", "gpus"],
    },
    MetricSpec {
        id: "node_stranded",
        name: "Stranded on nodes",
        unit: Unit::Share,
        units: &[],
        better: Better::Lower,
        help: "Mean share of the cluster's memory, and of its GPUs, that is free on nodes whose \
            cores or memory are all in use, so that no job can have it",
        figures: &["memory", "gpus"],
    },
    MetricSpec {
        id: "node_power",
        name: "Power of nodes",
        unit: Unit::Kilowatts,
        units: &[("energy", Unit::KilowattHours), ("carbon", Unit::Kilograms)],
        better: Better::Lower,
        help: "Mean and largest power of all nodes, their energy, and its carbon dioxide, from the \
            first start to the last end; 0 if no node has `IdleWatts` or `BusyWatts`",
        figures: &["mean", "peak", "energy", "carbon"],
    },
    MetricSpec {
        id: "preempted",
        name: "Preemptions",
        unit: Unit::Jobs,
        units: &[("requeues", Unit::Count)],
        better: Better::Lower,
        help: "Requeues of running jobs, jobs that were requeued, and jobs that were cancelled while \
            they ran; 0 under policies that do not preempt",
        figures: &["requeues", "jobs", "cancelled"],
    },
    MetricSpec {
        id: "suspended",
        name: "Suspensions",
        unit: Unit::Count,
        units: &[("jobs", Unit::Jobs), ("time", Unit::Seconds)],
        better: Better::Lower,
        help: "Suspensions of running jobs, jobs that were suspended, and the time for which they were, \
            summed over jobs; 0 under policies that do not suspend",
        figures: &["times", "jobs", "time"],
    },
    MetricSpec {
        id: "wasted",
        name: "Wasted by preemption",
        unit: Unit::Share,
        units: &[("work", Unit::Seconds)],
        better: Better::Lower,
        help: "Work of the attempts before a requeue, as a share of what the cores could have done \
            over the makespan, and in processor-seconds",
        figures: &["share", "work"],
    },
];

/// Description of the machine with nodes.
pub const SPEC: MachineSpec = MachineSpec {
    id: "nodes",
    name: "Nodes",
    summary: "A cluster as it is: kinds of nodes with cores, memory, GPUs and other resources, and \
        partitions of nodes. Jobs share nodes unless they ask for whole ones.",
    only_whole: true,
    offer: Offer {
        fit: Fit::Nodes,
        processes: false,
        at_once: false,
        moves: false,
        records: false,
    },
    small: &[],
    params: &[
        CLUSTER.param,
        SHARING.param,
        MEMORY_OF.param,
        PLACING.param,
        CARBON.param,
        DELAY.param,
    ],
    metrics: METRICS,
    capacity: |settings| described(settings)?.ok().map(|cluster| cluster.cores()),
    check: |settings, _| {
        if !IS_HERE {
            return Err(absent());
        }
        if settings.get(&SIZES) == Sizes::Nodes {
            return Err(Problem::new(
                "`sizes=nodes` has no meaning on the machine `nodes`.",
                "Here a processor is a core, and the nodes of a job are those of the log.",
                "Choose other sizes, or the flat machine.",
            ));
        }
        check_hours(settings)?;
        described(settings).map_or(Ok(()), |cluster| cluster.map(|_| ()))
    },
    slots: |_| 1,
    prepare: |workload, trace, settings| {
        if IS_HERE {
            prepare::prepare(workload, trace, settings)
        } else {
            Err(absent())
        }
    },
    record: |settings| {
        if IS_HERE {
            Box::new(NodesRecord::new(settings.get(&PLACING), hours(settings)))
        } else {
            Box::new(Nothing)
        }
    },
    show: |sight, question| {
        if IS_HERE {
            view::show(sight, question)
        } else {
            Err(absent())
        }
    },
    build: |workload, settings, _| Machine {
        space: if IS_HERE {
            let (cluster, requests) = needs(workload);
            let of = workload.nodes.as_ref().map(|nodes| nodes.of.as_slice());
            let of = of.unwrap_or_default();
            Box::new(NodeSpace::new(
                &cluster,
                &requests,
                of,
                settings.get(&PLACING),
            ))
        } else {
            Box::new(Counted::new(workload.all_processors()))
        },
        execution: Box::new(Dedicated::after(Span::from_seconds(settings.get(&DELAY)))),
    },
};

/// False in the engine with which the page begins: it only describes the machine.
const IS_HERE: bool = cfg!(feature = "clusters");

fn absent() -> Problem {
    Problem::new(
        "This engine has no machine with nodes.",
        "The page begins with a part of the engine, and loads all of it when it is needed.",
        "Load the page again.",
    )
}

/// Returns the grams of carbon dioxide of a kWh, by hour. Words that are no numbers are left out.
fn hours(settings: &Settings) -> Vec<f64> {
    let text = settings.get(&CARBON).unwrap_or_default();
    let words = text.split([',', ';', ' ', '\n', '\t']);
    let number = |word: &str| word.trim().parse::<f64>().ok();
    let is_right = |grams: &f64| (0.0..=1e6).contains(grams);
    words.filter_map(number).filter(is_right).collect()
}

/// Fails if the carbon of power is not a number for each hour of a day or of a week.
fn check_hours(settings: &Settings) -> Result<(), Problem> {
    let text = settings.get(&CARBON).unwrap_or_default();
    let words = text.split([',', ';', ' ', '\n', '\t']);
    let count = words.filter(|word| !word.trim().is_empty()).count();
    if [0, 1, 24, 168].contains(&count) && hours(settings).len() == count {
        return Ok(());
    }
    Err(Problem::new(
        "`carbon` cannot be read.",
        "It is one number from 0 to 1,000,000, or one for each hour of a day (24) or of a week \
            (168), with spaces or commas between them.",
        "Correct it, or leave it out.",
    ))
}

/// Returns the cluster that the settings describe; `None` if they do not.
fn described(settings: &Settings) -> Option<Result<Cluster, Problem>> {
    if !IS_HERE {
        return None;
    }
    let text = settings
        .get(&CLUSTER)
        .filter(|text| !text.trim().is_empty());
    text.map(|text| cluster::read(&text))
}

/// Returns the cluster and the different requests. A workload that says nothing of nodes runs on
/// nodes of one core.
fn needs(workload: &Workload) -> (Arc<Cluster>, Arc<Vec<NodeRequest>>) {
    match &workload.nodes {
        Some(nodes) => (Arc::clone(&nodes.cluster), Arc::clone(&nodes.table)),
        None => {
            let mut amounts = NOTHING;
            amounts[cluster::CORES] = 1;
            amounts[cluster::MEMORY] = cluster::UNLIMITED;
            (
                Arc::new(Cluster::uniform(workload.all_processors(), amounts)),
                Arc::default(),
            )
        }
    }
}
