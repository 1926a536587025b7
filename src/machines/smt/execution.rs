//! Jobs on nodes that two can share: each gets on at the pace that its partners leave it.

use super::{Pairing, WHOLE};
use crate::job::{Demand, JobId};
use crate::machine::{Execution, Starting};
use crate::time::{Span, Time};
use std::any::Any;

/// Work that is left, in microseconds on nodes of its own: a fraction, so that nothing is lost
/// however often it changes pace.
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

    /// What is left after so long at a slowdown.
    fn after(self, microseconds: i64, slowdown: i64) -> Self {
        // Fractions of this size come only of many changes of pace; what is lost is less than a
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

    /// What is left after so long at a slowdown, to the next whole microsecond.
    fn rounded(self, microseconds: i64, slowdown: i64) -> i64 {
        let done = i128::from(microseconds) * i128::from(WHOLE) / i128::from(slowdown);
        ((self.above + self.below - 1) / self.below - done).max(0) as i64
    }

    /// How long that takes at a slowdown, to the next whole microsecond.
    fn takes(self, slowdown: i64) -> i64 {
        let below = self.below * i128::from(WHOLE);
        i64::try_from((self.above * i128::from(slowdown) + below - 1) / below).unwrap_or(i64::MAX)
    }
}

/// The greatest common divisor.
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
    /// How many had started before it.
    order: u64,
    row: usize,
    nodes: Vec<u32>,
    demand: Option<Demand>,
    /// What it takes on nodes of its own, in microseconds, and what is left of that.
    work: i64,
    left: Left,
    /// Since when it gets on at this slowdown, and when it so will end.
    since: Time,
    slowdown: i64,
    end: Time,
}

/// What policies that let jobs share nodes may know: what two jobs do to each other, and how much of
/// a running job is done. It has no run times.
#[derive(Clone)]
pub struct Sharing {
    pairing: Pairing,
    /// By job.
    jobs: Vec<SmtJob>,
}

impl Sharing {
    /// What two jobs on the same nodes do to each other.
    pub const fn pairing(&self) -> Pairing {
        self.pairing
    }

    /// How much of a running job is done, in time on nodes of its own.
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

/// Jobs on nodes that two can share.
#[derive(Clone)]
pub struct Smt {
    nodes: usize,
    stretch: i64,
    /// Who is on each node.
    on: Vec<[Option<JobId>; 2]>,
    sharing: Sharing,
    /// How many have started.
    started: u64,
}

impl Smt {
    /// So many nodes with nobody on them.
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

    /// The jobs that share a node with this one, each once.
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

    /// A job is as slow as on its slowest node.
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

    /// These jobs, as far as they run, get on at the pace that their partners of now leave them.
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
