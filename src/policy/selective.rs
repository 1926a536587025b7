//! Selective reservations: a job holds a reservation only if it has waited long in relation to its
//! length. Every reservation takes holes away from backfilling, so only the jobs that need one get
//! one.
//!
//! A job's expansion factor, (wait + estimate) / estimate, grows while the job waits. Below a
//! threshold the job has no reservation, and every job may pass it. From the threshold on it holds
//! a reservation, as under conservative backfilling. S. Srinivasan, R. Kettimuthu, V. Subramani, P.
//! Sadayappan, "Selective reservation strategies for backfill job scheduling", JSSPP 2002.

use super::tools::order::{
    ORDER, Ranking, WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE, WEIGHT_WAIT,
};
use super::tools::prediction::{CORRECTION, ESTIMATES, with_beliefs};
use super::tools::reservation::{ReservationPlan, span};
use super::tools::spec::{Needs, Spec};
use crate::job::{JobId, Request};
use crate::param::{Settings, Typed, When, real, words};
use crate::sim::Policy;
use crate::sim::{Turn, Waiting};
use crate::time::Span;

words! {
    /// The expansion factor from which on a job holds a reservation.
    enum ThresholdRule {
        Fixed = "fixed": "a given expansion factor",
        Adaptive = "adaptive": "the mean bounded slowdown (10 s) of the jobs that have ended",
    }
}

const THRESHOLD_RULE: Typed<ThresholdRule> =
    ThresholdRule::param("threshold_rule", "Threshold", ThresholdRule::Fixed)
        .help("A job holds a reservation from this expansion factor on");

const THRESHOLD: Typed<f64> = real("expansion_threshold", "Expansion factor", 1.0..=1e9, 2.0)
    .when(When {
        keys: &["threshold_rule"],
        words: &["fixed"],
    })
    .help("A job holds a reservation from this expansion factor on; 1 gives every job one at once");

/// The least run time in a slowdown, in seconds. Without it, very short jobs would dominate the
/// mean.
const SHORTEST: f64 = 10.0;

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "selective",
    name: "Selective",
    summary: "Only jobs that have waited long in relation to their estimate hold a reservation; \
        other jobs may be passed.",
    paper: "Srinivasan, Kettimuthu, Subramani and Sadayappan, JSSPP 2002",
    needs: Needs::Times,
    params: &[
        ORDER.param,
        THRESHOLD_RULE.param,
        THRESHOLD.param,
        ESTIMATES.param,
        CORRECTION.param,
        WEIGHT_WAIT.param,
        WEIGHT_EXPANSION.param,
        WEIGHT_SIZE.param,
        WEIGHT_PASSED.param,
    ],
    check: &|_| Ok(Vec::new()),
    build: &|settings| with_beliefs(Selective::new(settings), settings),
};

#[derive(Clone)]
struct Selective {
    order: Ranking,
    plan: ReservationPlan,
    /// Waiting jobs without a reservation, of those that arrived before `next`.
    without: Vec<JobId>,
    next: JobId,
    /// The fixed threshold. `None` if the threshold is the mean of the slowdowns so far.
    threshold: Option<f64>,
    /// Jobs that ended since the last turn, and the times for which they ran.
    newly_ended: Vec<(JobId, Span)>,
    slowdowns: f64,
    ended: f64,
}

impl Selective {
    fn new(settings: &Settings) -> Self {
        let threshold = (settings.get(&THRESHOLD_RULE) == ThresholdRule::Fixed)
            .then(|| settings.get(&THRESHOLD));
        Self {
            order: Ranking::new(settings, &ORDER),
            plan: ReservationPlan::default(),
            without: Vec::new(),
            next: JobId(0),
            threshold,
            newly_ended: Vec::new(),
            slowdowns: 0.0,
            ended: 0.0,
        }
    }

    fn threshold(&self) -> f64 {
        self.threshold.unwrap_or(if self.ended > 0.0 {
            self.slowdowns / self.ended
        } else {
            1.0
        })
    }

    fn learn(&mut self, turn: &Turn<'_>) {
        for (job, ran) in self.newly_ended.drain(..) {
            let response = (turn.now() - turn.request(job).submitted).seconds();
            let ran = ran.seconds();
            self.slowdowns += (response.max(SHORTEST) / ran.max(SHORTEST)).max(1.0);
            self.ended += 1.0;
        }
    }

    /// Gives a reservation to every waiting job that has reached the threshold.
    fn select(&mut self, turn: &Turn<'_>) {
        let threshold = self.threshold();
        let now = turn.now();
        let is_due = |job: &Waiting| {
            let estimate = span(job).seconds();
            (now - turn.request(job.job).submitted).seconds() + estimate >= threshold * estimate
        };
        for job in turn.queue().from(self.next) {
            self.without.push(job.job);
            self.next = JobId(job.job.0 + 1);
        }
        self.without
            .retain(|job| turn.queue().entry(*job).is_some());
        let mut due: Vec<Waiting> = self
            .without
            .iter()
            .filter_map(|job| turn.queue().entry(*job))
            .filter(|job| is_due(job))
            .copied()
            .collect();
        if due.is_empty() {
            return;
        }
        self.order.sort(turn, &mut due);
        for job in due {
            self.plan.reserve(turn, &job);
        }
        self.without.retain(|job| !self.plan.holds(*job));
    }

    /// Starts other jobs in order, each if it fits and disturbs no reservation.
    fn backfill(&mut self, turn: &mut Turn<'_>) {
        let admits = |processors: u32, expected: Span| self.plan.admits(turn, processors, expected);
        let mut others: Vec<Waiting> = turn
            .queue()
            .admitted(admits)
            .filter(|job| !self.plan.holds(job.job))
            .collect();
        self.order.sort(turn, &mut others);
        for job in others {
            self.plan.start_now(turn, &job, &mut self.order);
        }
    }
}

impl Policy for Selective {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        if !self.plan.is_idle(turn) {
            self.learn(turn);
            self.plan.refresh(turn, &self.order);
            self.select(turn);
            self.plan.start_due(turn, &mut self.order);
            self.backfill(turn);
            self.plan.wake(turn);
        }
        if turn.is_watched() {
            self.plan.explain(turn, |_| None);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }

    fn completed(&mut self, job: JobId, _: &Request, ran: Span) {
        if self.threshold.is_none() {
            self.newly_ended.push((job, ran));
        }
    }

    fn outlived(&mut self, _: JobId, _: &Request, _: Span) -> Option<Span> {
        self.plan.outlived();
        None
    }
}
