//! The searches for partners that share nodes, as the page shows them.

use super::watch::Searcher;
use super::{Search, SmtRecord, Tried, Verdict};
use crate::machines::shared::{Past, Sight, asked};
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::time::Time;
use crate::view::JobName;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Largest number of searches of one decision that are told.
const SEARCHES: usize = 40;

/// Largest number of jobs of one search that are told.
const TRIED: usize = 60;

/// A question about searches for partners. Instants are in seconds.
#[derive(Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum SmtQuestion {
    /// The searches of the last decision until `at` that made any: [`SearchesFacts`], or null.
    Searches {
        /// The instant.
        at: f64,
    },
    /// The next instant after `at` at which jobs were matched; if `forwards` is false, the last one
    /// before `at`: a number, or null.
    NextMatch {
        /// The instant.
        at: f64,
        /// Direction of time.
        forwards: bool,
    },
}

/// Answers a question about searches for partners.
pub(super) fn show(sight: &Sight<'_>, question: Value) -> Result<Value, Problem> {
    Ok(match asked(question)? {
        SmtQuestion::Searches { at } => json!(
            searches(sight.past, Time::near(at)).map(|(at, found)| SearchesFacts::of(
                &sight.schedule.workload,
                at,
                &found
            ))
        ),
        SmtQuestion::NextMatch { at, forwards } => {
            json!(next_match(sight.schedule, Time::near(at), forwards).map(Time::seconds))
        }
    })
}

/// Returns the searches for partners of the last decision at or before `at` that made any, with the
/// instant of the decision. Finds them by repeating a part of the run.
pub fn searches(past: &dyn Past, at: Time) -> Option<(Time, Vec<Search>)> {
    for number in 0.. {
        let mut searcher = Searcher::default();
        if !past.repeat(number, at, &mut searcher) {
            break;
        }
        // There is seldom no search since the latest state; then an earlier one is tried.
        if let Some(found) = searcher.into_last() {
            return Some(found);
        }
    }
    None
}

/// Returns the next instant after `at` at which jobs were matched. If `forwards` is false, returns
/// the last one before `at`.
fn next_match(schedule: &Schedule, at: Time, forwards: bool) -> Option<Time> {
    let record: &SmtRecord = schedule.of()?;
    let matches = &record.searches.matches;
    let found = if forwards {
        matches.get(matches.partition_point(|found| found.at <= at))
    } else {
        matches[..matches.partition_point(|found| found.at < at)].last()
    };
    found.map(|found| found.at)
}

/// A search for a partner.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SearchFacts {
    /// The job that looks for a partner.
    pub job: JobName,
    /// True if the search is among the running jobs.
    pub among_running: bool,
    /// Number in the trace of the partner that was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<i64>,
    /// Number of jobs that were considered.
    pub count: usize,
    /// Numbers of jobs that the tests ruled out (short jobs, size, memory, class, slowdown,
    /// reservation), and then of jobs that passed all tests.
    pub left: [usize; 7],
    /// Jobs that were considered: candidates first, the best first. A long list is cut.
    pub tried: Vec<TriedFacts>,
}

impl SearchFacts {
    fn of(workload: &Workload, search: &Search) -> Self {
        let mut left = [0; 7];
        search
            .tried
            .iter()
            .for_each(|tried| left[tried.verdict as usize] += 1);
        // Candidates come first, by their worth; then the jobs that passed most tests.
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

/// A job that was considered as a partner.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct TriedFacts {
    /// The job that was considered.
    pub job: JobName,
    /// Number of the test that ruled the job out, in the order of the tests; 6 if it passed all
    /// tests.
    pub verdict: u8,
    /// Slowdown of the two jobs beside each other; 0 if it was not computed.
    pub slowdown: f64,
    /// Worth of the pair to the heuristic.
    pub gain: f64,
}

/// Searches for partners of one decision.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SearchesFacts {
    /// Instant of the decision, in seconds.
    pub at: f64,
    /// Searches of the decision. A long list is cut.
    pub searches: Vec<SearchFacts>,
    /// Number of all searches of the decision.
    pub count: usize,
}

impl SearchesFacts {
    /// Returns the facts about the searches of the decision at `at`.
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
