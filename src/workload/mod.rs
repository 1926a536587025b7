//! Workloads: the table of jobs with its provenance. This is the first of the program's two narrow
//! waists.
//!
//! Everything before the table (traces, models, cleaning, scaling) ends here. Everything after it
//! (machines, policies) starts here and knows nothing of files.

mod attribute;
pub mod clean;
mod demands;
mod follow;
mod log;
pub mod model;
mod partition;
mod profile;
pub mod programs;
mod recorded;
mod resample;
pub mod shape;
mod table;

pub use attribute::{Attribute, AttributeFacts, AttributeKind};
pub use demands::give_demands;
pub use follow::{CLOSED_LOOP, ClosedLoop, check_closed_loop, followed_jobs};
pub use log::Log;
pub use partition::{LogPartition, LogPartitions, PartitionFacts};
pub use profile::{Group, Oddity, User, Week, WorkloadProfile, workload_profile};
pub use recorded::{as_recorded, give_recorded_starts};
pub use table::{NodeRequests, Provenance, Workload};
