//! The running jobs, in order of their expected ends.
//!
//! Reservations consider releases in this order, except that overdue jobs come later: see
//! [`Running::releases`]. The list is sorted with the latest end first, so that the most frequent
//! change, the end of the job that is expected to end next, is a pop.

use crate::job::JobId;
use crate::time::{Span, Time};

/// A running job, as policies see it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RunningJob {
    /// Expected end: the start plus the belief about the run time.
    pub expected_end: Time,
    /// The job.
    pub job: JobId,
    /// Size of the job.
    pub processors: u32,
    /// Start of the job.
    pub started: Time,
}

/// Returns the instant at which a running job counts as releasing its processors: its expected end
/// or, if that has passed, one second from now. One second is the resolution of traces.
pub fn release_time(expected_end: Time, now: Time) -> Time {
    if expected_end > now {
        expected_end
    } else {
        now + Span::SECOND
    }
}

/// The running jobs, in order of their expected ends.
#[derive(Clone, Debug, Default)]
pub struct Running {
    /// Latest expected end first; ties by id, so that the order does not depend on history.
    latest_first: Vec<RunningJob>,
    /// True while completions of this instant are still to be told. Jobs that are expected to end
    /// now may be among them.
    awaits_ends: bool,
}

impl Running {
    /// Returns the number of running jobs.
    pub const fn len(&self) -> usize {
        self.latest_first.len()
    }

    /// True if no job runs.
    pub const fn is_empty(&self) -> bool {
        self.latest_first.is_empty()
    }

    /// Returns the running jobs, earliest expected end first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &RunningJob> {
        self.latest_first.iter().rev()
    }

    /// True while completions of this instant are still to be told. Until then, a job that is
    /// expected to end now counts as ending now.
    pub const fn awaits_ends(&self) -> bool {
        self.awaits_ends
    }

    /// True if a running job is overdue.
    pub fn has_overdue(&self, now: Time) -> bool {
        self.latest_first
            .last()
            .is_some_and(|job| job.expected_end <= self.last_overdue(now))
    }

    /// Returns the instant at which a running job counts as releasing its processors: its expected
    /// end or, if it is overdue, one second from now.
    pub fn release_time(&self, job: &RunningJob, now: Time) -> Time {
        if job.expected_end <= self.last_overdue(now) {
            release_time(job.expected_end, now)
        } else {
            job.expected_end
        }
    }

    /// Returns the latest expected end that makes a job overdue.
    fn last_overdue(&self, now: Time) -> Time {
        if self.awaits_ends {
            Time::from_microseconds(now.microseconds() - 1)
        } else {
            now
        }
    }

    /// Returns the running jobs with their release times, earliest release first.
    ///
    /// Overdue jobs come first in the list, but their release time is one second from now. They
    /// follow the jobs that are expected to end within that second.
    pub fn releases(&self, now: Time) -> impl Iterator<Item = (Time, &RunningJob)> {
        let last_overdue = self.last_overdue(now);
        let overdue = self
            .iter()
            .take_while(|job| job.expected_end <= last_overdue)
            .count();
        let (others, overdue) = self.latest_first.split_at(self.len() - overdue);
        let released = release_time(now, now);
        let is_sooner = |job: &&RunningJob| job.expected_end < released;
        let sooner = if overdue.is_empty() {
            0
        } else {
            others.iter().rev().take_while(is_sooner).count()
        };
        let (later, sooner) = others.split_at(others.len() - sooner);
        let in_order = sooner
            .iter()
            .rev()
            .chain(overdue.iter().rev())
            .chain(later.iter().rev());
        in_order.map(move |job| (self.release_time(job, now), job))
    }

    pub(super) fn await_ends(&mut self, awaits_ends: bool) {
        self.awaits_ends = awaits_ends;
    }

    pub(super) fn insert(&mut self, entry: RunningJob) {
        let at = self.place(entry.expected_end, entry.job);
        self.latest_first.insert(at, entry);
    }

    pub(super) fn remove(&mut self, expected_end: Time, job: JobId) -> Option<RunningJob> {
        let at = self.place(expected_end, job);
        let found = self
            .latest_first
            .get(at)
            .is_some_and(|entry| entry.job == job);
        found.then(|| self.latest_first.remove(at))
    }

    fn place(&self, expected_end: Time, job: JobId) -> usize {
        let key = (expected_end, job);
        // Most jobs that end are those expected to end next, so check the end of the list before
        // searching.
        if let Some(last) = self.latest_first.last()
            && (last.expected_end, last.job) == key
        {
            return self.latest_first.len() - 1;
        }
        self.latest_first
            .partition_point(|entry| (entry.expected_end, entry.job) > key)
    }
}
