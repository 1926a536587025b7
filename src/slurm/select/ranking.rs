//! select/cons_tres: the order in which nodes are taken (`_eval_nodes` and its variants).

use super::super::choice::NodeBounds;
use super::super::controller::Controller;
use super::super::known::{CpuOffer, SumRun};
use super::super::nodeset::NodeSet;
use super::ask::CoreAsk;
use super::fit::{NodeRun, is_enough, order_of};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Runs of nodes for which a choice has room from the start: most have no more, and allocators are fast with a
/// kilobyte. On the page, the code for it would take 400 bytes of the program.
const MANY_RUNS: usize = if cfg!(target_arch = "wasm32") { 0 } else { 18 };

/// The state of a choice.
pub(super) struct CoreFit<'a> {
    pub ask: &'a CoreAsk<'a>,
    controller: &'a Controller,
    pub offers: &'a mut [CpuOffer],
    pub bounds: NodeBounds,
    pub chosen: NodeSet,
    pub left_cpus: i64,
    /// CPUs that the job may still take.
    most_cpus: i64,
    least_nodes: i64,
    pub left_nodes: i64,
    pub most: i64,
}

impl Controller {
    /// Chooses nodes by their offers. Returns `None` if they do not suffice.
    pub(super) fn rank(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        offers: &mut [CpuOffer],
    ) -> Option<NodeSet> {
        let facts = ask.facts;
        if nodes.count() < bounds.least || !facts.required.is_within(nodes) {
            return None;
        }
        if !facts.gres.is_empty() {
            nodes.iter().for_each(|node| offers[node].capped = None);
        }
        let mut fit = CoreFit {
            ask,
            controller: self,
            offers,
            bounds,
            chosen: NodeSet::none(self.conf.node_count()),
            left_cpus: facts.least_cpus,
            most_cpus: facts.least_cpus,
            least_nodes: bounds.least,
            left_nodes: bounds.least.max(bounds.wanted),
            most: bounds.most,
        };
        let select = &self.conf.select;
        let is_done = if ask.is_busy_first && !facts.is_contiguous {
            fit.take_busy(nodes)
        } else if select.is_least_loaded || ask.part.is_least_loaded {
            fit.take_greedily(nodes, true)
        } else if select.packs_serial && facts.least_cpus == 1 && bounds.wanted == 1 {
            fit.take_greedily(nodes, false)
        } else if let Some(tree) = self.conf.tree().filter(|_| !facts.is_contiguous) {
            fit.take_tree(tree, nodes)
        } else {
            fit.take_runs(nodes)
        };
        is_done.then_some(fit.chosen)
    }
}

impl Controller {
    /// Returns the weight of all nodes, if it is one.
    pub(super) fn only_weight(&self) -> Option<i64> {
        let mut weights = self.conf.lines.iter().map(|line| line.weight);
        let first = weights.next().filter(|_| self.near.is_empty())?;
        weights.all(|weight| weight == first).then_some(first)
    }

    /// Returns the weight of a node among nodes that are chosen from.
    pub(super) fn weight_of(&self, node: usize) -> i64 {
        let weight = self.conf.node(node).weight;
        match self.near.get(node) {
            Some(near) => weight.saturating_mul(256).saturating_add(near.get().into()),
            None => weight,
        }
    }
}

impl CoreFit<'_> {
    /// Returns the CPUs of a node if the tasks fit (`_select_cores`).
    pub(super) fn task_cpus(&mut self, node: usize) -> i64 {
        self.cpus_of_tasks(node, self.ask.least_tasks())
    }

    fn cpus_of_tasks(&mut self, node: usize, tasks: i64) -> i64 {
        let facts = self.ask.facts;
        let cpus = self.offers[node].cpus;
        if !facts.overcommits && cpus < tasks.saturating_mul(facts.task_cpus) {
            return 0;
        }
        if facts.gres.is_empty() || facts.overcommits {
            cpus
        } else {
            self.cpus_beside_gres(node, tasks)
        }
    }

    /// Returns the CPUs of a node for a job with generic resources: those of as many tasks as it can have
    /// there (`gres_select_filter_sock_core`).
    fn cpus_beside_gres(&mut self, node: usize, least: i64) -> i64 {
        let facts = self.ask.facts;
        let threads = self.controller.conf.node(node).core_cpus;
        let offer = &mut self.offers[node];
        let mut tasks = offer.cpus / facts.task_cpus;
        let is_one =
            facts.tasks == 1 || facts.tasks == facts.least_nodes && facts.tasks == facts.most_nodes;
        if facts.node_tasks > 0 || facts.most_nodes == 1 && facts.tasks > 0 {
            tasks = tasks.min(least);
        } else if facts.most_nodes != 1 && is_one {
            tasks = tasks.min(1);
        }
        tasks -= tasks % least;
        let all_cores = offer.free / threads;
        let cores_of = |tasks: i64| (tasks * facts.task_cpus + threads - 1) / threads;
        while tasks > least && cores_of(tasks) > all_cores {
            tasks -= 1;
        }
        let cores = cores_of(tasks).min(all_cores);
        let over = (offer.cpus - cores * threads).max(0);
        let cpus = offer.cpus - (over + threads - 1) / threads * threads;
        offer.capped = Some(cores * threads);
        cpus.min(tasks * facts.task_cpus)
    }

    /// Lowers the CPUs of a node so that each node to come gets a core (`_cpus_to_use`).
    pub(super) fn cpus_to_use(&mut self, node: usize, mut cpus: i64) -> i64 {
        if self.ask.is_whole {
            return cpus;
        }
        let line = self.controller.conf.node(node);
        let sockets = if self.controller.conf.select.by_socket {
            line.socket_cores
        } else {
            1
        };
        let kept = (self.least_nodes - 1).max(0) * line.core_cpus * sockets;
        let left = self.most_cpus - kept;
        let offer = &mut self.offers[node];
        if cpus > left {
            cpus = left.max(self.ask.facts.node_cpus);
            offer.cpus = cpus;
        }
        offer.kept = offer.cpus + offer.gpus;
        cpus
    }

    pub(super) fn take(&mut self, node: usize, cpus: i64) {
        self.chosen.insert(node);
        self.left_cpus -= cpus;
        self.most_cpus -= cpus;
        self.left_nodes -= 1;
        self.least_nodes -= 1;
        self.most -= 1;
    }

    pub(super) fn is_full(&self) -> bool {
        self.left_nodes <= 0 && self.left_cpus <= 0
    }

    /// True if the job can start although it wanted more nodes.
    pub(super) fn is_done(&self) -> bool {
        self.left_cpus <= 0 && self.least_nodes <= 0
    }

    /// Takes runs of consecutive nodes of one weight (`_eval_nodes`).
    fn take_runs(&mut self, nodes: &NodeSet) -> bool {
        let facts = self.ask.facts;
        if facts.required_count > 0 {
            if facts.required_count > self.most {
                return false;
            }
            for node in facts.required.iter() {
                if self.most <= 0 {
                    break;
                }
                let cpus = self.task_cpus(node);
                let cpus = self.cpus_to_use(node, cpus);
                if cpus == 0 {
                    return false;
                }
                self.take(node, cpus);
            }
            if self.is_full() {
                return true;
            }
            if self.most <= 0 {
                return false;
            }
        }
        let known = &self.controller.offers;
        let cpus = &mut *known.cpus.borrow_mut();
        cpus.resize(self.offers.len(), 0);
        let mut runs = self.runs(nodes, cpus);
        let mut largest = self.by_size(&runs);
        while self.most > 0 {
            let large = largest.as_mut().and_then(|runs| self.next_largest(runs));
            let best = large.or_else(|| self.best_run(&runs));
            let Some((at, suffices)) = best else {
                break;
            };
            if facts.is_contiguous && !suffices {
                break;
            }
            let run = &runs[at];
            if run.required.is_none() && self.left_nodes <= 1 {
                self.keep_best_fit(run, cpus);
            }
            for node in order_of(run) {
                if self.most == 0 || self.is_full() {
                    break;
                }
                let offered = cpus[node];
                if self.chosen.contains(node) || offered == 0 {
                    continue;
                }
                if run.required.is_none() && self.most == 1 && offered < self.left_cpus {
                    continue;
                }
                let used = self.cpus_to_use(node, offered);
                self.take(node, used);
            }
            if self.is_full() {
                return true;
            }
            runs[at].count = 0;
            runs[at].cpus = 0;
        }
        self.left_cpus <= 0 && is_enough(0, self.left_nodes, self.bounds)
    }

    /// Returns the runs of nodes, and notes the CPUs of each node in `cpus`.
    fn runs(&mut self, nodes: &NodeSet, cpus: &mut [i64]) -> Vec<NodeRun> {
        let facts = self.ask.facts;
        let mut runs: Vec<NodeRun> = Vec::with_capacity(MANY_RUNS);
        let only_weight = self.controller.only_weight();
        let (tasks, has_required) = (self.ask.least_tasks(), facts.required_count > 0);
        let is_plain = facts.gres.is_empty() && !facts.overcommits;
        let least = tasks.saturating_mul(facts.task_cpus);
        for node in nodes.iter() {
            let weight = only_weight.unwrap_or_else(|| self.controller.weight_of(node));
            let is_required = has_required && facts.required.contains(node);
            let gives = if is_required {
                1
            } else if is_plain {
                let cpus = self.offers[node].cpus;
                if cpus < least { 0 } else { cpus }
            } else {
                self.cpus_of_tasks(node, tasks)
            };
            if gives == 0 {
                continue;
            }
            let goes_on = runs.last().is_some_and(|run| {
                let is_like = run.count == 0 || run.weight == weight || facts.is_contiguous;
                run.last + 1 == node && is_like
            });
            if !goes_on {
                runs.push(NodeRun::at(node, weight));
            }
            let Some(run) = runs.last_mut() else {
                continue;
            };
            run.last = node;
            if run.count == 0 {
                run.first = node;
            }
            if is_required {
                run.required.get_or_insert(node);
                cpus[node] = 0;
                continue;
            }
            cpus[node] = gives;
            run.cpus += gives;
            run.count += 1;
            run.weight = weight;
        }
        if has_required {
            runs.retain(|run| run.count > 0);
        }
        runs
    }

    /// Returns the runs by their CPUs, if they differ in nothing else that counts as long as none suffices.
    fn by_size(&self, runs: &[NodeRun]) -> Option<BinaryHeap<SumRun>> {
        let weight = runs.first()?.weight;
        let is_plain = |run: &NodeRun| run.weight == weight && run.required.is_none();
        let is_any_count_enough = is_enough(1, self.left_nodes, self.bounds);
        if self.ask.facts.is_contiguous || !is_any_count_enough || !runs.iter().all(is_plain) {
            return None;
        }
        let sizes = runs.iter().enumerate();
        let sizes = sizes.map(|(at, run)| (run.cpus, Reverse(at), run.last));
        Some(BinaryHeap::from(sizes.collect::<Vec<_>>()))
    }

    /// Takes the largest run out, the first one of several, if it does not suffice: then none does.
    fn next_largest(&self, runs: &mut BinaryHeap<SumRun>) -> Option<(usize, bool)> {
        let (cpus, Reverse(at), _) = *runs.peek()?;
        if cpus >= self.left_cpus {
            return None;
        }
        runs.pop();
        Some((at, false))
    }

    /// Returns the best run, and whether it suffices.
    fn best_run(&self, runs: &[NodeRun]) -> Option<(usize, bool)> {
        let facts = self.ask.facts;
        let mut found: Option<(usize, bool)> = None;
        for (at, run) in runs.iter().enumerate() {
            let is_outside =
                facts.is_contiguous && facts.required_count > 0 && run.required.is_none();
            if run.count == 0 || is_outside {
                continue;
            }
            let suffices =
                run.cpus >= self.left_cpus && is_enough(run.count, self.left_nodes, self.bounds);
            let is_better = found.is_none_or(|(best, best_suffices)| {
                let best = &runs[best];
                let is_tighter = suffices && (!best_suffices || run.cpus < best.cpus)
                    || !suffices && run.cpus > best.cpus;
                best.required.is_none() && run.required.is_some()
                    || run.weight < best.weight
                    || run.weight == best.weight && is_tighter
                    || !best_suffices && facts.is_contiguous && suffices
            });
            if is_better {
                found = Some((at, suffices));
            }
        }
        found
    }

    /// Keeps only the node that alone suffices most tightly, if there is one.
    fn keep_best_fit(&self, run: &NodeRun, cpus: &mut [i64]) {
        let mut fit: Option<usize> = None;
        for node in order_of(run) {
            if self.chosen.contains(node) || cpus[node] < self.left_cpus {
                continue;
            }
            if fit.is_none_or(|fit| cpus[node] < cpus[fit]) {
                fit = Some(node);
                if cpus[node] == self.left_cpus {
                    break;
                }
            }
        }
        if let Some(fit) = fit {
            for node in order_of(run).filter(|node| *node != fit) {
                cpus[node] = 0;
            }
        }
    }

    /// Returns the different weights of nodes in rising order.
    pub(super) fn weights(&self, nodes: &NodeSet) -> Vec<i64> {
        let controller = self.controller;
        if !controller.near.is_empty() {
            let weights = nodes.iter().map(|node| controller.weight_of(node));
            return crate::sorting::set(weights).into_iter().collect();
        }
        let lines = controller.conf.lines.iter();
        let of_nodes = lines.filter(|line| line.nodes.meets(nodes));
        let weights = crate::sorting::set(of_nodes.map(|line| line.weight));
        weights.into_iter().collect()
    }

    /// Returns the least weight of nodes.
    pub(super) fn least_weight(&self, nodes: &NodeSet) -> Option<i64> {
        nodes
            .iter()
            .map(|node| self.controller.weight_of(node))
            .min()
    }

    pub(super) fn of_weight(&self, nodes: &NodeSet, weight: i64) -> Vec<usize> {
        let is_of = |node: &usize| self.controller.weight_of(*node) == weight;
        nodes.iter().filter(is_of).collect()
    }

    /// Takes nodes that are in use first (`_eval_nodes_busy`).
    fn take_busy(&mut self, nodes: &NodeSet) -> bool {
        if self.ask.facts.tasks > 0 {
            self.most = self.most.min(self.ask.facts.tasks);
        }
        let idle = self.controller.idle();
        for weight in self.weights(nodes) {
            let group = self.of_weight(nodes, weight);
            for wants_idle in [false, true] {
                for node in &group {
                    let is_out = self.chosen.contains(*node)
                        || idle.contains(*node) != wants_idle
                        || self.offers[*node].cpus == 0;
                    if is_out {
                        continue;
                    }
                    if self.most == 0 {
                        break;
                    }
                    let cpus = self.task_cpus(*node);
                    let cpus = self.cpus_to_use(*node, cpus);
                    if cpus == 0 {
                        continue;
                    }
                    self.take(*node, cpus);
                    if self.is_full() {
                        return true;
                    }
                }
            }
        }
        self.is_done()
    }

    /// Takes the node with the largest free share first (`_eval_nodes_lln`), or the last node
    /// (`_eval_nodes_serial`).
    fn take_greedily(&mut self, nodes: &NodeSet, is_least_loaded: bool) -> bool {
        let facts = self.ask.facts;
        if facts.tasks > 0 {
            self.most = self.most.min(facts.tasks);
        }
        for node in facts.required.iter() {
            let cpus = self.task_cpus(node);
            let cpus = self.cpus_to_use(node, cpus);
            if self.most <= 0 || cpus <= 0 {
                return false;
            }
            self.take(node, cpus);
        }
        if facts.required_count > 0 && self.is_full() {
            return true;
        }
        if self.most <= 0 {
            return false;
        }
        for weight in self.weights(&nodes.without(&self.chosen)) {
            let mut group = self.of_weight(nodes, weight);
            if !is_least_loaded {
                group.reverse();
            }
            let mut last_free = -1;
            while self.most > 0 {
                let Some((node, cpus)) = self.best_of(&group, is_least_loaded, last_free) else {
                    break;
                };
                last_free = self.offers[node].free;
                self.take(node, cpus);
                if self.is_full() {
                    return true;
                }
            }
        }
        self.is_done()
    }

    fn best_of(
        &mut self,
        group: &[usize],
        is_least_loaded: bool,
        last_free: i64,
    ) -> Option<(usize, i64)> {
        let mut best: Option<(usize, i64)> = None;
        for node in group {
            if self.chosen.contains(*node) {
                continue;
            }
            let cpus = self.task_cpus(*node);
            let cpus = self.cpus_to_use(*node, cpus);
            if cpus == 0 {
                continue;
            }
            let all = |node: usize| self.controller.conf.node(node).cpus;
            let is_better = best.is_none_or(|(best, _)| {
                self.offers[best].free * all(*node) < self.offers[*node].free * all(best)
            });
            if is_better {
                best = Some((*node, cpus));
                if !is_least_loaded || self.offers[*node].free == last_free {
                    break;
                }
            }
        }
        best
    }
}
