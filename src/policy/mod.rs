//! Policies, which decide when each waiting job starts.
//!
//! A policy is one file with a [`Spec`] and one line in [`ALL`]. The page's form, the terminal's
//! help, the head of the policy's docs page and the conformance tests are drawn from the spec.

mod bm;
pub mod candidates;
mod conservative;
mod easy;
mod fcfs;
mod flex;
mod lomarc;
mod lookahead;
mod maui;
mod migration;
mod multiqueue;
pub mod own;
mod pbas;
mod priority;
mod recorded;
mod selective;
mod slurm;
pub mod tools;
mod wbas;

pub use recorded::SPEC as RECORDED;
pub use tools::spec::{Needs, Spec};

use crate::param::closest;
use crate::problem::Problem;
use own::{CodeHost, Definition};
use std::sync::Arc;

/// All policies, in the order in which forms and docs list them.
pub const ALL: &[&Spec] = &[
    &fcfs::SPEC,
    &easy::SPEC,
    &conservative::SPEC,
    &selective::SPEC,
    &maui::SPEC,
    &slurm::SPEC,
    &flex::SPEC,
    &lookahead::SPEC,
    &multiqueue::SPEC,
    &priority::SPEC,
    &migration::SPEC,
    &bm::SPEC,
    &pbas::SPEC,
    &wbas::SPEC,
    &lomarc::SPEC,
];

/// Returns the policy with the id `id`: one of [`ALL`], an own policy ([`own`]), or the recorded
/// schedule ([`RECORDED`]).
///
/// # Errors
/// Returns a problem if no policy has this id.
pub fn find(id: &str) -> Result<&'static Spec, Problem> {
    let ids: Vec<&str> = ALL.iter().map(|spec| spec.id).collect();
    ALL.iter()
        .copied()
        .chain([&RECORDED])
        .find(|spec| spec.id == id)
        .or_else(|| own::find(id))
        .ok_or_else(|| {
            Problem::new(
                format!(
                    "There is no policy `{}`.",
                    id.chars().take(60).collect::<String>()
                ),
                "A policy is named by its id.",
                format!(
                    "{}The policies are: {}; `recorded` is the schedule of the log itself.",
                    closest(id, &ids),
                    ids.join(", ")
                ),
            )
        })
}

/// Defines an own policy, whose code `host` runs. It replaces an own policy with the same id. Runs of
/// that one keep their code.
///
/// # Errors
/// Returns a problem if a policy of [`ALL`] has the id, or if there are too many definitions.
pub fn define(definition: Definition, host: Arc<dyn CodeHost>) -> Result<&'static Spec, Problem> {
    let id = definition.id();
    if ALL.iter().any(|spec| spec.id == id) || id == RECORDED.id {
        return Err(Problem::new(
            format!("`{id}` is the id of a policy that exists."),
            "Your policy needs an id that no policy of the engine has.",
            "Choose another id.",
        ));
    }
    own::register(definition, host)
}
