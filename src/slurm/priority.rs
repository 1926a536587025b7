//! Priorities: priority/basic and priority/multifactor.

use super::accounts::{BILLING, COUNTED, CPU, GPU, MEMORY, NODE};
use super::controller::Controller;
use super::parts::PriorityParts;
use super::record::JobState;
use super::text::words::INFINITE;

impl Controller {
    /// Sets the priority of a new record (`set_job_prio`).
    pub(super) fn set_priority(&mut self, record: usize, now: i64) {
        let job = &self.records[record];
        let nice = job.facts.nice;
        if job.is_held {
            self.records[record].priority = 0;
        } else if self.conf.priority.is_multifactor {
            if self.conf.priority.fair_weight > 0
                && let Some(association) = job.facts.association
            {
                self.accounts.shares.factor(association);
            }
            let job = &self.records[record];
            let partitions = &job.facts.partitions;
            let of = |partition: &usize| self.parts(record, *partition, now).in_one_of();
            let priorities = if partitions.len() > 1 {
                partitions.iter().map(of).collect()
            } else {
                Vec::new()
            };
            let parts = self.parts(record, job.partition, now);
            let job = &mut self.records[record];
            job.priorities = priorities;
            job.priority = parts.priority();
            self.computed(record, parts);
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

    /// Lets the age of jobs that wait count from when they could start on, and computes their priorities at a second,
    /// if priorities are ever computed again. The jobs waited at another controller before.
    pub fn take_ages(&mut self, now: i64) {
        let conf = &self.conf.priority;
        let is_accrued_always = conf.is_accrued_always;
        if !(conf.is_multifactor && conf.has_database) {
            return;
        }
        for record in self.pending.clone() {
            let job = &mut self.records[record as usize];
            let since = if is_accrued_always {
                job.submitted
            } else {
                job.begin
            };
            if since <= now {
                job.accrued = since;
            }
            self.renew_priority(record as usize, now);
        }
    }

    /// Computes the priority of a job that waits anew (`decay_apply_weighted_factors`).
    pub(super) fn renew_priority(&mut self, record: usize, now: i64) {
        let job = &self.records[record];
        if job.state != JobState::Pending || job.priority == 0 {
            return;
        }
        let (old, old_parts) = (job.priority, job.priorities.clone());
        // Plans depend on the order of the queue only.
        self.changes += 1;
        self.plain_changes += 1;
        self.set_priority(record, now);
        if self.conf.priority.is_rising {
            let job = &mut self.records[record];
            job.priority = job.priority.max(old);
            for (new, old) in job.priorities.iter_mut().zip(old_parts) {
                *new = (*new).max(old);
            }
        }
    }

    /// Returns the parts of a job's priority in its partition, each with its weight, at a second. With
    /// priority/basic all parts are 0.
    pub fn priority_parts(&self, record: usize, now: i64) -> PriorityParts {
        if !self.conf.priority.is_multifactor {
            return PriorityParts::default();
        }
        self.parts(record, self.records[record].partition, now)
    }

    /// Returns the parts of the priority of a job in a partition (`set_priority_factors`).
    fn parts(&self, record: usize, partition: usize, now: i64) -> PriorityParts {
        let conf = &self.conf.priority;
        let job = &self.records[record];
        let partition_number = partition;
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
        let accounts = &self.accounts;
        let association = job.facts.association;
        let fair = match association {
            Some(at) if conf.fair_weight > 0 => accounts.shares.known_factor(at),
            _ => 0.0,
        };
        let of_association = association.map_or(0.0, |at| {
            let one = &accounts.accounts.associations[at];
            if conf.is_association_raw {
                one.priority as f64
            } else {
                one.priority_share
            }
        });
        let qos = job.facts.qos.map_or(0.0, |at| {
            let one = &accounts.accounts.qos[at];
            if conf.is_qos_raw {
                one.priority as f64
            } else {
                one.share
            }
        });
        PriorityParts {
            age: age * conf.age_weight as f64,
            association: of_association * conf.association_weight as f64,
            fair_share: fair * conf.fair_weight as f64,
            job_size: size * conf.size_weight as f64,
            partition: factor * conf.partition_weight as f64,
            qos: qos * conf.qos_weight as f64,
            tres: self.tres_part(record, partition_number),
            nice: job.facts.nice as f64,
        }
    }

    /// Returns the part of the TRES that a job asks for (`_get_tres_prio_weighted`).
    fn tres_part(&self, record: usize, partition: usize) -> f64 {
        let Some(weights) = &self.conf.priority.tres_weights else {
            return 0.0;
        };
        let part = &self.conf.partitions[partition];
        let mut all = [0; COUNTED];
        (all[CPU], all[MEMORY], all[NODE]) = (part.cpus, part.memory, part.node_count);
        if self.conf.counts_gpus {
            all[GPU] = part.gpus;
        }
        all[BILLING] = self.billing(partition, &all) as i64;
        let asked = self.records[record].facts.tres;
        let mut sum = 0.0;
        for (at, weight) in weights.iter().enumerate() {
            let factor = match all[at] {
                _ if self.conf.priority.is_tres_raw => asked[at] as f64,
                0 => 0.0,
                all => asked[at] as f64 / all as f64,
            };
            sum += factor * weight;
        }
        sum
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
