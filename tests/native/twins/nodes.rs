//! The machine of nodes (docs/machines/nodes.md) with FCFS, EASY, the priority queue and the
//! policies that plan, and the two queue orders that know of nodes (docs/orders.md). The twin adds
//! up anew what each node and the cluster have left, whenever it is asked for. It finds a
//! reservation by trying every instant at which something is released or a period ends.

use super::draw::Dice;
use super::words::{Case, Experiment, Job, NodeAsk, Schedule, Workload};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

/// Cores, memory and GPUs.
type Amounts = [u64; 3];

/// Memory without limit.
const UNLIMITED: u64 = u64::MAX >> 8;

const RULES: [&str; 7] = [
    "first",
    "weight",
    "best",
    "least",
    "packed",
    "spread",
    "fragmentation",
];

#[derive(Clone, PartialEq, Eq)]
struct Node {
    /// The number of the line that describes the node.
    kind: usize,
    all: Amounts,
    weight: u64,
    partitions: Vec<usize>,
    /// The needs of the jobs that want GPUs, on a node, with the number of such jobs.
    demands: Rc<Vec<(Amounts, u64)>>,
    /// The node serves no job.
    is_down: bool,
    /// Advance reservations that have the node.
    advance: Vec<usize>,
    idle_watts: u64,
    busy_watts: u64,
}

#[derive(Clone)]
struct Cluster {
    text: String,
    nodes: Vec<Node>,
    has_partitions: bool,
    /// By partition, whether it gives whole nodes.
    exclusive: Vec<bool>,
    /// By partition.
    tiers: Vec<u32>,
    advance: Vec<Advance>,
    /// By advance reservation.
    periods: Vec<Vec<Period>>,
    /// Number of each licence; the watts beside the idle power come last if there is a cap.
    licences: Vec<u64>,
    has_power_cap: bool,
}

/// The instants from the first on and before the second.
type Period = (i64, i64);

/// An advance reservation: its first period, and the time after which this repeats.
#[derive(Clone)]
struct Advance {
    first: Period,
    every: Option<i64>,
}

impl Advance {
    /// The last period begins no later than the last submission.
    fn periods(&self, last_submission: i64) -> Vec<Period> {
        let (from, to) = self.first;
        let mut periods = vec![self.first];
        if let Some(every) = self.every {
            let mut later = every;
            while from + later <= last_submission {
                periods.push((from + later, to + later));
                later += every;
            }
        }
        periods
    }
}

impl Cluster {
    fn cores(&self) -> u64 {
        self.nodes.iter().map(|node| node.all[0]).sum()
    }

    fn first_core(&self, node: usize) -> u64 {
        self.nodes[..node].iter().map(|node| node.all[0]).sum()
    }

    /// Nodes of one kind, with the same partitions and the same advance reservations, in the order
    /// of their first nodes. A line describes a kind. Nodes that are down have no class.
    fn classes(&self) -> Vec<Vec<usize>> {
        let mut classes: Vec<Vec<usize>> = Vec::new();
        let in_service = |(_, node): &(usize, &Node)| !node.is_down;
        for (number, node) in self.nodes.iter().enumerate().filter(in_service) {
            match classes
                .iter_mut()
                .find(|class| self.nodes[class[0]] == *node)
            {
                Some(class) => class.push(number),
                None => classes.push(vec![number]),
            }
        }
        classes
    }

    fn empty(&self) -> Left<'_> {
        let view = |(unit, node)| View::empty(unit, node);
        Left {
            views: self.nodes.iter().enumerate().map(view).collect(),
            licences: self.licences.clone(),
        }
    }

    /// An advance reservation that does not admit the job keeps the node from it: an instant of the
    /// time that is asked for lies in a period.
    fn keeps(&self, node: &Node, ask: &NodeAsk, from: i64, to: i64) -> bool {
        let own = |advance: &&usize| !ask.admitted.contains(advance);
        let mut periods = node
            .advance
            .iter()
            .filter(own)
            .flat_map(|at| &self.periods[*at]);
        periods.any(|(begin, end)| from.max(*begin) < to.min(*end))
    }

    /// The units that the job would get by a rule, if it fits into what is left from one instant to
    /// another.
    fn find(&self, left: &Left<'_>, ask: &NodeAsk, by: &str, from: i64, to: i64) -> Option<Given> {
        if !left.has_licences(ask) {
            return None;
        }
        let mut views = left.views.clone();
        views.retain(|view| !self.keeps(view.node, ask, from, to));
        place(&views, ask, by)
    }

    /// The watts that a job is counted with: at most all that the nodes can draw beyond their idle
    /// power.
    fn watts(&self, ask: &NodeAsk) -> u64 {
        let cores = u64::from(ask.tasks * ask.per_task[0]);
        let nodes = u64::from(ask.most_nodes.min(ask.tasks));
        let on = |node: &Node| {
            if ask.is_whole {
                node.more_watts() * nodes
            } else {
                (cores * node.more_watts()).div_ceil(node.all[0])
            }
        };
        let all: u64 = self.nodes.iter().map(Node::more_watts).sum();
        let serving = self.nodes.iter().filter(|node| node.serves(ask));
        serving.map(on).max().unwrap_or(0).min(all)
    }
}

impl Node {
    /// The power beyond the idle power, with all cores in use.
    const fn more_watts(&self) -> u64 {
        self.busy_watts - self.idle_watts
    }

    fn serves(&self, ask: &NodeAsk) -> bool {
        let mut partitions = self.partitions.iter();
        !self.is_down
            && (ask.partitions.is_empty() || partitions.any(|own| ask.partitions.contains(own)))
    }
}

/// The amounts that nodes and the cluster can give, at an instant or in a period.
struct Left<'a> {
    views: Vec<View<'a>>,
    licences: Vec<u64>,
}

impl Left<'_> {
    fn has_licences(&self, ask: &NodeAsk) -> bool {
        let mut licences = self.licences.iter().zip(&ask.licences);
        licences.all(|(left, wanted)| u64::from(*wanted) <= *left)
    }

    /// Gives a job licences, and amounts of nodes.
    fn give(&mut self, ask: &NodeAsk, parts: &Given) {
        assert!(self.has_licences(ask), "no more licences than there are");
        for (left, wanted) in self.licences.iter_mut().zip(&ask.licences) {
            *left -= u64::from(*wanted);
        }
        for &(node, tasks) in parts {
            let view = &mut self.views[node];
            assert!(!view.node.is_down, "the node is in service");
            view.give(given(view.node, ask, tasks));
        }
    }
}

/// The amounts that a node can give, at an instant or in a period. The unit is the node's number, or the number
/// of its class where nodes are only counted.
#[derive(Clone)]
struct View<'a> {
    unit: usize,
    node: &'a Node,
    left: Amounts,
    /// In use; the load is the largest share of it.
    used: Amounts,
    /// Nobody else uses the node.
    idle: bool,
}

impl<'a> View<'a> {
    const fn empty(unit: usize, node: &'a Node) -> Self {
        Self {
            unit,
            node,
            left: node.all,
            used: [0; 3],
            idle: true,
        }
    }

    fn give(&mut self, amounts: Amounts) {
        for (at, amount) in amounts.into_iter().enumerate() {
            assert!(amount <= self.left[at], "a node gives more than it has");
            self.left[at] -= amount;
            self.used[at] += amount;
        }
        self.idle = false;
    }

    /// The least of this and another view of the same node.
    fn meet(&mut self, other: &Self) {
        for at in 0..3 {
            self.left[at] = self.left[at].min(other.left[at]);
            self.used[at] = self.used[at].max(other.used[at]);
        }
        self.idle &= other.idle;
    }

    /// A job that waits will use the node, and leaves this much of it. The load is still that of
    /// now.
    fn keep(&mut self, leaves: Amounts) {
        for (left, leaves) in self.left.iter_mut().zip(leaves) {
            *left = leaves.min(*left);
        }
        self.idle = false;
    }

    /// The growth of the fragmentation of the node's GPUs with so many tasks of a job.
    fn growth(&self, ask: &NodeAsk, tasks: u32) -> i64 {
        let given = given(self.node, ask, tasks);
        // A waiting job uses nothing yet, as for the load.
        let left = [0, 1, 2].map(|at| self.node.all[at] - self.used[at]);
        let after = [0, 1, 2].map(|at| left[at] - given[at]);
        let demands = &self.node.demands;
        fragmentation(after, demands) - fragmentation(left, demands)
    }

    /// The largest share in use, in parts of 2^-32.
    fn load(&self) -> u64 {
        let counts = |at: &usize| self.node.all[*at] > 0 && self.node.all[*at] < UNLIMITED;
        (0..3)
            .filter(counts)
            .map(|at| (self.used[at] << 32) / self.node.all[at])
            .max()
            .unwrap()
    }

    /// The number of tasks of the job that the node can run.
    fn tasks(&self, ask: &NodeAsk) -> u32 {
        self.room(ask).min(ask.most_tasks).min(ask.tasks)
    }

    /// The number of such tasks for which the node's resources suffice.
    fn room(&self, ask: &NodeAsk) -> u32 {
        if !self.node.serves(ask) || ask.is_whole && !self.idle {
            return 0;
        }
        let mut room = 0;
        while (0..3).all(|at| shared(ask, room + 1)[at] <= self.left[at]) {
            room += 1;
        }
        room
    }
}

/// The amounts that a node gives to so many tasks of a job that shares nodes.
fn shared(ask: &NodeAsk, tasks: u32) -> Amounts {
    [0, 1, 2].map(|at| u64::from(ask.per_node[at]) + u64::from(ask.per_task[at]) * u64::from(tasks))
}

fn given(node: &Node, ask: &NodeAsk, tasks: u32) -> Amounts {
    if ask.is_whole {
        node.all
    } else {
        shared(ask, tasks)
    }
}

/// The number of tasks that a node must be able to run, to be usable.
fn tasks_needed(ask: &NodeAsk) -> u32 {
    let is_fixed = ask.least_nodes == ask.most_nodes
        && u64::from(ask.most_nodes) * u64::from(ask.most_tasks) == u64::from(ask.tasks);
    if is_fixed { ask.most_tasks } else { 1 }
}

/// The needs of the jobs that want GPUs, on a node, with the number of such jobs.
fn demands(asks: &[NodeAsk]) -> Vec<(Amounts, u64)> {
    let mut demands: Vec<(Amounts, u64)> = Vec::new();
    for ask in asks {
        let needs = shared(ask, tasks_needed(ask));
        if needs[2] == 0 {
            continue;
        }
        match demands.iter_mut().find(|(known, _)| *known == needs) {
            Some((_, jobs)) => *jobs += 1,
            None => demands.push((needs, 1)),
        }
    }
    demands
}

/// The free GPUs of a node, once for each job that wants GPUs and does not fit.
fn fragmentation(left: Amounts, demands: &[(Amounts, u64)]) -> i64 {
    let does_not_fit = |needs: &Amounts| (0..3).any(|at| needs[at] > left[at]);
    let unfit = demands.iter().filter(|(needs, _)| does_not_fit(needs));
    (left[2] * unfit.map(|(_, jobs)| jobs).sum::<u64>()) as i64
}

/// Units with the numbers of tasks on them.
type Given = Vec<(usize, u32)>;

/// The nodes that a job gets by a rule, if it fits.
fn place(views: &[View<'_>], ask: &NodeAsk, by: &str) -> Option<Given> {
    let rooms: Vec<u32> = views.iter().map(|view| view.tasks(ask)).collect();
    let wholes: Vec<u32> = views.iter().map(|view| view.room(ask)).collect();
    let needed = tasks_needed(ask);
    let mut order: Vec<usize> = (0..views.len()).filter(|at| rooms[*at] >= needed).collect();
    match by {
        "weight" => order.sort_by_key(|at| views[*at].node.weight),
        "best" => order.sort_by_key(|at| Reverse(views[*at].load())),
        "least" | "spread" => order.sort_by_key(|at| views[*at].load()),
        "fragmentation" => order.sort_by_key(|at| views[*at].growth(ask, rooms[*at])),
        _ => {}
    }
    let placed = if ask.most_nodes == 1 {
        let mut enough = order.iter().filter(|at| rooms[**at] >= ask.tasks);
        let node = if by == "packed" {
            enough.min_by_key(|at| wholes[**at])
        } else {
            enough.next()
        };
        node.map(|at| vec![(*at, ask.tasks)])
    } else if by == "spread" {
        deal(&order, &rooms, ask)
    } else {
        let packed = (by == "packed").then_some(wholes.as_slice());
        take(&order, &rooms, ask, packed)
    };
    assert_eq!(
        placed.is_some(),
        can_fit(&order, &rooms, ask),
        "the rules find nodes if there are any"
    );
    let placed = placed?;
    assert_eq!(placed.iter().map(|part| part.1).sum::<u32>(), ask.tasks);
    assert!(placed.iter().all(|(at, tasks)| *tasks <= rooms[*at]));
    assert!(placed.len() >= ask.least_nodes as usize && placed.len() <= ask.most_nodes as usize);
    let unit = |(at, tasks): (usize, u32)| (views[at].unit, tasks);
    Some(placed.into_iter().map(unit).collect())
}

/// There are nodes for the job: enough of them, and the roomiest that it may have suffice.
fn can_fit(usable: &[usize], rooms: &[u32], ask: &NodeAsk) -> bool {
    let mut rooms: Vec<u32> = usable.iter().map(|at| rooms[*at]).collect();
    rooms.sort_by_key(|room| Reverse(*room));
    let most: u32 = rooms.iter().take(ask.most_nodes as usize).sum();
    usable.len() >= ask.least_nodes as usize && most >= ask.tasks
}

/// Takes nodes one by one. `packed` has the tasks for which the resources of each node suffice.
fn take(order: &[usize], rooms: &[u32], ask: &NodeAsk, packed: Option<&[u32]>) -> Option<Given> {
    let mut taken: Given = Vec::new();
    let mut left = ask.tasks;
    while left > 0 {
        let count = taken.len() as u32;
        let others = || {
            let is_taken = |at: usize| taken.iter().any(|(other, _)| *other == at);
            order.iter().copied().filter(move |at| !is_taken(*at))
        };
        if count == ask.most_nodes {
            return None;
        }
        let further = ask.least_nodes.saturating_sub(count + 1);
        let now = left - further;
        let at = if let Some(wholes) = packed {
            others()
                .filter(|at| rooms[*at] >= now)
                .min_by_key(|at| wholes[*at])
                .or_else(|| others().min_by_key(|at| Reverse(rooms[*at])))?
        } else {
            let least = left.div_ceil(ask.most_nodes - count);
            others().find(|at| rooms[*at] >= least)?
        };
        let tasks = rooms[at].min(now);
        taken.push((at, tasks));
        left -= tasks;
    }
    Some(taken)
}

/// Deals the tasks, one to each node in turn.
fn deal(order: &[usize], rooms: &[u32], ask: &NodeAsk) -> Option<Given> {
    let mut part: Vec<usize> = (0..order.len()).collect();
    part.sort_by_key(|rank| Reverse(rooms[order[*rank]]));
    part.truncate(ask.most_nodes as usize);
    part.sort_unstable();
    if part.len() < ask.least_nodes as usize {
        return None;
    }
    let mut dealt: Given = part.iter().map(|rank| (order[*rank], 0)).collect();
    let mut left = ask.tasks;
    while left > 0 {
        let before = left;
        for (at, tasks) in &mut dealt {
            if left > 0 && *tasks < rooms[*at] {
                *tasks += 1;
                left -= 1;
            }
        }
        if left == before {
            return None;
        }
    }
    dealt.retain(|(_, tasks)| *tasks > 0);
    Some(dealt)
}

/// A job's units from one instant to another: of a running job by the belief about it, or of a
/// reservation.
#[derive(Clone)]
struct Hold {
    job: usize,
    from: i64,
    to: i64,
    given: Given,
}

/// Reservations by job.
type Plan = BTreeMap<usize, Hold>;

/// A running job, its nodes and its cores.
#[derive(Clone)]
struct Running {
    job: usize,
    start: i64,
    given: Given,
    cores: BTreeSet<u64>,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct State<'a> {
    cluster: &'a Cluster,
    by: &'static str,
    jobs: &'a [Job],
    asks: &'a [NodeAsk],
    /// No node can ever have two jobs.
    counted: bool,
    classes: Vec<Vec<usize>>,
    now: i64,
    waiting: Vec<usize>,
    running: Vec<Running>,
    /// Jobs that ended before their believed ends, since the last decision.
    ended_early: bool,
    ended: bool,
    /// All reservations must be made anew at the next decision.
    stale: bool,
    /// The policy wants to decide then.
    wakes: Vec<i64>,
    passes: Vec<u32>,
    start: Vec<i64>,
    cores: Vec<Vec<u32>>,
    counts: BTreeMap<&'static str, u64>,
}

/// Plays a workload. Completions and arrivals of an instant come before its decision. There is a
/// decision at each end of a period, too, if jobs wait.
fn play(
    workload: &Workload,
    cluster: &Cluster,
    by: &'static str,
    mut decide: impl FnMut(&mut State<'_>),
) -> Schedule {
    let (jobs, asks) = (&workload.jobs, &workload.node_asks);
    let last = jobs.last().map_or(0, |job| job.submit);
    let periods = cluster.advance.iter().map(|own| own.periods(last));
    let cluster = &Cluster {
        periods: periods.collect(),
        ..cluster.clone()
    };
    let is_one_core = |node: &Node| node.all[0] == 1;
    let mut state = State {
        cluster,
        by,
        jobs,
        asks,
        counted: cluster.nodes.iter().all(is_one_core) || asks.iter().all(|ask| ask.is_whole),
        classes: cluster.classes(),
        now: 0,
        waiting: Vec::new(),
        running: Vec::new(),
        ended_early: false,
        ended: false,
        stale: false,
        wakes: Vec::new(),
        passes: vec![0; jobs.len()],
        start: vec![-1; jobs.len()],
        cores: vec![Vec::new(); jobs.len()],
        counts: BTreeMap::new(),
    };
    let mut arrived = 0;
    loop {
        let arrival = jobs.get(arrived).map(|job| job.submit);
        let ends = state.running.iter().map(|running| state.end(running));
        let wakes = state.wakes.iter().copied();
        let others = ends.chain(wakes).chain(arrival).min();
        let periods = state.ends_of_periods().into_iter().min();
        let periods = periods.filter(|_| !state.waiting.is_empty());
        let Some(now) = others.into_iter().chain(periods).min() else {
            break;
        };
        if others.is_none_or(|other| now < other) {
            state.count("decisions at ends of periods");
            if now > DAY {
                state.count("decisions at ends of repeated periods");
            }
        }
        state.now = now;
        let (ended, running): (Vec<_>, Vec<_>) = std::mem::take(&mut state.running)
            .into_iter()
            .partition(|running| state.end(running) == now);
        state.running = running;
        state.ended = !ended.is_empty();
        let expected = |running: &Running| running.start + state.length(running.job);
        state.ended_early = ended.iter().any(|running| expected(running) > now);
        while jobs.get(arrived).is_some_and(|job| job.submit == now) {
            state.waiting.push(arrived);
            arrived += 1;
        }
        state.wakes.clear();
        if state.has_overdue() {
            state.count("decisions while jobs are overdue");
        }
        decide(&mut state);
        state.count_obstacles();
    }
    assert!(state.waiting.is_empty(), "every job starts");
    let ends = (0..jobs.len()).map(|job| state.start[job] + jobs[job].runtime);
    Schedule {
        ends: Some(ends.collect()),
        processors: Some(state.cores),
        counts: state.counts,
        ..Schedule::of(state.start)
    }
}

impl State<'_> {
    fn end(&self, running: &Running) -> i64 {
        running.start + self.jobs[running.job].runtime
    }

    /// The believed end. An overdue job is taken to end in a second.
    fn believed(&self, running: &Running) -> i64 {
        let end = running.start + self.length(running.job);
        if end > self.now { end } else { self.now + 1 }
    }

    /// True if a running job has outlived the belief about it.
    fn has_overdue(&self) -> bool {
        let end = |running: &Running| running.start + self.length(running.job);
        self.running.iter().any(|running| end(running) <= self.now)
    }

    /// The believed run time.
    fn length(&self, job: usize) -> i64 {
        self.jobs[job].estimate
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_insert(0) += 1;
    }

    /// The ends of periods that are still to come.
    fn ends_of_periods(&self) -> Vec<i64> {
        let periods = self.cluster.periods.iter().flatten();
        let ends = periods.map(|(_, end)| *end);
        ends.filter(|end| *end > self.now).collect()
    }

    /// Counts the jobs that wait while a period keeps nodes from them, or while licences are not
    /// left.
    fn count_obstacles(&mut self) {
        let now = self.now;
        let is_kept = |job: &&usize| {
            let (ask, end) = (&self.asks[**job], now + self.length(**job));
            let keeps = |node: &Node| node.serves(ask) && self.cluster.keeps(node, ask, now, end);
            self.cluster.nodes.iter().any(keeps)
        };
        let left = self.left(now);
        let lacks = |job: &&usize| !left.has_licences(&self.asks[**job]);
        let kept = self.waiting.iter().filter(is_kept).count();
        let lacking = self.waiting.iter().filter(lacks).count();
        *self.counts.entry("waits for periods").or_insert(0) += kept as u64;
        *self.counts.entry("waits for licences").or_insert(0) += lacking as u64;
    }

    /// The amounts that a node gives to a job.
    fn amounts(&self, job: usize, (node, tasks): (usize, u32)) -> Amounts {
        given(&self.cluster.nodes[node], &self.asks[job], tasks)
    }

    /// The amounts that are left when all jobs are gone that are believed to end by an instant.
    fn left(&self, at: i64) -> Left<'_> {
        let mut left = self.cluster.empty();
        for running in &self.running {
            if self.believed(running) > at {
                left.give(&self.asks[running.job], &running.given);
            }
        }
        left
    }

    /// The nodes that a job would get from an instant on, if so much is left then.
    fn find(&self, left: &Left<'_>, job: usize, from: i64) -> Option<Given> {
        let to = from + self.length(job);
        self.cluster.find(left, &self.asks[job], self.by, from, to)
    }

    /// The nodes that a job would get now.
    fn fitting(&self, job: usize) -> Option<Given> {
        self.find(&self.left(self.now), job, self.now)
    }

    /// The largest share of a resource of the machine that running jobs of a user hold, in parts of
    /// 2^-32. Memory of nodes without a limit does not count.
    fn dominant_share(&self, user: i32) -> u64 {
        let shares = self.shares(user).into_iter();
        shares.map(|(held, all)| (held << 32) / all).max().unwrap()
    }

    /// True if two users have equal dominant shares that would differ without the rounding.
    fn has_shares_equal_by_rounding(&self) -> bool {
        let exact = |user| {
            let shares = self.shares(user).into_iter();
            let share = shares.reduce(|most, share| {
                if share.0 * most.1 > most.0 * share.1 {
                    share
                } else {
                    most
                }
            });
            share.unwrap()
        };
        let differ = |(one, other): (i32, i32)| {
            let ((held, all), (also_held, also_all)) = (exact(one), exact(other));
            self.dominant_share(one) == self.dominant_share(other)
                && held * also_all != also_held * all
        };
        [(0, 1), (0, 2), (1, 2)].into_iter().any(differ)
    }

    /// The amounts that running jobs of a user hold of each resource that the machine has, and those
    /// of all nodes.
    fn shares(&self, user: i32) -> Vec<(u64, u64)> {
        let limited = |node: usize, at: usize| self.cluster.nodes[node].all[at] < UNLIMITED;
        let mut held: Amounts = [0; 3];
        for running in &self.running {
            for part in &running.given {
                let amounts = self.amounts(running.job, *part);
                for at in 0..3 {
                    if self.jobs[running.job].user == user && limited(part.0, at) {
                        held[at] += amounts[at];
                    }
                }
            }
        }
        let all = |at: usize| {
            let nodes = (0..self.cluster.nodes.len()).filter(|node| limited(*node, at));
            nodes
                .map(|node| self.cluster.nodes[node].all[at])
                .sum::<u64>()
        };
        let has = (0..3).filter(|at| all(*at) > 0);
        has.map(|at| (held[at], all(at))).collect()
    }

    fn start(&mut self, job: usize, given: Given) {
        let mut own = BTreeSet::new();
        for &(node, tasks) in &given {
            let others = self.running.iter().flat_map(|running| &running.cores);
            let taken: BTreeSet<u64> = others.copied().collect();
            let first = self.cluster.first_core(node);
            let cores = first..first + self.cluster.nodes[node].all[0];
            let wanted = self.amounts(job, (node, tasks))[0] as usize;
            let before = own.len();
            own.extend(cores.filter(|core| !taken.contains(core)).take(wanted));
            assert_eq!(own.len(), before + wanted, "the cores are free");
        }
        let used = |node: usize| {
            let mut nodes = self.running.iter().flat_map(|running| &running.given);
            nodes.any(|(other, _)| *other == node)
        };
        let (ask, nodes) = (&self.asks[job], &self.cluster.nodes);
        let happened = [
            ("several nodes", given.len() > 1),
            ("whole nodes", ask.is_whole),
            ("shared nodes", given.iter().any(|(node, _)| used(*node))),
            ("counted nodes", self.counted),
            ("starts in periods", self.is_in_period(job, &given)),
            ("licences", ask.licences.iter().any(|wanted| *wanted > 0)),
            (
                "shares equal by rounding",
                self.has_shares_equal_by_rounding(),
            ),
            ("power", self.cluster.has_power_cap),
            ("nodes that are down", nodes.iter().any(|node| node.is_down)),
            ("starts while jobs are overdue", self.has_overdue()),
            (
                "starts before earlier jobs",
                self.waiting.iter().any(|other| *other < job),
            ),
        ];
        for (what, _) in happened.into_iter().filter(|(_, happened)| *happened) {
            self.count(what);
        }
        self.waiting.retain(|other| *other != job);
        self.start[job] = self.now;
        self.cores[job] = own.iter().map(|core| *core as u32).collect();
        self.running.push(Running {
            job,
            start: self.now,
            given,
            cores: own,
        });
        // The table of what is left adds up.
        self.left(self.now);
    }

    /// True if a node of the job has a period that meets the job's believed time.
    fn is_in_period(&self, job: usize, given: &Given) -> bool {
        let nobody = NodeAsk {
            admitted: Vec::new(),
            ..self.asks[job].clone()
        };
        let end = self.now + self.length(job);
        let nodes = given.iter().map(|(node, _)| &self.cluster.nodes[*node]);
        nodes
            .into_iter()
            .any(|node| self.cluster.keeps(node, &nobody, self.now, end))
    }

    /// Starts jobs from the head of the queue while they fit.
    fn start_heads(&mut self, order: &str) {
        while let Some(&head) = self.in_order(order).first()
            && let Some(given) = self.fitting(head)
        {
            self.start(head, given);
        }
    }

    fn in_order(&self, order: &str) -> Vec<usize> {
        let mut jobs = self.waiting.clone();
        match order {
            "shortest" => jobs.sort_by_key(|job| self.jobs[*job].estimate),
            "largest" => jobs.sort_by_key(|job| Reverse(self.jobs[*job].processors)),
            "tier" => jobs.sort_by_key(|job| Reverse(self.asks[*job].tier)),
            "dominant" => jobs.sort_by_key(|job| self.dominant_share(self.jobs[*job].user)),
            "arrival" => {}
            other => panic!("no order is {other}"),
        }
        jobs
    }

    // EASY with one reservation.

    fn easy(&mut self, order: &str, scan: &str) {
        self.start_heads(order);
        let Some(&head) = self.in_order(order).first() else {
            return;
        };
        let mut times: Vec<i64> = self.running.iter().map(|own| self.believed(own)).collect();
        times.extend(self.ends_of_periods());
        times.sort_unstable();
        let fits = |at: &i64| self.find(&self.left(*at), head, *at).is_some();
        let shadow = times.into_iter().find(fits).expect("it fits in the end");
        for job in self.in_order(if scan == "queue" { order } else { scan }) {
            let Some(anyway) = self.fitting(job).filter(|_| job != head) else {
                continue;
            };
            if self.now + self.length(job) <= shadow {
                self.count("short jobs");
                self.start(job, anyway);
                continue;
            }
            let mut then = self.left(shadow);
            if then.has_licences(&self.asks[job]) {
                then.give(&self.asks[job], &anyway);
                if self.find(&then, head, shadow).is_some() {
                    self.count("long jobs anywhere");
                    self.start(job, anyway);
                    continue;
                }
            }
            let mut then = self.left(shadow);
            let mut now = self.left(self.now);
            let of_head = self.find(&then, head, shadow).expect("the head fits then");
            then.give(&self.asks[head], &of_head);
            for (unit, _) in of_head {
                now.views[unit].keep(then.views[unit].left);
            }
            for (left, leaves) in now.licences.iter_mut().zip(then.licences) {
                *left = leaves.min(*left);
            }
            if let Some(beside) = self.find(&now, job, self.now) {
                self.count("long jobs beside the head");
                self.start(job, beside);
            }
        }
    }

    // The timetable.

    /// The amounts that units and the cluster have left at all times of a period.
    fn least(&self, plan: &Plan, from: i64, to: i64) -> Left<'_> {
        let holds = self.holds(plan);
        let begins = holds.iter().map(|hold| hold.from);
        let mut times: Vec<i64> = begins.filter(|at| from < *at && *at < to).collect();
        times.push(from);
        let at_once = |at: i64| {
            holds
                .iter()
                .filter(move |hold| hold.from <= at && at < hold.to)
        };
        if self.counted {
            let held = |class: usize, at: i64| {
                let units = at_once(at).flat_map(|hold| &hold.given);
                units.filter(|(unit, _)| *unit == class).count()
            };
            let free = |(class, nodes): (usize, &Vec<usize>)| {
                let most = times.iter().map(|at| held(class, *at)).max().unwrap();
                assert!(most <= nodes.len(), "more nodes are held than there are");
                let view = View::empty(class, &self.cluster.nodes[nodes[0]]);
                vec![view; nodes.len() - most]
            };
            let mut licences = self.cluster.licences.clone();
            for at in &times {
                let mut left = self.cluster.empty();
                at_once(*at).for_each(|hold| left.give(&self.asks[hold.job], &Given::new()));
                for (least, left) in licences.iter_mut().zip(left.licences) {
                    *least = left.min(*least);
                }
            }
            return Left {
                views: self.classes.iter().enumerate().flat_map(free).collect(),
                licences,
            };
        }
        let mut least = self.cluster.empty();
        for at in times {
            let mut left = self.cluster.empty();
            at_once(at).for_each(|hold| left.give(&self.asks[hold.job], &hold.given));
            for (least, view) in least.views.iter_mut().zip(left.views) {
                least.meet(&view);
            }
            for (least, left) in least.licences.iter_mut().zip(left.licences) {
                *least = left.min(*least);
            }
        }
        least
    }

    /// Running jobs and reservations.
    fn holds(&self, plan: &Plan) -> Vec<Hold> {
        let unit = |node: usize| {
            let mut classes = self.classes.iter();
            let mut class = || classes.position(|class| class.contains(&node));
            if self.counted { class().unwrap() } else { node }
        };
        let of = |running: &Running| Hold {
            job: running.job,
            from: running.start,
            to: self.believed(running),
            given: running
                .given
                .iter()
                .map(|(node, tasks)| (unit(*node), *tasks))
                .collect(),
        };
        let running = self.running.iter().map(of);
        running.chain(plan.values().cloned()).collect()
    }

    fn reservation(&self, plan: &Plan, job: usize, from: i64) -> Option<Hold> {
        let to = from + self.length(job);
        let given = self.find(&self.least(plan, from, to), job, from)?;
        Some(Hold {
            job,
            from,
            to,
            given,
        })
    }

    fn earliest(&self, plan: &Plan, job: usize) -> Hold {
        let mut times: Vec<i64> = self.holds(plan).iter().map(|hold| hold.to).collect();
        times.extend(self.ends_of_periods());
        times.retain(|at| *at > self.now);
        times.push(self.now);
        times.sort_unstable();
        let found = |at| self.reservation(plan, job, at);
        times
            .into_iter()
            .find_map(found)
            .expect("it fits in the end")
    }

    /// Starts a job on reserved units. It gets the first free nodes of a class.
    fn start_reserved(&mut self, hold: &Hold) {
        if !self.counted {
            self.start(hold.job, hold.given.clone());
            return;
        }
        let views = self.left(self.now).views;
        let mut given: Given = Vec::new();
        for &(class, tasks) in &hold.given {
            let is_free =
                |node: &&usize| views[**node].idle && given.iter().all(|(other, _)| other != *node);
            let node = *self.classes[class]
                .iter()
                .find(is_free)
                .expect("a free node");
            given.push((node, tasks));
        }
        self.start(hold.job, given);
    }

    /// EASY with a depth: heads start as under FCFS. Then the first `depth` jobs that cannot start
    /// hold reservations. The others are sorted after that.
    fn easy_with_depth(&mut self, depth: usize, order: &str, scan: &str) {
        self.start_heads(order);
        let mut plan = Plan::new();
        let mut rest = self.waiting.clone();
        for job in self.in_order(order) {
            if plan.len() == depth {
                break;
            }
            let hold = self.earliest(&plan, job);
            if hold.from == self.now {
                self.start_reserved(&hold);
            } else {
                self.count("reservations");
                plan.insert(job, hold);
            }
            rest.retain(|other| *other != job);
        }
        for job in self.in_order(if scan == "queue" { order } else { scan }) {
            if rest.contains(&job)
                && let Some(hold) = self.reservation(&plan, job, self.now)
            {
                self.count("starts behind reservations");
                self.start_reserved(&hold);
            }
        }
    }

    fn reserve(&mut self, plan: &mut Plan, job: usize) {
        let hold = self.earliest(plan, job);
        if hold.from > self.now {
            self.count("reservations");
        }
        plan.insert(job, hold);
    }

    /// Brings the reservations to the present. All are made anew if a job has outlived its belief.
    fn refresh(&mut self, plan: &mut Plan, order: &str, eager: bool) {
        if std::mem::take(&mut self.stale) || self.has_overdue() {
            self.count("plans made anew");
            let jobs = self.in_order(order).into_iter();
            let jobs: Vec<usize> = jobs.filter(|job| plan.contains_key(job)).collect();
            plan.clear();
            jobs.into_iter().for_each(|job| self.reserve(plan, job));
        } else if self.ended_early || eager && self.ended {
            self.compress(plan, order);
        }
    }

    /// Every reservation moves to an earlier start if it can.
    fn compress(&mut self, plan: &mut Plan, order: &str) {
        for job in self.in_order(order) {
            if let Some(old) = plan.remove(&job) {
                let new = self.earliest(plan, job);
                assert!(new.from <= old.from);
                if new.from < old.from {
                    self.count("earlier starts");
                    plan.insert(job, new);
                } else {
                    plan.insert(job, old);
                }
            }
        }
    }

    fn start_due(&mut self, plan: &mut Plan) {
        for job in self.waiting.clone() {
            if plan.get(&job).is_some_and(|hold| hold.from == self.now) {
                let hold = plan.remove(&job).unwrap();
                self.start_reserved(&hold);
            }
        }
        assert!(plan.values().all(|hold| hold.from > self.now));
    }

    /// While a job is overdue, nothing starts within the next second unless something happens, and
    /// then all reservations are made anew.
    fn wake(&mut self, plan: &Plan) {
        self.stale |= self.has_overdue();
        let after = self.now + i64::from(self.has_overdue());
        let starts = plan.values().map(|hold| hold.from);
        self.wakes = starts.filter(|start| *start > after).collect();
    }

    fn conservative(&mut self, plan: &mut Plan, seen: &mut usize, eager: bool) {
        self.refresh(plan, "arrival", eager);
        for job in self.waiting.clone() {
            if job >= *seen {
                self.reserve(plan, job);
                *seen = job + 1;
            }
        }
        self.start_due(plan);
        self.wake(plan);
    }

    fn selective(&mut self, plan: &mut Plan, threshold: f64, order: &str) {
        self.refresh(plan, order, false);
        for job in self.in_order(order) {
            let estimate = self.jobs[job].estimate as f64;
            let response = (self.now - self.jobs[job].submit) as f64 + estimate;
            if response / estimate >= threshold && !plan.contains_key(&job) {
                self.reserve(plan, job);
            }
        }
        self.start_due(plan);
        for job in self.in_order(order) {
            if !plan.contains_key(&job)
                && let Some(hold) = self.reservation(plan, job, self.now)
            {
                self.count("starts without reservations");
                self.start_reserved(&hold);
            }
        }
        self.wake(plan);
    }

    // The priority queue.

    /// A job that starts passes every waiting job that ranks before it.
    fn pass(&mut self, job: usize, given: Given, order: &str) {
        let jobs = self.in_order(order);
        for other in jobs.into_iter().take_while(|other| *other != job) {
            self.passes[other] += 1;
            self.count("passes");
        }
        self.start(job, given);
    }

    fn priority(&mut self, order: &str, limit: Limit) {
        if let Limit::Wait(limit) = limit {
            for job in self.waiting.clone() {
                if self.now - self.jobs[job].submit >= limit {
                    let Some(given) = self.fitting(job) else {
                        return;
                    };
                    self.pass(job, given, order);
                }
            }
        }
        let mut ahead: Vec<usize> = Vec::new();
        for job in self.in_order(order) {
            if let Limit::Passes(limit) = limit
                && ahead.iter().any(|other| self.passes[*other] >= limit)
            {
                return;
            }
            match self.fitting(job) {
                Some(given) => self.pass(job, given, order),
                None => ahead.push(job),
            }
        }
    }
}

#[derive(Copy, Clone, Debug)]
enum Limit {
    None,
    Wait(i64),
    Passes(u32),
}

// Random clusters and jobs.

/// Special cases.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Flavour {
    Mixed,
    /// Nodes are only counted.
    AllWhole,
    /// Nodes are only counted.
    OneCore,
    /// Loads that differ by less than 2^-32.
    CloseLoads,
    /// Always with two or three partitions.
    Tiers,
    /// Shares of memory and of GPUs that differ by less than 2^-32, on one node or on some alike.
    CloseShares,
}

/// Close shares: 35,000 of 70,001 and 35,001 of 70,003.
const CLOSE_MEMORIES: [u64; 2] = [70_001, 70_003];
const CLOSE_PARTS: [u32; 2] = [35_000, 35_001];

/// In seconds.
const DAY: i64 = 86_400;

/// A cluster. A workload decides how often its periods repeat.
fn draw_cluster(dice: &mut Dice, flavour: Flavour) -> Cluster {
    let mut lines: Vec<String> = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut hosts: Vec<String> = Vec::new();
    let mut words_of_kinds: Vec<(String, Node)> = Vec::new();
    let kinds = if flavour == Flavour::CloseShares {
        1
    } else {
        1 + dice.below(3) as usize
    };
    for name in ["a", "b", "c"].iter().take(kinds) {
        let count = 1 + dice.below(4) as usize;
        let (words, node) = if words_of_kinds.len() == 2 && dice.below(3) == 0 {
            words_of_kinds[0].clone()
        } else {
            draw_kind(dice, flavour)
        };
        words_of_kinds.push((words.clone(), node.clone()));
        let node = Node {
            kind: lines.len(),
            ..node
        };
        let list = if count == 1 {
            format!("{name}1")
        } else {
            format!("{name}[1-{count}]")
        };
        let words = match dice.below(6) {
            0 => words.replace(' ', " \\\n"),
            1 => words.to_lowercase(),
            _ => words,
        };
        lines.push(format!("NodeName={list} {words}"));
        nodes.extend(vec![node; count]);
        hosts.extend((1..=count).map(|number| format!("{name}{number}")));
    }
    let partitions = if flavour == Flavour::Tiers {
        dice.one_of(&[2, 3, 3])
    } else {
        dice.one_of(&[0, 0, 0, 1, 2, 2, 3])
    };
    let mut exclusive = Vec::new();
    let mut tiers = Vec::new();
    for partition in 0..partitions {
        let all = dice.below(4) == 0;
        let mut members: Vec<usize> = (0..nodes.len())
            .filter(|_| all || dice.below(5) < 3)
            .collect();
        if members.is_empty() {
            members.push(dice.below(nodes.len() as u64) as usize);
        }
        let names: Vec<&str> = members.iter().map(|at| hosts[*at].as_str()).collect();
        let list = if all {
            "ALL".to_owned()
        } else {
            names.join(",")
        };
        exclusive.push(dice.below(6) == 0);
        let words = if exclusive[partition] {
            " OverSubscribe=EXCLUSIVE"
        } else {
            ""
        };
        tiers.push(dice.one_of(&[1, 1, 2, 5, 30]));
        let tier = match tiers[partition] {
            1 => String::new(),
            tier if dice.below(4) == 0 => format!(" Priority={tier}"),
            tier => format!(" PriorityTier={tier}"),
        };
        lines.push(format!(
            "PartitionName=p{partition} Nodes={list}{words}{tier}"
        ));
        members
            .into_iter()
            .for_each(|at| nodes[at].partitions.push(partition));
    }
    if dice.below(4) == 0 {
        draw_down(dice, &mut lines, &mut nodes, &hosts);
    }
    let mut licences = Vec::new();
    if dice.below(3) == 0 {
        let (line, counts) = draw_licences(dice);
        lines.push(line);
        licences = counts;
    }
    let has_power_cap = dice.below(3) == 0;
    if has_power_cap {
        licences.push(draw_power(dice, &mut lines, &mut nodes));
    }
    let mut advance = Vec::new();
    if dice.below(3) == 0 {
        for number in 0..=dice.below(3) as usize {
            let (line, of) = draw_advance(dice, number, &mut nodes, &hosts);
            lines.push(line);
            advance.push(of);
        }
    }
    Cluster {
        text: lines.join(dice.one_of(&["\n", "\n", "; ", " # a comment\n"])),
        nodes,
        has_partitions: partitions > 0,
        exclusive,
        tiers,
        advance,
        periods: Vec::new(),
        licences,
        has_power_cap,
    }
}

/// Some nodes serve no job: all of a line, or any. At least one node serves a partition, if there
/// are partitions.
fn draw_down(dice: &mut Dice, lines: &mut Vec<String>, nodes: &mut [Node], hosts: &[String]) {
    let has_partitions = nodes.iter().any(|node| !node.partitions.is_empty());
    let serves = |node: &&Node| !has_partitions || !node.partitions.is_empty();
    let serving = nodes.iter().filter(serves).count() as u64;
    let spared = dice.below(serving) as usize;
    let spared = (0..nodes.len())
        .filter(|at| serves(&&nodes[*at]))
        .nth(spared);
    let spared = spared.unwrap();
    let kind = dice.below(nodes.last().unwrap().kind as u64 + 1) as usize;
    if dice.below(2) == 0 && kind != nodes[spared].kind {
        let state = dice.one_of(&["DOWN", "DRAIN", "FAIL", "FAILING", "FUTURE", "down"]);
        write!(lines[kind], " State={state}").unwrap();
        for node in nodes.iter_mut().filter(|node| node.kind == kind) {
            node.is_down = true;
        }
    }
    let any: Vec<usize> = (0..nodes.len())
        .filter(|at| *at != spared && dice.below(3) == 0)
        .collect();
    if !any.is_empty() {
        let names: Vec<&str> = any.iter().map(|at| hosts[*at].as_str()).collect();
        lines.push(format!("DownNodes={}", names.join(",")));
        any.into_iter().for_each(|at| nodes[at].is_down = true);
    }
}

/// A line of licences, and their numbers.
fn draw_licences(dice: &mut Dice) -> (String, Vec<u64>) {
    let counts: Vec<u64> = (0..=dice.below(3))
        .map(|_| dice.one_of(&[1, 2, 3, 5]))
        .collect();
    let word = |(at, count): (usize, &u64)| match count {
        1 => format!("l{at}"),
        count => format!("l{at}:{count}"),
    };
    let words: Vec<String> = counts.iter().enumerate().map(word).collect();
    (format!("Licenses={}", words.join(",")), counts)
}

/// Gives lines of nodes the words of their power. Returns the watts that the cap leaves to jobs.
fn draw_power(dice: &mut Dice, lines: &mut Vec<String>, nodes: &mut [Node]) -> u64 {
    let kinds = nodes.last().unwrap().kind + 1;
    for (kind, line) in lines.iter_mut().enumerate().take(kinds) {
        let idle = dice.one_of(&[0, 3, 10]);
        let busy = idle + dice.one_of(&[0, 1, 7, 20, 99]);
        if idle > 0 {
            write!(line, " IdleWatts={idle}").unwrap();
        }
        if busy > idle {
            write!(line, " BusyWatts={busy}").unwrap();
        }
        for node in nodes.iter_mut().filter(|node| node.kind == kind) {
            (node.idle_watts, node.busy_watts) = (idle, busy);
        }
    }
    let idle: u64 = nodes.iter().map(|node| node.idle_watts).sum();
    let all: u64 = nodes.iter().map(Node::more_watts).sum();
    // A job of one task always fits.
    let least = nodes.iter().map(Node::more_watts).max().unwrap();
    let beside = least + dice.below(all - least + 5);
    lines.push(format!("PowerCapWatts={}", idle + beside));
    beside.min(all)
}

/// An advance reservation of some nodes, as a line and as it is drawn.
fn draw_advance(
    dice: &mut Dice,
    number: usize,
    nodes: &mut [Node],
    hosts: &[String],
) -> (String, Advance) {
    let from = dice.below(60) as i64;
    let length = dice.one_of(&[1, 3, 8, 20, 20, 60, 3600]);
    let mut words = vec![
        format!("ReservationName=r{number}"),
        format!("StartTime={from}"),
        match dice.below(3) {
            0 => format!("EndTime={}", from + length),
            1 if length == 60 => "Duration=1".to_owned(),
            1 if length == 3600 => "Duration=0-1".to_owned(),
            _ => format!(
                "Duration={}:{}:{}",
                length / 3600,
                length / 60 % 60,
                length % 60
            ),
        },
    ];
    let all = dice.below(4) == 0;
    let mut members: Vec<usize> = (0..nodes.len())
        .filter(|_| all || dice.below(2) == 0)
        .collect();
    if members.is_empty() {
        members.push(dice.below(nodes.len() as u64) as usize);
    }
    if all {
        words.extend((dice.below(2) == 0).then(|| "Nodes=ALL".to_owned()));
    } else {
        let names: Vec<&str> = members.iter().map(|at| hosts[*at].as_str()).collect();
        words.push(format!("Nodes={}", names.join(",")));
    }
    members
        .into_iter()
        .for_each(|at| nodes[at].advance.push(number));
    let every = dice.one_of(&[None, None, Some(DAY), Some(DAY), Some(7 * DAY)]);
    words.extend(every.map(|every| {
        let flag = if every == DAY { "DAILY" } else { "WEEKLY" };
        format!("Flags={flag}")
    }));
    let advance = Advance {
        first: (from, from + length),
        every,
    };
    (words.join(" "), advance)
}

/// The words of a line for nodes of a kind, and such a node.
fn draw_kind(dice: &mut Dice, flavour: Flavour) -> (String, Node) {
    let cores = match flavour {
        Flavour::OneCore => 1,
        Flavour::CloseLoads => 8,
        Flavour::CloseShares => 64,
        _ => 1 + dice.below(8),
    };
    let special = dice.one_of(&[0, 0, 0, 0, 1]);
    let mut words = vec![match (dice.below(4), cores + special) {
        (0, 4) => "Sockets=2 CoresPerSocket=2".to_owned(),
        (0, 6) => "Boards=1 SocketsPerBoard=1 CoresPerSocket=3 ThreadsPerCore=2".to_owned(),
        (1, all) => format!("procs={all}"),
        (_, all) => format!("CPUs={all}"),
    }];
    if special > 0 {
        words.push(format!("CoreSpecCount={special}"));
    }
    let memory = match flavour {
        Flavour::CloseLoads => dice.one_of(&CLOSE_MEMORIES),
        Flavour::CloseShares => CLOSE_MEMORIES[1],
        _ => dice.one_of(&[UNLIMITED, 4, 6, 9, 16, 24]),
    };
    if memory < UNLIMITED {
        let special = dice.one_of(&[0, 0, 0, 5]);
        words.push(format!("RealMemory={}", memory + special));
        if special > 0 {
            words.push(format!("MemSpecLimit={special}"));
        }
    }
    let gpus = match flavour {
        Flavour::CloseShares => CLOSE_MEMORIES[0],
        _ => dice.one_of(&[0, 0, 1, 2, 4]),
    };
    if gpus > 0 {
        words.push(match dice.below(3) {
            0 if gpus > 1 => format!("Gres=gpu:a:1,gpu:b:{}", gpus - 1),
            _ => format!("Gres=gpu:{gpus}"),
        });
    }
    let weight = 1 + dice.below(3);
    if weight > 1 {
        words.push(format!("Weight={weight}"));
    }
    let node = Node {
        kind: 0,
        all: [cores, memory, gpus],
        weight,
        partitions: Vec::new(),
        demands: Rc::default(),
        is_down: false,
        advance: Vec::new(),
        idle_watts: 0,
        busy_watts: 0,
    };
    (words.join(" "), node)
}

fn draw_ask(dice: &mut Dice, cluster: &Cluster, flavour: Flavour) -> NodeAsk {
    let count = cluster.nodes.len() as u64;
    let no_limit = u32::MAX;
    let most_tasks = dice.one_of(&[3, 6, 10]);
    let mut tasks = 1 + dice.below(most_tasks) as u32;
    let nodes = 1 + dice.below(count.min(4)) as u32;
    let (least_nodes, most_nodes, most_tasks) = match dice.below(7) {
        0 => (1, no_limit, no_limit),
        1 => (1, no_limit, tasks),
        2 => (1, 1, no_limit),
        3 => {
            tasks = tasks.max(nodes);
            (nodes, nodes, tasks.div_ceil(nodes))
        }
        4 => {
            let each = 1 + dice.below(4) as u32;
            tasks = nodes * each;
            (nodes, nodes, each)
        }
        5 => {
            // The limits of a partition may allow more nodes than there are tasks.
            let least = 1 + dice.below(u64::from(nodes)) as u32;
            tasks = tasks.max(least);
            (least, nodes, no_limit)
        }
        _ => {
            tasks = tasks.max(nodes);
            let least = 1 + dice.below(u64::from(nodes)) as u32;
            let each = tasks.div_ceil(nodes) + dice.below(2) as u32;
            (least, nodes, each)
        }
    };
    let cores = if flavour == Flavour::OneCore {
        1
    } else {
        dice.one_of(&[1, 1, 1, 2, 3])
    };
    let partitions: Vec<usize> = if cluster.has_partitions {
        let count = cluster.exclusive.len() as u64;
        let first = dice.below(count) as usize;
        let second = dice.below(count) as usize;
        let both = BTreeSet::from([first, dice.one_of(&[first, second])]);
        both.into_iter().collect()
    } else {
        Vec::new()
    };
    let is_exclusive = partitions.iter().any(|at| cluster.exclusive[*at]);
    let is_close = flavour == Flavour::CloseLoads;
    let memory = if is_close {
        (0, dice.one_of(&CLOSE_PARTS))
    } else {
        (
            dice.one_of(&[0, 0, 0, 1, 2, 3]),
            dice.one_of(&[0, 0, 0, 1, 4]),
        )
    };
    let is_whole = flavour == Flavour::AllWhole || !is_close && dice.below(8) == 0;
    let mut ask = NodeAsk {
        tasks,
        per_task: [cores, memory.0, dice.one_of(&[0, 0, 0, 0, 0, 1])],
        per_node: [0, memory.1, dice.one_of(&[0, 0, 0, 0, 1, 2])],
        others: Vec::new(),
        least_nodes,
        most_nodes,
        most_tasks,
        is_whole: is_exclusive || is_whole,
        tier: partitions
            .iter()
            .map(|at| cluster.tiers[*at])
            .max()
            .unwrap_or(0),
        partitions,
        admitted: (0..cluster.advance.len())
            .filter(|_| dice.below(3) == 0)
            .collect(),
        licences: Vec::new(),
    };
    if flavour == Flavour::CloseShares {
        // Half of the memory, or half of the GPUs; the cores are a smaller share.
        let halves = [[0, CLOSE_PARTS[1], 0], [0, 0, CLOSE_PARTS[0]]];
        (ask.per_task, ask.per_node) = ([1, 0, 0], dice.one_of(&halves));
        ask.is_whole = is_exclusive;
    }
    let kinds = cluster.licences.len() - usize::from(cluster.has_power_cap);
    ask.licences = (0..kinds)
        .map(|_| dice.one_of(&[0, 0, 0, 1, 1, 2]))
        .collect();
    if cluster.has_power_cap {
        ask.licences.push(cluster.watts(&ask) as u32);
    }
    ask
}

type Drawn = (Cluster, Rc<Workload>);

/// A random cluster, and jobs that ask for its nodes.
fn draw(seed: u64, flavours: &[Flavour]) -> Drawn {
    let mut dice = Dice::new(seed, "nodes");
    let flavour = dice.one_of(flavours);
    let mut cluster = draw_cluster(&mut dice, flavour);
    // Some workloads go on for days, so that periods repeat.
    let has_days = !cluster.advance.is_empty() && dice.below(2) == 0;
    let mut submit = 0;
    let (mut jobs, mut asks) = (Vec::new(), Vec::new());
    let count = 10 + dice.below(21) as usize;
    while jobs.len() < count {
        let ask = draw_ask(&mut dice, &cluster, flavour);
        let empty = cluster.empty();
        if !empty.has_licences(&ask) || place(&empty.views, &ask, "first").is_none() {
            continue;
        }
        submit += dice.one_of(&[0, 0, 1, 1, 2, 5]);
        if has_days && dice.below(8) == 0 {
            submit = (submit / DAY + dice.one_of(&[1, 1, 2, 7])) * DAY + dice.below(20) as i64;
        }
        let runtime = dice.one_of(&[0, 1, 2, 3, 5, 8, 13, 30]);
        let factor = dice.one_of(&[1, 1, 2, 4]);
        jobs.push(Job {
            submit,
            runtime,
            estimate: (runtime * factor + dice.below(3) as i64).max(1),
            processors: ask.tasks * ask.per_task[0],
            user: dice.below(3) as i32,
        });
        asks.push(ask);
    }
    let demands = Rc::new(demands(&asks));
    for node in &mut cluster.nodes {
        node.demands = Rc::clone(&demands);
    }
    let workload = Workload {
        node_asks: asks,
        ..Workload::new(cluster.cores() as u32, jobs)
    };
    (cluster, Rc::new(workload))
}

fn any(seed: u64) -> Drawn {
    let mixed = [Flavour::Mixed; 5];
    let others = [Flavour::AllWhole, Flavour::OneCore, Flavour::CloseLoads];
    draw(seed, &[&mixed[..], &others].concat())
}

/// The same, but a quarter of the jobs run past their estimates.
fn outlived(seed: u64) -> Drawn {
    let (cluster, workload) = any(seed);
    let mut dice = Dice::new(seed, "nodes, overruns");
    let mut jobs = workload.jobs.clone();
    for job in &mut jobs {
        if dice.below(4) == 0 {
            job.estimate = (job.runtime / 2).max(1);
        }
    }
    let workload = Workload {
        node_asks: workload.node_asks.clone(),
        ..Workload::new(workload.processors, jobs)
    };
    (cluster, Rc::new(workload))
}

/// A case for each of these rules.
fn cases<D: FnMut(&mut State<'_>) + 'static>(
    (cluster, workload): &Drawn,
    rules: &[&'static str],
    experiment: impl Fn() -> Experiment,
    decide: impl Fn() -> D,
) -> Vec<Case> {
    let of = |by: &&'static str| {
        let by = *by;
        let (cluster, decide) = (cluster.clone(), decide());
        let experiment = experiment()
            .with("cluster", cluster.text.as_str())
            .with("nodes_by", by);
        Case::plays(experiment, workload, move |workload| {
            play(workload, &cluster, by, decide)
        })
    };
    rules.iter().map(of).collect()
}

/// Two of the rules.
fn of_seed(seed: u64) -> [&'static str; 2] {
    let at = seed as usize;
    let count = RULES.len();
    [RULES[at % count], RULES[(at / count + at + 1) % count]]
}

fn on_nodes(policy: &'static str) -> Experiment {
    Experiment::on("nodes", policy)
}

pub fn fcfs(seed: u64) -> Vec<Case> {
    let decide = || |state: &mut State<'_>| state.start_heads("arrival");
    cases(&any(seed), &RULES, || on_nodes("fcfs"), decide)
}

fn easy_in(
    drawn: &Drawn,
    rules: &[&'static str],
    order: &'static str,
    scan: &'static str,
) -> Vec<Case> {
    let experiment = || on_nodes("easy").with("order", order).with("scan", scan);
    let decide = || move |state: &mut State<'_>| state.easy(order, scan);
    cases(drawn, rules, experiment, decide)
}

pub fn easy(seed: u64) -> Vec<Case> {
    let scan = ["queue", "queue", "shortest"][seed as usize % 3];
    easy_in(&any(seed), &RULES, "arrival", scan)
}

fn with_depth(
    drawn: &Drawn,
    rules: &[&'static str],
    depth: usize,
    [order, scan]: [&'static str; 2],
) -> Vec<Case> {
    let experiment = || on_nodes("easy").with("order", order).with("scan", scan);
    let deep = || experiment().with("depth", depth as f64);
    let decide = || move |state: &mut State<'_>| state.easy_with_depth(depth, order, scan);
    cases(drawn, rules, deep, decide)
}

pub fn depths(seed: u64) -> Vec<Case> {
    let scan = ["queue", "queue", "shortest"][seed as usize / 3 % 3];
    let other = [0, 2, 1000][seed as usize % 3];
    let mut all = with_depth(&any(seed), &RULES, 3, ["arrival", scan]);
    all.extend(with_depth(
        &any(seed),
        &of_seed(seed),
        other,
        ["arrival", scan],
    ));
    all
}

fn compressing(drawn: &Drawn, rules: &[&'static str], word: &'static str) -> Vec<Case> {
    let decide = || {
        let (mut plan, mut seen) = (Plan::new(), 0);
        move |state: &mut State<'_>| match word {
            "anew" => state.easy_with_depth(usize::MAX, "arrival", "queue"),
            _ => state.conservative(&mut plan, &mut seen, word == "every"),
        }
    };
    let experiment = || on_nodes("conservative").with("compression", word);
    cases(drawn, rules, experiment, decide)
}

pub fn conservative(seed: u64) -> Vec<Case> {
    let other = ["every", "anew"][seed as usize % 2];
    let mut all = compressing(&any(seed), &RULES, "early");
    all.extend(compressing(&any(seed), &of_seed(seed), other));
    all
}

/// Nodes that can never have two jobs.
pub fn counted(seed: u64) -> Vec<Case> {
    let drawn = draw(
        seed,
        &[Flavour::AllWhole, Flavour::AllWhole, Flavour::OneCore],
    );
    let mut all = with_depth(&drawn, &of_seed(seed), 3, ["arrival", "queue"]);
    let [one, other] = of_seed(seed);
    all.extend(compressing(&drawn, &["spread", one, other], "early"));
    all
}

fn priority_in(
    drawn: &Drawn,
    rules: &[&'static str],
    order: &'static str,
    limit: Limit,
) -> Vec<Case> {
    let ordered = || on_nodes("priority").with("order", order);
    let experiment = || match limit {
        Limit::Wait(limit) => ordered().with("wait_limit", limit as f64 / 3600.0),
        Limit::Passes(limit) => ordered()
            .with("starvation", "passes")
            .with("pass_limit", f64::from(limit)),
        Limit::None => ordered().with("starvation", "none"),
    };
    let decide = || move |state: &mut State<'_>| state.priority(order, limit);
    cases(drawn, rules, experiment, decide)
}

/// The limit for a workload; most have none.
fn limit_of(seed: u64) -> Limit {
    match seed % 5 {
        0 => Limit::Wait(9),
        1 => Limit::Passes(3),
        _ => Limit::None,
    }
}

pub fn priority(seed: u64) -> Vec<Case> {
    let order = ["shortest", "largest"][seed as usize % 2];
    priority_in(&any(seed), &RULES, order, limit_of(seed))
}

fn selective_in(
    drawn: &Drawn,
    rules: &[&'static str],
    seed: u64,
    order: &'static str,
) -> Vec<Case> {
    let threshold = [1.5, 2.0, 3.0][seed as usize % 3];
    let ordered = || on_nodes("selective").with("order", order);
    let experiment = || ordered().with("expansion_threshold", threshold);
    let decide = || {
        let mut plan = Plan::new();
        move |state: &mut State<'_>| state.selective(&mut plan, threshold, order)
    };
    cases(drawn, rules, experiment, decide)
}

pub fn selective(seed: u64) -> Vec<Case> {
    selective_in(&any(seed), &RULES, seed, "arrival")
}

pub fn selective_orders(seed: u64) -> Vec<Case> {
    let of = |order| selective_in(&any(seed), &of_seed(seed), seed, order);
    let mut all: Vec<Case> = ["shortest", "largest", "dominant"]
        .into_iter()
        .flat_map(of)
        .collect();
    let tiers = draw(seed, &[Flavour::Tiers]);
    all.extend(selective_in(&tiers, &of_seed(seed), seed, "tier"));
    all
}

/// Jobs run past their estimates.
pub fn overruns(seed: u64) -> Vec<Case> {
    let (drawn, rules) = (outlived(seed), of_seed(seed));
    let [one, other] = rules;
    let heads = || |state: &mut State<'_>| state.start_heads("arrival");
    let mut all = cases(&drawn, &[one], || on_nodes("fcfs"), heads);
    all.extend(easy_in(&drawn, &rules, "arrival", "queue"));
    all.extend(with_depth(&drawn, &rules, 3, ["arrival", "queue"]));
    for (rule, word) in [(one, "early"), (other, "every"), (one, "anew")] {
        all.extend(compressing(&drawn, &[rule], word));
    }
    let order = ["arrival", "shortest", "dominant"][seed as usize % 3];
    all.extend(selective_in(&drawn, &rules, seed, order));
    all.extend(priority_in(&drawn, &[other], "shortest", limit_of(seed)));
    all
}

/// Maui with its defaults and a number of reservations is EASY with that depth.
pub fn maui(seed: u64) -> Vec<Case> {
    let depth = 1 + seed as usize % 3;
    cases(
        &any(seed),
        &RULES,
        || on_nodes("maui").with("reservation_depth", depth as f64),
        || move |state: &mut State<'_>| state.easy_with_depth(depth, "arrival", "queue"),
    )
}

/// Orders that know of nodes: of the queue, or of EASY's jobs behind the head.
fn in_order(drawn: &Drawn, seed: u64, order: &'static str) -> Vec<Case> {
    let [one, other] = of_seed(seed);
    let mut all = easy_in(drawn, &[one, other], order, "queue");
    all.extend(easy_in(drawn, &[other], "arrival", order));
    all.extend(with_depth(drawn, &[one], 3, [order, "queue"]));
    let maui = || on_nodes("maui").with("order", order);
    let decide = || move |state: &mut State<'_>| state.easy_with_depth(1, order, "queue");
    all.extend(cases(drawn, &[other], maui, decide));
    all.extend(priority_in(drawn, &[one, other], order, limit_of(seed)));
    all
}

pub fn tiers(seed: u64) -> Vec<Case> {
    in_order(&draw(seed, &[Flavour::Tiers]), seed, "tier")
}

pub fn dominant(seed: u64) -> Vec<Case> {
    in_order(&any(seed), seed, "dominant")
}

/// Shares that are equal only because they are rounded down.
pub fn close_shares(seed: u64) -> Vec<Case> {
    let drawn = draw(seed, &[Flavour::CloseShares]);
    let mut all = in_order(&drawn, seed, "dominant");
    all.extend(selective_in(&drawn, &of_seed(seed), seed, "dominant"));
    all
}
