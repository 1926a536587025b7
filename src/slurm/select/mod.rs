//! The choice of nodes (`select_nodes`): which sets of nodes a job may use, and in which order the
//! plugin is asked about them.

mod cores;
mod deal;
mod fit;
mod linear;
mod ranking;

use super::choice::{AskMode, ChosenNodes, NodeBounds, StartOutcome};
use super::controller::Controller;
use super::nodeset::NodeSet;

/// Nodes of a job in a pass: those that it may use, and how it shares them.
struct NodePool<'a> {
    /// Sets of nodes and their weights, the lightest first.
    sets: Vec<(i64, NodeSet)>,
    bounds: NodeBounds,
    is_shared: bool,
    /// The nodes that are not closed in this pass.
    open: &'a NodeSet,
    now: i64,
}

impl Controller {
    /// Tries to start a job on nodes of `open` that are not `excluded`.
    pub(super) fn select_nodes(
        &mut self,
        record: usize,
        partition: usize,
        (open, excluded): (&NodeSet, Option<&NodeSet>),
        now: i64,
    ) -> StartOutcome {
        self.records[record].partition = partition;
        if self.records[record].priority == 0 {
            return StartOutcome::Held;
        }
        let sets = self.node_sets(record, partition, excluded);
        let mut required = self.records[record].facts.required.clone();
        sets.iter().for_each(|(_, set)| required.take_away(set));
        if sets.is_empty() || !required.is_empty() {
            return StartOutcome::Never;
        }
        let bounds = self.node_bounds(record, partition);
        if bounds.most < bounds.least {
            return StartOutcome::PartitionLimit;
        }
        let is_exclusive = self.conf.partitions[partition].is_exclusive;
        let is_linear = self.conf.select.is_linear;
        let job = &mut self.records[record];
        let next_task = job.array.as_ref().and_then(|array| array.tasks.front());
        let takes_task = next_task.copied();
        if takes_task.is_some() {
            job.task = takes_task;
        }
        if is_exclusive {
            job.is_whole = true;
        }
        let is_shared = !is_exclusive && !is_linear && !job.shares_nothing && !job.is_whole;
        job.shares_nothing |= !is_shared;
        let pool = NodePool {
            sets,
            bounds,
            is_shared,
            open,
            now,
        };
        match self.pick_nodes(record, &pool) {
            // The place of preemption: victims of the choice would be ended here, and the outcome be busy.
            Ok(chosen) => {
                self.start(record, partition, chosen, now);
                StartOutcome::Started
            }
            Err(outcome) => {
                if takes_task.is_some() {
                    self.records[record].task = None;
                }
                outcome
            }
        }
    }

    /// Returns the numbers of nodes that a job may get in a partition (`get_node_cnts`).
    pub(super) fn node_bounds(&self, record: usize, partition: usize) -> NodeBounds {
        const MOST_NODES: i64 = 500_000;
        let facts = &self.records[record].facts;
        let partition = &self.conf.partitions[partition];
        let least = facts.least_nodes.max(partition.least_nodes);
        let is_open = facts.most_nodes == 0;
        let most = if is_open {
            partition.most_nodes
        } else {
            facts.most_nodes.min(partition.most_nodes)
        }
        .min(MOST_NODES);
        NodeBounds {
            least,
            most,
            wanted: if is_open { least } else { most },
        }
    }

    /// Returns the nodes of a job by lines `NodeName`, the lightest first (`_build_node_list`).
    fn node_sets(
        &self,
        record: usize,
        partition: usize,
        excluded: Option<&NodeSet>,
    ) -> Vec<(i64, NodeSet)> {
        let facts = &self.records[record].facts;
        let mut usable = self.conf.partitions[partition]
            .nodes
            .without(&facts.excluded);
        if let Some(excluded) = excluded {
            usable.take_away(excluded);
        }
        if let Some(featured) = &facts.featured {
            usable.keep(featured);
        }
        let mut sets = Vec::new();
        for line in &self.conf.lines {
            if facts.node_cpus <= line.cpus && facts.memory <= line.memory {
                let set = usable.and(&line.nodes);
                if !set.is_empty() {
                    sets.push((line.weight, set));
                }
            }
        }
        crate::sorting::by(&mut sets, |(weight, _)| [(*weight).into(), 0]);
        sets
    }

    /// Drops the nodes that a job can never use (`job_req_node_filter`).
    pub(super) fn filter_nodes(&self, record: usize, nodes: &mut NodeSet) {
        let facts = &self.records[record].facts;
        for line in &self.conf.lines {
            let each = facts.memory.saturating_mul(facts.node_cpus);
            if facts.node_cpus > line.cpus
                || facts.memory > line.memory
                || facts.is_memory_per_cpu && each > line.memory
            {
                nodes.take_away(&line.nodes);
            }
        }
        if let Some(featured) = &facts.featured {
            nodes.keep(featured);
        }
    }

    /// Finds nodes for a start now (`_pick_best_nodes`).
    fn pick_nodes(
        &mut self,
        record: usize,
        pool: &NodePool<'_>,
    ) -> Result<ChosenNodes, StartOutcome> {
        let facts = std::sync::Arc::clone(&self.records[record].facts);
        let bounds = pool.bounds;
        let has_required = facts.required_count > 0;
        if has_required {
            if facts.required_count > bounds.most {
                return Err(StartOutcome::PartitionLimit);
            }
            if !facts.required.is_within(pool.open) {
                return Err(StartOutcome::NotAvailable);
            }
        }
        let mut closed = self.cleaning.clone();
        closed.add(if pool.is_shared {
            &self.unshared
        } else {
            &self.busy
        });
        let mut total = NodeSet::none(self.conf.node_count());
        let mut found = if has_required {
            facts.required.clone()
        } else {
            total.clone()
        };
        let mut is_busy = false;
        for (at, (weight, set)) in pool.sets.iter().enumerate() {
            let next = pool.sets.get(at + 1);
            total.add(set);
            let mut set = set.and(pool.open);
            is_busy |= set.meets(&closed);
            set.take_away(&closed);
            found.add(&set);
            // cons_tres tries all sets at once. Shared nodes of one weight belong together.
            let is_early = !self.conf.select.is_linear
                || pool.is_shared && next.is_some_and(|(other, _)| weight == other);
            if next.is_some() && is_early {
                continue;
            }
            let mut tested = found.without(&self.unshared);
            if !has_required {
                tested.keep(pool.open);
            }
            if tested.count() < bounds.least.max(bounds.wanted) && next.is_some() {
                continue;
            }
            let chosen = self.select(record, &tested, bounds, AskMode::Run, pool.now);
            if let Some(chosen) = chosen {
                if chosen.nodes.count() <= bounds.most {
                    return Ok(chosen);
                }
                break;
            }
        }
        let mut is_possible = false;
        let mut is_runnable = false;
        if total.count() >= bounds.least && facts.required.is_within(&total) {
            let test = |nodes: &NodeSet| {
                let chosen = self.select(record, nodes, bounds, AskMode::Test, pool.now);
                chosen.map(|chosen| chosen.nodes.count())
            };
            if found.count() >= bounds.least
                && let Some(count) = test(&total.and(pool.open))
            {
                is_possible = true;
                is_runnable = count <= bounds.most;
            }
            is_possible = is_possible || test(&total).is_some();
        }
        Err(match (is_possible, is_runnable || is_busy) {
            (false, _) => StartOutcome::Never,
            (true, false) => StartOutcome::NotAvailable,
            (true, true) => StartOutcome::Busy,
        })
    }

    /// Asks the plugin for nodes of a set (`select_p_job_test`).
    pub(super) fn select(
        &self,
        record: usize,
        nodes: &NodeSet,
        bounds: NodeBounds,
        mode: AskMode,
        now: i64,
    ) -> Option<ChosenNodes> {
        if self.conf.select.is_linear {
            self.select_linear(record, nodes, bounds, (mode, now))
        } else {
            self.select_cores(record, nodes, bounds, (mode, now))
        }
    }
}
