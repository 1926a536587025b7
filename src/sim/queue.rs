//! The waiting jobs, in order of arrival.
//!
//! Backfilling repeats one question: which later job is small or short enough? A plain walk is too
//! slow for tens of thousands of waiting jobs. The queue therefore keeps the least size and the
//! least belief of each block of 32 jobs, and skips a block whose least values do not pass.

use crate::job::JobId;
use crate::pulse::beat;
use crate::time::Span;

/// A waiting job, as the queue shows it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The job.
    pub job: JobId,
    /// Size of the job.
    pub processors: u32,
    /// Belief about the run time: the estimate, unless the policy believes otherwise.
    pub expected: Span,
}

const BLOCK: usize = 32;

/// Marks the entry of a job that has left. The queue reclaims entries between turns, so that
/// positions stay valid during one.
const GONE: u32 = 0;

/// The waiting jobs, in order of arrival.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    entries: Vec<Waiting>,
    /// For each block, a size and a belief that are at most those of each job that waits in it.
    least: Vec<(u32, Span)>,
    /// Position of the head: no job waits before it.
    first: usize,
    length: usize,
}

impl Queue {
    /// Returns the number of waiting jobs.
    pub const fn len(&self) -> usize {
        self.length
    }

    /// True if no job waits.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the job that arrived first.
    pub fn head(&self) -> Option<&Waiting> {
        self.entries.get(self.first)
    }

    /// Returns the waiting jobs, in order of arrival.
    pub fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.entries[self.first..]
            .iter()
            .filter(|entry| entry.processors != GONE)
    }

    /// Returns the waiting jobs from `job` on, in order of arrival.
    pub fn from(&self, job: JobId) -> impl Iterator<Item = &Waiting> {
        // Most often no job has arrived.
        let from = if self.entries.last().is_none_or(|last| last.job < job) {
            self.entries.len()
        } else {
            self.entries.partition_point(|entry| entry.job < job)
        };
        let from = from.max(self.first);
        self.entries[from..]
            .iter()
            .filter(|entry| entry.processors != GONE)
    }

    /// Returns the position of the head, for [`Queue::next_from`].
    pub const fn first_position(&self) -> usize {
        self.first
    }

    /// Returns the first job at or after `position` that `admits` accepts, with the position after
    /// it.
    ///
    /// `admits` receives a size and a belief. If it accepts a pair, it must also accept every
    /// smaller and shorter one, because the queue also asks it about the least values of whole
    /// blocks.
    pub fn next_from(
        &self,
        mut position: usize,
        admits: impl Fn(u32, Span) -> bool,
    ) -> Option<(usize, Waiting)> {
        beat(BLOCK);
        while position < self.entries.len() {
            if position.is_multiple_of(BLOCK) {
                let (processors, expected) = self.least[position / BLOCK];
                if !admits(processors, expected) {
                    position += BLOCK;
                    continue;
                }
            }
            let end = (position / BLOCK * BLOCK + BLOCK).min(self.entries.len());
            let found = self.entries[position..end]
                .iter()
                .position(|e| e.processors != GONE && admits(e.processors, e.expected));
            if let Some(offset) = found {
                return Some((position + offset + 1, self.entries[position + offset]));
            }
            position = end;
        }
        None
    }

    /// Returns every job that `admits` accepts, in order of arrival. See [`Queue::next_from`] for
    /// the rule that `admits` must obey.
    pub fn admitted(&self, admits: impl Fn(u32, Span) -> bool) -> impl Iterator<Item = Waiting> {
        let mut position = self.first;
        std::iter::from_fn(move || {
            let (next, job) = self.next_from(position, &admits)?;
            position = next;
            Some(job)
        })
    }

    /// Returns the waiting job at `position`; `None` if no job waits there.
    pub fn at(&self, position: usize) -> Option<&Waiting> {
        self.entries
            .get(position)
            .filter(|entry| entry.processors != GONE)
    }

    /// Returns the entry of `job`, if it waits.
    pub fn entry(&self, job: JobId) -> Option<&Waiting> {
        self.position(job).map(|at| &self.entries[at])
    }

    pub(super) fn push(&mut self, entry: Waiting) {
        if self.entries.len().is_multiple_of(BLOCK) {
            self.least
                .push((u32::MAX, Span::from_microseconds(i64::MAX)));
        }
        self.entries.push(entry);
        self.length += 1;
        self.lower(self.entries.len() - 1);
    }

    /// Puts a job that has left back into its place by order of arrival. Positions become invalid.
    pub(super) fn put_back(&mut self, entry: Waiting) {
        let at = self.entries.partition_point(|other| other.job < entry.job);
        let is_there = |other: &Waiting| other.job == entry.job;
        if self.entries.get(at).is_some_and(is_there) {
            self.entries[at] = entry;
            self.renew(at / BLOCK);
        } else {
            self.entries.insert(at, entry);
            self.least
                .resize(self.entries.len().div_ceil(BLOCK), (0, Span::ZERO));
            (at / BLOCK..self.least.len()).for_each(|block| self.renew(block));
        }
        self.length += 1;
        self.first = self.first.min(at);
    }

    /// Removes the job that waits at `position`, and returns its entry. Other positions stay valid.
    pub(super) fn take(&mut self, position: usize) -> Waiting {
        let entry = self.entries[position];
        debug_assert_ne!(entry.processors, GONE);
        self.entries[position].processors = GONE;
        self.length -= 1;
        while self.first < self.entries.len() && self.entries[self.first].processors == GONE {
            self.first += 1;
        }
        let (processors, expected) = self.least[position / BLOCK];
        let is_least = entry.processors == processors || entry.expected == expected;
        if is_least && position >= self.first {
            self.renew(position / BLOCK);
        }
        entry
    }

    /// Reclaims the entries of jobs that have left, once they outnumber those that wait. Positions
    /// become invalid.
    pub(super) fn reclaim(&mut self) {
        if self.length == 0 {
            self.entries.clear();
            self.least.clear();
            self.first = 0;
        } else if self.entries.len() > 2 * self.length + 2 * BLOCK {
            self.entries.retain(|entry| entry.processors != GONE);
            self.first = 0;
            self.least.clear();
            self.least
                .resize(self.entries.len().div_ceil(BLOCK), (0, Span::ZERO));
            (0..self.least.len()).for_each(|block| self.renew(block));
        }
    }

    /// Returns the position of `job`, if it waits. Jobs arrive in the order of their ids, so a binary search by
    /// id finds it.
    pub fn position(&self, job: JobId) -> Option<usize> {
        let first = self.first;
        if self
            .entries
            .get(first)
            .is_some_and(|entry| entry.job == job)
        {
            return Some(first);
        }
        let at = first
            + self.entries[first..]
                .binary_search_by_key(&job, |entry| entry.job)
                .ok()?;
        (self.entries[at].processors != GONE).then_some(at)
    }

    fn lower(&mut self, at: usize) {
        let entry = self.entries[at];
        let (processors, expected) = &mut self.least[at / BLOCK];
        *processors = entry.processors.min(*processors);
        *expected = entry.expected.min(*expected);
    }

    fn renew(&mut self, block: usize) {
        self.least[block] = (u32::MAX, Span::from_microseconds(i64::MAX));
        for at in block * BLOCK..(block * BLOCK + BLOCK).min(self.entries.len()) {
            if self.entries[at].processors != GONE {
                self.lower(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn agrees_with_a_plain_list() {
        let mut stream = Stream::new(1, "queue");
        let mut queue = Queue::default();
        let mut plain: Vec<Waiting> = Vec::new();
        let (mut left, mut returned) = (Vec::new(), 0);
        let mut arrived = 0;
        for round in 0..20_000 {
            // Alternates long stretches of growth and of decline, so that blocks fill and empty.
            if stream.uniform() < if round / 1000 % 2 == 0 { 0.7 } else { 0.3 } {
                let entry = Waiting {
                    job: JobId(arrived),
                    processors: stream.below(100) as u32 + 1,
                    expected: Span::from_seconds(stream.below(1000) as i64),
                };
                arrived += 1;
                queue.push(entry);
                plain.push(entry);
            } else if !plain.is_empty() {
                let at = if stream.uniform() < 0.5 {
                    0
                } else {
                    stream.below(plain.len() as u64) as usize
                };
                let entry = plain.remove(at);
                let position = queue.position(entry.job).unwrap();
                assert_eq!(queue.take(position), entry);
                assert_eq!(queue.position(entry.job), None);
                left.push(entry);
            }
            if !left.is_empty() && stream.uniform() < 0.1 {
                let entry = left.swap_remove(stream.below(left.len() as u64) as usize);
                let at = plain.partition_point(|other| other.job < entry.job);
                plain.insert(at, entry);
                queue.put_back(entry);
                returned += 1;
            }
            if stream.uniform() < 0.5 {
                queue.reclaim();
            }
            assert_eq!(queue.len(), plain.len());
            assert_eq!(queue.head(), plain.first());
            let from = JobId(stream.below(u64::from(arrived) + 2) as u32);
            let later = plain.iter().filter(|entry| entry.job >= from);
            assert!(queue.from(from).eq(later));
            if round % 50 == 0 {
                for (entries, least) in queue.entries.chunks(BLOCK).zip(&queue.least) {
                    let waiting = entries.iter().filter(|entry| entry.processors != GONE);
                    for entry in waiting {
                        assert!(least.0 <= entry.processors && least.1 <= entry.expected);
                    }
                }
                assert!(queue.iter().eq(plain.iter()));
                let (size, time) = (
                    stream.below(100) as u32,
                    Span::from_seconds(stream.below(300) as i64),
                );
                let admits = |p: u32, e: Span| p <= size && e <= time;
                let mut position = queue.first_position();
                let mut found = Vec::new();
                while let Some((next, entry)) = queue.next_from(position, admits) {
                    found.push(entry);
                    position = next;
                }
                let expected: Vec<Waiting> = plain
                    .iter()
                    .copied()
                    .filter(|e| admits(e.processors, e.expected))
                    .collect();
                assert_eq!(found, expected);
                for job in (0..arrived).map(JobId) {
                    let own = plain.iter().find(|entry| entry.job == job);
                    assert_eq!(queue.entry(job), own);
                }
            }
        }
        assert!(returned > 1000, "{returned}");
    }
}
