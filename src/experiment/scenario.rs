//! A scenario: machine, policy, preset and settings. With a trace it determines a run.

use super::closed_loop::close;
use super::what_if::{ResolvedWhatIf, Successor};
use super::{Preset, Run, WhatIf};
use crate::job::Follow;
use crate::limits;
use crate::machine::{Fit, Placements};
use crate::machines::{self, MachineSpec, flat};
use crate::metrics;
use crate::param::{Param, Settings};
use crate::policy::candidates::{Candidate, candidates, candidates_param, check_candidates};
use crate::policy::tools::prediction::{ESTIMATES, Estimates};
use crate::policy::{self, Needs, Spec, own};
use crate::problem::Problem;
use crate::pulse::{Doing, during};
use crate::schedule::Recorder;
use crate::sim::{KERNEL_PARAMS, Simulation, TIES, Ties};
use crate::time::Span;
use crate::trace::Trace;
use crate::workload::{
    CLOSED_LOOP, ClosedLoop, Workload, as_recorded, check_closed_loop, clean, followed_jobs,
    give_demands, give_recorded_starts, shape,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything besides the trace that determines a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The id of the machine model.
    #[serde(default = "flat")]
    pub machine: String,
    /// The id of the policy.
    pub policy: String,
    /// The id of the preset, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Settings of workload, machine, policy, event loop and metrics. They win over the preset's
    /// settings.
    #[serde(default)]
    pub settings: Settings,
    /// The change that a what-if makes during the run, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what_if: Option<Box<WhatIf>>,
}

fn flat() -> String {
    "flat".into()
}

impl Scenario {
    /// Makes a scenario with this policy, on the first machine that offers what the policy needs.
    /// Everything else has its default.
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

    /// Returns the same scenario with `key` set to `value`.
    pub fn with(mut self, key: &str, value: impl Into<crate::param::Value>) -> Self {
        self.settings = self.settings.with(key, value);
        self
    }

    /// Checks the lengths of names and settings, before anything is made of them.
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

    /// Checks every name and value, and adds the preset's settings.
    ///
    /// # Errors
    /// Fails if a machine, policy, preset or key is unknown, if a value is out of range, or if
    /// settings contradict each other.
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
            not_modelled: Vec::new(),
        };
        let groups = resolved.groups();
        if own::find(policy.id).is_some() {
            for (name, params) in &groups[1..] {
                let is_taken = |param: &&Param| params.iter().any(|other| other.key == param.key);
                if let Some(param) = policy.params.iter().find(is_taken) {
                    return Err(own::taken(param, name));
                }
            }
        }
        resolved
            .settings
            .apart()
            .0
            .check(&groups.each_ref().map(|(_, params)| *params))?;
        resolved.reconcile()
    }
}

/// A scenario whose names and values are checked.
pub struct Resolved {
    /// The machine model of the run.
    pub machine: &'static MachineSpec,
    /// The policy of the run.
    pub policy: &'static Spec,
    /// The settings, with those of the preset.
    pub settings: Settings,
    /// The change that a what-if makes during the run, if any.
    pub what_if: Option<ResolvedWhatIf>,
    /// Sentences on what the policy leaves out of the settings.
    pub not_modelled: Vec<String>,
}

impl Resolved {
    /// Returns all parameters that this scenario can set, by what they belong to.
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

    /// Rejects settings that contradict each other, and fills in settings that follow from others.
    fn reconcile(mut self) -> Result<Self, Problem> {
        self.check_needs()?;
        if self.is_recorded() {
            // In a log, a job starts on processors that another has left at the same instant, and it
            // runs from then on.
            self.settings = self
                .settings
                .with(TIES.param.key, Ties::Together.word())
                .with(flat::DELAY.param.key, 0.0);
        }
        (self.machine.check)(&self.settings, self.matches())?;
        self.not_modelled = (self.policy.check)(&self.settings)?;
        if self.machine.offer.fit != Fit::Anywhere && self.settings.get(&TIES) != Ties::Together {
            return Err(Problem::new(
                format!(
                    "`ties={}` has no meaning on the machine `{}`.",
                    self.settings.get(&TIES),
                    self.machine.id
                ),
                "Event by event, the processors of a job whose end is pending count as held, but \
                    only by number.",
                "Choose `ties=together`, or the flat machine.",
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
                    "The number follows from the machine's own parameters.",
                    "Change these parameters, and leave `processors` out.",
                ));
            }
            self.settings = self
                .settings
                .with(clean::PROCESSORS.key, f64::from(processors));
        }
        // With exact estimates a scheduler is clairvoyant, although no policy can see run times.
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
                    "With actual run times the scheduler uses no other estimates.",
                    "Choose one of the two.",
                ));
            }
            self.settings = self.settings.with(shape::ESTIMATE_MODEL.key, "exact");
        }
        check_closed_loop(&self.settings)?;
        if self.settings.get(&CLOSED_LOOP) == ClosedLoop::On && self.what_if.is_some() {
            return Err(Problem::new(
                "A what-if and `closed_loop=on` contradict each other.",
                "After the change jobs would end, and so arrive, at other times. A what-if keeps \
                    the arrivals of the run that it forks from.",
                "Leave one of the two out.",
            ));
        }
        if self.settings.get(&metrics::WARM_UP) + self.settings.get(&metrics::COOL_DOWN) >= 1.0 {
            return Err(Problem::new(
                "Warm-up and cool-down leave no job to measure.",
                "Their sum must be below 1.",
                "Lower `warm_up` or `cool_down`.",
            ));
        }
        Ok(self)
    }

    /// True if the policy, or one of its candidates, looks for partners with which jobs share
    /// nodes.
    pub fn matches(&self) -> bool {
        self.policy.needs == Needs::Sharing
            || self
                .candidates()
                .iter()
                .any(|candidate| candidate.spec.needs == Needs::Sharing)
    }

    /// Checks that the machine offers what the policy needs.
    fn check_needs(&self) -> Result<(), Problem> {
        let (policy, machine) = (self.policy, self.machine);
        if policy.runs_on(machine.offer) {
            return Ok(());
        }
        let why = match policy.needs {
            Needs::Moves => {
                "The policy moves running jobs, and moving gains nothing on this machine."
            }
            Needs::Sharing => {
                "The policy lets jobs share nodes, and this machine never runs two jobs on a node."
            }
            Needs::Record => "The log says how many processors a job had, and not which.",
            Needs::Nodes => "The policy chooses nodes of a cluster, and here there are processors.",
            Needs::Counts | Needs::Times | Needs::Rows | Needs::Room => {
                "The policy counts processors, and here it matters which processors are free."
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
                "Choose another machine, or one of the policies for this machine: {}.",
                able.join(", ")
            ),
        ))
    }

    /// True if this is the schedule of the log itself.
    pub fn is_recorded(&self) -> bool {
        self.policy.needs == Needs::Record
    }

    /// True if the scheduler believes the run time of a job until the job starts.
    pub fn knows_until_start(&self) -> bool {
        self.settings.get(&ESTIMATES) == Estimates::ActualUntilStart
    }

    /// True if the policy's beliefs can differ from the estimates at any time.
    pub fn predicts(&self) -> bool {
        self.settings.get(&ESTIMATES) == Estimates::Predicted
            || self.knows_until_start()
            || self
                .what_if
                .as_ref()
                .is_some_and(|otherwise| otherwise.predicts)
    }

    /// Returns the candidates of an adaptive policy; for any other policy, none.
    pub fn candidates(&self) -> Vec<Candidate> {
        // If a what-if switches the policy mid-run, the candidates are the successor's.
        let (policy, settings) = match self.what_if.as_ref().map(|otherwise| &otherwise.policy) {
            Some(Successor::Other(policy, settings)) => (*policy, settings),
            _ => (self.policy, &self.settings),
        };
        candidates_param(policy).map_or_else(Vec::new, |param| candidates(param, settings))
    }

    /// Returns the number of processors, if the machine's own parameters determine it.
    pub fn capacity(&self) -> Option<u32> {
        (self.machine.capacity)(&self.settings)
    }

    /// Returns the number of rows of the Ousterhout matrix; 1 if processors are dedicated.
    pub fn slots(&self) -> u32 {
        (self.machine.slots)(&self.settings)
    }

    /// Returns a recorder for a run of this scenario, with nothing recorded yet.
    pub fn recorder(&self, workload: &Arc<Workload>) -> Recorder {
        Recorder::new(Arc::clone(workload))
            .with((self.machine.record)(&self.settings))
            .in_slots(self.slots(), self.machine.offer.at_once)
            .predicting(self.predicts())
    }

    /// Makes the workload of this scenario from a trace.
    ///
    /// # Errors
    /// Fails if no job is left, or if the settings cannot be applied to the jobs of the trace.
    pub fn workload(&self, trace: &Trace) -> Result<Workload, Problem> {
        let preparing = Doing::Preparing {
            jobs: 0,
            of: trace.records.len() as u64,
        };
        let mut workload = during(preparing, || {
            shape::shape(clean::clean(trace, &self.settings)?, &self.settings)
        })?;
        give_demands(&mut workload, trace.demands.as_ref(), &self.settings)?;
        (self.machine.prepare)(&mut workload, trace, &self.settings)?;
        give_recorded_starts(&mut workload, trace, &self.settings);
        if self.is_recorded() {
            workload = as_recorded(workload, trace, &self.settings)?;
        }
        let total: i128 = workload
            .programs
            .iter()
            .map(|program| i128::from(program.runtime.microseconds()))
            .sum();
        // Context switches and waiting for other processes take time beyond the run times. The
        // smaller limit leaves room for it.
        if self.machine.offer.fit == Fit::InARow
            && total > i128::from(Span::LONGEST_TOTAL.microseconds() / 64)
        {
            return Err(Problem::new(
                "The run times add up to more than 2,283 years.",
                "Machines whose processors are shared cannot simulate longer times.",
                "Check the trace's run times, choose a window of jobs, or the flat machine.",
            ));
        }
        Ok(workload)
    }

    /// Finds out which jobs follow others in a closed loop. The recorded schedule has the arrivals
    /// of the log, and no loop.
    fn followed_jobs(
        &self,
        workload: &mut Workload,
        trace: &Trace,
    ) -> Result<Vec<Option<Follow>>, Problem> {
        if self.is_recorded() {
            return Ok(Vec::new());
        }
        followed_jobs(workload, trace, &self.settings)
    }

    /// Makes the simulation of a workload, not yet advanced and without observers.
    pub fn simulation(&self, workload: Arc<Workload>, placements: Placements) -> Simulation {
        let machine = (self.machine.build)(&workload, &self.settings, placements);
        let ties = self.settings.get(&TIES);
        Simulation::new(workload, machine, (self.policy.build)(&self.settings), ties)
            .knowing_until_start(self.knows_until_start())
    }

    /// Starts a recorded run of a trace.
    ///
    /// # Errors
    /// Fails if no job is left, if the settings cannot be applied to the jobs, or if a what-if
    /// names something that the workload does not have.
    pub fn run(self, trace: Arc<Trace>) -> Result<Run, Problem> {
        let mut workload = self.workload(&trace)?;
        let follows = self.followed_jobs(&mut workload, &trace)?;
        if !follows.is_empty() {
            let preparing = Doing::Preparing {
                jobs: 0,
                of: workload.len() as u64,
            };
            workload = during(preparing, || close(&self, workload, &follows))?;
        }
        workload.log.trace = Some(Arc::clone(&trace));
        let workload = Arc::new(workload);
        if let Some(otherwise) = &self.what_if {
            otherwise.check(&workload)?;
        }
        let simulation = self.simulation(Arc::clone(&workload), Placements::Recorded);
        Ok(Run::new(self, trace, workload, simulation))
    }
}
