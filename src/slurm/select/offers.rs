//! Offers of the free cores of nodes to jobs of a kind. They hold until a job starts or ends.

use super::super::choice::NodeBounds;
use super::super::controller::Controller;
use super::super::core_use::{CoreUse, ReleasedUse, take_up};
use super::super::known::{KnownTable, OfferKind, OfferTable, note};
use super::super::nodeset::NodeSet;
use super::ask::CoreAsk;
use std::sync::Arc;

/// The most kinds of jobs whose offers are kept.
const MOST_KINDS: usize = 32;

/// With a released job for so many nodes, a new copy of the use of nodes is faster than adding the jobs again.
const NODES_FOR_COPY: usize = 8;

/// Returns the kind of a job.
#[cfg_attr(target_arch = "wasm32", inline(never))]
pub(super) fn kind_of(ask: &CoreAsk<'_>) -> OfferKind {
    let facts = ask.facts;
    OfferKind {
        partition: ask.partition,
        flags: [
            ask.is_whole,
            ask.is_marked_whole,
            facts.overcommits,
            facts.is_memory_per_cpu,
            facts.most_nodes == 1,
        ],
        node_cpus: facts.node_cpus,
        node_tasks: facts.node_tasks,
        task_cpus: facts.task_cpus,
        tasks: if facts.most_nodes == 1 {
            facts.tasks
        } else {
            0
        },
        memory: facts.memory,
    }
}

impl Controller {
    /// Returns a copy of the use of nodes, without the first running jobs up to a number of them.
    pub(super) fn take_use(&self, ends: usize) -> ReleasedUse {
        let known = self.offers.copy.take();
        let is_old = known.as_ref().is_none_or(|(uses, _)| *uses != self.uses);
        let (_, mut use_of) = known.unwrap_or_default();
        if is_old {
            use_of.used.copy_from(&self.used);
            use_of.released.clear();
        }
        self.take_back(&mut use_of, ends);
        let gone = use_of.released.len();
        for (_, record) in &self.running[gone..ends] {
            use_of.release(&self.records[*record as usize], *record);
        }
        use_of
    }

    /// Keeps a copy in which the released jobs are the first running ones.
    pub(super) fn keep_use(&self, use_of: ReleasedUse) {
        let _ = self.offers.copy.replace(Some((self.uses, use_of)));
    }

    /// Adds the jobs to a copy that were taken away last, but for a number of them.
    pub(super) fn take_back(&self, use_of: &mut ReleasedUse, ends: usize) {
        if ends == 0 && use_of.released.len() > self.conf.node_count() / NODES_FOR_COPY {
            use_of.used.copy_from(&self.used);
            use_of.released.clear();
        }
        while use_of.released.len() > ends
            && let Some(record) = use_of.released.pop()
        {
            let job = &self.records[record as usize];
            take_up(&mut use_of.used, &self.conf, job);
        }
    }

    /// Returns what all nodes of a partition offer to a job without generic resources.
    pub(super) fn offer_table(&self, ask: &CoreAsk<'_>) -> Arc<OfferTable> {
        let kind = kind_of(ask);
        let known = &mut *self.offers.tables.borrow_mut();
        let at = known.iter().position(|one| one.kind.is_like(&kind));
        let at = at.unwrap_or_else(|| {
            let table = OfferTable {
                offers: vec![0; self.conf.node_count()],
                open: NodeSet::none(self.conf.node_count()),
            };
            let one = KnownTable {
                kind,
                table: Arc::new(table),
                changed: ask.part.nodes.clone(),
            };
            note(known, MOST_KINDS, one);
            known.len() - 1
        });
        let one = &mut known[at];
        if !one.changed.is_empty() {
            let none = NodeSet::none(self.conf.node_count());
            let changed = std::mem::replace(&mut one.changed, none);
            let table = Arc::make_mut(&mut one.table);
            for node in changed.and(&ask.part.nodes).iter() {
                let offer = self.free_offer(ask, node, &self.used).max(0);
                table.offers[node] = offer;
                if offer > 0 {
                    table.open.insert(node);
                } else {
                    table.open.remove(node);
                }
            }
        }
        Arc::clone(&one.table)
    }

    /// True if nodes count for a job only by what their free cores offer, and by its own bounds.
    pub(super) fn counts_offers(&self, ask: &CoreAsk<'_>) -> bool {
        !self.runs_all && ask.facts.gres.is_empty() && self.gang.is_none()
    }

    /// Returns what the free cores of the nodes offer now.
    pub(super) fn free_room(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
    ) -> FreeRoom {
        let table = self.offer_table(ask);
        let open = nodes.and(&table.open);
        let mut sum = self.sum_of(ask, bounds);
        open.iter().for_each(|node| sum.add(table.offers[node], 1));
        FreeRoom { table, open, sum }
    }

    /// Returns the sum of no offers, for a job.
    pub(super) fn sum_of(&self, ask: &CoreAsk<'_>, mut bounds: NodeBounds) -> OfferSum {
        let nodes = self.conf.node_count() as i64;
        if ask.facts.tasks > 0 {
            // `choose_nodes` lowers the bound to the tasks, or to the least number of nodes.
            bounds.most = bounds.most.min(ask.facts.tasks.max(bounds.least));
        }
        if self.conf.tree().is_some() {
            // A choice by switches may have more nodes than the job may get.
            bounds.most = nodes;
        }
        OfferSum {
            cpus: 0,
            count: 0,
            by_size: vec![0; usize::from(bounds.most < nodes)],
            least_cpus: ask.facts.least_cpus,
            least: bounds.least,
            most: bounds.most,
        }
    }

    /// Computes what some nodes offer anew.
    pub(super) fn renew_room(
        &self,
        ask: &CoreAsk<'_>,
        room: &mut FreeRoom,
        nodes: impl Iterator<Item = usize>,
        used: &CoreUse,
    ) {
        let table = Arc::make_mut(&mut room.table);
        for node in nodes {
            let offer = self.free_offer(ask, node, used).max(0);
            let before = if room.open.contains(node) {
                std::mem::replace(&mut table.offers[node], offer)
            } else {
                table.offers[node] = offer;
                0
            };
            room.sum.change(before, offer, 1);
            if offer > 0 {
                room.open.insert(node);
            } else {
                room.open.remove(node);
            }
        }
    }
}

/// Offers of the free cores of nodes, one by one and together.
pub(super) struct FreeRoom {
    pub table: Arc<OfferTable>,
    /// The nodes in question that offer something.
    pub open: NodeSet,
    pub sum: OfferSum,
}

/// The offers of nodes together. Without switches, no choice exceeds those of the nodes that offer most, as
/// many as the job may get.
pub(super) struct OfferSum {
    cpus: i64,
    count: i64,
    /// The numbers of nodes by their offers, if the job may not get all nodes.
    pub by_size: Vec<i64>,
    least_cpus: i64,
    least: i64,
    most: i64,
}

impl OfferSum {
    /// Notes that some nodes offer something else than before.
    pub fn change(&mut self, before: i64, offer: i64, nodes: i64) {
        self.add(before, -nodes);
        self.add(offer, nodes);
    }

    /// Adds the same offer of some nodes, or takes it off if their number is negative.
    pub fn add(&mut self, offer: i64, nodes: i64) {
        if offer <= 0 {
            return;
        }
        self.cpus += nodes * offer;
        self.count += nodes;
        if !self.by_size.is_empty() {
            self.add_size(offer as usize, nodes);
        }
    }

    #[inline(never)]
    fn add_size(&mut self, size: usize, nodes: i64) {
        if size >= self.by_size.len() {
            self.by_size.resize(size + 1, 0);
        }
        self.by_size[size] += nodes;
    }

    pub fn suffices(&self) -> bool {
        if self.cpus < self.least_cpus || self.count < self.least {
            return false;
        }
        if self.by_size.is_empty() {
            return true;
        }
        let (mut left, mut missing) = (self.most, self.least_cpus);
        for (size, nodes) in self.by_size.iter().enumerate().rev() {
            let taken = left.min(*nodes);
            left -= taken;
            missing = missing.saturating_sub(taken.saturating_mul(size as i64));
            if missing <= 0 {
                return true;
            }
            if left == 0 {
                return false;
            }
        }
        false
    }
}
