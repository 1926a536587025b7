//! Passes of the backfill scheduler that need not run, because they would find what the last one found.

/// The last pass of the backfill scheduler that started nothing. Until something happens, and before a
/// certain second, another pass would find the same.
#[derive(Copy, Clone, Debug)]
pub(super) struct IdlePass {
    /// The number of changes before the pass.
    pub changes: u64,
    pub until: i64,
    /// True if the pass noted a change, so that the next one does not sleep.
    pub is_change: bool,
}
