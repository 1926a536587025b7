//! The switches between the nodes (`topology_tree.c`): lines `SwitchName` of topology.conf.

use super::nodeset::NodeSet;
use super::text::words::{ConfLine, ConfWord};
use crate::cluster::expand;
use crate::limits;
use crate::problem::Problem;
use std::collections::BTreeMap;

/// Rounds over the lines in which the levels of all switches must be found.
const MOST_ROUNDS: usize = 21;

/// The switches in the order of their lines.
#[derive(Clone, Debug, Default)]
pub struct SwitchTree {
    pub switches: Vec<NodeSwitch>,
    /// Names of nodes that the cluster does not have.
    pub unknown: usize,
    /// True if only jobs that ask for switches are placed by them (`TopoOptional`). No log tells of such jobs.
    pub is_optional: bool,
    /// True if one switch, alone at the highest level, reaches all nodes of the cluster, and so do the leaves.
    pub joins_all: bool,
    /// The parents and children of each switch.
    near: Vec<Vec<u32>>,
}

/// A switch.
#[derive(Clone, Debug)]
pub struct NodeSwitch {
    /// The nodes that it reaches by itself or by the switches below it.
    pub nodes: NodeSet,
    /// 0 for a leaf, which has nodes; else one more than the highest level below it.
    pub level: usize,
    /// The switch above it, the last one of several. Without one it is 0, as in Slurm: the first switch.
    pub parent: usize,
}

impl SwitchTree {
    /// Reads the lines of the switches of a cluster.
    pub fn read(
        lines: &[ConfLine],
        nodes: usize,
        node_called: &dyn Fn(&str) -> Option<usize>,
    ) -> Result<Self, Problem> {
        limits::check("The topology", lines.len(), limits::SWITCHES, "switches")?;
        let mut tree = Self::default();
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut below: Vec<(&ConfWord, Vec<String>)> = Vec::new();
        let mut count = 0;
        for line in lines {
            let word = &line.words[0];
            if numbers.insert(word.value.clone(), numbers.len()).is_some() {
                return Err(word.problem("Each switch has one line."));
            }
            let of = |key: &str| line.get(key).filter(|word| !word.value.is_empty());
            let mut set = NodeSet::none(nodes);
            let children = match (of("nodes"), of("switches")) {
                (Some(list), None) => {
                    let listed = names(list)?;
                    count += listed.len();
                    for name in listed {
                        match node_called(&name) {
                            Some(node) => set.insert(node),
                            None => tree.unknown += 1,
                        }
                    }
                    Vec::new()
                }
                (None, Some(list)) => names(list)?,
                _ => return Err(word.problem("A switch has either `Nodes` or `Switches`.")),
            };
            count += children.len();
            limits::check(
                "The topology",
                count,
                limits::PARTITION_NODES,
                "names of nodes and switches",
            )?;
            below.push((word, children));
            tree.switches.push(NodeSwitch {
                nodes: set,
                level: 0,
                parent: 0,
            });
        }
        let mut children: Vec<Vec<usize>> = Vec::new();
        for (at, (word, names)) in below.iter().enumerate() {
            let found = names.iter().map(|name| {
                let child = numbers.get(name).copied();
                child.filter(|child| *child != at)
            });
            let found = found.collect::<Option<Vec<usize>>>();
            children.push(found.ok_or_else(|| word.problem("`Switches` names other switches."))?);
        }
        tree.near = vec![Vec::new(); children.len()];
        for (at, below) in children.iter().enumerate() {
            for child in below {
                tree.switches[*child].parent = at;
                tree.near[at].push(*child as u32);
                tree.near[*child].push(at as u32);
            }
        }
        if tree.find_levels(&children) {
            tree.joins_all = tree.has_one_root(nodes);
            return Ok(tree);
        }
        Err(below[0]
            .0
            .problem("The switches are no tree, or a tree of too many levels."))
    }

    /// Finds the level and the nodes of each switch that has others below it. True if all are found.
    fn find_levels(&mut self, children: &[Vec<usize>]) -> bool {
        let mut is_found: Vec<bool> = children.iter().map(Vec::is_empty).collect();
        for _ in 0..MOST_ROUNDS {
            for (at, below) in children.iter().enumerate() {
                if is_found[at] || !below.iter().all(|child| is_found[*child]) {
                    continue;
                }
                for child in below {
                    let child = self.switches[*child].clone();
                    self.switches[at].nodes.add(&child.nodes);
                    self.switches[at].level = self.switches[at].level.max(child.level + 1);
                }
                is_found[at] = true;
            }
            if is_found.iter().all(|found| *found) {
                return true;
            }
        }
        false
    }

    fn has_one_root(&self, nodes: usize) -> bool {
        let reach = |level: usize| {
            let mut reached = NodeSet::none(nodes);
            let all = self.switches.iter().filter(|one| one.level == level);
            all.clone().for_each(|one| reached.add(&one.nodes));
            (all.count(), reached.count() == nodes as i64)
        };
        let highest = self.switches.iter().map(|one| one.level).max();
        highest.is_some_and(|highest| reach(highest) == (1, true) && reach(0).1)
    }

    /// Returns the number of nodes that no switch reaches.
    pub fn unreached(&self, nodes: usize) -> i64 {
        let mut left = NodeSet::all(nodes);
        let sets = self.switches.iter().map(|one| &one.nodes);
        sets.for_each(|set| left.take_away(set));
        left.count()
    }

    /// Adds the lengths of the ways from a switch to all others; `None` where there is no way.
    pub fn add_ways(&self, from: usize, lengths: &mut [Option<u32>]) {
        let mut ways = vec![None; self.near.len()];
        ways[from] = Some(0);
        let mut reached = vec![from];
        let mut next = 0;
        while let Some(at) = reached.get(next).copied() {
            next += 1;
            let length = ways[at].map(|length: u32| length + 1);
            for other in &self.near[at] {
                let other = *other as usize;
                if ways[other].is_none() {
                    ways[other] = length;
                    reached.push(other);
                }
            }
        }
        for (length, way) in lengths.iter_mut().zip(ways) {
            *length = length.zip(way).map(|(length, way)| length + way);
        }
    }
}

/// True if the switches count (`TopologyPlugin=topology/tree`).
pub(super) fn is_tree(general: &ConfLine) -> bool {
    let plugin = general.text("topologyplugin");
    plugin.eq_ignore_ascii_case("topology/tree")
}

fn names(list: &ConfWord) -> Result<Vec<String>, Problem> {
    expand(&list.value, limits::CLUSTER_NODES).map_err(|problem| problem.at_line(list.line))
}
