//! The Maui scheduler: a queue in order of a weighted priority, reservations for its first jobs,
//! and a choice of backfill policies. Many clusters used Maui, and the adaptive paper compares it
//! with Flex.
//!
//! With the default settings, which that paper simulates, Maui is EASY: it sorts the whole queue
//! and tries every job in order at every event. D. Talby and D. G. Feitelson, "Improving and
//! stabilizing parallel computer performance using adaptive backfilling", IPDPS 2005, section 2.1;
//! D. Jackson, Q. Snell, M. Clement, "Core algorithms of the Maui scheduler", JSSPP 2001.

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
    .help("Number of jobs that cannot start and hold a reservation (RESERVATIONDEPTH)");

words! {
    /// The rule that chooses the jobs that start beside the reservations (BACKFILLPOLICY).
    enum Backfill {
        FirstFit = "firstfit": "every job that fits, in order",
        BestFit = "bestfit": "the job that makes the best use of the window, again and again",
        Greedy = "greedy": "the set of jobs that fills the window best",
        None = "none": "no backfilling",
    }
}

const BACKFILL: Typed<Backfill> =
    Backfill::param("backfill", "Backfill policy", Backfill::FirstFit)
        .help("The rule that chooses the jobs that start beside the reservations (BACKFILLPOLICY)");

words! {
    /// The measure by which a job makes the best use of a window (BACKFILLMETRIC).
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
        .help("The measure by which a job makes the best use of a window (BACKFILLMETRIC)");

words! {
    /// The treatment of windows: numbers of processors that are free for a time.
    enum BackfillWindows {
        Together = "together": "the policy tries each job against all windows at once, so it takes \
            jobs in order",
        Widest = "widest": "the policy fills one window after the other, beginning with the widest",
    }
}

const WINDOWS: Typed<BackfillWindows> =
    BackfillWindows::param("windows", "Backfill windows", BackfillWindows::Together)
        .when(When {
            keys: &["backfill"],
            words: &["firstfit", "bestfit"],
        })
        .help(
            "The treatment of windows, which are numbers of processors that are free for a time; \
            `greedy` always fills one after the other",
        );

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "maui",
    name: "Maui",
    summary: "A queue in order of weighted priority, reservations for its first jobs, and a \
        choice of backfill policies.",
    paper: "Talby and Feitelson, IPDPS 2005, section 2.1; Jackson, Snell and Clement, JSSPP 2001",
    needs: Needs::Times,
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
    check: &|_| Ok(Vec::new()),
    build: &|settings| with_beliefs(Maui::new(settings), settings),
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

    /// Starts a job that holds no reservation, if it disturbs none. Returns true if the job
    /// started.
    fn start(&mut self, turn: &mut Turn<'_>, plan: &mut ReservationPlan, job: &Waiting) -> bool {
        plan.start_now(turn, job, &mut self.order)
    }

    /// Fills one window, or all windows together, from `candidates`, which are in queue order.
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
                // A job that does not fit will not fit later in the pass. One pass in order of
                // worth therefore chooses the best job again and again.
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

    /// Returns the waiting jobs without a reservation that fit into `window`, in queue order.
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
        // Without backfilling, no job but the heads starts. The reservations are then only for
        // observers.
        let mut rest = self.order.in_order(turn);
        while plan.reserved() < self.depth
            && let Some(job) = rest.next(turn, |_, _| true)
        {
            if self.backfill == Backfill::None || !plan.start_now(turn, &job, &mut self.order) {
                plan.reserve(turn, &job);
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
            let head = if self.backfill == Backfill::None {
                self.order.head(turn)
            } else {
                None
            };
            plan.explain(turn, |job| match head {
                Some(head) if head.job != job.job => Some(Why::Behind { ahead: head.job }),
                _ => None,
            });
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
