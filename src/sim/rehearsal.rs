//! The whole workload under another policy, in the background: on a machine of its own, over the same arrivals.
//!
//! It is how a policy learns what another one would have made of the jobs. Unlike a turn it knows when jobs end, on its
//! own machine and up to the present: there they have ended.

use super::{Event, Observer, Simulation, Turn};
use crate::time::{Span, Time};
use crate::workload::Workload;
use std::sync::Arc;

/// What happened in some time.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Jobs that ended.
    pub ended: u64,
    /// Their responses, in microseconds.
    pub response: i128,
    /// Their waits, in microseconds.
    pub wait: i128,
    /// Their slowdowns, in billionths, so that sums do not depend on the order in which jobs ended; jobs of zero length are
    /// left out.
    pub slowdown: i128,
    /// Jobs that have a slowdown.
    pub with_slowdown: u64,
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
            with_slowdown: self.with_slowdown + other.with_slowdown,
            bounded_slowdown: self.bounded_slowdown + other.bounded_slowdown,
            work: self.work + other.work,
        }
    }
}

/// A run in the background.
pub struct Rehearsal {
    simulation: Simulation,
    clerk: Clerk,
}

impl Rehearsal {
    pub(super) fn new(simulation: Simulation) -> Self {
        let workload = Arc::clone(simulation.workload());
        let since = workload.requests.first().map_or(Time::ZERO, |request| request.submitted);
        let starts = vec![Time::NEVER; workload.len()];
        Self { simulation, clerk: Clerk { workload, starts, used: 0, since, tally: Tally::default() } }
    }

    /// A copy with the same future.
    pub fn fork(&self) -> Self {
        Self { simulation: self.simulation.fork(), clerk: self.clerk.clone() }
    }

    /// Goes on through the instant of a turn, and no further: what happened since the last time.
    pub fn advance(&mut self, turn: &Turn<'_>) -> Tally {
        self.simulation.advance_through(turn.now(), &mut self.clerk);
        self.clerk.pass(turn.now());
        std::mem::take(&mut self.clerk.tally)
    }
}

/// Keeps the tally.
#[derive(Clone)]
struct Clerk {
    workload: Arc<Workload>,
    starts: Vec<Time>,
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
    fn pass(&mut self, now: Time) {
        self.tally.work += i128::from(self.used) * i128::from((now - self.since).microseconds());
        self.since = now;
    }
}

impl Observer for Clerk {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        match *event {
            Event::Started(job, _, delay) => {
                self.pass(at);
                self.starts[job.index()] = at + delay;
                self.used += u64::from(self.workload.request(job).processors);
            }
            Event::Finished(job) => {
                self.pass(at);
                let request = self.workload.request(job);
                self.used -= u64::from(request.processors);
                let start = self.starts[job.index()];
                let (response, run_time) = (at - request.submitted, at - start);
                self.tally.ended += 1;
                self.tally.response += i128::from(response.microseconds());
                self.tally.wait += i128::from((start - request.submitted).microseconds());
                if run_time > Span::ZERO {
                    self.tally.with_slowdown += 1;
                    self.tally.slowdown += billionths(response.seconds() / run_time.seconds());
                }
                self.tally.bounded_slowdown += billionths(response.max(THRESHOLD).seconds() / run_time.max(THRESHOLD).seconds());
            }
            _ => {}
        }
    }
}
