//! The parts that every machine has: where jobs can be ([`Space`]) and how they progress
//! ([`Execution`]).
//!
//! The machine models themselves are in [`crate::machines`]. This module knows neither a policy nor
//! the event loop.

mod ask;
mod execution;
mod note;
mod offer;
mod placement;
mod rotation;
mod space;
mod timetable;

pub use ask::{ANY_CORES, Ask};
pub use execution::{Execution, Starting};
pub use note::Note;
pub use offer::{Fit, Offer};
pub use placement::{Placement, PlacementBuf, Range, common};
pub use rotation::{MOST_ROWS, Rotation};
pub use space::{Room, Space};
pub use timetable::{NodeChoice, Timetable};

/// A machine: a space and an execution.
pub struct Machine {
    /// The space: where jobs can be.
    pub space: Box<dyn Space>,
    /// The execution: how running jobs progress.
    pub execution: Box<dyn Execution>,
}

impl Machine {
    /// Returns an independent copy in the same state.
    pub fn fork(&self) -> Self {
        Self {
            space: self.space.fork(),
            execution: self.execution.fork(),
        }
    }

    /// Returns the same machine without jobs.
    pub fn empty(&self) -> Self {
        Self {
            space: self.space.empty(),
            execution: self.execution.idle(),
        }
    }
}

/// Choice between processor numbers and counts. Pictures need numbers, figures do not.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Placements {
    /// Each job gets processor numbers, and they are recorded.
    #[default]
    Recorded,
    /// The machine only counts processors.
    Counted,
}
