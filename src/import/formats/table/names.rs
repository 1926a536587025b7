//! The names of columns that are known, by role.
//!
//! The names come from the logs and data sets that docs/formats/tables.md lists. Each is written
//! in small letters and digits alone.

use super::mapping::{ColumnUnit, Role};

/// The names of each role, the first ones first.
const NAMES: &[(Role, &str)] = &[
    (
        Role::Job,
        "jobid idjob jobnumber cobaltjobid slurmjobid batchjobid jid job jobidraw jobno jobnum \
            jobuid id taskid",
    ),
    (
        Role::Submit,
        "submit submittime timesubmit submitted submittedtime submittedat \
            submittimestamp submission submissiontime submissiontimestamp queuedtimestamp queuedat \
            queuedtime queued arrival arrivaltime arrivaltimestamp created createdat createtime \
            createdtime creationtime creationtimestamp ctime qtime subtime adt submitdate \
            submissiondate",
    ),
    (
        Role::Eligible,
        "eligible eligibletime timeeligible eligibleat eligibletimestamp etime qdt readytime",
    ),
    (
        Role::Start,
        "start starttime timestart started startedat startedtime starttimestamp begin begintime \
            begintimestamp begun startdate sdt dispatchtime executionstart execstart launchtime \
            launchedat executionstarttime",
    ),
    (
        Role::End,
        "end endtime timeend ended endedat endtimestamp finish finishtime finished finishedat \
            finishedtime finishtimestamp completion completiontime completiontimestamp completed \
            completedat done stop stoptime stopped stoppedat enddate edt terminatedat \
            executionend executionendtime",
    ),
    (
        Role::Wait,
        "wait waittime waitingtime waitduration queuewait queuewaittime queuedelay queuetime \
            timeinqueue queueingtime queuingtime queueduration pendingtime pendingduration",
    ),
    (
        Role::RunTime,
        "runtime elapsed elapsedraw elapsedtime timeelapsed duration walltimeused usedwalltime \
            resourcesusedwalltime wallclock wallclocktime runningtime executiontime exectime \
            executionduration jobduration actualruntime actualwalltime ruwallclock runduration",
    ),
    (
        Role::Limit,
        "timelimit timelimitraw limit walltimelimit walllimit wallclocklimit requestedwalltime \
            walltimerequested reqwalltime walltimereq requestedtime timerequested reqtime timereq \
            requestedruntime requestedduration resourcelistwalltime estimate estimatedruntime \
            estimatedtime userestimate expectedruntime maxruntime runlimit runtimelimit elpl \
            activedeadline jobtimelimit walltime",
    ),
    (
        Role::Processors,
        "processors procs nprocs numprocs numprocessors processorsused cpus ncpus numcpus cpucount \
            cpunum alloccpus cpusalloc allocatedcpus cpualloc numcpusalloc cores ncores numcores \
            corecount coresused usedcores alloccores coresalloc numcoresalloc allocatedcores \
            totalcores cnumat slots cpu plancpu allocatedprocessors",
    ),
    (
        Role::Requested,
        "reqcpus cpusreq reqcpu cpureq cpusrequested cpurequested requestedcpus requestedcpu \
            cpurequest cpurequests numcpusreq reqcores coresreq coresrequested requestedcores \
            numcoresreq reqprocs requestedprocs requestedprocessors cnumr resourcelistncpus",
    ),
    (
        Role::Nodes,
        "nodes nnodes numnodes nodesused usednodes nodecount nodecnt nodect nodenum allocnodes \
            nodesalloc numnodesalloc allocatednodes nodesallocated nnuma nodesrequested \
            requestednodes reqnodes nodesreq numnodesreq nnumr resourcelistnodect hosts numhosts \
            nhosts",
    ),
    (
        Role::CoresPerNode,
        "corespernode cpuspernode cpupernode procspernode processorspernode taskspernode \
            ntaskspernode ppn",
    ),
    (
        Role::Gpus,
        "gpus ngpus numgpus gpucount gpunum gpusalloc allocgpus numgpusalloc allocatedgpus gpusused \
            gpu plangpu reqgpus gpusreq gpusrequested requestedgpus numgpusreq gpurequest \
            gpurequests gpurequested gresused",
    ),
    (
        Role::Memory,
        "memory mem reqmem memreq memoryrequested requestedmemory memrequested memoryrequest \
            memoryreq reqmemory memoryalloc memalloc planmem mszl",
    ),
    (
        Role::NodeMemory,
        "nodememory memorypernode mempernode memorynode minmemorynode reqmempernode",
    ),
    (
        Role::User,
        "user username userid iduser uid usr usergenid usernamegenid owner submitter",
    ),
    (
        Role::Group,
        "group groupname groupid idgroup gid groupgenid unixgroup",
    ),
    (
        Role::Account,
        "account accountname project projectname projectid projectgenid projectnamegenid \
            allocation bank namespace tenant",
    ),
    (
        Role::Queue,
        "queuename partition partitionname vc virtualcluster queue jobqueue jobclass",
    ),
    (
        Role::Qos,
        "qos qosname idqos qualityofservice priorityclass priorityclassname",
    ),
    (
        Role::State,
        "state jobstate status jobstatus finalstate finalstatus exitstate outcome phase \
            completionstatus exitstatus exitcode",
    ),
    (
        Role::Name,
        "name jobname jnam application app appname podname",
    ),
    (Role::Dependency, "dependency dependencies dependson"),
];

/// Words at the end of a name that tell a unit.
const SUFFIXES: &[(&str, ColumnUnit)] = &[
    ("s", ColumnUnit::Seconds),
    ("sec", ColumnUnit::Seconds),
    ("secs", ColumnUnit::Seconds),
    ("second", ColumnUnit::Seconds),
    ("seconds", ColumnUnit::Seconds),
    ("ms", ColumnUnit::Milliseconds),
    ("msec", ColumnUnit::Milliseconds),
    ("millis", ColumnUnit::Milliseconds),
    ("milliseconds", ColumnUnit::Milliseconds),
    ("min", ColumnUnit::Minutes),
    ("mins", ColumnUnit::Minutes),
    ("minute", ColumnUnit::Minutes),
    ("minutes", ColumnUnit::Minutes),
    ("h", ColumnUnit::Hours),
    ("hr", ColumnUnit::Hours),
    ("hrs", ColumnUnit::Hours),
    ("hour", ColumnUnit::Hours),
    ("hours", ColumnUnit::Hours),
    ("d", ColumnUnit::Days),
    ("days", ColumnUnit::Days),
    ("b", ColumnUnit::Bytes),
    ("bytes", ColumnUnit::Bytes),
    ("kb", ColumnUnit::Kilobytes),
    ("kib", ColumnUnit::Kilobytes),
    ("mb", ColumnUnit::Megabytes),
    ("mib", ColumnUnit::Megabytes),
    ("gb", ColumnUnit::Gigabytes),
    ("gib", ColumnUnit::Gigabytes),
    ("us", ColumnUnit::UnixUs),
    ("ns", ColumnUnit::UnixNs),
    ("utc", ColumnUnit::Iso),
];

/// Words at the beginning of a name that say nothing.
const PREFIXES: &[&str] = &["job", "slurm", "pbs", "record"];

/// The name of a column in the forms in which it is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnName {
    /// The forms, the most exact one first.
    forms: Vec<String>,
    /// The unit that the end of the name tells.
    pub unit: Option<ColumnUnit>,
}

/// Letters of a name that are looked at.
const LONGEST: usize = 100;

/// Returns the forms of a name: its letters and digits in small letters; then without a unit at its
/// end; then without a word such as `job` at its beginning.
pub fn known(name: &str) -> ColumnName {
    let mut words: Vec<String> = vec![String::new()];
    let mut last = ' ';
    for letter in name.chars().take(LONGEST) {
        let is_border = !letter.is_alphanumeric() || (last.is_lowercase() && letter.is_uppercase());
        if is_border && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        last = letter;
    }
    words.retain(|word| !word.is_empty());
    let mut forms = vec![words.concat()];
    let unit = words.last().and_then(|word| {
        let suffix = SUFFIXES.iter().find(|(suffix, _)| suffix == word)?;
        (words.len() > 1).then_some(suffix.1)
    });
    if unit.is_some() {
        words.pop();
        forms.push(words.concat());
    }
    if words.len() > 1 && PREFIXES.contains(&words[0].as_str()) {
        forms.push(words[1..].concat());
    }
    ColumnName { forms, unit }
}

/// Returns the columns whose names fit a role, the best first.
pub fn candidates(role: Role, columns: &[ColumnName]) -> impl Iterator<Item = usize> {
    let all = NAMES
        .iter()
        .filter(move |(known, _)| *known == role)
        .flat_map(|(_, names)| names.split_ascii_whitespace());
    // All names in their exact form come before any in another form.
    (0..3).flat_map(move |form| {
        all.clone().flat_map(move |name| {
            columns
                .iter()
                .enumerate()
                .filter(move |(_, column)| column.forms.get(form).is_some_and(|own| own == name))
                .map(|(at, _)| at)
        })
    })
}

/// Returns true if a name is that of Slurm's time limits, which are in minutes.
pub fn is_slurm_limit(column: &ColumnName) -> bool {
    column
        .forms
        .iter()
        .any(|form| matches!(form.as_str(), "timelimit" | "timelimitraw"))
}

/// Returns true if a name is that of an exit status.
pub fn is_exit_status(column: &ColumnName) -> bool {
    column.forms.iter().any(|form| form.starts_with("exit"))
}

/// Returns true if a name alone does not say if it is of a limit or of a run time.
pub fn is_walltime(column: &ColumnName) -> bool {
    column.forms.iter().any(|form| form == "walltime")
}

/// Returns true if counts under this name are in hundredths.
pub fn is_in_hundredths(column: &ColumnName) -> bool {
    column
        .forms
        .iter()
        .any(|form| matches!(form.as_str(), "plancpu" | "plangpu"))
}

/// Returns true if a name ends in a word for gigabytes by custom.
pub fn is_in_gigabytes(column: &ColumnName) -> bool {
    column.forms.iter().any(|form| form == "planmem")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::formats::table::mapping::{ROLES, UNITS};

    #[test]
    fn names_are_found_in_their_forms() {
        let names = [
            "QUEUED_TIMESTAMP",
            "WALLTIME_SECONDS",
            "RUNTIME_SECONDS",
            "jobSubmitTime",
            "submit_time",
            "cpu",
        ];
        let columns: Vec<ColumnName> = names.iter().map(|name| known(name)).collect();
        let first = |role| candidates(role, &columns).next();
        assert_eq!(first(Role::Submit), Some(4), "an exact name comes first");
        assert_eq!(
            candidates(Role::Submit, &columns).collect::<Vec<_>>(),
            [4, 0, 3]
        );
        assert_eq!(first(Role::Limit), Some(1));
        assert_eq!(first(Role::RunTime), Some(2));
        assert_eq!(first(Role::Processors), Some(5));
        assert_eq!(first(Role::Gpus), None);
        assert_eq!(columns[1].unit, Some(ColumnUnit::Seconds));
        assert_eq!(known("s").unit, None, "a unit alone is a name");
        assert_eq!(known("").forms, [""]);
    }

    /// A twin needs every name, in the same order.
    #[test]
    fn the_docs_have_every_name_and_unit() {
        let docs = include_str!("../../../../docs/formats/tables.md");
        for (role, id, name, _) in ROLES {
            let names = NAMES.iter().find(|(known, _)| *known == role).unwrap().1;
            let row = docs
                .lines()
                .find(|line| line.starts_with(&format!("| `{id}` | {name} |")));
            let names: Vec<&str> = names.split_ascii_whitespace().collect();
            let end = format!("| {} |", names.join(" "));
            assert!(row.is_some_and(|row| row.ends_with(&end)), "{id}: {end}");
        }
        for (_, id, name, _) in UNITS {
            assert!(
                docs.lines()
                    .any(|line| line.starts_with(&format!("| `{id}` |"))
                        && line.ends_with(&format!("| {name} |"))),
                "{id}"
            );
        }
        for (suffix, _) in SUFFIXES {
            assert!(docs.contains(&format!("`{suffix}`")), "{suffix}");
        }
    }

    /// A name that two roles have would depend on their order.
    #[test]
    fn a_name_has_one_role() {
        let all: Vec<(&str, Role)> = NAMES
            .iter()
            .flat_map(|(role, names)| names.split_ascii_whitespace().map(|name| (name, *role)))
            .collect();
        for (name, role) in &all {
            let roles: Vec<Role> = all
                .iter()
                .filter(|(other, _)| other == name)
                .map(|(_, role)| *role)
                .collect();
            assert_eq!(roles, [*role], "{name}");
            assert!(
                name.bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            );
        }
    }
}
