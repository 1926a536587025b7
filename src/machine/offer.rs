//! What a machine offers to policies.

/// When a job fits on a machine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// If enough processors are free, whichever they are.
    Anywhere,
    /// If enough are free in one of its rows, whichever they are.
    InARow,
    /// If a partition of its size is free.
    Partition,
}

/// What a machine offers to policies.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// When a job fits.
    pub fit: Fit,
    /// Whether it sees the processes of jobs: then a run time says about how long a job takes by
    /// itself.
    pub processes: bool,
    /// Whether jobs in different rows of it run at the same time.
    pub at_once: bool,
    /// Whether running jobs can be moved.
    pub moves: bool,
}
