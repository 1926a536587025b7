//! The fat tree: hosts under edge switches, edge switches in pods. Any free hosts serve a job, and
//! it gets whole switches first.
//!
//! M. Al-Fares, A. Loukissas and A. Vahdat, "A scalable, commodity data center network
//! architecture", SIGCOMM 2008, section 3. The tree has three levels of switches with k ports each.
//! It has k pods of k/2 edge switches with k/2 hosts each, k^3 / 4 hosts in all.

mod audit;
mod figures;
mod record;
mod space;
#[cfg(test)]
mod tests;
mod tree;

pub use record::FatTreeRecord;
pub use tree::Tree;

use super::shared::{Dedicated, MachineSpec, asks_no_more, has_no_pictures, start_delay};
use crate::machine::{Fit, Machine, Offer};
use crate::metrics::{Better, MetricSpec, Unit};
use crate::param::{Settings, Typed, whole};
use crate::problem::Problem;
use crate::time::Span;
use space::{FatTree, Placing};

const PORTS: Typed<i64> = whole("ports", "Ports of a switch", 2..=64, 8)
    .unit("ports")
    .help("An even number k; the tree has k pods of k/2 edge switches with k/2 hosts each");

const PLACING: Typed<Placing> = Placing::param("placing", "Hosts of a job", Placing::Switches)
    .help("Rule that chooses among the free hosts");

const DELAY: Typed<i64> = start_delay(0);

const METRICS: &[MetricSpec] = &[MetricSpec {
    id: "spread",
    name: "Spread over switches",
    unit: Unit::Number,
    units: &[("pods", Unit::Share)],
    better: Better::Lower,
    help: "Mean over jobs of the edge switches of a job over the least number for its size; share \
        of jobs in several pods although their size fits into one pod",
    figures: &["switches", "pods"],
}];

/// Description of the fat tree.
pub const SPEC: MachineSpec = MachineSpec {
    id: "fat_tree",
    name: "Fat tree",
    summary: "Hosts under edge switches in pods; a job gets any free hosts, whole switches first, \
        and has them to itself until it ends.",
    only_whole: false,
    offer: Offer {
        fit: Fit::Anywhere,
        processes: false,
        at_once: false,
        moves: false,
        records: false,
    },
    small: &[("ports", 4.0)],
    params: &[PORTS.param, PLACING.param, DELAY.param],
    metrics: METRICS,
    capacity: |settings| Some(tree(settings).hosts()),
    check,
    slots: |_| 1,
    prepare: asks_no_more,
    record: |settings| Box::new(FatTreeRecord::new(tree(settings), settings.get(&PLACING))),
    show: has_no_pictures,
    build: |_, settings, _| Machine {
        space: Box::new(FatTree::new(tree(settings), settings.get(&PLACING))),
        execution: Box::new(Dedicated::after(Span::from_seconds(settings.get(&DELAY)))),
    },
};

fn tree(settings: &Settings) -> Tree {
    Tree::new(settings.get(&PORTS) as u32)
}

fn check(settings: &Settings, _: bool) -> Result<(), Problem> {
    let ports = settings.get(&PORTS);
    if ports % 2 == 0 {
        return Ok(());
    }
    Err(Problem::new(
        format!("`ports={ports}` is odd."),
        "Half of a switch's ports lead down to hosts and half lead up.",
        format!("Choose {} or {}.", ports - 1, ports + 1),
    ))
}
