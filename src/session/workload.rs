//! A workload in short.

use crate::metrics::Grouping;
use crate::time::Time;
use crate::trace::Report;
use crate::workload::{AttributeFacts, LogPartitions, PartitionFacts, Provenance, Workload};
use serde::Serialize;

/// Largest number of partitions that are listed.
const PARTITIONS: usize = 100;

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
    pub all_processors: u32,
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
    /// Attributes in which the jobs differ: users, queues, further columns of the log.
    pub attributes: Vec<AttributeFacts>,
    /// Ids of the groupings that the jobs allow.
    pub groupings: Vec<&'static str>,
    /// The partitions of the whole trace, widest job first. A long list is cut. Only the facts about
    /// an open trace have them.
    pub partitions: Vec<PartitionFacts>,
    /// Number of all partitions.
    pub partition_count: usize,
    /// Hash of machine size and jobs. Runs with the same hash can be compared job by job.
    pub identity: String,
}

impl WorkloadFacts {
    /// Returns the facts with the partitions of the trace.
    #[must_use]
    pub fn with(mut self, partitions: LogPartitions) -> Self {
        self.partition_count = partitions.all.len();
        self.partitions = partitions.all;
        self.partitions.truncate(PARTITIONS);
        self
    }

    /// Returns the facts about `workload`.
    pub fn of(workload: &Workload) -> Self {
        let attributes = workload.attributes();
        Self {
            provenance: workload.provenance.clone(),
            report: workload.report.clone(),
            jobs: workload.len(),
            processors: workload.processors,
            all_processors: workload.all_processors(),
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
            users: crate::sorting::set(
                workload
                    .requests
                    .iter()
                    .map(|request| i64::from(request.user)),
            )
            .len(),
            groupings: Grouping::of(&attributes)
                .into_iter()
                .map(Grouping::id)
                .collect(),
            attributes,
            partitions: Vec::new(),
            partition_count: 0,
            identity: workload.identity(),
        }
    }
}
