//! The keywords of slurm.conf: which ones the scheduler follows, which ones change nothing in a
//! simulation, and which ones would change the schedule but are not modelled.

use super::modelled;

/// The part of a keyword in the schedule.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum KeywordEffect {
    /// The scheduler follows it.
    Used,
    /// It changes no decision in a simulation.
    WithoutEffect,
    /// It would change the schedule, but is not modelled, or is unknown.
    NotModelled,
}

/// A keyword of a configuration, or an option of `SchedulerParameters`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineFact {
    /// The line of the text, from 1.
    pub line: u64,
    /// The keyword as written.
    pub keyword: String,
    /// The value as written.
    pub value: String,
    /// Its part in the schedule.
    pub effect: KeywordEffect,
}

impl LineFact {
    /// True for an option of `SchedulerParameters` with a number out of its range.
    pub fn is_out_of_range(&self) -> bool {
        is_out_of_range(&self.keyword, &self.value)
    }
}

/// The kind of line, or of list, in which a keyword stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ConfPlace {
    General,
    Scheduler,
    Node,
    Partition,
    Switch,
}

const GENERAL_NOT_MODELLED: &[&str] = &[
    "allowspecresourcesusage",
    "batchstarttimeout",
    "burstbuffertype",
    "clifilterplugins",
    "corespecplugin",
    "downnodes",
    "enforcepartlimits",
    "epilog",
    "epilogmsgtime",
    "epilogslurmctld",
    "federationparameters",
    "firstjobid",
    "healthcheckinterval",
    "healthchecknodestate",
    "healthcheckprogram",
    "include",
    "jobsubmitplugins",
    "launchparameters",
    "maxmempercpu",
    "maxmempernode",
    "mcsparameters",
    "mcsplugin",
    "minjobage",
    "nodefeaturesplugins",
    "priorityparameters",
    "prioritysitefactorparameters",
    "prioritysitefactorplugin",
    "prolog",
    "prologepilogtimeout",
    "prologflags",
    "prologslurmctld",
    "requeueexit",
    "requeueexithold",
    "resumeprogram",
    "resumerate",
    "resumetimeout",
    "resvepilog",
    "resvprolog",
    "returntoservice",
    "routeplugin",
    "schedulertimeslice",
    "scronparameters",
    "slurmdtimeout",
    "suspendexcnodes",
    "suspendexcparts",
    "suspendprogram",
    "suspendrate",
    "suspendtime",
    "suspendtimeout",
    "unkillablesteptimeout",
];

/// Starts of the names of keywords without effect.
const GENERAL_WITHOUT_EFFECT: &[&str] = &[
    "accountingstoragebackuphost",
    "accountingstoragehost",
    "accountingstorageloc",
    "accountingstoragepass",
    "accountingstorageport",
    "accountingstorageuser",
    "accountingstoreflags",
    "acctgather",
    "auth",
    "backup",
    "bcast",
    "cluster",
    "comm",
    "control",
    "cpufreq",
    "cred",
    "debug",
    "dependencyparameters",
    "disablerootjobs",
    "eiotimeout",
    "extsensors",
    "getenvtimeout",
    "gpufreqdef",
    "group",
    "inactivelimit",
    "interactive",
    "jobacctgather",
    "jobcomp",
    "jobcontainer",
    "jobcredential",
    "jobfileappend",
    "keepalive",
    "killonbadexit",
    "logtimeformat",
    "mail",
    "maxarraysize",
    "maxdbdmsgs",
    "maxjobcount",
    "maxjobid",
    "maxnodecount",
    "maxstepcount",
    "maxtaskspernode",
    "mpi",
    "overtimelimit",
    "plugin",
    "plugstack",
    "power",
    "prep",
    "privatedata",
    "proctrack",
    "propagate",
    "rebootprogram",
    "reconfigflags",
    "resvoverrun",
    "salloc",
    "sbcast",
    "slurmctld",
    "slurmd",
    "slurmsched",
    "slurmuser",
    "srun",
    "statesave",
    "switch",
    "task",
    "tcptimeout",
    "tmpfs",
    "trackwckey",
    "treewidth",
    "unkillablestepprogram",
    "usepam",
    "vsizefactor",
    "waittime",
    "x11parameters",
];

const SCHEDULER_WITHOUT_EFFECT: &[&str] = &[
    "allow_zero_lic",
    "bb_array_stage_cnt",
    "bf_continue",
    "build_queue_timeout",
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
    "no_backup_scheduling",
    "no_env_cache",
    "nohold_on_prolog_fail",
    "requeue_setup_env_fail",
    "salloc_wait_nodes",
    "sbatch_wait_nodes",
    "step_retry_count",
    "step_retry_time",
];

const NODE_USED: &[&str] = &[
    "boards",
    "corespersocket",
    "cpus",
    "feature",
    "features",
    "gres",
    "nodename",
    "procs",
    "realmemory",
    "sockets",
    "socketsperboard",
    "threadspercore",
    "weight",
];

const NODE_WITHOUT_EFFECT: &[&str] = &[
    "bcastaddr",
    "cpubind",
    "nodeaddr",
    "nodehostname",
    "port",
    "reason",
];

const PARTITION_USED: &[&str] = &[
    "allowaccounts",
    "allowqos",
    "default",
    "defaulttime",
    "defmempercpu",
    "defmempernode",
    "denyaccounts",
    "denyqos",
    "gracetime",
    "lln",
    "maxcpuspernode",
    "maxnodes",
    "maxtime",
    "minnodes",
    "nodes",
    "partitionname",
    "priority",
    "priorityjobfactor",
    "prioritytier",
    "qos",
    "state",
    "tresbillingweights",
];

const PARTITION_WITHOUT_EFFECT: &[&str] = &["cpubind", "defcpupergpu", "defmempergpu", "hidden"];

/// Returns the part that a keyword (in small letters) has with its value.
pub fn effect(place: ConfPlace, key: &str, value: &str) -> KeywordEffect {
    use KeywordEffect::{NotModelled, Used, WithoutEffect};
    let has = |list: &[&str]| list.contains(&key);
    let value = value.to_ascii_lowercase();
    // Values that turn off what is not modelled.
    let is_off = ["", "0", "no", "none", "off", "null"].contains(&value.as_str())
        || value.ends_with("/none");
    match place {
        ConfPlace::General if modelled::has(modelled::GENERAL, key) => of_general(key, &value),
        ConfPlace::General if has(GENERAL_NOT_MODELLED) => match (key, is_off) {
            (_, true) => WithoutEffect,
            ("firstjobid", _) if value == "1" => WithoutEffect,
            _ => NotModelled,
        },
        ConfPlace::General if key == "authinfo" && value.contains("cred_expire=") => Used,
        ConfPlace::General => {
            let mut starts = GENERAL_WITHOUT_EFFECT.iter();
            if starts.any(|start| key.starts_with(start)) {
                WithoutEffect
            } else {
                NotModelled
            }
        }
        ConfPlace::Scheduler if is_out_of_range(key, &value) => WithoutEffect,
        ConfPlace::Scheduler if modelled::has(modelled::SCHEDULER, key) => Used,
        ConfPlace::Scheduler if has(SCHEDULER_WITHOUT_EFFECT) => WithoutEffect,
        ConfPlace::Node if has(NODE_USED) => Used,
        ConfPlace::Node if has(NODE_WITHOUT_EFFECT) => WithoutEffect,
        ConfPlace::Node if key == "state" && ["unknown", "up", "idle"].contains(&&*value) => {
            WithoutEffect
        }
        ConfPlace::Node if is_off => WithoutEffect,
        ConfPlace::Partition if has(PARTITION_USED) => Used,
        ConfPlace::Partition if has(PARTITION_WITHOUT_EFFECT) => WithoutEffect,
        ConfPlace::Partition if key == "preemptmode" && value == "suspend" => Used,
        ConfPlace::Partition if key == "preemptmode" => match of_general(key, &value) {
            // This partition is spared.
            WithoutEffect => Used,
            effect => effect,
        },
        ConfPlace::Partition if ["oversubscribe", "shared"].contains(&key) => {
            // Other values count with gang scheduling only: `keywords` corrects their effect.
            if ["no", "exclusive", "force:1", "yes:1"].contains(&&*value) {
                Used
            } else {
                NotModelled
            }
        }
        ConfPlace::Switch if ["nodes", "switches", "switchname"].contains(&key) => Used,
        ConfPlace::Switch if key == "linkspeed" => WithoutEffect,
        ConfPlace::Partition if is_off || value == "all" => WithoutEffect,
        _ => NotModelled,
    }
}

/// True if an option of `SchedulerParameters` has a number out of its range. Its default counts then.
fn is_out_of_range(key: &str, value: &str) -> bool {
    let number = value.parse::<i64>().ok();
    let word = modelled::called(modelled::SCHEDULER, key);
    word.zip(number)
        .is_some_and(|(word, number)| word.excludes(number))
}

/// True if the plugin knows no topology. Its name has changed: `none`, then `default`, then `flat`.
fn has_no_topology(value: &str) -> bool {
    let name = value.strip_prefix("topology/").unwrap_or(value);
    ["", "none", "default", "flat"].contains(&name)
}

/// True if a list names only TRES that count anyway.
fn is_counted(value: &str) -> bool {
    let counted = ["cpu", "mem", "energy", "node", "billing", "gres/gpu"];
    value.split(',').all(|name| counted.contains(&name.trim()))
}

/// Returns the part of a keyword of which only some values are modelled.
fn of_general(key: &str, value: &str) -> KeywordEffect {
    use KeywordEffect::{NotModelled, Used, WithoutEffect};
    let has_preemption = !["", "none", "off", "preempt/none"].contains(&value);
    let values = || modelled::called(modelled::GENERAL, key).map_or(&[][..], |word| word.values);
    let is_value = |value: &str| values().iter().any(|one| one.eq_ignore_ascii_case(value));
    let known: &[&str] = match key {
        "preempttype" | "preemptmode" | "preemptexempttime" if !has_preemption => {
            return WithoutEffect;
        }
        "jobrequeue" if value != "0" => return WithoutEffect,
        "topologyplugin" if has_no_topology(value) => return WithoutEffect,
        "preempttype"
        | "prioritytype"
        | "priorityusageresetperiod"
        | "schedulertype"
        | "selecttype"
        | "topologyplugin" => values(),
        "preemptmode" => &[
            "cancel",
            "requeue",
            "gang",
            "suspend,gang",
            "gang,suspend",
            "cancel,gang",
            "gang,cancel",
            "requeue,gang",
            "gang,requeue",
        ],
        "selecttypeparameters" => {
            let bad = ["cr_one_task_per_core", "cr_pack_nodes"];
            let is_bad = value.split(',').any(|word| bad.contains(&word));
            return if is_bad { NotModelled } else { Used };
        }
        "accountingstorageenforce" => {
            let bad = ["wckeys", "all"];
            let is_bad = value.split(',').any(|word| bad.contains(&word));
            return if is_bad { NotModelled } else { Used };
        }
        "topologyparam" => {
            let words = || value.split(',');
            return if words().any(|word| word == "dragonfly") {
                NotModelled
            } else if words().any(|word| word == "topooptional") {
                Used
            } else {
                WithoutEffect
            };
        }
        "accountingstoragetres" => {
            return if is_counted(value) { Used } else { NotModelled };
        }
        "priorityflags" => {
            return if value.split(',').all(is_value) {
                Used
            } else {
                NotModelled
            };
        }
        _ => return Used,
    };
    if known.iter().any(|one| one.eq_ignore_ascii_case(value)) {
        Used
    } else {
        NotModelled
    }
}
