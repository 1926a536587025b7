//! Execution of jobs in rows that take turns.

use crate::job::JobId;
use crate::machine::{Execution, MOST_ROWS, Placement, PlacementBuf, Range, Rotation, Starting};
use crate::machines::shared::Bitmap;
use crate::sorting;
use crate::time::{Span, Time};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Jobs that run in the same slices and therefore progress together.
#[derive(Clone, Default)]
struct Pack {
    /// Running time of the pack so far, in microseconds.
    clock: i64,
    /// (value of `clock` at the end of the job, order of starting, job).
    ends: BinaryHeap<Reverse<(i64, u32, JobId)>>,
}

/// A running job.
#[derive(Clone)]
struct Member {
    order: u32,
    row: u32,
    columns: Vec<Range>,
}

impl Member {
    fn new(order: u32, placement: Placement<'_>) -> Self {
        Self {
            order,
            row: placement.row,
            columns: placement.ranges.to_vec(),
        }
    }
}

/// Execution of jobs in rows that take turns.
#[derive(Clone)]
pub struct Gang {
    rotation: Rotation,
    alternates: bool,
    stretch: i64,
    started: u32,
    jobs: BTreeMap<JobId, Member>,
    /// Packs by the rows in whose slices their jobs run, as bits.
    packs: BTreeMap<u64, Pack>,
}

impl Gang {
    pub fn new(rotation: Rotation, alternates: bool, stretch: i64) -> Self {
        let rotation = Rotation {
            is_strict: !alternates,
            ..rotation
        };
        Self {
            rotation,
            alternates,
            stretch,
            started: 0,
            jobs: BTreeMap::new(),
            packs: BTreeMap::new(),
        }
    }

    #[inline(never)]
    fn add(&mut self, rows: u64, job: JobId, order: u32, need: i64) {
        let pack = self.packs.entry(rows).or_default();
        pack.ends.push(Reverse((pack.clock + need, order, job)));
    }

    /// Updates the set of rows that have jobs, and removes empty packs. With alternative
    /// scheduling, also regroups the jobs, because the slices in which they run may have changed.
    #[inline(never)]
    fn settle(&mut self) {
        let rows = self
            .jobs
            .values()
            .fold(0, |rows, member| rows | 1 << member.row);
        self.rotation.set_rows(rows);
        self.packs.retain(|_, pack| !pack.ends.is_empty());
        if self.alternates {
            self.regroup();
        }
    }

    /// Moves each job to the pack of its slices, with the running time that it still needs.
    #[inline(never)]
    fn regroup(&mut self) {
        let slices = slices(self.rotation.rows, self.alternates, &self.jobs);
        for pack in std::mem::take(&mut self.packs).into_values() {
            for Reverse((end, order, job)) in pack.ends {
                let rows = slices
                    .binary_search_by_key(&job, |(job, _)| *job)
                    .map_or(0, |at| slices[at].1);
                self.add(rows, job, order, end - pack.clock);
            }
        }
    }
}

/// Returns the rows in whose slices each job runs, as bits, in order of jobs. A job runs in its own
/// row. With alternative scheduling, a job also runs in every other row in which all of its
/// processors are idle. Jobs choose such rows in the order in which they started.
fn slices(rows: u64, alternates: bool, jobs: &BTreeMap<JobId, Member>) -> Vec<(JobId, u64)> {
    let mut slices: Vec<(JobId, u64)> = jobs
        .iter()
        .map(|(job, member)| (*job, 1 << member.row))
        .collect();
    let mut by_order: Vec<(&JobId, &Member)> = jobs.iter().collect();
    sorting::by(&mut by_order, |(_, member)| [member.order.into(), 0]);
    let wide = jobs
        .values()
        .flat_map(|member| &member.columns)
        .map(|range| range.end())
        .max()
        .unwrap_or(0);
    for row in (0..MOST_ROWS).filter(|row| alternates && rows >> row & 1 == 1) {
        let mut idle = Bitmap::new(wide);
        by_order
            .iter()
            .filter(|(_, member)| member.row == row)
            .for_each(|(_, member)| member.columns.iter().for_each(|r| idle.take(*r)));
        for (job, member) in by_order.iter().filter(|(_, member)| member.row != row) {
            if member.columns.iter().all(|range| idle.is_free(*range)) {
                member.columns.iter().for_each(|range| idle.take(*range));
                if let Ok(at) = slices.binary_search_by_key(*job, |(job, _)| *job) {
                    slices[at].1 |= 1 << row;
                }
            }
        }
    }
    slices
}

impl Execution for Gang {
    fn stretch(&self) -> i64 {
        self.stretch
    }

    fn start(&mut self, starting: Starting<'_>, now: Time) {
        self.rotation = self.rotation.turned(now);
        let member = Member::new(self.started, starting.placement);
        self.add(
            1 << member.row,
            starting.job,
            self.started,
            starting.program.runtime.microseconds(),
        );
        self.jobs.insert(starting.job, member);
        self.started += 1;
        self.settle();
    }

    fn relocate(&mut self, moved: &[(JobId, PlacementBuf)]) {
        for (job, placement) in moved {
            let Some(order) = self.jobs.get(job).map(|member| member.order) else {
                continue;
            };
            let member = Member::new(order, placement.get());
            self.jobs.insert(*job, member);
        }
        self.regroup();
        self.settle();
    }

    fn renumber(&mut self, number: &dyn Fn(JobId) -> JobId) -> bool {
        self.jobs = sorting::map(
            std::mem::take(&mut self.jobs)
                .into_iter()
                .map(|(job, member)| (number(job), member)),
        );
        for pack in self.packs.values_mut() {
            let ends = std::mem::take(&mut pack.ends).into_vec();
            ends.into_iter().for_each(|Reverse((end, order, job))| {
                pack.ends.push(Reverse((end, order, number(job))));
            });
        }
        true
    }

    fn rotation(&self) -> Option<Rotation> {
        Some(self.rotation)
    }

    fn next(&self) -> Option<Time> {
        let end = |(rows, pack): (&u64, &Pack)| {
            pack.ends.peek().map(|Reverse((end, ..))| {
                self.rotation
                    .when(*rows, Span::from_microseconds(end - pack.clock))
            })
        };
        self.packs.iter().filter_map(end).min()
    }

    fn advance(&mut self, now: Time, ended: &mut Vec<JobId>) {
        let from = ended.len();
        for (rows, pack) in &mut self.packs {
            pack.clock += self.rotation.served(*rows, now).microseconds();
            while let Some(Reverse((end, _, job))) = pack.ends.peek()
                && *end <= pack.clock
            {
                ended.push(*job);
                pack.ends.pop();
            }
        }
        self.rotation = self.rotation.turned(now);
        if ended.len() > from {
            sorting::by(&mut ended[from..], |job| {
                [
                    self.jobs.get(job).map_or(0, |member| member.order.into()),
                    0,
                ]
            });
            for job in &ended[from..] {
                self.jobs.remove(job);
            }
            self.settle();
        }
    }

    fn fork(&self) -> Box<dyn Execution> {
        Box::new(self.clone())
    }

    fn idle(&self) -> Box<dyn Execution> {
        Box::new(Self::new(
            Rotation::new(self.rotation.quantum, self.rotation.cost),
            self.alternates,
            self.stretch,
        ))
    }
}
