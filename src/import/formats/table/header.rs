//! The beginning of a table: its separator, the names of its columns, and its first rows.

use super::split::{Splitter, Step};

/// Rows from which units are guessed.
pub const SAMPLE_ROWS: usize = 200;

/// Separators between cells. Where two are equally frequent, the earlier one counts.
pub const SEPARATORS: [u8; 4] = [b'\t', b',', b';', b'|'];

/// The beginning of a table.
#[derive(Clone, Debug)]
pub struct TableStart {
    /// Separator between cells.
    pub separator: u8,
    /// Names of the columns.
    pub names: Vec<String>,
    /// The first rows, those that are complete and have a cell for each column.
    pub sample: Vec<Vec<String>>,
}

impl TableStart {
    /// Reads the beginning of a table from the first bytes of a file. `is_whole` says that they are
    /// the whole file. Returns `None` if the first line is not like a header.
    pub fn of(text: &str, is_whole: bool) -> Option<Self> {
        // A comment of SWF, a page, or JSON.
        if text.trim_start().starts_with([';', '<', '{', '[']) {
            return None;
        }
        let beginning = Self::of_any(text, is_whole)?;
        beginning.is_header().then_some(beginning)
    }

    /// Reads the beginning of a table whose first line is a header, whatever it looks like.
    pub fn of_any(text: &str, is_whole: bool) -> Option<Self> {
        let first = text.lines().find(|line| !line.trim().is_empty())?;
        let separator = separator(first);
        let mut splitter = Splitter::new(separator);
        let mut input = text.as_bytes();
        let mut rows = Vec::new();
        let mut is_last = false;
        while rows.len() <= SAMPLE_ROWS {
            match splitter.step(&mut input) {
                Step::Row => {
                    let row = splitter.row();
                    rows.push((0..row.len()).map(|at| row.get(at).into_owned()).collect());
                }
                // The end of the first bytes may cut a row.
                Step::Empty if is_whole && !is_last => {
                    is_last = true;
                    input = b"";
                }
                Step::Empty | Step::TooLong => break,
            }
        }
        let mut rows = rows.into_iter();
        let names: Vec<String> = rows.next()?;
        let sample = rows
            .filter(|row: &Vec<String>| row.len() == names.len())
            .collect();
        Some(Self {
            separator,
            names,
            sample,
        })
    }

    /// True if the names are like those of columns: two or more, each with a letter first, but for
    /// empty ones and signs.
    fn is_header(&self) -> bool {
        let is_name = |name: &String| {
            let letters =
                name.trim_start_matches(|sign: char| sign.is_ascii_punctuation() && sign != '-');
            letters.starts_with(char::is_alphabetic)
        };
        let is_good = |name: &String| {
            (name.is_empty() || is_name(name))
                && !name.contains(['\0', char::REPLACEMENT_CHARACTER])
        };
        self.names.len() > 1
            && self.names.iter().all(is_good)
            && self.names.iter().any(|name| !name.is_empty())
    }

    /// Returns the known values of a column in the first rows.
    pub fn values(&self, column: usize) -> impl Iterator<Item = &str> {
        self.sample
            .iter()
            .filter_map(move |row| super::cells::known(row.get(column)?))
    }
}

/// Returns the most frequent separator of a line outside quotes.
fn separator(line: &str) -> u8 {
    let mut counts = [0_usize; SEPARATORS.len()];
    let mut is_quoted = false;
    for byte in line.bytes() {
        is_quoted ^= byte == b'"';
        if let Some(at) = SEPARATORS.iter().position(|known| *known == byte)
            && !is_quoted
        {
            counts[at] += 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or_default();
    let at = counts.iter().position(|count| *count == most);
    SEPARATORS[at.unwrap_or_default()]
}
