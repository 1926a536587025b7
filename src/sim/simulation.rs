//! The event loop.
//!
//! All that happens at one instant is applied first (completions, arrivals in trace order, timers),
//! then the policy decides once. The options `per_event` and `per_event_ends_first` reproduce
//! simulators that decide after each single event: published schedules depend on it.

use super::world::{Numbers, World};
use super::{Event, Observer, Policy, Silent, Turn};
use crate::job::JobId;
use crate::machine::{Machine, Range};
use crate::param::{Choice, Kind, Param};
use crate::pulse::{Doing, beat, during};
use crate::time::{Span, Time};
use crate::workload::Workload;
use std::any::Any;
use std::cmp::Reverse;
use std::sync::Arc;

/// Order of what happens at one instant.
pub const TIES: Param = Param {
    key: "ties",
    name: "At one instant",
    kind: Kind::Choice {
        options: &[
            Choice {
                id: "together",
                help: "completions, then arrivals, then one decision",
            },
            Choice {
                id: "per_event",
                help: "arrivals before completions, a decision after each, as pyss does",
            },
            Choice {
                id: "per_event_ends_first",
                help: "completions before arrivals, a decision after each, as CQSim does",
            },
        ],
        default: "together",
    },
    unit: "",
    when: None,
    help: "What comes first at one instant, and how often the policy decides",
};

/// What a machine that looks ahead may do for each event of the budget.
const LOOK_AHEAD: u64 = 256;

/// Nanoseconds of an instant, about.
const INSTANT: usize = 256;

/// The parameters of the event loop.
pub const KERNEL_PARAMS: &[Param] = &[TIES];

/// Order of what happens at one instant.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Ties {
    /// Completions, then arrivals, then timers; one decision for all.
    #[default]
    Together,
    /// Arrivals, each with a decision; then completions, each with a decision. A job that ends now
    /// and was expected to end now counts as gone from the start of the instant.
    PerEvent,
    /// Completions, each with a decision; then arrivals, each with a decision. While completions
    /// are still to come, a job that is expected to end now is taken to end now.
    EndsFirst,
}

impl Ties {
    /// The order that the word of [`TIES`] names.
    pub fn named(word: &str) -> Self {
        match word {
            "per_event" => Self::PerEvent,
            "per_event_ends_first" => Self::EndsFirst,
            _ => Self::Together,
        }
    }
}

/// How far a run is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The instant reached.
    pub now: Time,
    /// Jobs that arrived.
    pub arrived: u32,
    /// Jobs that ended.
    pub finished: u32,
    /// Jobs of the workload.
    pub jobs: u32,
    /// Whether nothing is left to happen.
    pub done: bool,
}

/// What changes at an instant.
pub struct Turning {
    /// The instant.
    pub at: Time,
    /// Who decides from then on.
    pub policy: Box<dyn Policy>,
    /// Whether this policy or the one before works with predictions in place of estimates.
    pub predicts: bool,
    /// Whether run times are known until jobs start from then on, where that is said anew.
    pub known_until_start: Option<bool>,
    /// Processors that are out of service, and how long.
    pub closed: Option<(Range, Span)>,
}

/// A run: a workload on a machine under a policy, advanced in slices of any size.
pub struct Simulation {
    pub(super) world: World,
    policy: Box<dyn Policy>,
    next_arrival: u32,
    finished: u32,
    arrived_now: Vec<JobId>,
    ended_now: Vec<JobId>,
}

impl Simulation {
    /// A run at its first instant. The workload passed [`Workload::check`]; the machine has its
    /// number of processors.
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
            finished: 0,
            arrived_now: Vec::new(),
            ended_now: Vec::new(),
        }
    }

    /// The same where a job is believed to run for its run time until it starts, and for its
    /// estimate from then on.
    pub fn knowing_until_start(mut self, is_known: bool) -> Self {
        self.world.known_until_start = is_known;
        self
    }

    /// A run that goes on from a turn in which its policy has not decided yet, nor has anybody
    /// else.
    pub(super) fn going_on(
        mut world: World,
        mut policy: Box<dyn Policy>,
        arrived: &[JobId],
        finished: &[JobId],
        timers: u32,
    ) -> Self {
        let now = world.now;
        // The policy is told now of jobs that ended at this instant: no later event would tell it.
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
        let finished_before = next_arrival - (world.queue.len() + running) as u32;
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
            finished: finished_before,
            arrived_now: Vec::new(),
            ended_now: Vec::new(),
        }
    }

    /// A copy with the same future, which can go its own way.
    pub fn fork(&self) -> Self {
        Self {
            world: self.world.fork(),
            policy: self.policy.fork(),
            next_arrival: self.next_arrival,
            finished: self.finished,
            arrived_now: Vec::new(),
            ended_now: Vec::new(),
        }
    }

    /// A copy that goes on otherwise after an instant, until when nothing more happens: with
    /// another workload, of which `numbers` says which of its jobs each job of this one is (those
    /// that have started are in both, unchanged; those that have not arrived arrive later than
    /// now), under a policy that begins anew, and with some processors out of service for a while.
    /// Where predictions are in play, what was believed of jobs is believed anew. Policies know
    /// when these come back, not that they go. Nothing if the machine cannot number running jobs
    /// anew.
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
        // Before the first arrival it is any time.
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
            finished: self.finished,
            arrived_now: Vec::new(),
            ended_now: Vec::new(),
        };
        decide(&mut *other.policy, &mut other.world, observer, &[], &[], 0);
        other.world.queue.reclaim();
        other.world.tell_turns(observer);
        Some(other)
    }

    /// The jobs that wait now, in order of arrival.
    pub fn queue(&self) -> impl Iterator<Item = JobId> {
        self.world.queue.iter().map(|waiting| waiting.job)
    }

    /// The workload of the run.
    pub fn workload(&self) -> &Arc<Workload> {
        &self.world.workload
    }

    /// How far the run is.
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
            finished: self.finished,
            jobs: self.world.workload.len() as u32,
            done: self.next_instant().is_none() && !self.world.machine.execution.is_busy(),
        }
    }

    /// Whether the machine has looked further ahead than the run is.
    pub fn is_ahead(&self) -> bool {
        self.world
            .machine
            .execution
            .reached()
            .is_some_and(|reached| reached > self.world.now)
    }

    /// Asks the machine for what only machines of its kind can tell those who look closer.
    pub fn look(&mut self, question: &dyn Any) -> Option<Box<dyn Any>> {
        self.world.machine.execution.look(question)
    }

    /// Jobs that wait now.
    pub fn waiting(&self) -> usize {
        self.world.queue.len()
    }

    /// Lets whole instants happen until at least `budget` arrivals and completions have, or nothing
    /// is left to happen.
    pub fn advance(&mut self, budget: u64, observer: &mut dyn Observer) -> Progress {
        self.advance_until(Time::NEVER, budget, observer);
        self.progress()
    }

    /// The same, as far as `end`, and what happens at it. Whether nothing more happens until then.
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

    /// Lets everything happen that happens until `end`, and at it.
    pub fn advance_through(&mut self, end: Time, observer: &mut dyn Observer) {
        loop {
            self.look_ahead(end, u64::MAX, observer);
            let Some(now) = self.next_instant().filter(|now| *now <= end) else {
                return;
            };
            self.instant(now, observer);
        }
    }

    /// Lets the machine find out when the next job ends, as far as `end` or the next arrival or
    /// timer.
    fn look_ahead(&mut self, end: Time, budget: u64, observer: &mut dyn Observer) -> bool {
        let arrival = self
            .world
            .workload
            .requests
            .get(self.next_arrival as usize)
            .map_or(Time::NEVER, |request| request.submitted);
        let timer = self
            .world
            .timers
            .peek()
            .map_or(Time::NEVER, |Reverse(at)| *at);
        let execution = &mut self.world.machine.execution;
        let is_known = execution.look_ahead(arrival.min(timer).min(end), budget);
        execution.tell(&mut |at, note| observer.on_event(at, &Event::Noted(note)));
        is_known
    }

    /// Lets everything happen.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Progress {
        self.advance(u64::MAX, observer)
    }

    fn next_instant(&self) -> Option<Time> {
        let arrival = self
            .world
            .workload
            .requests
            .get(self.next_arrival as usize)
            .map(|request| request.submitted);
        let end = self.world.machine.execution.next();
        // A timer alone cannot bring an end to a run in which nothing runs, arrives or waits.
        let goes_on = !self.world.queue.is_empty()
            || arrival.is_some()
            || self.world.machine.execution.is_busy();
        let timer = self
            .world
            .timers
            .peek()
            .map(|Reverse(at)| *at)
            .filter(|_| goes_on);
        let next = [
            arrival,
            end,
            timer,
            self.world.closed_until.filter(|_| goes_on),
        ]
        .into_iter()
        .flatten()
        .min();
        next.or_else(|| {
            self.world
                .last_wake
                .filter(|_| goes_on && !self.world.machine.execution.is_busy())
        })
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

    /// Lets the running jobs progress until now. Those that end are in `ended_now` then.
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
        // Beliefs that proved too short before this instant are corrected first: a job that has
        // outlived its belief and ends now is expected to end now only if its corrected belief says
        // so.
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

    /// Lets the jobs that are due arrive, each with a decision. Returns how many there are.
    fn arrive_one_by_one(&mut self, observer: &mut dyn Observer) -> u64 {
        let mut arrived = 0;
        while let Some(job) = self.due_arrival() {
            arrived += 1;
            self.arrive(job, observer);
            decide(&mut *self.policy, &mut self.world, observer, &[job], &[], 0);
        }
        arrived
    }

    /// Lets the policy decide if timers are due, or processors have come back into service.
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
        self.finished += 1;
        // It ran to its end, so its run time is known to everybody now.
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

    /// Running jobs that outlived by `now` what was believed of them get a new belief, if the
    /// policy has one.
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
        // What a policy believes is of dedicated processors.
        let stretch = self.world.machine.execution.stretch();
        let dedicated = |held: Span| Span::from_microseconds(held.microseconds() / stretch);
        let stretched =
            |belief: Span| Span::from_microseconds(belief.microseconds().saturating_mul(stretch));
        let outlived: Vec<_> = self
            .world
            .running
            .iter()
            .take_while(|entry| entry.expected_end <= now)
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
}
