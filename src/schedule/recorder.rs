//! Folds the events of a run into a [`Schedule`].

use super::{MachineRecord, Nothing, Schedule};
use crate::job::JobId;
use crate::sim::{Event, Numbers, Observer};
use crate::sorting::map;
use crate::time::{Span, Time};
use crate::workload::Workload;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A placement: its row, and where its processors stand in [`Schedule::ranges`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The row.
    pub row: u32,
    /// First of its ranges.
    pub from: u32,
    /// One past its last range.
    pub to: u32,
}

/// A start: the job and its placement.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The job.
    pub job: JobId,
    /// Where it is.
    pub placed: Placed,
}

/// A move of a running job, and its new placement.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// When.
    pub at: Time,
    /// Where it is.
    pub placed: Placed,
}

/// A migration that was tried.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// When.
    pub at: Time,
    /// Whether it left a larger free partition and was done.
    pub successful: bool,
}

/// Processors that are out of service.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Closure {
    /// From when on.
    pub at: Time,
    /// Until when.
    pub until: Time,
    /// Which.
    pub placed: Placed,
}

/// A promise that a job will start by a certain time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The job.
    pub job: JobId,
    /// When it was made.
    pub at: Time,
    /// The latest start.
    pub latest: Time,
    /// How many entries [`Schedule::switches`] had then: those after them void it.
    pub switches: usize,
}

/// From here on another one of several policies decides.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// When.
    pub at: Time,
    /// Which, by its index among them.
    pub policy: u32,
}

/// An observer that records everything.
#[derive(Clone, Debug)]
pub struct Recorder {
    schedule: Schedule,
}

impl Recorder {
    /// Nothing recorded yet.
    pub fn new(workload: Arc<Workload>) -> Self {
        let jobs = workload.len();
        let until = workload
            .requests
            .first()
            .map_or(Time::ZERO, |request| request.submitted);
        Self {
            schedule: Schedule {
                workload,
                starts: vec![Time::NEVER; jobs],
                ends: vec![Time::NEVER; jobs],
                order: Vec::with_capacity(jobs),
                ranges: Vec::with_capacity(jobs),
                moves: BTreeMap::new(),
                migrations: Vec::new(),
                promises: Vec::new(),
                believes_estimates: true,
                switches: Vec::new(),
                slots: 1,
                at_once: false,
                turns: Vec::new(),
                own: Box::new(Nothing),
                closed: Vec::new(),
                start_delay: Span::ZERO,
                move_cost: Span::ZERO,
                until,
            },
        }
    }

    /// The same on a machine that has a record of its own.
    pub fn with(mut self, own: Box<dyn MachineRecord>) -> Self {
        self.schedule.own = own;
        self
    }

    /// The same on a machine with so many rows, which run at the same time or take turns.
    pub fn in_slots(mut self, slots: u32, at_once: bool) -> Self {
        (self.schedule.slots, self.schedule.at_once) = (slots, at_once);
        self
    }

    /// The same of a policy that works with predictions of its own, if it does.
    pub fn predicting(mut self, predicts: bool) -> Self {
        self.schedule.believes_estimates = !predicts;
        self
    }

    /// Goes on with another workload, of which `numbers` says which of its jobs each job of this
    /// one is. What was promised is promised no more, and who decided until now is forgotten.
    pub fn otherwise(&mut self, workload: &Arc<Workload>, numbers: &Numbers) {
        let schedule = &mut self.schedule;
        let number = |job: JobId| numbers[job.index()];
        let column = |times: &[Time]| {
            let mut others = vec![Time::NEVER; workload.len()];
            for (time, job) in times.iter().zip(numbers) {
                job.iter().for_each(|job| others[job.index()] = *time);
            }
            others
        };
        (schedule.starts, schedule.ends) = (column(&schedule.starts), column(&schedule.ends));
        schedule
            .order
            .iter_mut()
            .for_each(|start| start.job = number(start.job).unwrap_or(start.job));
        schedule.moves = map(std::mem::take(&mut schedule.moves)
            .into_iter()
            .filter_map(|(job, moves)| Some((number(job)?, moves))));
        schedule.own.renumber(&number);
        schedule.promises.clear();
        // Candidates are numbered by the policy that chooses among them.
        schedule.switches.clear();
        schedule.workload = Arc::clone(workload);
    }

    /// What is recorded so far.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The record.
    pub fn into_schedule(self) -> Schedule {
        self.schedule
    }
}

impl Observer for Recorder {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        let schedule = &mut self.schedule;
        schedule.until = at;
        match *event {
            Event::Submitted(_) | Event::Decided | Event::Reserved(..) | Event::Refused(..) => {}
            Event::Started(job, placement, delay) => {
                schedule.starts[job.index()] = at + delay;
                schedule.start_delay = delay;
                let placed = schedule.place(placement);
                schedule.order.push(Start { job, placed });
            }
            Event::Promised(job, latest) => {
                schedule.promises.push(Promise {
                    job,
                    at,
                    latest,
                    switches: schedule.switches.len(),
                });
            }
            Event::Closed(placement, until) => {
                let placed = schedule.place(placement);
                schedule.closed.push(Closure { at, until, placed });
            }
            Event::Noted(note) => schedule.own.note(at, note),
            Event::Turned(rotation) => schedule.turns.push(rotation),
            Event::Switched(policy) => schedule.switches.push(Switch { at, policy }),
            Event::Migrated(successful) => schedule.migrations.push(Migration { at, successful }),
            Event::Moved(job, placement, cost) => {
                schedule.move_cost = cost;
                let placed = schedule.place(placement);
                schedule
                    .moves
                    .entry(job)
                    .or_default()
                    .push(Move { at, placed });
            }
            Event::Finished(job) => schedule.ends[job.index()] = at,
        }
    }
}
