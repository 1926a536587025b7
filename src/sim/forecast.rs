//! The machine as it would be if some running jobs had ended: what a reservation on a machine with
//! geometry is found with.

use super::world::World;
use crate::job::JobId;
use crate::machine::{Ask, Placement, PlacementBuf, Space};

/// The machine after releases that have not happened yet.
pub struct Forecast<'a> {
    world: &'a World,
    space: Box<dyn Space>,
}

impl<'a> Forecast<'a> {
    pub(super) fn new(world: &'a World) -> Self {
        Self {
            world,
            space: world.machine.space.fork(),
        }
    }

    pub(super) fn empty(world: &'a World) -> Self {
        Self {
            world,
            space: world.machine.space.empty(),
        }
    }

    /// Somebody holds these processors.
    pub fn occupy(&mut self, placement: Placement<'_>) {
        self.space.occupy(placement);
    }

    /// A running job ends.
    pub fn release(&mut self, job: JobId) {
        if let Some(hold) = self.world.hold(job) {
            self.space
                .release(self.world.held(job), hold.placement.get());
        }
    }

    /// Whether a job of this size could start then.
    pub fn fits(&self, processors: u32) -> bool {
        processors <= self.space.free() && self.space.fits(Ask::of(processors))
    }

    /// Free processors then.
    pub fn free(&self) -> u32 {
        self.space.free()
    }

    /// The processors that a job of this size would get then; none if it does not fit.
    pub fn place(&mut self, processors: u32) -> PlacementBuf {
        let mut placement = PlacementBuf::default();
        if self.fits(processors) {
            self.space.claim(Ask::of(processors), &mut placement);
        }
        placement
    }
}
