//! The cluster of processes, microsecond by microsecond (docs/machines/bsp.md). The twin schedules
//! nothing ahead and looks at every process in every microsecond. Jobs are placed by hand, one to a
//! row. The twin therefore tests the processors alone, at times that are as short as can be.

use super::draw::Dice;
use super::words::{Case, Experiment, Job, Pattern, Placed, Program, Schedule, Workload};
use std::rc::Rc;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Sharing {
    Batch,
    Gang,
    SpinBlock,
    Flexible,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum FFirst {
    Gently,
    EverySlot,
    OwnSlot,
}

/// The local scheduler: Linux 2.4's with a full counter, a tick and a margin, or one after the other.
#[derive(Copy, Clone, Debug)]
enum Local {
    Linux { base: i64, tick: i64, margin: i64 },
    RoundRobin { quantum: i64 },
}

/// The parameters. Times are in microseconds, `displaced` is in thousandths.
#[derive(Copy, Clone, Debug)]
struct Constants {
    sharing: Sharing,
    local: Local,
    latency: i64,
    spin: i64,
    switch: i64,
    turn: i64,
    reload: i64,
    displaced: i64,
    measure: i64,
    f_first: FFirst,
    noise_period: i64,
    noise_length: i64,
    slice: i64,
    cs: i64,
    dc: i64,
    f: i64,
    least_slots: i64,
    most_slots: i64,
}

impl Constants {
    /// Returns the time by which a process computes longer in each iteration, because it is
    /// measured.
    const fn measuring(&self) -> i64 {
        match self.sharing {
            Sharing::Flexible => self.measure,
            _ => 0,
        }
    }
}

/// The need of a process for coscheduling with the other processes of its job.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Class {
    Coscheduling,
    Frustrated,
    DontCare,
}

impl Class {
    const fn word(self) -> &'static str {
        match self {
            Self::Coscheduling => "CS",
            Self::Frustrated => "F",
            Self::DontCare => "DC",
        }
    }
}

/// Algorithm 2: the measurements of a process, and the class that follows from them.
#[derive(Clone, Debug)]
struct Measured {
    class: Class,
    /// True if the granularity was below DC_thresh when the process was last judged.
    is_finer_than_dc: bool,
    slots_in_class: i64,
    slots: i64,
    computing: i64,
    waiting: i64,
    communications: i64,
}

impl Measured {
    const fn new() -> Self {
        Self {
            class: Class::Coscheduling,
            is_finer_than_dc: false,
            slots_in_class: 0,
            slots: 0,
            computing: 0,
            waiting: 0,
            communications: 0,
        }
    }

    /// True if a sum, divided by the number of communications, is below a threshold. Without
    /// communications, the quotient is infinite.
    fn is_less(&self, sum: i64, threshold: i64) -> bool {
        if self.communications == 0 {
            return false;
        }
        // A mean is below a whole number exactly if the mean rounded down is below it.
        sum / self.communications < threshold
    }

    /// Counts a slot of the process's row that ends, and judges the process. Returns true if the
    /// class changes.
    fn judge(&mut self, constants: &Constants) -> bool {
        self.slots += 1;
        self.slots_in_class += 1;
        if self.slots_in_class < constants.least_slots {
            return false;
        }
        let granularity = self.computing + self.waiting;
        let begins_again = self.slots % constants.most_slots == 0;
        self.is_finer_than_dc = self.is_less(granularity, constants.dc);
        let class = if begins_again || self.is_less(granularity, constants.cs) {
            Class::Coscheduling
        } else if self.is_finer_than_dc && self.is_less(self.computing, constants.f) {
            Class::Frustrated
        } else {
            Class::DontCare
        };
        let changes = class != self.class;
        if changes {
            self.class = class;
            self.slots_in_class = 0;
        }
        if changes || begins_again {
            self.computing = 0;
            self.waiting = 0;
            self.communications = 0;
        }
        changes
    }
}

/// SplitMix64's finisher, as the docs have it.
const fn finisher(seed: u64, x: u64) -> u64 {
    let z = seed
        .wrapping_mul(0xd134_2543_de82_ef95)
        .wrapping_add(x.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A change of class: the instant, the job, the rank of the process, and its new class.
type Change = (i64, usize, usize, &'static str);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    Computing,
    /// Waits for the messages of the iteration computed last; spins while it runs.
    Waiting,
    Blocked,
    Ended,
}

#[derive(Clone, Debug)]
struct Process {
    job: usize,
    rank: usize,
    pe: usize,
    row: usize,
    doing: Doing,
    left: i64,
    iterations: i64,
    /// Instants at which the messages of each iteration were sent.
    sent: Vec<i64>,
    counter: i64,
    measured: Measured,
    last_off: i64,
    /// Time of the present waiting so far. It is measured when the waiting ends.
    waited: i64,
}

#[derive(Clone, Debug)]
struct Spec {
    pattern: Pattern,
    compute: Vec<i64>,
    iterations: i64,
    columns: Vec<usize>,
    row: usize,
    start: i64,
}

#[derive(Clone, Debug, Default)]
struct Pe {
    running: Option<usize>,
    /// The process that ran last, as long as its job is here.
    last: Option<usize>,
    /// True if a process ever ran here. From then on, every switch to another process costs, also
    /// from a process that has gone with its job.
    has_run: bool,
    /// Instant until which a switch, a change of turns or a daemon holds the processor.
    held_until: i64,
    /// Instant until which the running process spins before it blocks.
    deadline: i64,
    worked: i64,
    /// The last instant at which a daemon came.
    disturbed: i64,
}

struct Cluster<'a> {
    constants: Constants,
    jobs: &'a [Spec],
    processes: Vec<Process>,
    pes: Vec<Pe>,
    rows: usize,
    turn: Option<(usize, i64)>,
    /// Jobs that have come and not gone.
    here: Vec<bool>,
}

impl Cluster<'_> {
    fn neighbours(&self, job: usize, rank: usize) -> Vec<usize> {
        let size = self.jobs[job].columns.len();
        let mut all = match self.jobs[job].pattern {
            Pattern::None => vec![],
            Pattern::Ring => vec![(rank + 1) % size, (rank + size - 1) % size],
            Pattern::Barrier => (0..size).collect(),
            Pattern::Grid => {
                let wide = (1..=size)
                    .rev()
                    .find(|wide| size.is_multiple_of(*wide) && wide * wide <= size)
                    .unwrap();
                let (x, y, high) = (rank % wide, rank / wide, size / wide);
                vec![
                    (x + 1) % wide + y * wide,
                    (x + wide - 1) % wide + y * wide,
                    x + (y + 1) % high * wide,
                    x + (y + high - 1) % high * wide,
                ]
            }
        };
        if self.jobs[job].pattern != Pattern::Barrier {
            all.retain(|other| *other != rank);
        }
        all
    }

    fn talks(&self, job: usize) -> bool {
        self.jobs[job].columns.len() > 1 && self.jobs[job].pattern != Pattern::None
    }

    /// True if all messages that a process waits for have arrived.
    fn is_ready(&self, at: usize, now: i64) -> bool {
        let Process {
            job,
            rank,
            iterations,
            ..
        } = self.processes[at];
        self.neighbours(job, rank).into_iter().all(|other| {
            let sender = self
                .processes
                .iter()
                .find(|process| process.job == job && process.rank == other)
                .unwrap();
            sender
                .sent
                .get(iterations as usize - 1)
                .is_some_and(|sent| sent + self.constants.latency <= now)
        })
    }

    fn own(&self, pe: usize) -> Option<usize> {
        let (row, _) = self.turn?;
        (0..self.processes.len()).find(|at| {
            self.processes[*at].pe == pe
                && self.processes[*at].row == row
                && self.processes[*at].doing != Doing::Ended
        })
    }

    fn exclusive(&self, pe: usize) -> bool {
        self.constants.sharing == Sharing::Flexible
            && self
                .own(pe)
                .is_some_and(|own| self.processes[own].measured.class == Class::Coscheduling)
    }

    fn allowed(&self, at: usize) -> bool {
        let pe = self.processes[at].pe;
        match self.constants.sharing {
            Sharing::Batch | Sharing::SpinBlock => true,
            Sharing::Gang => self.own(pe) == Some(at),
            Sharing::Flexible if self.exclusive(pe) => self.own(pe) == Some(at),
            Sharing::Flexible => self.processes[at].measured.class != Class::Coscheduling,
        }
    }

    fn polls(&self, pe: usize) -> bool {
        matches!(self.constants.sharing, Sharing::Batch | Sharing::Gang) || self.exclusive(pe)
    }

    fn is_own_f(&self, at: usize) -> bool {
        self.is_f(at) && self.own(self.processes[at].pe) == Some(at)
    }

    fn is_f(&self, at: usize) -> bool {
        self.constants.sharing == Sharing::Flexible
            && self.processes[at].measured.class == Class::Frustrated
    }

    /// True if a process *communicates*, as the section *F goes first* of the docs defines it.
    fn communicates(&self, at: usize) -> bool {
        self.processes[at].measured.is_finer_than_dc || self.is_f(at)
    }

    /// True if `one` takes the place of `other`, whatever the local scheduler says.
    fn goes_before(&self, one: usize, other: usize) -> bool {
        match self.constants.f_first {
            FFirst::Gently => self.is_f(one) && !self.communicates(other),
            _ if self.is_own_f(one) || self.is_own_f(other) => !self.is_own_f(other),
            FFirst::EverySlot => self.is_f(one) && !self.communicates(other),
            FFirst::OwnSlot => false,
        }
    }

    fn ticks(&self, at: usize) -> i64 {
        let Local::Linux { tick, .. } = self.constants.local else {
            return 0;
        };
        let counter = self.processes[at].counter;
        if counter > 0 {
            (counter + tick - 1) / tick
        } else {
            0
        }
    }

    fn on(&self, pe: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.processes.len())
            .filter(|at| self.processes[*at].pe == pe && self.processes[*at].doing != Doing::Ended)
            .collect();
        all.sort_by_key(|at| self.processes[*at].row);
        all
    }

    fn take_off(&mut self, pe: usize) {
        if let Some(running) = self.pes[pe].running.take() {
            self.processes[running].last_off = self.pes[pe].worked;
        }
    }

    fn give(&mut self, pe: usize, at: usize, now: i64) {
        let constants = self.constants;
        if let Local::RoundRobin { quantum } = constants.local {
            self.processes[at].counter = quantum;
        }
        if self.processes[at].doing == Doing::Blocked {
            self.processes[at].doing = Doing::Waiting;
        }
        let mut cost = 0;
        if self.pes[pe].has_run && self.pes[pe].last != Some(at) {
            cost = constants.switch
                + ((self.pes[pe].worked - self.processes[at].last_off) * constants.displaced
                    / 1000)
                    .min(constants.reload);
        }
        self.pes[pe].running = Some(at);
        self.pes[pe].last = Some(at);
        self.pes[pe].has_run = true;
        self.pes[pe].held_until = now + cost;
        self.pes[pe].deadline = now + cost + constants.spin;
    }

    fn could_run(&self, at: usize, now: i64) -> bool {
        match self.processes[at].doing {
            Doing::Computing | Doing::Waiting => true,
            Doing::Blocked => self.is_ready(at, now),
            Doing::Ended => false,
        }
    }

    fn choose(&mut self, pe: usize, now: i64) {
        if self.constants.sharing == Sharing::Gang || self.exclusive(pe) {
            if let Some(own) = self.own(pe) {
                self.give(pe, own, now);
            }
            return;
        }
        let mut could: Vec<usize> = self
            .on(pe)
            .into_iter()
            .filter(|at| self.allowed(*at) && self.could_run(*at, now))
            .collect();
        if could.is_empty() {
            return;
        }
        if self.constants.f_first != FFirst::OwnSlot && could.iter().any(|at| self.is_f(*at)) {
            could.retain(|at| self.communicates(*at));
        }
        if let Some(own) = could.iter().copied().find(|at| self.is_own_f(*at)) {
            could = vec![own];
        }
        let Local::Linux { base, .. } = self.constants.local else {
            let last = self.pes[pe].last.map(|last| self.processes[last].row);
            let next = could
                .iter()
                .copied()
                .find(|at| last.is_none_or(|last| self.processes[*at].row > last))
                .unwrap_or(could[0]);
            return self.give(pe, next, now);
        };
        while could.iter().all(|at| self.processes[*at].counter <= 0) {
            for at in 0..self.processes.len() {
                if self.processes[at].pe == pe {
                    self.processes[at].counter = self.processes[at].counter.max(0) / 2 + base;
                }
            }
        }
        let mut best = could[0];
        let worth = |at: usize| {
            let counter = self.processes[at].counter;
            if counter > 0 {
                (
                    self.ticks(at) + i64::from(self.pes[pe].last == Some(at)),
                    counter,
                )
            } else {
                (0, 0)
            }
        };
        for at in could {
            if worth(at) > worth(best) {
                best = at;
            }
        }
        self.give(pe, best, now);
    }

    /// Handles a *change* on a processor: the running process keeps the processor, or another one
    /// is chosen. The processor is then held for `cost` longer.
    fn settle(&mut self, pe: usize, now: i64, cost: i64) {
        let stays = self.pes[pe].running.is_some_and(|running| {
            let mut others = self
                .on(pe)
                .into_iter()
                .filter(|at| *at != running && self.allowed(*at) && self.could_run(*at, now));
            self.allowed(running)
                && !others.any(|at| self.is_own_f(at) || self.goes_before(at, running))
        });
        if !stays {
            self.take_off(pe);
            self.choose(pe, now);
        }
        if self.pes[pe].running.is_some() {
            self.pes[pe].held_until = self.pes[pe].held_until.max(now) + cost;
            self.pes[pe].deadline = self.pes[pe].held_until + self.constants.spin;
        }
    }

    fn active_after(&self, row: usize) -> Option<usize> {
        (1..=self.rows)
            .map(|by| (row + by) % self.rows)
            .find(|row| {
                self.jobs
                    .iter()
                    .enumerate()
                    .any(|(job, spec)| spec.row == *row && self.here[job])
            })
    }
}

/// Carries out everything that happens on the processors at an instant.
#[expect(
    clippy::needless_range_loop,
    reason = "the processor is more than its place in the list"
)]
fn happen(twin: &mut Cluster<'_>, now: i64) {
    let (constants, jobs, pes) = (twin.constants, twin.jobs, twin.pes.len());
    let mut touched = vec![true; pes];
    while touched.iter().any(|touched| *touched) {
        for pe in 0..pes {
            touched[pe] = false;
            // Has the running process ended its computing, got its messages, or spun long enough?
            if let Some(at) = twin.pes[pe].running {
                let Process {
                    job, doing, left, ..
                } = twin.processes[at];
                if doing == Doing::Computing && left == 0 && twin.pes[pe].held_until <= now {
                    twin.processes[at].iterations += 1;
                    let done =
                        !twin.talks(job) || twin.processes[at].iterations == jobs[job].iterations;
                    twin.processes[at].sent.push(now);
                    if done {
                        twin.processes[at].doing = Doing::Ended;
                        twin.take_off(pe);
                        twin.choose(pe, now);
                    } else {
                        let compute = jobs[job].compute[twin.processes[at].rank];
                        twin.processes[at].doing = Doing::Waiting;
                        twin.processes[at].left = compute + constants.measuring();
                        twin.pes[pe].held_until = now;
                        twin.pes[pe].deadline = now + constants.spin;
                    }
                    touched[pe] = true;
                    continue;
                }
                let begins = now.max(twin.pes[pe].held_until);
                if doing == Doing::Waiting
                    && twin.pes[pe].held_until <= now
                    && twin.is_ready(at, now)
                {
                    twin.processes[at].doing = Doing::Computing;
                    twin.processes[at].measured.communications += 1;
                    twin.processes[at].measured.waiting +=
                        std::mem::take(&mut twin.processes[at].waited);
                    touched[pe] = true;
                    continue;
                }
                if doing == Doing::Waiting
                    && !twin.polls(pe)
                    && now == twin.pes[pe].deadline
                    && !(twin.is_ready(at, now) && begins == now)
                {
                    twin.processes[at].doing = Doing::Blocked;
                    twin.take_off(pe);
                    twin.choose(pe, now);
                    touched[pe] = true;
                    continue;
                }
            }
            // Has a blocked process got its messages?
            for at in twin.on(pe) {
                if twin.processes[at].doing != Doing::Blocked
                    || !twin.allowed(at)
                    || !twin.is_ready(at, now)
                {
                    continue;
                }
                twin.processes[at].doing = Doing::Waiting;
                touched[pe] = true;
                let Some(running) = twin.pes[pe].running else {
                    twin.choose(pe, now);
                    continue;
                };
                let is_higher = match constants.local {
                    Local::Linux { margin, .. } => twin.ticks(at) > twin.ticks(running) + margin,
                    Local::RoundRobin { .. } => false,
                };
                if twin.goes_before(at, running) || is_higher && !twin.goes_before(running, at) {
                    twin.take_off(pe);
                    twin.give(pe, at, now);
                }
            }
            // Has the running process used up its quantum?
            if let Some(at) = twin.pes[pe].running
                && !twin.polls(pe)
                && twin.processes[at].counter <= 0
                && twin
                    .on(pe)
                    .into_iter()
                    .filter(|other| twin.allowed(*other))
                    .count()
                    > 1
            {
                let (held, deadline, last_off) = (
                    twin.pes[pe].held_until,
                    twin.pes[pe].deadline,
                    twin.processes[at].last_off,
                );
                twin.take_off(pe);
                twin.choose(pe, now);
                if twin.pes[pe].running == Some(at) {
                    (
                        twin.pes[pe].held_until,
                        twin.pes[pe].deadline,
                        twin.processes[at].last_off,
                    ) = (held, deadline, last_off);
                }
                touched[pe] = true;
                continue;
            }
            // Does a daemon come? It comes last.
            let period = constants.noise_period.max(1);
            let first = (finisher(1, pe as u64) % period as u64) as i64;
            let comes = constants.noise_period > 0 && now >= first && (now - first) % period == 0;
            if comes
                && twin.pes[pe].running.is_some()
                && twin.pes[pe].disturbed < now
                && !touched[pe]
            {
                twin.pes[pe].disturbed = now;
                twin.pes[pe].held_until = twin.pes[pe].held_until.max(now) + constants.noise_length;
                twin.pes[pe].deadline = twin.pes[pe].held_until + constants.spin;
                touched[pe] = true;
            }
        }
    }
}

fn simulate(
    constants: Constants,
    pes: usize,
    rows: usize,
    jobs: &[Spec],
) -> (Vec<i64>, Vec<Change>) {
    let mut changes = Vec::new();
    let mut twin = Cluster {
        constants,
        jobs,
        processes: Vec::new(),
        pes: vec![
            Pe {
                disturbed: -1,
                ..Pe::default()
            };
            pes
        ],
        rows,
        turn: None,
        here: vec![false; jobs.len()],
    };
    let mut ends = vec![-1; jobs.len()];
    let rotates = matches!(constants.sharing, Sharing::Gang | Sharing::Flexible);
    for now in 0..2_000_000 {
        // The order within an instant: first the processors, then the end of a turn, then the end
        // of jobs, then the jobs that come.
        happen(&mut twin, now);
        // The end of a turn.
        if let Some((row, end)) = twin.turn
            && end == now
        {
            if constants.sharing == Sharing::Flexible {
                for process in twin
                    .processes
                    .iter_mut()
                    .filter(|process| process.row == row && process.doing != Doing::Ended)
                {
                    if process.measured.judge(&constants) {
                        let class = process.measured.class.word();
                        changes.push((now, process.job, process.rank, class));
                    }
                }
            }
            let next = twin.active_after(row).unwrap_or(row);
            twin.turn = Some((next, now + constants.slice));
            if next != row || constants.sharing == Sharing::Flexible {
                (0..pes).for_each(|pe| {
                    twin.settle(pe, now, if next == row { 0 } else { constants.turn });
                });
            }
        }
        happen(&mut twin, now);
        // Which jobs have ended, and is it another row's turn at once?
        for (job, end) in ends.iter_mut().enumerate() {
            if twin.here[job]
                && twin
                    .processes
                    .iter()
                    .filter(|process| process.job == job)
                    .all(|process| process.doing == Doing::Ended)
            {
                *end = now;
                twin.here[job] = false;
                for pe in 0..pes {
                    if twin.pes[pe]
                        .last
                        .is_some_and(|last| twin.processes[last].job == job)
                    {
                        twin.pes[pe].last = None;
                    }
                }
                if let Some((row, _)) = twin.turn
                    && !jobs
                        .iter()
                        .enumerate()
                        .any(|(other, spec)| spec.row == row && twin.here[other])
                {
                    twin.turn = twin
                        .active_after(row)
                        .map(|next| (next, now + constants.slice));
                    if twin.turn.is_some() {
                        (0..pes).for_each(|pe| twin.settle(pe, now, constants.turn));
                    }
                }
            }
        }
        if ends.iter().all(|end| *end >= 0) {
            return (ends, changes);
        }
        // The jobs that arrive now.
        for (job, spec) in jobs
            .iter()
            .enumerate()
            .filter(|(_, spec)| spec.start == now)
        {
            if rotates && twin.turn.is_none() {
                twin.turn = Some((spec.row, now + constants.slice));
            }
            let first = twin.processes.len();
            twin.here[job] = true;
            for (rank, pe) in spec.columns.iter().enumerate() {
                let compute = spec.compute[rank];
                let left = if twin.talks(job) {
                    compute + constants.measuring()
                } else {
                    compute * spec.iterations
                };
                let base = match constants.local {
                    Local::Linux { base, .. } => base,
                    Local::RoundRobin { quantum } => quantum,
                };
                twin.processes.push(Process {
                    job,
                    rank,
                    pe: *pe,
                    row: spec.row,
                    doing: if left == 0 {
                        Doing::Ended
                    } else {
                        Doing::Computing
                    },
                    left,
                    iterations: 0,
                    sent: Vec::new(),
                    counter: base,
                    measured: Measured::new(),
                    last_off: twin.pes[*pe].worked,
                    waited: 0,
                });
            }
            for at in first..twin.processes.len() {
                let pe = twin.processes[at].pe;
                twin.settle(pe, now, 0);
            }
        }
        happen(&mut twin, now);
        // A microsecond passes.
        for pe in 0..pes {
            let exclusive = twin.exclusive(pe);
            if let Some(at) = twin.pes[pe].running {
                if !exclusive {
                    twin.processes[at].counter -= 1;
                }
                if twin.processes[at].doing == Doing::Computing && now >= twin.pes[pe].held_until {
                    twin.processes[at].left -= 1;
                    twin.pes[pe].worked += 1;
                    twin.processes[at].measured.computing += 1;
                }
            }
        }
        for at in 0..twin.processes.len() {
            if matches!(twin.processes[at].doing, Doing::Waiting | Doing::Blocked)
                && twin.allowed(at)
            {
                twin.processes[at].waited += 1;
            }
        }
    }
    panic!("the twin does not come to an end: {constants:?} {jobs:?}");
}

fn experiment(constants: &Constants, rows: usize) -> Experiment {
    let sharing = match constants.sharing {
        Sharing::Batch => "batch",
        Sharing::Gang => "gang",
        Sharing::SpinBlock => "spin_block",
        Sharing::Flexible => "flexible",
    };
    let f_first = match constants.f_first {
        FFirst::Gently => "gently",
        FFirst::EverySlot => "every_slot",
        FFirst::OwnSlot => "own_slot",
    };
    let (local, quantum, tick, margin) = match constants.local {
        Local::Linux { base, tick, margin } => ("linux24", base, tick, margin),
        Local::RoundRobin { quantum } => ("round_robin", quantum, 1, 1),
    };
    // Without a queue in front; all times in microseconds.
    let experiment = Experiment::on("processors of bsp", "none")
        .with("coscheduling", sharing)
        .with("f_first", f_first)
        .with("local", local);
    [
        ("rows", rows as i64),
        ("local_quantum", quantum),
        ("tick", tick),
        ("wake_margin", margin),
        ("latency", constants.latency),
        ("spin", constants.spin),
        ("process_switch", constants.switch),
        ("turn_cost", constants.turn),
        ("reload", constants.reload),
        ("displaced", constants.displaced),
        ("measure", constants.measure),
        ("noise_period", constants.noise_period),
        ("noise_length", constants.noise_length),
        ("slice", constants.slice),
        ("cs_thresh", constants.cs),
        ("dc_thresh", constants.dc),
        ("f_thresh", constants.f),
        ("cslots_min", constants.least_slots),
        ("tslots_max", constants.most_slots),
    ]
    .into_iter()
    .fold(experiment, |experiment, (key, value)| {
        experiment.with(key, value as f64)
    })
}

fn case(constants: Constants, pes: usize, rows: usize, specs: Vec<Spec>) -> Case {
    let job = |spec: &Spec| Job {
        submit: spec.start,
        runtime: 1,
        estimate: 1,
        processors: spec.columns.len() as u32,
        user: 1,
    };
    let program = |spec: &Spec| Program {
        pattern: spec.pattern,
        compute: spec.compute.clone(),
        jitter: 0,
        seed: 0,
    };
    let placed = |spec: &Spec| Placed {
        row: spec.row,
        columns: spec.columns.clone(),
        iterations: spec.iterations,
    };
    let workload = Rc::new(Workload {
        second: 1_000_000,
        programs: specs.iter().map(program).collect(),
        placed: specs.iter().map(placed).collect(),
        ..Workload::new(pes as u32, specs.iter().map(job).collect())
    });
    Case::plays(experiment(&constants, rows), &workload, move |_| {
        let (ends, changes) = simulate(constants, pes, rows, &specs);
        let mut schedule = Schedule::of(specs.iter().map(|spec| spec.start).collect());
        schedule.ends = Some(ends);
        for class in ["CS", "F", "DC"] {
            let count = changes.iter().filter(|change| change.3 == class).count();
            schedule.counts.insert(class, count as u64);
        }
        let line = |(at, job, rank, class): Change| {
            format!("{at} us: process {rank} of job {job} is {class}")
        };
        schedule
            .told
            .insert("classes", changes.into_iter().map(line).collect());
        schedule
    })
}

pub fn small_clusters(seed: u64) -> Vec<Case> {
    let mut dice = Dice::new(seed, "bsp");
    let mut below = |bound: u64| dice.below(bound) as i64;
    let sharing = [
        Sharing::Batch,
        Sharing::Gang,
        Sharing::SpinBlock,
        Sharing::Flexible,
    ][below(4) as usize];
    let constants = Constants {
        sharing,
        local: if below(3) == 0 {
            Local::RoundRobin {
                quantum: 5 + below(30),
            }
        } else {
            Local::Linux {
                base: 5 + below(40),
                tick: 1 + below(8),
                margin: below(4),
            }
        },
        latency: 1 + below(4),
        spin: below(8),
        switch: below(3),
        turn: below(5),
        reload: below(6),
        displaced: below(300),
        measure: below(2),
        f_first: [FFirst::OwnSlot, FFirst::EverySlot, FFirst::Gently][below(3) as usize],
        noise_period: [0, 13 + below(60)][below(2) as usize],
        noise_length: 1 + below(5),
        slice: 20 + below(80),
        cs: 4 + below(10),
        dc: 40,
        f: 5,
        least_slots: 1 + below(3),
        most_slots: 7,
    };
    let pes = 1 + below(6) as usize;
    let rows = if sharing == Sharing::Batch {
        1
    } else {
        1 + below(3) as usize
    };
    // Each job has a row of its own, so that no job is in the way of another.
    let mut specs = Vec::new();
    for row in 0..rows {
        let size = 1 + below(pes as u64) as usize;
        let first = below((pes - size + 1) as u64) as usize;
        let pattern = [
            Pattern::None,
            Pattern::Ring,
            Pattern::Grid,
            Pattern::Barrier,
            Pattern::Ring,
        ][below(5) as usize];
        let mut compute: Vec<i64> = (0..size).map(|_| 1 + below(12)).collect();
        if pattern == Pattern::None && size > 1 && below(2) == 0 {
            compute[0] = 0;
        }
        specs.push(Spec {
            pattern,
            compute,
            iterations: 1 + below(60),
            columns: (first..first + size).collect(),
            row,
            start: below(3) * below(50),
        });
    }
    vec![case(constants, pes, rows, specs)]
}

/// Returns a case in which two processes wake at once after the job of the process that ran last
/// has gone. Neither of them may be taken for the process that ran last. Seed 0 is for the
/// scheduler of Linux 2.4, seed 1 for round robin.
pub fn two_that_wake_at_once(seed: u64) -> Vec<Case> {
    let local = if seed == 0 {
        Local::Linux {
            base: 5_000,
            tick: 5_000,
            margin: 1,
        }
    } else {
        Local::RoundRobin { quantum: 5_000 }
    };
    let constants = Constants {
        sharing: Sharing::SpinBlock,
        local,
        latency: 60,
        spin: 10,
        switch: 0,
        turn: 0,
        reload: 0,
        displaced: 0,
        measure: 0,
        f_first: FFirst::Gently,
        noise_period: 0,
        noise_length: 0,
        slice: 100_000,
        cs: 2_000,
        dc: 1_000_000,
        f: 1_700,
        least_slots: 20,
        most_slots: 32_768,
    };
    let ring = |row: usize, columns: [usize; 2], compute: [i64; 2]| Spec {
        pattern: Pattern::Ring,
        compute: compute.into(),
        iterations: 3,
        columns: columns.into(),
        row,
        start: 0,
    };
    let alone = Spec {
        pattern: Pattern::None,
        compute: vec![3_000],
        iterations: 1,
        columns: vec![0],
        row: 2,
        start: 0,
    };
    let specs = vec![
        ring(0, [0, 1], [100, 10_000]),
        ring(1, [0, 2], [50, 10_000]),
        alone,
    ];
    vec![case(constants, 3, 3, specs)]
}
