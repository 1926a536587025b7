//! Many iterations in one step, where nothing can come in between.
//!
//! While all processes of a job run and spin, nobody can take their processors before the turn ends, a job may start or one
//! may end. Until then the end of each iteration follows from the ends of the one before: computing begins when the neighbours'
//! messages are there, and daemons delay it. What is computed here is bit by bit what the events would have done.

use super::{Algorithm, Cluster, NONE, Phase};
use crate::job::Pattern;
use crate::machine::bsp::class::Class;
use crate::machine::bsp::clocks::NEVER;

/// So many iterations in one step at most: who asks for a little work gets the processor back soon.
const MOST_LEVELS: u64 = 4096;

/// What is kept for the processes of a job while it is advanced, one place each.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// When this iteration and the next have been computed.
    ends: Vec<i64>,
    next: Vec<i64>,
    /// Computing of an iteration.
    work: Vec<i64>,
    /// When the next daemon comes.
    noise: Vec<i64>,
    waited: Vec<i64>,
    computed: Vec<i64>,
    waits: Vec<i64>,
    /// Daemons that came in an iteration: to whom, and when.
    came: Vec<(usize, i64)>,
}

impl Cluster {
    /// Until when nothing can happen but what processes and daemons do on their processors.
    fn horizon(&mut self) -> i64 {
        if self.now >= self.earliest_end {
            self.earliest_end = self.earliest_end();
        }
        self.until.min(self.turn_ends).min(self.earliest_end).min(self.unseen_until())
    }

    /// No job ends before this.
    fn earliest_end(&self) -> i64 {
        // Others that may not run now can as soon as the one ends that has their processor for itself.
        let is_gang = self.constants.algorithm == Algorithm::Gang;
        let waits_for_turn =
            |process: &super::Process| self.turn_ends != NEVER && !process.is_allowed && (is_gang || process.record.class == Class::CS);
        let least = |job: &super::Job| {
            let of = |process: &super::Process| {
                let pe = &self.pes[process.pe as usize];
                let is_computing = pe.running == job.first + process.rank && pe.begin != NEVER;
                let computed = match is_computing {
                    true => pe.due,
                    false if waits_for_turn(process) => self.now.max(self.turn_ends) + process.work,
                    false => self.now + process.work,
                };
                let left = if job.degree == 0 { 0 } else { (job.iterations - 1).saturating_sub(process.iterations) };
                let shortest = process.compute - process.compute * job.shape.jitter / 1_000_000;
                computed.saturating_add(shortest.saturating_mul(left as i64))
            };
            let processes = &self.processes[job.first as usize..(job.first + job.size) as usize];
            processes.iter().filter(|process| process.phase != Phase::Done).map(of).max().unwrap_or(self.now)
        };
        self.jobs.iter().filter(|job| job.is_here).map(least).min().unwrap_or(NEVER)
    }

    /// Lets a process that does not communicate and shares its processor with nobody compute through all daemons that come
    /// before anything else can.
    pub(super) fn compute_through_noise(&mut self, pe: usize) {
        let super::Pe { running, begin, due, wake, expires, noise, exclusive, .. } = self.pes[pe];
        if !self.forwards || running == NONE || due == NEVER || begin > noise || wake != NEVER || expires != NEVER {
            return;
        }
        if self.job(running).degree > 0 || self.processes[running as usize].phase != Phase::Compute {
            return;
        }
        let horizon = self.horizon();
        if horizon < noise || due <= noise {
            return;
        }
        let (period, length) = (self.constants.noise_period, self.constants.noise_length);
        // Each daemon leaves so much of a period; those come that come before it has computed.
        let until_done = (due - noise + (period - length) - 1) / (period - length);
        let times = until_done.min((horizon - noise) / period + 1);
        self.pes[pe].noise += times * period;
        self.pause(pe, noise, length);
        let (more, process) = (times - 1, &mut self.processes[running as usize]);
        let done = more * (period - length);
        process.work -= done;
        process.computed += done;
        process.record.computing += done;
        if !exclusive {
            process.scheduled.left -= more * period;
        }
        let pe = &mut self.pes[pe];
        pe.worked += done;
        pe.since += more * period;
        (pe.from, pe.begin) = (pe.from + more * period, pe.begin + more * period);
        pe.due += more * length;
    }

    /// Advances all processes of a job as far as nothing can come in between, if they all run and spin.
    pub(super) fn forward(&mut self, job: u32) {
        let super::Job { first, size, iterations, .. } = self.jobs[job as usize];
        let all = first..first + size;
        if !self.forwards || !self.polls(&self.pes[self.processes[first as usize].pe as usize]) {
            return;
        }
        let horizon = self.horizon();
        // It must be worth looking at all of them.
        if horizon - self.now < 4 * self.processes[first as usize].compute {
            return;
        }
        let (mut least, mut most) = (u64::MAX, 0);
        for process in all.clone() {
            let super::Process { pe, iterations, .. } = self.processes[process as usize];
            let pe = &self.pes[pe as usize];
            if pe.running != process || !self.polls(pe) || pe.wake != NEVER || pe.expires != NEVER {
                return;
            }
            (least, most) = (least.min(iterations), most.max(iterations));
        }
        let ahead = (most - least) as i64;
        if most + 2 >= iterations || horizon - self.now < (ahead + 4).saturating_mul(self.processes[first as usize].compute) {
            return;
        }
        // Who is behind catches up, and all end another iteration: then nobody is in the middle of one.
        for level in least..=most {
            for process in all.clone() {
                if self.processes[process as usize].iterations == level
                    && !self.end_iteration(self.processes[process as usize].pe as usize, horizon)
                {
                    return;
                }
            }
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let levels = self.levels(&mut scratch, job, horizon);
        // An event costs as much as some iterations here.
        self.forwarded += (levels + 1) * u64::from(size) / 16;
        if levels > 0 {
            self.write_back(&scratch, job, levels);
        }
        self.scratch = scratch;
    }

    /// The running process ends its iteration, if it does until then.
    fn end_iteration(&mut self, pe: usize, until: i64) -> bool {
        loop {
            let super::Pe { due, noise, .. } = self.pes[pe];
            if due.min(noise) > until {
                self.set_clock(pe);
                return false;
            }
            if due <= noise {
                self.computed(pe, due);
                self.set_clock(pe);
                return true;
            }
            self.pes[pe].noise += self.constants.noise_period;
            self.pause(pe, noise, self.constants.noise_length);
        }
    }

    /// How many iterations all processes of a job compute until then, that have all just ended one.
    fn levels(&self, scratch: &mut Scratch, job: u32, until: i64) -> u64 {
        let own = &self.jobs[job as usize];
        let (latency, degree) = (self.constants.latency, own.degree as usize);
        let (period, length) = (self.constants.noise_period, self.constants.noise_length);
        let processes = &self.processes[own.first as usize..(own.first + own.size) as usize];
        let begun = processes[0].iterations;
        scratch.fill(processes, |process| self.pes[process.pe as usize].noise);
        let Scratch { ends, next, work, noise, waited, computed, waits, came } = scratch;
        let most = (own.iterations - 1).saturating_sub(begun).min(MOST_LEVELS);
        let mut levels = 0;
        while levels < most {
            let all = if own.shape.pattern == Pattern::Barrier { ends.iter().copied().max().unwrap_or(0) } else { i64::MIN };
            if own.shape.jitter > 0 && levels > 0 {
                for (rank, work) in work.iter_mut().enumerate() {
                    *work = self.work_of_iteration(own.first + rank as u32, begun + levels);
                }
            }
            came.clear();
            let mut last = i64::MIN;
            for rank in 0..ends.len() {
                let from = ends[rank];
                let sent = if all > i64::MIN { &[][..] } else { &own.neighbours[rank * degree..(rank + 1) * degree] };
                let ready = sent.iter().map(|other| ends[*other as usize]).fold(all, i64::max) + latency;
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

    /// Processes are where so many more iterations took them.
    fn write_back(&mut self, scratch: &Scratch, job: u32, levels: u64) {
        let own = &self.jobs[job as usize];
        let (first, degree, neighbours) = (own.first, own.degree as usize, std::sync::Arc::clone(&own.neighbours));
        let last = scratch.ends.iter().copied().max().unwrap_or(0);
        let is_barrier = own.shape.pattern == Pattern::Barrier;
        for rank in 0..scratch.ends.len() {
            let (end, computed) = (scratch.ends[rank], scratch.computed[rank]);
            let sent = if is_barrier { &[][..] } else { &neighbours[rank * degree..(rank + 1) * degree] };
            let ready = sent.iter().map(|other| scratch.ends[*other as usize]).fold(if is_barrier { last } else { i64::MIN }, i64::max);
            let number = first + rank as u32;
            let iterations = self.processes[number as usize].iterations + levels;
            let work = self.work_of_iteration(number, iterations);
            let process = &mut self.processes[number as usize];
            (process.iterations, process.work) = (iterations, work);
            (process.wait_since, process.ready) = (end, ready + self.constants.latency);
            process.record.waiting += scratch.waited[rank];
            process.record.computing += computed;
            process.record.communications += levels as i64;
            process.computed += computed;
            let number = process.pe as usize;
            let pe = &mut self.pes[number];
            (pe.since, pe.from, pe.noise) = (end, end, scratch.noise[rank]);
            pe.worked += computed;
            self.resume(number);
            self.set_clock(number);
        }
    }
}

impl Scratch {
    fn fill(&mut self, processes: &[super::Process], noise: impl Fn(&super::Process) -> i64) {
        let size = processes.len();
        self.ends.clear();
        self.ends.extend(processes.iter().map(|process| process.wait_since));
        self.work.clear();
        self.work.extend(processes.iter().map(|process| process.work));
        self.noise.clear();
        self.noise.extend(processes.iter().map(noise));
        for zeros in [&mut self.next, &mut self.waited, &mut self.computed, &mut self.waits] {
            zeros.clear();
            zeros.resize(size, 0);
        }
    }
}
