//! Execution of jobs on nodes that two jobs can share. Each job progresses at the pace that its
//! partners leave it.

use super::{Pairing, WHOLE};
use crate::job::{Demand, JobId};
use crate::machine::{Execution, Starting};
use crate::time::{Span, Time};
use std::any::Any;

/// Work that is left, in microseconds on dedicated nodes. It is a fraction, so that nothing is lost
/// however often the pace changes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Left {
    above: i128,
    below: i128,
}

impl Left {
    const fn all(work: i64) -> Self {
        Self {
            above: work as i128,
            below: 1,
        }
    }

    /// Returns the work that is left after this time at a slowdown.
    fn after(self, microseconds: i64, slowdown: i64) -> Self {
        // Only many changes of pace give fractions of this size. Rounding loses less than a
        // millionth of a microsecond.
        const LARGEST: i128 = 1_000_000_000_000_000;
        const FINE: i128 = 1_000_000;
        let (slowdown, whole) = (i128::from(slowdown), i128::from(WHOLE));
        let above = (self.above * slowdown - i128::from(microseconds) * whole * self.below).max(0);
        let below = self.below * slowdown;
        let by = common(above, below);
        let left = Self {
            above: above / by,
            below: below / by,
        };
        if left.below <= LARGEST {
            return left;
        }
        Self {
            above: (left.above * FINE + left.below - 1) / left.below,
            below: FINE,
        }
    }

    /// Returns the work that is left after this time at a slowdown, in whole microseconds, never
    /// too little.
    fn rounded(self, microseconds: i64, slowdown: i64) -> i64 {
        let done = i128::from(microseconds) * i128::from(WHOLE) / i128::from(slowdown);
        ((self.above + self.below - 1) / self.below - done).max(0) as i64
    }

    /// Returns the time that the work takes at a slowdown, rounded up to a whole microsecond.
    fn takes(self, slowdown: i64) -> i64 {
        let below = self.below * i128::from(WHOLE);
        i64::try_from((self.above * i128::from(slowdown) + below - 1) / below).unwrap_or(i64::MAX)
    }
}

/// Returns the greatest common divisor; 1 if both numbers are 0.
const fn common(mut one: i128, mut other: i128) -> i128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    if one == 0 { 1 } else { one }
}

/// A running job.
#[derive(Clone, Debug)]
struct SmtJob {
    job: JobId,
    /// Number of jobs that had started before this job.
    order: u64,
    row: usize,
    nodes: Vec<u32>,
    demand: Option<Demand>,
    /// Run time on dedicated nodes, in microseconds.
    work: i64,
    /// Work that was left at `since`.
    left: Left,
    /// Instant from which the job progresses at its current slowdown.
    since: Time,
    slowdown: i64,
    /// End of the job, if its slowdown does not change.
    end: Time,
}

/// Offer to policies that let jobs share nodes: the rules for slowdowns, and how much of each
/// running job is done. It reveals no run times.
#[derive(Clone)]
pub struct Sharing {
    pairing: Pairing,
    /// Running jobs, in order of their ids.
    jobs: Vec<SmtJob>,
}

impl Sharing {
    /// Returns the rules for the slowdown of two jobs on the same nodes.
    pub const fn pairing(&self) -> Pairing {
        self.pairing
    }

    /// Returns how much of a running job is done, as time on dedicated nodes; zero if it does not
    /// run.
    pub fn done(&self, job: JobId, now: Time) -> Span {
        let Some(running) = self.running(job) else {
            return Span::ZERO;
        };
        let past = (now - running.since).microseconds();
        let left = running.left.rounded(past, running.slowdown);
        Span::from_microseconds(running.work - left)
    }

    fn running(&self, job: JobId) -> Option<&SmtJob> {
        let found = self.jobs.binary_search_by_key(&job, |running| running.job);
        found.ok().map(|at| &self.jobs[at])
    }
}

/// Execution of jobs on nodes that two jobs can share.
#[derive(Clone)]
pub struct Smt {
    nodes: usize,
    stretch: i64,
    /// Jobs on each node, by row.
    on: Vec<[Option<JobId>; 2]>,
    sharing: Sharing,
    /// Number of jobs that have started.
    started: u64,
}

impl Smt {
    /// Returns an execution on `nodes` nodes without jobs.
    pub fn new(nodes: u32, pairing: Pairing, stretch: i64) -> Self {
        let nodes = nodes as usize;
        let jobs = Vec::new();
        Self {
            nodes,
            stretch,
            on: vec![[None; 2]; nodes],
            sharing: Sharing { pairing, jobs },
            started: 0,
        }
    }

    /// Returns the jobs that share a node with this job, each once.
    fn partners(&self, running: &SmtJob) -> Vec<JobId> {
        let mut partners = Vec::new();
        for partner in running
            .nodes
            .iter()
            .filter_map(|node| self.on[*node as usize][1 - running.row])
        {
            if !partners.contains(&partner) {
                partners.push(partner);
            }
        }
        partners
    }

    /// Returns the slowdown of a job, which is that on its slowest node.
    fn slowdown(&self, running: &SmtJob) -> i64 {
        let of = |partner: &JobId| {
            self.sharing.running(*partner).map_or(WHOLE, |other| {
                self.sharing
                    .pairing
                    .slowdown(running.demand.as_ref(), other.demand.as_ref())
            })
        };
        self.partners(running).iter().map(of).max().unwrap_or(WHOLE)
    }

    /// Sets the pace of these jobs by their current partners. Jobs that do not run are skipped.
    fn pace(&mut self, jobs: &[JobId], now: Time) {
        for at in jobs
            .iter()
            .filter_map(|job| {
                self.sharing
                    .jobs
                    .binary_search_by_key(job, |running| running.job)
                    .ok()
            })
            .collect::<Vec<_>>()
        {
            let slowdown = self.slowdown(&self.sharing.jobs[at]);
            let running = &mut self.sharing.jobs[at];
            if slowdown != running.slowdown {
                running.left = running
                    .left
                    .after((now - running.since).microseconds(), running.slowdown);
                (running.since, running.slowdown) = (now, slowdown);
                running.end =
                    now.saturating_add(Span::from_microseconds(running.left.takes(slowdown)));
            }
        }
    }
}

impl Execution for Smt {
    fn stretch(&self) -> i64 {
        self.stretch
    }

    fn offers(&self) -> Option<&dyn Any> {
        Some(&self.sharing)
    }

    fn start(&mut self, starting: Starting<'_>, now: Time) {
        let nodes: Vec<u32> = starting.placement.columns().collect();
        let row = starting.placement.row.min(1) as usize;
        nodes
            .iter()
            .for_each(|node| self.on[*node as usize][row] = Some(starting.job));
        let runtime = starting.program.runtime;
        let left = Left::all(runtime.microseconds());
        let running = SmtJob {
            job: starting.job,
            order: self.started,
            row,
            nodes,
            demand: starting.demand.copied(),
            work: runtime.microseconds(),
            left,
            since: now,
            slowdown: WHOLE,
            end: now.saturating_add(runtime),
        };
        let mut changed = self.partners(&running);
        changed.push(starting.job);
        self.started += 1;
        let place = self
            .sharing
            .jobs
            .partition_point(|other| other.job < starting.job);
        self.sharing.jobs.insert(place, running);
        self.pace(&changed, now);
    }

    fn next(&self) -> Option<Time> {
        self.sharing.jobs.iter().map(|running| running.end).min()
    }

    fn advance(&mut self, now: Time, ended: &mut Vec<JobId>) {
        let mut changed = Vec::new();
        let mut gone: Vec<SmtJob> = self
            .sharing
            .jobs
            .extract_if(.., |running| running.end <= now)
            .collect();
        if gone.len() > 1 {
            crate::sorting::by(&mut gone, |running| [running.order.into(), 0]);
        }
        for running in gone {
            ended.push(running.job);
            for node in &running.nodes {
                let node = &mut self.on[*node as usize];
                node[running.row] = None;
                changed.extend(node[1 - running.row].filter(|job| changed.last() != Some(job)));
            }
        }
        self.pace(&changed, now);
    }

    fn renumber(&mut self, number: &dyn Fn(JobId) -> JobId) -> bool {
        self.sharing
            .jobs
            .iter_mut()
            .for_each(|running| running.job = number(running.job));
        self.on
            .as_flattened_mut()
            .iter_mut()
            .flatten()
            .for_each(|job| *job = number(*job));
        true
    }

    fn fork(&self) -> Box<dyn Execution> {
        Box::new(self.clone())
    }

    fn idle(&self) -> Box<dyn Execution> {
        let Sharing { pairing, .. } = self.sharing;
        Box::new(Self::new(self.nodes as u32, pairing, self.stretch))
    }
}
