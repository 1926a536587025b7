//! Priorities: priority/basic and priority/multifactor.

use super::controller::Controller;
use super::words::INFINITE;

impl Controller {
    /// Sets the priority of a new record (`set_job_prio`).
    pub(super) fn set_priority(&mut self, record: usize, now: i64) {
        let job = &self.records[record];
        let nice = job.facts.nice;
        if job.is_held {
            self.records[record].priority = 0;
        } else if self.conf.priority.is_multifactor {
            let partitions = &job.facts.partitions;
            let of = |partition: &usize| self.multifactor(record, *partition, now);
            let priorities = if partitions.len() > 1 {
                partitions.iter().map(of).collect()
            } else {
                Vec::new()
            };
            let priority = of(&job.partition);
            let job = &mut self.records[record];
            job.priorities = priorities;
            job.priority = priority;
        } else {
            let mut new = if self.lowest >= 2 { self.lowest - 1 } else { 1 };
            if nice <= 0 || new > nice + 1 {
                new -= nice;
            }
            let new = new.max(1);
            self.records[record].priority = new;
            self.lowest = self.lowest.min(new + nice);
        }
    }

    /// Computes the priorities of all jobs that wait anew (`_decay_thread`).
    pub fn update_priorities(&mut self, now: i64) {
        for at in 0..self.pending.len() {
            let record = self.pending[at] as usize;
            if self.records[record].priority != 0 {
                self.changes += 1;
                self.set_priority(record, now);
            }
        }
    }

    /// Returns the priority of a job in a partition (`_get_priority_internal`).
    fn multifactor(&self, record: usize, partition: usize, now: i64) -> i64 {
        let conf = &self.conf.priority;
        let job = &self.records[record];
        let partition = &self.conf.partitions[partition];
        let mut age = 0.0;
        if conf.age_weight > 0 && job.accrued != 0 {
            age = ((now - job.accrued).max(0) as f64 / conf.most_age as f64).min(1.0);
        }
        let factor = match (partition.factor, conf.is_partition_raw) {
            (0, _) => 0.0,
            (factor, true) => factor as f64,
            (_, false) => partition.share,
        };
        let size = if conf.size_weight > 0 {
            self.size_factor(record, partition.most_time)
        } else {
            0.0
        };
        let sum = age * conf.age_weight as f64
            + size * conf.size_weight as f64
            + factor * conf.partition_weight as f64
            - job.facts.nice as f64;
        sum.max(1.0) as i64
    }

    fn size_factor(&self, record: usize, most_time: i64) -> f64 {
        let conf = &self.conf.priority;
        let job = &self.records[record];
        let all_nodes = self.conf.node_count() as f64;
        let all_cpus = self.conf.cpus as f64;
        let nodes = job.facts.least_nodes as f64;
        let cpus = if job.cpus == 0 {
            job.facts.least_cpus
        } else {
            job.cpus
        } as f64;
        let size = if conf.is_relative_to_time {
            let limit = job.limit.filter(|limit| *limit > 0).unwrap_or(most_time);
            let share = (nodes * all_cpus / all_nodes).max(cpus) / limit.min(INFINITE) as f64;
            let share = share / all_cpus;
            if conf.favours_small {
                1.0 - share
            } else {
                share
            }
        } else {
            let of = |part: f64, all: f64| {
                if conf.favours_small {
                    (all - part) / all
                } else {
                    part / all
                }
            };
            let by_nodes = of(nodes, all_nodes);
            if cpus == 0.0 {
                by_nodes
            } else {
                f64::midpoint(by_nodes, of(cpus, all_cpus))
            }
        };
        size.clamp(0.0, 1.0)
    }
}
