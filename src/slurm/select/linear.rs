//! select/linear: whole nodes, if possible from the tightest run of consecutive ones.

use super::super::choice::{AskMode, ChosenNodes, NodeBounds};
use super::super::controller::Controller;
use super::super::nodeset::NodeSet;
use super::fit::{NodeRun, is_enough, order_of};
use crate::pulse::beat;

/// The state of a choice.
pub(super) struct LinearFit<'a> {
    /// Usable CPUs of each node of the set, by its number.
    pub cpus: Vec<i64>,
    pub chosen: NodeSet,
    runs: Vec<NodeRun>,
    pub left_cpus: i64,
    left_nodes: i64,
    pub most: i64,
    pub bounds: NodeBounds,
    pub nodes: &'a NodeSet,
}

/// The usable nodes that are free after some running jobs are taken away.
#[derive(Clone)]
struct FreeLeft<'a> {
    free: NodeSet,
    usable: &'a NodeSet,
    /// The jobs on each node, if there can be several (gang scheduling).
    jobs: Option<Vec<u32>>,
}

impl<'a> FreeLeft<'a> {
    fn of(controller: &Controller, usable: &'a NodeSet) -> Self {
        let mut free = usable.without(&controller.unshared);
        let jobs = controller
            .gang
            .as_ref()
            .map(|_| controller.used.jobs.clone());
        if let Some(jobs) = &jobs {
            // A suspended job still has its nodes.
            usable
                .iter()
                .filter(|node| jobs[*node] > 0)
                .for_each(|node| free.remove(node));
        }
        Self { free, usable, jobs }
    }

    /// Takes a job with these nodes away.
    fn remove(&mut self, nodes: &NodeSet) {
        let Some(jobs) = &mut self.jobs else {
            self.free.add_common(nodes, self.usable);
            return;
        };
        for node in nodes.iter() {
            jobs[node] = jobs[node].saturating_sub(1);
            if jobs[node] == 0 && self.usable.contains(node) {
                self.free.insert(node);
            }
        }
    }
}

impl Controller {
    pub(super) fn select_linear(
        &self,
        record: usize,
        nodes: &NodeSet,
        bounds: NodeBounds,
        (mode, now, candidates): (AskMode, i64, &[u32]),
    ) -> Option<ChosenNodes> {
        let mut nodes = nodes.clone();
        self.keep_gres(record, &mut nodes);
        if nodes.count() < bounds.least {
            return None;
        }
        let of = |nodes: NodeSet, start: i64| ChosenNodes {
            nodes,
            start,
            cpus: None,
            shares: Vec::new(),
            cores: Vec::new(),
            victims: Vec::new(),
        };
        let facts = &self.records[record].facts;
        let fit = |free: &NodeSet| {
            // No choice exceeds what all nodes have: if that does not suffice, there is none.
            let lines = self.conf.lines.iter();
            let cpus = lines.map(|line| free.count_in(&line.nodes) * line.cpus);
            if free.count() < bounds.least || cpus.sum::<i64>() < facts.least_cpus {
                return None;
            }
            self.fit_linear(record, free, bounds)
        };
        if mode == AskMode::Test {
            return fit(&nodes).map(|chosen| of(chosen, 0));
        }
        let usable = self.with_memory(record, &nodes);
        let mut left = FreeLeft::of(self, &usable);
        if let Some(chosen) = fit(&left.free) {
            return Some(of(chosen, now));
        }
        if mode == AskMode::Run {
            let (chosen, victims) = self.preempt_linear(&left, candidates, &fit)?;
            return Some(ChosenNodes {
                victims,
                ..of(chosen, now)
            });
        }
        for candidate in candidates {
            left.remove(&self.records[*candidate as usize].nodes);
        }
        if !candidates.is_empty()
            && let Some(chosen) = fit(&left.free)
        {
            return Some(of(chosen, now));
        }
        if mode != (AskMode::Will { is_now: false }) {
            return None;
        }
        let released = crate::sorting::set(candidates.iter().copied());
        for (end, other) in &self.running {
            beat(32);
            if released.contains(other) {
                continue;
            }
            let other = &self.records[*other as usize].nodes;
            if !other.meets(&usable) {
                continue;
            }
            left.remove(other);
            if let Some(chosen) = fit(&left.free) {
                return Some(of(chosen, if *end <= now { now + 1 } else { *end }));
            }
        }
        None
    }

    /// Takes candidates away until a job fits (`_run_now`): first in their order, then once more with the
    /// last one in front and the others by their usable nodes. Returns the nodes and the victims.
    fn preempt_linear(
        &self,
        left: &FreeLeft<'_>,
        candidates: &[u32],
        fit: &dyn Fn(&NodeSet) -> Option<NodeSet>,
    ) -> Option<(NodeSet, Vec<u32>)> {
        const LAST: i64 = 9999;
        // The candidates and their usable nodes.
        let mut order: Vec<(u32, i64)> = candidates.iter().map(|other| (*other, 0)).collect();
        let nodes_of = |other: u32| &self.records[other as usize].nodes;
        let mut is_second = order.len() == 1;
        let chosen = 'again: loop {
            let mut left = left.clone();
            for at in 0..order.len() {
                beat(64);
                let nodes = nodes_of(order[at].0);
                left.remove(nodes);
                order[at].1 = left.free.count_in(nodes);
                let Some(chosen) = fit(&left.free) else {
                    continue;
                };
                if is_second {
                    break 'again chosen;
                }
                is_second = true;
                order[at].1 = LAST;
                order[at + 1..].iter_mut().for_each(|other| other.1 = 0);
                crate::sorting::by(&mut order, |(_, usable)| [-i128::from(*usable), 0]);
                continue 'again;
            }
            return None;
        };
        let victims = order.into_iter();
        let victims =
            victims.filter(|(other, usable)| *usable != 0 && nodes_of(*other).meets(&chosen));
        let victims = victims.map(|(other, _)| other).collect();
        Some((chosen, victims))
    }

    /// Drops the nodes that do not have the generic resources. Nodes are whole, so none are in use on a free
    /// one.
    fn keep_gres(&self, record: usize, nodes: &mut NodeSet) {
        let facts = &self.records[record].facts;
        if facts.gres.is_empty() {
            return;
        }
        for node in nodes.clone().iter() {
            if !self.has_gres(facts, node, None) {
                nodes.remove(node);
            }
        }
    }

    /// Returns the nodes whose memory suffices.
    fn with_memory(&self, record: usize, nodes: &NodeSet) -> NodeSet {
        let facts = &self.records[record].facts;
        let mut usable = nodes.clone();
        if !self.conf.select.by_memory || facts.memory == 0 {
            return usable;
        }
        for line in &self.conf.lines {
            let need = if facts.is_memory_per_cpu {
                facts.memory.saturating_mul(line.cpus)
            } else {
                facts.memory
            };
            if need > line.memory {
                usable.take_away(&line.nodes);
            }
        }
        usable
    }

    /// Chooses nodes of a set (`_job_test`).
    fn fit_linear(&self, record: usize, nodes: &NodeSet, bounds: NodeBounds) -> Option<NodeSet> {
        let facts = &self.records[record].facts;
        if nodes.count() < bounds.least || !facts.required.is_within(nodes) {
            return None;
        }
        let mut fit = LinearFit {
            cpus: vec![0; self.conf.node_count()],
            chosen: NodeSet::none(self.conf.node_count()),
            runs: Vec::new(),
            left_cpus: facts.least_cpus,
            left_nodes: bounds.wanted.max(bounds.least),
            most: bounds.most,
            bounds,
            nodes,
        };
        let cpus_of = |node: usize| {
            let cpus = self.conf.node(node).cpus;
            match facts.node_tasks {
                0 => cpus,
                tasks => cpus.min(tasks * facts.task_cpus),
            }
        };
        if let Some(tree) = self.conf.tree() {
            nodes.iter().for_each(|node| fit.cpus[node] = cpus_of(node));
            return fit.take_tree(tree, &facts.required).then_some(fit.chosen);
        }
        let mut open: Option<NodeRun> = None;
        let (mut fewest, mut largest) = (i64::MAX, 0);
        for node in nodes.iter() {
            let cpus = cpus_of(node);
            (fewest, largest) = (fewest.min(cpus), largest.max(cpus));
            fit.cpus[node] = cpus;
            if open.as_ref().is_some_and(|run| run.last + 1 != node) {
                fit.runs.extend(open.take());
            }
            let run = open.get_or_insert_with(|| NodeRun::at(node, 0));
            run.last = node;
            if run.count == 0 {
                run.first = node;
            }
            if facts.required.contains(node) && fit.most > 0 {
                run.required.get_or_insert(node);
                fit.take(node);
            } else {
                run.cpus += cpus;
                run.count += 1;
            }
        }
        fit.runs.extend(open);
        let is_mixed = fewest < largest && fit.left_cpus > fewest.saturating_mul(fit.left_nodes);
        if is_mixed {
            fit.take_largest();
        } else if fit.take_runs(facts.is_contiguous, facts.required_count > 0) {
            return Some(fit.chosen);
        }
        fit.is_done().then_some(fit.chosen)
    }
}

impl LinearFit<'_> {
    pub(super) fn take(&mut self, node: usize) {
        self.chosen.insert(node);
        self.left_nodes -= 1;
        self.most -= 1;
        self.left_cpus -= self.cpus[node];
    }

    pub(super) fn is_full(&self) -> bool {
        self.left_nodes <= 0 && self.left_cpus <= 0
    }

    fn is_done(&self) -> bool {
        self.left_cpus <= 0 && is_enough(0, self.left_nodes, self.bounds)
    }

    /// Takes the node with the most CPUs, the last among equals, again and again.
    fn take_largest(&mut self) {
        let mut rest: Vec<(i64, usize)> = self
            .nodes
            .iter()
            .filter(|node| !self.chosen.contains(*node))
            .map(|node| (self.cpus[node], node))
            .collect();
        crate::sorting::by(&mut rest, |(cpus, node)| [(*cpus).into(), *node as i128]);
        while self.most > 0 && !self.is_full() {
            let Some((_, node)) = rest.pop() else {
                return;
            };
            self.take(node);
        }
    }

    /// Takes nodes of the best run again and again. True if that suffices.
    fn take_runs(&mut self, is_contiguous: bool, has_required: bool) -> bool {
        while self.most > 0 {
            let mut best: Option<(usize, bool)> = None;
            for (at, run) in self.runs.iter().enumerate() {
                let is_outside = is_contiguous && has_required && run.required.is_none();
                if run.count == 0 || is_outside {
                    continue;
                }
                let suffices = run.cpus >= self.left_cpus
                    && is_enough(run.count, self.left_nodes, self.bounds);
                let is_better = best.is_none_or(|(best, best_suffices)| {
                    let best = &self.runs[best];
                    best.required.is_none() && run.required.is_some()
                        || suffices && (!best_suffices || run.cpus < best.cpus)
                        || !suffices && run.cpus > best.cpus
                });
                if is_better {
                    best = Some((at, suffices));
                }
            }
            let Some((at, suffices)) = best else {
                return false;
            };
            if is_contiguous && !suffices {
                return false;
            }
            for node in order_of(&self.runs[at]) {
                if self.most <= 0 || self.is_full() {
                    break;
                }
                if !self.chosen.contains(node) {
                    self.take(node);
                }
            }
            if is_contiguous || self.is_full() {
                return true;
            }
            self.runs[at].count = 0;
            self.runs[at].cpus = 0;
        }
        false
    }
}
