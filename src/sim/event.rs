//! The events of a run. Observers fold them into schedules, pictures and audits.

use super::rank::JobRank;
use crate::job::JobId;
use crate::machine::{Note, Placement, Rotation};
use crate::time::{Span, Time};

/// Something that happened in a run.
#[derive(Copy, Clone, Debug)]
pub enum Event<'a> {
    /// A job entered the queue.
    Submitted(JobId),
    /// A job got these processors and begins to run after this delay. The placement is empty if
    /// placements are not recorded.
    Started(JobId, Placement<'a>, Span),
    /// The policy asked for a migration. True if a new layout left a larger free partition, so that
    /// jobs moved.
    Migrated(bool),
    /// A running job moved to these processors and runs this much longer.
    Moved(JobId, Placement<'a>, Span),
    /// The rows of an Ousterhout matrix rotate like this from now on, until the next such event.
    Turned(Rotation),
    /// The machine, or a policy made for it, told a note that only machines of its kind tell.
    Noted(&'a dyn Note),
    /// The policy promised that a job will start by this time. A later promise replaces an earlier
    /// one.
    Promised(JobId, Time),
    /// An adaptive policy lets the candidate with this index decide from now on.
    Switched(u32),
    /// These processors are out of service until this time. Jobs that run on them keep running.
    Closed(Placement<'a>, Time),
    /// The policy took a running job from its processors. Its work is lost, and the job waits again.
    Requeued(JobId),
    /// The policy suspended a running job: others can have its processors until it is resumed.
    Suspended(JobId),
    /// A suspended job goes on on these processors.
    Resumed(JobId, Placement<'a>),
    /// The policy ends a running job before its time. [`Event::Finished`] follows at once.
    Cancelled(JobId),
    /// A job ended: by itself, killed at its estimate, or cancelled.
    Finished(JobId),
    /// The policy has decided which jobs start at this instant, and jobs still wait. A run sends this event
    /// and those below only to observers that want reasons.
    Decided,
    /// A waiting job holds this reservation from now on. The placement is empty unless the policy
    /// names processors.
    Reserved(Reservation, Placement<'a>),
    /// A waiting job did not start at this instant for this reason.
    Refused(JobId, Why),
    /// A waiting job has this rank. Policies that have one tell it to observers of a single job.
    Ranked(JobId, &'a JobRank),
}

/// A reservation that a policy holds for a waiting job, based on its beliefs about run times.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The job that will start.
    pub job: JobId,
    /// The planned start of the job.
    pub start: Time,
    /// Extra processors: those free at the planned start beyond what the job needs. `None` if the
    /// policy does not use them.
    pub extra: Option<u32>,
}

/// The reason why a waiting job did not start when the policy decided.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The job needs more processors than were left.
    Processors {
        /// Processors that were left after all starts.
        free: u32,
    },
    /// Enough processors were left, but no free partition holds the job.
    Partition {
        /// Size of the largest free partition after all starts.
        largest: u32,
    },
    /// Enough cores were left, but no choice of nodes serves the job.
    Nodes {
        /// Number of the resource that was short: without it the job would have fitted. Cores, if
        /// no single resource was.
        short: u32,
    },
    /// The job may not pass an earlier job that must wait.
    Behind {
        /// The earlier job.
        ahead: JobId,
    },
    /// Enough processors were left, but the job would have held them into a reservation.
    Reserved {
        /// The job that holds the reservation.
        by: JobId,
    },
    /// The job could have started, but another set of jobs makes better use of the processors.
    NotChosen,
    /// The policy did not consider the job at this instant.
    NotTried,
    /// The job has its processors and begins to run when the machine's start delay is over.
    StartDelay,
    /// The log has a later start for the job, and does not say why.
    Recorded,
    /// The job ran in vain: it was preempted, and starts anew. No policy tells this reason.
    Lost,
    /// Slurm's own reason.
    Slurm {
        /// The word that squeue prints.
        word: &'static str,
    },
}

/// The jobs whose reasons for waiting an observer wants.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Reasons {
    /// No job, and no reservations.
    #[default]
    Unwanted,
    /// This job, and all reservations.
    Of(JobId),
    /// Every waiting job, and all reservations.
    All,
}

/// Sees every event of a run and can change nothing.
pub trait Observer {
    /// Receives an event that happened at `at`. Instants never decrease.
    fn on_event(&mut self, at: Time, event: &Event<'_>);

    /// Returns the jobs whose reasons for waiting the observer wants. [`Reasons::All`] costs a look
    /// at every waiting job at every decision.
    fn wants_reasons(&self) -> Reasons {
        Reasons::Unwanted
    }
}

/// An observer that ignores every event.
#[derive(Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn on_event(&mut self, _: Time, _: &Event<'_>) {}
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        self.0.on_event(at, event);
        self.1.on_event(at, event);
    }

    fn wants_reasons(&self) -> Reasons {
        match (self.0.wants_reasons(), self.1.wants_reasons()) {
            (Reasons::Unwanted, one) | (one, Reasons::Unwanted) => one,
            (one, other) if one == other => one,
            _ => Reasons::All,
        }
    }
}

impl<T: Observer + ?Sized> Observer for &mut T {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        (**self).on_event(at, event);
    }

    fn wants_reasons(&self) -> Reasons {
        (**self).wants_reasons()
    }
}
