//! The record of one line of a trace, and a list of records that grows without copying.

/// The largest time that a line may hold, in seconds (317 years). A larger one means that the file
/// is damaged or in other units.
pub const LONGEST_SECONDS: i64 = 10_000_000_000;
/// Names of the 18 fields of the Standard Workload Format, version 2.2, in order.
pub const FIELDS: [&str; 18] = [
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "average CPU time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "application",
    "queue",
    "partition",
    "preceding job",
    "think time",
];

/// A job line of a trace. Times are in seconds, memory in kilobytes per processor; -1 is unknown.
#[derive(Copy, Clone, Debug, PartialEq)]
#[expect(
    missing_docs,
    reason = "the fields are those of the format, named in FIELDS"
)]
pub struct Record {
    pub number: i64,
    pub submit: i64,
    pub wait: i64,
    pub run_time: i64,
    pub requested_time: i64,
    pub preceding: i64,
    pub think_time: i64,
    pub cpu_time: f64,
    pub used_memory: f64,
    pub requested_memory: f64,
    pub allocated: i32,
    pub requested: i32,
    pub status: i32,
    pub user: i32,
    pub group: i32,
    pub application: i32,
    pub queue: i32,
    pub partition: i32,
    /// Line of the file, from 1; not a field of the format.
    pub line: u32,
}

/// Records in a chunk: small against a large trace, and large against the cost of a chunk.
const CHUNK: usize = 1 << 14;

/// A list of records in chunks. Doubling a single vector of a large trace would for a moment need
/// three times its size, and wasm memory never shrinks.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// The chunks; none is empty.
    chunks: Vec<Vec<Record>>,
    /// The number of records before each chunk.
    before: Vec<usize>,
}

impl Records {
    /// Appends a record.
    pub fn push(&mut self, record: Record) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(record),
            _ => {
                self.before.push(self.len());
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(record);
                self.chunks.push(chunk);
            }
        }
    }

    /// Appends another list and keeps its chunks as they are.
    pub fn append(&mut self, other: Self) {
        let len = self.len();
        self.chunks.extend(other.chunks);
        self.before
            .extend(other.before.into_iter().map(|before| len + before));
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.chunks
            .last()
            .zip(self.before.last())
            .map_or(0, |(last, before)| before + last.len())
    }

    /// True if there is no record.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Returns the record at `index`.
    ///
    /// # Panics
    /// Panics if `index` is out of range.
    pub fn get(&self, index: usize) -> &Record {
        let chunk = self.before.partition_point(|before| *before <= index) - 1;
        &self.chunks[chunk][index - self.before[chunk]]
    }

    /// Returns the records with each submission counted from `zero`.
    pub fn shifted(mut self, zero: i64) -> Self {
        for record in self.chunks.iter_mut().flatten() {
            record.submit -= zero;
        }
        self
    }

    /// Returns the records in chunks, in order.
    pub(super) fn chunks(&self) -> &[Vec<Record>] {
        &self.chunks
    }

    /// Returns all records, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Record> {
        self.chunks.iter().flatten()
    }
}

impl FromIterator<Record> for Records {
    fn from_iter<I: IntoIterator<Item = Record>>(records: I) -> Self {
        let mut list = Self::default();
        records.into_iter().for_each(|record| list.push(record));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_invisible() {
        let record = Record {
            number: 0,
            submit: 0,
            wait: -1,
            run_time: 1,
            requested_time: 1,
            preceding: -1,
            think_time: -1,
            cpu_time: -1.0,
            used_memory: -1.0,
            requested_memory: -1.0,
            allocated: 1,
            requested: 1,
            status: 1,
            user: 1,
            group: 1,
            application: 1,
            queue: 1,
            partition: 1,
            line: 1,
        };
        let n = CHUNK + 3;
        let records: Records = (0..n)
            .map(|i| Record {
                number: i as i64,
                ..record
            })
            .collect();
        assert_eq!(records.len(), n);
        assert!(
            records
                .iter()
                .enumerate()
                .all(|(i, r)| r.number == i as i64)
        );
        assert_eq!(records.get(CHUNK).number, CHUNK as i64);
        // Two lists of two chunks each follow one of a single record.
        let mut all: Records = std::iter::once(record).collect();
        all.append(records.clone());
        all.append(records);
        assert_eq!(all.len(), 1 + 2 * n);
        let expected = |at: usize| if at == 0 { 0 } else { ((at - 1) % n) as i64 };
        assert!((0..all.len()).all(|at| all.get(at).number == expected(at)));
        assert!(all.chunks.iter().all(|chunk| chunk.len() <= CHUNK));
    }
}
