//! Reservations of partitions: who is to hold which processors from when to when, by what is
//! believed of run times.
//!
//! This is [`super::Plan`] for machines on which it matters which processors are free. It is made
//! anew at every instant: an occupancy of the machine for each time that comes into question.

use crate::job::JobId;
use crate::machine::{Placement, PlacementBuf};
use crate::policy::tools::order::Ranking;
use crate::sim::{Reservation, Turn, Waiting, Why, release_time};
use crate::time::Time;

/// Processors held from `start` to `end`.
#[derive(Clone, Debug)]
struct PartitionHold {
    job: JobId,
    start: Time,
    end: Time,
    placement: PlacementBuf,
}

/// Who holds what and when.
#[derive(Clone, Debug)]
pub struct Calendar {
    now: Time,
    running: Vec<PartitionHold>,
    reserved: Vec<PartitionHold>,
}

impl Calendar {
    /// The running jobs, no reservation.
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

    /// How many reservations it has.
    pub fn reserved(&self) -> usize {
        self.reserved.len()
    }

    /// Starts a job, raised by at most `raise` processors, if it disturbs no reservation. Whether
    /// it does.
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

    /// Gives a job the earliest partition that disturbs nobody before it: from the first instant on
    /// at which, all the time that the job is believed to take, one is free.
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
                .for_each(|hold| forecast.occupy(hold.placement.get()));
            let placement = forecast.place(job.processors);
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

    /// Tells who wants to know; sizes are raised by at most `raise` processors.
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
        let placed = turn.sizes_within(raise);
        turn.explain_placed(&reservations, |job| {
            let until = self.now.saturating_add(super::span(job));
            let holder = self
                .reserved
                .iter()
                .find(|hold| hold.job != job.job && hold.start < until);
            match holder {
                _ if job.processors > free => Why::Processors { free },
                _ if !placed.contains(&job.processors) => too_large,
                Some(hold) => Why::Reserved { by: hold.job },
                None => Why::NotTried,
            }
        });
    }
}
