//! The document: what can be written in a plan.

use crate::experiment::Scenario;
use crate::param::{Settings, Value};
use crate::problem::Problem;
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
    pub machines: Vec<Machine>,
    /// Policies; the first is the one that the others are compared with.
    pub policies: Vec<PolicyChoice>,
    /// Windows of jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Window>,
    /// Loads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loads: Option<Loads>,
    /// Seeds: of models, of resampling and of estimates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<u32>,
    /// Further settings and the values that each takes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, (number | string)[]>", optional))]
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
    /// The first of each list together, then the second of each, and so on; a list of one is repeated.
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

impl WorkloadSource {
    /// What it is called in tables.
    pub fn name(&self) -> String {
        if !self.label.is_empty() {
            return self.label.clone();
        }
        match (&self.trace, &self.model) {
            (Some(trace), _) => trace.name.trim_end_matches(".gz").trim_end_matches(".swf").to_owned(),
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
pub struct Machine {
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
pub struct Window {
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

/// More would be a mistake of the plan, and no table.
const MOST_CELLS: usize = 100_000;

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// Text that is no JSON, or says what no plan can: the error names the place in the document.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let mut document = serde_json::Deserializer::from_str(text);
        let plan: Self = serde_path_to_error::deserialize(&mut document).map_err(|error| {
            let path = error.path().to_string();
            let place = if path == "." { String::new() } else { format!(" At `{path}`:") };
            Problem::new(
                format!("The plan is not understood.{place} {}.", error.inner()),
                "A plan is a JSON document whose fields docs/formats/plan.md describes.",
                "Correct the place that is named.",
            )
        })?;
        document.end().map_err(|error| {
            Problem::new(format!("There is more behind the plan: {error}."), "A file holds one plan.", "Remove what follows the plan.")
        })?;
        plan.check()?;
        Ok(plan)
    }

    /// The plan as text.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    fn check(&self) -> Result<(), Problem> {
        if self.schedscope_plan != VERSION {
            return Err(at(
                "schedscope_plan",
                format!("Version {} is not known.", self.schedscope_plan),
                &format!("This program reads plans of version {VERSION}."),
            ));
        }
        for (list, empty) in [("workloads", self.workloads.is_empty()), ("policies", self.policies.is_empty())] {
            if empty {
                return Err(at(list, "The list is empty.", "A plan has at least one workload and one policy."));
            }
        }
        for (index, source) in self.workloads.iter().enumerate() {
            check_source(source, index)?;
        }
        let names = self.workloads.iter().map(WorkloadSource::name);
        check_unique("workloads", names)?;
        check_unique("policies", self.policies.iter().map(PolicyChoice::name))?;
        check_unique("machines", self.machines.iter().map(Machine::name))?;
        for (name, share) in [("warm_up", self.warm_up), ("cool_down", self.cool_down)] {
            if share.is_some_and(|share| !(0.0..=0.9).contains(&share)) {
                return Err(at(name, "It is out of range.", "It is a share of the jobs, from 0 to 0.9."));
            }
        }
        if let Some(loads) = &self.loads {
            if loads.offered.is_empty() == loads.factors.is_empty() {
                return Err(at("loads", "There must be either `offered` or `factors`.", "Loads are given in one of two ways."));
            }
            if !["arrivals", "run_times"].contains(&loads.by.as_str()) {
                return Err(at("loads.by", format!("`{}` cannot be scaled.", loads.by), "It is `arrivals` or `run_times`."));
            }
        }
        for (key, values) in &self.sweep {
            if values.is_empty() {
                return Err(at(&format!("sweep.{key}"), "The list is empty.", "A swept setting has at least one value."));
            }
        }
        let figures = crate::metrics::keys();
        for (index, metric) in self.metrics.iter().enumerate() {
            if !figures.contains(metric) {
                let known: Vec<&str> = figures.iter().map(String::as_str).collect();
                let near = crate::param::closest(metric, &known);
                return Err(at(
                    &format!("metrics[{index}]"),
                    format!("There is no figure `{metric}`."),
                    "Figures are named as in docs/metrics.md.",
                )
                .and_next(&near));
            }
        }
        let lengths: Vec<usize> = self.axes().into_iter().map(|(_, length)| length).collect();
        let count = lengths.iter().try_fold(1_usize, |product, length| product.checked_mul(*length));
        if self.combine == Combine::Grid && count.is_none_or(|count| count > MOST_CELLS) {
            return Err(at(".", "There are too many cells.", &format!("A plan has at most {MOST_CELLS}.")));
        }
        Ok(())
    }

    /// Names of what varies, and how many values each has; policies last.
    pub(super) fn axes(&self) -> Vec<(String, usize)> {
        let loads = self.loads.as_ref().map_or(0, |loads| loads.offered.len().max(loads.factors.len()));
        let fixed = [
            ("workload", self.workloads.len()),
            ("machine", self.machines.len()),
            ("window", self.windows.len()),
            ("load", loads),
            ("seed", self.seeds.len()),
        ];
        let named = fixed.into_iter().map(|(name, length)| (name.to_owned(), length));
        let swept = self.sweep.iter().map(|(key, values)| (key.clone(), values.len()));
        named.chain(swept).chain([("policy".to_owned(), self.policies.len())]).map(|(name, length)| (name, length.max(1))).collect()
    }
}

impl Machine {
    /// What it is called in tables.
    pub fn name(&self) -> String {
        if self.label.is_empty() { self.machine.clone() } else { self.label.clone() }
    }
}

impl PolicyChoice {
    /// What it is called in tables.
    pub fn name(&self) -> String {
        if !self.label.is_empty() {
            return self.label.clone();
        }
        crate::policy::find(&self.policy).map_or_else(|_| self.policy.clone(), |spec| spec.name.to_owned())
    }

    /// A scenario of it alone.
    pub(super) fn scenario(&self, machine: &str, settings: Settings) -> Scenario {
        Scenario { machine: machine.into(), policy: self.policy.clone(), preset: self.preset.clone(), settings }
    }
}

fn check_source(source: &WorkloadSource, index: usize) -> Result<(), Problem> {
    let path = format!("workloads[{index}]");
    match (&source.trace, &source.model) {
        (Some(trace), None) if trace.name.is_empty() => {
            Err(at(&format!("{path}.trace.name"), "It is empty.", "A trace is named by its file."))
        }
        (Some(_), None) => Ok(()),
        (None, Some(model)) => {
            let spec = crate::workload::model::find(&model.id).map_err(|problem| below(&format!("{path}.model.id"), problem))?;
            model.settings.check(&[spec.params]).map_err(|problem| below(&format!("{path}.model.settings"), problem))
        }
        _ => Err(at(&path, "It must have either `trace` or `model`.", "A workload is one of the two.")),
    }
}

fn check_unique(list: &str, names: impl Iterator<Item = String>) -> Result<(), Problem> {
    let mut seen = Vec::new();
    for (index, name) in names.enumerate() {
        if seen.contains(&name) {
            return Err(at(
                &format!("{list}[{index}]"),
                format!("`{name}` is there twice."),
                "Tables name them, so each needs a `label` of its own.",
            ));
        }
        seen.push(name);
    }
    Ok(())
}

/// A problem at a place in the document.
pub(super) fn at(path: &str, what: impl std::fmt::Display, why: &str) -> Problem {
    Problem::new(format!("The plan is not good. At `{path}`: {what}"), why, "Correct that place.")
}

/// A problem of a part, at its place in the document.
pub(super) fn below(path: &str, problem: Problem) -> Problem {
    Problem { what: format!("The plan is not good. At `{path}`: {}", problem.what), ..problem }
}
