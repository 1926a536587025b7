//! The document: the fields that a plan can have.

use crate::experiment::Scenario;
use crate::param::{Settings, Value};
use crate::trace::unpacked_name;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format that this program reads.
pub const VERSION: u32 = 1;

/// A plan as written. docs/formats/plan.md describes every field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The version of the format, which is 1.
    pub schedscope_plan: u32,
    /// The name of the plan.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// A note on the purpose of the plan.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The rule by which the lists make cells.
    #[serde(default, skip_serializing_if = "is_default")]
    pub combine: Combine,
    /// The traces and models, at least one.
    pub workloads: Vec<WorkloadSource>,
    /// The machines. If the list is empty, the plan uses the flat machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineChoice>,
    /// The policies, at least one. The others are compared with the first.
    pub policies: Vec<PolicyChoice>,
    /// The code of the own policies that the plan uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<PlanCode>,
    /// Windows of the jobs of each workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<JobWindow>,
    /// Loads to which each workload is scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loads: Option<Loads>,
    /// Seeds of models, of resampling, and of drawn estimates and demands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<u32>,
    /// Further settings, each with the values that it takes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "Record<string, (number | string)[]>", optional)
    )]
    pub sweep: BTreeMap<String, Vec<Value>>,
    /// The settings that every cell has.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Settings,
    /// The share of the jobs at the start that the metrics of jobs leave out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<f64>,
    /// The share of the jobs at the end that the metrics of jobs leave out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cool_down: Option<f64>,
    /// The figures of interest, such as `wait.mean`. Tables and charts begin with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<String>,
    /// The parts of each run that its result keeps beside the figures.
    #[serde(default = "keep_most")]
    pub keep: Vec<Keep>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn keep_most() -> Vec<Keep> {
    vec![Keep::Months, Keep::Classes, Keep::Quantiles]
}

/// The rule by which the lists of a plan make cells.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Combine {
    /// Each value is combined with every value of the other lists.
    #[default]
    Grid,
    /// The first values of all lists make a cell, then the second values, and so on. A list of one
    /// value is repeated.
    List,
}

/// A part of a run that its result keeps beside the figures.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// Figures for each month.
    Months,
    /// Figures by size, run time and user.
    Classes,
    /// Percentiles of wait, response and bounded slowdown.
    Quantiles,
    /// A sample of up to a thousand jobs.
    Jobs,
}

/// A workload: either a trace or a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkloadSource {
    /// Label in tables. If empty, tables show the name of the trace or the model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The trace, if the workload is a trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceSource>,
    /// The model, if the workload is drawn from a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSource>,
    /// Settings of the cells of this workload: reading, load, estimates, the machine's size.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Settings,
}

/// A trace, identified by name and hash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TraceSource {
    /// File name without a folder. A `.gz` at its end makes no difference.
    pub name: String,
    /// SHA-256 of the unpacked text in hex. If empty, any file of this name is accepted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sha256: String,
    /// The address from which the trace can be downloaded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub archive: String,
    /// The columns of a table, as `--columns` takes them. If empty, they are guessed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub columns: String,
}

/// The code of an own policy. A plan does not run with other code of the policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlanCode {
    /// The id of the policy.
    pub policy: String,
    /// File name of the code, without a folder.
    pub file: String,
    /// SHA-256 of the code that runs, in hex: of the text in JavaScript, or of the module.
    pub sha256: String,
    /// The text of the code, or its bytes in base64 if the file ends in `.wasm`; empty if the plan
    /// does not hold it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
}

/// A workload model with its parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelSource {
    /// The id of the model.
    pub id: String,
    /// The parameters of the model.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Settings,
}

impl TraceSource {
    /// Returns the name without the ending of a packing, which makes no difference.
    pub fn bare(&self) -> &str {
        unpacked_name(&self.name)
    }
}

impl WorkloadSource {
    /// Returns the name of the workload in tables.
    pub fn name(&self) -> String {
        if !self.label.is_empty() {
            return self.label.clone();
        }
        match (&self.trace, &self.model) {
            (Some(trace), _) => {
                let bare = trace.bare();
                bare.strip_suffix(".swf").unwrap_or(bare).to_owned()
            }
            (None, Some(model)) => model.id.clone(),
            (None, None) => String::new(),
        }
    }
}

/// A machine with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MachineChoice {
    /// Label in tables. If empty, tables show the id of the machine model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The id of the machine model.
    pub machine: String,
    /// Settings of the cells with this machine.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Settings,
}

/// A policy with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PolicyChoice {
    /// Label in tables. If empty, tables show the name of the policy.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The id of the policy.
    pub policy: String,
    /// The id of a preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Settings of the cells with this policy. They win over all other settings.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Settings,
}

/// A window of consecutive jobs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct JobWindow {
    /// The first job, counted from 1.
    pub first_job: u32,
    /// Number of jobs; 0 means all that follow.
    #[serde(default)]
    pub jobs: u32,
}

/// Loads to which each workload is scaled, either offered loads or factors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Loads {
    /// The times that are scaled: `arrivals` or `run_times`.
    #[serde(default = "arrivals")]
    pub by: String,
    /// Offered loads to reach, as shares of the machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<f64>,
    /// Factors by which the load of the workload is multiplied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<f64>,
}

fn arrivals() -> String {
    "arrivals".into()
}

impl Plan {
    /// Returns the plan as JSON.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Returns the names of the lists that vary, each with the number of its values. Policies come
    /// last.
    pub(super) fn axes(&self) -> Vec<(String, usize)> {
        let loads = self
            .loads
            .as_ref()
            .map_or(0, |loads| loads.offered.len().max(loads.factors.len()));
        let fixed = [
            ("workload", self.workloads.len()),
            ("machine", self.machines.len()),
            ("window", self.windows.len()),
            ("load", loads),
            ("seed", self.seeds.len()),
        ];
        let named = fixed
            .into_iter()
            .map(|(name, length)| (name.to_owned(), length));
        let swept = self
            .sweep
            .iter()
            .map(|(key, values)| (key.clone(), values.len()));
        named
            .chain(swept)
            .chain([("policy".to_owned(), self.policies.len())])
            .map(|(name, length)| (name, length.max(1)))
            .collect()
    }
}

impl MachineChoice {
    /// Returns the name of the machine in tables.
    pub fn name(&self) -> String {
        if self.label.is_empty() {
            self.machine.clone()
        } else {
            self.label.clone()
        }
    }
}

impl PolicyChoice {
    /// Returns the name of the policy in tables.
    pub fn name(&self) -> String {
        if !self.label.is_empty() {
            return self.label.clone();
        }
        crate::policy::find(&self.policy)
            .map_or_else(|_| self.policy.clone(), |spec| spec.name.to_owned())
    }

    /// Returns the scenario of this policy on a machine, without the other settings of the plan.
    pub(super) fn scenario(&self, machine: &str, settings: Settings) -> Scenario {
        Scenario {
            machine: machine.into(),
            policy: self.policy.clone(),
            preset: self.preset.clone(),
            settings,
            what_if: None,
        }
    }
}
