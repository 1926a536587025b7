//! The parameters of cleaning a trace.

use crate::param::{Param, Typed, text_of_trace, whole_of_trace, words};
use crate::trace::LARGEST_MACHINE;

/// Parameter for the number of processors of the machine.
pub const PROCESSORS: Typed<Option<i64>> = whole_of_trace(
    "processors",
    "Machine size",
    1..=LARGEST_MACHINE,
)
.unit("processors")
.help(
    "Size of the machine; if it is not given, a guess: MaxProcs of the trace's header, else \
            MaxNodes, else the widest job",
);

/// Parameter for the partition whose jobs are kept.
pub const PARTITION: Typed<Option<String>> = text_of_trace("partition", "Partition").help(
    "Name or number of the partition (field 16 if it differs between jobs, else the queue, field \
        15) whose jobs are kept; the machine is then the partition. Without it, all jobs are kept",
);

words! {
    /// The field of a record that gives the size of a job.
    pub enum Sizes {
        Requested = "requested": "requested processors, else allocated processors",
        Allocated = "allocated": "allocated processors, else requested processors",
        AllocatedOnly = "allocated_only": "allocated processors; a job without them has no size",
        Larger = "larger": "the larger of requested and allocated processors",
        Nodes = "nodes": "the log's number of nodes; a job without it has no size",
    }
}

/// Parameter for the field that gives the size of a job.
pub const SIZES: Typed<Sizes> = Sizes::param("sizes", "Job sizes", Sizes::Requested)
    .help("Field of the trace that gives the size of a job");

words! {
    /// The treatment of a job that reaches its estimate.
    pub enum Overrun {
        Kill = "kill": "the job is killed when it reaches its estimate",
        Raise = "raise": "the estimate is raised to the run time beforehand",
        Continue = "continue": "the job runs on; policies expect it to end at the next instant",
        Swap = "swap": "the run time becomes the estimate, and the job runs for its old estimate, \
            at least 1 s; a missing estimate counts as 0 s (pyss)",
    }
}

/// Parameter for the treatment of a job that reaches its estimate.
pub const OVERRUN: Typed<Overrun> = Overrun::param("overrun", "At the estimate", Overrun::Kill)
    .help("Treatment of a job whose run time is longer than its estimate");

words! {
    /// The treatment of jobs that are wider than the machine.
    pub enum TooWide {
        Skip = "skip": "the job is left out",
        Clamp = "clamp": "the job asks for the whole machine",
    }
}

/// Parameter for the treatment of jobs that are wider than the machine.
pub const TOO_WIDE: Typed<TooWide> = TooWide::param("too_wide", "Too wide jobs", TooWide::Skip)
    .help("Treatment of a job that is wider than the machine");

words! {
    /// The treatment of jobs that have a run time of 0 or no estimate.
    pub enum Incomplete {
        Keep = "keep": "run times of 0 are kept; a missing estimate becomes the run time",
        Drop = "drop": "jobs with a run time of 0 or without an estimate are left out",
        DropZero = "drop_zero": "jobs with a run time of 0 are left out; a missing estimate \
            becomes the run time",
        OneSecond = "one_second": "a job without a positive run time or a size, or submitted \
            before 0, becomes a job of 1 s, submitted at 1 s at the earliest (pyss)",
    }
}

/// Parameter for the treatment of jobs that have a run time of 0 or no estimate.
pub const INCOMPLETE: Typed<Incomplete> =
    Incomplete::param("incomplete", "Zero or unknown", Incomplete::Keep)
        .help("Treatment of jobs with a run time of 0 or without an estimate");

words! {
    /// The treatment of jobs that were cancelled.
    pub enum Cancelled {
        Keep = "keep": "kept, if they ran at all",
        Drop = "drop": "left out, also those that were cancelled while they ran",
    }
}

/// Parameter for the treatment of jobs that were cancelled.
pub const CANCELLED: Typed<Cancelled> =
    Cancelled::param("cancelled", "Cancelled jobs", Cancelled::Keep)
        .help("Treatment of jobs with status 5 (cancelled)");

words! {
    /// The instant at which a job arrives.
    pub enum Arrive {
        Submission = "submission": "when it was submitted",
        Eligible = "eligible": "when it became eligible, if the log says so: jobs that were held, \
            depended on others or had a time of begin arrive later",
    }
}

/// Parameter for the instant at which a job arrives.
pub const ARRIVE: Typed<Arrive> = Arrive::param("arrive", "Jobs arrive", Arrive::Submission)
    .help("Instant at which a job arrives, in logs that tell eligible times");

/// All parameters of cleaning, in the order of forms.
pub const PARAMS: &[Param] = &[
    PROCESSORS.param,
    PARTITION.param,
    SIZES.param,
    OVERRUN.param,
    TOO_WIDE.param,
    INCOMPLETE.param,
    CANCELLED.param,
    ARRIVE.param,
];
