//! EASY backfilling, also called aggressive: one reservation, for the head of the queue.
//!
//! While the head fits, it starts. Else it gets the shadow time, and a later job may start now if it fits and either ends
//! (by what is believed of it) by the shadow time, or needs no more than the extra processors. D. Lifka, "The ANL/IBM SP
//! scheduling system", JSSPP 1995; A. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001.

use super::tools::{ESTIMATES, Hole, ORDER, Plan, Ranking, SCAN, WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE, WEIGHT_WAIT, with_beliefs};
use super::{Needs, Policy, Spec};
use crate::param::{Choice, Kind, Param, Settings};
use crate::sim::{Turn, Waiting, Why};

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
    when: None,
    help: "Which jobs are tried for backfilling when a job arrives; when one ends, all are",
};

/// How many waiting jobs hold a reservation.
pub const DEPTH: Param = Param {
    key: "depth",
    name: "Reservations",
    kind: Kind::Whole { min: 0, max: 1000, default: Some(1) },
    unit: "jobs",
    when: None,
    help: "How many waiting jobs hold a reservation that backfilling may not delay; 1 is EASY. Many cost time with long queues",
};

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "easy",
    name: "EASY",
    summary: "Backfilling with one reservation: later jobs may start early if they do not delay the head of the queue.",
    paper: "Lifka, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001",
    needs: Needs::Counts,
    params: &[ORDER, SCAN, RESCAN, DEPTH, ESTIMATES, WEIGHT_WAIT, WEIGHT_EXPANSION, WEIGHT_SIZE, WEIGHT_PASSED],
    build: |settings| with_beliefs(Easy::new(settings), settings),
};

#[derive(Clone)]
struct Easy {
    order: Ranking,
    /// Where candidates are not tried in the queue's order.
    scan: Option<Ranking>,
    only_new: bool,
    depth: usize,
    candidates: Vec<Waiting>,
}

impl Easy {
    fn new(settings: &Settings) -> Self {
        let scan = Ranking::of_scan(settings);
        let order = Ranking::new(settings, &ORDER);
        let order = if scan.as_ref().is_some_and(Ranking::counts_passes) { order.counting_passes() } else { order };
        Self { order, scan, only_new: settings.choice(&RESCAN) == "new", depth: settings.whole(&DEPTH) as usize, candidates: Vec::new() }
    }

    /// The classic form: one reservation, as a shadow time and extra processors.
    fn backfill(&mut self, turn: &mut Turn<'_>, head: &Waiting, only_new: bool) {
        let Some(mut hole) = Hole::before(head, turn) else { return };
        if only_new {
            self.collect_new(turn, head);
        } else if self.scan.as_ref().unwrap_or(&self.order).is_arrival() {
            let mut position = turn.queue().first_position();
            while let Some((next, job)) = turn.queue().next_from(position, |size, expected| hole.admits(size, expected, turn.free())) {
                if self.order.start(turn, &job) {
                    hole.take(&job);
                }
                position = next;
            }
            return;
        } else {
            self.candidates.clear();
            self.candidates.extend(turn.queue().admitted(|size, expected| hole.admits(size, expected, turn.free())));
        }
        self.sort_candidates(turn);
        for job in &self.candidates {
            if hole.admits(job.processors, job.expected, turn.free()) && self.order.start(turn, job) {
                hole.take(job);
            }
        }
    }

    /// Any number of reservations, on an availability profile. The first `depth` jobs that cannot start get one, in the
    /// order of the queue; then the others are tried in scan order.
    fn backfill_deep(&mut self, turn: &mut Turn<'_>, head: &Waiting, only_new: bool) -> Plan {
        let mut plan = Plan::of_running(turn);
        let mut rest = self.order.in_order(turn);
        while plan.reserved() < self.depth
            && let Some(job) = rest.next(turn, |_, _| true)
        {
            let is_tried = !only_new || turn.arrived().contains(&job.job);
            if !(is_tried && plan.start_now(turn, &job, &mut self.order)) {
                plan.reserve(&job);
            }
        }
        if only_new {
            self.collect_new(turn, head);
            self.candidates.retain(|job| !plan.holds(job.job));
        } else {
            self.candidates.clear();
            while let Some(job) = rest.next(turn, |size, expected| plan.admits(turn, size, expected)) {
                self.candidates.push(job);
            }
        }
        self.sort_candidates(turn);
        for job in &self.candidates {
            if plan.may_start_now(turn, job) && self.order.start(turn, job) {
                plan.started(turn, job);
            }
        }
        plan
    }

    fn sort_candidates(&mut self, turn: &Turn<'_>) {
        match &mut self.scan {
            None => self.order.sort(turn, &mut self.candidates),
            Some(scan) => scan.sort_with_passes_of(&mut self.order, turn, &mut self.candidates),
        }
    }

    fn collect_new(&mut self, turn: &Turn<'_>, head: &Waiting) {
        self.candidates.clear();
        self.candidates.extend(turn.arrived().iter().filter(|job| **job != head.job).filter_map(|job| turn.queue().entry(*job)));
    }

    fn explain(turn: &mut Turn<'_>, head: &Waiting, plan: Option<&Plan>) {
        let free = turn.free();
        if let Some(plan) = plan {
            return turn.explain(&plan.reservations(), |job| plan.why(job, free));
        }
        let hole = Hole::before(head, turn);
        let reservation = hole.as_ref().map(|hole| hole.reservation(head));
        turn.explain(reservation.as_slice(), |job| match &hole {
            _ if job.processors > free => Why::Processors { free },
            Some(hole) if !hole.admits(job.processors, job.expected, free) => Why::Reserved { by: head.job },
            _ => Why::NotTried,
        });
    }
}

impl Policy for Easy {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        if turn.free() == 0 && !turn.is_watched() {
            return;
        }
        let Some(head) = self.order.start_heads(turn) else { return };
        let only_new = self.only_new && turn.finished().is_empty();
        let mut plan = None;
        if self.depth == 1 {
            self.backfill(turn, &head, only_new);
        } else if turn.free() > 0 || turn.is_watched() {
            plan = Some(self.backfill_deep(turn, &head, only_new));
        }
        if turn.is_watched() {
            Self::explain(turn, &head, plan.as_ref());
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
