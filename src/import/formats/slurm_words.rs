//! Words of Slurm: ids of jobs, states, limits, TRES, memory.

use crate::import::rows::{EndState, count, digits, is_unknown, length, memory};
use crate::trace::{Effect, ImportRule};

pub const STEP: ImportRule = ImportRule {
    id: "step",
    effect: Effect::Noted,
    text: "a step of a job (such as 123.batch): part of its job, not read by itself",
};
pub const HETEROGENEOUS: ImportRule = ImportRule {
    id: "heterogeneous",
    effect: Effect::Noted,
    text: "a component of a heterogeneous job (such as 123+1): read as a job of its own",
};
pub const NO_LIMIT: ImportRule = ImportRule {
    id: "no_limit",
    effect: Effect::Noted,
    text: "a time limit without a number (UNLIMITED, Partition_Limit): no estimate",
};
pub const MEMORY_FLAG: ImportRule = ImportRule {
    id: "memory_flag",
    effect: Effect::Repaired,
    text: "memory with Slurm's flag for `per processor` in its highest bit: the bit is taken off",
};
pub const REQUEUED: ImportRule = ImportRule {
    id: "requeued",
    effect: Effect::Noted,
    text: "a run that ended by preemption or a requeue: read as a job of its own, like the run \
        after it",
};
pub const REVOKED: ImportRule = ImportRule {
    id: "revoked",
    effect: Effect::Skipped,
    text: "revoked (it started in another cluster of the federation): skipped",
};

/// The id of a job, without its step.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SlurmId {
    /// The number before any other sign.
    pub number: i64,
    /// The task of an array.
    pub task: Option<i64>,
    /// Number of tasks that the id stands for.
    pub tasks: u64,
    /// True for a component of a heterogeneous job.
    pub is_component: bool,
    /// True for a step.
    pub is_step: bool,
}

/// Reads the id of a job, such as `123`, `123_4`, `123_[1-3,7%2]`, `123+1` or `123.batch`.
pub fn job_id(word: &str) -> Option<SlurmId> {
    let end = word
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(word.len());
    let (number, mut rest) = word.split_at(end);
    let mut id = SlurmId {
        number: digits(number)?,
        task: None,
        tasks: 1,
        is_component: false,
        is_step: false,
    };
    if let Some(array) = rest.strip_prefix('_') {
        if let Some(list) = array.strip_prefix('[') {
            let (list, after) = list.split_once(']')?;
            id.tasks = tasks(list)?;
            rest = after;
        } else {
            let end = array
                .find(|letter: char| !letter.is_ascii_digit())
                .unwrap_or(array.len());
            id.task = Some(digits(&array[..end])?);
            rest = &array[end..];
        }
    }
    if let Some(component) = rest.strip_prefix('+') {
        let end = component
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(component.len());
        digits(&component[..end])?;
        id.is_component = true;
        rest = &component[end..];
    }
    id.is_step = rest.starts_with('.');
    (rest.is_empty() || id.is_step).then_some(id)
}

/// Returns the number of tasks in a list such as `1-3,7,10-20:2%4`. Slurm cuts long lists off with
/// dots; the tasks up to there count.
fn tasks(list: &str) -> Option<u64> {
    let list = list.split('%').next()?.trim_end_matches("...");
    let mut all = 0_u64;
    for part in list.split(',').filter(|part| !part.is_empty()) {
        let (range, step) = part.split_once(':').unwrap_or((part, "1"));
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (from, to, step) = (digits(from)?, digits(to)?, digits(step)?.max(1));
        let count = to.checked_sub(from).filter(|count| *count >= 0)? / step + 1;
        all = all.checked_add(count as u64)?;
    }
    (all > 0).then_some(all)
}

/// Returns the number of nodes, and the least one if that is lower, of a job that waits. Slurm guesses its
/// number: only the one that it asks for counts, and the largest one.
pub fn nodes_of_waiting(asked: Option<i64>, most: Option<i64>) -> (Option<i64>, Option<i64>) {
    match (asked.unwrap_or(1), most) {
        (..=1, Some(1)) => (Some(1), None),
        (..=1, _) => (None, None),
        (least, Some(most)) if most > least => (Some(most), Some(least)),
        (asked, _) => (Some(asked), None),
    }
}

/// Returns the number of tasks of an array, which the database keeps as bits in digits of 16: `0xFF%2`.
pub fn tasks_of_bits(list: &str) -> Option<u64> {
    let digits = list.strip_prefix("0x")?.split('%').next()?;
    let bits = digits.chars().map(|digit| digit.to_digit(16));
    let count: u64 = bits
        .map(|bits| Some(u64::from(bits?.count_ones())))
        .sum::<Option<u64>>()?;
    (count > 0).then_some(count)
}

/// Reads a state such as `COMPLETED` or `CANCELLED by 1001`, and says whether the run ended with a
/// requeue.
pub fn state(word: &str) -> Option<(EndState, bool)> {
    let first = word.split([' ', '+', ',']).next()?;
    let state = match first {
        "COMPLETED" | "CD" => EndState::Completed,
        "CANCELLED" | "CA" | "REVOKED" | "RV" => EndState::Cancelled,
        "FAILED" | "F" | "TIMEOUT" | "TO" | "NODE_FAIL" | "NF" | "OUT_OF_MEMORY" | "OOM"
        | "BOOT_FAIL" | "BF" | "DEADLINE" | "DL" | "LAUNCH_FAILED" | "RECONFIG_FAIL"
        | "PREEMPTED" | "PR" | "REQUEUED" | "RQ" | "REQUEUE_FED" | "REQUEUE_HOLD"
        | "SPECIAL_EXIT" => EndState::Failed,
        "RUNNING" | "R" | "PENDING" | "PD" | "SUSPENDED" | "S" | "CONFIGURING" | "CF"
        | "RESIZING" | "RS" | "STOPPED" | "ST" | "SIGNALING" | "STAGE_OUT" | "RESV_DEL_HOLD" => {
            EndState::Alive
        }
        // It has ended, and its nodes are being cleaned.
        "COMPLETING" | "CG" => EndState::Unknown,
        _ => return None,
    };
    let is_requeued = matches!(
        first,
        "PREEMPTED" | "PR" | "REQUEUED" | "RQ" | "REQUEUE_FED"
    );
    Some((state, is_requeued))
}

/// A time limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// The limit, in seconds.
    Seconds(i64),
    /// There is a limit, or none, but no number.
    Unnumbered,
    /// The row does not say.
    Unknown,
    /// The word is no limit.
    Bad,
}

/// Reads a time limit: a length of time, or whole minutes.
pub fn limit(word: &str) -> TimeLimit {
    match word {
        "UNLIMITED" | "Partition_Limit" | "INVALID" | "INFINITE" | "NOT_SET" => {
            TimeLimit::Unnumbered
        }
        _ if is_unknown(word) => TimeLimit::Unknown,
        _ => match length(word).or_else(|| digits(word)?.checked_mul(60)) {
            Some(seconds) => TimeLimit::Seconds(seconds),
            None => TimeLimit::Bad,
        },
    }
}

/// Trackable resources, such as `billing=12,cpu=12,gres/gpu=2,mem=31000M,node=1`.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Tres {
    pub processors: Option<i64>,
    pub nodes: Option<i64>,
    pub gpus: Option<i64>,
    /// Kilobytes over all nodes.
    pub memory: Option<f64>,
}

/// Reads trackable resources. GPUs that are told by type too count once.
pub fn tres(word: &str) -> Tres {
    let mut found = Tres::default();
    let mut typed = None;
    for (name, amount) in word.split(',').filter_map(|part| part.split_once('=')) {
        match name {
            "cpu" => found.processors = count(amount),
            "node" => found.nodes = count(amount),
            "mem" => found.memory = memory(amount, 1024.0),
            "gres/gpu" => found.gpus = count(amount),
            _ if name.starts_with("gres/gpu:") => {
                typed = Some(typed.unwrap_or(0) + count(amount).unwrap_or(0));
            }
            _ => {}
        }
    }
    found.gpus = found.gpus.or(typed);
    found
}

/// Returns the GPUs of a list of generic resources, such as `gpu:a100:2` or `gpu:4(IDX:0-3)`, over
/// one node.
pub fn gres(word: &str) -> Option<i64> {
    let mut all = None;
    for part in word.split(',') {
        let part = part.split('(').next().unwrap_or(part);
        let mut words = part.trim_start_matches("gres:").split(':');
        if words.next() != Some("gpu") {
            continue;
        }
        let last = words.next_back().and_then(count).unwrap_or(1);
        all = Some(all.unwrap_or(0) + last);
    }
    all
}

/// Memory that a job asked for.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Asked {
    /// Kilobytes over all nodes.
    pub kilobytes: f64,
    /// Kilobytes of each node, if the job asked for that.
    pub of_node: Option<i64>,
    /// True if Slurm's flag stood in the number.
    pub had_flag: bool,
}

/// Slurm's flag for memory per processor, in the versions that wrote 32 bits, and in those with 64.
const FLAGS: [f64; 2] = [2_147_483_648.0, 9_223_372_036_854_775_808.0];

/// Kilobytes that no job has: a larger amount is a slip.
const MOST_MEMORY: f64 = 1e13;

/// Reads `ReqMem`: with `c` per processor, with `n` per node, else for the whole job.
pub fn asked_memory(word: &str, processors: i64, nodes: i64) -> Option<Asked> {
    let mut kilobytes = memory(word, 1024.0)?;
    let megabytes = kilobytes / 1024.0;
    let flag = FLAGS
        .iter()
        .rev()
        .find(|flag| (**flag..2.0 * **flag).contains(&megabytes));
    if let Some(flag) = flag {
        kilobytes -= flag * 1024.0;
    }
    let (of, is_of_node) = match word.as_bytes().last() {
        _ if flag.is_some() => (processors, false),
        Some(b'c') => (processors, false),
        Some(b'n') => (nodes, true),
        _ => (1, false),
    };
    let of_node = is_of_node.then_some(kilobytes as i64);
    let kilobytes = kilobytes * of.max(1) as f64;
    (kilobytes <= MOST_MEMORY).then_some(Asked {
        kilobytes,
        of_node,
        had_flag: flag.is_some(),
    })
}

/// Returns the kilobytes of each node, if the sums of a job show that it asked for them: Slurm counts whole megabytes
/// for a processor, so a sum that is no multiple of the processors is one of nodes.
pub fn node_memory(of_job: &Tres) -> Option<i64> {
    let (cpus, nodes) = (of_job.processors?, of_job.nodes?);
    let kilobytes = of_job
        .memory
        .filter(|all| (0.0..=MOST_MEMORY).contains(all))? as i64;
    let megabytes = kilobytes / 1024;
    let is_of_node = kilobytes % 1024 == 0
        && cpus > 0
        && nodes > 0
        && megabytes % cpus != 0
        && megabytes % nodes == 0;
    is_of_node.then(|| kilobytes / nodes)
}

/// Returns the jobs that a command's `--dependency` names, as Slurm writes them. Words after the
/// script can be anything, so only those count that begin like a dependency.
pub fn dependency(command: &str) -> &str {
    let is_list = |word: &&str| {
        ["after", "singleton", "expand"]
            .iter()
            .any(|kind| word.starts_with(kind))
    };
    let mut before = "";
    for word in command.split_ascii_whitespace() {
        let list = ["--dependency=", "-d=", "-d"]
            .iter()
            .find_map(|option| word.strip_prefix(option))
            .or_else(|| matches!(before, "--dependency" | "-d").then_some(word))
            .filter(is_list);
        if let Some(list) = list {
            return list;
        }
        before = word;
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_show_memory_of_nodes() {
        for (word, expected) in [
            ("cpu=32,mem=187000M,node=1", Some(187_000 * 1024)),
            ("cpu=7,mem=20G,node=2", Some(10_240 * 1024)),
            // Each could be of a CPU, too.
            ("cpu=32,mem=64G,node=1", None),
            ("cpu=1,mem=187001M,node=1", None),
            // Rounded, of uneven nodes, or not told.
            ("cpu=32,mem=186.73G,node=1", None),
            ("cpu=7,mem=20481M,node=2", None),
            ("cpu=7,mem=20G", None),
            ("mem=20G,node=2", None),
            ("cpu=0,mem=20G,node=0", None),
            ("cpu=7,node=2", None),
        ] {
            assert_eq!(node_memory(&tres(word)), expected, "{word}");
        }
    }

    #[test]
    fn ids_have_tasks_components_and_steps() {
        let of = |word: &str| {
            job_id(word).map(|id| (id.number, id.task, id.tasks, id.is_component, id.is_step))
        };
        for (word, expected) in [
            ("123", Some((123, None, 1, false, false))),
            ("123_4", Some((123, Some(4), 1, false, false))),
            ("123_[1-3]", Some((123, None, 3, false, false))),
            ("123_[1,5]", Some((123, None, 2, false, false))),
            ("123_[0-10:5,20%2]", Some((123, None, 4, false, false))),
            ("123_[1-2,5-...]", None),
            ("123_[1-2,5...]", Some((123, None, 3, false, false))),
            ("123+1", Some((123, None, 1, true, false))),
            ("123.batch", Some((123, None, 1, false, true))),
            ("123_4.0", Some((123, Some(4), 1, false, true))),
            ("123+0.extern", Some((123, None, 1, true, true))),
            ("123_[3-1]", None),
            ("abc", None),
            ("12x", None),
            ("", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(of(word), expected, "{word}");
        }
    }

    #[test]
    fn a_waiting_job_asks_for_nodes_or_for_none() {
        for (asked, most, expected) in [
            (None, None, (None, None)),
            (Some(1), None, (None, None)),
            (Some(1), Some(0), (None, None)),
            (Some(1), Some(1), (Some(1), None)),
            (Some(1), Some(8), (None, None)),
            (Some(4), Some(0), (Some(4), None)),
            (Some(4), Some(4), (Some(4), None)),
            (Some(2), Some(8), (Some(8), Some(2))),
        ] {
            assert_eq!(
                nodes_of_waiting(asked, most),
                expected,
                "{asked:?} {most:?}"
            );
        }
    }

    #[test]
    fn bits_are_tasks() {
        for (list, expected) in [
            ("0xFF", Some(8)),
            ("0x1000000000000000F%2", Some(5)),
            ("0x0", None),
            ("0x", None),
            ("0xG", None),
            ("1-8", None),
        ] {
            assert_eq!(tasks_of_bits(list), expected, "{list}");
        }
    }

    #[test]
    fn resources_and_memory_are_read() {
        let all = tres("billing=12,cpu=12,gres/gpu=2,gres/gpu:a100=2,mem=31000M,node=1");
        assert_eq!(
            (all.processors, all.nodes, all.gpus, all.memory),
            (Some(12), Some(1), Some(2), Some(31_744_000.0))
        );
        assert_eq!(tres("gres/gpu:a100=2,gres/gpu:v100=1").gpus, Some(3));
        assert_eq!(
            [gres("gpu:4(IDX:0-3)"), gres("gpu:a100:2,fpga:1"), gres("")],
            [Some(4), Some(2), None]
        );
        let asked = |word: &str| asked_memory(word, 8, 2).map(|a| (a.kilobytes, a.had_flag));
        assert_eq!(asked("2800Mc"), Some((8.0 * 2800.0 * 1024.0, false)));
        assert_eq!(asked("4Gn"), Some((2.0 * 4.0 * 1024.0 * 1024.0, false)));
        assert_eq!(asked("500G"), Some((500.0 * 1024.0 * 1024.0, false)));
        assert_eq!(asked("2147486648Mn"), Some((8.0 * 3000.0 * 1024.0, true)));
        assert_eq!(asked("lots"), None);
    }

    #[test]
    fn limits_and_states_are_read() {
        assert_eq!(limit("3-00:00:00"), TimeLimit::Seconds(259_200));
        assert_eq!(limit("2400"), TimeLimit::Seconds(144_000));
        assert_eq!(limit("UNLIMITED"), TimeLimit::Unnumbered);
        assert_eq!(
            (limit(""), limit("soon")),
            (TimeLimit::Unknown, TimeLimit::Bad)
        );
        assert_eq!(
            [
                state("CANCELLED by 1001"),
                state("PREEMPTED"),
                state("RUNNING"),
                state("COMPLETING"),
                state("NONSENSE")
            ],
            [
                Some((EndState::Cancelled, false)),
                Some((EndState::Failed, true)),
                Some((EndState::Alive, false)),
                Some((EndState::Unknown, false)),
                None
            ]
        );
        assert_eq!(
            dependency("sbatch -N1 --dependency=afterok:12:13 x.sh"),
            "afterok:12:13"
        );
        assert_eq!(dependency("sbatch -d singleton x.sh"), "singleton");
        assert_eq!(dependency("sbatch x.sh"), "");
        assert_eq!(dependency("sbatch -dafterok:12 x.sh"), "afterok:12");
        assert_eq!(dependency("sbatch run.sh -d 5000"), "");
        assert_eq!(
            dependency("sbatch --wrap \"gzip -d f\" --dependency afterany:3"),
            "afterany:3"
        );
    }
}
