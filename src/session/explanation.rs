//! Explanations in plain values: why a job waited, and a run step by step.

use super::job::JobFacts;
use super::state::Session;
use crate::explain::{CauseKind, Outline, Story, StoryStep, Wait};
use crate::job::JobId;
use crate::metrics::{Grouping, classes_of_jobs};
use crate::problem::Problem;
use crate::sim::{JobRank, SchedulerLook, Why};
use crate::sorting;
use crate::time::{Span, Time};
use crate::view::{JobList, JobName, PlacementFacts};
use crate::workload::Workload;
use serde::Serialize;

/// The reason why a waiting job did not start.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// The job needs more processors than were left.
    Processors {
        /// Number of processors that were left.
        free: u32,
    },
    /// Enough processors were left, but no free partition holds the job.
    Partition {
        /// Number of processors of the largest free partition.
        largest: u32,
    },
    /// Enough cores were left, but no choice of nodes serves the job.
    Nodes {
        /// Name of the resource that was short: without it the job would have fitted. Cores, if no
        /// single resource was.
        resource: String,
    },
    /// The job may not pass an earlier job that must wait.
    Behind {
        /// The earlier job.
        job: JobName,
    },
    /// Enough processors were left, but the job would have held them into a reservation.
    Reserved {
        /// The job that holds the reservation.
        job: JobName,
    },
    /// Another set of jobs makes better use of the processors.
    NotChosen,
    /// The policy did not consider the job.
    NotTried,
    /// The job has its processors and begins to run when the machine's start delay is over.
    StartDelay,
    /// The log has a later start for the job, and does not say why.
    Recorded,
    /// Slurm's own reason.
    Slurm {
        /// The word that squeue prints.
        word: &'static str,
    },
    /// The job ran in vain: it was preempted, and started anew.
    Lost,
}

impl Reason {
    fn of(workload: &Workload, why: Why) -> Self {
        match why {
            Why::Processors { free } => Self::Processors { free },
            Why::Partition { largest } => Self::Partition { largest },
            Why::Nodes { short } => Self::Nodes {
                resource: workload.resource(short),
            },
            Why::Behind { ahead } => Self::Behind {
                job: JobName::of(workload, ahead),
            },
            Why::Reserved { by } => Self::Reserved {
                job: JobName::of(workload, by),
            },
            Why::NotChosen => Self::NotChosen,
            Why::NotTried => Self::NotTried,
            Why::StartDelay => Self::StartDelay,
            Why::Recorded => Self::Recorded,
            Why::Slurm { word } => Self::Slurm { word },
            Why::Lost => Self::Lost,
        }
    }
}

/// A reason that kept a job waiting, with its total time.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CauseFacts {
    /// Reason why the job did not start.
    pub reason: Reason,
    /// Instant from which the reason first applied, in seconds.
    pub since: f64,
    /// Total time for which the reason applied, in seconds.
    pub total: f64,
}

/// The explanation of a job's wait.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct WaitFacts {
    /// Causes of the wait. Their totals add up to the wait.
    pub causes: Vec<CauseFacts>,
    /// Jobs that were already waiting when the job arrived.
    pub ahead: JobList,
    /// Jobs that arrived later and started earlier.
    pub overtakers: JobList,
    /// The first and the last rank of the job, if the policy has ranks.
    pub ranks: Vec<RankFacts>,
}

/// The rank of a waiting job at an instant.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RankFacts {
    /// The instant, in seconds.
    pub at: f64,
    /// The priority by which the queue is ordered.
    pub priority: f64,
    /// The parts that the priority is the sum of.
    pub parts: Vec<PriorityPartFacts>,
    /// The place among the jobs that wait, from 1.
    pub place: u32,
    /// The number of jobs that wait.
    pub waiting: u32,
    /// The last look of each scheduler at the job.
    pub looks: Vec<LookFacts>,
}

/// A part of a priority.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PriorityPartFacts {
    /// Name of the part.
    pub name: &'static str,
    /// The amount that it adds to the priority.
    pub value: f64,
}

/// A look of a scheduler at a waiting job.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LookFacts {
    /// Name of the scheduler.
    pub scheduler: &'static str,
    /// The instant, in seconds.
    pub at: f64,
    /// The finding of the scheduler, as a clause after "the job".
    pub found: &'static str,
    /// The job that stands in the way.
    pub by: Option<JobName>,
    /// The start that the scheduler plans, in seconds.
    pub planned: Option<f64>,
}

impl RankFacts {
    fn of(workload: &Workload, at: Time, rank: &JobRank) -> Self {
        let look = |look: &SchedulerLook| LookFacts {
            scheduler: look.scheduler,
            at: look.at.seconds(),
            found: look.found,
            by: look.by.map(|job| JobName::of(workload, job)),
            planned: look.planned.map(Time::seconds),
        };
        let part = |(name, value): &(&'static str, f64)| PriorityPartFacts {
            name,
            value: *value,
        };
        Self {
            at: at.seconds(),
            priority: rank.priority,
            parts: rank.parts.iter().map(part).collect(),
            place: rank.place,
            waiting: rank.waiting,
            looks: rank.looks.iter().map(look).collect(),
        }
    }
}

impl WaitFacts {
    /// Returns `wait` in plain values, with the names of jobs in `workload`.
    pub fn of(workload: &Workload, wait: &Wait) -> Self {
        let cause = |cause: &crate::explain::Cause| CauseFacts {
            reason: Reason::of(workload, cause.why),
            since: cause.since.seconds(),
            total: cause.total.seconds(),
        };
        Self {
            causes: wait.causes.iter().map(cause).collect(),
            ahead: JobList::of(workload, &wait.ahead),
            overtakers: JobList::of(workload, &wait.overtakers),
            ranks: wait
                .ranks
                .iter()
                .map(|(at, rank)| RankFacts::of(workload, *at, rank))
                .collect(),
        }
    }
}

/// The causes of the waits of a class of jobs.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ClassCauses {
    /// Name of the class.
    pub name: String,
    /// Number of jobs.
    pub jobs: u32,
    /// The causes, the one with the largest total first. The totals add up to the waits of the jobs.
    pub causes: Vec<CauseTotal>,
}

/// A cause, with its total time over the jobs of a class.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CauseTotal {
    /// Kind of the reason, as in `Reason`.
    pub kind: &'static str,
    /// Name of the resource that was short, for the kind `nodes`; the word of the reason, for `slurm`.
    pub resource: Option<String>,
    /// Total time, in seconds.
    pub total: f64,
}

impl CauseTotal {
    fn of(workload: &Workload, kind: CauseKind, total: Span) -> Self {
        let (kind, resource) = match kind {
            CauseKind::Processors => ("processors", None),
            CauseKind::Partition => ("partition", None),
            CauseKind::Nodes(short) => ("nodes", Some(workload.resource(short))),
            CauseKind::Behind => ("behind", None),
            CauseKind::Reserved => ("reserved", None),
            CauseKind::NotChosen => ("not_chosen", None),
            CauseKind::NotTried => ("not_tried", None),
            CauseKind::StartDelay => ("start_delay", None),
            CauseKind::Recorded => ("recorded", None),
            CauseKind::Lost => ("lost", None),
            CauseKind::Slurm(word) => ("slurm", Some(word.to_owned())),
        };
        Self {
            kind,
            resource,
            total: total.seconds(),
        }
    }
}

impl Session {
    /// Returns the causes of all waits of the complete run, by class of jobs.
    ///
    /// # Errors
    /// Fails if jobs waited at too many decisions, or if the run is a what-if.
    pub fn wait_causes(&self, grouping: Grouping) -> Result<Vec<ClassCauses>, Problem> {
        let run = self.run();
        run.check_ended()?;
        let (schedule, settings) = (self.schedule(), &run.scenario.settings);
        let (names, class) = classes_of_jobs(schedule, settings, grouping);
        let mut found: Vec<ClassCauses> = names
            .into_iter()
            .map(|name| ClassCauses {
                name,
                jobs: 0,
                causes: Vec::new(),
            })
            .collect();
        for class in class.iter().flatten() {
            found[*class as usize].jobs += 1;
        }
        for ((class, kind), total) in run.wait_causes(class)? {
            let cause = CauseTotal::of(&schedule.workload, kind, total);
            found[class as usize].causes.push(cause);
        }
        for class in &mut found {
            sorting::by(&mut class.causes, |cause| [-(cause.total * 1e6) as i128, 0]);
        }
        Ok(found)
    }
}

/// A reservation that can be drawn.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct OutlineFacts {
    /// The job that holds the reservation.
    pub job: JobName,
    /// Planned start of the job, in seconds.
    pub start: f64,
    /// End of the job by its estimate, in seconds.
    pub end: f64,
    /// Extra processors, if the policy uses them: those free at the planned start beyond the job's
    /// need.
    pub extra: Option<u32>,
    /// Processors of the reservation.
    pub placement: PlacementFacts,
}

/// A waiting job, with the reason why it waits.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct WaitingFacts {
    /// The waiting job.
    pub job: JobName,
    /// Submission of the job, in seconds.
    pub submitted: f64,
    /// Reason why the job did not start.
    pub reason: Reason,
}

/// An instant of a run.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct StepFacts {
    /// Instant of the step, in seconds.
    pub at: f64,
    /// Jobs that arrived.
    pub submitted: Vec<JobName>,
    /// Jobs that ended.
    pub ended: Vec<JobName>,
    /// Jobs that were preempted and wait again.
    pub requeued: Vec<JobName>,
    /// Jobs that were suspended.
    pub suspended: Vec<JobName>,
    /// Jobs that were suspended and went on.
    pub resumed: Vec<JobName>,
    /// Jobs that started.
    pub started: Vec<JobName>,
    /// Jobs that moved to other processors.
    pub moved: Vec<JobName>,
    /// Number of processors that were free before any job started.
    pub free_before: u32,
    /// Number of processors that are free after the step.
    pub free: u32,
    /// Reservations that are held after the step.
    pub reserved: Vec<OutlineFacts>,
    /// Waiting jobs in order of arrival, each with its reason.
    pub waiting: Vec<WaitingFacts>,
    /// Number of waiting jobs behind those.
    pub unlisted: u32,
}

/// A part of a run, instant by instant.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PartFacts {
    /// The steps in order of time.
    pub steps: Vec<StepFacts>,
    /// The indices of the jobs that run before the first step.
    pub running: Vec<u32>,
    /// The facts about those jobs and about the jobs that start in the steps; no more than a few
    /// thousand.
    pub jobs: Vec<JobFacts>,
}

/// Largest number of jobs whose facts come with a part of a run.
const PART_JOBS: usize = 4000;

impl Session {
    /// Returns up to `most` steps of the run, from the last one by `at` on; `None` before the fork
    /// of a what-if.
    pub fn part(&mut self, at: Time, most: usize) -> Option<PartFacts> {
        let (story, running) = self.run().story_from(at, most)?;
        let started = story.steps.iter().flat_map(|step| &step.started);
        let named: Vec<u32> = running
            .iter()
            .chain(started)
            .take(PART_JOBS)
            .map(|job| job.0)
            .collect();
        let steps = StepFacts::all(&self.schedule().workload, &story);
        Some(PartFacts {
            steps,
            running: running.iter().map(|job| job.0).collect(),
            jobs: named.into_iter().filter_map(|job| self.job(job)).collect(),
        })
    }
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
            submitted: workload.request(*job).submitted.seconds(),
            reason: Reason::of(workload, *why),
        };
        Self {
            at: step.at.seconds(),
            submitted: names(&step.submitted),
            ended: names(&step.ended),
            requeued: names(&step.requeued),
            suspended: names(&step.suspended),
            resumed: names(&step.resumed),
            started: names(&step.started),
            moved: names(&step.moved),
            free_before: step.free_before,
            free: step.free,
            reserved: step.reserved.iter().map(outline).collect(),
            waiting: step.waiting.iter().map(waiting).collect(),
            unlisted: step.unlisted,
        }
    }

    /// Returns all steps of `story` in plain values, with the names of jobs in `workload`.
    pub fn all(workload: &Workload, story: &Story) -> Vec<Self> {
        story
            .steps
            .iter()
            .map(|step| Self::of(workload, step))
            .collect()
    }
}
