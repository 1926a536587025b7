//! The searches for partners at an instant: the jobs that were considered, the test that ruled out
//! each of them, and the worth of the others.

use super::Search;
use crate::sim::{Event, Observer, Reasons};
use crate::time::Time;
use std::any::Any;

/// Collects the searches of the last decision that had any.
#[derive(Clone, Debug, Default)]
pub struct Searcher {
    at: Option<Time>,
    searches: Vec<Search>,
}

impl Searcher {
    /// Returns the instant of that decision, and its searches.
    pub fn into_last(self) -> Option<(Time, Vec<Search>)> {
        self.at.map(|at| (at, self.searches))
    }
}

impl Observer for Searcher {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        let Event::Noted(note) = *event else {
            return;
        };
        let note: &dyn Any = note;
        let Some(search) = note.downcast_ref::<Search>() else {
            return;
        };
        if self.at != Some(at) {
            self.searches.clear();
            self.at = Some(at);
        }
        self.searches.push(search.clone());
    }

    /// Returns that all reasons are wanted, because a policy tells every search only if it is
    /// watched.
    fn wants_reasons(&self) -> Reasons {
        Reasons::All
    }
}
