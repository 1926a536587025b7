//! Why a job waited: what kept it from starting, from its arrival on, and for how long each.

use crate::job::JobId;
use crate::schedule::Schedule;
use crate::sim::{Event, Observer, Reasons, Why};
use crate::time::{Span, Time};

/// One thing that kept a job waiting.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What it was.
    pub why: Why,
    /// When it first did.
    pub since: Time,
    /// For how long in all.
    pub total: Span,
}

/// Why a job waited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wait {
    /// What kept it waiting, in the order in which each first did. The totals add up to the wait.
    pub causes: Vec<Cause>,
    /// Jobs that waited already when it arrived.
    pub ahead: Vec<JobId>,
    /// Jobs that arrived after it and started before it.
    pub overtakers: Vec<JobId>,
}

impl Wait {
    /// The whole explanation, of the causes that a [`Waiter`] saw and a complete schedule.
    pub fn new(causes: Vec<Cause>, job: JobId, schedule: &Schedule) -> Self {
        let submitted = |job: JobId| schedule.workload.request(job).submitted;
        let (arrival, start) = (submitted(job), schedule.starts[job.index()]);
        let jobs = || schedule.workload.ids();
        let ahead = jobs()
            .take_while(|other| *other < job)
            .filter(|other| schedule.starts[other.index()] > arrival)
            .collect();
        let later = jobs()
            .skip(job.index() + 1)
            .take_while(|other| submitted(*other) < start);
        let overtakers = later
            .filter(|other| schedule.starts[other.index()] < start)
            .collect();
        Self {
            causes,
            ahead,
            overtakers,
        }
    }
}

/// Watches one job wait.
#[derive(Clone, Debug)]
pub struct Waiter {
    job: JobId,
    /// Since when what keeps it waiting does, once it has arrived.
    now: Option<(Time, Why)>,
    causes: Vec<Cause>,
    started: bool,
}

impl Waiter {
    /// A watcher of `job` from the start of a run on, or from any instant before its arrival.
    pub fn new(job: JobId) -> Self {
        Self {
            job,
            now: None,
            causes: Vec::new(),
            started: false,
        }
    }

    /// Whether the job has started.
    pub fn is_over(&self) -> bool {
        self.started
    }

    /// What kept the job waiting so far.
    pub fn into_causes(self) -> Vec<Cause> {
        self.causes
    }

    fn close(&mut self, at: Time) {
        let Some((since, why)) = self.now else { return };
        let span = at - since;
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

/// Whether two reasons are one cause: how many processors were free just then makes no difference.
fn is_same(one: Why, other: Why) -> bool {
    let both = (one, other);
    one == other
        || matches!(both, (Why::Processors { .. }, Why::Processors { .. }))
        || matches!(both, (Why::Partition { .. }, Why::Partition { .. }))
}

impl Observer for Waiter {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        match *event {
            // Until the policy has decided, nobody has looked at it.
            Event::Submitted(job) if job == self.job => self.now = Some((at, Why::NotTried)),
            Event::Refused(job, why) if job == self.job => {
                self.close(at);
                self.now = Some((at, why));
            }
            Event::Started(job, _, delay) if job == self.job => {
                self.close(at);
                self.now = Some((at, Why::StartDelay));
                self.close(at + delay);
                self.now = None;
                self.started = true;
            }
            _ => {}
        }
    }

    fn wants_reasons(&self) -> Reasons {
        // Before it arrives and after it has started there is nothing to hear.
        if self.now.is_some() {
            Reasons::Of(self.job)
        } else {
            Reasons::Unwanted
        }
    }
}
