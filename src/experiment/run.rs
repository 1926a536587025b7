//! A recorded run: simulation, record and step functions together, as page and command line use it.

use super::scenario::Resolved;
use crate::metrics::{Measures, measure};
use crate::problem::Problem;
use crate::schedule::{Recorder, Schedule, files};
use crate::sim::{Progress, Simulation};
use crate::trace::Trace;
use crate::view::Steps;
use crate::workload::Workload;
use std::sync::Arc;

/// A run and all that is recorded of it.
pub struct Run {
    /// How it was made.
    pub scenario: Resolved,
    /// The trace of its workload.
    pub trace: Arc<Trace>,
    simulation: Simulation,
    observers: (Recorder, Steps),
}

impl Run {
    pub(super) fn new(scenario: Resolved, trace: Arc<Trace>, workload: Arc<Workload>, simulation: Simulation) -> Self {
        Self { scenario, trace, simulation, observers: (Recorder::new(Arc::clone(&workload)), Steps::new(workload)) }
    }

    /// Lets at least `budget` arrivals and completions happen, as far as there are any.
    pub fn advance(&mut self, budget: u64) -> Progress {
        self.simulation.advance(budget, &mut self.observers)
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        self.simulation.progress()
    }

    /// Jobs that wait now.
    pub fn waiting(&self) -> usize {
        self.simulation.waiting()
    }

    /// The record so far.
    pub fn schedule(&self) -> &Schedule {
        self.observers.0.schedule()
    }

    /// The step functions so far.
    pub fn steps(&self) -> &Steps {
        &self.observers.1
    }

    /// Checks that the run came to its end with every job done.
    ///
    /// # Errors
    /// If the policy left jobs waiting for ever.
    pub fn check_complete(&self) -> Result<(), Problem> {
        let Progress { finished, jobs, .. } = self.progress();
        if finished == jobs {
            return Ok(());
        }
        Err(Problem::new(
            format!("The run stopped with {finished} of {jobs} jobs done."),
            "A policy must start every job in the end.",
            "This is a defect of the policy; please report it with the scenario.",
        ))
    }

    /// Every metric.
    pub fn measures(&self) -> Measures {
        measure(self.schedule(), &self.scenario.settings)
    }

    /// Writes the schedule as SWF, a line at a time.
    pub fn swf(&self, line: impl FnMut(&str)) {
        let notes = [
            format!("simulated by schedscope {}, schedule digest {:016x}", crate::experiment::summary::VERSION, self.schedule().digest()),
            format!("policy {} on machine {}, settings {}", self.scenario.policy.id, self.scenario.machine.id, self.settings_json()),
            "wait time, run time, allocated processors and status are as simulated".to_owned(),
        ];
        files::swf(self.schedule(), &self.trace, &notes, line);
    }

    /// Writes the schedule as a jobs CSV, a line at a time.
    pub fn jobs_csv(&self, line: impl FnMut(&str)) {
        files::jobs_csv(self.schedule(), line);
    }

    fn settings_json(&self) -> String {
        serde_json::to_string(&self.scenario.settings).unwrap_or_default()
    }
}
