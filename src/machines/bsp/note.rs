//! What a cluster tells its record.

use super::cluster::Class;
use crate::job::JobId;
use crate::time::Time;

/// From here on a process is of another class.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// Its job.
    pub job: JobId,
    /// Its number in the job.
    pub rank: u32,
    /// When.
    pub at: Time,
    /// The class.
    pub class: Class,
}

/// How long each process of a job that ended computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worked {
    /// The job.
    pub job: JobId,
    /// In microseconds, in the order of its processors.
    pub computed: Box<[i64]>,
}
