//! What happens in a run, as a stream that observers fold into schedules, pictures and audits.

use crate::job::JobId;
use crate::machine::{Note, Placement, Rotation};
use crate::time::{Span, Time};

/// Something that happened.
#[derive(Copy, Clone, Debug)]
pub enum Event<'a> {
    /// A job came into the queue.
    Submitted(JobId),
    /// A job was given these processors (none where placements are not recorded), and begins to run
    /// after so long.
    Started(JobId, Placement<'a>, Span),
    /// It was tried to lay out the running jobs anew; whether that left a larger free partition and
    /// was done.
    Migrated(bool),
    /// A running job moved to these processors, and runs longer by so much.
    Moved(JobId, Placement<'a>, Span),
    /// Rows of an Ousterhout matrix take turns like this from now on, until something changes.
    Turned(Rotation),
    /// The machine, or a policy made for it, told something that only machines of its kind tell.
    Noted(&'a dyn Note),
    /// A job was promised to start by then; a later promise replaces an earlier one.
    Promised(JobId, Time),
    /// Of several policies this one, by its index, decides from now on.
    Switched(u32),
    /// These processors are out of service until then; jobs that run on them run on.
    Closed(Placement<'a>, Time),
    /// A job ended, by itself or killed at its estimate.
    Finished(JobId),
    /// The policy has decided what starts at this instant. This and what follows come only where
    /// reasons are wanted.
    Decided,
    /// A waiting job holds this reservation from now on, on these processors where the policy names
    /// them.
    Reserved(Reservation, Placement<'a>),
    /// A waiting job did not start at this instant, and why.
    Refused(JobId, Why),
}

/// A reservation that a policy holds for a waiting job, by what it believes of run times.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The job it is for.
    pub job: JobId,
    /// When the job is to start.
    pub start: Time,
    /// Processors that are free at that time beyond its need, where the policy reckons with them.
    pub extra: Option<u32>,
}

/// Why a waiting job did not start when the policy decided.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It needs more processors than were left.
    Processors {
        /// Processors left after all that started.
        free: u32,
    },
    /// Enough processors were left, but no free partition suits it.
    Partition {
        /// Processors of the largest free partition after all that started.
        largest: u32,
    },
    /// It may not pass a job that must wait.
    Behind {
        /// That job.
        ahead: JobId,
    },
    /// There were enough processors, but it would hold them into a reservation.
    Reserved {
        /// The job whose reservation it is.
        by: JobId,
    },
    /// It could have started, but a set of other jobs that did makes better use of the processors.
    NotChosen,
    /// The policy did not look at it this time.
    NotTried,
    /// It has its processors and begins to run when the machine's start delay is over.
    StartDelay,
}

/// Of whom an observer wants to hear why they wait.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Reasons {
    /// Of nobody.
    #[default]
    Unwanted,
    /// Of this job; and of reservations.
    Of(JobId),
    /// Of every waiting job; and of reservations.
    All,
}

/// Sees everything that happens and can change nothing.
pub trait Observer {
    /// Something happened at `at`. Instants never go back.
    fn on_event(&mut self, at: Time, event: &Event<'_>);

    /// Of whom it wants to hear why they wait. All costs a look at every waiting job at every
    /// decision.
    fn wants_reasons(&self) -> Reasons {
        Reasons::Unwanted
    }
}

/// An observer that does not look.
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
