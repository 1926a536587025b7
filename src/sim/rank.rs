//! The rank of a waiting job: its priority with its parts, its place in the queue, and the findings of
//! each scheduler that came to it.

use crate::job::JobId;
use crate::time::Time;

/// The rank of a waiting job at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobRank {
    /// The priority by which the queue is ordered.
    pub priority: f64,
    /// The parts that the priority is the sum of, by name, each with its weight. Empty if it has none.
    pub parts: Vec<(&'static str, f64)>,
    /// The place among the jobs that wait, from 1.
    pub place: u32,
    /// The number of jobs that wait.
    pub waiting: u32,
    /// The last look of each scheduler at the job.
    pub looks: Vec<SchedulerLook>,
}

/// A look of a scheduler at a waiting job.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SchedulerLook {
    /// Name of the scheduler.
    pub scheduler: &'static str,
    /// The instant.
    pub at: Time,
    /// The finding of the scheduler, as a clause after "the job".
    pub found: &'static str,
    /// The job that stands in the way.
    pub by: Option<JobId>,
    /// The start that the scheduler plans.
    pub planned: Option<Time>,
}
