//! The causes of all waits of a run, by class of jobs.

use crate::job::JobId;
use crate::sim::{Event, Observer, Reasons, Why};
use crate::time::{Span, Time};
use std::collections::BTreeMap;

/// A kind of reason: a reason without the jobs and the numbers that it names.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CauseKind {
    /// Too few processors were free.
    Processors,
    /// No free partition held the job.
    Partition,
    /// A resource of nodes was short, by its number.
    Nodes(u32),
    /// The job could not pass an earlier one.
    Behind,
    /// The job would have delayed a reservation.
    Reserved,
    /// Another set of jobs was better.
    NotChosen,
    /// The policy did not try the job.
    NotTried,
    /// The machine's start delay.
    StartDelay,
    /// The log has a later start.
    Recorded,
    /// Slurm's own reason.
    Slurm(&'static str),
    /// The job ran in vain.
    Lost,
}

impl CauseKind {
    const fn of(why: Why) -> Self {
        match why {
            Why::Processors { .. } => Self::Processors,
            Why::Partition { .. } => Self::Partition,
            Why::Nodes { short } => Self::Nodes(short),
            Why::Behind { .. } => Self::Behind,
            Why::Reserved { .. } => Self::Reserved,
            Why::NotChosen => Self::NotChosen,
            Why::NotTried => Self::NotTried,
            Why::StartDelay => Self::StartDelay,
            Why::Recorded => Self::Recorded,
            Why::Slurm { word } => Self::Slurm(word),
            Why::Lost => Self::Lost,
        }
    }
}

/// Observer of all jobs while they wait.
#[derive(Clone, Debug)]
pub struct WaitCauses {
    /// The class of each job; `None` if its wait does not count.
    class: Vec<Option<u32>>,
    /// For each waiting job, the reason that applies, and the instant from which on.
    now: BTreeMap<JobId, (Time, CauseKind)>,
    /// For each running job, the instant at which it got its processors, and the start delay.
    running: BTreeMap<JobId, (Time, Span)>,
    totals: BTreeMap<(u32, CauseKind), Span>,
}

impl WaitCauses {
    /// Returns an observer of the jobs that have a class.
    pub const fn new(class: Vec<Option<u32>>) -> Self {
        Self {
            class,
            now: BTreeMap::new(),
            running: BTreeMap::new(),
            totals: BTreeMap::new(),
        }
    }

    /// Returns the total time of each cause, by class and kind. The totals of a class add up to the
    /// waits of its jobs that have ended.
    pub fn into_totals(self) -> BTreeMap<(u32, CauseKind), Span> {
        self.totals
    }

    fn add(&mut self, job: JobId, kind: CauseKind, span: Span) {
        if let Some(Some(class)) = self.class.get(job.index())
            && span > Span::ZERO
        {
            *self.totals.entry((*class, kind)).or_default() += span;
        }
    }
}

impl Observer for WaitCauses {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        match *event {
            // The policy has not considered the job before it decides.
            Event::Submitted(job) => {
                self.now.insert(job, (at, CauseKind::NotTried));
            }
            Event::Refused(job, why) => {
                let kind = CauseKind::of(why);
                if let Some((since, before)) = self.now.insert(job, (at, kind)) {
                    self.add(job, before, at - since);
                }
            }
            Event::Started(job, _, delay) => {
                if let Some((since, kind)) = self.now.remove(&job) {
                    self.add(job, kind, at - since);
                }
                self.running.insert(job, (at, delay));
            }
            Event::Requeued(job) => {
                if let Some((since, _)) = self.running.remove(&job) {
                    self.add(job, CauseKind::Lost, at - since);
                }
                self.now.insert(job, (at, CauseKind::NotTried));
            }
            Event::Finished(job) => {
                if let Some((since, delay)) = self.running.remove(&job) {
                    self.add(job, CauseKind::StartDelay, delay.min(at - since));
                }
            }
            _ => {}
        }
    }

    fn wants_reasons(&self) -> Reasons {
        Reasons::All
    }
}
