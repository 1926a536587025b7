//! The local scheduler, which chooses among the processes of a processor that decides for itself.
//!
//! The cluster of the paper on flexible coscheduling ran Linux 2.4 (Red Hat 7.3). There, time is
//! divided into epochs, and each process has a counter of ticks. The process with the largest
//! counter runs. A process that wakes preempts the running process if its counter is larger by more
//! than a margin. When all runnable processes have used up their counters, every counter becomes
//! half of its rest plus a full counter. A process that slept therefore has up to twice a full
//! counter. The alternative is plain round robin.

/// A local scheduler; times are in microseconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LocalRule {
    /// The scheduler of Linux 2.4.
    Epochs {
        /// Value of a full counter.
        base: i64,
        /// Unit in which counters are compared.
        tick: i64,
        /// Ticks by which the counter of a process that wakes must be larger than that of the
        /// running process, and one more, for the process to preempt it.
        margin: i64,
    },
    /// Round robin: one process after the other. A process that wakes waits for its turn.
    RoundRobin {
        /// Length of a turn.
        quantum: i64,
    },
}

/// State that the local scheduler keeps for a process.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheduled {
    /// Time that is left of the counter or the turn.
    pub left: i64,
}

/// A runnable process: its place among the processes of the processor, and its state.
pub type Runnable = (usize, Scheduled);

impl LocalRule {
    /// Returns the state of a process that starts.
    pub const fn fresh(self) -> Scheduled {
        match self {
            Self::Epochs { base, .. } => Scheduled { left: base },
            Self::RoundRobin { quantum } => Scheduled { left: quantum },
        }
    }

    const fn ticks(self, left: i64) -> i64 {
        match self {
            // An overdrawn counter counts as used up.
            Self::Epochs { tick, .. } => (if left > 0 { left } else { 0 } + tick - 1) / tick,
            Self::RoundRobin { .. } => 0,
        }
    }

    /// True if a process that wakes preempts the running process: its counter must be larger by
    /// more than the margin.
    pub const fn preempts(self, woken: Scheduled, running: Scheduled) -> bool {
        let Self::Epochs { tick, margin, .. } = self else {
            return false;
        };
        let (woken, running) = (
            if woken.left > 0 { woken.left } else { 0 },
            if running.left > 0 { running.left } else { 0 },
        );
        // Counters that are far apart need no division.
        match woken - running {
            ahead if ahead <= margin * tick => false,
            ahead if ahead > (margin + 1) * tick => true,
            _ => self.ticks(woken) > self.ticks(running) + margin,
        }
    }

    /// Chooses one of the candidates, which come in order of their places. `last` is the process
    /// that ran before, if it is still there. The answer [`Pick::Renew`] begins a new epoch: the
    /// caller must renew all counters and ask again.
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
                // With equal counters in ticks, the larger exact counter wins. A single candidate
                // needs no comparison.
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

    /// Returns the state of a process at the beginning of a new epoch.
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

    /// True if a process that gets the processor begins a new turn.
    pub const fn renews_at_start(self) -> bool {
        matches!(self, Self::RoundRobin { .. })
    }
}

/// The choice of a local scheduler.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// No process can run.
    Nobody,
    /// All candidates have used up their time.
    Renew,
    /// The process at this place runs.
    Run(usize),
}
