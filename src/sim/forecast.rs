//! The machine as it would be if some running jobs had ended. Policies use it to find reservations
//! on machines with geometry.

use super::Waiting;
use super::world::World;
use crate::job::JobId;
use crate::machine::{Ask, Placement, PlacementBuf, Space};
use crate::time::Time;
use std::fmt;

/// A copy of the machine's space on which a policy tries out future releases.
pub struct Forecast<'a> {
    world: &'a World,
    space: Box<dyn Space>,
    at: Time,
}

impl<'a> Forecast<'a> {
    pub(super) fn new(world: &'a World, head: Option<&Waiting>) -> Self {
        let ask = head.map(|head| world.ask_at(world.now, head));
        Self {
            world,
            space: world.machine.space.draft(ask),
            at: world.now,
        }
    }

    pub(super) fn empty(world: &'a World) -> Self {
        Self {
            world,
            space: world.machine.space.empty(),
            at: world.now,
        }
    }

    /// Moves on to a later instant, at which jobs would start.
    pub fn move_to(&mut self, at: Time) {
        self.at = at;
    }

    /// Takes the processors that a job holds or will hold, or those that are out of service.
    pub fn occupy(&mut self, job: JobId, placement: Placement<'_>) {
        if self.world.is_outage(job) {
            self.space.close(placement);
        } else {
            self.space.occupy(placement);
        }
    }

    /// Releases the processors of a running job.
    pub fn release(&mut self, job: JobId) {
        if let Some(hold) = self.world.hold(job) {
            let held = self.world.ask(job, self.world.held(job));
            if self.world.is_outage(job) {
                self.space.reopen(held, hold.placement.get());
            } else {
                self.space.release(held, hold.placement.get());
            }
        }
    }

    /// True if a waiting job could then start.
    pub fn fits(&self, job: &Waiting) -> bool {
        job.processors <= self.space.free() && self.space.fits(self.world.ask_at(self.at, job))
    }

    /// Returns the number of processors that are then free.
    pub fn free(&self) -> u32 {
        self.space.free()
    }

    /// Takes processors for a waiting job and returns them; returns an empty placement if the job
    /// does not fit.
    pub fn place(&mut self, job: &Waiting) -> PlacementBuf {
        if self.fits(job) {
            self.claim(job)
        } else {
            PlacementBuf::default()
        }
    }

    /// Takes processors for a waiting job that fits, and returns them.
    pub fn claim(&mut self, job: &Waiting) -> PlacementBuf {
        debug_assert!(self.fits(job));
        let mut placement = PlacementBuf::default();
        self.space
            .claim(self.world.ask_at(self.at, job), &mut placement);
        placement
    }

    /// Keeps this state of the machine for `head`, which got `placement` in it.
    pub fn keep_for(mut self, head: &Waiting, placement: Placement<'_>) -> Later {
        let head = self.world.ask_at(self.at, head);
        self.space.release(head, placement);
        Later {
            space: self.space,
            head,
        }
    }
}

/// The machine as it will be when a reservation comes, without the job that holds the reservation.
pub struct Later {
    space: Box<dyn Space>,
    head: Ask,
}

impl Clone for Later {
    fn clone(&self) -> Self {
        Self {
            space: self.space.fork(),
            head: self.head,
        }
    }
}

impl fmt::Debug for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Later")
            .field("head", &self.head)
            .finish_non_exhaustive()
    }
}

impl Later {
    /// Takes processors of the machine now, and the same ones here, that leave room for the head.
    /// Returns false, with nothing changed, if there are none.
    pub(super) fn claim_in(
        &mut self,
        now: &mut dyn Space,
        ask: Ask,
        placement: &mut PlacementBuf,
    ) -> bool {
        now.claim_sparing(ask, self.head, &mut *self.space, placement)
    }
}
