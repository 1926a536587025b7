//! The shadow time of EASY: when the head of the queue will start, and what may be used until then.

use crate::sim::{Reservation, Running, Turn, Waiting};
use crate::time::{Span, Time};

/// The reservation of the head of the queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shadow {
    /// The earliest time at which, by what is believed of the running jobs, enough processors are free for the head.
    pub time: Time,
    /// Processors free then beyond the head's need, all releases at that instant counted.
    pub extra: u32,
}

/// When a running job is taken to end: as expected, or if it is overdue one second from now, the resolution of traces.
pub fn release_time(expected_end: Time, now: Time) -> Time {
    if expected_end > now { expected_end } else { now + Span::SECOND }
}

/// The head's reservation, given what is free now and who runs. `None` if it fits not even in the empty machine.
pub fn shadow(head: &Waiting, free: u32, running: &Running, now: Time) -> Option<Shadow> {
    let mut available = free;
    let mut releases = running.iter().peekable();
    while let Some(release) = releases.next() {
        available += release.processors;
        let time = release_time(release.expected_end, now);
        let more_then = releases.peek().is_some_and(|next| release_time(next.expected_end, now) == time);
        if available >= head.processors && !more_then {
            return Some(Shadow { time, extra: available - head.processors });
        }
    }
    None
}

/// What backfilling may use: the free processors until the shadow time, the extra ones for ever.
#[derive(Copy, Clone, Debug)]
pub struct Hole {
    shadow: Shadow,
    now: Time,
    extra: u32,
}

impl Hole {
    /// The hole before the reservation of a head that does not fit now.
    pub fn before(head: &Waiting, turn: &Turn<'_>) -> Option<Self> {
        let shadow = shadow(head, turn.free(), turn.running(), turn.now())?;
        Some(Self { shadow, now: turn.now(), extra: shadow.extra })
    }

    /// Whether a job of this size and belief may start now. The head never may: it does not fit.
    pub fn admits(&self, processors: u32, expected: Span, free: u32) -> bool {
        processors <= free && (!self.is_long(expected) || processors <= self.extra)
    }

    /// Whether a job that starts now would still run at the shadow time.
    pub fn is_long(&self, expected: Span) -> bool {
        expected > self.shadow.time - self.now
    }

    /// Extra processors that are left.
    pub fn extra(&self) -> u32 {
        self.extra
    }

    /// A job was started.
    pub fn take(&mut self, job: &Waiting) {
        if self.is_long(job.expected) {
            self.extra -= job.processors;
        }
    }

    /// The reservation of the head, as observers see it.
    pub fn reservation(&self, head: &Waiting) -> Reservation {
        Reservation { job: head.job, start: self.shadow.time, extra: Some(self.extra) }
    }
}
