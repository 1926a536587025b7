//! Runs of consecutive nodes, which both plugins choose from.

use super::super::choice::NodeBounds;

/// Nodes with consecutive numbers. Required nodes belong to a run, but not to its counts.
#[derive(Clone, Debug)]
pub(super) struct NodeRun {
    pub first: usize,
    pub last: usize,
    pub cpus: i64,
    pub count: i64,
    /// The first required node.
    pub required: Option<usize>,
    pub weight: i64,
}

impl NodeRun {
    pub fn at(node: usize, weight: i64) -> Self {
        Self {
            first: node,
            last: node,
            cpus: 0,
            count: 0,
            required: None,
            weight,
        }
    }
}

/// True if so many nodes are enough where `left` are still to be found (`_enough_nodes`).
pub(super) fn is_enough(nodes: i64, left: i64, bounds: NodeBounds) -> bool {
    let needed = if bounds.wanted > bounds.least {
        left + bounds.least - bounds.wanted
    } else {
        left
    };
    nodes >= needed
}

/// Returns the nodes of a run in the order in which they are taken: from the first required one up,
/// then from it down; without a required one from the first up.
pub(super) fn order_of(run: &NodeRun) -> impl Iterator<Item = usize> + use<> {
    let from = run.required.unwrap_or(run.first);
    let below = if run.required.is_some() {
        run.first..from
    } else {
        0..0
    };
    (from..=run.last).chain(below.rev())
}
