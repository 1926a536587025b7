//! Schedules: what happened to which job, when, on which processors. The second of the two narrow
//! waists.
//!
//! A schedule is folded from the events of a run into columns. Everything behind it (metrics,
//! pictures, files) knows nothing of policies.

pub mod audit;
mod cover;
mod digest;
mod overlaps;
mod record;
mod recorder;

pub use cover::Cover;
pub use overlaps::{Overlap, Overlaps};
pub use record::{MachineRecord, Nothing, Tint};
pub use recorder::{Closure, Migration, Move, Placed, Promise, Recorder, Start, Switch};

use crate::job::JobId;
use crate::machine::{Placement, Range, Rotation};
use crate::time::{Span, Time};
use crate::workload::Workload;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What happened to a job.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Has not arrived, waits, or runs.
    Unfinished,
    /// Ended by itself.
    Finished,
    /// Was killed when it reached its estimate.
    Killed,
}

/// The record of a run in columns: the entries at an index are one job's.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The jobs.
    pub workload: Arc<Workload>,
    /// Start of each job; [`Time::NEVER`] if it has not started.
    pub starts: Vec<Time>,
    /// End of each job; [`Time::NEVER`] if it has not ended.
    pub ends: Vec<Time>,
    /// Jobs in order of starting, with their placements; starts never fall along it.
    pub order: Vec<Start>,
    /// Placements, one after the other.
    pub ranges: Vec<Range>,
    /// Where running jobs moved to, in order of time, by job.
    pub moves: BTreeMap<JobId, Vec<Move>>,
    /// Migrations that were tried, in order of time.
    pub migrations: Vec<Migration>,
    /// Promises that the policy made, in order of time; a later one for the same job replaces an
    /// earlier one.
    pub promises: Vec<Promise>,
    /// Whether what the policy believed of run times were the jobs' estimates.
    pub believes_estimates: bool,
    /// Which of several policies decided from when on, in order of time, the first from the
    /// beginning; empty where there is only one.
    pub switches: Vec<Switch>,
    /// Number of rows of the Ousterhout matrix: 1 where processors are dedicated.
    pub slots: u32,
    /// Whether the rows run at the same time instead of taking turns.
    pub at_once: bool,
    /// How rows take turns, in order of time, each until the next; empty where processors are
    /// dedicated.
    pub turns: Vec<Rotation>,
    /// Processors that went out of service.
    pub closed: Vec<Closure>,
    /// What only machines of its kind record.
    pub own: Box<dyn MachineRecord>,
    /// How long each job holds its processors before its start.
    pub start_delay: Span,
    /// By how much a job runs longer for each of its moves.
    pub move_cost: Span,
    /// The latest instant of which the record knows.
    pub until: Time,
}

/// A time that a job spends on the same processors.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Stay<'a> {
    /// From when on it holds them.
    pub from: Time,
    /// Until when: the end, a move, or how far the record goes.
    pub to: Time,
    /// The processors.
    pub placement: Placement<'a>,
}

impl Schedule {
    /// The machine's own record, if it is of this type.
    pub fn of<T: MachineRecord>(&self) -> Option<&T> {
        let own: &dyn Any = &*self.own;
        own.downcast_ref()
    }

    /// What happened to `job`.
    pub fn outcome(&self, job: JobId) -> Outcome {
        if self.ends[job.index()] == Time::NEVER {
            Outcome::Unfinished
        } else if self.workload.program(job).killed {
            Outcome::Killed
        } else {
            Outcome::Finished
        }
    }

    /// Start minus submission, if the job has started.
    pub fn wait(&self, job: JobId) -> Option<Span> {
        let start = self.starts[job.index()];
        (start != Time::NEVER).then(|| start - self.workload.request(job).submitted)
    }

    /// Processors of an entry of [`Schedule::order`]; none where placements were not recorded.
    pub fn placement(&self, start: &Start) -> Placement<'_> {
        self.at(start.placed)
    }

    /// The placement that stands at a place of [`Schedule::ranges`].
    pub fn at(&self, placed: Placed) -> Placement<'_> {
        Placement {
            row: placed.row,
            ranges: &self.ranges[placed.from as usize..placed.to as usize],
        }
    }

    /// The lane of a processor where the rows are drawn one below the other.
    pub fn lane(&self, row: u32, column: u32) -> u32 {
        row * self.workload.processors + column
    }

    /// When a job that has started was given its processors.
    pub fn held_from(&self, job: JobId) -> Time {
        self.starts[job.index()] - self.start_delay
    }

    /// How many processors a job holds that has started: more than it asked for where geometry had
    /// no room for just that.
    pub fn held(&self, start: &Start) -> u32 {
        let placement = self.placement(start);
        if placement.is_empty() {
            self.workload.request(start.job).processors
        } else {
            placement.size()
        }
    }

    /// Where a job that has started is from when to when: once, and again for each move. What is no
    /// longer than an instant is left out.
    pub fn stays(&self, start: &Start) -> impl Iterator<Item = Stay<'_>> {
        let moves = self.moves.get(&start.job).map_or(&[][..], Vec::as_slice);
        let end = match self.ends[start.job.index()] {
            Time::NEVER => self.until,
            end => end,
        };
        let first = (self.held_from(start.job), self.placement(start));
        let later = moves.iter().map(|to| (to.at, self.at(to.placed)));
        let placements = std::iter::once(first).chain(later);
        let ends = moves.iter().map(|to| to.at).chain([end]);
        let stays = placements.zip(ends).map(|((from, placement), to)| Stay {
            from,
            to,
            placement,
        });
        stays.filter(|stay| stay.from < stay.to)
    }

    /// Changes of the number of processors that somebody holds, in order of time, those of ended
    /// jobs.
    pub fn changes_in_use(&self) -> Vec<(Time, i64)> {
        let ended = self
            .order
            .iter()
            .filter(|start| self.ends[start.job.index()] != Time::NEVER);
        let mut changes: Vec<(Time, i64)>;
        if self.slots == 1 {
            let of = |start: &Start| {
                let held = i64::from(self.held(start));
                [
                    (self.held_from(start.job), held),
                    (self.ends[start.job.index()], -held),
                ]
            };
            changes = ended.flat_map(of).collect();
            changes.sort_unstable();
            return changes;
        }
        let mut holds: Vec<(Time, bool, Placement<'_>)> = ended
            .flat_map(|start| self.stays(start))
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

    fn place(&mut self, placement: Placement<'_>) -> Placed {
        let from = self.ranges.len() as u32;
        self.ranges.extend_from_slice(placement.ranges);
        Placed {
            row: placement.row,
            from,
            to: self.ranges.len() as u32,
        }
    }

    /// Whether every job has ended.
    pub fn is_complete(&self) -> bool {
        self.ends.iter().all(|end| *end != Time::NEVER)
    }

    /// First submission and last end; both zero if nothing ended.
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

    /// A 64-bit digest of all that the schedule says: equal digests, equal schedules.
    pub fn digest(&self) -> u64 {
        digest::digest(self)
    }
}
