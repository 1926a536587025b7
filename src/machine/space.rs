//! The space of a machine: where jobs can be.

use super::placement::{Placement, PlacementBuf};

/// A request for processors of a machine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Number of processors that the job needs.
    pub processors: u32,
    /// Largest number of processors that the job may get, if no partition has exactly its size.
    pub most: u32,
    /// True if the job must not use processors that were set aside.
    pub beside: bool,
    /// The row of an Ousterhout matrix in which the job must run, if the row is fixed.
    pub row: Option<u32>,
}

impl Ask {
    /// Asks for this number of processors, or for the smallest larger number that the geometry
    /// allows.
    pub const fn of(processors: u32) -> Self {
        Self {
            processors,
            most: u32::MAX,
            beside: false,
            row: None,
        }
    }
}

/// The free processors of a row of an Ousterhout matrix.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Number of free processors.
    pub free: u32,
    /// Number of free processors that were not set aside.
    pub beside: u32,
}

/// The processors of a machine: which ones are free, and which ones a job gets.
///
/// Policies that only need counts ask [`Space::free`]. On machines with geometry [`Space::fits`]
/// tells more. The methods with a default body do nothing on machines that do not need them.
pub trait Space: Send {
    /// Returns the number of processors of the machine.
    fn capacity(&self) -> u32;
    /// Returns the number of free processors.
    fn free(&self) -> u32;
    /// True if a job with this request could start now.
    fn fits(&self, ask: Ask) -> bool;
    /// Allocates processors for a request and writes them into `placement`, which must be empty.
    /// The caller must have checked [`Space::fits`].
    fn claim(&mut self, ask: Ask, placement: &mut PlacementBuf);
    /// Frees the processors that [`Space::claim`] allocated.
    fn release(&mut self, processors: u32, placement: Placement<'_>);
    /// Returns an independent copy in the same state.
    fn fork(&self) -> Box<dyn Space>;

    /// Returns the same machine with all processors free. If only counts matter, the copy may do
    /// without processor numbers.
    fn empty(&self) -> Box<dyn Space>;

    /// True if it matters which processors are free, not only how many.
    fn has_geometry(&self) -> bool {
        false
    }
    /// Returns the size of a job on this machine. It exceeds `processors` if no partition has
    /// exactly that size.
    fn raised(&self, processors: u32) -> u32 {
        processors
    }
    /// Returns the size of the largest job that could start now.
    fn largest(&self) -> u32 {
        self.free()
    }
    /// Sets processors aside and replaces the earlier choice. An empty list sets nothing aside. The
    /// processors stay free, but a request can avoid them ([`Ask::beside`]).
    fn set_aside(&mut self, _placements: &[Placement<'_>]) {}
    /// Returns the free processors of each row. A job must fit in one of them. A machine without
    /// rows returns one entry.
    fn rooms(&self) -> Vec<Room> {
        vec![Room {
            free: self.free(),
            beside: self.free(),
        }]
    }
    /// Moves running jobs after other jobs have ended. `held` are the placements of the running
    /// jobs. Returns the index in `held` and the new placement of each job that moved.
    fn tidy(&mut self, _held: &[Placement<'_>]) -> Vec<(usize, PlacementBuf)> {
        Vec::new()
    }
    /// True if [`Space::tidy`] ever moves a job.
    fn tidies(&self) -> bool {
        false
    }
    /// True if all processors of the placement are free. Always false on machines that do not let a
    /// policy name processors.
    fn is_free(&self, _placement: Placement<'_>) -> bool {
        false
    }
    /// Takes these processors, free or not.
    fn occupy(&mut self, _placement: Placement<'_>) {}
    /// Lays out all running jobs anew. `held` are their placements. If the new layout leaves a
    /// larger free partition, adopts it and returns the new placements in the same order.
    fn repack(&mut self, _held: &[Placement<'_>]) -> Option<Vec<PlacementBuf>> {
        None
    }
}
