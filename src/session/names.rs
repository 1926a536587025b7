//! Jobs by their names, and where they are.

use crate::job::JobId;
use crate::machine::Placement;
use crate::workload::Workload;
use serde::Serialize;

/// Jobs of a list that are named; beyond, only their number is told.
const NAMED: usize = 12;

/// A job by its names.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct JobName {
    /// Index in the run.
    pub job: u32,
    /// Which record of the trace it is.
    pub record: u32,
    /// Number in the trace.
    pub number: i64,
    /// Size.
    pub processors: u32,
    /// Requested time.
    pub estimate: f64,
}

impl JobName {
    /// Names `job`.
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

/// Some jobs, and how many they are.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct JobList {
    /// The first of them.
    pub first: Vec<JobName>,
    /// How many in all.
    pub count: usize,
}

impl JobList {
    /// Names the first of `jobs`.
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

/// Where a job is.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PlacementFacts {
    /// The row; 0 where processors are dedicated.
    pub row: u32,
    /// Its processors as [first, count] pairs.
    pub ranges: Vec<(u32, u32)>,
}

impl PlacementFacts {
    /// What JavaScript sees of a placement.
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
