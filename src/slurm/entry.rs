//! The queue of a pass, and its entries.

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

impl QueueEntry {
    /// True if another entry comes out the same in the same place: of its priority counts only whether it may have
    /// a reservation.
    pub fn is_like(&self, other: &Self, least: i64) -> bool {
        let ask = |entry: &Self| (entry.record, entry.partition, entry.task, entry.magnet);
        ask(self) == ask(other) && (self.priority < least) == (other.priority < least)
    }
}

/// The sorted queue of the last pass. A fork of the controller keeps nothing.
#[derive(Debug, Default)]
pub(super) struct LastQueue {
    pub entries: Vec<QueueEntry>,
    /// True for each record that has one entry, and the same in every queue until the record changes. Empty if
    /// entries are not taken over.
    pub settled: Vec<bool>,
}

impl Clone for LastQueue {
    fn clone(&self) -> Self {
        Self::default()
    }
}
