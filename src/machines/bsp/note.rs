//! The notes that a cluster tells its record.

use super::cluster::Class;
use crate::job::JobId;
use crate::time::Time;

/// A change of a process to another class.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// The job of the process.
    pub job: JobId,
    /// Number of the process in its job.
    pub rank: u32,
    /// Instant of the change.
    pub at: Time,
    /// The new class.
    pub class: Class,
}

/// Computing times of the processes of a job that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worked {
    /// The job that ended.
    pub job: JobId,
    /// Computing time of each process, in microseconds, in the order of its processors.
    pub computed: Box<[i64]>,
}
