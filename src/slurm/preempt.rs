//! Preemption: which jobs a waiting job may end to get their nodes, in which order they are taken, and what
//! becomes of them.

use super::conf_preempt::PreemptRule;
use super::controller::Controller;
use super::record::{JobRecord, JobState, PreemptedJob, SuspendNotes};
use super::text::modes::PreemptMode;

impl Controller {
    /// Returns the running jobs that a waiting job may preempt in its partition, in the order in which they
    /// are taken (`slurm_find_preemptable_jobs`).
    pub(super) fn preemptable(&self, record: usize, now: i64) -> Vec<u32> {
        let conf = &self.conf.preempt;
        let job = &self.records[record];
        if !self.can_preempt(job, job.partition) {
            return Vec::new();
        }
        crate::pulse::beat(self.running.len() / 8);
        let nodes = &self.conf.partitions[job.partition].nodes;
        let is_candidate = |other: &JobRecord| {
            self.may_preempt(job, other)
                && now >= other.start + self.exempt_seconds(other)
                && other.nodes.meets(nodes)
        };
        let running = self.running.iter().map(|(_, other)| *other);
        let mut found: Vec<u32> = running
            .filter(|other| is_candidate(&self.records[*other as usize]))
            .collect();
        crate::sorting::by(&mut found, |other| {
            let one = &self.records[*other as usize];
            let first = if conf.is_youngest_first {
                -one.start
            } else {
                self.preempt_rank(one)
            };
            [first.into(), (*other).into()]
        });
        found
    }

    /// True if there can be jobs that a job may preempt in a partition.
    pub(super) fn can_preempt(&self, job: &JobRecord, partition: usize) -> bool {
        let conf = &self.conf.preempt;
        conf.is_on()
            && match conf.rule {
                PreemptRule::None => false,
                PreemptRule::Partition => {
                    let own = &self.conf.partitions[partition];
                    let mut others = self.conf.partitions.iter();
                    others.any(|part| part.gives_way_to(own))
                }
                PreemptRule::Qos => job
                    .facts
                    .qos
                    .is_some_and(|qos| !self.accounts.accounts.qos[qos].preempts.is_empty()),
            }
    }

    /// True if a job may preempt a running one (`preempt_p_preemptable`).
    fn may_preempt(&self, job: &JobRecord, other: &JobRecord) -> bool {
        match self.conf.preempt.rule {
            PreemptRule::None => false,
            PreemptRule::Partition => {
                let part = &self.conf.partitions[other.partition];
                part.gives_way_to(&self.conf.partitions[job.partition])
            }
            PreemptRule::Qos => self.qos_preempts(job, other),
        }
    }

    /// True if the QOS of a job preempts that of another one.
    pub(super) fn qos_preempts(&self, job: &JobRecord, other: &JobRecord) -> bool {
        let (Some(own), Some(qos)) = (job.facts.qos, other.facts.qos) else {
            return false;
        };
        own != qos && self.accounts.accounts.qos[own].preempts.contains(&qos)
    }

    /// Returns the seconds after its start for which a job is not preempted
    /// (`acct_policy_get_preemptable_time`).
    fn exempt_seconds(&self, job: &JobRecord) -> i64 {
        let order = self.qos_order_of(job.facts.qos, job.partition);
        let mut of_qos = order.into_iter().flatten();
        let named = of_qos.find_map(|qos| self.accounts.accounts.qos[qos].exempt);
        named.unwrap_or(self.conf.preempt.exempt)
    }

    /// Returns the rank of a candidate: the tier or the priority of its QOS, then its number of nodes
    /// (`_gen_job_prio`).
    fn preempt_rank(&self, job: &JobRecord) -> i64 {
        const MOST: i64 = 0xffff;
        let first = match self.conf.preempt.rule {
            PreemptRule::Qos => {
                let qos = job.facts.qos;
                qos.map_or(0, |qos| self.accounts.accounts.qos[qos].priority.min(MOST))
            }
            _ => self.conf.partitions[job.partition].tier,
        };
        (first << 16) + job.nodes.count().min(MOST)
    }

    /// Returns what happens to a job if it is preempted (`slurm_job_preempt_mode`).
    pub(super) fn preempt_mode(&self, job: &JobRecord) -> PreemptMode {
        let conf = &self.conf.preempt;
        if !conf.is_on() {
            return PreemptMode::Off;
        }
        match conf.rule {
            PreemptRule::None => PreemptMode::Off,
            PreemptRule::Partition => {
                let own = self.conf.partitions[job.partition].preempt_mode;
                own.unwrap_or(conf.mode)
            }
            PreemptRule::Qos => {
                let qos = job.facts.qos.map(|qos| &self.accounts.accounts.qos[qos]);
                let own = qos.and_then(|qos| qos.preempt_mode);
                let own = own.filter(|mode| conf.is_gang || *mode != PreemptMode::Suspend);
                own.unwrap_or(conf.mode)
            }
        }
    }

    fn grace_seconds(&self, job: &JobRecord) -> i64 {
        match self.conf.preempt.rule {
            PreemptRule::None => 0,
            PreemptRule::Partition => self.conf.partitions[job.partition].grace,
            PreemptRule::Qos => {
                let qos = job.facts.qos;
                qos.map_or(0, |qos| self.accounts.accounts.qos[qos].grace)
            }
        }
    }

    /// True if a job has ended others so shortly before that it ends no more.
    pub(super) fn has_preempted(&self, record: usize, now: i64) -> bool {
        let began = self.records[record].preempt.began;
        began != 0 && began > now - self.conf.preempt.pause
    }

    /// Ends the victims of a choice of nodes (`_preempt_jobs`), unless the job has ended others shortly
    /// before.
    pub(super) fn preempt(&mut self, record: usize, victims: &[u32], now: i64) {
        if self.has_preempted(record, now) {
            return;
        }
        for victim in victims {
            self.end_preempted(*victim as usize, now);
        }
        self.changes += 1;
        let job = &mut self.records[record];
        job.preempt.began = now;
        job.preempt.is_in_progress = true;
        if let Some(array) = &mut job.array {
            array.planned += 1;
        }
    }

    /// Tells a job to end, and ends it if its grace time is over (`slurm_job_preempt`).
    pub(super) fn end_preempted(&mut self, record: usize, now: i64) {
        let job = &self.records[record];
        if job.state != JobState::Running || self.preempt_mode(job) == PreemptMode::Suspend {
            return;
        }
        if job.preempt.told == 0 {
            let grace = self.grace_seconds(job);
            let end = job.end.min(now + grace);
            self.records[record].preempt.told = now;
            self.set_end(record, end);
            if grace > 0 {
                self.records[record].preempt.is_in_grace = true;
                self.graced += 1;
                return;
            }
        } else if now < job.end {
            return;
        }
        self.end_victim(record, now, self.started.len());
    }

    /// Ends a preempted job. `after` is the number of starts that come before.
    pub(super) fn end_victim(&mut self, record: usize, now: i64, after: usize) {
        let job = &self.records[record];
        let is_requeued =
            self.preempt_mode(job) == PreemptMode::Requeue && self.conf.preempt.requeues;
        let (number, task) = (job.number, job.task);
        self.finish(record, now, JobState::Preempted);
        if is_requeued {
            self.requeue(record);
        }
        self.to_clean.push(record);
        self.preempted.push(PreemptedJob {
            record,
            number,
            task,
            is_requeued,
            after,
            is_at_start: false,
        });
    }

    /// Lets a job that has just ended wait again (`_job_requeue_op`). It completes first.
    fn requeue(&mut self, record: usize) {
        let job = &mut self.records[record];
        job.state = JobState::Pending;
        job.restarts += 1;
        if job.is_limit_set || job.is_limit_defaulted {
            (job.limit, job.is_limit_set, job.is_limit_defaulted) = (None, false, false);
        }
        let place = self.pending.partition_point(|one| *one < record as u32);
        self.pending.insert(place, record as u32);
        let facts = std::sync::Arc::clone(&self.records[record].facts);
        if let Some(association) = facts.association.filter(|_| self.conf.enforce.limits) {
            let qos = self.all_qos(record);
            self.accounts.submit(association, facts.user, &qos, 1);
        }
    }

    /// Makes a requeued job whose nodes are clean look like a new one (`batch_requeue_fini`).
    pub(super) fn renew(&mut self, record: usize, now: i64) {
        let delay = self.conf.preempt.requeue_delay;
        let job = &mut self.records[record];
        if job.state != JobState::Pending {
            return;
        }
        (job.start, job.end, job.cpus, job.accrued) = (0, 0, 0, 0);
        job.planned = 0;
        job.reservation = job.facts.reservation;
        job.nodes = super::nodeset::NodeSet::none(self.conf.node_count());
        job.shares.clear();
        job.cores.clear();
        job.suspend = SuspendNotes::default();
        job.uncleaned = None;
        job.is_backfilled = false;
        (job.is_in_exclusive, job.is_in_forced) = (false, false);
        job.preempt.told = 0;
        if job.begin <= now {
            job.begin = now + delay;
        }
        job.submitted = now + i64::from(job.submitted == now);
    }
}
