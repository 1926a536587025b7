//! A trace after reading.

use super::column::{Column, Names};
use super::{Demands, LONGEST_SECONDS, RecordedUses, Records, Report};
use std::collections::BTreeMap;

/// A trace after reading.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Name of the trace: its file name, or the model that made it.
    pub name: String,
    /// Name of the format of the file; empty for a trace that a model made.
    pub format: String,
    /// Comment lines, without line ends, in order.
    pub header: Vec<String>,
    /// The job lines.
    pub records: Records,
    /// The import report: repaired and skipped lines.
    pub report: Report,
    /// SHA-256 of the text, in hex; empty until the text is hashed.
    pub sha256: String,
    /// The names behind the numbers of users, groups, applications and queues, if the log has them.
    pub names: Names,
    /// Further columns.
    pub columns: Vec<Column>,
    /// The demands of the jobs, if there is a table of them.
    pub demands: Option<Demands>,
    /// The uses of the machine by the recorded schedule that were computed.
    pub uses: RecordedUses,
}

impl Trace {
    /// Returns the values of all header comments `; Key: value` with this key, ignoring case.
    pub fn header_values(&self, key: &str) -> impl Iterator<Item = &str> {
        self.header.iter().filter_map(move |line| {
            let (name, value) = named(line)?;
            name.eq_ignore_ascii_case(key).then_some(value)
        })
    }

    /// Returns the first value of a header comment `; Key: value` with this key, ignoring case.
    pub fn header_value(&self, key: &str) -> Option<&str> {
        self.header_values(key).next()
    }

    /// Returns the names that comments `; Queue: NUMBER NAME` of the header give, by number. `key` is the
    /// first word, such as `Queue`.
    pub fn numbered_names(&self, key: &str) -> BTreeMap<i32, String> {
        crate::sorting::map(self.header_values(key).filter_map(|value| {
            let mut words = value.split_whitespace();
            let number = words.next()?.trim_matches([':', ',']).parse().ok()?;
            let name = words.next()?.trim_matches(['"', ',', ':', '(', ')']);
            Some((number, name.to_owned()))
        }))
    }

    /// Returns the column with this id.
    pub fn column(&self, id: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.id == id)
    }

    /// Returns `UnixStartTime` of the header: the trace's zero in seconds since 1970.
    pub fn unix_start(&self) -> Option<i64> {
        let start: i64 = self
            .header_value("UnixStartTime")?
            .split_whitespace()
            .next()?
            .parse()
            .ok()?;
        (start.unsigned_abs() <= LONGEST_SECONDS.unsigned_abs()).then_some(start)
    }
}

/// Returns the name and the value of a header comment `; Name: value`.
pub(super) fn named(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim_start_matches([';', ' ', '\t']).split_once(':')?;
    Some((name.trim(), value.trim()))
}
