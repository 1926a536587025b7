//! A priority queue without reservations: the policy tries jobs in order, and later jobs may pass a
//! job that must wait. This is the oldest way to keep processors busy, and needs no estimates
//! unless the order does.
//!
//! Wide jobs can starve. Schedulers of this kind therefore set a limit: no job passes a job that
//! has waited too long or was passed too often. H. Rajaei and M. B. Dadfar, "High-performance
//! computing student projects", ASEE 2007, section 3.1.

use super::tools::order::{
    ORDER_SHORTEST, Ranking, WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE, WEIGHT_WAIT,
};
use super::tools::prediction::{CORRECTION, ESTIMATES, with_beliefs};
use super::tools::spec::{Needs, Spec};
use crate::job::JobId;
use crate::param::{Settings, Typed, When, real, whole, words};
use crate::sim::Policy;
use crate::sim::{Turn, Waiting, Why};
use crate::time::Span;

words! {
    /// The rule that keeps jobs from being passed for ever.
    enum Starvation {
        Wait = "wait": "jobs that have waited for a given time go first, in order of arrival, and \
            no job passes them",
        Passes = "passes": "no job passes a job that was passed a given number of times",
        None = "none": "no rule, so wide jobs can starve",
    }
}

const STARVATION: Typed<Starvation> =
    Starvation::param("starvation", "Against starvation", Starvation::Wait)
        .help("The rule that keeps jobs from being passed for ever");

const WAIT_LIMIT: Typed<f64> = real("wait_limit", "Waiting limit", 0.0..=1e6, 24.0)
    .unit("h")
    .when(When {
        keys: &["starvation"],
        words: &["wait"],
    })
    .help("A job that has waited this long goes first; the paper names 12 and 24 hours");

const PASS_LIMIT: Typed<i64> = whole("pass_limit", "Jobs that may pass", 0..=1_000_000, 100)
    .unit("jobs")
    .when(When {
        keys: &["starvation"],
        words: &["passes"],
    })
    .help("Number of jobs of lower priority that may pass a waiting job; 0 is strict priority");

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "priority",
    name: "Priority queue",
    summary: "Jobs start in order of priority and may pass jobs that do not fit; a limit keeps \
        wide jobs from starving.",
    paper: "Rajaei and Dadfar, ASEE 2007, section 3.1",
    needs: Needs::Room,
    params: &[
        ORDER_SHORTEST.param,
        STARVATION.param,
        WAIT_LIMIT.param,
        PASS_LIMIT.param,
        ESTIMATES.param,
        CORRECTION.param,
        WEIGHT_WAIT.param,
        WEIGHT_EXPANSION.param,
        WEIGHT_SIZE.param,
        WEIGHT_PASSED.param,
    ],
    check: &|_| Ok(Vec::new()),
    build: &|settings| with_beliefs(Priority::new(settings), settings),
};

/// The limit from which on a job is not passed any more.
#[derive(Copy, Clone)]
enum PassLimit {
    None,
    Wait(Span),
    Passes(u32),
}

#[derive(Clone)]
struct Priority {
    order: Ranking,
    limit: PassLimit,
}

impl Priority {
    fn new(settings: &Settings) -> Self {
        let order = Ranking::new(settings, &ORDER_SHORTEST);
        let (order, limit) = match settings.get(&STARVATION) {
            Starvation::Wait => (
                order,
                PassLimit::Wait(Span::from_seconds(1).scaled(3600.0 * settings.get(&WAIT_LIMIT))),
            ),
            Starvation::Passes => (
                order.counting_passes(),
                PassLimit::Passes(settings.get(&PASS_LIMIT) as u32),
            ),
            Starvation::None => (order, PassLimit::None),
        };
        Self { order, limit }
    }

    /// Starts every job that may start. If a job must wait and may not be passed, returns that job.
    fn schedule(&mut self, turn: &mut Turn<'_>) -> Option<JobId> {
        match self.limit {
            PassLimit::Wait(limit) => {
                // The jobs that have reached the limit are the first in order of arrival.
                while let Some(head) = turn.queue().head().copied()
                    && turn.now() - turn.request(head.job).submitted >= limit
                {
                    if !turn.fits(&head) || !self.order.start(turn, &head) {
                        return Some(head.job);
                    }
                }
                self.pass_freely(turn);
                None
            }
            PassLimit::Passes(limit) => self.pass_up_to(limit, turn),
            PassLimit::None => {
                self.pass_freely(turn);
                None
            }
        }
    }

    /// Starts every job that fits, in order.
    fn pass_freely(&mut self, turn: &mut Turn<'_>) {
        let room = turn.room();
        let mut candidates: Vec<Waiting> = turn.queue().admitted(|size, _| size <= room).collect();
        self.order.sort(turn, &mut candidates);
        for job in candidates {
            if turn.fits(&job) {
                self.order.start(turn, &job);
            }
        }
    }

    /// Starts every job that fits, in order, up to a job that must wait and was passed `limit`
    /// times. Returns that job.
    fn pass_up_to(&mut self, limit: u32, turn: &mut Turn<'_>) -> Option<JobId> {
        let mut passed: Vec<JobId> = Vec::new();
        for job in self.order.sorted(turn) {
            if turn.fits(&job) && self.order.start(turn, &job) {
                let enough = passed
                    .iter()
                    .find(|ahead| self.order.passes(**ahead) >= limit);
                if enough.is_some() {
                    return enough.copied();
                }
            } else if self.order.passes(job.job) >= limit {
                return Some(job.job);
            } else {
                passed.push(job.job);
            }
        }
        None
    }
}

impl Policy for Priority {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        if turn.free() == 0 && !turn.is_watched() {
            return;
        }
        let barrier = self.schedule(turn);
        if turn.is_watched() {
            let (free, room) = (turn.free(), turn.room());
            let too_large = turn.too_large(free);
            turn.explain(&[], |job| match barrier {
                _ if job.processors > free => Why::Processors { free },
                _ if job.processors > room => too_large,
                Some(ahead) if ahead != job.job => Why::Behind { ahead },
                _ => Why::NotTried,
            });
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
