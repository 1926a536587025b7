//! Plans: many experiments in one document, which run the same on the page and in the terminal.
//!
//! A plan combines workloads, machines, windows, loads, seeds, settings and policies. Each
//! combination is a cell: a trace and a [`Scenario`](crate::experiment::Scenario), and nothing
//! else. Any cell can therefore run by itself, and gives the same schedule. A [`CellResult`] is
//! what remains of a cell's run. An [`Analysis`] compares the results of all cells.

mod analysis;
mod cell;
mod document;
pub mod json;
mod monthly;
mod reading;
mod result;
mod stored;
mod unique;

pub use analysis::{Analysis, Difference, Interval, Point, SATURATED, Saturation, analyse};
pub use cell::{Cell, cells};
pub use document::{
    Combine, JobWindow, Keep, Loads, MachineChoice, ModelSource, Plan, PlanCode, PolicyChoice,
    TraceSource, VERSION, WorkloadSource,
};
pub use monthly::keys;
pub use result::{CellResult, SampledJob, measure_cell};
pub use stored::{Doubt, read_stored};
pub use unique::check_keys;
