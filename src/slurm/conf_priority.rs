//! The keywords of priorities, fair shares and limits of accounts in slurm.conf.

use super::accounts::{TresWeights, read_weights};
use super::reset::ResetPeriod;
use super::shares::FairRule;
use super::text::facts::KeywordEffect;
use super::text::words::{ConfLine, INFINITE, minutes};
use crate::problem::Problem;

/// The parts of `AccountingStorageEnforce`.
#[derive(Copy, Clone, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a word of AccountingStorageEnforce"
)]
pub struct EnforceConf {
    pub associations: bool,
    pub limits: bool,
    pub qos: bool,
    pub safe: bool,
}

/// The priorities of jobs.
#[derive(Clone, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a keyword or a flag of slurm.conf"
)]
pub struct PriorityConf {
    pub is_multifactor: bool,
    pub age_weight: i64,
    pub size_weight: i64,
    pub partition_weight: i64,
    pub favours_small: bool,
    pub is_accrued_always: bool,
    pub is_relative_to_time: bool,
    pub is_partition_raw: bool,
    /// Seconds after which the age counts fully, and between two computations.
    pub most_age: i64,
    pub period: i64,
    /// True with slurmdbd: only then do ages count and are priorities computed again.
    pub has_database: bool,
    pub fair_weight: i64,
    pub qos_weight: i64,
    pub association_weight: i64,
    pub tres_weights: Option<TresWeights>,
    pub fair_rule: FairRule,
    pub damping: i64,
    /// Seconds after which half of the usage is forgotten; 0 is never.
    pub half_life: i64,
    pub reset_period: ResetPeriod,
    pub is_association_raw: bool,
    pub is_qos_raw: bool,
    pub is_tres_raw: bool,
    /// True if priorities only rise.
    pub is_rising: bool,
    /// True if only the largest TRES of nodes is billed.
    pub is_largest_tres: bool,
}

impl PriorityConf {
    /// True if fair shares follow Fair Tree.
    pub fn is_fair_tree(&self) -> bool {
        self.fair_rule == FairRule::Tree
    }
}

/// Reads the keywords of priorities.
pub fn priority(general: &ConfLine) -> Result<PriorityConf, Problem> {
    let flags = general.text("priorityflags").to_ascii_uppercase();
    let has = |flag: &str| flags.split(',').any(|word| word == flag);
    let has_database = general.text("accountingstoragetype").contains("slurmdbd");
    let time = |key: &str, unset: &str| match general.get(key) {
        Some(word) => word.minutes(),
        None => Ok(minutes(unset).unwrap_or(1)),
    };
    let weight = |key: &str| match general.get(key) {
        Some(word) => word.number().and_then(|weight| {
            let is_weight = weight >= 0;
            let refused = || word.problem("The value is a whole number from 0 on.");
            is_weight.then_some(weight).ok_or_else(refused)
        }),
        None => Ok(0),
    };
    let of_database = |key: &str| weight(key).map(|found| if has_database { found } else { 0 });
    Ok(PriorityConf {
        is_multifactor: general.text("prioritytype").contains("multifactor"),
        age_weight: of_database("priorityweightage")?,
        size_weight: weight("priorityweightjobsize")?,
        partition_weight: weight("priorityweightpartition")?,
        favours_small: general.is_yes("priorityfavorsmall"),
        is_accrued_always: has("ACCRUE_ALWAYS"),
        is_relative_to_time: has("SMALL_RELATIVE_TO_TIME"),
        is_partition_raw: has("NO_NORMAL_PART") || has("NO_NORMAL_ALL"),
        most_age: time("prioritymaxage", "7-0")?.max(1) * 60,
        period: time("prioritycalcperiod", "5")?.max(1) * 60,
        has_database,
        fair_weight: of_database("priorityweightfairshare")?,
        qos_weight: weight("priorityweightqos")?,
        association_weight: weight("priorityweightassoc")?,
        tres_weights: weights(general, "priorityweighttres")?,
        fair_rule: if has("DEPTH_OBLIVIOUS") {
            FairRule::DepthOblivious
        } else if has("NO_FAIR_TREE") {
            FairRule::Classic
        } else {
            FairRule::Tree
        },
        damping: general
            .number("fairsharedampeningfactor", 1)?
            .clamp(1, 0xffff),
        half_life: time("prioritydecayhalflife", "7-0")?.clamp(0, INFINITE) * 60,
        reset_period: ResetPeriod::read(general.text("priorityusageresetperiod"))
            .unwrap_or_default(),
        is_association_raw: has("NO_NORMAL_ASSOC") || has("NO_NORMAL_ALL"),
        is_qos_raw: has("NO_NORMAL_QOS") || has("NO_NORMAL_ALL"),
        is_tres_raw: has("NO_NORMAL_TRES") || has("NO_NORMAL_ALL"),
        is_rising: has("INCR_ONLY"),
        is_largest_tres: has("MAX_TRES"),
    })
}

/// Reads weights of TRES, if there are any.
pub fn weights(line: &ConfLine, key: &str) -> Result<Option<TresWeights>, Problem> {
    let Some(word) = line.get(key).filter(|word| !word.value.is_empty()) else {
        return Ok(None);
    };
    let read = read_weights(&word.value);
    let (weights, _) = read.ok_or_else(|| {
        word.problem("Weights are for example `CPU=1.0,Mem=0.25G`, each from 0 to 1,000,000,000.")
    })?;
    Ok(Some(weights))
}

/// Returns the part of a keyword whose weights may be those of TRES that do not count.
pub fn weights_effect(value: &str) -> KeywordEffect {
    match read_weights(value) {
        Some((_, false)) => KeywordEffect::NotModelled,
        _ => KeywordEffect::Used,
    }
}

/// Reads what the controller enforces.
pub fn enforce(general: &ConfLine) -> EnforceConf {
    let words = general
        .text("accountingstorageenforce")
        .to_ascii_lowercase();
    let has = |names: &[&str]| words.split(',').any(|word| names.contains(&word.trim()));
    let all = has(&["all"]);
    let safe = all || has(&["safe"]);
    let limits = safe || has(&["2", "limits"]);
    let qos = all || has(&["qos"]);
    EnforceConf {
        associations: limits || qos || has(&["1", "associations", "wckeys"]),
        limits,
        qos,
        safe,
    }
}
