//! Watching a job: what each scheduler finds when it comes to it. Nothing here changes a decision.

use super::controller::Controller;
use super::looks::{JobFound, JobLook, WatchedJob};
use super::parts::PriorityParts;
use super::record::JobState;

impl Controller {
    /// Watches a job from its submission on, and no other.
    pub fn watch(&mut self, record: Option<usize>) {
        if self.watched.record == record {
            return;
        }
        // A pass that is left out as a repetition would look at nothing.
        self.idle_pass = None;
        self.watched = WatchedJob {
            record,
            parts: record.map(|at| self.priority_parts(at, self.records[at].submitted)),
            ..WatchedJob::default()
        };
    }

    /// Returns what is known of the watched job.
    pub fn watched(&self) -> &WatchedJob {
        &self.watched
    }

    /// Returns the place of a waiting job among those that can be tried, from 1, and the number of these.
    /// A job with several partitions has the place that its best one gives it.
    pub fn place(&self, record: usize) -> (usize, usize) {
        let of = |at: usize| {
            let job = &self.records[at];
            let tier = |partition: &usize| self.conf.partitions[*partition].tier;
            let tier = job.facts.partitions.iter().map(tier).max().unwrap_or(0);
            let best = job.priorities.iter().copied().max();
            let best = best.unwrap_or(job.priority);
            let is_last = job.reservation.is_none();
            (is_last, -tier, -best, job.submitted, job.id)
        };
        let waiting = self.pending.iter().map(|at| *at as usize);
        let waiting = waiting.filter(|at| {
            let job = &self.records[*at];
            job.state == JobState::Pending && job.priority > 0 && !job.is_completing
        });
        let own = of(record);
        let (mut before, mut all) = (0, 0);
        for at in waiting {
            all += 1;
            before += usize::from(of(at) < own);
        }
        (before + 1, all)
    }

    /// Notes what the main scheduler found, if the job is watched.
    pub(super) fn seen_by_main(&mut self, record: usize, second: i64, found: JobFound) {
        if self.watched.record == Some(record) {
            self.watched.main = Some(JobLook { second, found });
        }
    }

    /// Notes what the backfill scheduler found, if the job is watched.
    pub(super) fn seen_by_backfill(&mut self, record: usize, second: i64, found: JobFound) {
        if self.watched.record == Some(record) {
            self.watched.backfill = Some(JobLook { second, found });
        }
    }

    /// Notes why the main scheduler passes over an entry of the watched job, unless another entry of the
    /// pass has told more.
    pub(super) fn passed_by_main(&mut self, record: usize, second: i64, found: JobFound) {
        if is_unreached(self.watched.main) {
            self.seen_by_main(record, second, found);
        }
    }

    /// The same of the backfill scheduler.
    pub(super) fn passed_by_backfill(&mut self, record: usize, second: i64, found: JobFound) {
        if is_unreached(self.watched.backfill) {
            self.seen_by_backfill(record, second, found);
        }
    }

    /// Notes the parts of a priority that was computed, if the job is watched.
    pub(super) fn computed(&mut self, record: usize, parts: PriorityParts) {
        if self.watched.record == Some(record) {
            self.watched.parts = Some(parts);
        }
    }

    /// Notes that a pass begins, with or without the watched job in its queue.
    pub(super) fn begin_watched(
        &mut self,
        is_backfill: bool,
        second: i64,
        queued: impl Iterator<Item = usize>,
    ) {
        let Some(record) = self.watched.record else {
            return;
        };
        let mut queued = queued;
        let found = if queued.any(|at| at == record) {
            JobFound::NotReached
        } else {
            JobFound::NotQueued
        };
        if is_backfill {
            self.seen_by_backfill(record, second, found);
        } else {
            self.seen_by_main(record, second, found);
        }
    }

    /// Notes that a pass of the backfill scheduler came out as the last one.
    pub(super) fn repeat_watched(&mut self, second: i64) {
        if let Some(look) = &mut self.watched.backfill {
            look.second = second;
        }
    }
}

fn is_unreached(look: Option<JobLook>) -> bool {
    look.is_some_and(|look| look.found == JobFound::NotReached)
}
