//! A trace as it was read.

use super::{Demands, LONGEST_SECONDS, Records, Report};

/// A trace as read.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// What the trace is called: its file name, or the model that made it.
    pub name: String,
    /// Comment lines, without line ends, in order.
    pub header: Vec<String>,
    /// The job lines.
    pub records: Records,
    /// What reading repaired and skipped.
    pub report: Report,
    /// SHA-256 of the text, in hex; empty until the text was hashed.
    pub sha256: String,
    /// What its jobs need, if a table beside it says so.
    pub demands: Option<Demands>,
}

impl Trace {
    /// The values of header comments `; Key: value`, ignoring case.
    pub fn header_values(&self, key: &str) -> impl Iterator<Item = &str> {
        self.header.iter().filter_map(move |line| {
            let (name, value) = named(line)?;
            name.eq_ignore_ascii_case(key).then_some(value)
        })
    }

    /// The first value of a header comment `; Key: value`, ignoring case.
    pub fn header_value(&self, key: &str) -> Option<&str> {
        self.header_values(key).next()
    }

    /// `UnixStartTime` of the header: when the trace's zero was, in seconds since 1970.
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

/// The name and the value of a header comment `; Name: value`.
pub(super) fn named(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim_start_matches([';', ' ', '\t']).split_once(':')?;
    Some((name.trim(), value.trim()))
}
