//! The inner clock of a controller: when it runs passes, and what it does between them. Times count
//! from 1970.
//!
//! The background thread wakes on ticks a little longer than a second, the backfill thread has its own
//! rhythm. Most of these wake-ups change nothing; the clock works through them without a pass.

use super::controller::Controller;
use crate::pulse::beat;
use crate::time::{Span, Time};
use std::collections::VecDeque;

const SECOND: i64 = 1_000_000;

/// A time that never comes.
const NEVER: i64 = i64::MAX;

/// Microseconds from the last answer of a killed job until the pass that it runs.
const MESSAGE: i64 = 1_000;

/// Seconds that count for `sched_interval` and `batch_sched_delay` until the first main pass reads them.
const UNREAD_INTERVAL: i64 = 60;
const UNREAD_DELAY: i64 = 3;

/// Seconds between two tests of time limits.
const LIMIT_TESTS: i64 = 30;

/// Seconds between two looks at reservations.
const RESERVATION_LOOKS: i64 = 5;

/// Durations of a controller, measured with Slurm 22.05.8.
#[derive(Copy, Clone, Debug)]
pub struct ClockFigures {
    /// The time from tick to tick of the background thread.
    pub tick: Span,
    /// The time that a cycle of the backfill thread takes beyond its sleep.
    pub backfill_extra: Span,
    /// The time that a time slice takes beyond its seconds.
    pub slice_extra: Span,
    /// The time from the start of the controller until the nodes have registered.
    pub registration: Span,
    /// The time from the end of a job until its nodes are clean.
    pub cleanup: Span,
    /// The time from the kill of a job at its limit until its first node is clean.
    pub kill: Span,
    /// The same of its other nodes.
    pub kill_others: Span,
    /// The lag of the clock that Slurm reads.
    pub lag: Span,
}

impl Default for ClockFigures {
    fn default() -> Self {
        Self {
            tick: Span::from_microseconds(1_001_400),
            backfill_extra: Span::from_microseconds(800),
            slice_extra: Span::from_microseconds(1_000),
            registration: Span::from_microseconds(3_200_000),
            cleanup: Span::from_microseconds(2_000),
            kill: Span::from_microseconds(3_676_000),
            kill_others: Span::from_microseconds(500),
            lag: Span::from_microseconds(3_000),
        }
    }
}

/// A clock of a controller. A driver asks for the [`next`](SlurmClock::next) time at which something
/// can happen, and either lets the clock [`work`](SlurmClock::work) then, or, if a submission or an end
/// comes first, calls [`skip_to`](SlurmClock::skip_to) and tells the controller.
#[derive(Clone, Debug)]
pub struct SlurmClock {
    figures: ClockFigures,
    /// The next tick.
    tick: i64,
    last_full: i64,
    last_pass: i64,
    last_limits: i64,
    last_look: i64,
    /// True once a main pass has read `sched_interval` and `batch_sched_delay`.
    has_read_options: bool,
    /// The end of the last main pass, and a pass that was put off: its time, and whether it is full.
    passed: i64,
    late: Option<(i64, bool)>,
    /// The next wake-up of the backfill thread, and the second of its last pass.
    agent: i64,
    is_first_backfill: bool,
    last_backfill: i64,
    registrations: VecDeque<i64>,
    /// Nodes to be clean: the time, the record, and the node if not all.
    cleanings: VecDeque<(i64, usize, Option<usize>)>,
    /// The next computation of all priorities.
    priorities: i64,
    /// The end of the time slice.
    slice: i64,
    /// The last event from outside.
    last_event: i64,
}

/// The work that is due.
#[derive(Copy, Clone)]
enum ClockWork {
    Tick,
    LatePass,
    Backfill,
    Registration,
    Cleaning,
    Priorities,
    Slice,
}

impl SlurmClock {
    /// Returns the clock of a controller whose ticks count from a time. Its options count from then on, as
    /// in a controller that has run passes before.
    pub fn new(controller: &Controller, start: Time, figures: ClockFigures) -> Self {
        let conf = controller.conf();
        let start = start.microseconds();
        let second = start.div_euclid(SECOND);
        let has_periods = conf.priority.is_multifactor && conf.priority.has_database;
        let interval = conf.backfill.interval.filter(|_| !conf.main.is_builtin);
        Self {
            tick: start + figures.tick.microseconds(),
            last_full: second,
            last_pass: second,
            last_limits: second,
            last_look: second,
            has_read_options: true,
            passed: 0,
            late: None,
            agent: interval.map_or(NEVER, |interval| start + interval * SECOND),
            is_first_backfill: true,
            last_backfill: second,
            registrations: VecDeque::from([start + figures.registration.microseconds()]),
            cleanings: VecDeque::new(),
            // The first computation is at the start.
            priorities: if has_periods { start } else { NEVER },
            slice: controller
                .slice_seconds()
                .map_or(NEVER, |seconds| start.saturating_add(seconds * SECOND)),
            last_event: start,
            figures,
        }
    }

    /// Returns the clock of a controller that starts at a time. `_schedule` reads `sched_interval` and
    /// `batch_sched_delay`, so their defaults count until the first main pass.
    pub fn of_new_controller(controller: &Controller, start: Time, figures: ClockFigures) -> Self {
        Self {
            has_read_options: false,
            ..Self::new(controller, start, figures)
        }
    }

    /// Sets the times at which nodes register, in rising order, instead of the measured one.
    pub fn set_registrations(&mut self, times: &[Time]) {
        self.registrations = times.iter().map(|time| time.microseconds()).collect();
    }

    /// Returns the whole second that Slurm reads at a time.
    pub fn second(&self, at: Time) -> i64 {
        self.second_of(at.microseconds())
    }

    /// Returns the next time at which something can happen, if no submission or end comes before.
    /// `is_more_to_come` says whether the driver knows of any. Returns `None` if nothing happens until
    /// then, or ever again.
    pub fn next(&self, controller: &Controller, is_more_to_come: bool) -> Option<Time> {
        let mut next = self.late.map_or(NEVER, |(at, _)| at);
        let first = |queue: Option<i64>| queue.unwrap_or(NEVER);
        let cleaning = first(self.cleanings.front().map(|(at, ..)| *at));
        next = next.min(cleaning).min(self.next_slice(controller));
        let is_waiting = !controller.pending.is_empty();
        if is_waiting || is_more_to_come {
            next = next.min(first(self.registrations.front().copied()));
        }
        if is_waiting {
            next = next.min(self.next_pass(controller));
            next = next
                .min(self.next_backfill(controller))
                .min(self.priorities);
        }
        let over = controller.conf().over_time_limit;
        if let Some((end, _)) = controller.running.first()
            && over < super::text::words::INFINITE
        {
            let second = (end + over * 60).max(self.last_limits + LIMIT_TESTS);
            next = next.min(self.tick_at(second));
        }
        let has_tests = controller.graced > 0
            || controller.ends_jobs_at_limits()
            || controller.ends_with_reservations();
        if !controller.running.is_empty() && has_tests {
            next = next.min(self.tick_at(self.last_limits + LIMIT_TESTS));
        }
        let look = self.last_look + RESERVATION_LOOKS;
        if is_waiting && let Some(second) = controller.next_begin(look) {
            next = next.min(self.tick_at(second));
        }
        if is_waiting && controller.is_marking(look) {
            // The change wakes the backfill scheduler.
            let woken = self.due_backfill(controller).max(self.tick_at(look));
            next = next.min(woken);
        }
        if is_waiting && let Some(second) = controller.next_check(self.last_limits + LIMIT_TESTS) {
            next = next.min(self.tick_at(second));
        }
        let is_quiet = !is_more_to_come && cleaning == NEVER && self.is_quiet(controller, next);
        (next != NEVER && !is_quiet).then_some(Time::from_microseconds(next))
    }

    /// Works through what is due before a time, at which the driver tells the controller something.
    pub fn skip_to(&mut self, controller: &mut Controller, at: Time) {
        let at = at.microseconds();
        self.work_before(controller, at);
        self.last_event = at;
    }

    /// Does what is due until a time, inclusive.
    pub fn work(&mut self, controller: &mut Controller, at: Time) {
        self.work_before(controller, at.microseconds().saturating_add(1));
    }

    /// Notes that a job ended: its nodes are clean a little later.
    pub fn ended(&mut self, record: usize, at: Time) {
        let at = at.microseconds() + self.figures.cleanup.microseconds();
        self.plan_cleaning(at, record, None);
    }

    /// Notes that a job was killed at its limit.
    fn killed(&mut self, controller: &Controller, record: usize, at: i64) {
        let (first, others) = (self.figures.kill, self.figures.kill_others);
        for (place, node) in controller.record(record).nodes.iter().enumerate() {
            let after = if place == 0 { first } else { others };
            self.plan_cleaning(at + after.microseconds(), record, Some(node));
        }
    }

    fn plan_cleaning(&mut self, at: i64, record: usize, node: Option<usize>) {
        let place = self.cleanings.partition_point(|(time, ..)| *time <= at);
        self.cleanings.insert(place, (at, record, node));
    }

    fn second_of(&self, at: i64) -> i64 {
        (at - self.figures.lag.microseconds()).div_euclid(SECOND)
    }

    /// Returns the first of the times `from`, `from + step`, ... at which Slurm reads at least a second.
    fn first_at(&self, from: i64, step: i64, second: i64) -> i64 {
        let needed = second.saturating_mul(SECOND);
        let needed = needed.saturating_add(self.figures.lag.microseconds());
        if needed <= from {
            return from;
        }
        let steps = (needed - from - 1) / step + 1;
        steps.saturating_mul(step).saturating_add(from)
    }

    fn tick_at(&self, second: i64) -> i64 {
        let step = self.figures.tick.microseconds().max(1);
        self.first_at(self.tick, step, second)
    }

    /// Returns the end of the time slice, if it matters.
    fn next_slice(&self, controller: &Controller) -> i64 {
        if controller.is_slicing() {
            self.slice
        } else {
            NEVER
        }
    }

    /// Returns the time from the end of a time slice to the next.
    fn slice_step(&self, controller: &Controller) -> i64 {
        let seconds = controller.slice_seconds().unwrap_or(1);
        seconds * SECOND + self.figures.slice_extra.microseconds()
    }

    fn next_pass(&self, controller: &Controller) -> i64 {
        let (interval, delay) = self.pass_gaps(controller);
        let full = self.tick_at(self.last_full + interval);
        if controller.is_pass_asked {
            return full.min(self.tick_at(self.last_pass + delay));
        }
        full
    }

    /// Returns the least seconds between two full passes, and from a pass to one that is asked for.
    fn pass_gaps(&self, controller: &Controller) -> (i64, i64) {
        if self.has_read_options {
            let conf = &controller.conf().main;
            (conf.interval, conf.batch_delay)
        } else {
            (UNREAD_INTERVAL, UNREAD_DELAY)
        }
    }

    fn run_main_pass(&mut self, controller: &mut Controller, at: i64, is_full: bool) {
        self.has_read_options = true;
        controller.main_pass(self.second_of(at), is_full);
        self.passed = at;
    }

    /// Returns the next wake-up of the backfill thread that can lead to a pass.
    fn next_backfill(&self, controller: &Controller) -> i64 {
        let is_asleep = controller.changed < self.last_backfill && !self.is_first_backfill;
        if is_asleep {
            NEVER
        } else {
            self.due_backfill(controller)
        }
    }

    /// Returns the next wake-up of the backfill thread that leads to a pass if something has changed.
    fn due_backfill(&self, controller: &Controller) -> i64 {
        match controller.conf().backfill.interval {
            Some(_) if self.is_first_backfill => self.agent,
            Some(interval) if self.agent != NEVER => {
                let step = SECOND + self.figures.backfill_extra.microseconds();
                self.first_at(self.agent, step, self.last_backfill + interval)
            }
            _ => NEVER,
        }
    }

    /// True if nothing that waits will ever start: no event for a long time, and no begin ahead.
    fn is_quiet(&self, controller: &Controller, at: i64) -> bool {
        let conf = controller.conf();
        let longest = conf.main.interval.max(conf.backfill.interval.unwrap_or(0));
        if controller.pending.is_empty() {
            return controller.running.is_empty();
        }
        if at.saturating_sub(self.last_event) < (3 * longest + 300) * SECOND {
            return false;
        }
        let begin = |record: &u32| controller.records[*record as usize].begin;
        let second = self.second_of(at);
        if let Some(last) = controller.last_reserved()
            && second - last < 3 * longest + 300
        {
            return false;
        }
        controller.running.is_empty() && !controller.pending.iter().any(|one| begin(one) > second)
    }

    /// Returns the earliest work, with the wake-ups that change nothing but the clock.
    fn earliest(&self, controller: &Controller) -> (i64, ClockWork) {
        let over = controller.conf().over_time_limit;
        let mut tick = self.next_pass(controller);
        // Without limits there is nothing to test.
        let has_reservations = controller.knows_reservations();
        let has_tests =
            controller.graced > 0 || controller.ends_jobs_at_limits() || has_reservations;
        if over < super::text::words::INFINITE || has_tests {
            tick = tick.min(self.tick_at(self.last_limits + LIMIT_TESTS));
        }
        if has_reservations {
            tick = tick.min(self.tick_at(self.last_look + RESERVATION_LOOKS));
        }
        let first = |queue: Option<i64>| queue.unwrap_or(NEVER);
        let cleaning = first(self.cleanings.front().map(|(at, ..)| *at));
        let registration = first(self.registrations.front().copied());
        let all = [
            (registration, ClockWork::Registration),
            (tick, ClockWork::Tick),
            (self.late.map_or(NEVER, |(at, _)| at), ClockWork::LatePass),
            (self.priorities, ClockWork::Priorities),
            (self.next_slice(controller), ClockWork::Slice),
            (self.next_backfill(controller), ClockWork::Backfill),
            // A pass at the very instant of a cleaning comes first.
            (cleaning, ClockWork::Cleaning),
        ];
        let mut best = all[0];
        for work in all {
            if work.0 < best.0 {
                best = work;
            }
        }
        best
    }

    fn work_before(&mut self, controller: &mut Controller, end: i64) {
        loop {
            beat(64);
            let (at, work) = self.earliest(controller);
            if at >= end {
                self.sleep_to(controller, end);
                return;
            }
            // A wake-up at the very instant of a cleaning came before it.
            let is_cleaning = matches!(work, ClockWork::Cleaning);
            self.sleep_to(controller, at + i64::from(is_cleaning));
            self.do_work(controller, at, work);
            for record in std::mem::take(&mut controller.to_clean) {
                self.killed(controller, record, at);
            }
        }
    }

    /// Moves both threads over the wake-ups before a time at which they only slept on.
    fn sleep_to(&mut self, controller: &Controller, at: i64) {
        let skipped = |from: i64, step: i64| ((at - from - 1) / step + 1) * step;
        if self.agent < at && self.next_backfill(controller) >= at {
            let step = SECOND + self.figures.backfill_extra.microseconds();
            self.agent += skipped(self.agent, step);
        }
        if self.slice < at && !controller.is_slicing() {
            self.slice += skipped(self.slice, self.slice_step(controller));
        }
        if self.tick < at {
            self.tick += skipped(self.tick, self.figures.tick.microseconds().max(1));
        }
    }

    fn do_work(&mut self, controller: &mut Controller, at: i64, work: ClockWork) {
        let second = self.second_of(at);
        match work {
            ClockWork::Cleaning => {
                self.last_event = at;
                match self.cleanings.pop_front() {
                    Some((_, record, Some(node))) => {
                        let is_last = controller.clean_node(record, node, second);
                        if is_last && self.late.is_none() {
                            let least = controller.conf().main.least_interval_microseconds;
                            let pass = at.max(self.passed + least) + MESSAGE;
                            self.late = Some((pass, false));
                        }
                    }
                    Some((_, record, None)) => controller.clean(record, second),
                    None => {}
                }
            }
            ClockWork::Registration => {
                self.last_event = at;
                self.registrations.pop_front();
                controller.register_nodes(second);
            }
            ClockWork::Tick => self.do_tick(controller, at, second),
            ClockWork::LatePass => {
                if let Some((_, is_full)) = self.late.take() {
                    self.run_main_pass(controller, at, is_full);
                }
            }
            ClockWork::Priorities => {
                controller.update_priorities(second);
                let period = controller.conf().priority.period;
                self.priorities = self
                    .priorities
                    .saturating_add(period.saturating_mul(SECOND));
            }
            ClockWork::Slice => {
                self.slice = at + self.slice_step(controller);
                controller.end_slice(second);
            }
            ClockWork::Backfill => {
                let extra = self.figures.backfill_extra.microseconds();
                let interval = controller.conf().backfill.interval.unwrap_or(1);
                self.is_first_backfill = false;
                if second - self.last_backfill < interval || controller.is_held_back(second) {
                    self.agent = at + SECOND + extra;
                } else {
                    controller.backfill_pass(second);
                    self.last_backfill = second;
                    self.agent = at + interval * SECOND + extra;
                }
            }
        }
    }

    fn do_tick(&mut self, controller: &mut Controller, at: i64, second: i64) {
        self.tick = at + self.figures.tick.microseconds();
        if second - self.last_look >= RESERVATION_LOOKS {
            self.last_look = second;
            controller.mark_reservations(second);
        }
        if second - self.last_limits >= LIMIT_TESTS {
            self.last_limits = second;
            for record in controller.end_overdue(second) {
                self.killed(controller, record, at);
            }
        }
        let (interval, delay) = self.pass_gaps(controller);
        let is_full = second - self.last_full >= interval;
        let is_asked = controller.is_pass_asked && second - self.last_pass >= delay;
        if !is_full && !is_asked {
            return;
        }
        controller.is_pass_asked = false;
        if is_full {
            self.last_full = second;
        }
        self.last_pass = second;
        let due = self.passed + controller.conf().main.least_interval_microseconds;
        if let Some((_, is_late_full)) = &mut self.late {
            *is_late_full |= is_full;
        } else if due > at {
            self.late = Some((due + 1, is_full));
        } else {
            self.run_main_pass(controller, at, is_full);
        }
        controller.update_eligible(second);
    }
}
