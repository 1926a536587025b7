//! What all machines have: where jobs can be ([`Space`]) and how they progress ([`Execution`]).
//!
//! The machine models themselves are in [`crate::machines`]. Nothing here knows a policy or the
//! event loop.

mod execution;
mod note;
mod offer;
mod placement;
mod rotation;
mod space;

pub use execution::{Execution, Starting};
pub use note::Note;
pub use offer::{Fit, Offer};
pub use placement::{Placement, PlacementBuf, Range};
pub use rotation::{MOST_ROWS, Rotation};
pub use space::{Ask, Room, Space};

/// A machine: a space and an execution.
pub struct Machine {
    /// Where jobs can be.
    pub space: Box<dyn Space>,
    /// How they progress.
    pub execution: Box<dyn Execution>,
}

impl Machine {
    /// A copy that goes its own way.
    pub fn fork(&self) -> Self {
        Self {
            space: self.space.fork(),
            execution: self.execution.fork(),
        }
    }

    /// The same machine with nothing on it.
    pub fn empty(&self) -> Self {
        Self {
            space: self.space.empty(),
            execution: self.execution.idle(),
        }
    }
}

/// Whether placements are recorded: pictures need processor numbers, figures do not.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Placements {
    /// Each job gets real processor numbers.
    #[default]
    Recorded,
    /// Only counts.
    Counted,
}
