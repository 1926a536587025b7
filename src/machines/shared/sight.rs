//! The sight of a run, from which a machine makes the pictures that no other machine has.

use crate::param::Settings;
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::sim::Observer;
use crate::time::Time;
use crate::view::{Colours, Index};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A run as it is now.
pub struct Sight<'a> {
    /// Settings of the run.
    pub settings: &'a Settings,
    /// Schedule so far.
    pub schedule: &'a Schedule,
    /// Index of the schedule.
    pub index: &'a Index,
    /// Colours of the jobs.
    pub colours: &'a Colours,
    /// The rest of the run.
    pub past: &'a dyn Past,
}

/// The part of a run that its schedule does not tell.
pub trait Past {
    /// Returns the number of jobs that wait at an instant.
    fn waiting(&self, at: Time) -> u32;

    /// Repeats the run until `at` from one of the earlier states that are kept, the latest of which
    /// has the number 0. Returns false if there is no state with this number before `at`.
    fn repeat(&self, number: usize, at: Time, observer: &mut dyn Observer) -> bool;
}

/// Reads a question that only one machine understands.
///
/// # Errors
/// If the question is another one.
pub fn asked<Q: DeserializeOwned>(question: Value) -> Result<Q, Problem> {
    serde_json::from_value(question).map_err(|error| {
        Problem::new(
            format!("The question is not understood: {error}."),
            "A machine's questions are in src/machines/, in the view of the machine.",
            "Correct the field that is named.",
        )
    })
}

/// Answers any question about a machine that has no pictures of its own.
///
/// # Errors
/// Always.
pub fn has_no_pictures(_: &Sight<'_>, _: Value) -> Result<Value, Problem> {
    Err(Problem::new(
        "The machine has no pictures of its own.",
        "Only some machines are shown in a way that no other machine is.",
        "Ask about the timeline, which every machine has.",
    ))
}
