//! The recorder, which folds the events of a run into a [`Schedule`].

use super::{Attempt, LostAttempt, MachineRecord, Nothing, Schedule};
use crate::job::JobId;
use crate::sim::{Event, Numbers, Observer};
use crate::sorting::map;
use crate::time::{Span, Time};
use crate::workload::Workload;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A recorded placement: its row, and the position of its ranges in [`Schedule::ranges`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The row.
    pub row: u32,
    /// Index of its first range.
    pub from: u32,
    /// Index after its last range.
    pub to: u32,
}

/// The start of a job, with its placement.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The job.
    pub job: JobId,
    /// Placement of the job.
    pub placed: Placed,
}

/// The move of a running job, with its new placement.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The instant of the move.
    pub at: Time,
    /// The new placement.
    pub placed: Placed,
}

/// A time within an attempt during which the job was suspended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Suspension {
    /// The instant at which the job gave its processors up.
    pub from: Time,
    /// The instant at which it went on, or was stopped; [`Time::NEVER`] while it is suspended.
    pub to: Time,
    /// The placement after that.
    pub placed: Placed,
}

/// An attempted migration.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The instant of the attempt.
    pub at: Time,
    /// True if the new layout left a larger free partition, so that jobs migrated.
    pub successful: bool,
}

/// An outage: processors that are out of service.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Closure {
    /// Beginning of the outage.
    pub at: Time,
    /// End of the outage.
    pub until: Time,
    /// The processors that are out of service.
    pub placed: Placed,
}

/// A promise that a job will start by a certain time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The job.
    pub job: JobId,
    /// The instant at which the policy made the promise.
    pub at: Time,
    /// The latest start.
    pub latest: Time,
    /// The number of entries of [`Schedule::switches`] at that instant. A later switch voids the
    /// promise.
    pub switches: usize,
}

/// A switch of an adaptive policy to another candidate.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The instant of the switch.
    pub at: Time,
    /// Index of the candidate.
    pub policy: u32,
}

/// An observer that records a schedule.
#[derive(Clone, Debug)]
pub struct Recorder {
    schedule: Schedule,
}

impl Recorder {
    /// Creates a recorder without events.
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
                lost: BTreeMap::new(),
                lost_places: BTreeMap::new(),
                cancelled: BTreeMap::new(),
                ranges: Vec::with_capacity(jobs),
                moves: BTreeMap::new(),
                suspensions: BTreeMap::new(),
                suspension_turns: 0,
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

    /// Sets the record of the machine's own notes.
    pub fn with(mut self, own: Box<dyn MachineRecord>) -> Self {
        self.schedule.own = own;
        self
    }

    /// Sets the number of rows of the machine, and whether they run at the same time.
    pub fn in_slots(mut self, slots: u32, at_once: bool) -> Self {
        (self.schedule.slots, self.schedule.at_once) = (slots, at_once);
        self
    }

    /// Records whether the policy works with predictions in place of estimates.
    pub fn predicting(mut self, predicts: bool) -> Self {
        self.schedule.believes_estimates = !predicts;
        self
    }

    /// Continues with another workload after a what-if. `numbers` gives the new id of each job.
    /// Earlier promises and switches no longer hold.
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
        schedule
            .lost
            .values_mut()
            .for_each(|lost| lost.job = number(lost.job).unwrap_or(lost.job));
        schedule.lost_places = map(std::mem::take(&mut schedule.lost_places)
            .into_iter()
            .filter_map(|(job, places)| Some((number(job)?, places))));
        schedule.cancelled = map(std::mem::take(&mut schedule.cancelled)
            .into_iter()
            .filter_map(|(job, from)| Some((number(job)?, from))));
        schedule.moves = map(std::mem::take(&mut schedule.moves)
            .into_iter()
            .filter_map(|(job, moves)| Some((number(job)?, moves))));
        schedule.own.renumber(&number);
        schedule.promises.clear();
        // The indices belong to the policy that chose among its candidates.
        schedule.switches.clear();
        schedule.workload = Arc::clone(workload);
    }

    /// Returns the schedule so far.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Returns the schedule.
    pub fn into_schedule(self) -> Schedule {
        self.schedule
    }
}

impl Observer for Recorder {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        let schedule = &mut self.schedule;
        schedule.until = at;
        match *event {
            Event::Submitted(_)
            | Event::Decided
            | Event::Reserved(..)
            | Event::Refused(..)
            | Event::Ranked(..) => {}
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
            Event::Suspended(_) | Event::Resumed(..) if !cfg!(feature = "clusters") => {}
            Event::Suspended(job) => {
                schedule.suspension_turns += 1;
                if let Some(place) = schedule.place_of(job) {
                    let known = schedule.suspensions.entry(place as u32).or_default();
                    let before = known.last().map(|last| last.placed);
                    known.push(Suspension {
                        from: at,
                        to: Time::NEVER,
                        placed: before.unwrap_or(schedule.order[place].placed),
                    });
                }
            }
            Event::Resumed(job, placement) => {
                schedule.suspension_turns += 1;
                let placed = schedule.place(placement);
                if let Some(last) = schedule.last_suspension(job) {
                    (last.to, last.placed) = (at, placed);
                }
            }
            // A recorder that came late has not seen the start.
            Event::Requeued(job) => {
                schedule.end_suspension(job, at);
                if let Some(place) = schedule.place_of(job) {
                    let Attempt { from, start, .. } = schedule.attempt(place);
                    let lost = LostAttempt {
                        job,
                        from,
                        start: start.min(at),
                        end: at,
                        moves: schedule.moves.remove(&job).unwrap_or_default(),
                    };
                    schedule.lost.insert(place as u32, lost);
                    let places = schedule.lost_places.entry(job).or_default();
                    places.push(place as u32);
                    schedule.starts[job.index()] = Time::NEVER;
                }
            }
            Event::Cancelled(job) => {
                schedule.end_suspension(job, at);
                if let Some(place) = schedule.place_of(job) {
                    let Attempt { from, start, .. } = schedule.attempt(place);
                    schedule.cancelled.insert(job, from);
                    schedule.starts[job.index()] = start.min(at);
                }
            }
            Event::Finished(job) => schedule.ends[job.index()] = at,
        }
    }
}
