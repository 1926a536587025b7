//! The account of what is left out of shared files.

use std::collections::BTreeMap;

/// A keyword, or a kind of line, that is left out of a shared file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostKeyword {
    /// The file: `the log`, `slurm.conf` or `accounts`.
    pub file: &'static str,
    /// The keyword as the site wrote it, or a description.
    pub what: String,
    /// The number of times.
    pub count: u64,
}

/// Counts what is left out of one file, by keyword.
#[derive(Debug, Default)]
pub struct Losses(BTreeMap<String, (String, u64)>);

impl Losses {
    /// Counts a keyword, whatever its case.
    pub fn count(&mut self, what: &str) {
        let entry = self.0.entry(what.to_lowercase());
        entry.or_insert_with(|| (what.to_owned(), 0)).1 += 1;
    }

    /// Returns the counts, by keyword.
    pub fn of(self, file: &'static str) -> impl Iterator<Item = LostKeyword> {
        let all = self.0.into_values();
        all.map(move |(what, count)| LostKeyword { file, what, count })
    }
}
