//! Explanations as plain objects: why a job waited, and a run step by step.

use super::types::{PlacementFacts, SearchFacts, SearchesFacts, TriedFacts};
use crate::explain::{Outline, Story, StoryStep, Wait};
use crate::job::JobId;
use crate::machines::smt::{Search, Tried, Verdict};
use crate::sim::Why;
use crate::time::Time;
use crate::workload::Workload;
use serde::Serialize;
use tsify::Tsify;

/// Jobs of a list that are named; beyond, only their number is told.
const NAMED: usize = 12;

/// A job by its names.
#[derive(Serialize, Tsify)]
pub struct JobName {
    /// Index in the run.
    pub job: u32,
    /// Which record of the trace it is.
    pub record: u32,
    /// Number in the trace.
    pub number: i64,
    /// Size.
    pub processors: u32,
    /// Requested time.
    pub estimate: f64,
}

impl JobName {
    pub(super) fn of(workload: &Workload, job: JobId) -> Self {
        let request = workload.request(job);
        Self {
            job: job.0,
            record: workload.sources[job.index()],
            number: request.number,
            processors: request.processors,
            estimate: request.estimate.seconds(),
        }
    }
}

/// Why a waiting job did not start.
#[derive(Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// It needs more processors than were left.
    Processors {
        /// Processors that were left.
        free: u32,
    },
    /// Enough processors were left, but no free partition suits it.
    Partition {
        /// Processors of the largest free partition.
        largest: u32,
    },
    /// It may not pass a job that must wait.
    Behind {
        /// That job.
        job: JobName,
    },
    /// It would hold its processors into a reservation.
    Reserved {
        /// The job whose reservation it is.
        job: JobName,
    },
    /// Other jobs make better use of the processors.
    NotChosen,
    /// The policy did not look at it.
    NotTried,
    /// It has its processors and begins to run when the machine's start delay is over.
    StartDelay,
}

impl Reason {
    fn of(workload: &Workload, why: Why) -> Self {
        match why {
            Why::Processors { free } => Self::Processors { free },
            Why::Partition { largest } => Self::Partition { largest },
            Why::Behind { ahead } => Self::Behind {
                job: JobName::of(workload, ahead),
            },
            Why::Reserved { by } => Self::Reserved {
                job: JobName::of(workload, by),
            },
            Why::NotChosen => Self::NotChosen,
            Why::NotTried => Self::NotTried,
            Why::StartDelay => Self::StartDelay,
        }
    }
}

/// One thing that kept a job waiting.
#[derive(Serialize, Tsify)]
pub struct CauseFacts {
    /// What it was.
    pub reason: Reason,
    /// For how long in all, in seconds.
    pub total: f64,
}

/// Some jobs, and how many they are.
#[derive(Serialize, Tsify)]
pub struct JobList {
    /// The first of them.
    pub first: Vec<JobName>,
    /// How many in all.
    pub count: usize,
}

impl JobList {
    fn of(workload: &Workload, jobs: &[JobId]) -> Self {
        Self {
            first: jobs
                .iter()
                .take(NAMED)
                .map(|job| JobName::of(workload, *job))
                .collect(),
            count: jobs.len(),
        }
    }
}

/// Why a job waited.
#[derive(Serialize, Tsify)]
pub struct WaitFacts {
    /// What kept it waiting; the totals add up to the wait.
    pub causes: Vec<CauseFacts>,
    /// Who waited already when it arrived.
    pub ahead: JobList,
    /// Who arrived later and started earlier.
    pub overtakers: JobList,
}

impl WaitFacts {
    /// `wait` with the names of `workload`.
    pub fn of(workload: &Workload, wait: &Wait) -> Self {
        let cause = |cause: &crate::explain::Cause| CauseFacts {
            reason: Reason::of(workload, cause.why),
            total: cause.total.seconds(),
        };
        Self {
            causes: wait.causes.iter().map(cause).collect(),
            ahead: JobList::of(workload, &wait.ahead),
            overtakers: JobList::of(workload, &wait.overtakers),
        }
    }
}

/// A reservation as it can be drawn.
#[derive(Serialize, Tsify)]
pub struct OutlineFacts {
    /// The job it is for.
    pub job: JobName,
    /// When the job is to start.
    pub start: f64,
    /// When it would end by its estimate.
    pub end: f64,
    /// Processors that are free then beyond its need, where the policy reckons with them.
    pub extra: Option<u32>,
    /// Its processors.
    pub placement: PlacementFacts,
}

/// A job that waits, and why.
#[derive(Serialize, Tsify)]
pub struct WaitingFacts {
    /// The job.
    pub job: JobName,
    /// Why.
    pub reason: Reason,
}

/// One instant of a run.
#[derive(Serialize, Tsify)]
pub struct StepFacts {
    /// The instant.
    pub at: f64,
    /// Jobs that arrived.
    pub submitted: Vec<JobName>,
    /// Jobs that ended.
    pub ended: Vec<JobName>,
    /// Jobs that started.
    pub started: Vec<JobName>,
    /// Jobs that were moved.
    pub moved: Vec<JobName>,
    /// Processors free before anything started.
    pub free_before: u32,
    /// Processors free now.
    pub free: u32,
    /// Reservations held now.
    pub reserved: Vec<OutlineFacts>,
    /// Who waits, in order of arrival.
    pub waiting: Vec<WaitingFacts>,
}

impl StepFacts {
    fn of(workload: &Workload, step: &StoryStep) -> Self {
        let names = |jobs: &[JobId]| jobs.iter().map(|job| JobName::of(workload, *job)).collect();
        let outline = |outline: &Outline| OutlineFacts {
            job: JobName::of(workload, outline.reservation.job),
            start: outline.reservation.start.seconds(),
            end: outline.end.seconds(),
            extra: outline.reservation.extra,
            placement: PlacementFacts::of(outline.placement.get()),
        };
        let waiting = |(job, why): &(JobId, Why)| WaitingFacts {
            job: JobName::of(workload, *job),
            reason: Reason::of(workload, *why),
        };
        Self {
            at: step.at.seconds(),
            submitted: names(&step.submitted),
            ended: names(&step.ended),
            started: names(&step.started),
            moved: names(&step.moved),
            free_before: step.free_before,
            free: step.free,
            reserved: step.reserved.iter().map(outline).collect(),
            waiting: step.waiting.iter().map(waiting).collect(),
        }
    }

    /// All steps of `story` with the names of `workload`.
    pub fn all(workload: &Workload, story: &Story) -> Vec<Self> {
        story
            .steps
            .iter()
            .map(|step| Self::of(workload, step))
            .collect()
    }
}

/// Searches of one decision that are told, and jobs of each.
const SEARCHES: usize = 40;
const TRIED: usize = 60;

impl SearchesFacts {
    pub(super) fn of(workload: &Workload, at: Time, searches: &[Search]) -> Self {
        let told = searches
            .iter()
            .take(SEARCHES)
            .map(|search| SearchFacts::of(workload, search))
            .collect();
        Self {
            at: at.seconds(),
            searches: told,
            count: searches.len(),
        }
    }
}

impl SearchFacts {
    fn of(workload: &Workload, search: &Search) -> Self {
        let mut left = [0; 7];
        search
            .tried
            .iter()
            .for_each(|tried| left[tried.verdict as usize] += 1);
        // Candidates by what they are worth, then those that came furthest.
        let worth: Vec<f64> = search
            .tried
            .iter()
            .map(|t| {
                if t.verdict == Verdict::Candidate {
                    t.gain
                } else {
                    f64::from(t.verdict as u8) - 1e9
                }
            })
            .collect();
        let tried = crate::sorting::falling(&worth)
            .into_iter()
            .take(TRIED)
            .map(|place| {
                let Tried {
                    job,
                    verdict,
                    slowdown,
                    gain,
                } = search.tried[place];
                TriedFacts {
                    job: JobName::of(workload, job),
                    verdict: verdict as u8,
                    slowdown: slowdown as f64 / 1e4,
                    gain,
                }
            });
        Self {
            job: JobName::of(workload, search.job),
            among_running: search.among_running,
            chosen: search.chosen.map(|job| workload.request(job).number),
            count: search.tried.len(),
            left,
            tried: tried.collect(),
        }
    }
}
