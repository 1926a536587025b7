//! Searches for partners at an instant: who was looked at, which test ruled each out, what the
//! others were worth.

use super::Search;
use crate::sim::{Event, Observer};
use crate::time::Time;
use std::any::Any;

/// Watches for the searches of the last decision that had any.
#[derive(Clone, Debug, Default)]
pub struct Searcher {
    at: Option<Time>,
    searches: Vec<Search>,
}

impl Searcher {
    /// When that decision was, and its searches.
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
}
