//! Gang scheduling (docs/machines/gang.md), tick by tick. The matrix is an array of processors for
//! each row, and the rotation is a counter.

use super::draw::{self, Dice, random_jobs};
use super::words::{Case, Experiment, Job, Outage, Overruns, Schedule, Workload};
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Copy, Clone, Debug, PartialEq)]
enum Packing {
    First,
    Best,
    Buddy,
}

#[derive(Copy, Clone, Debug, PartialEq)]
enum Queue {
    Fcfs,
    Easy,
    Greedy,
    /// EASY with this number of reservations.
    Deep(usize),
}

/// The rules by which the twin schedules. Times are in ticks.
#[derive(Copy, Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the real machine"
)]
struct Rules {
    /// Ticks in a second.
    second: i64,
    /// True if estimates are multiplied by the number of slots.
    stretches: bool,
    slots: usize,
    quantum: i64,
    cost: i64,
    packing: Packing,
    unify: bool,
    moves: bool,
    alternate: bool,
    queue: Queue,
}

/// A row of the matrix: for each processor, the job that has it or whose block it is in.
type Row = Vec<Option<usize>>;

#[derive(Clone)]
struct Naive<'a> {
    rules: Rules,
    jobs: &'a [Job],
    rows: Vec<Row>,
    /// Row and processors of the running jobs.
    places: Vec<Option<(usize, Vec<usize>)>>,
    started: Vec<usize>,
    left: Vec<i64>,
    starts: Vec<i64>,
    ends: Vec<i64>,
    /// The processors that each job got at its start.
    placed: Vec<Vec<u32>>,
    /// The outage, while it lasts.
    outage: Option<Outage>,
    /// Number of processors of each job that count as closed in a matrix of one row.
    ceded: Vec<usize>,
}

/// Places that are set aside: rows and processors.
type Aside = [(usize, Vec<usize>)];

impl Naive<'_> {
    fn is_closed(&self, processor: usize) -> bool {
        self.outage.is_some_and(|outage| outage.has(processor))
    }

    /// Returns a row in which processors that are out of service are taken.
    fn open(&self, row: usize) -> Row {
        let own = |at: usize| self.rows[row][at].or(self.is_closed(at).then_some(usize::MAX));
        (0..self.rows[row].len()).map(own).collect()
    }

    /// True if policies only count the processors of the only row.
    fn is_counted(&self) -> bool {
        self.rules.slots == 1 && self.rules.packing != Packing::Buddy
    }

    /// Returns the number of free places in all rows.
    fn free(&self) -> usize {
        let rows = (0..self.rows.len()).flat_map(|row| self.open(row));
        rows.filter(Option::is_none).count()
    }

    fn close(&mut self, outage: Outage) {
        self.outage = Some(outage);
        for job in &self.started {
            let own = self.places[*job].iter().flat_map(|(_, own)| own);
            let closed = own.filter(|at| outage.has(**at)).count();
            if self.is_counted() && self.starts[*job] + self.jobs[*job].runtime < outage.until() {
                self.ceded[*job] = closed;
            }
        }
    }

    /// Returns the processors that a job of this size gets in a row, and the processors that no
    /// other job may have then.
    fn choose(&self, row: &Row, size: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        if self.rules.packing == Packing::Buddy {
            let mut block = 1;
            while block < size {
                block *= 2;
            }
            let mut first = 0;
            while first < row.len() {
                let all: Vec<usize> = (first..(first + block).min(row.len())).collect();
                if all.len() >= size && all.iter().all(|at| row[*at].is_none()) {
                    return Some((all[..size].to_vec(), all));
                }
                first += block;
            }
            return None;
        }
        let free: Vec<usize> = (0..row.len())
            .filter(|at| row[*at].is_none())
            .take(size)
            .collect();
        (free.len() == size).then(|| (free.clone(), free))
    }

    /// The row and processors for a job, outside of what is set aside.
    fn find(&self, size: usize, aside: &Aside) -> Option<(usize, Vec<usize>, Vec<usize>)> {
        let mut found: Vec<(usize, usize, Vec<usize>, Vec<usize>)> = Vec::new();
        for number in 0..self.rows.len() {
            let mut row = self.open(number);
            for (_, columns) in aside.iter().filter(|(row, _)| *row == number) {
                columns.iter().for_each(|at| row[*at] = Some(usize::MAX));
            }
            let left = row.iter().filter(|owner| owner.is_none()).count();
            if let Some((own, block)) = self.choose(&row, size) {
                found.push((left, number, own, block));
            }
        }
        if self.rules.packing == Packing::Best {
            found.sort();
        }
        found
            .into_iter()
            .next()
            .map(|(_, row, own, block)| (row, own, block))
    }

    fn start(&mut self, job: usize, now: i64, aside: &Aside) -> bool {
        let Some((row, own, block)) = self.find(self.jobs[job].processors as usize, aside) else {
            return false;
        };
        block.iter().for_each(|at| self.rows[row][*at] = Some(job));
        self.placed[job] = own.iter().map(|at| *at as u32).collect();
        self.places[job] = Some((row, own));
        self.started.push(job);
        self.starts[job] = now;
        self.left[job] = self.jobs[job].runtime;
        true
    }

    fn leave(&mut self, job: usize) {
        self.rows
            .iter_mut()
            .flatten()
            .filter(|owner| **owner == Some(job))
            .for_each(|owner| *owner = None);
        self.places[job] = None;
        self.started.retain(|other| *other != job);
    }

    fn tidy(&mut self) {
        if self.rules.unify {
            for from in 1..self.rows.len() {
                let own: Vec<usize> = (0..self.rows[from].len())
                    .filter(|at| self.rows[from][*at].is_some())
                    .collect();
                let to = (0..from).find(|to| {
                    self.rows[*to].iter().any(Option::is_some)
                        && own.iter().all(|at| self.open(*to)[*at].is_none())
                });
                if let Some(to) = to
                    && !own.is_empty()
                {
                    for at in own {
                        self.rows[to][at] = self.rows[from][at].take();
                    }
                    self.places
                        .iter_mut()
                        .flatten()
                        .filter(|(row, _)| *row == from)
                        .for_each(|(row, _)| *row = to);
                }
            }
        }
        if self.rules.moves {
            // In the order of the engine: start, then number.
            let mut by_start = self.started.clone();
            by_start.sort_by_key(|job| (self.starts[*job], *job));
            let place = |naive: &Self, job: usize| naive.places[job].clone().unwrap();
            let mut order: Vec<(usize, usize)> = by_start.into_iter().enumerate().collect();
            order.sort_by_key(|(at, job)| {
                (
                    usize::MAX - place(self, *job).0,
                    u32::MAX - self.jobs[*job].processors,
                    *at,
                )
            });
            for (_, job) in order {
                let (from, _) = place(self, job);
                let size = self.jobs[job].processors as usize;
                let to = (0..from)
                    .find_map(|row| self.choose(&self.open(row), size).map(|found| (row, found)));
                if let Some((row, (own, block))) = to
                    && self.rows[row].iter().any(Option::is_some)
                {
                    self.rows
                        .iter_mut()
                        .flatten()
                        .filter(|owner| **owner == Some(job))
                        .for_each(|owner| *owner = None);
                    block.iter().for_each(|at| self.rows[row][*at] = Some(job));
                    self.places[job] = Some((row, own));
                }
            }
        }
    }

    fn expected(&self, job: usize) -> i64 {
        self.jobs[job].estimate
            * if self.rules.stretches {
                self.rules.slots as i64
            } else {
                1
            }
    }

    fn decide(&mut self, queue: &mut Vec<usize>, now: i64) {
        if self.rules.queue == Queue::Greedy {
            return queue.retain(|job| !self.start(*job, now, &[]));
        }
        while let Some(head) = queue.first().copied() {
            if !self.start(head, now, &[]) {
                break;
            }
            queue.remove(0);
        }
        let Some(head) = queue.first().copied() else {
            return;
        };
        match self.rules.queue {
            Queue::Fcfs => return,
            Queue::Deep(depth) => return self.decide_deep(queue, now, depth),
            _ => {}
        }
        let size = self.jobs[head].processors as usize;
        let (shadow, aside, mut extra) = if self.is_counted() {
            let (shadow, extra) = self.counted_shadow(size, now);
            (shadow, Vec::new(), extra)
        } else {
            self.shadow(size, now)
        };
        for job in queue.clone().into_iter().skip(1) {
            let is_long = now + self.expected(job) > shadow;
            let size = i64::from(self.jobs[job].processors);
            let aside = if is_long { &aside[..] } else { &[] };
            if (!is_long || size <= extra) && self.start(job, now, aside) {
                extra -= if is_long { size } else { 0 };
                queue.retain(|other| *other != job);
            }
        }
    }

    /// Returns the instant at which a running job is taken to end.
    fn due(&self, job: usize, now: i64) -> i64 {
        let end = self.starts[job] + self.expected(job);
        if end > now {
            end
        } else {
            now + self.rules.second
        }
    }

    /// Returns the instants at which running jobs are taken to end, and the end of the outage.
    fn releases(&self, now: i64) -> Vec<i64> {
        let mut instants: Vec<i64> = self.started.iter().map(|job| self.due(*job, now)).collect();
        instants.extend(self.outage.map(|outage| outage.until()));
        instants.sort_unstable();
        instants.dedup();
        instants
    }

    /// Returns when a job of this size would start if all took as long as expected, the places that it
    /// would have, and the number of other places that are free then.
    fn shadow(&self, size: usize, now: i64) -> (i64, Vec<(usize, Vec<usize>)>, i64) {
        let mut later = self.clone();
        for time in self.releases(now) {
            for job in self
                .started
                .iter()
                .filter(|job| self.due(**job, now) == time)
            {
                later.leave(*job);
            }
            later.outage = later.outage.filter(|outage| time < outage.until());
            if let Some((row, _, block)) = later.find(size, &[]) {
                let extra = later.free() - block.len();
                return (time, vec![(row, block)], extra as i64);
            }
        }
        panic!("all processors are free at last");
    }

    /// Does the same where any processors will do, so that they are only counted.
    fn counted_shadow(&self, size: usize, now: i64) -> (i64, i64) {
        let own = |job: usize| self.jobs[job].processors as usize - self.ceded[job];
        let mut free = self.free();
        for time in self.releases(now) {
            for job in self
                .started
                .iter()
                .filter(|job| self.due(**job, now) == time)
            {
                free += own(*job);
            }
            if self.outage.is_some_and(|outage| outage.until() == time) {
                let is_shut = |at: &usize| {
                    let owner = self.rows[0][*at];
                    self.is_closed(*at) && owner.is_none_or(|job| self.ceded[job] > 0)
                };
                free += (0..self.rows[0].len()).filter(is_shut).count();
            }
            if free >= size {
                return (time, (free - size) as i64);
            }
        }
        panic!("all processors are free at last");
    }

    /// Goes through the waiting jobs and starts those that can start beside the reservations so far. The
    /// first `depth` of the others hold reservations.
    fn decide_deep(&mut self, queue: &mut Vec<usize>, now: i64, depth: usize) {
        let mut reserved: Vec<(i64, i64, (usize, Vec<usize>))> = Vec::new();
        for (rank, job) in queue.clone().into_iter().enumerate() {
            let takes = self.expected(job);
            let begun = reserved.iter().filter(|(from, ..)| *from < now + takes);
            let aside: Vec<_> = begun.map(|(.., places)| places.clone()).collect();
            if rank > 0 && self.start(job, now, &aside) {
                queue.retain(|other| *other != job);
                continue;
            }
            if reserved.len() == depth {
                continue;
            }
            let mut instants = self.releases(now);
            instants.extend(reserved.iter().map(|(_, end, _)| *end));
            instants.sort_unstable();
            let found = instants.into_iter().find_map(|from| {
                let mut later = self.clone();
                let gone = self
                    .started
                    .iter()
                    .filter(|job| self.due(**job, now) <= from);
                gone.for_each(|job| later.leave(*job));
                later.outage = later.outage.filter(|outage| from < outage.until());
                let meets = |(start, end, _): &&(i64, i64, _)| *start < from + takes && from < *end;
                let meeting = reserved.iter().filter(meets);
                let aside: Vec<_> = meeting.map(|(.., places)| places.clone()).collect();
                let (row, _, block) = later.find(self.jobs[job].processors as usize, &aside)?;
                Some((from, from + takes, (row, block)))
            });
            reserved.push(found.expect("all processors are free at last"));
        }
    }

    /// Returns, for each job, the rows in whose slices it runs.
    fn slices(&self) -> Vec<Vec<usize>> {
        let mut slices: Vec<Vec<usize>> = self
            .places
            .iter()
            .map(|place| place.iter().map(|(row, _)| *row).collect())
            .collect();
        if !self.rules.alternate {
            return slices;
        }
        for row in 0..self.rows.len() {
            // A buddy's block is idle where the job itself does not need it.
            let mut busy = vec![false; self.rows[row].len()];
            for (at, columns) in self.places.iter().flatten() {
                if *at == row {
                    columns.iter().for_each(|column| busy[*column] = true);
                }
            }
            if busy.iter().all(|busy| !busy) {
                continue;
            }
            for job in &self.started {
                let (own, columns) = self.places[*job].clone().unwrap();
                if own != row && columns.iter().all(|column| !busy[*column]) {
                    columns.iter().for_each(|column| busy[*column] = true);
                    slices[*job].push(row);
                }
            }
        }
        slices
    }
}

fn play(rules: Rules, workload: &Workload, outage: Option<Outage>) -> Schedule {
    let jobs = &workload.jobs;
    let mut state = Naive {
        rules,
        jobs,
        rows: vec![vec![None; workload.processors as usize]; rules.slots],
        places: vec![None; jobs.len()],
        started: Vec::new(),
        left: vec![0; jobs.len()],
        starts: vec![-1; jobs.len()],
        ends: vec![-1; jobs.len()],
        placed: vec![Vec::new(); jobs.len()],
        outage: None,
        ceded: vec![0; jobs.len()],
    };
    let mut counts = BTreeMap::new();
    let (mut queue, mut next) = (Vec::new(), 0);
    let (mut current, mut runs_from, mut slice_end) = (None::<usize>, 0, 0);
    let mut now = 0;
    let mut to_come = outage;
    while state.ends.contains(&-1) {
        let active = |state: &Naive<'_>| -> Vec<usize> {
            (0..rules.slots)
                .filter(|row| state.rows[*row].iter().any(Option::is_some))
                .collect()
        };
        let following = |rows: &[usize], row: usize| {
            rows.iter()
                .copied()
                .find(|other| *other > row)
                .unwrap_or(rows[0])
        };
        let turn = |current: &mut Option<usize>,
                    runs_from: &mut i64,
                    slice_end: &mut i64,
                    rows: &[usize]| match *current {
            _ if rows.is_empty() => *current = None,
            None => (*current, *runs_from, *slice_end) = (Some(rows[0]), now, now + rules.quantum),
            Some(row) if !rows.contains(&row) => {
                (*current, *runs_from, *slice_end) = (
                    Some(following(rows, row)),
                    now + rules.cost,
                    now + rules.quantum,
                );
            }
            Some(_) => {}
        };
        if let Some(row) = current
            && now == slice_end
        {
            let to = following(&active(&state), row);
            slice_end = now + rules.quantum;
            if to != row {
                (current, runs_from) = (Some(to), now + rules.cost);
            }
        }
        loop {
            let done: Vec<usize> = state
                .started
                .iter()
                .copied()
                .filter(|job| state.left[*job] == 0)
                .collect();
            done.iter().for_each(|job| {
                state.ends[*job] = now;
                state.leave(*job);
            });
            if !done.is_empty() {
                turn(
                    &mut current,
                    &mut runs_from,
                    &mut slice_end,
                    &active(&state),
                );
                state.tidy();
            }
            turn(
                &mut current,
                &mut runs_from,
                &mut slice_end,
                &active(&state),
            );
            let reopens = state.outage.is_some_and(|outage| outage.until() == now);
            if reopens {
                state.outage = None;
                state.ceded.fill(0);
                counts.insert("waits until an outage ends", queue.len().min(1) as u64);
            }
            let arrived = next;
            while next < jobs.len() && jobs[next].submit == now {
                queue.push(next);
                next += 1;
            }
            let mut happens = !done.is_empty() || reopens || arrived < next;
            // All that happens at the instant of the outage happens before it.
            if !happens && let Some(outage) = to_come.filter(|outage| outage.at == now) {
                to_come = None;
                state.close(outage);
                let is_on = |(_, own): &&(usize, Vec<usize>)| own.iter().any(|at| outage.has(*at));
                let on_closed = state.places.iter().flatten().filter(is_on).count();
                counts.insert("closed processors", outage.count.into());
                counts.insert("jobs on closed processors", on_closed as u64);
                happens = true;
            }
            // A policy is asked when something happened.
            if !happens {
                break;
            }
            let before = state.started.len();
            state.decide(&mut queue, now);
            // Rows get jobs one by one.
            for count in before..state.started.len() {
                let mut rows: Vec<usize> = state.started[..=count]
                    .iter()
                    .map(|job| state.places[*job].as_ref().unwrap().0)
                    .collect();
                rows.sort_unstable();
                turn(&mut current, &mut runs_from, &mut slice_end, &rows);
            }
        }
        if let Some(row) = current
            && now >= runs_from
        {
            let slices = state.slices();
            for job in state.started.clone() {
                state.left[job] -= i64::from(slices[job].contains(&row));
            }
        }
        now += 1;
    }
    Schedule {
        ends: Some(state.ends),
        processors: Some(state.placed),
        counts,
        ..Schedule::of(state.starts)
    }
}

fn experiment(rules: Rules) -> Experiment {
    let queue = match rules.queue {
        Queue::Fcfs => Experiment::on("gang", "fcfs"),
        Queue::Easy => Experiment::on("gang", "easy"),
        Queue::Deep(depth) => Experiment::on("gang", "easy").with("depth", depth as f64),
        Queue::Greedy => Experiment::on("gang", "priority")
            .with("order", "arrival")
            .with("starvation", "none"),
    };
    let packing = match rules.packing {
        Packing::First => "first_fit",
        Packing::Best => "best_fit",
        Packing::Buddy => "buddy",
    };
    let word = |on: bool| if on { "on" } else { "off" };
    queue
        .with("slots", rules.slots as f64)
        .with("quantum", rules.quantum as f64 / rules.second as f64)
        .with("switch_cost", rules.cost as f64 / rules.second as f64)
        .with("stretch", if rules.stretches { "slots" } else { "none" })
        .with("packing", packing)
        .with("unify", word(rules.unify))
        .with("move_jobs", word(rules.moves))
        .with("alternate", word(rules.alternate))
}

fn random(seed: u64, dice: &mut Dice) -> Rules {
    let quantum = dice.below(5) as i64 + 1;
    Rules {
        // By halves of a second jobs end within a second of each other; and unstretched estimates
        // make many overdue.
        second: 1 + (seed / 2 % 2) as i64,
        stretches: (seed / 4).is_multiple_of(2),
        slots: dice.below(4) as usize + 1,
        quantum,
        cost: dice.below(quantum as u64) as i64,
        packing: dice.one_of(&[Packing::First, Packing::Best, Packing::Buddy]),
        unify: dice.below(2) == 1,
        moves: dice.below(2) == 1,
        alternate: dice.below(2) == 1,
        queue: dice.one_of(&[Queue::Fcfs, Queue::Easy, Queue::Greedy]),
    }
}

fn case(seed: u64, rules: Rules, closes: Option<&mut Dice>) -> Case {
    let overruns = [Overruns::Never, Overruns::Sometimes][seed as usize % 2];
    let (processors, jobs) = random_jobs(seed, overruns);
    let workload = Rc::new(Workload {
        second: rules.second,
        ..Workload::new(processors, jobs)
    });
    let outage = closes.and_then(|dice| draw::outage(dice, processors, &workload.jobs));
    let experiment = Experiment {
        outage,
        ..experiment(rules)
    };
    Case::plays(experiment, &workload, move |workload| {
        play(rules, workload, outage)
    })
}

pub fn random_rules(seed: u64) -> Vec<Case> {
    let rules = random(seed, &mut Dice::new(seed, "gang rules"));
    vec![case(seed, rules, None)]
}

/// Random rules, and EASY with several reservations, with an outage.
pub fn outages(seed: u64) -> Vec<Case> {
    let mut dice = Dice::new(seed, "gang outages");
    let rules = random(seed, &mut dice);
    let deep = Rules {
        // Within a second, and in one row, other rules hold.
        second: 1,
        slots: rules.slots.max(2),
        queue: Queue::Deep(dice.one_of(&[2, 1000])),
        ..rules
    };
    vec![
        case(seed, rules, Some(&mut dice)),
        case(seed, deep, Some(&mut dice)),
    ]
}
