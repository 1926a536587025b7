//! Signs of life from inside long work: one decision over a long queue, a model's draw, a large
//! trace.
//!
//! Long loops call [`beat`] with the approximate cost of a round in nanoseconds. Every [`EVERY`]
//! nanoseconds of counted work, the listener of the thread receives what the thread is doing. The
//! listener may look at a clock; the core cannot. Without a listener nothing happens. No listener
//! can change a result: it receives a copy and returns nothing.

use crate::time::Time;
use std::cell::Cell;

/// The work that a thread is doing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Doing {
    /// No work that takes long.
    Nothing,
    /// Reading a trace.
    Reading {
        /// Job lines so far.
        jobs: u64,
    },
    /// Drawing jobs from a workload model.
    Drawing {
        /// Jobs so far.
        jobs: u64,
        /// Number of all jobs.
        of: u64,
    },
    /// Writing the text of drawn jobs, for its hash.
    Hashing {
        /// Jobs so far.
        jobs: u64,
        /// Number of all jobs.
        of: u64,
    },
    /// Making a workload from a trace.
    Preparing {
        /// Jobs so far.
        jobs: u64,
        /// Number of all jobs.
        of: u64,
    },
    /// Deciding, in a policy.
    Deciding {
        /// The instant.
        now: Time,
        /// Number of waiting jobs.
        waiting: u64,
    },
    /// Computing the figures of a schedule.
    Measuring,
}

/// Units of work between two calls of the listener: about a millisecond.
pub const EVERY: usize = 1 << 20;

struct Pulse {
    /// Units of work left until the next call of the listener.
    left: Cell<usize>,
    doing: Cell<Doing>,
    listener: Cell<Option<fn(Doing)>>,
}

thread_local! {
    static PULSE: Pulse = const {
        Pulse {
            left: Cell::new(EVERY),
            doing: Cell::new(Doing::Nothing),
            listener: Cell::new(None),
        }
    };
}

/// Sets the listener of this thread.
pub fn listen(listener: fn(Doing)) {
    PULSE.with(|pulse| pulse.listener.set(Some(listener)));
}

/// Counts work of about `work` nanoseconds.
#[inline]
pub fn beat(work: usize) {
    PULSE.with(|pulse| {
        let left = pulse.left.get();
        if left > work {
            pulse.left.set(left - work);
        } else {
            tell(pulse);
        }
    });
}

#[cold]
#[inline(never)]
fn tell(pulse: &Pulse) {
    pulse.left.set(EVERY);
    if let Some(listener) = pulse.listener.get() {
        listener(pulse.doing.get());
    }
}

/// Does some work under a name. Named work inside other named work keeps the outer name.
#[inline]
pub fn during<T>(doing: Doing, work: impl FnOnce() -> T) -> T {
    let is_part = PULSE.with(|pulse| pulse.doing.get() != Doing::Nothing);
    if is_part {
        return work();
    }
    reached(doing);
    let made = work();
    reached(Doing::Nothing);
    made
}

/// Updates the progress of the named work.
#[inline]
pub fn reached(doing: Doing) {
    PULSE.with(|pulse| pulse.doing.set(doing));
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        static HEARD: Cell<(u32, Doing)> = const { Cell::new((0, Doing::Nothing)) };
    }

    fn hear(doing: Doing) {
        HEARD.set((HEARD.get().0 + 1, doing));
    }

    #[test]
    fn the_listener_hears_of_work_in_proportion_and_by_the_name_of_the_whole() {
        beat(10 * EVERY);
        assert_eq!(HEARD.get().0, 0, "nobody listens yet");
        listen(hear);
        let deciding = Doing::Deciding {
            now: Time::ZERO,
            waiting: 7,
        };
        during(deciding, || {
            during(Doing::Measuring, || {
                (0..3 * EVERY / 64).for_each(|_| beat(64));
            });
        });
        assert_eq!(HEARD.get(), (3, deciding));
        beat(usize::MAX);
        assert_eq!(HEARD.get(), (4, Doing::Nothing));
        during(Doing::Drawing { jobs: 0, of: 9 }, || {
            reached(Doing::Drawing { jobs: 5, of: 9 });
            beat(EVERY);
        });
        assert_eq!(HEARD.get(), (5, Doing::Drawing { jobs: 5, of: 9 }));
    }
}
