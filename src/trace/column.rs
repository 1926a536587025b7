//! Columns of a trace beside the 18 fields: accounts, states, nodes, and whatever else a log has.

use super::words::Words;

/// A column with a value for each record.
#[derive(Clone, Debug)]
pub struct Column {
    /// Stable id, such as `account`.
    pub id: String,
    /// Name for readers.
    pub name: String,
    /// The values, in the order of the records.
    pub values: ColumnValues,
}

/// The values of a column.
#[derive(Clone, Debug)]
pub enum ColumnValues {
    /// Whole numbers; [`UNKNOWN`] where none is known.
    Numbers(Vec<i64>),
    /// Words, by number; 0 where none is known.
    Words {
        /// The words.
        words: Words,
        /// The number of each record's word.
        numbers: Vec<u32>,
    },
}

/// The number that stands for an unknown one.
pub const UNKNOWN: i64 = i64::MIN;

impl Column {
    /// Returns the number of a record, if this column has numbers and the record has one.
    pub fn number(&self, record: usize) -> Option<i64> {
        match &self.values {
            ColumnValues::Numbers(numbers) => numbers
                .get(record)
                .copied()
                .filter(|number| *number != UNKNOWN),
            ColumnValues::Words { .. } => None,
        }
    }

    /// Returns the word of a record, if this column has words and the record has one.
    pub fn word(&self, record: usize) -> Option<&str> {
        match &self.values {
            ColumnValues::Words { words, numbers } => words.get(*numbers.get(record)?),
            ColumnValues::Numbers(_) => None,
        }
    }
}

/// The names behind the numbers of users, groups, applications, queues and partitions. Number 1 is
/// the first name.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are named as those of a record")]
pub struct Names {
    pub users: Words,
    pub groups: Words,
    pub applications: Words,
    pub queues: Words,
}
