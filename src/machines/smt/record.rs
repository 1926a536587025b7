//! What only hyperthreaded nodes record: searches for partners, and what partners do to each other.

use super::{Pairing, Search, Verdict};
use crate::job::JobId;
use crate::machine::Note;
use crate::schedule::{self, Schedule};
use crate::time::Time;
use std::any::Any;

/// Two jobs that share nodes, as they were matched.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// When.
    pub at: Time,
    /// On whose nodes.
    pub host: JobId,
    /// Beside it.
    pub guest: JobId,
}

/// Searches for partners, in sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Searches {
    /// How many there were among waiting jobs.
    pub count: u64,
    /// How many jobs passed none, one, two ... of the tests of [`Verdict`], in all of those.
    pub passed: [u64; 6],
    /// How many of them found somebody, and which of the candidates that was, from 1 on, in sum.
    pub found: u64,
    /// See `found`.
    pub number: u64,
    /// Who was matched, also with running jobs, in order of time.
    pub matches: Vec<Match>,
}

impl Searches {
    fn count(&mut self, at: Time, search: &Search) {
        if let Some(chosen) = search.chosen {
            let (host, guest) = if search.among_running {
                (chosen, search.job)
            } else {
                (search.job, chosen)
            };
            self.matches.push(Match { at, host, guest });
        }
        if search.among_running {
            return;
        }
        self.count += 1;
        for tried in &search.tried {
            let passed = (tried.verdict as usize).min(self.passed.len() - 1);
            self.passed[..=passed]
                .iter_mut()
                .for_each(|count| *count += 1);
        }
        if search.chosen.is_some() {
            let candidates = search
                .tried
                .iter()
                .filter(|tried| tried.verdict == Verdict::Candidate);
            self.found += 1;
            self.number += candidates
                .take_while(|tried| Some(tried.job) != search.chosen)
                .count() as u64
                + 1;
        }
    }
}

/// The record of hyperthreaded nodes.
#[derive(Clone, Debug)]
pub struct SmtRecord {
    /// What two jobs on the same nodes do to each other.
    pub pairing: Pairing,
    /// Searches for partners to share nodes with.
    pub searches: Searches,
}

impl SmtRecord {
    /// The record of nodes on which two jobs do this to each other.
    pub fn new(pairing: Pairing) -> Self {
        let searches = Searches::default();
        Self { pairing, searches }
    }
}

impl schedule::MachineRecord for SmtRecord {
    fn note(&mut self, at: Time, note: &dyn Note) {
        let note: &dyn Any = note;
        if let Some(search) = note.downcast_ref() {
            self.searches.count(at, search);
        }
    }

    fn renumber(&mut self, number: &dyn Fn(JobId) -> Option<JobId>) {
        for found in &mut self.searches.matches {
            found.host = number(found.host).unwrap_or(found.host);
            found.guest = number(found.guest).unwrap_or(found.guest);
        }
    }

    fn figures(&self, _: &Schedule, put: &mut dyn FnMut(&str, f64)) {
        let Searches {
            count,
            passed,
            found,
            number,
            ..
        } = self.searches;
        let mean = |sum: u64, of: u64| if of > 0 { sum as f64 / of as f64 } else { 0.0 };
        let tests = ["waiting", "long", "size", "memory", "class", "slowdown"];
        for (name, sum) in tests.iter().zip(passed) {
            put(&format!("search.{name}"), mean(sum, count));
        }
        put("search.chosen", mean(number, found));
    }

    fn fork(&self) -> Box<dyn schedule::MachineRecord> {
        Box::new(self.clone())
    }
}
