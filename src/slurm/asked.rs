//! Jobs as users ask for them, in the words of sbatch.

/// A job as asked. The default is `sbatch script` without an option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of sbatch that is there or not"
)]
pub struct AskedJob {
    /// The caller's number of the job. The controller gives it back at a start.
    pub number: u64,
    /// `--nodes`: the least and the most nodes.
    pub nodes: Option<NodesAsked>,
    /// `--ntasks`.
    pub ntasks: Option<u32>,
    /// `--cpus-per-task`.
    pub cpus_per_task: Option<u32>,
    /// `--ntasks-per-node`.
    pub ntasks_per_node: Option<u32>,
    /// `--mincpus`.
    pub mincpus: Option<u32>,
    /// `--time` in minutes; `INFINITE` is `UNLIMITED`.
    pub minutes: Option<i64>,
    /// `--time-min` in minutes.
    pub least_minutes: Option<i64>,
    /// `--partition`. If empty, the job is for the default partition.
    pub partitions: Vec<String>,
    /// `--mem` or `--mem-per-cpu`.
    pub memory: MemoryAsked,
    /// `--exclusive`.
    pub exclusive: bool,
    /// `--overcommit`.
    pub overcommit: bool,
    /// `--contiguous`.
    pub contiguous: bool,
    /// `--hold`.
    pub hold: bool,
    /// `--nice`.
    pub nice: i64,
    /// `--dependency`.
    pub dependencies: Vec<DependencyAsked>,
    /// True if one of the dependencies suffices (`?` between them).
    pub any_dependency: bool,
    /// `--kill-on-invalid-dep=yes`.
    pub kill_on_invalid_dependency: bool,
    /// `--array`.
    pub array: Option<ArrayAsked>,
    /// `--begin=now+seconds`.
    pub begin_after: Option<i64>,
    /// `--licenses`: names and numbers.
    pub licences: Vec<(String, u32)>,
    /// `--gres`: resources on each node, such as `gpu:2` or `gpu:a100:1`.
    pub gres: String,
    /// `--constraint`: features with `&` (all) and `|` (one of them).
    pub features: String,
    /// `--nodelist`: a list of nodes such as `n[1-3]`.
    pub nodelist: String,
    /// `--exclude`: a list of nodes.
    pub exclude: String,
    /// The name of the user.
    pub user: String,
    /// `--account`. If empty, the job is for the user's default account.
    pub account: String,
    /// `--qos`. If empty, the job has the default QOS of its association.
    pub qos: String,
    /// `--job-name`.
    pub name: String,
    /// `--reservation`: the name of an advance reservation.
    pub reservation: String,
    /// The reservations, as bits in the order of their creation, whose nodes the job uses as if they were
    /// free.
    pub admitted: u64,
}

/// The nodes that a job asks for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NodesAsked {
    /// The least number of nodes.
    pub least: u32,
    /// The same as `least` if only one number is given.
    pub most: u32,
}

/// The memory that a job asks for, in megabytes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum MemoryAsked {
    /// As the partition and the controller say.
    #[default]
    Unset,
    /// `--mem`.
    PerNode(i64),
    /// `--mem-per-cpu`.
    PerCpu(i64),
}

/// The tasks of a job array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayAsked {
    /// The numbers of the tasks.
    pub tasks: Vec<u32>,
    /// `%n`: tasks that run at the same time; 0 is no limit.
    pub most_running: u32,
}

/// A condition of a dependency.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DependencyKind {
    /// The other job has started.
    After,
    /// The other job has ended.
    AfterAny,
    /// The other job has ended well.
    AfterOk,
    /// The other job has ended otherwise than well.
    AfterNotOk,
    /// The task with the same number has ended well.
    AfterCorr,
    /// No job of the same user and name runs, or waits with a smaller id.
    Singleton,
}

/// A dependency on another job.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct DependencyAsked {
    /// The condition.
    pub kind: DependencyKind,
    /// Slurm's id of the other job, or of its array; 0 for singleton.
    pub job: u32,
    /// A task of the other job, if it is an array.
    pub task: Option<u32>,
    /// `after:id+minutes`.
    pub minutes: u32,
}
