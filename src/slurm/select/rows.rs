//! select/cons_tres with gang scheduling: cores that jobs of lower tiers hold are there for the job, if those that
//! nobody holds do not suffice (`_job_test`, steps 1 to 3). At last, jobs of one partition can hold the same cores
//! (step 4).

use super::super::choice::{ChosenNodes, NodeBounds};
use super::super::conf_preempt::PreemptRule;
use super::super::controller::Controller;
use super::super::core_rows::{CoreRows, join};
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
        let shared = self.shared_nodes(ask, rows);
        let own_cores = rows.held(|one| one == ask.partition);
        let with = |held: &[u64]| {
            crate::pulse::beat(64);
            let mut view = used.with_cores(rows, held, &self.conf);
            view.shared.clone_from(&shared);
            if let Some(counts) = view.by_partition.get_mut(&ask.partition) {
                // MaxCPUsPerNode counts the cores of the partition that are not free here, each once.
                let mut own = own_cores.clone();
                own.iter_mut()
                    .zip(held)
                    .for_each(|(own, held)| *own &= held);
                for (node, count) in counts.iter_mut().enumerate() {
                    *count = rows.count_in(&own, node);
                }
            }
            let mut chosen = self.fit_free(ask, nodes, bounds, &view)?;
            chosen.cores = rows.choose((&chosen.shares, ask.facts.task_cpus), held, &self.conf);
            Some(chosen)
        };
        if let Some(chosen) = with(&rows.held(|_| true)) {
            return Some(chosen);
        }
        let tier = |partition: usize| self.conf.partitions[partition].tier;
        let own = tier(ask.partition);
        // With preempt/partition_prio, jobs of higher tiers keep their cores, and so do those of partitions with
        // `PreemptMode=OFF`. Otherwise the job can get such cores, and is suspended at its start.
        let is_by_partition = self.conf.preempt.rule == PreemptRule::Partition;
        let is_barred = |partition: usize| {
            let mode = self.conf.partitions[partition].preempt_mode;
            is_by_partition && (tier(partition) > own || mode == Some(PreemptMode::Off))
        };
        with(&rows.held(is_barred))?;
        let is_kept = |partition: usize| is_barred(partition) || tier(partition) == own;
        let mut held = rows.held(is_kept);
        let Some(mut chosen) = with(&held) else {
            // Here jobs of other partitions of the tier keep their cores: nobody would suspend one for the other.
            let is_other = |one: usize| one != ask.partition && tier(one) == own;
            let others = rows.held(|one| is_barred(one) || is_other(one));
            let most = self.usable_rows(ask);
            let is_sorted = self.conf.preempt.rule != PreemptRule::Qos;
            let mut own = rows.each_row(ask.partition, most, is_sorted).into_iter();
            return own.find_map(|mut row| {
                join(&mut row, &others);
                with(&row)
            });
        };
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
            join(&mut held, &more);
            match with(&held) {
                Some(better) => chosen = better,
                None => break,
            }
        }
        Some(chosen)
    }

    /// Returns the number of rows of its partition that a job may try.
    fn usable_rows(&self, ask: &CoreAsk<'_>) -> usize {
        let rows = self.conf.rows_of(ask.partition);
        if self.conf.preempt.rule != PreemptRule::Qos {
            rows
        } else if !ask.part.is_forced {
            1
        } else {
            rows - usize::from(!ask.has_extra_row)
        }
    }

    /// Returns the nodes where another partition with several rows holds cores; `None` if that does not count.
    fn shared_nodes(&self, ask: &CoreAsk<'_>, rows: &CoreRows) -> Option<NodeSet> {
        if self.used.forced.is_empty() || ask.part.is_forced {
            return None;
        }
        let by_qos = self.conf.preempt.rule == PreemptRule::Qos;
        let spare = usize::from(by_qos && !ask.has_extra_row);
        let mut shared = NodeSet::none(self.conf.node_count());
        for node in 0..self.conf.node_count() {
            if rows.is_shared(node, ask.partition, spare) {
                shared.insert(node);
            }
        }
        Some(shared)
    }

    /// Returns cores of an adopted job that nobody holds; none without gang scheduling.
    pub(in super::super) fn free_cores(&self, shares: &[NodeShare], task_cpus: i64) -> Vec<u64> {
        let Some(rows) = &self.used.rows else {
            return Vec::new();
        };
        rows.choose((shares, task_cpus), &rows.held(|_| true), &self.conf)
    }
}

/// True if the jobs on a node and the job allow each other to hold the same cores, or none of them does
/// (`_verify_node_state`).
pub(super) fn is_node_open(ask: &CoreAsk<'_>, node: usize, used: &CoreUse) -> bool {
    let exclusive = used.exclusive[node];
    if exclusive > 0 || ask.part.is_exclusive {
        return exclusive == 0 && used.jobs[node] == 0;
    }
    let Some(forced) = used.forced.get(node) else {
        return true;
    };
    if ask.part.is_forced {
        return used.jobs[node] == *forced;
    }
    let shared = used.shared.as_ref();
    shared.is_none_or(|shared| !shared.contains(node))
}
