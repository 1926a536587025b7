//! The space of a machine: where jobs can be.

use super::placement::{Placement, PlacementBuf};

/// What a job asks of a machine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Processors that it needs.
    pub processors: u32,
    /// Processors that it may get at most, where geometry has no room for just so many.
    pub most: u32,
    /// Whether it must leave alone what was set aside.
    pub beside: bool,
    /// The row of an Ousterhout matrix in which they must be, if it is to be a certain one.
    pub row: Option<u32>,
}

impl Ask {
    /// So many processors, or as few more as geometry needs.
    pub const fn of(processors: u32) -> Self {
        Self {
            processors,
            most: u32::MAX,
            beside: false,
            row: None,
        }
    }
}

/// What is free in a row of an Ousterhout matrix.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Processors that are free.
    pub free: u32,
    /// Those of them that are not set aside.
    pub beside: u32,
}

/// Where jobs can be: which processors are free and which a job gets.
///
/// Policies that only need counts ask [`Space::free`]; on machines with geometry [`Space::fits`]
/// says more. What only those have is empty for the others.
pub trait Space: Send {
    /// All processors.
    fn capacity(&self) -> u32;
    /// Processors that are free now.
    fn free(&self) -> u32;
    /// Whether a job could start now.
    fn fits(&self, ask: Ask) -> bool;
    /// Gives a job processors, put into `placement`, which is empty. The caller has asked
    /// `fits`.
    fn claim(&mut self, ask: Ask, placement: &mut PlacementBuf);
    /// Takes back what `claim` gave: so many processors, these.
    fn release(&mut self, processors: u32, placement: Placement<'_>);
    /// A copy that goes its own way.
    fn fork(&self) -> Box<dyn Space>;

    /// The same machine with all processors free. Where it does not matter which ones are, it need
    /// not say which it gives.
    fn empty(&self) -> Box<dyn Space>;

    /// Whether it matters which processors are free, not only how many.
    fn has_geometry(&self) -> bool {
        false
    }
    /// The size that a job of so many processors has here: more, where no partition has just so
    /// many.
    fn raised(&self, processors: u32) -> u32 {
        processors
    }
    /// Processors of the largest job that could start now.
    fn largest(&self) -> u32 {
        self.free()
    }
    /// Sets processors aside, in place of those that were before; none without a placement.
    /// They are no less free, but asks can be to leave them alone.
    fn set_aside(&mut self, _placements: &[Placement<'_>]) {}
    /// What is free, row by row: a job must find room in one of them. Where there are no rows, all
    /// is one.
    fn rooms(&self) -> Vec<Room> {
        vec![Room {
            free: self.free(),
            beside: self.free(),
        }]
    }
    /// After jobs have ended: which of the running jobs, that hold these placements, it moves, and
    /// where to. They hold the new placements then.
    fn tidy(&mut self, _held: &[Placement<'_>]) -> Vec<(usize, PlacementBuf)> {
        Vec::new()
    }
    /// Whether it ever does.
    fn tidies(&self) -> bool {
        false
    }
    /// Whether these processors are all free, where jobs can be given certain ones.
    fn is_free(&self, _placement: Placement<'_>) -> bool {
        false
    }
    /// Takes processors, whether they were free or not.
    fn occupy(&mut self, _placement: Placement<'_>) {}
    /// Lays out the running jobs anew, which hold these placements. Adopts what it finds and
    /// returns the new placements, if they leave a larger free partition.
    fn repack(&mut self, _held: &[Placement<'_>]) -> Option<Vec<PlacementBuf>> {
        None
    }
}
