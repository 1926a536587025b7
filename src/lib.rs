//! Schedscope simulates parallel job scheduling exactly, in the browser and in the terminal.
//!
//! ```text
//! trace -> workload -> simulation (machine x policy) -> schedule -> metrics, views, files
//!          ^^^^^^^^                                     ^^^^^^^^
//! ```
//!
//! A [`trace`] is text turned into records. A [`workload`] is the table of jobs made from a trace:
//! the first narrow waist. A [`sim`]ulation lets a [`policy`] schedule a workload on a [`machine`]
//! (one of the [`machines`]) and tells observers what happens. A [`schedule`] holds these events as
//! columns: the second waist. [`metrics`] and [`view`]s read schedules and know no policy. An
//! [`experiment`] describes a whole run in one document, a [`plan`] describes many runs, a
//! `forecast` tells when waiting jobs will start, and [`wasm`] is the border to the browser.

// Vocabulary.
pub mod cluster;
pub mod import;
pub mod job;
pub mod limits;
pub mod param;
pub mod problem;
pub mod pulse;
pub mod random;
pub mod sorting;
pub mod statistics;
pub mod time;

// Input.
pub mod trace;

pub mod workload;

// Simulation.
pub mod machine;

pub mod sim;

pub mod policy;

pub mod slurm;

// Results.
pub mod schedule;

pub mod metrics;

pub mod files;

pub mod sharing;

pub mod view;

pub mod explain;

// Complete runs.
pub mod machines;

pub mod experiment;

pub mod plan;

#[cfg(feature = "plans")]
pub mod forecast;

pub mod session;

#[cfg(target_arch = "wasm32")]
pub mod wasm;
