//! The torus (docs/machines/torus.md) with FCFS, backfilling and migration: nodes in a plain array,
//! every shape at every position tried, the largest free partition found by trying them all,
//! reservations by letting the running jobs end one by one.

use super::draw::{self, Dice, random_jobs};
use super::words::{Case, Experiment, Job, Overruns, Schedule, Workload};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Nodes, a bit for each number.
type Set = u128;

/// The naive machine: a job number, or none, for each node.
#[derive(Clone)]
struct Nodes {
    /// By size, every box of so many nodes, shapes and positions in the documented order.
    boxes: Rc<Vec<Vec<Set>>>,
    owner: Vec<Option<usize>>,
    /// Nodes that are out of service, or will be when their jobs end.
    closed: Set,
}

/// Nodes that go out of service.
#[derive(Copy, Clone)]
struct Outage {
    at: i64,
    until: i64,
    nodes: Set,
}

fn boxes([width, height, depth]: [usize; 3], wraps: [bool; 3]) -> Vec<Vec<Set>> {
    let edges = [width, height, depth];
    let mut shapes = Vec::new();
    for x in 1..=width {
        for y in 1..=height {
            for z in 1..=depth {
                shapes.push((x + y + z, [x, y, z]));
            }
        }
    }
    shapes.sort_unstable();
    let mut boxes = vec![Vec::new(); width * height * depth + 1];
    for (_, shape) in shapes {
        for number in 0..width * height * depth {
            let base = [
                number % width,
                number / width % height,
                number / width / height,
            ];
            if (0..3).any(|axis| !wraps[axis] && base[axis] + shape[axis] > edges[axis]) {
                continue;
            }
            let mut set = 0;
            for x in base[0]..base[0] + shape[0] {
                for y in base[1]..base[1] + shape[1] {
                    for z in base[2]..base[2] + shape[2] {
                        set |= 1 << (x % width + width * (y % height + height * (z % depth)));
                    }
                }
            }
            boxes[shape.iter().product::<usize>()].push(set);
        }
    }
    boxes
}

impl Nodes {
    fn new(edges: [usize; 3], wraps: [bool; 3]) -> Self {
        Self {
            boxes: Rc::new(boxes(edges, wraps)),
            owner: vec![None; edges.iter().product()],
            closed: 0,
        }
    }

    /// The same machine with nobody on it.
    fn empty(&self) -> Self {
        Self {
            boxes: Rc::clone(&self.boxes),
            owner: vec![None; self.total()],
            closed: self.closed,
        }
    }

    fn total(&self) -> usize {
        self.owner.len()
    }

    fn taken(&self) -> Set {
        let owned: Set = (0..self.total())
            .filter(|node| self.owner[*node].is_some())
            .map(|node| 1 << node)
            .sum();
        owned | self.closed
    }

    fn free(&self) -> usize {
        self.total() - self.taken().count_ones() as usize
    }

    fn largest(&self) -> usize {
        let taken = self.taken();
        (1..=self.free())
            .rev()
            .find(|size| self.boxes[*size].iter().any(|set| set & taken == 0))
            .unwrap_or(0)
    }

    fn take(&mut self, set: Set, job: usize) {
        (0..self.total())
            .filter(|node| set >> node & 1 == 1)
            .for_each(|node| self.owner[node] = Some(job));
    }

    fn leave(&mut self, job: usize) {
        self.owner
            .iter_mut()
            .filter(|owner| **owner == Some(job))
            .for_each(|owner| *owner = None);
    }

    fn of(&self, job: usize) -> Set {
        (0..self.total())
            .filter(|node| self.owner[*node] == Some(job))
            .map(|node| 1 << node)
            .sum()
    }

    /// The box that a job of `size` gets, raised to at most `most`, without the nodes `aside`.
    fn place(&self, size: usize, most: usize, aside: Set, first_fit: bool) -> Option<Set> {
        let barred = self.taken() | aside;
        for size in size..=most.min(self.total()) {
            let mut best: Option<(usize, Set)> = None;
            for &set in self.boxes[size].iter().filter(|set| *set & barred == 0) {
                if first_fit {
                    return Some(set);
                }
                let mut then = self.clone();
                then.take(set, usize::MAX);
                let left = then.largest();
                if best.is_none_or(|(most, _)| left > most) {
                    best = Some((left, set));
                }
            }
            if best.is_some() {
                return best.map(|(_, set)| set);
            }
        }
        None
    }
}

#[derive(Copy, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
struct Rules {
    backfills: bool,
    migrates: bool,
    thresholds: (f64, f64),
    cost: i64,
    raise: usize,
    delay: i64,
    first_fit: bool,
    depth: usize,
    /// True if nodes go out of service for a while.
    closes: bool,
}

struct State<'a> {
    rules: Rules,
    jobs: &'a [Job],
    nodes: Nodes,
    now: i64,
    waiting: Vec<usize>,
    /// Job, when it was given its nodes, when it ends, when it is believed to end.
    running: Vec<(usize, i64, i64, i64)>,
    start: Vec<i64>,
    placed: Vec<Set>,
    /// Starts and ends so far; and how many there were at the last attempt, as another one then
    /// would end alike.
    changes: usize,
    tried_at: Option<usize>,
    tried: usize,
    done: usize,
    /// End of the outage, while it lasts.
    reopens: Option<i64>,
    /// Number of nodes that go out of service.
    closings: u64,
}

fn simulate(nodes: Nodes, jobs: &[Job], rules: Rules, outage: Option<Outage>) -> State<'_> {
    let n = jobs.len();
    let mut state = State {
        rules,
        jobs,
        nodes,
        now: 0,
        waiting: Vec::new(),
        running: Vec::new(),
        start: vec![-1; n],
        placed: vec![0; n],
        changes: 0,
        tried_at: None,
        tried: 0,
        done: 0,
        reopens: None,
        closings: 0,
    };
    let mut arrived = 0;
    let mut to_come = outage;
    loop {
        let arrival = jobs.get(arrived).map(|job| job.submit);
        let end = state.running.iter().map(|(_, _, end, _)| *end).min();
        let next = [arrival, end, state.reopens].into_iter().flatten().min();
        // All that happens at the instant of the outage happens before it.
        if let Some(outage) = to_come.filter(|outage| next.is_none_or(|next| outage.at < next)) {
            to_come = None;
            state.now = outage.at;
            state.close(outage);
            state.decide();
            continue;
        }
        let Some(now) = next else {
            break;
        };
        state.now = now;
        if state.reopens == Some(now) {
            state.reopens = None;
            state.nodes.closed = 0;
            state.changes += 1;
        }
        for (job, ..) in state.running.iter().filter(|(_, _, end, _)| *end == now) {
            state.nodes.leave(*job);
            state.changes += 1;
        }
        state.running.retain(|(_, _, end, _)| *end != now);
        while jobs.get(arrived).is_some_and(|job| job.submit == now) {
            state.waiting.push(arrived);
            arrived += 1;
        }
        state.decide();
    }
    state
}

impl State<'_> {
    fn size(&self, job: usize) -> usize {
        let asked = self.jobs[job].processors as usize;
        (asked..=self.nodes.total())
            .find(|size| !self.nodes.boxes[*size].is_empty())
            .unwrap()
    }

    fn hold(&self, job: usize) -> i64 {
        self.jobs[job].estimate + self.rules.delay
    }

    fn begin(&mut self, job: usize, set: Set) {
        self.nodes.take(set, job);
        self.changes += 1;
        self.waiting.retain(|other| *other != job);
        let end = self.now + self.rules.delay + self.jobs[job].runtime;
        self.running
            .push((job, self.now, end, self.now + self.hold(job)));
        self.start[job] = self.now + self.rules.delay;
        self.placed[job] = set;
    }

    /// Takes nodes out of service, but for those of jobs that run until the end of the outage. The policy
    /// begins anew.
    fn close(&mut self, outage: Outage) {
        self.tried_at = None;
        let stays = self
            .running
            .iter()
            .filter(|(job, ..)| self.start[*job] + self.jobs[*job].runtime >= outage.until);
        let kept = stays.fold(0, |kept, (job, ..)| kept | self.nodes.of(*job));
        if outage.nodes & !kept != 0 {
            self.nodes.closed = outage.nodes & !kept;
            self.closings += u64::from(self.nodes.closed.count_ones());
            self.reopens = Some(outage.until);
            self.changes += 1;
        }
    }

    fn fcfs(&mut self) {
        while let Some(&head) = self.waiting.first() {
            let Some(set) = self
                .nodes
                .place(self.size(head), usize::MAX, 0, self.rules.first_fit)
            else {
                return;
            };
            self.begin(head, set);
        }
    }

    fn decide(&mut self) {
        self.fcfs();
        let (free, largest) = (self.nodes.free(), self.nodes.largest());
        let (fn_tor, fn_max) = self.rules.thresholds;
        let promises = free as f64 >= fn_tor * self.nodes.total() as f64
            && largest as f64 <= fn_max * free as f64;
        if self.rules.migrates
            && !self.waiting.is_empty()
            && free > 0
            && promises
            && self.tried_at != Some(self.changes)
        {
            self.migrate();
            self.tried_at = Some(self.changes);
            self.fcfs();
        }
        if self.rules.backfills {
            self.backfill();
        }
    }

    fn migrate(&mut self) {
        self.tried += 1;
        let mut jobs = self.running.clone();
        jobs.sort_by_key(|&(job, from, ..)| {
            (
                std::cmp::Reverse(self.nodes.of(job).count_ones()),
                from,
                job,
            )
        });
        let mut stays = BTreeSet::new();
        let layout = 'anew: loop {
            let mut layout = self.nodes.empty();
            stays
                .iter()
                .for_each(|job| layout.take(self.nodes.of(*job), *job));
            for &(job, ..) in jobs.iter().filter(|(job, ..)| !stays.contains(job)) {
                let size = self.nodes.of(job).count_ones() as usize;
                match layout.place(size, size, 0, self.rules.first_fit) {
                    Some(set) => layout.take(set, job),
                    None => {
                        stays.insert(job);
                        continue 'anew;
                    }
                }
            }
            break layout;
        };
        if layout.largest() > self.nodes.largest() {
            self.done += 1;
            for (job, _, end, believed) in &mut self.running {
                if layout.of(*job) != self.nodes.of(*job) {
                    *end += self.rules.cost;
                    *believed += self.rules.cost;
                }
            }
            self.nodes = layout;
        }
    }

    /// Returns the instant at which a running job is taken to end, given its believed end. An
    /// overdue job is taken to end one second from now.
    fn release(&self, believed: i64) -> i64 {
        if believed > self.now {
            believed
        } else {
            self.now + 1
        }
    }

    /// Goes through the waiting jobs and starts those that can start. The first `depth` of the
    /// others hold reservations (start, end, nodes).
    fn backfill(&mut self) {
        let mut reserved: Vec<(i64, i64, Set)> = Vec::new();
        for (rank, job) in self.waiting.clone().into_iter().enumerate() {
            let until = self.now + self.hold(job).max(1);
            let aside: Set = reserved
                .iter()
                .filter(|(from, ..)| *from < until)
                .fold(0, |aside, (.., set)| aside | set);
            let size = self.size(job);
            if rank > 0
                && let Some(set) =
                    self.nodes
                        .place(size, size + self.rules.raise, aside, self.rules.first_fit)
            {
                self.begin(job, set);
            } else if reserved.len() < self.rules.depth {
                let mut times: Vec<i64> = self
                    .running
                    .iter()
                    .map(|(.., believed)| self.release(*believed))
                    .collect();
                times.extend(reserved.iter().map(|(_, end, _)| *end));
                times.extend(self.reopens);
                times.sort_unstable();
                for time in times {
                    let until = time + self.hold(job).max(1);
                    let mut then = self.nodes.empty();
                    if self.reopens.is_some_and(|until| until <= time) {
                        then.closed = 0;
                    }
                    for &(other, .., believed) in &self.running {
                        if self.release(believed) > time {
                            then.take(self.nodes.of(other), other);
                        }
                    }
                    for (_, _, set) in reserved
                        .iter()
                        .filter(|(from, end, _)| *from < until && *end > time)
                    {
                        then.take(*set, usize::MAX);
                    }
                    if let Some(set) = then.place(size, usize::MAX, 0, self.rules.first_fit) {
                        reserved.push((time, until, set));
                        break;
                    }
                }
            }
        }
    }
}

/// Random small tori and meshes.
fn case(seed: u64, policy: &'static str, rules: Rules, settings: &[(&'static str, f64)]) -> Case {
    let mut dice = Dice::new(seed, "torus");
    // The last two, whose planes are longer than a word or have long rows, are dear to the twin.
    let edges: [[usize; 3]; 7] = [
        [4, 4, 1],
        [3, 3, 3],
        [2, 3, 4],
        [6, 1, 2],
        [5, 2, 2],
        [1, 8, 9],
        [17, 2, 2],
    ];
    let edges = edges[if seed.is_multiple_of(20) {
        5 + seed as usize / 20 % 2
    } else {
        dice.below(5) as usize
    }];
    let wraps = if dice.below(2) == 0 {
        [true; 3]
    } else {
        [0, 1, 2].map(|_| dice.below(2) == 0)
    };
    let nodes = edges.iter().product::<usize>();
    let overruns = [Overruns::Never, Overruns::Sometimes][seed as usize % 2];
    let (_, mut jobs) = random_jobs(seed, overruns);
    for job in &mut jobs {
        let most = if dice.below(3) == 0 {
            nodes
        } else {
            nodes.div_ceil(3)
        };
        job.processors = 1 + dice.below(most as u64) as u32;
    }
    let mut experiment = Experiment::on("torus", policy).with("start_delay", rules.delay as f64);
    for (key, edge) in ["x", "y", "z"].into_iter().zip(edges) {
        experiment = experiment.with(key, edge as f64);
    }
    for (key, wraps) in ["wrap_x", "wrap_y", "wrap_z"].into_iter().zip(wraps) {
        experiment = experiment.with(key, if wraps { "torus" } else { "mesh" });
    }
    if rules.first_fit {
        experiment = experiment.with("placement", "first_fit");
    }
    for (key, value) in settings {
        experiment = experiment.with(key, *value);
    }
    if rules.closes {
        experiment.outage = draw::outage(&mut dice, nodes as u32, &jobs);
    }
    let outage = experiment.outage.map(|outage| Outage {
        at: outage.at,
        until: outage.until(),
        nodes: (outage.first..outage.first + outage.count)
            .map(|node| 1 << node)
            .sum(),
    });
    let workload = Rc::new(Workload::new(nodes as u32, jobs));
    Case::plays(experiment, &workload, move |workload| {
        let state = simulate(Nodes::new(edges, wraps), &workload.jobs, rules, outage);
        let numbers = |set: &Set| (0..128).filter(|node| set >> node & 1 == 1).collect();
        let mut schedule = Schedule::of(state.start);
        schedule.processors = Some(state.placed.iter().map(numbers).collect());
        let migrations = format!("{} tried, {} successful", state.tried, state.done);
        schedule.told.insert("migrations", vec![migrations]);
        assert!(rules.migrates || state.done == 0);
        schedule.counts.insert("migrations", state.done as u64);
        schedule.counts.insert("outages", state.closings);
        schedule
    })
}

const FCFS: Rules = Rules {
    backfills: false,
    migrates: false,
    thresholds: (0.1, 0.7),
    cost: 0,
    raise: 1,
    delay: 1,
    first_fit: false,
    depth: 1,
    closes: false,
};
const BACKFILL: Rules = Rules {
    backfills: true,
    ..FCFS
};
const MIGRATION: Rules = Rules {
    migrates: true,
    ..FCFS
};
const BOTH: Rules = Rules {
    migrates: true,
    ..BACKFILL
};

/// Migration is tried whenever a job waits.
const ALWAYS: [(&str, f64); 2] = [("fn_tor", 0.0), ("fn_max", 1.0)];

pub fn fcfs(seed: u64) -> Vec<Case> {
    let at_once = Rules {
        delay: 0,
        first_fit: true,
        ..FCFS
    };
    vec![
        case(seed, "fcfs", FCFS, &[]),
        case(seed, "fcfs", at_once, &[]),
    ]
}

pub fn backfill(seed: u64) -> Vec<Case> {
    let exact = Rules {
        raise: 0,
        delay: 3,
        ..BACKFILL
    };
    let raised = Rules {
        raise: 5,
        first_fit: true,
        ..BACKFILL
    };
    vec![
        case(seed, "easy", BACKFILL, &[]),
        case(seed, "easy", exact, &[("raise", 0.0)]),
        case(seed, "easy", raised, &[("raise", 5.0)]),
    ]
}

pub fn strong_backfill(seed: u64) -> Vec<Case> {
    let of = |depth: usize| {
        let rules = Rules { depth, ..BACKFILL };
        case(seed, "easy", rules, &[("depth", depth as f64)])
    };
    [1000, 2].map(of).into()
}

// Each of these options is a row of the table, which asks each for migrations.

pub fn migration(seed: u64) -> Vec<Case> {
    vec![case(seed, "migration", MIGRATION, &[])]
}

pub fn migration_whenever_a_job_waits(seed: u64) -> Vec<Case> {
    let always = Rules {
        thresholds: (0.0, 1.0),
        ..MIGRATION
    };
    vec![case(seed, "migration", always, &ALWAYS)]
}

pub fn migration_at_a_cost(seed: u64) -> Vec<Case> {
    let costly = Rules {
        cost: 7,
        delay: 0,
        ..MIGRATION
    };
    vec![case(seed, "migration", costly, &[("migration_cost", 7.0)])]
}

pub fn backfill_with_migration(seed: u64) -> Vec<Case> {
    vec![case(seed, "bm", BOTH, &[])]
}

pub fn backfill_with_migration_at_a_cost(seed: u64) -> Vec<Case> {
    let costly = Rules {
        cost: 2,
        raise: 3,
        ..BOTH
    };
    let settings = [("migration_cost", 2.0), ("raise", 3.0)];
    vec![case(seed, "bm", costly, &settings)]
}

pub fn backfill_with_migration_whenever_a_job_waits(seed: u64) -> Vec<Case> {
    let always = Rules {
        thresholds: (0.0, 1.0),
        ..BOTH
    };
    vec![case(seed, "bm", always, &ALWAYS)]
}

/// Each policy with an outage.
pub fn outage(seed: u64) -> Vec<Case> {
    let closes = |rules: Rules| Rules {
        closes: true,
        ..rules
    };
    let first_fit = Rules {
        first_fit: true,
        delay: 0,
        ..BACKFILL
    };
    let deep = Rules {
        depth: 1000,
        ..BACKFILL
    };
    let always = Rules {
        thresholds: (0.0, 1.0),
        cost: 2,
        ..BOTH
    };
    let [whenever, at_most] = ALWAYS;
    vec![
        case(seed, "fcfs", closes(FCFS), &[]),
        case(seed, "easy", closes(BACKFILL), &[]),
        case(seed, "easy", closes(first_fit), &[]),
        case(seed, "easy", closes(deep), &[("depth", 1000.0)]),
        case(seed, "migration", closes(MIGRATION), &[]),
        case(
            seed,
            "bm",
            closes(always),
            &[whenever, at_most, ("migration_cost", 2.0)],
        ),
    ]
}
