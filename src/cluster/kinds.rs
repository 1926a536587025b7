//! The nodes of a cluster, by kind.

use super::advance::AdvanceReservation;
use super::amounts::{Amounts, CORES, NOTHING, UNLIMITED};
use super::partition::ClusterPartition;
use super::request::NodeRequest;
use crate::limits;
use crate::problem::Problem;
use crate::time::Time;

/// Advance reservations that a cluster can have: the bits of a word.
pub(super) const ADVANCE: usize = 64;

/// Nodes that have the same resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeKind {
    /// The list of names, as described.
    pub name: String,
    /// Number of nodes.
    pub count: u32,
    /// Resources of a node.
    pub amounts: Amounts,
    /// Nodes with a lower weight serve first, if nodes are chosen by weight.
    pub weight: u32,
    /// The numbers of the features, as bits.
    pub features: u64,
    /// The watts of a node without jobs, and of one whose cores are all in use.
    pub watts: [u32; 2],
}

/// Nodes that serve the same requests: of one kind, in the same partitions, and kept by the same
/// advance reservations.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeClass {
    /// Index of the kind.
    pub kind: u32,
    /// The partitions, as bits. None, if the nodes are down.
    pub partitions: u64,
    /// The advance reservations, as bits.
    pub advance: u64,
    /// Number of nodes.
    pub count: u32,
}

/// A cluster. Its nodes are numbered in the order of the description. Their cores are numbered one
/// node after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Names of the resources, by number.
    pub resources: Vec<String>,
    /// Names of the features, by number.
    pub features: Vec<String>,
    /// The kinds of nodes, in order of their nodes.
    pub kinds: Vec<NodeKind>,
    /// The partitions. None, if all nodes serve all jobs.
    pub partitions: Vec<ClusterPartition>,
    /// The advance reservations, by number.
    pub advance: Vec<AdvanceReservation>,
    /// The licences, which the whole cluster shares: their names and their numbers.
    pub licences: Vec<(String, u32)>,
    /// The number of the licence that stands for power, in watts, if there is a power cap.
    pub power: Option<usize>,
    /// The classes of nodes.
    pub classes: Vec<NodeClass>,
    /// Index of the class of each node.
    pub class_of: Vec<u32>,
    /// Name of each node.
    pub names: Vec<String>,
    /// Remarks on the description: keywords and lines without effect.
    pub notes: Vec<String>,
    /// The description, in the words of slurm.conf. Empty, if the cluster was not read from one.
    pub text: String,
    /// True if every job gets whole nodes.
    pub is_whole: bool,
    /// First node of each kind, and the number of all nodes.
    first_nodes: Vec<u32>,
    /// First core of each kind, and the number of all cores.
    first_cores: Vec<u32>,
}

impl Cluster {
    /// Returns a cluster of one kind of nodes without names and partitions.
    pub fn uniform(count: u32, amounts: Amounts) -> Self {
        let kind = NodeKind {
            name: format!("n[1-{count}]"),
            count,
            amounts,
            weight: 1,
            features: 0,
            watts: [0; 2],
        };
        let names = (1..=count).map(|number| format!("n{number}")).collect();
        Self::of(vec![kind], names)
    }

    /// Returns a cluster of one kind with one more node, which has `cores` cores and otherwise the
    /// same.
    pub fn with_another(self, cores: u32) -> Self {
        let (mut kinds, mut names) = (self.kinds, self.names);
        let mut amounts = kinds.last().map_or(NOTHING, |kind| kind.amounts);
        amounts[CORES] = cores;
        let name = format!("n{}", names.len() + 1);
        kinds.push(NodeKind {
            name: name.clone(),
            count: 1,
            amounts,
            weight: 1,
            features: 0,
            watts: [0; 2],
        });
        names.push(name);
        Self::of(kinds, names)
    }

    /// Returns a cluster of these kinds of nodes without partitions. Each node has a name.
    pub(super) fn of(kinds: Vec<NodeKind>, names: Vec<String>) -> Self {
        let (mut nodes, mut cores) = (0, 0);
        let (mut first_nodes, mut first_cores) = (Vec::new(), Vec::new());
        let mut class_of = Vec::with_capacity(names.len());
        for (at, kind) in (0..).zip(&kinds) {
            first_nodes.push(nodes);
            first_cores.push(cores);
            nodes += kind.count;
            cores += kind.count * kind.amounts[CORES];
            class_of.resize(nodes as usize, at);
        }
        first_nodes.push(nodes);
        first_cores.push(cores);
        let classes = (0..kinds.len() as u32)
            .map(|kind| NodeClass {
                kind,
                partitions: u64::MAX,
                advance: 0,
                count: kinds[kind as usize].count,
            })
            .collect();
        Self {
            resources: vec!["cores".into(), "memory".into(), "gpu".into()],
            features: Vec::new(),
            kinds,
            partitions: Vec::new(),
            advance: Vec::new(),
            licences: Vec::new(),
            power: None,
            classes,
            class_of,
            names,
            notes: Vec::new(),
            text: String::new(),
            is_whole: false,
            first_nodes,
            first_cores,
        }
    }

    /// Divides the nodes into classes, by their kinds and by the partitions and advance reservations
    /// of each node.
    pub(super) fn divide(&mut self, partitions: &[u64], advance: &[u64]) {
        self.classes.clear();
        for (node, (partitions, advance)) in (0..).zip(partitions.iter().zip(advance)) {
            let class = NodeClass {
                kind: self.kind_of(node),
                partitions: *partitions,
                advance: *advance,
                count: 0,
            };
            let is_same = |other: &NodeClass| NodeClass { count: 0, ..*other } == class;
            let at = self.classes.iter().rposition(is_same).unwrap_or_else(|| {
                self.classes.push(class);
                self.classes.len() - 1
            });
            self.classes[at].count += 1;
            self.class_of[node as usize] = at as u32;
        }
    }

    /// Keeps more nodes by one more advance reservation.
    ///
    /// # Errors
    /// Fails if the cluster cannot have so many.
    pub fn keep(&mut self, reservation: AdvanceReservation, nodes: &[u32]) -> Result<(), Problem> {
        let number = self.advance.len();
        limits::check("The cluster", number + 1, ADVANCE, "advance reservations")?;
        let class = |node: &u32| &self.classes[*node as usize];
        let partitions: Vec<u64> = self
            .class_of
            .iter()
            .map(|of| class(of).partitions)
            .collect();
        let mut advance: Vec<u64> = self.class_of.iter().map(|of| class(of).advance).collect();
        nodes
            .iter()
            .for_each(|node| advance[*node as usize] |= 1 << number);
        self.advance.push(reservation);
        self.divide(&partitions, &advance);
        Ok(())
    }

    /// Returns the advance reservations, as bits, that keep a job off their nodes which holds them
    /// over [from, to) and is admitted to `admitted`.
    pub fn closed(&self, admitted: u64, from: Time, to: Time) -> u64 {
        let mut closed = 0;
        for (number, reservation) in self.advance.iter().enumerate() {
            if admitted & (1 << number) == 0 && reservation.is_within(from, to) {
                closed |= 1 << number;
            }
        }
        closed
    }

    /// Returns the first instant after `at` at which a period of an advance reservation ends.
    pub fn next_opening(&self, at: Time) -> Option<Time> {
        let ends = self.advance.iter().filter_map(|one| one.next_end(at));
        ends.min()
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> u32 {
        self.names.len() as u32
    }

    /// Returns the number of cores of all nodes.
    pub fn cores(&self) -> u32 {
        self.first_cores.last().copied().unwrap_or(0)
    }

    /// Returns the index of the kind of a node.
    pub fn kind_of(&self, node: u32) -> u32 {
        self.first_nodes.partition_point(|first| *first <= node) as u32 - 1
    }

    /// Returns the resources of a node.
    pub fn amounts(&self, node: u32) -> &Amounts {
        &self.kinds[self.kind_of(node) as usize].amounts
    }

    /// Returns the first core of a node.
    pub fn first_core(&self, node: u32) -> u32 {
        let kind = self.kind_of(node) as usize;
        self.first_cores[kind] + (node - self.first_nodes[kind]) * self.kinds[kind].amounts[CORES]
    }

    /// Returns the node that has a core.
    pub fn node_of(&self, core: u32) -> u32 {
        let kind = self.first_cores.partition_point(|first| *first <= core) - 1;
        self.first_nodes[kind] + (core - self.first_cores[kind]) / self.kinds[kind].amounts[CORES]
    }

    /// Calls `each` with every node that has cores of a range, the first of these cores, and their
    /// number.
    pub fn pieces(&self, first: u32, count: u32, mut each: impl FnMut(u32, u32, u32)) {
        let mut core = first;
        while core < first + count {
            let node = self.node_of(core);
            let end = self.first_core(node) + self.amounts(node)[CORES];
            let here = end.min(first + count) - core;
            each(node, core, here);
            core += here;
        }
    }

    /// Returns the sum of a resource over all nodes. Nodes without a limit do not count.
    pub fn total(&self, resource: usize) -> u64 {
        self.kinds
            .iter()
            .filter(|kind| kind.amounts[resource] != UNLIMITED)
            .map(|kind| u64::from(kind.amounts[resource]) * u64::from(kind.count))
            .sum()
    }

    /// True if some node limits this resource.
    pub fn has(&self, resource: usize) -> bool {
        self.total(resource) > 0
    }

    /// True if the nodes of a class serve a request, when they are free.
    pub fn serves(&self, class: &NodeClass, request: &NodeRequest) -> bool {
        class.partitions & request.partitions != 0
            && !request.has_no_node
            && request.features & !self.kinds[class.kind as usize].features == 0
    }

    /// True if the cluster has all licences of a request, when they are free.
    pub fn has_licences(&self, request: &NodeRequest) -> bool {
        let mut asked = request.licences.iter().enumerate();
        !request.lacks_licence
            && asked.all(|(at, asked)| {
                *asked == 0
                    || self
                        .licences
                        .get(at)
                        .is_some_and(|(_, count)| asked <= count)
            })
    }

    /// Returns the numbers of the licences.
    pub fn licence_counts(&self) -> Amounts {
        let mut counts = NOTHING;
        for (count, (_, all)) in counts.iter_mut().zip(&self.licences) {
            *count = *all;
        }
        counts
    }

    /// Returns the watts that a request is counted with under a power cap: as many as it draws on the
    /// nodes where it draws most, and no more than all nodes can draw.
    pub fn draw(&self, request: &NodeRequest) -> u32 {
        let mut most = 0;
        for class in self
            .classes
            .iter()
            .filter(|class| self.serves(class, request))
        {
            let kind = &self.kinds[class.kind as usize];
            let more = u128::from(kind.watts[1] - kind.watts[0]);
            let draw = if request.is_whole {
                more * u128::from(request.most_nodes.min(request.tasks))
            } else {
                (more * u128::from(request.cores())).div_ceil(kind.amounts[CORES].into())
            };
            most = most.max(draw);
        }
        let [idle, busy] = self.watts();
        u32::try_from(most.min(u128::from(busy - idle))).unwrap_or(u32::MAX)
    }

    /// Returns the power of the cluster in watts, without jobs and with all cores in use.
    pub fn watts(&self) -> [u64; 2] {
        let sum = |of: usize| {
            let kinds = self.kinds.iter();
            kinds
                .map(|kind| u64::from(kind.watts[of]) * u64::from(kind.count))
                .sum()
        };
        [sum(0), sum(1)]
    }

    /// True if a request fits into the cluster when all of it is free.
    pub fn fits_empty(&self, request: &NodeRequest) -> bool {
        let mut holds: Vec<(u32, u64)> = Vec::new();
        for class in &self.classes {
            let all = &self.kinds[class.kind as usize].amounts;
            if self.serves(class, request) {
                holds.push((request.tasks_on(all, all), class.count.into()));
            }
        }
        crate::sorting::by(&mut holds, |(tasks, _)| [-i128::from(*tasks), 0]);
        let (mut nodes, mut tasks, mut usable) = (u64::from(request.most_nodes), 0_u64, 0_u64);
        for (each, count) in holds.into_iter().filter(|(each, _)| *each > 0) {
            usable += count;
            let taken = count.min(nodes);
            tasks += taken * u64::from(each);
            nodes -= taken;
        }
        self.has_licences(request)
            && tasks >= u64::from(request.tasks)
            && usable >= u64::from(request.least_nodes)
            && request.least_nodes <= request.tasks
            && request.least_nodes <= request.most_nodes
    }
}
