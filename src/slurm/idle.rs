//! Passes of the backfill scheduler that need not run, because they would find what the last one found.

use super::reason::WaitReason;

/// The last pass of the backfill scheduler that started nothing. Until something happens, and before a
/// certain second, another pass would find the same.
#[derive(Clone, Debug)]
pub(super) struct IdlePass {
    /// The number of changes before the pass.
    pub changes: u64,
    pub until: i64,
    /// True if the pass noted a change, so that the next one does not sleep.
    pub is_change: bool,
    /// The notes in the records of waiting jobs that it read, and those that it left.
    pub before: Vec<PassNotes>,
    pub after: Vec<PassNotes>,
}

/// The notes that passes leave in the record of a waiting job. Main passes read and write most of them, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PassNotes {
    pub start: i64,
    pub planned: i64,
    pub limit: Option<i64>,
    pub reason: WaitReason,
    pub partition: usize,
    pub priority: i64,
    pub cpus: i64,
    pub node_guess: i64,
    pub blocking_qos: Option<usize>,
}
