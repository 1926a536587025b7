//! Limits: how much a file, a form, a link, a plan or a policy's name may say.
//!
//! Whoever wrote an input may mean harm, or may have made a slip; either way it must not eat the
//! machine. Each limit is far above what people need, and is checked before anything is made of the
//! input. docs/limits.md has the table; the page has the same numbers in www/src/limits.ts.

use crate::problem::Problem;

/// Bytes of a line of a trace.
pub const LINE_BYTES: usize = 65_536;
/// Comment lines that are kept of a trace.
pub const HEADER_LINES: usize = 10_000;
/// Bytes of comment lines that are kept of a trace.
pub const HEADER_BYTES: usize = 1 << 20;
/// Members of a gzip file that the page unpacks.
pub const GZIP_MEMBERS: usize = 100_000;
/// Bytes of a table of demands.
pub const DEMANDS_BYTES: usize = 64 << 20;
/// Jobs that a model draws.
pub const MODEL_JOBS: i64 = 10_000_000;
/// Bytes of a plan.
pub const PLAN_BYTES: usize = 4 << 20;
/// Cells of a plan.
pub const PLAN_CELLS: usize = 100_000;
/// Figures that a plan names.
pub const PLAN_METRICS: usize = 1_000;
/// Bytes of a what-if file.
pub const WHAT_IF_BYTES: usize = 1 << 20;
/// Users or jobs that a what-if names.
pub const WHAT_IF_ENTRIES: usize = 1_000;
/// Bytes of a name: of a policy, machine, preset, model, setting, trace or label.
pub const NAME_BYTES: usize = 500;
/// Settings of one run or model.
pub const SETTINGS: usize = 200;
/// Bytes of a setting's word.
pub const SETTING_BYTES: usize = 1_000;
/// Bytes of a filter.
pub const FILTER_BYTES: usize = 4_096;
/// Characters of a link behind its `#`.
pub const LINK_CHARACTERS: usize = 200_000;
/// Bytes of what a link holds, unpacked.
pub const LINK_BYTES: usize = 4 << 20;
/// Runs of a link.
pub const LINK_RUNS: usize = 26;

/// A limit as docs/limits.md tells it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Its name, as in www/src/limits.ts.
    pub name: &'static str,
    /// The most that is taken.
    pub most: usize,
    /// The quantity that it limits, with the unit.
    pub what: &'static str,
    /// The consequence of a larger input.
    pub beyond: &'static str,
}

const fn limit(name: &'static str, most: usize, what: &'static str, beyond: &'static str) -> Limit {
    Limit {
        name,
        most,
        what,
        beyond,
    }
}

const REFUSED: &str = "refused";

/// Every limit.
pub const ALL: &[Limit] = &[
    limit(
        "line_bytes",
        LINE_BYTES,
        "bytes of a line of a trace",
        REFUSED,
    ),
    limit(
        "header_lines",
        HEADER_LINES,
        "comment lines that are kept of a trace",
        "left out and counted (`comments_left_out`)",
    ),
    limit(
        "header_bytes",
        HEADER_BYTES,
        "bytes of comment lines that are kept of a trace",
        "left out and counted (`comments_left_out`)",
    ),
    limit(
        "gzip_members",
        GZIP_MEMBERS,
        "members of a gzip file that the page unpacks",
        "refused; the command line unpacks them all",
    ),
    limit(
        "demands_bytes",
        DEMANDS_BYTES,
        "bytes of a table of demands",
        REFUSED,
    ),
    limit(
        "model_jobs",
        MODEL_JOBS as usize,
        "jobs that a model draws",
        "refused; on the page sooner, where memory does not suffice",
    ),
    limit("plan_bytes", PLAN_BYTES, "bytes of a plan", REFUSED),
    limit("plan_cells", PLAN_CELLS, "cells of a plan", REFUSED),
    limit(
        "plan_metrics",
        PLAN_METRICS,
        "figures that a plan names",
        REFUSED,
    ),
    limit(
        "what_if_bytes",
        WHAT_IF_BYTES,
        "bytes of a what-if file",
        REFUSED,
    ),
    limit(
        "what_if_entries",
        WHAT_IF_ENTRIES,
        "users, and jobs, that a what-if names",
        REFUSED,
    ),
    limit(
        "name_bytes",
        NAME_BYTES,
        "bytes of a name: of a policy, machine, preset, model, setting, trace or label",
        REFUSED,
    ),
    limit(
        "settings",
        SETTINGS,
        "settings of one run or model, those of candidates included",
        REFUSED,
    ),
    limit(
        "setting_bytes",
        SETTING_BYTES,
        "bytes of a setting's word, a list of candidates included",
        REFUSED,
    ),
    limit("filter_bytes", FILTER_BYTES, "bytes of a filter", REFUSED),
    limit(
        "link_characters",
        LINK_CHARACTERS,
        "characters of a link behind its `#`",
        "refused, and not written",
    ),
    limit(
        "link_bytes",
        LINK_BYTES,
        "bytes of what a link holds, unpacked",
        "refused as soon as so much is unpacked, and not written",
    ),
    limit("link_runs", LINK_RUNS, "runs of a link", REFUSED),
];

/// Checks a size against a limit.
///
/// # Errors
/// If `size` is more than `most`; `unit` says of what.
pub fn check(what: &str, size: usize, most: usize, unit: &str) -> Result<(), Problem> {
    if size <= most {
        return Ok(());
    }
    Err(Problem::new(
        format!("{what} is too large: {size} {unit}."),
        format!("At most {most} {unit} are taken (docs/limits.md)."),
        "Make it smaller, or divide it.",
    ))
}

/// Checks the length of a name.
///
/// # Errors
/// If it is longer than [`NAME_BYTES`].
pub fn check_name(what: &str, name: &str) -> Result<(), Problem> {
    check(what, name.len(), NAME_BYTES, "bytes")
}
