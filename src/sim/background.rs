//! Background simulations: the same workload under another policy, on a machine of its own. A
//! background simulation begins with the first job of the workload or at the present of the real
//! run.
//!
//! It tells an adaptive policy what another policy would have made of the jobs. Unlike a turn it
//! reveals when jobs end, but only up to the present, at which they have ended.

use super::world::World;
use super::{Silent, Simulation, Turn};
use crate::job::Request;
use crate::time::{Span, Time};

/// Totals of a period: its work, and the times of the jobs that ended in it. Jobs with run time 0 do
/// not count. Whether they belong to a period that ends at the instant at which they run depends on
/// the policy that decides at that instant.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Number of jobs that ended.
    pub ended: u64,
    /// Sum of their responses, in microseconds.
    pub response: i128,
    /// Sum of their waits, in microseconds.
    pub wait: i128,
    /// Sum of their slowdowns, in billionths. An integer sum does not depend on the order in which
    /// jobs ended.
    pub slowdown: i128,
    /// Sum of their bounded slowdowns, in billionths.
    pub bounded_slowdown: i128,
    /// Sum over the running jobs of processors asked for times time, in processor-microseconds.
    pub work: i128,
}

impl Tally {
    /// Returns the totals of both periods together.
    pub fn and(self, other: Self) -> Self {
        Self {
            ended: self.ended + other.ended,
            response: self.response + other.response,
            wait: self.wait + other.wait,
            slowdown: self.slowdown + other.slowdown,
            bounded_slowdown: self.bounded_slowdown + other.bounded_slowdown,
            work: self.work + other.work,
        }
    }
}

/// A background simulation.
pub struct BackgroundSimulation(Simulation);

impl BackgroundSimulation {
    pub(super) fn new(mut simulation: Simulation) -> Self {
        simulation.world.keep_tally();
        Self(simulation)
    }

    pub(super) fn end(self) -> World {
        self.0.world
    }

    /// Returns an independent copy in the same state.
    pub fn fork(&self) -> Self {
        Self(self.0.fork())
    }

    /// Advances through the instant of a turn, and no further. Returns the totals since the last
    /// call. If the policy in the background cannot go on, the run of the turn stops too.
    pub fn advance(&mut self, turn: &mut Turn<'_>) -> Tally {
        self.0.advance_through(turn.now(), &mut Silent);
        if let Some(problem) = self.0.failed() {
            turn.fail(problem.clone());
        }
        self.0.world.take_tally(turn.now())
    }
}

/// Adds up the totals of a run.
#[derive(Clone)]
pub(super) struct Clerk {
    /// Processors asked for by the jobs that run since `since`.
    used: u64,
    since: Time,
    tally: Tally,
}

/// Threshold of the bounded slowdown.
const THRESHOLD: Span = Span::from_seconds(10);

fn billionths(ratio: f64) -> i128 {
    (ratio * 1e9).round() as i128
}

impl Clerk {
    /// Starts counting at `now`; the running jobs have asked for `used` processors.
    pub(super) fn new(now: Time, used: u64) -> Self {
        Self {
            used,
            since: now,
            tally: Tally::default(),
        }
    }

    /// Returns the totals since the last call.
    pub(super) fn take(&mut self, now: Time) -> Tally {
        self.pass(now);
        std::mem::take(&mut self.tally)
    }

    pub(super) fn started(&mut self, now: Time, request: &Request) {
        self.pass(now);
        self.used += u64::from(request.processors);
    }

    /// Counts a job that started at `start` and ends now.
    pub(super) fn ended(&mut self, now: Time, request: &Request, start: Time) {
        self.pass(now);
        self.used -= u64::from(request.processors);
        let (response, run_time) = (now - request.submitted, now - start);
        if run_time > Span::ZERO {
            self.tally.ended += 1;
            self.tally.response += i128::from(response.microseconds());
            self.tally.wait += i128::from((start - request.submitted).microseconds());
            self.tally.slowdown += billionths(response.seconds() / run_time.seconds());
            self.tally.bounded_slowdown +=
                billionths(response.max(THRESHOLD).seconds() / run_time.max(THRESHOLD).seconds());
        }
    }

    /// Counts a job that stops now and will start anew.
    pub(super) fn stopped(&mut self, now: Time, request: &Request) {
        self.pass(now);
        self.used -= u64::from(request.processors);
    }

    fn pass(&mut self, now: Time) {
        self.tally.work += i128::from(self.used) * i128::from((now - self.since).microseconds());
        self.since = now;
    }
}
