//! A policy's turn: what it may see and do at one instant.
//!
//! There is no way from here to a job's true run time: the programs stay behind.

use super::world::World;
use super::{Event, Observer, Queue, Reasons, Reservation, Running, Waiting, Why};
use crate::job::{JobId, Request};
use crate::time::Time;
use std::cmp::Reverse;

/// A policy's view of the run at one instant, and its hand on it.
pub struct Turn<'a> {
    pub(super) world: &'a mut World,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) arrived: &'a [JobId],
    pub(super) finished: &'a [JobId],
}

impl Turn<'_> {
    /// The instant.
    pub fn now(&self) -> Time {
        self.world.now
    }

    /// Jobs that arrived since the last turn; some may have been started in this one.
    pub fn arrived(&self) -> &[JobId] {
        self.arrived
    }

    /// Jobs that ended since the last turn.
    pub fn finished(&self) -> &[JobId] {
        self.finished
    }

    /// Processors of the machine.
    pub fn capacity(&self) -> u32 {
        self.world.machine.space.capacity()
    }

    /// Free processors.
    pub fn free(&self) -> u32 {
        self.world.free()
    }

    /// Whether a job of this size could start now.
    pub fn fits(&self, processors: u32) -> bool {
        processors <= self.world.free() && self.world.machine.space.fits(processors)
    }

    /// The waiting jobs, in order of arrival.
    pub fn queue(&self) -> &Queue {
        &self.world.queue
    }

    /// The running jobs, by expected end.
    pub fn running(&self) -> &Running {
        &self.world.running
    }

    /// What a job asks for.
    pub fn request(&self, job: JobId) -> &Request {
        self.world.workload.request(job)
    }

    /// Starts a waiting job. False, with nothing changed, if it does not wait or does not fit.
    pub fn start(&mut self, job: JobId) -> bool {
        self.world.start(job, self.observer)
    }

    /// When the run began: the instant of the first arrival.
    pub fn began(&self) -> Time {
        self.world.workload.requests.first().map_or(self.world.now, |request| request.submitted)
    }

    /// Whether somebody wants to hear of reservations and reasons: then a policy ends its turn with [`Turn::explain`].
    pub fn is_watched(&self) -> bool {
        self.observer.wants_reasons() != Reasons::Unwanted
    }

    /// Tells who wants to know which reservations are held now, and why each job that still waits did not start.
    pub fn explain(&mut self, reservations: &[Reservation], mut why: impl FnMut(&Waiting) -> Why) {
        let wanted = self.observer.wants_reasons();
        let now = self.world.now;
        self.observer.on_event(now, &Event::Decided);
        for reservation in reservations {
            self.observer.on_event(now, &Event::Reserved(*reservation));
        }
        for waiting in self.world.queue.iter().filter(|waiting| wanted == Reasons::All || wanted == Reasons::Of(waiting.job)) {
            self.observer.on_event(now, &Event::Refused(waiting.job, why(waiting)));
        }
    }

    /// Asks for a turn at `at`, if that is in the future.
    pub fn wake_at(&mut self, at: Time) {
        if at > self.world.now {
            self.world.timers.push(Reverse(at));
        }
    }
}
