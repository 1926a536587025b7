//! The keywords of slurm.conf that can be shared, with the form of their values. All others may name
//! somebody, a host or a place.

use super::names::NameKind;
use crate::slurm::PRIORITY_FLAGS;

/// The form of a value.
#[derive(Copy, Clone)]
pub enum KindOfValue {
    /// A number, a time or an amount, or a word for one.
    Amount,
    /// Words of Slurm, with commas between them.
    Words(&'static [&'static str]),
    /// Names with commas between them.
    Names(NameKind),
    /// One name.
    One(NameKind),
    /// A list of nodes, or `ALL`.
    Nodes,
    /// A list of nodes of a switch, which can have unknown ones.
    Reached,
    /// A list of switches.
    Switches,
    /// Trackable resources.
    Tres,
    /// Licences with their counts.
    Licences,
    /// Generic resources with their counts.
    Resources,
    /// Options of `SchedulerParameters`.
    Options,
    /// `AuthInfo`, of which only the lifetime of credentials is kept.
    Lifetime,
}

use KindOfValue::{
    Amount, Licences, Lifetime, Names, Nodes, One, Options, Reached, Resources, Switches, Tres,
    Words,
};

const MODES: &[&str] = &[
    "cancel", "cluster", "gang", "off", "requeue", "suspend", "within",
];

const SELECTION: &[&str] = &[
    "cr_core",
    "cr_core_default_dist_block",
    "cr_core_memory",
    "cr_cpu",
    "cr_cpu_memory",
    "cr_lln",
    "cr_memory",
    "cr_one_task_per_core",
    "cr_pack_nodes",
    "cr_socket",
    "cr_socket_memory",
];

/// Keywords of lines that describe no node, no partition and no reservation.
pub const GENERAL: &[(&str, KindOfValue)] = &[
    (
        "accountingstorageenforce",
        Words(&[
            "all",
            "associations",
            "limits",
            "nojobs",
            "nosteps",
            "qos",
            "safe",
            "wckeys",
        ]),
    ),
    ("accountingstoragetres", Tres),
    (
        "accountingstoragetype",
        Words(&[
            "accounting_storage/filetxt",
            "accounting_storage/none",
            "accounting_storage/slurmdbd",
        ]),
    ),
    ("authinfo", Lifetime),
    ("batchstarttimeout", Amount),
    ("clustername", One(NameKind::Cluster)),
    ("completewait", Amount),
    ("defmempercpu", Amount),
    ("defmempernode", Amount),
    ("enforcepartlimits", Words(&["all", "any"])),
    ("epilogmsgtime", Amount),
    ("fairsharedampeningfactor", Amount),
    ("firstjobid", Amount),
    ("grestypes", Names(NameKind::Resource)),
    ("healthcheckinterval", Amount),
    ("inactivelimit", Amount),
    ("jobrequeue", Amount),
    ("killonbadexit", Amount),
    ("killwait", Amount),
    ("licenses", Licences),
    ("maxarraysize", Amount),
    ("maxjobcount", Amount),
    ("maxmempercpu", Amount),
    ("maxmempernode", Amount),
    ("maxstepcount", Amount),
    ("maxtaskspernode", Amount),
    ("messagetimeout", Amount),
    ("minjobage", Amount),
    ("overtimelimit", Amount),
    ("powercapwatts", Amount),
    ("preemptexempttime", Amount),
    ("preemptmode", Words(MODES)),
    (
        "preempttype",
        Words(&["preempt/none", "preempt/partition_prio", "preempt/qos"]),
    ),
    ("prioritycalcperiod", Amount),
    ("prioritydecayhalflife", Amount),
    ("priorityfavorsmall", Amount),
    ("priorityflags", Words(PRIORITY_FLAGS)),
    ("prioritymaxage", Amount),
    (
        "prioritytype",
        Words(&["multifactor", "priority/basic", "priority/multifactor"]),
    ),
    (
        "priorityusageresetperiod",
        Words(&[
            "daily",
            "monthly",
            "none",
            "now",
            "quarterly",
            "weekly",
            "yearly",
        ]),
    ),
    ("priorityweightage", Amount),
    ("priorityweightassoc", Amount),
    ("priorityweightfairshare", Amount),
    ("priorityweightjobsize", Amount),
    ("priorityweightpartition", Amount),
    ("priorityweightqos", Amount),
    ("priorityweighttres", Tres),
    ("prologepilogtimeout", Amount),
    ("resvoverrun", Amount),
    ("returntoservice", Amount),
    ("schedulerparameters", Options),
    ("schedulertimeslice", Amount),
    (
        "schedulertype",
        Words(&["sched/backfill", "sched/builtin", "sched/hold"]),
    ),
    (
        "selecttype",
        Words(&[
            "linear",
            "select/cons_res",
            "select/cons_tres",
            "select/cray_aries",
            "select/linear",
        ]),
    ),
    ("selecttypeparameters", Words(SELECTION)),
    ("slurmdtimeout", Amount),
    ("topologyparam", Words(&["dragonfly", "topooptional"])),
    (
        "topologyplugin",
        Words(&[
            "topology/3d_torus",
            "topology/default",
            "topology/flat",
            "topology/hypercube",
            "topology/none",
            "topology/tree",
        ]),
    ),
    ("unkillablesteptimeout", Amount),
    ("waittime", Amount),
];

/// Options of `SchedulerParameters`. Their values are numbers.
pub const SCHEDULER: &[&str] = &[
    "allow_zero_lic",
    "assoc_limit_stop",
    "batch_sched_delay",
    "bb_array_stage_cnt",
    "bf_busy_nodes",
    "bf_continue",
    "bf_hetjob_immediate",
    "bf_interval",
    "bf_job_part_count_reserve",
    "bf_licenses",
    "bf_max_job_array_resv",
    "bf_max_job_assoc",
    "bf_max_job_part",
    "bf_max_job_start",
    "bf_max_job_test",
    "bf_max_job_user",
    "bf_max_job_user_part",
    "bf_max_time",
    "bf_min_age_reserve",
    "bf_min_prio_reserve",
    "bf_node_space_size",
    "bf_one_resv_per_job",
    "bf_resolution",
    "bf_running_job_reserve",
    "bf_window",
    "bf_window_linear",
    "bf_yield_interval",
    "bf_yield_sleep",
    "build_queue_timeout",
    "default_queue_depth",
    "defer",
    "delay_boot",
    "disable_job_shrink",
    "enable_user_top",
    "ignore_numa",
    "ignore_prefer_validation",
    "max_array_tasks",
    "max_rpc_cnt",
    "max_sched_time",
    "max_script_size",
    "max_switch_wait",
    "no_backup_scheduling",
    "no_env_cache",
    "nohold_on_prolog_fail",
    "pack_serial_at_end",
    "partition_job_depth",
    "preempt_reorder_count",
    "preempt_strict_order",
    "preempt_youngest_first",
    "reduce_completing_frag",
    "requeue_setup_env_fail",
    "salloc_wait_nodes",
    "sbatch_wait_nodes",
    "sched_interval",
    "sched_max_job_start",
    "sched_min_interval",
    "spec_cores_first",
    "step_retry_count",
    "step_retry_time",
];

const NODE_STATES: &[&str] = &[
    "cloud", "down", "drain", "fail", "failing", "future", "idle", "unknown", "up",
];

/// Keywords of lines `NodeName`.
pub const NODE: &[(&str, KindOfValue)] = &[
    ("boards", Amount),
    ("busywatts", Amount),
    ("corespeccount", Amount),
    ("corespersocket", Amount),
    ("cpus", Amount),
    ("feature", Names(NameKind::Feature)),
    ("features", Names(NameKind::Feature)),
    ("gres", Resources),
    ("idlewatts", Amount),
    ("memspeclimit", Amount),
    ("nodename", Nodes),
    ("procs", Amount),
    ("realmemory", Amount),
    ("sockets", Amount),
    ("socketsperboard", Amount),
    ("state", Words(NODE_STATES)),
    ("threadspercore", Amount),
    ("tmpdisk", Amount),
    ("weight", Amount),
];

/// Keywords of lines `PartitionName`.
pub const PARTITION: &[(&str, KindOfValue)] = &[
    ("allowaccounts", Names(NameKind::Account)),
    ("allowqos", Names(NameKind::Qos)),
    ("default", Amount),
    ("defaulttime", Amount),
    ("defcpupergpu", Amount),
    ("defmempercpu", Amount),
    ("defmempergpu", Amount),
    ("defmempernode", Amount),
    ("denyaccounts", Names(NameKind::Account)),
    ("denyqos", Names(NameKind::Qos)),
    ("exclusiveuser", Amount),
    ("gracetime", Amount),
    ("hidden", Amount),
    ("lln", Amount),
    ("maxcpuspernode", Amount),
    ("maxmempercpu", Amount),
    ("maxmempernode", Amount),
    ("maxnodes", Amount),
    ("maxtime", Amount),
    ("minnodes", Amount),
    ("nodes", Nodes),
    ("oversubscribe", Words(&["exclusive", "force", "no", "yes"])),
    ("overtimelimit", Amount),
    ("partitionname", One(NameKind::Partition)),
    ("preemptmode", Words(MODES)),
    ("priority", Amount),
    ("priorityjobfactor", Amount),
    ("prioritytier", Amount),
    ("qos", One(NameKind::Qos)),
    ("reqresv", Amount),
    ("rootonly", Amount),
    ("selecttypeparameters", Words(SELECTION)),
    ("shared", Words(&["exclusive", "force", "no", "yes"])),
    ("state", Words(&["down", "drain", "inactive", "up"])),
    ("tresbillingweights", Tres),
];

/// Keywords of lines `DownNodes`.
pub const DOWN: &[(&str, KindOfValue)] = &[("downnodes", Nodes), ("state", Words(NODE_STATES))];

/// Keywords of lines `SwitchName`.
pub const SWITCH: &[(&str, KindOfValue)] = &[
    ("linkspeed", Amount),
    ("nodes", Reached),
    ("switches", Switches),
    ("switchname", One(NameKind::Switch)),
];

/// Keywords of lines `ReservationName`, beside those of its times.
pub const RESERVATION: &[(&str, KindOfValue)] = &[
    ("accounts", Names(NameKind::Account)),
    (
        "flags",
        Words(&[
            "all_nodes",
            "daily",
            "ignore_jobs",
            "maint",
            "overlap",
            "spec_nodes",
            "weekly",
        ]),
    ),
    ("nodes", Nodes),
    ("users", Names(NameKind::User)),
];
