//! The space of a cluster: the resources that each node has left, and the nodes that a job gets.
//!
//! Policies ask again and again whether a waiting job fits. The space therefore remembers, for each
//! request that was asked for, how many tasks the nodes can run, and brings this up to date from the
//! list of nodes that have changed since.

use super::placing::{Placing, UsableNode};
use super::timetable::Times;
use crate::cluster::{
    ADVANCE_RESERVATION, Amounts, CORES, Cluster, GPUS, NOTHING, NodeClass, NodeRequest, NodeUse,
    RESOURCES, UNLIMITED,
};
use crate::machine::{
    ANY_CORES, Ask, NodeChoice, Placement, PlacementBuf, Range, Space, Timetable,
};
use crate::machines::shared::Bitmap;
use crate::time::{Span, Time};
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Nodes of a block, whose largest amounts are known.
const BLOCK: usize = 32;

/// Changes of nodes that are remembered. After so many, everything is counted anew.
const JOURNAL: usize = 4096;

/// Requests whose count of tasks is remembered.
const KNOWN: usize = 1024;

/// The facts that do not change during a run. Nodes are in the order in which the rule tries them: place 0
/// comes first.
pub struct Fixed {
    pub cluster: Arc<Cluster>,
    pub placing: Placing,
    /// The node at each place, and the place of each node.
    node_at: Vec<u32>,
    place_of: Vec<u32>,
    /// All resources of the node at each place.
    pub all: Vec<Amounts>,
    /// The first core of the node at each place.
    pub first_core: Vec<u32>,
    /// The class of the node at each place.
    pub class: Vec<u32>,
    /// The classes, in the order of their first places.
    pub classes_in_order: Vec<u32>,
    /// Needs of a node of the jobs of the log that want GPUs, and the number of such jobs. Only
    /// [`Placing::Fragmentation`] looks at them.
    demands: Arc<Vec<(Amounts, u64)>>,
}

/// Demands for GPUs that count for the fragmentation of a node.
const DEMANDS: usize = 64;

impl Fixed {
    fn of(cluster: &Arc<Cluster>, placing: Placing, demands: Arc<Vec<(Amounts, u64)>>) -> Self {
        let mut node_at: Vec<u32> = (0..cluster.nodes()).collect();
        if placing == Placing::Weight {
            crate::sorting::by(&mut node_at, |node| {
                let kind = &cluster.kinds[cluster.kind_of(*node) as usize];
                [kind.weight.into(), 0]
            });
        }
        let mut place_of = vec![0; node_at.len()];
        for (place, node) in (0..).zip(&node_at) {
            place_of[*node as usize] = place;
        }
        let mut classes_in_order: Vec<u32> = Vec::new();
        let mut is_known = vec![false; cluster.classes.len()];
        for node in &node_at {
            let class = cluster.class_of[*node as usize];
            if !std::mem::replace(&mut is_known[class as usize], true) {
                classes_in_order.push(class);
            }
        }
        let by_place = |what: &dyn Fn(u32) -> u32| node_at.iter().map(|node| what(*node)).collect();
        Self {
            classes_in_order,
            all: node_at.iter().map(|node| *cluster.amounts(*node)).collect(),
            first_core: by_place(&|node| cluster.first_core(node)),
            class: by_place(&|node| cluster.class_of[node as usize]),
            cluster: Arc::clone(cluster),
            placing,
            node_at,
            place_of,
            demands,
        }
    }

    /// Returns the value by which a rule orders a node that has `left` and gives a job tasks: its load
    /// or, for [`Placing::Fragmentation`], what the job adds to the fragmentation of its GPUs.
    pub fn order(
        &self,
        request: &Prepared,
        tasks: u32,
        (left, all): (&Amounts, &Amounts),
        load: impl FnOnce() -> u64,
    ) -> i128 {
        if self.placing != Placing::Fragmentation {
            return load().into();
        }
        if all[GPUS] == 0 || self.demands.is_empty() {
            return 0;
        }
        let after = less(left, &request.used(tasks, all));
        self.fragmentation(&after) - self.fragmentation(left)
    }

    /// Returns the fragmentation of a node that has `left`: its free GPUs, once for each job of the log
    /// that wants GPUs and does not fit on it.
    fn fragmentation(&self, left: &Amounts) -> i128 {
        let unfit = self.demands.iter().filter(|(least, _)| !holds(left, least));
        let jobs: u64 = unfit.map(|(_, jobs)| jobs).sum();
        i128::from(jobs) * i128::from(left[GPUS])
    }

    /// True if no node ever has two jobs: each has one core, or all jobs get whole nodes.
    pub fn counts(&self, requests: &[Prepared]) -> bool {
        let has_one_core = self
            .cluster
            .kinds
            .iter()
            .all(|kind| kind.amounts[CORES] == 1);
        let is_whole = |one: &Prepared| one.request.is_whole;
        has_one_core || !requests.is_empty() && requests.iter().all(is_whole)
    }

    /// Returns the room of a node that has `left`, if the rule looks at it: see [`UsableNode`].
    pub fn room(&self, request: &Prepared, left: &Amounts) -> u32 {
        if self.placing == Placing::Packed {
            request.request.room(left)
        } else {
            0
        }
    }

    /// Calls `each` with each place of a placement, and the number of cores that it has there.
    pub fn by_place(&self, placement: Placement<'_>, mut each: impl FnMut(usize, u32)) {
        let mut last: Option<(usize, u32)> = None;
        for range in placement.ranges {
            let mut core = range.first;
            while core < range.end() {
                let place = self.place_of[self.cluster.node_of(core) as usize] as usize;
                let end = self.first_core[place] + self.all[place][CORES];
                let count = end.min(range.end()) - core;
                match &mut last {
                    Some((known, cores)) if *known == place => *cores += count,
                    _ => {
                        if let Some((place, cores)) = last.replace((place, count)) {
                            each(place, cores);
                        }
                    }
                }
                core += count;
            }
        }
        if let Some((place, cores)) = last {
            each(place, cores);
        }
    }
}

/// A request, with what follows from it.
#[derive(Clone)]
pub struct Prepared {
    pub request: NodeRequest,
    /// Amounts that a node must have left at least, to run any task, or all tasks that the request fixes.
    pub least: Amounts,
    /// True if the request fixes the tasks of each node.
    pub is_even: bool,
    /// True if the count alone says whether the request fits: see [`KnownCount`].
    is_simple: bool,
}

impl Prepared {
    fn of(request: NodeRequest) -> Self {
        let is_even = request.is_even();
        Self {
            least: request.used(if is_even { request.most_tasks } else { 1 }),
            is_even,
            is_simple: is_even || request.most_nodes >= request.tasks && request.least_nodes <= 1,
            request,
        }
    }

    /// Returns the number of tasks that a node can run that has `left` of `all`.
    pub fn tasks(&self, left: &Amounts, all: &Amounts) -> u32 {
        if !holds(left, &self.least) {
            0
        } else if !self.is_even {
            self.request.tasks_on(left, all)
        } else if self.request.is_whole && left != all {
            0
        } else {
            self.request.most_tasks
        }
    }

    /// Returns the count that the request needs: see [`KnownCount`].
    pub fn wanted(&self) -> u64 {
        if self.is_even {
            self.request.most_nodes.into()
        } else {
            self.request.tasks.into()
        }
    }

    /// Returns what tasks use of a node that has `all`.
    pub fn used(&self, tasks: u32, all: &Amounts) -> Amounts {
        if self.request.is_whole {
            *all
        } else {
            self.request.used(tasks)
        }
    }
}

/// The number of tasks of a request that the nodes can run.
#[derive(Copy, Clone)]
struct KnownCount {
    request: u32,
    /// The advance reservations that keep it off their nodes.
    closed: u64,
    /// The journal and the place in it up to which changes are counted.
    journal: u64,
    read: usize,
    /// Sum over nodes of the tasks that each can run or, for requests that fix the tasks of each
    /// node, number of nodes that can run so many.
    count: u64,
}

/// A node before a change.
#[derive(Copy, Clone)]
struct NodeChange {
    place: u32,
    before: Amounts,
    after: Amounts,
}

/// The free resources of a cluster.
pub struct NodeSpace {
    fixed: Arc<Fixed>,
    requests: Arc<Vec<Prepared>>,
    left: Vec<Amounts>,
    /// The load of the node at each place. Empty if the rule does not look at it.
    loads: Vec<u64>,
    /// For each block, no less than the largest amount of each resource that a node of it has left.
    most: RefCell<Vec<Amounts>>,
    /// The licences that are left.
    licences: Amounts,
    /// Number of free cores.
    free: u32,
    /// The free cores. `None` in a draft.
    cores: Option<Bitmap>,
    changes: Vec<NodeChange>,
    /// Number of the journal: how often the list of changes was emptied.
    journal: u64,
    known: RefCell<Vec<KnownCount>>,
    /// In a draft: what is left on the nodes that a request would get, by place, without what it
    /// gets there. Forgotten when the draft changes.
    kept: Option<Vec<(u32, Amounts)>>,
}

impl NodeSpace {
    /// Returns a cluster of free nodes.
    ///
    /// `of` has the index of each job's request.
    pub fn new(
        cluster: &Arc<Cluster>,
        requests: &Arc<Vec<NodeRequest>>,
        of: &[u32],
        placing: Placing,
    ) -> Self {
        let requests = prepared(requests);
        let demands = if placing == Placing::Fragmentation {
            demands(&requests, of)
        } else {
            Vec::new()
        };
        let fixed = Fixed::of(cluster, placing, Arc::new(demands));
        Self::free(Arc::new(fixed), requests)
    }

    fn free(fixed: Arc<Fixed>, requests: Arc<Vec<Prepared>>) -> Self {
        let left = fixed.all.clone();
        let most = left.chunks(BLOCK).map(most_of).collect();
        Self {
            loads: if fixed.placing.is_in_order() {
                Vec::new()
            } else {
                vec![0; left.len()]
            },
            licences: fixed.cluster.licence_counts(),
            free: fixed.cluster.cores(),
            cores: Some(Bitmap::new(fixed.cluster.cores())),
            left,
            most: RefCell::new(most),
            changes: Vec::new(),
            journal: 0,
            known: RefCell::new(Vec::new()),
            kept: None,
            fixed,
            requests,
        }
    }

    fn copy(&self, cores: Option<Bitmap>) -> Self {
        Self {
            fixed: Arc::clone(&self.fixed),
            requests: Arc::clone(&self.requests),
            left: self.left.clone(),
            loads: self.loads.clone(),
            most: self.most.clone(),
            licences: self.licences,
            free: self.free,
            cores,
            changes: Vec::new(),
            journal: 0,
            known: RefCell::new(Vec::new()),
            kept: None,
        }
    }

    /// Returns the request with this index. A request for cores only is for `processors` of them.
    fn request(&self, ask: Ask) -> RequestOf<'_> {
        request_of(&self.requests, ask)
    }

    /// Returns the advance reservations that keep a request off their nodes.
    fn closed(&self, request: &Prepared, ask: Ask) -> u64 {
        let cluster = &self.fixed.cluster;
        cluster.closed(request.request.admitted, ask.from, ask.until)
    }

    /// True if the node at `place` serves a request that `closed` reservations keep off.
    fn serves(&self, place: usize, request: &Prepared, closed: u64) -> bool {
        let class: &NodeClass = &self.fixed.cluster.classes[self.fixed.class[place] as usize];
        class.advance & closed == 0 && self.fixed.cluster.serves(class, &request.request)
    }

    /// Returns the number of tasks that the node at `place` can run with `left`.
    fn tasks(&self, place: usize, left: &Amounts, request: &Prepared, closed: u64) -> u32 {
        let tasks = request.tasks(left, &self.fixed.all[place]);
        if tasks > 0 && self.serves(place, request, closed) {
            tasks
        } else {
            0
        }
    }

    /// Returns the part of a node in the count of a request: see [`KnownCount`].
    fn worth(&self, place: usize, left: &Amounts, request: &Prepared, closed: u64) -> u64 {
        let tasks = self.tasks(place, left, request, closed);
        if request.is_even {
            (tasks > 0).into()
        } else {
            tasks.into()
        }
    }

    /// Returns the count of a request over all nodes: see [`KnownCount`].
    fn count(&self, index: u32, request: &Prepared, closed: u64) -> u64 {
        let worth = |place: usize, left: &Amounts| self.worth(place, left, request, closed);
        let mut known = self.known.borrow_mut();
        // One request is enough for a draft, as a rule.
        let is_other = known.len() == 1 && known[0].request != index;
        if known.is_empty() || is_other {
            let slots = if is_other { KNOWN } else { 1 };
            let nothing = KnownCount {
                request: ANY_CORES,
                closed: 0,
                journal: 0,
                read: 0,
                count: 0,
            };
            known.clear();
            known.resize(slots, nothing);
        }
        let at = index as usize % known.len();
        let slot = &mut known[at];
        if (slot.request, slot.closed, slot.journal) == (index, closed, self.journal) {
            for change in &self.changes[slot.read..] {
                let place = change.place as usize;
                slot.count += worth(place, &change.after);
                slot.count -= worth(place, &change.before);
            }
        } else {
            let all = self.left.iter().enumerate();
            slot.count = all.map(|(place, left)| worth(place, left)).sum();
            (slot.request, slot.closed, slot.journal) = (index, closed, self.journal);
        }
        slot.read = self.changes.len();
        slot.count
    }

    /// Returns the nodes that the request gets, as places; `None` if it does not fit. If there are
    /// `kept` places, it uses no more there than is left beside them. It has no node that one of the
    /// `closed` reservations keeps.
    fn choose(
        &self,
        request: &Prepared,
        kept: &[(u32, Amounts)],
        closed: u64,
    ) -> Option<Vec<NodeUse>> {
        if !holds(&self.licences, &request.request.licences) {
            return None;
        }
        let is_in_order = self.fixed.placing.is_in_order();
        let enough = u64::from(request.request.tasks);
        let mut candidates: Vec<UsableNode> = Vec::new();
        let (mut sum, mut nodes) = (0_u64, 0_u32);
        let least = request.least;
        // In the order of places, the first nodes that hold all tasks are those that the job gets,
        // unless the number of nodes is limited.
        let NodeRequest {
            tasks,
            least_nodes,
            most_nodes,
            ..
        } = request.request;
        let is_limited = !request.is_even && most_nodes < tasks;
        let mut most = self.most.borrow_mut();
        'blocks: for (block, most) in most.iter_mut().enumerate() {
            if !holds(most, &least) {
                continue;
            }
            let from = block * BLOCK;
            let to = (from + BLOCK).min(self.left.len());
            let mut is_empty = true;
            for place in from..to {
                if !holds(&self.left[place], &least) {
                    continue;
                }
                is_empty = false;
                let (tasks, room) = self.tasks_beside(place, request, kept, closed);
                if tasks == 0 {
                    continue;
                }
                candidates.push(UsableNode {
                    place: place as u32,
                    tasks,
                    room,
                    load: self.fixed.order(
                        request,
                        tasks,
                        (&self.left[place], &self.fixed.all[place]),
                        || self.loads.get(place).copied().unwrap_or(0),
                    ),
                });
                sum += u64::from(tasks);
                nodes += 1;
                if is_in_order && !is_limited && sum >= enough && nodes >= least_nodes {
                    break 'blocks;
                }
            }
            if is_empty {
                *most = most_of(&self.left[from..to]);
            }
        }
        super::placing::choose(candidates, &request.request, self.fixed.placing)
    }

    /// Returns the number of tasks that the node at `place` can run beside what is kept of it, and
    /// its room: see [`UsableNode`].
    fn tasks_beside(
        &self,
        place: usize,
        request: &Prepared,
        kept: &[(u32, Amounts)],
        closed: u64,
    ) -> (u32, u32) {
        let mut left = self.left[place];
        let mut tasks = self.tasks(place, &left, request, closed);
        if let Ok(at) = kept.binary_search_by_key(&(place as u32), |(place, _)| *place) {
            let all = self.fixed.all[place];
            if request.request.is_whole {
                if kept[at].1 != all {
                    tasks = 0;
                }
            } else {
                for (left, kept) in left.iter_mut().zip(kept[at].1) {
                    *left = (*left).min(kept);
                }
                tasks = self.tasks(place, &left, request, closed);
            }
        }
        (tasks, self.fixed.room(request, &left))
    }

    /// True if a request with this index still fits when another one gets these nodes.
    fn spares(&mut self, head: Ask, request: &Prepared, nodes: &[NodeUse]) -> bool {
        let requests = Arc::clone(&self.requests);
        let of_head = &*request_of(&requests, head);
        let both = self.licences.iter().zip(&request.request.licences);
        let mut beside = both.zip(&of_head.request.licences);
        if !beside.all(|((left, job), head)| u64::from(*left) >= u64::from(*job) + u64::from(*head))
        {
            return false;
        }
        let closed = self.closed(of_head, head);
        if head.request != ANY_CORES && of_head.is_simple {
            let mut count = self.count(head.request, of_head, closed);
            for at in nodes {
                let place = at.node as usize;
                let before = &self.left[place];
                let after = less(before, &request.used(at.tasks, &self.fixed.all[place]));
                count += self.worth(place, &after, of_head, closed);
                count -= self.worth(place, before, of_head, closed);
            }
            return count >= of_head.wanted();
        }
        self.take_nodes(request, nodes);
        let fits = self.fits(head);
        for at in nodes {
            let place = at.node as usize;
            self.give(place, &request.used(at.tasks, &self.fixed.all[place]));
        }
        self.give_licences(&request.request.licences);
        fits
    }

    /// Finds out what is left on the nodes that the request of the head would get.
    fn keep_for(&mut self, head: Ask) {
        if self.kept.is_some() {
            return;
        }
        let requests = Arc::clone(&self.requests);
        let request = &*request_of(&requests, head);
        let closed = self.closed(request, head);
        let nodes = self.choose(request, &[], closed).unwrap_or_default();
        let mut kept: Vec<(u32, Amounts)> = nodes
            .iter()
            .map(|at| {
                let place = at.node as usize;
                let used = request.used(at.tasks, &self.fixed.all[place]);
                (at.node, less(&self.left[place], &used))
            })
            .collect();
        crate::sorting::by(&mut kept, |(place, _)| [(*place).into(), 0]);
        self.kept = Some(kept);
    }

    fn take_nodes(&mut self, request: &Prepared, nodes: &[NodeUse]) {
        for at in nodes {
            let place = at.node as usize;
            let used = request.used(at.tasks, &self.fixed.all[place]);
            self.set(place, less(&self.left[place], &used));
            self.free -= used[CORES];
        }
        self.licences = less(&self.licences, &request.request.licences);
    }

    fn give_licences(&mut self, licences: &Amounts) {
        for (left, given) in self.licences.iter_mut().zip(licences) {
            *left += given;
        }
    }

    /// Returns the licences of a request.
    fn licences_of(&self, ask: Ask) -> Amounts {
        let request = self.requests.get(ask.request as usize);
        request.map_or(NOTHING, |request| request.request.licences)
    }

    /// Takes tasks on these nodes, and writes their cores into `placement`, in ascending order.
    fn take_placed(
        &mut self,
        request: &Prepared,
        mut nodes: Vec<NodeUse>,
        placement: &mut PlacementBuf,
    ) {
        let fixed = Arc::clone(&self.fixed);
        if nodes.len() > 1 {
            crate::sorting::by(&mut nodes, |at| [fixed.node_at[at.node as usize].into(), 0]);
        }
        self.take_nodes(request, &nodes);
        for at in nodes {
            let place = at.node as usize;
            let cores = request.used(at.tasks, &self.fixed.all[place])[CORES];
            self.place_cores(place, cores, placement);
        }
    }

    /// Takes free cores of the node at `place`, and writes them into `placement`.
    fn place_cores(&mut self, place: usize, cores: u32, placement: &mut PlacementBuf) {
        let first = self.fixed.first_core[place];
        match &mut self.cores {
            Some(free) => {
                let count = self.fixed.all[place][CORES];
                free.claim_within(Range { first, count }, cores, placement);
            }
            None => placement.ranges.push(Range {
                first,
                count: cores,
            }),
        }
    }

    /// Returns nodes with their places.
    fn places_of(&self, nodes: &[NodeUse]) -> Vec<NodeUse> {
        let place = |at: &NodeUse| NodeUse {
            node: self.fixed.place_of[at.node as usize],
            ..*at
        };
        nodes.iter().map(place).collect()
    }

    /// Returns what a request frees of a place of which it has `cores` while the job is suspended.
    fn freed(&self, held: Ask, place: usize, cores: u32) -> Amounts {
        let used = self.used(held, place, cores);
        if let Some(request) = self.requests.get(held.request as usize) {
            return less(&used, &kept_of(&request.request, used));
        }
        let mut freed = NOTHING;
        freed[CORES] = used[CORES];
        freed
    }

    /// Takes processors on the nodes at these places. Returns false, with nothing changed, if they do
    /// not have enough left.
    fn claim_places(
        &mut self,
        ask: Ask,
        nodes: Vec<NodeUse>,
        placement: &mut PlacementBuf,
    ) -> bool {
        let requests = Arc::clone(&self.requests);
        let request = &*request_of(&requests, ask);
        let fits = |at: &NodeUse| {
            let place = at.node as usize;
            holds(
                &self.left[place],
                &request.used(at.tasks, &self.fixed.all[place]),
            )
        };
        let closed = self.closed(request, ask);
        let serves = |at: &NodeUse| self.serves(at.node as usize, request, closed);
        let has_licences = holds(&self.licences, &request.request.licences);
        if !has_licences || !nodes.iter().all(|at| fits(at) && serves(at)) {
            return false;
        }
        self.take_placed(request, nodes, placement);
        true
    }

    /// Replaces the class of each entry by the first free place of this class. Returns false if
    /// there are not enough.
    fn find_of_classes(&self, nodes: &mut [NodeUse]) -> bool {
        let mut next = vec![0; self.fixed.cluster.classes.len()];
        nodes.iter_mut().all(|at| {
            let class = at.node;
            let from = next[class as usize];
            let found = (from..self.left.len()).find(|place| {
                self.fixed.class[*place] == class && self.left[*place] == self.fixed.all[*place]
            });
            if let Some(place) = found {
                at.node = place as u32;
                next[class as usize] = place + 1;
            }
            found.is_some()
        })
    }

    /// Gives back what the node at `place` gave.
    fn give(&mut self, place: usize, used: &Amounts) {
        let mut after = self.left[place];
        for (after, used) in after.iter_mut().zip(used) {
            *after += used;
        }
        debug_assert!(holds(&self.fixed.all[place], &after));
        self.set(place, after);
        self.free += used[CORES];
    }

    /// Changes what the node at `place` has left.
    fn set(&mut self, place: usize, after: Amounts) {
        let before = std::mem::replace(&mut self.left[place], after);
        self.kept = None;
        if let Some(known) = self.loads.get_mut(place) {
            *known = load(&after, &self.fixed.all[place]);
        }
        if !self.known.get_mut().is_empty() {
            if self.changes.len() == JOURNAL {
                self.changes.clear();
                self.journal += 1;
            }
            self.changes.push(NodeChange {
                place: place as u32,
                before,
                after,
            });
        }
        let most = &mut self.most.get_mut()[place / BLOCK];
        for (most, after) in most.iter_mut().zip(after) {
            *most = (*most).max(after);
        }
    }

    /// Returns what a request uses of a place of which it has `cores`.
    fn used(&self, ask: Ask, place: usize, cores: u32) -> Amounts {
        match self.requests.get(ask.request as usize) {
            Some(request) => {
                let tasks = request.request.tasks_of(cores);
                request.used(tasks, &self.fixed.all[place])
            }
            None => {
                let mut used = NOTHING;
                used[CORES] = cores;
                used
            }
        }
    }
}

/// Returns the request that an ask names. A request for cores only is for `processors` of them.
pub fn request_of(requests: &[Prepared], ask: Ask) -> RequestOf<'_> {
    match requests.get(ask.request as usize) {
        Some(request) => RequestOf::Table(request),
        None => {
            let request = NodeRequest::of_cores(ask.processors);
            RequestOf::Own(Box::new(Prepared::of(request)))
        }
    }
}

fn prepared(requests: &[NodeRequest]) -> Arc<Vec<Prepared>> {
    Arc::new(requests.iter().cloned().map(Prepared::of).collect())
}

/// Returns what the jobs that want GPUs need of a node, with the number of such jobs: the most frequent
/// needs first, equal ones in the order of their first jobs.
fn demands(requests: &[Prepared], of: &[u32]) -> Vec<(Amounts, u64)> {
    // Each demand, with the place of its first job and the number of jobs.
    let mut known: BTreeMap<Amounts, (u64, u64)> = BTreeMap::new();
    for (place, index) in (0..).zip(of) {
        let least = requests.get(*index as usize).map(|request| request.least);
        if let Some(least) = least.filter(|least| least[GPUS] > 0) {
            known.entry(least).or_insert((place, 0)).1 += 1;
        }
    }
    let mut found: Vec<(Amounts, (u64, u64))> = known.into_iter().collect();
    crate::sorting::by(&mut found, |(_, (first, jobs))| {
        [-i128::from(*jobs), (*first).into()]
    });
    found.truncate(DEMANDS);
    let counts = found.into_iter().map(|(least, (_, jobs))| (least, jobs));
    counts.collect()
}

/// A request of the table, or one made for an ask.
pub enum RequestOf<'a> {
    Table(&'a Prepared),
    Own(Box<Prepared>),
}

impl std::ops::Deref for RequestOf<'_> {
    type Target = Prepared;

    fn deref(&self) -> &Prepared {
        match self {
            Self::Table(request) => request,
            Self::Own(request) => request,
        }
    }
}

/// Returns the largest amount of each resource.
fn most_of(nodes: &[Amounts]) -> Amounts {
    nodes.iter().fold(NOTHING, |mut most, left| {
        for (most, left) in most.iter_mut().zip(left) {
            *most = (*most).max(*left);
        }
        most
    })
}

/// True if `left` has at least `least` of each resource.
pub fn holds(left: &Amounts, least: &Amounts) -> bool {
    left.iter().zip(least).all(|(left, least)| left >= least)
}

fn less(left: &Amounts, used: &Amounts) -> Amounts {
    let mut rest = *left;
    for (rest, used) in rest.iter_mut().zip(used) {
        debug_assert!(*rest >= *used);
        *rest = rest.saturating_sub(*used);
    }
    rest
}

/// Returns the load of a node: the largest share of a limited resource that is in use, in 2^-32.
pub fn load(left: &Amounts, all: &Amounts) -> u64 {
    let share = |(left, all): (&u32, &u32)| {
        let used = u64::from(all - left) << 32;
        used.checked_div(u64::from(*all)).unwrap_or(0)
    };
    let limited = left.iter().zip(all).filter(|(_, all)| **all != UNLIMITED);
    limited.map(share).max().unwrap_or(0)
}

/// Returns what a suspended job keeps of what it used on a node.
fn kept_of(request: &NodeRequest, used: Amounts) -> Amounts {
    if request.is_whole {
        return NOTHING;
    }
    let mut kept = used;
    kept[CORES] = 0;
    kept
}

/// Returns a question about the present instant only. A policy that names the nodes has its own rules about
/// reservations that begin later.
fn instant(ask: Ask) -> Ask {
    Ask {
        until: ask.until.min(ask.from + Span::from_microseconds(1)),
        ..ask
    }
}

impl Space for NodeSpace {
    fn capacity(&self) -> u32 {
        self.fixed.cluster.cores()
    }

    fn free(&self) -> u32 {
        self.free
    }

    fn has_nodes(&self) -> bool {
        true
    }

    fn fits(&self, ask: Ask) -> bool {
        if ask.processors > self.free {
            return false;
        }
        let request = self.request(ask);
        let closed = self.closed(&request, ask);
        if ask.request == ANY_CORES {
            return self.choose(&request, &[], closed).is_some();
        }
        holds(&self.licences, &request.request.licences)
            && self.count(ask.request, &request, closed) >= request.wanted()
            && (request.is_simple || self.choose(&request, &[], closed).is_some())
    }

    fn claim(&mut self, ask: Ask, placement: &mut PlacementBuf) {
        let requests = Arc::clone(&self.requests);
        let request = &*request_of(&requests, ask);
        let closed = self.closed(request, ask);
        if let Some(nodes) = self.choose(request, &[], closed) {
            self.take_placed(request, nodes, placement);
        } else {
            debug_assert!(false, "the caller has checked that the request fits");
        }
    }

    fn claim_sparing(
        &mut self,
        ask: Ask,
        head: Ask,
        later: &mut dyn Space,
        placement: &mut PlacementBuf,
    ) -> bool {
        let Some(later) = later
            .as_any()
            .and_then(|later| later.downcast_mut::<Self>())
        else {
            return false;
        };
        let requests = Arc::clone(&self.requests);
        let request = &*request_of(&requests, ask);
        let closed = self.closed(request, ask);
        let Some(mut nodes) = self.choose(request, &[], closed) else {
            return false;
        };
        // The nodes of the rule serve, wherever they are, if the head then still fits somewhere.
        // Otherwise the job goes beside the nodes that the head would get.
        if !later.spares(head, request, &nodes) {
            later.keep_for(head);
            let of_head = later.licences_of(head);
            let licences = less(&later.licences, &of_head);
            if !holds(&licences, &request.request.licences) {
                return false;
            }
            let kept = later.kept.as_deref().unwrap_or_default();
            match self.choose(request, kept, closed) {
                Some(beside) => nodes = beside,
                None => return false,
            }
        }
        later.take_nodes(request, &nodes);
        self.take_placed(request, nodes, placement);
        true
    }

    fn release(&mut self, held: Ask, placement: Placement<'_>) {
        let fixed = Arc::clone(&self.fixed);
        fixed.by_place(placement, |place, cores| {
            self.give(place, &self.used(held, place, cores));
        });
        self.give_licences(&self.licences_of(held));
        if let Some(cores) = &mut self.cores {
            cores.release(Ask::of(placement.size()), placement);
        }
    }

    fn suspend(&mut self, held: Ask, placement: Placement<'_>) {
        let fixed = Arc::clone(&self.fixed);
        fixed.by_place(placement, |place, cores| {
            self.give(place, &self.freed(held, place, cores));
        });
        if let Some(cores) = &mut self.cores {
            cores.release(Ask::of(placement.size()), placement);
        }
    }

    fn resume(&mut self, held: Ask, was: Placement<'_>, placement: &mut PlacementBuf) -> bool {
        let fixed = Arc::clone(&self.fixed);
        let mut nodes = Vec::new();
        fixed.by_place(was, |place, cores| nodes.push((place, cores)));
        let needs = |(place, cores): &(usize, u32)| self.freed(held, *place, *cores);
        if !nodes.iter().all(|at| holds(&self.left[at.0], &needs(at))) {
            return false;
        }
        for (place, cores) in nodes {
            let used = self.freed(held, place, cores);
            self.set(place, less(&self.left[place], &used));
            self.free -= used[CORES];
            self.place_cores(place, cores, placement);
        }
        true
    }

    fn claim_suspended(
        &mut self,
        ask: Ask,
        nodes: &[NodeUse],
        placement: &mut PlacementBuf,
    ) -> bool {
        let fixed = Arc::clone(&self.fixed);
        let requests = Arc::clone(&self.requests);
        let request = &*request_of(&requests, ask);
        let mut nodes = self.places_of(nodes);
        crate::sorting::by(&mut nodes, |at| [fixed.node_at[at.node as usize].into(), 0]);
        let closed = self.closed(request, instant(ask));
        let used = |at: &NodeUse| request.used(at.tasks, &fixed.all[at.node as usize]);
        let kept = |at: &NodeUse| kept_of(&request.request, used(at));
        let has_room = |at: &NodeUse| {
            let place = at.node as usize;
            holds(&self.left[place], &kept(at)) && self.serves(place, request, closed)
        };
        if !holds(&self.licences, &request.request.licences) || !nodes.iter().all(has_room) {
            return false;
        }
        for at in &nodes {
            let place = at.node as usize;
            self.set(place, less(&self.left[place], &kept(at)));
            placement.ranges.push(Range {
                first: fixed.first_core[place],
                count: used(at)[CORES],
            });
        }
        self.licences = less(&self.licences, &request.request.licences);
        true
    }

    fn release_suspended(&mut self, held: Ask, placement: Placement<'_>) {
        let fixed = Arc::clone(&self.fixed);
        fixed.by_place(placement, |place, cores| {
            let kept = less(
                &self.used(held, place, cores),
                &self.freed(held, place, cores),
            );
            self.give(place, &kept);
        });
        self.give_licences(&self.licences_of(held));
    }

    fn take(&mut self, ask: Ask, placement: Placement<'_>) {
        let fixed = Arc::clone(&self.fixed);
        fixed.by_place(placement, |place, cores| {
            let used = self.used(ask, place, cores);
            self.set(place, less(&self.left[place], &used));
            self.free -= used[CORES];
        });
        self.licences = less(&self.licences, &self.licences_of(ask));
        if let Some(cores) = &mut self.cores {
            cores.occupy(placement);
        }
    }

    fn occupy(&mut self, placement: Placement<'_>) {
        self.take(Ask::of(placement.size()), placement);
    }

    fn as_any(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }

    fn short_of(&self, ask: Ask) -> u32 {
        let request = self.request(ask);
        let closed = self.closed(&request, ask);
        let fits = |request: NodeRequest, closed: u64| {
            self.choose(&Prepared::of(request), &[], closed).is_some()
        };
        let would_fit = |resource: &usize| {
            let mut less = request.request.clone();
            let asked = less.per_task[*resource] + less.per_node[*resource];
            (less.per_task[*resource], less.per_node[*resource]) = (0, 0);
            asked > 0 && fits(less, closed)
        };
        if let Some(resource) = (CORES + 1..NOTHING.len()).find(would_fit) {
            return resource as u32;
        }
        for licence in 0..NOTHING.len() {
            let mut less = request.request.clone();
            if std::mem::take(&mut less.licences[licence]) > 0 && fits(less, closed) {
                return (NOTHING.len() + licence) as u32;
            }
        }
        if closed != 0 && fits(request.request.clone(), 0) {
            ADVANCE_RESERVATION
        } else {
            CORES as u32
        }
    }

    fn ask_by(&mut self, cluster: &Arc<Cluster>, requests: &Arc<Vec<NodeRequest>>) {
        let demands = Arc::clone(&self.fixed.demands);
        self.fixed = Arc::new(Fixed::of(cluster, self.fixed.placing, demands));
        self.requests = prepared(requests);
        self.known.get_mut().clear();
        self.kept = None;
    }

    fn amounts(&self, held: Ask, placement: Placement<'_>) -> Amounts {
        let mut amounts = NOTHING;
        self.fixed.by_place(placement, |place, cores| {
            let used = self.used(held, place, cores);
            let all = &self.fixed.all[place];
            for (sum, (used, all)) in amounts.iter_mut().zip(used.into_iter().zip(all)) {
                // A part of memory without limit is no share of anything.
                *sum = sum.saturating_add(if *all == UNLIMITED { 0 } else { used });
            }
        });
        amounts
    }

    fn totals(&self) -> [u64; RESOURCES] {
        std::array::from_fn(|resource| self.fixed.cluster.total(resource))
    }

    fn has_openings(&self) -> bool {
        !self.fixed.cluster.advance.is_empty()
    }

    fn next_opening(&self, at: Time) -> Option<Time> {
        self.fixed.cluster.next_opening(at)
    }

    fn closed_to(&self, ask: Ask) -> u64 {
        match self.requests.get(ask.request as usize) {
            Some(request) => self.closed(request, ask),
            None => 0,
        }
    }

    fn timetable(&self, now: Time) -> Option<Box<dyn Timetable>> {
        Some(Box::new(Times::new(&self.fixed, &self.requests, now)))
    }

    fn claim_on(&mut self, ask: Ask, choice: &NodeChoice, placement: &mut PlacementBuf) -> bool {
        let mut nodes = choice.0.clone();
        if self.fixed.counts(&self.requests) && !self.find_of_classes(&mut nodes) {
            return false;
        }
        self.claim_places(ask, nodes, placement)
    }

    fn claim_nodes(&mut self, ask: Ask, nodes: &[NodeUse], placement: &mut PlacementBuf) -> bool {
        self.claim_places(instant(ask), self.places_of(nodes), placement)
    }

    fn fork(&self) -> Box<dyn Space> {
        Box::new(self.copy(self.cores.clone()))
    }

    fn draft(&self, head: Option<Ask>) -> Box<dyn Space> {
        let mut draft = self.copy(None);
        if let Some(head) = head.filter(|head| head.request != ANY_CORES) {
            let request = self.request(head);
            let closed = self.closed(&request, head);
            let count = self.count(head.request, &request, closed);
            draft.known = RefCell::new(vec![KnownCount {
                request: head.request,
                closed,
                journal: 0,
                read: 0,
                count,
            }]);
        }
        Box::new(draft)
    }

    fn empty(&self) -> Box<dyn Space> {
        Box::new(Self::free(
            Arc::clone(&self.fixed),
            Arc::clone(&self.requests),
        ))
    }
}
