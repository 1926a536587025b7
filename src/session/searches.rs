//! Searches for partners that share nodes.

use super::names::JobName;
use super::state::Session;
use crate::machines::smt::{Search, SmtRecord, Tried, Verdict};
use crate::time::Time;
use crate::workload::Workload;
use serde::Serialize;

/// Searches of one decision that are told, and jobs of each.
const SEARCHES: usize = 40;

const TRIED: usize = 60;

/// A search for a partner.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SearchFacts {
    /// For whom.
    pub job: JobName,
    /// Whether among the running jobs.
    pub among_running: bool,
    /// Who was chosen, by its number in the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<i64>,
    /// How many came into question.
    pub count: usize,
    /// How many each test ruled out: short jobs, size, memory, class, slowdown, reservation; and
    /// how many none did.
    pub left: [usize; 7],
    /// Who came into question: candidates first, the best first; not all of very many.
    pub tried: Vec<TriedFacts>,
}

impl SearchFacts {
    fn of(workload: &Workload, search: &Search) -> Self {
        let mut left = [0; 7];
        search
            .tried
            .iter()
            .for_each(|tried| left[tried.verdict as usize] += 1);
        // Candidates by what they are worth, then those that came furthest.
        let worth: Vec<f64> = search
            .tried
            .iter()
            .map(|t| {
                if t.verdict == Verdict::Candidate {
                    t.gain
                } else {
                    f64::from(t.verdict as u8) - 1e9
                }
            })
            .collect();
        let tried = crate::sorting::falling(&worth)
            .into_iter()
            .take(TRIED)
            .map(|place| {
                let Tried {
                    job,
                    verdict,
                    slowdown,
                    gain,
                } = search.tried[place];
                TriedFacts {
                    job: JobName::of(workload, job),
                    verdict: verdict as u8,
                    slowdown: slowdown as f64 / 1e4,
                    gain,
                }
            });
        Self {
            job: JobName::of(workload, search.job),
            among_running: search.among_running,
            chosen: search.chosen.map(|job| workload.request(job).number),
            count: search.tried.len(),
            left,
            tried: tried.collect(),
        }
    }
}

/// A job that came into question.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct TriedFacts {
    /// Which.
    pub job: JobName,
    /// The test that ruled it out, by its number in the order of tests; 6 if none did.
    pub verdict: u8,
    /// By how much the two would slow each other down; 0 where that was not asked.
    pub slowdown: f64,
    /// What it was worth.
    pub gain: f64,
}

/// Searches of one decision.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SearchesFacts {
    /// When.
    pub at: f64,
    /// The searches; not all of very many.
    pub searches: Vec<SearchFacts>,
    /// How many there were.
    pub count: usize,
}

impl SearchesFacts {
    /// Describes the searches of the decision at `at`.
    pub fn of(workload: &Workload, at: Time, searches: &[Search]) -> Self {
        let told = searches
            .iter()
            .take(SEARCHES)
            .map(|search| SearchFacts::of(workload, search))
            .collect();
        Self {
            at: at.seconds(),
            searches: told,
            count: searches.len(),
        }
    }
}

impl Session {
    /// Returns the searches for partners of the last decision until `at` that had any.
    pub fn searches(&self, at: Time) -> Option<SearchesFacts> {
        let (found, searches) = self.run().searches(at)?;
        Some(SearchesFacts::of(
            &self.schedule().workload,
            found,
            &searches,
        ))
    }

    /// Returns the next instant after `at` at which jobs were matched, or the last one before it.
    pub fn next_match(&self, at: Time, forwards: bool) -> Option<Time> {
        let record: &SmtRecord = self.schedule().of()?;
        let matches = &record.searches.matches;
        let found = if forwards {
            matches.get(matches.partition_point(|found| found.at <= at))
        } else {
            matches[..matches.partition_point(|found| found.at < at)].last()
        };
        found.map(|found| found.at)
    }
}
