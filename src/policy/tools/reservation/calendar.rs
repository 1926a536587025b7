//! Reservations of partitions: the processors that each job is expected to hold, and the period of
//! each hold.
//!
//! A calendar does the work of a [`super::ReservationPlan`] on machines on which it matters which
//! processors are free. Policies make it again at every decision. To find a reservation, it builds
//! the occupancy of the machine at each possible start.

use crate::job::JobId;
use crate::machine::{Placement, PlacementBuf};
use crate::policy::tools::order::Ranking;
use crate::sim::{Reservation, Turn, Waiting, Why, release_time};
use crate::time::Time;

/// Processors that a job holds from `start` to `end`.
#[derive(Clone, Debug)]
struct PartitionHold {
    job: JobId,
    start: Time,
    end: Time,
    placement: PlacementBuf,
}

/// The processors that running jobs and reservations hold, and the periods of these holds.
#[derive(Clone, Debug)]
pub struct Calendar {
    now: Time,
    running: Vec<PartitionHold>,
    reserved: Vec<PartitionHold>,
}

impl Calendar {
    /// Returns a calendar with the running jobs and no reservation.
    pub fn of_running(turn: &Turn<'_>) -> Self {
        let now = turn.now();
        let hold = |job: JobId, end| PartitionHold {
            job,
            start: now,
            end,
            placement: turn.placement(job).to_owned(),
        };
        let running = turn
            .running()
            .iter()
            .map(|job| hold(job.job, release_time(job.expected_end, now)))
            .collect();
        Self {
            now,
            running,
            reserved: Vec::new(),
        }
    }

    /// Returns the number of reservations.
    pub fn reserved(&self) -> usize {
        self.reserved.len()
    }

    /// Starts a job, raised by at most `raise` processors, if it disturbs no reservation. Returns
    /// true if the job started.
    pub fn start(
        &mut self,
        turn: &mut Turn<'_>,
        job: &Waiting,
        raise: u32,
        order: &mut Ranking,
    ) -> bool {
        let end = self.now.saturating_add(super::span(job));
        let until_end = self.reserved.iter().filter(|hold| hold.start < end);
        let aside: Vec<Placement<'_>> = until_end.map(|hold| hold.placement.get()).collect();
        turn.set_aside(&aside);
        let starts = order.start_within(turn, job, raise, true);
        if starts {
            self.running.push(PartitionHold {
                job: job.job,
                start: self.now,
                end,
                placement: turn.placement(job.job).to_owned(),
            });
        }
        starts
    }

    /// Gives a job the earliest partition that stays free for as long as the job is believed to
    /// run, beside the running jobs and the reservations so far. Looks only at the ends of holds,
    /// because a partition can become free only there.
    pub fn reserve(&mut self, turn: &Turn<'_>, job: &Waiting) {
        let holds = || self.running.iter().chain(&self.reserved);
        let mut instants: Vec<Time> = holds().map(|hold| hold.end).collect();
        crate::sorting::by(&mut instants, |instant| [instant.microseconds().into(), 0]);
        instants.dedup();
        for start in instants {
            let end = start.saturating_add(super::span(job));
            let mut forecast = turn.empty();
            holds()
                .filter(|hold| hold.start < end && hold.end > start)
                .for_each(|hold| forecast.occupy(hold.job, hold.placement.get()));
            let placement = forecast.place(job);
            if !placement.ranges.is_empty() {
                return self.reserved.push(PartitionHold {
                    job: job.job,
                    start,
                    end,
                    placement,
                });
            }
        }
    }

    /// Tells observers that watch the reservations and the reasons for waiting. Sizes may be raised
    /// by at most `raise` processors.
    pub fn explain(&self, turn: &mut Turn<'_>, raise: u32) {
        if !turn.is_watched() {
            return;
        }
        let reservations: Vec<(Reservation, Placement<'_>)> = self
            .reserved
            .iter()
            .map(|hold| {
                (
                    Reservation {
                        job: hold.job,
                        start: hold.start,
                        extra: None,
                    },
                    hold.placement.get(),
                )
            })
            .collect();
        let free = turn.free();
        let too_large = turn.too_large(free);
        let placed = turn.fitting(raise);
        turn.explain_placed(&reservations, |job| {
            let until = self.now.saturating_add(super::span(job));
            let holder = self
                .reserved
                .iter()
                .find(|hold| hold.job != job.job && hold.start < until);
            match holder {
                _ if job.processors > free => Why::Processors { free },
                _ if !placed.contains(&job.job) => too_large,
                Some(hold) => Why::Reserved { by: hold.job },
                None => Why::NotTried,
            }
        });
    }
}
