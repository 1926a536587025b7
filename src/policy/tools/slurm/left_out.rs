//! The settings that the policy Slurm leaves out, told before a run.

use super::SlurmSettings;
use super::begin::{configuration, is_of_machine};
use crate::cluster::{CORES, Cluster, NOTHING};
use crate::param::{Settings, Value};
use crate::problem::Problem;
use crate::slurm::{KeywordEffect, LineFact, SlurmAccounts, SlurmConf, keywords, plain};

/// The number of keywords that a sentence names.
const NAMED: usize = 12;

/// Characters of a value that a sentence quotes.
const QUOTED: usize = 40;

/// Checks the texts of the settings, as far as they say something without a cluster. Returns sentences on
/// what the policy leaves out.
///
/// # Errors
/// Returns a problem if a text cannot be read.
pub fn check(settings: &SlurmSettings, all: &Settings) -> Result<Vec<String>, Problem> {
    let mut amounts = NOTHING;
    amounts[CORES] = 1;
    SlurmConf::read(&configuration(settings, &Cluster::uniform(1, amounts)))?;
    let accounts = SlurmAccounts::read(&settings.accounts)?;
    let of_machine = match all.0.get("cluster") {
        Some(Value::Text(text)) => plain(text),
        _ => String::new(),
    };
    let of_cluster = keywords(&of_machine);
    let own = plain(&settings.conf);
    let mut told = Vec::new();
    told.extend(sentence("of the cluster", &of_cluster));
    told.extend(sentence("of slurm.conf", &keywords(&own)));
    told.extend(sentence("of the accounts", &accounts.facts));
    if accounts.usage_rows() > 0 && !settings.takes_usage {
        told.push(format!(
            "Rows of `sshare` in the accounts, whose usage counts only in a forecast at the instant of its own \
                file: {}. Elsewhere usage begins at 0.",
            accounts.usage_rows()
        ));
    }
    told.extend(out_of_range(&format!("{of_machine}\n{own}")));
    let dropped = own.lines().filter(|line| is_of_machine(line)).count();
    if dropped > 0 {
        told.push(format!(
            "Lines of `conf` that describe nodes, partitions or licences, left out because the machine has \
                them: {dropped}."
        ));
    }
    told.extend(switches(&own, all));
    Ok(told)
}

/// Tells if the switches of the cluster and `TopologyPlugin` do not fit together, and which nodes they do not
/// fit.
fn switches(own: &str, all: &Settings) -> Option<String> {
    let cluster = match all.0.get("cluster") {
        Some(Value::Text(text)) => plain(text),
        _ => String::new(),
    };
    let is_switch = |line: &&str| {
        let start = line.trim_start().to_ascii_lowercase();
        start.starts_with("switchname=")
    };
    let count = cluster.lines().filter(is_switch).count();
    let both = format!("{cluster}\nPartitionName=all Nodes=ALL\n{own}");
    let is_tree = keywords(own).iter().any(|fact| {
        let is_plugin = fact.keyword.eq_ignore_ascii_case("TopologyPlugin");
        is_plugin && fact.value.eq_ignore_ascii_case("topology/tree")
    });
    match (count, is_tree) {
        (0, true) => Some(
            "`TopologyPlugin=topology/tree` without lines `SwitchName` of topology.conf: jobs are placed \
                as without switches."
                .into(),
        ),
        (count, false) if count > 0 => Some(format!(
            "Lines `SwitchName`, without effect because `TopologyPlugin` is not `topology/tree`: {count}."
        )),
        (0, _) => None,
        // The machine tells what is wrong with its description.
        _ => match SlurmConf::read(&both).ok()?.switch_gaps()? {
            (0, 0) => None,
            (unknown, unreached) => Some(format!(
                "Names of nodes in lines `SwitchName` that the cluster does not have: {unknown}. Nodes that \
                    no switch reaches, so that no job gets them: {unreached}."
            )),
        },
    }
}

/// Names the options of `SchedulerParameters` that are out of their ranges, if there are any. The last option of a
/// name counts.
fn out_of_range(text: &str) -> Option<String> {
    let facts = keywords(text);
    let is_last = |at: usize| {
        let mut later = facts[at + 1..].iter();
        later.all(|fact| !fact.keyword.eq_ignore_ascii_case(&facts[at].keyword))
    };
    let words = facts.iter().enumerate();
    let words = words.filter(|(at, fact)| fact.is_out_of_range() && is_last(*at));
    let named = named(words.map(|(_, fact)| fact))?;
    Some(format!(
        "Options out of their ranges, for which the default counts, as in Slurm: {named}."
    ))
}

/// Names the keywords that are not modelled, if there are any.
fn sentence(of: &str, facts: &[LineFact]) -> Option<String> {
    let words = facts.iter();
    let named = named(words.filter(|fact| fact.effect == KeywordEffect::NotModelled))?;
    Some(format!("Keywords {of} that are not modelled: {named}."))
}

/// Names keywords with their values; `None` if there are none.
fn named<'a>(facts: impl Iterator<Item = &'a LineFact>) -> Option<String> {
    let words: Vec<String> = facts
        .map(|fact| match fact.value.as_str() {
            "" => format!("`{}`", cut(&fact.keyword)),
            value => format!("`{}={}`", cut(&fact.keyword), cut(value)),
        })
        .collect();
    let more = match words.len().checked_sub(NAMED) {
        None | Some(0) => String::new(),
        Some(more) => format!(" and {more} more"),
    };
    let named = words[..words.len().min(NAMED)].join(", ");
    (!words.is_empty()).then(|| format!("{named}{more}"))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
