//! A workload in short.

use crate::trace::Report;
use crate::workload::{Provenance, Workload};
use serde::Serialize;

/// A workload in short.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct WorkloadFacts {
    /// Where it comes from.
    pub provenance: Provenance,
    /// Reading and cleaning, each rule counted.
    pub report: Report,
    /// Jobs.
    pub jobs: usize,
    /// Processors of the machine.
    pub processors: u32,
    /// First submission.
    pub first: f64,
    /// Last submission.
    pub last: f64,
    /// Offered load, as a fraction of the machine.
    pub offered_load: f64,
    /// Different users.
    pub users: usize,
    /// Hash of machine size and jobs: runs with the same can be compared job by job.
    pub identity: String,
}

impl WorkloadFacts {
    /// Describes `workload`.
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
