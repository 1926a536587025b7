//! Plans: many experiments in one document, the same on the page and in the terminal.
//!
//! A plan crosses workloads, machines, windows, loads, seeds, settings and policies. Each
//! combination is a cell: a trace and a [`Scenario`](crate::experiment::Scenario), nothing else, so
//! that any cell can be run by itself and gives the same schedule. What is kept of a cell's run is
//! a [`CellResult`]; what the plan says as a whole is its [`Analysis`].

mod analysis;
mod cell;
mod document;
mod monthly;
pub mod place;
mod reading;
mod result;
mod stored;
mod unique;

pub use analysis::{Analysis, Difference, Interval, Point, SATURATED, Saturation, analyse};
pub use cell::{Cell, cells};
pub use document::{
    Combine, JobWindow, Keep, Loads, MachineChoice, ModelSource, Plan, PolicyChoice, TraceSource,
    VERSION, WorkloadSource,
};
pub use monthly::keys;
pub use result::{CellResult, SampledJob, measure_cell};
pub use stored::{Doubt, read_stored};
pub use unique::check_keys;
