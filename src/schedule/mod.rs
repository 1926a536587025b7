//! Schedules: when each job started and ended, and on which processors. The engine writes
//! them, and everything else reads them: ARCHITECTURE.md calls them the second of two narrow waists.
//!
//! A recorder folds the events of a run into the columns of a schedule. Everything that reads
//! schedules (metrics, pictures, files) knows nothing of policies.

mod attempt;
pub mod audit;
mod cover;
mod digest;
mod overlaps;
mod record;
mod recorder;
mod units;

pub use attempt::{Attempt, LostAttempt};
pub use cover::Cover;
pub use overlaps::{Overlap, Overlaps};
pub use record::{MachineRecord, Nothing, Tint};
pub use recorder::{
    Closure, Migration, Move, Placed, Promise, Recorder, Start, Suspension, Switch,
};
pub use units::UnitRows;

use crate::job::JobId;
use crate::machine::{Placement, PlacementBuf, Range, Rotation};
use crate::sorting::map;
use crate::time::{Span, Time};
use crate::workload::Workload;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The outcome of a job.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The job has not arrived, waits, or runs.
    Unfinished,
    /// The job ended by itself.
    Finished,
    /// The job was killed at its estimate.
    Killed,
    /// The policy cancelled the job while it ran.
    Preempted,
}

/// The record of a run, in columns. The entries at an index belong to the job with that index.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The jobs.
    pub workload: Arc<Workload>,
    /// Start of each job; [`Time::NEVER`] if it has not started. A job that was requeued has the
    /// start of its last attempt, and none while it waits again.
    pub starts: Vec<Time>,
    /// End of each job; [`Time::NEVER`] if it has not ended.
    pub ends: Vec<Time>,
    /// The attempts in the order in which jobs got their processors, with their placements. A job
    /// has one, and another one for each time that it was requeued. [`Schedule::attempt`] has the
    /// times of an entry.
    pub order: Vec<Start>,
    /// The lost attempts, by their indices in [`Schedule::order`]. Empty unless the policy
    /// requeues running jobs.
    pub lost: BTreeMap<u32, LostAttempt>,
    /// The places of the lost attempts of each job that has any, in order of time.
    pub lost_places: BTreeMap<JobId, Vec<u32>>,
    /// The jobs that the policy cancelled while they ran, each with the instant at which it got its
    /// processors.
    pub cancelled: BTreeMap<JobId, Time>,
    /// The ranges of all placements, one after the other.
    pub ranges: Vec<Range>,
    /// The moves of each job that moved while it ran, in order of time.
    pub moves: BTreeMap<JobId, Vec<Move>>,
    /// The suspensions of each attempt that has any, by its place in [`Schedule::order`], in order of time.
    pub suspensions: BTreeMap<u32, Vec<Suspension>>,
    /// The number of times that jobs were suspended or resumed.
    pub suspension_turns: usize,
    /// The attempted migrations, in order of time.
    pub migrations: Vec<Migration>,
    /// The promises of the policy, in order of time. A later promise for a job replaces an earlier
    /// one.
    pub promises: Vec<Promise>,
    /// True if the policy believed the jobs' estimates.
    pub believes_estimates: bool,
    /// The switches of an adaptive policy, in order of time; the first gives the candidate at the
    /// beginning. Empty for other policies.
    pub switches: Vec<Switch>,
    /// Number of rows of the Ousterhout matrix: 1 if processors are dedicated.
    pub slots: u32,
    /// True if the rows run at the same time instead of taking turns.
    pub at_once: bool,
    /// The rotations of the rows, in order of time; each holds until the next. Empty if processors
    /// are dedicated.
    pub turns: Vec<Rotation>,
    /// The outages.
    pub closed: Vec<Closure>,
    /// The part of the record that only machines of this kind have.
    pub own: Box<dyn MachineRecord>,
    /// Time that each job holds its processors before its start.
    pub start_delay: Span,
    /// Time that each move adds to the run of a job.
    pub move_cost: Span,
    /// The latest instant that the record covers.
    pub until: Time,
}

/// A residency interval: a time that a job spends on the same processors.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Residency<'a> {
    /// Beginning of the interval.
    pub from: Time,
    /// End of the interval: the end of the job, a move, or the end of the record.
    pub to: Time,
    /// The processors.
    pub placement: Placement<'a>,
}

impl Schedule {
    /// Returns the machine's own record, if it has this type.
    pub fn of<T: MachineRecord>(&self) -> Option<&T> {
        let own: &dyn Any = &*self.own;
        own.downcast_ref()
    }

    /// Returns the outcome of `job`.
    pub fn outcome(&self, job: JobId) -> Outcome {
        if self.ends[job.index()] == Time::NEVER {
            Outcome::Unfinished
        } else if self.cancelled.contains_key(&job) {
            Outcome::Preempted
        } else if self.workload.program(job).killed {
            Outcome::Killed
        } else {
            Outcome::Finished
        }
    }

    /// Returns the wait of `job`, if it has started.
    pub fn wait(&self, job: JobId) -> Option<Span> {
        let start = self.starts[job.index()];
        (start != Time::NEVER).then(|| start - self.workload.request(job).submitted)
    }

    /// Returns the placement of an entry of [`Schedule::order`]; empty if placements were not
    /// recorded.
    pub fn placement(&self, start: &Start) -> Placement<'_> {
        self.at(start.placed)
    }

    /// Returns the placement at a position of [`Schedule::ranges`].
    pub fn at(&self, placed: Placed) -> Placement<'_> {
        Placement {
            row: placed.row,
            ranges: &self.ranges[placed.from as usize..placed.to as usize],
        }
    }

    /// Returns the lane of a processor, with the rows drawn one below the other.
    pub fn lane(&self, row: u32, column: u32) -> u32 {
        row * self.workload.all_processors() + column
    }

    /// Returns the jobs that hold processors after all that happens at `at`, each with its end by
    /// the estimate and its placement.
    pub fn holding(&self, at: Time) -> BTreeMap<JobId, (Time, PlacementBuf)> {
        let begun = self
            .attempts()
            .take_while(|attempt| attempt.from <= at)
            .filter(|attempt| attempt.end > at && !self.is_suspended(*attempt, at));
        map(begun.map(|attempt| {
            let moves = self.moves_of(attempt);
            let moves = &moves[..moves.partition_point(|to| to.at <= at)];
            let placed = moves.last().map_or(attempt.placed, |to| to.placed);
            let suspensions = self.suspensions_of(attempt).iter();
            let over: Vec<&Suspension> = suspensions.filter(|one| one.to <= at).collect();
            let placed = over.last().map_or(placed, |last| last.placed);
            let estimate = self.workload.request(attempt.job).estimate;
            let until = moves.iter().fold(attempt.start + estimate, |until, _| {
                until.saturating_add(self.move_cost)
            });
            let until = over
                .iter()
                .fold(until, |until, one| until.saturating_add(one.to - one.from));
            (attempt.job, (until, self.at(placed).to_owned()))
        }))
    }

    /// Returns the jobs that are suspended after all that happens at `at`, and how long each would still run by
    /// its estimate.
    pub fn suspended_at(&self, at: Time) -> BTreeMap<JobId, Span> {
        if !cfg!(feature = "clusters") || self.suspensions.is_empty() {
            return BTreeMap::new();
        }
        let begun = self.attempts().take_while(|attempt| attempt.from <= at);
        let suspended = begun.filter(|attempt| self.is_suspended(*attempt, at));
        map(suspended.map(|attempt| {
            let spells = self.spells(attempt).take_while(|(from, _)| *from <= at);
            let ran = spells.fold(Span::ZERO, |sum, (from, to)| sum + (to - from));
            let estimate = self.workload.request(attempt.job).estimate + self.start_delay;
            (attempt.job, (estimate - ran).max(Span::ZERO))
        }))
    }

    /// Returns the last instant by `at` at which a job arrives, gets its processors or ends, and
    /// the last one before that; `None` where there is no such instant.
    pub fn last_changes(&self, at: Time) -> (Option<Time>, Option<Time>) {
        let (mut last, mut before) = (None, None);
        let mut take = |instant: Time| {
            if instant > at || last == Some(instant) {
            } else if last.is_none_or(|known| known < instant) {
                (before, last) = (last, Some(instant));
            } else if before.is_none_or(|known| known < instant) {
                before = Some(instant);
            }
        };
        for job in self.workload.ids() {
            take(self.workload.request(job).submitted);
        }
        for attempt in self.attempts() {
            take(attempt.from);
            take(attempt.end);
        }
        (last, before)
    }

    /// Returns the changes of the number of processors in use, in order of time. Only attempts that
    /// have ended count. A processor that several jobs hold in different rows counts once.
    pub fn changes_in_use(&self) -> Vec<(Time, i64)> {
        let ended = self.attempts().filter(Attempt::has_ended);
        let mut changes: Vec<(Time, i64)>;
        if self.slots == 1 {
            changes = Vec::new();
            for attempt in ended {
                let held = i64::from(self.held(attempt));
                for (from, to) in self.spells(attempt) {
                    changes.extend([(from, held), (to, -held)]);
                }
            }
            changes.sort_unstable();
            return changes;
        }
        let mut holds: Vec<(Time, bool, Placement<'_>)> = ended
            .flat_map(|attempt| self.stays(attempt))
            .flat_map(|stay| {
                [
                    (stay.from, true, stay.placement),
                    (stay.to, false, stay.placement),
                ]
            })
            .collect();
        crate::sorting::by(&mut holds, |(at, takes, _)| {
            [at.microseconds().into(), (*takes).into()]
        });
        let mut cover = Cover::new(self.workload.processors);
        changes = Vec::with_capacity(holds.len());
        for (at, takes, placement) in holds {
            let before = i64::from(cover.used());
            cover.change(placement, takes);
            changes.push((at, i64::from(cover.used()) - before));
        }
        changes
    }

    /// Returns the last suspension of a job that runs.
    fn last_suspension(&mut self, job: JobId) -> Option<&mut Suspension> {
        let place = self.place_of(job)?;
        self.suspensions.get_mut(&(place as u32))?.last_mut()
    }

    /// Ends the suspension of a job that is stopped, if it is suspended.
    fn end_suspension(&mut self, job: JobId, at: Time) {
        if !cfg!(feature = "clusters") {
            return;
        }
        if let Some(last) = self.last_suspension(job) {
            last.to = last.to.min(at);
        }
    }

    fn place(&mut self, placement: Placement<'_>) -> Placed {
        let from = self.ranges.len() as u32;
        self.ranges.extend_from_slice(placement.ranges);
        Placed {
            row: placement.row,
            from,
            to: self.ranges.len() as u32,
        }
    }

    /// True if every job has ended.
    pub fn is_complete(&self) -> bool {
        self.ends.iter().all(|end| *end != Time::NEVER)
    }

    /// Returns the first submission and the last end. If no job has ended, both are the first
    /// submission, or zero without jobs.
    pub fn span(&self) -> (Time, Time) {
        let first = self
            .workload
            .requests
            .first()
            .map_or(Time::ZERO, |request| request.submitted);
        let last = self
            .ends
            .iter()
            .copied()
            .filter(|end| *end != Time::NEVER)
            .max()
            .unwrap_or(first);
        (first, last)
    }

    /// Returns a 64-bit digest of the schedule. Equal schedules have equal digests.
    pub fn digest(&self) -> u64 {
        digest::digest(self)
    }
}
