//! The shadow time of EASY: when the head of the queue will start, and what may be used until then.

use crate::machine::{Placement, PlacementBuf};
use crate::policy::tools::order::Ranking;
use crate::sim::{Reservation, Running, RunningJob, Turn, Waiting};
use crate::time::{Span, Time};

/// The reservation of the head of the queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shadow {
    /// The earliest time at which, by what is believed of the running jobs, enough processors are
    /// free for the head.
    pub time: Time,
    /// Processors free then beyond the head's need, all releases at that instant counted.
    pub extra: u32,
}

/// The head's reservation, given what is free now and who runs. `None` if it fits not even in the
/// empty machine.
pub fn shadow(head: &Waiting, free: u32, running: &Running, now: Time) -> Option<Shadow> {
    // Few instants have overdue jobs, and without them the list is in the order of releases.
    if running.has_overdue(now) {
        first_release(head.processors, free, running.releases(now))
    } else {
        let releases = running.iter().map(|job| (job.expected_end, job));
        first_release(head.processors, free, releases)
    }
}

fn first_release<'a>(
    wanted: u32,
    free: u32,
    releases: impl Iterator<Item = (Time, &'a RunningJob)>,
) -> Option<Shadow> {
    let mut available = free;
    let mut releases = releases.peekable();
    while let Some((time, release)) = releases.next() {
        available += release.processors;
        let more_then = releases.peek().is_some_and(|(next, _)| *next == time);
        if available >= wanted && !more_then {
            return Some(Shadow {
                time,
                extra: available - wanted,
            });
        }
    }
    None
}

/// The same where it matters which processors are free: the reservation is for a partition too.
fn shadow_of_partition(head: &Waiting, turn: &Turn<'_>) -> Option<(Shadow, PlacementBuf)> {
    let mut forecast = turn.forecast();
    let mut releases = turn.running().releases(turn.now()).peekable();
    while let Some((time, release)) = releases.next() {
        forecast.release(release.job);
        let more_then = releases.peek().is_some_and(|(next, _)| *next == time);
        if !more_then && forecast.fits(head.processors) {
            let partition = forecast.place(head.processors);
            return Some((
                Shadow {
                    time,
                    extra: forecast.free(),
                },
                partition,
            ));
        }
    }
    None
}

/// What backfilling may use: the free processors until the shadow time, the extra ones for ever.
#[derive(Clone, Debug)]
pub struct Hole {
    shadow: Shadow,
    /// A job that is believed to run longer is still running at the shadow time.
    length: Span,
    extra: u32,
    /// Where it matters which processors are free, those that the head will get.
    partition: PlacementBuf,
}

impl Hole {
    /// The hole before the reservation of a head that does not fit now. On machines with geometry
    /// its partition is set aside.
    pub fn before(head: &Waiting, turn: &mut Turn<'_>) -> Option<Self> {
        let (shadow, partition) = if turn.has_geometry() {
            shadow_of_partition(head, turn)?
        } else {
            (
                shadow(head, turn.free(), turn.running(), turn.now())?,
                PlacementBuf::default(),
            )
        };
        turn.set_aside(&[partition.get()]);
        let length = shadow.time - turn.now();
        // If the shadow time is now, every job counts as long, also one that is believed to run for
        // 0 s.
        let length = if length == Span::ZERO {
            Span::from_microseconds(-1)
        } else {
            length
        };
        Some(Self {
            shadow,
            length,
            extra: shadow.extra,
            partition,
        })
    }

    /// Whether a job of this size and belief may start now, as far as numbers of processors go;
    /// `room` are those of the largest job that could. The head never may: it does not fit.
    pub fn admits(&self, processors: u32, expected: Span, room: u32) -> bool {
        processors <= room && (!self.is_long(expected) || processors <= self.extra)
    }

    /// Whether a job that starts now would still run at the shadow time.
    pub fn is_long(&self, expected: Span) -> bool {
        expected > self.length
    }

    /// Extra processors that are left.
    pub fn extra(&self) -> u32 {
        self.extra
    }

    /// Starts a job that it admits, raised by at most `raise` processors, and beside the head's
    /// partition if it is long.
    pub fn start(
        &mut self,
        turn: &mut Turn<'_>,
        job: &Waiting,
        raise: u32,
        order: &mut Ranking,
    ) -> bool {
        let is_long = self.is_long(job.expected);
        let starts = order.start_within(turn, job, raise, is_long);
        if starts && is_long {
            self.extra -= job.processors;
        }
        starts
    }

    /// The reservation of the head, as observers see it.
    pub fn reservation(&self, head: &Waiting) -> Reservation {
        Reservation {
            job: head.job,
            start: self.shadow.time,
            extra: Some(self.extra),
        }
    }

    /// The processors that the head will get, where it matters which.
    pub fn partition(&self) -> Placement<'_> {
        self.partition.get()
    }
}
