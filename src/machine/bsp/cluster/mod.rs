//! A cluster of processors, each of which runs one process at a time of those that share it, event by event.
//!
//! A process computes, sends a message to each of those it communicates with, and waits for theirs: it spins, or blocks and
//! lets another process run. Everything is in whole microseconds. A processor has one next event, kept among the clocks of all
//! processors: the process that runs finishes its computing or gives up spinning, somebody who blocked gets his messages, the
//! local scheduler's time is up, or a daemon comes. Messages themselves are no events: who sends one tells its receiver when
//! he will have them all, and that may change when the receiver's processor has its next event.

mod forward;
mod probe;

pub use probe::{Activity, Probe, Probed, Stretch};

use crate::job::{JobId, Pattern, Shape};
use crate::machine::bsp::class::{Class, Record, Thresholds};
use crate::machine::bsp::clocks::{Clocks, NEVER};
use crate::machine::bsp::local::{Choice, LocalRule, Scheduled};
use std::sync::Arc;

/// What decides which process runs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// A processor has one process; it never blocks.
    Batch,
    /// Rows take turns; who waits spins.
    Gang,
    /// Each processor decides for itself; who waits spins for a while, then blocks.
    SpinBlock,
    /// Rows take turns, but a processor whose process of the row is not of class CS decides for itself.
    Flexible,
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
    /// How much of the cache others displaced, as a share of the time they ran, in thousandths: it costs no more than `reload`.
    pub displaced: i64,
    /// What measuring a communication costs, where classes are kept.
    pub measure: i64,
    /// Whether processes of class F go before those of class DC in other slots than their own, too.
    pub favours_f: bool,
    /// A daemon of the system comes to each processor so often; never if 0.
    pub noise_period: i64,
    /// And takes so long.
    pub noise_length: i64,
    /// When processes are of which class.
    pub thresholds: Thresholds,
}

/// Nobody.
const NONE: u32 = u32::MAX;

/// A process sends to so many others at most, but for a barrier.
const MOST_NEIGHBOURS: usize = 4;

/// What a process is about to do.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// It computes.
    Compute,
    /// It waits for messages: it spins while it runs.
    Wait,
    /// It waits and does not want to run before they are there.
    Blocked,
    /// It has ended, or there is none.
    Done,
}

/// A process. What a message changes stands in the first 64 bytes, what is taken down when it stops in the next: so much comes
/// from memory at once, and thousands of processes do not fit the nearest memory.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Process {
    /// Messages that arrived for even and for odd iterations, and when the last of them did.
    got: [u32; 2],
    latest: [i64; 2],
    /// When all messages that it waits for are there, once that is known.
    ready: i64,
    /// Iterations computed.
    iterations: u64,
    /// What is left of the computing of this iteration.
    work: i64,
    /// Since when it waits; it is moved by the time for which the process is suspended.
    wait_since: i64,
    pe: u32,
    phase: Phase,
    /// Whether it may run in this turn.
    is_allowed: bool,
    /// What its classification knows.
    record: Record,
    /// What the local scheduler knows of it.
    scheduled: Scheduled,
    /// Time that its processor had worked for others and itself when it was last taken off it.
    left_at: i64,
    /// Time that it computed.
    computed: i64,
    job: u32,
    rank: u32,
    row: u32,
    /// Computing of an iteration, without jitter.
    compute: i64,
    suspended_at: i64,
}

/// Who shares a processor, and what happens on it next: the first 64 bytes say what.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Pe {
    /// When its computing begins, where that is known; it began if this is past.
    begin: i64,
    /// When it has computed, or gives up spinning.
    due: i64,
    /// When somebody who blocked has his messages, and when others are to be let on.
    wake: i64,
    expires: i64,
    noise: i64,
    /// From when on the process that runs gets on.
    from: i64,
    /// The process that runs.
    running: u32,
    /// The process that ran last.
    last: u32,
    /// The process that goes before all others.
    preferred: u32,
    /// Only the process of this turn may run, and it spins.
    exclusive: bool,
    /// When the process that runs was given the processor.
    since: i64,
    /// Processes that may run on it now or when they have their messages.
    rivals: usize,
    /// Time that processes computed here.
    worked: i64,
}

/// A job.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) id: JobId,
    /// Whether it has started and is not forgotten.
    is_here: bool,
    row: u32,
    first: u32,
    size: u32,
    left: u32,
    iterations: u64,
    shape: Arc<Shape>,
    /// Whom each process sends to, in a row; empty at a barrier.
    neighbours: Arc<[u32]>,
    degree: u32,
    /// Who has come to the barrier of an even or an odd iteration, and when the last one did.
    came: [u32; 2],
    latest: [i64; 2],
}

/// Something that observers may want to know.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// When, in microseconds.
    pub at: i64,
    /// Whose process.
    pub job: JobId,
    /// Which.
    pub rank: u32,
    /// Its class from then on.
    pub class: Class,
}

/// Processors and the processes on them.
#[derive(Clone)]
pub struct Cluster {
    constants: Constants,
    processes: Vec<Process>,
    /// Places of processes of jobs that have ended: how many, and the first.
    idle: Vec<(u32, u32)>,
    jobs: Vec<Job>,
    /// Processes of each processor, row by row: all of the first processor come first.
    seats: Vec<u32>,
    rows: usize,
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
    pub(super) notes: Vec<Note>,
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
            running: NONE,
            last: NONE,
            exclusive: false,
            preferred: NONE,
            rivals: 0,
            since: 0,
            from: 0,
            begin: NEVER,
            due: NEVER,
            wake: NEVER,
            expires: NEVER,
            noise: first_daemon(constants.noise_period, number, seed),
            worked: 0,
        };
        let mut cluster = Self {
            processes: Vec::new(),
            idle: Vec::new(),
            jobs: Vec::new(),
            seats: vec![NONE; processors as usize * rows as usize],
            rows: rows as usize,
            pes: (0..processors).map(pe).collect(),
            clocks: Clocks::new(processors as usize),
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
        };
        (0..processors as usize).for_each(|pe| cluster.set_clock(pe));
        cluster
    }

    /// Lets everything happen until a job has ended, or nothing is left to happen until `until`. Whether it came there with at
    /// most so many events.
    pub fn run(&mut self, until: i64, budget: u64) -> bool {
        let last = (self.events + self.forwarded).saturating_add(budget);
        self.until = until;
        loop {
            let (pe, at) = self.clocks.first();
            let next = at.min(self.turn_ends);
            if self.ended.first().is_some_and(|(end, _)| *end < next) || next > until || next == NEVER {
                return true;
            }
            if self.events + self.forwarded >= last {
                return false;
            }
            self.events += 1;
            self.now = next;
            // What a processor does at the end of a turn still belongs to it.
            if at <= self.turn_ends {
                self.happen(pe, at);
            } else {
                self.turn(next);
            }
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
    pub fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// Events so far.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Time that each process of a job has computed, and how many iterations.
    pub fn computed_by(&self, id: JobId) -> Vec<(i64, u64)> {
        let job = self.jobs.iter().find(|job| job.is_here && job.id == id);
        let processes = job.map_or(0..0, |job| job.first as usize..(job.first + job.size) as usize);
        self.processes[processes].iter().map(|process| (process.computed, process.iterations)).collect()
    }

    /// Rows that have jobs, as bits, whose turn it is and until when; none where rows do not take turns.
    pub fn turn_of(&self) -> Option<(u64, u32, i64)> {
        let bit = |(row, jobs): (usize, &u32)| u64::from(*jobs > 0) << row;
        (self.turn_ends != NEVER).then(|| (self.in_row.iter().enumerate().map(bit).sum(), self.row, self.turn_ends))
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
            Pattern::Barrier => u32::from(size > 1),
            _ => neighbours.len() as u32 / size.max(1),
        };
        let first = self.take_idle(size).unwrap_or_else(|| {
            self.processes.resize(self.processes.len() + size as usize, Process::none());
            self.processes.len() as u32 - size
        });
        let place = self.jobs.iter().position(|job| !job.is_here).unwrap_or(self.jobs.len());
        let job = Job {
            id: arrival.id,
            is_here: true,
            row: arrival.row,
            first,
            size,
            left: size,
            iterations: arrival.iterations,
            shape: Arc::clone(&arrival.shape),
            neighbours: neighbours.into(),
            degree,
            came: [0; 2],
            latest: [i64::MIN; 2],
        };
        if place == self.jobs.len() {
            self.jobs.push(job);
        } else {
            self.jobs[place] = job;
        }
        if self.in_row.iter().all(|jobs| *jobs == 0) && matches!(self.constants.algorithm, Algorithm::Gang | Algorithm::Flexible) {
            (self.row, self.turn_ends) = (arrival.row, now + self.constants.thresholds.slice);
        }
        self.in_row[arrival.row as usize] += 1;
        for (rank, column) in arrival.columns.iter().enumerate() {
            let process = first + rank as u32;
            self.halt(*column as usize, now);
            self.processes[process as usize] = Process {
                job: place as u32,
                rank: rank as u32,
                pe: *column,
                row: arrival.row,
                phase: Phase::Compute,
                compute: arrival.shape.compute_of(rank as u32),
                scheduled: self.constants.local.fresh(),
                left_at: self.pes[*column as usize].worked,
                ..Process::none()
            };
            self.processes[process as usize].work = self.work_of(process);
            *self.seat(arrival.row, *column as usize) = process;
        }
        for (rank, column) in arrival.columns.iter().enumerate() {
            if self.processes[first as usize + rank].work == 0 && self.jobs[place].degree == 0 {
                self.finish(first + rank as u32, now);
            }
            self.settle(*column as usize, now, 0);
        }
    }

    /// A place for so many processes that a job has left, if there is one.
    fn take_idle(&mut self, size: u32) -> Option<u32> {
        let at = self.idle.iter().rposition(|(places, _)| *places == size)?;
        Some(self.idle.swap_remove(at).1)
    }

    /// The processes of a processor, one for each row.
    fn seats(&self, pe: usize) -> &[u32] {
        &self.seats[pe * self.rows..(pe + 1) * self.rows]
    }

    fn seat(&mut self, row: u32, pe: usize) -> &mut u32 {
        &mut self.seats[pe * self.rows + row as usize]
    }

    fn job(&self, process: u32) -> &Job {
        &self.jobs[self.processes[process as usize].job as usize]
    }

    /// Computing of the iteration that comes next.
    #[inline(never)]
    fn work_of(&self, process: u32) -> i64 {
        self.work_of_iteration(process, self.processes[process as usize].iterations)
    }

    fn work_of_iteration(&self, process: u32, iterations: u64) -> i64 {
        let Process { rank, compute, .. } = self.processes[process as usize];
        let job = self.job(process);
        let shape = &job.shape;
        if job.degree == 0 {
            return compute * job.iterations as i64;
        }
        let drawn = if shape.jitter == 0 {
            compute
        } else {
            // Uniform in -jitter..=jitter millionths.
            let by = (mixed(shape.seed, u64::from(rank) << 40 | iterations) % (2 * shape.jitter as u64 + 1)) as i64 - shape.jitter;
            compute + compute * by / 1_000_000
        };
        drawn + if self.constants.algorithm == Algorithm::Flexible { self.constants.measure } else { 0 }
    }

    fn set_clock(&mut self, pe: usize) {
        self.look(pe);
        let Pe { due, wake, expires, noise, running, .. } = self.pes[pe];
        // A daemon on an idle processor disturbs nobody.
        let noise = if running == NONE { NEVER } else { noise };
        self.clocks.set(pe, due.min(wake).min(expires).min(noise));
    }

    /// The next event of a processor.
    fn happen(&mut self, pe: usize, now: i64) {
        let Pe { due, wake, expires, begin, .. } = self.pes[pe];
        if due == now {
            if begin == NEVER {
                self.block(pe, now);
            } else {
                let process = self.pes[pe].running as usize;
                self.computed(pe, now);
                if self.processes[process].rank == 0 && self.processes[process].phase == Phase::Wait {
                    self.forward(self.processes[process].job);
                }
            }
        } else if wake == now {
            self.wake(pe, now);
        } else if expires == now {
            self.expire(pe, now);
        } else {
            self.pes[pe].noise += self.constants.noise_period;
            self.pause(pe, now, self.constants.noise_length);
            self.compute_through_noise(pe);
        }
        self.set_clock(pe);
    }

    /// Whether a process may run on its processor in this turn.
    fn is_allowed(&self, pe: &Pe, process: u32) -> bool {
        match self.constants.algorithm {
            Algorithm::Batch | Algorithm::SpinBlock => true,
            Algorithm::Gang => self.processes[process as usize].row == self.row,
            Algorithm::Flexible if pe.exclusive => self.processes[process as usize].row == self.row,
            Algorithm::Flexible => self.processes[process as usize].record.class != Class::CS,
        }
    }

    /// Whether who waits on this processor spins until his messages are there.
    fn polls(&self, pe: &Pe) -> bool {
        pe.exclusive || matches!(self.constants.algorithm, Algorithm::Batch | Algorithm::Gang)
    }

    /// Takes down what the running process has done until now.
    fn halt(&mut self, pe: usize, now: i64) {
        let Pe { running, begin, exclusive, since, .. } = self.pes[pe];
        if running == NONE {
            return;
        }
        let process = &mut self.processes[running as usize];
        if now >= begin {
            if process.phase == Phase::Wait {
                process.record.waiting += begin - process.wait_since;
                process.record.communications += 1;
                process.phase = Phase::Compute;
            }
            let done = now - begin;
            process.work -= done;
            process.computed += done;
            process.record.computing += done;
            self.pes[pe].worked += done;
            self.pes[pe].begin = now;
        }
        if !exclusive {
            process.scheduled.left -= now - since;
        }
        self.pes[pe].since = now;
        self.pes[pe].from = self.pes[pe].from.max(now);
    }

    /// Says what the running process does next, from `from` on.
    fn resume(&mut self, pe: usize) {
        let Pe { running, from, exclusive, since, .. } = self.pes[pe];
        let process = &self.processes[running as usize];
        let deadline = if self.polls(&self.pes[pe]) { NEVER } else { from + self.constants.spin };
        let ready = if process.phase == Phase::Compute { from } else { process.ready };
        let (begin, due) =
            if ready == NEVER || ready > deadline { (NEVER, deadline) } else { (from.max(ready), from.max(ready) + process.work) };
        let is_local = matches!(self.constants.algorithm, Algorithm::SpinBlock | Algorithm::Flexible) && !exclusive;
        let expires = if is_local && self.pes[pe].rivals > 1 { since + process.scheduled.left.max(0) } else { NEVER };
        let pe = &mut self.pes[pe];
        (pe.begin, pe.due, pe.expires) = (begin, due, expires);
    }

    /// Counts the processes that may run on a processor now or when they have their messages.
    fn count_rivals(&mut self, pe: usize) {
        let is_rival = |process: &&u32| {
            **process != NONE && {
                let process = &self.processes[**process as usize];
                process.phase != Phase::Done && process.is_allowed
            }
        };
        self.pes[pe].rivals = self.seats(pe).iter().filter(is_rival).count();
    }

    /// Nothing gets on for so long.
    #[inline(never)]
    fn pause(&mut self, pe: usize, now: i64, length: i64) {
        if self.pes[pe].running != NONE {
            self.halt(pe, now);
            self.pes[pe].from += length;
            self.resume(pe);
        }
    }

    /// Takes the running process off.
    #[inline(never)]
    fn take_off(&mut self, pe: usize, now: i64) {
        self.halt(pe, now);
        let running = std::mem::replace(&mut self.pes[pe].running, NONE);
        if running != NONE {
            self.processes[running as usize].left_at = self.pes[pe].worked;
        }
        let pe = &mut self.pes[pe];
        (pe.begin, pe.due, pe.expires) = (NEVER, NEVER, NEVER);
    }

    /// Gives the processor to a process.
    #[inline(never)]
    fn give(&mut self, pe: usize, process: u32, now: i64) {
        let Pe { last, worked, .. } = self.pes[pe];
        let given = &mut self.processes[process as usize];
        if given.phase == Phase::Blocked {
            given.phase = Phase::Wait;
        }
        if self.constants.local.renews_at_start() {
            given.scheduled = self.constants.local.fresh();
        }
        let mut cost = 0;
        if last != process && last != NONE {
            cost = self.constants.switch + ((worked - given.left_at) * self.constants.displaced / 1000).min(self.constants.reload);
        }
        let period = self.constants.noise_period;
        let pe_now = &mut self.pes[pe];
        // Nobody noticed the daemons that came while it was idle.
        if pe_now.noise < now {
            pe_now.noise += (now - pe_now.noise + period - 1) / period * period;
        }
        (pe_now.running, pe_now.last, pe_now.since, pe_now.from) = (process, process, now, now + cost);
        self.resume(pe);
    }

    /// Lets on whoever is to run, on a processor on which nobody does.
    #[inline(never)]
    fn choose(&mut self, pe: usize, now: i64) {
        let Pe { last, exclusive, .. } = self.pes[pe];
        if exclusive || self.constants.algorithm == Algorithm::Gang {
            let own = self.seats(pe)[self.row as usize];
            if own != NONE && self.processes[own as usize].phase != Phase::Done {
                self.give(pe, own, now);
            }
            return;
        }
        let rows = self.rows;
        loop {
            // The candidates of the highest rank.
            let (mut candidates, mut highest, mut place_of_last) = (0_u64, 0, 0);
            for place in (0..rows).rev() {
                let process = self.seats(pe)[place];
                if process == last {
                    place_of_last = place;
                }
                if process == NONE || !self.processes[process as usize].is_allowed || !self.could_run(process, now) {
                    continue;
                }
                let rank = self.rank(pe, process);
                if rank > highest {
                    (candidates, highest) = (0, rank);
                }
                candidates |= u64::from(rank == highest) << place;
            }
            let of_place = |place: usize| self.processes[self.seats(pe)[place] as usize].scheduled;
            let candidates = (0..rows).filter(|place| candidates >> place & 1 == 1).map(|place| (place, of_place(place)));
            match self.constants.local.choose(candidates, place_of_last) {
                Choice::Nobody => return,
                Choice::Run(place) => return self.give(pe, self.seats(pe)[place], now),
                Choice::Renew => {
                    for process in &self.seats[pe * rows..(pe + 1) * rows] {
                        if *process != NONE {
                            let scheduled = &mut self.processes[*process as usize].scheduled;
                            *scheduled = self.constants.local.renewed(*scheduled);
                        }
                    }
                }
            }
        }
    }

    /// Who goes before others, whatever the local scheduler says: a process of class F in its own slot before all, and as a
    /// choice one of class F before those of class DC.
    fn rank(&self, pe: usize, process: u32) -> u8 {
        let is_f = self.constants.algorithm == Algorithm::Flexible && self.processes[process as usize].record.class == Class::F;
        match is_f {
            true if self.pes[pe].preferred == process => 2,
            true if self.constants.favours_f => 1,
            _ => 0,
        }
    }

    fn could_run(&self, process: u32, now: i64) -> bool {
        let Process { phase, ready, .. } = self.processes[process as usize];
        match phase {
            Phase::Compute | Phase::Wait => true,
            Phase::Blocked => ready <= now,
            Phase::Done => false,
        }
    }

    /// The running process has spun for long enough.
    fn block(&mut self, pe: usize, now: i64) {
        let running = self.pes[pe].running;
        self.take_off(pe, now);
        self.processes[running as usize].phase = Phase::Blocked;
        self.pes[pe].wake = self.pes[pe].wake.min(self.processes[running as usize].ready);
        self.choose(pe, now);
    }

    /// Somebody who blocked has his messages.
    #[inline(never)]
    fn wake(&mut self, pe: usize, now: i64) {
        let mut next = NEVER;
        for row in 0..self.rows {
            let process = self.seats(pe)[row];
            if process == NONE || self.processes[process as usize].phase != Phase::Blocked || !self.processes[process as usize].is_allowed {
                continue;
            }
            if self.processes[process as usize].ready > now {
                next = next.min(self.processes[process as usize].ready);
                continue;
            }
            self.processes[process as usize].phase = Phase::Wait;
            let running = self.pes[pe].running;
            if running == NONE {
                self.choose(pe, now);
                continue;
            }
            self.halt(pe, now);
            let woken = self.processes[process as usize].scheduled;
            let (own, other) = (self.rank(pe, process), self.rank(pe, running));
            if own > other || own == other && self.constants.local.preempts(woken, self.processes[running as usize].scheduled) {
                self.take_off(pe, now);
                self.give(pe, process, now);
            } else {
                self.resume_as_before(pe);
            }
        }
        self.pes[pe].wake = next;
    }

    /// The running process goes on with what it did: if it spins, it has spun before.
    fn resume_as_before(&mut self, pe: usize) {
        let Pe { begin, due, .. } = self.pes[pe];
        self.resume(pe);
        if begin == NEVER {
            (self.pes[pe].begin, self.pes[pe].due) = (begin, due);
        }
    }

    /// The running process has had its time.
    #[inline(never)]
    fn expire(&mut self, pe: usize, now: i64) {
        let running = self.pes[pe].running;
        self.halt(pe, now);
        let (begin, due, from, last) = (self.pes[pe].begin, self.pes[pe].due, self.pes[pe].from, self.pes[pe].last);
        let left_at = self.processes[running as usize].left_at;
        self.take_off(pe, now);
        self.choose(pe, now);
        if self.pes[pe].running == running {
            // It goes on: nothing was switched.
            self.processes[running as usize].left_at = left_at;
            (self.pes[pe].from, self.pes[pe].last) = (from, last);
            self.pes[pe].begin = begin;
            self.pes[pe].due = due;
            self.resume_as_before(pe);
        }
    }

    /// The running process has computed: it sends its messages, and waits for others.
    fn computed(&mut self, pe: usize, now: i64) {
        let running = self.pes[pe].running;
        self.halt(pe, now);
        self.processes[running as usize].iterations += 1;
        let (iterations, degree) = (self.processes[running as usize].iterations, self.job(running).degree);
        let parity = ((iterations - 1) & 1) as usize;
        if degree > 0 {
            self.send(running, parity, now);
        }
        if degree == 0 || iterations == self.job(running).iterations {
            self.finish(running, now);
            // The rest of a turn that was its own is for others.
            self.settle(pe, now, 0);
            return;
        }
        let work = self.work_of(running);
        let process = &mut self.processes[running as usize];
        (process.phase, process.work, process.wait_since, process.ready) = (Phase::Wait, work, now, NEVER);
        if process.got[parity] == degree {
            process.arrived(parity);
        }
        self.resume(pe);
    }

    /// A process sends its messages.
    #[inline(never)]
    fn send(&mut self, process: u32, parity: usize, now: i64) {
        let there = now + self.constants.latency;
        let Process { job, rank, .. } = self.processes[process as usize];
        let sender = &mut self.jobs[job as usize];
        let (first, size, degree) = (sender.first, sender.size, sender.degree);
        if sender.shape.pattern == Pattern::Barrier {
            sender.came[parity] += 1;
            sender.latest[parity] = sender.latest[parity].max(there);
            if sender.came[parity] < size {
                return;
            }
            let all = sender.latest[parity];
            (sender.came[parity], sender.latest[parity]) = (0, i64::MIN);
            (first..first + size).for_each(|other| self.receive(other, parity, all, degree));
            return;
        }
        let mut neighbours = [0; MOST_NEIGHBOURS];
        let from = (rank * degree) as usize;
        neighbours[..degree as usize].copy_from_slice(&sender.neighbours[from..from + degree as usize]);
        for neighbour in &neighbours[..degree as usize] {
            self.receive(first + neighbour, parity, there, degree);
        }
    }

    /// A message will be there.
    fn receive(&mut self, receiver: u32, parity: usize, there: i64, degree: u32) {
        let process = &mut self.processes[receiver as usize];
        process.got[parity] += 1;
        process.latest[parity] = process.latest[parity].max(there);
        let awaits = matches!(process.phase, Phase::Wait | Phase::Blocked) && (process.iterations.wrapping_sub(1) & 1) as usize == parity;
        if process.got[parity] < degree || !awaits {
            return;
        }
        process.arrived(parity);
        let (number, ready, phase, work) = (process.pe as usize, process.ready, process.phase, process.work);
        let allowed = process.is_allowed;
        let pe = &mut self.pes[number];
        if pe.running == receiver {
            if ready <= pe.due {
                pe.begin = pe.from.max(ready);
                pe.due = pe.begin + work;
                self.set_clock(number);
            }
        } else if phase == Phase::Blocked && allowed {
            pe.wake = pe.wake.min(ready);
            self.set_clock(number);
        }
    }

    /// A process has ended.
    #[inline(never)]
    fn finish(&mut self, process: u32, now: i64) {
        let Process { job, pe, .. } = self.processes[process as usize];
        self.processes[process as usize].phase = Phase::Done;
        self.count_rivals(pe as usize);
        if self.pes[pe as usize].running == process {
            self.take_off(pe as usize, now);
        }
        let own = &mut self.jobs[job as usize];
        own.left -= 1;
        if own.left == 0 {
            self.ended.push((now, own.id));
        }
    }

    /// Forgets a job that has ended; if its row is empty now, the next row's turn begins.
    #[inline(never)]
    pub fn forget(&mut self, id: JobId, now: i64) {
        let Some(job) = self.jobs.iter_mut().find(|job| job.is_here && job.id == id) else { return };
        job.is_here = false;
        let job = job.clone();
        for process in job.first..job.first + job.size {
            let pe = self.processes[process as usize].pe as usize;
            *self.seat(job.row, pe) = NONE;
            let pe = &mut self.pes[pe];
            if pe.last == process {
                pe.last = NONE;
            }
            if pe.preferred == process {
                pe.preferred = NONE;
            }
        }
        self.idle.push((job.size, job.first));
        self.in_row[job.row as usize] -= 1;
        if self.turn_ends == NEVER || self.in_row[self.row as usize] > 0 {
            return;
        }
        match self.row_after(self.row) {
            Some(row) => {
                (self.row, self.turn_ends) = (row, now + self.constants.thresholds.slice);
                (0..self.pes.len()).for_each(|pe| self.settle(pe, now, self.constants.turn));
            }
            None => self.turn_ends = NEVER,
        }
    }

    fn row_after(&self, row: u32) -> Option<u32> {
        let rows = self.in_row.len() as u32;
        (1..=rows).map(|by| (row + by) % rows).find(|row| self.in_row[*row as usize] > 0)
    }

    /// A turn has ended.
    #[inline(never)]
    fn turn(&mut self, now: i64) {
        let old = self.row;
        if self.constants.algorithm == Algorithm::Flexible {
            for pe in 0..self.pes.len() {
                let process = self.seats(pe)[old as usize];
                if process == NONE || self.processes[process as usize].phase == Phase::Done {
                    continue;
                }
                if self.pes[pe].running == process {
                    self.halt(pe, now);
                    self.resume_as_before(pe);
                }
                let id = self.job(process).id;
                let Process { rank, record, .. } = &mut self.processes[process as usize];
                if record.slot_ended(&self.constants.thresholds) {
                    self.notes.push(Note { at: now, job: id, rank: *rank, class: record.class });
                }
            }
        }
        self.turn_ends = now + self.constants.thresholds.slice;
        let Some(row) = self.row_after(old) else { return };
        self.row = row;
        if row == old && self.constants.algorithm == Algorithm::Gang {
            return;
        }
        let cost = if row == old { 0 } else { self.constants.turn };
        (0..self.pes.len()).for_each(|pe| self.settle(pe, now, cost));
    }

    /// Who runs on a processor now that it is another's turn, or somebody has come.
    #[inline(never)]
    fn settle(&mut self, pe: usize, now: i64, cost: i64) {
        let own = self.seats(pe)[self.row as usize];
        let own = if own != NONE && self.processes[own as usize].phase != Phase::Done { own } else { NONE };
        self.halt(pe, now);
        if self.constants.algorithm == Algorithm::Flexible {
            let class = (own != NONE).then(|| self.processes[own as usize].record.class);
            self.pes[pe].exclusive = class == Some(Class::CS);
            self.pes[pe].preferred = if class == Some(Class::F) { own } else { NONE };
        }
        let mut wake = NEVER;
        for place in 0..self.rows {
            let process = self.seats(pe)[place];
            if process == NONE {
                continue;
            }
            let allowed = self.is_allowed(&self.pes[pe], process);
            let process = &mut self.processes[process as usize];
            let before = std::mem::replace(&mut process.is_allowed, allowed);
            // What a process does not wait by itself is no waiting.
            if before && !allowed {
                process.suspended_at = now;
            } else if !before && allowed && matches!(process.phase, Phase::Wait | Phase::Blocked) {
                process.wait_since += now - process.suspended_at.max(process.wait_since);
            }
            if allowed && process.phase == Phase::Blocked {
                wake = wake.min(process.ready.max(now));
            }
        }
        self.pes[pe].wake = wake;
        self.count_rivals(pe);
        let Pe { running, preferred, .. } = self.pes[pe];
        let stays = running != NONE
            && self.processes[running as usize].is_allowed
            && (preferred == NONE || preferred == running || !self.could_run(preferred, now));
        if stays {
            self.pes[pe].from += cost;
            self.resume(pe);
        } else {
            self.take_off(pe, now);
            self.choose(pe, now);
            if self.pes[pe].running != NONE && cost > 0 {
                self.pes[pe].from += cost;
                self.resume(pe);
            }
        }
        self.set_clock(pe);
    }
}

impl Process {
    const fn none() -> Self {
        Self {
            job: 0,
            rank: 0,
            pe: 0,
            row: 0,
            phase: Phase::Done,
            compute: 0,
            work: 0,
            iterations: 0,
            got: [0; 2],
            latest: [i64::MIN; 2],
            ready: NEVER,
            wait_since: 0,
            suspended_at: 0,
            is_allowed: false,
            scheduled: Scheduled { left: 0 },
            record: Record { class: Class::CS, class_slots: 0, slots: 0, computing: 0, waiting: 0, communications: 0 },
            left_at: 0,
            computed: 0,
        }
    }

    /// All messages that it waits for are known.
    const fn arrived(&mut self, parity: usize) {
        self.ready = self.latest[parity];
        self.got[parity] = 0;
        self.latest[parity] = i64::MIN;
    }
}

/// Whom each of so many processes sends to: as many for each, one process after the other.
pub(in crate::machine::bsp) fn neighbours(pattern: Pattern, size: u32) -> Vec<u32> {
    let wide = (1..=size).filter(|wide| size.is_multiple_of(*wide) && wide * wide <= size).max().unwrap_or(1);
    let of = |rank: u32| -> Vec<u32> {
        let mut all = match pattern {
            Pattern::None | Pattern::Barrier => Vec::new(),
            Pattern::Ring => vec![(rank + size - 1) % size, (rank + 1) % size],
            Pattern::Grid => {
                let (x, y, high) = (rank % wide, rank / wide, size / wide);
                vec![
                    (x + wide - 1) % wide + y * wide,
                    (x + 1) % wide + y * wide,
                    x + (y + high - 1) % high * wide,
                    x + (y + 1) % high * wide,
                ]
            }
        };
        crate::sorting::by(&mut all, |other| [(*other).into(), 0]);
        all.dedup();
        all.retain(|other| *other != rank);
        all
    };
    (0..size).flat_map(of).collect()
}

/// When a daemon comes to a processor for the first time.
pub const fn first_daemon(period: i64, processor: u32, seed: u64) -> i64 {
    if period > 0 { (mixed(seed, processor as u64) % period as u64) as i64 } else { NEVER }
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
