//! The keywords of preemption in slurm.conf: which jobs take the nodes of which others, and what becomes
//! of those.

use super::text::modes::PreemptMode;
use super::text::words::{ConfLine, ConfWord, INFINITE, seconds};
use crate::problem::Problem;

/// Seconds that a requeued job waits, less one, if `AuthInfo` names no lifetime of credentials.
const CREDENTIAL_SECONDS: i64 = 120;

/// The shortest lifetime of credentials that Slurm takes.
const LEAST_CREDENTIAL_SECONDS: i64 = 5;

/// Seconds of a time slice if nothing else is said, and the fewest that Slurm takes.
const SLICE_SECONDS: i64 = 30;
const LEAST_SLICE_SECONDS: i64 = 5;

/// The rule by which a job may preempt another one (`PreemptType`).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum PreemptRule {
    #[default]
    None,
    /// A partition of a higher tier preempts one of a lower tier.
    Partition,
    /// A QOS preempts those of its list.
    Qos,
}

/// The rules of preemption.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "slurm.conf has these flags")]
pub struct PreemptConf {
    pub rule: PreemptRule,
    pub mode: PreemptMode,
    /// True if gang scheduling suspends and resumes jobs (`GANG`).
    pub is_gang: bool,
    /// Seconds of a time slice (`SchedulerTimeSlice`).
    pub slice: i64,
    /// Seconds after its start during which a job is not preempted.
    pub exempt: i64,
    /// Seconds for which a job that has preempted others preempts no more.
    pub pause: i64,
    /// Seconds that a requeued job waits.
    pub requeue_delay: i64,
    /// True if jobs can be requeued at all (`JobRequeue`).
    pub requeues: bool,
    /// The number of times that select/cons_tres orders the candidates anew.
    pub reorders: i64,
    /// True with `preempt_strict_order`, and with `preempt_youngest_first`.
    pub is_strict: bool,
    pub is_youngest_first: bool,
}

impl PreemptConf {
    /// True if any job can be preempted (`slurm_preemption_enabled`).
    pub fn is_on(&self) -> bool {
        self.rule != PreemptRule::None && self.mode != PreemptMode::Off
    }

    /// Turns preemption off if it needs gang scheduling of another kind than the modelled one: that of
    /// partitions, with cores or whole nodes as resources, and with cores also that of QOS, and time slices alone.
    pub fn settle(&mut self, has_cores: bool, is_linear: bool) {
        let is_modelled = has_cores && (self.rule == PreemptRule::Partition || !is_linear);
        if self.is_gang && !is_modelled {
            (self.mode, self.is_gang) = (PreemptMode::Off, false);
        }
    }
}

/// Reads the keywords. Without a rule or a mode, or with a mode that is not modelled, no job is preempted.
///
/// # Errors
/// Returns a problem if a value is none, or if only one of type and mode turns preemption on.
pub fn preempt(general: &ConfLine, scheduler: &ConfLine) -> Result<PreemptConf, Problem> {
    check_both(general)?;
    let words = ModeWords::read(general.text("preemptmode"));
    let kind = general.text("preempttype").to_ascii_lowercase();
    let rule = match kind.as_str() {
        "preempt/partition_prio" => PreemptRule::Partition,
        "preempt/qos" => PreemptRule::Qos,
        _ => PreemptRule::None,
    };
    let kill_wait = general.number("killwait", 30)?.max(0);
    let message_timeout = general.number("messagetimeout", 10)?.max(0);
    let reorders = match scheduler.get("preempt_reorder_count") {
        Some(word) if !word.value.is_empty() => word.number()?,
        _ => 1,
    };
    Ok(PreemptConf {
        rule,
        mode: words.mode.unwrap_or_default(),
        is_gang: words.is_gang && words.mode.is_some(),
        slice: match general.number("schedulertimeslice", SLICE_SECONDS)? {
            seconds if seconds < LEAST_SLICE_SECONDS => SLICE_SECONDS,
            seconds => seconds.min(INFINITE),
        },
        exempt: match general.get("preemptexempttime") {
            Some(word) => exempt_seconds(word)?,
            None => 0,
        },
        pause: kill_wait + message_timeout,
        requeue_delay: credential_seconds(general) + 1,
        requeues: general.text("jobrequeue") != "0",
        reorders: if reorders < 0 { 1 } else { reorders },
        is_strict: scheduler.get("preempt_strict_order").is_some(),
        is_youngest_first: scheduler.get("preempt_youngest_first").is_some(),
    })
}

/// Fails if only one of `PreemptType` and `PreemptMode` turns preemption on: slurmctld does not start then.
fn check_both(general: &ConfLine) -> Result<(), Problem> {
    let kind = general.get("preempttype").filter(|word| {
        let value = word.value.to_ascii_lowercase();
        !value.is_empty() && value != "preempt/none"
    });
    // Slurm looks at the mode without these words; it leaves `WITHIN` in if there is no type.
    let is_left_out = |word: &str| {
        let word = word.trim().to_ascii_lowercase();
        ["", "off", "gang"].contains(&&*word) || (kind.is_some() && word == "within")
    };
    let mode = general.get("preemptmode");
    let mode = mode.filter(|word| !word.value.split(',').all(is_left_out));
    match (kind, mode) {
        (Some(kind), None) => Err(kind.problem(
            "It needs `PreemptMode=CANCEL`, `PreemptMode=REQUEUE` or `PreemptMode=SUSPEND,GANG`.",
        )),
        (_, Some(mode)) if mode.value.trim().eq_ignore_ascii_case("suspend") => {
            Err(mode.problem("`SUSPEND` needs `GANG` too: `PreemptMode=SUSPEND,GANG`."))
        }
        (None, Some(mode)) => Err(mode.problem(
            "It needs `PreemptType=preempt/partition_prio` or `PreemptType=preempt/qos`.",
        )),
        _ => Ok(()),
    }
}

/// Returns the seconds of a time without preemption; no time is 0.
fn exempt_seconds(word: &ConfWord) -> Result<i64, Problem> {
    match seconds(&word.value) {
        Some(INFINITE) => Ok(0),
        Some(seconds) => Ok(seconds),
        None => Err(word.problem("A time is for example `10`, `00:01:30` or `1-0`.")),
    }
}

/// Returns the lifetime of credentials (`cred_expire`).
fn credential_seconds(general: &ConfLine) -> i64 {
    let mut words = general.text("authinfo").split(',');
    let named = words.find_map(|word| word.trim().strip_prefix("cred_expire=")?.parse().ok());
    let named = named.unwrap_or(CREDENTIAL_SECONDS);
    if named < LEAST_CREDENTIAL_SECONDS {
        CREDENTIAL_SECONDS
    } else {
        named.min(INFINITE)
    }
}

/// Returns the mode of a partition, if it has one of its own. A mode that is not modelled counts as off, and so
/// does `SUSPEND` without gang scheduling.
pub fn partition_mode(line: &ConfLine, is_gang: bool) -> Option<PreemptMode> {
    let word = line.get("preemptmode")?;
    let mode = PreemptMode::read(&word.value);
    let mode = mode.filter(|mode| is_gang || *mode != PreemptMode::Suspend);
    Some(mode.unwrap_or_default())
}

/// The words of `PreemptMode` for the cluster.
struct ModeWords {
    /// `None` for a mode that is not modelled or unknown.
    mode: Option<PreemptMode>,
    is_gang: bool,
}

impl ModeWords {
    fn read(text: &str) -> Self {
        let is_gang = |word: &&str| word.trim().eq_ignore_ascii_case("gang");
        let others: Vec<&str> = text.split(',').filter(|word| !is_gang(word)).collect();
        let mode = match others.as_slice() {
            [] => Some(PreemptMode::Off),
            [one] => PreemptMode::read(one),
            _ => None,
        };
        Self {
            mode,
            is_gang: text.split(',').any(|word| is_gang(&word)),
        }
    }
}
