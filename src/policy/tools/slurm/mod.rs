//! A controller of Slurm inside a run: what arrives and ends is told to it, and what it starts is started
//! on the machine.

mod asking;
mod begin;
mod left_out;
mod ranks;

use crate::cluster::AdvanceKind;
use crate::job::JobId;
use crate::problem::Problem;
use crate::sim::{Fate, Reservation, Turn, Why};
use crate::slurm::{
    ClockFigures, Controller, JobState, NodeSet, PreemptedJob, SlurmClock, StartedJob,
    SuspendedJob, WaitReason,
};
use crate::time::{Span, Time};
use asking::JobAsker;
pub use begin::state;
pub use left_out::check;
use std::sync::Arc;

/// The settings of the policy.
#[derive(Clone)]
pub struct SlurmSettings {
    /// Lines of slurm.conf.
    pub conf: String,
    /// Accounts and QOS in the words of sacctmgr.
    pub accounts: String,
    /// The times of the controller's threads.
    pub figures: ClockFigures,
    /// The time from the start of the controller until the first arrival.
    pub lead: Span,
    /// True if the controller has run no pass before `lead`.
    pub is_new: bool,
    /// True if the usage that the accounts tell is that of the first turn.
    pub takes_usage: bool,
}

/// A controller that runs.
#[derive(Clone)]
pub struct SlurmState {
    controller: Controller,
    clock: SlurmClock,
    asker: JobAsker,
    /// The time since 1970 of the log's zero.
    zero: Span,
    /// The controller's record of each job.
    records: Vec<Option<u32>>,
    /// The periods of outages that last, as bits; `None` before the first turn.
    closed: Option<u64>,
    /// The next timer.
    woken: Option<Time>,
}

impl SlurmState {
    /// Tells the controller which jobs ended and which arrived.
    pub fn hear(&mut self, turn: &mut Turn<'_>) -> Result<(), Problem> {
        let at = turn.now() + self.zero;
        let second = self.clock.second(at);
        if turn.finished().is_empty() && turn.arrived().is_empty() {
            self.heed_outages(turn, second);
            self.watch(turn);
            return Ok(());
        }
        self.clock.skip_to(&mut self.controller, at);
        self.heed_outages(turn, second);
        for job in turn.finished() {
            if let Some(record) = self.record(*job) {
                self.controller.finish(record, second, JobState::Completed);
                self.clock.ended(record, at);
            }
        }
        for job in turn.arrived() {
            self.submit(turn, *job, second)?;
        }
        self.watch(turn);
        Ok(())
    }

    /// Watches the job whose reasons an observer wants, if there is one.
    fn watch(&mut self, turn: &Turn<'_>) {
        let watched = turn.watched_job().and_then(|job| self.record(job));
        self.controller.watch(watched);
    }

    /// Takes the nodes out of service that are down, or that an outage keeps now.
    fn heed_outages(&mut self, turn: &mut Turn<'_>, second: i64) {
        let now = turn.now();
        let just_after = now + Span::from_microseconds(1);
        let Some(nodes) = turn.node_requests() else {
            self.closed = Some(0);
            return;
        };
        if nodes.cluster.advance.is_empty() && self.closed.is_some() {
            return;
        }
        let cluster = Arc::clone(&nodes.cluster);
        let outages = (0..).zip(&cluster.advance);
        let outages = outages.filter(|(_, one)| one.kind == AdvanceKind::Outage);
        let outages = outages.fold(0, |bits, (number, _)| bits | 1 << number);
        let closed = cluster.closed(!outages, now, just_after);
        if self.closed != Some(closed) {
            let is_first = self.closed.replace(closed).is_none();
            let mut down = NodeSet::none(self.controller.conf().node_count());
            for (at, node) in self.asker.node_of.iter().enumerate() {
                let class = cluster.class_of[*node as usize];
                let class = &cluster.classes[class as usize];
                if class.partitions == 0 || class.advance & closed != 0 {
                    down.insert(at);
                }
            }
            self.controller.set_down(&down);
            if !is_first || !down.is_empty() {
                self.controller.register_nodes(second);
            }
        }
        let outages = cluster.advance.iter();
        let outages = outages.filter(|one| one.kind == AdvanceKind::Outage);
        if let Some(end) = outages.filter_map(|one| one.next_end(now)).min() {
            turn.wake_at(end);
        }
    }

    fn record(&self, job: JobId) -> Option<usize> {
        let record = self.records.get(job.index()).copied().flatten();
        record.map(|record| record as usize)
    }

    /// Submits a job, and returns the number of its record.
    fn submit(&mut self, turn: &Turn<'_>, job: JobId, second: i64) -> Result<usize, Problem> {
        let asked = self.asker.asked(turn, job);
        let record = self.controller.submit(&asked, second)?;
        if self.records.len() <= job.index() {
            self.records.resize(job.index() + 1, None);
        }
        self.records[job.index()] = Some(record as u32);
        Ok(record)
    }

    /// Does what is due, starts and stops the jobs that the controller starts and preempts, and sets a
    /// timer for what comes next.
    pub fn go_on(&mut self, turn: &mut Turn<'_>) -> Result<(), Problem> {
        let now = turn.now();
        let at = now + self.zero;
        loop {
            self.follow(turn)?;
            match self.clock.next(&self.controller, false) {
                Some(next) if next <= at => self.clock.work(&mut self.controller, next),
                next => {
                    let next = next.map(|next| next - self.zero);
                    let is_set =
                        |next: &Time| self.woken.is_some_and(|set| set > now && set <= *next);
                    if let Some(next) = next.filter(|next| !is_set(next)) {
                        self.woken = Some(next);
                        turn.wake_at(next);
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Starts and stops jobs in the order in which the controller did. A job can start and be a victim
    /// at one instant, and its licences can go to a later start.
    fn follow(&mut self, turn: &mut Turn<'_>) -> Result<(), Problem> {
        let mut victims = self.controller.take_preempted().into_iter().peekable();
        let mut suspended = self.controller.take_suspended().into_iter().peekable();
        for (place, started) in self.controller.take_started().iter().enumerate() {
            while let Some(victim) = victims.next_if(|victim| victim.after <= place) {
                Self::preempt(turn, victim)?;
            }
            while let Some(one) = suspended.next_if(|one| one.after <= place) {
                Self::suspend(turn, one)?;
            }
            // Gang scheduling can stop the job at its start, because others have its cores.
            let own =
                suspended.next_if(|one| one.record == started.record && one.after == place + 1);
            let is_victim = victims
                .peek()
                .is_some_and(|one| one.is_at_start && one.after == place + 1);
            self.start(turn, started, own.is_some() || is_victim)?;
        }
        victims.try_for_each(|victim| Self::preempt(turn, victim))?;
        suspended.try_for_each(|one| Self::suspend(turn, one))
    }

    /// Suspends a job, or lets it go on.
    fn suspend(turn: &mut Turn<'_>, suspended: SuspendedJob) -> Result<(), Problem> {
        let job = JobId(suspended.number as u32);
        let is_done = if suspended.is_resumed {
            turn.resume(job)
        } else {
            turn.suspend(job)
        };
        if is_done {
            return Ok(());
        }
        Err(Problem::new(
            format!(
                "Slurm suspends or resumes job {}, and the machine does not.",
                turn.request(job).number
            ),
            "The job does not run on the machine, or the machine cannot suspend jobs.",
            "Leave `PreemptMode=SUSPEND,GANG` out, or choose the machine `nodes`.",
        ))
    }

    fn preempt(turn: &mut Turn<'_>, victim: PreemptedJob) -> Result<(), Problem> {
        let job = JobId(victim.number as u32);
        let fate = if victim.is_requeued {
            Fate::Requeue
        } else {
            Fate::Cancel
        };
        if turn.preempt(job, fate) {
            return Ok(());
        }
        Err(Problem::new(
            format!(
                "Slurm preempts job {}, and the machine does not stop it.",
                turn.request(job).number
            ),
            "The job does not run on the machine, or the machine cannot stop jobs.",
            "Leave `PreemptType` out, or choose the machine `nodes`.",
        ))
    }

    fn start(
        &self,
        turn: &mut Turn<'_>,
        started: &StartedJob,
        is_suspended: bool,
    ) -> Result<(), Problem> {
        let job = JobId(started.number as u32);
        let nodes = self.asker.tasks_on(turn, job, &started.shares);
        let is_started = if is_suspended {
            turn.start_suspended(job, &nodes)
        } else {
            turn.start_on_nodes(job, &nodes)
        };
        if is_started {
            return Ok(());
        }
        let names = &self.controller.conf().names;
        let name = started
            .shares
            .first()
            .map_or("", |share| &names[share.node as usize]);
        Err(Problem::new(
            format!(
                "Slurm starts job {} where the machine has no room for it.",
                turn.request(job).number
            ),
            format!(
                "The machine counts a resource on `{name}` that the configuration does not count."
            ),
            "Check that `SelectType`, `SelectTypeParameters` and the lines NodeName belong together, \
                and set `memory=none` if Slurm is not to count memory.",
        ))
    }

    /// Tells how many jobs belong to none of the accounts, if some do.
    pub fn unheeded(&self) -> Option<String> {
        let strangers = self.controller.strangers();
        let all = self.controller.records().len();
        (strangers > 0).then(|| {
            format!(
                "Jobs that none of the accounts knows: {strangers} of {all}. No fair share and no limit of \
                    an account counts for them."
            )
        })
    }

    /// Tells the reasons of jobs that wait for ever. `None` if no rule keeps one of them: they wait for nothing
    /// but their turn and free nodes.
    pub fn left_pending(&self, waiting: &[(JobId, i64)], jobs: usize) -> Option<String> {
        let mut found: Vec<(WaitReason, usize, i64)> = Vec::new();
        for (job, number) in waiting {
            let record = self.record(*job);
            let reason = record.map(|record| self.controller.record(record).reason);
            let reason = reason.unwrap_or_default();
            match found.iter_mut().find(|(known, ..)| *known == reason) {
                Some((_, count, _)) => *count += 1,
                None => found.push((reason, 1, *number)),
            }
        }
        let is_turn = |reason: WaitReason| {
            matches!(
                reason,
                WaitReason::None | WaitReason::Priority | WaitReason::Resources
            )
        };
        if found.iter().all(|(reason, ..)| is_turn(*reason)) {
            return None;
        }
        let words = found.iter().map(|(reason, count, number)| {
            let word = reason.as_str();
            format!("{count} with the reason `{word}` (the first is job {number})")
        });
        Some(format!(
            "Slurm never starts {} of {} jobs: {}.",
            waiting.len(),
            jobs,
            words.collect::<Vec<_>>().join(", ")
        ))
    }

    /// Tells observers which starts the last backfill pass planned, and why each job waits.
    pub fn explain(&self, turn: &mut Turn<'_>) {
        let mut planned = Vec::new();
        for waiting in turn.queue().iter() {
            let record = self.record(waiting.job);
            let start = record.map_or(0, |record| self.controller.record(record).planned);
            if start > 0 {
                planned.push(Reservation {
                    job: waiting.job,
                    start: (Time::from_seconds(start) - self.zero).max(turn.now()),
                    extra: None,
                });
            }
        }
        turn.explain(&planned, |waiting| {
            let reason = self.record(waiting.job).map_or(WaitReason::None, |record| {
                self.controller.record(record).reason
            });
            Why::Slurm {
                word: reason.as_str(),
            }
        });
        if let Some(job) = turn.watched_job()
            && turn.queue().iter().any(|waiting| waiting.job == job)
            && let Some(rank) = self.rank(job)
        {
            turn.tell_rank(job, &rank);
        }
    }
}
