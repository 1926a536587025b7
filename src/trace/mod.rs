//! Traces: records without judgement.
//!
//! `import/` makes them of text. `workload/clean.rs` decides what a record means for a simulation:
//! its size, its estimate, and whether it takes part.

mod carried;
mod column;
mod declared;
mod demands;
mod fingerprint;
mod name;
mod parsed;
mod queue;
mod record;
mod recorded_use;
mod report;
mod size;
mod words;
mod write;

pub use column::{Column, ColumnValues, Names, UNKNOWN};
pub use declared::{Declared, WRITTEN, decoded, encoded_comment, encoded_field, name_lines, names};
pub use demands::Demands;
pub use fingerprint::Fingerprint;
pub use name::{PACKED_ENDINGS, unpacked_name};
pub use parsed::Trace;
pub use queue::{QUEUE_INSTANT, QUEUE_LATEST, QUEUE_RUNS, QUEUE_STATE, QUEUE_WAITS, QUEUE_WRITTEN};
pub use record::{FIELDS, LONGEST_SECONDS, Record, Records};
pub use recorded_use::{RecordedUse, RecordedUses};
pub use report::{ColumnNote, Effect, ImportRule, Report, RuleCount, RuleTally};
pub use size::{LARGEST_MACHINE, MachineSize, SizeDoubt, SizeEvidence, SizeProposal, SizeSource};
pub use words::Words;
pub use write::{header_lines, record_line, write_trace};
