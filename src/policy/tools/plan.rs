//! Reservations that last: each is a start time on an availability profile that is kept from instant to instant.
//!
//! A reservation is never moved to a later time while the running jobs keep to what is believed of them. When one ends
//! early, its processors are given back and the reservations are *compressed*: one pass in an order that the policy
//! chooses, each taken out and put back at its earliest start. When one outlives its belief, the reservations may no
//! longer be possible, and all are made anew in that order.

use super::shadow::release_time;
use super::{Profile, Ranking};
use crate::job::JobId;
use crate::sim::{Reservation, Turn, Waiting, Why};
use crate::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Processors held over a period of the profile.
#[derive(Copy, Clone, Debug)]
struct Hold {
    start: Time,
    span: Span,
    processors: u32,
}

impl Hold {
    fn end(&self) -> Time {
        self.start.saturating_add(self.span)
    }
}

/// So many processors, free from now on for so long.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// How many.
    pub processors: u32,
    /// How long.
    pub length: Span,
}

/// Reservations, and the running jobs they reckon with.
#[derive(Clone, Debug)]
pub struct Plan {
    profile: Profile,
    running: BTreeMap<JobId, Hold>,
    reserved: BTreeMap<JobId, Hold>,
    /// The same by time of start.
    due: BTreeSet<(Time, JobId)>,
    /// What the profile holds no longer fits the machine.
    stale: bool,
    /// A running job has outlived its belief at this instant.
    outlived: bool,
    wakes: Time,
}

impl Default for Plan {
    /// Takes over whatever runs when it is first asked.
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            running: BTreeMap::new(),
            reserved: BTreeMap::new(),
            due: BTreeSet::new(),
            stale: true,
            outlived: false,
            wakes: Time::ZERO,
        }
    }
}

impl Plan {
    /// No reservations beside the running jobs: for policies that reserve anew at every instant.
    pub fn of_running(turn: &Turn<'_>) -> Self {
        let profile = Profile::of_running(turn.free(), turn.running(), turn.now());
        Self { profile, ..Self::default() }
    }

    /// Comes to the present: gives back what jobs that ended early still held, and brings reservations forward, one by
    /// one in `order`.
    pub fn refresh(&mut self, turn: &Turn<'_>, order: &Ranking) {
        let now = turn.now();
        let mut opened = false;
        self.profile.advance(now);
        for job in turn.finished() {
            if let Some(hold) = self.running.remove(job)
                && hold.end() > now
            {
                self.profile.release(now, hold.end(), hold.processors);
                opened = true;
            }
        }
        if self.stale || std::mem::take(&mut self.outlived) {
            self.renew(turn, &self.in_order(turn, order));
        } else if opened {
            self.compress(now, &self.in_order(turn, order));
        }
    }

    /// The jobs that hold a reservation.
    fn in_order(&self, turn: &Turn<'_>, order: &Ranking) -> Vec<JobId> {
        if order.is_arrival() {
            return self.reserved.keys().copied().collect();
        }
        order.sorted(turn).into_iter().map(|job| job.job).filter(|job| self.holds(*job)).collect()
    }

    /// A running job has outlived its belief.
    pub fn outlived(&mut self) {
        self.outlived = true;
    }

    /// Whether nothing has happened: a turn that was asked for when a reservation was still planned for now.
    pub fn is_idle(&mut self, turn: &Turn<'_>) -> bool {
        let is_due = self.due.first().is_some_and(|(start, _)| *start <= turn.now());
        let is_idle = turn.arrived().is_empty() && turn.finished().is_empty() && !is_due;
        self.outlived &= !is_idle;
        is_idle
    }

    /// How many jobs hold a reservation.
    pub fn len(&self) -> usize {
        self.reserved.len()
    }

    /// Whether `job` holds a reservation.
    pub fn holds(&self, job: JobId) -> bool {
        self.reserved.contains_key(&job)
    }

    /// Makes the profile anew from what runs, and every reservation anew in `order`.
    fn renew(&mut self, turn: &Turn<'_>, order: &[JobId]) {
        let now = turn.now();
        self.profile = Profile::of_running(turn.free(), turn.running(), now);
        let hold = |start: Time, end: Time, processors| Hold { start, span: end - start, processors };
        self.running =
            turn.running().iter().map(|job| (job.job, hold(job.started, release_time(job.expected_end, now), job.processors))).collect();
        self.due.clear();
        let old = std::mem::take(&mut self.reserved);
        for job in order {
            if let Some(hold) = old.get(job) {
                self.place(*job, hold.processors, hold.span);
            }
        }
        self.stale = false;
    }

    /// Takes each reservation out, in `order`, and puts it back at its earliest start.
    fn compress(&mut self, now: Time, order: &[JobId]) {
        for job in order {
            let Some(&hold) = self.reserved.get(job) else { continue };
            if hold.start <= now {
                continue;
            }
            self.profile.release(hold.start, hold.end(), hold.processors);
            self.due.remove(&(hold.start, *job));
            self.place(*job, hold.processors, hold.span);
        }
    }

    /// Gives a waiting job its earliest reservation. A job that never fits gets none.
    pub fn reserve(&mut self, job: &Waiting) {
        self.place(job.job, job.processors, span(job));
    }

    fn place(&mut self, job: JobId, processors: u32, span: Span) {
        let Some(start) = self.profile.earliest(processors, span) else { return };
        self.profile.reserve(start, span, processors);
        self.reserved.insert(job, Hold { start, span, processors });
        self.due.insert((start, job));
    }

    /// Starts every job whose reservation has come.
    pub fn start_due(&mut self, turn: &mut Turn<'_>) {
        let now = turn.now();
        let due: Vec<JobId> = self.due.iter().take_while(|(start, _)| *start <= now).map(|(_, job)| *job).collect();
        for job in due {
            let Some(&hold) = self.reserved.get(&job) else { continue };
            if turn.start(job) {
                self.reserved.remove(&job);
                self.due.remove(&(hold.start, job));
                self.running.insert(job, hold);
            }
            // Late, or not yet possible: the profile holds it at the wrong time.
            self.stale |= hold.start != now || self.reserved.contains_key(&job);
        }
    }

    /// Whether a job of this size and belief that holds no reservation can start now and disturb none. What is true of a
    /// job is true of a smaller and shorter one.
    pub fn admits(&self, turn: &Turn<'_>, processors: u32, expected: Span) -> bool {
        processors <= turn.free() && self.profile.fits_now(processors, expected.max(Span::SECOND))
    }

    /// The same of a waiting job.
    pub fn may_start_now(&self, turn: &Turn<'_>, job: &Waiting) -> bool {
        self.admits(turn, job.processors, job.expected) && turn.fits(job.processors)
    }

    /// The window of at most `widest` processors that are free from now on and no longer than all of them are, and how
    /// many are left when it ends, where it does.
    pub fn window(&self, widest: u32) -> Option<(Window, Option<u32>)> {
        let (&(now, free), later) = self.profile.steps().split_first()?;
        let processors = free.min(widest);
        let end = later.iter().find(|(_, free)| *free < processors);
        let length = end.map_or(Span::from_microseconds(i64::MAX), |(end, _)| *end - now);
        (processors > 0).then_some((Window { processors, length }, end.map(|(_, free)| *free)))
    }

    /// A job that may start now was started.
    pub fn started(&mut self, turn: &Turn<'_>, job: &Waiting) {
        let hold = Hold { start: turn.now(), span: span(job), processors: job.processors };
        self.profile.reserve(hold.start, hold.span, hold.processors);
        self.running.insert(job.job, hold);
    }

    /// Starts a job that holds no reservation, if that disturbs none.
    pub fn start_now(&mut self, turn: &mut Turn<'_>, job: &Waiting) -> bool {
        let starts = self.may_start_now(turn, job) && turn.start(job.job);
        if starts {
            self.started(turn, job);
        }
        starts
    }

    /// Asks for a turn when the next reservation comes: nothing else need happen then.
    pub fn wake(&mut self, turn: &mut Turn<'_>) {
        let next = self.due.iter().map(|(start, _)| *start).find(|start| *start > turn.now());
        if let Some(next) = next
            && next != self.wakes
        {
            self.wakes = next;
            turn.wake_at(next);
        }
    }

    /// The reservations, for those who want to see them.
    pub fn reservations(&self) -> Vec<Reservation> {
        self.reserved.iter().map(|(job, hold)| Reservation { job: *job, start: hold.start, extra: None }).collect()
    }

    /// Why a waiting job did not start now.
    pub fn why(&self, job: &Waiting, free: u32) -> Why {
        if job.processors > free {
            return Why::Processors { free };
        }
        let mut profile = self.profile.clone();
        if let Some(own) = self.reserved.get(&job.job) {
            profile.release(own.start, own.end(), own.processors);
        }
        let Some(at) = profile.first_conflict(job.processors, span(job)) else { return Why::NotTried };
        let holder = self.reserved.iter().find(|(other, hold)| **other != job.job && hold.start <= at && at < hold.end());
        holder.map_or(Why::NotTried, |(by, _)| Why::Reserved { by: *by })
    }
}

/// How long a job is taken to hold its processors: at least a second, as a belief of 0 is overdue at once.
pub fn span(job: &Waiting) -> Span {
    job.expected.max(Span::SECOND)
}
