//! EASY backfilling, also called aggressive: one reservation, for the head of the queue.
//!
//! While the head fits, it starts. Else it gets the shadow time, and a later job may start now if it fits and either ends
//! (by what is believed of it) by the shadow time, or needs no more than the extra processors. D. Lifka, "The ANL/IBM SP
//! scheduling system", JSSPP 1995; A. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001.

use super::tools::{Order, Predictor, Profile, SCAN, shadow, start_heads};
use super::{Needs, Policy, Spec};
use crate::job::{JobId, Request};
use crate::param::{Choice, Kind, Param, Settings};
use crate::sim::{Turn, Waiting};
use crate::time::Span;

const RESCAN: Param = Param {
    key: "rescan",
    name: "At an arrival",
    kind: Kind::Choice {
        options: &[
            Choice { id: "all", help: "all waiting jobs are tried" },
            Choice { id: "new", help: "only the new job is tried, as Talby and Feitelson read EASY" },
        ],
        default: "all",
    },
    unit: "",
    help: "Which jobs are tried for backfilling when a job arrives; when one ends, all are",
};

const DEPTH: Param = Param {
    key: "depth",
    name: "Reservations",
    kind: Kind::Whole { min: 0, max: 1000, default: Some(1) },
    unit: "jobs",
    help: "How many waiting jobs hold a reservation that backfilling may not delay; 1 is EASY. Many cost time with long queues",
};

/// Where the run times that the scheduler believes in come from.
pub const ESTIMATES: Param = Param {
    key: "estimates",
    name: "Believed run times",
    kind: Kind::Choice {
        options: &[
            Choice { id: "requested", help: "the users' estimates" },
            Choice { id: "actual", help: "the true run times (clairvoyant)" },
            Choice { id: "predicted", help: "the mean of the user's last two run times, corrected when too short (EASY++)" },
        ],
        default: "requested",
    },
    unit: "",
    help: "Where the run times that the scheduler believes in come from",
};

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "easy",
    name: "EASY",
    summary: "Backfilling with one reservation: later jobs may start early if they do not delay the head of the queue.",
    paper: "Lifka, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001",
    needs: Needs::Counts,
    params: &[SCAN, RESCAN, DEPTH, ESTIMATES],
    build: |settings| Box::new(Easy::new(settings)),
};

#[derive(Clone)]
struct Easy {
    scan: Order,
    only_new: bool,
    depth: usize,
    predictor: Option<Predictor>,
    candidates: Vec<Waiting>,
}

impl Easy {
    fn new(settings: &Settings) -> Self {
        Self {
            scan: Order::from(settings),
            only_new: settings.choice(&RESCAN) == "new",
            depth: settings.whole(&DEPTH) as usize,
            // `actual` needs nothing here: the experiment has made the estimates exact before the run.
            predictor: (settings.choice(&ESTIMATES) == "predicted").then(Predictor::default),
            candidates: Vec::new(),
        }
    }

    /// The classic form: one reservation, as a shadow time and extra processors.
    fn backfill(&mut self, turn: &mut Turn<'_>, head: &Waiting, only_new: bool) {
        let Some(shadow) = shadow(head, turn.free(), turn.running(), turn.now()) else { return };
        let mut hole = Hole { window: shadow.time - turn.now(), extra: shadow.extra };
        if only_new {
            self.collect_new(turn, head);
        } else if self.scan == Order::Arrival {
            let mut position = turn.queue().first_position();
            while let Some((next, job)) = turn.queue().next_from(position, |size, expected| hole.admits(size, expected, turn.free())) {
                hole.start(turn, &job);
                position = next;
            }
            return;
        } else {
            self.collect(turn, |size, expected| hole.admits(size, expected, turn.free()));
        }
        self.scan.sort(&mut self.candidates);
        for job in &self.candidates {
            hole.start(turn, job);
        }
    }

    /// Any number of reservations, on an availability profile. The first `depth` jobs that cannot start get one, in order
    /// of arrival; then the others are tried in scan order.
    fn backfill_deep(&mut self, turn: &mut Turn<'_>, head: &Waiting, only_new: bool) {
        let mut profile = Profile::of_running(turn.free(), turn.running(), turn.now());
        let now = turn.now();
        // A belief of 0 is overdue at once, and an overdue job is taken to hold its processors for a second.
        let mut position = turn.queue().first_position();
        let mut reservations = 0;
        while reservations < self.depth
            && let Some((next, job)) = turn.queue().next_from(position, |_, _| true)
        {
            position = next;
            let span = job.expected.max(Span::SECOND);
            let Some(start) = profile.earliest(job.processors, span) else { continue };
            let may_start = start == now && turn.fits(job.processors) && (!only_new || turn.arrived().contains(&job.job));
            if may_start && turn.start(job.job) {
                profile.reserve(now, span, job.processors);
            } else {
                profile.reserve(start, span, job.processors);
                reservations += 1;
            }
        }
        if only_new {
            self.collect_new(turn, head);
        } else {
            let free = turn.free();
            self.candidates.clear();
            while let Some((next, job)) = turn.queue().next_from(position, |size, _| size <= free) {
                position = next;
                self.candidates.push(job);
            }
        }
        self.scan.sort(&mut self.candidates);
        for job in &self.candidates {
            let span = job.expected.max(Span::SECOND);
            if turn.fits(job.processors) && profile.fits_now(job.processors, span) && turn.start(job.job) {
                profile.reserve(now, span, job.processors);
            }
        }
    }

    fn collect(&mut self, turn: &Turn<'_>, admits: impl Fn(u32, Span) -> bool) {
        self.candidates.clear();
        let mut position = turn.queue().first_position();
        while let Some((next, job)) = turn.queue().next_from(position, &admits) {
            position = next;
            self.candidates.push(job);
        }
    }

    fn collect_new(&mut self, turn: &Turn<'_>, head: &Waiting) {
        self.candidates.clear();
        self.candidates.extend(turn.arrived().iter().filter(|job| **job != head.job).filter_map(|job| turn.queue().entry(*job)));
    }
}

/// What backfilling may use: the processors free now until the shadow time, the extra ones for ever.
struct Hole {
    window: Span,
    extra: u32,
}

impl Hole {
    /// Whether a job may start now. The head never may: it does not fit.
    fn admits(&self, processors: u32, expected: Span, free: u32) -> bool {
        processors <= free && (expected <= self.window || processors <= self.extra)
    }

    fn start(&mut self, turn: &mut Turn<'_>, job: &Waiting) {
        if self.admits(job.processors, job.expected, turn.free()) && turn.start(job.job) && job.expected > self.window {
            self.extra -= job.processors;
        }
    }
}

impl Policy for Easy {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        start_heads(turn);
        let Some(head) = turn.queue().head().copied() else { return };
        if turn.free() == 0 {
            return;
        }
        let only_new = self.only_new && turn.finished().is_empty();
        if self.depth == 1 {
            self.backfill(turn, &head, only_new);
        } else {
            self.backfill_deep(turn, &head, only_new);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }

    fn believe(&mut self, _: JobId, request: &Request) -> Span {
        self.predictor.as_ref().map_or(request.estimate, |predictor| predictor.believe(request))
    }

    fn completed(&mut self, job: JobId, request: &Request, ran: Span) {
        if let Some(predictor) = &mut self.predictor {
            predictor.completed(job, request, ran);
        }
    }

    fn outlived(&mut self, job: JobId, request: &Request, believed: Span) -> Option<Span> {
        self.predictor.as_mut().and_then(|predictor| predictor.outlived(job, request, believed))
    }
}
