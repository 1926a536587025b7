//! Names of jobs, and placements, in plain values.

use crate::job::JobId;
use crate::machine::Placement;
use crate::workload::Workload;
use serde::Serialize;

/// Largest number of jobs of a list that are named. The others are only counted.
const NAMED: usize = 12;

/// A job by its names.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct JobName {
    /// Index of the job in the run.
    pub job: u32,
    /// Record of the trace that became the job.
    pub record: u32,
    /// Number of the job in the trace.
    pub number: i64,
    /// Size of the job.
    pub processors: u32,
    /// Requested time, in seconds.
    pub estimate: f64,
}

impl JobName {
    /// Returns the names of `job`.
    pub fn of(workload: &Workload, job: JobId) -> Self {
        let request = workload.request(job);
        Self {
            job: job.0,
            record: workload.sources[job.index()],
            number: request.number,
            processors: request.processors,
            estimate: request.estimate.seconds(),
        }
    }
}

/// A list of jobs, of which the first are named.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct JobList {
    /// First jobs of the list.
    pub first: Vec<JobName>,
    /// Number of jobs in the list.
    pub count: usize,
}

impl JobList {
    /// Returns a list with the names of the first of `jobs`.
    pub fn of(workload: &Workload, jobs: &[JobId]) -> Self {
        Self {
            first: jobs
                .iter()
                .take(NAMED)
                .map(|job| JobName::of(workload, *job))
                .collect(),
            count: jobs.len(),
        }
    }
}

/// The placement of a job.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PlacementFacts {
    /// Row of the job; 0 if processors are dedicated.
    pub row: u32,
    /// Processors of the job, as [first, count] pairs.
    pub ranges: Vec<(u32, u32)>,
}

impl PlacementFacts {
    /// Returns a placement in plain values.
    pub fn of(placement: Placement<'_>) -> Self {
        let ranges = placement
            .ranges
            .iter()
            .map(|range| (range.first, range.count));
        Self {
            row: placement.row,
            ranges: ranges.collect(),
        }
    }
}
