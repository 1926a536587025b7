//! The state of a run: waiting jobs, running jobs and free processors. Only the event loop and
//! [`super::Turn`] touch it.

use super::background::{Clerk, Tally};
use super::forecast::Later;
use super::{Event, Fate, Observer, Queue, Running, RunningJob, Ties, Waiting};
use crate::cluster::CORES;
use crate::job::{JobId, Request};
use crate::limits;
use crate::machine::{
    Ask, Machine, Placement, PlacementBuf, Range, Rotation, Space, Starting, Timetable, common,
};
use crate::problem::Problem;
use crate::pulse::beat;
use crate::sorting::{self, map};
use crate::time::{Span, Time};
use crate::workload::Workload;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

/// The processors that a running job holds.
#[derive(Clone, Default)]
pub(super) struct Hold {
    expected_end: Time,
    /// Number of processors. It exceeds the job's size if no partition had exactly that size.
    processors: u32,
    pub(super) placement: PlacementBuf,
}

const NO_HOLD: u32 = u32::MAX;

/// Approximate cost of a start among few running jobs, in nanoseconds.
const STARTING: usize = 128;

/// The id of each job in another workload; `None` for a job that is not in it.
pub type Numbers = [Option<JobId>];

pub(super) struct World {
    pub(super) workload: Arc<Workload>,
    pub(super) machine: Machine,
    pub(super) ties: Ties,
    /// True if a waiting job counts with its run time and a running job with its estimate.
    pub(super) known_until_start: bool,
    pub(super) now: Time,
    pub(super) queue: Queue,
    pub(super) running: Running,
    /// Processors of jobs that end at this instant and whose ends the policy does not know yet.
    pub(super) withheld: u32,
    /// Jobs that end at this instant and whose ends the policy does not know yet.
    pub(super) ending: Vec<JobId>,
    pub(super) timers: BinaryHeap<Reverse<Time>>,
    /// A timer that counts only if nothing else is left to happen.
    pub(super) last_wake: Option<Time>,
    /// Number of times that processors changed hands.
    pub(super) changes: u64,
    /// Number of jobs that have got processors, and the sum of their waits in microseconds.
    pub(super) started: u64,
    pub(super) waited: i128,
    /// Number of jobs that have ended.
    pub(super) finished: u32,
    /// Jobs that the policy has requeued in this turn.
    pub(super) requeued: Vec<JobId>,
    /// Number of times that each job was requeued, and the sum of the times that jobs ran in vain.
    requeues: BTreeMap<JobId, u32>,
    wasted: Span,
    /// The suspended jobs, and since when.
    pub(super) suspended: BTreeMap<JobId, Time>,
    /// End of the outage, if there is one. The processors that are out of service count as those of
    /// a running job with an id after the last job of the workload.
    pub(super) closed_until: Option<Time>,
    /// The instant at which the last outage ended, if one has.
    pub(super) reopened: Option<Time>,
    /// True if the machine has advance reservations. Most machines have none, and are not asked for them at
    /// every instant.
    has_openings: bool,
    /// The reason why the policy cannot go on. The run stops.
    pub(super) failed: Option<Problem>,
    /// Adds up totals, if a policy wants them.
    clerk: Option<Clerk>,
    /// The rotation that observers know of.
    told: Option<Rotation>,
    holds: Vec<Hold>,
    idle_holds: Vec<u32>,
    hold_of: Vec<u32>,
}

impl World {
    pub(super) fn new(workload: Arc<Workload>, machine: Machine, ties: Ties) -> Self {
        let has_openings = machine.space.has_openings();
        Self {
            hold_of: vec![NO_HOLD; workload.len()],
            now: workload
                .requests
                .first()
                .map_or(Time::ZERO, |request| request.submitted),
            workload,
            machine,
            ties,
            known_until_start: false,
            queue: Queue::default(),
            running: Running::default(),
            withheld: 0,
            ending: Vec::new(),
            timers: BinaryHeap::new(),
            last_wake: None,
            changes: 0,
            started: 0,
            waited: 0,
            finished: 0,
            requeued: Vec::new(),
            requeues: BTreeMap::new(),
            wasted: Span::ZERO,
            suspended: BTreeMap::new(),
            closed_until: None,
            reopened: None,
            has_openings,
            failed: None,
            clerk: None,
            told: None,
            holds: Vec::new(),
            idle_holds: Vec::new(),
        }
    }

    pub(super) fn fork(&self) -> Self {
        self.fork_with(self.hold_of.clone())
    }

    /// Returns a fork that reuses the vectors of `other`, which must be a world of the same
    /// workload.
    pub(super) fn fork_over(&self, other: Self) -> Self {
        let mut hold_of = other.hold_of;
        if hold_of.len() != self.hold_of.len() {
            return self.fork();
        }
        other
            .running
            .iter()
            .for_each(|entry| hold_of[entry.job.index()] = NO_HOLD);
        self.running
            .iter()
            .for_each(|entry| hold_of[entry.job.index()] = self.hold_of[entry.job.index()]);
        debug_assert!(hold_of == self.hold_of);
        self.fork_with(hold_of)
    }

    fn fork_with(&self, hold_of: Vec<u32>) -> Self {
        Self {
            workload: Arc::clone(&self.workload),
            machine: self.machine.fork(),
            ties: self.ties,
            known_until_start: self.known_until_start,
            now: self.now,
            queue: self.queue.clone(),
            running: self.running.clone(),
            withheld: self.withheld,
            ending: self.ending.clone(),
            timers: self.timers.clone(),
            last_wake: self.last_wake,
            changes: self.changes,
            started: self.started,
            waited: self.waited,
            finished: self.finished,
            requeued: self.requeued.clone(),
            requeues: self.requeues.clone(),
            wasted: self.wasted,
            suspended: self.suspended.clone(),
            closed_until: self.closed_until,
            reopened: self.reopened,
            has_openings: self.has_openings,
            failed: self.failed.clone(),
            clerk: self.clerk.clone(),
            told: self.told,
            holds: self.holds.clone(),
            idle_holds: self.idle_holds.clone(),
            hold_of,
        }
    }

    /// Returns the same world with another workload from now on. Jobs that run or have ended must
    /// be the same in both. Waiting jobs may be missing or may ask for something else. Returns
    /// `None` if the machine cannot give running jobs new ids.
    pub(super) fn otherwise(&self, workload: &Arc<Workload>, numbers: &Numbers) -> Option<Self> {
        let mut world = self.fork();
        let number = |job: JobId| numbers.get(job.index()).copied().flatten();
        let is_as_before = numbers
            .iter()
            .zip(0..)
            .all(|(number, job)| *number == Some(JobId(job)));
        if !is_as_before
            && !world
                .machine
                .execution
                .renumber(&|job| number(job).unwrap_or(job))
        {
            return None;
        }
        world.queue = Queue::default();
        for waiting in self.queue.iter() {
            let Some(job) = number(waiting.job) else {
                continue;
            };
            let (before, after) = (self.workload.request(waiting.job), workload.request(job));
            let mut entry = Waiting { job, ..*waiting };
            if before.estimate != after.estimate {
                let known = self
                    .known_until_start
                    .then(|| workload.program(job).runtime);
                entry.expected = self.holding(known.unwrap_or(after.estimate));
            }
            if before.processors != after.processors {
                entry.processors = self.machine.space.raised(after.processors);
            }
            world.queue.push(entry);
        }
        world.running = Running::default();
        for entry in self.running.iter() {
            world.running.insert(RunningJob {
                job: number(entry.job)?,
                ..*entry
            });
        }
        // One more entry, for processors that are out of service.
        world.hold_of = vec![NO_HOLD; workload.len() + 1];
        for (job, slot) in (0..)
            .map(JobId)
            .zip(&self.hold_of)
            .filter(|(_, slot)| **slot != NO_HOLD)
        {
            world.hold_of[number(job)?.index()] = *slot;
        }
        let suspended = std::mem::take(&mut world.suspended).into_iter();
        world.suspended = map(suspended.filter_map(|(job, since)| Some((number(job)?, since))));
        world.requeues = map(std::mem::take(&mut world.requeues)
            .into_iter()
            .filter_map(|(job, times)| Some((number(job)?, times))));
        world.timers.clear();
        world.last_wake = None;
        world.clerk = None;
        if let Some(nodes) = &workload.nodes {
            let space = &mut world.machine.space;
            space.ask_by(&nodes.cluster, &nodes.table);
            // An outage is one more advance reservation.
            world.has_openings = space.has_openings();
        }
        world.workload = Arc::clone(workload);
        Some(world)
    }

    /// Takes processors out of service until `until`. Free processors go at once, others when their
    /// job ends or moves. Processors of jobs that run until `until` or longer stay in service. Only on a
    /// machine with geometry may jobs move.
    pub(super) fn close(&mut self, range: Range, until: Time, observer: &mut dyn Observer) {
        if let Some(nodes) = &self.workload.nodes {
            // The workload has the outage already, as an advance reservation of whole nodes.
            let cluster = &nodes.cluster;
            let last = cluster.node_of(range.end() - 1);
            let first = cluster.first_core(cluster.node_of(range.first));
            let end = cluster.first_core(last) + cluster.amounts(last)[CORES];
            let count = end - first;
            let placement = PlacementBuf {
                row: 0,
                ranges: vec![Range { first, count }],
            };
            observer.on_event(self.now, &Event::Closed(placement.get(), until));
            return;
        }
        let space = &self.machine.space;
        let (has_geometry, has_rows) = (space.has_geometry(), space.has_rows());
        let mut left_alone: Vec<Range> = Vec::new();
        let mut processors = 0;
        let running: Vec<RunningJob> = self.running.iter().copied().collect();
        for entry in running {
            let slot = self.hold_of[entry.job.index()] as usize;
            let hold = &mut self.holds[slot].placement;
            let inside = common(&hold.ranges, &[range]);
            if entry.started + self.workload.program(entry.job).runtime >= until {
                // Other jobs could share these processors.
                if !has_rows {
                    left_alone.extend(inside);
                }
                continue;
            }
            // On a machine with geometry a job keeps its whole partition, and the space knows what to free.
            if has_geometry {
                continue;
            }
            if !has_rows {
                hold.ranges = without(&hold.ranges, &inside);
            }
            let taken: u32 = inside.iter().map(|part| part.count).sum();
            processors += taken;
            self.resize(entry.job, entry.processors - taken);
        }
        let ranges = without(&[range], &left_alone);
        let placement = PlacementBuf { row: 0, ranges };
        if placement.ranges.is_empty() {
            return;
        }
        observer.on_event(self.now, &Event::Closed(placement.get(), until));
        let before = self.machine.space.free();
        self.machine.space.close(placement.get());
        processors += before - self.machine.space.free();
        let job = JobId(self.workload.len() as u32);
        self.hold_of[job.index()] = self.holds.len() as u32;
        self.holds.push(Hold {
            expected_end: until,
            processors,
            placement,
        });
        self.running.insert(RunningJob {
            expected_end: until,
            job,
            processors,
            started: self.now,
        });
        self.closed_until = Some(until);
        self.changes += 1;
    }

    /// Ends an outage that is due. Returns true if it did, or if an advance reservation ends now.
    #[inline]
    pub(super) fn reopen(&mut self) -> bool {
        (self.has_openings || self.closed_until.is_some()) && self.reopen_if_due()
    }

    #[inline(never)]
    fn reopen_if_due(&mut self) -> bool {
        let just_before = self.now - Span::from_microseconds(1);
        let opens = self.next_opening(just_before) == Some(self.now);
        let is_due = self.closed_until.is_some_and(|until| until <= self.now);
        if is_due {
            let job = JobId(self.workload.len() as u32);
            self.closed_until = None;
            self.reopened = Some(self.now);
            self.vacate(job);
            self.forget(job);
            self.keep_what_is_held();
        }
        is_due || opens
    }

    /// Returns the first instant after `at` at which an advance reservation ends, so that nodes open for
    /// other jobs.
    pub(super) fn next_opening(&self, at: Time) -> Option<Time> {
        if self.has_openings {
            self.machine.space.next_opening(at)
        } else {
            None
        }
    }

    /// Counts the processors that running jobs still hold at the end of an outage as theirs again. Only
    /// a machine with rows but without geometry has counted them as closed, and only jobs of processes
    /// take longer than was known.
    fn keep_what_is_held(&mut self) {
        let space = &self.machine.space;
        if !space.has_rows() || space.has_geometry() {
            return;
        }
        let held = |entry: &RunningJob| {
            let placement = self.hold(entry.job)?.placement.get();
            Some((entry.job, placement.size()))
        };
        let all: Vec<(JobId, u32)> = self.running.iter().filter_map(held).collect();
        all.into_iter()
            .for_each(|(job, processors)| self.resize(job, processors));
    }

    /// Changes the number of processors that a running job counts for.
    fn resize(&mut self, job: JobId, processors: u32) {
        let hold = &mut self.holds[self.hold_of[job.index()] as usize];
        hold.processors = processors;
        if let Some(entry) = self.running.remove(hold.expected_end, job) {
            self.running.insert(RunningJob {
                processors,
                ..entry
            });
        }
    }

    /// Counts processors that have gone out of service because a job has ended or moved. `open` processors
    /// were free before, or were the job's.
    fn count_closed(&mut self, open: u32) {
        if self.closed_until.is_some() {
            let outage = JobId(self.workload.len() as u32);
            let more = open - self.machine.space.free();
            self.resize(outage, self.held(outage) + more);
        }
    }

    /// Replaces the beliefs about waiting and running jobs by those of a new policy.
    pub(super) fn believe_anew(&mut self, believe: &mut dyn FnMut(JobId, &Request) -> Span) {
        let waiting: Vec<Waiting> = self.queue.iter().copied().collect();
        self.queue = Queue::default();
        for entry in waiting {
            let belief = self.belief_while_waiting(
                entry.job,
                believe(entry.job, self.workload.request(entry.job)),
            );
            self.queue.push(Waiting {
                expected: self.holding(belief),
                ..entry
            });
        }
        let delay = self.machine.execution.start_delay();
        let running: Vec<RunningJob> = self
            .running
            .iter()
            .filter(|entry| entry.job.index() < self.workload.len())
            .copied()
            .collect();
        for entry in running {
            let end = (entry.started - delay)
                .saturating_add(self.holding(self.workload.request(entry.job).estimate));
            self.revise(entry, end);
        }
    }

    /// Starts new totals at the present instant.
    pub(super) fn keep_tally(&mut self) {
        let jobs = self
            .running
            .iter()
            .filter_map(|entry| self.workload.requests.get(entry.job.index()));
        self.clerk = Some(Clerk::new(
            self.now,
            jobs.map(|request| u64::from(request.processors)).sum(),
        ));
    }

    /// Returns the totals since the last call. The first call returns zeros and starts the totals.
    pub(super) fn take_tally(&mut self, now: Time) -> Tally {
        if self.clerk.is_none() {
            self.keep_tally();
        }
        self.clerk
            .as_mut()
            .map(|clerk| clerk.take(now))
            .unwrap_or_default()
    }

    pub(super) fn free(&self) -> u32 {
        self.machine.space.free() - self.withheld
    }

    pub(super) fn arrive(&mut self, job: JobId, expected: Span, observer: &mut dyn Observer) {
        let entry = self.waiting(job, expected);
        self.queue.push(entry);
        observer.on_event(self.now, &Event::Submitted(job));
    }

    /// Puts a job that was requeued back into the queue.
    pub(super) fn wait_again(&mut self, job: JobId, expected: Span) {
        let entry = self.waiting(job, expected);
        self.queue.put_back(entry);
    }

    fn waiting(&self, job: JobId, expected: Span) -> Waiting {
        let space = &self.machine.space;
        Waiting {
            job,
            processors: space.raised(self.workload.request(job).processors),
            expected: self.holding(self.belief_while_waiting(job, expected)),
        }
    }

    /// Returns the belief about the run time of a waiting job: the policy's belief, or the run time
    /// if that is known until the start.
    fn belief_while_waiting(&self, job: JobId, believed: Span) -> Span {
        if self.known_until_start {
            self.workload.program(job).runtime
        } else {
            believed
        }
    }

    /// Returns how long a job is expected to hold its processors if its believed run time is
    /// `believed`. Policies plan with this span.
    fn holding(&self, believed: Span) -> Span {
        let execution = &self.machine.execution;
        Span::from_microseconds(believed.microseconds().saturating_mul(execution.stretch()))
            + execution.start_delay()
    }

    /// Starts the job that waits at this position of the queue. Returns false, with nothing changed, if it
    /// does not fit.
    pub(super) fn start(&mut self, position: usize, ask: Ask, observer: &mut dyn Observer) -> bool {
        let before = self.machine.space.free();
        if ask.processors > before - self.withheld || !self.machine.space.fits(ask) {
            return false;
        }
        self.start_with(position, before, observer, |space, placement| {
            space.claim(ask, placement);
        });
        true
    }

    /// Starts a waiting job on these processors. Returns false, with nothing changed, if it does
    /// not wait, has another size, or if the processors are not free.
    pub(super) fn start_at(
        &mut self,
        job: JobId,
        at: Placement<'_>,
        observer: &mut dyn Observer,
    ) -> bool {
        let size = at.size();
        let Some((position, waiting)) = self.waiting_at(job) else {
            return false;
        };
        if waiting.processors != size || !self.machine.space.is_free(at) {
            return false;
        }
        let before = self.machine.space.free();
        self.start_with(position, before, observer, |space, placement| {
            space.occupy(at);
            placement.set(at);
        });
        true
    }

    /// Starts a waiting job that fits and leaves room for `head` in `later`, and takes its processors
    /// there too. Returns false, with nothing changed, if it does not wait, does not fit, or would
    /// delay `head`.
    pub(super) fn start_sparing(
        &mut self,
        job: JobId,
        later: &mut Later,
        observer: &mut dyn Observer,
    ) -> bool {
        let Some((position, entry)) = self.waiting_at(job) else {
            return false;
        };
        let ask = self.ask_at(self.now, &entry);
        if ask.processors > self.free() || !self.machine.space.fits(ask) {
            return false;
        }
        let before = self.machine.space.free();
        let mut placement = PlacementBuf::default();
        let space = &mut *self.machine.space;
        if !later.claim_in(space, ask, &mut placement) {
            return false;
        }
        self.start_placed(position, before, observer, &placement);
        true
    }

    /// Starts a waiting job on the nodes that `claim` takes. Returns false, with nothing changed, if it
    /// does not wait or does not fit there.
    pub(super) fn start_on(
        &mut self,
        job: JobId,
        observer: &mut dyn Observer,
        claim: &dyn Fn(&mut dyn Space, Ask, &mut PlacementBuf) -> bool,
    ) -> bool {
        let Some((position, entry)) = self.waiting_at(job) else {
            return false;
        };
        let ask = self.ask_at(self.now, &entry);
        let before = self.machine.space.free();
        let mut placement = PlacementBuf::default();
        if !claim(&mut *self.machine.space, ask, &mut placement) {
            return false;
        }
        self.start_placed(position, before, observer, &placement);
        true
    }

    /// Starts a waiting job on processors that others can have, and suspends it in the same instant. Returns
    /// false, with nothing changed, if it does not wait, does not fit there, or cannot be suspended.
    pub(super) fn start_suspended(
        &mut self,
        job: JobId,
        observer: &mut dyn Observer,
        claim: &dyn Fn(&mut dyn Space, Ask, &mut PlacementBuf) -> bool,
    ) -> bool {
        if !cfg!(feature = "clusters") {
            return false;
        }
        let Some((position, entry)) = self.waiting_at(job) else {
            return false;
        };
        let ask = self.ask_at(self.now, &entry);
        let mut placement = PlacementBuf::default();
        if !claim(&mut *self.machine.space, ask, &mut placement) {
            return false;
        }
        // The job counts with the processors that it will have.
        let before = self.machine.space.free() + placement.get().size();
        self.start_placed(position, before, observer, &placement);
        self.machine.execution.suspend(job, self.now);
        self.suspended.insert(job, self.now);
        observer.on_event(self.now, &Event::Suspended(job));
        true
    }

    /// Returns the timetable of the machine with the running jobs.
    pub(super) fn timetable(&self) -> Option<Box<dyn Timetable>> {
        if !cfg!(feature = "clusters") {
            return None;
        }
        let mut timetable = self.machine.space.timetable(self.now)?;
        for entry in self.running.iter() {
            let ask = self.ask(entry.job, entry.processors);
            let hold = self.hold(entry.job);
            let placement = hold.map_or(Placement::NOWHERE, |hold| hold.placement.get());
            let choice = timetable.choice(ask, placement);
            let until = self.running.release_time(entry, self.now);
            timetable.hold(ask, &choice, self.now, until);
        }
        Some(timetable)
    }

    /// Returns the request of a job for this number of processors, without a period.
    pub(super) fn ask(&self, job: JobId, processors: u32) -> Ask {
        Ask {
            request: self.workload.node_request(job),
            ..Ask::of(processors)
        }
    }

    /// Returns what a waiting job asks for if it starts at `at`.
    pub(super) fn ask_at(&self, at: Time, job: &Waiting) -> Ask {
        self.ask(job.job, job.processors).during(at, job.expected)
    }

    /// Returns the position and the entry of a waiting job.
    pub(super) fn waiting_at(&self, job: JobId) -> Option<(usize, Waiting)> {
        let position = self.queue.position(job)?;
        Some((position, *self.queue.at(position)?))
    }

    /// Starts the job that waits at this position of the queue on processors that were taken for it. `before`
    /// is the number of free processors before that.
    #[inline(never)]
    fn start_placed(
        &mut self,
        position: usize,
        before: u32,
        observer: &mut dyn Observer,
        placement: &PlacementBuf,
    ) {
        self.start_with(position, before, observer, |_, hold| {
            hold.set(placement.get());
        });
    }

    /// Starts the job that waits at this position of the queue. `before` is the number of free processors
    /// before `claim` took those of the job.
    fn start_with(
        &mut self,
        position: usize,
        before: u32,
        observer: &mut dyn Observer,
        claim: impl FnOnce(&mut dyn Space, &mut PlacementBuf),
    ) {
        let Waiting { job, expected, .. } = self.queue.take(position);
        let expected = if self.known_until_start {
            self.holding(self.workload.request(job).estimate)
        } else {
            expected
        };
        beat(STARTING + self.running.len() / 4);
        self.changes += 1;
        self.started += 1;
        self.waited += i128::from((self.now - self.workload.request(job).submitted).microseconds());
        if let Some(clerk) = &mut self.clerk {
            clerk.started(self.now, self.workload.request(job));
        }
        let slot = self.idle_holds.pop().unwrap_or_else(|| {
            self.holds.push(Hold::default());
            self.holds.len() as u32 - 1
        });
        let hold = &mut self.holds[slot as usize];
        hold.expected_end = self.now.saturating_add(expected);
        hold.placement.clear();
        claim(&mut *self.machine.space, &mut hold.placement);
        hold.processors = before - self.machine.space.free();
        self.hold_of[job.index()] = slot;
        let delay = self.machine.execution.start_delay();
        let (expected_end, processors, started) =
            (hold.expected_end, hold.processors, self.now + delay);
        self.running.insert(RunningJob {
            expected_end,
            job,
            processors,
            started,
        });
        let starting = Starting {
            job,
            program: self.workload.program(job),
            shape: self.workload.shape(job),
            demand: self.workload.demand(job),
            placement: hold.placement.get(),
        };
        self.machine.execution.start(starting, self.now);
        observer.on_event(self.now, &Event::Started(job, hold.placement.get(), delay));
    }

    /// Returns the processors that a running job holds.
    pub(super) fn hold(&self, job: JobId) -> Option<&Hold> {
        self.holds.get(self.hold_of[job.index()] as usize)
    }

    /// Lays out the running jobs anew, largest first, if that leaves a larger free partition. Each
    /// job that moves runs `cost` longer. Returns true if jobs migrated.
    pub(super) fn migrate(&mut self, cost: Span, observer: &mut dyn Observer) -> bool {
        let running = self.running.iter().copied();
        let mut jobs: Vec<RunningJob> =
            running.filter(|entry| !self.is_outage(entry.job)).collect();
        let id = |entry: &RunningJob| i128::from(entry.job.0);
        let (largest, earliest) = (
            |entry: &RunningJob| -i128::from(entry.processors) << 64,
            |entry: &RunningJob| i128::from(entry.started.microseconds()),
        );
        sorting::by(&mut jobs, |entry| {
            [largest(entry) + earliest(entry), id(entry)]
        });
        let slots: Vec<usize> = jobs
            .iter()
            .map(|entry| self.hold_of[entry.job.index()] as usize)
            .collect();
        let held: Vec<Placement<'_>> = slots
            .iter()
            .map(|slot| self.holds[*slot].placement.get())
            .collect();
        let before = self.machine.space.free();
        let placements = self.machine.space.repack(&held);
        observer.on_event(self.now, &Event::Migrated(placements.is_some()));
        let Some(placements) = placements else {
            return false;
        };
        self.count_closed(before);
        self.changes += 1;
        let mut moved = Vec::new();
        for ((entry, slot), placement) in jobs.into_iter().zip(slots).zip(placements) {
            if self.holds[slot].placement != placement {
                self.holds[slot].placement = placement;
                observer.on_event(
                    self.now,
                    &Event::Moved(entry.job, self.holds[slot].placement.get(), cost),
                );
                moved.push(entry);
            }
        }
        if cost > Span::ZERO {
            let ids: Vec<JobId> = moved.iter().map(|entry| entry.job).collect();
            self.machine.execution.postpone(&ids, cost);
            moved
                .into_iter()
                .for_each(|entry| self.revise(entry, entry.expected_end.saturating_add(cost)));
        }
        true
    }

    /// Lets the machine move running jobs after others have ended, if it does that.
    pub(super) fn tidy(&mut self, observer: &mut dyn Observer) {
        if !self.machine.space.tidies() {
            return;
        }
        let running = self.running.iter().copied();
        let mut jobs: Vec<RunningJob> =
            running.filter(|entry| !self.is_outage(entry.job)).collect();
        sorting::by(&mut jobs, |entry| {
            [entry.started.microseconds().into(), entry.job.0.into()]
        });
        let slots: Vec<usize> = jobs
            .iter()
            .map(|entry| self.hold_of[entry.job.index()] as usize)
            .collect();
        let held: Vec<Placement<'_>> = slots
            .iter()
            .map(|slot| self.holds[*slot].placement.get())
            .collect();
        let before = self.machine.space.free();
        let moved = self.machine.space.tidy(&held);
        let moved: Vec<(JobId, PlacementBuf)> = moved
            .into_iter()
            .map(|(at, placement)| (jobs[at].job, placement))
            .collect();
        if moved.is_empty() {
            return;
        }
        self.count_closed(before);
        self.changes += 1;
        self.machine.execution.relocate(&moved);
        for (job, placement) in moved {
            observer.on_event(self.now, &Event::Moved(job, placement.get(), Span::ZERO));
            self.holds[self.hold_of[job.index()] as usize].placement = placement;
        }
    }

    /// Tells observers the rotation, unless it follows from the one that they know.
    pub(super) fn tell_turns(&mut self, observer: &mut dyn Observer) {
        let Some(rotation) = self.machine.execution.rotation() else {
            return;
        };
        if self
            .told
            .is_none_or(|told| told.turned(self.now) != rotation)
        {
            self.told = Some(rotation);
            observer.on_event(self.now, &Event::Turned(rotation));
        }
    }

    /// Frees the processors of a job that has ended. The job still counts as running until
    /// [`World::forget`].
    pub(super) fn vacate(&mut self, job: JobId) {
        let hold = &self.holds[self.hold_of[job.index()] as usize];
        let (ask, placement) = (self.ask(job, hold.processors), hold.placement.get());
        self.changes += 1;
        let space = &mut self.machine.space;
        if job.index() >= self.workload.len() {
            space.reopen(ask, placement);
        } else if self.closed_until.is_none() {
            space.release(ask, placement);
        } else {
            let open = space.free() + hold.processors;
            space.release(ask, placement);
            self.count_closed(open);
        }
    }

    /// True for the id under which processors that are out of service count as running.
    pub(super) fn is_outage(&self, job: JobId) -> bool {
        job.index() >= self.workload.len()
    }

    /// Keeps the end of a job from the policy until [`World::tell_end`].
    pub(super) fn withhold_end(&mut self, job: JobId) {
        self.withheld += self.held(job);
        self.ending.push(job);
    }

    /// Counts a withheld job as ended from now on.
    pub(super) fn tell_end(&mut self, job: JobId) {
        self.withheld -= self.held(job);
        self.ending.retain(|other| *other != job);
        self.forget(job);
    }

    /// Returns the number of processors that a running job holds.
    pub(super) fn held(&self, job: JobId) -> u32 {
        self.hold(job).map_or(0, |hold| hold.processors)
    }

    /// Stops a running job and frees its processors. Returns false, with nothing changed, if it does
    /// not run or the machine cannot stop it.
    pub(super) fn preempt(&mut self, job: JobId, fate: Fate, observer: &mut dyn Observer) -> bool {
        // Only machines with clusters have a policy that preempts.
        if !cfg!(feature = "clusters")
            || job.index() >= self.workload.len()
            || self.hold(job).is_none()
            || self.ending.contains(&job)
            || !self.machine.execution.stop(job)
        {
            return false;
        }
        if self.suspended.remove(&job).is_some() {
            let hold = &self.holds[self.hold_of[job.index()] as usize];
            let ask = self.ask(job, hold.processors);
            let space = &mut self.machine.space;
            space.release_suspended(ask, hold.placement.get());
            self.changes += 1;
        } else {
            self.vacate(job);
        }
        match fate {
            Fate::Requeue => {
                self.requeue(job);
                observer.on_event(self.now, &Event::Requeued(job));
            }
            Fate::Cancel => {
                self.forget(job);
                self.finished += 1;
                observer.on_event(self.now, &Event::Cancelled(job));
                observer.on_event(self.now, &Event::Finished(job));
            }
        }
        true
    }

    /// Suspends a running job. Returns false, with nothing changed, if it does not run or the machine cannot
    /// suspend it.
    pub(super) fn suspend(&mut self, job: JobId, observer: &mut dyn Observer) -> bool {
        // Only machines with clusters have a policy that suspends.
        if !cfg!(feature = "clusters")
            || job.index() >= self.workload.len()
            || self.hold(job).is_none()
            || self.ending.contains(&job)
            || !self.machine.execution.suspend(job, self.now)
        {
            return false;
        }
        let hold = &self.holds[self.hold_of[job.index()] as usize];
        let ask = self.ask(job, hold.processors);
        self.machine.space.suspend(ask, hold.placement.get());
        self.suspended.insert(job, self.now);
        self.changes += 1;
        observer.on_event(self.now, &Event::Suspended(job));
        true
    }

    /// Lets a suspended job go on. Returns false, with nothing changed, if it is not suspended or its nodes do
    /// not have enough left.
    pub(super) fn resume(&mut self, job: JobId, observer: &mut dyn Observer) -> bool {
        if !cfg!(feature = "clusters") {
            return false;
        }
        let Some(since) = self.suspended.get(&job).copied() else {
            return false;
        };
        let slot = self.hold_of[job.index()] as usize;
        let ask = self.ask(job, self.holds[slot].processors);
        let mut placement = PlacementBuf::default();
        let was = self.holds[slot].placement.get();
        if !self.machine.space.resume(ask, was, &mut placement) {
            return false;
        }
        self.machine.execution.resume(job, self.now);
        self.suspended.remove(&job);
        self.changes += 1;
        observer.on_event(self.now, &Event::Resumed(job, placement.get()));
        self.holds[slot].placement = placement;
        let hold = &self.holds[slot];
        let entry = RunningJob {
            expected_end: hold.expected_end,
            job,
            processors: hold.processors,
            started: since,
        };
        self.revise(entry, entry.expected_end.saturating_add(self.now - since));
        true
    }

    /// Counts a job that has been stopped as one that has not started. It waits again after the turn.
    fn requeue(&mut self, job: JobId) {
        let Some(entry) = self.unlist(job) else {
            return;
        };
        let request = self.workload.request(job);
        if let Some(clerk) = &mut self.clerk {
            clerk.stopped(self.now, request);
        }
        let held_from = entry.started - self.machine.execution.start_delay();
        self.started -= 1;
        self.waited -= i128::from((held_from - request.submitted).microseconds());
        self.wasted += self.now - held_from;
        let times = self.requeues.entry(job).or_insert(0);
        *times += 1;
        let is_too_long = self.wasted.microseconds() > Span::LONGEST_TOTAL.microseconds() / 4;
        if *times as usize > limits::REQUEUES || is_too_long {
            let number = request.number;
            self.failed.get_or_insert_with(|| {
                Problem::new(
                    format!("Job {number} is preempted and starts anew for ever."),
                    format!("A job can be requeued {} times.", limits::REQUEUES),
                    "Check that no two QOS or partitions can preempt each other.",
                )
            });
        }
        self.requeued.push(job);
    }

    /// Removes a job from the running jobs.
    fn unlist(&mut self, job: JobId) -> Option<RunningJob> {
        let slot = std::mem::replace(&mut self.hold_of[job.index()], NO_HOLD);
        let expected_end = self.holds.get(slot as usize)?.expected_end;
        self.idle_holds.push(slot);
        self.running.remove(expected_end, job)
    }

    /// Removes a job that has ended from the running jobs.
    pub(super) fn forget(&mut self, job: JobId) -> Option<RunningJob> {
        let entry = self.unlist(job)?;
        if let (Some(clerk), Some(request)) =
            (&mut self.clerk, self.workload.requests.get(job.index()))
        {
            clerk.ended(self.now, request, entry.started.min(self.now));
        }
        Some(entry)
    }

    /// Returns the expected end of `job`, if it runs.
    pub(super) fn expected_end(&self, job: JobId) -> Option<Time> {
        self.hold(job).map(|hold| hold.expected_end)
    }

    /// Changes the expected end of a running job.
    pub(super) fn revise(&mut self, entry: RunningJob, expected_end: Time) {
        if let Some(entry) = self.running.remove(entry.expected_end, entry.job) {
            self.holds[self.hold_of[entry.job.index()] as usize].expected_end = expected_end;
            self.running.insert(RunningJob {
                expected_end,
                ..entry
            });
        }
    }
}

/// Returns `placement` without `taken`.
fn without(placement: &[Range], taken: &[Range]) -> Vec<Range> {
    let mut left = placement.to_vec();
    for gone in taken {
        let parts = left.into_iter().flat_map(|part| {
            let before = Range {
                first: part.first,
                count: gone.first.clamp(part.first, part.end()) - part.first,
            };
            let from = gone.end().clamp(part.first, part.end());
            let is_apart = gone.end() <= part.first || part.end() <= gone.first;
            if is_apart {
                [part, Range { first: 0, count: 0 }]
            } else {
                [
                    before,
                    Range {
                        first: from,
                        count: part.end() - from,
                    },
                ]
            }
        });
        left = parts.filter(|part| part.count > 0).collect();
    }
    left
}
