//! A cluster of processors, each of which runs one process at a time of those that share it, event
//! by event.
//!
//! A process computes, sends a message to each of those it communicates with, and waits for theirs:
//! it spins, or blocks and lets another process run. Everything is in whole microseconds. A
//! processor has one next event, kept among the clocks of all processors: the process that runs
//! finishes its computing or gives up spinning, somebody who blocked gets his messages, the local
//! scheduler's time is up, or a daemon comes. Messages themselves are no events: who sends one
//! tells its receiver when he will have them all, and that may change when the receiver's processor
//! has its next event; if he has blocked and will not take the place of who runs, it changes
//! nothing until somebody else is to run.
//!
//! Events are not taken in one order of time. Within a latency no processor feels what another
//! does, so that each does by itself what it does until then; what comes out is the same.

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
        /// A process never blocks.
        Batch = "batch": "none: a processor has one process until its job ends",
        Gang = "gang": "rows take turns; a process that waits for messages spins (GS)",
        SpinBlock = "spin_block": "every processor for itself; a process that waits spins for a \
            while, then blocks (SB)",
        /// A processor whose process of the row is not of class CS decides for itself.
        Flexible = "flexible": "rows take turns for processes that need it; others fill the gaps \
            (FCS)",
    }
}

words! {
    /// The slots in which a process of class F runs before others, whatever the local scheduler
    /// says.
    pub enum FFirst {
        /// In its own slot a process of class F preempts no process that communicates.
        Gently = "gently": "in its own slot it is chosen first; in every slot, those that do not \
            communicate make way",
        EverySlot = "every_slot": "in its own slot all make way, in others those that do not \
            communicate",
        OwnSlot = "own_slot": "in its own slot all make way (Algorithm 1 to the letter)",
    }
}

/// The constants of a cluster; times in microseconds.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Constants {
    /// What decides which process runs.
    pub algorithm: Algorithm,
    /// How a processor decides for itself.
    pub local: LocalRule,
    /// From sending a message to its being there.
    pub latency: i64,
    /// How long a process spins before it blocks.
    pub spin: i64,
    /// What changing from one process to another costs.
    pub switch: i64,
    /// What every processor loses when rows change turns: its node's daemon decides what runs now.
    pub turn: i64,
    /// What a process needs at most to fill the cache again after others ran.
    pub reload: i64,
    /// How much of the cache others displaced, as a share of the time they ran, in thousandths: it
    /// costs no more than `reload`.
    pub displaced: i64,
    /// What measuring a communication costs, where classes are kept.
    pub measure: i64,
    /// When processes of class F go before others.
    pub f_first: FFirst,
    /// A daemon of the system comes to each processor so often; never if 0.
    pub noise_period: i64,
    /// And takes so long.
    pub noise_length: i64,
    /// When processes are of which class.
    pub thresholds: Thresholds,
}

/// A job.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) id: JobId,
    /// Whether it has started and is not forgotten.
    is_here: bool,
    row: u32,
    /// Where its processes are.
    seats: Arc<[u32]>,
    left: u32,
    iterations: u64,
    shape: Arc<Shape>,
    /// Whom each process sends to, in a row, and where they are; empty at a barrier.
    neighbours: Arc<[u32]>,
    sends_to: Arc<[u32]>,
    degree: u8,
    /// What measuring costs it in each iteration.
    measure: i64,
    /// Who has come to the barrier of an even or an odd iteration, and when the last one did.
    came: [u32; 2],
    latest: [i64; 2],
}

/// Something that observers may want to know.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reclassified {
    /// When, in microseconds.
    pub at: i64,
    /// Whose process.
    pub job: JobId,
    /// Which.
    pub rank: u32,
    /// Its class from then on.
    pub class: Class,
}

/// So many microseconds are handled processor by processor at most.
const LONGEST_WINDOW: i64 = 1_000;

/// Processors and the processes on them.
#[derive(Clone)]
pub struct Cluster {
    constants: Constants,
    /// Processes of each processor, row by row: all of the first processor come first. So many rows
    /// as jobs needed so far.
    processes: Vec<Process>,
    rows: usize,
    jobs: Vec<Job>,
    pes: Vec<Pe>,
    clocks: Clocks,
    /// The row whose turn it is, and when that ends.
    row: u32,
    turn_ends: i64,
    /// Jobs in each row.
    in_row: Vec<u32>,
    now: i64,
    /// Until when it is asked to run.
    until: i64,
    /// No job ends before this.
    earliest_end: i64,
    /// Whether iterations in which nothing comes in between are computed in one step.
    forwards: bool,
    scratch: forward::Scratch,
    /// Work of those steps, in events.
    forwarded: u64,
    probed: Option<Box<Probed>>,
    pub(super) ended: Vec<(i64, JobId)>,
    pub(super) notes: Vec<Reclassified>,
    events: u64,
}

/// A job that starts on a cluster.
pub struct Arrival<'a> {
    /// Which.
    pub id: JobId,
    /// Its row.
    pub row: u32,
    /// Its processors, in the order of its processes.
    pub columns: &'a [u32],
    /// What its processes do.
    pub shape: Arc<Shape>,
    /// How often; without communication, in a single iteration of so many.
    pub iterations: u64,
}

impl Cluster {
    /// So many idle processors, which so many rows share.
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
            preferred: 0,
            favoured: 0,
            modest: 0,
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

    /// Lets everything happen until a job has ended, or nothing is left to happen until `until`.
    /// Whether it came there with about so many events.
    ///
    /// What a processor does is felt by others when a message is there at the earliest: until then
    /// after the first event that is left, every processor can do everything that it does by
    /// itself, one after the other; but not beyond the end of a turn or of a job. Meanwhile it is
    /// the time of that first event for all that asks.
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
            // What a processor does at the end of a turn still belongs to it.
            if at <= self.turn_ends {
                let (slot, end) = self.clocks.next_slot();
                let before = self
                    .alone_until(at)
                    .min(self.turn_ends.min(until).saturating_add(1))
                    .min(end);
                for word in 0..self.clocks.words() {
                    for place in self.clocks.take(slot, word) {
                        self.happen(word * WORD + place, before);
                    }
                }
                self.clocks.pass(slot);
                self.now = before - 1;
            } else {
                self.events += 1;
                self.turn(next);
            }
        }
    }

    /// When something happens next, or a time that is not later but later than what happened, if it
    /// need not be known exactly.
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

    /// Whether everything is to happen in its order.
    fn is_at_once(&self) -> bool {
        !self.forwards || self.is_seen()
    }

    /// Before when nothing that happens from now on is felt by another processor or to be seen, and
    /// no job ends but now.
    fn alone_until(&mut self, now: i64) -> i64 {
        if self.is_at_once() {
            return now + 1;
        }
        // It takes a while to look when a job may end: not again at once.
        if now >= self.earliest_end.saturating_add(self.constants.latency) {
            self.earliest_end = self.earliest_end();
        }
        // Whoever asks for a little work gets the processor back soon, however long a message
        // takes.
        let felt = now + self.constants.latency.clamp(1, LONGEST_WINDOW);
        if now < self.earliest_end {
            felt.min(self.earliest_end)
                .min(self.unseen_until().saturating_add(1))
        } else {
            now + 1
        }
    }

    /// The same, but every event by itself: it takes longer, and nothing else is different.
    #[must_use]
    pub fn event_by_event(mut self) -> Self {
        self.forwards = false;
        self
    }

    /// Its constants.
    pub const fn constants(&self) -> &Constants {
        &self.constants
    }

    /// From sending a message to its being there.
    pub const fn latency(&self) -> i64 {
        self.constants.latency
    }

    /// Whether it has jobs.
    pub fn is_busy(&self) -> bool {
        self.jobs.iter().any(|job| job.is_here)
    }

    /// Jobs that ended since this was last asked, and when.
    pub fn take_ended(&mut self) -> Vec<(i64, JobId)> {
        std::mem::take(&mut self.ended)
    }

    /// What happened to classes since this was last asked.
    pub fn take_reclassified(&mut self) -> Vec<Reclassified> {
        std::mem::take(&mut self.notes)
    }

    /// Events so far.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Time that each process of a job has computed, and how many iterations.
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

    /// Rows that have jobs, as bits, whose turn it is and until when; none where rows do not take
    /// turns.
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

    /// How far it is.
    pub const fn now(&self) -> i64 {
        self.now
    }

    /// A job starts.
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

    /// Lays the processes out with at least so many rows.
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

    /// A processor and its processes.
    fn lane(&mut self, pe: usize) -> Lane<'_> {
        let processes = &mut self.processes[pe * self.rows..(pe + 1) * self.rows];
        Lane {
            pe: &mut self.pes[pe],
            processes,
            constants: &self.constants,
            row: self.row,
        }
    }

    /// Something has changed on a processor.
    fn set_clock(&mut self, pe: usize) {
        self.clocks.set(pe, self.pes[pe].next());
        self.look();
    }

    /// What happens on a processor before then.
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

/// When a daemon comes to a processor for the first time.
pub const fn first_daemon(period: i64, processor: u32, seed: u64) -> i64 {
    if period > 0 {
        (mixed(seed, processor as u64) % period as u64) as i64
    } else {
        NEVER
    }
}

/// A number that looks drawn, the same for the same two.
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
