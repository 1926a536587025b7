//! The event loop.
//!
//! At each instant the loop first applies everything that happens: completions, arrivals in trace
//! order, timers. The policy then decides once. The options `per_event` and `per_event_ends_first`
//! reproduce simulators that decide after each single event, because published schedules depend on
//! it.

use super::world::{Numbers, World};
use super::{Event, Observer, Policy, Silent, Turn};
use crate::job::JobId;
use crate::machine::{Machine, Range};
use crate::param::{Param, Typed, words};
use crate::problem::Problem;
use crate::pulse::{Doing, beat, during};
use crate::time::{Span, Time};
use crate::workload::Workload;
use std::any::Any;
use std::cmp::Reverse;
use std::sync::Arc;

words! {
    /// Order of events at one instant.
    pub enum Ties {
        /// The loop applies timers after arrivals.
        Together = "together": "completions, then arrivals, then one decision",
        /// A job that ends now and was expected to end now counts as gone from the start of the
        /// instant.
        PerEvent = "per_event": "arrivals before completions, a decision after each, as pyss does",
        /// While completions are still to come, a job that is expected to end now counts as ending
        /// now.
        EndsFirst = "per_event_ends_first": "completions before arrivals, a decision after each, \
            as CQSim does",
    }
}

/// Order of events at one instant.
pub const TIES: Typed<Ties> = Ties::param("ties", "At one instant", Ties::Together)
    .help("Order of events at one instant, and number of decisions");

/// Units of work that a machine may spend on looking ahead for each event of the budget.
const LOOK_AHEAD: u64 = 256;

/// Approximate cost of an instant, in nanoseconds.
const INSTANT: usize = 256;

/// The parameters of the event loop.
pub const KERNEL_PARAMS: &[Param] = &[TIES.param];

/// The progress of a run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The instant reached.
    pub now: Time,
    /// Number of jobs that have arrived.
    pub arrived: u32,
    /// Number of jobs that have ended.
    pub finished: u32,
    /// Number of jobs of the workload.
    pub jobs: u32,
    /// True if nothing is left to happen.
    pub done: bool,
}

/// The changes of a what-if at one instant.
pub struct Turning {
    /// The instant.
    pub at: Time,
    /// The policy that decides from then on.
    pub policy: Box<dyn Policy>,
    /// True if this policy or the previous one works with predictions in place of estimates.
    pub predicts: bool,
    /// Sets whether run times are known until jobs start; `None` keeps the present choice.
    pub known_until_start: Option<bool>,
    /// Processors that go out of service, and the length of the outage.
    pub closed: Option<(Range, Span)>,
}

/// A run: a workload on a machine under a policy, advanced in slices of any size.
pub struct Simulation {
    pub(super) world: World,
    policy: Box<dyn Policy>,
    next_arrival: u32,
    arrived_now: Vec<JobId>,
    ended_now: Vec<JobId>,
}

impl Simulation {
    /// Creates a run at its first instant. The workload must have passed [`Workload::check`], and
    /// the machine must have its number of processors.
    pub fn new(
        workload: Arc<Workload>,
        machine: Machine,
        policy: Box<dyn Policy>,
        ties: Ties,
    ) -> Self {
        Self {
            world: World::new(workload, machine, ties),
            policy,
            next_arrival: 0,
            arrived_now: Vec::new(),
            ended_now: Vec::new(),
        }
    }

    /// Sets whether a waiting job counts with its run time. A running job then counts with its
    /// estimate.
    pub fn knowing_until_start(mut self, is_known: bool) -> Self {
        self.world.known_until_start = is_known;
        self
    }

    /// Continues a run from a turn in which no policy has decided yet.
    pub(super) fn going_on(
        mut world: World,
        mut policy: Box<dyn Policy>,
        arrived: &[JobId],
        finished: &[JobId],
        timers: u32,
    ) -> Self {
        let now = world.now;
        // Tell the policy now about jobs whose ends are still withheld: no later event would do it.
        let untold = std::mem::take(&mut world.ending);
        for job in &untold {
            world.tell_end(*job);
            policy.completed(
                *job,
                world.workload.request(*job),
                world.workload.program(*job).runtime,
            );
        }
        world.running.await_ends(false);
        put_back(&mut *policy, &mut world);
        let finished = &[finished, &untold].concat();
        let next_arrival = world
            .workload
            .requests
            .partition_point(|request| request.submitted <= now) as u32;
        let running = world
            .running
            .iter()
            .filter(|entry| entry.job.index() < world.workload.len())
            .count();
        world.finished = next_arrival - (world.queue.len() + running) as u32;
        if !arrived.is_empty() || !finished.is_empty() || timers > 0 {
            decide(
                &mut *policy,
                &mut world,
                &mut Silent,
                arrived,
                finished,
                timers,
            );
        }
        Self {
            world,
            policy,
            next_arrival,
            arrived_now: Vec::new(),
            ended_now: Vec::new(),
        }
    }

    /// Returns an independent copy with the same future.
    pub fn fork(&self) -> Self {
        Self {
            world: self.world.fork(),
            policy: self.policy.fork(),
            next_arrival: self.next_arrival,
            arrived_now: Vec::new(),
            ended_now: Vec::new(),
        }
    }

    /// Returns a copy that continues differently after an instant, until which nothing else
    /// happens. The copy gets another workload, a policy that begins anew, and possibly an outage.
    /// `numbers` gives the new id of each job. Jobs that have started must be the same in both
    /// workloads, and jobs that have not arrived must arrive later than now. If one of the policies
    /// uses predictions, the new policy replaces all beliefs. The policy learns of the outage when
    /// it starts, and knows when it will end. Returns `None` if the machine cannot give running
    /// jobs new ids.
    pub fn otherwise(
        &self,
        workload: &Arc<Workload>,
        numbers: &Numbers,
        turn: Turning,
        observer: &mut dyn Observer,
    ) -> Option<Self> {
        let Turning {
            at: now,
            mut policy,
            predicts,
            known_until_start,
            closed,
        } = turn;
        let mut world = self.world.otherwise(workload, numbers)?;
        world.known_until_start = known_until_start.unwrap_or(world.known_until_start);
        // Before the first arrival, the new instant may be earlier than the present one.
        world.now = if self.next_arrival == 0 {
            now
        } else {
            world.now.max(now)
        };
        world.machine.execution.advance(world.now, &mut Vec::new());
        if let Some((range, time)) = closed {
            world.close(range, world.now + time, observer);
        }
        if predicts {
            world.believe_anew(&mut |job, request| policy.believe(job, request));
        }
        let next_arrival = numbers[..self.next_arrival as usize]
            .iter()
            .flatten()
            .count() as u32;
        let mut other = Self {
            world,
            policy,
            next_arrival,
            arrived_now: Vec::new(),
            ended_now: Vec::new(),
        };
        decide(&mut *other.policy, &mut other.world, observer, &[], &[], 0);
        other.world.queue.reclaim();
        other.world.tell_turns(observer);
        Some(other)
    }

    /// Exchanges the jobs at two places of the workload. Both have not arrived. The one that comes
    /// to `place` arrives at `at`. Returns false, and changes nothing, if somebody else holds the
    /// workload.
    pub fn bring_forward(&mut self, from: usize, place: usize, at: Time) -> bool {
        debug_assert!(place >= self.next_arrival as usize && from >= place);
        Arc::get_mut(&mut self.world.workload).is_some_and(|workload| {
            workload.exchange(from, place);
            workload.arrives(place, at);
            true
        })
    }

    /// True if jobs are suspended.
    pub fn has_suspended(&self) -> bool {
        !self.world.suspended.is_empty()
    }

    /// Returns the waiting jobs, in order of arrival.
    pub fn queue(&self) -> impl Iterator<Item = JobId> {
        self.world.queue.iter().map(|waiting| waiting.job)
    }

    /// Returns the workload of the run.
    pub fn workload(&self) -> &Arc<Workload> {
        &self.world.workload
    }

    /// Returns the progress of the run.
    pub fn progress(&self) -> Progress {
        Progress {
            now: self
                .world
                .machine
                .execution
                .reached()
                .unwrap_or(self.world.now)
                .max(self.world.now),
            arrived: self.next_arrival,
            finished: self.world.finished,
            jobs: self.world.workload.len() as u32,
            done: self.world.failed.is_some()
                || self.next_instant().is_none() && !self.world.machine.execution.is_busy(),
        }
    }

    /// Returns the reason why the policy could not go on. `None` if it could.
    pub fn failed(&self) -> Option<&Problem> {
        self.world.failed.as_ref()
    }

    /// Returns sentences on what the policy could not heed so far.
    #[cfg(feature = "clusters")]
    pub fn unheeded(&self) -> Vec<String> {
        self.policy.unheeded()
    }

    /// Returns a sentence on the jobs that wait now, if the policy leaves them waiting for ever by its rules.
    #[cfg(feature = "clusters")]
    pub fn left_pending(&self) -> Option<String> {
        let workload = &self.world.workload;
        let numbered = self.queue().map(|job| (job, workload.request(job).number));
        let waiting: Vec<(JobId, i64)> = numbered.collect();
        self.policy.left_pending(&waiting, workload.len())
    }

    /// True if the machine has looked further ahead than the run.
    pub fn is_ahead(&self) -> bool {
        self.world
            .machine
            .execution
            .reached()
            .is_some_and(|reached| reached > self.world.now)
    }

    /// Asks the machine a question that only one kind of machine can answer. Returns `None` if the
    /// machine is of another kind, or has no answer at present.
    pub fn look(&mut self, question: &dyn Any) -> Option<Box<dyn Any>> {
        self.world.machine.execution.look(question)
    }

    /// Returns the number of waiting jobs.
    pub fn waiting(&self) -> usize {
        self.world.queue.len()
    }

    /// Advances by whole instants until at least `budget` arrivals and completions have happened,
    /// or until nothing is left to happen.
    pub fn advance(&mut self, budget: u64, observer: &mut dyn Observer) -> Progress {
        self.advance_until(Time::NEVER, budget, observer);
        self.progress()
    }

    /// Advances like [`Simulation::advance`], but no further than through `end`. Returns true if
    /// nothing more happens by `end`.
    #[inline(never)]
    pub fn advance_until(&mut self, end: Time, budget: u64, observer: &mut dyn Observer) -> bool {
        let mut happened = 0;
        while happened < budget.max(1) {
            if !self.look_ahead(
                end,
                (budget - happened).saturating_mul(LOOK_AHEAD),
                observer,
            ) {
                return false;
            }
            let Some(now) = self.next_instant().filter(|now| *now <= end) else {
                return true;
            };
            happened += self.instant(now, observer);
        }
        false
    }

    /// Advances through the instant `end`, without a budget.
    pub fn advance_through(&mut self, end: Time, observer: &mut dyn Observer) {
        loop {
            self.look_ahead(end, u64::MAX, observer);
            let Some(now) = self.next_instant().filter(|now| *now <= end) else {
                return;
            };
            self.instant(now, observer);
        }
    }

    /// Lets the machine compute the next end of a job, up to `end`, the next arrival or timer, or the end
    /// of an outage.
    /// Returns false if the budget did not suffice.
    fn look_ahead(&mut self, end: Time, budget: u64, observer: &mut dyn Observer) -> bool {
        let arrival = self.next_submission().unwrap_or(Time::NEVER);
        let timer = self
            .world
            .timers
            .peek()
            .map_or(Time::NEVER, |Reverse(at)| *at);
        let opening = self.world.closed_until.unwrap_or(Time::NEVER);
        let execution = &mut self.world.machine.execution;
        let until = arrival.min(timer).min(opening).min(end);
        let is_known = execution.look_ahead(until, budget);
        execution.tell(&mut |at, note| observer.on_event(at, &Event::Noted(note)));
        is_known
    }

    /// Advances until nothing is left to happen.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Progress {
        self.advance(u64::MAX, observer)
    }

    /// Returns the next submission; `None` if there is none, or if it is not known yet.
    fn next_submission(&self) -> Option<Time> {
        let requests = &self.world.workload.requests;
        requests
            .get(self.next_arrival as usize)
            .map(|request| request.submitted)
            .filter(|submitted| *submitted != Time::NEVER)
    }

    fn next_instant(&self) -> Option<Time> {
        if self.world.failed.is_some() {
            return None;
        }
        let world = &self.world;
        let arrival = self.next_submission();
        let mut next = sooner(arrival, world.machine.execution.next());
        // Jobs that wait may have nodes when an advance reservation ends.
        if !world.queue.is_empty() {
            next = sooner(next, world.next_opening(world.now));
        }
        let timer = world.timers.peek().map(|Reverse(at)| *at);
        let (opening, last) = (world.closed_until, world.last_wake);
        if timer.is_none() && opening.is_none() && last.is_none() {
            return next;
        }
        // A timer alone cannot help a run in which no job runs, arrives, waits or is suspended.
        let is_busy = world.machine.execution.is_busy();
        let goes_on =
            !world.queue.is_empty() || !world.suspended.is_empty() || arrival.is_some() || is_busy;
        if goes_on {
            next = sooner(next, sooner(timer, opening));
            next = next.or(last.filter(|_| !is_busy));
        }
        next
    }

    #[inline(never)]
    fn instant(&mut self, now: Time, observer: &mut dyn Observer) -> u64 {
        debug_assert!(now >= self.world.now);
        beat(INSTANT);
        self.world.now = now;
        let happened = match self.world.ties {
            Ties::Together => self.instant_together(observer),
            Ties::PerEvent => self.instant_per_event(observer),
            Ties::EndsFirst => self.instant_ends_first(observer),
        };
        self.world.queue.reclaim();
        self.world.tell_turns(observer);
        happened
    }

    /// Advances the running jobs to the present. `ended_now` receives those that end.
    fn let_time_pass(&mut self, observer: &mut dyn Observer) {
        let execution = &mut self.world.machine.execution;
        execution.advance(self.world.now, &mut self.ended_now);
        execution.tell(&mut |at, note| observer.on_event(at, &Event::Noted(note)));
    }

    fn instant_together(&mut self, observer: &mut dyn Observer) -> u64 {
        self.let_time_pass(observer);
        for at in 0..self.ended_now.len() {
            self.world.vacate(self.ended_now[at]);
            self.complete(self.ended_now[at], observer);
        }
        if !self.ended_now.is_empty() {
            self.world.tidy(observer);
        }
        let reopened = self.world.reopen();
        self.correct_beliefs(self.world.now);
        while let Some(job) = self.due_arrival() {
            self.arrive(job, observer);
            self.arrived_now.push(job);
        }
        let timers = self.pop_timers() + u32::from(reopened);
        let happened = (self.ended_now.len() + self.arrived_now.len()) as u64;
        decide(
            &mut *self.policy,
            &mut self.world,
            observer,
            &self.arrived_now,
            &self.ended_now,
            timers,
        );
        self.arrived_now.clear();
        self.ended_now.clear();
        happened.max(1)
    }

    #[inline(never)]
    fn instant_per_event(&mut self, observer: &mut dyn Observer) -> u64 {
        let now = self.world.now;
        let has_more = self.world.reopen();
        self.world
            .machine
            .execution
            .advance(now, &mut self.ended_now);
        let ended = std::mem::take(&mut self.ended_now);
        // Correct first the beliefs that proved too short before this instant. A job that has
        // outlived its belief and ends now counts as expected to end now only if its corrected
        // belief says so.
        self.correct_beliefs(Time::from_microseconds(now.microseconds() - 1));
        let is_expected =
            |world: &World, job: JobId| world.expected_end(job).is_some_and(|end| end <= now);
        let mut pending = Vec::with_capacity(ended.len());
        for job in ended {
            self.world.vacate(job);
            let known = is_expected(&self.world, job);
            if known {
                self.world.forget(job);
            } else {
                self.world.withhold_end(job);
            }
            pending.push((job, known));
        }
        self.correct_beliefs(now);
        let happened = pending.len() as u64 + self.arrive_one_by_one(observer);
        for (job, known) in pending {
            if !known {
                self.world.tell_end(job);
            }
            self.report_end(job, observer);
            decide(&mut *self.policy, &mut self.world, observer, &[], &[job], 0);
        }
        self.tell_timers(has_more, observer);
        happened.max(1)
    }

    #[inline(never)]
    fn instant_ends_first(&mut self, observer: &mut dyn Observer) -> u64 {
        let now = self.world.now;
        let has_more = self.world.reopen();
        self.world
            .machine
            .execution
            .advance(now, &mut self.ended_now);
        let ended = std::mem::take(&mut self.ended_now);
        self.correct_beliefs(Time::from_microseconds(now.microseconds() - 1));
        for job in &ended {
            self.world.vacate(*job);
            self.world.withhold_end(*job);
        }
        for (at, job) in (1..).zip(&ended) {
            self.world.tell_end(*job);
            self.world.running.await_ends(at < ended.len());
            self.report_end(*job, observer);
            decide(
                &mut *self.policy,
                &mut self.world,
                observer,
                &[],
                &[*job],
                0,
            );
        }
        self.correct_beliefs(now);
        let happened = ended.len() as u64 + self.arrive_one_by_one(observer);
        self.tell_timers(has_more, observer);
        happened.max(1)
    }

    /// Lets the due jobs arrive, with a decision after each. Returns their number.
    fn arrive_one_by_one(&mut self, observer: &mut dyn Observer) -> u64 {
        let mut arrived = 0;
        while let Some(job) = self.due_arrival() {
            arrived += 1;
            self.arrive(job, observer);
            decide(&mut *self.policy, &mut self.world, observer, &[job], &[], 0);
        }
        arrived
    }

    /// Lets the policy decide if timers are due or processors have come back into service.
    fn tell_timers(&mut self, has_more: bool, observer: &mut dyn Observer) {
        let timers = self.pop_timers() + u32::from(has_more);
        if timers > 0 {
            decide(
                &mut *self.policy,
                &mut self.world,
                observer,
                &[],
                &[],
                timers,
            );
        }
    }

    fn due_arrival(&self) -> Option<JobId> {
        let request = self
            .world
            .workload
            .requests
            .get(self.next_arrival as usize)?;
        (request.submitted <= self.world.now).then_some(JobId(self.next_arrival))
    }

    fn arrive(&mut self, job: JobId, observer: &mut dyn Observer) {
        self.next_arrival += 1;
        let expected = self.policy.believe(job, self.world.workload.request(job));
        self.world.arrive(job, expected, observer);
    }

    fn complete(&mut self, job: JobId, observer: &mut dyn Observer) {
        self.world.forget(job);
        self.report_end(job, observer);
    }

    fn report_end(&mut self, job: JobId, observer: &mut dyn Observer) {
        self.world.finished += 1;
        // The job has ended, so the policy may know its run time.
        let ran = self.world.workload.program(job).runtime;
        self.policy
            .completed(job, self.world.workload.request(job), ran);
        observer.on_event(self.world.now, &Event::Finished(job));
    }

    fn pop_timers(&mut self) -> u32 {
        let mut popped = 0;
        while self
            .world
            .timers
            .peek()
            .is_some_and(|Reverse(at)| *at <= self.world.now)
        {
            self.world.timers.pop();
            popped += 1;
        }
        popped += u32::from(
            self.world
                .last_wake
                .take_if(|at| *at <= self.world.now)
                .is_some(),
        );
        popped
    }

    /// Asks the policy for new beliefs about running jobs that have outlived the old ones by `now`.
    fn correct_beliefs(&mut self, now: Time) {
        if self
            .world
            .running
            .iter()
            .next()
            .is_none_or(|entry| entry.expected_end > now)
        {
            return;
        }
        // Beliefs of policies refer to dedicated processors.
        let stretch = self.world.machine.execution.stretch();
        let dedicated = |held: Span| Span::from_microseconds(held.microseconds() / stretch);
        let stretched =
            |belief: Span| Span::from_microseconds(belief.microseconds().saturating_mul(stretch));
        let outlived: Vec<_> = self
            .world
            .running
            .iter()
            .take_while(|entry| entry.expected_end <= now)
            .filter(|entry| !self.world.suspended.contains_key(&entry.job))
            .copied()
            .collect();
        for entry in outlived {
            let request = self.world.workload.request(entry.job);
            let mut expected_end = entry.expected_end;
            while expected_end <= now
                && let Some(belief) = self.policy.outlived(
                    entry.job,
                    request,
                    dedicated(expected_end - entry.started),
                )
                && entry.started.saturating_add(stretched(belief)) > expected_end
            {
                expected_end = entry.started.saturating_add(stretched(belief));
            }
            self.world.revise(entry, expected_end);
        }
    }
}

/// Returns the earlier of two instants.
fn sooner(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

fn decide(
    policy: &mut dyn Policy,
    world: &mut World,
    observer: &mut dyn Observer,
    arrived: &[JobId],
    finished: &[JobId],
    timers: u32,
) {
    let doing = Doing::Deciding {
        now: world.now,
        waiting: world.queue.len() as u64,
    };
    during(doing, || {
        policy.decide(&mut Turn {
            world,
            observer,
            arrived,
            finished,
            timers,
        });
    });
    world.machine.space.set_aside(&[]);
    if !world.requeued.is_empty() {
        put_back(policy, world);
    }
}

/// Lets the jobs wait again that the policy has requeued.
fn put_back(policy: &mut dyn Policy, world: &mut World) {
    for job in std::mem::take(&mut world.requeued) {
        let expected = policy.believe(job, world.workload.request(job));
        world.wait_again(job, expected);
    }
}
