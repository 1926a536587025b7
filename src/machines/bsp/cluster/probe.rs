//! Notes on what every process of a processor does, microsecond by microsecond. The microscope of
//! the page shows them.

use super::ProcessCluster;
use super::clocks::NEVER;
use super::lane::Pe;
use super::process::{Phase, Process};
use crate::job::JobId;

/// Largest number of stretches that a probe notes.
const MOST: usize = 200_000;

/// The processor and the period that a probe watches; times are in microseconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Number of the processor.
    pub processor: u32,
    /// Beginning of the period.
    pub from: i64,
    /// End of the period.
    pub to: i64,
}

/// An activity of a process.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// The process computes.
    Compute,
    /// The process has the processor and waits for messages.
    Spin,
    /// The process has the processor, but a cost holds it: a switch, a turn, the cache or a daemon.
    Overhead,
    /// The process waits for messages and does not want the processor.
    Blocked,
    /// The process is descheduled.
    Off,
}

/// A stretch of time in which a process does one thing; times are in microseconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ProbeSpan {
    /// The job of the process.
    pub job: JobId,
    /// Number of the process in its job.
    pub rank: u32,
    /// Row of the process.
    pub row: u32,
    /// Activity of the process.
    pub activity: Activity,
    /// Beginning of the stretch.
    pub from: i64,
    /// End of the stretch.
    pub to: i64,
}

/// The notes of a probe.
#[derive(Clone, Debug)]
pub struct Probed {
    /// The processor and the period that were watched.
    pub probe: Probe,
    /// Stretches of all processes, in order of time for each process.
    pub stretches: Vec<ProbeSpan>,
    /// True if there were more stretches than the notes can hold.
    pub is_cut: bool,
    /// True if the probe has begun to watch.
    is_seen: bool,
    /// Instant of the last look.
    looked: i64,
    /// Processes at the last look, by row.
    seen: Vec<Option<Seen>>,
}

/// A process at the last look.
#[derive(Copy, Clone, Debug)]
struct Seen {
    job: JobId,
    rank: u32,
    state: State,
    /// Index of its last stretch.
    last: usize,
}

#[derive(Copy, Clone, Debug)]
enum State {
    /// The process has the processor. It makes progress from `from` on and computes from `begin`
    /// on.
    On {
        from: i64,
        begin: i64,
    },
    Blocked,
    Off,
}

impl ProcessCluster {
    /// Watches a processor during a period to come.
    pub fn probe(&mut self, probe: Probe) {
        let seen = vec![None; self.in_row.len()];
        self.probed = Some(Box::new(Probed {
            probe,
            stretches: Vec::new(),
            is_cut: false,
            is_seen: false,
            looked: self.now,
            seen,
        }));
    }

    /// Ends the watch and returns its notes; `None` if no processor was watched.
    pub fn take_probed(&mut self) -> Option<Probed> {
        let mut probed = self.probed.take()?;
        probed.note_until(probed.probe.to);
        Some(*probed)
    }

    /// Returns the instant until which iterations may be computed in one step, so that the probe
    /// misses nothing.
    pub(super) fn unseen_until(&self) -> i64 {
        match &self.probed {
            Some(_) if self.is_seen() => self.now - 1,
            Some(probed) if !probed.is_seen => probed.probe.from - 1,
            _ => NEVER,
        }
    }

    /// True if the probe notes what happens now.
    pub(super) fn is_seen(&self) -> bool {
        self.probed
            .as_ref()
            .is_some_and(|probed| probed.is_seen && self.now <= probed.probe.to)
    }

    /// Begins to watch if the next event is in the period of the probe. Returns true if the watch
    /// has begun now; from then on, all events are handled in order of time.
    pub(super) fn is_to_be_seen(&mut self, next: i64) -> bool {
        let Some(probed) = self
            .probed
            .as_mut()
            .filter(|probed| !probed.is_seen && next >= probed.probe.from)
        else {
            return false;
        };
        (probed.is_seen, probed.looked) = (true, self.now);
        let now = self.now;
        for pe in 0..self.pes.len() {
            self.lane(pe).rouse(now);
            self.set_clock(pe);
        }
        self.note();
        true
    }

    /// Notes the state of the processor, if the probe watches it.
    pub(super) fn look(&mut self) {
        if self.is_seen() {
            self.note();
        }
    }

    #[inline(never)]
    fn note(&mut self) {
        let Some(probed) = &mut self.probed else {
            return;
        };
        probed.note_until(self.now);
        let pe = probed.probe.processor as usize;
        for row in 0..self.rows {
            let process = &self.processes[pe * self.rows + row];
            let before = probed.seen[row];
            probed.seen[row] = state(&self.pes[pe], process, row as u32).map(|state| {
                let (job, rank) = (self.jobs[process.job as usize].id, process.rank);
                let last = before
                    .filter(|seen| (seen.job, seen.rank) == (job, rank))
                    .map_or(usize::MAX, |seen| seen.last);
                Seen {
                    job,
                    rank,
                    state,
                    last,
                }
            });
        }
    }
}

fn state(pe: &Pe, process: &Process, row: u32) -> Option<State> {
    match process.phase {
        Phase::Done => None,
        _ if pe.running == row => Some(State::On {
            from: pe.from,
            begin: pe.begin,
        }),
        Phase::Blocked => Some(State::Blocked),
        _ => Some(State::Off),
    }
}

impl Probed {
    /// Notes what the last look saw, up to `now`.
    fn note_until(&mut self, now: i64) {
        let (from, to) = (self.looked.max(self.probe.from), now.min(self.probe.to));
        self.looked = now;
        if from >= to {
            return;
        }
        for row in 0..self.seen.len() {
            let Some(Seen { state, .. }) = self.seen[row] else {
                continue;
            };
            match state {
                State::Blocked => self.note(row, Activity::Blocked, from, to),
                State::Off => self.note(row, Activity::Off, from, to),
                State::On {
                    from: gets_on,
                    begin,
                } => {
                    self.note(row, Activity::Overhead, from, gets_on.min(to));
                    self.note(row, Activity::Spin, from.max(gets_on), begin.min(to));
                    self.note(row, Activity::Compute, from.max(begin), to);
                }
            }
        }
    }

    fn note(&mut self, row: usize, activity: Activity, from: i64, to: i64) {
        let Some(seen) = &mut self.seen[row] else {
            return;
        };
        if from >= to {
            return;
        }
        if let Some(last) = self
            .stretches
            .get_mut(seen.last)
            .filter(|last| last.activity == activity && last.to == from)
        {
            last.to = to;
            return;
        }
        if self.stretches.len() >= MOST {
            self.is_cut = true;
            return;
        }
        seen.last = self.stretches.len();
        self.stretches.push(ProbeSpan {
            job: seen.job,
            rank: seen.rank,
            row: row as u32,
            activity,
            from,
            to,
        });
    }
}
