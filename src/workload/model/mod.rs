//! Workload models: statistical descriptions from which traces are drawn. A model is one file with
//! its [`ModelSpec`] and one line in [`ALL`].

pub mod lublin;
pub mod programs;
pub mod random;
mod spec;

pub use spec::ModelSpec;

use crate::limits;
use crate::param::{Kind, Param, Settings, closest};
use crate::problem::Problem;
use crate::pulse::{Doing, beat, during, reached};
use crate::trace::Trace;

/// All workload models, in the order of lists and forms.
pub const ALL: &[&ModelSpec] = &[&lublin::SPEC, &random::SPEC, &programs::SPEC];

/// Returns the model with this id.
///
/// # Errors
/// Fails if there is no such model.
pub fn find(id: &str) -> Result<&'static ModelSpec, Problem> {
    let ids: Vec<&str> = ALL.iter().map(|spec| spec.id).collect();
    ALL.iter()
        .find(|spec| spec.id == id)
        .copied()
        .ok_or_else(|| {
            Problem::new(
                format!("There is no workload model `{id}`."),
                "A model is named by its id.",
                format!("{}The models are: {}.", closest(id, &ids), ids.join(", ")),
            )
        })
}

/// Draws a trace from the model with this id.
///
/// # Errors
/// Fails if there is no such model, if a setting is unknown or out of range, or if settings
/// contradict each other.
pub fn generate(id: &str, settings: &Settings) -> Result<Trace, Problem> {
    limits::check_name("The model's name", id)?;
    let spec = find(id)?;
    settings.check(&[spec.params])?;
    let mut trace = during(Doing::Drawing { jobs: 0, of: 0 }, || {
        (spec.generate)(settings)
    })?;
    trace.sha256 = fingerprint(&trace);
    trace.report.read = trace.records.len() as u64;
    Ok(trace)
}

/// Returns every parameter with its value, for the header of a trace.
fn shown(params: &[Param], settings: &Settings) -> String {
    let value = |param: &Param| match param.kind {
        Kind::Whole { .. } => settings.whole(param).to_string(),
        Kind::Real { .. } => settings.real(param).to_string(),
        Kind::Text {} | Kind::Lines {} => settings.text_given(param).unwrap_or_default(),
        Kind::Choice { .. } | Kind::Policies { .. } => settings.choice(param).to_owned(),
    };
    params
        .iter()
        .map(|param| format!("{}={}", param.key, value(param)))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the hash of the text of the trace, as the command `generate` writes it to a file.
fn fingerprint(trace: &Trace) -> String {
    let mut print = crate::trace::Fingerprint::default();
    let mut lines = 0;
    let of = trace.records.len() as u64;
    during(Doing::Hashing { jobs: 0, of }, || {
        crate::trace::write_trace(trace, |line| {
            print.push(line.as_bytes());
            lines += 1;
            reached(Doing::Hashing {
                jobs: lines.min(of),
                of,
            });
            beat(1024);
        });
    });
    print.finish()
}
