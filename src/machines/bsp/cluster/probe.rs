//! What every process of one processor does, microsecond by microsecond: for a microscope.

use super::Cluster;
use super::clocks::NEVER;
use super::lane::Pe;
use super::process::{Phase, Process};
use crate::job::JobId;

/// So many stretches are noted at most.
const MOST: usize = 200_000;

/// What is to be noted; times in microseconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The processor.
    pub processor: u32,
    /// From when on.
    pub from: i64,
    /// Until when.
    pub to: i64,
}

/// What a process does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It computes.
    Compute,
    /// It has the processor and waits for messages.
    Spin,
    /// It has the processor, but switching, filling the cache or a daemon takes the time.
    Overhead,
    /// It waits for messages and does not want the processor.
    Blocked,
    /// Another has the processor.
    Off,
}

/// A time in which a process does one thing, in microseconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ProbeSpan {
    /// The process's job.
    pub job: JobId,
    /// Its number in the job.
    pub rank: u32,
    /// Its row.
    pub row: u32,
    /// What it does.
    pub activity: Activity,
    /// From when on.
    pub from: i64,
    /// Until when.
    pub to: i64,
}

/// What was noted.
#[derive(Clone, Debug)]
pub struct Probed {
    /// What was to be noted.
    pub probe: Probe,
    /// In order of time for each process.
    pub stretches: Vec<ProbeSpan>,
    /// Whether there was more than is noted.
    pub is_cut: bool,
    /// Whether it is looked, when it last was, and what was seen, by row.
    is_seen: bool,
    looked: i64,
    seen: Vec<Option<Seen>>,
}

/// A process when it was last looked at.
#[derive(Copy, Clone, Debug)]
struct Seen {
    job: JobId,
    rank: u32,
    state: State,
    /// Its last stretch.
    last: usize,
}

#[derive(Copy, Clone, Debug)]
enum State {
    /// It has the processor: from when on it gets on, and from when on it computes.
    On {
        from: i64,
        begin: i64,
    },
    Blocked,
    Off,
}

impl Cluster {
    /// Notes what happens on a processor in some time to come.
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

    /// What was noted, if anything was to be.
    pub fn take_probed(&mut self) -> Option<Probed> {
        let mut probed = self.probed.take()?;
        probed.note_until(probed.probe.to);
        Some(*probed)
    }

    /// Until when iterations may be computed in one step, so that nothing is missed that is to be
    /// noted.
    pub(super) fn unseen_until(&self) -> i64 {
        match &self.probed {
            Some(_) if self.is_seen() => self.now - 1,
            Some(probed) if !probed.is_seen => probed.probe.from - 1,
            _ => NEVER,
        }
    }

    /// Whether what happens is noted.
    pub(super) fn is_seen(&self) -> bool {
        self.probed
            .as_ref()
            .is_some_and(|probed| probed.is_seen && self.now <= probed.probe.to)
    }

    /// Whether it begins that everything is to be seen: from then on, everything happens when it
    /// does.
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

    /// Something may have changed.
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
    /// Notes what was seen until now.
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
