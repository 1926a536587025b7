//! The fat tree: hosts under edge switches, edge switches in pods. Any free hosts serve a job, and
//! it gets whole switches first.
//!
//! M. Al-Fares, A. Loukissas and A. Vahdat, "A scalable, commodity data center network
//! architecture", SIGCOMM 2008, section 3: a tree of three levels of switches with k ports each has
//! k pods of k/2 edge switches of k/2 hosts, k^3 / 4 hosts in all.

mod audit;
mod figures;
mod record;
mod space;
#[cfg(test)]
mod tests;
mod tree;

pub use record::FatTreeRecord;
pub use tree::Tree;

use super::shared::{Dedicated, MachineSpec, START_DELAY};
use crate::machine::{Fit, Machine, Offer};
use crate::metrics::{Better, MetricSpec};
use crate::param::{Choice, Kind, Param, Settings};
use crate::problem::Problem;
use crate::time::Span;
use space::{FatTree, Placing};

const PORTS: Param = Param {
    key: "ports",
    name: "Ports of a switch",
    kind: Kind::Whole {
        min: 2,
        max: 64,
        default: Some(8),
    },
    unit: "ports",
    when: None,
    help: "k, an even number: there are k pods of k/2 edge switches of k/2 hosts",
};

const PLACING: Param = Param {
    key: "placing",
    name: "Hosts of a job",
    kind: Kind::Choice {
        options: &[
            Choice {
                id: "switches",
                help: "as few switches as the free hosts allow, whole ones first",
            },
            Choice {
                id: "lowest",
                help: "the lowest free hosts, wherever they are",
            },
        ],
        default: "switches",
    },
    unit: "",
    when: None,
    help: "Which of the free hosts a job gets",
};

const DELAY: Param = Param {
    kind: Kind::Whole {
        min: 0,
        max: 86_400,
        default: Some(0),
    },
    ..START_DELAY
};

const METRICS: &[MetricSpec] = &[MetricSpec {
    id: "spread",
    name: "Spread over switches",
    unit: "",
    better: Better::Lower,
    help: "Mean over jobs of the edge switches of a job over the least that its size needs; share \
        of jobs that are in several pods although one pod has enough hosts for their size",
    figures: &["switches", "pods"],
}];

/// The machine's description.
pub const SPEC: MachineSpec = MachineSpec {
    id: "fat_tree",
    name: "Fat tree",
    summary: "Hosts under edge switches in pods; any free hosts serve a job, and it gets whole \
        switches first. It has them to itself until it ends.",
    offer: Offer {
        fit: Fit::Anywhere,
        processes: false,
        at_once: false,
        moves: false,
    },
    small: &[("ports", 4.0)],
    params: &[PORTS, PLACING, DELAY],
    metrics: METRICS,
    capacity: |settings| Some(tree(settings).hosts()),
    check,
    slots: |_| 1,
    record: |settings| Box::new(FatTreeRecord::new(tree(settings), placing(settings))),
    build: |_, settings, _| Machine {
        space: Box::new(FatTree::new(tree(settings), placing(settings))),
        execution: Box::new(Dedicated::after(Span::from_seconds(settings.whole(&DELAY)))),
    },
};

fn tree(settings: &Settings) -> Tree {
    Tree::new(settings.whole(&PORTS) as u32)
}

fn placing(settings: &Settings) -> Placing {
    match settings.choice(&PLACING) {
        "lowest" => Placing::Lowest,
        _ => Placing::Switches,
    }
}

fn check(settings: &Settings, _: bool) -> Result<(), Problem> {
    let ports = settings.whole(&PORTS);
    if ports % 2 == 0 {
        return Ok(());
    }
    Err(Problem::new(
        format!("`ports={ports}` is odd."),
        "Half of a switch's ports lead down to hosts and half lead up.",
        format!("Choose {} or {}.", ports - 1, ports + 1),
    ))
}
