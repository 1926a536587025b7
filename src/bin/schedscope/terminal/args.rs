//! What can be typed.

use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Parallel job scheduling, simulated exactly.
#[derive(Parser)]
#[command(version = concat!(env!("CARGO_PKG_VERSION"), " (engine ", env!("SCHEDSCOPE_ENGINE"), ")"), max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Simulate traces under policies and print their metrics.
    Run(RunArgs),
    /// List the policies with their parameters.
    Policies(ListArgs),
    /// List the machine models with their parameters.
    Machines(ListArgs),
    /// List the workload models with their parameters.
    Models(ListArgs),
    /// Draw a trace from a workload model and write it as SWF.
    Generate(GenerateArgs),
    /// Show statistics and the import report of traces, without simulating.
    Inspect(InspectArgs),
    /// Run all cells of a plan, on all cores; cells that are there already are kept.
    Sweep(SweepArgs),
    /// Put the results of shards together.
    Merge(MergeArgs),
}

#[derive(clap::Args)]
pub struct RunArgs {
    /// Traces in the Standard Workload Format, plain or gzipped.
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// Policy; give it several times to compare.
    #[arg(long, short, required = true, value_name = "ID")]
    pub policy: Vec<String>,
    /// Machine model.
    #[arg(long, short, default_value = "flat", value_name = "ID")]
    pub machine: String,
    /// Processors of the machine [default: from the trace].
    #[arg(long, value_name = "N")]
    pub procs: Option<String>,
    /// Preset of settings, for example predictsim.
    #[arg(long, value_name = "ID")]
    pub preset: Option<String>,
    /// Set a parameter; see `policies` for those of a policy, and the docs for the others. Only
    /// policies that have the parameter get it.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// What jobs need of CPU, network, disk and memory: a table (CSV) by job number. It sets
    /// `demands=file`.
    #[arg(long, value_name = "FILE")]
    pub demands: Option<PathBuf>,
    /// What is otherwise from an instant on, as a JSON file; see docs/what-if.md.
    #[arg(long, value_name = "FILE")]
    pub what_if: Option<PathBuf>,
    /// Skip and count lines that are not 18 numbers, instead of stopping there.
    #[arg(long)]
    pub skip_bad_lines: bool,
    /// Write the jobs as CSV (Batsim's columns). {trace} and {policy} stand for their names.
    #[arg(long, value_name = "FILE")]
    pub jobs: Option<String>,
    /// Write the schedule as SWF. {trace} and {policy} stand for their names.
    #[arg(long, value_name = "FILE")]
    pub swf: Option<String>,
    /// Write the schedule in Chrome's trace event format, which Perfetto opens. {trace} and
    /// {policy} stand for their names.
    #[arg(long, value_name = "FILE")]
    pub chrome: Option<String>,
    /// Write the summary as JSON. {trace} and {policy} stand for their names.
    #[arg(long, value_name = "FILE")]
    pub summary: Option<String>,
    /// Say why the job with this number waited.
    #[arg(long, value_name = "JOB")]
    pub why: Option<i64>,
    /// Re-derive from each schedule that it can have happened; fail if not.
    #[arg(long)]
    pub audit: bool,
    /// Overwrite files that are there already.
    #[arg(long)]
    pub force: bool,
}

#[derive(clap::Args)]
pub struct ListArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct GenerateArgs {
    /// The model, for example lublin.
    pub model: String,
    /// Set a parameter of the model; `seed=random` draws a fresh seed.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Where to write it [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite the file if it is there already.
    #[arg(long)]
    pub force: bool,
}

#[derive(clap::Args)]
pub struct InspectArgs {
    /// Traces in the Standard Workload Format, plain or gzipped.
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// Set a parameter of reading or of the workload.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Skip and count lines that are not 18 numbers, instead of stopping there.
    #[arg(long)]
    pub skip_bad_lines: bool,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct SweepArgs {
    /// The plan, a JSON document.
    pub plan: PathBuf,
    /// Folder for the results: one that is not there, is empty of results, or has the mark of this
    /// program.
    #[arg(long, short, value_name = "DIR", required_unless_present = "list")]
    pub out: Option<PathBuf>,
    /// Folder with the plan's traces, plain or gzipped; may be given several times [default: the
    /// plan's folder].
    #[arg(long, value_name = "DIR")]
    pub traces: Vec<PathBuf>,
    /// Run only part I of N: every N-th cell.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Cells that run at the same time [default: one for each core].
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// List the cells and run none.
    #[arg(long)]
    pub list: bool,
    /// Take a folder that does not have the mark, and overwrite results in it.
    #[arg(long)]
    pub force: bool,
}

#[derive(clap::Args)]
pub struct MergeArgs {
    /// Folders that shards of one plan have written.
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Folder for all results; as for `sweep`.
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    /// Take a folder that does not have the mark, and overwrite results in it.
    #[arg(long)]
    pub force: bool,
}
