//! A workload in short.

use crate::time::Time;
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
    /// Number of processors that pictures show: those of the machine, and those that the recorded
    /// schedule needs beyond them.
    pub columns: u32,
    /// Number of jobs whose start is recorded.
    pub recorded: usize,
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
            columns: workload.columns(),
            recorded: workload
                .recorded
                .iter()
                .filter(|start| **start != Time::NEVER)
                .count(),
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
