//! The results of forecasts and calibrations.

use super::ratios::RatioLevel;
use super::settings::{LaterArrivals, RunTimes};
use crate::trace::RuleCount;
use serde::{Deserialize, Serialize};

/// The source of the instant of a forecast.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum InstantSource {
    /// The reader gave it.
    Given,
    /// The file tells it (`last_update`).
    Written,
    /// It is the latest instant in the file that has passed.
    Latest,
}

/// The jobs that a rule leaves out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LeftOutJobs {
    /// Stable id of the rule.
    pub id: String,
    /// The case, in a few words.
    pub text: String,
    /// Number of jobs.
    pub count: u64,
    /// The numbers of the first jobs.
    pub jobs: Vec<i64>,
}

/// Number of jobs whose run times come from a level.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LevelCount {
    /// The level.
    pub level: RatioLevel,
    /// Number of running and waiting jobs.
    pub jobs: u64,
}

/// The expected start of a job. Instants are seconds after the zero of the queue's trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct JobForecast {
    /// Index of the job's record in the queue's trace.
    pub record: u32,
    /// Number of the job in the trace.
    pub number: i64,
    /// Index of the task of an array, if the job is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<i64>,
    /// User of the job: the name, or else the number.
    pub user: String,
    /// Queue of the job: the name, or else the number.
    pub queue: String,
    /// Number of processors of the job.
    pub processors: u32,
    /// Limit of the job, in seconds.
    pub limit: f64,
    /// Submission of the job.
    pub submitted: f64,
    /// The jobs from which its run times were drawn.
    pub level: RatioLevel,
    /// The quantiles of 5, 25, 50, 75 and 95 % of its start; `None` beyond the horizon.
    pub starts: [Option<f64>; 5],
    /// Share of the samples in which it had not started by the horizon.
    pub not_started: f64,
}

/// A forecast. Instants are seconds after the zero of the queue's trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ForecastResult {
    /// The version of the program.
    pub version: String,
    /// The hash of the engine.
    pub engine: String,
    /// The name of the queue's trace.
    pub queue: String,
    /// The name of the log, if it is another file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// The instant.
    pub at: f64,
    /// The source of the instant.
    pub at_source: InstantSource,
    /// The zero of the queue's trace, in seconds since 1970, if the trace tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unix_start: Option<i64>,
    /// The id of the machine model.
    pub machine: String,
    /// Number of processors of the machine.
    pub processors: u32,
    /// The id of the policy.
    pub policy: String,
    /// Number of samples.
    pub samples: u32,
    /// Seed of all draws.
    pub seed: u32,
    /// Time from the instant to the horizon, in seconds.
    pub horizon: f64,
    /// The jobs that arrive after the instant.
    pub arrivals: LaterArrivals,
    /// Length of the blocks of which arrivals are made, in seconds; `None` if no job arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_block: Option<f64>,
    /// The source of run times.
    pub run_times: RunTimes,
    /// Number of earlier jobs whose ratios are known.
    pub ended: u64,
    /// Numbers of jobs by the level of their ratios.
    pub levels: Vec<LevelCount>,
    /// Number of running jobs that take part.
    pub running: u64,
    /// Number of running jobs that run on other nodes than the file names, because they do not fit
    /// there.
    pub elsewhere: u64,
    /// The jobs that take no part.
    pub left_out: Vec<LeftOutJobs>,
    /// The rules of cleaning and of the machine that met jobs of the queue, and those by which reading
    /// skipped rows.
    pub report: Vec<RuleCount>,
    /// The jobs that wait, in the order of submission.
    pub jobs: Vec<JobForecast>,
}

/// The place of recorded starts in or beside their intervals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Coverage {
    /// Number of jobs that are compared.
    pub jobs: u64,
    /// Number of starts inside of the intervals of 50 %.
    pub inside_50: u64,
    /// Number of starts inside of the intervals of 90 %.
    pub inside_90: u64,
    /// Number of starts before the intervals of 90 %.
    pub before_90: u64,
    /// Number of starts after the intervals of 90 %.
    pub after_90: u64,
    /// Median of the distance from the median to the start, in seconds.
    pub median_error: f64,
    /// Median of the start minus the median, in seconds: above 0 if jobs start later than forecast.
    pub median_bias: f64,
    /// Median of the length of the intervals of 90 %, in seconds.
    pub median_width: f64,
}

/// The coverage of jobs with waits of some length, counted from the moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ClassCoverage {
    /// The least wait, in seconds.
    pub from: f64,
    /// The wait that is too long, in seconds; `None` in the last class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// The coverage.
    pub coverage: Coverage,
}

/// The coverage of a past moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct MomentCoverage {
    /// The moment, in seconds after the zero of the log.
    pub at: f64,
    /// Number of running jobs.
    pub running: u64,
    /// Number of waiting jobs.
    pub waiting: u64,
    /// Number of waiting jobs without a recorded start.
    pub censored: u64,
    /// The coverage.
    pub coverage: Coverage,
}

/// A calibration: forecasts at past moments, compared with the recorded starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CalibrationResult {
    /// The name of the log.
    pub log: String,
    /// The id of the policy.
    pub policy: String,
    /// The id of the machine model.
    pub machine: String,
    /// Number of samples of each forecast.
    pub samples: u32,
    /// Seed of all draws.
    pub seed: u32,
    /// The jobs that arrive after each moment.
    pub arrivals: LaterArrivals,
    /// The source of run times.
    pub run_times: RunTimes,
    /// Number of parts of the log in which no job waits.
    pub without_queue: u64,
    /// Number of moments that are left out because more jobs run, wait or arrive than a forecast can
    /// have.
    pub crowded: u64,
    /// Number of waiting jobs without a recorded start, at all moments.
    pub censored: u64,
    /// The coverage over all jobs of all moments.
    pub coverage: Coverage,
    /// The mean over moments of the share of starts inside of the intervals of 50 %.
    pub mean_50: f64,
    /// The mean over moments of the share of starts inside of the intervals of 90 %.
    pub mean_90: f64,
    /// The coverage by the length of the recorded wait after the moment.
    pub classes: Vec<ClassCoverage>,
    /// The coverage of each moment.
    pub moments: Vec<MomentCoverage>,
}
