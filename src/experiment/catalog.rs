//! The catalogue of all that can be chosen: forms, help and docs are drawn from it.

use super::{PRESETS, Preset};
use crate::machines::{self, MachineSpec};
use crate::metrics::{self, MetricSpec};
use crate::param::{Param, Settings};
use crate::policy::{self, Spec};
use crate::sim;
use crate::workload::model::{self, ModelSpec};
use crate::workload::{clean, shape};
use serde::Serialize;

/// Every policy, machine, model, preset, metric and parameter.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Catalog {
    /// Version of the program.
    pub version: &'static str,
    /// Hash of the engine, which decides whether a stored result is used.
    pub engine: &'static str,
    /// Every policy.
    pub policies: Vec<Choosable>,
    /// Every machine model.
    pub machines: Vec<Choosable>,
    /// Every workload model.
    pub models: Vec<Choosable>,
    /// Every preset.
    pub presets: Vec<PresetEntry>,
    /// Parameters that every run has.
    pub groups: Groups,
    /// Every metric.
    pub metrics: Vec<&'static MetricSpec>,
    /// What the runs of a plan say together, month by month.
    pub monthly: &'static [MetricSpec],
}

/// A policy, machine model or workload model.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Choosable {
    /// Stable id.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// One sentence on what it is.
    pub summary: &'static str,
    /// Where it was published; empty where that means nothing.
    pub paper: &'static str,
    /// Of a policy, the machine models on which it can run.
    pub machines: Vec<&'static str>,
    /// Whether a machine's own parameters determine its number of processors.
    pub sizes_itself: bool,
    /// Its parameters.
    pub params: &'static [Param],
}

/// A preset.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PresetEntry {
    /// Stable id.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// What it makes comparable.
    pub summary: &'static str,
    /// What it sets.
    pub settings: Settings,
}

/// Parameters that every run has, by what they belong to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Groups {
    /// How a trace becomes jobs.
    pub reading: &'static [Param],
    /// What is done to the jobs.
    pub workload: &'static [Param],
    /// The event loop.
    pub run: &'static [Param],
    /// How a schedule is measured.
    pub metrics: &'static [Param],
}

/// The catalogue.
pub fn catalog() -> Catalog {
    let of_policy = |spec: &&Spec| Choosable {
        id: spec.id,
        name: spec.name,
        summary: spec.summary,
        paper: spec.paper,
        machines: machines::ALL
            .iter()
            .filter(|machine| spec.runs_on(machine.offer))
            .map(|machine| machine.id)
            .collect(),
        sizes_itself: false,
        params: spec.params,
    };
    let of_machine = |spec: &&MachineSpec| Choosable {
        id: spec.id,
        name: spec.name,
        summary: spec.summary,
        paper: "",
        machines: Vec::new(),
        sizes_itself: (spec.capacity)(&Settings::default()).is_some(),
        params: spec.params,
    };
    let of_model = |spec: &&ModelSpec| Choosable {
        id: spec.id,
        name: spec.name,
        summary: spec.summary,
        paper: spec.paper,
        machines: Vec::new(),
        sizes_itself: false,
        params: spec.params,
    };
    let of_preset = |preset: &Preset| PresetEntry {
        id: preset.id,
        name: preset.name,
        summary: preset.summary,
        settings: preset.settings(),
    };
    Catalog {
        version: super::summary::VERSION,
        engine: super::summary::ENGINE,
        policies: policy::ALL.iter().map(of_policy).collect(),
        machines: machines::ALL.iter().map(of_machine).collect(),
        models: model::ALL.iter().map(of_model).collect(),
        presets: PRESETS.iter().map(of_preset).collect(),
        groups: Groups {
            reading: clean::PARAMS,
            workload: shape::PARAMS,
            run: sim::KERNEL_PARAMS,
            metrics: metrics::PARAMS,
        },
        metrics: machines::metrics().collect(),
        monthly: metrics::MONTHLY,
    }
}
