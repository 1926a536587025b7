//! The rules of cleaning that change, drop or note a job. The import report counts how often each
//! one applied.

use crate::trace::{Effect, ImportRule};

pub const OTHER_PARTITION: ImportRule = ImportRule {
    id: "other_partition",
    effect: Effect::Skipped,
    text: "in another partition, or in none: skipped, as chosen",
};
pub const NEVER_RAN: ImportRule = ImportRule {
    id: "run_time_missing",
    effect: Effect::Skipped,
    text: "no run time (cancelled before it started): skipped",
};
pub const AT_ELIGIBLE: ImportRule = ImportRule {
    id: "arrives_eligible",
    effect: Effect::Repaired,
    text: "arrives when it became eligible, later than it was submitted, as chosen",
};
pub const CANCELLED_DROPPED: ImportRule = ImportRule {
    id: "cancelled_dropped",
    effect: Effect::Skipped,
    text: "cancelled while it ran: skipped, as chosen",
};
pub const NO_SIZE: ImportRule = ImportRule {
    id: "size_missing",
    effect: Effect::Skipped,
    text: "no number of processors: skipped",
};
pub const WIDE: ImportRule = ImportRule {
    id: "too_wide",
    effect: Effect::Skipped,
    text: "wider than the machine: skipped",
};
pub const CLAMPED: ImportRule = ImportRule {
    id: "clamped",
    effect: Effect::Repaired,
    text: "wider than the machine: given the whole machine",
};
pub const ZERO_DROPPED: ImportRule = ImportRule {
    id: "zero_dropped",
    effect: Effect::Skipped,
    text: "run time of 0: skipped",
};
pub const INCOMPLETE_DROPPED: ImportRule = ImportRule {
    id: "incomplete",
    effect: Effect::Skipped,
    text: "run time of 0 or no estimate: skipped, as chosen",
};
pub const OTHER_SIZE: ImportRule = ImportRule {
    id: "size_from_other_field",
    effect: Effect::Repaired,
    text: "chosen size field empty: the other field is used",
};
pub const NO_ESTIMATE: ImportRule = ImportRule {
    id: "estimate_missing",
    effect: Effect::Repaired,
    text: "no estimate: the run time is used (at least 1 s)",
};
pub const KILLED: ImportRule = ImportRule {
    id: "killed_at_estimate",
    effect: Effect::Repaired,
    text: "run time over the estimate: killed at the estimate",
};
pub const RAISED: ImportRule = ImportRule {
    id: "estimate_raised",
    effect: Effect::Repaired,
    text: "run time over the estimate: the estimate is raised",
};
pub const SWAPPED: ImportRule = ImportRule {
    id: "estimate_swapped",
    effect: Effect::Repaired,
    text: "run time over the estimate: used as the estimate, and the job runs for its old \
        estimate (at least 1 s), as chosen",
};
pub const ONE_SECOND: ImportRule = ImportRule {
    id: "one_second",
    effect: Effect::Repaired,
    text: "no run time, no size or submitted before 0: becomes a job of 1 s, submitted at 1 s \
        at the earliest, as chosen",
};
pub const RUNS_ON: ImportRule = ImportRule {
    id: "runs_past_estimate",
    effect: Effect::Noted,
    text: "run time over the estimate: the job runs on",
};
pub const ZERO_LENGTH: ImportRule = ImportRule {
    id: "run_time_zero",
    effect: Effect::Noted,
    text: "run time of 0: kept, starts and ends at one instant",
};
pub const NEGATIVE_SUBMIT: ImportRule = ImportRule {
    id: "submit_negative",
    effect: Effect::Noted,
    text: "submitted before the trace's zero: kept",
};
pub const UNSORTED: ImportRule = ImportRule {
    id: "out_of_order",
    effect: Effect::Repaired,
    text: "submitted before an earlier line: sorted",
};
pub const PARTIAL: ImportRule = ImportRule {
    id: "partial_execution",
    effect: Effect::Skipped,
    text: "part of a job (status 2, 3 or 4) that has a line of its own: skipped",
};
pub const PARTIAL_KEPT: ImportRule = ImportRule {
    id: "partial_execution_kept",
    effect: Effect::Noted,
    text: "part of a job (status 2, 3 or 4) without a line for the whole job: kept as a job",
};
pub const PRECEDING: ImportRule = ImportRule {
    id: "preceding_job",
    effect: Effect::Noted,
    text: "preceding job (field 17, or a dependency): not used, the job arrives at its submit time",
};
pub const THINK_TIME: ImportRule = ImportRule {
    id: "think_time",
    effect: Effect::Noted,
    text: "think time (field 18): not used, the job arrives at its submit time",
};
pub const RECORDED_WAIT: ImportRule = ImportRule {
    id: "recorded_wait",
    effect: Effect::Noted,
    text: "recorded wait (field 3): not used, the simulated policy decides",
};
pub const DUPLICATE: ImportRule = ImportRule {
    id: "duplicate_number",
    effect: Effect::Noted,
    text: "job number occurred before: kept as another job",
};
