//! The functions that the code of an own policy may call while it decides.
//!
//! All of them take and return plain numbers, so that any language can call them. Times are whole
//! microseconds in an `f64`, which is exact up to 285 years. A *position* is a place in the queue; it
//! is valid until the turn ends. [`NONE`] stands for no position and no job. A function that is
//! called while no policy decides returns 0, [`NONE`] or NaN.

use super::desk::{Desk, with};
use crate::job::{JobId, Request};
use crate::policy::tools::reservation::{Hole, ReservationPlan};
use crate::sim::{Reservation, Waiting, Why};
use crate::time::{Span, Time};

/// No position, or no job.
pub const NONE: u32 = u32::MAX;

/// The latest time, and the longest belief, in microseconds: 2^53, up to which every whole number is
/// exact.
pub const LONGEST: f64 = 9_007_199_254_740_992.0;

/// Hands the list of all calls to a macro, as `name(argument: type, ...) -> type;`. Each host makes
/// its own table of functions from it.
#[macro_export]
macro_rules! each_call {
    ($make:ident) => {
        $make! {
            now() -> f64;
            began() -> f64;
            capacity() -> u32;
            free() -> u32;
            room() -> u32;
            timers() -> u32;
            watched() -> u32;
            waiting() -> u32;
            first() -> u32;
            next(position: u32, size: u32, expected: f64, extra: u32) -> u32;
            position(job: u32) -> u32;
            job_at(position: u32) -> u32;
            size_at(position: u32) -> u32;
            expected_at(position: u32) -> f64;
            arrived() -> u32;
            arrived_job(index: u32) -> u32;
            ended() -> u32;
            ended_job(index: u32) -> u32;
            running() -> u32;
            running_job(index: u32) -> u32;
            running_size(index: u32) -> u32;
            running_end(index: u32) -> f64;
            submitted(job: u32) -> f64;
            estimate(job: u32) -> f64;
            size(job: u32) -> u32;
            number(job: u32) -> f64;
            of(job: u32, field: u32) -> f64;
            fits(size: u32) -> u32;
            start(job: u32) -> u32;
            start_heads() -> u32;
            wake_at(time: f64) -> u32;
            reserve(job: u32) -> f64;
            extra() -> u32;
            next_admitted(position: u32) -> u32;
            admits(job: u32) -> u32;
            plan_go_on() -> u32;
            plan_anew() -> u32;
            plan_reserve(job: u32) -> f64;
            plan_reserved(job: u32) -> f64;
            plan_admits(job: u32) -> u32;
            plan_start(job: u32) -> u32;
            plan_start_due() -> u32;
            hold(job: u32, start: f64) -> u32;
            because(job: u32, reason: u32, other: u32) -> u32;
            mean_wait() -> f64;
            random() -> f64;
            exp(x: f64) -> f64;
            log(x: f64) -> f64;
            pow(x: f64, y: f64) -> f64;
        }
    };
}

pub use each_call;

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

/// Returns the instant of the turn.
pub fn now() -> f64 {
    with(f64::NAN, |desk| microseconds(desk.turn.now()))
}

/// Returns the instant at which the run began.
pub fn began() -> f64 {
    with(f64::NAN, |desk| microseconds(desk.turn.began()))
}

/// Returns the number of processors of the machine.
pub fn capacity() -> u32 {
    with(0, |desk| desk.turn.capacity())
}

/// Returns the number of free processors.
pub fn free() -> u32 {
    with(0, |desk| desk.turn.free())
}

/// Returns the size of the largest job that could start now.
pub fn room() -> u32 {
    with(0, |desk| desk.turn.room())
}

/// Returns the number of timers that are due at this instant.
pub fn timers() -> u32 {
    with(0, |desk| desk.turn.timers())
}

/// Returns 1 if somebody watches the run, and wants reservations and reasons.
pub fn watched() -> u32 {
    with(0, |desk| desk.turn.is_watched().into())
}

/// Returns the number of waiting jobs.
pub fn waiting() -> u32 {
    with(0, |desk| desk.turn.queue().len() as u32)
}

/// Returns the position of the job that arrived first of those that wait.
pub fn first() -> u32 {
    next(0, NONE, f64::INFINITY, 0)
}

/// Returns the position of the first waiting job at or after `position` that needs at most `size`
/// processors, and that is believed to run for at most `expected` or needs at most `extra`
/// processors.
pub fn next(position: u32, size: u32, expected: f64, extra: u32) -> u32 {
    with(NONE, |desk| {
        let longest = Span::from_microseconds(expected as i64);
        let queue = desk.turn.queue();
        let from = (position as usize).max(queue.first_position());
        let admits = |processors, believed| {
            processors <= size && (believed <= longest || processors <= extra)
        };
        queue
            .next_from(from, admits)
            .map_or(NONE, |(after, _)| after as u32 - 1)
    })
}

/// Returns the position of a waiting job.
pub fn position(job: u32) -> u32 {
    with(NONE, |desk| {
        let position = desk.turn.queue().position(JobId(job));
        position.map_or(NONE, |position| position as u32)
    })
}

/// Returns the job at a position.
pub fn job_at(position: u32) -> u32 {
    with(NONE, |desk| {
        waiting_at(desk, position).map_or(NONE, |job| job.job.0)
    })
}

/// Returns the size of the job at a position.
pub fn size_at(position: u32) -> u32 {
    with(0, |desk| {
        waiting_at(desk, position).map_or(0, |job| job.processors)
    })
}

/// Returns the belief about the run time of the job at a position.
pub fn expected_at(position: u32) -> f64 {
    with(f64::NAN, |desk| {
        waiting_at(desk, position).map_or(f64::NAN, |job| job.expected.microseconds() as f64)
    })
}

/// Returns the number of jobs that arrived since the last turn.
pub fn arrived() -> u32 {
    with(0, |desk| desk.turn.arrived().len() as u32)
}

/// Returns one of the jobs that arrived since the last turn.
pub fn arrived_job(index: u32) -> u32 {
    with(NONE, |desk| {
        let job = desk.turn.arrived().get(index as usize);
        job.map_or(NONE, |job| job.0)
    })
}

/// Returns the number of jobs that ended since the last turn.
pub fn ended() -> u32 {
    with(0, |desk| desk.turn.finished().len() as u32)
}

/// Returns one of the jobs that ended since the last turn.
pub fn ended_job(index: u32) -> u32 {
    with(NONE, |desk| {
        let job = desk.turn.finished().get(index as usize);
        job.map_or(NONE, |job| job.0)
    })
}

/// Returns the number of running jobs. The calls for a running job refer to the jobs that run now,
/// until the next call of this function.
pub fn running() -> u32 {
    with(0, |desk| {
        let releases = desk.turn.running().releases(desk.turn.now());
        desk.notes.releases.clear();
        let jobs = releases.map(|(time, job)| (time, job.job, job.processors));
        desk.notes.releases.extend(jobs);
        desk.notes.releases.len() as u32
    })
}

/// Returns a running job. The jobs are in order of their release times.
pub fn running_job(index: u32) -> u32 {
    with(NONE, |desk| {
        let job = desk.notes.releases.get(index as usize);
        job.map_or(NONE, |(_, job, _)| job.0)
    })
}

/// Returns the size of a running job.
pub fn running_size(index: u32) -> u32 {
    with(0, |desk| {
        let job = desk.notes.releases.get(index as usize);
        job.map_or(0, |(_, _, size)| *size)
    })
}

/// Returns the release time of a running job: its expected end or, if that is not in the future, one
/// second from now.
pub fn running_end(index: u32) -> f64 {
    with(f64::NAN, |desk| {
        let job = desk.notes.releases.get(index as usize);
        job.map_or(f64::NAN, |(time, _, _)| microseconds(*time))
    })
}

/// Returns the submission of a job that has arrived.
pub fn submitted(job: u32) -> f64 {
    with(f64::NAN, |desk| {
        request(desk, job).map_or(f64::NAN, |request| microseconds(request.submitted))
    })
}

/// Returns the requested time of a job that has arrived.
pub fn estimate(job: u32) -> f64 {
    with(f64::NAN, |desk| {
        request(desk, job).map_or(f64::NAN, |request| request.estimate.microseconds() as f64)
    })
}

/// Returns the size of a job that has arrived.
pub fn size(job: u32) -> u32 {
    with(0, |desk| {
        request(desk, job).map_or(0, |request| request.processors)
    })
}

/// Returns the number that a job has in its trace.
pub fn number(job: u32) -> f64 {
    with(f64::NAN, |desk| {
        request(desk, job).map_or(f64::NAN, |request| request.number as f64)
    })
}

/// Returns the user (field 0), group (1), application (2) or queue (3) of a job that has arrived; -1
/// if it is unknown.
pub fn of(job: u32, field: u32) -> f64 {
    with(f64::NAN, |desk| {
        request(desk, job).map_or(f64::NAN, |request| {
            f64::from(match field {
                0 => request.user,
                1 => request.group,
                2 => request.application,
                3 => request.queue,
                _ => -1,
            })
        })
    })
}

/// Returns 1 if a job of this size could start now.
pub fn fits(size: u32) -> u32 {
    with(0, |desk| desk.turn.fits(size).into())
}

/// Starts a waiting job. After [`reserve`] a job that the reservation admits uses only processors
/// that do not delay the job that holds it. Returns 0, with nothing changed, if the job does not wait
/// or does not fit.
pub fn start(job: u32) -> u32 {
    with(0, |desk| {
        let Some(waiting) = entry(desk, job) else {
            return 0;
        };
        let Desk { turn, notes } = desk;
        let room = turn.room();
        match &mut notes.hole {
            Some((_, hole)) if hole.admits(waiting.processors, waiting.expected, room) => {
                hole.start(turn, &waiting, 1, &mut notes.arrival).into()
            }
            _ => turn.start(JobId(job)).into(),
        }
    })
}

/// Starts jobs in order of arrival until one does not fit. Returns that job.
pub fn start_heads() -> u32 {
    with(NONE, |desk| {
        let head = desk.notes.arrival.start_heads(&mut desk.turn);
        head.map_or(NONE, |job| job.job.0)
    })
}

/// Asks for a turn at `time`, if that is in the future.
pub fn wake_at(time: f64) -> u32 {
    with(0, |desk| {
        if !is_time(desk, time) {
            return 0;
        }
        desk.turn.wake_at(instant(time));
        1
    })
}

/// Gives a waiting job the reservation of EASY, until the end of the turn. Returns the planned start;
/// NaN if the job can never start. A second call replaces the first. A job that fits now gets no
/// reservation, and its planned start is now.
pub fn reserve(job: u32) -> f64 {
    with(f64::NAN, |desk| {
        desk.notes.hole = None;
        let Some(head) = entry(desk, job) else {
            return f64::NAN;
        };
        if desk.turn.fits(head.processors) {
            return microseconds(desk.turn.now());
        }
        let Some(hole) = Hole::before(&head, &mut desk.turn) else {
            return f64::NAN;
        };
        let start = hole.reservation(&head).start;
        desk.notes.hole = Some((head, hole));
        microseconds(start)
    })
}

/// Returns the extra processors of the reservation: those that are free beside it for ever.
pub fn extra() -> u32 {
    with(0, |desk| {
        desk.notes.hole.as_ref().map_or(0, |(_, hole)| hole.extra())
    })
}

/// Returns the position of the first waiting job at or after `position` that could start now without
/// delay to the job with the reservation.
pub fn next_admitted(position: u32) -> u32 {
    with(NONE, |desk| {
        let Some((_, hole)) = &desk.notes.hole else {
            return NONE;
        };
        let (queue, room) = (desk.turn.queue(), desk.turn.room());
        let from = (position as usize).max(queue.first_position());
        queue
            .next_from(from, |size, expected| hole.admits(size, expected, room))
            .map_or(NONE, |(after, _)| after as u32 - 1)
    })
}

/// Returns 1 if a waiting job could start now without delay to the job with the reservation.
pub fn admits(job: u32) -> u32 {
    with(0, |desk| {
        let Some((_, hole)) = &desk.notes.hole else {
            return 0;
        };
        let room = desk.turn.room();
        let admits = |job: Waiting| hole.admits(job.processors, job.expected, room);
        entry(desk, job).is_some_and(admits).into()
    })
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

/// Brings the plan to the present: gives back what jobs held beyond an early end, and moves
/// reservations to earlier starts. Returns 0 if nothing happened that the plan must know.
pub fn plan_go_on() -> u32 {
    with(0, |desk| {
        if !plans(desk) || desk.notes.plan.is_idle(&desk.turn) {
            return 0;
        }
        desk.notes.plan.refresh(&desk.turn, &desk.notes.arrival);
        1
    })
}

/// Drops every reservation.
pub fn plan_anew() -> u32 {
    with(0, |desk| {
        if plans(desk) {
            desk.notes.plan = ReservationPlan::of_running(&desk.turn);
            return 1;
        }
        0
    })
}

/// Gives a waiting job its earliest reservation in the plan, and returns its start; NaN if the job
/// can never start.
pub fn plan_reserve(job: u32) -> f64 {
    with(f64::NAN, |desk| {
        let Some(waiting) = entry(desk, job).filter(|_| plans(desk)) else {
            return f64::NAN;
        };
        desk.notes.plan.reserve(&waiting);
        desk.notes
            .plan
            .start_of(waiting.job)
            .map_or(f64::NAN, microseconds)
    })
}

/// Returns the planned start of a waiting job; NaN if it holds no reservation.
pub fn plan_reserved(job: u32) -> f64 {
    with(f64::NAN, |desk| {
        let start = desk.notes.plan.start_of(JobId(job));
        start.map_or(f64::NAN, microseconds)
    })
}

/// Returns 1 if a waiting job that holds no reservation could start now without disturbing one.
pub fn plan_admits(job: u32) -> u32 {
    with(0, |desk| {
        let waiting = entry(desk, job).filter(|_| plans(desk));
        let admits = waiting.is_some_and(|job| desk.notes.plan.may_start_now(&desk.turn, &job));
        admits.into()
    })
}

/// Starts a waiting job that holds no reservation, if that disturbs none. Returns 1 if it started.
pub fn plan_start(job: u32) -> u32 {
    with(0, |desk| {
        let Some(waiting) = entry(desk, job).filter(|_| plans(desk)) else {
            return 0;
        };
        let Desk { turn, notes } = desk;
        notes
            .plan
            .start_now(turn, &waiting, &mut notes.arrival)
            .into()
    })
}

/// Starts every job whose reservation has come, and asks for a turn at the next one.
pub fn plan_start_due() -> u32 {
    with(0, |desk| {
        if !plans(desk) {
            return 0;
        }
        let Desk { turn, notes } = desk;
        notes.plan.start_due(turn, &mut notes.arrival);
        notes.plan.wake(turn);
        1
    })
}

/// Tells a reservation that the policy holds by itself, for those who watch the run.
pub fn hold(job: u32, start: f64) -> u32 {
    with(0, |desk| {
        if entry(desk, job).is_none() || !is_time(desk, start) {
            return 0;
        }
        let (job, start) = (JobId(job), instant(start).max(desk.turn.now()));
        desk.notes.reservations.retain(|known| known.job != job);
        let extra = None;
        desk.notes
            .reservations
            .push(Reservation { job, start, extra });
        1
    })
}

/// Tells why a waiting job does not start, for those who watch the run. The reasons are: it may not
/// pass `other` (0), it would run into the reservation of `other` (1), another set of jobs is better
/// (2), it was not tried (3). With [`NONE`] as the job, the reason counts for every job without one.
pub fn because(job: u32, reason: u32, other: u32) -> u32 {
    with(0, |desk| {
        let is_known = desk.turn.knows(JobId(other));
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
            desk.notes.otherwise = Some(why);
        } else {
            desk.notes.reasons.push((JobId(job), why));
        }
        1
    })
}

/// Returns the mean wait of the jobs that have started.
pub fn mean_wait() -> f64 {
    with(f64::NAN, |desk| desk.turn.mean_wait().microseconds() as f64)
}

/// Draws a number uniformly from [0, 1). Each run has its own stream.
pub fn random() -> f64 {
    with(f64::NAN, |desk| desk.notes.stream.uniform())
}

/// Returns e to the power of `x`, with the same bits everywhere.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Returns the natural logarithm of `x`, with the same bits everywhere.
pub fn log(x: f64) -> f64 {
    libm::log(x)
}

/// Returns `x` to the power of `y`, with the same bits everywhere.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}
