//! The schedulers of the torus against a naive twin: nodes in a plain array, every shape at every
//! position tried, the largest free partition found by trying them all, reservations by letting the
//! running jobs end one by one.

use super::boxes::random_wraps;
use super::support::{Job, Overruns, random_jobs, schedule, simulation, workload};
use schedscope::experiment::Scenario;
use schedscope::explain::StoryTeller;
use schedscope::machine::Range;
use schedscope::random::Stream;
use schedscope::schedule::Recorder;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Nodes, a bit for each number.
type Set = u128;

/// The naive machine: a job number, or none, for each node.
#[derive(Clone)]
struct Nodes {
    /// By size, every box of so many nodes, shapes and positions in the documented order.
    boxes: Rc<Vec<Vec<Set>>>,
    owner: Vec<Option<usize>>,
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
        }
    }

    /// The same machine with nobody on it.
    fn empty(&self) -> Self {
        Self {
            boxes: Rc::clone(&self.boxes),
            owner: vec![None; self.total()],
        }
    }

    fn total(&self) -> usize {
        self.owner.len()
    }

    fn taken(&self) -> Set {
        (0..self.total())
            .filter(|node| self.owner[*node].is_some())
            .map(|node| 1 << node)
            .sum()
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
struct Rules {
    backfills: bool,
    migrates: bool,
    thresholds: (f64, f64),
    cost: i64,
    raise: usize,
    delay: i64,
    first_fit: bool,
    depth: usize,
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
}

fn simulate(nodes: Nodes, jobs: &[Job], rules: Rules) -> State<'_> {
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
    };
    let mut arrived = 0;
    loop {
        let arrival = jobs.get(arrived).map(|job| job.submit);
        let end = state.running.iter().map(|(_, _, end, _)| *end).min();
        let Some(now) = [arrival, end].into_iter().flatten().min() else {
            break;
        };
        state.now = now;
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

    /// When a running job is believed to end.
    fn release(&self, believed: i64) -> i64 {
        if believed > self.now {
            believed
        } else {
            self.now + 1
        }
    }

    /// The first so many waiting jobs that cannot start hold reservations (time, end, nodes); then
    /// the others are tried.
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
                times.sort_unstable();
                for time in times {
                    let until = time + self.hold(job).max(1);
                    let mut then = self.nodes.empty();
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

fn numbers(placement: &[Range]) -> Set {
    placement
        .iter()
        .flat_map(|range| range.first..range.end())
        .map(|node| 1 << node)
        .sum()
}

/// Runs of a scenario on random small tori and meshes against the twin: starts, nodes, numbers of
/// migrations.
fn agree(policy: &str, rules: Rules, settings: &[(&str, f64)], workloads: u64) {
    let mut migrations = (0, 0);
    for seed in 0..workloads {
        let mut stream = Stream::new(seed, "torus");
        // The last two, whose planes are longer than a word or have long rows, are dear to the
        // twin.
        let edges: [[usize; 3]; 7] = [
            [4, 4, 1],
            [3, 3, 3],
            [2, 3, 4],
            [6, 1, 2],
            [5, 2, 2],
            [1, 8, 9],
            [17, 2, 2],
        ];
        let edges = edges[if seed % 20 == 0 {
            5 + seed as usize / 20 % 2
        } else {
            stream.below(5) as usize
        }];
        let wraps = random_wraps(&mut stream);
        let nodes = edges.iter().product::<usize>();
        let (_, mut jobs) = random_jobs(
            seed,
            if seed % 2 == 0 {
                Overruns::Never
            } else {
                Overruns::Sometimes
            },
        );
        for job in &mut jobs {
            let most = if stream.below(3) == 0 {
                nodes
            } else {
                nodes.div_ceil(3)
            };
            job.processors = 1 + stream.below(most as u64) as u32;
        }
        let mut scenario = Scenario {
            machine: "torus".into(),
            ..Scenario::new(policy)
        };
        for (key, edge) in ["x", "y", "z"].into_iter().zip(edges) {
            scenario = scenario.with(key, edge as f64);
        }
        for (key, wraps) in ["wrap_x", "wrap_y", "wrap_z"].into_iter().zip(wraps) {
            scenario = scenario.with(key, if wraps { "torus" } else { "mesh" });
        }
        scenario = scenario.with("start_delay", rules.delay as f64);
        if rules.first_fit {
            scenario = scenario.with("placement", "first_fit");
        }
        scenario = settings.iter().fold(scenario, |scenario, (key, value)| {
            scenario.with(key, *value)
        });
        let ours = schedule(&scenario, &workload(nodes as u32, &jobs));
        let naive = simulate(Nodes::new(edges, wraps), &jobs, rules);
        let starts: Vec<i64> = ours
            .starts
            .iter()
            .map(|start| start.whole_seconds())
            .collect();
        assert_eq!(
            starts, naive.start,
            "seed {seed} {edges:?} {wraps:?} {policy}\n{jobs:#?}"
        );
        for entry in &ours.order {
            assert_eq!(
                numbers(ours.placement(entry).ranges),
                naive.placed[entry.job.index()],
                "seed {seed}, job {}",
                entry.job.0
            );
        }
        let done = ours
            .migrations
            .iter()
            .filter(|migration| migration.successful)
            .count();
        assert_eq!(
            (ours.migrations.len(), done),
            (naive.tried, naive.done),
            "seed {seed}"
        );
        migrations = (migrations.0 + naive.tried, migrations.1 + naive.done);
    }
    assert_eq!(rules.migrates, migrations.1 > 0, "{migrations:?}");
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
const WORKLOADS: u64 = 1000;

#[test]
fn fcfs_on_the_torus() {
    agree("fcfs", FCFS, &[], WORKLOADS);
    agree(
        "fcfs",
        Rules {
            delay: 0,
            first_fit: true,
            ..FCFS
        },
        &[],
        WORKLOADS,
    );
}

#[test]
fn backfill() {
    agree("easy", BACKFILL, &[], WORKLOADS);
    agree(
        "easy",
        Rules {
            raise: 0,
            delay: 3,
            ..BACKFILL
        },
        &[("raise", 0.0)],
        WORKLOADS,
    );
    agree(
        "easy",
        Rules {
            raise: 5,
            first_fit: true,
            ..BACKFILL
        },
        &[("raise", 5.0)],
        WORKLOADS,
    );
}

#[test]
fn strong_backfill() {
    agree(
        "easy",
        Rules {
            depth: 1000,
            ..BACKFILL
        },
        &[("depth", 1000.0)],
        WORKLOADS,
    );
    agree(
        "easy",
        Rules {
            depth: 2,
            ..BACKFILL
        },
        &[("depth", 2.0)],
        WORKLOADS,
    );
}

#[test]
fn migration() {
    agree("migration", MIGRATION, &[], WORKLOADS);
    let always = [("fn_tor", 0.0), ("fn_max", 1.0)];
    agree(
        "migration",
        Rules {
            thresholds: (0.0, 1.0),
            ..MIGRATION
        },
        &always,
        WORKLOADS,
    );
    agree(
        "migration",
        Rules {
            cost: 7,
            delay: 0,
            ..MIGRATION
        },
        &[("migration_cost", 7.0)],
        WORKLOADS,
    );
}

#[test]
fn backfill_with_migration() {
    agree("bm", BOTH, &[], WORKLOADS);
    agree(
        "bm",
        Rules {
            cost: 2,
            raise: 3,
            ..BOTH
        },
        &[("migration_cost", 2.0), ("raise", 3.0)],
        WORKLOADS,
    );
    let always = [("fn_tor", 0.0), ("fn_max", 1.0)];
    agree(
        "bm",
        Rules {
            thresholds: (0.0, 1.0),
            ..BOTH
        },
        &always,
        WORKLOADS,
    );
}

/// Where every job is one node, geometry makes no difference.
#[test]
fn jobs_of_one_node_run_as_on_the_flat_machine() {
    for policy in ["fcfs", "easy", "priority"] {
        for seed in 0..200 {
            let (_, mut jobs) = random_jobs(seed, Overruns::Sometimes);
            jobs.iter_mut().for_each(|job| job.processors = 1);
            let workload = workload(6, &jobs);
            let torus = Scenario {
                machine: "torus".into(),
                ..Scenario::new(policy)
            };
            let torus = torus
                .with("x", 1.0)
                .with("y", 2.0)
                .with("z", 3.0)
                .with("start_delay", 0.0);
            let (flat, torus) = (
                schedule(&Scenario::new(policy), &workload),
                schedule(&torus, &workload),
            );
            assert_eq!(flat.starts, torus.starts, "{policy}, seed {seed}");
        }
    }
}

/// While run times keep to estimates nobody starts after the first reservation that EASY told of,
/// whatever arrives behind: small jobs, wide jobs, short and long ones, on tori and meshes in which
/// geometry is tight.
#[test]
fn no_backfilled_job_delays_the_reservation() {
    let mut promises = 0;
    for seed in 0..600 {
        let mut stream = Stream::new(seed, "adversary");
        let edges: [u32; 3] =
            [[4, 4, 1], [3, 3, 3], [2, 3, 4], [7, 1, 3]][stream.below(4) as usize];
        let wraps = random_wraps(&mut stream).map(|wraps| if wraps { "torus" } else { "mesh" });
        let nodes = edges.iter().product::<u32>();
        let (_, mut jobs) = random_jobs(seed, Overruns::Never);
        for job in &mut jobs {
            // Heads that need much, and many that would like to slip in before them.
            let most = if stream.below(4) == 0 { nodes } else { 3 };
            job.processors = 1 + stream.below(u64::from(most)) as u32;
        }
        let mut scenario = Scenario {
            machine: "torus".into(),
            ..Scenario::new("easy")
        }
        .with("depth", [1.0, 3.0][stream.below(2) as usize]);
        for (axis, key) in ["x", "y", "z"].into_iter().enumerate() {
            scenario = scenario
                .with(key, f64::from(edges[axis]))
                .with(&format!("wrap_{key}"), wraps[axis]);
        }
        let workload = workload(nodes, &jobs);
        let mut watched = (
            Recorder::new(Arc::clone(&workload)),
            StoryTeller::new(Arc::clone(&workload)),
        );
        simulation(&scenario, &workload).run(&mut watched);
        let schedule = watched.0.into_schedule();
        let mut first = BTreeMap::new();
        let story = watched.1.into_story();
        for outline in story.steps.iter().filter_map(|step| step.reserved.first()) {
            first
                .entry(outline.reservation.job)
                .or_insert(outline.reservation.start);
        }
        promises += first.len();
        assert!(
            first
                .iter()
                .all(|(job, promised)| schedule.held_from(*job) <= *promised),
            "seed {seed}, {scenario:?}"
        );
    }
    assert!(promises > 1500, "{promises}");
}
