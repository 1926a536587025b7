//! The recorded schedule: each job starts when it started in the log. No policy decides.

use super::tools::spec::{Needs, Spec};
use crate::job::JobId;
use crate::sim::{Policy, Turn, Why};
use crate::time::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The description of the recorded schedule. It is not in the list of policies: it needs a log with
/// starts, and decides nothing.
pub const SPEC: Spec = Spec {
    id: "recorded",
    name: "Recorded",
    summary: "Jobs start when they started in the log, whether or not they fit.",
    paper: "The log itself",
    needs: Needs::Record,
    params: &[],
    check: &|_| Ok(Vec::new()),
    build: &|_| Box::new(Recorded::default()),
};

/// The jobs that have arrived and start later, by their starts.
#[derive(Clone, Default)]
struct Recorded {
    later: BinaryHeap<Reverse<(Time, JobId)>>,
}

impl Policy for Recorded {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        // A copy, because starting jobs changes the turn.
        for job in turn.arrived().to_vec() {
            if let Some(start) = turn.recorded_start(job) {
                self.later.push(Reverse((start, job)));
            }
        }
        while let Some(Reverse((start, job))) = self.later.peek().copied() {
            if start > turn.now() {
                turn.wake_at(start);
                break;
            }
            self.later.pop();
            turn.start(job);
        }
        if turn.is_watched() {
            turn.explain(&[], |_| Why::Recorded);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
