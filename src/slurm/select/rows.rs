//! select/cons_tres with gang scheduling: cores that jobs of lower tiers hold are there for the job, if those that
//! nobody holds do not suffice (`_job_test`, steps 1 to 3).

use super::super::choice::{ChosenNodes, NodeBounds};
use super::super::controller::Controller;
use super::super::core_rows::CoreRows;
use super::super::core_use::CoreUse;
use super::super::nodeset::NodeSet;
use super::super::record::NodeShare;
use super::super::text::modes::PreemptMode;
use super::ask::CoreAsk;

impl Controller {
    /// Chooses nodes and cores of a set, with a given use.
    pub(super) fn fit_rows(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        (used, rows): (&CoreUse, &CoreRows),
    ) -> Option<ChosenNodes> {
        let with = |held: &[u64]| {
            crate::pulse::beat(64);
            let view = used.with_cores(rows, held, &self.conf);
            let mut chosen = self.fit_free(ask, nodes, bounds, &view)?;
            chosen.cores = rows.choose((&chosen.shares, ask.facts.task_cpus), held, &self.conf);
            Some(chosen)
        };
        if let Some(chosen) = with(&rows.held(|_| true)) {
            return Some(chosen);
        }
        let tier = |partition: usize| self.conf.partitions[partition].tier;
        let own = tier(ask.partition);
        // Jobs of higher tiers, and of partitions that are not preempted, keep their cores.
        let is_barred = |partition: usize| {
            let mode = self.conf.partitions[partition].preempt_mode;
            tier(partition) > own || mode == Some(PreemptMode::Off)
        };
        with(&rows.held(is_barred))?;
        let is_kept = |partition: usize| is_barred(partition) || tier(partition) == own;
        let mut held = rows.held(is_kept);
        let mut chosen = with(&held)?;
        // Partitions of lower tiers keep theirs too, the higher ones first, as long as the job fits.
        let mut lower: Vec<usize> = (0..self.conf.partitions.len())
            .filter(|partition| tier(*partition) < own)
            .collect();
        crate::sorting::by(&mut lower, |one| [-i128::from(tier(*one)), 0]);
        for partition in lower {
            let more = rows.held(|one| one == partition);
            if more.iter().all(|word| *word == 0) {
                continue;
            }
            held.iter_mut()
                .zip(&more)
                .for_each(|(all, own)| *all |= own);
            match with(&held) {
                Some(better) => chosen = better,
                None => break,
            }
        }
        Some(chosen)
    }

    /// Returns cores of an adopted job that nobody holds; none without gang scheduling.
    pub(in super::super) fn free_cores(&self, shares: &[NodeShare], task_cpus: i64) -> Vec<u64> {
        let Some(rows) = &self.used.rows else {
            return Vec::new();
        };
        rows.choose((shares, task_cpus), &rows.held(|_| true), &self.conf)
    }
}
