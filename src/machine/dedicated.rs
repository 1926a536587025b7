//! Dedicated execution: a job has its processors to itself and ends when its run time has passed.

use super::Execution;
use crate::job::{JobId, Program};
use crate::time::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Jobs that run at full speed until they end.
#[derive(Clone, Default)]
pub struct Dedicated {
    /// (end, order of starting, job): ties end in the order in which they started.
    ends: BinaryHeap<Reverse<(Time, u32, JobId)>>,
    started: u32,
}

impl Execution for Dedicated {
    fn start(&mut self, job: JobId, program: &Program, now: Time) {
        self.ends.push(Reverse((now + program.runtime(), self.started, job)));
        self.started += 1;
    }

    fn next(&self) -> Option<Time> {
        self.ends.peek().map(|Reverse((end, _, _))| *end)
    }

    fn advance(&mut self, now: Time, ended: &mut Vec<JobId>) {
        while let Some(Reverse((end, _, job))) = self.ends.peek()
            && *end <= now
        {
            ended.push(*job);
            self.ends.pop();
        }
    }

    fn fork(&self) -> Box<dyn Execution> {
        Box::new(self.clone())
    }
}
