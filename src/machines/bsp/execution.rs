//! Execution of jobs as processes on a cluster.

use super::cluster::{self, Algorithm, Arrival, Constants, Probe, ProcessCluster};
use super::note::{Classified, Worked};
use crate::job::{JobId, Pattern, Shape};
use crate::machine::{Execution, Note, Rotation, Starting};
use crate::time::{Span, Time};
use std::any::Any;
use std::sync::Arc;

/// A question that returns the notes of a probe.
pub struct ReadProbe;

/// Execution of jobs as processes on a cluster.
#[derive(Clone)]
pub struct Bsp {
    cluster: ProcessCluster,
    columns: u32,
    rows: u32,
    seed: u64,
    stretch: i64,
    now: Time,
    worked: Vec<Worked>,
}

/// Returns how long an iteration of a job takes in the long run on dedicated processors, in
/// microseconds. It is determined by the slowest process, or by processes that wait for each
/// other's messages.
pub fn iteration(shape: &Shape, size: u32, latency: i64) -> i64 {
    let computes = (0..size).map(|rank| shape.compute_of(rank));
    let slowest = computes.max().unwrap_or(0);
    match shape.pattern {
        Pattern::Barrier if size > 1 => slowest + latency,
        Pattern::Ring | Pattern::Grid if size > 1 => {
            let neighbours = cluster::neighbours(shape.pattern, size);
            let degree = neighbours.len() / size as usize;
            let pair = |(at, other): (usize, &u32)| {
                i64::midpoint(
                    shape.compute_of((at / degree.max(1)) as u32),
                    shape.compute_of(*other),
                ) + latency
            };
            neighbours
                .iter()
                .enumerate()
                .map(pair)
                .max()
                .unwrap_or(0)
                .max(slowest)
        }
        _ => slowest,
    }
}

impl Bsp {
    /// Returns an execution on a cluster with this number of processors and of rows.
    pub fn new((columns, rows): (u32, u32), constants: Constants, seed: u64, stretch: i64) -> Self {
        Self {
            cluster: ProcessCluster::new(columns, rows, constants, seed),
            columns,
            rows,
            seed,
            stretch,
            now: Time::ZERO,
            worked: Vec::new(),
        }
    }
}

impl Execution for Bsp {
    fn stretch(&self) -> i64 {
        self.stretch
    }

    fn start(&mut self, starting: Starting<'_>, now: Time) {
        self.now = now;
        let row = starting.placement.row;
        let columns: Vec<u32> = starting.placement.columns().collect();
        let runtime = starting.program.runtime.microseconds();
        let rigid = || {
            Arc::new(Shape {
                pattern: Pattern::None,
                compute: vec![runtime],
                group: 1,
                jitter: 0,
                seed: 0,
            })
        };
        let shape = starting.shape.cloned().unwrap_or_else(rigid);
        let each = iteration(&shape, columns.len() as u32, self.cluster.latency()).max(1);
        let iterations = ((runtime + each / 2) / each).max(1) as u64;
        self.cluster.start(
            &Arrival {
                id: starting.job,
                row,
                columns: &columns,
                shape,
                iterations,
            },
            now.microseconds(),
        );
    }

    fn next(&self) -> Option<Time> {
        self.cluster
            .ended
            .first()
            .map(|(end, _)| Time::from_microseconds(*end))
    }

    fn look_ahead(&mut self, until: Time, budget: u64) -> bool {
        self.cluster.run(until.microseconds(), budget)
    }

    fn is_busy(&self) -> bool {
        self.cluster.is_busy()
    }

    fn reached(&self) -> Option<Time> {
        self.is_busy()
            .then(|| Time::from_microseconds(self.cluster.now()))
    }

    fn rotation(&self) -> Option<Rotation> {
        let is_rotating = matches!(
            self.cluster.constants().algorithm,
            Algorithm::Gang | Algorithm::Flexible
        );
        let (rows, row, slice_end) = self
            .cluster
            .turn_of()
            .or(is_rotating.then_some((0, 0, 0)))?;
        let quantum = Span::from_microseconds(self.cluster.constants().thresholds.slice);
        let slice_end = Time::from_microseconds(slice_end);
        let is_strict = self.cluster.constants().algorithm == Algorithm::Gang;
        Some(Rotation {
            at: self.now,
            rows,
            row,
            runs_from: slice_end - quantum,
            slice_end,
            quantum,
            cost: Span::ZERO,
            is_strict,
        })
    }

    fn look(&mut self, question: &dyn Any) -> Option<Box<dyn Any>> {
        if let Some(probe) = question.downcast_ref::<Probe>() {
            self.cluster.probe(*probe);
            return None;
        }
        let asks_what_was_seen = question.is::<ReadProbe>();
        let probed = self.cluster.take_probed().filter(|_| asks_what_was_seen)?;
        Some(Box::new(probed))
    }

    fn tell(&mut self, told: &mut dyn FnMut(Time, &dyn Note)) {
        for found in self.cluster.take_reclassified() {
            let (job, rank, class) = (found.job, found.rank, found.class);
            let at = Time::from_microseconds(found.at);
            told(
                at,
                &Classified {
                    job,
                    rank,
                    at,
                    class,
                },
            );
        }
        for worked in std::mem::take(&mut self.worked) {
            told(self.now, &worked);
        }
    }

    fn advance(&mut self, now: Time, ended: &mut Vec<JobId>) {
        self.now = now;
        while let Some((end, job)) = self.cluster.ended.first().copied()
            && end <= now.microseconds()
        {
            self.cluster.ended.remove(0);
            let computed = self.cluster.computed_by(job).into_iter();
            let computed = computed.map(|(computed, _)| computed).collect();
            self.worked.push(Worked { job, computed });
            self.cluster.forget(job, now.microseconds());
            ended.push(job);
        }
    }

    fn fork(&self) -> Box<dyn Execution> {
        Box::new(self.clone())
    }

    fn idle(&self) -> Box<dyn Execution> {
        Box::new(Self {
            cluster: ProcessCluster::new(
                self.columns,
                self.rows,
                *self.cluster.constants(),
                self.seed,
            ),
            ..self.clone()
        })
    }
}
