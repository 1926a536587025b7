//! Job records. An array is one record until its tasks are split off.

use super::accounts::TresAmounts;
use super::asked::DependencyKind;
use super::gres::{GresAsk, GresShare};
use super::nodeset::NodeSet;
use super::reason::WaitReason;
use std::collections::VecDeque;
use std::sync::Arc;

/// The state of a job.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It waits.
    Pending,
    /// It runs.
    Running,
    /// It ended well.
    Completed,
    /// It ended otherwise than well.
    Failed,
    /// It ended at its time limit.
    Timeout,
    /// It was cancelled.
    Cancelled,
    /// It ended early, because another job took its nodes.
    Preempted,
}

/// The resources of a job on a node.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NodeShare {
    /// The number of the node.
    pub node: u32,
    /// The cores taken (cons_tres only).
    pub cores: i64,
    /// The CPUs of the job.
    pub cpus: i64,
    /// The memory of the job, in megabytes (with CR_Memory only).
    pub memory: i64,
}

/// The tasks of an array that are not split off yet.
#[derive(Clone, Debug, Default)]
pub(super) struct JobArray {
    pub tasks: VecDeque<u32>,
    /// The most tasks that run at the same time (0: no limit), and those that run.
    pub most_running: i64,
    pub running: i64,
    /// Tasks for which others were preempted in this pass.
    pub planned: i64,
}

/// A dependency, and whether it is decided.
#[derive(Copy, Clone, Debug)]
pub(super) struct Dependency {
    pub kind: DependencyKind,
    pub job: u32,
    pub task: Option<u32>,
    pub delay: i64,
    pub state: DependencyState,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum DependencyState {
    Open,
    Satisfied,
    Failed,
}

/// The facts of a job that never change. All tasks of an array have the same.
#[derive(Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of sbatch that is there or not"
)]
pub(super) struct JobTerms {
    pub least_nodes: i64,
    /// 0 if not given.
    pub most_nodes: i64,
    pub least_cpus: i64,
    /// The fewest CPUs that a node must give.
    pub node_cpus: i64,
    /// 0 if not given.
    pub tasks: i64,
    pub task_cpus: i64,
    /// 0 if not given.
    pub node_tasks: i64,
    pub overcommits: bool,
    /// Megabytes for a node, or for a CPU.
    pub memory: i64,
    pub is_memory_per_cpu: bool,
    /// Minutes; 0 if not given.
    pub least_time: i64,
    pub required: NodeSet,
    pub required_count: i64,
    pub excluded: NodeSet,
    /// Nodes with the features; `None` if the job asks for none.
    pub featured: Option<NodeSet>,
    pub is_contiguous: bool,
    /// Numbers of licences, and amounts.
    pub licences: Vec<(usize, i64)>,
    pub nice: i64,
    pub user: u32,
    pub name: u32,
    /// The name of the account; empty without accounts.
    pub account: String,
    /// The association with an account, and the QOS.
    pub association: Option<usize>,
    pub qos: Option<usize>,
    /// The generic resources asked for on each node.
    pub gres: Vec<GresAsk>,
    /// The TRES asked for.
    pub tres: TresAmounts,
    pub kills_invalid: bool,
    pub is_any_dependency: bool,
    /// The partitions, highest tier first.
    pub partitions: Vec<usize>,
    /// The reservation that the job asks for by name.
    pub reservation: Option<usize>,
    /// The magnetic reservations that it may use.
    pub magnets: Vec<usize>,
    /// The reservations, as bits, whose nodes it uses as if they were free.
    pub admitted: u64,
}

/// The notes of a record about preemption.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct PreemptNotes {
    /// The second at which the job was told to end; 0 if it was not.
    pub told: i64,
    /// The second at which the waiting job last ended others; 0 is never.
    pub began: i64,
    /// True if it has ended others in this pass.
    pub is_in_progress: bool,
    /// True if the job runs on for its grace time.
    pub is_in_grace: bool,
}

/// A job that was preempted.
#[derive(Copy, Clone, Debug)]
pub struct PreemptedJob {
    /// The number of the record.
    pub record: usize,
    /// The caller's number of the job.
    pub number: u64,
    /// The task of an array.
    pub task: Option<u32>,
    /// True if the job waits again; otherwise it is cancelled.
    pub is_requeued: bool,
    /// The number of starts that came before and are listed with it.
    pub after: usize,
    /// True if gang scheduling ended it at its own start, the last of these.
    pub is_at_start: bool,
}

/// A job that was suspended or resumed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SuspendedJob {
    /// The number of the record.
    pub record: usize,
    /// The caller's number of the job.
    pub number: u64,
    /// The task of an array.
    pub task: Option<u32>,
    /// True if the job runs again.
    pub is_resumed: bool,
    /// The number of starts that came before and are listed with it.
    pub after: usize,
}

/// The notes of a record about its suspensions.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct SuspendNotes {
    pub is_suspended: bool,
    /// The second of the last suspension or resumption; 0 before the first.
    pub last: i64,
    /// The seconds that the job ran before its last suspension.
    pub ran: i64,
    /// True if the end stays as it is when the job is resumed (`preempt_time`).
    pub keeps_end: bool,
}

/// A record of the controller.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "Slurm's record has these flags"
)]
pub struct JobRecord {
    /// Slurm's id of the job. It changes when the record becomes a task of its array.
    pub id: u32,
    /// The caller's number of the job.
    pub number: u64,
    /// The task of an array.
    pub task: Option<u32>,
    /// Slurm's id of the array.
    pub array_job: Option<u32>,
    /// The state.
    pub state: JobState,
    /// True from the end of the job until its nodes are clean.
    pub is_completing: bool,
    /// The second of submission.
    pub submitted: i64,
    /// The second of the start; for a job that waits, the start that the last backfill pass planned, or 0.
    pub start: i64,
    /// The last start that the backfill scheduler planned for the job; 0 before the first plan.
    pub planned: i64,
    /// The reason for which the job waits.
    pub reason: WaitReason,
    /// The second at which the time limit ends the job.
    pub end: i64,
    /// The second at which the job ended.
    pub ended: i64,
    /// The time limit in minutes.
    pub limit: Option<i64>,
    /// The number of the partition.
    pub partition: usize,
    /// The priority; 0 holds the job.
    pub priority: i64,
    /// The nodes of the job.
    pub nodes: NodeSet,
    /// The resources on each of its nodes.
    pub shares: Vec<NodeShare>,
    /// True if the backfill scheduler started it.
    pub is_backfilled: bool,
    /// The number of times that the job was requeued.
    pub restarts: u32,
    pub(super) facts: Arc<JobTerms>,
    /// The nodes that are not clean yet, once one of them is.
    pub(super) uncleaned: Option<NodeSet>,
    pub(super) array: Option<JobArray>,
    pub(super) dependencies: Vec<Dependency>,
    /// True if a dependency can never be satisfied.
    pub(super) is_never: bool,
    pub(super) is_held: bool,
    /// The time before which the job does not start; once eligible, the time since when. 0 is unset.
    pub(super) begin: i64,
    /// The time from which its age counts; 0 is unset.
    pub(super) accrued: i64,
    /// The priority in each partition, if the job has several and priority/multifactor.
    pub(super) priorities: Vec<i64>,
    /// The CPUs found by the last plan; 0 if unknown.
    pub(super) cpus: i64,
    /// True if the job gets whole nodes (`--exclusive`, or the partition is exclusive).
    pub(super) is_whole: bool,
    /// True if its nodes take no other job: `share_res` is 0.
    pub(super) shares_nothing: bool,
    /// True if it runs in an exclusive partition.
    pub(super) is_in_exclusive: bool,
    /// True if it runs in a partition with `OverSubscribe=FORCE`.
    pub(super) is_in_forced: bool,
    /// True if a limit of an account set the time limit.
    pub(super) is_limit_set: bool,
    /// True if the start set the time limit.
    pub(super) is_limit_defaulted: bool,
    /// The generic resources of the running job.
    pub(super) gres: Vec<GresShare>,
    /// The TRES of the running job, and its billing units.
    pub(super) tres: TresAmounts,
    pub(super) billable: f64,
    /// The expected end of the running job; `None` once its usage is counted.
    pub(super) expected_end: Option<i64>,
    /// The QOS whose limit stopped the job last.
    pub(super) blocking_qos: Option<usize>,
    pub(super) preempt: PreemptNotes,
    pub(super) suspend: SuspendNotes,
    /// The cores of the job on each of its nodes, as bits; empty without gang scheduling.
    pub(super) cores: Vec<u64>,
    /// The reservation that the job has: the one that it asks for, or a magnetic one.
    pub(super) reservation: Option<usize>,
    /// The number of nodes of the last choice for the job; 0 before the first (`node_cnt_wag`).
    pub(super) node_guess: i64,
}

impl JobRecord {
    /// True if the job is suspended.
    pub fn is_suspended(&self) -> bool {
        self.suspend.is_suspended
    }

    /// True if tasks of an array are left in the record, or it is the last of them.
    pub(super) fn is_of_array(&self) -> bool {
        self.task.is_some() || self.array.is_some()
    }

    /// True if the job tries a magnetic reservation.
    pub(super) fn is_magnetic(&self) -> bool {
        self.reservation != self.facts.reservation
    }

    /// True if the record stands for tasks that are not split off.
    pub(super) fn is_head(&self) -> bool {
        self.array.is_some() && self.task.is_none()
    }
}
