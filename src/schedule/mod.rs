//! Schedules: what happened to which job, when, on which processors. The second of the two narrow waists.
//!
//! A schedule is folded from the events of a run into columns. Everything behind it (metrics, pictures, files) knows
//! nothing of policies.

pub mod audit;
mod digest;
pub mod files;
mod recorder;

pub use recorder::{Recorder, Start};

use crate::job::JobId;
use crate::machine::Range;
use crate::time::{Span, Time};
use crate::workload::Workload;
use std::sync::Arc;

/// What happened to a job.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Has not arrived, waits, or runs.
    Unfinished,
    /// Ended by itself.
    Finished,
    /// Was killed when it reached its estimate.
    Killed,
}

/// The record of a run in columns: the entries at an index are one job's.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The jobs.
    pub workload: Arc<Workload>,
    /// Start of each job; [`Time::NEVER`] if it has not started.
    pub starts: Vec<Time>,
    /// End of each job; [`Time::NEVER`] if it has not ended.
    pub ends: Vec<Time>,
    /// Jobs in order of starting, with their placements; starts never fall along it.
    pub order: Vec<Start>,
    /// Placements, one after the other.
    pub ranges: Vec<Range>,
    /// The latest instant of which the record knows.
    pub until: Time,
}

impl Schedule {
    /// What happened to `job`.
    pub fn outcome(&self, job: JobId) -> Outcome {
        if self.ends[job.index()] == Time::NEVER {
            Outcome::Unfinished
        } else if self.workload.program(job).killed() {
            Outcome::Killed
        } else {
            Outcome::Finished
        }
    }

    /// Start minus submission, if the job has started.
    pub fn wait(&self, job: JobId) -> Option<Span> {
        let start = self.starts[job.index()];
        (start != Time::NEVER).then(|| start - self.workload.request(job).submitted)
    }

    /// Processors of an entry of [`Schedule::order`]; none where placements were not recorded.
    pub fn placement(&self, start: &Start) -> &[Range] {
        &self.ranges[start.ranges_from as usize..start.ranges_to as usize]
    }

    /// Whether every job has ended.
    pub fn is_complete(&self) -> bool {
        self.ends.iter().all(|end| *end != Time::NEVER)
    }

    /// First submission and last end; both zero if nothing ended.
    pub fn span(&self) -> (Time, Time) {
        let first = self.workload.requests.first().map_or(Time::ZERO, |request| request.submitted);
        let last = self.ends.iter().copied().filter(|end| *end != Time::NEVER).max().unwrap_or(first);
        (first, last)
    }

    /// A 64-bit digest of all that the schedule says: equal digests, equal schedules.
    pub fn digest(&self) -> u64 {
        digest::digest(self)
    }
}
