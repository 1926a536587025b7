//! The shadow time of EASY: when the head of the queue will start, and how much is left over then.

use crate::sim::{Running, Waiting};
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
