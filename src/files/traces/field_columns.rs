//! The further columns of a trace as fields of SWF.

use crate::limits::{LINE_BYTES, MORE_FIELDS};
use crate::trace::{Column, ColumnValues, Declared, FIELDS, encoded_field};
use std::fmt::Write;

/// Bytes that the 18 fields need at most.
const FIELDS_BYTES: usize = 18 * 24;

/// Bytes that a number needs at most, with the space before it.
const NUMBER_BYTES: usize = 21;

/// A column as fields.
struct FieldColumn<'a> {
    column: &'a Column,
    /// The encoded words, from number 1 on; none if the column has numbers.
    words: Vec<String>,
}

/// The columns as fields, each line within the limit of a reader.
pub struct FieldColumns<'a> {
    cells: Vec<FieldColumn<'a>>,
    /// True if a line could be too long.
    is_long: bool,
}

impl<'a> FieldColumns<'a> {
    /// Encodes columns, at most as many as a reader keeps.
    pub fn new(columns: &'a [Column]) -> Self {
        let cells: Vec<FieldColumn<'a>> = columns
            .iter()
            .take(MORE_FIELDS)
            .map(|column| FieldColumn {
                column,
                words: match &column.values {
                    ColumnValues::Words { words, .. } => words.iter().map(encoded_field).collect(),
                    ColumnValues::Numbers(_) => Vec::new(),
                },
            })
            .collect();
        let longest = |cell: &FieldColumn<'_>| {
            let words = cell.words.iter().map(|word| word.len() + 1);
            words.max().unwrap_or(0).max(NUMBER_BYTES)
        };
        let is_long = cells.iter().map(longest).sum::<usize>() > room();
        Self { cells, is_long }
    }

    /// Returns the comments that declare the fields.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.cells.iter().enumerate().map(|(at, cell)| {
            Declared {
                place: FIELDS.len() + 1 + at,
                id: cell.column.id.clone(),
                name: cell.column.name.clone(),
                is_words: matches!(cell.column.values, ColumnValues::Words { .. }),
            }
            .line()
        })
    }

    /// Returns the number of records of which a word is left out.
    pub fn cut(&self, records: usize) -> usize {
        if !self.is_long {
            return 0;
        }
        (0..records)
            .filter(|record| self.left_out(*record) != 0)
            .count()
    }

    /// Appends the fields of a record.
    pub fn push(&self, record: usize, line: &mut String) {
        let left_out = if self.is_long {
            self.left_out(record)
        } else {
            0
        };
        for (at, cell) in self.cells.iter().enumerate() {
            line.push(' ');
            if left_out >> at & 1 == 1 {
                line.push_str("-1");
                continue;
            }
            match (cell.column.number(record), cell.word(record)) {
                // -1 alone means unknown.
                (Some(-1), _) => line.push_str("-01"),
                (Some(number), _) => {
                    let _ = write!(line, "{number}");
                }
                (None, Some(word)) => line.push_str(word),
                (None, None) => line.push_str("-1"),
            }
        }
    }

    /// Returns the columns, as bits, whose words are left out so that the line is short enough: the
    /// longest words first.
    fn left_out(&self, record: usize) -> u64 {
        let mut lengths: Vec<usize> = self
            .cells
            .iter()
            .map(|cell| match &cell.column.values {
                ColumnValues::Numbers(_) => NUMBER_BYTES,
                ColumnValues::Words { .. } => cell.word(record).map_or(3, |word| word.len() + 1),
            })
            .collect();
        let mut bits = 0;
        while lengths.iter().sum::<usize>() > room() {
            let Some((at, longest)) = lengths.iter_mut().enumerate().max_by_key(|(_, n)| **n)
            else {
                break;
            };
            *longest = 3;
            bits |= 1 << at;
        }
        bits
    }
}

impl FieldColumn<'_> {
    fn word(&self, record: usize) -> Option<&str> {
        let ColumnValues::Words { numbers, .. } = &self.column.values else {
            return None;
        };
        let at = (*numbers.get(record)? as usize).checked_sub(1)?;
        // An empty word would be no field.
        self.words
            .get(at)
            .map(String::as_str)
            .filter(|word| !word.is_empty())
    }
}

/// Bytes of a line that the further fields may have.
const fn room() -> usize {
    LINE_BYTES - FIELDS_BYTES
}
