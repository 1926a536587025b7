//! The log without names, whose jobs find their partitions, accounts and requests in the other files.

use super::conf::licence;
use super::dates::SharedDates;
use super::left_out::Losses;
use super::names::{NameKind, SiteNames};
use crate::cluster::Cluster;
use crate::files::anonymised;
use crate::limits::{HEADER_BYTES, HEADER_LINES};
use crate::problem::Problem;
use crate::trace::{Column, ColumnValues, Names, Record, Records, Trace, Words};
use std::collections::BTreeMap;

/// Comments of the header beside names.
const OTHER_COMMENTS: usize = 200;

/// Bytes of the header that are for other comments than names.
const OTHER_BYTES: usize = 1 << 17;

/// Bytes of a comment that names a number, without the name.
const NAMING_BYTES: usize = 30;

/// Columns of words that stay, each with a translation.
const TRANSLATED: [(&str, &str, Translation); 6] = [
    ("account", "Account", |names, word| {
        names.of(NameKind::Account, word)
    }),
    ("qos", "QOS", |names, word| names.of(NameKind::Qos, word)),
    ("node_list", NODE_LIST, SiteNames::logged_nodes),
    ("features", "Features", features),
    ("licenses", "Licences", licences),
    ("reservation", "Reservation", |names, word| {
        names.of(NameKind::Reservation, word)
    }),
];

/// The name of the column of nodes on which jobs ran.
const NODE_LIST: &str = "Node list";

/// Returns a word without names.
type Translation = fn(&mut SiteNames, &str) -> String;

/// Returns the log without names. Its first submission is at 0.
///
/// # Errors
/// Returns a problem if the names do not fit into the header of a file.
pub fn shared_log(
    trace: &Trace,
    cluster: &Cluster,
    names: &mut SiteNames,
    dates: &SharedDates,
    losses: &mut Losses,
) -> Result<Trace, Problem> {
    let is_translated = |column: &&Column| TRANSLATED.iter().any(|(id, ..)| *id == column.id);
    let others = trace.columns.iter().filter(|column| !is_translated(column));
    let plain = Trace {
        header: trace.header.clone(),
        format: trace.format.clone(),
        report: trace.report.clone(),
        records: trace.records.clone(),
        columns: others.cloned().collect(),
        ..Trace::default()
    };
    let mut shared = anonymised(&plain, 0);
    let mut log = LogWriter {
        trace,
        cluster,
        headers: ["Queue", "Partition"].map(|key| trace.numbered_names(key)),
        known: Names::default(),
        numbers: BTreeMap::new(),
        queues: BTreeMap::new(),
    };
    let pairs = trace.records.iter().zip(shared.records.iter());
    let records: Records = pairs
        .map(|(old, new)| log.record(old, new, names))
        .collect();
    shared.records = records;
    shared.names = log.known;
    shared
        .header
        .push(format!("; UnixStartTime: {}", dates.zero));
    for (id, name, translation) in TRANSLATED {
        let column = trace.column(id).map(|column| &column.values);
        if let Some(ColumnValues::Words { words, numbers }) = column {
            let new = |word: &str| {
                let new = translation(names, word);
                if new.is_empty() && name == NODE_LIST {
                    losses.count("list of nodes that slurm.conf does not have");
                }
                new
            };
            shared.columns.push(Column {
                id: id.to_owned(),
                name: name.to_owned(),
                values: translated(words, numbers, new),
            });
        }
    }
    check_room(&shared)?;
    Ok(shared)
}

/// Numbers what the records of a log name.
struct LogWriter<'a> {
    trace: &'a Trace,
    cluster: &'a Cluster,
    /// Names of queues and of partitions that comments of the header give, by their numbers.
    headers: [BTreeMap<i32, String>; 2],
    known: Names,
    /// The new numbers of jobs. Records of one job keep one number.
    numbers: BTreeMap<i64, i64>,
    /// The new numbers of queues, by the old numbers of queue and partition.
    queues: BTreeMap<(i32, i32), i32>,
}

impl LogWriter<'_> {
    fn record(&mut self, old: &Record, new: &Record, names: &mut SiteNames) -> Record {
        let preceding = self.numbers.get(&old.preceding).copied();
        let next = self.numbers.len() as i64 + 1;
        let number = *self.numbers.entry(old.number).or_insert(next);
        let of_trace = &self.trace.names;
        let user = named(old.user, &of_trace.users, |name| {
            names.of(NameKind::User, name)
        });
        let group = named(old.group, &of_trace.groups, |name| {
            names.of(NameKind::Account, name)
        });
        let mut record = Record {
            number,
            preceding: preceding.filter(|_| old.preceding > 0).unwrap_or(-1),
            user: number_of(&mut self.known.users, user),
            group: number_of(&mut self.known.groups, group),
            ..*new
        };
        if old.queue >= 0 || old.partition >= 0 {
            record.queue = self.queue(old, names);
        }
        if old.partition == old.queue || self.trace.format != "SWF" {
            record.partition = record.queue;
        }
        record
    }

    /// Returns the new number of the queue of a job: that of the partition in which the machine sees it.
    fn queue(&mut self, old: &Record, names: &mut SiteNames) -> i32 {
        let key = (old.queue, old.partition);
        if let Some(number) = self.queues.get(&key) {
            return *number;
        }
        let queue = u32::try_from(old.queue).ok();
        let [queues, partitions] = &self.headers;
        let candidates = [
            queue.and_then(|queue| self.trace.names.queues.get(queue)),
            queues.get(&old.queue).map(String::as_str),
            partitions.get(&old.partition).map(String::as_str),
        ];
        let is_known = |list: &&str| {
            let mut items = list.split(',').map(str::trim);
            items.any(|item| {
                let mut known = self.cluster.partitions.iter();
                known.any(|one| one.name.eq_ignore_ascii_case(item))
            })
        };
        let mut given = candidates.into_iter().flatten();
        let first = given.clone().next();
        let name = match given.find(is_known).or(first) {
            Some(list) => names.list(NameKind::Partition, list, &[]),
            // No partition has this name: the machine knows a number without a name as none.
            None => names.of(NameKind::Partition, &format!("\0{} {}", key.0, key.1)),
        };
        let number = self.known.queues.number(&name) as i32;
        self.queues.insert(key, number);
        number
    }
}

/// Returns the new name for a number of the log: that of its name or, without one, of the number.
fn named(number: i32, words: &Words, new: impl FnOnce(&str) -> String) -> Option<String> {
    let at = u32::try_from(number).ok()?;
    Some(match words.get(at) {
        Some(name) => new(name),
        None => new(&number.to_string()),
    })
}

fn number_of(words: &mut Words, name: Option<String>) -> i32 {
    name.map_or(-1, |name| words.number(&name) as i32)
}

/// Returns words with new ones, numbered in the order of their first records.
fn translated(words: &Words, numbers: &[u32], mut new: impl FnMut(&str) -> String) -> ColumnValues {
    let mut other = Words::default();
    let mut known: BTreeMap<u32, u32> = BTreeMap::new();
    let mut number = |at: u32| {
        let Some(word) = words.get(at) else {
            return 0;
        };
        *known.entry(at).or_insert_with(|| match new(word) {
            empty if empty.is_empty() => 0,
            word => other.number(&word),
        })
    };
    let numbers = numbers.iter().map(|at| number(*at)).collect();
    ColumnValues::Words {
        words: other,
        numbers,
    }
}

/// Returns a demand for features, such as `ib&a100` or `ib:excl:2x12`, with new names.
fn features(names: &mut SiteNames, demand: &str) -> String {
    let mut parts = demand.split(':');
    let mut new = String::new();
    let mut name = String::new();
    let mut flush = |name: &mut String, new: &mut String| {
        let word = std::mem::take(name);
        let word = word.trim();
        if ["all", "none"].contains(&&*word.to_ascii_lowercase()) {
            new.push_str(&word.to_ascii_lowercase());
        } else if !word.is_empty() {
            new.push_str(&names.of(NameKind::Feature, word));
        }
    };
    for char in parts.next().unwrap_or_default().chars() {
        if "&|,[]()*".contains(char) {
            flush(&mut name, &mut new);
            new.push(char);
        } else {
            name.push(char);
        }
    }
    flush(&mut name, &mut new);
    for part in parts {
        let is_size = part.split('x').all(|number| number.parse::<u32>().is_ok());
        if part.eq_ignore_ascii_case("excl") {
            new.push_str(":excl");
        } else if is_size {
            new.push(':');
            new.push_str(part);
        }
    }
    new
}

/// Returns a demand for licences, such as `matlab:2,fluent`, with new names.
fn licences(names: &mut SiteNames, demand: &str) -> String {
    let mut new = String::new();
    for (at, item) in demand.split([',', ';']).map(str::trim).enumerate() {
        if at > 0 {
            new.push(',');
        }
        let choices = item.split('|').map(|one| match one.trim() {
            one if ["", "(null)", "none"].contains(&&*one.to_ascii_lowercase()) => String::new(),
            one => licence(names, one),
        });
        new.push_str(&choices.collect::<Vec<_>>().join("|"));
    }
    new
}

/// Fails if the names of a log do not fit into the header of a file: a reader would not find them.
fn check_room(shared: &Trace) -> Result<(), Problem> {
    let names = &shared.names;
    let lists = [&names.users, &names.groups, &names.queues, &names.queues];
    let lines: usize = lists.iter().map(|words| words.len()).sum();
    let bytes: usize = lists.iter().map(|words| words.bytes()).sum();
    if lines + OTHER_COMMENTS <= HEADER_LINES
        && bytes + lines * NAMING_BYTES + OTHER_BYTES <= HEADER_BYTES
    {
        return Ok(());
    }
    Err(Problem::new(
        format!("The log has {lines} users, groups and partitions."),
        format!("A header has at most {HEADER_LINES} lines, and names all of them."),
        "Share a log of a shorter time.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_keep_their_form() {
        let mut names = SiteNames::default();
        let mut of = |demand: &str| features(&mut names, demand);
        let demands = [
            "ib&a100",
            "IB, ib ",
            "[ib|rack]",
            "ib:excl:2x12:secret",
            "all",
            "",
            "*",
        ];
        let new = ["f1&f2", "F1,f1", "[f1|f3]", "f1:excl:2x12", "all", "", "*"];
        assert_eq!(demands.map(&mut of), new);
        let mut of = |demand: &str| licences(&mut names, demand);
        let demands = [
            "matlab:2, fluent",
            "matlab=3;none",
            "a|matlab",
            "(null)",
            "fluent@x:1",
        ];
        let new = ["lic1:2,lic2", "lic1:3,", "lic3|lic1", "", "lic4:1"];
        assert_eq!(demands.map(&mut of), new);
    }
}
