//! Machine models. A model is a folder with its [`MachineSpec`] and one line in [`ALL`].

pub mod bsp;
pub mod flat;
pub mod gang;
mod shared;
pub mod smt;
pub mod torus;

pub use shared::MachineSpec;

use crate::param::closest;
use crate::problem::Problem;

/// Every machine model.
pub const ALL: &[&MachineSpec] = &[
    &flat::SPEC,
    &torus::SPEC,
    &gang::SPEC,
    &bsp::SPEC,
    &smt::SPEC,
];

/// The machine model named `id`.
///
/// # Errors
/// If there is none.
pub fn find(id: &str) -> Result<&'static MachineSpec, Problem> {
    let ids: Vec<&str> = ALL.iter().map(|spec| spec.id).collect();
    ALL.iter()
        .copied()
        .find(|spec| spec.id == id)
        .ok_or_else(|| {
            Problem::new(
                format!("There is no machine model `{id}`."),
                "A machine model is named by its id.",
                format!(
                    "{}The machine models are: {}.",
                    closest(id, &ids),
                    ids.join(", ")
                ),
            )
        })
}
