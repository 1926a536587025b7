//! A workload under another policy, in the background: on a machine of its own, over the same
//! arrivals. From its first job on, or from the present of the real run.
//!
//! It is how a policy learns what another one would have made of the jobs. Unlike a turn it knows
//! when jobs end, on its own machine and up to the present: there they have ended.

use super::world::World;
use super::{Silent, Simulation, Turn};
use crate::job::Request;
use crate::time::{Span, Time};

/// What happened in some time. Jobs of no length are left out: whether they belong to a time that
/// ends when they run depends on who decides at that instant.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Jobs that ended.
    pub ended: u64,
    /// Their responses, in microseconds.
    pub response: i128,
    /// Their waits, in microseconds.
    pub wait: i128,
    /// Their slowdowns, in billionths, so that sums do not depend on the order in which jobs ended.
    pub slowdown: i128,
    /// Their bounded slowdowns, in billionths.
    pub bounded_slowdown: i128,
    /// Processors asked for by running jobs x time, in microseconds.
    pub work: i128,
}

impl Tally {
    /// Both times together.
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

/// A run in the background.
pub struct Rehearsal(Simulation);

impl Rehearsal {
    pub(super) fn new(mut simulation: Simulation) -> Self {
        simulation.world.keep_tally();
        Self(simulation)
    }

    pub(super) fn end(self) -> World {
        self.0.world
    }

    /// A copy with the same future.
    pub fn fork(&self) -> Self {
        Self(self.0.fork())
    }

    /// Goes on through the instant of a turn, and no further: what happened since the last time.
    pub fn advance(&mut self, turn: &Turn<'_>) -> Tally {
        self.0.advance_through(turn.now(), &mut Silent);
        self.0.world.take_tally(turn.now())
    }
}

/// Keeps the tally of a run.
#[derive(Clone)]
pub(super) struct Clerk {
    /// Processors asked for by the running jobs, and since when.
    used: u64,
    since: Time,
    tally: Tally,
}

/// Run times below this count as this in the bounded slowdown.
const THRESHOLD: Span = Span::from_seconds(10);

fn billionths(ratio: f64) -> i128 {
    (ratio * 1e9).round() as i128
}

impl Clerk {
    /// From now on, with so many processors asked for by the running jobs.
    pub(super) fn new(now: Time, used: u64) -> Self {
        Self {
            used,
            since: now,
            tally: Tally::default(),
        }
    }

    /// What happened since the last time.
    pub(super) fn take(&mut self, now: Time) -> Tally {
        self.pass(now);
        std::mem::take(&mut self.tally)
    }

    pub(super) fn started(&mut self, now: Time, request: &Request) {
        self.pass(now);
        self.used += u64::from(request.processors);
    }

    /// A job has ended that started at `start`.
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

    fn pass(&mut self, now: Time) {
        self.tally.work += i128::from(self.used) * i128::from((now - self.since).microseconds());
        self.since = now;
    }
}
