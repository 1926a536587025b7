//! The policy that lets the code of an author decide.

use super::calls;
use super::desk::{Desk, Notes, at_desk};
use crate::job::{JobId, Request};
use crate::limits;
use crate::param::{Param, Settings};
use crate::policy::tools::spec::Needs;
use crate::problem::Problem;
use crate::sim::{Policy, Turn};
use crate::time::Span;
use std::sync::OnceLock;

/// Something that runs the code of a policy: a JavaScript engine, or a WebAssembly engine.
pub trait CodeHost: Send + Sync {
    /// Begins a run with these settings, a JSON object that has every parameter of the policy.
    ///
    /// # Errors
    /// Returns a problem if the code fails.
    fn begin(&self, settings: &str) -> Result<Box<dyn Guest>, Problem>;
}

/// The functions that the code of a policy has beside `decide`. A policy without them costs no call
/// at arrivals and ends.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// True if it has `believe`.
    pub believe: bool,
    /// True if it has `completed`.
    pub completed: bool,
}

/// The code of a policy, and its state in one run.
pub trait Guest: Send {
    /// Returns the functions that the code has beside `decide`. The others are not called.
    fn beside(&self) -> Beside {
        Beside::default()
    }

    /// Decides which jobs start now, by calls of the functions in [`super::calls`].
    ///
    /// # Errors
    /// Returns a problem if the code fails.
    fn decide(&mut self) -> Result<(), Problem>;

    /// Returns an independent copy that decides in the same way.
    ///
    /// # Errors
    /// Returns a problem if the state cannot be copied.
    fn fork(&self) -> Result<Box<dyn Guest>, Problem>;

    /// Returns the policy's belief about the run time of a job that arrives now, in microseconds;
    /// `None` if the policy has none.
    ///
    /// # Errors
    /// Returns a problem if the code fails.
    fn believe(&mut self, _job: &Submission) -> Result<Option<f64>, Problem> {
        Ok(None)
    }

    /// Tells the policy that a job has ended after running for `ran` microseconds.
    ///
    /// # Errors
    /// Returns a problem if the code fails.
    fn completed(&mut self, _job: &Submission, _ran: f64) -> Result<(), Problem> {
        Ok(())
    }
}

/// The facts about a job that are known when it arrives. Times are in microseconds.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Submission {
    /// Index of the job in its workload.
    pub job: u32,
    /// Number of the job in its trace.
    pub number: i64,
    /// Submission of the job.
    pub submitted: i64,
    /// Requested time.
    pub estimate: i64,
    /// Number of processors.
    pub size: u32,
    /// User, group, application and queue number, each -1 if it is unknown.
    pub of: [i32; 4],
}

impl Submission {
    pub(super) fn new(job: JobId, request: &Request) -> Self {
        Self {
            job: job.0,
            number: request.number,
            submitted: request.submitted.microseconds(),
            estimate: request.estimate.microseconds(),
            size: request.processors,
            of: [
                request.user,
                request.group,
                request.application,
                request.queue,
            ],
        }
    }

    /// Returns the facts as numbers, in the order in which the code of a policy gets them: job,
    /// number, submission, estimate, size, user, group, application, queue.
    pub fn facts(&self) -> [f64; 9] {
        let [user, group, application, queue] = self.of.map(f64::from);
        [
            f64::from(self.job),
            self.number as f64,
            self.submitted as f64,
            self.estimate as f64,
            f64::from(self.size),
            user,
            group,
            application,
            queue,
        ]
    }
}

/// Returns the policy that lets the code of `host` decide.
pub(super) fn own(
    (id, params, needs): (&'static str, &[Param], Needs),
    host: &dyn CodeHost,
    settings: &Settings,
) -> Box<dyn Policy> {
    let (guest, failed) = match host.begin(&super::definition::values(params, settings)) {
        Ok(guest) => (guest, None),
        Err(problem) => (Box::new(Mute) as Box<dyn Guest>, Some(problem)),
    };
    Box::new(Own {
        beside: guest.beside(),
        guest,
        failed,
        uncopied: OnceLock::new(),
        idle: (0, 0),
        notes: Notes::new(id, settings.get(&super::SEED), needs == Needs::Counts),
    })
}

struct Own {
    guest: Box<dyn Guest>,
    beside: Beside,
    /// The problem of the code, which the next turn reports.
    failed: Option<Problem>,
    /// The problem of a copy. The state can then no longer be copied, which the next turn reports.
    uncopied: OnceLock<Problem>,
    /// The number of turns in which nothing has happened, and how often processors had changed hands
    /// by then.
    idle: (usize, u64),
    notes: Notes,
}

impl Own {
    fn kept<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(problem) => {
                self.failed.get_or_insert(problem);
                None
            }
        }
    }

    /// Stops a policy that asks for turns for ever, and does nothing in them.
    fn count_idle(&mut self, turn: &Turn<'_>) {
        let (turns, changes) = self.idle;
        let happens =
            !turn.arrived().is_empty() || !turn.finished().is_empty() || turn.changes() != changes;
        self.idle = (if happens { 0 } else { turns + 1 }, turn.changes());
        if self.idle.0 > limits::OWN_IDLE {
            self.kept::<()>(Err(Problem::new(
                format!(
                    "The policy asks for turns for ever: in the last {} nothing happened.",
                    limits::OWN_IDLE
                ),
                "A run ends only if no timer is left, or no job waits.",
                "Start a job in the end, or ask for fewer turns (`wakeAt`).",
            )));
        }
    }
}

impl Policy for Own {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        if let Some(problem) = self.uncopied.take() {
            self.failed.get_or_insert(problem);
        }
        if self.failed.is_none() {
            self.notes.begin();
            let mut desk = Desk::new(turn.reborrow(), &mut self.notes);
            let decided = at_desk(&mut desk, || self.guest.decide());
            self.kept(decided);
            self.count_idle(turn);
        }
        if let Some(problem) = self.failed.clone().or_else(|| self.notes.take_misuse()) {
            turn.fail(problem);
        } else if turn.is_watched() {
            self.notes.explain(turn);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        let (guest, problem) = match self.guest.fork() {
            Ok(guest) => (guest, None),
            Err(problem) => {
                let _ = self.uncopied.set(problem.clone());
                (Box::new(Mute) as Box<dyn Guest>, Some(problem))
            }
        };
        Box::new(Self {
            beside: guest.beside(),
            guest,
            failed: self.failed.clone().or(problem),
            uncopied: OnceLock::new(),
            idle: self.idle,
            notes: self.notes.clone(),
        })
    }

    fn believe(&mut self, job: JobId, request: &Request) -> Span {
        if !self.beside.believe {
            return request.estimate;
        }
        let believed = self.guest.believe(&Submission::new(job, request));
        self.kept(believed)
            .flatten()
            .filter(|microseconds| (0.0..=calls::LONGEST).contains(microseconds))
            .map_or(request.estimate, |microseconds| {
                Span::from_microseconds(microseconds as i64)
            })
    }

    fn completed(&mut self, job: JobId, request: &Request, ran: Span) {
        if !self.beside.completed {
            return;
        }
        let facts = Submission::new(job, request);
        let told = self.guest.completed(&facts, ran.microseconds() as f64);
        self.kept(told);
    }

    fn outlived(&mut self, _: JobId, _: &Request, _: Span) -> Option<Span> {
        self.notes.plan.outlived();
        None
    }
}

/// A guest that starts nothing, in place of one that failed to begin.
struct Mute;

impl Guest for Mute {
    fn decide(&mut self) -> Result<(), Problem> {
        Ok(())
    }

    fn fork(&self) -> Result<Box<dyn Guest>, Problem> {
        Ok(Box::new(Self))
    }
}

/// A policy that starts nothing, for a spec that builds no policy yet.
pub(super) struct Nobody;

impl Policy for Nobody {
    fn decide(&mut self, _: &mut Turn<'_>) {}

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(Self)
    }
}
