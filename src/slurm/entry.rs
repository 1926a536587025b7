//! An entry of the queue of a pass.

/// A job in one of its partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QueueEntry {
    pub record: usize,
    pub partition: usize,
    pub priority: i64,
    pub task: Option<u32>,
    /// The magnetic reservation that the entry is for.
    pub magnet: Option<usize>,
}
