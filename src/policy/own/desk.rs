//! The turn at which the code of an own policy decides, and what its calls have made of it so far.

use super::calls::each_call;
use crate::job::JobId;
use crate::machine::Placement;
use crate::policy::tools::order::{Order, Ranking};
use crate::policy::tools::reservation::{Hole, ReservationPlan};
use crate::problem::Problem;
use crate::random::Stream;
use crate::sim::{Reservation, Turn, Waiting, Why};
use crate::time::Time;
use scoped_tls_hkt::scoped_thread_local;
use std::cell::Cell;

/// The turn and the notes of the policy that decides on this thread.
pub(super) struct Desk<'a> {
    pub turn: Turn<'a>,
    pub notes: &'a mut Notes,
}

impl<'a> Desk<'a> {
    pub fn new(turn: Turn<'a>, notes: &'a mut Notes) -> Self {
        Self { turn, notes }
    }
}

/// Declares the methods of a desk.
macro_rules! methods {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $absent:expr;)*) => {
        $(fn $name(&mut self, $($argument: $type),*) -> $result;)*
    };
}

/// A desk whose lifetime is hidden, so that a pointer to it can wait in a variable of the thread.
pub(super) trait Open {
    each_call!(methods);
}

scoped_thread_local!(static mut DESK: for<'a> &'a mut (dyn Open + 'a));

thread_local! {
    /// True while a policy decides on this thread.
    static IS_OPEN: Cell<bool> = const { Cell::new(false) };
}

/// Lets `decide` call the functions of [`super::calls`] at this desk.
pub(super) fn at_desk<T>(desk: &mut Desk<'_>, decide: impl FnOnce() -> T) -> T {
    let before = IS_OPEN.replace(true);
    let decided = DESK.set(desk, decide);
    IS_OPEN.set(before);
    decided
}

/// Calls a function at the desk. Returns `None` if no policy decides on this thread: code may keep a
/// reference to a turn that is over.
#[inline]
pub(super) fn open<T>(call: impl FnOnce(&mut (dyn Open + '_)) -> T) -> Option<T> {
    IS_OPEN.get().then(|| DESK.with(|desk| call(desk)))
}

/// The data that a policy's calls refer to.
#[derive(Clone)]
pub(super) struct Notes {
    /// The policy.
    id: &'static str,
    /// The lasting reservations.
    pub plan: ReservationPlan,
    /// True if the policy has called a function of the plan.
    pub uses_plan: bool,
    /// True if the machine only counts processors, as plans need.
    pub may_plan: bool,
    /// The order of arrival.
    pub arrival: Ranking,
    /// The job that must not be delayed in this turn, and what others may use until then.
    pub hole: Option<(Waiting, Hole)>,
    /// Running jobs with their release times, as of the last question.
    pub releases: Vec<(Time, JobId, u32)>,
    /// The random numbers of the policy.
    pub stream: Stream,
    /// Reservations and reasons that the policy gave in this turn.
    pub reservations: Vec<Reservation>,
    pub reasons: Vec<(JobId, Why)>,
    /// The reason for jobs for which the policy gave none.
    pub otherwise: Option<Why>,
    misuse: Option<Problem>,
}

impl Notes {
    pub fn new(id: &'static str, seed: i64, may_plan: bool) -> Self {
        Self {
            id,
            plan: ReservationPlan::default(),
            uses_plan: false,
            may_plan,
            arrival: Ranking::of_order(Order::Arrival),
            hole: None,
            releases: Vec::new(),
            stream: Stream::new(seed as u64, "own policy"),
            reservations: Vec::new(),
            reasons: Vec::new(),
            otherwise: None,
            misuse: None,
        }
    }

    /// Forgets what belongs to a single turn.
    pub fn begin(&mut self) {
        self.hole = None;
        self.releases.clear();
        self.reservations.clear();
        self.reasons.clear();
        self.otherwise = None;
    }

    /// Remembers that the policy called what it must not call.
    pub fn misused(&mut self, what: &str, why: &str, next: &str) {
        let id = self.id;
        self.misuse
            .get_or_insert_with(|| Problem::new(format!("The policy `{id}` {what}."), why, next));
    }

    pub fn take_misuse(&mut self) -> Option<Problem> {
        self.misuse.take()
    }

    /// Tells observers the reservations, and why each waiting job did not start: the reason that
    /// the policy gave, or the one that follows from its calls.
    pub fn explain(&mut self, turn: &mut Turn<'_>) {
        let (free, room) = (turn.free(), turn.room());
        let mut told = std::mem::take(&mut self.reservations);
        if self.uses_plan {
            told.extend(self.plan.reservations());
        }
        let hole = &self.hole;
        let placed = hole
            .iter()
            .map(|(head, hole)| (hole.reservation(head), hole.partition()));
        let counted = told.iter().map(|told| (*told, Placement::NOWHERE));
        let mut reservations: Vec<_> = placed.chain(counted).collect();
        reservations.retain(|(told, _)| turn.queue().entry(told.job).is_some());
        // A job has one reservation: the first of these.
        let mut known = std::collections::BTreeSet::new();
        reservations.retain(|(told, _)| known.insert(told.job));
        // The last reason for a job counts.
        let mut reasons = std::mem::take(&mut self.reasons);
        reasons.reverse();
        crate::sorting::by(&mut reasons, |(job, _)| [job.0.into(), 0]);
        reasons.dedup_by_key(|(job, _)| *job);
        let plan = &self.plan;
        let (uses_plan, otherwise) = (self.uses_plan, self.otherwise);
        turn.explain_placed(&reservations, |job| {
            if let Ok(at) = reasons.binary_search_by_key(&job.job, |(job, _)| *job) {
                return reasons[at].1;
            }
            match otherwise {
                Some(Why::Behind { ahead }) if ahead != job.job => return Why::Behind { ahead },
                _ if job.processors > free => return Why::Processors { free },
                _ if job.processors > room => return Why::Partition { largest: room },
                _ => {}
            }
            if uses_plan {
                return plan.why(job, free);
            }
            match (hole, otherwise) {
                (Some((head, hole)), _)
                    if head.job != job.job && !hole.admits(job.processors, job.expected, room) =>
                {
                    Why::Reserved { by: head.job }
                }
                (_, Some(Why::Behind { .. }) | None) => Why::NotTried,
                (_, Some(why)) => why,
            }
        });
    }
}
