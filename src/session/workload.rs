//! A workload in short.

use crate::trace::Report;
use crate::workload::{Provenance, Workload};
use serde::Serialize;

/// A workload in short.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct WorkloadFacts {
    /// Origin of the workload.
    pub provenance: Provenance,
    /// Report of reading and cleaning, with a count for each rule.
    pub report: Report,
    /// Number of jobs.
    pub jobs: usize,
    /// Number of processors of the machine.
    pub processors: u32,
    /// First submission, in seconds.
    pub first: f64,
    /// Last submission, in seconds.
    pub last: f64,
    /// Offered load, as a fraction of the machine.
    pub offered_load: f64,
    /// Number of different users.
    pub users: usize,
    /// Hash of machine size and jobs. Runs with the same hash can be compared job by job.
    pub identity: String,
}

impl WorkloadFacts {
    /// Returns the facts about `workload`.
    pub fn of(workload: &Workload) -> Self {
        Self {
            provenance: workload.provenance.clone(),
            report: workload.report.clone(),
            jobs: workload.len(),
            processors: workload.processors,
            first: workload
                .requests
                .first()
                .map_or(0.0, |request| request.submitted.seconds()),
            last: workload
                .requests
                .last()
                .map_or(0.0, |request| request.submitted.seconds()),
            offered_load: workload.offered_load(),
            users: crate::sorting::set(workload.requests.iter().map(|request| request.user)).len(),
            identity: workload.identity(),
        }
    }
}
