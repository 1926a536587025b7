//! The generic resources of a controller's nodes: free ones, those that a job takes, and the GPUs that count.

use super::controller::Controller;
use super::core_use::CoreUse;
use super::gres::{GresAsk, GresShare};
use super::nodeset::NodeSet;
use super::record::JobTerms;

impl Controller {
    /// Returns how many a node has of a resource that a job asks for, or, with the use, how many are free.
    pub(super) fn gres_on(&self, ask: &GresAsk, node: usize, used: Option<&CoreUse>) -> i64 {
        let all = &self.conf.node(node).gres;
        let of = |kind: &usize| {
            let count = all.get(*kind).copied().unwrap_or(0);
            let in_use = used.map_or(0, |used| used.gres.on(node)[*kind]);
            (count - in_use).max(0)
        };
        ask.kinds.iter().map(of).sum()
    }

    /// True if a node has, or, with the use, has free, what a job asks for.
    pub(super) fn has_gres(&self, facts: &JobTerms, node: usize, used: Option<&CoreUse>) -> bool {
        let mut asks = facts.gres.iter();
        asks.all(|ask| self.gres_on(ask, node, used) >= ask.count)
    }

    /// Returns the GPUs that a node has free for a job that asks for some (`avail_gpus`).
    pub(super) fn free_gpus(&self, facts: &JobTerms, node: usize, used: Option<&CoreUse>) -> i64 {
        let gpus = facts.gres.iter().filter(|ask| ask.is_gpu);
        gpus.map(|ask| self.gres_on(ask, node, used)).sum()
    }

    /// Gives a job that starts its generic resources: all of its nodes if it has whole ones
    /// (`_handle_exclusive_gres`), otherwise what it asks for, of the first kinds that are free.
    pub(super) fn take_gres(&self, record: usize) -> Vec<GresShare> {
        let job = &self.records[record];
        let mut taken = Vec::new();
        if self.conf.gres.len() == 0 {
            return taken;
        }
        for node in job.nodes.iter() {
            let mut take = |kind: usize, count: i64| {
                if count > 0 {
                    taken.push(GresShare {
                        node: node as u32,
                        kind: kind as u32,
                        count,
                    });
                }
            };
            let all = &self.conf.node(node).gres;
            if job.is_whole {
                all.iter()
                    .enumerate()
                    .for_each(|(kind, count)| take(kind, *count));
                continue;
            }
            let mut in_use = self.used.gres.on(node).to_vec();
            for ask in &job.facts.gres {
                let mut left = ask.count;
                for kind in &ask.kinds {
                    let count = all.get(*kind).copied().unwrap_or(0);
                    let count = (count - in_use[*kind]).clamp(0, left);
                    in_use[*kind] += count;
                    left -= count;
                    take(*kind, count);
                }
            }
        }
        taken
    }

    /// Returns the GPUs that count for a job on so many nodes, or on these ones.
    pub(super) fn gpus_of(&self, record: usize, nodes: i64, chosen: Option<&NodeSet>) -> i64 {
        if !self.conf.counts_gpus {
            return 0;
        }
        let job = &self.records[record];
        match chosen {
            Some(chosen) if job.is_whole => chosen
                .iter()
                .map(|node| self.conf.gres.gpus(&self.conf.node(node).gres))
                .sum(),
            _ => gpus_asked(&job.facts).saturating_mul(nodes),
        }
    }
}

/// Returns the GPUs that a job asks for on each node.
pub(super) fn gpus_asked(facts: &JobTerms) -> i64 {
    let gpus = facts.gres.iter().filter(|ask| ask.is_gpu);
    gpus.map(|ask| ask.count).sum()
}
