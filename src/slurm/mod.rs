//! Slurm 22.05.8's scheduler: the main scheduler, the backfill scheduler, and the choice of nodes of
//! select/linear and select/cons_tres.
//!
//! A [`Controller`] has the records of jobs and the state of the nodes. It runs a pass when it is told
//! to, with times in whole seconds since 1970. A [`SlurmClock`] tells when Slurm runs passes. The names
//! in the comments are those of Slurm's functions.

mod asked;
mod backfill;
mod choice;
mod clock;
mod conf;
mod controller;
mod dependency;
mod facts;
mod idle;
mod main_pass;
mod nodeset;
mod priority;
mod queue;
mod record;
mod select;
mod start;
mod submit;
mod timeline;
mod words;

pub use asked::{ArrayAsked, AskedJob, DependencyAsked, DependencyKind, MemoryAsked, NodesAsked};
pub use clock::{ClockFigures, SlurmClock};
pub use conf::SlurmConf;
pub use controller::{Controller, StartedJob};
pub use facts::{KeywordEffect, LineFact};
pub use nodeset::NodeSet;
pub use record::{JobRecord, JobState, NodeShare};
pub use words::{INFINITE, megabytes, minutes};
