//! Naive twins of every policy beyond FCFS and EASY, and of the queue orders: plain lists, one
//! array entry a tick, every job looked at every time, nothing shared with the engine. A tick is a
//! second where nothing else is said.

use super::support::Job;
use std::collections::{BTreeMap, BTreeSet};

/// What a naive scheduler sees and does at one instant.
pub struct View<'a> {
    /// Ticks in a second.
    pub second: i64,
    pub now: i64,
    pub began: i64,
    pub capacity: i64,
    pub jobs: &'a [Job],
    /// In order of arrival.
    pub waiting: Vec<usize>,
    /// Jobs with their starts.
    pub running: Vec<(usize, i64)>,
    pub ended: Vec<usize>,
    pub start: Vec<Option<i64>>,
    /// Instants at which the scheduler wants to be asked.
    pub wakes: BTreeSet<i64>,
    /// By job, how many jobs of lower rank started while it waited.
    pub passes: Vec<u32>,
    /// The run time of a job is believed until it starts, its estimate from then on.
    pub known_until_start: bool,
}

/// The starts that `decide` leads to, asked once for each instant in which something happens.
pub fn starts(capacity: u32, jobs: &[Job], decide: impl FnMut(&mut View<'_>)) -> Vec<i64> {
    starts_in(1, capacity, jobs, decide)
}

/// The same where a second has so many ticks.
pub fn starts_in(
    second: i64,
    capacity: u32,
    jobs: &[Job],
    mut decide: impl FnMut(&mut View<'_>),
) -> Vec<i64> {
    let n = jobs.len();
    let mut view = View {
        second,
        now: 0,
        began: jobs[0].submit,
        capacity: i64::from(capacity),
        jobs,
        waiting: Vec::new(),
        running: Vec::new(),
        ended: Vec::new(),
        start: vec![None; n],
        wakes: BTreeSet::new(),
        passes: vec![0; n],
        known_until_start: false,
    };
    let mut arrived = 0;
    loop {
        let arrival = jobs.get(arrived).map(|job| job.submit);
        let end = view
            .running
            .iter()
            .map(|&(job, start)| start + jobs[job].runtime)
            .min();
        let busy = arrival.is_some() || end.is_some() || !view.waiting.is_empty();
        let wake = view.wakes.first().copied().filter(|_| busy);
        let Some(now) = [arrival, end, wake].into_iter().flatten().min() else {
            break;
        };
        view.now = now;
        view.wakes.remove(&now);
        view.ended = view
            .running
            .iter()
            .filter(|(job, start)| start + jobs[*job].runtime == now)
            .map(|(job, _)| *job)
            .collect();
        view.running
            .retain(|(job, start)| start + jobs[*job].runtime != now);
        while jobs.get(arrived).is_some_and(|job| job.submit == now) {
            view.waiting.push(arrived);
            arrived += 1;
        }
        decide(&mut view);
    }
    view.start
        .iter()
        .map(|start| start.expect("every job starts"))
        .collect()
}

impl View<'_> {
    pub fn size(&self, job: usize) -> i64 {
        i64::from(self.jobs[job].processors)
    }

    pub fn free(&self) -> i64 {
        self.capacity
            - self
                .running
                .iter()
                .map(|(job, _)| self.size(*job))
                .sum::<i64>()
    }

    /// What is believed of the run time of a job that waits, at least a second.
    fn belief(&self, job: usize) -> i64 {
        let Job {
            runtime, estimate, ..
        } = self.jobs[job];
        if self.known_until_start {
            runtime.max(self.second)
        } else {
            estimate
        }
    }

    pub fn start(&mut self, job: usize) {
        assert!(self.size(job) <= self.free());
        self.waiting.retain(|other| *other != job);
        self.running.push((job, self.now));
        self.start[job] = Some(self.now);
    }

    /// Starts a job, counting whom it passes in `order`.
    pub fn pass(&mut self, job: usize, order: Order) {
        let place = (order.key(self, job), job);
        for other in self.waiting.clone() {
            if less((order.key(self, other), other), place) {
                self.passes[other] += 1;
            }
        }
        self.start(job);
    }

    /// Whether a running job has outlived its estimate.
    pub fn overdue(&self) -> bool {
        self.running
            .iter()
            .any(|&(job, start)| start + self.jobs[job].estimate <= self.now)
    }

    /// Free processors by what is believed of the running jobs, a tick an entry from now on. An
    /// overdue job is taken to end in a second.
    pub fn seconds(&self) -> Vec<i64> {
        let horizon = self
            .jobs
            .iter()
            .map(|job| job.estimate.max(job.runtime))
            .sum::<i64>()
            + (2 + self.jobs.len() as i64) * self.second;
        let mut seconds = vec![self.capacity; 2 * horizon as usize];
        for &(job, start) in &self.running {
            let left = start + self.jobs[job].estimate - self.now;
            let left = if left > 0 { left } else { self.second };
            seconds[..left as usize]
                .iter_mut()
                .for_each(|free| *free -= self.size(job));
        }
        seconds
    }

    fn fits(&self, seconds: &[i64], at: i64, job: usize) -> bool {
        seconds[at as usize..(at + self.belief(job)) as usize]
            .iter()
            .all(|free| *free >= self.size(job))
    }

    pub fn earliest(&self, seconds: &[i64], job: usize) -> i64 {
        (0..seconds.len() as i64)
            .find(|at| self.fits(seconds, *at, job))
            .expect("it fits in the end")
    }

    pub fn take(&self, seconds: &mut [i64], at: i64, job: usize) {
        seconds[at as usize..(at + self.belief(job)) as usize]
            .iter_mut()
            .for_each(|free| *free -= self.size(job));
    }

    fn sorted(&self, order: Order) -> Vec<usize> {
        let mut jobs = self.waiting.clone();
        jobs.sort_by(|a, b| order.key(self, *a).total_cmp(&order.key(self, *b)));
        jobs
    }
}

fn less(a: (f64, usize), b: (f64, usize)) -> bool {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).is_lt()
}

/// A queue order by its word; weights as in [`WEIGHTS`].
#[derive(Copy, Clone, Debug)]
pub struct Order(pub &'static str);

/// Weights that the twins' `weights` order has: of waiting (1/min), expansion, size and passes.
pub const WEIGHTS: [(&str, f64); 4] = [
    ("weight_wait", 2.0),
    ("weight_expansion", 3.0),
    ("weight_size", -0.25),
    ("weight_passed", 1.5),
];

pub const ORDERS: [Order; 15] = [
    Order("arrival"),
    Order("shortest"),
    Order("longest"),
    Order("smallest"),
    Order("largest"),
    Order("smallest_area"),
    Order("largest_area"),
    Order("expansion"),
    Order("wfp3"),
    Order("unicef"),
    Order("f1"),
    Order("f2"),
    Order("f3"),
    Order("f4"),
    Order("weights"),
];

impl Order {
    /// Least first.
    fn key(self, view: &View<'_>, job: usize) -> f64 {
        let Job {
            submit,
            estimate,
            processors,
            ..
        } = view.jobs[job];
        let (wait, estimate, size) = (
            (view.now - submit) as f64,
            estimate as f64,
            f64::from(processors),
        );
        let arrival = libm::log10(((submit - view.began) as f64).max(1.0));
        match self.0 {
            "shortest" => estimate,
            "longest" => -estimate,
            "smallest" => size,
            "largest" => -size,
            "smallest_area" => size * estimate,
            "largest_area" => -(size * estimate),
            "expansion" => -(wait + estimate) / estimate,
            "wfp3" => -(wait / estimate) * (wait / estimate) * (wait / estimate) * size,
            "unicef" => -wait / (libm::log2(size.max(2.0)) * estimate),
            "f1" => libm::log10(estimate) * size + 870.0 * arrival,
            "f2" => estimate.sqrt() * size + 25_600.0 * arrival,
            "f3" => estimate * size + 6_860_000.0 * arrival,
            "f4" => estimate * size.sqrt() + 530_000.0 * arrival,
            "weights" => {
                let [w, x, s, p] = WEIGHTS.map(|(_, weight)| weight);
                -(w * wait / 60.0
                    + x * (wait + estimate) / estimate
                    + s * size
                    + p * f64::from(view.passes[job]))
            }
            _ => 0.0,
        }
    }
}

/// EASY with a queue order and a scan order.
pub fn easy(view: &mut View<'_>, order: Order, scan: Order) {
    let Some(head) = start_heads(view, order) else {
        return;
    };
    let mut seconds = view.seconds();
    let at = view.earliest(&seconds, head);
    view.take(&mut seconds, at, head);
    for job in view.sorted(scan) {
        if job != head && view.fits(&seconds, 0, job) && view.size(job) <= view.free() {
            view.take(&mut seconds, 0, job);
            view.pass(job, order);
        }
    }
}

fn start_heads(view: &mut View<'_>, order: Order) -> Option<usize> {
    loop {
        let head = *view.sorted(order).first()?;
        if view.size(head) > view.free() {
            return Some(head);
        }
        view.start(head);
    }
}

/// What keeps jobs from starving under a priority queue.
#[derive(Copy, Clone, Debug)]
pub enum Limit {
    None,
    /// Seconds.
    Wait(i64),
    Passes(u32),
}

pub fn priority(view: &mut View<'_>, order: Order, limit: Limit) {
    if let Limit::Wait(limit) = limit {
        for job in view.waiting.clone() {
            if view.now - view.jobs[job].submit < limit {
                break;
            }
            if view.size(job) > view.free() {
                return;
            }
            view.pass(job, order);
        }
    }
    let mut ahead: Vec<usize> = Vec::new();
    for job in view.sorted(order) {
        if let Limit::Passes(limit) = limit
            && ahead.iter().any(|other| view.passes[*other] >= limit)
        {
            return;
        }
        if view.size(job) <= view.free() {
            view.pass(job, order);
        } else {
            ahead.push(job);
        }
    }
}

/// Reservations that last: start by job.
#[derive(Default)]
pub struct Plan {
    pub planned: BTreeMap<usize, i64>,
    /// The first start that each job was ever promised.
    pub promised: BTreeMap<usize, i64>,
    /// Reservations are brought forward whenever a job ends.
    eager: bool,
    seen: usize,
    stale: bool,
}

impl Plan {
    pub fn eager() -> Self {
        Self {
            eager: true,
            ..Self::default()
        }
    }

    fn seconds(&self, view: &View<'_>) -> Vec<i64> {
        let mut seconds = view.seconds();
        for (job, at) in &self.planned {
            view.take(&mut seconds, at - view.now, *job);
        }
        seconds
    }

    fn place(&mut self, view: &View<'_>, job: usize) {
        let at = view.now + view.earliest(&self.seconds(view), job);
        self.planned.insert(job, at);
        self.promised.entry(job).or_insert(at);
    }

    fn refresh(&mut self, view: &View<'_>, order: Order) {
        let ended_early = view
            .ended
            .iter()
            .any(|job| view.start[*job].unwrap() + view.jobs[*job].estimate > view.now);
        let order: Vec<usize> = view
            .sorted(order)
            .into_iter()
            .filter(|job| self.planned.contains_key(job))
            .collect();
        if view.overdue() || std::mem::take(&mut self.stale) {
            self.planned.clear();
            order.into_iter().for_each(|job| self.place(view, job));
        } else if ended_early || self.eager && !view.ended.is_empty() {
            for job in order {
                self.planned.remove(&job);
                self.place(view, job);
            }
        }
    }

    fn start_due(&mut self, view: &mut View<'_>, order: Order) {
        let due: Vec<usize> = self
            .planned
            .iter()
            .filter(|(_, at)| **at <= view.now)
            .map(|(job, _)| *job)
            .collect();
        for job in due {
            self.planned.remove(&job);
            self.stale |=
                view.known_until_start && view.jobs[job].runtime != view.jobs[job].estimate;
            view.pass(job, order);
        }
    }

    /// Behind an overdue job nothing can start before something happens, and then all is planned
    /// anew.
    fn wake(&mut self, view: &mut View<'_>) {
        self.stale |= view.overdue();
        let after = if view.overdue() {
            view.now + view.second
        } else {
            view.now
        };
        view.wakes = self
            .planned
            .values()
            .copied()
            .filter(|at| *at > after)
            .collect();
    }
}

pub fn conservative(view: &mut View<'_>, plan: &mut Plan, order: Order) {
    plan.refresh(view, order);
    for job in view.waiting.clone() {
        if job >= plan.seen {
            plan.place(view, job);
            plan.seen = job + 1;
        }
    }
    plan.start_due(view, order);
    plan.wake(view);
}

/// Selective reservations; `threshold` none is the mean slowdown of the jobs in `slowdowns`.
pub fn selective(
    view: &mut View<'_>,
    plan: &mut Plan,
    order: Order,
    threshold: Option<f64>,
    slowdowns: &mut Vec<f64>,
) {
    for job in &view.ended {
        let response = (view.now - view.jobs[*job].submit).max(10) as f64;
        slowdowns.push((response / view.jobs[*job].runtime.max(10) as f64).max(1.0));
    }
    plan.refresh(view, order);
    let mean = if slowdowns.is_empty() {
        1.0
    } else {
        slowdowns.iter().sum::<f64>() / slowdowns.len() as f64
    };
    for job in view.sorted(order) {
        let estimate = view.jobs[job].estimate as f64;
        let due = (view.now - view.jobs[job].submit) as f64 + estimate
            >= threshold.unwrap_or(mean) * estimate;
        if due && !plan.planned.contains_key(&job) {
            plan.place(view, job);
        }
    }
    plan.start_due(view, order);
    for job in view.sorted(order) {
        if !plan.planned.contains_key(&job) && view.fits(&plan.seconds(view), 0, job) {
            view.pass(job, order);
        }
    }
    plan.wake(view);
}

/// Maui, by the words of its parameters.
#[derive(Copy, Clone, Debug)]
pub struct Maui {
    pub order: Order,
    pub depth: usize,
    pub backfill: &'static str,
    pub metric: &'static str,
    pub widest: bool,
}

pub fn maui(view: &mut View<'_>, rules: Maui) {
    if start_heads(view, rules.order).is_none() {
        return;
    }
    let mut seconds = view.seconds();
    let mut rest = Vec::new();
    let mut held = 0;
    for job in view.sorted(rules.order) {
        if held == rules.depth {
            rest.push(job);
        } else if rules.backfill != "none" && view.fits(&seconds, 0, job) {
            view.take(&mut seconds, 0, job);
            view.pass(job, rules.order);
        } else {
            let at = view.earliest(&seconds, job);
            view.take(&mut seconds, at, job);
            held += 1;
        }
    }
    if rules.backfill == "none" {
        return;
    }
    let forever = seconds.len() as i64;
    // Windows as (processors, seconds) with the processors that are left when each ends.
    let mut widest = seconds[0];
    loop {
        let processors = if rules.widest {
            widest.min(seconds[0])
        } else {
            i64::MAX
        };
        let length = if rules.widest {
            seconds
                .iter()
                .position(|free| *free < processors)
                .map_or(forever, |at| at as i64)
        } else {
            forever
        };
        let narrower = seconds.get(length as usize).copied();
        let mut jobs: Vec<usize> = rest
            .iter()
            .copied()
            .filter(|job| view.start[*job].is_none() && view.size(*job) <= processors)
            .collect();
        jobs.retain(|job| view.belief(*job) <= length && view.fits(&seconds, 0, *job));
        if rules.backfill == "greedy" {
            jobs = best_subset(&jobs, |set| {
                let used: i64 = set.iter().map(|job| view.size(*job)).sum();
                (used <= processors).then_some(used)
            });
        } else if rules.backfill == "bestfit" {
            let worth = |job: &usize| match rules.metric {
                "procs" => view.size(*job),
                "procseconds" => view.size(*job) * view.jobs[*job].estimate,
                _ => view.jobs[*job].estimate,
            };
            // The best one again and again.
            let mut left = jobs.clone();
            jobs.clear();
            while let Some(best) = left.iter().copied().reduce(|best, job| {
                if worth(&job) > worth(&best) {
                    job
                } else {
                    best
                }
            }) {
                jobs.push(best);
                left.retain(|job| *job != best);
            }
        }
        for job in jobs {
            if view.fits(&seconds, 0, job) {
                view.take(&mut seconds, 0, job);
                view.pass(job, rules.order);
            }
        }
        match narrower {
            Some(narrower) if rules.widest && narrower > 0 && seconds[0] > 0 => widest = narrower,
            _ => return,
        }
    }
}

/// The best of all subsets by `worth`, which refuses those that are not allowed; among equals the
/// one that has the first job that any has, then the next, and so on.
fn best_subset(jobs: &[usize], worth: impl Fn(&[usize]) -> Option<i64>) -> Vec<usize> {
    assert!(jobs.len() < 20, "too many for brute force");
    let members = |set: u32| -> Vec<usize> {
        (0..jobs.len())
            .filter(|at| set >> at & 1 == 1)
            .map(|at| jobs[at])
            .collect()
    };
    let best = (0..1_u32 << jobs.len())
        .filter_map(|set| Some((worth(&members(set))?, set.reverse_bits(), set)))
        .max()
        .expect("the empty set is allowed");
    members(best.2)
}

/// Look-ahead by brute force over all subsets of the first `limit` jobs behind the head, or of all
/// where none is held.
pub fn lookahead(view: &mut View<'_>, order: Order, reserves: bool, limit: usize) {
    let head = if reserves {
        start_heads(view, order)
    } else {
        None
    };
    let mut seconds = view.seconds();
    if let Some(head) = head {
        let at = view.earliest(&seconds, head);
        view.take(&mut seconds, at, head);
    } else if reserves {
        return;
    }
    let mut jobs: Vec<usize> = view
        .sorted(order)
        .into_iter()
        .filter(|job| Some(*job) != head)
        .take(limit)
        .collect();
    jobs.retain(|job| view.fits(&seconds, 0, *job));
    let set = best_subset(&jobs, |set| {
        let mut left = seconds.clone();
        set.iter().for_each(|job| view.take(&mut left, 0, *job));
        left.iter()
            .all(|free| *free >= 0)
            .then(|| set.iter().map(|job| view.size(*job)).sum())
    });
    set.into_iter().for_each(|job| view.pass(job, order));
}

/// Multiple queues: limits in seconds and own processors of each; `held` is kept from instant to
/// instant.
pub fn multiqueue(
    view: &mut View<'_>,
    order: Order,
    limits: [i64; 3],
    shares: [i64; 4],
    held: &mut Vec<usize>,
) {
    let queue_of = |view: &View<'_>, job: usize| {
        limits
            .iter()
            .position(|limit| view.jobs[job].estimate <= *limit)
            .unwrap_or(3)
    };
    let mut seconds = view.seconds();
    let start = |view: &mut View<'_>, seconds: &mut Vec<i64>, job: usize| {
        let starts = view.fits(seconds, 0, job);
        if starts {
            view.take(seconds, 0, job);
            view.pass(job, order);
        }
        starts
    };
    held.retain(|job| view.start[*job].is_none());
    for job in held.clone() {
        if start(view, &mut seconds, job) {
            held.retain(|other| *other != job);
        } else {
            let at = view.earliest(&seconds, job);
            view.take(&mut seconds, at, job);
        }
    }
    let lines: [Vec<usize>; 4] = std::array::from_fn(|queue| {
        view.sorted(order)
            .into_iter()
            .filter(|job| queue_of(view, *job) == queue && !held.contains(job))
            .collect()
    });
    let holds: [bool; 4] =
        std::array::from_fn(|queue| held.iter().any(|job| queue_of(view, *job) == queue));
    let mut next = [0; 4];
    for queue in (0..4).filter(|queue| !holds[*queue]) {
        let used = |view: &View<'_>| -> i64 {
            view.running
                .iter()
                .filter(|(job, _)| queue_of(view, *job) == queue)
                .map(|(job, _)| view.size(*job))
                .sum()
        };
        while let Some(&job) = lines[queue].get(next[queue])
            && used(view) + view.size(job) <= shares[queue]
            && start(view, &mut seconds, job)
        {
            next[queue] += 1;
        }
    }
    for queue in (0..4).filter(|queue| !holds[*queue]) {
        while let Some(&job) = lines[queue].get(next[queue])
            && start(view, &mut seconds, job)
        {
            next[queue] += 1;
        }
        if let Some(&job) = lines[queue].get(next[queue]) {
            let at = view.earliest(&seconds, job);
            view.take(&mut seconds, at, job);
            held.push(job);
            next[queue] += 1;
        }
    }
    for queue in 0..4 {
        for &job in &lines[queue][next[queue]..] {
            start(view, &mut seconds, job);
        }
    }
}
