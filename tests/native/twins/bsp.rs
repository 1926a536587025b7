//! The cluster of processes, event by event, from docs/machines/bsp.md with its sections as
//! headings. It has its own classes, counters and queue. It plays whole workloads: jobs of any
//! width come one after the other, wait for a row and share processors.

use super::draw::Dice;
use super::words::{Case, Experiment, Job, Outage, Pattern, Program, Schedule, Workload};
use std::rc::Rc;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Sharing {
    Batch,
    Gang,
    SpinBlock,
    Flexible,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum FirstF {
    Gently,
    EverySlot,
    OwnSlot,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Letter {
    Cs,
    F,
    Dc,
}

/// The parameters. Times are in microseconds, shares in thousandths and hundredths.
#[derive(Copy, Clone, Debug)]
struct Rules {
    sharing: Sharing,
    mpl: usize,
    slice: i64,
    spin: i64,
    latency: i64,
    switch: i64,
    turn_cost: i64,
    reload: i64,
    displaced_thousandths: i64,
    measure: i64,
    noise_period: i64,
    noise_length: i64,
    is_linux: bool,
    quantum: i64,
    tick: i64,
    wake_margin: i64,
    cs_thresh: i64,
    dc_thresh: i64,
    f_hundredths: i64,
    cslots_min: i64,
    tslots_max: i64,
    f_first: FirstF,
}

const NOISE_SEED: u64 = 3;

/// A job of a workload: its process p computes for `compute[p]` in an iteration.
#[derive(Clone, Debug)]
struct Spec {
    at: i64,
    runtime: i64,
    size: usize,
    pattern: Pattern,
    compute: Vec<i64>,
    jitter: i64,
    number: u64,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum State {
    Computing,
    Waiting,
    Blocked,
    Ended,
}

#[derive(Clone, Debug)]
struct Process {
    job: usize,
    rank: usize,
    row: usize,
    cpu: usize,
    state: State,
    iteration: i64,
    left: i64,
    counter: i64,
    /// Computing time of its processor, in total, when the process was last taken off or its job
    /// started.
    seen: i64,
    class: Letter,
    has_talked: bool,
    cslots: i64,
    tslots: i64,
    computed: i64,
    waited: i64,
    communications: i64,
    /// Time of the present waiting so far. It counts in `waited` when the waiting ends.
    waits: i64,
}

#[derive(Clone, Debug, Default)]
struct Cpu {
    has: Option<usize>,
    /// The last process that had it, and the row of this process, unless its job has gone.
    last: Option<usize>,
    last_row: Option<usize>,
    held: i64,
    spins_until: i64,
    computed: i64,
    daemon: i64,
}

#[derive(Clone, Debug, Default)]
struct Outcome {
    starts: Vec<i64>,
    ends: Vec<i64>,
    classes: Vec<(i64, usize, usize, String)>,
    /// Number of decisions at which a job would fit but for the outage.
    waits: u64,
}

struct Cluster<'a> {
    rules: Rules,
    specs: &'a [Spec],
    now: i64,
    waiting: Vec<usize>,
    /// The job that holds each processor, row by row.
    matrix: Vec<Vec<Option<usize>>>,
    /// The processes of each job, by rank.
    of_job: Vec<Vec<usize>>,
    iterations: Vec<i64>,
    /// Instants at which each process ended its iterations, by job and rank.
    sent: Vec<Vec<Vec<i64>>>,
    processes: Vec<Process>,
    cpus: Vec<Cpu>,
    turn: Option<(usize, i64)>,
    /// Jobs that have ended and have not gone.
    over: Vec<usize>,
    outage: Option<Outage>,
    outcome: Outcome,
}

fn h(seed: u64, x: u64) -> u64 {
    let sum = u128::from(seed) * 0xd1342543de82ef95
        + u128::from(x) * 0x9e3779b97f4a7c15
        + 0x9e3779b97f4a7c15;
    let mut z = (sum & u128::from(u64::MAX)) as u64;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
    z ^ (z >> 31)
}

// Jobs and processes

fn partners(spec: &Spec, process: usize) -> Vec<usize> {
    let n = spec.size;
    if n == 1 {
        return vec![];
    }
    let mut all = match spec.pattern {
        Pattern::None => vec![],
        Pattern::Barrier => return (0..n).collect(),
        Pattern::Ring => vec![(process + 1) % n, (process + n - 1) % n],
        Pattern::Grid => {
            let width = (1..=n)
                .filter(|w| n.is_multiple_of(*w) && w * w <= n)
                .max()
                .unwrap();
            let (column, line, lines) = (process % width, process / width, n / width);
            let at = |column: usize, line: usize| column % width + line % lines * width;
            vec![
                at(column + 1, line),
                at(column + width - 1, line),
                at(column, line + 1),
                at(column, line + lines - 1),
            ]
        }
    };
    all.sort_unstable();
    all.dedup();
    all.retain(|partner| *partner != process);
    all
}

fn talks(spec: &Spec) -> bool {
    !partners(spec, 0).is_empty()
}

fn iterations(spec: &Spec, latency: i64) -> i64 {
    let longest = *spec.compute.iter().max().unwrap();
    let e = match spec.pattern {
        _ if !talks(spec) => longest,
        Pattern::Barrier => longest + latency,
        _ => {
            let pairs =
                (0..spec.size).flat_map(|p| partners(spec, p).into_iter().map(move |q| (p, q)));
            pairs
                .map(|(p, q)| i64::midpoint(spec.compute[p], spec.compute[q]) + latency)
                .max()
                .unwrap()
                .max(longest)
        }
    };
    let e = e.max(1);
    // A half upwards.
    ((2 * spec.runtime + e) / (2 * e)).max(1)
}

impl Cluster<'_> {
    fn work(&self, job: usize, rank: usize, iteration: i64) -> i64 {
        let spec = &self.specs[job];
        let c = spec.compute[rank];
        if !talks(spec) {
            return c * self.iterations[job];
        }
        let measure = if self.rules.sharing == Sharing::Flexible {
            self.rules.measure
        } else {
            0
        };
        let j = spec.jitter;
        let d = (h(spec.number, (rank as u64) * (1 << 40) + iteration as u64) % (2 * j as u64 + 1))
            as i64
            - j;
        c + c * d / 1_000_000 + measure
    }

    fn start(&mut self, job: usize, row: usize, cpus: &[usize]) {
        let spec = &self.specs[job];
        let takes_turns = matches!(self.rules.sharing, Sharing::Gang | Sharing::Flexible);
        if takes_turns && self.turn.is_none() {
            self.turn = Some((row, self.now + self.rules.slice));
        }
        self.outcome.starts[job] = self.now;
        self.iterations[job] = iterations(spec, self.rules.latency);
        self.sent[job] = vec![vec![]; spec.size];
        for (rank, cpu) in cpus.iter().enumerate() {
            self.matrix[row][*cpu] = Some(job);
            self.of_job[job].push(self.processes.len());
            let left = self.work(job, rank, 0);
            self.processes.push(Process {
                job,
                rank,
                row,
                cpu: *cpu,
                state: if !talks(spec) && left == 0 {
                    State::Ended
                } else {
                    State::Computing
                },
                iteration: 0,
                left,
                counter: self.rules.quantum,
                seen: self.cpus[*cpu].computed,
                class: Letter::Cs,
                has_talked: false,
                cslots: 0,
                tslots: 0,
                computed: 0,
                waited: 0,
                communications: 0,
                waits: 0,
            });
        }
        self.note_end(job);
        cpus.iter().for_each(|cpu| self.change(*cpu, 0));
    }

    fn note_end(&mut self, job: usize) {
        if self.of_job[job]
            .iter()
            .all(|p| self.processes[*p].state == State::Ended)
        {
            self.over.push(job);
            self.outcome.ends[job] = self.now;
        }
    }

    // Messages

    /// Returns the instant at which a waiting process has all its messages, if all have been sent.
    fn ready(&self, p: usize) -> Option<i64> {
        let Process {
            job,
            rank,
            iteration,
            ..
        } = self.processes[p];
        let sent = |partner: usize| self.sent[job][partner].get(iteration as usize - 1).copied();
        let all: Option<Vec<i64>> = partners(&self.specs[job], rank)
            .into_iter()
            .map(sent)
            .collect();
        Some(all?.into_iter().max()? + self.rules.latency)
    }

    fn is_ready(&self, p: usize) -> bool {
        self.ready(p).is_some_and(|at| at <= self.now)
    }

    // The choice of the process that runs

    /// The processes on a processor that have not ended, by row.
    fn on(&self, cpu: usize) -> Vec<usize> {
        let here =
            |p: &usize| self.processes[*p].cpu == cpu && self.processes[*p].state != State::Ended;
        let mut all: Vec<usize> = (0..self.processes.len()).filter(here).collect();
        all.sort_by_key(|p| self.processes[*p].row);
        all
    }

    fn own(&self, cpu: usize) -> Option<usize> {
        let (row, _) = self.turn?;
        self.on(cpu)
            .into_iter()
            .find(|p| self.processes[*p].row == row)
    }

    fn own_f(&self, cpu: usize) -> Option<usize> {
        self.own(cpu).filter(|own| self.is_f(*own))
    }

    fn is_f(&self, p: usize) -> bool {
        self.rules.sharing == Sharing::Flexible && self.processes[p].class == Letter::F
    }

    fn communicates(&self, p: usize) -> bool {
        self.processes[p].has_talked || self.is_f(p)
    }

    /// True if a process that has this processor has it for itself, and spins while it waits.
    fn is_alone(&self, cpu: usize) -> bool {
        match self.rules.sharing {
            Sharing::Batch | Sharing::Gang => true,
            Sharing::SpinBlock => false,
            Sharing::Flexible => self
                .own(cpu)
                .is_some_and(|own| self.processes[own].class == Letter::Cs),
        }
    }

    fn may_run(&self, p: usize) -> bool {
        let cpu = self.processes[p].cpu;
        match self.rules.sharing {
            Sharing::Batch | Sharing::SpinBlock => true,
            Sharing::Gang => self.own(cpu) == Some(p),
            Sharing::Flexible if self.is_alone(cpu) => self.own(cpu) == Some(p),
            Sharing::Flexible => self.processes[p].class != Letter::Cs,
        }
    }

    fn could_run(&self, p: usize) -> bool {
        let spins = self.is_alone(self.processes[p].cpu);
        self.may_run(p) && (spins || self.processes[p].state != State::Blocked || self.is_ready(p))
    }

    fn change(&mut self, cpu: usize, turn_cost: i64) {
        let could: Vec<usize> = self
            .on(cpu)
            .into_iter()
            .filter(|p| self.could_run(*p))
            .collect();
        let keeps = self.cpus[cpu].has.is_some_and(|p| {
            let own_f = self
                .own_f(cpu)
                .is_some_and(|own| own != p && could.contains(&own));
            let any_f = could.iter().any(|other| self.is_f(*other));
            let makes_way = self.rules.f_first != FirstF::OwnSlot && !self.communicates(p) && any_f;
            self.may_run(p) && self.processes[p].state != State::Ended && !own_f && !makes_way
        });
        if !keeps {
            self.take_off(cpu);
            self.choose(cpu);
        }
        if self.cpus[cpu].has.is_some() {
            self.hold(cpu, turn_cost);
        }
    }

    /// Holds a processor for longer. After that, a spin begins anew.
    fn hold(&mut self, cpu: usize, by: i64) {
        self.cpus[cpu].held = self.cpus[cpu].held.max(self.now) + by;
        self.cpus[cpu].spins_until = self.cpus[cpu].held + self.rules.spin;
    }

    fn take_off(&mut self, cpu: usize) {
        if let Some(p) = self.cpus[cpu].has.take() {
            self.processes[p].seen = self.cpus[cpu].computed;
        }
    }

    // Costs

    fn give(&mut self, cpu: usize, p: usize) {
        let Rules {
            switch,
            reload,
            displaced_thousandths,
            spin,
            ..
        } = self.rules;
        let own = &mut self.cpus[cpu];
        let process = &mut self.processes[p];
        let is_free = own.last.is_none_or(|last| last == p) || self.rules.sharing == Sharing::Batch;
        let cost = if is_free {
            0
        } else {
            switch + ((own.computed - process.seen) * displaced_thousandths / 1000).min(reload)
        };
        (own.has, own.last, own.last_row) = (Some(p), Some(p), Some(process.row));
        own.held = self.now + cost;
        own.spins_until = own.held + spin;
        if process.state == State::Blocked {
            process.state = State::Waiting;
        }
        if !self.rules.is_linux {
            process.counter = self.rules.quantum;
        }
    }

    // Local scheduler

    fn ticks(&self, p: usize) -> i64 {
        let counter = self.processes[p].counter.max(0);
        counter / self.rules.tick + i64::from(counter % self.rules.tick > 0)
    }

    fn choose(&mut self, cpu: usize) {
        let mut could: Vec<usize> = self
            .on(cpu)
            .into_iter()
            .filter(|p| self.could_run(*p))
            .collect();
        if could.is_empty() {
            return;
        }
        if let Some(own) = self.own_f(cpu).filter(|own| could.contains(own)) {
            could = vec![own];
        } else if self.rules.f_first != FirstF::OwnSlot && could.iter().any(|p| self.is_f(*p)) {
            could.retain(|p| self.communicates(*p));
        }
        if self.is_alone(cpu) {
            return self.give(cpu, could[0]);
        }
        if !self.rules.is_linux {
            let after = |p: &&usize| {
                self.cpus[cpu]
                    .last_row
                    .is_some_and(|row| self.processes[**p].row > row)
            };
            let next = could.iter().find(after).copied().unwrap_or(could[0]);
            return self.give(cpu, next);
        }
        while could.iter().all(|p| self.processes[*p].counter <= 0) {
            for p in self.on(cpu) {
                self.processes[p].counter =
                    self.processes[p].counter.max(0) / 2 + self.rules.quantum;
            }
        }
        let key = |p: usize| {
            let counter = self.processes[p].counter.max(0);
            let more = i64::from(counter > 0 && self.cpus[cpu].last == Some(p));
            (
                self.ticks(p) + more,
                counter,
                -(self.processes[p].row as i64),
            )
        };
        let best = could.into_iter().max_by_key(|p| key(*p)).unwrap();
        self.give(cpu, best);
    }

    // F goes first

    fn takes_the_place(&self, p: usize, running: usize) -> bool {
        let own_f = self.own_f(self.processes[p].cpu);
        let as_own = self.rules.f_first != FirstF::Gently && own_f == Some(p);
        let as_f =
            self.rules.f_first != FirstF::OwnSlot && self.is_f(p) && !self.communicates(running);
        as_own || as_f
    }

    // Classes

    fn judge(&mut self, p: usize) {
        let Rules {
            cs_thresh,
            dc_thresh,
            f_hundredths,
            cslots_min,
            tslots_max,
            ..
        } = self.rules;
        let process = &mut self.processes[p];
        process.cslots += 1;
        process.tslots += 1;
        if process.cslots < cslots_min {
            return;
        }
        let talked = process.communications > 0;
        let g = process.computed + process.waited;
        let is_old = process.tslots % tslots_max == 0;
        let below = |sum: i64, limit: i64| talked && sum < limit * process.communications;
        let f_limit = (f_hundredths * cs_thresh + 50) / 100;
        let class = if is_old || below(g, cs_thresh) {
            Letter::Cs
        } else if below(g, dc_thresh) && below(process.computed, f_limit) {
            Letter::F
        } else {
            Letter::Dc
        };
        process.has_talked = below(g, dc_thresh);
        let changes = class != process.class;
        if changes || is_old {
            (process.computed, process.waited, process.communications) = (0, 0, 0);
        }
        if changes {
            (process.class, process.cslots) = (class, 0);
            let word = format!("{class:?}").to_uppercase();
            self.outcome
                .classes
                .push((self.now, process.job, process.rank, word));
        }
    }

    // Order within an instant

    /// Carries out one step of point 1 on a processor. Returns false if no step applies.
    fn happens(&mut self, cpu: usize) -> bool {
        let now = self.now;
        if let Some(p) = self.cpus[cpu].has {
            let Process {
                state, left, job, ..
            } = self.processes[p];
            let is_held = self.cpus[cpu].held > now;
            if state == State::Computing && left == 0 && !is_held {
                self.end_computing(cpu, p);
                return true;
            }
            if state == State::Waiting && !is_held && self.is_ready(p) {
                let process = &mut self.processes[p];
                process.state = State::Computing;
                process.communications += 1;
                process.waited += std::mem::take(&mut process.waits);
                let (rank, iteration) = (process.rank, process.iteration);
                self.processes[p].left = self.work(job, rank, iteration);
                return true;
            }
            if state == State::Waiting && !self.is_alone(cpu) && self.cpus[cpu].spins_until <= now {
                self.processes[p].state = State::Blocked;
                self.take_off(cpu);
                self.choose(cpu);
                return true;
            }
        }
        let wakes: Vec<usize> = self
            .on(cpu)
            .into_iter()
            .filter(|p| self.processes[*p].state == State::Blocked && self.could_run(*p))
            .collect();
        for p in &wakes {
            if self.processes[*p].state == State::Blocked {
                self.wake(cpu, *p);
            }
        }
        if !wakes.is_empty() {
            return true;
        }
        let others = self
            .on(cpu)
            .into_iter()
            .filter(|p| self.may_run(*p))
            .count()
            > 1;
        if let Some(p) = self.cpus[cpu]
            .has
            .filter(|p| others && !self.is_alone(cpu) && self.processes[*p].counter <= 0)
        {
            let (held, spins_until) = (self.cpus[cpu].held, self.cpus[cpu].spins_until);
            self.take_off(cpu);
            self.choose(cpu);
            if self.cpus[cpu].has == Some(p) {
                (self.cpus[cpu].held, self.cpus[cpu].spins_until) = (held, spins_until);
            }
            return true;
        }
        if self.cpus[cpu].has.is_some() && self.next_daemon(cpu) == Some(now) {
            self.cpus[cpu].daemon = now + 1;
            self.hold(cpu, self.rules.noise_length);
            return true;
        }
        false
    }

    fn end_computing(&mut self, cpu: usize, p: usize) {
        let Process { job, rank, .. } = self.processes[p];
        self.processes[p].iteration += 1;
        self.sent[job][rank].push(self.now);
        if talks(&self.specs[job]) && self.processes[p].iteration < self.iterations[job] {
            self.processes[p].state = State::Waiting;
            self.cpus[cpu].spins_until = self.now + self.rules.spin;
            return;
        }
        self.processes[p].state = State::Ended;
        self.note_end(job);
        self.change(cpu, 0);
    }

    fn wake(&mut self, cpu: usize, p: usize) {
        self.processes[p].state = State::Waiting;
        let Some(running) = self.cpus[cpu].has else {
            return self.choose(cpu);
        };
        let by_counter =
            self.rules.is_linux && self.ticks(p) > self.ticks(running) + self.rules.wake_margin;
        if self.takes_the_place(p, running) || by_counter && !self.takes_the_place(running, p) {
            self.take_off(cpu);
            self.give(cpu, p);
        }
    }

    /// Returns the instant, now or later, at which the next daemon comes that has not come yet.
    fn next_daemon(&self, cpu: usize) -> Option<i64> {
        let period = self.rules.noise_period;
        let first = (h(NOISE_SEED, cpu as u64) % period.max(1) as u64) as i64;
        let since = self.now.max(self.cpus[cpu].daemon);
        (period > 0).then(|| {
            if since <= first {
                first
            } else {
                first + (since - first + period - 1) / period * period
            }
        })
    }

    fn everywhere(&mut self) {
        for cpu in 0..self.cpus.len() {
            while self.happens(cpu) {}
        }
    }

    fn instant(&mut self) {
        self.everywhere();
        if let Some((row, end)) = self.turn
            && end == self.now
        {
            self.end_slice(row);
            self.everywhere();
        }
        while self
            .waiting
            .first()
            .is_some_and(|job| self.specs[*job].at <= self.now)
            || !self.over.is_empty()
        {
            for job in std::mem::take(&mut self.over) {
                self.go(job);
            }
            if !self.start_those_that_fit() && self.over.is_empty() {
                break;
            }
            self.everywhere();
        }
        self.everywhere();
    }

    fn end_slice(&mut self, row: usize) {
        if self.rules.sharing == Sharing::Flexible {
            for cpu in 0..self.cpus.len() {
                if let Some(own) = self.own(cpu) {
                    self.judge(own);
                }
            }
        }
        let next = self.row_after(row).unwrap();
        self.turn = Some((next, self.now + self.rules.slice));
        if next != row || self.rules.sharing == Sharing::Flexible {
            let cost = if next == row { 0 } else { self.rules.turn_cost };
            (0..self.cpus.len()).for_each(|cpu| self.change(cpu, cost));
        }
    }

    fn row_after(&self, row: usize) -> Option<usize> {
        let rows = self.matrix.len();
        (row + 1..=row + rows)
            .map(|row| row % rows)
            .find(|row| self.matrix[*row].iter().any(Option::is_some))
    }

    fn go(&mut self, job: usize) {
        for p in self.of_job[job].clone() {
            let Process { cpu, row, .. } = self.processes[p];
            self.matrix[row][cpu] = None;
            if self.cpus[cpu].last == Some(p) {
                self.cpus[cpu].last_row = None;
            }
        }
        let Some((row, _)) = self.turn else { return };
        if self.matrix[row].iter().any(Option::is_some) {
            return;
        }
        self.turn = self
            .row_after(row)
            .map(|next| (next, self.now + self.rules.slice));
        if self.turn.is_some() {
            (0..self.cpus.len()).for_each(|cpu| self.change(cpu, self.rules.turn_cost));
        }
    }

    /// Starts waiting jobs first come, first served, each in the first row with room. Returns true
    /// if a job has started.
    fn start_those_that_fit(&mut self) -> bool {
        let mut has_started = false;
        while let Some(job) = self
            .waiting
            .first()
            .copied()
            .filter(|job| self.specs[*job].at <= self.now)
        {
            // All that happens at the instant at which the outage begins happens before it.
            let outage = self
                .outage
                .filter(|outage| outage.at < self.now && self.now < outage.until());
            let is_closed = |cpu: usize| outage.is_some_and(|outage| outage.has(cpu));
            let free = |row: &[Option<usize>]| {
                (0..row.len())
                    .filter(|cpu| row[*cpu].is_none() && !is_closed(*cpu))
                    .collect::<Vec<usize>>()
            };
            let Some(row) = (0..self.matrix.len())
                .find(|row| free(&self.matrix[*row]).len() >= self.specs[job].size)
            else {
                let idle =
                    |row: &Vec<Option<usize>>| row.iter().filter(|job| job.is_none()).count();
                let would_fit = self
                    .matrix
                    .iter()
                    .any(|row| idle(row) >= self.specs[job].size);
                self.outcome.waits += u64::from(would_fit);
                break;
            };
            self.waiting.remove(0);
            let cpus = free(&self.matrix[row])[..self.specs[job].size].to_vec();
            self.start(job, row, &cpus);
            has_started = true;
        }
        has_started
    }

    /// Returns the instant at which something happens next.
    fn next(&self) -> Option<i64> {
        let now = self.now;
        let mut all: Vec<i64> = self.waiting.iter().map(|job| self.specs[*job].at).collect();
        all.extend(self.outage.map(|outage| outage.until()));
        all.extend(self.turn.map(|(_, end)| end));
        for cpu in 0..self.cpus.len() {
            all.extend(
                self.on(cpu)
                    .into_iter()
                    .filter(|p| self.processes[*p].state == State::Blocked)
                    .filter_map(|p| self.ready(p)),
            );
            let Some(p) = self.cpus[cpu].has else {
                continue;
            };
            let Process {
                state,
                left,
                counter,
                ..
            } = self.processes[p];
            let begins = self.cpus[cpu].held.max(now);
            match state {
                State::Computing => all.push(begins + left),
                _ => {
                    all.extend(self.ready(p).map(|ready| ready.max(begins)));
                    all.push(self.cpus[cpu].spins_until);
                }
            }
            all.push(now + counter);
            all.extend(self.next_daemon(cpu));
        }
        all.into_iter().filter(|at| *at > now).min()
    }

    fn pass(&mut self, to: i64) {
        for p in 0..self.processes.len() {
            if matches!(self.processes[p].state, State::Waiting | State::Blocked) && self.may_run(p)
            {
                self.processes[p].waits += to - self.now;
            }
        }
        for cpu in 0..self.cpus.len() {
            let Some(p) = self.cpus[cpu].has else {
                continue;
            };
            let is_counted = !self.is_alone(cpu);
            let process = &mut self.processes[p];
            if is_counted {
                process.counter -= to - self.now;
            }
            if process.state == State::Computing {
                let computed = (to - self.cpus[cpu].held.max(self.now)).max(0);
                process.left -= computed;
                process.computed += computed;
                self.cpus[cpu].computed += computed;
            }
        }
        self.now = to;
    }
}

fn play(rules: Rules, cpus: usize, specs: &[Spec], outage: Option<Outage>) -> Outcome {
    let mut twin = Cluster {
        rules,
        specs,
        now: 0,
        waiting: (0..specs.len()).collect(),
        matrix: vec![
            vec![None; cpus];
            if rules.sharing == Sharing::Batch {
                1
            } else {
                rules.mpl
            }
        ],
        of_job: vec![vec![]; specs.len()],
        iterations: vec![0; specs.len()],
        sent: vec![vec![]; specs.len()],
        processes: Vec::new(),
        cpus: vec![Cpu::default(); cpus],
        turn: None,
        over: Vec::new(),
        outage,
        outcome: Outcome {
            starts: vec![-1; specs.len()],
            ends: vec![-1; specs.len()],
            ..Outcome::default()
        },
    };
    twin.instant();
    while let Some(next) = twin.next().filter(|_| twin.outcome.ends.contains(&-1)) {
        assert!(next < 100_000_000, "the twin does not come to an end");
        twin.pass(next);
        twin.instant();
    }
    twin.outcome
}

fn experiment(rules: &Rules) -> Experiment {
    let milli = |time: i64| time as f64 / 1000.0;
    let settings = [
        ("mpl", rules.mpl as f64),
        ("slice", milli(rules.slice)),
        ("spin", rules.spin as f64),
        ("latency", rules.latency as f64),
        ("process_switch", rules.switch as f64),
        ("turn_cost", rules.turn_cost as f64),
        ("reload", rules.reload as f64),
        ("displaced", rules.displaced_thousandths as f64 / 1000.0),
        ("measure", rules.measure as f64),
        ("noise_period", milli(rules.noise_period)),
        ("noise_length", rules.noise_length as f64),
        ("noise_seed", NOISE_SEED as f64),
        ("local_quantum", milli(rules.quantum)),
        ("tick", rules.tick as f64),
        ("wake_margin", rules.wake_margin as f64),
        ("cs_thresh", milli(rules.cs_thresh)),
        ("dc_thresh", milli(rules.dc_thresh)),
        ("f_thresh", rules.f_hundredths as f64 / 100.0),
        ("cslots_min", rules.cslots_min as f64),
        ("tslots_max", rules.tslots_max as f64),
    ];
    let sharing = match rules.sharing {
        Sharing::Batch => "batch",
        Sharing::Gang => "gang",
        Sharing::SpinBlock => "spin_block",
        Sharing::Flexible => "flexible",
    };
    let f_first = match rules.f_first {
        FirstF::Gently => "gently",
        FirstF::EverySlot => "every_slot",
        FirstF::OwnSlot => "own_slot",
    };
    let local = if rules.is_linux {
        "linux24"
    } else {
        "round_robin"
    };
    let plain = Experiment::on("bsp", "fcfs")
        .with("coscheduling", sharing)
        .with("f_first", f_first)
        .with("local", local);
    settings
        .into_iter()
        .fold(plain, |experiment, (key, value)| {
            experiment.with(key, value)
        })
}

/// Jobs that come while others run, of all widths, with costs. Every third workload lives in steps
/// of 50 microseconds: there, much happens at one instant.
fn draw(seed: u64) -> (Rules, usize, Vec<Spec>) {
    let mut dice = Dice::new(seed, "bsp twin");
    let step = if seed.is_multiple_of(3) { 50 } else { 1 };
    let mut below = |bound: i64| dice.below(bound as u64) as i64;
    let in_steps = |time: i64| (time + step - 1) / step * step;
    let costs = below(4) > 0;
    let cost = |time: i64| if costs { in_steps(time) } else { 0 };
    let rules = Rules {
        sharing: [
            Sharing::Batch,
            Sharing::Gang,
            Sharing::SpinBlock,
            Sharing::SpinBlock,
            Sharing::Flexible,
            Sharing::Flexible,
            Sharing::Flexible,
        ][below(7) as usize],
        mpl: 1 + below(4) as usize,
        slice: in_steps(1_000 + below(5_000)),
        spin: in_steps(below(300)),
        latency: in_steps(1 + below(60)),
        switch: cost(below(50)),
        turn_cost: cost(below(300)),
        reload: cost(below(300)),
        displaced_thousandths: if step > 1 {
            1_000 * below(2)
        } else {
            [below(300), 1_000][below(2) as usize]
        },
        measure: cost(below(10)),
        noise_period: [0, in_steps(3_000 + below(20_000))][below(2) as usize],
        noise_length: in_steps(1 + below(150)),
        is_linux: below(3) > 0,
        quantum: in_steps(1_000 + below(3_000)),
        tick: in_steps(1 + [below(30), below(2_000)][below(2) as usize]),
        wake_margin: [1, below(60)][below(2) as usize],
        cs_thresh: in_steps(200 + below(2_000)),
        dc_thresh: in_steps(2_000 + below(8_000)),
        // So that no product with `cs_thresh` lies between two microseconds.
        f_hundredths: 4 * (13 + below(14)),
        cslots_min: 1 + below(4),
        tslots_max: [5 + below(25), 32_768][below(2) as usize],
        f_first: [FirstF::Gently, FirstF::EverySlot, FirstF::OwnSlot][below(3) as usize],
    };
    let cpus = 1 + below(7) as usize;
    let mut at = 0;
    let jobs = (0..2 + below(7))
        .map(|_| {
            at += in_steps(below(2) * below(20_000));
            let size = 1 + below(cpus as i64) as usize;
            let grain = [50, 300, 1_500][below(3) as usize];
            let uneven = below(3) > 0;
            let base = in_steps(1 + below(grain));
            let mut work = || {
                if below(10) == 0 {
                    0
                } else if uneven {
                    in_steps(1 + below(2 * grain))
                } else {
                    base
                }
            };
            let compute = (0..size).map(|_| work()).collect();
            Spec {
                at,
                runtime: 1_000 * below(31),
                size,
                compute,
                pattern: [
                    Pattern::None,
                    Pattern::Ring,
                    Pattern::Grid,
                    Pattern::Barrier,
                    Pattern::Ring,
                ][below(5) as usize],
                jitter: if step == 1 && below(3) == 0 {
                    50_000
                } else {
                    0
                },
                number: below(9) as u64,
            }
        })
        .collect();
    (rules, cpus, jobs)
}

/// Jobs of seconds that come within three seconds, with the constants of the machine.
fn draw_seconds(seed: u64) -> (Rules, usize, Vec<Spec>) {
    let mut dice = Dice::new(seed, "bsp twin, seconds");
    let mut below = |bound: i64| dice.below(bound as u64) as i64;
    let rules = Rules {
        sharing: [Sharing::Gang, Sharing::SpinBlock, Sharing::Flexible][below(3) as usize],
        mpl: 2 + below(4) as usize,
        slice: 1_000 * [20, 50, 100][below(3) as usize],
        spin: 120,
        latency: 40,
        switch: 5,
        turn_cost: 500,
        reload: 1_500,
        displaced_thousandths: 18,
        measure: 5,
        noise_period: 100_000,
        noise_length: 100,
        is_linux: true,
        quantum: 5_250,
        tick: [244, 1_000, 5_250][below(3) as usize],
        wake_margin: [1, 4][below(2) as usize],
        cs_thresh: 2_000,
        dc_thresh: 1_000_000,
        f_hundredths: 85,
        cslots_min: [2, 5, 20][below(3) as usize],
        tslots_max: 5 + below(25),
        f_first: [FirstF::Gently, FirstF::EverySlot, FirstF::OwnSlot][below(3) as usize],
    };
    let cpus = 4 + below(13) as usize;
    let jobs = (0..3 + below(5)).map(|_| {
        let size = 1 + below(cpus as i64) as usize;
        let (fast, slow) = (1_000, [1_000, 2_040, 3_080][below(3) as usize]);
        let compute = (0..size)
            .map(|process| if process / 4 % 2 == 0 { fast } else { slow })
            .collect();
        let pattern = [
            Pattern::None,
            Pattern::Ring,
            Pattern::Grid,
            Pattern::Barrier,
            Pattern::Ring,
        ][below(5) as usize];
        Spec {
            at: 1_000_000 * below(4),
            runtime: 1_000_000 * (1 + below(2)),
            size,
            pattern,
            compute,
            jitter: 0,
            number: 1,
        }
    });
    let mut jobs: Vec<Spec> = jobs.collect();
    jobs.sort_by_key(|job| job.at);
    (rules, cpus, jobs)
}

/// The workload in microseconds.
fn case((rules, cpus, specs): (Rules, usize, Vec<Spec>), outage: Option<Outage>) -> Case {
    let job = |spec: &Spec| Job {
        submit: spec.at,
        runtime: spec.runtime,
        estimate: spec.runtime,
        processors: spec.size as u32,
        user: 1,
    };
    let program = |spec: &Spec| Program {
        pattern: spec.pattern,
        compute: spec.compute.clone(),
        jitter: spec.jitter,
        seed: spec.number,
    };
    let workload = Rc::new(Workload {
        second: 1_000_000,
        programs: specs.iter().map(program).collect(),
        ..Workload::new(cpus as u32, specs.iter().map(job).collect())
    });
    let experiment = Experiment {
        outage,
        ..experiment(&rules)
    };
    Case::plays(experiment, &workload, move |_| {
        let outcome = play(rules, cpus, &specs, outage);
        let mut schedule = Schedule::of(outcome.starts);
        schedule.ends = Some(outcome.ends);
        let line = |(at, job, rank, class): &(i64, usize, usize, String)| {
            format!("{at} us: process {rank} of job {job} is {class}")
        };
        let classes = &outcome.classes;
        for class in ["CS", "F", "DC"] {
            let is_this = |change: &&(i64, usize, usize, String)| change.3 == class;
            let count = classes.iter().filter(is_this).count() as u64;
            schedule.counts.insert(class, count);
        }
        let closed = outage.map_or(0, |outage| outage.count.into());
        schedule.counts.insert("closed processors", closed);
        schedule.counts.insert("waits for an outage", outcome.waits);
        schedule
            .told
            .insert("classes", classes.iter().map(line).collect());
        schedule
    })
}

pub fn whole_workloads(seed: u64) -> Vec<Case> {
    vec![case(draw(seed), None)]
}

/// Workloads during which processors go out of service for a while.
pub fn outages(seed: u64) -> Vec<Case> {
    let (rules, cpus, specs) = draw(seed);
    let mut dice = Dice::new(seed, "bsp outage");
    let last = specs.last().map_or(0, |spec| spec.at);
    let first = dice.below(cpus as u64) as u32;
    let outage = Outage {
        at: dice.below(last as u64 + 30_000) as i64,
        length: 1 + dice.below(60_000) as i64,
        first,
        count: 1 + dice.below(cpus as u64 - u64::from(first)) as u32,
    };
    vec![case((rules, cpus, specs), Some(outage))]
}

pub fn seconds(seed: u64) -> Vec<Case> {
    vec![case(draw_seconds(seed), None)]
}
