//! Reservations that last: of processors in numbers, or of nodes.

use super::node_plan::NodePlan;
use super::plan::{BackfillWindow, CountPlan};
use crate::job::JobId;
use crate::policy::tools::order::Ranking;
use crate::sim::{Reservation, Turn, Waiting, Why};
use crate::time::{Span, Time};

/// The reservations of waiting jobs, and the running jobs that they take into account.
#[derive(Clone, Debug)]
pub enum ReservationPlan {
    /// A plan of numbers of processors.
    Counts(Box<CountPlan>),
    /// A plan of nodes, on a machine that has them.
    Nodes(Box<NodePlan>),
}

impl Default for ReservationPlan {
    /// Returns a plan without reservations. Its first refresh takes over the running jobs.
    fn default() -> Self {
        Self::Counts(Box::default())
    }
}

impl ReservationPlan {
    /// Returns a plan that compresses after every completion, not only after an early one. This
    /// pays, because a pass can open holes behind jobs that it moves, and the jobs before these can
    /// use such a hole only in the next pass.
    pub fn eager() -> Self {
        Self::Counts(Box::new(CountPlan::eager()))
    }

    /// Returns a plan with the running jobs and no reservation, for policies that make all
    /// reservations again at every decision.
    pub fn of_running(turn: &Turn<'_>) -> Self {
        match NodePlan::of_running(turn, false) {
            Some(plan) => Self::Nodes(Box::new(plan)),
            None => Self::Counts(Box::new(CountPlan::of_running(turn))),
        }
    }

    /// Brings the plan to the present: gives back the processors that jobs held beyond an early
    /// end, and compresses the reservations in `order`.
    pub fn refresh(&mut self, turn: &Turn<'_>, order: &Ranking) {
        match self {
            Self::Counts(plan) => plan.refresh(turn, order),
            Self::Nodes(plan) => plan.refresh(turn, order),
        }
    }

    /// Tells the plan that a running job has outlived its belief.
    pub fn outlived(&mut self) {
        match self {
            Self::Counts(plan) => plan.outlived(),
            Self::Nodes(plan) => plan.outlived(),
        }
    }

    /// True if nothing has happened that the plan must react to: see [`CountPlan::is_idle`]. The first
    /// call decides whether the plan is of nodes.
    pub fn is_idle(&mut self, turn: &Turn<'_>) -> bool {
        match self {
            Self::Counts(plan) => {
                if turn.has_nodes()
                    && let Some(mut plan) = NodePlan::of_running(turn, plan.is_eager())
                {
                    let is_idle = plan.is_idle(turn);
                    *self = Self::Nodes(Box::new(plan));
                    return is_idle;
                }
                plan.is_idle(turn)
            }
            Self::Nodes(plan) => plan.is_idle(turn),
        }
    }

    /// Returns the number of reservations.
    pub fn reserved(&self) -> usize {
        match self {
            Self::Counts(plan) => plan.reserved(),
            Self::Nodes(plan) => plan.reserved(),
        }
    }

    /// True if `job` holds a reservation.
    pub fn holds(&self, job: JobId) -> bool {
        match self {
            Self::Counts(plan) => plan.holds(job),
            Self::Nodes(plan) => plan.holds(job),
        }
    }

    /// Returns the planned start of `job`; `None` if it holds no reservation.
    pub fn start_of(&self, job: JobId) -> Option<Time> {
        match self {
            Self::Counts(plan) => plan.start_of(job),
            Self::Nodes(plan) => plan.start_of(job),
        }
    }

    /// Gives a waiting job its earliest reservation. A job that can never fit gets none.
    pub fn reserve(&mut self, turn: &Turn<'_>, job: &Waiting) {
        match self {
            Self::Counts(plan) => plan.reserve(job),
            Self::Nodes(plan) => plan.reserve(turn, job),
        }
    }

    /// Starts every job whose reservation has come.
    pub fn start_due(&mut self, turn: &mut Turn<'_>, order: &mut Ranking) {
        match self {
            Self::Counts(plan) => plan.start_due(turn, order),
            Self::Nodes(plan) => plan.start_due(turn, order),
        }
    }

    /// False if no job of this size and belief that holds no reservation can start now without
    /// disturbing a reservation. If this is true of a job, it is true of every smaller and shorter
    /// one. Looks only at numbers of processors.
    pub fn admits(&self, turn: &Turn<'_>, processors: u32, expected: Span) -> bool {
        match self {
            Self::Counts(plan) => plan.admits(turn, processors, expected),
            Self::Nodes(_) => processors <= turn.free(),
        }
    }

    /// True if this waiting job, which holds no reservation, can start now without disturbing a
    /// reservation.
    pub fn may_start_now(&self, turn: &Turn<'_>, job: &Waiting) -> bool {
        match self {
            Self::Counts(plan) => plan.may_start_now(turn, job),
            Self::Nodes(plan) => plan.may_start_now(turn, job),
        }
    }

    /// Starts a job that holds no reservation, if that disturbs no reservation. Returns true if the
    /// job started.
    pub fn start_now(&mut self, turn: &mut Turn<'_>, job: &Waiting, order: &mut Ranking) -> bool {
        match self {
            Self::Counts(plan) => plan.start_now(turn, job, order),
            Self::Nodes(plan) => plan.start_now(turn, job, order),
        }
    }

    /// Returns the window of the free processors, but of at most `widest`: see
    /// [`CountPlan::window`]. A plan of nodes has one window, of all free cores.
    pub fn window(&self, widest: u32) -> Option<(BackfillWindow, Option<u32>)> {
        match self {
            Self::Counts(plan) => plan.window(widest),
            Self::Nodes(_) => {
                let window = BackfillWindow {
                    processors: widest,
                    length: Span::from_microseconds(i64::MAX),
                };
                Some((window, None))
            }
        }
    }

    /// Sets a timer for the next reservation, because nothing else need happen at its start.
    pub fn wake(&mut self, turn: &mut Turn<'_>) {
        match self {
            Self::Counts(plan) => plan.wake(turn),
            Self::Nodes(plan) => plan.wake(turn),
        }
    }

    /// Returns the reservations, for [`Turn::explain`].
    pub fn reservations(&self) -> Vec<Reservation> {
        match self {
            Self::Counts(plan) => plan.reservations(),
            Self::Nodes(plan) => plan.placed().into_iter().map(|(told, _)| told).collect(),
        }
    }

    /// Returns the reason why a waiting job did not start now, as far as numbers of processors tell.
    pub fn why(&self, job: &Waiting, free: u32) -> Why {
        match self {
            Self::Counts(plan) => plan.why(job, free),
            Self::Nodes(_) if job.processors > free => Why::Processors { free },
            Self::Nodes(_) => Why::NotTried,
        }
    }

    /// Tells observers the reservations, and the reason why each waiting job did not start: the one
    /// that `known` returns or else that of the plan.
    pub fn explain(&self, turn: &mut Turn<'_>, known: impl Fn(&Waiting) -> Option<Why>) {
        match self {
            Self::Counts(plan) => {
                let free = turn.free();
                turn.explain(&plan.reservations(), |job| {
                    known(job).unwrap_or_else(|| plan.why(job, free))
                });
            }
            Self::Nodes(plan) => plan.explain(turn, known),
        }
    }
}
