//! A walk over the waiting jobs, in the order of the queue.

use crate::sim::{Turn, Waiting};
use crate::time::Span;

/// A walk over the waiting jobs, in the order of the queue.
pub struct InOrder {
    /// None in order of arrival: the queue itself then finds the next one.
    pub(super) sorted: Option<std::vec::IntoIter<Waiting>>,
    pub(super) position: usize,
}

impl InOrder {
    /// The next waiting job that `admits` says yes to, as [`crate::sim::Queue::next_from`] asks it.
    pub fn next(&mut self, turn: &Turn<'_>, admits: impl Fn(u32, Span) -> bool) -> Option<Waiting> {
        if let Some(sorted) = &mut self.sorted {
            return sorted.find(|job| admits(job.processors, job.expected));
        }
        let (next, job) = turn.queue().next_from(self.position, admits)?;
        self.position = next;
        Some(job)
    }
}
