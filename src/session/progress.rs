//! A run in short: its facts, its progress and its figures.

use super::state::Session;
use super::workload::WorkloadFacts;
use crate::metrics::{Grouping, JobClass, measure_classes};
use crate::policy::candidates::Candidate;
use crate::problem::Problem;
use serde::Serialize;

/// The facts about a run.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RunFacts {
    /// The workload, after reading and shaping.
    pub workload: WorkloadFacts,
    /// Name of the policy.
    pub policy: &'static str,
    /// Number of rows of the Ousterhout matrix; 1 if processors are dedicated.
    pub slots: u32,
    /// Number of GPUs that timelines can have rows for; 0 if the machine has none, or too many.
    pub gpus: u32,
    /// True if the machine simulates processes.
    pub processes: bool,
    /// True if two jobs on a node run at the same time.
    pub at_once: bool,
    /// True if the policy looks for partners.
    pub matches: bool,
    /// The candidates of an adaptive policy.
    pub candidates: Vec<CandidateFacts>,
    /// Sentences on what the policy leaves out of its settings, and on jobs that it never starts.
    pub not_modelled: Vec<String>,
}

/// A candidate of an adaptive policy.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CandidateFacts {
    /// Name of the candidate among the candidates of the run.
    pub name: String,
    /// Name of the policy.
    pub policy: &'static str,
}

/// The progress of a run.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RunProgress {
    /// Instant that the run has reached, in seconds.
    pub now: f64,
    /// Number of jobs that have ended.
    pub finished: u32,
    /// Number of jobs in the workload.
    pub jobs: u32,
    /// Number of jobs that wait now.
    pub waiting: usize,
    /// True if the run is over.
    pub done: bool,
}

/// The figures of a complete run.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RunResult {
    /// Figures by key, such as `wait.mean`.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, number>"))]
    pub figures: std::collections::BTreeMap<String, f64>,
    /// Digest of the schedule, in hex.
    pub digest: String,
    /// Last end of a job, in seconds.
    pub end: f64,
    /// Number of jobs that a rule of the policy leaves waiting for ever.
    pub pending: u32,
}

impl Session {
    /// Returns the facts about the run.
    pub fn facts(&self) -> RunFacts {
        let scenario = &self.run().scenario;
        let candidate = |candidate: Candidate| CandidateFacts {
            name: candidate.name,
            policy: candidate.spec.name,
        };
        RunFacts {
            workload: WorkloadFacts::of(&self.schedule().workload),
            policy: scenario.policy.name,
            slots: scenario.slots(),
            gpus: self.schedule().own.unit_count(&self.schedule().workload),
            processes: scenario.machine.offer.processes,
            at_once: scenario.machine.offer.at_once,
            matches: scenario.matches(),
            candidates: scenario.candidates().into_iter().map(candidate).collect(),
            not_modelled: self.run().not_modelled(),
        }
    }

    /// Returns the progress of the run.
    pub fn progress(&self) -> RunProgress {
        let progress = self.run().progress();
        RunProgress {
            now: progress.now.seconds(),
            finished: progress.finished,
            jobs: progress.jobs,
            waiting: self.run().waiting(),
            done: progress.done,
        }
    }

    /// Returns the figures of each class of jobs.
    pub fn classes(&self, grouping: Grouping) -> Vec<JobClass> {
        measure_classes(self.schedule(), &self.run().scenario.settings, grouping)
    }

    /// Returns every figure of the complete run.
    ///
    /// # Errors
    /// If the run has not ended, or no rule of the policy leaves jobs waiting that wait.
    pub fn result(&mut self) -> Result<RunResult, Problem> {
        self.run().check_ended()?;
        let figures = self.measures().figures.clone();
        let progress = self.run().progress();
        let schedule = self.schedule();
        Ok(RunResult {
            figures,
            digest: format!("{:016x}", schedule.digest()),
            end: schedule.span().1.seconds(),
            pending: progress.jobs - progress.finished,
        })
    }
}
