//! Slurm 22.05.8's scheduler: the main scheduler, the backfill scheduler, and the choice of nodes of
//! select/linear and select/cons_tres.
//!
//! A [`Controller`] has the records of jobs and the state of the nodes. It runs a pass when it is told
//! to, with times in whole seconds since 1970. A [`SlurmClock`] tells when Slurm runs passes. The names
//! in the comments are those of Slurm's functions.

mod access;
mod account_use;
mod accounts;
mod admission;
mod asked;
mod backfill;
mod backfill_pass;
mod choice;
mod clock;
mod conf;
mod conf_preempt;
mod conf_priority;
mod controller;
mod core_rows;
mod core_use;
mod dependency;
mod entry;
mod gang;
mod gang_state;
mod gres;
mod gres_use;
mod group;
mod idle;
mod kept;
mod keywords;
mod known;
mod last_queue;
mod looks;
mod main_pass;
mod nodeset;
mod parts;
mod plans;
mod policy;
mod policy_tres;
mod preempt;
mod priority;
mod queue;
mod reason;
mod record;
mod records;
mod refusals;
mod releases;
mod repeat;
mod request;
mod reservation;
mod reset;
mod select;
mod shares;
mod start;
mod submit;
mod switches;
mod text;
mod timeline;
mod usage;
mod watch;

pub use accounts::{
    AccountLine, AccountOption, DumpKind, OptionKind, SlurmAccounts, account_line, is_usage_head,
    option_kind,
};
pub use asked::{ArrayAsked, AskedJob, DependencyAsked, DependencyKind, MemoryAsked, NodesAsked};
pub use clock::{ClockFigures, SlurmClock};
pub use conf::SlurmConf;
pub use controller::{Controller, StartedJob};
pub use kept::NodeReservation;
pub use keywords::{keywords, scheduling_lines};
pub use looks::{JobFound, JobLook, WatchedJob};
pub use nodeset::NodeSet;
pub use parts::PriorityParts;
pub use reason::WaitReason;
pub use record::{JobRecord, JobState, NodeShare, PreemptedJob, SuspendedJob};
pub use text::facts::{KeywordEffect, LineFact};
pub use text::modelled::{GENERAL, ModelledWord, PRIORITY_FLAGS, SCHEDULER};
pub use text::natural::natural_key;
pub use text::words::{
    ConfLine, ConfWord, INFINITE, lines as conf_lines, megabytes, minutes, plain,
};
