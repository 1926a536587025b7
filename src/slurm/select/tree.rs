//! The choice of nodes below as few switches as possible: `_eval_nodes_topo` of select/cons_tres and
//! `_job_test_topo` of select/linear.

use super::super::nodeset::NodeSet;
use super::super::switches::{NodeSwitch, SwitchTree};
use super::fit::is_enough;
use super::linear::LinearFit;
use super::ranking::CoreFit;

/// Steps from two leaves towards the root.
const MOST_STEPS: usize = 64;

/// The switches, and which of their nodes can be chosen.
struct SwitchFit<'a> {
    tree: &'a SwitchTree,
    nodes: Vec<NodeSet>,
    counts: Vec<i64>,
    leaves: Vec<usize>,
    /// True for a switch with a node that is chosen before the search for leaves.
    is_used: Vec<bool>,
}

/// Returns the nodes of a set. One loop for all is smaller than one at each place.
#[inline(never)]
fn listed(nodes: &NodeSet) -> Vec<usize> {
    nodes.iter().collect()
}

impl<'a> SwitchFit<'a> {
    fn new(tree: &'a SwitchTree, nodes: &NodeSet) -> Self {
        let sets: Vec<NodeSet> = tree
            .switches
            .iter()
            .map(|one| one.nodes.and(nodes))
            .collect();
        Self {
            tree,
            counts: sets.iter().map(NodeSet::count).collect(),
            leaves: (0..sets.len())
                .filter(|at| tree.switches[*at].level == 0)
                .collect(),
            is_used: vec![false; sets.len()],
            nodes: sets,
        }
    }

    fn switch(&self, at: usize) -> &NodeSwitch {
        &self.tree.switches[at]
    }

    /// Keeps these nodes of each switch.
    fn keep(&mut self, nodes: &NodeSet) {
        for (own, count) in self.nodes.iter_mut().zip(&mut self.counts) {
            own.keep(nodes);
            *count = own.count();
        }
    }

    fn use_those_of(&mut self, nodes: &NodeSet) {
        for (own, is_used) in self.nodes.iter().zip(&mut self.is_used) {
            *is_used |= own.meets(nodes);
        }
    }

    /// Compares two leaves for so many more nodes: the greater one is better (`_topo_compare_switches`).
    fn compare(&self, mut one: usize, mut other: usize, nodes: i64) -> std::cmp::Ordering {
        let fits = |at: usize| self.counts[at] >= nodes;
        // Slurm's search has no bound: the parent of a root is the first switch, whichever that is.
        for _ in 0..MOST_STEPS {
            match (fits(one), fits(other)) {
                (true, true) if self.counts[one] != self.counts[other] => {
                    return self.counts[other].cmp(&self.counts[one]);
                }
                (true, false) => return std::cmp::Ordering::Greater,
                (false, true) => return std::cmp::Ordering::Less,
                (true, true) => break,
                (false, false) => {}
            }
            let above = [one, other].map(|at| self.switch(at).parent);
            if above == [one, other] || above[0] == above[1] {
                break;
            }
            [one, other] = above;
        }
        let levels = [one, other].map(|at| self.switch(at).level);
        let counts = self.counts[one].cmp(&self.counts[other]);
        counts.then(levels[1].cmp(&levels[0]))
    }

    /// Returns the leaf to take nodes from next (`_topo_choose_best_switch`).
    fn next_leaf(&self, ways: &[Option<u32>], nodes: i64) -> Option<usize> {
        let mut best: Option<(usize, u32)> = None;
        for at in self.leaves.iter().copied() {
            let is_open = self.counts[at] > 0 && !self.is_used[at];
            let Some(way) = ways[at].filter(|_| is_open) else {
                continue;
            };
            let is_better = best.is_none_or(|(best, shortest)| {
                let order = self.compare(at, best, nodes);
                way < shortest && order.is_ge() || way == shortest && order.is_gt()
            });
            if is_better {
                best = Some((at, way));
            }
        }
        best.map(|(at, _)| at)
    }
}

impl CoreFit<'_> {
    /// Takes nodes below one switch, from as few leaves as possible (`_eval_nodes_topo`).
    pub(super) fn take_tree(&mut self, tree: &SwitchTree, nodes: &NodeSet) -> bool {
        let facts = self.ask.facts;
        if facts.required_count > self.most {
            return false;
        }
        let mut cpus = vec![0; self.offers.len()];
        for node in listed(&facts.required) {
            let offered = self.task_cpus(node);
            cpus[node] = self.cpus_to_use(node, offered);
            if cpus[node] == 0 {
                return false;
            }
            self.take(node, cpus[node]);
        }
        let mut fit = SwitchFit::new(tree, nodes);
        let Some(top) = self.top_switch(&fit, nodes) else {
            return false;
        };
        let below = fit.nodes[top].clone();
        if !facts.required.is_within(&below) {
            return false;
        }
        if facts.required_count > 0 {
            if self.is_full() {
                return true;
            }
            if self.most <= 0 {
                return false;
            }
            fit.use_those_of(&facts.required);
        }
        fit.keep(&below);
        // All nodes of lower weights, and those of the next weight from which the rest is chosen.
        let mut lighter = NodeSet::none(self.offers.len());
        let mut found = lighter.clone();
        let (mut all, mut count, mut is_sufficient) = (0, 0, false);
        for weight in self.weights(nodes) {
            lighter.add(&found);
            for node in self.of_weight(&below, weight) {
                if cpus[node] > 0 {
                    continue;
                }
                let offered = self.task_cpus(node);
                if offered > 0 {
                    found.insert(node);
                    cpus[node] = offered;
                    all += offered;
                    count += 1;
                }
            }
            if all >= self.left_cpus && is_enough(count, self.left_nodes, self.bounds) {
                is_sufficient = true;
                break;
            }
        }
        if !is_sufficient {
            return false;
        }
        let has_lighter = !lighter.is_empty();
        if has_lighter {
            for node in listed(&lighter) {
                if self.most <= 0 {
                    break;
                }
                let used = self.cpus_to_use(node, cpus[node]);
                self.take(node, used);
            }
            fit.use_those_of(&lighter);
            self.chosen.add(&lighter);
            if self.is_full() {
                return true;
            }
            if self.most <= 0 {
                return false;
            }
        }
        found.add(&self.chosen);
        fit.keep(&found);
        if facts.required_count > 0 || has_lighter {
            for at in fit.leaves.iter().copied() {
                // Slurm does not look at the largest number of nodes here.
                if fit.is_used[at] && self.take_from(&fit.nodes[at], &cpus, false) {
                    return true;
                }
            }
        }
        let mut ways = vec![Some(0); tree.switches.len()];
        for at in 0..tree.switches.len() {
            if fit.is_used[at] {
                tree.add_ways(at, &mut ways);
            }
        }
        let mut before = None;
        while before != Some(self.left_nodes) {
            before = Some(self.left_nodes);
            let Some(at) = fit.next_leaf(&ways, self.left_nodes) else {
                break;
            };
            tree.add_ways(at, &mut ways);
            if self.take_from(&fit.nodes[at], &cpus, true) {
                return true;
            }
            fit.counts[at] = 0;
        }
        self.is_done()
    }

    /// Returns the switch below which all nodes are chosen: the highest one above a required node; without
    /// such nodes the highest one with enough nodes and one of the least weight.
    fn top_switch(&self, fit: &SwitchFit<'_>, nodes: &NodeSet) -> Option<usize> {
        let facts = self.ask.facts;
        let mut top: Option<(usize, i64)> = None;
        for (at, set) in fit.nodes.iter().enumerate() {
            let level = fit.switch(at).level;
            if facts.required_count > 0 {
                let is_higher = top.is_none_or(|(top, _)| level > fit.switch(top).level);
                if is_higher && set.meets(&facts.required) {
                    top = Some((at, 0));
                }
                continue;
            }
            if !is_enough(fit.counts[at], self.left_nodes, self.bounds) {
                continue;
            }
            let Some(weight) = self.least_weight(&set.and(nodes)) else {
                continue;
            };
            let is_better =
                top.is_none_or(|(top, least)| level >= fit.switch(top).level && weight <= least);
            if is_better {
                top = Some((at, weight));
            }
        }
        top.map(|(at, _)| at)
    }

    /// Takes nodes of a set until the job has all that it needs, or as many as it may have. True if it has all
    /// that it needs.
    fn take_from(&mut self, nodes: &NodeSet, cpus: &[i64], is_bounded: bool) -> bool {
        for node in listed(nodes) {
            // A job that has more nodes than it may goes on in Slurm: the number is unsigned there.
            if is_bounded && self.most == 0 {
                break;
            }
            if self.chosen.contains(node) || cpus[node] == 0 {
                continue;
            }
            let used = self.cpus_to_use(node, cpus[node]);
            self.take(node, used);
            if self.is_full() {
                return true;
            }
        }
        false
    }
}

impl LinearFit<'_> {
    /// Takes nodes below the lowest switch that suffices, from the leaves with the fewest CPUs first
    /// (`_job_test_topo`). True if that suffices.
    pub(super) fn take_tree(&mut self, tree: &SwitchTree, required: &NodeSet) -> bool {
        let bounds = self.bounds;
        let mut fit = SwitchFit::new(tree, self.nodes);
        let has_required = !required.is_empty();
        if required.count() > bounds.most {
            return false;
        }
        for (set, count) in fit.nodes.iter().zip(&mut fit.counts) {
            if !required.is_within(set) {
                *count = 0;
            }
        }
        let sum = |set: &NodeSet| {
            listed(set)
                .into_iter()
                .map(|node| self.cpus[node])
                .sum::<i64>()
        };
        let mut cpus: Vec<i64> = fit.nodes.iter().map(sum).collect();
        let mut best: Option<usize> = None;
        for (at, cpus) in cpus.iter().enumerate() {
            if *cpus < self.left_cpus || fit.counts[at] < bounds.least {
                continue;
            }
            let rank = |at: usize| (fit.switch(at).level, fit.counts[at]);
            if best.is_none_or(|best| rank(at) < rank(best)) {
                best = Some(at);
            }
        }
        let is_reached = !has_required || fit.nodes.iter().any(|set| required.is_within(set));
        let Some(best) = best.filter(|_| is_reached) else {
            return false;
        };
        let top = fit.nodes[best].clone();
        for at in 0..cpus.len() {
            let is_leaf = fit.switch(at).level == 0;
            if !is_leaf || !fit.nodes[at].is_within(&top) {
                fit.counts[at] = 0;
            } else if has_required {
                fit.counts[at] = fit.nodes[at].count();
            }
        }
        if has_required {
            self.take_required(&mut fit, &mut cpus, required);
        }
        while self.is_allowed() && !self.is_full() {
            let mut best: Option<usize> = None;
            for at in (0..cpus.len()).filter(|at| fit.counts[*at] > 0) {
                let is_better = best.is_none_or(|best| {
                    !fit.is_used[best] && fit.is_used[at] || cpus[at] < cpus[best]
                });
                if is_better {
                    best = Some(at);
                }
            }
            let Some(best) = best else {
                break;
            };
            fit.is_used[best] |= self.take_leaf(&fit.nodes[best]);
            fit.counts[best] = 0;
        }
        self.is_allowed() && self.left_cpus <= 0 && self.chosen.count() >= bounds.least
    }

    /// Takes the required nodes, then others of their leaves.
    fn take_required(&mut self, fit: &mut SwitchFit<'_>, cpus: &mut [i64], required: &NodeSet) {
        for (at, cpus) in cpus.iter_mut().enumerate() {
            if !self.is_allowed() {
                break;
            }
            if fit.counts[at] == 0 {
                continue;
            }
            for node in listed(&fit.nodes[at].and(required)) {
                fit.nodes[at].remove(node);
                fit.counts[at] -= 1;
                *cpus -= self.cpus[node];
                if !self.chosen.contains(node) {
                    fit.is_used[at] = true;
                    self.take(node);
                }
            }
        }
        for at in 0..cpus.len() {
            if !self.is_allowed() || self.is_full() {
                break;
            }
            if fit.is_used[at] {
                self.take_leaf(&fit.nodes[at]);
                fit.counts[at] = 0;
            }
        }
    }

    /// Takes nodes until the job has all that it needs, or more than it may. True if any was taken.
    fn take_leaf(&mut self, nodes: &NodeSet) -> bool {
        let mut is_taken = false;
        for node in listed(&nodes.without(&self.chosen)) {
            is_taken = true;
            self.take(node);
            if !self.is_allowed() || self.is_full() {
                break;
            }
        }
        is_taken
    }

    /// True if the job does not have more nodes than it may.
    fn is_allowed(&self) -> bool {
        self.most >= 0
    }
}
