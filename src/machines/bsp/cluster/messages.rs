//! Messages between processes. A process sends its messages when it has computed, and goes on when
//! it has received all messages of its partners.

use super::clocks::NEVER;
use super::lane::Lane;
use super::process::Phase;
use super::{Job, ProcessCluster, mixed};
use crate::job::{Pattern, Shape};

impl Job {
    /// Returns the computing time of an iteration of a process; `compute` is this time without
    /// jitter. A job that does not communicate computes all iterations in one piece.
    pub(super) fn work_of(&self, rank: u32, compute: i64, iterations: u64) -> i64 {
        if self.degree == 0 {
            return compute * self.iterations as i64;
        }
        let Shape { jitter, seed, .. } = *self.shape;
        if jitter == 0 {
            return compute + self.measure;
        }
        // Uniform from -jitter to jitter, in millionths.
        let by = (mixed(seed, u64::from(rank) << 40 | iterations) % (2 * jitter as u64 + 1)) as i64
            - jitter;
        compute + compute * by / 1_000_000 + self.measure
    }
}

impl ProcessCluster {
    /// Ends the computing of the running process, which then sends its messages and waits for those
    /// of its partners. Returns the job if the process is the first of its job and has not ended.
    pub(super) fn computed(&mut self, pe: usize, now: i64) -> Option<usize> {
        let Self {
            pes,
            processes,
            jobs,
            rows,
            row,
            constants,
            ..
        } = self;
        let mut lane = Lane {
            pe: &mut pes[pe],
            processes: &mut processes[pe * *rows..(pe + 1) * *rows],
            constants,
            row: *row,
        };
        lane.halt(now);
        let row = lane.pe.running as usize;
        let process = &mut lane.processes[row];
        process.iterations += 1;
        let (iterations, number, rank) = (process.iterations, process.job as usize, process.rank);
        let parity = ((iterations - 1) & 1) as usize;
        let job = &jobs[number];
        if job.degree == 0 || iterations == job.iterations {
            if job.degree > 0 {
                self.send(number, rank, parity, now);
            }
            self.finish(pe, row, now);
            // The rest of the turn that belonged to this process is for other processes.
            self.settle(pe, now, 0);
            return None;
        }
        process.work = job.work_of(rank, process.compute, iterations);
        (process.phase, process.wait_since, process.ready) = (Phase::Wait, now, NEVER);
        if process.got[parity] == job.degree {
            process.arrived(parity);
        }
        lane.resume();
        self.send(number, rank, parity, now);
        (rank == 0).then_some(number)
    }

    /// Sends the messages of a process.
    fn send(&mut self, job: usize, rank: u32, parity: usize, now: i64) {
        let at_once = self.is_at_once();
        let Self {
            jobs,
            processes,
            pes,
            clocks,
            rows,
            row,
            constants,
            ..
        } = self;
        let there = now + constants.latency;
        let sender = &mut jobs[job];
        let degree = sender.degree;
        let (to, there) = if sender.shape.pattern == Pattern::Barrier {
            let (came, latest) = (&mut sender.came[parity], &mut sender.latest[parity]);
            (*came, *latest) = (*came + 1, there.max(*latest));
            if *came < sender.seats.len() as u32 {
                return;
            }
            let all = *latest;
            (*came, *latest) = (0, i64::MIN);
            (&sender.seats[..], all)
        } else {
            let first = rank as usize * degree as usize;
            (&sender.sends_to[first..first + degree as usize], there)
        };
        for seat in to {
            let receiver = &mut processes[*seat as usize];
            if receiver.receive(parity, there, degree) {
                let number = receiver.pe as usize;
                let first = number * *rows;
                let lane = &mut processes[first..first + *rows];
                let mut lane = Lane {
                    pe: &mut pes[number],
                    processes: lane,
                    constants,
                    row: *row,
                };
                if lane.is_felt(*seat as usize - first, at_once) {
                    clocks.set(number, lane.pe.next());
                }
            }
        }
    }

    /// Ends a process at `now`.
    pub(super) fn finish(&mut self, pe: usize, row: usize, now: i64) {
        let mut lane = self.lane(pe);
        lane.processes[row].phase = Phase::Done;
        if lane.pe.running == row as u32 {
            lane.take_off(now);
        }
        let job = lane.processes[row].job as usize;
        let job = &mut self.jobs[job];
        job.left -= 1;
        if job.left == 0 {
            self.ended.push((now, job.id));
        }
    }
}

/// Returns the partners of each of `size` processes, one process after the other. All processes
/// have the same number of partners.
pub fn neighbours(pattern: Pattern, size: u32) -> Vec<u32> {
    let wide = (1..=size)
        .filter(|wide| size.is_multiple_of(*wide) && wide * wide <= size)
        .max()
        .unwrap_or(1);
    let of = |rank: u32| -> Vec<u32> {
        let mut all = match pattern {
            Pattern::None | Pattern::Barrier => Vec::new(),
            Pattern::Ring => vec![(rank + size - 1) % size, (rank + 1) % size],
            Pattern::Grid => {
                let (x, y, high) = (rank % wide, rank / wide, size / wide);
                vec![
                    (x + wide - 1) % wide + y * wide,
                    (x + 1) % wide + y * wide,
                    x + (y + high - 1) % high * wide,
                    x + (y + 1) % high * wide,
                ]
            }
        };
        crate::sorting::by(&mut all, |other| [(*other).into(), 0]);
        all.dedup();
        all.retain(|other| *other != rank);
        all
    };
    (0..size).flat_map(of).collect()
}
