//! Partitions of a cluster: sets of nodes, which may overlap, with limits for their jobs.

use crate::time::Span;

/// A partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterPartition {
    /// Name of the partition.
    pub name: String,
    /// The longest requested time of its jobs, if there is a limit.
    pub max_time: Option<Span>,
    /// The requested time of a job that states none.
    pub default_time: Option<Span>,
    /// The least number of nodes of a job.
    pub least_nodes: u32,
    /// The largest number of nodes of a job.
    pub most_nodes: u32,
    /// Jobs of a partition with a higher tier go before those of other partitions.
    pub tier: u32,
    /// True if a job that names no partition belongs to this one.
    pub is_default: bool,
    /// False if no job of the partition can start.
    pub is_up: bool,
    /// True if each job gets whole nodes.
    pub is_exclusive: bool,
    /// Memory of a job that states none, in MB for each core.
    pub memory_per_core: Option<u32>,
    /// Memory of a job that states none, in MB on each node.
    pub memory_per_node: Option<u32>,
}

impl ClusterPartition {
    /// Returns a partition without limits.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            max_time: None,
            default_time: None,
            least_nodes: 1,
            most_nodes: u32::MAX,
            tier: 1,
            is_default: false,
            is_up: true,
            is_exclusive: false,
            memory_per_core: None,
            memory_per_node: None,
        }
    }
}
