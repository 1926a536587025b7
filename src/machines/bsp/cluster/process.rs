//! A process: what it has done, what it is about to do, and what it waits for.

use super::class::History;
use super::clocks::NEVER;
use super::local::Scheduled;

/// What a process is about to do.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It computes.
    Compute,
    /// It waits for messages: it spins while it runs.
    Wait,
    /// It waits and does not want to run before they are there; when they are, it may not matter at
    /// once.
    Blocked,
    /// It has ended, or there is none.
    Done,
}

/// A process. What a message changes stands in the first 64 bytes, what is taken down when it stops
/// in the next, and the rest is seldom needed: 64 bytes come from memory at once, and thousands of
/// processes do not fit the nearest memory.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Process {
    /// Messages that arrived for even and for odd iterations, and when the last of them did.
    pub got: [u8; 2],
    pub phase: Phase,
    pub pe: u32,
    pub latest: [i64; 2],
    /// When all messages that it waits for are there, once that is known.
    pub ready: i64,
    /// Iterations computed.
    pub iterations: u64,
    /// What is left of the computing of this iteration.
    pub work: i64,
    /// Since when it waits; it is moved by the time for which the process is suspended.
    pub wait_since: i64,
    pub job: u32,
    pub rank: u32,
    /// What its classification knows.
    pub record: History,
    /// What the local scheduler knows of it.
    pub scheduled: Scheduled,
    /// Time that its processor had worked for others and itself when it was last taken off it.
    pub left_at: i64,
    /// Computing of an iteration, without jitter.
    pub compute: i64,
    /// Time that it computed before its record began.
    pub computed_before: i64,
    pub suspended_at: i64,
}

impl Process {
    /// Nobody.
    pub fn none() -> Self {
        Self {
            got: [0; 2],
            latest: [i64::MIN; 2],
            ready: NEVER,
            iterations: 0,
            work: 0,
            wait_since: 0,
            pe: 0,
            phase: Phase::Done,
            record: History::default(),
            scheduled: Scheduled::default(),
            left_at: 0,
            computed_before: 0,
            job: 0,
            rank: 0,
            compute: 0,
            suspended_at: 0,
        }
    }

    /// A message of an even or an odd iteration will be there. Whether it is the last of those that
    /// it waits for.
    pub fn receive(&mut self, parity: usize, there: i64, degree: u8) -> bool {
        let (got, latest) = (&mut self.got[parity], &mut self.latest[parity]);
        (*got, *latest) = (*got + 1, there.max(*latest));
        let waits = matches!(self.phase, Phase::Wait | Phase::Blocked);
        let is_this = (self.iterations.wrapping_sub(1) & 1) as usize == parity;
        // As one question: each by itself can hardly be foreseen.
        let is_last = (*got >= degree) & waits & is_this;
        if is_last {
            self.arrived(parity);
        }
        is_last
    }

    /// All messages that it waits for are known.
    pub const fn arrived(&mut self, parity: usize) {
        self.ready = self.latest[parity];
        self.got[parity] = 0;
        self.latest[parity] = i64::MIN;
    }
}
