//! Policies: who starts when. A policy is one file with its [`Spec`] and one line in [`ALL`]; the
//! page's form, the terminal's help, its docs page and the conformance tests are drawn from the
//! spec.

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
mod pbas;
mod priority;
mod selective;
pub mod tools;
mod wbas;

pub use tools::spec::{Needs, Spec};

use crate::param::closest;
use crate::problem::Problem;

/// Every policy.
pub const ALL: &[&Spec] = &[
    &fcfs::SPEC,
    &easy::SPEC,
    &conservative::SPEC,
    &selective::SPEC,
    &maui::SPEC,
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

/// The policy named `id`.
///
/// # Errors
/// If there is none.
pub fn find(id: &str) -> Result<&'static Spec, Problem> {
    let ids: Vec<&str> = ALL.iter().map(|spec| spec.id).collect();
    ALL.iter()
        .copied()
        .find(|spec| spec.id == id)
        .ok_or_else(|| {
            Problem::new(
                format!(
                    "There is no policy `{}`.",
                    id.chars().take(60).collect::<String>()
                ),
                "A policy is named by its id.",
                format!("{}The policies are: {}.", closest(id, &ids), ids.join(", ")),
            )
        })
}
