//! The nodes of a cluster, by kind.

use super::amounts::{Amounts, CORES, NOTHING, UNLIMITED};
use super::partition::ClusterPartition;
use super::request::NodeRequest;

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
}

/// Nodes that serve the same requests: of one kind, and in the same partitions.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeClass {
    /// Index of the kind.
    pub kind: u32,
    /// The partitions, as bits.
    pub partitions: u64,
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
    /// The classes of nodes.
    pub classes: Vec<NodeClass>,
    /// Index of the class of each node.
    pub class_of: Vec<u32>,
    /// Name of each node.
    pub names: Vec<String>,
    /// Remarks on the description: keywords and lines without effect.
    pub notes: Vec<String>,
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
                count: kinds[kind as usize].count,
            })
            .collect();
        Self {
            resources: vec!["cores".into(), "memory".into(), "gpu".into()],
            features: Vec::new(),
            kinds,
            partitions: Vec::new(),
            classes,
            class_of,
            names,
            notes: Vec::new(),
            first_nodes,
            first_cores,
        }
    }

    /// Gives the cluster these partitions, each with the nodes that belong to it.
    pub(super) fn divide(&mut self, partitions: Vec<(ClusterPartition, Vec<u32>)>) {
        let mut member = vec![0_u64; self.names.len()];
        for (bit, (_, nodes)) in partitions.iter().enumerate() {
            nodes
                .iter()
                .for_each(|node| member[*node as usize] |= 1 << bit);
        }
        self.partitions = partitions
            .into_iter()
            .map(|(partition, _)| partition)
            .collect();
        self.classes.clear();
        for (node, partitions) in (0..).zip(member) {
            let kind = self.kind_of(node);
            let is_same = |other: &NodeClass| (other.kind, other.partitions) == (kind, partitions);
            let at = self.classes.iter().rposition(is_same).unwrap_or_else(|| {
                self.classes.push(NodeClass {
                    kind,
                    partitions,
                    count: 0,
                });
                self.classes.len() - 1
            });
            self.classes[at].count += 1;
            self.class_of[node as usize] = at as u32;
        }
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
        tasks >= u64::from(request.tasks)
            && usable >= u64::from(request.least_nodes)
            && request.least_nodes <= request.tasks
            && request.least_nodes <= request.most_nodes
    }
}
