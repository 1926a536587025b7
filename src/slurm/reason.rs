//! The reasons for which jobs wait, in Slurm's own words.

use super::accounts::COUNTED;

/// The reason for which a job waits (squeue's column REASON).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum WaitReason {
    /// No scheduler has looked at the job yet.
    #[default]
    None,
    /// A job before it waits for the nodes of its partition.
    Priority,
    /// It depends on another job.
    Dependency,
    /// The nodes that it could use are in use.
    Resources,
    /// It asks for a number of nodes that its partition does not allow.
    PartitionNodeLimit,
    /// Its time limit is longer than that of the partition.
    PartitionTimeLimit,
    /// Its partition starts no jobs.
    PartitionDown,
    /// Its partition takes no jobs.
    PartitionInactive,
    /// It asks for more than its partition has.
    PartitionConfig,
    /// Its account may not use the partition.
    AccountNotAllowed,
    /// Its QOS may not use the partition.
    QosNotAllowed,
    /// It is held by its user.
    JobHeldUser,
    /// Its begin time is not reached.
    BeginTime,
    /// Its licences are in use.
    Licenses,
    /// Nodes that it needs belong to a closed partition.
    ReqNodeNotAvail,
    /// No nodes can ever fulfil its request.
    BadConstraints,
    /// Its dependency can never be satisfied.
    DependencyNeverSatisfied,
    /// As many tasks of its array run as may.
    JobArrayTaskLimit,
    /// Its reservation does not let it start, or reservations keep nodes that it needs.
    Reservation,
    /// All nodes of its partition are in maintenance until its time limit, or begin to be.
    Maintenance,
    /// Reservations keep the nodes that it needs.
    MayBeReserved,
    /// Its reservation is over.
    ReservationDeleted,
    /// A limit of an association or of a QOS.
    Limit(&'static str),
}

impl WaitReason {
    /// Returns the word that Slurm prints.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Priority => "Priority",
            Self::Dependency => "Dependency",
            Self::Resources => "Resources",
            Self::PartitionNodeLimit => "PartitionNodeLimit",
            Self::PartitionTimeLimit => "PartitionTimeLimit",
            Self::PartitionDown => "PartitionDown",
            Self::PartitionInactive => "PartitionInactive",
            Self::PartitionConfig => "PartitionConfig",
            Self::AccountNotAllowed => "AccountNotAllowed",
            Self::QosNotAllowed => "QOSNotAllowed",
            Self::JobHeldUser => "JobHeldUser",
            Self::BeginTime => "BeginTime",
            Self::Licenses => "Licenses",
            Self::ReqNodeNotAvail => "ReqNodeNotAvail",
            Self::BadConstraints => "BadConstraints",
            Self::DependencyNeverSatisfied => "DependencyNeverSatisfied",
            Self::JobArrayTaskLimit => "JobArrayTaskLimit",
            Self::Reservation => "Reservation",
            Self::Maintenance => "ReqNodeNotAvail, Reserved for maintenance",
            Self::MayBeReserved => "ReqNodeNotAvail, May be reserved for other job",
            Self::ReservationDeleted => "ReservationDeleted",
            Self::Limit(word) => word,
        }
    }

    /// True if the main scheduler tests the limits of the job before it looks at nodes, because it
    /// waits for a limit (`acct_policy_job_runnable_state`). Slurm does not count the limits that came
    /// with later versions.
    pub(super) fn is_tested_limit(self) -> bool {
        let Self::Limit(word) = self else {
            return false;
        };
        let is_old = |word: &str| word.ends_with("Limit") || word == "QOSMinCpuNotSatisfied";
        is_old(word)
    }

    /// True if a limit or the state of the partition is the reason (`part_policy_job_runnable_state`).
    pub(super) fn is_of_partition(self) -> bool {
        matches!(
            self,
            Self::PartitionNodeLimit
                | Self::PartitionTimeLimit
                | Self::PartitionDown
                | Self::PartitionInactive
        )
    }

    /// True if the limit is that of a group in a QOS (`job_state_qos_grp_limit`).
    pub(super) fn is_qos_group(self) -> bool {
        matches!(self, Self::Limit(word) if word.starts_with("QOSGrp"))
    }
}

/// The limits of TRES. The words of each are those of CPUs, memory, nodes, billing and GPUs.
pub(super) const ASSOC_GROUP: ReasonWords = &[
    "AssocGrpCpuLimit",
    "AssocGrpMemLimit",
    "AssocGrpNodeLimit",
    "AssocGrpBilling",
    "AssocGrpGRES",
];
pub(super) const ASSOC_GROUP_MINUTES: ReasonWords = &[
    "AssocGrpCPUMinutesLimit",
    "AssocGrpMemMinutes",
    "AssocGrpNodeMinutes",
    "AssocGrpBillingMinutes",
    "AssocGrpGRESMinutes",
];
pub(super) const ASSOC_GROUP_RUN_MINUTES: ReasonWords = &[
    "AssocGrpCPURunMinutesLimit",
    "AssocGrpMemRunMinutes",
    "AssocGrpNodeRunMinutes",
    "AssocGrpBillingRunMinutes",
    "AssocGrpGRESRunMinutes",
];
pub(super) const ASSOC_JOB: ReasonWords = &[
    "AssocMaxCpuPerJobLimit",
    "AssocMaxMemPerJob",
    "AssocMaxNodePerJobLimit",
    "AssocMaxBillingPerJob",
    "AssocMaxGRESPerJob",
];
pub(super) const ASSOC_JOB_MINUTES: ReasonWords = &[
    "AssocMaxCpuMinutesPerJobLimit",
    "AssocMaxMemMinutesPerJob",
    "AssocMaxNodeMinutesPerJob",
    "AssocMaxBillingMinutesPerJob",
    "AssocMaxGRESMinutesPerJob",
];
pub(super) const ASSOC_JOB_NODE: ReasonWords = &[
    "AssocMaxCpuPerNode",
    "AssocMaxMemPerNode",
    "AssocMaxUnknownPerNode",
    "AssocMaxBillingPerNode",
    "AssocMaxGRESPerNode",
];
pub(super) const QOS_GROUP: ReasonWords = &[
    "QOSGrpCpuLimit",
    "QOSGrpMemLimit",
    "QOSGrpNodeLimit",
    "QOSGrpBilling",
    "QOSGrpGRES",
];
pub(super) const QOS_GROUP_MINUTES: ReasonWords = &[
    "QOSGrpCPUMinutesLimit",
    "QOSGrpMemoryMinutes",
    "QOSGrpNodeMinutes",
    "QOSGrpBillingMinutes",
    "QOSGrpGRESMinutes",
];
pub(super) const QOS_GROUP_RUN_MINUTES: ReasonWords = &[
    "QOSGrpCPURunMinutesLimit",
    "QOSGrpMemoryRunMinutes",
    "QOSGrpNodeRunMinutes",
    "QOSGrpBillingRunMinutes",
    "QOSGrpGRESRunMinutes",
];
pub(super) const QOS_JOB: ReasonWords = &[
    "QOSMaxCpuPerJobLimit",
    "QOSMaxMemoryPerJob",
    "QOSMaxNodePerJobLimit",
    "QOSMaxBillingPerJob",
    "QOSMaxGRESPerJob",
];
pub(super) const QOS_JOB_MINUTES: ReasonWords = &[
    "QOSMaxCpuMinutesPerJobLimit",
    "QOSMaxMemoryMinutesPerJob",
    "QOSMaxNodeMinutesPerJob",
    "QOSMaxBillingMinutesPerJob",
    "QOSMaxGRESMinutesPerJob",
];
pub(super) const QOS_JOB_NODE: ReasonWords = &[
    "QOSMaxCpuPerNode",
    "QOSMaxMemoryPerNode",
    "QOSMaxUnknownPerNode",
    "QOSMaxBillingPerNode",
    "QOSMaxGRESPerNode",
];
pub(super) const QOS_ACCOUNT: ReasonWords = &[
    "MaxCpuPerAccount",
    "MaxMemoryPerAccount",
    "MaxNodePerAccount",
    "MaxBillingPerAccount",
    "MaxGRESPerAccount",
];
pub(super) const QOS_USER: ReasonWords = &[
    "QOSMaxCpuPerUserLimit",
    "QOSMaxMemoryPerUser",
    "QOSMaxNodePerUserLimit",
    "QOSMaxBillingPerUser",
    "QOSMaxGRESPerUser",
];
pub(super) const QOS_LEAST: ReasonWords = &[
    "QOSMinCpuNotSatisfied",
    "QOSMinMemory",
    "QOSMinNode",
    "QOSMinBilling",
    "QOSMinGRES",
];

pub(super) type ReasonWords = &'static [&'static str; COUNTED];
