//! The local scheduler: which of the processes of a processor runs, where it decides for itself.
//!
//! Linux 2.4's, which the cluster of flexible coscheduling ran (Red Hat 7.3): time is divided into
//! epochs, in each of which a process has a counter of ticks. The largest counter runs; a process
//! that wakes preempts the running one if its counter is more than a tick larger; and when all that
//! could run have used theirs up, everybody's counter becomes half of what is left of it and a full
//! one, so that one who slept has up to twice as much. The alternative is plain round robin.

/// Which local scheduler, in microseconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LocalRule {
    /// Linux 2.4's, with a full counter and a tick.
    Epochs {
        /// A full counter.
        base: i64,
        /// What counters are compared in.
        tick: i64,
    },
    /// One after the other, so long each; who wakes waits for his turn.
    RoundRobin {
        /// A turn.
        quantum: i64,
    },
}

/// What the local scheduler knows of a process.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheduled {
    /// Time that is left of its counter or turn.
    pub left: i64,
}

/// A process that could run: its place among those of the processor, and what is known of it.
pub type Runnable = (usize, Scheduled);

impl LocalRule {
    /// What is known of a process that starts.
    pub const fn fresh(self) -> Scheduled {
        match self {
            Self::Epochs { base, .. } => Scheduled { left: base },
            Self::RoundRobin { quantum } => Scheduled { left: quantum },
        }
    }

    const fn ticks(self, left: i64) -> i64 {
        match self {
            // A counter that is overdrawn is used up, no more.
            Self::Epochs { tick, .. } => (if left > 0 { left } else { 0 } + tick - 1) / tick,
            Self::RoundRobin { .. } => 0,
        }
    }

    /// Whether one who wakes takes the place of one who runs: its counter is more than a tick
    /// higher.
    pub const fn preempts(self, woken: Scheduled, running: Scheduled) -> bool {
        let Self::Epochs { tick, .. } = self else {
            return false;
        };
        let (woken, running) = (
            if woken.left > 0 { woken.left } else { 0 },
            if running.left > 0 { running.left } else { 0 },
        );
        // Far apart, nothing need be divided.
        match woken - running {
            ahead if ahead <= tick => false,
            ahead if ahead > 2 * tick => true,
            _ => self.ticks(woken) > self.ticks(running) + 1,
        }
    }

    /// Which of those who could run does, if there are any, in order of their places; `last` ran
    /// before, if that is still there. And whether a new epoch begins first: then everybody's
    /// counter is renewed, and it is asked again.
    pub fn choose(
        self,
        mut candidates: impl Iterator<Item = Runnable>,
        last: Option<usize>,
    ) -> Pick {
        let Some(first) = candidates.next() else {
            return Pick::Nobody;
        };
        match self {
            Self::Epochs { .. } => {
                // Of equal counters the one with more of its tick left. One alone need not be
                // compared.
                let goodness = |(place, Scheduled { left }): Runnable| {
                    if left > 0 {
                        (self.ticks(left) + i64::from(last == Some(place)), left)
                    } else {
                        (0, 0)
                    }
                };
                let better = |best, other| {
                    if goodness(other) > goodness(best) {
                        other
                    } else {
                        best
                    }
                };
                let (place, Scheduled { left }) = candidates.fold(first, better);
                if left > 0 {
                    Pick::Run(place)
                } else {
                    Pick::Renew
                }
            }
            Self::RoundRobin { .. } => {
                let comes_after = |(place, _): &Runnable| last.is_none_or(|last| *place > last);
                let next = if comes_after(&first) {
                    Some(first)
                } else {
                    candidates.find(comes_after)
                };
                Pick::Run(next.unwrap_or(first).0)
            }
        }
    }

    /// What becomes of a counter when an epoch begins.
    pub const fn renewed(self, scheduled: Scheduled) -> Scheduled {
        match self {
            Self::Epochs { base, .. } => Scheduled {
                left: (if scheduled.left > 0 {
                    scheduled.left / 2
                } else {
                    0
                }) + base,
            },
            Self::RoundRobin { quantum } => Scheduled { left: quantum },
        }
    }

    /// Whether the process that is let on gets a new turn.
    pub const fn renews_at_start(self) -> bool {
        matches!(self, Self::RoundRobin { .. })
    }
}

/// Who runs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Nobody could.
    Nobody,
    /// All have used up their time.
    Renew,
    /// The one at this place.
    Run(usize),
}
