//! A policy's turn: what the policy may see and do at one instant.
//!
//! A turn gives no way to a job's true run time, because the programs stay behind.

use super::forecast::Later;
use super::rank::JobRank;
use super::world::World;
use super::{
    BackgroundSimulation, Event, Forecast, Observer, Policy, Queue, Reasons, Reservation, Running,
    Simulation, Tally, Waiting, Why,
};
use crate::cluster::{NodeUse, RESOURCES};
use crate::job::{Demand, JobId, Request};
use crate::machine::{Ask, NodeChoice, Note, Placement, PlacementBuf, Room, Space, Timetable};
use crate::problem::Problem;
use crate::sorting::{self, set};
use crate::time::{Span, Time};
use crate::workload::{Attribute, NodeRequests};
use std::any::Any;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The fate of a running job that a policy stops.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The job waits again, in its place by order of arrival, and starts anew. Its work is lost.
    Requeue,
    /// The job ends.
    Cancel,
}

/// A policy's view of the run at one instant, and its means to change the run.
pub struct Turn<'a> {
    pub(super) world: &'a mut World,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) arrived: &'a [JobId],
    pub(super) finished: &'a [JobId],
    pub(super) timers: u32,
}

impl Turn<'_> {
    /// Returns the same turn for a shorter time.
    pub fn reborrow(&mut self) -> Turn<'_> {
        Turn {
            world: self.world,
            observer: self.observer,
            arrived: self.arrived,
            finished: self.finished,
            timers: self.timers,
        }
    }

    /// Stops the run, because the policy cannot go on.
    pub fn fail(&mut self, problem: Problem) {
        self.world.failed.get_or_insert(problem);
    }

    /// Returns the instant of the turn.
    pub fn now(&self) -> Time {
        self.world.now
    }

    /// Returns the jobs that arrived since the last turn. Some may have started in this one. A job that
    /// was requeued does not arrive again.
    pub fn arrived(&self) -> &[JobId] {
        self.arrived
    }

    /// Returns the jobs that ended since the last turn, without those that the policy cancelled.
    pub fn finished(&self) -> &[JobId] {
        self.finished
    }

    /// Returns the number of timers that are due at this instant ([`Turn::wake_at`]), plus one if
    /// processors have come back into service.
    pub fn timers(&self) -> u32 {
        self.timers
    }

    /// Returns the mean wait of the jobs that have got processors so far.
    pub fn mean_wait(&self) -> Span {
        Span::from_microseconds((self.world.waited / i128::from(self.world.started.max(1))) as i64)
    }

    /// Returns the number of processors of the machine.
    pub fn capacity(&self) -> u32 {
        self.world.machine.space.capacity()
    }

    /// Returns the number of free processors.
    pub fn free(&self) -> u32 {
        self.world.free()
    }

    /// True if a waiting job could start now.
    pub fn fits(&self, job: &Waiting) -> bool {
        job.processors <= self.world.free() && self.world.machine.space.fits(self.ask(job))
    }

    /// True if a job that only asks for this number of processors could start now.
    pub fn fits_size(&self, processors: u32) -> bool {
        processors <= self.world.free() && self.world.machine.space.fits(Ask::of(processors))
    }

    /// True if jobs ask for nodes with several resources.
    pub fn has_nodes(&self) -> bool {
        cfg!(feature = "clusters") && self.world.machine.space.has_nodes()
    }

    /// True if it matters which processors are free, not only how many.
    pub fn has_geometry(&self) -> bool {
        self.world.machine.space.has_geometry()
    }

    /// Returns the size of the largest job that could start now. Without geometry this is the
    /// number of free processors.
    pub fn room(&self) -> u32 {
        self.world.free().min(self.world.machine.space.largest())
    }

    /// Returns how often processors have changed hands since the run began. While this number stays
    /// the same, every job holds the same processors.
    pub fn changes(&self) -> u64 {
        self.world.changes
    }

    /// Returns a copy of the machine on which the policy can try out future releases.
    /// `head` is the job that it will be asked about.
    pub fn forecast(&self, head: &Waiting) -> Forecast<'_> {
        Forecast::new(self.world, Some(head))
    }

    /// Returns the same without any running job.
    pub fn empty(&self) -> Forecast<'_> {
        Forecast::empty(self.world)
    }

    /// Returns the processors of a running job.
    pub fn placement(&self, job: JobId) -> Placement<'_> {
        let hold = self.world.hold(job);
        hold.map_or(Placement::NOWHERE, |hold| hold.placement.get())
    }

    /// Sets processors aside until the end of the turn, so that jobs can start beside them.
    pub fn set_aside(&mut self, placements: &[Placement<'_>]) {
        self.world.machine.space.set_aside(placements);
    }

    /// Migrates: lays out the running jobs anew, if the machine can and if that leaves a larger
    /// free partition. Each job that moves runs `cost` longer. Returns true if jobs migrated.
    pub fn migrate(&mut self, cost: Span) -> bool {
        self.world.migrate(cost, self.observer)
    }

    /// Returns the waiting jobs, in order of arrival.
    pub fn queue(&self) -> &Queue {
        &self.world.queue
    }

    /// Returns the running jobs, in order of their expected ends.
    pub fn running(&self) -> &Running {
        &self.world.running
    }

    /// Returns the expected end of a running job.
    pub fn expected_end(&self, job: JobId) -> Option<Time> {
        self.world.expected_end(job)
    }

    /// Returns the start that the log has for a job. Only the recorded schedule asks for it.
    pub fn recorded_start(&self, job: JobId) -> Option<Time> {
        self.world.workload.recorded_start(job)
    }

    /// Returns the request of a job.
    pub fn request(&self, job: JobId) -> &Request {
        self.world.workload.request(job)
    }

    /// Returns the highest tier of the partitions of a job; 0 on machines without nodes.
    pub fn tier(&self, job: JobId) -> u32 {
        self.world.workload.tier(job)
    }

    /// Returns, for each user with running jobs, the largest share of one of the machine's resources
    /// that these jobs hold, in 2^-32, rounded down.
    pub fn dominant_shares(&self) -> BTreeMap<i32, u64> {
        let space = &self.world.machine.space;
        let mut held: BTreeMap<i32, [u64; RESOURCES]> = BTreeMap::new();
        for entry in self.world.running.iter() {
            let Some(request) = self.world.workload.requests.get(entry.job.index()) else {
                // Processors out of service.
                continue;
            };
            let ask = self.world.ask(entry.job, entry.processors);
            let of_job = space.amounts(ask, self.placement(entry.job));
            let of_user = held.entry(request.user).or_default();
            for (sum, amount) in of_user.iter_mut().zip(of_job) {
                *sum += u64::from(amount);
            }
        }
        let totals = space.totals();
        let share = |held: [u64; RESOURCES]| {
            let shares = held.iter().zip(totals).map(|(held, all)| {
                let share = (u128::from(*held) << 32).checked_div(all.into());
                share.map_or(0, |share| share as u64)
            });
            shares.max().unwrap_or(0)
        };
        sorting::map(held.into_iter().map(|(user, held)| (user, share(held))))
    }

    /// True if the job has arrived.
    pub fn knows(&self, job: JobId) -> bool {
        self.world
            .workload
            .requests
            .get(job.index())
            .is_some_and(|request| request.submitted <= self.world.now)
    }

    /// Starts a waiting job. Returns false, with nothing changed, if it does not wait or does not
    /// fit.
    pub fn start(&mut self, job: JobId) -> bool {
        self.start_as(job, |ask| ask)
    }

    /// Stops a running job and frees its processors. A requeued job is in the queue from the next turn
    /// on. Returns false, with nothing changed, if the job does not run or the machine cannot stop
    /// jobs.
    pub fn preempt(&mut self, job: JobId, fate: Fate) -> bool {
        self.world.preempt(job, fate, self.observer)
    }

    /// Suspends a running job: it keeps its nodes and their memory, and others can have its cores. Returns false,
    /// with nothing changed, if it does not run or the machine cannot suspend jobs.
    pub fn suspend(&mut self, job: JobId) -> bool {
        self.world.suspend(job, self.observer)
    }

    /// Lets a suspended job go on on its nodes. Returns false, with nothing changed, if it is not suspended or
    /// its nodes do not have the cores.
    pub fn resume(&mut self, job: JobId) -> bool {
        self.world.resume(job, self.observer)
    }

    /// Starts a waiting job with at most `raise` processors more than it needs. If `beside`, the
    /// job avoids processors that were set aside. Returns false, with nothing changed, if it does
    /// not wait or does not fit.
    pub fn start_within(&mut self, job: JobId, raise: u32, beside: bool) -> bool {
        self.start_as(job, |ask| Ask {
            most: ask.processors.saturating_add(raise),
            beside,
            ..ask
        })
    }

    /// Starts a waiting job with what it asks for after `refine`. Returns false, with nothing changed, if it
    /// does not wait or does not fit.
    fn start_as(&mut self, job: JobId, refine: impl FnOnce(Ask) -> Ask) -> bool {
        let Some((position, waiting)) = self.world.waiting_at(job) else {
            return false;
        };
        let ask = refine(self.ask(&waiting));
        self.world.start(position, ask, self.observer)
    }

    /// Starts a waiting job if the job that `later` is kept for still fits there then. The job is
    /// taken into account in `later` from then on. Returns false, with nothing changed, if it does
    /// not wait, does not fit, or would be in the way.
    pub fn start_sparing(&mut self, job: JobId, later: &mut Later) -> bool {
        self.world.start_sparing(job, later, self.observer)
    }

    /// Starts a waiting job on the nodes that a timetable has chosen. Returns false, with nothing
    /// changed, if it does not wait or does not fit there.
    pub fn start_on(&mut self, job: JobId, choice: &NodeChoice) -> bool {
        let claim = |space: &mut dyn Space, ask: Ask, placement: &mut PlacementBuf| {
            space.claim_on(ask, choice, placement)
        };
        self.world.start_on(job, self.observer, &claim)
    }

    /// Starts a waiting job on these nodes, by their numbers in the cluster, with so many of its tasks
    /// on each. Returns false, with nothing changed, if it does not wait or does not fit there.
    pub fn start_on_nodes(&mut self, job: JobId, nodes: &[NodeUse]) -> bool {
        let claim = |space: &mut dyn Space, ask: Ask, placement: &mut PlacementBuf| {
            space.claim_nodes(ask, nodes, placement)
        };
        self.world.start_on(job, self.observer, &claim)
    }

    /// Starts a waiting job on these nodes like [`Turn::start_on_nodes`], and suspends it in the same instant:
    /// others can have its cores already. Returns false, with nothing changed, if it does not wait, if the nodes
    /// do not have what it keeps while it is suspended, or if the machine cannot suspend jobs.
    pub fn start_suspended(&mut self, job: JobId, nodes: &[NodeUse]) -> bool {
        let claim = |space: &mut dyn Space, ask: Ask, placement: &mut PlacementBuf| {
            space.claim_suspended(ask, nodes, placement)
        };
        self.world.start_suspended(job, self.observer, &claim)
    }

    /// Returns the cluster, and the requests of all jobs for its nodes, if the workload has them.
    pub fn node_requests(&self) -> Option<&NodeRequests> {
        self.world.workload.nodes.as_ref()
    }

    /// Returns the words of a job for its user, its account (its group if the log does not say it) and its QOS. A number stands for a
    /// name that the log does not give, and an empty word for what it does not say at all.
    pub fn account_words(&self, job: JobId) -> [String; 3] {
        let request = self.request(job);
        let workload = &self.world.workload;
        let label = |attribute: Attribute, number: i32| {
            if number < 0 {
                String::new()
            } else {
                workload.label(attribute, number.into())
            }
        };
        let word = |column: &str| {
            let trace = workload.log.trace.as_ref()?;
            let source = *workload.sources.get(job.index())?;
            let word = trace.column(column)?.word(source as usize)?;
            Some(word.to_owned())
        };
        let group = || label(Attribute::Group, request.group);
        [
            label(Attribute::User, request.user),
            word("account").unwrap_or_else(group),
            word("qos").unwrap_or_default(),
        ]
    }

    /// Returns the seconds from 1970 to the zero of the log, if the log tells them.
    pub fn unix_start(&self) -> Option<i64> {
        self.world.workload.provenance.unix_start
    }

    /// Returns the timetable of a machine with nodes, with the running jobs. `None` on other
    /// machines.
    pub fn timetable(&self) -> Option<Box<dyn Timetable>> {
        self.world.timetable()
    }

    /// Returns what a waiting job asks of the machine if it starts now.
    pub fn ask(&self, job: &Waiting) -> Ask {
        self.world.ask_at(self.world.now, job)
    }

    /// True if an outage or an advance reservation ends now, so that processors open for other jobs.
    pub fn opens(&self) -> bool {
        let now = Some(self.world.now);
        let just_before = self.world.now - Span::from_microseconds(1);
        self.world.reopened == now || self.next_opening(just_before) == now
    }

    /// Returns the first instant after `at` at which an advance reservation ends, so that nodes open
    /// for other jobs.
    pub fn next_opening(&self, at: Time) -> Option<Time> {
        self.world.next_opening(at)
    }

    /// True if a waiting job could start now with at most `raise` processors more than it needs,
    /// whether or not these were set aside.
    fn fits_within(&self, job: &Waiting, raise: u32) -> bool {
        let ask = Ask {
            most: job.processors.saturating_add(raise),
            ..self.ask(job)
        };
        job.processors <= self.world.free() && self.world.machine.space.fits(ask)
    }

    /// Returns the free processors of each row. A job must fit in one of them.
    pub fn rooms(&self) -> Vec<Room> {
        self.world.machine.space.rooms()
    }

    /// Starts a waiting job in this row. If `beside`, the job avoids processors that were set
    /// aside. Returns false, with nothing changed, if it does not wait or does not fit.
    pub fn start_in(&mut self, job: JobId, row: u32, beside: bool) -> bool {
        self.start_as(job, |ask| Ask {
            row: Some(row),
            beside,
            ..ask
        })
    }

    /// Starts a waiting job on these processors, whose ranges must ascend. Returns false, with
    /// nothing changed, if it does not wait, has another size, or if not all processors are free.
    pub fn start_at(&mut self, job: JobId, placement: Placement<'_>) -> bool {
        self.world.start_at(job, placement, self.observer)
    }

    /// Returns the job's demand for a node's resources, if it is known.
    pub fn demand(&self, job: JobId) -> Option<&Demand> {
        self.world.workload.demand(job)
    }

    /// Returns the machine's offer to policies that are made for its kind, if it has this type.
    pub fn offer<T: Any>(&self) -> Option<&T> {
        self.world.machine.execution.offers()?.downcast_ref()
    }

    /// Returns the largest factor by which a job may take longer than on dedicated processors.
    pub fn stretch(&self) -> i64 {
        self.world.machine.execution.stretch()
    }

    /// Passes a note to the machine's record: an event that only machines of this kind know.
    pub fn note(&mut self, note: &dyn Note) {
        self.observer.on_event(self.world.now, &Event::Noted(note));
    }

    /// Returns those waiting jobs that could start now with at most `raise` processors more.
    pub fn fitting(&self, raise: u32) -> BTreeSet<JobId> {
        // Equal requests have equal answers.
        let mut known: BTreeMap<(u32, u32, u64), bool> = BTreeMap::new();
        let space = &self.world.machine.space;
        set(self
            .queue()
            .iter()
            .filter(|job| {
                let ask = self.ask(job);
                *known
                    .entry((ask.processors, ask.request, space.closed_to(ask)))
                    .or_insert_with(|| self.fits_within(job, raise))
            })
            .map(|job| job.job))
    }

    /// Returns the reason why a job of this size does not start although it may start as soon as it
    /// fits.
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

    /// Promises that a job will start by `latest`. The audit holds the run to it.
    pub fn promise(&mut self, job: JobId, latest: Time) {
        self.observer
            .on_event(self.world.now, &Event::Promised(job, latest));
    }

    /// Records that the candidate with this index decides from now on.
    pub fn switch(&mut self, policy: u32) {
        self.observer
            .on_event(self.world.now, &Event::Switched(policy));
    }

    /// Returns a background simulation of the whole workload from its first job on, under `policy`,
    /// on an empty machine like this one.
    pub fn background(&self, policy: Box<dyn Policy>) -> BackgroundSimulation {
        let simulation = Simulation::new(
            Arc::clone(&self.world.workload),
            self.world.machine.empty(),
            policy,
            self.world.ties,
        );
        BackgroundSimulation::new(simulation.knowing_until_start(self.world.known_until_start))
    }

    /// Returns a background simulation that continues the run from its present state under
    /// `policy`. The policy decides at once if jobs arrived or ended at this instant, or if
    /// `timers` of its own timers are due. The new simulation reuses the memory of `other`.
    pub fn left_to(
        &self,
        policy: Box<dyn Policy>,
        timers: u32,
        other: Option<BackgroundSimulation>,
    ) -> BackgroundSimulation {
        let world = other.map_or_else(
            || self.world.fork(),
            |other| self.world.fork_over(other.end()),
        );
        BackgroundSimulation::new(Simulation::going_on(
            world,
            policy,
            self.arrived,
            self.finished,
            timers,
        ))
    }

    /// Returns the totals since the last call; zeros at the first call.
    pub fn tally(&mut self) -> Tally {
        self.world.take_tally(self.world.now)
    }

    /// Returns the beginning of the run: the instant of the first arrival.
    pub fn began(&self) -> Time {
        self.world
            .workload
            .requests
            .first()
            .map_or(self.world.now, |request| request.submitted)
    }

    /// True if an observer wants reservations and reasons. The policy must then end its turn with
    /// [`Turn::explain`].
    pub fn is_watched(&self) -> bool {
        self.observer.wants_reasons() != Reasons::Unwanted
    }

    /// Returns the one waiting job whose reasons an observer wants, if there is one.
    pub fn watched_job(&self) -> Option<JobId> {
        match self.observer.wants_reasons() {
            Reasons::Of(job) => Some(job),
            Reasons::Unwanted | Reasons::All => None,
        }
    }

    /// Tells observers the rank of a waiting job.
    pub fn tell_rank(&mut self, job: JobId, rank: &JobRank) {
        self.observer
            .on_event(self.world.now, &Event::Ranked(job, rank));
    }

    /// Tells observers the reservations that are held now, and the reason why each waiting job did
    /// not start. Nothing is told if no job waits.
    pub fn explain(&mut self, reservations: &[Reservation], why: impl FnMut(&Waiting) -> Why) {
        let reservations: Vec<(Reservation, Placement<'_>)> = reservations
            .iter()
            .map(|reservation| (*reservation, Placement::NOWHERE))
            .collect();
        self.explain_placed(&reservations, why);
    }

    /// Does the same as [`Turn::explain`] for reservations on certain processors.
    pub fn explain_placed(
        &mut self,
        reservations: &[(Reservation, Placement<'_>)],
        mut why: impl FnMut(&Waiting) -> Why,
    ) {
        if self.world.queue.is_empty() {
            return;
        }
        let wanted = self.observer.wants_reasons();
        let now = self.world.now;
        let short = self.short_of_nodes();
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
            let why = match (why(waiting), short.get(&waiting.job)) {
                // Policies look at numbers of processors, and nodes may lack something else.
                (Why::Partition { .. } | Why::NotTried, Some(short)) => {
                    Why::Nodes { short: *short }
                }
                (why, _) => why,
            };
            self.observer
                .on_event(now, &Event::Refused(waiting.job, why));
        }
    }

    /// Returns the resource that was short for each waiting job that does not fit although enough
    /// cores are free, on a machine with nodes.
    fn short_of_nodes(&self) -> BTreeMap<JobId, u32> {
        let mut short = BTreeMap::new();
        if !self.has_nodes() {
            return short;
        }
        let mut known: BTreeMap<(u32, u64), Option<u32>> = BTreeMap::new();
        let space = &self.world.machine.space;
        for job in self.queue().iter() {
            let ask = self.ask(job);
            let key = (ask.request, space.closed_to(ask));
            let of_request = known
                .entry(key)
                .or_insert_with(|| (!space.fits(ask)).then(|| space.short_of(ask)));
            if let Some(resource) = *of_request
                && ask.processors <= self.free()
            {
                short.insert(job.job, resource);
            }
        }
        short
    }

    /// Sets a timer for `at`, if that is in the future.
    pub fn wake_at(&mut self, at: Time) {
        if at > self.world.now {
            self.world.timers.push(Reverse(at));
        }
    }

    /// Sets a timer for `at`, if that is in the future, that counts only if nothing else is left to
    /// happen. It replaces the last such timer.
    pub fn wake_at_last(&mut self, at: Time) {
        self.world.last_wake = Some(at).filter(|at| *at > self.world.now);
    }
}
