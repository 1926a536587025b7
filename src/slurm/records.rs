//! The records of all jobs. Copies of a controller share those that have not changed since.

use super::record::JobRecord;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// Records that are copied together when one of them changes after a copy.
const TOGETHER: usize = 64;

/// The records in the order of their creation.
#[derive(Clone, Debug, Default)]
pub struct JobRecords {
    groups: Vec<Arc<Vec<JobRecord>>>,
    count: usize,
    /// The records that may have changed since the list was taken, and a bit for each record that is in it.
    changed: Vec<u32>,
    is_changed: Vec<u64>,
}

impl JobRecords {
    pub fn len(&self) -> usize {
        self.count
    }

    // Many places look at a record or change one: inlined, they would take kilobytes of the wasm file.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn at(&self, record: usize) -> &JobRecord {
        &self.groups[record / TOGETHER][record % TOGETHER]
    }

    #[inline(never)]
    fn at_mut(&mut self, record: usize) -> &mut JobRecord {
        self.note_change(record);
        &mut Arc::make_mut(&mut self.groups[record / TOGETHER])[record % TOGETHER]
    }

    pub fn push(&mut self, record: JobRecord) {
        match self.groups.last_mut() {
            Some(last) if last.len() < TOGETHER => Arc::make_mut(last).push(record),
            _ => {
                let mut group = Vec::with_capacity(TOGETHER);
                group.push(record);
                self.groups.push(Arc::new(group));
            }
        }
        self.count += 1;
        if self.count > 64 * self.is_changed.len() {
            self.is_changed.push(0);
        }
        self.note_change(self.count - 1);
    }

    fn note_change(&mut self, record: usize) {
        let (word, bit) = (&mut self.is_changed[record / 64], 1 << (record % 64));
        if *word & bit == 0 {
            *word |= bit;
            self.changed.push(record as u32);
        }
    }

    /// True if a record is new, or may have changed since the list was taken.
    pub fn has_changed(&self, record: usize) -> bool {
        self.is_changed[record / 64] >> (record % 64) & 1 == 1
    }

    /// Returns the records that are new or may have changed since the last call.
    pub fn take_changed(&mut self) -> Vec<u32> {
        for record in &self.changed {
            self.is_changed[*record as usize / 64] = 0;
        }
        std::mem::take(&mut self.changed)
    }

    pub fn get(&self, record: usize) -> Option<&JobRecord> {
        (record < self.count).then(|| self.at(record))
    }

    pub fn get_mut(&mut self, record: usize) -> Option<&mut JobRecord> {
        (record < self.count).then(|| self.at_mut(record))
    }
}

impl Index<usize> for JobRecords {
    type Output = JobRecord;

    fn index(&self, record: usize) -> &JobRecord {
        self.at(record)
    }
}

impl IndexMut<usize> for JobRecords {
    fn index_mut(&mut self, record: usize) -> &mut JobRecord {
        self.at_mut(record)
    }
}
