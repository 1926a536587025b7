//! The rank of a waiting job under Slurm, for observers: its priority by factor, and what the main and the
//! backfill scheduler found.

use super::SlurmState;
use crate::job::JobId;
use crate::sim::{JobRank, SchedulerLook};
use crate::slurm::{JobFound, JobLook, PriorityParts};
use crate::time::Time;

/// Returns what a scheduler found as a clause after "the job".
fn clause(found: JobFound) -> &'static str {
    match found {
        JobFound::NotReached => "was not reached before the pass ended",
        JobFound::NotQueued => "was not in the queue of the pass",
        JobFound::PartitionDepth => {
            "came after as many jobs of its partition as `partition_job_depth`"
        }
        JobFound::PartitionLimit => "broke a limit of its partition",
        JobFound::Closed { .. } => "came after a job that closed the partition",
        JobFound::AccountLimit => "was over a limit of its account or QOS",
        JobFound::FewNodes => "needed more nodes than were open",
        JobFound::Licences => "needed licences that were in use",
        JobFound::Array => "was a task of an array of which no further task may start",
        JobFound::Preempting => "has ended other jobs, and waits for their nodes",
        JobFound::Busy => "needed nodes that were in use",
        JobFound::NotOpen => "needed nodes of a closed partition",
        JobFound::Reserved => "needed nodes that an advance reservation keeps",
        JobFound::Never => "can never start",
        JobFound::TestLimit => {
            "came after as many jobs of its user, account or partition as the pass tests"
        }
        JobFound::NoRoom => "found no room beside the reservations of others",
        JobFound::OnlyNow => "may get no reservation, and could not start now",
        JobFound::BeyondWindow => "would start beyond `bf_window`",
        JobFound::MapFull => "found the map of the pass full (`bf_node_space_size`)",
        JobFound::PartitionReservations => {
            "came after as many reservations as `bf_job_part_count_reserve`"
        }
        JobFound::NoReservation => "may have no reservation, because of its QOS",
        JobFound::Planned { .. } => "got a reservation",
        JobFound::Started => "started",
    }
}

fn parts(parts: &PriorityParts) -> Vec<(&'static str, f64)> {
    let all = [
        ("age", parts.age),
        ("association", parts.association),
        ("fair share", parts.fair_share),
        ("job size", parts.job_size),
        ("partition", parts.partition),
        ("QOS", parts.qos),
        ("TRES", parts.tres),
        ("nice", -parts.nice),
    ];
    all.into_iter().filter(|(_, value)| *value != 0.0).collect()
}

impl SlurmState {
    /// Returns the rank of a waiting job; `None` for a job that the controller does not know.
    pub fn rank(&self, job: JobId) -> Option<JobRank> {
        let record = self.record(job)?;
        let (place, waiting) = self.controller.place(record);
        let watched = self.controller.watched();
        let time = |second: i64| Time::from_seconds(second) - self.zero;
        let look = |(scheduler, look): (&'static str, Option<JobLook>)| {
            let JobLook { second, found } = look?;
            Some(SchedulerLook {
                scheduler,
                at: time(second),
                found: clause(found),
                by: match found {
                    JobFound::Closed { by } => {
                        Some(JobId(self.controller.record(by as usize).number as u32))
                    }
                    _ => None,
                },
                planned: match found {
                    JobFound::Planned { start } => Some(time(start)),
                    _ => None,
                },
            })
        };
        let looks = [("main", watched.main), ("backfill", watched.backfill)];
        Some(JobRank {
            priority: self.controller.record(record).priority as f64,
            parts: watched.parts.as_ref().map(parts).unwrap_or_default(),
            place: place as u32,
            waiting: waiting as u32,
            looks: looks.into_iter().filter_map(look).collect(),
        })
    }
}
