//! Machine models. A model is a folder with its [`MachineSpec`] and a line in [`ALL`].

pub mod bsp;
pub mod fat_tree;
pub mod flat;
pub mod gang;
pub mod nodes;
mod shared;
pub mod smt;
pub mod torus;

pub use shared::{MachineSpec, Past, Sight};

use crate::metrics::MetricSpec;
use crate::param::closest;
use crate::problem::Problem;

/// All machine models.
pub const ALL: &[&MachineSpec] = &[
    &flat::SPEC,
    &torus::SPEC,
    &fat_tree::SPEC,
    &nodes::SPEC,
    &gang::SPEC,
    &bsp::SPEC,
    &smt::SPEC,
];

/// Returns the machine model with this id.
///
/// # Errors
/// If no machine model has this id.
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

/// Returns every metric: first those of all runs, then those of runs of logs with starts, then those
/// that only one machine model has.
pub fn metrics() -> impl Iterator<Item = &'static MetricSpec> {
    let of_machines = ALL.iter().flat_map(|machine| machine.metrics);
    crate::metrics::ALL
        .iter()
        .chain(crate::metrics::FIT)
        .chain(of_machines)
}

/// Returns the keys of all figures that a run can have.
pub fn metric_keys() -> Vec<String> {
    metrics().flat_map(MetricSpec::keys).collect()
}
