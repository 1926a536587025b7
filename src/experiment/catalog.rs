//! The catalogue of all that can be chosen, as JSON: forms, help and docs are drawn from it.

use super::PRESETS;
use crate::workload::{clean, model, shape};
use crate::{machine, metrics, policy, sim};
use serde_json::{Value, json};

/// Every policy, machine, model, preset, metric and parameter.
pub fn catalog() -> Value {
    json!({
        "version": super::summary::VERSION,
        "policies": policy::ALL.iter().map(|spec| json!({
            "id": spec.id, "name": spec.name, "summary": spec.summary, "paper": spec.paper, "needs": spec.needs, "params": spec.params,
        })).collect::<Vec<_>>(),
        "machines": machine::ALL.iter().map(|spec| json!({
            "id": spec.id, "name": spec.name, "summary": spec.summary, "params": spec.params,
        })).collect::<Vec<_>>(),
        "models": model::ALL.iter().map(|spec| json!({
            "id": spec.id, "name": spec.name, "summary": spec.summary, "paper": spec.paper, "params": spec.params,
        })).collect::<Vec<_>>(),
        "presets": PRESETS.iter().map(|preset| json!({
            "id": preset.id, "name": preset.name, "summary": preset.summary, "settings": preset.settings(),
        })).collect::<Vec<_>>(),
        "groups": { "reading": clean::PARAMS, "workload": shape::PARAMS, "run": sim::KERNEL_PARAMS, "metrics": metrics::PARAMS },
        "metrics": metrics::ALL,
    })
}
