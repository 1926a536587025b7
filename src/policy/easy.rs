//! EASY backfilling, also called aggressive backfilling: only the head of the queue holds a
//! reservation. Later jobs fill processors that FCFS would leave free, and do not delay the head.
//!
//! While the head fits, it starts. A head that does not fit gets a reservation at the shadow time.
//! A later job may start now if it fits and meets one of two conditions: by its belief it ends by
//! the shadow time, or it needs no more than the extra processors.
//!
//! D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; A. Mu'alem and D. G. Feitelson, IEEE
//! TPDS 12(6), 2001.

use super::tools::moving::HeadFirst;
use super::tools::order::{
    ORDER, Ranking, SCAN, WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE, WEIGHT_WAIT,
};
use super::tools::prediction::{CORRECTION, ESTIMATES, with_beliefs};
use super::tools::reservation::{Calendar, Hole, ReservationPlan};
use super::tools::spec::{Needs, Spec};
use crate::job::JobId;
use crate::param::{Settings, Typed, whole, words};
use crate::sim::Policy;
use crate::sim::{Reservation, Turn, Waiting, Why};
use crate::time::Time;

words! {
    /// The jobs that the policy tries to backfill when a job arrives.
    enum Rescan {
        All = "all": "all waiting jobs",
        New = "new": "only the new job, as Talby and Feitelson read EASY",
        Fitting = "fitting": "all waiting jobs if a new job fits into the free processors, \
            else none, as in predictsim",
    }
}

const RESCAN: Typed<Rescan> = Rescan::param("rescan", "At an arrival", Rescan::All).help(
    "The policy tries these jobs for backfilling when a job arrives; when a job ends, it tries all",
);

words! {
    /// The meaning of the reservation of the head.
    enum HeadReservation {
        Kept = "kept": "found again at every decision; a job that backfills must not delay it",
        Once = "once": "found once, when the head is first blocked, as in AccaSim: the policy does \
            not try the head before it, any job that fits may delay it, and `depth` has no effect",
    }
}

const RESERVATION: Typed<HeadReservation> =
    HeadReservation::param("reservation", "Reservation", HeadReservation::Kept)
        .help("The rule for the reservation of the head");

/// The number of waiting jobs that hold a reservation.
pub const DEPTH: Typed<i64> = whole("depth", "Reservations", 0..=1000, 1)
    .unit("jobs")
    .help(
        "Number of waiting jobs that hold a reservation, which backfilling must not delay; 1 is \
            EASY, and many cost time with long queues",
    );

/// The limit up to which backfilling raises sizes on a machine with geometry.
pub const RAISE: Typed<i64> = whole("raise", "Raise", 0..=1_000_000, 1)
    .unit("processors")
    .help(
        "On a machine with geometry, a backfilled job for which no partition of its size is free \
            gets at most this many processors more (I)",
    );

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "easy",
    name: "EASY",
    summary: "Backfilling with one reservation: later jobs may start early if they do not delay \
        the head of the queue.",
    paper: "Lifka, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001",
    needs: Needs::Room,
    params: &[
        ORDER.param,
        SCAN.param,
        RESCAN.param,
        RESERVATION.param,
        DEPTH.param,
        RAISE.param,
        ESTIMATES.param,
        CORRECTION.param,
        WEIGHT_WAIT.param,
        WEIGHT_EXPANSION.param,
        WEIGHT_SIZE.param,
        WEIGHT_PASSED.param,
    ],
    check: &|_| Ok(Vec::new()),
    build: &|settings| with_beliefs(Easy::new(settings), settings),
};

#[derive(Clone)]
pub(super) struct Easy {
    order: Ranking,
    /// The order in which candidates are tried. `None` if it is the order of the queue.
    scan: Option<Ranking>,
    rescan: Rescan,
    /// True if the reservation of the head is found only once.
    is_once: bool,
    /// The blocked job and its only reservation, which has not come yet or at which the job did not
    /// fit.
    blocked: Option<(JobId, Time)>,
    depth: usize,
    raise: u32,
    candidates: Vec<Waiting>,
}

impl Easy {
    pub(super) fn new(settings: &Settings) -> Self {
        let scan = Ranking::of_scan(settings);
        let order = Ranking::new(settings, &ORDER);
        let order = if scan.as_ref().is_some_and(Ranking::counts_passes) {
            order.counting_passes()
        } else {
            order
        };
        let (depth, raise) = (settings.get(&DEPTH) as usize, settings.get(&RAISE) as u32);
        let rescan = settings.get(&RESCAN);
        let is_once = settings.get(&RESERVATION) == HeadReservation::Once;
        Self {
            order,
            scan,
            rescan,
            is_once,
            blocked: None,
            depth,
            raise,
            candidates: Vec::new(),
        }
    }

    /// Backfills with one reservation, given by a shadow time and extra processors.
    fn backfill(&mut self, turn: &mut Turn<'_>, head: &Waiting, only_new: bool) {
        let Some(mut hole) = Hole::before(head, turn) else {
            return;
        };
        let mut room = turn.room();
        if only_new {
            self.collect_new(turn, head);
        } else if self.scan.as_ref().unwrap_or(&self.order).is_arrival() {
            let mut position = turn.queue().first_position();
            while let Some((next, job)) = turn
                .queue()
                .next_from(position, |size, expected| hole.admits(size, expected, room))
            {
                if hole.start(turn, &job, self.raise, &mut self.order) {
                    room = turn.room();
                }
                position = next;
            }
            return;
        } else {
            self.candidates.clear();
            self.candidates.extend(
                turn.queue()
                    .admitted(|size, expected| hole.admits(size, expected, room)),
            );
        }
        self.sort_candidates(turn);
        hole.start_all(turn, &self.candidates, self.raise, &mut self.order);
    }

    /// Backfills with any number of reservations, on an availability profile. In the order of the
    /// queue, the first `depth` jobs that cannot start get a reservation. Then the policy tries the
    /// other jobs in scan order.
    fn backfill_deep(
        &mut self,
        turn: &mut Turn<'_>,
        head: &Waiting,
        only_new: bool,
    ) -> ReservationPlan {
        let mut plan = ReservationPlan::of_running(turn);
        let mut rest = self.order.in_order(turn);
        while plan.reserved() < self.depth
            && let Some(job) = rest.next(turn, |_, _| true)
        {
            let is_tried = !only_new || turn.arrived().contains(&job.job);
            if !(is_tried && plan.start_now(turn, &job, &mut self.order)) {
                plan.reserve(turn, &job);
            }
        }
        if only_new {
            self.collect_new(turn, head);
            self.candidates.retain(|job| !plan.holds(job.job));
        } else {
            self.candidates.clear();
            while let Some(job) =
                rest.next(turn, |size, expected| plan.admits(turn, size, expected))
            {
                self.candidates.push(job);
            }
        }
        self.sort_candidates(turn);
        for job in &self.candidates {
            plan.start_now(turn, job, &mut self.order);
        }
        plan
    }

    /// Does what [`Self::backfill_deep`] does, but for a machine with geometry, where each reservation
    /// names its partition.
    fn backfill_partitions(
        &mut self,
        turn: &mut Turn<'_>,
        head: &Waiting,
        only_new: bool,
    ) -> Calendar {
        let mut calendar = Calendar::of_running(turn);
        let mut rest = self.order.in_order(turn);
        let mut tried = Vec::new();
        while calendar.reserved() < self.depth
            && let Some(job) = rest.next(turn, |_, _| true)
        {
            let is_tried = job.job != head.job && (!only_new || turn.arrived().contains(&job.job));
            if !(is_tried && calendar.start(turn, &job, self.raise, &mut self.order)) {
                calendar.reserve(turn, &job);
            }
            tried.push(job.job);
        }
        self.collect_new(turn, head);
        if !only_new {
            self.candidates.clear();
            let room = turn.room();
            while let Some(job) = rest.next(turn, |size, _| size <= room) {
                self.candidates.push(job);
            }
        }
        self.candidates.retain(|job| !tried.contains(&job.job));
        self.sort_candidates(turn);
        for job in &self.candidates {
            if job.processors <= turn.room() {
                calendar.start(turn, job, self.raise, &mut self.order);
            }
        }
        calendar
    }

    /// Decides with a reservation that is found only once. A blocked head waits for it, and other
    /// jobs pass if they fit.
    fn wait_for_blocked(&mut self, turn: &mut Turn<'_>, only_new: bool) {
        if let Some((job, at)) = self.blocked
            && (at > turn.now() || !turn.start(job))
        {
            return self.let_pass(turn, job, only_new);
        }
        self.blocked = None;
        let Some(head) = self.order.start_heads(turn) else {
            return;
        };
        if let Some(hole) = Hole::before(&head, turn) {
            turn.set_aside(&[]);
            let at = hole.reservation(&head).start;
            self.blocked = Some((head.job, at));
            turn.wake_at_last(at);
        }
        self.let_pass(turn, head.job, only_new);
    }

    /// Starts every tried job that fits, in scan order, except the blocked head.
    fn let_pass(&mut self, turn: &mut Turn<'_>, head: JobId, only_new: bool) {
        let room = turn.room();
        let new = turn.arrived().to_vec();
        let is_tried = |job: &Waiting| job.job != head && (!only_new || new.contains(&job.job));
        self.candidates.clear();
        self.candidates.extend(
            turn.queue()
                .admitted(|size, _| size <= room)
                .filter(is_tried),
        );
        self.sort_candidates(turn);
        for job in &self.candidates {
            if job.processors <= turn.room() {
                self.order.start_within(turn, job, self.raise, false);
            }
        }
    }

    fn explain_blocked(&self, turn: &mut Turn<'_>) {
        let (now, free, room) = (turn.now(), turn.free(), turn.room());
        let reservation = self.blocked.map(|(job, start)| Reservation {
            job,
            start: start.max(now),
            extra: None,
        });
        turn.explain(reservation.as_slice(), |job| match job.processors {
            size if size > free => Why::Processors { free },
            size if size > room => Why::Partition { largest: room },
            _ => Why::NotTried,
        });
    }

    fn sort_candidates(&mut self, turn: &Turn<'_>) {
        match &mut self.scan {
            None => self.order.sort(turn, &mut self.candidates),
            Some(scan) => scan.sort_with_passes_of(&mut self.order, turn, &mut self.candidates),
        }
    }

    fn collect_new(&mut self, turn: &Turn<'_>, head: &Waiting) {
        self.candidates.clear();
        self.candidates.extend(
            turn.arrived()
                .iter()
                .filter(|job| **job != head.job)
                .filter_map(|job| turn.queue().entry(*job)),
        );
    }

    /// Tells observers the reasons at a turn at which the arrivals were too large, so that the
    /// policy tried no job.
    fn explain_nothing_tried(&self, turn: &mut Turn<'_>) {
        if !turn.is_watched() {
            return;
        }
        match self.order.head(turn) {
            Some(head) if self.depth == 1 && head.processors > turn.free() => {
                self.explain(turn, &head, false);
            }
            _ => {
                let free = turn.free();
                turn.explain(&[], |job| {
                    if job.processors > free {
                        Why::Processors { free }
                    } else {
                        Why::NotTried
                    }
                });
            }
        }
    }

    fn explain(&self, turn: &mut Turn<'_>, head: &Waiting, only_new: bool) {
        let free = turn.free();
        let hole = Hole::before(head, turn);
        let reservation = hole
            .as_ref()
            .map(|hole| (hole.reservation(head), hole.partition()));
        let too_large = turn.too_large(free);
        let placed = (turn.has_geometry() || turn.has_nodes()).then(|| turn.fitting(self.raise));
        let new = turn.arrived().to_vec();
        turn.explain_placed(reservation.as_slice(), |job| match (&hole, &placed) {
            _ if job.processors > free => Why::Processors { free },
            _ if job.job == head.job => too_large,
            (_, Some(_)) if only_new && !new.contains(&job.job) => Why::NotTried,
            (_, Some(placed)) if !placed.contains(&job.job) => too_large,
            (Some(hole), Some(_)) if hole.is_long(job.expected) => Why::Reserved { by: head.job },
            (Some(hole), None) if !hole.admits(job.processors, job.expected, free) => {
                Why::Reserved { by: head.job }
            }
            _ => Why::NotTried,
        });
    }
}

/// True if jobs have arrived, nothing else has happened, and each of the new jobs is larger than
/// the free processors.
fn is_too_large(turn: &Turn<'_>) -> bool {
    let is_larger = |job: &JobId| {
        turn.queue()
            .entry(*job)
            .is_some_and(|job| job.processors > turn.free())
    };
    turn.timers() == 0
        && turn.finished().is_empty()
        && !turn.arrived().is_empty()
        && turn.arrived().iter().all(is_larger)
}

impl HeadFirst for Easy {
    fn start_heads(&mut self, turn: &mut Turn<'_>) -> Option<Waiting> {
        self.order.start_heads(turn)
    }
}

impl Policy for Easy {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        // With `is_once`, a head can be blocked and get its reservation even if no processor is
        // free.
        if turn.free() == 0 && !turn.is_watched() && !self.is_once {
            return;
        }
        if self.rescan == Rescan::Fitting && is_too_large(turn) {
            return self.explain_nothing_tried(turn);
        }
        let only_new = self.rescan == Rescan::New && turn.finished().is_empty();
        if self.is_once {
            self.wait_for_blocked(turn, only_new);
            if turn.is_watched() {
                self.explain_blocked(turn);
            }
            return;
        }
        let Some(head) = self.order.start_heads(turn) else {
            return;
        };
        if self.depth == 1 {
            self.backfill(turn, &head, only_new);
            if turn.is_watched() {
                self.explain(turn, &head, only_new);
            }
        } else if turn.free() > 0 || turn.is_watched() {
            if turn.has_geometry() {
                self.backfill_partitions(turn, &head, only_new)
                    .explain(turn, self.raise);
            } else {
                let plan = self.backfill_deep(turn, &head, only_new);
                if turn.is_watched() {
                    plan.explain(turn, |_| None);
                }
            }
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
