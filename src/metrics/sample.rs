//! The times of one job, as metrics count them.

use crate::job::JobId;
use crate::param::{Settings, Typed, real};
use crate::schedule::{Outcome, Schedule};

/// Default threshold of the bounded slowdown, in seconds.
pub const THRESHOLD_SECONDS: f64 = 10.0;

/// Threshold of the bounded slowdown.
pub const THRESHOLD: Typed<f64> = real(
    "threshold",
    "Slowdown threshold",
    0.001..=86_400.0,
    THRESHOLD_SECONDS,
)
.unit("s")
.help("Smallest response and run time that count in the bounded slowdown");

/// Share of the jobs that job metrics leave out at the beginning.
pub const WARM_UP: Typed<f64> = real("warm_up", "Warm-up", 0.0..=0.9, 0.0)
    .unit("share of jobs")
    .help("Share of the jobs that job metrics leave out, from the first to arrive");

/// Share of the jobs that job metrics leave out at the end.
pub const COOL_DOWN: Typed<f64> = real("cool_down", "Cool-down", 0.0..=0.9, 0.0)
    .unit("share of jobs")
    .help("Share of the jobs that job metrics leave out, up to the last to arrive");

/// Returns the bounded slowdown. All arguments are in seconds.
pub fn bounded_slowdown(response: f64, runtime: f64, threshold: f64) -> f64 {
    (response.max(threshold) / runtime.max(threshold)).max(1.0)
}

/// The times of one job in seconds, as metrics count them.
#[derive(Copy, Clone, Debug)]
pub struct Sample {
    /// The job.
    pub job: JobId,
    /// Start minus submission. It has the attempts before the last one.
    pub wait: f64,
    /// End minus submission.
    pub response: f64,
    /// Run time, on dedicated processors: that of the last attempt, if the job was requeued.
    pub runtime: f64,
    /// Bounded slowdown, with the threshold of the settings.
    pub bounded_slowdown: f64,
}

/// Returns the jobs that job metrics count: those that ended, without warm-up and cool-down, in
/// order of arrival.
pub fn per_job(schedule: &Schedule, settings: &Settings) -> Vec<Sample> {
    let jobs = schedule.workload.len();
    let first = (settings.get(&WARM_UP) * jobs as f64).round() as usize;
    let last = jobs - (settings.get(&COOL_DOWN) * jobs as f64).round() as usize;
    let counted: Vec<JobId> = (first..last.max(first))
        .map(|index| JobId(index as u32))
        .collect();
    samples(schedule, settings, &counted)
}

/// Returns the times of those of `jobs` that ended.
pub(super) fn samples(schedule: &Schedule, settings: &Settings, jobs: &[JobId]) -> Vec<Sample> {
    let threshold = settings.get(&THRESHOLD);
    jobs.iter()
        .copied()
        .filter(|job| schedule.outcome(*job) != Outcome::Unfinished)
        .map(|job| {
            let submitted = schedule.workload.request(job).submitted;
            let (start, end) = (schedule.starts[job.index()], schedule.ends[job.index()]);
            let (response, runtime) = (
                (end - submitted).seconds(),
                schedule.run_time(job).seconds(),
            );
            let bounded_slowdown = bounded_slowdown(response, runtime, threshold);
            Sample {
                job,
                wait: (start - submitted).seconds(),
                response,
                runtime,
                bounded_slowdown,
            }
        })
        .collect()
}
