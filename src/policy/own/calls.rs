//! The functions that the code of an own policy may call while it decides.
//!
//! All of them take and return plain numbers, so that any language can call them. Times are whole
//! microseconds in an `f64`, which is exact up to 285 years. A *position* is a place in the queue; it
//! is valid until the turn ends. [`NONE`] stands for no position and no job. A function that is
//! called while no policy decides returns 0, [`NONE`] or NaN.
//!
//! The functions are methods of the desk. A function of the same name finds the desk of its thread.

use super::desk::{Desk, Open, open};
use crate::job::{JobId, Request};
use crate::policy::tools::reservation::{Hole, ReservationPlan};
use crate::sim::{Reservation, Waiting, Why};
use crate::time::{Span, Time};

/// No position, or no job.
pub const NONE: u32 = u32::MAX;

/// The latest time, and the longest belief, in microseconds: 2^53, up to which every whole number is
/// exact.
pub const LONGEST: f64 = 9_007_199_254_740_992.0;

/// Hands the list of all calls to a macro, as `name(argument: type, ...) -> type = absent;`, where
/// `absent` is the result while no policy decides. Each host makes its own table of functions from
/// it.
#[macro_export]
macro_rules! each_call {
    ($make:ident) => {
        $make! {
            now() -> f64 = f64::NAN;
            began() -> f64 = f64::NAN;
            capacity() -> u32 = 0;
            free() -> u32 = 0;
            room() -> u32 = 0;
            timers() -> u32 = 0;
            watched() -> u32 = 0;
            waiting() -> u32 = 0;
            first() -> u32 = NONE;
            next(position: u32, size: u32, expected: f64, extra: u32) -> u32 = NONE;
            position(job: u32) -> u32 = NONE;
            job_at(position: u32) -> u32 = NONE;
            size_at(position: u32) -> u32 = 0;
            expected_at(position: u32) -> f64 = f64::NAN;
            arrived() -> u32 = 0;
            arrived_job(index: u32) -> u32 = NONE;
            ended() -> u32 = 0;
            ended_job(index: u32) -> u32 = NONE;
            running() -> u32 = 0;
            running_job(index: u32) -> u32 = NONE;
            running_size(index: u32) -> u32 = 0;
            running_end(index: u32) -> f64 = f64::NAN;
            submitted(job: u32) -> f64 = f64::NAN;
            estimate(job: u32) -> f64 = f64::NAN;
            size(job: u32) -> u32 = 0;
            number(job: u32) -> f64 = f64::NAN;
            of(job: u32, field: u32) -> f64 = f64::NAN;
            fits(size: u32) -> u32 = 0;
            fits_job(job: u32) -> u32 = 0;
            start(job: u32) -> u32 = 0;
            start_heads() -> u32 = NONE;
            wake_at(time: f64) -> u32 = 0;
            reserve(job: u32) -> f64 = f64::NAN;
            extra() -> u32 = 0;
            next_admitted(position: u32) -> u32 = NONE;
            admits(job: u32) -> u32 = 0;
            plan_go_on() -> u32 = 0;
            plan_anew() -> u32 = 0;
            plan_reserve(job: u32) -> f64 = f64::NAN;
            plan_reserved(job: u32) -> f64 = f64::NAN;
            plan_admits(job: u32) -> u32 = 0;
            plan_start(job: u32) -> u32 = 0;
            plan_start_due() -> u32 = 0;
            hold(job: u32, start: f64) -> u32 = 0;
            because(job: u32, reason: u32, other: u32) -> u32 = 0;
            mean_wait() -> f64 = f64::NAN;
            random() -> f64 = f64::NAN;
            exp(x: f64) -> f64 = libm::exp(x);
            log(x: f64) -> f64 = libm::log(x);
            pow(x: f64, y: f64) -> f64 = libm::pow(x, y);
        }
    };
}

pub use each_call;

/// Makes a function of each method of the desk.
macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $absent:expr;)*) => {
        $(
            #[doc = concat!("Calls `", stringify!($name), "` at the desk of the policy that decides.")]
            pub fn $name($($argument: $type),*) -> $result {
                open(|desk| desk.$name($($argument),*)).unwrap_or_else(|| $absent)
            }
        )*
    };
}

each_call!(functions);

/// Makes the methods reachable through a desk whose lifetime is hidden. The code of a policy calls
/// several of them in each turn: a closure instead would be a second indirect call.
macro_rules! methods {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $absent:expr;)*) => {
        $(
            fn $name(&mut self, $($argument: $type),*) -> $result {
                Desk::$name(self, $($argument),*)
            }
        )*
    };
}

impl Open for Desk<'_> {
    each_call!(methods);
}

fn microseconds(time: Time) -> f64 {
    time.microseconds() as f64
}

fn instant(microseconds: f64) -> Time {
    Time::from_microseconds(microseconds as i64)
}

/// True if a number is a time. Otherwise the run stops.
fn is_time(desk: &mut Desk<'_>, time: f64) -> bool {
    let is_time = time.abs() <= LONGEST;
    if !is_time {
        desk.notes.misused(
            &format!("names the time {time}"),
            "A time is a number of microseconds, up to 2^53.",
            "Correct the computation of the time.",
        );
    }
    is_time
}

/// Returns the request of a job that has arrived. Later jobs are not known yet.
fn request<'a>(desk: &'a Desk<'_>, job: u32) -> Option<&'a Request> {
    let is_known = desk.turn.knows(JobId(job));
    is_known.then(|| desk.turn.request(JobId(job)))
}

fn waiting_at(desk: &Desk<'_>, position: u32) -> Option<Waiting> {
    desk.turn.queue().at(position as usize).copied()
}

fn entry(desk: &Desk<'_>, job: u32) -> Option<Waiting> {
    desk.turn.queue().entry(JobId(job)).copied()
}

/// True if the policy may plan, which it then does from now on.
fn plans(desk: &mut Desk<'_>) -> bool {
    if !desk.notes.may_plan {
        desk.notes.misused(
            "plans, but does not say `needs: \"counts\"`",
            "A plan counts processors, and on some machines it matters which processors are free.",
            "Add `needs: \"counts\"` to the policy.",
        );
    }
    desk.notes.uses_plan |= desk.notes.may_plan;
    desk.notes.may_plan
}

impl Desk<'_> {
    /// Returns the instant of the turn.
    pub fn now(&mut self) -> f64 {
        microseconds(self.turn.now())
    }

    /// Returns the instant at which the run began.
    pub fn began(&mut self) -> f64 {
        microseconds(self.turn.began())
    }

    /// Returns the number of processors of the machine.
    pub fn capacity(&mut self) -> u32 {
        self.turn.capacity()
    }

    /// Returns the number of free processors.
    pub fn free(&mut self) -> u32 {
        self.turn.free()
    }

    /// Returns the size of the largest job that could start now.
    pub fn room(&mut self) -> u32 {
        self.turn.room()
    }

    /// Returns the number of timers that are due at this instant.
    pub fn timers(&mut self) -> u32 {
        self.turn.timers()
    }

    /// Returns 1 if somebody watches the run, and wants reservations and reasons.
    pub fn watched(&mut self) -> u32 {
        self.turn.is_watched().into()
    }

    /// Returns the number of waiting jobs.
    pub fn waiting(&mut self) -> u32 {
        self.turn.queue().len() as u32
    }

    /// Returns the position of the job that arrived first of those that wait.
    pub fn first(&mut self) -> u32 {
        self.next(0, NONE, f64::INFINITY, 0)
    }

    /// Returns the position of the first waiting job at or after `position` that needs at most `size`
    /// processors, and that is believed to run for at most `expected` or needs at most `extra`
    /// processors.
    pub fn next(&mut self, position: u32, size: u32, expected: f64, extra: u32) -> u32 {
        let longest = Span::from_microseconds(expected as i64);
        let queue = self.turn.queue();
        let from = (position as usize).max(queue.first_position());
        let admits = |processors, believed| {
            processors <= size && (believed <= longest || processors <= extra)
        };
        queue
            .next_from(from, admits)
            .map_or(NONE, |(after, _)| after as u32 - 1)
    }

    /// Returns the position of a waiting job.
    pub fn position(&mut self, job: u32) -> u32 {
        let position = self.turn.queue().position(JobId(job));
        position.map_or(NONE, |position| position as u32)
    }

    /// Returns the job at a position.
    pub fn job_at(&mut self, position: u32) -> u32 {
        waiting_at(self, position).map_or(NONE, |job| job.job.0)
    }

    /// Returns the size of the job at a position.
    pub fn size_at(&mut self, position: u32) -> u32 {
        waiting_at(self, position).map_or(0, |job| job.processors)
    }

    /// Returns the belief about the run time of the job at a position.
    pub fn expected_at(&mut self, position: u32) -> f64 {
        waiting_at(self, position).map_or(f64::NAN, |job| job.expected.microseconds() as f64)
    }

    /// Returns the number of jobs that arrived since the last turn.
    pub fn arrived(&mut self) -> u32 {
        self.turn.arrived().len() as u32
    }

    /// Returns one of the jobs that arrived since the last turn.
    pub fn arrived_job(&mut self, index: u32) -> u32 {
        let job = self.turn.arrived().get(index as usize);
        job.map_or(NONE, |job| job.0)
    }

    /// Returns the number of jobs that ended since the last turn.
    pub fn ended(&mut self) -> u32 {
        self.turn.finished().len() as u32
    }

    /// Returns one of the jobs that ended since the last turn.
    pub fn ended_job(&mut self, index: u32) -> u32 {
        let job = self.turn.finished().get(index as usize);
        job.map_or(NONE, |job| job.0)
    }

    /// Returns the number of running jobs. The calls for a running job refer to the jobs that run now,
    /// until the next call of this function.
    pub fn running(&mut self) -> u32 {
        let releases = self.turn.running().releases(self.turn.now());
        self.notes.releases.clear();
        let jobs = releases.map(|(time, job)| (time, job.job, job.processors));
        self.notes.releases.extend(jobs);
        self.notes.releases.len() as u32
    }

    /// Returns a running job. The jobs are in order of their release times.
    pub fn running_job(&mut self, index: u32) -> u32 {
        let job = self.notes.releases.get(index as usize);
        job.map_or(NONE, |(_, job, _)| job.0)
    }

    /// Returns the size of a running job.
    pub fn running_size(&mut self, index: u32) -> u32 {
        let job = self.notes.releases.get(index as usize);
        job.map_or(0, |(_, _, size)| *size)
    }

    /// Returns the release time of a running job: its expected end or, if that is not in the future, one
    /// second from now.
    pub fn running_end(&mut self, index: u32) -> f64 {
        let job = self.notes.releases.get(index as usize);
        job.map_or(f64::NAN, |(time, _, _)| microseconds(*time))
    }

    /// Returns the submission of a job that has arrived.
    pub fn submitted(&mut self, job: u32) -> f64 {
        request(self, job).map_or(f64::NAN, |request| microseconds(request.submitted))
    }

    /// Returns the requested time of a job that has arrived.
    pub fn estimate(&mut self, job: u32) -> f64 {
        request(self, job).map_or(f64::NAN, |request| request.estimate.microseconds() as f64)
    }

    /// Returns the size of a job that has arrived.
    pub fn size(&mut self, job: u32) -> u32 {
        request(self, job).map_or(0, |request| request.processors)
    }

    /// Returns the number that a job has in its trace.
    pub fn number(&mut self, job: u32) -> f64 {
        request(self, job).map_or(f64::NAN, |request| request.number as f64)
    }

    /// Returns the user (field 0), group (1), application (2) or queue (3) of a job that has arrived; -1
    /// if it is unknown.
    pub fn of(&mut self, job: u32, field: u32) -> f64 {
        request(self, job).map_or(f64::NAN, |request| {
            f64::from(match field {
                0 => request.user,
                1 => request.group,
                2 => request.application,
                3 => request.queue,
                _ => -1,
            })
        })
    }

    /// Returns 1 if a job of this size could start now.
    pub fn fits(&mut self, size: u32) -> u32 {
        self.turn.fits_size(size).into()
    }

    /// Returns 1 if this job waits and could start now, with all that it asks for.
    pub fn fits_job(&mut self, job: u32) -> u32 {
        entry(self, job).map_or(0, |job| self.turn.fits(&job).into())
    }

    /// Starts a waiting job. After [`reserve`] a job that the reservation admits uses only processors
    /// that do not delay the job that holds it. Returns 0, with nothing changed, if the job does not wait
    /// or does not fit.
    pub fn start(&mut self, job: u32) -> u32 {
        let Some(waiting) = entry(self, job) else {
            return 0;
        };
        let Desk { turn, notes } = self;
        let room = turn.room();
        match &mut notes.hole {
            Some((_, hole)) if hole.admits(waiting.processors, waiting.expected, room) => {
                hole.start(turn, &waiting, 1, &mut notes.arrival).into()
            }
            _ => turn.start(JobId(job)).into(),
        }
    }

    /// Starts jobs in order of arrival until one does not fit. Returns that job.
    pub fn start_heads(&mut self) -> u32 {
        let head = self.notes.arrival.start_heads(&mut self.turn);
        head.map_or(NONE, |job| job.job.0)
    }

    /// Asks for a turn at `time`, if that is in the future.
    pub fn wake_at(&mut self, time: f64) -> u32 {
        if !is_time(self, time) {
            return 0;
        }
        self.turn.wake_at(instant(time));
        1
    }

    /// Gives a waiting job the reservation of EASY, until the end of the turn. Returns the planned start;
    /// NaN if the job can never start. A second call replaces the first. A job that fits now gets no
    /// reservation, and its planned start is now.
    pub fn reserve(&mut self, job: u32) -> f64 {
        self.notes.hole = None;
        let Some(head) = entry(self, job) else {
            return f64::NAN;
        };
        if self.turn.fits(&head) {
            return microseconds(self.turn.now());
        }
        let Some(hole) = Hole::before(&head, &mut self.turn) else {
            return f64::NAN;
        };
        let start = hole.reservation(&head).start;
        self.notes.hole = Some((head, hole));
        microseconds(start)
    }

    /// Returns the extra processors of the reservation: those that are free beside it for ever.
    pub fn extra(&mut self) -> u32 {
        self.notes.hole.as_ref().map_or(0, |(_, hole)| hole.extra())
    }

    /// Returns the position of the first waiting job at or after `position` that could start now without
    /// delay to the job with the reservation.
    pub fn next_admitted(&mut self, position: u32) -> u32 {
        let Some((_, hole)) = &self.notes.hole else {
            return NONE;
        };
        let (queue, room) = (self.turn.queue(), self.turn.room());
        if room == 0 {
            return NONE;
        }
        let from = (position as usize).max(queue.first_position());
        queue
            .next_from(from, |size, expected| hole.admits(size, expected, room))
            .map_or(NONE, |(after, _)| after as u32 - 1)
    }

    /// Returns 1 if a waiting job could start now without delay to the job with the reservation.
    pub fn admits(&mut self, job: u32) -> u32 {
        let Some((_, hole)) = &self.notes.hole else {
            return 0;
        };
        let room = self.turn.room();
        let admits = |job: Waiting| hole.admits(job.processors, job.expected, room);
        entry(self, job).is_some_and(admits).into()
    }

    /// Brings the plan to the present: gives back what jobs held beyond an early end, and moves
    /// reservations to earlier starts. Returns 0 if nothing happened that the plan must know.
    pub fn plan_go_on(&mut self) -> u32 {
        if !plans(self) || self.notes.plan.is_idle(&self.turn) {
            return 0;
        }
        self.notes.plan.refresh(&self.turn, &self.notes.arrival);
        1
    }

    /// Drops every reservation.
    pub fn plan_anew(&mut self) -> u32 {
        if plans(self) {
            self.notes.plan = ReservationPlan::of_running(&self.turn);
            return 1;
        }
        0
    }

    /// Gives a waiting job its earliest reservation in the plan, and returns its start; NaN if the job
    /// can never start.
    pub fn plan_reserve(&mut self, job: u32) -> f64 {
        let Some(waiting) = entry(self, job).filter(|_| plans(self)) else {
            return f64::NAN;
        };
        self.notes.plan.reserve(&self.turn, &waiting);
        self.notes
            .plan
            .start_of(waiting.job)
            .map_or(f64::NAN, microseconds)
    }

    /// Returns the planned start of a waiting job; NaN if it holds no reservation.
    pub fn plan_reserved(&mut self, job: u32) -> f64 {
        let start = self.notes.plan.start_of(JobId(job));
        start.map_or(f64::NAN, microseconds)
    }

    /// Returns 1 if a waiting job that holds no reservation could start now without disturbing one.
    pub fn plan_admits(&mut self, job: u32) -> u32 {
        let waiting = entry(self, job).filter(|_| plans(self));
        let admits = waiting.is_some_and(|job| self.notes.plan.may_start_now(&self.turn, &job));
        admits.into()
    }

    /// Starts a waiting job that holds no reservation, if that disturbs none. Returns 1 if it started.
    pub fn plan_start(&mut self, job: u32) -> u32 {
        let Some(waiting) = entry(self, job).filter(|_| plans(self)) else {
            return 0;
        };
        let Desk { turn, notes } = self;
        notes
            .plan
            .start_now(turn, &waiting, &mut notes.arrival)
            .into()
    }

    /// Starts every job whose reservation has come, and asks for a turn at the next one.
    pub fn plan_start_due(&mut self) -> u32 {
        if !plans(self) {
            return 0;
        }
        let Desk { turn, notes } = self;
        notes.plan.start_due(turn, &mut notes.arrival);
        notes.plan.wake(turn);
        1
    }

    /// Tells a reservation that the policy holds by itself, for those who watch the run.
    pub fn hold(&mut self, job: u32, start: f64) -> u32 {
        if entry(self, job).is_none() || !is_time(self, start) {
            return 0;
        }
        let (job, start) = (JobId(job), instant(start).max(self.turn.now()));
        self.notes.reservations.retain(|known| known.job != job);
        let extra = None;
        self.notes
            .reservations
            .push(Reservation { job, start, extra });
        1
    }

    /// Tells why a waiting job does not start, for those who watch the run. The reasons are: it may not
    /// pass `other` (0), it would run into the reservation of `other` (1), another set of jobs is better
    /// (2), it was not tried (3). With [`NONE`] as the job, the reason counts for every job without one.
    pub fn because(&mut self, job: u32, reason: u32, other: u32) -> u32 {
        let is_known = self.turn.knows(JobId(other));
        let why = match reason {
            0 if is_known => Why::Behind {
                ahead: JobId(other),
            },
            1 if is_known => Why::Reserved { by: JobId(other) },
            2 => Why::NotChosen,
            3 => Why::NotTried,
            _ => return 0,
        };
        if job == NONE {
            self.notes.otherwise = Some(why);
        } else {
            self.notes.reasons.push((JobId(job), why));
        }
        1
    }

    /// Returns the mean wait of the jobs that have started.
    pub fn mean_wait(&mut self) -> f64 {
        self.turn.mean_wait().microseconds() as f64
    }

    /// Draws a number uniformly from [0, 1). Each run has its own stream.
    pub fn random(&mut self) -> f64 {
        self.notes.stream.uniform()
    }
}

/// Functions of numbers, which need no desk.
#[expect(
    clippy::unused_self,
    reason = "the list of calls makes a function of each method"
)]
impl Desk<'_> {
    /// Returns e to the power of `x`, with the same bits everywhere.
    pub fn exp(&mut self, x: f64) -> f64 {
        libm::exp(x)
    }

    /// Returns the natural logarithm of `x`, with the same bits everywhere.
    pub fn log(&mut self, x: f64) -> f64 {
        libm::log(x)
    }

    /// Returns `x` to the power of `y`, with the same bits everywhere.
    pub fn pow(&mut self, x: f64, y: f64) -> f64 {
        libm::pow(x, y)
    }
}
