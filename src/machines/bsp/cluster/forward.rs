//! Many iterations in one step, as long as no event can come in between.
//!
//! While all processes of a job run and spin, no event can take their processors before the turn
//! ends, a job may start or a job may end. Until then, the end of each iteration follows from the
//! ends of the iteration before it: computing begins when the messages of the partners are there,
//! and daemons delay it. The result is bit by bit that of the single events.

use super::class::Class;
use super::clocks::NEVER;
use super::lane::{NOBODY, Pe};
use super::process::{Phase, Process};
use super::{Algorithm, ProcessCluster};
use crate::job::Pattern;

/// Largest number of iterations in one step. A caller with a small budget gets control back soon.
const MOST_LEVELS: u64 = 4096;

/// Values for the processes of a job while it advances, one value for each process.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// End of the computing of this iteration.
    ends: Vec<i64>,
    /// End of the computing of the next iteration.
    next: Vec<i64>,
    /// Computing time of an iteration.
    work: Vec<i64>,
    /// Instant of the next daemon.
    noise: Vec<i64>,
    waited: Vec<i64>,
    computed: Vec<i64>,
    waits: Vec<i64>,
    /// Rank of each process to which a daemon came in an iteration, and the instant of the first
    /// one.
    came: Vec<(usize, i64)>,
}

impl ProcessCluster {
    /// Returns the instant until which only processes and daemons act on the processors.
    fn horizon(&mut self) -> i64 {
        if self.now >= self.earliest_end {
            self.earliest_end = self.earliest_end();
        }
        self.until
            .min(self.turn_ends)
            .min(self.earliest_end)
            .min(self.unseen_until())
    }

    /// Returns an instant before which no job ends.
    pub(super) fn earliest_end(&self) -> i64 {
        // Other processes that may not run now can run before the turn ends, as soon as the process
        // ends that has their processor for itself.
        let is_gang = self.constants.algorithm == Algorithm::Gang;
        let least = |job: &super::Job| {
            let of = |process: &Process| {
                let pe = &self.pes[process.pe as usize];
                let is_allowed = pe.allowed >> job.row & 1 == 1;
                let waits_for_turn = self.turn_ends != NEVER
                    && !is_allowed
                    && (is_gang || process.record.class == Class::CS);
                let computed = match pe.running == job.row && pe.begin != NEVER {
                    true => pe.due,
                    false if waits_for_turn => self.now.max(self.turn_ends) + process.work,
                    false => self.now + process.work,
                };
                let left = if job.degree == 0 {
                    0
                } else {
                    (job.iterations - 1).saturating_sub(process.iterations)
                };
                let shortest = process.compute - process.compute * job.shape.jitter / 1_000_000;
                computed.saturating_add(shortest.saturating_mul(left as i64))
            };
            let processes = job.seats.iter().map(|seat| &self.processes[*seat as usize]);
            processes
                .filter(|process| process.phase != Phase::Done)
                .map(of)
                .max()
                .unwrap_or(self.now)
        };
        self.jobs
            .iter()
            .filter(|job| job.is_here)
            .map(least)
            .min()
            .unwrap_or(NEVER)
    }

    /// Computes through all daemons that come before any other event can. The process that runs
    /// must not communicate and must not share its processor.
    pub(super) fn compute_through_noise(&mut self, pe: usize) {
        let lane = self.lane(pe);
        let Pe {
            running,
            begin,
            due,
            wake,
            expires,
            noise,
            ..
        } = *lane.pe;
        if running == NOBODY || due == NEVER || begin > noise || wake != NEVER || expires != NEVER {
            return;
        }
        let process = &lane.processes[running as usize];
        let (phase, job) = (process.phase, process.job as usize);
        if !self.forwards || self.jobs[job].degree > 0 || phase != Phase::Compute {
            return;
        }
        let horizon = self.horizon();
        if horizon < noise || due <= noise {
            return;
        }
        let (period, length) = (self.constants.noise_period, self.constants.noise_length);
        // Each daemon leaves `period - length` of a period for computing. Counts the daemons that
        // come before the computing ends.
        let until_done = (due - noise + (period - length) - 1) / (period - length);
        let times = until_done.min((horizon - noise) / period + 1);
        let more = times - 1;
        let done = more * (period - length);
        let mut lane = self.lane(pe);
        lane.disturb(noise);
        let (pe, process) = (lane.pe, &mut lane.processes[running as usize]);
        pe.noise += more * period;
        process.work -= done;
        process.record.computing += done;
        if !pe.exclusive {
            process.scheduled.left -= more * period;
        }
        pe.worked += done;
        pe.since += more * period;
        (pe.from, pe.begin) = (pe.from + more * period, pe.begin + more * period);
        pe.due += more * length;
    }

    /// Advances all processes of a job together until an event could come in between, if they all
    /// run and spin.
    pub(super) fn forward(&mut self, job: usize) {
        let super::Job {
            row, iterations, ..
        } = self.jobs[job];
        let rank_0 = &self.processes[self.jobs[job].seats[0] as usize];
        let compute = rank_0.compute;
        if !self.forwards || !self.pes[rank_0.pe as usize].exclusive {
            return;
        }
        let horizon = self.horizon();
        // A short period is not worth a look at all processes.
        if horizon - self.now < 4 * compute {
            return;
        }
        let (mut least, mut most) = (u64::MAX, 0);
        for seat in &*self.jobs[job].seats {
            let Process { pe, iterations, .. } = self.processes[*seat as usize];
            let pe = &self.pes[pe as usize];
            if pe.running != row || !pe.exclusive || pe.wake != NEVER || pe.expires != NEVER {
                return;
            }
            (least, most) = (least.min(iterations), most.max(iterations));
        }
        let ahead = (most - least) as i64;
        if most + 2 >= iterations || horizon - self.now < (ahead + 4).saturating_mul(compute) {
            return;
        }
        // Processes that are behind catch up, and then all processes end another iteration, so that
        // none is in the middle of one.
        let size = self.jobs[job].seats.len();
        for level in least..=most {
            for rank in 0..size {
                let process = &self.processes[self.jobs[job].seats[rank] as usize];
                if process.iterations == level && !self.end_iteration(process.pe as usize, horizon)
                {
                    return;
                }
            }
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let levels = self.levels(&mut scratch, job, horizon);
        // An event costs about as much as 16 iterations here.
        self.forwarded += (levels + 1) * size as u64 / 16;
        if levels > 0 {
            self.write_back(&scratch, job, levels);
        }
        self.scratch = scratch;
    }

    /// Ends the iteration of the running process. Returns false if it does not end by `until`.
    fn end_iteration(&mut self, pe: usize, until: i64) -> bool {
        loop {
            let Pe { due, noise, .. } = self.pes[pe];
            if due.min(noise) > until {
                self.set_clock(pe);
                return false;
            }
            if due <= noise {
                self.computed(pe, due);
                self.set_clock(pe);
                return true;
            }
            self.lane(pe).disturb(noise);
        }
    }

    /// Computes the iterations that all processes of a job end by `until`, and returns their
    /// number. All processes must have just ended an iteration.
    fn levels(&self, scratch: &mut Scratch, job: usize, until: i64) -> u64 {
        let own = &self.jobs[job];
        let (latency, degree) = (self.constants.latency, own.degree as usize);
        let (period, length) = (self.constants.noise_period, self.constants.noise_length);
        let process = |rank: usize| &self.processes[own.seats[rank] as usize];
        let begun = process(0).iterations;
        scratch.fill(own.seats.len(), process, |process| {
            self.pes[process.pe as usize].noise
        });
        let Scratch {
            ends,
            next,
            work,
            noise,
            waited,
            computed,
            waits,
            came,
        } = scratch;
        let most = (own.iterations - 1).saturating_sub(begun).min(MOST_LEVELS);
        let mut levels = 0;
        while levels < most {
            let all = if own.shape.pattern == Pattern::Barrier {
                ends.iter().copied().max().unwrap_or(0)
            } else {
                i64::MIN
            };
            if own.shape.jitter > 0 && levels > 0 {
                for (rank, work) in work.iter_mut().enumerate() {
                    *work = own.work_of(rank as u32, process(rank).compute, begun + levels);
                }
            }
            came.clear();
            let mut last = i64::MIN;
            for rank in 0..ends.len() {
                let from = ends[rank];
                let sent = if all > i64::MIN {
                    &[][..]
                } else {
                    &own.neighbours[rank * degree..(rank + 1) * degree]
                };
                let ready = sent
                    .iter()
                    .map(|other| ends[*other as usize])
                    .fold(all, i64::max)
                    + latency;
                let mut starts = from.max(ready);
                let mut end = starts + work[rank];
                if noise[rank] < end {
                    came.push((rank, noise[rank]));
                    let mut from = from;
                    while noise[rank] < end {
                        if noise[rank] < starts {
                            from = from.max(noise[rank]) + length;
                            starts = from.max(ready);
                            end = starts + work[rank];
                        } else {
                            end += length;
                        }
                        noise[rank] += period;
                    }
                }
                (waits[rank], next[rank]) = (starts - from, end);
                last = last.max(end);
            }
            if last > until {
                came.drain(..).for_each(|(rank, at)| noise[rank] = at);
                break;
            }
            for rank in 0..ends.len() {
                waited[rank] += waits[rank];
                computed[rank] += work[rank];
            }
            std::mem::swap(ends, next);
            levels += 1;
        }
        levels
    }

    /// Updates the processes of a job to their state after `levels` more iterations.
    fn write_back(&mut self, scratch: &Scratch, job: usize, levels: u64) {
        let last = scratch.ends.iter().copied().max().unwrap_or(0);
        for rank in 0..scratch.ends.len() {
            let own = &self.jobs[job];
            let (degree, is_barrier) = (own.degree as usize, own.shape.pattern == Pattern::Barrier);
            let (end, computed) = (scratch.ends[rank], scratch.computed[rank]);
            let sent = if is_barrier {
                &[][..]
            } else {
                &own.neighbours[rank * degree..(rank + 1) * degree]
            };
            let ready = sent
                .iter()
                .map(|other| scratch.ends[*other as usize])
                .fold(if is_barrier { last } else { i64::MIN }, i64::max);
            let process = &mut self.processes[own.seats[rank] as usize];
            process.iterations += levels;
            process.work = own.work_of(rank as u32, process.compute, process.iterations);
            (process.wait_since, process.ready) = (end, ready + self.constants.latency);
            process.record.waiting += scratch.waited[rank];
            process.record.computing += computed;
            process.record.communications += levels as i64;
            let number = process.pe as usize;
            let pe = &mut self.pes[number];
            (pe.since, pe.from, pe.noise) = (end, end, scratch.noise[rank]);
            pe.worked += computed;
            self.lane(number).resume();
            self.set_clock(number);
        }
    }
}

impl Scratch {
    fn fill<'a>(
        &mut self,
        size: usize,
        process: impl Fn(usize) -> &'a Process,
        noise: impl Fn(&Process) -> i64,
    ) {
        self.ends.clear();
        self.ends
            .extend((0..size).map(|rank| process(rank).wait_since));
        self.work.clear();
        self.work.extend((0..size).map(|rank| process(rank).work));
        self.noise.clear();
        self.noise
            .extend((0..size).map(|rank| noise(process(rank))));
        for zeros in [
            &mut self.next,
            &mut self.waited,
            &mut self.computed,
            &mut self.waits,
        ] {
            zeros.clear();
            zeros.resize(size, 0);
        }
    }
}
