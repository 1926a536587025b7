//! The summary of a run as JSON with stable names: configuration, provenance, import report, digest
//! and every figure.

use super::Run;
use crate::machines;
use crate::metrics::{Grouping, Measures, measure_classes};
use crate::param::{Kind, Param, Settings};
use crate::policy::candidates::own_params;
use serde_json::{Map, Value, json};

/// The version of the program, as summaries and notes in files give it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Hash of the sources and libraries that can change results. `build.rs` computes it, and
/// `docs/formats/results.md` states which sources and libraries it covers.
pub const ENGINE: &str = env!("SCHEDSCOPE_ENGINE");

/// The version of the summary's layout, which `docs/formats/summary.md` describes.
const LAYOUT: u32 = 1;

/// Returns the summary of a complete run.
pub fn summary(run: &Run, measures: &Measures) -> Value {
    let workload = &run.schedule().workload;
    let settings = &run.scenario.settings;
    let (groups, candidates) = (run.scenario.groups(), run.scenario.candidates());
    let own = groups.iter().flat_map(|(_, params)| params.iter());
    let own = own.map(|param| {
        (
            param.key.to_owned(),
            effective(settings, param, workload.processors),
        )
    });
    let parameters = object(own.chain(candidates.iter().flat_map(|candidate| {
        let entry = |param: &Param| {
            (
                format!("{}.{}", candidate.name, param.key),
                effective(&candidate.settings, param, workload.processors),
            )
        };
        own_params(candidate.spec)
            .iter()
            .map(entry)
            .collect::<Vec<_>>()
    })));
    let classes = |grouping| {
        serde_json::to_value(measure_classes(run.schedule(), settings, grouping))
            .unwrap_or_default()
    };
    let mut summary = json!({
        "layout": LAYOUT,
        "program": { "name": "schedscope", "version": VERSION, "engine": ENGINE },
        "trace": workload.provenance,
        "import": workload.report,
        "machine": { "id": run.scenario.machine.id, "processors": workload.processors },
        "policy": { "id": run.scenario.policy.id, "name": run.scenario.policy.name },
        "parameters": parameters,
        "schedule": {
            "jobs": workload.len(),
            "offered_load": workload.offered_load(),
            "digest": format!("{:016x}", run.schedule().digest()),
        },
        "metrics": nested(measures),
        "classes": object(
            Grouping::of(&workload.attributes())
                .into_iter()
                .chain([Grouping::Month])
                .map(|grouping| (grouping.id().to_owned(), classes(grouping)))
        ),
    });
    let not_modelled = run.not_modelled();
    if !not_modelled.is_empty() {
        summary["policy"]["not_modelled"] = json!(not_modelled);
    }
    if let Some(otherwise) = &run.scenario.what_if {
        summary["what_if"] = serde_json::from_str(&otherwise.json()).unwrap_or_default();
    }
    summary
}

/// Returns the figures grouped by metric: `wait.mean` becomes `{"wait": {"unit": "s", "mean":
/// ...}}`.
fn nested(measures: &Measures) -> Value {
    let metric = |spec: &crate::metrics::MetricSpec| {
        let mut fields = Map::new();
        fields.insert("unit".into(), json!(spec.unit.symbol()));
        for figure in spec.figures {
            fields.insert(
                (*figure).into(),
                json!(measures.figures.get(&format!("{}.{figure}", spec.id))),
            );
        }
        (spec.id.to_owned(), Value::Object(fields))
    };
    // Only the summaries of a machine model's runs have the metrics of this model alone.
    let is_here = |spec: &&crate::metrics::MetricSpec| {
        spec.keys().all(|key| measures.figures.contains_key(&key))
    };
    Value::Object(object(machines::metrics().filter(is_here).map(metric)))
}

/// Makes an object of fields. An insertion for each field compiles to less code than `collect`,
/// which sorts.
fn object(fields: impl Iterator<Item = (String, Value)>) -> Map<String, Value> {
    let mut object = Map::new();
    fields.for_each(|(key, value)| {
        object.insert(key, value);
    });
    object
}

fn effective(settings: &Settings, param: &Param, processors: u32) -> Value {
    match param.kind {
        Kind::Whole { default: None, .. } => {
            json!(settings.whole_given(param).unwrap_or(i64::from(processors)))
        }
        Kind::Whole { .. } => json!(settings.whole(param)),
        Kind::Real { .. } => json!(settings.real(param)),
        Kind::Text {} | Kind::Lines {} => json!(settings.text_given(param)),
        Kind::Choice { .. } | Kind::Policies { .. } => json!(settings.choice(param)),
    }
}
