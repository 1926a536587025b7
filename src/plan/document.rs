//! The document: what can be written in a plan.

use crate::experiment::Scenario;
use crate::param::{Settings, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of plans that this program reads.
pub const VERSION: u32 = 1;

/// A plan as written. docs/formats/plan.md describes every field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of the format: 1.
    pub schedscope_plan: u32,
    /// What it is called.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Whether all values are crossed, or taken side by side.
    #[serde(default, skip_serializing_if = "is_default")]
    pub combine: Combine,
    /// Traces and models.
    pub workloads: Vec<WorkloadSource>,
    /// Machines; the flat one if none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineChoice>,
    /// Policies; the first is the one that the others are compared with.
    pub policies: Vec<PolicyChoice>,
    /// Windows of jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<JobWindow>,
    /// Loads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loads: Option<Loads>,
    /// Seeds: of models, of resampling and of estimates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<u32>,
    /// Further settings and the values that each takes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "Record<string, (number | string)[]>", optional)
    )]
    pub sweep: BTreeMap<String, Vec<Value>>,
    /// Settings of every cell.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Settings,
    /// Share of the jobs that job metrics leave out at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<f64>,
    /// Share of the jobs that job metrics leave out at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cool_down: Option<f64>,
    /// Figures that are wanted, such as `wait.mean`; tables and charts begin with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<String>,
    /// What is kept of each run beside its figures.
    #[serde(default = "keep_most")]
    pub keep: Vec<Keep>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn keep_most() -> Vec<Keep> {
    vec![Keep::Months, Keep::Classes, Keep::Quantiles]
}

/// How the lists of a plan make cells.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Combine {
    /// Every value with every other.
    #[default]
    Grid,
    /// The first of each list together, then the second of each, and so on; a list of one is
    /// repeated.
    List,
}

/// What is kept of a run beside its figures.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// Figures by month.
    Months,
    /// Figures by size, run time and user.
    Classes,
    /// Percentiles of wait, response and bounded slowdown.
    Quantiles,
    /// A sample of up to a thousand jobs.
    Jobs,
}

/// A trace or a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkloadSource {
    /// What it is called in tables; its name if empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// A trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceSource>,
    /// A model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSource>,
    /// Settings of its cells: reading, load, estimates, the machine's size.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Settings,
}

/// A trace, by name and hash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TraceSource {
    /// File name, without `.gz`.
    pub name: String,
    /// SHA-256 of its text, unpacked, in hex; anything goes if empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sha256: String,
    /// Where it can be had.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub archive: String,
}

/// A workload model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelSource {
    /// Which.
    pub id: String,
    /// Its parameters.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Settings,
}

impl TraceSource {
    /// The name without `.gz`: how a trace is packed makes no difference.
    pub fn bare(&self) -> &str {
        self.name.strip_suffix(".gz").unwrap_or(&self.name)
    }
}

impl WorkloadSource {
    /// What it is called in tables.
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

/// A machine and its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MachineChoice {
    /// What it is called in tables; its model if empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Machine model.
    pub machine: String,
    /// Settings of its cells.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Settings,
}

/// A policy and its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PolicyChoice {
    /// What it is called in tables; the policy's name if empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Policy.
    pub policy: String,
    /// Preset of settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Settings of its cells; they win over all others.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Settings,
}

/// A window of jobs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct JobWindow {
    /// First job, from 1.
    pub first_job: u32,
    /// How many; 0 is all that follow.
    #[serde(default)]
    pub jobs: u32,
}

/// Loads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Loads {
    /// What is scaled: `arrivals` or `run_times`.
    #[serde(default = "arrivals")]
    pub by: String,
    /// Offered loads to reach, as shares of the machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<f64>,
    /// Or factors on the load that there is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<f64>,
}

fn arrivals() -> String {
    "arrivals".into()
}

impl Plan {
    /// The plan as text.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Names of what varies, and how many values each has; policies last.
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
    /// What it is called in tables.
    pub fn name(&self) -> String {
        if self.label.is_empty() {
            self.machine.clone()
        } else {
            self.label.clone()
        }
    }
}

impl PolicyChoice {
    /// What it is called in tables.
    pub fn name(&self) -> String {
        if !self.label.is_empty() {
            return self.label.clone();
        }
        crate::policy::find(&self.policy)
            .map_or_else(|_| self.policy.clone(), |spec| spec.name.to_owned())
    }

    /// A scenario of it alone.
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
