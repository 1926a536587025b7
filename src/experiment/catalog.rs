//! The catalogue of everything that a user can choose. Forms, help and docs are drawn from it.

use super::{PRESETS, Preset};
use crate::machines::{self, MachineSpec};
use crate::metrics::{self, MetricSpec};
use crate::param::{Param, Settings};
use crate::policy::{self, Spec};
use crate::sim;
use crate::workload::model::{self, ModelSpec};
use crate::workload::{clean, shape};
use serde::Serialize;

/// All policies, machines, models, presets, metrics and parameters.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Catalog {
    /// The version of the program.
    pub version: &'static str,
    /// Hash of the engine. A stored result is used only if it has the same hash.
    pub engine: &'static str,
    /// All policies, in the order of lists and forms.
    pub policies: Vec<Choosable>,
    /// The recorded schedule, which is a run without a policy.
    pub recorded: Choosable,
    /// All machine models, in the order of lists and forms.
    pub machines: Vec<Choosable>,
    /// All workload models, in the order of lists and forms.
    pub models: Vec<Choosable>,
    /// All presets, in the order of lists and forms.
    pub presets: Vec<PresetEntry>,
    /// The parameters that every run has.
    pub groups: Groups,
    /// All metrics, in the order of tables.
    pub metrics: Vec<&'static MetricSpec>,
    /// The metrics that compare the runs of a plan month by month.
    pub monthly: &'static [MetricSpec],
}

/// A policy, a machine model or a workload model.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Choosable {
    /// The stable id of the entry.
    pub id: &'static str,
    /// Name that forms and tables show.
    pub name: &'static str,
    /// One sentence that describes the entry.
    pub summary: &'static str,
    /// The publication that the entry is from. Empty if it has none.
    pub paper: &'static str,
    /// The ids of the machine models on which a policy can run. Empty for machines and models.
    pub machines: Vec<&'static str>,
    /// True if the machine's own parameters determine its number of processors.
    pub sizes_itself: bool,
    /// True if the engine with which the page begins lacks the machine.
    pub only_whole: bool,
    /// The parameters of the entry.
    pub params: &'static [Param],
}

/// A preset, as forms show it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PresetEntry {
    /// The stable id of the preset.
    pub id: &'static str,
    /// Name that forms and tables show.
    pub name: &'static str,
    /// The runs that the preset makes comparable, and by what rules.
    pub summary: &'static str,
    /// The settings that the preset makes.
    pub settings: Settings,
}

/// Parameters that every run has, by the step that reads them.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Groups {
    /// Parameters of reading: how a trace becomes jobs.
    pub reading: &'static [Param],
    /// Parameters that change the table of jobs.
    pub workload: &'static [Param],
    /// Parameters of the event loop.
    pub run: &'static [Param],
    /// Parameters of the metrics.
    pub metrics: &'static [Param],
}

/// Returns the entry of a policy.
pub fn choosable(spec: &Spec) -> Choosable {
    Choosable {
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
        only_whole: false,
        params: spec.params,
    }
}

/// Returns the catalogue of this build, without own policies.
pub fn catalog() -> Catalog {
    let of_machine = |spec: &&MachineSpec| Choosable {
        id: spec.id,
        name: spec.name,
        summary: spec.summary,
        paper: "",
        machines: Vec::new(),
        sizes_itself: (spec.capacity)(&Settings::default()).is_some(),
        only_whole: spec.only_whole,
        params: spec.params,
    };
    let of_model = |spec: &&ModelSpec| Choosable {
        id: spec.id,
        name: spec.name,
        summary: spec.summary,
        paper: spec.paper,
        machines: Vec::new(),
        sizes_itself: false,
        only_whole: false,
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
        policies: policy::ALL.iter().copied().map(choosable).collect(),
        recorded: choosable(&policy::RECORDED),
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
