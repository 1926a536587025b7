//! A processor and the processes that share it: which process runs, and the next event.

use super::class::Class;
use super::clocks::NEVER;
use super::local::{Pick, Scheduled};
use super::process::{Phase, Process};
use super::{Algorithm, Constants, FFirst};

/// The row that stands for no process.
pub(super) const NOBODY: u32 = u32::MAX;

/// The row that stands for a process whose job has gone. The process ran last, so a switch from it
/// costs as much as any other switch.
pub(super) const GONE: u32 = u32::MAX - 1;

/// A processor. The first 64 bytes hold its next events. The processor knows its processes by their
/// rows. Sets of rows are bits.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Pe {
    /// Instant at which the running process begins to compute, if it is known. If it is past, the
    /// process computes.
    pub begin: i64,
    /// Instant at which the running process has computed or stops spinning.
    pub due: i64,
    /// Instant at which a blocked process has its messages.
    pub wake: i64,
    /// Instant at which the quantum of the running process expires.
    pub expires: i64,
    /// Instant of the next daemon.
    pub noise: i64,
    /// Instant from which the running process makes progress: costs hold the processor until then.
    pub from: i64,
    /// Row of the running process.
    pub running: u32,
    /// Row of the process that ran last: `NOBODY` before the first process, `GONE` if its job has
    /// gone.
    pub last: u32,
    /// Instant up to which the time of the running process is accounted for.
    pub since: i64,
    /// Processes that may run in this turn.
    pub allowed: u64,
    /// Allowed processes that can run.
    pub able: u64,
    /// Allowed processes that are blocked. A yielding process stays blocked until the processor
    /// chooses again, even if it has its messages.
    pub blocked: u64,
    /// Blocked processes whose messages are on their way and that will not preempt the running
    /// process. Nothing need happen when they have their messages.
    pub yielding: u64,
    /// The process of class F whose slot this is.
    pub f_in_its_slot: u64,
    /// Processes of class F.
    pub class_f: u64,
    /// Processes that make way for class F in every slot.
    pub yields_to_f: u64,
    /// Time that processes have computed on this processor.
    pub worked: i64,
    /// True if only the process of this turn may run. It spins while it waits.
    pub exclusive: bool,
}

impl Pe {
    /// Returns the instant of the next event on the processor.
    pub fn next(&self) -> i64 {
        // A daemon does no harm to an idle processor.
        let noise = if self.running == NOBODY {
            NEVER
        } else {
            self.noise
        };
        self.due.min(self.wake).min(self.expires).min(noise)
    }
}

/// A processor, its processes by row, and the part of the cluster's state that they depend on.
pub(super) struct Lane<'a> {
    pub pe: &'a mut Pe,
    pub processes: &'a mut [Process],
    pub constants: &'a Constants,
    /// The row whose turn it is.
    pub row: u32,
}

/// Returns the rows of a set, the lowest first.
fn rows(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let row = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(row)
    })
}

impl Lane<'_> {
    /// Accounts for what the running process has done up to `now`.
    pub fn halt(&mut self, now: i64) {
        let pe = &mut *self.pe;
        if pe.running == NOBODY {
            return;
        }
        let process = &mut self.processes[pe.running as usize];
        if now >= pe.begin {
            if process.phase == Phase::Wait {
                process.record.waiting += pe.begin - process.wait_since;
                process.record.communications += 1;
                process.phase = Phase::Compute;
            }
            let done = now - pe.begin;
            process.work -= done;
            process.record.computing += done;
            pe.worked += done;
            pe.begin = now;
        }
        if !pe.exclusive {
            process.scheduled.left -= now - pe.since;
        }
        pe.since = now;
        pe.from = pe.from.max(now);
    }

    /// Computes the next event of the running process, which makes progress from `from` on.
    pub fn resume(&mut self) {
        let pe = &mut *self.pe;
        let process = &self.processes[pe.running as usize];
        let deadline = if pe.exclusive {
            NEVER
        } else {
            pe.from + self.constants.spin
        };
        let ready = if process.phase == Phase::Compute {
            pe.from
        } else {
            process.ready
        };
        let begin = pe.from.max(ready);
        (pe.begin, pe.due) = if ready == NEVER || ready > deadline {
            (NEVER, deadline)
        } else {
            (begin, begin + process.work)
        };
        let rivals = pe.able | pe.blocked;
        let is_shared = !pe.exclusive && rivals & rivals.wrapping_sub(1) != 0;
        pe.expires = if is_shared {
            pe.since + process.scheduled.left.max(0)
        } else {
            NEVER
        };
    }

    /// Continues the running process. If it spins, the spin goes on and does not begin again.
    pub fn resume_as_before(&mut self) {
        let Pe { begin, due, .. } = *self.pe;
        self.resume();
        if begin == NEVER {
            (self.pe.begin, self.pe.due) = (begin, due);
        }
    }

    /// Takes the running process off the processor.
    pub fn take_off(&mut self, now: i64) {
        self.halt(now);
        let running = std::mem::replace(&mut self.pe.running, NOBODY);
        if running != NOBODY {
            self.processes[running as usize].left_at = self.pe.worked;
        }
        (self.pe.begin, self.pe.due, self.pe.expires) = (NEVER, NEVER, NEVER);
    }

    /// Gives the processor to a process.
    fn give(&mut self, row: usize, now: i64) {
        let (pe, process) = (&mut *self.pe, &mut self.processes[row]);
        if process.phase == Phase::Blocked {
            process.phase = Phase::Wait;
            (pe.able, pe.blocked) = (pe.able | 1 << row, pe.blocked & !(1 << row));
        }
        if self.constants.local.renews_at_start() {
            process.scheduled = self.constants.local.fresh();
        }
        let mut cost = 0;
        if pe.last != row as u32 && pe.last != NOBODY {
            cost = self.constants.switch
                + ((pe.worked - process.left_at) * self.constants.displaced / 1000)
                    .min(self.constants.reload);
        }
        // Daemons that came while the processor was idle did no harm and are skipped.
        if pe.noise < now {
            let period = self.constants.noise_period;
            pe.noise += (now - pe.noise + period - 1) / period * period;
        }
        (pe.running, pe.last, pe.since, pe.from) = (row as u32, row as u32, now, now + cost);
        self.resume();
    }

    /// Learns when a process has all its messages. Returns true if this changes the next event on
    /// this processor. `at_once` is true if all events must be handled in order of time.
    pub fn is_felt(&mut self, row: usize, at_once: bool) -> bool {
        let Process { ready, work, .. } = self.processes[row];
        if self.pe.running == row as u32 {
            let is_in_time = ready <= self.pe.due;
            if is_in_time {
                self.pe.begin = self.pe.from.max(ready);
                self.pe.due = self.pe.begin + work;
            }
            return is_in_time;
        }
        if self.pe.blocked >> row & 1 == 0 {
            return false;
        }
        if !at_once && self.pe.running != NOBODY && !self.preempts(row, ready) {
            self.pe.yielding |= 1 << row;
            return false;
        }
        let is_first = ready < self.pe.wake;
        self.pe.wake = self.pe.wake.min(ready);
        is_first
    }

    /// True if a process that has its messages at `at` then preempts the running process.
    fn preempts(&self, row: usize, at: i64) -> bool {
        let running = self.pe.running as usize;
        let left = Scheduled {
            left: self.processes[running].scheduled.left - (at - self.pe.since),
        };
        self.goes_before(row, running)
            || !self.goes_before(running, row)
                && self
                    .constants
                    .local
                    .preempts(self.processes[row].scheduled, left)
    }

    /// True if `one` preempts `other` whatever the local scheduler says.
    fn goes_before(&self, one: usize, other: usize) -> bool {
        let Pe {
            f_in_its_slot,
            class_f,
            yields_to_f,
            ..
        } = *self.pe;
        let is_preferred = self.constants.f_first != FFirst::Gently
            && f_in_its_slot >> one & !(f_in_its_slot >> other) & 1 == 1;
        is_preferred || class_f >> one & yields_to_f >> other & 1 == 1
    }

    /// Ends the yielding, because another process may run now. Processes that have their messages
    /// can run; the others wake when they have them.
    pub fn rouse(&mut self, now: i64) {
        for row in rows(std::mem::take(&mut self.pe.yielding)) {
            let (pe, process) = (&mut *self.pe, &mut self.processes[row]);
            if process.ready <= now {
                process.phase = Phase::Wait;
                (pe.able, pe.blocked) = (pe.able | 1 << row, pe.blocked & !(1 << row));
            } else {
                pe.wake = pe.wake.min(process.ready);
            }
        }
    }

    /// Gives an idle processor to the process that must run next, if there is one.
    pub fn choose(&mut self, now: i64) {
        if self.pe.exclusive {
            if self.processes[self.row as usize].phase != Phase::Done {
                self.give(self.row as usize, now);
            }
            return;
        }
        let mut able = self.pe.able;
        // No blocked process has its messages before `wake`, because yielding processes have been
        // roused.
        if self.pe.wake <= now {
            able |= rows(self.pe.blocked)
                .filter(|row| self.processes[*row].ready <= now)
                .fold(0, |set, row| set | 1 << row);
        }
        // Processes that go before others are the only candidates, if there are any.
        let candidates = match (able & self.pe.f_in_its_slot, able & self.pe.class_f) {
            (0, 0) => able,
            (0, _) => able & !self.pe.yields_to_f,
            (f_in_its_slot, _) => f_in_its_slot,
        };
        let last = (self.pe.last < GONE).then_some(self.pe.last as usize);
        loop {
            let scheduled = |row: usize| (row, self.processes[row].scheduled);
            match self
                .constants
                .local
                .choose(rows(candidates).map(scheduled), last)
            {
                Pick::Nobody => return,
                Pick::Run(row) => return self.give(row, now),
                Pick::Renew => {
                    for process in &mut *self.processes {
                        process.scheduled = self.constants.local.renewed(process.scheduled);
                    }
                }
            }
        }
    }

    /// Blocks the running process, which has spun for long enough.
    pub fn block(&mut self, now: i64) {
        let row = self.pe.running as usize;
        self.take_off(now);
        self.rouse(now);
        let (pe, process) = (&mut *self.pe, &mut self.processes[row]);
        process.phase = Phase::Blocked;
        (pe.able, pe.blocked) = (pe.able & !(1 << row), pe.blocked | 1 << row);
        pe.wake = pe.wake.min(process.ready);
        self.choose(now);
    }

    /// Wakes the blocked processes that have their messages.
    pub fn wake(&mut self, now: i64) {
        self.rouse(now);
        let mut next = NEVER;
        for row in rows(self.pe.blocked) {
            let process = &mut self.processes[row];
            if process.ready > now {
                next = next.min(process.ready);
                continue;
            }
            if process.phase != Phase::Blocked {
                // This process got the processor when an earlier row woke.
                continue;
            }
            process.phase = Phase::Wait;
            (self.pe.able, self.pe.blocked) =
                (self.pe.able | 1 << row, self.pe.blocked & !(1 << row));
            if self.pe.running == NOBODY {
                self.choose(now);
                continue;
            }
            if self.preempts(row, now) {
                self.take_off(now);
                self.give(row, now);
            }
        }
        self.pe.wake = next;
    }

    /// Ends the quantum of the running process.
    #[inline(never)]
    pub fn expire(&mut self, now: i64) {
        self.rouse(now);
        let running = self.pe.running;
        self.halt(now);
        let Pe {
            begin, due, from, ..
        } = *self.pe;
        self.take_off(now);
        self.choose(now);
        if self.pe.running == running {
            // The same process goes on. No switch takes place, and the rest of an earlier cost
            // still holds the processor.
            (self.pe.from, self.pe.begin, self.pe.due) = (from, begin, due);
            self.resume_as_before();
        }
    }

    /// Handles a daemon, which holds the processor for some time.
    #[inline(never)]
    pub fn disturb(&mut self, now: i64) {
        self.pe.noise += self.constants.noise_period;
        self.halt(now);
        self.pe.from += self.constants.noise_length;
        self.resume();
    }

    /// True if a process may run in this turn.
    fn is_allowed(&self, row: usize) -> bool {
        if self.pe.exclusive {
            return row == self.row as usize;
        }
        self.constants.algorithm != Algorithm::Flexible
            || self.processes[row].record.class != Class::CS
    }

    /// Decides again which process runs, after a change of turns or after a process has come or
    /// ended. `cost` is the cost of the change of turns.
    #[inline(never)]
    pub fn settle(&mut self, now: i64, cost: i64) {
        self.rouse(now);
        self.halt(now);
        self.pe.f_in_its_slot = 0;
        if self.constants.algorithm == Algorithm::Flexible {
            let own = &self.processes[self.row as usize];
            let class = (own.phase != Phase::Done).then_some(own.record.class);
            self.pe.exclusive = class == Some(Class::CS);
            self.pe.f_in_its_slot = u64::from(class == Some(Class::F)) << self.row;
        }
        let before = std::mem::take(&mut self.pe.allowed);
        (
            self.pe.able,
            self.pe.blocked,
            self.pe.class_f,
            self.pe.yields_to_f,
            self.pe.wake,
        ) = (0, 0, 0, 0, NEVER);
        for row in 0..self.processes.len() {
            let (was, is) = (before >> row & 1 == 1, self.is_allowed(row));
            let (pe, process) = (&mut *self.pe, &mut self.processes[row]);
            let bit = u64::from(is) << row;
            pe.allowed |= bit;
            // Time spent descheduled does not count as waiting.
            if was && !is {
                process.suspended_at = now;
            } else if !was && is && matches!(process.phase, Phase::Wait | Phase::Blocked) {
                process.wait_since += now - process.suspended_at.max(process.wait_since);
            }
            match process.phase {
                Phase::Compute | Phase::Wait => pe.able |= bit,
                Phase::Blocked => {
                    pe.blocked |= bit;
                    if is {
                        pe.wake = pe.wake.min(process.ready.max(now));
                    }
                }
                Phase::Done => {}
            }
            if self.constants.f_first != FFirst::OwnSlot && process.record.class == Class::F {
                pe.class_f |= bit;
            } else if self.constants.f_first != FFirst::OwnSlot && !process.record.communicates {
                pe.yields_to_f |= bit;
            }
        }
        let pe = &*self.pe;
        let running = 1_u64.checked_shl(pe.running).unwrap_or(0);
        let first = pe.f_in_its_slot
            | if running & pe.yields_to_f != 0 {
                pe.class_f
            } else {
                0
            };
        let could = |row: usize| pe.able >> row & 1 == 1 || self.processes[row].ready <= now;
        let waits_for = rows(first & (pe.able | pe.blocked) & !running).any(could);
        if running & pe.allowed != 0 && !waits_for {
            self.pe.from += cost;
            self.resume();
        } else {
            self.take_off(now);
            self.choose(now);
            if self.pe.running != NOBODY && cost > 0 {
                self.pe.from += cost;
                self.resume();
            }
        }
    }
}
