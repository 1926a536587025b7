//! The controller of the policy slurm (docs/policies/slurm.md): the main pass, the backfill pass and
//! their clock, with one partition. Rules are named by their numbers there.
//!
//! The twin goes from instant to instant, runs every pass in full, and makes every list anew. Times
//! of the clock are microseconds since 1970; times of the scheduler are whole seconds.

use super::slurm_plugins::{Ask, Cluster, FAR, Gres, Nodes, Parts, Used, nodes_of};
use super::slurm_switches::Tree;
use super::words::{Job, Schedule, Workload};
use std::collections::BTreeMap;

/// Microseconds in a second.
pub const SECOND: i64 = 1_000_000;

/// The zero of a log without a date.
const ZERO: i64 = 86_400 * SECOND;

/// The priority of the first job under priority/basic.
const FIRST_PRIORITY: i64 = 4_294_901_759;

/// The largest multiple of a number that is not above `value`.
const fn floor(value: i64, of: i64) -> i64 {
    value.div_euclid(of) * of
}

/// The lines of priority/multifactor.
#[derive(Copy, Clone, Debug)]
pub struct Factors {
    pub size_weight: i64,
    pub favors_small: bool,
    /// With slurmdbd: the weight of the age, the largest age in seconds, and the minutes after which
    /// priorities are computed again.
    pub age: Option<(i64, i64, i64)>,
}

/// An advance reservation (rule 84). Times are seconds since 1970.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact or a note of its own"
)]
pub struct Kept {
    /// The current period.
    pub start: i64,
    pub end: i64,
    /// Seconds from period to period.
    pub every: i64,
    /// The number of periods that are left.
    pub periods: i64,
    pub nodes: Nodes,
    /// It can stop all jobs of the partition.
    pub stops_all: bool,
    pub has_begun: bool,
    /// Its nodes were marked as in maintenance by the last look.
    pub is_marked: bool,
    pub is_maintenance: bool,
    pub is_deleted: bool,
}

/// The nodes that reservations leave a job (rule 86).
struct Left {
    nodes: Nodes,
    /// The second from which the job is planned.
    from: i64,
    /// A reservation keeps nodes.
    is_overlapped: bool,
    is_maintained: bool,
}

/// The outcome of the try to start a job.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Outcome {
    Started,
    Busy,
    Reserved,
    Other,
}

/// The lines of slurm.conf and the clock. Spans of the clock are in microseconds, others in
/// seconds except `min_interval`.
#[derive(Clone, Debug)]
pub struct Conf {
    pub is_builtin: bool,
    pub factors: Option<Factors>,
    pub interval: i64,
    pub resolution: i64,
    /// In minutes.
    pub window: i64,
    pub most_tests: i64,
    pub batch_delay: i64,
    pub full_interval: i64,
    /// In microseconds.
    pub min_interval: i64,
    pub depth: i64,
    pub tick: i64,
    pub extra: i64,
    pub cleanup: i64,
    pub lag: i64,
    pub lead: i64,
    /// The controller has run no pass before.
    pub is_new: bool,
    pub kept: Vec<Kept>,
}

/// A job that runs, or whose nodes are not clean yet.
#[derive(Clone)]
struct Held {
    job: usize,
    parts: Parts,
    /// The generic resources on each of the nodes.
    gres: Vec<Gres>,
    is_exclusive: bool,
    /// The second in which the scheduler expects the end.
    expected: i64,
    /// The instant at which the job ends, or at which its nodes are clean.
    until: i64,
}

/// A slot of the backfill scheduler's map.
#[derive(Copy, Clone, Debug)]
struct Slot {
    begin: i64,
    end: i64,
    free: Nodes,
}

/// The map of a backfill pass (rule 30).
struct Map {
    slots: Vec<Slot>,
    /// The number of slots that the map has ever had.
    ever: i64,
}

impl Map {
    /// Cuts a slot in two at an instant.
    fn cut(&mut self, at: usize, instant: i64) {
        let rest = Slot {
            begin: instant,
            ..self.slots[at]
        };
        self.slots[at].end = instant;
        self.slots.insert(at + 1, rest);
        self.ever += 1;
    }

    /// Takes nodes off the map between two instants (rule 33).
    fn reserve(&mut self, nodes: Nodes, begin: i64, end: i64, resolution: i64) {
        let begin = begin.max(self.slots[0].begin);
        let end = end.max(begin + resolution);
        let Some(found) = self.slots.iter().position(|slot| slot.end >= begin) else {
            return;
        };
        let before = found.saturating_sub(1);
        if self.slots[found].end > begin {
            self.cut(found, begin);
        }
        let mut at = found + 1;
        while at < self.slots.len() {
            if self.slots[at].end > end {
                self.cut(at, end);
            }
            self.slots[at].free &= !nodes;
            at += 1;
            if self.slots[at - 1].end == end {
                break;
            }
        }
        let after = at.min(self.slots.len() - 1);
        let is_equal = |first: &usize| self.slots[*first].free == self.slots[*first + 1].free;
        if let Some(first) = (before..after).find(is_equal) {
            self.slots[first].end = self.slots[first + 1].end;
            self.slots.remove(first + 1);
        }
    }
}

/// The outcome of the plan of an entry.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Planned {
    NextEntry,
    PassEnds,
}

struct Controller<'a> {
    cluster: &'a Cluster,
    conf: &'a Conf,
    jobs: &'a [Job],
    asks: Vec<Ask>,
    now: i64,
    /// In order of submission.
    waiting: Vec<usize>,
    running: Vec<Held>,
    completing: Vec<Held>,
    priorities: Vec<i64>,
    /// By job, the CPUs of its last plan, and the second from which its age counts.
    planned: Vec<Option<i64>>,
    since: Vec<Option<i64>>,
    /// By job, in seconds.
    submitted: Vec<i64>,
    starts: Vec<Option<i64>>,
    given: Vec<Vec<u32>>,
    /// By node (rule 81).
    near: Vec<i64>,
    kept: Vec<Kept>,
    /// By job, the numbers of the reservations that admit it.
    admitted: Vec<Vec<usize>>,
    /// Seconds of the last look at reservations, and of the last test of what is over.
    last_look: i64,
    last_test: i64,
    /// A main pass has been asked for.
    is_asked: bool,
    /// Seconds of the last passes.
    last_full: i64,
    last_main: i64,
    last_backfill: i64,
    /// No main pass has read the two spans of rule 39 yet.
    is_unread: bool,
    /// The instant of the last main pass.
    main_at: Option<i64>,
    /// A main pass that waits for `sched_min_interval`, and whether it is full.
    deferred: Option<(i64, bool)>,
    /// The second of the last change.
    changed: i64,
    counts: BTreeMap<&'static str, u64>,
}

impl Controller<'_> {
    /// Returns the second that the controller reads (rule 37).
    const fn second(&self) -> i64 {
        (self.now - self.conf.lag).div_euclid(SECOND)
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_insert(0) += 1;
    }

    const fn change(&mut self) {
        self.changed = self.second();
    }

    /// The limit of a job in seconds.
    fn limit(&self, job: usize) -> i64 {
        Self::limit_of(&self.jobs[job])
    }

    fn limit_of(job: &Job) -> i64 {
        let minutes = (job.estimate + 60 * SECOND - 1) / (60 * SECOND);
        60 * minutes.max(1)
    }

    /// Returns the priority that a job has when it is computed now (rules 5 and 6).
    fn priority(&self, job: usize) -> i64 {
        let Some(factors) = self.conf.factors else {
            return FIRST_PRIORITY - job as i64;
        };
        let nodes = self.cluster.cores.len() as f64;
        let cpus = self.cluster.cores.iter().sum::<i64>() as f64;
        let own_nodes = self.asks[job].least() as f64;
        let own = self.planned[job].unwrap_or(self.asks[job].cpus) as f64;
        let size = if factors.favors_small {
            f64::midpoint((nodes - own_nodes) / nodes, (cpus - own) / cpus)
        } else {
            f64::midpoint(own_nodes / nodes, own / cpus)
        };
        let mut priority = factors.size_weight as f64 * size.clamp(0.0, 1.0);
        if let (Some((weight, most, _)), Some(since)) = (factors.age, self.since[job]) {
            let age = (self.second() - since) as f64 / most as f64;
            priority += weight as f64 * age.min(1.0);
        }
        (priority as i64).max(1)
    }

    /// Returns the queue (rules 2 and 4). The age of a job counts from the first queue that has it.
    fn queue(&mut self) -> Vec<usize> {
        for job in &self.waiting {
            self.since[*job] = Some(self.submitted[*job]);
        }
        let mut queue = self.waiting.clone();
        queue.sort_by_key(|job| (-self.priorities[*job], *job));
        queue
    }

    /// Returns what jobs use.
    fn used(cluster: &Cluster, running: &[Held]) -> Used {
        let mut used = cluster.unused();
        for held in running {
            for ((node, cpus), gres) in held.parts.iter().zip(&held.gres) {
                used.cpus[*node] += cpus;
                used.gres[*node][0] += gres[0];
                used.gres[*node][1] += gres[1];
            }
        }
        used
    }

    fn nodes<'h>(held: impl IntoIterator<Item = &'h Held>) -> Nodes {
        let held = held.into_iter();
        held.fold(0, |all, held| all | nodes_of(&held.parts))
    }

    /// Returns the nodes that are closed to a job (rule 15).
    fn closed(&self, ask: Ask) -> Nodes {
        let closes = |held: &&Held| ask.is_exclusive || held.is_exclusive;
        Self::nodes(&self.completing) | Self::nodes(self.running.iter().filter(closes))
    }

    /// Moves a repeated reservation that has ended on (rule 85). Returns true if it moved.
    fn advance(&mut self, at: usize) -> bool {
        let one = &mut self.kept[at];
        let moves = one.periods > 1;
        if moves {
            one.start += one.every;
            one.end += one.every;
            one.periods -= 1;
            one.has_begun = false;
            self.count("periods that repeat");
        }
        moves
    }

    /// Returns the nodes that reservations leave a job from a second on (rule 86).
    fn left(&mut self, job: usize, from: i64, moves: bool) -> Option<Left> {
        let now = self.second();
        for at in 0..self.kept.len() {
            while !self.kept[at].is_deleted && self.kept[at].end <= now && self.advance(at) {
                self.change();
            }
        }
        let mut left = Left {
            nodes: self.cluster.all(),
            from,
            is_overlapped: false,
            is_maintained: false,
        };
        for tries in 0.. {
            left.nodes = self.cluster.all();
            let (start, end) = (left.from, left.from + self.limit(job));
            let mut stop = None;
            for (at, one) in self.kept.iter().enumerate() {
                let meets = one.start < end && one.end > start;
                if one.is_deleted || !meets || self.admitted[job].contains(&at) {
                    continue;
                }
                if one.stops_all {
                    stop = Some(one.end);
                    break;
                }
                left.nodes &= !one.nodes;
                left.is_overlapped = true;
            }
            let Some(end) = stop else {
                break;
            };
            self.count("stops by maintenance");
            if !moves {
                left.nodes = 0;
                left.is_maintained = true;
                break;
            }
            if tries == 10 {
                return None;
            }
            left.from = end;
        }
        Some(left)
    }

    /// Looks at reservations on a tick (rules 88 and 89).
    fn look(&mut self) {
        let second = self.second();
        if second - self.last_look >= 5 {
            self.last_look = second;
            for one in &mut self.kept {
                if one.is_deleted {
                    continue;
                }
                let is_on = one.start <= second && second < one.end;
                if is_on || one.is_marked {
                    self.changed = second;
                }
                one.is_marked = is_on && one.is_maintenance;
                if one.start <= second && !one.has_begun {
                    one.has_begun = true;
                    self.is_asked = true;
                }
            }
        }
        if second - self.last_test >= 30 {
            self.last_test = second;
            for at in 0..self.kept.len() {
                if self.kept[at].is_deleted || self.kept[at].end >= second {
                    continue;
                }
                let is_over = !self.advance(at);
                self.kept[at].is_deleted = is_over;
                self.change();
            }
        }
    }

    /// Tries to start a job now (rules 12 to 17).
    fn start(&mut self, job: usize, open: Nodes) -> Outcome {
        let ask = self.asks[job];
        let now = self.second();
        let left = self.left(job, now, false).expect("nodes or none");
        let closed = self.closed(ask);
        let used = Self::used(self.cluster, &self.running);
        let sets = self.sets(ask, open);
        let total = self.begin_walk(&sets);
        let mut pool = 0;
        let mut found = None;
        for (at, set) in sets.iter().enumerate() {
            pool |= set & !closed & left.nodes;
            let is_last = at + 1 == sets.len();
            if !is_last && (!self.cluster.is_linear || i64::from(pool.count_ones()) < ask.least()) {
                continue;
            }
            if self.is_joined(&sets[at..]) {
                self.count("sets of one weight");
                continue;
            }
            let near = self.near.clone();
            found = self.cluster.choose(ask, pool, &used, &mut self.near);
            if let Some(parts) = &found {
                if parts.len() as i64 > ask.most_nodes {
                    self.count("choices with too many nodes");
                    found = None;
                } else {
                    self.count_switches(ask, pool, &used, near, parts);
                }
                break;
            }
        }
        // Rule 17.
        let (mut possible, mut is_runnable) = (None, false);
        if found.is_none() && i64::from(total.count_ones()) >= ask.least() {
            let is_asked = i64::from(pool.count_ones()) >= ask.least();
            let near = &mut self.near;
            let open = total & left.nodes;
            if is_asked {
                possible = self.cluster.chosen_if_empty(ask, open, near);
                is_runnable = possible.is_some_and(|nodes| nodes <= ask.most_nodes);
            }
            // If all nodes of the walk are open, both tests ask the same.
            if possible.is_none() && !(is_asked && open == total) {
                possible = self.cluster.chosen_if_empty(ask, total, near);
            }
        }
        let Some(parts) = found else {
            let is_busy = total & left.nodes & closed != 0;
            let outcome = match (possible.is_some(), is_runnable || is_busy) {
                (false, _) if left.is_overlapped => Outcome::Reserved,
                (true, false) if left.is_maintained => Outcome::Reserved,
                (true, true) => Outcome::Busy,
                _ => Outcome::Other,
            };
            if outcome == Outcome::Reserved {
                self.count("tries that reservations stop");
            }
            return outcome;
        };
        if ask.nodes.is_some() {
            self.count("numbers of nodes");
        }
        if ask.has_gres() {
            self.count("generic resources");
        }
        if ask.is_exclusive {
            self.count("exclusive starts");
        }
        let gres = |(node, _): &(usize, i64)| {
            if ask.is_exclusive {
                self.cluster.gres[*node]
            } else {
                ask.gres
            }
        };
        let gres = parts.iter().map(gres).collect();
        self.give(job, &parts);
        self.starts[job] = Some(self.now);
        self.waiting.retain(|other| *other != job);
        self.running.push(Held {
            job,
            parts,
            gres,
            is_exclusive: ask.is_exclusive,
            expected: self.second() + self.limit(job),
            until: self.now + self.jobs[job].runtime,
        });
        self.change();
        Outcome::Started
    }

    /// Returns true if switches join the first of these sets with the next one (rule 100).
    fn is_joined(&self, sets: &[Nodes]) -> bool {
        let weight = |set: &Nodes| self.cluster.weights[set.trailing_zeros() as usize];
        let tree = self.cluster.tree.as_ref();
        tree.is_some_and(Tree::joins_sets) && sets.len() > 1 && weight(&sets[0]) == weight(&sets[1])
    }

    /// Counts what switches make of the nodes of a job.
    fn count_switches(
        &mut self,
        ask: Ask,
        pool: Nodes,
        used: &Used,
        mut near: Vec<i64>,
        parts: &Parts,
    ) {
        let Some(tree) = &self.cluster.tree else {
            return;
        };
        let is_within = tree.has_leaf_of(nodes_of(parts));
        if !is_within {
            self.count("starts below several leaves");
        } else if parts.len() > 1 {
            self.count("starts of several nodes below one leaf");
        }
        let weight = |(node, _): &(usize, i64)| self.cluster.weights[*node];
        if parts.iter().any(|part| weight(part) != weight(&parts[0])) {
            self.count("starts on nodes of several weights");
        }
        let plain = Cluster {
            tree: None,
            ..self.cluster.clone()
        };
        if plain.choose(ask, pool, used, &mut near).as_ref() != Some(parts) {
            self.count("starts that switches change");
        }
    }

    /// Returns the sets of a job (rule 14).
    fn sets(&self, ask: Ask, open: Nodes) -> Vec<Nodes> {
        let large = self.cluster.large(ask);
        let sets = self.cluster.sets.iter().map(|set| set & large & open);
        sets.filter(|set| *set != 0).collect()
    }

    /// Returns the nodes of all sets, and forgets how near they are (rule 81, step 1).
    fn begin_walk(&mut self, sets: &[Nodes]) -> Nodes {
        let total = sets.iter().fold(0, |total, set| total | set);
        for node in (0..64).filter(|node| total >> node & 1 == 1) {
            self.near[node] = FAR;
        }
        total
    }

    /// Makes the walk of a submission (rule 81, step 1).
    fn test_at_submission(&mut self, job: usize) {
        let (cluster, ask) = (self.cluster, self.asks[job]);
        let sets = self.sets(ask, cluster.all());
        let total = self.begin_walk(&sets);
        let now = self.second();
        let left = self.left(job, now, false).expect("nodes or none");
        let pool = total & left.nodes & !self.closed(ask);
        let near = &mut self.near;
        if !cluster.is_linear && cluster.chosen_if_empty(ask, pool, near).is_none() {
            cluster.chosen_if_empty(ask, total, near);
        }
    }

    /// Gives a job the cores with the lowest numbers on each node.
    fn give(&mut self, job: usize, parts: &[(usize, i64)]) {
        let mut own = Vec::new();
        for (node, cpus) in parts {
            let first = self.cluster.first_cores[*node];
            let is_free = |core: &u32| {
                let mut running = self.running.iter();
                !running.any(|held| self.given[held.job].contains(core))
            };
            let cores = first..first + self.cluster.cores[*node];
            let free = cores.map(|core| core as u32).filter(is_free);
            own.extend(free.take(*cpus as usize));
        }
        own.sort_unstable();
        self.given[job] = own;
    }

    /// Runs a main pass (rules 8 to 10).
    fn main_pass(&mut self, is_full: bool) {
        self.main_at = Some(self.now);
        self.is_unread = false;
        let mut is_closed = false;
        for (place, job) in self.queue().into_iter().enumerate() {
            if !is_full && place as i64 > self.conf.depth {
                self.count("passes cut at the depth");
                break;
            }
            if is_closed {
                self.change();
                continue;
            }
            match self.start(job, self.cluster.all()) {
                Outcome::Started => self.count("starts by main passes"),
                Outcome::Busy => is_closed = true,
                Outcome::Reserved | Outcome::Other => {
                    self.count("main passes that go on behind a job");
                }
            }
        }
    }

    /// Running jobs in the order in which the plugin takes them away.
    fn by_end(&self) -> Vec<Held> {
        let mut running = self.running.clone();
        running.sort_by_key(|held| (held.expected, held.job));
        running
    }

    /// Returns the second in which the plugin would start a job, and its nodes (rules 20 and 22).
    fn plugin_start(&mut self, job: usize, set: Nodes) -> Option<(i64, Parts)> {
        let (now, cluster, ask) = (self.second(), self.cluster, self.asks[job]);
        let mut left = self.by_end();
        let jobs = self.jobs;
        let near = &mut self.near;
        let mut choose = |left: &[Held]| cluster.choose(ask, set, &Self::used(cluster, left), near);
        if let Some(nodes) = choose(&left) {
            return Some((now, nodes));
        }
        let usable = if cluster.is_linear {
            set & cluster.with_gres(ask)
        } else {
            set
        };
        let is_kept = |held: &Held| nodes_of(&held.parts) & usable != 0;
        let mut at = 0;
        if cluster.is_linear {
            while at < left.len() {
                if !is_kept(&left[at]) {
                    at += 1;
                    continue;
                }
                let gone = left.remove(at);
                if let Some(nodes) = choose(&left) {
                    let start = gone.expected;
                    return Some((if start > now { start } else { now + 1 }, nodes));
                }
            }
            return None;
        }
        let mut window = 30;
        let mut border = None;
        loop {
            let mut last = None;
            while at < left.len() {
                if !is_kept(&left[at]) {
                    at += 1;
                    continue;
                }
                let gone = left.remove(at);
                let border = *border.get_or_insert(floor(gone.expected, 30) + 30);
                last = Some(gone);
                if left
                    .get(at)
                    .is_some_and(|next| next.expected > border + window)
                {
                    break;
                }
            }
            let last = last?;
            loop {
                window *= 2;
                let is_beyond = |next: &Held| next.expected > border.unwrap_or(0) + window;
                if !left.get(at).is_some_and(is_beyond) {
                    break;
                }
            }
            if let Some(nodes) = choose(&left) {
                if last.expected > now {
                    return Some((last.expected, nodes));
                }
                return Some((now + Self::limit_of(&jobs[last.job]), nodes));
            }
        }
    }

    /// Runs a backfill pass (rules 30 and 31).
    fn backfill_pass(&mut self) {
        let (now, resolution) = (self.second(), self.conf.resolution);
        let mut map = Map {
            slots: vec![Slot {
                begin: floor(now, resolution),
                end: floor(now + 60 * self.conf.window, resolution),
                free: self.cluster.all(),
            }],
            ever: 1,
        };
        let mut tested = Vec::new();
        for job in self.queue() {
            if tested.len() as i64 >= self.conf.most_tests {
                self.count("passes cut at the number of tests");
                break;
            }
            if self.plan(job, &mut map, &mut tested) == Planned::PassEnds {
                self.count("passes cut at the size of the map");
                break;
            }
        }
    }

    /// Returns the plugin's start of a job, and counts the plans of jobs without generic resources
    /// that jobs before it change.
    fn plan_start(&mut self, job: usize, avail: Nodes) -> Option<(i64, Parts)> {
        let near = self.near.clone();
        let plan = self.plugin_start(job, avail);
        if !self.asks[job].has_gres() && near.iter().any(|near| *near != FAR) {
            let left = std::mem::replace(&mut self.near, vec![FAR; near.len()]);
            if self.plugin_start(job, avail) != plan {
                self.count("plans that GPUs of other jobs change");
            }
            self.near = left;
        }
        plan
    }

    /// Plans a job, and starts it or reserves nodes for it (rule 32).
    fn plan(&mut self, job: usize, map: &mut Map, tested: &mut Vec<usize>) -> Planned {
        let now = self.second();
        let limit = self.limit(job);
        let mut from = now;
        loop {
            let Some(left) = self.left(job, from, true) else {
                return Planned::NextEntry;
            };
            if left.from > from {
                self.count("plans behind maintenance");
            }
            from = left.from;
            let (mut avail, mut later) = Self::walk(map, left.nodes, from, now, limit);
            let resolution = self.conf.resolution;
            if left.is_overlapped {
                let ends = self.kept.iter().filter(|one| !one.is_deleted);
                let ends = ends.map(|one| one.end).filter(|end| *end >= from);
                let after = floor(ends.min().unwrap_or(0) + resolution - 1, resolution) + 1;
                let is_within = after < floor(now + 60 * self.conf.window, resolution);
                if after > 1 && is_within && later.is_none_or(|later| after < later) {
                    self.count("plans behind reservations");
                    later = Some(after);
                }
            }
            let mut plan = None;
            if i64::from(avail.count_ones()) >= self.asks[job].least() {
                if !tested.contains(&job) {
                    tested.push(job);
                }
                avail &= self.cluster.large(self.asks[job]);
                if i64::from(avail.count_ones()) >= self.asks[job].least() {
                    plan = self.plan_start(job, avail);
                }
                if let Some((_, parts)) = &plan {
                    self.planned[job] = Some(parts.iter().map(|(_, cpus)| cpus).sum());
                }
            }
            let Some((start, parts)) = plan else {
                let Some(later) = later else {
                    return Planned::NextEntry;
                };
                self.count("retries");
                from = later;
                continue;
            };
            let nodes = nodes_of(&parts);
            let mut start = start;
            if start < from {
                start = from;
                self.change();
            }
            if start == now && nodes & Self::nodes(&self.completing) != 0 {
                self.count("plans on nodes that complete");
                start = now + 1;
                later = None;
            }
            if start == now {
                let outcome = self.start(job, avail);
                if outcome == Outcome::Reserved {
                    return Planned::NextEntry;
                }
                if outcome == Outcome::Started {
                    self.count("starts by backfill passes");
                    // Rule 34.
                    let is_exclusive = self.asks[job].is_exclusive && !self.cluster.is_linear;
                    if let Some(held) = self.running.last()
                        && is_exclusive
                        && map.ever < self.conf.most_tests
                    {
                        let (nodes, resolution) = (nodes_of(&held.parts), self.conf.resolution);
                        map.reserve(nodes, 0, floor(held.expected, resolution), resolution);
                    }
                    return Planned::NextEntry;
                }
                self.count("failed starts");
                later = None;
            }
            if let Some(later) = later.filter(|later| start > *later) {
                self.count("retries");
                from = later;
                continue;
            }
            if start > now + 60 * self.conf.window {
                self.count("plans beyond the window");
                return Planned::NextEntry;
            }
            let resolution = self.conf.resolution;
            let (begin, end) = (floor(start, resolution), floor(start + limit, resolution));
            let lacks =
                |slot: &Slot| slot.end > begin && slot.begin < end && slot.free & nodes != nodes;
            if start > now && map.slots.iter().any(lacks) {
                self.count("retries");
                from = start;
                continue;
            }
            if nodes & !Self::nodes(&self.running) != 0 {
                self.change();
            }
            if map.ever >= self.conf.most_tests {
                return Planned::PassEnds;
            }
            self.count("reservations");
            map.reserve(nodes, begin, end, resolution);
            return Planned::NextEntry;
        }
    }

    /// Returns the nodes that are free, and the instant from which to try again (rule 32, steps 1
    /// and 2).
    fn walk(map: &Map, all: Nodes, from: i64, now: i64, limit: i64) -> (Nodes, Option<i64>) {
        let end = from.max(now) + limit;
        let mut avail = all;
        let mut later = None;
        for (at, slot) in map.slots.iter().enumerate() {
            if let Some(next) = map.slots.get(at + 1)
                && later.is_none()
                && slot.end > from
                && all & next.free & !(avail & slot.free) != 0
            {
                later = Some(slot.end);
            }
            if slot.end <= from {
                continue;
            }
            if slot.begin > end {
                break;
            }
            avail &= slot.free;
        }
        (avail, later)
    }

    /// Runs a main pass on a tick if one is due (rule 39). A pass that is put off runs once, and is
    /// full if any of the passes is that it stands for.
    fn tick(&mut self) {
        self.look();
        let second = self.second();
        let due = |full_interval: i64, batch_delay: i64| {
            let is_full = second - self.last_full >= full_interval;
            let is_due = self.is_asked && second - self.last_main >= batch_delay;
            (is_full, is_due)
        };
        let of_options = due(self.conf.full_interval, self.conf.batch_delay);
        let (is_full, is_due) = if self.is_unread {
            due(60, 3)
        } else {
            of_options
        };
        if (is_full, is_due) != of_options {
            self.count("ticks with unread options");
        }
        if !is_full && !is_due {
            return;
        }
        self.is_asked = false;
        self.last_main = second;
        if is_full {
            self.last_full = second;
        }
        let earliest = self
            .main_at
            .map_or(self.now, |at| at + self.conf.min_interval);
        if let Some((_, deferred_is_full)) = &mut self.deferred {
            *deferred_is_full |= is_full;
        } else if self.now < earliest {
            self.count("deferred passes");
            self.deferred = Some((earliest + 1, is_full));
        } else {
            self.main_pass(is_full);
        }
    }

    /// Takes off a list what is over, and returns it.
    fn over(list: &mut Vec<Held>, now: i64) -> Vec<Held> {
        list.extract_if(.., |held| held.until <= now).collect()
    }
}

fn asks(cluster: &Cluster, workload: &Workload) -> Vec<Ask> {
    let ask = |(at, job): (usize, &Job)| {
        let nodes = workload.node_asks.get(at);
        let fixed = nodes.filter(|ask| ask.most_tasks != u32::MAX);
        let nodes = fixed.map(|ask| i64::from(ask.least_nodes));
        let plain = Ask::new(i64::from(job.processors), nodes).within(cluster.most_nodes);
        let Some(ask) = workload.node_asks.get(at) else {
            return Ask {
                is_exclusive: cluster.is_linear,
                ..plain
            };
        };
        let other = ask.others.first().copied().unwrap_or(0);
        Ask {
            gres: [ask.per_node[2], other].map(i64::from),
            is_exclusive: ask.is_whole,
            ..plain
        }
    };
    workload.jobs.iter().enumerate().map(ask).collect()
}

/// Returns the numbers of the reservations that admit each job.
fn admitted(workload: &Workload) -> Vec<Vec<usize>> {
    let asks = workload.node_asks.iter();
    let mut admitted: Vec<Vec<usize>> = asks.map(|ask| ask.admitted.clone()).collect();
    admitted.resize(workload.jobs.len(), Vec::new());
    admitted
}

/// Plays a workload from the start of the controller until all jobs have started.
pub fn play(cluster: &Cluster, conf: &Conf, workload: &Workload) -> Schedule {
    let jobs = &workload.jobs;
    let begin = ZERO + jobs[0].submit - conf.lead;
    let first = begin.div_euclid(SECOND);
    let mut own = Controller {
        cluster,
        conf,
        jobs,
        asks: asks(cluster, workload),
        now: begin,
        waiting: Vec::new(),
        running: Vec::new(),
        completing: Vec::new(),
        priorities: Vec::new(),
        planned: vec![None; jobs.len()],
        since: vec![None; jobs.len()],
        submitted: Vec::new(),
        starts: vec![None; jobs.len()],
        given: vec![Vec::new(); jobs.len()],
        near: vec![FAR; cluster.cores.len()],
        kept: conf.kept.clone(),
        admitted: admitted(workload),
        last_look: first,
        last_test: first,
        is_asked: false,
        last_full: first,
        last_main: first,
        last_backfill: first,
        is_unread: conf.is_new,
        main_at: None,
        deferred: None,
        // Reservations that are made are a change.
        changed: if conf.kept.is_empty() {
            i64::MIN
        } else {
            first
        },
        counts: BTreeMap::new(),
    };
    for at in 0..own.kept.len() {
        while own.kept[at].end <= first && own.advance(at) {}
        own.kept[at].is_deleted = own.kept[at].end < first;
    }
    let mut arrived = 0;
    let mut register = Some(begin + 3_200_000);
    let mut tick = begin + conf.tick;
    let mut wake = begin + conf.interval * SECOND;
    let mut has_woken = false;
    let period = conf.factors.and_then(|factors| factors.age);
    let period = period.map(|(_, _, minutes)| 60 * SECOND * minutes);
    let mut renewal = period.map(|period| begin + period);
    let until = |list: &[Held]| list.iter().map(|held| held.until).min();
    // Ticks and wake-ups go on while the clock rests (rule 44), since their passes find nothing.
    while own.starts.contains(&None) {
        let arrival = jobs.get(arrived).map(|job| ZERO + job.submit);
        let wake_at = (!conf.is_builtin).then_some(wake);
        let instants = [
            arrival,
            until(&own.running),
            until(&own.completing),
            register,
            own.deferred.map(|(at, _)| at),
            Some(tick),
            wake_at,
            renewal,
        ];
        own.now = instants.into_iter().flatten().min().expect("a tick");
        let now = own.now;
        // Rule 43: ends, arrivals, registration, main pass, priorities, backfill pass,
        // cleaning.
        for mut held in Controller::over(&mut own.running, now) {
            own.change();
            held.until = now + conf.cleanup;
            own.completing.push(held);
        }
        while jobs
            .get(arrived)
            .is_some_and(|job| ZERO + job.submit == now)
        {
            own.submitted.push(own.second());
            own.priorities.push(own.priority(arrived));
            own.waiting.push(arrived);
            own.test_at_submission(arrived);
            own.is_asked = true;
            own.change();
            arrived += 1;
        }
        if register.take_if(|at| *at == now).is_some() {
            own.is_asked = true;
            own.change();
        }
        if tick == now {
            tick += conf.tick;
            own.tick();
        }
        if let Some((_, is_full)) = own.deferred.take_if(|(at, _)| *at == now) {
            own.main_pass(is_full);
        }
        // Rule 7.
        if let (Some(at), Some(period)) = (&mut renewal, period)
            && *at == now
        {
            *at += period;
            for job in own.waiting.clone() {
                own.priorities[job] = own.priority(job);
            }
        }
        if wake == now && !conf.is_builtin {
            let second = own.second();
            let is_due = second - own.last_backfill >= conf.interval
                && (own.changed >= own.last_backfill || !has_woken);
            has_woken = true;
            wake += conf.extra + SECOND * if is_due { conf.interval } else { 1 };
            if is_due {
                own.last_backfill = second;
                own.backfill_pass();
            }
        }
        if !Controller::over(&mut own.completing, now).is_empty() {
            own.is_asked = true;
            own.change();
        }
    }
    // Slurm gives more CPUs than the machine if the nodes do not divide the tasks.
    let is_exact =
        |ask: &Ask| ask.is_exclusive || ask.nodes.is_none_or(|nodes| ask.cpus % nodes == 0);
    let is_exact = own.asks.iter().all(is_exact);
    let start = |start: Option<i64>| start.expect("every job starts") - ZERO;
    Schedule {
        processors: is_exact.then_some(own.given),
        counts: own.counts,
        ..Schedule::of(own.starts.into_iter().map(start).collect())
    }
}
