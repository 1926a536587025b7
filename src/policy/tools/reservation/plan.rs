//! Reservations that last: each is a start time on an availability profile that is kept from
//! instant to instant.
//!
//! A reservation is never moved to a later time while the running jobs keep to what is believed of
//! them. When one ends early, its processors are given back and the reservations are *compressed*:
//! one pass in an order that the policy chooses, each taken out and put back at its earliest start.
//! When one outlives its belief, the reservations may no longer be possible, and all are made anew
//! in that order.

use super::Profile;
use crate::job::JobId;
use crate::policy::tools::order::Ranking;
use crate::sim::{Reservation, Turn, Waiting, Why};
use crate::time::{Span, Time};
use std::collections::BTreeMap;

/// Processors held over a period of the profile.
#[derive(Copy, Clone, Debug)]
struct Booking {
    start: Time,
    span: Span,
    processors: u32,
}

impl Booking {
    fn end(&self) -> Time {
        self.start.saturating_add(self.span)
    }
}

/// So many processors, free from now on for so long.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BackfillWindow {
    /// How many.
    pub processors: u32,
    /// How long.
    pub length: Span,
}

/// A waiting job's reservation.
#[derive(Copy, Clone, Debug)]
struct Held {
    job: JobId,
    hold: Booking,
}

/// Reservations, and the running jobs they reckon with.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct ReservationPlan {
    profile: Profile,
    running: BTreeMap<JobId, Booking>,
    /// In order of arrival.
    reserved: Vec<Held>,
    /// What has become free since reservations were looked at.
    opened: Opened,
    /// What the profile holds no longer fits the machine.
    stale: bool,
    /// A running job has outlived its belief at this instant.
    outlived: bool,
    /// The turn that was asked for last.
    wakes: Option<Time>,
    /// Nothing has been looked at yet: the policy takes over at a turn at which nothing need have
    /// happened.
    is_new: bool,
    /// Reservations are brought forward after every completion, not only after an early one.
    is_eager: bool,
}

impl Default for ReservationPlan {
    /// Takes over whatever runs when it is first asked.
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            running: BTreeMap::new(),
            reserved: Vec::new(),
            opened: Opened::NOTHING,
            stale: true,
            outlived: false,
            wakes: None,
            is_new: true,
            is_eager: false,
        }
    }
}

impl ReservationPlan {
    /// A plan that brings reservations forward after every completion: one pass leaves room for
    /// another, because what opens during it is not seen by the jobs that were looked at before.
    pub fn eager() -> Self {
        Self {
            is_eager: true,
            ..Self::default()
        }
    }

    /// No reservations beside the running jobs: for policies that reserve anew at every instant.
    pub fn of_running(turn: &Turn<'_>) -> Self {
        let profile = Profile::of_running(turn.free(), turn.running(), turn.now());
        Self {
            profile,
            ..Self::default()
        }
    }

    /// Comes to the present: gives back what jobs that ended early still held, and brings
    /// reservations forward, one by one in `order`.
    pub fn refresh(&mut self, turn: &Turn<'_>, order: &Ranking) {
        let now = turn.now();
        let mut until = now;
        self.profile.advance(now);
        for job in turn.finished() {
            if let Some(hold) = self.running.remove(job)
                && hold.end() > now
            {
                self.profile.release(now, hold.end(), hold.processors);
                until = until.max(hold.end());
            }
        }
        self.stale |= std::mem::take(&mut self.outlived);
        if self.stale {
            self.renew(turn, order);
        } else if until > now || self.is_eager && !turn.finished().is_empty() {
            if until > now {
                self.opened.add(&self.profile, now, until);
            }
            self.compress(turn, order);
        }
    }

    /// The places of reservations in `order`; none where that is the order of arrival, in which
    /// they stand.
    fn places(&self, turn: &Turn<'_>, order: &Ranking) -> Option<Vec<usize>> {
        let places = || {
            order
                .sorted(turn)
                .into_iter()
                .filter_map(|job| self.place(job.job))
                .collect()
        };
        (!order.is_arrival()).then(places)
    }

    /// Where the reservation of `job` stands.
    fn place(&self, job: JobId) -> Option<usize> {
        self.reserved
            .binary_search_by_key(&job, |held| held.job)
            .ok()
    }

    /// A running job has outlived its belief.
    pub fn outlived(&mut self) {
        self.outlived = true;
    }

    /// Whether nothing has happened: a turn that was asked for when a reservation was still planned
    /// for now.
    pub fn is_idle(&mut self, turn: &Turn<'_>) -> bool {
        let is_new = std::mem::take(&mut self.is_new);
        let is_idle = !is_new
            && turn.arrived().is_empty()
            && turn.finished().is_empty()
            && self.wakes != Some(turn.now());
        // An overdue job is told again whenever something happens; one whose belief was raised is
        // not.
        let is_told_again = turn.running().has_overdue(turn.now());
        self.outlived &= !(is_idle && is_told_again);
        is_idle
    }

    /// How many jobs hold a reservation.
    pub fn reserved(&self) -> usize {
        self.reserved.len()
    }

    /// Whether `job` holds a reservation.
    pub fn holds(&self, job: JobId) -> bool {
        self.place(job).is_some()
    }

    /// Makes the profile anew from what runs, and every reservation anew in `order`.
    fn renew(&mut self, turn: &Turn<'_>, order: &Ranking) {
        let now = turn.now();
        self.profile = Profile::of_running(turn.free(), turn.running(), now);
        let hold = |start: Time, end: Time, processors| Booking {
            start,
            span: end - start,
            processors,
        };
        self.running = crate::sorting::map(turn.running().iter().map(|job| {
            (
                job.job,
                hold(
                    job.started,
                    turn.running().release_time(job, now),
                    job.processors,
                ),
            )
        }));
        let places = self
            .places(turn, order)
            .unwrap_or_else(|| (0..self.reserved.len()).collect());
        for place in places {
            let Booking {
                span, processors, ..
            } = self.reserved[place].hold;
            if let Some(start) = self.profile.earliest(processors, span) {
                self.profile.reserve(start, span, processors);
                self.reserved[place].hold.start = start;
            }
        }
        // Each stands at its earliest start, and those behind it have only taken processors away.
        self.opened = Opened::NOTHING;
        self.stale = false;
    }

    /// Takes each reservation out, in `order`, and puts it back at its earliest start.
    fn compress(&mut self, turn: &Turn<'_>, order: &Ranking) {
        let mut floors = Floors {
            known: Vec::new(),
            next: 0,
            most: if self.reserved.len() < LONG {
                0
            } else {
                Floors::MOST
            },
        };
        // What opens during this pass, those who were looked at before have not seen: it counts for
        // the next one.
        let seen = std::mem::replace(&mut self.opened, Opened::NOTHING);
        match self.places(turn, order) {
            None => (0..self.reserved.len())
                .for_each(|place| self.bring_forward(place, seen, &mut floors)),
            Some(places) => places
                .into_iter()
                .for_each(|place| self.bring_forward(place, seen, &mut floors)),
        }
    }

    /// Moves a reservation to its earliest start; `seen` had become free before this pass.
    fn bring_forward(&mut self, place: usize, seen: Opened, floors: &mut Floors) {
        let hold = &mut self.reserved[place].hold;
        let opened = seen.and(self.opened);
        if hold.processors > opened.most {
            debug_assert_eq!(
                None,
                self.profile
                    .earlier(hold.processors, hold.span, hold.start, None, hold.start)
            );
            return;
        }
        let floor = floors.of(hold);
        let earlier = self.profile.earlier(
            hold.processors,
            hold.span,
            hold.start,
            floor,
            hold.start.min(opened.until),
        );
        debug_assert_eq!(
            earlier,
            self.profile
                .earlier(hold.processors, hold.span, hold.start, None, hold.start)
        );
        if let Some(start) = earlier {
            self.profile
                .bring_forward(hold.start, start, hold.span, hold.processors);
            let from = hold.start.max(start.saturating_add(hold.span));
            floors.opened(from);
            self.opened.add(&self.profile, from, hold.end());
            hold.start = start;
        }
        floors.add(hold);
    }

    /// Gives a waiting job its earliest reservation. A job that never fits gets none.
    pub fn reserve(&mut self, job: &Waiting) {
        let (processors, span) = (job.processors, span(job));
        let Some(start) = self.profile.earliest(processors, span) else {
            return;
        };
        if let Err(place) = self
            .reserved
            .binary_search_by_key(&job.job, |held| held.job)
        {
            self.profile.reserve(start, span, processors);
            let hold = Booking {
                start,
                span,
                processors,
            };
            self.reserved.insert(place, Held { job: job.job, hold });
        }
    }

    /// Starts every job whose reservation has come.
    pub fn start_due(&mut self, turn: &mut Turn<'_>, order: &mut Ranking) {
        let now = turn.now();
        let mut due: Vec<Held> = self
            .reserved
            .iter()
            .filter(|held| held.hold.start <= now)
            .copied()
            .collect();
        crate::sorting::by(&mut due, |held| {
            [held.hold.start.microseconds().into(), held.job.0.into()]
        });
        for Held { job, hold } in due {
            let waiting = turn.queue().entry(job).copied();
            let starts = waiting.is_some_and(|job| order.start(turn, &job));
            if let Some(waiting) = waiting.filter(|_| starts) {
                self.running.insert(job, hold);
                self.stale |= is_believed_otherwise(turn, &waiting);
            }
            // Late, or not yet possible: the profile holds it at the wrong time. Where completions
            // are still to be told, the next one may make it possible.
            self.stale |= hold.start != now || !starts && !turn.running().awaits_ends();
        }
        let running = &self.running;
        self.reserved
            .retain(|held| held.hold.start > now || !running.contains_key(&held.job));
    }

    /// Whether a job of this size and belief that holds no reservation can start now and disturb
    /// none. What is true of a job is true of a smaller and shorter one.
    pub fn admits(&self, turn: &Turn<'_>, processors: u32, expected: Span) -> bool {
        processors <= turn.free()
            && self
                .profile
                .fits_now(processors, expected.max(Span::SECOND))
    }

    /// The same of a waiting job.
    pub fn may_start_now(&self, turn: &Turn<'_>, job: &Waiting) -> bool {
        self.admits(turn, job.processors, job.expected) && turn.fits(job.processors)
    }

    /// The window of at most `widest` processors that are free from now on and no longer than all
    /// of them are, and how many are left when it ends, where it does.
    pub fn window(&self, widest: u32) -> Option<(BackfillWindow, Option<u32>)> {
        let (now, free) = self.profile.steps().next()?;
        let processors = free.min(widest);
        let end = self.profile.steps().find(|(_, free)| *free < processors);
        let length = end.map_or(Span::from_microseconds(i64::MAX), |(end, _)| end - now);
        (processors > 0).then_some((
            BackfillWindow { processors, length },
            end.map(|(_, free)| free),
        ))
    }

    /// A job that may start now was started.
    pub fn started(&mut self, turn: &Turn<'_>, job: &Waiting) {
        let hold = Booking {
            start: turn.now(),
            span: span(job),
            processors: job.processors,
        };
        self.profile.reserve(hold.start, hold.span, hold.processors);
        self.running.insert(job.job, hold);
        self.stale |= is_believed_otherwise(turn, job);
    }

    /// Starts a job that holds no reservation, if that disturbs none.
    pub fn start_now(&mut self, turn: &mut Turn<'_>, job: &Waiting, order: &mut Ranking) -> bool {
        let starts = self.may_start_now(turn, job) && order.start(turn, job);
        if starts {
            self.started(turn, job);
        }
        starts
    }

    /// Asks for a turn when the next reservation comes: nothing else need happen then.
    pub fn wake(&mut self, turn: &mut Turn<'_>) {
        // Behind an overdue job nothing can start before something happens, and then all is made
        // anew.
        let now = turn.now();
        let is_overdue = turn.running().has_overdue(now);
        self.stale |= is_overdue;
        let after = if is_overdue { now + Span::SECOND } else { now };
        let next = self
            .reserved
            .iter()
            .map(|held| held.hold.start)
            .filter(|start| *start > after)
            .min();
        if next != self.wakes {
            self.wakes = next;
            next.into_iter().for_each(|next| turn.wake_at(next));
        }
    }

    /// The reservations, for those who want to see them.
    pub fn reservations(&self) -> Vec<Reservation> {
        self.reserved
            .iter()
            .map(|held| Reservation {
                job: held.job,
                start: held.hold.start,
                extra: None,
            })
            .collect()
    }

    /// Why a waiting job did not start now.
    pub fn why(&self, job: &Waiting, free: u32) -> Why {
        let holds = self.reserved.iter().map(|held| Holding {
            job: held.job,
            start: held.hold.start,
            end: held.hold.end(),
        });
        why(self.profile.clone(), holds, job, free)
    }
}

/// Who holds processors from when until when.
pub struct Holding {
    pub job: JobId,
    pub start: Time,
    pub end: Time,
}

/// Why a waiting job did not start now, with `profile` what running jobs and these reservations
/// leave, of which its own may be one.
pub fn why(
    mut profile: Profile,
    holds: impl Iterator<Item = Holding> + Clone,
    job: &Waiting,
    free: u32,
) -> Why {
    if job.processors > free {
        return Why::Processors { free };
    }
    if let Some(own) = holds.clone().find(|hold| hold.job == job.job) {
        profile.release(own.start, own.end, job.processors);
    }
    let Some(at) = profile.first_conflict(job.processors, span(job)) else {
        return Why::NotTried;
    };
    let holders = holds.filter(|hold| hold.job != job.job && hold.start <= at && at < hold.end);
    holders
        .map(|hold| hold.job)
        .min()
        .map_or(Why::NotTried, |by| Why::Reserved { by })
}

/// Processors that have become free: a reservation can only move to a start from which on it uses
/// some of them.
#[derive(Copy, Clone, Debug)]
struct Opened {
    /// They are free until then, so that it must start before.
    until: Time,
    /// No more are free at any time at which some of them are.
    most: u32,
}

impl Opened {
    const NOTHING: Self = Self {
        until: Time::from_microseconds(i64::MIN),
        most: 0,
    };

    fn and(self, other: Self) -> Self {
        Self {
            until: self.until.max(other.until),
            most: self.most.max(other.most),
        }
    }

    /// Some have become free over [from, until).
    fn add(&mut self, profile: &Profile, from: Time, until: Time) {
        *self = self.and(Self {
            until,
            most: profile.most(from, until),
        });
    }
}

/// From so many reservations on, a pass takes notes: with fewer, the notes cost more than the
/// searches.
const LONG: usize = 256;

/// What a pass of compression has learnt: a job found no start before a time, so none that is as
/// wide and as long will, unless by processors that have become free since.
struct Floors {
    most: usize,
    known: Vec<Floor>,
    /// Where the next one is written, over the oldest.
    next: usize,
}

struct Floor {
    processors: u32,
    span: Span,
    /// No start before this.
    start: Time,
    /// From here on processors have become free since.
    opened: Time,
}

impl Floors {
    /// More would cost more to look through than they save.
    const MOST: usize = 8;

    /// No start before this needs to be looked at for a reservation.
    fn of(&self, hold: &Booking) -> Option<Time> {
        let serves =
            |floor: &&Floor| floor.processors <= hold.processors && floor.span <= hold.span;
        // The job's own processors are free to itself.
        let until = |floor: &Floor| floor.start.min(floor.opened.min(hold.start) - hold.span);
        self.known.iter().filter(serves).map(until).max()
    }

    fn opened(&mut self, from: Time) {
        self.known
            .iter_mut()
            .for_each(|floor| floor.opened = floor.opened.min(from));
    }

    /// A reservation stands at its earliest start.
    fn add(&mut self, hold: &Booking) {
        let floor = Floor {
            processors: hold.processors,
            span: hold.span,
            start: hold.start,
            opened: Time::NEVER,
        };
        if self.known.len() < self.most {
            self.known.push(floor);
        } else if self.most > 0 {
            self.known[self.next] = floor;
            self.next = (self.next + 1) % self.most;
        }
    }
}

/// Whether a job that has just started is believed to run for another time than while it waited:
/// then what the profile holds for it is wrong.
fn is_believed_otherwise(turn: &Turn<'_>, job: &Waiting) -> bool {
    turn.expected_end(job.job) != Some(turn.now().saturating_add(job.expected))
}

/// How long a job is taken to hold its processors: at least a second, as a belief of 0 is overdue
/// at once.
pub fn span(job: &Waiting) -> Span {
    job.expected.max(Span::SECOND)
}
