//! The queue of the last pass. The next one takes over the entries of jobs that nothing has changed since.

use super::conf_preempt::PreemptRule;
use super::controller::Controller;
use super::entry::{LastQueue, QueueEntry};
use crate::pulse::beat;

impl Controller {
    /// Returns the queue of a pass, sorted. Only jobs whose records have changed since the last queue are looked at,
    /// and those that can change by themselves.
    pub(super) fn next_queue(&mut self, is_backfill: bool, now: i64) -> Vec<QueueEntry> {
        let changed = self.records.take_changed();
        // The order of jobs that preempt by QOS is no order of all jobs, so the whole list is sorted.
        let preempt = &self.conf.preempt;
        if self.runs_all || preempt.is_on() && preempt.rule == PreemptRule::Qos {
            self.last_queue = LastQueue::default();
            let mut queue = self.build_queue(&self.pending.clone(), is_backfill, now);
            self.sort_queue(&mut queue);
            return queue;
        }
        let mut queue = std::mem::take(&mut self.last_queue.entries);
        let settled = &mut self.last_queue.settled;
        settled.resize(self.records.len(), false);
        beat(4 * queue.len());
        for record in changed {
            settled[record as usize] = false;
        }
        queue.retain(|entry| settled[entry.record]);
        let settled = &self.last_queue.settled;
        let waiting = self.pending.iter().copied();
        let others: Vec<u32> = waiting.filter(|at| !settled[*at as usize]).collect();
        debug_assert!(
            queue
                .iter()
                .all(|entry| self.plain_entry(entry.record, false).as_ref() == Some(entry)),
            "entries stay as they are until records change"
        );
        let new = self.build_queue(&others, is_backfill, now);
        self.add_entries(&mut queue, new);
        debug_assert!(
            queue.is_sorted_by_key(|entry| self.place_of(entry)),
            "the queue is sorted"
        );
        queue
    }

    /// Keeps the queue of a pass for the next one.
    pub(super) fn keep_queue(&mut self, queue: Vec<QueueEntry>) {
        self.last_queue.entries = queue;
    }

    /// True if a job was settled in the last queue, and its record has not changed since. So it is independent, and
    /// within the limits of its only partition.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub(super) fn stays_settled(&self, record: usize) -> bool {
        let is_settled = self.last_queue.settled.get(record);
        is_settled.is_some_and(|is_settled| *is_settled) && !self.records.has_changed(record)
    }

    /// Notes that a job waits for nothing but its turn and nodes: it has one entry, which stays as it is until its
    /// record changes, and building a queue changes nothing of it.
    pub(super) fn settle(&mut self, record: usize) {
        let job = &self.records[record];
        // With a least time, the limits of the partition depend on the scheduler.
        let is_settled =
            job.array_job.is_none() && job.reservation.is_none() && job.facts.least_time == 0;
        if let Some(settled) = self.last_queue.settled.get_mut(record) {
            *settled = is_settled;
        }
    }

    /// Adds entries to a sorted queue.
    fn add_entries(&self, queue: &mut Vec<QueueEntry>, mut new: Vec<QueueEntry>) {
        self.sort_by_priority(&mut new);
        // From the end on, so that each entry moves at most once. Few new entries have their places searched, many
        // are compared with all.
        let is_few = new.len() < queue.len() / 16;
        let mut rest = queue.len();
        queue.extend_from_slice(&new);
        for (before, entry) in new.into_iter().enumerate().rev() {
            let key = self.place_of(&entry);
            let is_later = |one: &QueueEntry| self.place_of(one) > key;
            let at = if is_few {
                queue[..rest].partition_point(|one| !is_later(one))
            } else {
                let mut ours = queue[..rest].iter();
                ours.rposition(|one| !is_later(one)).map_or(0, |at| at + 1)
            };
            for from in (at..rest).rev() {
                queue.swap(from, from + before + 1);
            }
            queue[at + before] = entry;
            rest = at;
        }
    }
}
