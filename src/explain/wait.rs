//! The causes of a job's wait: what kept it from starting, and for how long in all.

use crate::job::JobId;
use crate::schedule::Schedule;
use crate::sim::{Event, JobRank, Observer, Reasons, Why};
use crate::time::{Span, Time};

/// A reason that kept a job waiting, with its total time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Reason why the job did not start.
    pub why: Why,
    /// Instant from which the reason first applied.
    pub since: Time,
    /// Total time for which the reason applied.
    pub total: Span,
}

/// The explanation of a job's wait.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wait {
    /// Causes in the order in which each first applied. Their totals add up to the wait.
    pub causes: Vec<Cause>,
    /// Jobs that were already waiting when the job arrived.
    pub ahead: Vec<JobId>,
    /// Jobs that arrived later than the job and started earlier.
    pub overtakers: Vec<JobId>,
    /// The first and the last rank of the job that the policy told, with their instants.
    pub ranks: Vec<(Time, JobRank)>,
}

impl Wait {
    /// Returns the explanation of the wait of a job, given what a [`Waiter`] saw and a complete schedule.
    pub fn new(waiter: Waiter, schedule: &Schedule) -> Self {
        let (job, ranks) = (waiter.job, waiter.ranks.clone());
        let submitted = |job: JobId| schedule.workload.request(job).submitted;
        let (arrival, start) = (submitted(job), schedule.starts[job.index()]);
        let mut causes = waiter.into_causes();
        // A job that was cancelled within the start delay waited for a part of it.
        if schedule.cancelled.contains_key(&job)
            && let Some(last) = causes.pop_if(|last| last.why == Why::StartDelay)
        {
            let total = last.total.min(start - last.since);
            causes.push(Cause { total, ..last });
        }
        let jobs = || schedule.workload.ids();
        let is_ahead = |other: &JobId| {
            let mut lost = schedule.lost_of(*other).map(|(_, lost)| lost);
            schedule.starts[other.index()] > arrival
                && !lost.any(|lost| lost.start <= arrival && arrival < lost.end)
        };
        let ahead = jobs()
            .take_while(|other| *other < job)
            .filter(is_ahead)
            .collect();
        let first_start = |other: JobId| {
            let first = schedule.lost_of(other).next();
            first.map_or(schedule.starts[other.index()], |(_, lost)| lost.start)
        };
        let later = jobs()
            .skip(job.index() + 1)
            .take_while(|other| submitted(*other) < start);
        let overtakers = later.filter(|other| first_start(*other) < start).collect();
        Self {
            causes,
            ahead,
            overtakers,
            ranks,
        }
    }
}

/// Observer of one job while it waits.
#[derive(Clone, Debug)]
pub struct Waiter {
    job: JobId,
    /// The reason that keeps the job waiting, with the instant from which it applies. `None` before
    /// the arrival and after the start.
    now: Option<(Time, Why)>,
    causes: Vec<Cause>,
    ranks: Vec<(Time, JobRank)>,
    /// The instant at which the job got its processors, and the start delay, while it runs.
    running: Option<(Time, Span)>,
    /// Number of starts that are still to be seen.
    awaited: usize,
}

impl Waiter {
    /// Returns an observer of `job` until its first start. The run must be before the arrival of the
    /// job.
    pub fn new(job: JobId) -> Self {
        Self::until_start(job, 1)
    }

    /// Returns an observer of `job` until its start of this number, counted from 1.
    pub fn until_start(job: JobId, awaited: usize) -> Self {
        Self {
            job,
            now: None,
            causes: Vec::new(),
            ranks: Vec::new(),
            running: None,
            awaited,
        }
    }

    /// True if the job has started for the last time.
    pub fn is_over(&self) -> bool {
        self.awaited == 0
    }

    /// Returns the causes of the wait so far.
    pub fn into_causes(mut self) -> Vec<Cause> {
        if let Some((since, delay)) = self.running.take() {
            self.add(since, Why::StartDelay, delay);
        }
        self.causes
    }

    fn close(&mut self, at: Time) {
        if let Some((since, why)) = self.now {
            self.add(since, why, at - since);
        }
    }

    fn add(&mut self, since: Time, why: Why, span: Span) {
        if span == Span::ZERO {
            return;
        }
        match self.causes.iter_mut().find(|cause| is_same(cause.why, why)) {
            Some(cause) => cause.total += span,
            None => self.causes.push(Cause {
                why,
                since,
                total: span,
            }),
        }
    }
}

/// True if two reasons are the same cause. The number of free processors makes no difference.
fn is_same(one: Why, other: Why) -> bool {
    let both = (one, other);
    one == other
        || matches!(both, (Why::Processors { .. }, Why::Processors { .. }))
        || matches!(both, (Why::Partition { .. }, Why::Partition { .. }))
}

impl Observer for Waiter {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        match *event {
            // The policy has not considered the job before it decides.
            Event::Submitted(job) if job == self.job => self.now = Some((at, Why::NotTried)),
            Event::Refused(job, why) if job == self.job => {
                self.close(at);
                self.now = Some((at, why));
            }
            Event::Ranked(job, rank) if job == self.job => {
                self.ranks.truncate(1);
                self.ranks.push((at, rank.clone()));
            }
            Event::Started(job, _, delay) if job == self.job => {
                self.close(at);
                self.now = None;
                self.running = Some((at, delay));
                self.awaited = self.awaited.saturating_sub(1);
            }
            Event::Requeued(job) if job == self.job => {
                if let Some((since, _)) = self.running.take() {
                    self.add(since, Why::Lost, at - since);
                }
                self.now = Some((at, Why::NotTried));
            }
            _ => {}
        }
    }

    fn wants_reasons(&self) -> Reasons {
        // No reason concerns the job before it arrives and after it has started.
        if self.now.is_some() {
            Reasons::Of(self.job)
        } else {
            Reasons::Unwanted
        }
    }
}
