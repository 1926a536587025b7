//! Conservative backfilling: every waiting job holds a reservation, and a job may start early only
//! if it delays no reservation. Waits can then be predicted, which EASY allows only for the head.
//!
//! On arrival a job gets the earliest reservation, holes included, that disturbs no running job and
//! no other reservation. When a job ends early, the policy compresses the reservations.
//! A. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001; H. Rajaei and M. B. Dadfar, ASEE 2007,
//! section 3.3.

use super::tools::order::{
    ORDER, Ranking, WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE, WEIGHT_WAIT,
};
use super::tools::prediction::{CORRECTION, ESTIMATES, with_beliefs};
use super::tools::reservation::ReservationPlan;
use super::tools::spec::{Needs, Spec};
use crate::job::{JobId, Request};
use crate::param::{Settings, Typed, words};
use crate::sim::Policy;
use crate::sim::Turn;
use crate::time::Span;

words! {
    /// The events at which the policy compresses reservations.
    enum Compression {
        Early = "early": "when a job ends before its believed end",
        Every = "every": "whenever a job ends, as in pyss",
        Anew = "anew": "at every decision the policy drops all reservations and makes them again, \
            as in CQSim",
    }
}

const COMPRESSION: Typed<Compression> =
    Compression::param("compression", "Compression", Compression::Early).help(
        "The events at which reservations move to earlier starts, in one pass over the queue",
    );

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "conservative",
    name: "Conservative",
    summary: "Every waiting job holds a reservation from its arrival on; later jobs may start \
        early if they delay no reservation.",
    paper: "Mu'alem and Feitelson, IEEE TPDS 12(6), 2001; Rajaei and Dadfar, ASEE 2007, section \
        3.3",
    needs: Needs::Times,
    params: &[
        ORDER.param,
        COMPRESSION.param,
        ESTIMATES.param,
        CORRECTION.param,
        WEIGHT_WAIT.param,
        WEIGHT_EXPANSION.param,
        WEIGHT_SIZE.param,
        WEIGHT_PASSED.param,
    ],
    check: &|_| Ok(Vec::new()),
    build: &|settings| with_beliefs(Conservative::new(settings), settings),
};

#[derive(Clone)]
struct Conservative {
    /// The order in which compression puts jobs back.
    order: Ranking,
    plan: ReservationPlan,
    /// The first job that has not been given a reservation yet.
    next: JobId,
    /// True if the policy makes all reservations again at every decision.
    is_anew: bool,
}

impl Conservative {
    fn new(settings: &Settings) -> Self {
        let compression = settings.get(&COMPRESSION);
        let plan = if compression == Compression::Every {
            ReservationPlan::eager()
        } else {
            ReservationPlan::default()
        };
        Self {
            order: Ranking::new(settings, &ORDER),
            plan,
            next: JobId(0),
            is_anew: compression == Compression::Anew,
        }
    }

    /// Decides with the reservations of the last decision.
    fn go_on(&mut self, turn: &mut Turn<'_>) {
        if self.plan.is_idle(turn) {
            return;
        }
        self.plan.refresh(turn, &self.order);
        for job in turn.queue().from(self.next) {
            self.plan.reserve(turn, job);
            self.next = JobId(job.job.0 + 1);
        }
        self.plan.start_due(turn, &mut self.order);
        self.plan.wake(turn);
    }

    /// Decides without reservations from before. Starts heads while they fit. Then goes through the
    /// other jobs in order: starts a job if it delays no reservation of this decision, else gives
    /// it its earliest reservation.
    fn make_anew(&mut self, turn: &mut Turn<'_>) {
        if turn.free() > 0 {
            self.order.start_heads(turn);
        }
        self.plan = ReservationPlan::of_running(turn);
        let mut rest = self.order.in_order(turn);
        // Reservations matter only while a job can still start, or if an observer wants them.
        while (turn.free() > 0 || turn.is_watched())
            && let Some(job) = rest.next(turn, |_, _| true)
        {
            if !self.plan.start_now(turn, &job, &mut self.order) {
                self.plan.reserve(turn, &job);
            }
        }
    }
}

impl Policy for Conservative {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        if self.is_anew {
            self.make_anew(turn);
        } else {
            self.go_on(turn);
        }
        if turn.is_watched() {
            self.plan.explain(turn, |_| None);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }

    fn outlived(&mut self, _: JobId, _: &Request, _: Span) -> Option<Span> {
        self.plan.outlived();
        None
    }
}
