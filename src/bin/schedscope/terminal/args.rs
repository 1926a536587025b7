//! The arguments of the command line. The doc comments are its help.

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Simulate parallel job scheduling exactly.
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
    /// Run policies on small workloads, and tell what they do wrong.
    Check(CheckArgs),
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
    /// Write a trace or a log of a scheduler as SWF or CSV, anonymised if wanted.
    Convert(ConvertArgs),
    /// Write a log, slurm.conf and accounts without the names of their site, so that they fit together.
    Share(ShareArgs),
    /// Tell when the jobs of a queue will start, as intervals, and how well such intervals held.
    Expect(ExpectArgs),
    /// Run all cells of a plan, on all cores; keep the results that are already there.
    Sweep(SweepArgs),
    /// Merge the results of shards.
    Merge(MergeArgs),
}

#[derive(clap::Args)]
pub struct CheckArgs {
    /// Policies, by their ids or as files (.js or .wasm, docs/policies/own.md).
    #[arg(required = true, value_name = "POLICY")]
    pub policies: Vec<String>,
    /// Machine model of the runs.
    #[arg(long, short, default_value = "flat", value_name = "ID")]
    pub machine: String,
    /// Set a parameter.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
}

/// The files of a cluster that Slurm schedules.
#[derive(clap::Args)]
pub struct SlurmFiles {
    /// Read the machine and the parameter `conf` of the policy `slurm` from this slurm.conf. With
    /// `--cluster`, read `conf` only. Repeat the option for files that belong to it: topology.conf, and
    /// those that it includes.
    #[arg(long, value_name = "FILE")]
    pub slurm_conf: Vec<PathBuf>,
    /// Read accounts and QOS for the policy `slurm` from this file (output of `sacctmgr show qos -P` or
    /// `sacctmgr dump`). Repeat the option for more files; they are read in this order.
    #[arg(long, value_name = "FILE")]
    pub accounts: Vec<PathBuf>,
}

#[derive(clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub struct RunArgs {
    /// Traces in the Standard Workload Format, logs of schedulers or tables (CSV), plain or packed
    /// (gzip, zstd, xz, bzip2, zip).
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// Policy, by its id or as a file (.js or .wasm, docs/policies/own.md); repeat the option to
    /// compare several policies.
    #[arg(long, short, required_unless_present = "recorded", value_name = "ID")]
    pub policy: Vec<String>,
    /// Show the schedule of the log itself first, as one more run.
    #[arg(long)]
    pub recorded: bool,
    /// Machine model of the run.
    #[arg(long, short, default_value = "flat", value_name = "ID")]
    pub machine: String,
    /// Number of processors of the machine [default: from the trace].
    #[arg(long, value_name = "N")]
    pub procs: Option<String>,
    /// Run each partition of the trace by itself, widest first, and print a table for each.
    #[arg(long)]
    pub each_partition: bool,
    /// Preset of settings, for example predictsim.
    #[arg(long, value_name = "ID")]
    pub preset: Option<String>,
    /// Set a parameter. `policies` lists those of policies, the docs list the others. If there are
    /// several policies, only those that have the parameter get it.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Table (CSV) with the demands of jobs for CPU, network, disk and memory, by job number. Sets
    /// `demands=file`.
    #[arg(long, value_name = "FILE")]
    pub demands: Option<PathBuf>,
    /// Nodes of a cluster: slurm.conf, JSON or CSV (docs/machines/nodes.md). Chooses the machine
    /// `nodes` and sets `cluster`.
    #[arg(long, value_name = "FILE")]
    pub cluster: Option<PathBuf>,
    #[command(flatten)]
    pub slurm: SlurmFiles,
    /// JSON file with changes from an instant on; see docs/what-if.md.
    #[arg(long, value_name = "FILE")]
    pub what_if: Option<PathBuf>,
    /// Skip and count lines that are not 18 numbers, instead of stopping at the first one.
    #[arg(long)]
    pub skip_bad_lines: bool,
    /// Columns of a table (CSV) by role, for example submit=queued_at,limit=walltime:minutes; see
    /// docs/formats/tables.md. Columns that are not named are guessed.
    #[arg(long, value_name = "MAPPING")]
    pub columns: Option<String>,
    /// Write the jobs as CSV (Batsim's columns). {trace}, {policy} and, with
    /// `--each-partition`, {partition} stand for their names.
    #[arg(long, value_name = "FILE")]
    pub jobs: Option<String>,
    /// Write the schedule as SWF. {trace}, {policy} and, with
    /// `--each-partition`, {partition} stand for their names.
    #[arg(long, value_name = "FILE")]
    pub swf: Option<String>,
    /// Write the schedule in Chrome's trace event format, which Perfetto opens. {trace},
    /// {policy} and, with `--each-partition`, {partition} stand for their names.
    #[arg(long, value_name = "FILE")]
    pub chrome: Option<String>,
    /// Write the summary as JSON. {trace}, {policy} and, with
    /// `--each-partition`, {partition} stand for their names.
    #[arg(long, value_name = "FILE")]
    pub summary: Option<String>,
    /// Print why the job with this number waited.
    #[arg(long, value_name = "JOB")]
    pub why: Option<i64>,
    /// Check that each schedule can have happened, independently of the simulation; fail if not.
    #[arg(long)]
    pub audit: bool,
    /// Overwrite files that already exist.
    #[arg(long)]
    pub force: bool,
}

#[derive(clap::Args)]
pub struct ExpectArgs {
    /// Queue: the output of `squeue --json`, or a log, of which --at gives the instant. Plain or
    /// packed (gzip, zstd, xz, bzip2, zip).
    #[arg(value_name = "QUEUE")]
    pub queue: PathBuf,
    /// Log of the jobs before the instant, for run times and arrivals [default: the queue's file].
    #[arg(long, value_name = "LOG")]
    pub log: Option<PathBuf>,
    /// Instant of the forecast: seconds after the file's zero, @ and seconds since 1970, or a date
    /// such as 2024-05-06T08:00 (UTC) [default: the instant of the queue].
    #[arg(long, value_name = "INSTANT", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// Policy, by its id or as a file (.js or .wasm, docs/policies/own.md).
    #[arg(long, short, default_value = "slurm", value_name = "ID")]
    pub policy: String,
    /// Machine model [default: the first one on which the policy runs, or `nodes` with --cluster].
    #[arg(long, short, value_name = "ID")]
    pub machine: Option<String>,
    /// Number of processors of the machine [default: from the files].
    #[arg(long, value_name = "N")]
    pub procs: Option<String>,
    /// Nodes of a cluster: slurm.conf, JSON or CSV (docs/machines/nodes.md). Chooses the machine
    /// `nodes` and sets `cluster`.
    #[arg(long, value_name = "FILE")]
    pub cluster: Option<PathBuf>,
    #[command(flatten)]
    pub slurm: SlurmFiles,
    /// Preset of settings, for example predictsim.
    #[arg(long, value_name = "ID")]
    pub preset: Option<String>,
    /// Set a parameter.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Number of samples.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub samples: u32,
    /// Seed of all draws.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u32,
    /// Time after the instant at which each sample ends, in hours.
    #[arg(long, value_name = "HOURS", default_value_t = 336.0)]
    pub horizon: f64,
    /// Jobs that arrive after the instant: none, or those of earlier weeks or days.
    #[arg(long, value_enum, default_value_t)]
    pub arrivals: ArrivalsArg,
    /// Source of run times: the log, each job's limit, or a uniform share of it.
    #[arg(long, value_enum, default_value_t)]
    pub run_times: RunTimesArg,
    /// Compare forecasts at K past moments of the log with the recorded starts [without K: 20].
    #[arg(long, value_name = "K", num_args = 0..=1, default_missing_value = "20")]
    pub calibrate: Option<usize>,
    /// Form of the output.
    #[arg(long, value_enum, default_value_t)]
    pub format: FormatArg,
    /// Skip and count lines that are not 18 numbers, instead of stopping at the first one.
    #[arg(long)]
    pub skip_bad_lines: bool,
    /// Columns of a table (CSV) by role; see docs/formats/tables.md.
    #[arg(long, value_name = "MAPPING")]
    pub columns: Option<String>,
}

/// Jobs that arrive after the instant of a forecast.
#[derive(Copy, Clone, Default, ValueEnum)]
pub enum ArrivalsArg {
    None,
    #[default]
    Resampled,
}

/// Source of the run times of a forecast.
#[derive(Copy, Clone, Default, ValueEnum)]
pub enum RunTimesArg {
    #[default]
    Log,
    Limit,
    Uniform,
}

/// Form of an output.
#[derive(Copy, Clone, Default, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    #[default]
    Table,
    Csv,
    Json,
}

#[derive(clap::Args)]
pub struct ListArgs {
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct GenerateArgs {
    /// Id of the model, for example lublin.
    pub model: String,
    /// Set a parameter of the model; `seed=random` draws a fresh seed.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// File to write [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite the file if it already exists.
    #[arg(long)]
    pub force: bool,
}

#[derive(clap::Args)]
pub struct InspectArgs {
    /// Traces in the Standard Workload Format, logs of schedulers or tables (CSV), plain or packed
    /// (gzip, zstd, xz, bzip2, zip).
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// Set a parameter of reading or of the workload.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Skip and count lines that are not 18 numbers, instead of stopping at the first one.
    #[arg(long)]
    pub skip_bad_lines: bool,
    /// Columns of a table (CSV) by role, for example submit=queued_at,limit=walltime:minutes; see
    /// docs/formats/tables.md. Columns that are not named are guessed.
    #[arg(long, value_name = "MAPPING")]
    pub columns: Option<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct ConvertArgs {
    /// Trace or log of a scheduler, plain or packed (gzip, zstd, xz, bzip2, zip).
    #[arg(value_name = "IN")]
    pub trace: PathBuf,
    /// File to write; `-` is standard output.
    #[arg(value_name = "OUT")]
    pub out: PathBuf,
    /// Kind of file: swf, swf-extended (with further fields) or csv [default: by the name's
    /// ending].
    #[arg(long, value_name = "KIND")]
    pub to: Option<String>,
    /// Write no word of the log: users, groups, jobs, queues and all names become numbers, and times
    /// count from the first submission.
    #[arg(long)]
    pub anonymise: bool,
    /// Time of the first submission in the anonymised file, in seconds.
    #[arg(long, value_name = "SECONDS", requires = "anonymise", default_value_t = 0,
        value_parser = clap::value_parser!(i64).range(0..=1_000_000_000))]
    pub shift_times: i64,
    /// Skip and count lines that are not 18 numbers, instead of stopping at the first one.
    #[arg(long)]
    pub skip_bad_lines: bool,
    /// Columns of a table (CSV) by role; see docs/formats/tables.md.
    #[arg(long, value_name = "MAPPING")]
    pub columns: Option<String>,
    /// Overwrite the file if it already exists.
    #[arg(long)]
    pub force: bool,
}

#[derive(clap::Args)]
pub struct ShareArgs {
    /// Log of a scheduler or trace, plain or packed (gzip, zstd, xz, bzip2, zip).
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// Folder to write log.swf, slurm.conf and accounts.txt into; it is made if it is not there.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// The slurm.conf of the cluster. Repeat the option for files that belong to it: topology.conf, and
    /// those that it includes.
    #[arg(long, value_name = "FILE", required = true)]
    pub slurm_conf: Vec<PathBuf>,
    /// Accounts and QOS: what `sacctmgr show qos -P` and `sacctmgr dump` print; repeat the option for
    /// several files, which count one after the other.
    #[arg(long, value_name = "FILE")]
    pub accounts: Vec<PathBuf>,
    /// Keep the dates of the log. Without this option, all dates are shifted by whole weeks, so that the
    /// log begins in January 2000 or later; time of day and day of the week (UTC) stay.
    #[arg(long)]
    pub keep_date: bool,
    /// Skip and count lines that are not 18 numbers, instead of stopping at the first one.
    #[arg(long)]
    pub skip_bad_lines: bool,
    /// Columns of a table (CSV) by role; see docs/formats/tables.md.
    #[arg(long, value_name = "MAPPING")]
    pub columns: Option<String>,
    /// Overwrite files that already exist.
    #[arg(long)]
    pub force: bool,
}

#[derive(clap::Args)]
pub struct SweepArgs {
    /// Plan as a JSON document.
    pub plan: PathBuf,
    /// Folder for the results: a new one, one without results, or one with this program's mark.
    #[arg(long, short, value_name = "DIR", required_unless_present = "list")]
    pub out: Option<PathBuf>,
    /// Folder with the plan's traces, plain or packed; can be repeated [default: the plan's
    /// folder].
    #[arg(long, value_name = "DIR")]
    pub traces: Vec<PathBuf>,
    #[command(flatten)]
    pub own: OwnArgs,
    /// Columns of traces that are tables (CSV), as for `run`. The plan keeps them, so they are part
    /// of the cells' keys.
    #[arg(long, value_name = "MAPPING")]
    pub columns: Option<String>,
    /// Run only part I of N: every N-th cell.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Number of cells that run at the same time [default: one for each core].
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// List the cells without running them.
    #[arg(long)]
    pub list: bool,
    /// Use a folder without the mark, and overwrite results in it.
    #[arg(long)]
    pub force: bool,
}

/// The code of the own policies of a plan.
#[derive(clap::Args)]
pub struct OwnArgs {
    /// File of an own policy of the plan (.js or .wasm, docs/policies/own.md); can be repeated.
    #[arg(long, short, value_name = "FILE")]
    pub policy: Vec<String>,
    /// Run the code of own policies that the plan holds. It reaches no file and no network.
    #[arg(long)]
    pub run_code: bool,
}

#[derive(clap::Args)]
pub struct MergeArgs {
    /// Folders that shards of one plan have written.
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Folder for all results; the same rules apply as for `sweep`.
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub own: OwnArgs,
    /// Use a folder without the mark, and overwrite results in it.
    #[arg(long)]
    pub force: bool,
}
