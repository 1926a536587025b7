//! A plan of counts: reservations that last from instant to instant. Each one is a start time on an
//! availability profile.
//!
//! A reservation never moves to a later time while the running jobs keep to the beliefs about them.
//! If a running job ends early, the plan gives its processors back and *compresses* the
//! reservations. Compression is one pass in an order that the policy chooses: it takes each
//! reservation out and puts it back at its earliest start. If a running job outlives its belief,
//! the reservations may no longer be possible, and the plan makes all of them again in that order.

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

/// A number of processors that are free for some time from now on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BackfillWindow {
    /// The number of free processors.
    pub processors: u32,
    /// Time for which all of them are free.
    pub length: Span,
}

/// The reservation of a waiting job.
#[derive(Copy, Clone, Debug)]
struct Held {
    job: JobId,
    hold: Booking,
}

/// The reservations of waiting jobs, and the running jobs that they take into account.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct CountPlan {
    profile: Profile,
    running: BTreeMap<JobId, Booking>,
    /// Reservations in order of arrival.
    reserved: Vec<Held>,
    /// The earliest start of a reservation; [`Time::NEVER`] if there is none.
    earliest: Time,
    /// Processors that have become free since the last pass of compression.
    opened: Opened,
    /// True if the profile no longer agrees with the running jobs, so that it must be made again.
    stale: bool,
    /// True if a running job has outlived its belief since the last refresh.
    outlived: bool,
    /// The time of the last timer.
    wakes: Option<Time>,
    /// True until the first decision. A policy may take over at a turn at which nothing else
    /// happens, and must then decide nevertheless.
    is_new: bool,
    /// True if reservations are compressed after every completion, not only after an early one.
    is_eager: bool,
}

impl Default for CountPlan {
    /// Returns a plan without reservations. Its first refresh takes over the running jobs.
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            running: BTreeMap::new(),
            reserved: Vec::new(),
            earliest: Time::NEVER,
            opened: Opened::NOTHING,
            stale: true,
            outlived: false,
            wakes: None,
            is_new: true,
            is_eager: false,
        }
    }
}

impl CountPlan {
    /// Returns a plan that compresses after every completion, not only after an early one. This
    /// pays, because a pass can open holes behind jobs that it moves, and the jobs before these can
    /// use such a hole only in the next pass.
    pub fn eager() -> Self {
        Self {
            is_eager: true,
            ..Self::default()
        }
    }

    /// True if the plan compresses after every completion.
    pub fn is_eager(&self) -> bool {
        self.is_eager
    }

    /// Returns a plan with the running jobs and no reservation, for policies that make all
    /// reservations again at every decision.
    pub fn of_running(turn: &Turn<'_>) -> Self {
        let profile = Profile::of_running(turn.free(), turn.running(), turn.now());
        Self {
            profile,
            ..Self::default()
        }
    }

    /// Brings the plan to the present: gives back the processors that jobs held beyond an early
    /// end, and compresses the reservations in `order`.
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

    /// Returns the indices of the reservations in `order`. Returns `None` for the order of arrival,
    /// in which they are stored.
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

    /// Returns the index of the reservation of `job`.
    fn place(&self, job: JobId) -> Option<usize> {
        self.reserved
            .binary_search_by_key(&job, |held| held.job)
            .ok()
    }

    /// Tells the plan that a running job has outlived its belief.
    pub fn outlived(&mut self) {
        self.outlived = true;
    }

    /// True if nothing has happened that the plan must react to: no job arrived or ended, no processor
    /// came back into service, and the timer that caused the turn belonged to a reservation that has
    /// moved since.
    pub fn is_idle(&mut self, turn: &Turn<'_>) -> bool {
        let is_new = std::mem::take(&mut self.is_new);
        let is_idle = !is_new
            && turn.arrived().is_empty()
            && turn.finished().is_empty()
            && !turn.opens()
            && self.wakes != Some(turn.now());
        // The plan learns of an overdue job again whenever something happens, but not of a job
        // whose belief was raised.
        let is_told_again = turn.running().has_overdue(turn.now());
        self.outlived &= !(is_idle && is_told_again);
        is_idle
    }

    /// Returns the number of reservations.
    pub fn reserved(&self) -> usize {
        self.reserved.len()
    }

    /// True if `job` holds a reservation.
    pub fn holds(&self, job: JobId) -> bool {
        self.place(job).is_some()
    }

    /// Returns the planned start of `job`; `None` if it holds no reservation.
    pub fn start_of(&self, job: JobId) -> Option<Time> {
        self.place(job).map(|place| self.reserved[place].hold.start)
    }

    /// Returns the earliest start of a reservation; [`Time::NEVER`] if there is none.
    fn earliest_start(&self) -> Time {
        let starts = self.reserved.iter().map(|held| held.hold.start);
        starts.min().unwrap_or(Time::NEVER)
    }

    /// Makes the profile again from the running jobs, and every reservation again in `order`.
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
        self.earliest = self.earliest_start();
        // Each reservation is at its earliest start, and later ones have only taken processors
        // away.
        self.opened = Opened::NOTHING;
        self.stale = false;
    }

    /// Takes out each reservation in `order`, and puts it back at its earliest start.
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
        // Jobs that the pass has already treated do not see the processors that become free later
        // in the pass. These processors therefore count for the next pass too.
        let seen = std::mem::replace(&mut self.opened, Opened::NOTHING);
        match self.places(turn, order) {
            None => (0..self.reserved.len())
                .for_each(|place| self.bring_forward(place, seen, &mut floors)),
            Some(places) => places
                .into_iter()
                .for_each(|place| self.bring_forward(place, seen, &mut floors)),
        }
    }

    /// Moves a reservation to its earliest start. `seen` had become free before this pass.
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
            let (from, until, most) =
                self.profile
                    .bring_forward(hold.start, start, hold.span, hold.processors);
            floors.opened(from);
            self.opened = self.opened.and(Opened { until, most });
            hold.start = start;
            self.earliest = self.earliest.min(start);
        }
        floors.add(hold);
    }

    /// Gives a waiting job its earliest reservation. A job that can never fit gets none.
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
            self.earliest = self.earliest.min(start);
        }
    }

    /// Starts every job whose reservation has come.
    pub fn start_due(&mut self, turn: &mut Turn<'_>, order: &mut Ranking) {
        let now = turn.now();
        debug_assert_eq!(self.earliest, self.earliest_start());
        if self.earliest > now {
            return;
        }
        let mut due: Vec<Held> = Vec::new();
        self.earliest = Time::NEVER;
        for held in &self.reserved {
            if held.hold.start <= now {
                due.push(*held);
            } else {
                self.earliest = self.earliest.min(held.hold.start);
            }
        }
        crate::sorting::by(&mut due, |held| {
            [held.hold.start.microseconds().into(), held.job.0.into()]
        });
        for Held { job, hold } in &due {
            let (job, hold) = (*job, *hold);
            let waiting = turn.queue().entry(job).copied();
            let starts = waiting.is_some_and(|job| order.start(turn, &job));
            if let Some(waiting) = waiting.filter(|_| starts) {
                self.running.insert(job, hold);
                self.stale |= is_believed_otherwise(turn, &waiting);
            }
            // If the reservation was due earlier, or the job could not start, the profile holds it
            // at the wrong time. A job that could not start is no sign of that while completions of
            // this instant are still to be told: the next one may let it start.
            self.stale |= hold.start != now || !starts && !turn.running().awaits_ends();
        }
        for Held { job, hold } in &due {
            if !self.running.contains_key(job) {
                self.earliest = self.earliest.min(hold.start);
            }
        }
        due.retain(|held| self.running.contains_key(&held.job));
        if due.len() < 4 {
            for held in due {
                if let Some(place) = self.place(held.job) {
                    self.reserved.remove(place);
                }
            }
        } else {
            let running = &self.running;
            self.reserved
                .retain(|held| held.hold.start > now || !running.contains_key(&held.job));
        }
    }

    /// True if a job of this size and belief that holds no reservation can start now without
    /// disturbing a reservation. If this holds for a job, it holds for every smaller and shorter
    /// one. Looks only at numbers of processors.
    pub fn admits(&self, turn: &Turn<'_>, processors: u32, expected: Span) -> bool {
        processors <= turn.free()
            && self
                .profile
                .fits_now(processors, expected.max(Span::SECOND))
    }

    /// True if this waiting job, which holds no reservation, can start now without disturbing a
    /// reservation.
    pub fn may_start_now(&self, turn: &Turn<'_>, job: &Waiting) -> bool {
        self.admits(turn, job.processors, job.expected) && turn.fits(job)
    }

    /// Returns the window of the free processors, but of at most `widest`, and the number of
    /// processors that are free when the window ends (`None` if it never ends). The window lasts
    /// while all its processors are free. Returns `None` if no processor is free.
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

    /// Records that a job which may start now has started.
    fn started(&mut self, turn: &Turn<'_>, job: &Waiting) {
        let hold = Booking {
            start: turn.now(),
            span: span(job),
            processors: job.processors,
        };
        self.profile.reserve(hold.start, hold.span, hold.processors);
        self.running.insert(job.job, hold);
        self.stale |= is_believed_otherwise(turn, job);
    }

    /// Starts a job that holds no reservation, if that disturbs no reservation. Returns true if the
    /// job started.
    pub fn start_now(&mut self, turn: &mut Turn<'_>, job: &Waiting, order: &mut Ranking) -> bool {
        let starts = self.may_start_now(turn, job) && order.start(turn, job);
        if starts {
            self.started(turn, job);
        }
        starts
    }

    /// Sets a timer for the next reservation, because nothing else need happen at its start.
    pub fn wake(&mut self, turn: &mut Turn<'_>) {
        // A start within the next second may need the processors of an overdue job. The plan makes
        // all reservations again when something happens, so it sets no timer for such a start.
        let now = turn.now();
        let is_overdue = turn.running().has_overdue(now);
        self.stale |= is_overdue;
        let after = if is_overdue { now + Span::SECOND } else { now };
        debug_assert_eq!(self.earliest, self.earliest_start());
        let next = if self.earliest > after {
            Some(self.earliest).filter(|next| *next != Time::NEVER)
        } else {
            let starts = self.reserved.iter().map(|held| held.hold.start);
            starts.filter(|start| *start > after).min()
        };
        if next != self.wakes {
            self.wakes = next;
            next.into_iter().for_each(|next| turn.wake_at(next));
        }
    }

    /// Returns the reservations, for [`Turn::explain`].
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

    /// Returns the reason why a waiting job did not start now.
    pub fn why(&self, job: &Waiting, free: u32) -> Why {
        let holds = self.reserved.iter().map(|held| Holding {
            job: held.job,
            start: held.hold.start,
            end: held.hold.end(),
        });
        why(self.profile.clone(), holds, job, free)
    }
}

/// A period for which a waiting job holds processors in a plan.
pub struct Holding {
    pub job: JobId,
    pub start: Time,
    pub end: Time,
}

/// Returns the reason why a waiting job did not start now. `profile` is what running jobs and the
/// reservations `holds` leave free. The job itself may hold one of these reservations.
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

/// Processors that have become free. A reservation can move only to a start at which it uses some
/// of them.
#[derive(Copy, Clone, Debug)]
struct Opened {
    /// The end of the last period in which they are free. A reservation must start before it to use
    /// them.
    until: Time,
    /// The largest number of processors that are free at any time in these periods.
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

    /// Adds processors that have become free over [from, until).
    fn add(&mut self, profile: &Profile, from: Time, until: Time) {
        *self = self.and(Self {
            until,
            most: profile.most(from, until),
        });
    }
}

/// The number of reservations from which on a pass uses [`Floors`]. With fewer reservations,
/// keeping them costs more than the searches.
const LONG: usize = 256;

/// Bounds that a pass of compression has learnt. If a job found no start before some time, no job
/// that is at least as wide and as long will find one, except by processors that have become free
/// since.
struct Floors {
    most: usize,
    known: Vec<Floor>,
    /// Index of the oldest bound, which the next one replaces.
    next: usize,
}

struct Floor {
    processors: u32,
    span: Span,
    /// The job found no start before this time.
    start: Time,
    /// Processors have become free from this time on since.
    opened: Time,
}

impl Floors {
    /// The largest number of bounds. Looking through more would cost more than they save.
    const MOST: usize = 8;

    /// Returns the time before which a search need not look for an earlier start of `hold`.
    fn of(&self, hold: &Booking) -> Option<Time> {
        let serves =
            |floor: &&Floor| floor.processors <= hold.processors && floor.span <= hold.span;
        // The processors that the job holds itself count as free for it.
        let until = |floor: &Floor| floor.start.min(floor.opened.min(hold.start) - hold.span);
        self.known.iter().filter(serves).map(until).max()
    }

    fn opened(&mut self, from: Time) {
        self.known
            .iter_mut()
            .for_each(|floor| floor.opened = floor.opened.min(from));
    }

    /// Adds the bound of a reservation that is at its earliest start.
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

/// True if the belief about a job that has just started differs from the belief while it waited.
/// The profile then holds the job for a wrong time.
fn is_believed_otherwise(turn: &Turn<'_>, job: &Waiting) -> bool {
    turn.expected_end(job.job) != Some(turn.now().saturating_add(job.expected))
}

/// Returns the time for which a job is expected to hold its processors. It is at least one second,
/// because a job with a belief of 0 would be overdue at once.
pub fn span(job: &Waiting) -> Span {
    job.expected.max(Span::SECOND)
}
