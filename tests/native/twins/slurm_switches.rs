//! The switches of the policy slurm (docs/policies/slurm.md, rules 99 to 102). Rules are named by
//! their numbers there.

use super::slurm_plugins::{Nodes, Taking, Wanted, listed};
use std::cmp::Ordering;

/// The number of steps after which the comparison of two switches ends.
const STEPS: usize = 64;

/// A line `SwitchName`.
#[derive(Clone, Debug)]
pub enum Line {
    /// The nodes of the cluster that a leaf lists.
    Nodes(Nodes),
    /// The numbers of the lines of the switches that another switch lists.
    Switches(Vec<usize>),
}

/// A switch (rule 99).
#[derive(Clone, Debug)]
struct Switch {
    nodes: Nodes,
    level: usize,
    parent: usize,
    /// By switch, the number of steps of the way to it.
    ways: Vec<Option<i64>>,
}

impl Switch {
    const fn is_leaf(&self) -> bool {
        self.level == 0
    }

    fn count(&self, among: Nodes) -> i64 {
        i64::from((self.nodes & among).count_ones())
    }
}

/// The switches of a cluster, in the order of their lines.
#[derive(Clone, Debug)]
pub struct Tree {
    switches: Vec<Switch>,
    /// Only rule 100 holds: `TopologyParam=TopoOptional`.
    pub is_optional: bool,
}

impl Tree {
    /// Makes switches of their lines (rule 99).
    pub fn new(lines: &[Line], is_optional: bool) -> Self {
        let mut known: Vec<Option<(usize, Nodes)>> = vec![None; lines.len()];
        while known.contains(&None) {
            for (at, line) in lines.iter().enumerate() {
                known[at] = match line {
                    Line::Nodes(nodes) => Some((0, *nodes)),
                    Line::Switches(own) => {
                        let all: Option<Vec<_>> = own.iter().map(|child| known[*child]).collect();
                        all.map(|all| {
                            let highest = all.iter().map(|(level, _)| *level).max();
                            let nodes = all.iter().fold(0, |nodes, (_, own)| nodes | own);
                            (1 + highest.unwrap_or(0), nodes)
                        })
                    }
                };
            }
        }
        let lists = |at: usize, child: usize| match &lines[at] {
            Line::Nodes(_) => false,
            Line::Switches(own) => own.contains(&child),
        };
        let all = 0..lines.len();
        let ways = |from: usize| {
            let mut ways = vec![None; lines.len()];
            ways[from] = Some(0);
            for length in 0..lines.len() as i64 {
                for at in all
                    .clone()
                    .filter(|at| ways[*at] == Some(length))
                    .collect::<Vec<_>>()
                {
                    for next in all.clone() {
                        if (lists(at, next) || lists(next, at)) && ways[next].is_none() {
                            ways[next] = Some(length + 1);
                        }
                    }
                }
            }
            ways
        };
        let switch = |(at, known): (usize, &Option<(usize, Nodes)>)| {
            let (level, nodes) = known.expect("a level for each switch");
            Switch {
                nodes,
                level,
                parent: all.clone().rfind(|above| lists(*above, at)).unwrap_or(0),
                ways: ways(at),
            }
        };
        Self {
            switches: known.iter().enumerate().map(switch).collect(),
            is_optional,
        }
    }

    /// Returns true if sets of the same weight are walked together (rule 100).
    pub const fn joins_sets(&self) -> bool {
        self.switches.len() > 1
    }

    /// Returns true if nodes of a set are those of one leaf.
    pub fn has_leaf_of(&self, nodes: Nodes) -> bool {
        let mut leaves = self.switches.iter().filter(|switch| switch.is_leaf());
        leaves.any(|leaf| nodes & !leaf.nodes == 0)
    }

    /// Chooses nodes with cores, and lowers their offers to what they give (rule 101).
    pub fn cores(&self, mut job: Taking, offers: &mut [i64], weights: &[i64]) -> Option<Nodes> {
        // Step 2.
        let with_offer = (0..offers.len()).filter(|node| offers[*node] > 0);
        let set = with_offer.fold(0, |set, node| set | 1 << node);
        let weight = |switch: &Switch| listed(switch.nodes & set).map(|node| weights[node]).min();
        let mut top: Option<&Switch> = None;
        for switch in &self.switches {
            let is_enough = switch.count(set) >= job.wanted.nodes;
            let replaces =
                |top: &Switch| switch.level >= top.level && weight(switch) <= weight(top);
            if is_enough && top.is_none_or(replaces) {
                top = Some(switch);
            }
        }
        let set = set & top?.nodes;
        // Step 3.
        let mut kinds: Vec<i64> = listed(set).map(|node| weights[node]).collect();
        kinds.sort_unstable();
        let up_to = |weight: i64| {
            let own = listed(set).filter(|node| weights[*node] <= weight);
            own.fold(0, |nodes, node| nodes | 1 << node)
        };
        let suffices = |weight: &i64| {
            let cpus: i64 = listed(up_to(*weight)).map(|node| offers[node]).sum();
            let nodes = i64::from(up_to(*weight).count_ones());
            cpus >= job.wanted.cpus && nodes >= job.wanted.nodes
        };
        let last = kinds.into_iter().find(suffices)?;
        let (best, lighter) = (up_to(last), up_to(last - 1));
        for node in listed(lighter) {
            if job.wanted.most > 0 {
                job.take(node, offers);
            } else {
                job.chosen |= 1 << node;
            }
        }
        if lighter != 0 {
            if job.wanted.is_full() {
                return Some(job.chosen);
            }
            if job.wanted.most <= 0 {
                return None;
            }
        }
        // Step 4.
        let used: Vec<bool> = self
            .switches
            .iter()
            .map(|switch| switch.nodes & job.chosen != 0)
            .collect();
        for (leaf, _) in self.switches.iter().zip(&used).filter(|(_, used)| **used) {
            if !leaf.is_leaf() {
                continue;
            }
            for node in listed(leaf.nodes & best & !job.chosen) {
                job.take(node, offers);
                if job.wanted.is_full() {
                    return Some(job.chosen);
                }
            }
        }
        // Step 5.
        let mut counts: Vec<i64> = self.switches.iter().map(|own| own.count(best)).collect();
        let mut distances: Vec<Option<i64>> = vec![Some(0); self.switches.len()];
        let add = |distances: &mut Vec<Option<i64>>, to: usize| {
            for (distance, switch) in distances.iter_mut().zip(&self.switches) {
                *distance = distance.zip(switch.ways[to]).map(|(sum, way)| sum + way);
            }
        };
        for to in (0..used.len()).filter(|to| used[*to]) {
            add(&mut distances, to);
        }
        loop {
            let nodes = job.wanted.nodes;
            let Some(leaf) = self.best_leaf(&used, &distances, &counts, nodes) else {
                break;
            };
            add(&mut distances, leaf);
            let before = job.chosen;
            for node in listed(self.switches[leaf].nodes & best & !before) {
                if job.wanted.most == 0 {
                    break;
                }
                job.take(node, offers);
                if job.wanted.is_full() {
                    return Some(job.chosen);
                }
            }
            counts[leaf] = 0;
            if job.chosen == before {
                break;
            }
        }
        (job.wanted.cpus <= 0 && job.needed <= 0).then_some(job.chosen)
    }

    /// Returns the next leaf of rule 101, step 5.
    fn best_leaf(
        &self,
        used: &[bool],
        distances: &[Option<i64>],
        counts: &[i64],
        wanted: i64,
    ) -> Option<usize> {
        let mut best: Option<(usize, i64)> = None;
        for leaf in 0..self.switches.len() {
            let is_left = self.switches[leaf].is_leaf() && !used[leaf] && counts[leaf] > 0;
            let Some(distance) = distances[leaf].filter(|_| is_left) else {
                continue;
            };
            let replaces = best.is_none_or(|(best, least)| {
                let order = self.compare(leaf, best, counts, wanted);
                distance < least && order.is_ge() || distance == least && order.is_gt()
            });
            if replaces {
                best = Some((leaf, distance));
            }
        }
        best.map(|(leaf, _)| leaf)
    }

    /// Compares two switches for a number of nodes. The greater one is the better one.
    fn compare(&self, one: usize, other: usize, counts: &[i64], wanted: i64) -> Ordering {
        let (mut one, mut other) = (one, other);
        for _ in 0..STEPS {
            let (own, others) = (counts[one], counts[other]);
            let (fits, other_fits) = (own >= wanted, others >= wanted);
            if fits && other_fits && own != others {
                return others.cmp(&own);
            }
            if fits != other_fits {
                return fits.cmp(&other_fits);
            }
            let (first, second) = (&self.switches[one], &self.switches[other]);
            let is_alone = first.parent == one && second.parent == other;
            if fits || first.parent == second.parent || is_alone {
                return own.cmp(&others).then(second.level.cmp(&first.level));
            }
            (one, other) = (first.parent, second.parent);
        }
        Ordering::Equal
    }

    /// Chooses whole nodes (rule 102). `offers` has the CPUs that each node of the set gives.
    pub fn whole(&self, mut wanted: Wanted, least: i64, offers: &[i64]) -> Option<Nodes> {
        // Step 1.
        let in_set = (0..offers.len()).filter(|node| offers[*node] > 0);
        let set = in_set.fold(0, |set, node| set | 1 << node);
        let cpus =
            |switch: &Switch| -> i64 { listed(switch.nodes & set).map(|node| offers[node]).sum() };
        let suffices = |switch: &&Switch| cpus(switch) >= wanted.cpus && switch.count(set) >= least;
        let able = self.switches.iter().filter(suffices);
        let top = able.min_by_key(|switch| (switch.level, switch.count(set)))?;
        // Step 2.
        let is_below = |leaf: &&Switch| leaf.is_leaf() && leaf.nodes & set & !top.nodes == 0;
        let leaves = self.switches.iter().filter(is_below);
        let mut leaves: Vec<&Switch> = leaves.filter(|leaf| leaf.count(set) > 0).collect();
        // Step 4. The first one of the fewest CPUs comes first.
        leaves.sort_by_key(|leaf| cpus(leaf));
        let mut chosen = 0;
        for leaf in leaves {
            for node in listed(leaf.nodes & set & !chosen) {
                if wanted.is_full() || wanted.most < 0 {
                    break;
                }
                wanted.take(offers[node]);
                chosen |= 1 << node;
            }
        }
        // Step 5.
        let is_success =
            wanted.most >= 0 && wanted.cpus <= 0 && i64::from(chosen.count_ones()) >= least;
        is_success.then_some(chosen)
    }
}
