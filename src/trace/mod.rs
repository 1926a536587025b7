//! Traces: text becomes records, without judgement.
//!
//! `workload/clean.rs` decides what a record means for a simulation: its size, its estimate, and
//! whether it takes part. Here a line is either 18 numbers or a
//! [`Problem`](crate::problem::Problem) that names the line and the field.

mod demands;
#[cfg(not(target_arch = "wasm32"))]
pub mod file;
mod fingerprint;
mod line;
mod parsed;
mod record;
mod report;
mod size;
mod swf;
mod write;

pub use demands::Demands;
pub use fingerprint::Fingerprint;
pub use parsed::Trace;
pub use record::{FIELDS, LONGEST_SECONDS, Record, Records};
pub use report::{Effect, ImportRule, Report, RuleCount, RuleTally};
pub use size::{LARGEST_MACHINE, MachineSize, SizeDoubt, SizeSource};
pub use swf::{BadLines, Reader, read};
pub use write::{header_lines, record_line, write_trace};
