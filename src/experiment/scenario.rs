//! A scenario: machine, policy, preset and settings; with a trace, all that determines a run.

use super::what_if::{Otherwise, Successor};
use super::{Preset, Run, WhatIf};
use crate::limits;
use crate::machine::{Fit, Placements};
use crate::machines::{self, MachineSpec};
use crate::metrics;
use crate::param::{Param, Settings};
use crate::policy::candidates::{Candidate, candidates, candidates_param, check_candidates};
use crate::policy::tools::prediction::{ESTIMATES, Estimates};
use crate::policy::{self, Needs, Spec};
use crate::problem::Problem;
use crate::pulse::{Doing, during};
use crate::schedule::Recorder;
use crate::sim::{KERNEL_PARAMS, Simulation, TIES, Ties};
use crate::time::Span;
use crate::trace::Trace;
use crate::workload::{Workload, clean, give_demands, shape};
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
    /// What is otherwise from an instant on, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what_if: Option<Box<WhatIf>>,
}

fn flat() -> String {
    "flat".into()
}

impl Scenario {
    /// A policy on the first machine that offers what it needs, everything else by default.
    pub fn new(policy: &str) -> Self {
        let spec = policy::ALL.iter().find(|spec| spec.id == policy);
        let able = machines::ALL
            .iter()
            .find(|machine| spec.is_some_and(|spec| spec.runs_on(machine.offer)));
        Self {
            machine: able.map_or_else(flat, |machine| machine.id.into()),
            policy: policy.into(),
            preset: None,
            settings: Settings::default(),
            what_if: None,
        }
    }

    /// The same scenario with `key` set.
    pub fn with(mut self, key: &str, value: impl Into<crate::param::Value>) -> Self {
        self.settings = self.settings.with(key, value);
        self
    }

    /// Checks how long names and settings are, before anything is made of them.
    fn check_length(&self) -> Result<(), Problem> {
        let preset = self.preset.as_deref().unwrap_or_default();
        for (what, name) in [
            ("The machine's name", &*self.machine),
            ("The policy's name", &self.policy),
            ("The preset's name", preset),
        ] {
            limits::check_name(what, name)?;
        }
        self.settings.check_length()?;
        self.what_if.as_deref().map_or(Ok(()), WhatIf::check_length)
    }

    /// Settings with the preset's filled in, after checking every name and value.
    ///
    /// # Errors
    /// An unknown machine, policy, preset or key, or a value out of range.
    pub fn resolve(&self) -> Result<Resolved, Problem> {
        self.check_length()?;
        let machine = machines::find(&self.machine)?;
        let policy = policy::find(&self.policy)?;
        let mut settings = match &self.preset {
            Some(id) => Preset::find(id)?.settings_for(policy),
            None => Settings::default(),
        };
        settings.extend(&self.settings);
        let settings = check_candidates(policy, settings, (machine.id, machine.offer))?;
        let what_if = self
            .what_if
            .as_deref()
            .map(|what_if| what_if.resolve(self, &settings))
            .transpose()?;
        let resolved = Resolved {
            machine,
            policy,
            settings,
            what_if,
        };
        let groups = resolved.groups();
        resolved
            .settings
            .apart()
            .0
            .check(&groups.each_ref().map(|(_, params)| *params))?;
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
    /// What is otherwise from an instant on, if anything.
    pub what_if: Option<Otherwise>,
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
        self.check_needs()?;
        (self.machine.check)(&self.settings, self.matches())?;
        if self.machine.offer.fit != Fit::Anywhere && self.settings.get(&TIES) != Ties::Together {
            return Err(Problem::new(
                format!(
                    "`ties={}` has no meaning on the machine `{}`.",
                    self.settings.get(&TIES),
                    self.machine.id
                ),
                "Taken event by event, processors of a job whose end is not yet told are counted \
                    as held: which ones they are is not said.",
                "Leave it at `together`, or choose the flat machine.",
            ));
        }
        if let Some(processors) = self.capacity() {
            let given = self.settings.get(&clean::PROCESSORS);
            if given.is_some_and(|given| given != i64::from(processors)) {
                return Err(Problem::new(
                    format!(
                        "The machine `{}` has {processors} processors here, not {}.",
                        self.machine.id,
                        given.unwrap_or_default()
                    ),
                    "How many it has follows from its own parameters.",
                    "Change those, and leave `processors` out.",
                ));
            }
            self.settings = self
                .settings
                .with(clean::PROCESSORS.key, f64::from(processors));
        }
        // A clairvoyant scheduler is one whose estimates are exact; a policy itself cannot see run
        // times.
        if self.settings.get(&ESTIMATES) == Estimates::Actual {
            let model = self.settings.get(&shape::ESTIMATE_MODEL);
            if !matches!(
                model,
                shape::EstimateModel::Exact | shape::EstimateModel::Given
            ) {
                return Err(Problem::new(
                    format!(
                        "`estimates=actual` and `estimate_model={model}` contradict each other."
                    ),
                    "With actual run times the scheduler believes in no other estimates.",
                    "Choose one of them.",
                ));
            }
            self.settings = self.settings.with(shape::ESTIMATE_MODEL.key, "exact");
        }
        if self.settings.get(&metrics::WARM_UP) + self.settings.get(&metrics::COOL_DOWN) >= 1.0 {
            return Err(Problem::new(
                "Warm-up and cool-down leave no job to measure.",
                "Together they must be less than all jobs.",
                "Lower `warm_up` or `cool_down`.",
            ));
        }
        Ok(self)
    }

    /// Whether the policy, or one that it chooses among, looks for partners with whom jobs share
    /// nodes.
    pub fn matches(&self) -> bool {
        self.policy.needs == Needs::Sharing
            || self
                .candidates()
                .iter()
                .any(|candidate| candidate.spec.needs == Needs::Sharing)
    }

    /// Whether the machine offers what the policy needs.
    fn check_needs(&self) -> Result<(), Problem> {
        let (policy, machine) = (self.policy, self.machine);
        if policy.runs_on(machine.offer) {
            return Ok(());
        }
        let why = match policy.needs {
            Needs::Moves => "It moves running jobs, and here there is nothing to be won by that.",
            Needs::Sharing => {
                "It lets jobs share nodes, and here two jobs never run on a node at the same time."
            }
            Needs::Counts | Needs::Rows | Needs::Room => {
                "It reckons with numbers of processors, and here it matters which ones are free."
            }
        };
        let able = policy::ALL
            .iter()
            .filter(|spec| spec.runs_on(machine.offer));
        let able: Vec<&str> = able.map(|spec| spec.id).collect();
        Err(Problem::new(
            format!(
                "The policy `{}` cannot run on the machine `{}`.",
                policy.id, machine.id
            ),
            why,
            format!(
                "Choose another machine, or one of the policies for this one: {}.",
                able.join(", ")
            ),
        ))
    }

    /// Whether the scheduler believes of a job its run time until it starts.
    pub fn knows_until_start(&self) -> bool {
        self.settings.get(&ESTIMATES) == Estimates::ActualUntilStart
    }

    /// Whether the policy's beliefs are others than the estimates, at any time.
    pub fn predicts(&self) -> bool {
        self.settings.get(&ESTIMATES) == Estimates::Predicted
            || self.knows_until_start()
            || self
                .what_if
                .as_ref()
                .is_some_and(|otherwise| otherwise.predicts)
    }

    /// The policies that an adaptive policy chooses among; none of another one.
    pub fn candidates(&self) -> Vec<Candidate> {
        // Of a policy that takes over on the way, they are its own.
        let (policy, settings) = match self.what_if.as_ref().map(|otherwise| &otherwise.policy) {
            Some(Successor::Other(policy, settings)) => (*policy, settings),
            _ => (self.policy, &self.settings),
        };
        candidates_param(policy).map_or_else(Vec::new, |param| candidates(param, settings))
    }

    /// How many processors the machine has, where its own parameters say so.
    pub fn capacity(&self) -> Option<u32> {
        (self.machine.capacity)(&self.settings)
    }

    /// How many rows of an Ousterhout matrix it has: 1 where processors are dedicated.
    pub fn slots(&self) -> u32 {
        (self.machine.slots)(&self.settings)
    }

    /// A recorder of a run of this scenario, with nothing recorded yet.
    pub fn recorder(&self, workload: &Arc<Workload>) -> Recorder {
        Recorder::new(Arc::clone(workload))
            .with((self.machine.record)(&self.settings))
            .in_slots(self.slots(), self.machine.offer.at_once)
            .predicting(self.predicts())
    }

    /// The workload that the scenario makes of a trace.
    ///
    /// # Errors
    /// If no job is left.
    pub fn workload(&self, trace: &Trace) -> Result<Workload, Problem> {
        let preparing = Doing::Preparing {
            jobs: 0,
            of: trace.records.len() as u64,
        };
        let mut workload = during(preparing, || {
            shape::shape(clean::clean(trace, &self.settings)?, &self.settings)
        })?;
        give_demands(&mut workload, trace.demands.as_ref(), &self.settings)?;
        let total: i128 = workload
            .programs
            .iter()
            .map(|program| i128::from(program.runtime.microseconds()))
            .sum();
        // Switches and waiting for others take time that run times do not tell: at most nine tenths
        // of it.
        if self.machine.offer.fit == Fit::InARow
            && total > i128::from(Span::LONGEST_TOTAL.microseconds() / 64)
        {
            return Err(Problem::new(
                "The run times add up to more than 2,283 years.",
                "On machines whose processors are shared that is the end of their range.",
                "Check the trace's run times, choose a window of jobs, or the flat machine.",
            ));
        }
        Ok(workload)
    }

    /// The run of a workload, not yet advanced, with nothing observing it.
    pub fn simulation(&self, workload: Arc<Workload>, placements: Placements) -> Simulation {
        let machine = (self.machine.build)(workload.processors, &self.settings, placements);
        let ties = self.settings.get(&TIES);
        Simulation::new(workload, machine, (self.policy.build)(&self.settings), ties)
            .knowing_until_start(self.knows_until_start())
    }

    /// The run of a trace, recorded.
    ///
    /// # Errors
    /// If no job is left.
    pub fn run(self, trace: Arc<Trace>) -> Result<Run, Problem> {
        let workload = Arc::new(self.workload(&trace)?);
        if let Some(otherwise) = &self.what_if {
            otherwise.check(&workload)?;
        }
        let simulation = self.simulation(Arc::clone(&workload), Placements::Recorded);
        Ok(Run::new(self, trace, workload, simulation))
    }
}
