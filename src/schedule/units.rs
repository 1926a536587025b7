//! The units of a resource that each job held, such as GPUs: further rows for timelines.

use super::Attempt;
use crate::machine::Range;

/// The units of a resource that each attempt held. All units are numbered from 0 on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitRows {
    /// Ranges of units, those of one attempt after those of the one before.
    ranges: Vec<Range>,
    /// For each attempt, the number of ranges up to its last one.
    ends: Vec<usize>,
}

impl UnitRows {
    /// Adds the next attempt, in the order of [`super::Schedule::order`].
    pub fn push(&mut self, units: impl IntoIterator<Item = Range>) {
        self.ranges.extend(units);
        self.ends.push(self.ranges.len());
    }

    /// Returns the units of an attempt, in ascending order.
    pub fn of(&self, attempt: Attempt) -> &[Range] {
        let place = attempt.place as usize;
        let begin = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ranges[begin..self.ends[place]]
    }
}
