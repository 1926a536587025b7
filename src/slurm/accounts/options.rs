//! The options of associations and QOS, as `key=value`.

use super::amounts::{self, CPU, LimitSet, MEMORY, NODE, TresAmounts};
use super::known::{MOST_CHANGES, SlurmQos, bad, short};
use super::tree::{Draft, Drafts, priority, shares};
use crate::limits;
use crate::problem::Problem;
use crate::slurm::text::facts::KeywordEffect;
use crate::slurm::text::modes::PreemptMode;
use crate::slurm::text::words::{INFINITE, minutes, seconds};

/// An option of an account, a user or a QOS as written.
#[derive(Clone, Debug)]
pub struct AccountOption {
    /// The name of the option.
    pub key: String,
    /// `+`, `-` or a space.
    pub sign: char,
    /// The value without quotation marks.
    pub value: String,
}

impl AccountOption {
    /// Reads `key=value`, `key+=value` and `key-=value`. Returns `None` for a word without `=`.
    pub fn read(text: &str) -> Option<Self> {
        let (key, value) = text.split_once('=')?;
        let sign = key.chars().next_back().filter(|one| "+-".contains(*one));
        Some(Self {
            key: key.trim_end_matches(['+', '-']).trim().to_owned(),
            sign: sign.unwrap_or(' '),
            value: unquoted(value).to_owned(),
        })
    }

    fn problem(&self, why: &str) -> Problem {
        let (key, value) = (short(&self.key), short(&self.value));
        bad(format!("`{key}={value}` is wrong."), why)
    }

    /// True if this is the option of a name, or a start of it of at least `least` characters.
    pub fn is(&self, name: &str, least: usize) -> bool {
        let key = self.key.to_ascii_lowercase();
        key.len() >= least && name.starts_with(&key)
    }
}

/// Takes quotation marks off.
pub fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['\'', '"'])
}

/// The limit that an option sets.
#[derive(Copy, Clone)]
enum Target {
    TresAmounts(fn(&mut LimitSet) -> &mut TresAmounts),
    One(usize, fn(&mut LimitSet) -> &mut TresAmounts),
    Count(fn(&mut LimitSet) -> &mut i64),
    Wall(fn(&mut LimitSet) -> &mut i64),
}

use Target::{Count, One, Wall};

/// Limits that associations and QOS have, with the fewest characters that name them.
const LIMITS: &[(&str, usize, Target)] = &[
    ("grpcpumins", 7, One(CPU, |set| &mut set.group_minutes)),
    (
        "grpcpurunmins",
        7,
        One(CPU, |set| &mut set.group_run_minutes),
    ),
    ("grpcpus", 6, One(CPU, |set| &mut set.group)),
    ("grpjobs", 4, Count(|set| &mut set.group_jobs)),
    ("grpmemory", 4, One(MEMORY, |set| &mut set.group)),
    ("grpnodes", 4, One(NODE, |set| &mut set.group)),
    ("grpsubmitjobs", 4, Count(|set| &mut set.group_submitted)),
    ("grptres", 7, Target::TresAmounts(|set| &mut set.group)),
    (
        "grptresmins",
        8,
        Target::TresAmounts(|set| &mut set.group_minutes),
    ),
    (
        "grptresrunmins",
        8,
        Target::TresAmounts(|set| &mut set.group_run_minutes),
    ),
    ("grpwall", 4, Wall(|set| &mut set.group_wall)),
    ("maxcpuminsperjob", 7, One(CPU, |set| &mut set.job_minutes)),
    ("maxcpusperjob", 7, One(CPU, |set| &mut set.job)),
    ("maxnodesperjob", 4, One(NODE, |set| &mut set.job)),
    ("maxtresperjob", 7, Target::TresAmounts(|set| &mut set.job)),
    (
        "maxtrespernode",
        11,
        Target::TresAmounts(|set| &mut set.job_node),
    ),
    (
        "maxtresminsperjob",
        8,
        Target::TresAmounts(|set| &mut set.job_minutes),
    ),
    ("maxwalldurationperjob", 4, Wall(|set| &mut set.wall)),
];

const ASSOCIATION_LIMITS: &[(&str, usize, Target)] = &[
    ("maxjobs", 4, Count(|set| &mut set.jobs)),
    ("maxsubmitjobs", 4, Count(|set| &mut set.submitted)),
];

const QOS_LIMITS: &[(&str, usize, Target)] = &[
    ("maxjobsperuser", 4, Count(|set| &mut set.user_jobs)),
    ("maxjobspu", 8, Count(|set| &mut set.user_jobs)),
    ("maxjobsperaccount", 11, Count(|set| &mut set.account_jobs)),
    ("maxjobspa", 9, Count(|set| &mut set.account_jobs)),
    (
        "maxsubmitjobsperuser",
        4,
        Count(|set| &mut set.user_submitted),
    ),
    ("maxsubmitjobspu", 4, Count(|set| &mut set.user_submitted)),
    ("maxsubmitpu", 6, Count(|set| &mut set.user_submitted)),
    (
        "maxsubmitjobsperaccount",
        17,
        Count(|set| &mut set.account_submitted),
    ),
    (
        "maxsubmitjobspa",
        15,
        Count(|set| &mut set.account_submitted),
    ),
    ("maxsubmitpa", 11, Count(|set| &mut set.account_submitted)),
    ("maxcpusperuser", 11, One(CPU, |set| &mut set.user)),
    ("maxcpuspu", 9, One(CPU, |set| &mut set.user)),
    ("maxnodesperuser", 8, One(NODE, |set| &mut set.user)),
    ("maxnodespu", 8, One(NODE, |set| &mut set.user)),
    (
        "maxtresperuser",
        11,
        Target::TresAmounts(|set| &mut set.user),
    ),
    ("maxtrespu", 9, Target::TresAmounts(|set| &mut set.user)),
    (
        "maxtresperaccount",
        11,
        Target::TresAmounts(|set| &mut set.account),
    ),
    ("maxtrespa", 9, Target::TresAmounts(|set| &mut set.account)),
    ("mincpusperjob", 7, One(CPU, |set| &mut set.least)),
    (
        "mintresperjob",
        7,
        Target::TresAmounts(|set| &mut set.least),
    ),
];

/// The kind of the value of an option that is modelled.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A number, a time or a factor.
    Amount,
    /// Amounts of trackable resources, such as `cpu=10,mem=5G`.
    Tres,
    /// Shares: a number, or `parent`.
    Shares,
    /// Names of QOS, each with a sign or without one.
    Qos,
    /// Flags of a QOS.
    Flags,
    /// A mode of preemption.
    Mode,
}

/// Returns the kind of an option of an association, or of a QOS. Returns `None` if the option is not
/// modelled, or changes no decision.
pub fn option_kind(option: &AccountOption, is_of_qos: bool) -> Option<OptionKind> {
    let own = if is_of_qos {
        QOS_LIMITS
    } else {
        ASSOCIATION_LIMITS
    };
    if let Some(target) = find(&[LIMITS, own], option) {
        return Some(match target {
            Target::TresAmounts(_) => OptionKind::Tres,
            One(..) | Count(_) | Wall(_) => OptionKind::Amount,
        });
    }
    let known: &[(&str, usize, OptionKind)] = if is_of_qos {
        &[
            ("priority", 3, OptionKind::Amount),
            ("usagefactor", 6, OptionKind::Amount),
            ("limitfactor", 6, OptionKind::Amount),
            ("flags", 2, OptionKind::Flags),
            ("preemptmode", 8, OptionKind::Mode),
            ("preempt", 7, OptionKind::Qos),
            ("preemptexempttime", 8, OptionKind::Amount),
            ("gracetime", 3, OptionKind::Amount),
        ]
    } else {
        &[
            ("fairshare", 1, OptionKind::Shares),
            ("shares", 1, OptionKind::Shares),
            ("priority", 3, OptionKind::Amount),
            ("defaultqos", 8, OptionKind::Qos),
            ("qoslevel", 1, OptionKind::Qos),
        ]
    };
    let mut known = known.iter();
    known
        .find(|(name, least, _)| option.is(name, *least))
        .map(|(.., kind)| *kind)
}

/// Options that never decide about a start.
const WITHOUT_EFFECT: &[(&str, usize)] = &[
    ("adminlevel", 2),
    ("coordinator", 2),
    ("classification", 2),
    ("defaultwckey", 8),
    ("description", 3),
    ("organization", 1),
    ("wckeys", 2),
    ("flags", 2),
    ("federation", 3),
    // Slurm keeps these limits, and tests them nowhere.
    ("maxtresrunmins", 9),
    ("maxcpurunmins", 7),
    ("maxtresrunminspu", 16),
    ("maxtresrunminspa", 16),
];

fn set_limit(
    limits: &mut LimitSet,
    target: Target,
    option: &AccountOption,
) -> Result<bool, Problem> {
    let value = option.value.as_str();
    match target {
        Target::TresAmounts(of) => amounts::read_tres(of(limits), value)
            .ok_or_else(|| option.problem("TRES are for example `cpu=10,mem=5G,node=2`.")),
        One(at, of) => {
            let amount = amounts::limit(value)
                .ok_or_else(|| option.problem("The limit is a whole number."))?;
            of(limits)[at] = amount;
            Ok(true)
        }
        Count(of) => {
            *of(limits) = amounts::limit(value)
                .ok_or_else(|| option.problem("The limit is a whole number."))?;
            Ok(true)
        }
        Wall(of) => {
            let time = if value == "-1" {
                amounts::limit(value)
            } else {
                minutes(value)
            };
            *of(limits) =
                time.ok_or_else(|| option.problem("A time is for example `60` or `1-00:00:00`."))?;
            Ok(true)
        }
    }
}

fn find(lists: &[&[(&str, usize, Target)]], option: &AccountOption) -> Option<Target> {
    let mut all = lists.iter().copied().flatten();
    all.find(|(name, least, _)| option.is(name, *least))
        .map(|(.., target)| *target)
}

fn effect(is_known: bool) -> KeywordEffect {
    if is_known {
        KeywordEffect::Used
    } else {
        KeywordEffect::NotModelled
    }
}

/// Returns the names of a list, in small letters.
pub fn names(value: &str) -> impl Iterator<Item = String> {
    let names = value.split(',').map(|name| unquoted(name).to_lowercase());
    names.filter(|name| !name.is_empty())
}

fn read_priority(option: &AccountOption) -> Result<Option<i64>, Problem> {
    match priority(&option.value) {
        (priority, true) => Ok(priority),
        _ => Err(option.problem("A priority is a whole number.")),
    }
}

/// Sets an option of an association.
pub fn set_association(
    draft: &mut Draft,
    option: &AccountOption,
) -> Result<KeywordEffect, Problem> {
    let value = option.value.as_str();
    if let Some(target) = find(&[LIMITS, ASSOCIATION_LIMITS], option) {
        return set_limit(&mut draft.limits, target, option).map(effect);
    }
    if option.is("fairshare", 1) || option.is("shares", 1) {
        let (shares, is_good) = shares(value);
        if !is_good {
            return Err(option.problem("Shares are a number, or `parent`."));
        }
        draft.shares = shares;
    } else if option.is("priority", 3) {
        draft.priority = read_priority(option)?;
    } else if option.is("defaultqos", 8) {
        draft.default_qos = value.to_lowercase();
    } else if option.is("qoslevel", 1) {
        set_qos_list(draft, option.sign, value);
    } else {
        let mut unused = WITHOUT_EFFECT.iter();
        let is_unused = unused.any(|(name, least)| option.is(name, *least));
        return Ok(if is_unused {
            KeywordEffect::WithoutEffect
        } else {
            KeywordEffect::NotModelled
        });
    }
    Ok(KeywordEffect::Used)
}

/// Sets or changes the list of QOS: each name may have a sign of its own.
fn set_qos_list(draft: &mut Draft, sign: char, value: &str) {
    let mut own = Vec::new();
    let mut changes = Vec::new();
    for name in names(value) {
        let bare = name.trim_start_matches(['+', '-']);
        match (sign, name.chars().next()) {
            ('+', _) | (' ', Some('+')) => changes.push((true, bare.to_owned())),
            ('-', _) | (' ', Some('-')) => changes.push((false, bare.to_owned())),
            _ => own.push(bare.to_owned()),
        }
    }
    if changes.is_empty() {
        draft.qos_changes.clear();
        draft.qos = (!own.is_empty()).then_some(own);
        return;
    }
    match &mut draft.qos {
        Some(list) => {
            for (is_more, name) in changes {
                list.retain(|known| *known != name);
                if is_more {
                    list.push(name);
                }
            }
        }
        None => draft.qos_changes.extend(changes),
    }
}

/// Sets an option of a QOS.
pub fn set_qos(qos: &mut SlurmQos, option: &AccountOption) -> Result<KeywordEffect, Problem> {
    let value = option.value.as_str();
    let is_clear = value.is_empty() || value == "-1";
    let factor = || {
        let factor = value.parse().ok().filter(|one: &f64| one.is_finite());
        factor.ok_or_else(|| option.problem("A factor is a number."))
    };
    if let Some(target) = find(&[LIMITS, QOS_LIMITS], option) {
        return set_limit(&mut qos.limits, target, option).map(effect);
    }
    if option.is("priority", 3) {
        qos.priority = read_priority(option)?.unwrap_or(0);
    } else if option.is("usagefactor", 6) {
        qos.usage_factor = if is_clear { 1.0 } else { factor()? };
    } else if option.is("limitfactor", 6) {
        qos.limit_factor = if is_clear { None } else { Some(factor()?) };
    } else if option.is("flags", 2) {
        return Ok(effect(set_flags(qos, option)));
    } else if let Some(is_known) = set_preemption(qos, option)? {
        return Ok(effect(is_known));
    } else {
        let is_unused = WITHOUT_EFFECT
            .iter()
            .any(|(name, least)| option.is(name, *least));
        return Ok(if is_unused || is_clear {
            KeywordEffect::WithoutEffect
        } else {
            KeywordEffect::NotModelled
        });
    }
    Ok(KeywordEffect::Used)
}

/// Sets an option of preemption. Returns false for a mode that is not modelled, and `None` if the option is
/// another one.
fn set_preemption(qos: &mut SlurmQos, option: &AccountOption) -> Result<Option<bool>, Problem> {
    let value = option.value.as_str();
    let is_clear = value.is_empty() || value == "-1";
    if option.is("preemptmode", 8) {
        let mode = PreemptMode::read(if is_clear { "" } else { value });
        // OFF and cluster are one number in Slurm: the mode of the cluster.
        qos.preempt_mode = mode.filter(|mode| *mode != PreemptMode::Off);
        return Ok(Some(mode.is_some()));
    }
    if option.is("preempt", 7) {
        let list = names(if is_clear { "" } else { value });
        if option.sign == ' ' {
            qos.preempted_names.clear();
        }
        for name in list {
            let is_less = option.sign == '-' || name.starts_with('-');
            let bare = name.trim_start_matches(['+', '-']).to_owned();
            qos.preempted_names.retain(|known| *known != bare);
            if !is_less {
                qos.preempted_names.push(bare);
            }
        }
        return Ok(Some(true));
    }
    if option.is("preemptexempttime", 8) {
        let time = if is_clear {
            Some(INFINITE)
        } else {
            seconds(value)
        };
        let time = time.ok_or_else(|| {
            option.problem("A time is for example `10`, `00:01:30` or `1-00:00:00`.")
        })?;
        qos.exempt = (time != INFINITE).then_some(time);
        return Ok(Some(true));
    }
    if option.is("gracetime", 3) {
        // `sacctmgr show` prints a time, and the option is a number of seconds.
        let time = match value {
            _ if is_clear => Some(0),
            _ if value.contains(':') => seconds(value),
            _ => amounts::limit(value),
        };
        qos.grace = time.ok_or_else(|| option.problem("The time is a number of seconds."))?;
        return Ok(Some(true));
    }
    Ok(None)
}

/// Sets the flags of a QOS. Returns false if one of them is not modelled.
fn set_flags(qos: &mut SlurmQos, option: &AccountOption) -> bool {
    let is_set = option.sign != '-';
    if option.sign == ' ' {
        qos.denies = false;
        qos.is_over_partition = false;
        qos.has_no_decay = false;
        qos.has_no_reservation = false;
        qos.is_factor_safe = false;
    }
    let mut is_known = true;
    for name in names(&option.value) {
        match name.as_str() {
            "denyonlimit" => qos.denies = is_set,
            "overpartqos" => qos.is_over_partition = is_set,
            "nodecay" => qos.has_no_decay = is_set,
            "noreserve" => qos.has_no_reservation = is_set,
            "usagefactorsafe" => qos.is_factor_safe = is_set,
            "-1" => {}
            _ => is_known = false,
        }
    }
    is_known
}

/// Sets options of associations, and notes the effect of each option once.
pub fn set_all(
    drafts: &mut Drafts,
    associations: &[usize],
    options: &[AccountOption],
    line: u64,
) -> Result<(), Problem> {
    drafts.changes += associations.len() * options.len();
    limits::check(
        "The number of changes",
        drafts.changes,
        MOST_CHANGES,
        "options of associations",
    )?;
    for option in options {
        let mut effect = None;
        for at in associations {
            effect = Some(set_association(&mut drafts.list[*at], option)?);
        }
        if let Some(effect) = effect {
            drafts.note(line, &option.key, &option.value, effect);
        }
    }
    Ok(())
}
