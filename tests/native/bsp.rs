//! The cluster of processes against a naive twin that lives microsecond by microsecond: nothing is
//! scheduled ahead, every process is looked at in every microsecond. And what must hold of the
//! cluster: nothing is computed twice or left out.

use super::support::run;
use schedscope::experiment::Scenario;
use schedscope::job::{JobId, Pattern, Shape};
use schedscope::machines::bsp::Class;
use schedscope::machines::bsp::{
    Activity, Algorithm, Arrival, BspRecord, Cluster, Constants, FFirst, History, LocalRule, Probe,
    Probed, Thresholds, first_daemon,
};
use schedscope::param::Settings;
use schedscope::random::Stream;
use schedscope::workload::model::generate;
use std::sync::Arc;

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
    iterations: u64,
    /// When each iteration's messages were sent.
    sent: Vec<i64>,
    counter: i64,
    record: History,
    allowed: bool,
    last_off: i64,
    /// Its waiting that has not come to its end.
    waited: i64,
}

#[derive(Clone, Debug)]
struct Job {
    shape: Shape,
    iterations: u64,
    columns: Vec<usize>,
    row: usize,
    start: i64,
}

#[derive(Clone, Debug, Default)]
struct Pe {
    running: Option<usize>,
    /// The process that ran last, as long as its job is here.
    last: Option<usize>,
    /// Whether a process ever ran here: from then on every change of processes costs, also from one
    /// that has gone.
    has_run: bool,
    /// Until when switching, a change of turns or a daemon takes the processor.
    held_until: i64,
    /// Until when the running process spins before it blocks.
    deadline: i64,
    worked: i64,
    /// The last instant at which a daemon came.
    disturbed: i64,
}

struct Twin<'a> {
    constants: Constants,
    jobs: &'a [Job],
    processes: Vec<Process>,
    pes: Vec<Pe>,
    rows: usize,
    turn: Option<(usize, i64)>,
    /// Jobs that have come and not gone.
    here: Vec<bool>,
}

impl Twin<'_> {
    fn neighbours(&self, job: usize, rank: usize) -> Vec<usize> {
        let size = self.jobs[job].columns.len();
        let mut all = match self.jobs[job].shape.pattern {
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
        if self.jobs[job].shape.pattern != Pattern::Barrier {
            all.retain(|other| *other != rank);
        }
        all
    }

    fn talks(&self, job: usize) -> bool {
        self.jobs[job].columns.len() > 1 && self.jobs[job].shape.pattern != Pattern::None
    }

    /// Whether all messages that a process waits for are there.
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
        self.constants.algorithm == Algorithm::Flexible
            && self
                .own(pe)
                .is_some_and(|own| self.processes[own].record.class == Class::CS)
    }

    fn allowed(&self, at: usize) -> bool {
        let pe = self.processes[at].pe;
        match self.constants.algorithm {
            Algorithm::Batch | Algorithm::SpinBlock => true,
            Algorithm::Gang => self.own(pe) == Some(at),
            Algorithm::Flexible if self.exclusive(pe) => self.own(pe) == Some(at),
            Algorithm::Flexible => self.processes[at].record.class != Class::CS,
        }
    }

    fn polls(&self, pe: usize) -> bool {
        matches!(self.constants.algorithm, Algorithm::Batch | Algorithm::Gang) || self.exclusive(pe)
    }

    fn is_own_f(&self, at: usize) -> bool {
        self.is_f(at) && self.own(self.processes[at].pe) == Some(at)
    }

    fn is_f(&self, at: usize) -> bool {
        self.constants.algorithm == Algorithm::Flexible
            && self.processes[at].record.class == Class::F
    }

    /// Whether one takes another's place, whatever the local scheduler says.
    fn goes_before(&self, one: usize, other: usize) -> bool {
        match self.constants.f_first {
            FFirst::Gently => self.is_f(one) && !self.processes[other].record.communicates,
            _ if self.is_own_f(one) || self.is_own_f(other) => !self.is_own_f(other),
            FFirst::EverySlot => self.is_f(one) && !self.processes[other].record.communicates,
            FFirst::OwnSlot => false,
        }
    }

    fn ticks(&self, at: usize) -> i64 {
        let LocalRule::Epochs { tick, .. } = self.constants.local else {
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
        if let LocalRule::RoundRobin { quantum } = constants.local {
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
        if self.constants.algorithm == Algorithm::Gang || self.exclusive(pe) {
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
            could.retain(|at| self.processes[*at].record.communicates);
        }
        if let Some(own) = could.iter().copied().find(|at| self.is_own_f(*at)) {
            could = vec![own];
        }
        let LocalRule::Epochs { base, .. } = self.constants.local else {
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

    /// It is another's turn, or somebody has come or gone: who runs now?
    fn settle(&mut self, pe: usize, now: i64, cost: i64) {
        for at in self.on(pe) {
            self.processes[at].allowed = self.allowed(at);
        }
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

/// What happens on processors at an instant.
#[expect(
    clippy::needless_range_loop,
    reason = "the processor is more than its place in the list"
)]
fn happen(twin: &mut Twin<'_>, now: i64) {
    let (constants, jobs, pes) = (twin.constants, twin.jobs, twin.pes.len());
    let mut touched = vec![true; pes];
    while touched.iter().any(|touched| *touched) {
        for pe in 0..pes {
            touched[pe] = false;
            // Has the running one computed, or spun for long enough?
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
                        let compute = jobs[job].shape.compute_of(twin.processes[at].rank as u32)
                            + if constants.algorithm == Algorithm::Flexible {
                                constants.measure
                            } else {
                                0
                            };
                        twin.processes[at].doing = Doing::Waiting;
                        twin.processes[at].left = compute;
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
                    twin.processes[at].record.communications += 1;
                    twin.processes[at].record.waiting +=
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
            // Who has blocked and got his messages?
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
                let is_higher = matches!(constants.local, LocalRule::Epochs { .. })
                    && twin.ticks(at) > twin.ticks(running) + 1;
                if twin.goes_before(at, running) || is_higher && !twin.goes_before(running, at) {
                    twin.take_off(pe);
                    twin.give(pe, at, now);
                }
            }
            // Is its time over?
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
            // Does a daemon come, last of all?
            let first = first_daemon(constants.noise_period, pe as u32, 1);
            let comes = constants.noise_period > 0
                && now >= first
                && (now - first) % constants.noise_period == 0;
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

#[expect(
    clippy::too_many_lines,
    reason = "what happens at an instant, one thing after the other"
)]
fn simulate(constants: Constants, pes: usize, rows: usize, jobs: &[Job]) -> (Vec<i64>, Vec<Class>) {
    let mut twin = Twin {
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
    let rotates = matches!(constants.algorithm, Algorithm::Gang | Algorithm::Flexible);
    for now in 0..2_000_000 {
        // What happens on processors comes before the end of a turn, that before the end of jobs,
        // that before those who come.
        happen(&mut twin, now);
        // The end of a turn.
        if let Some((row, end)) = twin.turn
            && end == now
        {
            if constants.algorithm == Algorithm::Flexible {
                for process in twin
                    .processes
                    .iter_mut()
                    .filter(|process| process.row == row && process.doing != Doing::Ended)
                {
                    process.record.slot_ended(&constants.thresholds);
                }
            }
            let next = twin.active_after(row).unwrap_or(row);
            twin.turn = Some((next, now + constants.thresholds.slice));
            if next != row || constants.algorithm == Algorithm::Flexible {
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
                        .map(|next| (next, now + constants.thresholds.slice));
                    if twin.turn.is_some() {
                        (0..pes).for_each(|pe| twin.settle(pe, now, constants.turn));
                    }
                }
            }
        }
        if ends.iter().all(|end| *end >= 0) {
            let classes = twin
                .processes
                .iter()
                .map(|process| process.record.class)
                .collect();
            return (ends, classes);
        }
        // Who comes?
        for (job, spec) in jobs
            .iter()
            .enumerate()
            .filter(|(_, spec)| spec.start == now)
        {
            if rotates && twin.turn.is_none() {
                twin.turn = Some((spec.row, now + constants.thresholds.slice));
            }
            let first = twin.processes.len();
            twin.here[job] = true;
            for (rank, pe) in spec.columns.iter().enumerate() {
                let measure = if constants.algorithm == Algorithm::Flexible {
                    constants.measure
                } else {
                    0
                };
                let compute = spec.shape.compute_of(rank as u32);
                let left = if twin.talks(job) {
                    compute + measure
                } else {
                    compute * spec.iterations as i64
                };
                let base = match constants.local {
                    LocalRule::Epochs { base, .. } => base,
                    LocalRule::RoundRobin { quantum } => quantum,
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
                    record: History::default(),
                    allowed: false,
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
                    twin.processes[at].record.computing += 1;
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

fn engine(
    constants: Constants,
    pes: usize,
    rows: usize,
    jobs: &[Job],
    budget: u64,
) -> (Vec<i64>, Vec<(usize, u32, Class)>) {
    let mut cluster = Cluster::new(pes as u32, rows as u32, constants, 1);
    let mut ends = vec![-1; jobs.len()];
    let mut classes = Vec::new();
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|job| jobs[*job].start);
    let mut next = 0;
    while next < jobs.len() || cluster.is_busy() {
        let until = order.get(next).map_or(i64::MAX - 1, |job| jobs[*job].start);
        while !cluster.run(until, budget) {}
        for note in cluster.take_reclassified() {
            classes.push((note.job.0 as usize, note.rank, note.class));
        }
        let ended = cluster.take_ended();
        for (at, id) in &ended {
            let spec = &jobs[id.0 as usize];
            for (rank, (computed, iterations)) in cluster.computed_by(*id).into_iter().enumerate() {
                let compute = spec.shape.compute_of(rank as u32);
                let measure = if constants.algorithm == Algorithm::Flexible {
                    constants.measure
                } else {
                    0
                };
                let talks = spec.columns.len() > 1 && spec.shape.pattern != Pattern::None;
                let (each, count) = if talks {
                    (compute + measure, spec.iterations)
                } else {
                    (compute * spec.iterations as i64, 1)
                };
                assert_eq!(
                    computed,
                    each * count as i64,
                    "nothing is computed twice, and nothing is left out"
                );
                assert!(iterations == count || computed == 0);
            }
            cluster.forget(*id, *at);
            ends[id.0 as usize] = *at;
        }
        if ended.is_empty() {
            assert!(next < jobs.len(), "nothing is left to happen");
            // All that come at an instant come before anything else happens.
            while let Some(job) = order
                .get(next)
                .copied()
                .filter(|job| jobs[*job].start == until)
            {
                let spec = &jobs[job];
                let columns: Vec<u32> = spec.columns.iter().map(|column| *column as u32).collect();
                let shape = Arc::new(spec.shape.clone());
                cluster.start(
                    &Arrival {
                        id: JobId(job as u32),
                        row: spec.row as u32,
                        columns: &columns,
                        shape,
                        iterations: spec.iterations,
                    },
                    until,
                );
                next += 1;
            }
        }
    }
    (ends, classes)
}

fn draw(seed: u64) -> (Constants, usize, usize, Vec<Job>) {
    let mut stream = Stream::new(seed, "bsp");
    let mut below = |bound: u64| stream.below(bound) as i64;
    let algorithm = [
        Algorithm::Batch,
        Algorithm::Gang,
        Algorithm::SpinBlock,
        Algorithm::Flexible,
    ][below(4) as usize];
    let constants = Constants {
        algorithm,
        local: if below(3) == 0 {
            LocalRule::RoundRobin {
                quantum: 5 + below(30),
            }
        } else {
            LocalRule::Epochs {
                base: 5 + below(40),
                tick: 1 + below(8),
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
        thresholds: Thresholds {
            slice: 20 + below(80),
            cs: 4 + below(10),
            dc: 40,
            f: 5,
            least_slots: 1 + below(3) as u32,
            most_slots: 7,
        },
    };
    let pes = 1 + below(6) as usize;
    let rows = if algorithm == Algorithm::Batch {
        1
    } else {
        1 + below(3) as usize
    };
    // A job to a row and time: nobody is in another's way.
    let mut jobs = Vec::new();
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
        let shape = Shape {
            pattern,
            compute,
            group: 1,
            jitter: 0,
            seed: 0,
        };
        jobs.push(Job {
            shape,
            iterations: 1 + below(60) as u64,
            columns: (first..first + size).collect(),
            row,
            start: below(3) * below(50),
        });
    }
    (constants, pes, rows, jobs)
}

#[test]
fn agrees_with_the_naive_twin() {
    for seed in 0..8000 {
        let (constants, pes, rows, jobs) = draw(seed);
        let (ends, classes) = simulate(constants, pes, rows, &jobs);
        let (ours, changes) = engine(constants, pes, rows, &jobs, u64::MAX);
        assert_eq!(
            ours, ends,
            "seed {seed} {constants:?} {pes} processors\n{jobs:#?}"
        );
        let mut last = vec![Class::CS; classes.len()];
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|job| (jobs[*job].start, *job));
        for (job, rank, class) in changes {
            let before: usize = order
                .iter()
                .take_while(|other| **other != job)
                .map(|other| jobs[*other].columns.len())
                .sum();
            last[before + rank as usize] = class;
        }
        assert_eq!(last, classes, "seed {seed}");
        assert_eq!(
            engine(constants, pes, rows, &jobs, 7).0,
            ours,
            "in slices, seed {seed}"
        );
    }
}

/// When the job of the process that ran last has gone, none of two that wake at once is taken for
/// it.
#[test]
fn nobody_is_taken_for_one_who_has_gone() {
    let mut constants = Constants {
        algorithm: Algorithm::SpinBlock,
        local: LocalRule::Epochs {
            base: 5_000,
            tick: 5_000,
        },
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
        thresholds: Thresholds {
            slice: 100_000,
            cs: 2_000,
            dc: 1_000_000,
            f: 1_700,
            least_slots: 20,
            most_slots: 32_768,
        },
    };
    let job = |row: usize, pattern: Pattern, columns: &[usize], compute: &[i64]| Job {
        shape: Shape {
            pattern,
            compute: compute.to_vec(),
            group: 1,
            jitter: 0,
            seed: 0,
        },
        iterations: if columns.len() > 1 { 3 } else { 1 },
        columns: columns.to_vec(),
        row,
        start: 0,
    };
    let ring = Pattern::Ring;
    let jobs = [
        job(0, ring, &[0, 1], &[100, 10_000]),
        job(1, ring, &[0, 2], &[50, 10_000]),
        job(2, Pattern::None, &[0], &[3_000]),
    ];
    for quantum in [0, 5_000] {
        if quantum > 0 {
            constants.local = LocalRule::RoundRobin { quantum };
        }
        assert_eq!(
            engine(constants, 3, 3, &jobs, u64::MAX).0,
            simulate(constants, 3, 3, &jobs).0
        );
        let mut cluster = Cluster::new(3, 3, constants, 1);
        cluster.probe(Probe {
            processor: 0,
            from: 0,
            to: 15_000,
        });
        for (
            number,
            Job {
                shape,
                columns,
                row,
                iterations,
                ..
            },
        ) in jobs.iter().enumerate()
        {
            let columns: Vec<u32> = columns.iter().map(|column| *column as u32).collect();
            let shape = Arc::new(shape.clone());
            let arrival = Arrival {
                id: JobId(number as u32),
                row: *row as u32,
                columns: &columns,
                shape,
                iterations: *iterations,
            };
            cluster.start(&arrival, 0);
        }
        // The third ends on the way.
        assert!(cluster.run(15_000, u64::MAX));
        let ended = cluster.take_ended();
        assert_eq!(ended, [(3_170, JobId(2))]);
        cluster.forget(JobId(2), 3_170);
        assert!(cluster.run(15_000, u64::MAX));
        let stretches = cluster.take_probed().unwrap().stretches;
        let computing = stretches
            .iter()
            .filter(|stretch| stretch.activity == Activity::Compute && stretch.from >= 3_500);
        let (first, from) = computing
            .map(|stretch| (stretch.row, stretch.from))
            .min_by_key(|(_, from)| *from)
            .unwrap();
        // The second has used less of its counter; in turns, the first comes first.
        assert_eq!((first, from), (u32::from(quantum == 0), 10_060));
    }
}

/// The class of each process in the end: by job, and by whether its node of four is an even one.
fn classes(mix: &str) -> Vec<[Class; 2]> {
    let trace = Arc::new(
        generate(
            "programs",
            &Settings::default()
                .with("mix", mix)
                .with("processors", 32.0),
        )
        .unwrap(),
    );
    let flexible = Scenario {
        machine: "bsp".into(),
        ..Scenario::new("fcfs")
    }
    .with("programs", "library")
    .with("runtime_factor", 0.3);
    let run = run(&flexible, &trace);
    let jobs = run.schedule().workload.len();
    let class = |job: usize, rank: u32| {
        let mut changes = run
            .schedule()
            .of::<BspRecord>()
            .unwrap()
            .classes
            .iter()
            .filter(|change| change.job.index() == job && change.rank == rank);
        changes.next_back().map_or(Class::CS, |change| change.class)
    };
    let of_job = |job: usize| {
        [0, 1].map(|node| {
            let found: Vec<Class> = (0..32)
                .filter(|rank| rank / 4 % 2 == node)
                .map(|rank| class(job, rank))
                .collect();
            assert!(
                found.windows(2).all(|pair| pair[0] == pair[1]),
                "{mix}: {found:?}"
            );
            found[0]
        })
    };
    (0..jobs).map(of_job).collect()
}

#[test]
fn classes_are_those_of_the_paper() {
    use Class::{CS, DC, F};
    assert_eq!(classes("balanced"), [[CS, CS], [CS, CS]]);
    assert_eq!(classes("imbalanced"), [[DC, F], [F, DC]]);
    // The processes that have nothing to do end at once.
    assert_eq!(classes("complementing"), [[DC, CS], [DC, CS], [F, DC]]);
    assert_eq!(classes("combined"), [[DC, F], [F, DC], [CS, CS]]);
}

/// When who ended, who was of which class from when on, and how many events that took.
type Played = (Vec<(i64, JobId)>, Vec<(i64, JobId, u32, Class)>, u64);

/// Queues of jobs: the next of each starts when its last, or anybody else's, has ended.
fn play(cluster: Cluster, queues: &[Vec<Job>], budget: u64) -> Played {
    let (mut ends, mut changes) = (Vec::new(), Vec::new());
    let cluster = play_on(cluster, queues, (budget, None), &mut ends, &mut changes);
    (ends, changes, cluster.events())
}

/// In slices of so many events, and from some time on under a microscope.
fn play_on(
    mut cluster: Cluster,
    queues: &[Vec<Job>],
    (budget, mut watch): (u64, Option<(i64, Probe)>),
    ends: &mut Vec<(i64, JobId)>,
    changes: &mut Vec<(i64, JobId, u32, Class)>,
) -> Cluster {
    /// Nothing starts by itself any more.
    const NEVER: i64 = i64::MAX;
    // Of each queue: when its next job starts, and how many have.
    let mut next: Vec<(i64, usize)> = queues.iter().map(|queue| (queue[0].start, 0)).collect();
    // Every third begins when somebody has ended.
    (2..queues.len())
        .step_by(3)
        .for_each(|queue| next[queue].0 = NEVER);
    let mut runs = vec![false; queues.len()];
    loop {
        let until = next.iter().map(|(at, _)| *at).min().unwrap();
        while !cluster.run(until.min(NEVER - 1), budget) {}
        if let Some((_, probe)) = watch.take_if(|(from, _)| *from <= cluster.now()) {
            cluster.probe(probe);
        }
        changes.extend(
            cluster
                .take_reclassified()
                .into_iter()
                .map(|note| (note.at, note.job, note.rank, note.class)),
        );
        let ended = cluster.take_ended();
        for (at, id) in &ended {
            cluster.forget(*id, *at);
            runs[id.0 as usize / 100] = false;
            for (queue, jobs) in queues.iter().enumerate().filter(|(queue, _)| !runs[*queue]) {
                if let Some(job) = jobs.get(next[queue].1).filter(|_| next[queue].0 == NEVER) {
                    next[queue].0 = at + job.start;
                }
            }
        }
        ends.extend(&ended);
        if !ended.is_empty() {
            continue;
        }
        if until == NEVER {
            return cluster;
        }
        for (queue, jobs) in queues.iter().enumerate() {
            let (at, place) = next[queue];
            if at != until {
                continue;
            }
            let job = &jobs[place];
            let columns: Vec<u32> = job.columns.iter().map(|column| *column as u32).collect();
            let id = JobId((queue * 100 + place) as u32);
            let shape = Arc::new(job.shape.clone());
            cluster.start(
                &Arrival {
                    id,
                    row: job.row as u32,
                    columns: &columns,
                    shape,
                    iterations: job.iterations,
                },
                until,
            );
            (next[queue], runs[queue]) = ((NEVER, place + 1), true);
        }
    }
}

/// Larger clusters, in hundreds of microseconds: several jobs after and beside one another. Every
/// third lives in steps of 50 microseconds: there, much happens at once.
fn draw_queues(seed: u64) -> (Constants, u32, u32, Vec<Vec<Job>>) {
    let mut stream = Stream::new(seed, "bsp rows");
    let mut below = |bound: u64| stream.below(bound) as i64;
    let algorithm = [
        Algorithm::Batch,
        Algorithm::Gang,
        Algorithm::SpinBlock,
        Algorithm::Flexible,
    ][below(4) as usize];
    let step = if seed.is_multiple_of(3) { 50 } else { 1 };
    let in_steps = |time: i64| (time + step - 1) / step * step;
    let constants = Constants {
        algorithm,
        local: match below(4) {
            0 => LocalRule::RoundRobin {
                quantum: in_steps(1_500 + below(3_000)),
            },
            _ => LocalRule::Epochs {
                base: in_steps(500 + below(4_000)),
                tick: in_steps(1 + below(500)),
            },
        },
        latency: in_steps(1 + below(60)),
        spin: in_steps(below(200)),
        switch: in_steps(below(30)),
        turn: in_steps(below(200)),
        reload: in_steps(below(600)),
        displaced: if step > 1 {
            1_000 * below(2)
        } else {
            below(300)
        },
        measure: in_steps(below(6)),
        f_first: [FFirst::OwnSlot, FFirst::EverySlot, FFirst::Gently][below(3) as usize],
        noise_period: [0, 0, in_steps(3_000 + below(60_000))][below(3) as usize],
        noise_length: in_steps(1 + below(500)),
        thresholds: Thresholds {
            slice: in_steps(20_000 + below(80_000)),
            cs: 2_000,
            dc: 50_000,
            f: 1_700,
            least_slots: 3,
            most_slots: 17,
        },
    };
    let pes = 2 + below(30) as usize;
    let rows = if algorithm == Algorithm::Batch {
        1
    } else {
        1 + below(4) as u32
    };
    // In each row two queues share the processors.
    let middle = below(pes as u64 + 1) as usize;
    let mut job = |row: usize, from: usize, to: usize| {
        let size = 1 + below((to - from) as u64) as usize;
        let first = from + below((to - from - size + 1) as u64) as usize;
        let pattern = [
            Pattern::None,
            Pattern::Ring,
            Pattern::Grid,
            Pattern::Barrier,
            Pattern::Ring,
        ][below(5) as usize];
        let grain = [300, 1_000, 5_000, 200_000][below(4) as usize];
        let compute = (0..=below(4))
            .map(|_| {
                if below(8) == 0 {
                    0
                } else {
                    in_steps(grain + below(grain as u64))
                }
            })
            .collect();
        let jitter = [0, 0, 100_000 * i64::from(step == 1)][below(3) as usize];
        let shape = Shape {
            pattern,
            compute,
            group: 1,
            jitter,
            seed,
        };
        let iterations = 1 + below(if grain > 100_000 { 12 } else { 400 }) as u64;
        Job {
            shape,
            iterations,
            columns: (first..first + size).collect(),
            row,
            start: in_steps(below(2) * below(30_000)),
        }
    };
    let halves: Vec<(usize, usize)> = [(0, middle), (middle, pes)]
        .into_iter()
        .filter(|(from, to)| from < to)
        .collect();
    let queue =
        |(row, (from, to)): (usize, (usize, usize))| (0..3).map(|_| job(row, from, to)).collect();
    let queues = (0..rows as usize)
        .flat_map(|row| halves.iter().map(move |half| (row, *half)))
        .map(queue)
        .collect();
    (constants, pes as u32, rows, queues)
}

#[test]
fn many_iterations_in_one_step_are_the_same_as_event_by_event() {
    let (mut all, mut fewer) = (0, 0);
    for seed in 0..600 {
        let (constants, pes, rows, queues) = draw_queues(seed);
        let cluster = Cluster::new(pes, rows, constants, seed);
        let (ends, changes, slow) = play(cluster.clone().event_by_event(), &queues, u64::MAX);
        let (ours, ours_changes, fast) = play(cluster.clone(), &queues, u64::MAX);
        assert_eq!(
            (&ours, &ours_changes),
            (&ends, &changes),
            "seed {seed} {constants:?} {pes} processors"
        );
        let (sliced, sliced_changes, _) = play(cluster, &queues, 11);
        assert_eq!(
            (sliced, sliced_changes),
            (ends, changes),
            "in slices, seed {seed}"
        );
        if matches!(constants.algorithm, Algorithm::Batch | Algorithm::Gang) {
            (all, fewer) = (all + slow, fewer + fast);
        }
    }
    assert!(
        fewer * 2 < all,
        "{fewer} of {all} events are left: iterations are not computed in one step"
    );
}

/// A microscope changes nothing, and what it sees is all of the time: at most one process has the
/// processor, and what a process computes is what it has to.
#[test]
fn a_microscope_sees_everything_and_changes_nothing() {
    let mut late = 0;
    for seed in 0..400 {
        let (constants, pes, rows, queues) = draw_queues(seed);
        let cluster = Cluster::new(pes, rows, constants, seed);
        let (ends, changes, _) = play(cluster.clone(), &queues, u64::MAX);
        let last = ends.iter().map(|(at, _)| *at).max().unwrap();
        let processor = seed as u32 % pes;
        let mut watched = cluster.clone();
        // A quarter is only looked at when some of it has happened.
        let is_late = seed % 4 == 3;
        let from = if seed % 2 == 0 || is_late {
            0
        } else {
            last / 3
        };
        let probe = Probe {
            processor,
            from,
            to: if seed % 4 < 2 { last } else { last / 2 },
        };
        if !is_late {
            watched.probe(probe);
        }
        let (mut same_ends, mut same_changes) = (Vec::new(), Vec::new());
        let slices = if is_late {
            (u64::MAX, Some((last / 4, probe)))
        } else {
            (u64::MAX, None)
        };
        let mut watched = play_on(watched, &queues, slices, &mut same_ends, &mut same_changes);
        assert_eq!(
            (&same_ends, &same_changes),
            (&ends, &changes),
            "seed {seed}"
        );
        let probed = watched.take_probed().unwrap();
        if is_late {
            late += 1;
            // What is seen is what would have been seen before.
            let mut early = cluster;
            early.probe(probe);
            let mut early = play_on(
                early,
                &queues,
                (u64::MAX, None),
                &mut Vec::new(),
                &mut Vec::new(),
            );
            let since = probed
                .stretches
                .iter()
                .map(|stretch| stretch.from)
                .min()
                .unwrap_or(i64::MAX);
            let of = |probed: Probed| {
                let seen = probed
                    .stretches
                    .into_iter()
                    .filter(|stretch| stretch.to > since);
                let mut seen: Vec<_> = seen
                    .map(|stretch| {
                        (
                            stretch.row,
                            stretch.from.max(since),
                            stretch.to,
                            stretch.activity,
                        )
                    })
                    .collect();
                seen.sort_by_key(|(row, from, ..)| (*row, *from));
                seen
            };
            assert_eq!(
                of(probed.clone()),
                of(early.take_probed().unwrap()),
                "seed {seed}"
            );
        }
        assert!(!probed.is_cut);
        let mut on: Vec<(i64, i64)> = Vec::new();
        for stretch in &probed.stretches {
            assert!(
                probe.from <= stretch.from && stretch.from < stretch.to && stretch.to <= probe.to,
                "{stretch:?} {probe:?}"
            );
            if matches!(
                stretch.activity,
                Activity::Compute | Activity::Spin | Activity::Overhead
            ) {
                on.push((stretch.from, stretch.to));
            }
        }
        on.sort_unstable();
        assert!(
            on.windows(2).all(|pair| pair[0].1 <= pair[1].0),
            "seed {seed}: two processes at a time"
        );
        for (queue, jobs) in queues.iter().enumerate() {
            for (place, job) in jobs.iter().enumerate() {
                let id = JobId((queue * 100 + place) as u32);
                let Some(rank) = job
                    .columns
                    .iter()
                    .position(|column| *column == processor as usize)
                else {
                    continue;
                };
                let own = probed.stretches.iter().filter(|stretch| stretch.job == id);
                assert!(own.clone().all(|stretch| stretch.rank == rank as u32 && stretch.row == job.row as u32));
                assert!(
                    own.clone()
                        .zip(own.clone().skip(1))
                        .all(|(one, next)| one.to == next.from),
                    "seed {seed}: a gap"
                );
                let computed: i64 = own
                    .filter(|stretch| stretch.activity == Activity::Compute)
                    .map(|stretch| stretch.to - stretch.from)
                    .sum();
                let measure = if constants.algorithm == Algorithm::Flexible {
                    constants.measure
                } else {
                    0
                };
                let talks = job.columns.len() > 1 && job.shape.pattern != Pattern::None;
                let each = job.shape.compute_of(rank as u32) + if talks { measure } else { 0 };
                if (probe.from, probe.to, job.shape.jitter) == (0, last, 0) {
                    assert_eq!(
                        computed,
                        each * job.iterations as i64,
                        "seed {seed}, {id:?}"
                    );
                }
            }
        }
    }
    assert!(late > 50, "{late} were looked at late");
}

/// A process that may not run because another has the processor for itself can run as soon as that
/// one ends: its job may end in the middle of a turn, another come, and take the processor of one
/// that computes through its daemons.
#[test]
fn a_job_that_waits_for_its_turn_may_end_before() {
    let constants = Constants {
        algorithm: Algorithm::Flexible,
        local: LocalRule::Epochs {
            base: 5_000,
            tick: 5_000,
        },
        latency: 60,
        spin: 120,
        switch: 10,
        turn: 500,
        reload: 2_000,
        displaced: 15,
        measure: 5,
        f_first: FFirst::Gently,
        noise_period: 100_000,
        noise_length: 100,
        thresholds: Thresholds {
            slice: 1_000_000,
            cs: 2_000,
            dc: 1_000_000,
            f: 1_700,
            least_slots: 1,
            most_slots: 32_768,
        },
    };
    let job = |row: usize, columns: std::ops::Range<usize>, compute: &[i64]| Job {
        shape: Shape {
            pattern: Pattern::None,
            compute: compute.to_vec(),
            group: 1,
            jitter: 0,
            seed: 0,
        },
        iterations: 1,
        columns: columns.collect(),
        row,
        start: 0,
    };
    let long = 20_000_000;
    let queues = [
        vec![job(1, 0..1, &[long])],
        vec![job(1, 1..3, &[2_000_000, 0]), job(1, 1..3, &[long])],
        vec![job(0, 0..1, &[10_000_000])],
        vec![job(0, 1..3, &[300_000, 6_000_000])],
        // When this one comes it is asked again when the first job may end.
        vec![Job {
            start: 1_050_000,
            ..job(1, 3..4, &[long])
        }],
    ];
    for seed in 0..20 {
        let cluster = Cluster::new(4, 2, constants, seed);
        let slow = play(cluster.clone().event_by_event(), &queues, u64::MAX);
        let fast = play(cluster, &queues, u64::MAX);
        assert_eq!((fast.0, fast.1), (slow.0, slow.1), "seed {seed}");
    }
}
