//! One job's times, as metrics count it.

use crate::job::JobId;
use crate::param::{Kind, Param, Settings};
use crate::schedule::{Outcome, Schedule};

/// Default threshold of the bounded slowdown, in seconds.
pub const THRESHOLD_SECONDS: f64 = 10.0;

/// Threshold of the bounded slowdown.
pub const THRESHOLD: Param = Param {
    key: "threshold",
    name: "Slowdown threshold",
    kind: Kind::Real {
        min: 0.001,
        max: 86_400.0,
        default: THRESHOLD_SECONDS,
    },
    unit: "s",
    when: None,
    help: "Run times below this count as this in the bounded slowdown",
};

/// Jobs left out of job metrics at the start.
pub const WARM_UP: Param = Param {
    key: "warm_up",
    name: "Warm-up",
    kind: Kind::Real {
        min: 0.0,
        max: 0.9,
        default: 0.0,
    },
    unit: "share of jobs",
    when: None,
    help: "Share of the jobs, the first to arrive, that job metrics leave out",
};

/// Jobs left out of job metrics at the end.
pub const COOL_DOWN: Param = Param {
    key: "cool_down",
    name: "Cool-down",
    kind: Kind::Real {
        min: 0.0,
        max: 0.9,
        default: 0.0,
    },
    unit: "share of jobs",
    when: None,
    help: "Share of the jobs, the last to arrive, that job metrics leave out",
};

/// The bounded slowdown; all in seconds.
pub fn bounded_slowdown(response: f64, runtime: f64, threshold: f64) -> f64 {
    (response.max(threshold) / runtime.max(threshold)).max(1.0)
}

/// One job's times in seconds, as metrics count it.
#[derive(Copy, Clone, Debug)]
pub struct Sample {
    /// Which.
    pub job: JobId,
    /// Start minus submission.
    pub wait: f64,
    /// End minus submission.
    pub response: f64,
    /// Run time, on dedicated processors.
    pub runtime: f64,
    /// With the threshold of the settings.
    pub bounded_slowdown: f64,
}

/// The jobs that job metrics count: those that ended, without warm-up and cool-down, in order of
/// arrival.
pub fn per_job(schedule: &Schedule, settings: &Settings) -> Vec<Sample> {
    let jobs = schedule.workload.len();
    let first = (settings.real(&WARM_UP) * jobs as f64).round() as usize;
    let last = jobs - (settings.real(&COOL_DOWN) * jobs as f64).round() as usize;
    let counted: Vec<JobId> = (first..last.max(first))
        .map(|index| JobId(index as u32))
        .collect();
    samples(schedule, settings, &counted)
}

/// Those of these jobs that ended.
pub(super) fn samples(schedule: &Schedule, settings: &Settings, jobs: &[JobId]) -> Vec<Sample> {
    let threshold = settings.real(&THRESHOLD);
    jobs.iter()
        .copied()
        .filter(|job| schedule.outcome(*job) != Outcome::Unfinished)
        .map(|job| {
            let submitted = schedule.workload.request(job).submitted;
            let (start, end) = (schedule.starts[job.index()], schedule.ends[job.index()]);
            let (response, runtime) = (
                (end - submitted).seconds(),
                schedule.workload.program(job).runtime.seconds(),
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
