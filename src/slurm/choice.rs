//! Questions to the choice of nodes, and its answers.

use super::looks::JobFound;
use super::nodeset::NodeSet;
use super::record::NodeShare;

/// The numbers of nodes that a job may get.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeBounds {
    pub least: i64,
    pub most: i64,
    /// The number that the job wants.
    pub wanted: i64,
}

/// A question to the choice of nodes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum AskMode {
    /// Asks for the nodes that the job can have now.
    Run,
    /// Asks for its start and its nodes then. If `is_now`, only a start now counts.
    Will { is_now: bool },
    /// Asks for nodes as if nothing else ran.
    Test,
}

/// The nodes that were found.
#[derive(Clone, Debug)]
pub(super) struct ChosenNodes {
    pub nodes: NodeSet,
    /// The start that the mode `Will` found.
    pub start: i64,
    /// The CPUs on all nodes, if they follow without the shares.
    pub cpus: Option<i64>,
    /// Cores, CPUs and memory on each node (cons_tres, unless only tested).
    pub shares: Vec<NodeShare>,
    /// The cores on each node, as bits (gang scheduling only).
    pub cores: Vec<u64>,
    /// The running jobs that must be preempted first (only asked for a start now).
    pub victims: Vec<u32>,
}

/// The result of the try to start a job.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum StartOutcome {
    Started,
    /// Nodes that it could use are in use. It closes its partition.
    Busy,
    /// Its nodes are neither free nor in use: a closed partition has them.
    NotAvailable,
    Never,
    PartitionLimit,
    Held,
    /// Reservations keep the nodes that it needs, or its own reservation does not begin yet.
    Reserved,
    /// A limit of an association or of a QOS is reached.
    AccountLimit,
}

impl StartOutcome {
    /// Returns the outcome in the words for a job that is watched.
    pub fn found(self) -> JobFound {
        match self {
            Self::Started => JobFound::Started,
            Self::Busy => JobFound::Busy,
            Self::NotAvailable => JobFound::NotOpen,
            Self::Never => JobFound::Never,
            Self::PartitionLimit => JobFound::PartitionLimit,
            Self::Held => JobFound::NotQueued,
            Self::Reserved => JobFound::Reserved,
            Self::AccountLimit => JobFound::AccountLimit,
        }
    }
}
