//! Searches for partners at an instant: who was looked at, which test ruled each out, what the
//! others were worth.

use crate::job::JobId;
use crate::sim::{Event, Observer, Search, Tried};
use crate::time::Time;

/// A search for a partner.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// For whom.
    pub job: JobId,
    /// Whether among the running jobs.
    pub among_running: bool,
    /// Who came into question, in the order in which they were looked at.
    pub tried: Vec<Tried>,
    /// Who was chosen.
    pub chosen: Option<JobId>,
}

/// Watches for the searches of the last decision that had any.
#[derive(Clone, Debug, Default)]
pub struct Searcher {
    at: Option<Time>,
    searches: Vec<Searched>,
}

impl Searcher {
    /// When that decision was, and its searches.
    pub fn into_last(self) -> Option<(Time, Vec<Searched>)> {
        self.at.map(|at| (at, self.searches))
    }
}

impl Observer for Searcher {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        let Event::Searched(Search {
            job,
            among_running,
            tried,
            chosen,
        }) = *event
        else {
            return;
        };
        if self.at != Some(at) {
            self.searches.clear();
            self.at = Some(at);
        }
        self.searches.push(Searched {
            job,
            among_running,
            tried: tried.to_vec(),
            chosen,
        });
    }
}
