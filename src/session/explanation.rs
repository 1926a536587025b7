//! Explanations: why a job waited, and a run step by step.

use super::names::{JobList, JobName, PlacementFacts};
use crate::explain::{Outline, Story, StoryStep, Wait};
use crate::job::JobId;
use crate::sim::Why;
use crate::workload::Workload;
use serde::Serialize;

/// Why a waiting job did not start.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
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
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CauseFacts {
    /// What it was.
    pub reason: Reason,
    /// For how long in all, in seconds.
    pub total: f64,
}

/// Why a job waited.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
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
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
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
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct WaitingFacts {
    /// The job.
    pub job: JobName,
    /// Why.
    pub reason: Reason,
}

/// One instant of a run.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
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
