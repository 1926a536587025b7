//! Gang scheduling (docs/machines/gang.md), tick by tick. The matrix is an array of processors for
//! each row, and the rotation is a counter.

use super::draw::{Dice, random_jobs};
use super::words::{Case, Experiment, Job, Overruns, Schedule, Workload};
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
}

impl Naive<'_> {
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
    fn find(
        &self,
        size: usize,
        aside: Option<&(usize, Vec<usize>)>,
    ) -> Option<(usize, Vec<usize>, Vec<usize>)> {
        let mut found: Vec<(usize, usize, Vec<usize>, Vec<usize>)> = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let mut row = row.clone();
            if let Some((aside_row, columns)) = aside
                && *aside_row == number
            {
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

    fn start(&mut self, job: usize, now: i64, aside: Option<&(usize, Vec<usize>)>) -> bool {
        let Some((row, own, block)) = self.find(self.jobs[job].processors as usize, aside) else {
            return false;
        };
        block.iter().for_each(|at| self.rows[row][*at] = Some(job));
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
                        && own.iter().all(|at| self.rows[*to][*at].is_none())
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
                    .find_map(|row| self.choose(&self.rows[row], size).map(|found| (row, found)));
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
            return queue.retain(|job| !self.start(*job, now, None));
        }
        while let Some(head) = queue.first().copied() {
            if !self.start(head, now, None) {
                break;
            }
            queue.remove(0);
        }
        let Some(head) = queue.first().copied() else {
            return;
        };
        if self.rules.queue == Queue::Fcfs {
            return;
        }
        // When would the head start, and where, if all took as long as expected?
        let mut later = self.clone();
        let end = |job: &usize| self.starts[*job] + self.expected(*job);
        let due = |job: &usize| {
            if end(job) > now {
                end(job)
            } else {
                now + self.rules.second
            }
        };
        let mut running = self.started.clone();
        running.sort_by_key(due);
        let mut reservation = None;
        for (at, job) in running.iter().enumerate() {
            later.leave(*job);
            if running
                .get(at + 1)
                .is_some_and(|next| due(next) == due(job))
            {
                continue;
            }
            if let Some((row, own, block)) = later.find(self.jobs[head].processors as usize, None) {
                let free = later
                    .rows
                    .iter()
                    .flatten()
                    .filter(|owner| owner.is_none())
                    .count()
                    - block.len();
                reservation = Some((due(job), (row, own, block), free as i64));
                break;
            }
        }
        let (shadow, (row, _, block), mut extra) = reservation.unwrap();
        let aside = (row, block);
        for job in queue.clone().into_iter().skip(1) {
            let is_long = now + self.expected(job) > shadow;
            let size = i64::from(self.jobs[job].processors);
            // In a single row any processors will do for the head.
            let keeps_aside =
                is_long && (self.rules.slots > 1 || self.rules.packing == Packing::Buddy);
            if (!is_long || size <= extra) && self.start(job, now, keeps_aside.then_some(&aside)) {
                extra -= if is_long { size } else { 0 };
                queue.retain(|other| *other != job);
            }
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

fn play(rules: Rules, workload: &Workload) -> Schedule {
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
    };
    let (mut queue, mut next) = (Vec::new(), 0);
    let (mut current, mut runs_from, mut slice_end) = (None::<usize>, 0, 0);
    let mut now = 0;
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
            while next < jobs.len() && jobs[next].submit == now {
                queue.push(next);
                next += 1;
            }
            // A policy is asked when something happened.
            if done.is_empty() && (next == 0 || jobs[next - 1].submit < now) {
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
            if !state.started.iter().any(|job| state.left[*job] == 0) {
                break;
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
        ..Schedule::of(state.starts)
    }
}

fn experiment(rules: Rules) -> Experiment {
    let queue = match rules.queue {
        Queue::Fcfs => Experiment::on("gang", "fcfs"),
        Queue::Easy => Experiment::on("gang", "easy"),
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

pub fn random_rules(seed: u64) -> Vec<Case> {
    let mut dice = Dice::new(seed, "gang rules");
    let quantum = dice.below(5) as i64 + 1;
    let rules = Rules {
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
    };
    let overruns = [Overruns::Never, Overruns::Sometimes][seed as usize % 2];
    let (processors, jobs) = random_jobs(seed, overruns);
    let workload = Rc::new(Workload {
        second: rules.second,
        ..Workload::new(processors, jobs)
    });
    vec![Case::plays(experiment(rules), &workload, move |workload| {
        play(rules, workload)
    })]
}
