//! The shadow time of EASY: the start that the head of the queue can expect, and the processors
//! that backfilling may use until then.

use crate::machine::{Placement, PlacementBuf};
use crate::policy::tools::order::Ranking;
use crate::sim::{Later, Reservation, Running, RunningJob, Turn, Waiting, Why};
use crate::time::{Span, Time};

/// The reservation of the head of the queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shadow {
    /// The earliest time at which enough processors are free for the head, according to the beliefs
    /// about running jobs.
    pub time: Time,
    /// Processors that are free then beyond the head's need, after all releases of that instant.
    pub extra: u32,
}

/// Returns the reservation of the head, given the free processors and the running jobs. Returns
/// `None` if the head does not fit even in the empty machine.
pub fn shadow(head: &Waiting, free: u32, running: &Running, now: Time) -> Option<Shadow> {
    // Few instants have overdue jobs. Without them the list is already in the order of releases.
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

/// Returns the reservation of the head on a machine with geometry or nodes, and the processors that
/// the head will get. On a machine with nodes also returns the machine as it will be then.
fn shadow_of_partition(
    head: &Waiting,
    turn: &Turn<'_>,
) -> Option<(Shadow, PlacementBuf, Option<Later>)> {
    let (running, now) = (turn.running(), turn.now());
    // Few instants have overdue jobs. Without them the list is already in the order of releases.
    if running.has_overdue(now) {
        first_partition(head, turn, &mut running.releases(now))
    } else {
        let mut releases = running.iter().map(|job| (job.expected_end, job));
        first_partition(head, turn, &mut releases)
    }
}

/// Does what [`shadow_of_partition`] does, with these releases, earliest first.
fn first_partition(
    head: &Waiting,
    turn: &Turn<'_>,
    releases: &mut dyn Iterator<Item = (Time, &RunningJob)>,
) -> Option<(Shadow, PlacementBuf, Option<Later>)> {
    let mut forecast = turn.forecast(head);
    let mut releases = releases.peekable();
    let mut opening = turn.next_opening(turn.now());
    loop {
        let release = releases.peek().map(|(time, _)| *time);
        let time = match (release, opening) {
            (Some(release), Some(opening)) => release.min(opening),
            _ => release.or(opening)?,
        };
        while let Some((_, release)) = releases.next_if(|(next, _)| *next == time) {
            forecast.release(release.job);
        }
        if opening == Some(time) {
            opening = turn.next_opening(time);
        }
        forecast.move_to(time);
        if forecast.fits(head) {
            let free = forecast.free();
            let partition = forecast.claim(head);
            if turn.has_nodes() {
                // A job may need fewer cores than it gets, if it gets whole nodes.
                let extra = free.saturating_sub(head.processors);
                let later = forecast.keep_for(head, partition.get());
                return Some((Shadow { time, extra }, partition, Some(later)));
            }
            let extra = forecast.free();
            return Some((Shadow { time, extra }, partition, None));
        }
    }
}

/// The processors that backfilling may use: all free ones until the shadow time, and the extra ones
/// without limit.
#[derive(Clone, Debug)]
pub struct Hole {
    shadow: Shadow,
    /// Time until the shadow time. A job that is believed to run longer still runs then.
    length: Span,
    extra: u32,
    /// The processors that the head will get, on a machine with geometry or nodes. Empty on others.
    partition: PlacementBuf,
    /// The machine as it will be at the shadow time, if it has nodes. A long job must leave room for
    /// the head in it.
    later: Option<Later>,
}

impl Hole {
    /// Returns the hole before the reservation of a head that does not fit now. On a machine with
    /// geometry, sets aside the partition of the head. Returns `None` if the head can never start.
    pub fn before(head: &Waiting, turn: &mut Turn<'_>) -> Option<Self> {
        let (shadow, partition, later) = if turn.has_geometry() || turn.has_nodes() {
            shadow_of_partition(head, turn)?
        } else {
            (
                shadow(head, turn.free(), turn.running(), turn.now())?,
                PlacementBuf::default(),
                None,
            )
        };
        if later.is_none() {
            turn.set_aside(&[partition.get()]);
        }
        let length = shadow.time - turn.now();
        // If the shadow time is now, every job counts as long, even one with a belief of 0 s.
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
            later,
        })
    }

    /// True if a job of this size and belief may start now. Looks only at numbers of processors;
    /// `room` is the size of the largest job that could start. The head is never admitted, because
    /// it does not fit.
    pub fn admits(&self, processors: u32, expected: Span, room: u32) -> bool {
        processors <= room && (!self.is_long(expected) || processors <= self.extra)
    }

    /// True if a job that starts now would still run at the shadow time.
    pub fn is_long(&self, expected: Span) -> bool {
        expected > self.length
    }

    /// Returns the extra processors that are left.
    pub fn extra(&self) -> u32 {
        self.extra
    }

    /// Starts an admitted job, raised by at most `raise` processors. A long job avoids the
    /// partition of the head. Returns true if the job started.
    pub fn start(
        &mut self,
        turn: &mut Turn<'_>,
        job: &Waiting,
        raise: u32,
        order: &mut Ranking,
    ) -> bool {
        let is_long = self.is_long(job.expected);
        let starts = match &mut self.later {
            Some(later) if is_long => order.start_sparing(turn, job, later),
            _ => order.start_within(turn, job, raise, is_long),
        };
        if starts && is_long {
            self.extra -= job.processors;
        }
        starts
    }

    /// Starts the waiting jobs, in `order`, that do not delay the head. On machines with geometry a
    /// job gets at most one processor more than it asks for, as under EASY by default.
    pub fn backfill(&mut self, turn: &mut Turn<'_>, order: &mut Ranking) {
        let room = turn.room();
        let mut candidates: Vec<Waiting> = turn
            .queue()
            .admitted(|size, expected| self.admits(size, expected, room))
            .collect();
        order.sort(turn, &mut candidates);
        self.start_all(turn, &candidates, 1, order);
    }

    /// Starts the jobs of this list that the hole admits, one after the other, as [`Hole::start`]
    /// does.
    pub fn start_all(
        &mut self,
        turn: &mut Turn<'_>,
        jobs: &[Waiting],
        raise: u32,
        order: &mut Ranking,
    ) {
        for job in jobs {
            if self.admits(job.processors, job.expected, turn.room()) {
                self.start(turn, job, raise, order);
            }
        }
    }

    /// Ends a turn in which the policy tried every waiting job: tells the reservation of the head,
    /// and why the waiting jobs did not start.
    pub fn explain(&self, turn: &mut Turn<'_>, head: &Waiting) {
        let (free, room) = (turn.free(), turn.room());
        let too_large = turn.too_large(free);
        let reservation = (self.reservation(head), self.partition());
        turn.explain_placed(&[reservation], |job| match job.processors {
            size if size > free => Why::Processors { free },
            size if size > room || job.job == head.job => too_large,
            _ => Why::Reserved { by: head.job },
        });
    }

    /// Returns the reservation of the head, for [`Turn::explain`].
    pub fn reservation(&self, head: &Waiting) -> Reservation {
        Reservation {
            job: head.job,
            start: self.shadow.time,
            extra: Some(self.extra),
        }
    }

    /// Returns the processors that the head will get. Empty on a machine without geometry.
    pub fn partition(&self) -> Placement<'_> {
        self.partition.get()
    }
}
