//! The Maui scheduler: a queue in order of a weighted priority, reservations for its first jobs,
//! and a choice of backfill policies.
//!
//! Its default, the one the adaptive paper simulates, is EASY with the whole queue rebuilt and
//! scanned in order at every event. D. Talby and D. G. Feitelson, "Improving and stabilizing
//! parallel computer performance using adaptive backfilling", IPDPS 2005, section 2.1; D. Jackson,
//! Q. Snell, M. Clement, "Core algorithms of the Maui scheduler", JSSPP 2001.

use super::tools::order::{
    ORDER_WEIGHTS, Ranking, WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE, WEIGHT_WAIT,
};
use super::tools::prediction::{CORRECTION, ESTIMATES, with_beliefs};
use super::tools::reservation::{BackfillWindow, ReservationPlan};
use super::tools::selection::{Item, best_set};
use super::tools::spec::{Needs, Spec};
use crate::param::{Settings, Typed, When, whole, words};
use crate::sim::Policy;
use crate::sim::{Turn, Waiting, Why};
use crate::time::Span;

const RESERVATION_DEPTH: Typed<i64> = whole("reservation_depth", "Reservation depth", 0..=1000, 1)
    .unit("jobs")
    .help("How many jobs that cannot start hold a reservation (RESERVATIONDEPTH)");

words! {
    /// Which jobs start beside the reservations (BACKFILLPOLICY).
    enum Backfill {
        FirstFit = "firstfit": "jobs in order, each that fits",
        BestFit = "bestfit": "of the jobs that fit, the one that makes most of the window, again \
            and again",
        Greedy = "greedy": "the set of jobs that fills the window best",
        None = "none": "no backfilling",
    }
}

const BACKFILL: Typed<Backfill> =
    Backfill::param("backfill", "Backfill policy", Backfill::FirstFit)
        .help("Which jobs start beside the reservations (BACKFILLPOLICY)");

words! {
    /// What makes most of a window (BACKFILLMETRIC).
    enum BackfillMetric {
        Processors = "procs": "most processors",
        Area = "procseconds": "most processors x estimate",
        Length = "seconds": "longest estimate",
    }
}

const METRIC: Typed<BackfillMetric> =
    BackfillMetric::param("backfill_metric", "Best fit by", BackfillMetric::Processors)
        .when(When {
            keys: &["backfill"],
            words: &["bestfit"],
        })
        .help("What makes most of a window (BACKFILLMETRIC)");

words! {
    /// A window is a number of processors that are free for a time; the greedy policy always fills
    /// one after the other.
    enum BackfillWindows {
        Together = "together": "a job is tried against all windows at once, so that jobs are taken \
            in order",
        Widest = "widest": "windows are filled one after the other, the one with most processors \
            first",
    }
}

const WINDOWS: Typed<BackfillWindows> =
    BackfillWindows::param("windows", "Backfill windows", BackfillWindows::Together)
        .when(When {
            keys: &["backfill"],
            words: &["firstfit", "bestfit"],
        })
        .help(
            "A window is a number of processors that are free for a time; the greedy policy always \
            fills one after the other",
        );

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "maui",
    name: "Maui",
    summary: "A queue in order of weighted priority, reservations for its first jobs, and a \
        choice of backfill policies.",
    paper: "Talby and Feitelson, IPDPS 2005, section 2.1; Jackson, Snell and Clement, JSSPP 2001",
    needs: Needs::Counts,
    params: &[
        ORDER_WEIGHTS.param,
        WEIGHT_WAIT.param,
        WEIGHT_EXPANSION.param,
        WEIGHT_SIZE.param,
        WEIGHT_PASSED.param,
        RESERVATION_DEPTH.param,
        BACKFILL.param,
        METRIC.param,
        WINDOWS.param,
        ESTIMATES.param,
        CORRECTION.param,
    ],
    build: |settings| with_beliefs(Maui::new(settings), settings),
};

#[derive(Clone)]
struct Maui {
    order: Ranking,
    depth: usize,
    backfill: Backfill,
    metric: BackfillMetric,
    widest_first: bool,
}

impl Maui {
    fn new(settings: &Settings) -> Self {
        let backfill = settings.get(&BACKFILL);
        Self {
            order: Ranking::new(settings, &ORDER_WEIGHTS),
            depth: settings.get(&RESERVATION_DEPTH) as usize,
            backfill,
            metric: settings.get(&METRIC),
            widest_first: settings.get(&WINDOWS) == BackfillWindows::Widest
                || backfill == Backfill::Greedy,
        }
    }

    /// Starts a job beside the reservations, if it disturbs none.
    fn start(&mut self, turn: &mut Turn<'_>, plan: &mut ReservationPlan, job: &Waiting) -> bool {
        let starts = plan.may_start_now(turn, job) && self.order.start(turn, job);
        if starts {
            plan.started(turn, job);
        }
        starts
    }

    /// Fills one window, or all of them together, from candidates in order.
    fn fill(
        &mut self,
        turn: &mut Turn<'_>,
        plan: &mut ReservationPlan,
        mut candidates: Vec<Waiting>,
        window: BackfillWindow,
    ) {
        match self.backfill {
            Backfill::None => {}
            Backfill::FirstFit => candidates.iter().for_each(|job| {
                self.start(turn, plan, job);
            }),
            Backfill::BestFit => {
                let metric = self.metric;
                let worth = |job: &Waiting| match metric {
                    BackfillMetric::Processors => i128::from(job.processors),
                    BackfillMetric::Area => {
                        i128::from(job.processors) * i128::from(job.expected.microseconds())
                    }
                    BackfillMetric::Length => i128::from(job.expected.microseconds()),
                };
                // What fits only shrinks, so one pass from the best on takes the best again and
                // again.
                crate::sorting::by(&mut candidates, |job| [-worth(job), 0]);
                candidates.iter().for_each(|job| {
                    self.start(turn, plan, job);
                });
            }
            Backfill::Greedy => {
                let items: Vec<Item> = candidates
                    .iter()
                    .map(|job| Item {
                        processors: job.processors,
                        is_long: false,
                    })
                    .collect();
                for index in best_set(&items, window.processors, 0) {
                    self.start(turn, plan, &candidates[index]);
                }
            }
        }
    }

    /// The waiting jobs without a reservation that fit into `window`, in order.
    fn candidates(
        &self,
        turn: &Turn<'_>,
        plan: &ReservationPlan,
        window: BackfillWindow,
    ) -> Vec<Waiting> {
        let fits = |processors: u32, expected: Span| {
            processors <= window.processors
                && expected.max(Span::SECOND) <= window.length
                && plan.admits(turn, processors, expected)
        };
        let mut jobs: Vec<Waiting> = turn
            .queue()
            .admitted(fits)
            .filter(|job| !plan.holds(job.job))
            .collect();
        self.order.sort(turn, &mut jobs);
        jobs
    }

    fn schedule(&mut self, turn: &mut Turn<'_>) -> Option<ReservationPlan> {
        self.order.start_heads(turn)?;
        let mut plan = ReservationPlan::of_running(turn);
        // With no backfilling, jobs behind the first that must wait hold no reservation that
        // anybody could disturb.
        let mut rest = self.order.in_order(turn);
        while plan.reserved() < self.depth
            && let Some(job) = rest.next(turn, |_, _| true)
        {
            if self.backfill == Backfill::None || !plan.start_now(turn, &job, &mut self.order) {
                plan.reserve(&job);
            }
        }
        if self.backfill == Backfill::None {
            return Some(plan);
        }
        let everything = BackfillWindow {
            processors: turn.free(),
            length: Span::from_microseconds(i64::MAX),
        };
        if !self.widest_first {
            let candidates = self.candidates(turn, &plan, everything);
            self.fill(turn, &mut plan, candidates, everything);
            return Some(plan);
        }
        let mut widest = Some(everything.processors);
        while let Some(processors) = widest
            && let Some((window, narrower)) = plan.window(processors)
        {
            let candidates = self.candidates(turn, &plan, window);
            self.fill(turn, &mut plan, candidates, window);
            widest = narrower;
        }
        Some(plan)
    }
}

impl Policy for Maui {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        if turn.free() == 0 && !turn.is_watched() {
            return;
        }
        let plan = self.schedule(turn);
        if let Some(plan) = plan
            && turn.is_watched()
        {
            let free = turn.free();
            let head = if self.backfill == Backfill::None {
                self.order.head(turn)
            } else {
                None
            };
            turn.explain(&plan.reservations(), |job| match head {
                Some(head) if head.job != job.job => Why::Behind { ahead: head.job },
                _ => plan.why(job, free),
            });
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
