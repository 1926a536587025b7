//! Schedscope simulates parallel job scheduling, exactly, in the browser and in the terminal.
//!
//! ```text
//! trace -> workload -> simulation (machine x policy) -> schedule -> metrics, views, files
//!          ^^^^^^^^                                     ^^^^^^^^
//! ```
//!
//! A [`trace`] is text turned into records. A [`workload`] is the table of jobs made of it: the
//! first narrow waist. A [`sim`]ulation lets a [`policy`] schedule a workload on a [`machine`] (one
//! of the [`machines`]) and tells observers what happens; folded into columns that is a
//! [`schedule`], the second waist. [`metrics`] and [`view`]s read schedules and know nothing of
//! policies. An [`experiment`] says all of it in one document, a [`plan`] many of them, and
//! [`wasm`] is the border to the browser.

// The vocabulary.
pub mod job;
pub mod limits;
pub mod param;
pub mod problem;
pub mod pulse;
pub mod random;
pub mod sorting;
pub mod statistics;
pub mod time;

// What comes in.
pub mod trace;

pub mod workload;

// What happens.
pub mod machine;

pub mod sim;

pub mod policy;

// What is made of it.
pub mod schedule;

pub mod metrics;

pub mod files;

pub mod view;

pub mod explain;

// All of it together.
pub mod machines;

pub mod experiment;

pub mod plan;

#[cfg(target_arch = "wasm32")]
pub mod wasm;
