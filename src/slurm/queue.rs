//! The queue of a pass.

use super::conf_preempt::PreemptRule;
use super::controller::Controller;
use super::entry::QueueEntry;
use super::reason::WaitReason;
use super::record::JobState;
use super::text::words::INFINITE;
use crate::pulse::beat;

impl Controller {
    /// Builds the queue of a pass (`build_job_queue`), from jobs in the order of their list. The backfill scheduler
    /// also forgets planned starts.
    pub(super) fn build_queue(
        &mut self,
        waiting: &[u32],
        is_backfill: bool,
        now: i64,
    ) -> Vec<QueueEntry> {
        let mut queue = Vec::with_capacity(waiting.len());
        for record in waiting.iter().map(|record| *record as usize) {
            beat(96);
            let is_accrued_always = self.conf.priority.is_accrued_always;
            // A look at a record costs less than a change.
            let job = &self.records[record];
            if job.preempt.is_in_progress || job.array.is_some() {
                let job = &mut self.records[record];
                job.preempt.is_in_progress = false;
                if let Some(array) = &mut job.array {
                    array.planned = 0;
                }
            }
            let job = &self.records[record];
            if job.state != JobState::Pending || job.is_completing {
                continue;
            }
            if self.conf.priority.age_weight > 0 && job.accrued == 0 {
                let job = &mut self.records[record];
                job.accrued = if is_accrued_always {
                    job.submitted
                } else {
                    job.begin
                };
            }
            let is_independent = self.is_independent(record, now);
            if is_backfill && self.records[record].start != 0 {
                self.records[record].start = 0;
            }
            let job = &self.records[record];
            if job.priority == 0 || !is_independent {
                continue;
            }
            if let Some(entry) = self.plain_entry(record, is_backfill) {
                self.settle(record);
                queue.push(entry);
                continue;
            }
            let facts = std::sync::Arc::clone(&self.records[record].facts);
            for (at, partition) in facts.partitions.iter().enumerate() {
                if self.records[record].partition != *partition {
                    self.records[record].partition = *partition;
                }
                let job = &self.records[record];
                let priority = job.priorities.get(at).copied().unwrap_or(job.priority);
                let task = job.task;
                let reason = self.partition_reason(record, *partition, is_backfill);
                let is_old = self.records[record].reason.is_of_partition();
                let is_new = self.records[record].reason != reason;
                if is_new && (reason != WaitReason::None || is_old) {
                    self.records[record].reason = reason;
                }
                if reason == WaitReason::None {
                    let entry = QueueEntry {
                        record,
                        partition: *partition,
                        priority,
                        task,
                        magnet: None,
                    };
                    for magnet in &facts.magnets {
                        if !self.reservations[*magnet].is_deleted {
                            queue.push(QueueEntry {
                                magnet: Some(*magnet),
                                ..entry.clone()
                            });
                        }
                    }
                    queue.push(entry);
                }
            }
        }
        queue
    }

    /// Returns the entry of a job that waits for nothing in its only partition, if that changes nothing of its record.
    pub(super) fn plain_entry(&self, record: usize, is_backfill: bool) -> Option<QueueEntry> {
        let job = &self.records[record];
        let partition = job.partition;
        let is_plain = job.facts.partitions == [partition]
            && job.facts.magnets.is_empty()
            && !job.reason.is_of_partition();
        let is_open =
            is_plain && self.partition_reason(record, partition, is_backfill) == WaitReason::None;
        is_open.then(|| QueueEntry {
            record,
            partition,
            priority: job.priorities.first().copied().unwrap_or(job.priority),
            task: job.task,
            magnet: None,
        })
    }

    /// Returns the reason for which a job may not start in a partition, or none (`job_limits_check`).
    fn partition_reason(&self, record: usize, partition: usize, is_backfill: bool) -> WaitReason {
        let part = &self.conf.partitions[partition];
        if !self.is_within_limits(record, partition, is_backfill) {
            let facts = &self.records[record].facts;
            let has_nodes = facts.least_nodes <= part.node_count
                && facts.least_nodes >= part.least_nodes
                && facts.most_nodes <= part.most_nodes;
            let has_cpus = facts.least_cpus <= part.cpus
                && facts.least_cpus <= part.node_cpus.saturating_mul(part.node_count);
            return match (has_cpus, has_nodes) {
                (false, _) => WaitReason::PartitionConfig,
                (true, false) => WaitReason::PartitionNodeLimit,
                (true, true) => WaitReason::PartitionTimeLimit,
            };
        }
        match (part.schedules, part.is_down) {
            (true, _) => WaitReason::None,
            (false, true) => WaitReason::PartitionDown,
            (false, false) => WaitReason::PartitionInactive,
        }
    }

    /// True if the job keeps the limits of a partition (`job_limits_check`).
    pub(super) fn is_within_limits(
        &self,
        record: usize,
        partition: usize,
        is_backfill: bool,
    ) -> bool {
        let job = &self.records[record];
        let facts = &job.facts;
        let partition = &self.conf.partitions[partition];
        let limit = if is_backfill && facts.least_time > 0 {
            Some(facts.least_time)
        } else {
            job.limit
        };
        facts.least_cpus <= partition.cpus
            && facts.least_cpus <= partition.node_cpus.saturating_mul(partition.node_count)
            && facts.least_nodes <= partition.node_count
            && facts.least_nodes >= partition.least_nodes
            && facts.most_nodes <= partition.most_nodes
            && limit.is_none_or(|limit| limit <= partition.most_time)
    }

    /// Sorts a queue (`sort_job_queue2`).
    pub(super) fn sort_queue(&self, queue: &mut [QueueEntry]) {
        let conf = &self.conf.preempt;
        if !conf.is_on() || conf.rule != PreemptRule::Qos {
            self.sort_by_priority(queue);
            return;
        }
        // Jobs go before those that they preempt. That is no order of all jobs, so the result depends on
        // the steps of the sort: Slurm's is a merge sort.
        let built = queue.to_vec();
        self.sort_by_priority(queue);
        let key = |entry: &QueueEntry| (entry.record, entry.partition, entry.magnet);
        let places = queue.iter().enumerate().map(|(at, entry)| (key(entry), at));
        let places = crate::sorting::map(places);
        let is_before = |one: &QueueEntry, other: &QueueEntry| {
            let (job, next) = (&self.records[one.record], &self.records[other.record]);
            self.qos_preempts(job, next)
                || !self.qos_preempts(next, job) && places[&key(one)] <= places[&key(other)]
        };
        queue.clone_from_slice(&merged(&built, &is_before));
    }

    /// Returns a key of the order of entries: those with a reservation come first, then those of a higher tier, of a
    /// higher priority, and those submitted earlier.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub(super) fn place_of(&self, entry: &QueueEntry) -> [i128; 2] {
        let job = &self.records[entry.record];
        let priority = if job.priorities.is_empty() {
            job.priority
        } else {
            entry.priority
        };
        let tier = self.conf.partitions[entry.partition].tier;
        let is_reserved = entry.magnet.is_some() || job.reservation.is_some();
        let (id, task): (u32, i64) = match entry.task {
            Some(task) => (job.array_job.unwrap_or(job.id), task.into()),
            None => (job.id, INFINITE),
        };
        // A tier has 64 bits, a priority fewer than 62; a second has fewer than 47, an id 32, a task at most 41.
        let standing =
            (i128::from(is_reserved) << 126) + (i128::from(tier) << 62) + i128::from(priority);
        let turn: i128 =
            (i128::from(job.submitted) << 80) + (i128::from(id) << 48) + i128::from(task);
        [-standing, turn]
    }

    pub(super) fn sort_by_priority(&self, queue: &mut [QueueEntry]) {
        crate::sorting::by(queue, |entry| self.place_of(entry));
    }
}

/// Sorts a list by merging its sorted halves; the second half is the longer one.
fn merged(
    list: &[QueueEntry],
    is_before: &dyn Fn(&QueueEntry, &QueueEntry) -> bool,
) -> Vec<QueueEntry> {
    if list.len() <= 1 {
        return list.to_vec();
    }
    beat(32 * list.len());
    let (first, second) = list.split_at(list.len() / 2);
    let (first, second) = (merged(first, is_before), merged(second, is_before));
    let mut sorted = Vec::with_capacity(list.len());
    let (mut at, mut next) = (0, 0);
    while at < first.len() && next < second.len() {
        if is_before(&first[at], &second[next]) {
            sorted.push(first[at].clone());
            at += 1;
        } else {
            sorted.push(second[next].clone());
            next += 1;
        }
    }
    sorted.extend_from_slice(&first[at..]);
    sorted.extend_from_slice(&second[next..]);
    sorted
}
