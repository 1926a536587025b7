//! A space that knows only the number of free processors.

use crate::machine::{Ask, Placement, PlacementBuf, Space};

/// A space that only counts processors.
#[derive(Clone)]
pub struct Counted {
    capacity: u32,
    free: u32,
}

impl Counted {
    /// Returns a space of `processors` free processors.
    pub const fn new(processors: u32) -> Self {
        Self {
            capacity: processors,
            free: processors,
        }
    }
}

impl Space for Counted {
    fn capacity(&self) -> u32 {
        self.capacity
    }

    fn free(&self) -> u32 {
        self.free
    }

    fn fits(&self, ask: Ask) -> bool {
        ask.processors <= self.free
    }

    fn claim(&mut self, ask: Ask, _: &mut PlacementBuf) {
        self.free -= ask.processors;
    }

    fn release(&mut self, held: Ask, _: Placement<'_>) {
        self.free += held.processors;
    }

    fn fork(&self) -> Box<dyn Space> {
        Box::new(self.clone())
    }

    fn empty(&self) -> Box<dyn Space> {
        Box::new(Self {
            free: self.capacity,
            ..*self
        })
    }
}
