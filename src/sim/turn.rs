//! A policy's turn: what it may see and do at one instant.
//!
//! There is no way from here to a job's true run time: the programs stay behind.

use super::world::World;
use super::{
    Event, Forecast, Observer, Policy, Queue, Reasons, Rehearsal, Reservation, Running, Simulation,
    Tally, Waiting, Why,
};
use crate::job::{Demand, JobId, Request};
use crate::machine::{Ask, Note, Placement, Room};
use crate::sorting::set;
use crate::time::{Span, Time};
use std::any::Any;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A policy's view of the run at one instant, and its hand on it.
pub struct Turn<'a> {
    pub(super) world: &'a mut World,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) arrived: &'a [JobId],
    pub(super) finished: &'a [JobId],
    pub(super) timers: u32,
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

    /// How many of the turns that were asked for with [`Turn::wake_at`] are this one; one more if
    /// processors have come back into service.
    pub fn timers(&self) -> u32 {
        self.timers
    }

    /// The mean wait of the jobs that were given processors so far.
    pub fn mean_wait(&self) -> Span {
        Span::from_microseconds((self.world.waited / i128::from(self.world.started.max(1))) as i64)
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
        processors <= self.world.free() && self.world.machine.space.fits(Ask::of(processors))
    }

    /// Whether it matters which processors are free, not only how many.
    pub fn has_geometry(&self) -> bool {
        self.world.machine.space.has_geometry()
    }

    /// Processors of the largest job that could start now: the free ones, where geometry does not
    /// say otherwise.
    pub fn room(&self) -> u32 {
        self.world.free().min(self.world.machine.space.largest())
    }

    /// How often processors changed hands since the run began: while it stays the same, so does who
    /// has which.
    pub fn changes(&self) -> u64 {
        self.world.changes
    }

    /// The machine as it would be if running jobs ended, to try it out.
    pub fn forecast(&self) -> Forecast<'_> {
        Forecast::new(self.world)
    }

    /// The same with nothing running.
    pub fn empty(&self) -> Forecast<'_> {
        Forecast::empty(self.world)
    }

    /// The processors of a running job.
    pub fn placement(&self, job: JobId) -> Placement<'_> {
        let hold = self.world.hold(job);
        hold.map_or(Placement::NOWHERE, |hold| hold.placement.get())
    }

    /// Sets processors aside until the end of the turn: a job can be started beside them.
    pub fn set_aside(&mut self, placements: &[Placement<'_>]) {
        self.world.machine.space.set_aside(placements);
    }

    /// Lays out the running jobs anew, if the machine can and that leaves a larger free partition.
    /// Each that moves runs longer by `cost`. Whether it was done.
    pub fn migrate(&mut self, cost: Span) -> bool {
        self.world.migrate(cost, self.observer)
    }

    /// The waiting jobs, in order of arrival.
    pub fn queue(&self) -> &Queue {
        &self.world.queue
    }

    /// The running jobs, by expected end.
    pub fn running(&self) -> &Running {
        &self.world.running
    }

    /// When a running job is expected to end.
    pub fn expected_end(&self, job: JobId) -> Option<Time> {
        self.world.expected_end(job)
    }

    /// What a job asks for.
    pub fn request(&self, job: JobId) -> &Request {
        self.world.workload.request(job)
    }

    /// Starts a waiting job. False, with nothing changed, if it does not wait or does not fit.
    pub fn start(&mut self, job: JobId) -> bool {
        let size = self
            .world
            .queue
            .entry(job)
            .map_or(0, |entry| entry.processors);
        self.world.start(job, Ask::of(size), self.observer)
    }

    /// Starts a waiting job with at most `raise` processors more than it needs, and `beside` what
    /// was set aside or anywhere. False, with nothing changed, if it does not wait or does not fit.
    pub fn start_within(&mut self, job: JobId, raise: u32, beside: bool) -> bool {
        let size = self
            .world
            .queue
            .entry(job)
            .map_or(0, |entry| entry.processors);
        self.world.start(
            job,
            Ask {
                most: size.saturating_add(raise),
                beside,
                ..Ask::of(size)
            },
            self.observer,
        )
    }

    /// Whether a job of this size could start now with at most `raise` processors more, wherever
    /// that is.
    pub fn fits_within(&self, processors: u32, raise: u32) -> bool {
        let ask = Ask {
            most: processors.saturating_add(raise),
            ..Ask::of(processors)
        };
        processors <= self.world.free() && self.world.machine.space.fits(ask)
    }

    /// What is free, row by row: a job must find room in one of them.
    pub fn rooms(&self) -> Vec<Room> {
        self.world.machine.space.rooms()
    }

    /// Starts a waiting job in this row, `beside` what was set aside or anywhere in it. False, with
    /// nothing changed, if it does not wait or does not fit.
    pub fn start_in(&mut self, job: JobId, row: u32, beside: bool) -> bool {
        let size = self
            .world
            .queue
            .entry(job)
            .map_or(0, |entry| entry.processors);
        self.world.start(
            job,
            Ask {
                row: Some(row),
                beside,
                ..Ask::of(size)
            },
            self.observer,
        )
    }

    /// Starts a waiting job on these processors, in rising order. False, with nothing changed, if
    /// it does not wait, has another size, or they are not all free.
    pub fn start_at(&mut self, job: JobId, placement: Placement<'_>) -> bool {
        self.world.start_at(job, placement, self.observer)
    }

    /// What a job needs of a node's resources, if that is known.
    pub fn demand(&self, job: JobId) -> Option<&Demand> {
        self.world.workload.demand(job)
    }

    /// What the machine offers to policies that are made for its kind, if it is of this type.
    pub fn offer<T: Any>(&self) -> Option<&T> {
        self.world.machine.execution.offers()?.downcast_ref()
    }

    /// How many times longer than on dedicated processors a job is expected to take, at most.
    pub fn stretch(&self) -> i64 {
        self.world.machine.execution.stretch()
    }

    /// Tells the record of the machine something that only machines of its kind know.
    pub fn note(&mut self, note: &dyn Note) {
        self.observer.on_event(self.world.now, &Event::Noted(note));
    }

    /// Of the sizes of the waiting jobs, those of which one could start so.
    pub fn sizes_within(&self, raise: u32) -> BTreeSet<u32> {
        let sizes = set(self.queue().iter().map(|job| job.processors));
        set(sizes
            .into_iter()
            .filter(|size| self.fits_within(*size, raise)))
    }

    /// Why a job of this size that may start as soon as it fits does not.
    pub fn too_large(&self, processors: u32) -> Why {
        let free = self.free();
        if processors > free {
            Why::Processors { free }
        } else {
            Why::Partition {
                largest: self.room(),
            }
        }
    }

    /// Promises that a job will start by `latest`: the audit will hold the run to it.
    pub fn promise(&mut self, job: JobId, latest: Time) {
        self.observer
            .on_event(self.world.now, &Event::Promised(job, latest));
    }

    /// From now on one of several policies, by its index, decides: for the record.
    pub fn switch(&mut self, policy: u32) {
        self.observer
            .on_event(self.world.now, &Event::Switched(policy));
    }

    /// The whole workload from its first job on, on an empty machine like this one, under another
    /// policy.
    pub fn rehearsal(&self, policy: Box<dyn Policy>) -> Rehearsal {
        let simulation = Simulation::new(
            Arc::clone(&self.world.workload),
            self.world.machine.empty(),
            policy,
            self.world.ties,
        );
        Rehearsal::new(simulation.knowing_until_start(self.world.known_until_start))
    }

    /// The run as it is now, in the background, left to `policy`, which decides at once if
    /// something happened that it is asked for, or as many of its own timers as `timers` are due.
    /// In place of another one.
    pub fn left_to(
        &self,
        policy: Box<dyn Policy>,
        timers: u32,
        other: Option<Rehearsal>,
    ) -> Rehearsal {
        let world = other.map_or_else(
            || self.world.fork(),
            |other| self.world.fork_over(other.end()),
        );
        Rehearsal::new(Simulation::going_on(
            world,
            policy,
            self.arrived,
            self.finished,
            timers,
        ))
    }

    /// What happened in the run since this was asked last; nothing the first time.
    pub fn tally(&mut self) -> Tally {
        self.world.take_tally(self.world.now)
    }

    /// When the run began: the instant of the first arrival.
    pub fn began(&self) -> Time {
        self.world
            .workload
            .requests
            .first()
            .map_or(self.world.now, |request| request.submitted)
    }

    /// Whether somebody wants to hear of reservations and reasons: then a policy ends its turn with
    /// [`Turn::explain`].
    pub fn is_watched(&self) -> bool {
        self.observer.wants_reasons() != Reasons::Unwanted
    }

    /// Tells who wants to know which reservations are held now, and why each job that still waits
    /// did not start.
    pub fn explain(&mut self, reservations: &[Reservation], why: impl FnMut(&Waiting) -> Why) {
        let reservations: Vec<(Reservation, Placement<'_>)> = reservations
            .iter()
            .map(|reservation| (*reservation, Placement::NOWHERE))
            .collect();
        self.explain_placed(&reservations, why);
    }

    /// The same where reservations are on certain processors.
    pub fn explain_placed(
        &mut self,
        reservations: &[(Reservation, Placement<'_>)],
        mut why: impl FnMut(&Waiting) -> Why,
    ) {
        let wanted = self.observer.wants_reasons();
        let now = self.world.now;
        self.observer.on_event(now, &Event::Decided);
        for (reservation, placement) in reservations {
            self.observer
                .on_event(now, &Event::Reserved(*reservation, *placement));
        }
        for waiting in self
            .world
            .queue
            .iter()
            .filter(|waiting| wanted == Reasons::All || wanted == Reasons::Of(waiting.job))
        {
            self.observer
                .on_event(now, &Event::Refused(waiting.job, why(waiting)));
        }
    }

    /// Asks for a turn at `at`, if that is in the future.
    pub fn wake_at(&mut self, at: Time) {
        if at > self.world.now {
            self.world.timers.push(Reverse(at));
        }
    }

    /// Asks for a turn at `at`, if that is in the future, should nothing else be left to happen. In
    /// place of the one that was asked for last.
    pub fn wake_at_last(&mut self, at: Time) {
        self.world.last_wake = Some(at).filter(|at| *at > self.world.now);
    }
}
