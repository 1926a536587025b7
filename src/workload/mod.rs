//! Workloads: the table of jobs with its provenance. This is the first of the program's two narrow
//! waists.
//!
//! Everything before the table (traces, models, cleaning, scaling) ends here. Everything after it
//! (machines, policies) starts here and knows nothing of files.

pub mod clean;
mod demands;
pub mod model;
mod profile;
pub mod programs;
mod recorded;
mod resample;
pub mod shape;
mod table;

pub use demands::give_demands;
pub use profile::{Group, Oddity, User, Week, WorkloadProfile, workload_profile};
pub use recorded::{as_recorded, give_recorded_starts};
pub use table::{Provenance, Workload};
