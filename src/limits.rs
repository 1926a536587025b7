//! Limits: the largest size of a file, a form, a link, a plan or a name.
//!
//! An input may be malicious or a slip; neither may exhaust the computer. Each limit is far above
//! what people need, and the program checks it before it processes the input. docs/limits.md has
//! the table; the page has the same numbers in www/src/engine/limits.ts.

use crate::problem::Problem;

/// Bytes in a line of a trace.
pub const LINE_BYTES: usize = 65_536;
/// Fields that the program keeps of a line of SWF beyond the format's 18.
pub const MORE_FIELDS: usize = 64;
/// Bytes in a row of an accounting log.
pub const LOG_LINE_BYTES: usize = 4 << 20;
/// Tasks that one row of an accounting log stands for.
pub const ARRAY_TASKS: u64 = 10_000;
/// Bytes of different names in a column of an accounting log.
pub const WORDS_BYTES: usize = 64 << 20;
/// Columns in a table.
pub const TABLE_COLUMNS: usize = 4_096;
/// Columns that the program keeps of a table beside the known ones.
pub const MORE_COLUMNS: usize = 64;
/// Bytes in a mapping of a table's columns.
pub const COLUMNS_BYTES: usize = 65_536;
/// Comment lines that the program keeps of a trace.
pub const HEADER_LINES: usize = 10_000;
/// Bytes of comment lines that the program keeps of a trace.
pub const HEADER_BYTES: usize = 1 << 20;
/// Members of a gzip file that the page unpacks.
pub const GZIP_MEMBERS: usize = 100_000;
/// Bytes of the window of Zstandard data, and of the dictionary of xz data.
pub const UNPACK_WINDOW: usize = 128 << 20;
/// Bytes of a Parquet file.
pub const PARQUET_BYTES: usize = 512 << 20;
/// Bytes of an unpacked page of a Parquet file.
pub const PARQUET_PAGE: usize = 128 << 20;
/// Levels of groups in the schema of a Parquet file.
pub const PARQUET_LEVELS: usize = 100;
/// Bytes in a table of demands.
pub const DEMANDS_BYTES: usize = 64 << 20;
/// Jobs that a model draws.
pub const MODEL_JOBS: i64 = 10_000_000;
/// Bytes in a plan.
pub const PLAN_BYTES: usize = 4 << 20;
/// Cells in a plan.
pub const PLAN_CELLS: usize = 100_000;
/// Figures in a plan.
pub const PLAN_METRICS: usize = 1_000;
/// Bytes in a what-if file.
pub const WHAT_IF_BYTES: usize = 1 << 20;
/// Users, and jobs, in a what-if.
pub const WHAT_IF_ENTRIES: usize = 1_000;
/// Samples of a forecast.
pub const FORECAST_SAMPLES: usize = 10_000;
/// Seconds from the instant of a forecast to its horizon.
pub const FORECAST_HORIZON: usize = 366 * 86_400;
/// Jobs that run or wait at the instant of a forecast.
pub const FORECAST_JOBS: usize = 100_000;
/// Starts that a forecast keeps: samples times waiting jobs.
pub const FORECAST_STARTS: usize = 20_000_000;
/// Jobs that arrive after the instant in one sample of a forecast.
pub const FORECAST_ARRIVALS: usize = 1_000_000;
/// Past instants of a calibration.
pub const FORECAST_MOMENTS: usize = 1_000;
/// Times that a job of a run is preempted and requeued.
pub const REQUEUES: usize = 10_000;
/// Bytes in a name of a policy, machine, preset, model, setting, trace or label.
pub const NAME_BYTES: usize = 500;
/// Settings of one run or model.
pub const SETTINGS: usize = 200;
/// Bytes in the value of a setting.
pub const SETTING_BYTES: usize = 1_000;
/// Bytes in the description of a cluster, and in any other setting of several lines.
pub const DESCRIPTION_BYTES: usize = 1 << 20;
/// Bytes in a list of nodes, before it becomes a description.
pub const NODE_LIST_BYTES: usize = 4 << 20;
/// Nodes of a cluster.
pub const CLUSTER_NODES: usize = 100_000;
/// Nodes of all partitions of a cluster, one after the other.
pub const PARTITION_NODES: usize = 1_000_000;
/// Switches of a cluster.
pub const SWITCHES: usize = 2_000;
/// Cores of a cluster.
pub const CLUSTER_CORES: usize = 1 << 24;
/// Bytes in a filter.
pub const FILTER_BYTES: usize = 4_096;
/// Words of a log that a filter looks for.
pub const FILTER_WORDS: usize = 64;
/// Characters in a link after its `#`.
pub const LINK_CHARACTERS: usize = 200_000;
/// Bytes in the unpacked content of a link.
pub const LINK_BYTES: usize = 4 << 20;
/// Runs in a link.
pub const LINK_RUNS: usize = 26;
/// Characters in an exercise.
pub const EXERCISE_BYTES: usize = 1 << 18;
/// Chapters of an exercise.
pub const EXERCISE_CHAPTERS: usize = 30;
/// Jobs of a chapter.
pub const EXERCISE_JOBS: usize = 200;
/// Runs of a chapter.
pub const EXERCISE_RUNS: usize = 6;
/// Questions of a chapter, options of a question, and values of its texts.
pub const EXERCISE_QUESTIONS: usize = 50;
/// Greatest time, in seconds, and greatest number of processors in an exercise.
pub const EXERCISE_NUMBER: usize = 1_000_000_000;
/// Characters in a file of answers, which holds its exercise.
pub const ANSWERS_BYTES: usize = 1 << 19;
/// Files of answers that the page reads together.
pub const ANSWERS_FILES: usize = 1_000;

/// Definitions of own policies while the program runs.
pub const OWN_POLICIES: usize = 10_000;
/// Parameters of an own policy, and words of a choice.
pub const OWN_PARAMS: usize = 40;

/// Bytes of the code of an own policy.
pub const OWN_BYTES: usize = 1 << 20;
/// Bytes of memory of an own policy: in JavaScript in the terminal, or in WebAssembly.
pub const OWN_MEMORY: usize = 1 << 30;
/// Entries of a table of an own policy in WebAssembly in the terminal.
pub const OWN_TABLE: usize = 65_536;
/// Calls of its own functions, one inside the other, of an own policy in WebAssembly in the terminal.
pub const OWN_DEPTH: usize = 10_000;
/// Instructions that the start function of an own policy in WebAssembly executes in the terminal.
pub const OWN_START: usize = 1_000_000_000;
/// Seconds that a single call of an own policy takes in the terminal.
pub const OWN_SECONDS: usize = 60;

/// Own policies that the page keeps.
pub const OWN_KEPT: usize = 200;
/// Lines of the log of an own policy that the page keeps of a run.
pub const OWN_LOG_LINES: usize = 1_000;
/// Characters of such a line.
pub const OWN_LOG_CHARACTERS: usize = 500;

/// Turns of an own policy in which nothing happens.
pub const OWN_IDLE: usize = 1_000_000;

/// A limit, as docs/limits.md shows it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Name of the limit, as in www/src/engine/limits.ts.
    pub name: &'static str,
    /// Largest accepted quantity.
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

/// Every limit, in the order of docs/limits.md.
pub const ALL: &[Limit] = &[
    limit(
        "line_bytes",
        LINE_BYTES,
        "bytes of a line of a trace",
        REFUSED,
    ),
    limit(
        "more_fields",
        MORE_FIELDS,
        "fields of a line of SWF beyond 18",
        "left out",
    ),
    limit(
        "log_line_bytes",
        LOG_LINE_BYTES,
        "bytes of a row of an accounting log",
        REFUSED,
    ),
    limit(
        "array_tasks",
        ARRAY_TASKS as usize,
        "tasks of an array that one row of an accounting log stands for",
        "skipped and counted (`array_too_long`)",
    ),
    limit(
        "words_bytes",
        WORDS_BYTES,
        "bytes of different names in a column of an accounting log",
        "left out and counted (`words_left_out`)",
    ),
    limit(
        "table_columns",
        TABLE_COLUMNS,
        "columns of a table",
        REFUSED,
    ),
    limit(
        "more_columns",
        MORE_COLUMNS,
        "columns of a table that are kept beside the known ones",
        "left out, as the import report says",
    ),
    limit(
        "columns_bytes",
        COLUMNS_BYTES,
        "bytes of a mapping of columns",
        REFUSED,
    ),
    limit(
        "header_lines",
        HEADER_LINES,
        "comment lines that are kept from a trace",
        "left out and counted (`comments_left_out`)",
    ),
    limit(
        "header_bytes",
        HEADER_BYTES,
        "bytes of comment lines that are kept from a trace",
        "left out and counted (`comments_left_out`)",
    ),
    limit(
        "gzip_members",
        GZIP_MEMBERS,
        "members of a gzip file that the page unpacks",
        "refused; the command line unpacks them all",
    ),
    limit(
        "unpack_window",
        UNPACK_WINDOW,
        "bytes of the window of zstd data, or of the dictionary of xz data",
        "refused before they are allocated",
    ),
    limit(
        "parquet_bytes",
        PARQUET_BYTES,
        "bytes of a Parquet file",
        REFUSED,
    ),
    limit(
        "parquet_page",
        PARQUET_PAGE,
        "bytes of an unpacked page of a Parquet file; 8 times as many for the pages of all columns at \
            one time",
        REFUSED,
    ),
    limit(
        "parquet_levels",
        PARQUET_LEVELS,
        "levels of groups in the schema of a Parquet file",
        REFUSED,
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
        "refused; the page refuses fewer if its memory does not suffice",
    ),
    limit("plan_bytes", PLAN_BYTES, "bytes of a plan", REFUSED),
    limit("plan_cells", PLAN_CELLS, "cells of a plan", REFUSED),
    limit("plan_metrics", PLAN_METRICS, "figures in a plan", REFUSED),
    limit(
        "what_if_bytes",
        WHAT_IF_BYTES,
        "bytes of a what-if file",
        REFUSED,
    ),
    limit(
        "what_if_entries",
        WHAT_IF_ENTRIES,
        "users, and jobs, in a what-if",
        REFUSED,
    ),
    limit(
        "forecast_samples",
        FORECAST_SAMPLES,
        "samples of a forecast",
        REFUSED,
    ),
    limit(
        "forecast_horizon",
        FORECAST_HORIZON,
        "seconds from the instant of a forecast to its horizon",
        REFUSED,
    ),
    limit(
        "forecast_jobs",
        FORECAST_JOBS,
        "jobs that run or wait at the instant of a forecast",
        REFUSED,
    ),
    limit(
        "forecast_starts",
        FORECAST_STARTS,
        "starts that a forecast keeps: samples times waiting jobs",
        REFUSED,
    ),
    limit(
        "forecast_arrivals",
        FORECAST_ARRIVALS,
        "jobs that arrive in one sample of a forecast",
        REFUSED,
    ),
    limit(
        "forecast_moments",
        FORECAST_MOMENTS,
        "past instants of a calibration",
        REFUSED,
    ),
    limit(
        "requeues",
        REQUEUES,
        "times that a job of a run is preempted and requeued",
        "the run stops",
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
        "settings of one run or model, including those of candidates",
        REFUSED,
    ),
    limit(
        "setting_bytes",
        SETTING_BYTES,
        "bytes of the value of a setting, including a list of candidates",
        REFUSED,
    ),
    limit(
        "description_bytes",
        DESCRIPTION_BYTES,
        "bytes of the description of a cluster, and of any other setting of several lines",
        REFUSED,
    ),
    limit(
        "node_list_bytes",
        NODE_LIST_BYTES,
        "bytes of a list of nodes",
        REFUSED,
    ),
    limit(
        "cluster_nodes",
        CLUSTER_NODES,
        "nodes of a cluster",
        REFUSED,
    ),
    limit(
        "partition_nodes",
        PARTITION_NODES,
        "nodes of all partitions of a cluster together",
        REFUSED,
    ),
    limit("switches", SWITCHES, "switches of a cluster", REFUSED),
    limit(
        "cluster_cores",
        CLUSTER_CORES,
        "cores of a cluster",
        REFUSED,
    ),
    limit("filter_bytes", FILTER_BYTES, "bytes of a filter", REFUSED),
    limit(
        "filter_words",
        FILTER_WORDS,
        "words of a log that a filter looks for",
        REFUSED,
    ),
    limit(
        "link_characters",
        LINK_CHARACTERS,
        "characters of a link after its `#`",
        "refused, and never written",
    ),
    limit(
        "link_bytes",
        LINK_BYTES,
        "bytes of the unpacked content of a link",
        "refused as soon as unpacking exceeds the limit, and never written",
    ),
    limit("link_runs", LINK_RUNS, "runs of a link", REFUSED),
    limit(
        "exercise_bytes",
        EXERCISE_BYTES,
        "characters of an exercise",
        REFUSED,
    ),
    limit(
        "exercise_chapters",
        EXERCISE_CHAPTERS,
        "chapters of an exercise",
        REFUSED,
    ),
    limit("exercise_jobs", EXERCISE_JOBS, "jobs of a chapter", REFUSED),
    limit("exercise_runs", EXERCISE_RUNS, "runs of a chapter", REFUSED),
    limit(
        "exercise_questions",
        EXERCISE_QUESTIONS,
        "questions of a chapter, options of a question, and values in its texts",
        REFUSED,
    ),
    limit(
        "exercise_number",
        EXERCISE_NUMBER,
        "seconds of a time, and processors, in an exercise",
        REFUSED,
    ),
    limit(
        "answers_bytes",
        ANSWERS_BYTES,
        "characters of a file of answers, which holds its exercise",
        "the file is left out, and named",
    ),
    limit(
        "answers_files",
        ANSWERS_FILES,
        "files of answers that are read together",
        REFUSED,
    ),
    limit(
        "own_policies",
        OWN_POLICIES,
        "definitions of own policies while the program runs",
        REFUSED,
    ),
    limit(
        "own_params",
        OWN_PARAMS,
        "parameters of an own policy, and words of a choice",
        REFUSED,
    ),
    limit(
        "own_idle",
        OWN_IDLE,
        "turns of an own policy, one after the other, in which nothing happens",
        "the run stops",
    ),
    limit(
        "own_bytes",
        OWN_BYTES,
        "bytes of the code of an own policy",
        REFUSED,
    ),
    limit(
        "own_memory",
        OWN_MEMORY,
        "bytes of memory of an own policy: in JavaScript in the terminal, or in WebAssembly",
        "the run stops, in the package at one of the next 64 calls of a compiled policy",
    ),
    limit(
        "own_table",
        OWN_TABLE,
        "entries of each of at most 16 tables of an own policy in WebAssembly in the terminal",
        "the run stops",
    ),
    limit(
        "own_depth",
        OWN_DEPTH,
        "calls, one inside the other, in an own policy in WebAssembly in the terminal",
        "the run stops",
    ),
    limit(
        "own_start",
        OWN_START,
        "instructions of the start function of an own policy in WebAssembly in the terminal",
        "refused",
    ),
    limit(
        "own_seconds",
        OWN_SECONDS,
        "seconds of a single call of an own policy in the terminal",
        "the run stops",
    ),
    limit(
        "own_kept",
        OWN_KEPT,
        "own policies that the page keeps",
        REFUSED,
    ),
    limit(
        "own_log_lines",
        OWN_LOG_LINES,
        "lines of an own policy's log that the page shows of a run",
        "the others are counted",
    ),
    limit(
        "own_log_characters",
        OWN_LOG_CHARACTERS,
        "characters of such a line",
        "it is cut",
    ),
];

/// Checks a size against a limit.
///
/// # Errors
/// Returns a problem if `size` exceeds `most`. `unit` names what both count.
pub fn check(what: &str, size: usize, most: usize, unit: &str) -> Result<(), Problem> {
    if size <= most {
        return Ok(());
    }
    Err(Problem::new(
        format!("{what} is too large: {size} {unit}."),
        format!("At most {most} {unit} are allowed (docs/limits.md)."),
        "Make it smaller, or split it.",
    ))
}

/// Checks the length of a name.
///
/// # Errors
/// Returns a problem if the name is longer than [`NAME_BYTES`].
pub fn check_name(what: &str, name: &str) -> Result<(), Problem> {
    check(what, name.len(), NAME_BYTES, "bytes")
}
