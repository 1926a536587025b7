//! Flex, slack-based backfilling: a plan of the whole queue, in which a new job may take anybody's
//! place as long as nobody starts later than was promised, plus a slack.
//!
//! When a job arrives, it is tried at every position of the queue, each laid out as a plan of its
//! own; the plan with the least cost wins among those that keep every promise. D. Talby and D. G.
//! Feitelson, "Improving and stabilizing parallel computer performance using adaptive backfilling",
//! IPDPS 2005, section 2.1; the same, "Supporting priorities and improving utilization of the IBM
//! SP scheduler using slack-based backfilling", IPPS 1999.

use super::tools::prediction::{CORRECTION, ESTIMATES, with_beliefs};
use super::tools::reservation::{InsertionLayout, Planned, Positions, Profile, span};
use super::tools::spec::{Needs, Spec};
use crate::job::{JobId, Request};
use crate::param::{Settings, Typed, real, whole, words};
use crate::sim::Policy;
use crate::sim::{Reservation, Turn, Waiting};
use crate::time::{Span, Time};

words! {
    /// What a job's slack is a multiple of.
    enum SlackMeasure {
        Estimate = "estimate": "estimates: a long job may be delayed longer",
        MeanWait = "mean_wait": "mean waits of the jobs that have started: all alike, longer under \
            load",
        Hours = "hours": "hours: all alike",
    }
}

const SLACK_MEASURE: Typed<SlackMeasure> =
    SlackMeasure::param("slack_measure", "Slack in", SlackMeasure::MeanWait)
        .help("What a job's slack is a multiple of");

const SLACK: Typed<f64> = real("slack", "Slack", 0.0..=1e6, 0.5).help(
    "By how much a job may start later than was promised at its arrival, in multiples of what \
            is chosen above",
);

words! {
    /// The sum of which over the waiting jobs the chosen plan has the least.
    enum Cost {
        Processors = "processors": "planned waits x processors",
        Wait = "wait": "planned waits",
        Slowdown = "slowdown": "planned waits / estimates (of at least 10 s)",
    }
}

const COST: Typed<Cost> = Cost::param("cost", "Cost of a plan", Cost::Processors)
    .help("The sum of which over the waiting jobs the chosen plan has the least");

const POSITIONS: Typed<i64> = whole("positions", "Positions tried", 1..=1_000_000, 1_000_000)
    .unit("positions")
    .help("At how many positions a job is tried, from the end of the queue on");

const RECONSIDERED: Typed<i64> = whole("reconsidered", "Reconsidered at an end", 0..=1_000_000, 0)
    .unit("jobs")
    .help(
        "When a job ends, so many waiting jobs, the first of the queue, are taken out one after \
            the other and tried everywhere",
    );

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "flex",
    name: "Flex",
    summary: "A plan of the whole queue: a new job goes where the plan costs least, and delays \
        nobody by more than their slack.",
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
    build: |settings| with_beliefs(Flex::new(settings), settings),
};

#[derive(Clone)]
struct Flex {
    cost: Cost,
    measure: SlackMeasure,
    slack: f64,
    positions: usize,
    reconsidered: usize,
    layout: InsertionLayout,
    /// Jobs before this one have been planned.
    next: JobId,
    /// A running job has outlived its belief, which may have been raised since.
    is_raised: bool,
    /// The turn that was asked for last.
    wakes: Option<Time>,
    /// Nothing has been looked at yet: the policy takes over at a turn at which nothing need have
    /// happened.
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
            // A fraction with so many parts that rounding does not matter.
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
        // The cast ends at the largest number that there is.
        Span::from_microseconds((measure.microseconds() as f64 * self.slack) as i64)
    }

    /// Plans a job that has come.
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

    /// Tries the first jobs of the queue at every position.
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
        // Only where a running job outlived its belief: no plan can keep the promise then.
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

    /// Starts the jobs whose time has come. One that an overdue job kept from it is planned anew
    /// when something happens.
    fn start_due(&mut self, turn: &mut Turn<'_>) {
        self.layout.start_due(turn.now(), |job| turn.start(job));
    }

    /// Asks for a turn when the next job is planned to start: nothing else need happen then.
    fn wake(&mut self, turn: &mut Turn<'_>) {
        let now = turn.now();
        // Behind an overdue job nothing can start before something happens, and then all is planned
        // anew.
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

/// Whether a running job should have ended.
fn is_overdue(turn: &Turn<'_>) -> bool {
    turn.running().has_overdue(turn.now())
}

impl Policy for Flex {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        let has_happened = std::mem::take(&mut self.is_new)
            || !turn.arrived().is_empty()
            || !turn.finished().is_empty();
        // While a job is overdue, every plan is wrong a second later: it is made anew when
        // something happens, or before somebody starts by it.
        if has_happened || self.is_raised && (!is_overdue(turn) || self.wakes == Some(turn.now())) {
            self.plan(turn);
        }
        self.start_due(turn);
        self.wake(turn);
        if turn.is_watched() {
            let (now, free, layout) = (turn.now(), turn.free(), &self.layout);
            // Whom an overdue job keeps from starting could start at once when it ends.
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
