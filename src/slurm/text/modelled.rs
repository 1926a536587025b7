//! The keywords and options that the scheduler follows, with their defaults and meanings.

/// A keyword of slurm.conf, or an option of `SchedulerParameters`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ModelledWord {
    /// The name as Slurm's manual writes it.
    pub name: &'static str,
    /// The default, as it would be written; empty if it is unset.
    pub default: &'static str,
    /// Its meaning in a few words.
    pub help: &'static str,
    /// True for an option without a value.
    pub is_flag: bool,
    /// The words that its value can be, as Slurm's manual writes them; empty if it can be something else.
    pub values: &'static [&'static str],
    /// True if its value is a list of these words, with commas between them.
    pub is_list: bool,
    /// The least and the greatest number that it can be. For others the default counts.
    pub range: (i64, i64),
}

impl ModelledWord {
    const fn of(self, values: &'static [&'static str]) -> Self {
        Self { values, ..self }
    }

    const fn list(self, values: &'static [&'static str]) -> Self {
        Self {
            values,
            is_list: true,
            ..self
        }
    }

    const fn within(self, least: i64, most: i64) -> Self {
        Self {
            range: (least, most),
            ..self
        }
    }

    /// True if a number is outside of the range.
    pub fn excludes(&self, number: i64) -> bool {
        let (least, most) = self.range;
        // The only gap in a range.
        let is_gap = number == 0 && self.name == "bf_interval";
        is_gap || number < least || number > most
    }
}

const fn word(name: &'static str, default: &'static str, help: &'static str) -> ModelledWord {
    ModelledWord {
        name,
        default,
        help,
        is_flag: false,
        values: &[],
        is_list: false,
        range: (i64::MIN, i64::MAX),
    }
}

const fn flag(name: &'static str, help: &'static str) -> ModelledWord {
    ModelledWord {
        is_flag: true,
        ..word(name, "", help)
    }
}

/// The words of `PriorityFlags` that are modelled.
pub const PRIORITY_FLAGS: &[&str] = &[
    "ACCRUE_ALWAYS",
    "CALCULATE_RUNNING",
    "DEPTH_OBLIVIOUS",
    "INCR_ONLY",
    "MAX_TRES",
    "NO_FAIR_TREE",
    "NO_NORMAL_ALL",
    "NO_NORMAL_ASSOC",
    "NO_NORMAL_PART",
    "NO_NORMAL_QOS",
    "NO_NORMAL_TRES",
    "SMALL_RELATIVE_TO_TIME",
];

/// Keywords of lines that describe no node and no partition.
pub const GENERAL: &[ModelledWord] = &[
    word(
        "AccountingStorageEnforce",
        "",
        "What limits are enforced: `associations`, `limits`, `qos`, `safe`",
    ).list(&["associations", "limits", "qos", "safe"]),
    word(
        "AccountingStorageType",
        "",
        "`accounting_storage/slurmdbd` turns on age, fair share and usage",
    ).of(&["accounting_storage/none", "accounting_storage/slurmdbd"]),
    word(
        "AccountingStorageTRES",
        "",
        "`gres/gpu` makes GPUs count for limits, weights and billing",
    ).list(&["gres/gpu"]),
    word(
        "CompleteWait",
        "0",
        "Seconds for which no pass runs while a job completes",
    ),
    word(
        "DefMemPerCPU",
        "0",
        "Megabytes for a CPU of a job that asks for no memory",
    ),
    word(
        "DefMemPerNode",
        "0",
        "Megabytes for a node of a job that asks for no memory",
    ),
    word(
        "FairShareDampeningFactor",
        "1",
        "Dampens the classic fair share",
    ),
    word("GresTypes", "", "Names of generic resources, such as `gpu`"),
    word(
        "JobRequeue",
        "1",
        "0: preempted jobs are cancelled and never requeued",
    ).of(&["0", "1"]),
    word(
        "KillWait",
        "30",
        "With `MessageTimeout`: seconds for which a job that preempted others preempts no more",
    ),
    word(
        "Licenses",
        "",
        "Licences and their counts; the machine has them",
    ),
    word("MessageTimeout", "10", "See `KillWait`"),
    word(
        "PreemptExemptTime",
        "0",
        "Seconds after its start for which a job is not preempted",
    ),
    word(
        "PreemptMode",
        "OFF",
        "The fate of a preempted job: `CANCEL`, `REQUEUE`, or `SUSPEND,GANG`, with `PreemptType`; `GANG` alone: jobs take turns",
    ).of(&["OFF", "CANCEL", "REQUEUE", "SUSPEND,GANG", "GANG"]),
    word(
        "PreemptType",
        "preempt/none",
        "`preempt/partition_prio` or `preempt/qos`; needs `PreemptMode`",
    ).of(&["preempt/none", "preempt/partition_prio", "preempt/qos"]),
    word(
        "PriorityCalcPeriod",
        "5",
        "Minutes between two computations of all priorities",
    ),
    word(
        "PriorityDecayHalfLife",
        "7-0",
        "Time in which usage decays to a half",
    ),
    word(
        "PriorityFavorSmall",
        "NO",
        "Prefers small jobs instead of large ones",
    ).of(&["NO", "YES"]),
    word(
        "PriorityFlags",
        "",
        "Such as `SMALL_RELATIVE_TO_TIME`, `NO_FAIR_TREE`, `MAX_TRES`",
    ).list(PRIORITY_FLAGS),
    word(
        "PriorityMaxAge",
        "7-0",
        "Time after which the age of a job counts in full",
    ),
    word(
        "PriorityType",
        "priority/basic",
        "`priority/basic` or `priority/multifactor`",
    ).of(&["priority/basic", "priority/multifactor"]),
    word(
        "PriorityUsageResetPeriod",
        "NONE",
        "When usage begins anew: `DAILY`, `WEEKLY`, ...",
    ).of(&["NONE", "NOW", "DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY"]),
    word(
        "PriorityWeightAge",
        "0",
        "Weight of the time since a job is eligible",
    ),
    word(
        "PriorityWeightAssoc",
        "0",
        "Weight of the priority of the association",
    ),
    word(
        "PriorityWeightFairshare",
        "0",
        "Weight of the fair share of the account",
    ),
    word(
        "PriorityWeightJobSize",
        "0",
        "Weight of the size of the job",
    ),
    word(
        "PriorityWeightPartition",
        "0",
        "Weight of `PriorityJobFactor` of the partition",
    ),
    word(
        "PriorityWeightQOS",
        "0",
        "Weight of the priority of the QOS",
    ),
    word(
        "PriorityWeightTRES",
        "",
        "Weights of resources, such as `CPU=1000,Mem=250`",
    ),
    word(
        "SchedulerParameters",
        "",
        "Options of both schedulers, with commas between them",
    ),
    word(
        "SchedulerTimeSlice",
        "30",
        "Seconds after which jobs on the same cores take turns (gang scheduling)",
    ),
    word(
        "SchedulerType",
        "sched/backfill",
        "`sched/backfill` or `sched/builtin`",
    ).of(&["sched/backfill", "sched/builtin"]),
    word(
        "SelectType",
        "",
        "`select/linear` gives whole nodes, `select/cons_tres` cores",
    ).of(&["select/linear", "select/cons_tres"]),
    word(
        "SelectTypeParameters",
        "",
        "What cons_tres counts, such as `CR_Core_Memory`",
    ).list(&["CR_CPU", "CR_CPU_Memory", "CR_Core", "CR_Core_Memory", "CR_LLN", "CR_Memory", "CR_Socket", "CR_Socket_Memory"]),
    word(
        "TopologyParam",
        "",
        "`TopoOptional` places only jobs by the switches that ask for them",
    ).list(&["TopoOptional"]),
    word(
        "TopologyPlugin",
        "topology/none",
        "`topology/tree` places jobs by the switches of topology.conf",
    ).of(&["topology/none", "topology/tree"]),
];

/// Options of `SchedulerParameters`.
pub const SCHEDULER: &[ModelledWord] = &[
    flag(
        "assoc_limit_stop",
        "A job over a limit of its account closes its partition",
    ),
    word(
        "batch_sched_delay",
        "3",
        "Seconds between two passes of the main scheduler",
    )
    .within(0, i64::MAX),
    flag("bf_busy_nodes", "Plans jobs onto busy nodes first"),
    word(
        "bf_interval",
        "30",
        "Seconds between two passes of the backfill scheduler; -1 for none",
    )
    .within(-1, 10_800),
    word(
        "bf_job_part_count_reserve",
        "0",
        "Jobs of a partition that get reservations; 0 for all",
    )
    .within(0, i64::MAX),
    flag("bf_licenses", "Plans licences too"),
    word(
        "bf_max_job_array_resv",
        "20",
        "Tasks of an array that get reservations",
    ),
    word(
        "bf_max_job_assoc",
        "0",
        "Jobs of an association that a backfill pass tests; 0 for all",
    )
    .within(0, i64::MAX),
    word(
        "bf_max_job_part",
        "0",
        "Jobs of a partition that a backfill pass tests; 0 for all",
    )
    .within(0, i64::MAX),
    word(
        "bf_max_job_start",
        "0",
        "Jobs that a backfill pass starts; 0 for all",
    )
    .within(0, i64::MAX),
    word("bf_max_job_test", "500", "Jobs that a backfill pass tests").within(1, 1_000_000),
    word(
        "bf_max_job_user",
        "0",
        "Jobs of a user that a backfill pass tests; 0 for all",
    )
    .within(0, i64::MAX),
    word(
        "bf_max_job_user_part",
        "0",
        "Jobs of a user in a partition that a backfill pass tests; 0 for all",
    )
    .within(0, i64::MAX),
    word(
        "bf_min_age_reserve",
        "0",
        "Seconds that a job waits before it gets a reservation",
    )
    .within(0, i64::MAX),
    word(
        "bf_min_prio_reserve",
        "0",
        "Priority from which a job gets a reservation",
    )
    .within(0, i64::MAX),
    word(
        "bf_node_space_size",
        "",
        "Entries of the map of a backfill pass; `bf_max_job_test` by default",
    )
    .within(2, 2_000_000),
    flag(
        "bf_one_resv_per_job",
        "A job has a reservation in one of its partitions only",
    ),
    word(
        "bf_resolution",
        "60",
        "Seconds to which planned times are rounded",
    )
    .within(1, 3600),
    flag(
        "bf_running_job_reserve",
        "Running jobs that have whole nodes keep them in the map",
    ),
    word(
        "bf_window",
        "1440",
        "Minutes that a backfill pass looks ahead",
    )
    .within(1, 43_200),
    word(
        "bf_window_linear",
        "0",
        "Seconds by which the search for a start goes on; 0 doubles them",
    )
    .within(0, i64::MAX),
    word(
        "default_queue_depth",
        "100",
        "Jobs that a pass of the main scheduler tests",
    )
    .within(0, i64::MAX),
    flag(
        "pack_serial_at_end",
        "Puts jobs of one CPU onto the last nodes",
    ),
    word(
        "partition_job_depth",
        "0",
        "Jobs of a partition that a main pass tests; 0 for all",
    )
    .within(0, i64::MAX),
    word(
        "preempt_reorder_count",
        "1",
        "How often cons_tres orders the candidates for preemption anew",
    ),
    flag(
        "preempt_strict_order",
        "Moves a candidate to the front instead of sorting by nodes",
    ),
    flag("preempt_youngest_first", "Preempts the latest start first"),
    word(
        "sched_interval",
        "60",
        "Seconds between two full passes of the main scheduler",
    )
    .within(-1, i64::MAX),
    word(
        "sched_max_job_start",
        "0",
        "Jobs that a main pass starts; 0 for all",
    )
    .within(0, i64::MAX),
    word(
        "sched_min_interval",
        "2",
        "Microseconds between two passes of the main scheduler",
    )
    .within(0, i64::MAX),
];

/// Returns the keyword of a list with this name, in any case.
pub fn called<'a>(list: &'a [ModelledWord], key: &str) -> Option<&'a ModelledWord> {
    list.iter().find(|word| word.name.eq_ignore_ascii_case(key))
}

/// True if a list has a keyword, in any case.
pub fn has(list: &[ModelledWord], key: &str) -> bool {
    called(list, key).is_some()
}
