//! The parameters of cleaning.

use crate::param::{Param, Typed, whole_of_trace, words};
use crate::trace::LARGEST_MACHINE;

/// Processors of the machine.
pub const PROCESSORS: Typed<Option<i64>> = whole_of_trace(
    "processors",
    "Machine size",
    1..=LARGEST_MACHINE,
)
.unit("processors")
.help(
    "Size of the machine; where it is not given, a guess: MaxProcs of the trace's header, else \
            MaxNodes, else the widest job",
);

words! {
    /// Which field is a job's size.
    pub enum Sizes {
        Requested = "requested": "requested processors, else allocated",
        Allocated = "allocated": "allocated processors, else requested",
        AllocatedOnly = "allocated_only": "allocated processors; a job without them has no size",
        Larger = "larger": "the larger of the two",
    }
}

/// Which field is a job's size.
pub const SIZES: Typed<Sizes> = Sizes::param("sizes", "Job sizes", Sizes::Requested)
    .help("Which field of the trace is a job's size");

words! {
    /// What happens to a job that reaches its estimate.
    pub enum Overrun {
        Kill = "kill": "the job is killed when it reaches its estimate",
        Raise = "raise": "the estimate is raised to the run time beforehand",
        Continue = "continue": "the job runs on; policies take it to end at the next instant",
        Swap = "swap": "the run time is believed and the job runs for the estimate, at least 1 s; \
            a missing estimate counts as 0 s (pyss)",
    }
}

/// What happens to a job that reaches its estimate.
pub const OVERRUN: Typed<Overrun> = Overrun::param("overrun", "At the estimate", Overrun::Kill)
    .help("What happens to a job whose run time is longer than its estimate");

words! {
    /// What happens to jobs wider than the machine.
    pub enum TooWide {
        Skip = "skip": "left out",
        Clamp = "clamp": "given the whole machine",
    }
}

/// What happens to jobs wider than the machine.
pub const TOO_WIDE: Typed<TooWide> = TooWide::param("too_wide", "Too wide jobs", TooWide::Skip)
    .help("What happens to a job that is wider than the machine");

words! {
    /// What happens to jobs of zero run time or without an estimate.
    pub enum Incomplete {
        Keep = "keep": "run times of 0 are kept; a missing estimate becomes the run time",
        Drop = "drop": "jobs with a run time of 0 or without an estimate are left out",
        DropZero = "drop_zero": "jobs with a run time of 0 are left out; a missing estimate \
            becomes the run time",
        OneSecond = "one_second": "a job without a positive run time or a size, or submitted \
            before 0, becomes one of 1 s, submitted at 1 s at the earliest (pyss)",
    }
}

/// What happens to jobs of zero run time or without an estimate.
pub const INCOMPLETE: Typed<Incomplete> =
    Incomplete::param("incomplete", "Zero or unknown", Incomplete::Keep)
        .help("What happens to jobs with a run time of 0 or without an estimate");

words! {
    /// What happens to jobs that were cancelled.
    pub enum Cancelled {
        Keep = "keep": "kept, where they ran at all",
        Drop = "drop": "left out, also those that were cancelled while they ran",
    }
}

/// What happens to jobs that were cancelled.
pub const CANCELLED: Typed<Cancelled> =
    Cancelled::param("cancelled", "Cancelled jobs", Cancelled::Keep)
        .help("What happens to jobs with status 5, cancelled");

/// The parameters of cleaning.
pub const PARAMS: &[Param] = &[
    PROCESSORS.param,
    SIZES.param,
    OVERRUN.param,
    TOO_WIDE.param,
    INCOMPLETE.param,
    CANCELLED.param,
];
