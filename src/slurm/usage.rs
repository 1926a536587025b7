//! The use of the cluster by associations and QOS: jobs, resources, and usage that decays.

use super::accounts::{COUNTED, TresAmounts};
use super::controller::Controller;
use super::group::GroupUse;
use super::record::{JobRecord, JobState};
use super::reset::next_reset;
use super::text::words::INFINITE;

/// The minutes that stand for a time limit without end in Slurm's numbers of 32 bits.
const ENDLESS: i64 = 0xffff_ffff;

impl Controller {
    /// Counts the start of a job (`acct_policy_job_begin`).
    pub(super) fn begin_use(&mut self, record: usize) {
        let job = &self.records[record];
        let Some(association) = job.facts.association.filter(|_| self.conf.enforce.limits) else {
            return;
        };
        let run_seconds = self.run_seconds(job, job.limit.unwrap_or(INFINITE));
        let user = job.facts.user;
        let order = self.qos_order(record, job.partition);
        let kept: Vec<Option<usize>> = order.to_vec();
        let others: Vec<usize> = self.all_qos(record);
        let others: Vec<usize> = others
            .into_iter()
            .filter(|one| !kept.contains(&Some(*one)))
            .collect();
        let has_several = job.facts.partitions.len() > 1;
        let accounts = &mut self.accounts;
        if has_several {
            accounts.forget(association, user, &others);
        }
        let account = accounts.account_of(association);
        for qos in order.into_iter().flatten() {
            accounts.each_in_qos((qos, user, account), |group| group.begin(job, &run_seconds));
        }
        let chain: Vec<usize> = accounts.chain(Some(association)).collect();
        for at in chain {
            accounts.groups[at].begin(job, &run_seconds);
        }
    }

    /// Counts the end of a job (`acct_policy_job_fini`).
    pub(super) fn end_use(&mut self, record: usize, now: i64) {
        let job = &self.records[record];
        let Some(association) = job.facts.association.filter(|_| self.conf.enforce.limits) else {
            return;
        };
        if self.conf.priority.is_multifactor {
            self.add_usage(record, now, true);
        } else {
            self.drop_run_seconds(record);
        }
        let job = &self.records[record];
        let user = job.facts.user;
        let order = self.qos_order(record, job.partition);
        let accounts = &mut self.accounts;
        let account = accounts.account_of(association);
        for qos in order.iter().flatten() {
            accounts.each_in_qos((*qos, user, account), |group| group.end(job));
        }
        let chain: Vec<usize> = accounts.chain(Some(association)).collect();
        for at in &chain {
            accounts.groups[*at].end(job);
        }
        let qos: Vec<usize> = order.into_iter().flatten().collect();
        accounts.submit(association, user, &qos, -1);
    }

    /// Takes a job off that leaves the queue without a start.
    pub(super) fn cancel_use(&mut self, record: usize) {
        let job = &self.records[record];
        let Some(association) = job.facts.association.filter(|_| self.conf.enforce.limits) else {
            return;
        };
        let count = job.array.as_ref().map_or(1, |array| array.tasks.len());
        let user = job.facts.user;
        let qos = self.all_qos(record);
        self.accounts
            .submit(association, user, &qos, -(count.max(1) as i64));
    }

    /// Changes what a running job may still use, because its time limit changed
    /// (`acct_policy_alter_job`).
    pub(super) fn alter_use(&mut self, record: usize, old: Option<i64>, new: i64) {
        let job = &self.records[record];
        let Some(association) = job.facts.association.filter(|_| self.conf.enforce.limits) else {
            return;
        };
        if job.state != JobState::Running || old == Some(new) {
            return;
        }
        let seconds = |limit: i64| limit.min(ENDLESS) * 60;
        let change = seconds(new) - seconds(old.unwrap_or(INFINITE));
        let tres = job.tres;
        let alter = |group: &mut GroupUse| {
            for (at, amount) in tres.iter().enumerate() {
                let more = amount.saturating_mul(change);
                group.run_seconds[at] = group.run_seconds[at].saturating_add(more).max(0);
            }
        };
        let order = self.qos_order(record, job.partition);
        for qos in order.into_iter().flatten() {
            alter(&mut self.accounts.qos[qos]);
        }
        let chain: Vec<usize> = self.accounts.chain(Some(association)).collect();
        for at in chain {
            alter(&mut self.accounts.groups[at]);
        }
    }

    /// Returns all QOS that count a job while it waits: its own, and those of its partitions.
    pub(super) fn all_qos(&self, record: usize) -> Vec<usize> {
        let facts = &self.records[record].facts;
        let partitions = facts.partitions.iter();
        let of_partitions = partitions.filter_map(|at| self.accounts.of_partition[*at]);
        let all = facts.qos.into_iter().chain(of_partitions);
        crate::sorting::set(all).into_iter().collect()
    }

    fn usage_factor(&self, qos: Option<usize>) -> Option<f64> {
        let factor = qos.map(|at| self.accounts.accounts.qos[at].usage_factor);
        factor.filter(|factor| *factor >= 0.0)
    }

    fn run_seconds(&self, job: &JobRecord, limit: i64) -> TresAmounts {
        let mut seconds = limit.min(ENDLESS) * 60;
        if let Some(factor) = self.usage_factor(job.facts.qos) {
            seconds = (seconds as f64 * factor) as i64;
        }
        job.tres.map(|amount| amount.saturating_mul(seconds))
    }

    /// With priority/basic the whole time of a job is free again at its end.
    fn drop_run_seconds(&mut self, record: usize) {
        let job = &self.records[record];
        let seconds = job.limit.unwrap_or(INFINITE).min(ENDLESS) * 60;
        let delta = job.tres.map(|amount| amount.saturating_mul(seconds));
        let (qos, association) = (job.facts.qos, job.facts.association);
        if let Some(qos) = qos {
            self.accounts.qos[qos].add_run_seconds(&delta, &[0.0; COUNTED]);
        }
        let chain: Vec<usize> = self.accounts.chain(association).collect();
        for at in chain {
            self.accounts.groups[at].add_run_seconds(&delta, &[0.0; COUNTED]);
        }
    }

    /// Takes off the part of its limit that a job had run before the last computation, which did not know
    /// it yet.
    pub(super) fn free_elapsed(&mut self, record: usize) {
        let job = &self.records[record];
        let elapsed = (self.accounts.last_run - job.start).max(0);
        let limit = job.limit.unwrap_or(INFINITE).min(ENDLESS) * 60;
        let is_counted = self.conf.enforce.limits && self.conf.priority.is_multifactor;
        if !is_counted || elapsed == 0 || job.facts.association.is_none() {
            return;
        }
        let mut seconds = elapsed.min(limit);
        if let Some(factor) = self.usage_factor(job.facts.qos) {
            seconds = (seconds as f64 * factor) as i64;
        }
        let delta = job.tres.map(|amount| amount.saturating_mul(seconds));
        let association = job.facts.association;
        for qos in self.counted_qos(record) {
            self.accounts.qos[qos].add_run_seconds(&delta, &[0.0; COUNTED]);
        }
        let chain: Vec<usize> = self.accounts.chain(association).collect();
        for at in chain {
            self.accounts.groups[at].add_run_seconds(&delta, &[0.0; COUNTED]);
        }
    }

    /// Returns the QOS that count a running job: its own, and that of its partition.
    fn counted_qos(&self, record: usize) -> impl Iterator<Item = usize> + use<> {
        let job = &self.records[record];
        let own = job.facts.qos;
        let of_partition = self.accounts.of_partition[job.partition];
        let other = of_partition.filter(|one| Some(*one) != own);
        own.into_iter().chain(other)
    }

    /// Adds the usage of a job since the last decay (`_apply_new_usage`).
    fn add_usage(&mut self, record: usize, now: i64, is_end: bool) {
        let job = &self.records[record];
        let Some(expected) = job.expected_end else {
            return;
        };
        let start = self.accounts.last_run.max(job.start);
        let seconds = (now - start).max(0);
        let unknown = (now - start.max(self.accounts.known_until)).max(0);
        let limit_end = job.start + job.limit.unwrap_or(INFINITE).min(ENDLESS) * 60;
        let mut freed = if start >= limit_end {
            0
        } else if job.state != JobState::Running {
            limit_end - start
        } else if now > expected {
            (expected - start).max(0)
        } else {
            seconds
        };
        let plain = unknown as f64;
        let mut decayed = plain * self.accounts.decayed(unknown);
        let mut real = decayed * job.billable;
        let mut undecayed = plain;
        if let Some(factor) = self.usage_factor(job.facts.qos) {
            real *= factor;
            decayed *= factor;
            undecayed *= factor;
            freed = (freed as f64 * factor) as i64;
        }
        let delta = job.tres.map(|amount| amount.saturating_mul(freed));
        let raw = |time: f64| job.tres.map(|amount| time * amount as f64);
        let (raw, raw_undecayed) = (raw(decayed), raw(undecayed));
        let association = job.facts.association;
        let counted = self.counted_qos(record);
        if is_end {
            self.records[record].expected_end = None;
        }
        let has_limits = self.conf.enforce.limits;
        let accounts = &mut self.accounts;
        for qos in counted {
            let has_no_decay = accounts.accounts.qos[qos].has_no_decay;
            let group = &mut accounts.qos[qos];
            group.wall += if has_no_decay { undecayed } else { decayed };
            if has_limits {
                group.add_run_seconds(&delta, if has_no_decay { &raw_undecayed } else { &raw });
            }
        }
        let chain: Vec<usize> = accounts.chain(association).collect();
        for at in chain {
            accounts.shares.list[at].usage += real;
            let group = &mut accounts.groups[at];
            group.wall += decayed;
            if has_limits {
                group.add_run_seconds(&delta, &raw);
            }
        }
    }

    /// Takes the usage that the text of the accounts tells, as that of the last computation; if there was
    /// none yet, as that of this second. Until then, running jobs are counted there.
    pub fn take_usage(&mut self, now: i64) {
        let accounts = &mut self.accounts;
        if accounts.accounts.usage_rows() == 0 {
            return;
        }
        let groups = accounts.groups.iter_mut();
        let states = accounts.shares.list.iter_mut().zip(groups);
        for ((share, group), one) in states.zip(&accounts.accounts.associations) {
            share.usage = one.usage;
            group.raw = one.raw;
        }
        if accounts.last_run == 0 {
            accounts.known_until = now;
        }
        accounts.shares.renew();
    }

    /// Lets usage decay, adds that of running jobs, and computes all priorities anew (`_decay_thread`).
    /// The controller does so at its start and once in each `PriorityCalcPeriod`.
    pub fn update_priorities(&mut self, now: i64) {
        self.reset_usage(now);
        self.accounts.shares.refresh_classic();
        let last = self.accounts.last_run;
        let is_tree = self.conf.priority.is_fair_tree();
        if last != 0 && now > last {
            let factor = self.accounts.decayed(now - last);
            self.decay(factor.max(f64::MIN_POSITIVE));
        }
        let running = self.running.iter().map(|(_, record)| *record);
        let mut active: Vec<u32> = running.chain(self.pending.iter().copied()).collect();
        let order = crate::sorting::places(active.iter().map(|at| (*at).into()).collect());
        active = order.iter().map(|at| active[*at]).collect();
        if is_tree {
            for record in &active {
                if self.records[*record as usize].state == JobState::Running {
                    self.add_usage(*record as usize, now, false);
                }
            }
            self.accounts.shares.refresh_tree();
            for record in &active {
                self.renew_priority(*record as usize, now);
            }
        } else if last == 0 || now > last {
            for record in &active {
                if self.records[*record as usize].state == JobState::Running {
                    self.add_usage(*record as usize, now, false);
                }
                self.renew_priority(*record as usize, now);
            }
        }
        self.accounts.last_run = now;
    }

    fn decay(&mut self, factor: f64) {
        if factor == 1.0 {
            return;
        }
        let accounts = &mut self.accounts;
        for (share, group) in accounts.shares.list.iter_mut().zip(&mut accounts.groups) {
            share.usage *= factor;
            group.decay(factor);
        }
        for (group, qos) in accounts.qos.iter_mut().zip(&accounts.accounts.qos) {
            if !qos.has_no_decay {
                group.decay(factor);
            }
        }
    }

    /// Forgets all usage when a period of `PriorityUsageResetPeriod` ends.
    fn reset_usage(&mut self, now: i64) {
        let period = self.conf.priority.reset_period;
        let accounts = &mut self.accounts;
        if accounts.last_reset == 0 {
            accounts.last_reset = now;
        }
        let Some(next) = next_reset(period, accounts.last_reset) else {
            return;
        };
        if now < next {
            return;
        }
        accounts.last_reset = next;
        for (share, group) in accounts.shares.list.iter_mut().zip(&mut accounts.groups) {
            share.usage = 0.0;
            group.decay(0.0);
        }
        accounts.qos.iter_mut().for_each(|group| group.decay(0.0));
    }
}
