//! Answers that hold until a job starts or ends, so that the choice of nodes need not find them again.

use super::choice::NodeBounds;
use super::core_use::{CoreUse, ReleasedUse};
use super::nodeset::NodeSet;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::sync::Arc;

/// A list of answers, with the number of starts and ends when they were given.
#[derive(Debug)]
pub(super) struct KnownList<T> {
    uses: u64,
    pub list: Vec<T>,
    /// Answers that hold no more. Their memory is used again.
    pub spare: Vec<T>,
}

impl<T> Default for KnownList<T> {
    fn default() -> Self {
        Self {
            uses: 0,
            list: Vec::new(),
            spare: Vec::new(),
        }
    }
}

impl<T> KnownList<T> {
    /// Forgets the answers that hold no more: all if something has started or ended since.
    pub fn renew(&mut self, uses: u64) -> &mut Self {
        if self.uses != uses {
            self.forget();
            self.uses = uses;
        }
        self
    }

    /// Forgets all answers.
    pub fn forget(&mut self) {
        self.spare.append(&mut self.list);
    }
}

/// Adds an answer, and forgets all others if there would be too many.
pub(super) fn note<T>(list: &mut Vec<T>, most: usize, one: T) {
    if list.len() >= most {
        list.clear();
    }
    list.push(one);
}

/// The CPUs that a node offers. Choices lower `cpus`, and later ones see it.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct CpuOffer {
    pub cpus: i64,
    /// The offer by which small nodes are dropped.
    pub kept: i64,
    /// All free CPUs.
    pub free: i64,
    /// Free GPUs, if the job asks for some.
    pub gpus: i64,
    /// The CPUs of the cores that a job with generic resources keeps, once they are known.
    pub capped: Option<i64>,
}

impl CpuOffer {
    /// Returns an offer of which only the CPUs count.
    pub fn of_cpus(cpus: i64) -> Self {
        Self {
            cpus,
            kept: cpus,
            ..Self::default()
        }
    }
}

/// Jobs to which every node offers the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OfferKind {
    pub partition: usize,
    /// The job gets whole nodes, is marked so, overcommits, has its memory by CPU, gets one node.
    pub flags: [bool; 5],
    pub node_cpus: i64,
    pub node_tasks: i64,
    pub task_cpus: i64,
    /// The tasks of a job that must have one node, else 0.
    pub tasks: i64,
    pub memory: i64,
}

impl OfferKind {
    /// True if nodes offer both kinds the same. Many places ask: inlined, the answer would make the wasm file larger.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn is_like(&self, other: &Self) -> bool {
        self == other
    }
}

/// A question for nodes as if nothing ran, by all that counts for its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestKind {
    pub offers: OfferKind,
    /// The CPUs, tasks and nodes that the job asks for.
    pub asked: [i64; 3],
    pub is_contiguous: bool,
    pub bounds: NodeBounds,
    pub nodes: NodeSet,
}

/// The offer of each node, and the nodes that offer something.
#[derive(Clone, Debug, Default)]
pub(super) struct OfferTable {
    pub offers: Vec<i64>,
    pub open: NodeSet,
}

/// The offers that running jobs add for jobs of a kind when they end one after the other, for as many of them
/// as a question has needed.
#[derive(Debug, Default)]
pub(super) struct EndOffers {
    /// The present offers of nodes, and the sums of 64 nodes each.
    pub table: Arc<OfferTable>,
    pub by_word: Vec<i64>,
    /// The use of nodes after these ends.
    pub used: CoreUse,
    /// The offer of each node after them.
    pub offers: Vec<i64>,
    pub steps: Vec<EndStep>,
    /// The number of steps up to each end.
    pub until: Vec<usize>,
    /// A list that is written before it is read.
    pub met: Vec<u32>,
    /// The last start that was found: the nodes and CPUs of the job (0: none yet), and the end after which it
    /// starts, if it does not start now.
    pub last: (NodeSet, i64, Option<u32>),
}

/// Steps for which there is room from the start.
const MANY_STEPS: usize = 256;

/// Nodes of an ended job that offer the same before and after: bits of a word of sets of nodes.
#[derive(Copy, Clone, Debug)]
pub(super) struct EndStep {
    /// The number of the end.
    pub end: u32,
    pub word: u32,
    pub bits: u64,
    pub before: i64,
    /// The offer of each node afterwards, less the one before.
    pub more: i64,
    /// The sum of that over the nodes.
    pub all: i64,
}

impl EndOffers {
    /// Begins anew with the offers before the first end.
    pub fn begin(&mut self, table: Arc<OfferTable>, used: &CoreUse) {
        self.by_word.clear();
        self.by_word
            .extend(table.offers.chunks(64).map(|of| of.iter().sum::<i64>()));
        self.used.copy_from(used);
        self.offers.clone_from(&table.offers);
        self.steps.clear();
        self.steps.reserve(MANY_STEPS);
        self.until.clear();
        self.last.1 = 0;
        self.table = table;
    }

    /// Returns what an end adds.
    pub fn of_end(&self, place: usize) -> &[EndStep] {
        let from = place.checked_sub(1).map_or(0, |before| self.until[before]);
        &self.steps[from..self.until[place]]
    }
}

/// The offers of nodes to jobs of a kind. They hold but for nodes on which a job has started or ended since.
#[derive(Debug)]
pub(super) struct KnownTable {
    pub kind: OfferKind,
    pub table: Arc<OfferTable>,
    pub changed: NodeSet,
}

/// A run of consecutive nodes by its size: its CPUs, its place among the runs, and where it ends.
pub(super) type SumRun = (i64, Reverse<usize>, usize);

/// The offers to kinds of jobs.
#[derive(Debug, Default)]
pub(super) struct KnownOffers {
    pub tables: RefCell<Vec<KnownTable>>,
    /// The offers that the ends of running jobs add to them.
    pub ends: RefCell<KnownList<(OfferKind, EndOffers)>>,
    /// Choices among nodes as if nothing ran.
    pub tests: RefCell<Vec<(TestKind, Option<NodeSet>)>>,
    /// A list that is written before it is read: clearing it for each choice would cost more than the choice.
    spare: RefCell<Vec<CpuOffer>>,
    /// Other lists of the same sort.
    pub cpus: RefCell<Vec<i64>>,
    pub runs: RefCell<Vec<SumRun>>,
    /// The use of nodes at a number of starts and ends, without the first running jobs up to one of them. A copy
    /// for each choice would cost as much as the choice, and so would taking the same jobs away again.
    pub copy: RefCell<Option<(u64, ReleasedUse)>>,
}

impl KnownOffers {
    /// Notes the nodes of a job that starts or ends.
    pub fn note_change(&mut self, nodes: &NodeSet) {
        let ends = self.ends.get_mut();
        // A table that someone else keeps could not be changed in place.
        for (_, ends) in &mut ends.list {
            ends.table = Arc::default();
        }
        ends.forget();
        for one in self.tables.get_mut() {
            one.changed.add(nodes);
        }
    }

    /// Returns a list of offers for so many nodes. Its entries hold anything.
    pub fn take_list(&self, nodes: usize) -> Vec<CpuOffer> {
        let mut list = self.spare.take();
        list.resize(nodes, CpuOffer::default());
        list
    }

    /// Takes a list of offers back.
    pub fn give_back(&self, list: Vec<CpuOffer>) {
        let _ = self.spare.replace(list);
    }
}

/// The free CPUs of nodes when all running jobs have ended that end until a second.
#[derive(Debug)]
pub(super) struct FreeNodes {
    pub second: i64,
    /// The number of these jobs.
    pub ends: usize,
    /// The free CPUs of each node.
    pub cpus: Vec<i32>,
}

/// Free CPUs at certain seconds, in rising order.
#[derive(Debug, Default)]
pub(super) struct Releases(pub RefCell<KnownList<FreeNodes>>);

/// Nodes for a plan, and its start.
#[derive(Debug)]
pub(super) struct PlanAnswer {
    pub nodes: NodeSet,
    pub start: i64,
    pub cpus: Option<i64>,
}

impl Clone for PlanAnswer {
    fn clone(&self) -> Self {
        Self {
            nodes: self.nodes.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.nodes.copy_from(&other.nodes);
        (self.start, self.cpus) = (other.start, other.cpus);
    }
}

/// A question for nodes, and its answer.
#[derive(Debug, Default)]
pub(super) struct KnownPlan {
    pub record: usize,
    pub nodes: NodeSet,
    pub partition: usize,
    pub bounds: NodeBounds,
    pub is_whole: bool,
    pub answer: Option<PlanAnswer>,
    /// The last bytes of the weights of nodes.
    pub near: Arc<[u8]>,
    /// True if the answer is a start at once.
    pub is_now: bool,
}

/// The answers to questions for nodes.
#[derive(Debug, Default)]
pub(super) struct KnownPlans(pub RefCell<KnownList<KnownPlan>>);

// A fork finds its answers anew.

impl Clone for KnownOffers {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Clone for Releases {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Clone for KnownPlans {
    fn clone(&self) -> Self {
        Self::default()
    }
}
