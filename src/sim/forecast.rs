//! The machine as it would be if some running jobs had ended. Policies use it to find reservations
//! on machines with geometry.

use super::world::World;
use crate::job::JobId;
use crate::machine::{Ask, Placement, PlacementBuf, Space};

/// A copy of the machine's space on which a policy tries out future releases.
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

    /// Takes these processors, as a reservation does.
    pub fn occupy(&mut self, placement: Placement<'_>) {
        self.space.occupy(placement);
    }

    /// Releases the processors of a running job.
    pub fn release(&mut self, job: JobId) {
        if let Some(hold) = self.world.hold(job) {
            self.space
                .release(self.world.held(job), hold.placement.get());
        }
    }

    /// True if a job of this size could then start.
    pub fn fits(&self, processors: u32) -> bool {
        processors <= self.space.free() && self.space.fits(Ask::of(processors))
    }

    /// Returns the number of processors that are then free.
    pub fn free(&self) -> u32 {
        self.space.free()
    }

    /// Takes processors for a job of this size and returns them; returns an empty placement if the
    /// job does not fit.
    pub fn place(&mut self, processors: u32) -> PlacementBuf {
        let mut placement = PlacementBuf::default();
        if self.fits(processors) {
            self.space.claim(Ask::of(processors), &mut placement);
        }
        placement
    }
}
