//! A process: its progress, its next step, and the messages that it waits for.

use super::class::History;
use super::clocks::NEVER;
use super::local::Scheduled;

/// The next step of a process.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The process computes.
    Compute,
    /// The process waits for messages. It spins if it has the processor.
    Wait,
    /// The process waits for messages and does not want to run before it has them. Their arrival
    /// may have no effect at once.
    Blocked,
    /// The process has ended, or there is none.
    Done,
}

/// A process. The first 64 bytes hold what a message changes, the next 64 bytes what changes when
/// the process stops, and the rest is seldom needed. Memory delivers 64 bytes at once, and
/// thousands of processes do not fit into the fastest cache.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Process {
    /// Number of messages sent to it for even and for odd iterations.
    pub got: [u8; 2],
    pub phase: Phase,
    pub pe: u32,
    /// Arrival of the last of these messages.
    pub latest: [i64; 2],
    /// Instant at which the process has all messages that it waits for, once this is known.
    pub ready: i64,
    /// Number of iterations that the process has computed.
    pub iterations: u64,
    /// Computing time that is left of this iteration.
    pub work: i64,
    /// Beginning of the waiting, moved by the time for which the process was suspended.
    pub wait_since: i64,
    pub job: u32,
    pub rank: u32,
    /// State of its classification.
    pub record: History,
    /// State that the local scheduler keeps for it.
    pub scheduled: Scheduled,
    /// Computing time of its processor when the process was last taken off.
    pub left_at: i64,
    /// Computing time of an iteration, without jitter.
    pub compute: i64,
    /// Computing time before the last reset of its record.
    pub computed_before: i64,
    pub suspended_at: i64,
}

impl Process {
    /// Returns a place without a process.
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

    /// Receives a message of an even or an odd iteration, which arrives at `there`. Returns true if
    /// it is the last message that the process waits for.
    pub fn receive(&mut self, parity: usize, there: i64, degree: u8) -> bool {
        let (got, latest) = (&mut self.got[parity], &mut self.latest[parity]);
        (*got, *latest) = (*got + 1, there.max(*latest));
        let waits = matches!(self.phase, Phase::Wait | Phase::Blocked);
        let is_this = (self.iterations.wrapping_sub(1) & 1) as usize == parity;
        // Uses & instead of && on purpose: one unpredictable branch instead of three.
        let is_last = (*got >= degree) & waits & is_this;
        if is_last {
            self.arrived(parity);
        }
        is_last
    }

    /// Sets the instant at which the process has its messages, because all of them are known now.
    pub const fn arrived(&mut self, parity: usize) {
        self.ready = self.latest[parity];
        self.got[parity] = 0;
        self.latest[parity] = i64::MIN;
    }
}
