//! The policy up to the instant of a forecast: it starts the jobs that run.

use crate::cluster::NodeUse;
use crate::job::JobId;
use crate::sim::{Policy, Turn};
use crate::time::Time;
use std::sync::Arc;

/// A job that runs at the instant.
#[derive(Clone, Debug)]
pub struct RunningStart {
    /// Its start.
    pub at: Time,
    /// The job.
    pub job: JobId,
    /// Its nodes and the tasks on them; empty if the file does not name them.
    pub nodes: Arc<[NodeUse]>,
}

/// Starts jobs at given instants, on given nodes if they fit there, and else wherever they fit.
#[derive(Clone)]
pub struct Starter {
    /// The jobs, by their starts.
    jobs: Arc<[RunningStart]>,
    next: usize,
    /// The jobs that are due and did not fit.
    refused: Vec<usize>,
}

impl Starter {
    /// Returns the policy for jobs in the order of their starts.
    pub const fn new(jobs: Arc<[RunningStart]>) -> Self {
        Self {
            jobs,
            next: 0,
            refused: Vec::new(),
        }
    }
}

impl Policy for Starter {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        // With a decision after each event, a job can be due before it arrives.
        let mut due = std::mem::take(&mut self.refused);
        while self
            .jobs
            .get(self.next)
            .is_some_and(|job| job.at <= turn.now())
        {
            due.push(self.next);
            self.next += 1;
        }
        for at in due {
            let RunningStart { job, nodes, .. } = &self.jobs[at];
            let is_there = !nodes.is_empty() && turn.start_on_nodes(*job, nodes);
            if !is_there && !turn.start(*job) {
                self.refused.push(at);
            }
        }
        if let Some(next) = self.jobs.get(self.next) {
            turn.wake_at(next.at);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
