//! Rows of `sshare -P`: the usage that associations have at an instant.

use super::amounts::{COUNTED, TresWeights, place_of};
use super::known::{Association, bad, short};
use crate::problem::Problem;
use crate::slurm::text::facts::KeywordEffect;

/// Seconds of a minute, in which `sshare` prints TRES.
const MINUTE: f64 = 60.0;

/// The columns that tell usage.
pub const COLUMNS: [&str; 2] = ["RawUsage", "GrpTRESRaw"];

/// The places of the columns that are read.
#[derive(Debug)]
pub struct UsageColumns {
    account: usize,
    user: usize,
    partition: Option<usize>,
    usage: Option<usize>,
    tres: Option<usize>,
}

/// A row of a table.
#[derive(Debug)]
pub struct UsageRow {
    line: u64,
    /// User, account and partition.
    key: (String, String, String),
    /// The values of both columns, where the table has them: the usage alone, and all TRES.
    values: [Option<TresWeights>; 2],
}

impl UsageColumns {
    /// Returns the columns of a head; `None` if it is the head of another table. The first of several
    /// columns of one name counts.
    pub fn of(head: &[&str]) -> Option<Self> {
        let place = |name: &str| head.iter().position(|cell| cell.eq_ignore_ascii_case(name));
        let [usage, tres] = COLUMNS.map(place);
        usage.or(tres)?;
        Some(Self {
            account: place("Account")?,
            user: place("User")?,
            partition: place("Partition"),
            usage,
            tres,
        })
    }

    /// Returns the effect of a column of the head.
    pub fn effect(&self, at: usize) -> KeywordEffect {
        let read = [self.partition, self.usage, self.tres];
        if at == self.account || at == self.user || read.contains(&Some(at)) {
            KeywordEffect::Used
        } else {
            KeywordEffect::WithoutEffect
        }
    }

    /// Reads a row.
    pub fn read(&self, cells: &[&str], line: u64) -> Result<UsageRow, Problem> {
        let cell = |at: usize| cells.get(at).copied().unwrap_or_default();
        let name = |at: usize| cell(at).to_lowercase();
        let mut row = UsageRow {
            line,
            key: (
                name(self.user),
                name(self.account),
                self.partition.map(name).unwrap_or_default(),
            ),
            values: [None; 2],
        };
        let columns = [self.usage, self.tres].map(|at| at.map(cell));
        for (column, text) in columns.into_iter().enumerate() {
            let Some(text) = text.filter(|text| !text.is_empty()) else {
                continue;
            };
            let value = if column == 0 {
                let usage = text.parse::<u64>().ok();
                usage.map(|usage| [usage as f64, 0.0, 0.0, 0.0, 0.0])
            } else {
                seconds(text)
            };
            let name = COLUMNS[column];
            row.values[column] = Some(value.ok_or_else(|| {
                bad(
                    format!("The {name} of a row of sshare is `{}`.", short(text)),
                    "RawUsage is a whole number, and GrpTRESRaw a list such as `cpu=120,mem=4096`.",
                )
            })?);
        }
        Ok(row)
    }
}

/// Returns the TRES-seconds of a list of TRES-minutes; megabytes for memory. TRES that are not counted are
/// left out.
fn seconds(text: &str) -> Option<TresWeights> {
    let mut seconds = [0.0; COUNTED];
    for item in text.split(',').filter(|item| !item.is_empty()) {
        let (name, value) = item.split_once('=')?;
        let value: u64 = value.parse().ok()?;
        if let Some(at) = place_of(name) {
            seconds[at] = value as f64 * MINUTE;
        }
    }
    Some(seconds)
}

/// The result of [`settle`].
pub struct SettledUsage {
    /// The number of associations with a row.
    pub known: usize,
    /// The lines and the names of values without effect that are not 0: those of no association, and those
    /// that a later one replaces.
    pub left_out: Vec<(u64, String)>,
}

/// Gives associations the usage of their rows; the last one counts. An account without a row has the sum of
/// what is below it. `find` returns the association of a user (or none), an account and a partition.
pub fn settle(
    rows: &[UsageRow],
    find: impl Fn(&(String, String, String)) -> Option<usize>,
    associations: &mut [Association],
) -> SettledUsage {
    let mut counting = vec![[None; 2]; associations.len()];
    let mut left_out = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let known = find(&row.key);
        let here = row.values.iter().enumerate();
        for (column, _) in here.filter(|(_, value)| value.is_some()) {
            let lost = match known {
                Some(at) => counting[at][column].replace(number),
                None => Some(number),
            };
            left_out.extend(lost.map(|number| (number, column)));
        }
    }
    let told = left_out.into_iter().filter_map(|(number, column)| {
        let UsageRow { line, key, values } = &rows[number];
        let owner = if key.0.is_empty() { &key.1 } else { &key.0 };
        let has_usage = values[column].is_some_and(|values| values != [0.0; COUNTED]);
        has_usage.then(|| (*line, format!("{} of {}", COLUMNS[column], short(owner))))
    });
    let left_out = told.collect();
    let value = |number: Option<usize>, column: usize| rows[number?].values[column];
    // Children come after their parents.
    for at in (0..associations.len()).rev() {
        if let Some([usage, ..]) = value(counting[at][0], 0) {
            associations[at].usage = usage;
        }
        if let Some(raw) = value(counting[at][1], 1) {
            associations[at].raw = raw;
        }
        let (usage, raw) = (associations[at].usage, associations[at].raw);
        if let Some(parent) = associations[at].parent {
            let parent = &mut associations[parent];
            parent.usage += usage;
            for (sum, more) in parent.raw.iter_mut().zip(raw) {
                *sum += more;
            }
        }
    }
    let has_row = |counting: &&[Option<usize>; 2]| counting.iter().any(Option::is_some);
    SettledUsage {
        known: counting.iter().filter(has_row).count(),
        left_out,
    }
}
