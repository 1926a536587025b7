//! Flex, or slack-based backfilling: a plan of the whole queue in which a new job may go before
//! other jobs, as long as no job starts later than its promise. It lies between EASY, which
//! protects only the head, and conservative backfilling, which lets no job be delayed.
//!
//! When a job arrives, the policy tries it at every position of the queue and lays out a plan for
//! each. Among the plans that keep every promise, the plan with the least cost wins. The policy
//! then promises the new job its start in this plan plus a slack.
//!
//! D. Talby and D. G. Feitelson, "Improving and stabilizing parallel computer performance using
//! adaptive backfilling", IPDPS 2005, section 2.1; by the same authors, "Supporting priorities and
//! improving utilization of the IBM SP scheduler using slack-based backfilling", IPPS 1999.

use super::tools::prediction::{CORRECTION, ESTIMATES, with_beliefs};
use super::tools::reservation::{InsertionLayout, Planned, Positions, Profile, span};
use super::tools::spec::{Needs, Spec};
use crate::job::{JobId, Request};
use crate::param::{Settings, Typed, real, whole, words};
use crate::sim::Policy;
use crate::sim::{Reservation, Turn, Waiting};
use crate::time::{Span, Time};

words! {
    /// The time of which a job's slack is a multiple.
    enum SlackMeasure {
        Estimate = "estimate": "the job's estimate, so a long job may be delayed longer",
        MeanWait = "mean_wait": "the mean wait of the jobs that have started, the same for all new \
            jobs and longer under load",
        Hours = "hours": "one hour, the same for all jobs",
    }
}

const SLACK_MEASURE: Typed<SlackMeasure> =
    SlackMeasure::param("slack_measure", "Unit of slack", SlackMeasure::MeanWait)
        .help("The time of which a job's slack is a multiple");

const SLACK: Typed<f64> = real("slack", "Slack", 0.0..=1e6, 0.5).help(
    "A job may start later than planned at its arrival by this multiple of the unit of slack",
);

words! {
    /// The cost of a plan, summed over the waiting jobs. The policy chooses the plan with the
    /// least.
    enum Cost {
        Processors = "processors": "planned waits x processors",
        Wait = "wait": "planned waits",
        Slowdown = "slowdown": "planned waits / estimates (of at least 10 s)",
    }
}

const COST: Typed<Cost> = Cost::param("cost", "Cost of a plan", Cost::Processors)
    .help("The policy chooses the plan with the least sum of this over the waiting jobs");

const POSITIONS: Typed<i64> = whole("positions", "Positions tried", 1..=1_000_000, 1_000_000)
    .unit("positions")
    .help("The policy tries a job at this many positions, from the end of the queue on");

const RECONSIDERED: Typed<i64> = whole("reconsidered", "Reconsidered at an end", 0..=1_000_000, 0)
    .unit("jobs")
    .help(
        "When a job ends, the policy takes this many of the first waiting jobs out one by one and \
            tries each at these positions again",
    );

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "flex",
    name: "Flex",
    summary: "A plan of the whole queue: a new job goes where the plan costs least, and delays no \
        job by more than its slack.",
    paper: "Talby and Feitelson, IPDPS 2005, section 2.1, and IPPS 1999",
    needs: Needs::Counts,
    params: &[
        COST.param,
        SLACK_MEASURE.param,
        SLACK.param,
        POSITIONS.param,
        RECONSIDERED.param,
        ESTIMATES.param,
        CORRECTION.param,
    ],
    check: &|_| Ok(Vec::new()),
    build: &|settings| with_beliefs(Flex::new(settings), settings),
};

#[derive(Clone)]
struct Flex {
    cost: Cost,
    measure: SlackMeasure,
    slack: f64,
    positions: usize,
    reconsidered: usize,
    layout: InsertionLayout,
    /// The first job that has not been planned yet.
    next: JobId,
    /// True if a running job has outlived its belief since the last plan. The belief may have been
    /// raised since.
    is_raised: bool,
    /// The time of the last timer.
    wakes: Option<Time>,
    /// True until the first decision. A policy may take over at a turn at which nothing else
    /// happens, and must then plan nevertheless.
    is_new: bool,
}

impl Flex {
    fn new(settings: &Settings) -> Self {
        Self {
            cost: settings.get(&COST),
            measure: settings.get(&SLACK_MEASURE),
            slack: settings.get(&SLACK),
            positions: settings.get(&POSITIONS) as usize,
            reconsidered: settings.get(&RECONSIDERED) as usize,
            layout: InsertionLayout::default(),
            next: JobId(0),
            is_raised: false,
            wakes: None,
            is_new: true,
        }
    }

    fn weight(&self, job: &Waiting) -> i64 {
        match self.cost {
            Cost::Processors => i64::from(job.processors),
            Cost::Wait => 1,
            // The weight is one over the estimate, in units so small that rounding does not matter.
            Cost::Slowdown => {
                (1_i64 << 52) / job.expected.max(Span::from_seconds(10)).microseconds()
            }
        }
    }

    fn slack(&self, turn: &Turn<'_>, job: &Waiting) -> Span {
        let measure = match self.measure {
            SlackMeasure::Estimate => job.expected,
            SlackMeasure::MeanWait => turn.mean_wait(),
            SlackMeasure::Hours => Span::from_seconds(3600),
        };
        // The cast saturates at the largest number.
        Span::from_microseconds((measure.microseconds() as f64 * self.slack) as i64)
    }

    /// Plans a job that has arrived, and promises it a latest start.
    fn admit(&mut self, turn: &mut Turn<'_>, job: &Waiting) {
        let planned = Planned {
            job: job.job,
            processors: job.processors,
            span: span(job),
            start: Time::NEVER,
            latest: Time::NEVER,
            weight: self.weight(job),
        };
        let Some(position) = self.layout.insert(
            planned,
            Positions {
                tried: self.positions,
                present: None,
            },
        ) else {
            return;
        };
        let latest = self.layout.queue[position]
            .start
            .saturating_add(self.slack(turn, job));
        self.layout.queue[position].latest = latest;
        turn.promise(job.job, latest);
    }

    /// Takes out each of the first jobs of the queue, and puts it back at its best position.
    fn reconsider(&mut self) {
        let jobs: Vec<JobId> = self
            .layout
            .queue
            .iter()
            .take(self.reconsidered)
            .map(|planned| planned.job)
            .collect();
        for job in jobs {
            let Some(present) = self
                .layout
                .queue
                .iter()
                .position(|planned| planned.job == job)
            else {
                continue;
            };
            let planned = self.layout.remove(present);
            self.layout.insert(
                planned,
                Positions {
                    tried: self.positions,
                    present: Some(present),
                },
            );
        }
    }

    fn plan(&mut self, turn: &mut Turn<'_>) {
        self.layout.renew(
            Profile::of_running(turn.free(), turn.running(), turn.now()),
            turn.now(),
        );
        // A plan can break a promise only if a running job has outlived its belief. A new promise
        // then replaces the old one.
        for planned in self
            .layout
            .queue
            .iter_mut()
            .filter(|planned| planned.start > planned.latest)
        {
            planned.latest = planned.start;
            turn.promise(planned.job, planned.latest);
        }
        let new: Vec<Waiting> = turn.queue().from(self.next).copied().collect();
        for job in new {
            self.next = JobId(job.job.0 + 1);
            self.admit(turn, &job);
        }
        if !turn.finished().is_empty() {
            self.reconsider();
        }
        self.is_raised = false;
    }

    /// Starts the jobs that are planned to start now. If an overdue job keeps a job from starting,
    /// the policy plans that job again when something happens.
    fn start_due(&mut self, turn: &mut Turn<'_>) {
        self.layout.start_due(turn.now(), |job| turn.start(job));
    }

    /// Sets a timer for the next planned start, because nothing else need happen then.
    fn wake(&mut self, turn: &mut Turn<'_>) {
        let now = turn.now();
        // A start within the next second may need the processors of an overdue job. The policy
        // plans again when something happens, so it sets no timer for such a start.
        let after = if is_overdue(turn) {
            now + Span::SECOND
        } else {
            now
        };
        let next = self
            .layout
            .queue
            .iter()
            .map(|planned| planned.start)
            .filter(|start| *start > after)
            .min();
        if next != self.wakes {
            self.wakes = next;
            next.into_iter().for_each(|next| turn.wake_at(next));
        }
    }
}

/// True if a running job is overdue: it still runs although its believed end is not in the future.
fn is_overdue(turn: &Turn<'_>) -> bool {
    turn.running().has_overdue(turn.now())
}

impl Policy for Flex {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        let has_happened = std::mem::take(&mut self.is_new)
            || !turn.arrived().is_empty()
            || !turn.finished().is_empty();
        // While a job is overdue, every plan is wrong a second later. The policy then plans again
        // when something happens, or when a job is about to start by the plan.
        if has_happened || self.is_raised && (!is_overdue(turn) || self.wakes == Some(turn.now())) {
            self.plan(turn);
        }
        self.start_due(turn);
        self.wake(turn);
        if turn.is_watched() {
            let (now, free, layout) = (turn.now(), turn.free(), &self.layout);
            // A job that an overdue job keeps from starting could start as soon as that job ends.
            let reservation = |planned: &Planned| Reservation {
                job: planned.job,
                start: planned.start.max(now),
                extra: None,
            };
            let reservations: Vec<Reservation> = layout.queue.iter().map(reservation).collect();
            turn.explain(&reservations, |job| layout.why(now, job, free));
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }

    fn outlived(&mut self, _: JobId, _: &Request, _: Span) -> Option<Span> {
        self.is_raised = true;
        None
    }
}
