//! A scenario: machine, policy, preset and settings; with a trace, all that determines a run.

use super::{Preset, Run};
use crate::machine::{self, MachineSpec, Placements};
use crate::metrics;
use crate::param::{Param, Settings};
use crate::policy::{self, Spec};
use crate::problem::Problem;
use crate::sim::{KERNEL_PARAMS, Simulation, TIES, Ties};
use crate::trace::Trace;
use crate::workload::{Workload, clean, shape};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// All that determines a run, beside the trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Machine model.
    #[serde(default = "flat")]
    pub machine: String,
    /// Policy.
    pub policy: String,
    /// Preset, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Settings of workload, machine, policy, event loop and metrics; they win over the preset's.
    #[serde(default)]
    pub settings: Settings,
}

fn flat() -> String {
    "flat".into()
}

impl Scenario {
    /// A policy on the flat machine, everything else by default.
    pub fn new(policy: &str) -> Self {
        Self { machine: flat(), policy: policy.into(), preset: None, settings: Settings::default() }
    }

    /// The same scenario with `key` set.
    pub fn with(mut self, key: &str, value: impl Into<crate::param::Value>) -> Self {
        self.settings = self.settings.with(key, value);
        self
    }

    /// Settings with the preset's filled in, after checking every name and value.
    ///
    /// # Errors
    /// An unknown machine, policy, preset or key, or a value out of range.
    pub fn resolve(&self) -> Result<Resolved, Problem> {
        let machine = machine::find(&self.machine)?;
        let policy = policy::find(&self.policy)?;
        let mut settings = match &self.preset {
            Some(id) => Preset::find(id)?.settings(),
            None => Settings::default(),
        };
        settings.extend(&self.settings);
        let resolved = Resolved { machine, policy, settings };
        let groups = resolved.groups();
        resolved.settings.check(&groups.each_ref().map(|(_, params)| *params))?;
        resolved.reconcile()
    }
}

/// A scenario whose names and values are known to be good.
pub struct Resolved {
    /// The machine model.
    pub machine: &'static MachineSpec,
    /// The policy.
    pub policy: &'static Spec,
    /// Settings, the preset's included.
    pub settings: Settings,
}

impl Resolved {
    /// All parameters that this scenario may set, by what they belong to.
    pub fn groups(&self) -> [(&'static str, &'static [Param]); 6] {
        [
            ("policy", self.policy.params),
            ("machine", self.machine.params),
            ("reading", clean::PARAMS),
            ("workload", shape::PARAMS),
            ("run", KERNEL_PARAMS),
            ("metrics", metrics::PARAMS),
        ]
    }

    /// Settles what settings say together: each of them is good by itself.
    fn reconcile(mut self) -> Result<Self, Problem> {
        // A clairvoyant scheduler is one whose estimates are exact; a policy itself cannot see run times.
        if self.settings.0.get("estimates") == Some(&"actual".into()) {
            let model = self.settings.choice(&shape::ESTIMATE_MODEL).to_owned();
            if model != "exact" && model != "given" {
                return Err(Problem::new(
                    format!("`estimates=actual` and `estimate_model={model}` contradict each other."),
                    "With actual run times the scheduler believes in no other estimates.",
                    "Choose one of them.",
                ));
            }
            self.settings = self.settings.with(shape::ESTIMATE_MODEL.key, "exact");
        }
        if self.settings.real(&metrics::WARM_UP) + self.settings.real(&metrics::COOL_DOWN) >= 1.0 {
            return Err(Problem::new(
                "Warm-up and cool-down leave no job to measure.",
                "Together they must be less than all jobs.",
                "Lower `warm_up` or `cool_down`.",
            ));
        }
        Ok(self)
    }

    /// The workload that the scenario makes of a trace.
    ///
    /// # Errors
    /// If no job is left.
    pub fn workload(&self, trace: &Trace) -> Result<Workload, Problem> {
        shape::shape(clean::clean(trace, &self.settings)?, &self.settings)
    }

    /// The run of a workload, not yet advanced, with nothing observing it.
    pub fn simulation(&self, workload: Arc<Workload>, placements: Placements) -> Simulation {
        let machine = (self.machine.build)(workload.processors, &self.settings, placements);
        Simulation::new(workload, machine, (self.policy.build)(&self.settings), Ties::named(self.settings.choice(&TIES)))
    }

    /// The run of a trace, recorded.
    ///
    /// # Errors
    /// If no job is left.
    pub fn run(self, trace: Arc<Trace>) -> Result<Run, Problem> {
        let workload = Arc::new(self.workload(&trace)?);
        let simulation = self.simulation(Arc::clone(&workload), Placements::Recorded);
        Ok(Run::new(self, trace, workload, simulation))
    }
}
