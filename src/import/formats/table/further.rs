//! The columns of a table that hold none of the facts about jobs that are known. They are kept
//! beside, as numbers or as words.

use crate::limits::WORDS_BYTES;
use crate::trace::{Column, ColumnValues, UNKNOWN, Words};

/// Bytes that a word takes beside its text.
const WORD: usize = 48;

/// Columns that grow row by row.
#[derive(Debug, Default)]
pub struct Further {
    columns: Vec<Growing>,
    /// Bytes of the words of all columns.
    bytes: usize,
}

/// A column with its name.
#[derive(Debug)]
struct Growing {
    name: String,
    values: ColumnValues,
}

impl Further {
    /// Creates the columns without a row.
    pub fn new(names: impl Iterator<Item = String>) -> Self {
        let columns = names
            .map(|name| Growing {
                name,
                values: ColumnValues::Numbers(Vec::new()),
            })
            .collect();
        Self { columns, bytes: 0 }
    }

    /// Appends a row. Returns the number of words that had no place.
    pub fn push<'a>(&mut self, cells: impl Iterator<Item = Option<&'a str>>) -> u64 {
        let mut left_out = 0;
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            left_out += u64::from(!column.push(cell, &mut self.bytes));
        }
        left_out
    }

    /// Returns the columns that have a value, under ids that none of `taken` has.
    pub fn columns(self, taken: &[Column]) -> Vec<Column> {
        let mut found: Vec<Column> = Vec::new();
        for Growing { name, values } in self.columns {
            let is_empty = match &values {
                ColumnValues::Numbers(numbers) => numbers.iter().all(|number| *number == UNKNOWN),
                ColumnValues::Words { words, .. } => words.is_empty(),
            };
            if is_empty {
                continue;
            }
            let id = id(&name);
            let is_free = |id: &str| taken.iter().chain(&found).all(|column| column.id != id);
            let others = taken.len() + found.len();
            let id = (2..others + 3)
                .map(|at| format!("{id}_{at}"))
                .find(|other| is_free(other))
                .filter(|_| !is_free(&id))
                .unwrap_or(id);
            found.push(Column { id, name, values });
        }
        found
    }
}

impl Growing {
    /// Appends a value. Returns false if it is a word without a place.
    fn push(&mut self, cell: Option<&str>, bytes: &mut usize) -> bool {
        if let ColumnValues::Numbers(numbers) = &mut self.values {
            let number = cell.map(whole);
            match number {
                None => numbers.push(UNKNOWN),
                Some(Some(number)) => numbers.push(number),
                // The first value that is not a whole number makes words of all.
                Some(None) => {
                    let numbers = std::mem::take(numbers);
                    self.values = in_words(&numbers, bytes);
                }
            }
        }
        let ColumnValues::Words { words, numbers } = &mut self.values else {
            return true;
        };
        let (number, is_kept) = match cell {
            None => (0, true),
            Some(cell) => number_of(words, cell, bytes),
        };
        numbers.push(number);
        is_kept
    }
}

/// Returns the number of a word, and false if there is no place for it.
fn number_of(words: &mut Words, word: &str, bytes: &mut usize) -> (u32, bool) {
    let before = words.len();
    let Some(number) = words.number_unless(*bytes > WORDS_BYTES, word) else {
        return (0, false);
    };
    if words.len() > before {
        *bytes += word.len() + WORD;
    }
    (number, true)
}

/// Returns numbers as words.
fn in_words(numbers: &[i64], bytes: &mut usize) -> ColumnValues {
    let mut words = Words::default();
    let numbers = numbers
        .iter()
        .map(|number| match *number {
            UNKNOWN => 0,
            number => number_of(&mut words, &number.to_string(), bytes).0,
        })
        .collect();
    ColumnValues::Words { words, numbers }
}

/// Reads a whole number, if writing it gives the same text again.
fn whole(cell: &str) -> Option<i64> {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let is_canonical = !digits.is_empty()
        && digits.len() <= 18
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == cell && cell == "0" || !digits.starts_with('0'));
    if is_canonical {
        cell.parse().ok()
    } else {
        None
    }
}

/// Returns the id of a column: its letters and digits in small letters, with `_` between them.
fn id(name: &str) -> String {
    let mut id = String::new();
    for letter in name.chars().take(60) {
        if letter.is_ascii_alphanumeric() {
            id.push(letter.to_ascii_lowercase());
        } else if !id.is_empty() && !id.ends_with('_') {
            id.push('_');
        }
    }
    let id = id.trim_end_matches('_');
    if id.is_empty() {
        "column".to_owned()
    } else {
        id.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_numbers_until_a_word_comes() {
        let names = ["Exit Code", "exit-code", "", "empty"].map(str::to_owned);
        let mut further = Further::new(names.into_iter());
        for row in [
            [Some("0"), Some("-7"), Some("1.5"), None],
            [None, Some("8"), Some("x"), None],
            [Some("12"), Some("007"), None, None],
        ] {
            assert_eq!(further.push(row.into_iter()), 0);
        }
        let columns = further.columns(&[]);
        let ids: Vec<&str> = columns.iter().map(|column| column.id.as_str()).collect();
        assert_eq!(ids, ["exit_code", "exit_code_2", "column"]);
        let numbers: Vec<_> = (0..3).map(|at| columns[0].number(at)).collect();
        assert_eq!(numbers, [Some(0), None, Some(12)]);
        let words: Vec<_> = (0..3).map(|at| columns[1].word(at)).collect();
        assert_eq!(words, [Some("-7"), Some("8"), Some("007")]);
        assert_eq!(columns[2].word(1), Some("x"));
    }

    #[test]
    fn words_beyond_the_limit_are_counted() {
        let mut further = Further::new(std::iter::once("name".to_owned()));
        let long = "x".repeat(WORDS_BYTES);
        assert_eq!(further.push(std::iter::once(Some(long.as_str()))), 0);
        assert_eq!(further.push(std::iter::once(Some("y"))), 1);
        let columns = further.columns(&[]);
        assert_eq!(
            (columns[0].word(1), columns[0].word(0)),
            (None, Some(long.as_str()))
        );
    }
}
