//! Looks of the schedulers at a job that is watched.

use super::parts::PriorityParts;

/// A finding of a scheduler that comes to a job, or the reason why it never comes to it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum JobFound {
    /// The pass ended before the job's turn.
    NotReached,
    /// The queue of the pass did not have the job: its dependency, its partition, or a hold.
    NotQueued,
    /// As many jobs of its partition had been tried as `partition_job_depth` allows.
    PartitionDepth,
    /// A limit of its partition.
    PartitionLimit,
    /// A job before it closed its partition.
    Closed {
        /// The record of that job.
        by: u32,
    },
    /// A limit of an association or a QOS.
    AccountLimit,
    /// Its partition has fewer open nodes than it needs.
    FewNodes,
    /// Its licences are in use.
    Licences,
    /// As many tasks of its array run, or are planned, as may; or another task was just tried in vain.
    Array,
    /// It has ended other jobs, and waits for their nodes.
    Preempting,
    /// Nodes that it could use are in use.
    Busy,
    /// Nodes that it could use are free, and not open.
    NotOpen,
    /// Advance reservations keep the nodes that it needs.
    Reserved,
    /// It never fits.
    Never,
    /// As many jobs of its user, account or partition had come as the backfill scheduler tests.
    TestLimit,
    /// No start within the window leaves enough nodes beside what is reserved.
    NoRoom,
    /// It may only start now, and could not.
    OnlyNow,
    /// Its planned start is beyond `bf_window`.
    BeyondWindow,
    /// The map of the pass is full (`bf_node_space_size`).
    MapFull,
    /// Its partition has as many reservations as it may (`bf_job_part_count_reserve`).
    PartitionReservations,
    /// Its QOS lets it have no reservation (`NoReserve`).
    NoReservation,
    /// It has a reservation.
    Planned {
        /// The second of its planned start.
        start: i64,
    },
    /// It started.
    Started,
}

/// A look of a scheduler at a job.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct JobLook {
    /// The second of the pass.
    pub second: i64,
    /// The finding.
    pub found: JobFound,
}

/// A job that is watched, with the last look of each scheduler at it.
#[derive(Clone, Debug, Default)]
pub struct WatchedJob {
    pub(super) record: Option<usize>,
    /// The last pass of the main scheduler.
    pub main: Option<JobLook>,
    /// The last pass of the backfill scheduler.
    pub backfill: Option<JobLook>,
    /// The parts of the priority, when it was computed last.
    pub parts: Option<PriorityParts>,
}
