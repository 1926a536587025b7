//! A cluster of processors, simulated event by event. Each processor runs one process at a time,
//! out of those that share the processor.
//!
//! A process computes, sends a message to each process that it communicates with, and waits for the
//! messages of these processes. While it waits, it spins, or it blocks and another process runs.
//! All times are whole microseconds. A processor has one next event, which is kept among the clocks
//! of all processors:
//!
//! * the running process finishes its computing or stops spinning;
//! * a blocked process has all its messages;
//! * the local scheduler's time for the running process is up;
//! * a daemon comes.
//!
//! Messages are not events. The sender tells the receiver when it will have all its messages, and
//! that may change the next event of the receiver's processor. If the receiver has blocked and will
//! not preempt the running process, the message has no effect until the processor chooses again.
//!
//! Events are not handled in one order of time. Within one latency, no processor feels what another
//! one does. Each processor therefore handles its own events for that long, one processor after the
//! other. The result is the same.

mod class;
mod clocks;
mod forward;
mod lane;
mod local;
mod messages;
mod probe;
mod process;
mod turns;

pub use class::{Class, History, Thresholds};
pub use local::LocalRule;
pub use probe::{Activity, Probe, ProbeSpan, Probed};

pub use messages::neighbours;

use crate::job::{JobId, Pattern, Shape};
use crate::param::words;
use clocks::{Clocks, NEVER, WORD};
use lane::{Lane, NOBODY, Pe};
use process::{Phase, Process};
use std::sync::Arc;

words! {
    /// The rule that decides which of the processes that share a processor runs.
    pub enum Algorithm {
        /// A process that waits spins and never blocks.
        Batch = "batch": "no sharing; a processor has one process until the job of the process \
            ends",
        Gang = "gang": "rows take turns; a process that waits for messages spins (GS)",
        SpinBlock = "spin_block": "every processor decides for itself; a process that waits spins \
            for a while, then blocks (SB)",
        /// If the row's process on a processor is not of class CS, the processor decides for
        /// itself.
        Flexible = "flexible": "rows take turns for processes that need coscheduling; other \
            processes fill the gaps (FCS)",
    }
}

words! {
    /// The slots in which a process of class F runs before others, whatever the local scheduler
    /// says.
    pub enum FFirst {
        /// In its own slot, a process of class F preempts no process that communicates.
        Gently = "gently": "in its own slot it is chosen first; in every slot, processes that do \
            not communicate make way",
        EverySlot = "every_slot": "in its own slot all other processes make way; in other slots, \
            processes that do not communicate do",
        OwnSlot = "own_slot": "in its own slot all other processes make way (Algorithm 1 to the \
            letter)",
    }
}

/// The constants of a cluster; times are in microseconds.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Constants {
    /// The rule that decides which process runs.
    pub algorithm: Algorithm,
    /// The local scheduler of each processor.
    pub local: LocalRule,
    /// Time from sending a message to its arrival.
    pub latency: i64,
    /// Time that a process spins before it blocks.
    pub spin: i64,
    /// Cost of a switch from one process to another.
    pub switch: i64,
    /// Time that each processor loses when another row has its turn: the daemon of its node decides
    /// what runs.
    pub turn: i64,
    /// Longest time that a process needs to fill the cache again after other processes ran.
    pub reload: i64,
    /// Cost of filling the cache again, as a share of the time that other processes ran, in
    /// thousandths. It is at most `reload`.
    pub displaced: i64,
    /// Cost of measuring a communication, if classes are kept.
    pub measure: i64,
    /// The slots in which processes of class F run before others.
    pub f_first: FFirst,
    /// Period of the system daemon that comes to each processor; 0 means never.
    pub noise_period: i64,
    /// Time that the daemon takes in each period.
    pub noise_length: i64,
    /// The thresholds between the classes.
    pub thresholds: Thresholds,
}

/// A job on the cluster.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) id: JobId,
    /// True from the start of the job until the cluster forgets it.
    is_here: bool,
    row: u32,
    /// Indices of its processes in `processes` of the cluster.
    seats: Arc<[u32]>,
    left: u32,
    iterations: u64,
    shape: Arc<Shape>,
    /// Ranks of the partners of each process, one process after the other; empty at a barrier.
    neighbours: Arc<[u32]>,
    /// Indices of the same processes in `processes` of the cluster.
    sends_to: Arc<[u32]>,
    degree: u8,
    /// Cost of measuring in each iteration.
    measure: i64,
    /// Number of processes that have come to the barrier of an even or an odd iteration.
    came: [u32; 2],
    /// Arrival of the last message at this barrier.
    latest: [i64; 2],
}

/// A change of the class of a process.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reclassified {
    /// Instant of the change, in microseconds.
    pub at: i64,
    /// The job of the process.
    pub job: JobId,
    /// Number of the process in its job.
    pub rank: u32,
    /// The class from then on.
    pub class: Class,
}

/// Longest period that is simulated processor by processor, in microseconds.
const LONGEST_WINDOW: i64 = 1_000;

/// A cluster: its processors and the processes on them.
#[derive(Clone)]
pub struct ProcessCluster {
    constants: Constants,
    /// Processes of each processor by row; those of the first processor come first. There are as
    /// many rows as jobs have needed so far.
    processes: Vec<Process>,
    rows: usize,
    jobs: Vec<Job>,
    pes: Vec<Pe>,
    clocks: Clocks,
    /// The row whose turn it is.
    row: u32,
    /// End of this turn; `NEVER` if no row has a turn.
    turn_ends: i64,
    /// Number of jobs in each row.
    in_row: Vec<u32>,
    now: i64,
    /// Instant until which the caller wants to advance.
    until: i64,
    /// Instant before which no job ends.
    earliest_end: i64,
    /// True if iterations that no event can interrupt are computed in one step.
    forwards: bool,
    scratch: forward::Scratch,
    /// Work of those steps, as a number of events.
    forwarded: u64,
    probed: Option<Box<Probed>>,
    pub(super) ended: Vec<(i64, JobId)>,
    pub(super) notes: Vec<Reclassified>,
    events: u64,
}

/// A job that starts on a cluster.
pub struct Arrival<'a> {
    /// The job that starts.
    pub id: JobId,
    /// The row of the job.
    pub row: u32,
    /// Processors of the job, in the order of its processes.
    pub columns: &'a [u32],
    /// The program of its processes.
    pub shape: Arc<Shape>,
    /// Number of iterations. A job that does not communicate computes them in one piece.
    pub iterations: u64,
}

impl ProcessCluster {
    /// Returns a cluster of `processors` idle processors, which `rows` rows share.
    pub fn new(processors: u32, rows: u32, constants: Constants, seed: u64) -> Self {
        let pe = |number: u32| Pe {
            begin: NEVER,
            due: NEVER,
            wake: NEVER,
            expires: NEVER,
            noise: first_daemon(constants.noise_period, number, seed),
            from: 0,
            running: NOBODY,
            last: NOBODY,
            since: 0,
            allowed: 0,
            able: 0,
            blocked: 0,
            yielding: 0,
            f_in_its_slot: 0,
            class_f: 0,
            yields_to_f: 0,
            worked: 0,
            exclusive: matches!(constants.algorithm, Algorithm::Batch | Algorithm::Gang),
        };
        Self {
            processes: Vec::new(),
            jobs: Vec::new(),
            rows: 0,
            pes: (0..processors).map(pe).collect(),
            clocks: Clocks::new(processors as usize, constants.latency.min(LONGEST_WINDOW)),
            row: 0,
            turn_ends: NEVER,
            in_row: vec![0; rows as usize],
            now: i64::MIN,
            until: i64::MIN,
            earliest_end: i64::MIN,
            forwards: true,
            scratch: forward::Scratch::default(),
            forwarded: 0,
            probed: None,
            ended: Vec::new(),
            notes: Vec::new(),
            events: 0,
            constants,
        }
    }

    /// Advances until a job has ended, or until no event is left up to `until`. Returns false if
    /// more than about `budget` events were needed.
    ///
    /// A processor feels what another one does when a message arrives, at the earliest. For one
    /// latency from the next event on, every processor can therefore handle all its own events, one
    /// processor after the other, but not beyond the end of a turn or of a job. During this period,
    /// `now` stays at that next event.
    pub fn run(&mut self, until: i64, budget: u64) -> bool {
        let last = (self.events + self.forwarded).saturating_add(budget);
        self.until = until;
        loop {
            let at = self.next_at();
            let next = at.min(self.turn_ends);
            if self.is_to_be_seen(next) {
                continue;
            }
            if self.ended.first().is_some_and(|(end, _)| *end < next)
                || next > until
                || next == NEVER
            {
                return true;
            }
            if self.events + self.forwarded >= last {
                return false;
            }
            self.now = next;
            // Events at the very end of a turn still belong to the turn.
            if at <= self.turn_ends {
                let turn = self.turn_ends.min(until).saturating_add(1);
                let before = self.alone_until(at).min(turn);
                self.slot(before);
                // Until `quiet`, nothing but processes and daemons acts. A slot is no longer than a
                // latency, so slot after slot needs no other look at the cluster.
                let quiet = turn.min(self.earliest_end).min(self.unseen_until());
                while !self.is_at_once()
                    && self.events + self.forwarded < last
                    && let Some((_, begin, end)) = self.clocks.next_slot()
                    && begin > self.now
                    && end <= quiet
                {
                    self.now = begin;
                    self.slot(end);
                }
            } else {
                self.events += 1;
                self.turn(next);
            }
        }
    }

    /// Handles the events of the next slot that are before `before`.
    fn slot(&mut self, before: i64) {
        let Some((slot, _, end)) = self.clocks.next_slot() else {
            return;
        };
        let before = before.min(end);
        for word in 0..self.clocks.words() {
            for place in self.clocks.take(slot, word) {
                self.happen(word * WORD + place, before);
            }
        }
        self.clocks.pass(slot);
        self.now = before - 1;
    }

    /// Returns the instant of the next event. If the exact instant is not needed, the result may be
    /// earlier, but still later than all events so far.
    fn next_at(&mut self) -> i64 {
        let at = self.clocks.not_before();
        let is_enough =
            at > self.now && at < self.earliest_end && self.ended.is_empty() && !self.is_at_once();
        if is_enough {
            at
        } else {
            self.clocks.earliest()
        }
    }

    /// True if all events must be handled in order of time.
    fn is_at_once(&self) -> bool {
        !self.forwards || self.is_seen()
    }

    /// Returns the instant before which no other processor and no probe sees what happens from
    /// `now` on, and no job ends after `now`.
    fn alone_until(&mut self, now: i64) -> i64 {
        if self.is_at_once() {
            return now + 1;
        }
        // The search for the end of a job takes a while, so it is not repeated at once.
        if now >= self.earliest_end.saturating_add(self.constants.latency) {
            self.earliest_end = self.earliest_end();
        }
        // A caller with a small budget must get control back soon, however long a message takes.
        let felt = now + self.constants.latency.clamp(1, LONGEST_WINDOW);
        if now < self.earliest_end {
            felt.min(self.earliest_end)
                .min(self.unseen_until().saturating_add(1))
        } else {
            now + 1
        }
    }

    /// Returns the same cluster, which now handles every event by itself. This takes longer and
    /// changes nothing else.
    #[must_use]
    pub fn event_by_event(mut self) -> Self {
        self.forwards = false;
        self
    }

    /// Returns the constants of the cluster.
    pub const fn constants(&self) -> &Constants {
        &self.constants
    }

    /// Returns the time from sending a message to its arrival.
    pub const fn latency(&self) -> i64 {
        self.constants.latency
    }

    /// True if the cluster has jobs.
    pub fn is_busy(&self) -> bool {
        self.jobs.iter().any(|job| job.is_here)
    }

    /// Returns the jobs that ended since the last call, each with its end.
    pub fn take_ended(&mut self) -> Vec<(i64, JobId)> {
        std::mem::take(&mut self.ended)
    }

    /// Returns the changes of classes since the last call.
    pub fn take_reclassified(&mut self) -> Vec<Reclassified> {
        std::mem::take(&mut self.notes)
    }

    /// Returns the number of events so far.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Returns, for each process of a job, its computing time so far and the number of its
    /// iterations.
    pub fn computed_by(&self, id: JobId) -> Vec<(i64, u64)> {
        let job = self.jobs.iter().find(|job| job.is_here && job.id == id);
        let processes = job
            .into_iter()
            .flat_map(|job| job.seats.iter())
            .map(|seat| &self.processes[*seat as usize]);
        processes
            .map(|process| {
                (
                    process.computed_before + process.record.computing,
                    process.iterations,
                )
            })
            .collect()
    }

    /// Returns the rows that have jobs, as bits, the row whose turn it is, and the end of the turn.
    /// Returns `None` if no row has a turn.
    pub fn turn_of(&self) -> Option<(u64, u32, i64)> {
        let bit = |(row, jobs): (usize, &u32)| u64::from(*jobs > 0) << row;
        (self.turn_ends != NEVER).then(|| {
            (
                self.in_row.iter().enumerate().map(bit).sum(),
                self.row,
                self.turn_ends,
            )
        })
    }

    /// Returns the instant that the cluster has reached.
    pub const fn now(&self) -> i64 {
        self.now
    }

    /// Starts a job at `now`.
    #[inline(never)]
    pub fn start(&mut self, arrival: &Arrival<'_>, now: i64) {
        self.now = now;
        self.earliest_end = i64::MIN;
        let size = arrival.columns.len() as u32;
        let neighbours = neighbours(arrival.shape.pattern, size);
        let degree = match arrival.shape.pattern {
            Pattern::Barrier => u8::from(size > 1),
            _ => (neighbours.len() / arrival.columns.len().max(1)) as u8,
        };
        self.make_room(arrival.row as usize + 1);
        let rows = self.rows as u32;
        let seat = |column: &u32| column * rows + arrival.row;
        let seats: Arc<[u32]> = arrival.columns.iter().map(seat).collect();
        let place = self
            .jobs
            .iter()
            .position(|job| !job.is_here)
            .unwrap_or(self.jobs.len());
        let job = Job {
            id: arrival.id,
            is_here: true,
            row: arrival.row,
            left: size,
            iterations: arrival.iterations,
            shape: Arc::clone(&arrival.shape),
            sends_to: neighbours
                .iter()
                .map(|rank| seats[*rank as usize])
                .collect(),
            seats,
            neighbours: neighbours.into(),
            degree,
            measure: if self.constants.algorithm == Algorithm::Flexible {
                self.constants.measure
            } else {
                0
            },
            came: [0; 2],
            latest: [i64::MIN; 2],
        };
        if self.in_row.iter().all(|jobs| *jobs == 0)
            && matches!(
                self.constants.algorithm,
                Algorithm::Gang | Algorithm::Flexible
            )
        {
            (self.row, self.turn_ends) = (arrival.row, now + self.constants.thresholds.slice);
        }
        self.in_row[arrival.row as usize] += 1;
        for (rank, column) in arrival.columns.iter().enumerate() {
            let fresh = self.constants.local.fresh();
            let mut lane = self.lane(*column as usize);
            lane.halt(now);
            let compute = arrival.shape.compute_of(rank as u32);
            lane.processes[arrival.row as usize] = Process {
                job: place as u32,
                rank: rank as u32,
                pe: *column,
                phase: Phase::Compute,
                compute,
                work: job.work_of(rank as u32, compute, 0),
                scheduled: fresh,
                left_at: lane.pe.worked,
                ..Process::none()
            };
        }
        if place == self.jobs.len() {
            self.jobs.push(job);
        } else {
            self.jobs[place] = job;
        }
        for column in arrival.columns {
            let process = &self.processes[seat(column) as usize];
            if process.work == 0 && degree == 0 {
                self.finish(*column as usize, arrival.row as usize, now);
            }
            self.settle(*column as usize, now, 0);
        }
    }

    /// Lays the processes out with at least this number of rows.
    fn make_room(&mut self, rows: usize) {
        let before = self.rows;
        if rows <= before {
            return;
        }
        self.rows = rows;
        let mut old = std::mem::take(&mut self.processes).into_iter();
        for _ in 0..self.pes.len() {
            self.processes.extend(old.by_ref().take(before));
            self.processes
                .extend((before..rows).map(|_| Process::none()));
        }
        for job in &mut self.jobs {
            let moved = |seat: &u32| seat / before as u32 * rows as u32 + seat % before as u32;
            job.seats = job.seats.iter().map(moved).collect();
            job.sends_to = job.sends_to.iter().map(moved).collect();
        }
    }

    /// Returns a processor with its processes.
    fn lane(&mut self, pe: usize) -> Lane<'_> {
        let processes = &mut self.processes[pe * self.rows..(pe + 1) * self.rows];
        Lane {
            pe: &mut self.pes[pe],
            processes,
            constants: &self.constants,
            row: self.row,
        }
    }

    /// Updates the clock of a processor on which something may have changed.
    fn set_clock(&mut self, pe: usize) {
        self.clocks.set(pe, self.pes[pe].next());
        self.look();
    }

    /// Handles all events on a processor before `before`.
    fn happen(&mut self, pe: usize, before: i64) {
        let mut now = self.clocks.at(pe);
        while now < before {
            self.events += 1;
            let mut lane = self.lane(pe);
            let Pe {
                due,
                wake,
                expires,
                begin,
                ..
            } = *lane.pe;
            if due == now {
                if begin == NEVER {
                    lane.block(now);
                } else if let Some(job) = self.computed(pe, now) {
                    self.forward(job);
                }
            } else if wake == now {
                lane.wake(now);
            } else if expires == now {
                lane.expire(now);
            } else {
                lane.disturb(now);
                self.compute_through_noise(pe);
            }
            now = self.pes[pe].next();
            self.look();
        }
        self.clocks.set(pe, now);
    }
}

/// Returns the instant at which a daemon first comes to a processor.
pub const fn first_daemon(period: i64, processor: u32, seed: u64) -> i64 {
    if period > 0 {
        (mixed(seed, processor as u64) % period as u64) as i64
    } else {
        NEVER
    }
}

/// Returns a number that looks random but depends only on `seed` and `index`.
const fn mixed(seed: u64, index: u64) -> u64 {
    // SplitMix64's finisher (Steele, Lea and Flood 2014) of a Weyl sequence.
    let mut z = seed
        .wrapping_mul(0xd134_2543_de82_ef95)
        .wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
