//! The record of hyperthreaded nodes: the searches for partners, and the rules for slowdowns.

use super::{Pairing, Search, Verdict};
use crate::job::{Demand, JobId};
use crate::machine::Note;
use crate::schedule::{self, Schedule};
use crate::time::Time;
use std::any::Any;

/// A pair of jobs that was matched to share nodes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Instant of the match.
    pub at: Time,
    /// The job whose nodes are shared.
    pub host: JobId,
    /// The job that joins it on these nodes.
    pub guest: JobId,
}

/// Totals of the searches for partners.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Searches {
    /// Number of searches among waiting jobs.
    pub count: u64,
    /// Number of jobs that passed at least 0, 1, ... 5 of the tests of [`Verdict`] in these
    /// searches.
    pub passed: [u64; 6],
    /// Number of these searches that found a partner.
    pub found: u64,
    /// Sum, over the searches that found a partner, of its place among the candidates, from 1 on.
    pub number: u64,
    /// Pairs that were matched, also with running jobs, in order of time.
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
    /// The rules for the slowdown of two jobs on the same nodes.
    pub pairing: Pairing,
    /// Totals of the searches for partners.
    pub searches: Searches,
}

impl SmtRecord {
    /// Returns the record of nodes with these rules.
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

    fn slowdown(&self, demand: Option<&Demand>, other: Option<&Demand>) -> f64 {
        self.pairing.slowdown(demand, other) as f64 / 1e4
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
