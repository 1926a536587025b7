//! select/cons_tres: the choice for a job for which any nodes that offer enough CPUs in all are good, or any one
//! node. It is that of `CoreFit::take_runs`, made of the bare offers.

use super::super::controller::Controller;
use super::super::nodeset::NodeSet;
use super::super::switches::SwitchTree;
use super::ask::CoreAsk;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

impl Controller {
    /// Chooses among nodes that offer something, and whose offers suffice together. Lowers the offer of the last
    /// chosen one to what the job uses of it.
    pub(super) fn choose_by_sum(
        &self,
        ask: &CoreAsk<'_>,
        open: &NodeSet,
        offers: &mut [i64],
    ) -> NodeSet {
        let mut left = ask.facts.least_cpus;
        let mut chosen = NodeSet::none(self.conf.node_count());
        let mut runs = self.offers.runs.take();
        runs.clear();
        let mut most = 0;
        open.each_run(|first, after| {
            let cpus = offers[first..after].iter().sum();
            most = most.max(cpus);
            runs.push((cpus, Reverse(first), after));
        });
        // The largest run, the first one of several, as long as none suffices.
        if most < left {
            let mut by_size = BinaryHeap::from(runs);
            while let Some((cpus, _, _)) = by_size.peek()
                && *cpus < left
                && let Some((cpus, Reverse(first), after)) = by_size.pop()
            {
                (first..after).for_each(|node| chosen.insert(node));
                left -= cpus;
            }
            runs = by_size.into_vec();
        }
        // Then the smallest one that suffices.
        let suffices = runs.iter().filter(|(cpus, ..)| *cpus >= left);
        if let Some((_, Reverse(first), after)) =
            suffices.min_by_key(|(cpus, Reverse(first), _)| (*cpus, *first))
        {
            // The job gets the node of it that alone suffices most tightly, or nodes from the first one on.
            let alone = (*first..*after).filter(|node| offers[*node] >= left);
            let nodes = match alone.min_by_key(|node| offers[*node]) {
                Some(node) => node..node + 1,
                None => *first..*after,
            };
            for node in nodes {
                if left <= 0 {
                    break;
                }
                if offers[node] > left && !ask.is_whole {
                    offers[node] = left.max(ask.facts.node_cpus);
                }
                left -= offers[node];
                chosen.insert(node);
            }
        }
        let _ = self.offers.runs.replace(runs);
        chosen
    }

    /// Chooses the node for a job that gets one and may have any that offers enough. The lightest nodes count, and
    /// the smallest run of these: the job gets the node of it that suffices most tightly. Lowers the offer of the
    /// node to what the job uses.
    pub(super) fn choose_one(
        &self,
        ask: &CoreAsk<'_>,
        open: &NodeSet,
        offers: &mut [i64],
    ) -> Option<NodeSet> {
        let facts = ask.facts;
        let (least, left) = (ask.least_task_cpus(), facts.least_cpus);
        let only_weight = self.only_weight();
        let mut best = Run::default();
        let mut run = Run::default();
        for node in open.iter() {
            let cpus = offers[node];
            if cpus < least {
                continue;
            }
            let weight = only_weight.unwrap_or_else(|| self.weight_of(node));
            if run.after != node || run.weight != weight {
                best = best.or(run);
                run = Run {
                    weight,
                    ..Run::default()
                };
            }
            run.after = node + 1;
            run.cpus += cpus;
            if cpus >= left && run.fit.is_none_or(|fit| cpus < offers[fit]) {
                run.fit = Some(node);
            }
        }
        Some(self.only(ask, best.or(run).fit?, offers))
    }

    /// Chooses the node for a job that gets one below one root of all switches, and may have any that offers enough.
    /// The lightest nodes count, and the leaf with the fewest of these: the job gets the first one below it. Lowers
    /// the offer of the node to what the job uses. It is the choice of `CoreFit::take_tree`.
    pub(super) fn choose_below(
        &self,
        ask: &CoreAsk<'_>,
        tree: &SwitchTree,
        open: &NodeSet,
        offers: &mut [i64],
    ) -> Option<NodeSet> {
        let least = ask.least_task_cpus();
        let enough = || open.iter().filter(|node| offers[*node] >= least);
        let lightest = enough().map(|node| self.weight_of(node)).min()?;
        let mut light = NodeSet::none(self.conf.node_count());
        enough()
            .filter(|node| self.weight_of(*node) == lightest)
            .for_each(|node| light.insert(node));
        let leaves = tree.switches.iter().filter(|one| one.level == 0);
        let leaves = leaves.map(|leaf| (leaf.nodes.count_in(&light), &leaf.nodes));
        let (_, leaf) = leaves
            .filter(|(count, _)| *count > 0)
            .min_by_key(|leaf| leaf.0)?;
        let node = light.and(leaf).iter().next()?;
        Some(self.only(ask, node, offers))
    }

    /// Returns the only node of a job.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn only(&self, ask: &CoreAsk<'_>, node: usize, offers: &mut [i64]) -> NodeSet {
        let left = ask.facts.least_cpus;
        if offers[node] > left && !ask.is_whole {
            offers[node] = left.max(ask.facts.node_cpus);
        }
        let mut chosen = NodeSet::none(self.conf.node_count());
        chosen.insert(node);
        chosen
    }
}

/// A run of consecutive nodes of one weight.
#[derive(Copy, Clone, Default)]
struct Run {
    weight: i64,
    cpus: i64,
    /// The node after the last one.
    after: usize,
    /// The node that alone suffices most tightly.
    fit: Option<usize>,
}

impl Run {
    /// Returns the run, or a later one if that is better.
    fn or(self, other: Self) -> Self {
        let is_better = self.fit.is_none() || (other.weight, other.cpus) < (self.weight, self.cpus);
        if other.fit.is_some() && is_better {
            other
        } else {
            self
        }
    }
}
