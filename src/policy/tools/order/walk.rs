//! A walk over the waiting jobs, in the order of the queue.

use crate::sim::{Turn, Waiting};
use crate::time::Span;

/// A walk over the waiting jobs, in the order of the queue.
pub struct InOrder {
    /// The jobs in order. `None` in order of arrival, in which the queue itself finds the next job.
    pub(super) sorted: Option<std::vec::IntoIter<Waiting>>,
    pub(super) position: usize,
}

impl InOrder {
    /// Returns the next waiting job that `admits` accepts. See [`crate::sim::Queue::next_from`] for
    /// the rule that `admits` must obey.
    pub fn next(&mut self, turn: &Turn<'_>, admits: impl Fn(u32, Span) -> bool) -> Option<Waiting> {
        if let Some(sorted) = &mut self.sorted {
            return sorted.find(|job| admits(job.processors, job.expected));
        }
        let (next, job) = turn.queue().next_from(self.position, admits)?;
        self.position = next;
        Some(job)
    }
}
