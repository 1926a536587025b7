//! The running jobs, by the instant at which they are expected to end.
//!
//! Reservations look at releases in this order. The list is kept sorted, latest first, so that the commonest change, the
//! end of the job expected next, is a pop.

use crate::job::JobId;
use crate::time::Time;

/// A running job, as policies see it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RunningJob {
    /// When it is expected to end: its start plus what is believed of its run time.
    pub expected_end: Time,
    /// The job.
    pub job: JobId,
    /// Its size.
    pub processors: u32,
    /// When it started.
    pub started: Time,
}

/// The running jobs, by expected end.
#[derive(Clone, Debug, Default)]
pub struct Running {
    /// Latest first; ties by id, so that the order does not depend on history.
    latest_first: Vec<RunningJob>,
}

impl Running {
    /// How many run.
    pub const fn len(&self) -> usize {
        self.latest_first.len()
    }

    /// Whether none runs.
    pub const fn is_empty(&self) -> bool {
        self.latest_first.is_empty()
    }

    /// The running jobs, earliest expected end first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &RunningJob> {
        self.latest_first.iter().rev()
    }

    pub(super) fn insert(&mut self, entry: RunningJob) {
        let at = self.place(entry.expected_end, entry.job);
        self.latest_first.insert(at, entry);
    }

    pub(super) fn remove(&mut self, expected_end: Time, job: JobId) -> Option<RunningJob> {
        let at = self.place(expected_end, job);
        let found = self.latest_first.get(at).is_some_and(|entry| entry.job == job);
        found.then(|| self.latest_first.remove(at))
    }

    fn place(&self, expected_end: Time, job: JobId) -> usize {
        let key = (expected_end, job);
        // Most jobs that end are expected to end next: look at the end of the list before searching.
        if let Some(last) = self.latest_first.last()
            && (last.expected_end, last.job) == key
        {
            return self.latest_first.len() - 1;
        }
        self.latest_first.partition_point(|entry| (entry.expected_end, entry.job) > key)
    }
}
