//! The abilities of a machine that a policy may need.

/// The condition under which a job fits on a machine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// A job fits if enough processors are free, whichever they are.
    Anywhere,
    /// A job fits if enough processors are free in one row, whichever they are.
    InARow,
    /// A job fits if a partition of its size is free.
    Partition,
    /// A job fits if nodes have the resources left that it asks for.
    Nodes,
}

/// The abilities of a machine that a policy may need.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an ability of its own"
)]
pub struct Offer {
    /// The condition under which a job fits.
    pub fit: Fit,
    /// True if the machine simulates the processes of jobs. A run time then only tells roughly how
    /// long a job takes on processors of its own.
    pub processes: bool,
    /// True if jobs in different rows run at the same time.
    pub at_once: bool,
    /// True if the machine can move running jobs.
    pub moves: bool,
    /// True if a schedule that was recorded elsewhere can be shown on the machine.
    pub records: bool,
}
