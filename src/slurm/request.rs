//! The TRES of a job, and the most nodes that limits allow it.

use super::accounts::{BILLING, COUNTED, CPU, GPU, LimitSet, MEMORY, NO_LIMIT, NODE, TresAmounts};
use super::choice::ChosenNodes;
use super::controller::Controller;
use super::nodeset::NodeSet;
use super::policy::scaled;
use super::reason::WaitReason;
use super::record::NodeShare;

impl Controller {
    /// Returns the most nodes that limits allow a job, and the reason for it
    /// (`acct_policy_get_max_nodes`).
    pub(super) fn most_limited_nodes(&self, record: usize, partition: usize) -> (i64, WaitReason) {
        let mut best = (NO_LIMIT, WaitReason::None);
        let Some(association) = self.records[record].facts.association else {
            return best;
        };
        if !self.conf.enforce.limits {
            return best;
        }
        let mut lower = |limit: i64, word: &'static str| {
            if limit < best.0 {
                best = (limit, WaitReason::Limit(word));
                return true;
            }
            false
        };
        let order = self.qos_order(record, partition);
        let first = |of: fn(&LimitSet) -> &TresAmounts| {
            let mut limits = order.into_iter().flatten().map(|qos| {
                let limits = self.accounts.qos_limits(qos);
                of(limits)[NODE]
            });
            limits.find(|limit| *limit != NO_LIMIT).unwrap_or(NO_LIMIT)
        };
        let group = first(|limits| &limits.group);
        let mut has_job_limit = lower(first(|limits| &limits.account), "MaxNodePerAccount");
        has_job_limit |= lower(first(|limits| &limits.job), "QOSMaxNodePerJobLimit");
        has_job_limit |= lower(first(|limits| &limits.user), "QOSMaxNodePerUserLimit");
        lower(group, "QOSGrpNodeLimit");
        let factor = self.limit_factor(order);
        for (level, at) in self.accounts.chain(Some(association)).enumerate() {
            let limits = &self.accounts.accounts.associations[at].limits;
            let of_group = scaled(&limits.group, factor)[NODE];
            let is_set = group == NO_LIMIT && lower(of_group, "AssocGrpNodeLimit");
            if level == 0 && !has_job_limit {
                lower(scaled(&limits.job, factor)[NODE], "AssocMaxNodePerJobLimit");
            }
            if is_set {
                break;
            }
        }
        best
    }

    /// Returns the TRES that a job would get on so many nodes of its partition, or gets on chosen nodes
    /// with their memory.
    pub(super) fn request(
        &self,
        record: usize,
        nodes: i64,
        chosen: Option<(&NodeSet, i64)>,
    ) -> TresAmounts {
        let job = &self.records[record];
        let facts = &job.facts;
        let cpus = if job.cpus > 0 {
            job.cpus
        } else {
            facts.least_cpus
        };
        let memory = chosen.map(|(_, memory)| memory);
        let memory = memory.unwrap_or_else(|| {
            let each = if facts.is_memory_per_cpu { cpus } else { nodes };
            facts.memory.saturating_mul(each)
        });
        let mut tres = [0; COUNTED];
        (tres[CPU], tres[MEMORY], tres[NODE]) = (cpus, memory, nodes);
        tres[GPU] = self.gpus_of(record, nodes, chosen.map(|(nodes, _)| nodes));
        tres[BILLING] = self.billing(job.partition, &tres) as i64;
        tres
    }

    /// Returns the memory that a job gets on chosen nodes.
    pub(super) fn chosen_memory(
        &self,
        record: usize,
        nodes: &NodeSet,
        shares: &[NodeShare],
    ) -> i64 {
        let facts = &self.records[record].facts;
        if !self.conf.select.by_memory {
            return 0;
        }
        if !self.conf.select.is_linear {
            return shares.iter().map(|share| share.memory).sum();
        }
        let of = |node: usize| match (facts.memory, facts.is_memory_per_cpu) {
            (0, _) => self.conf.node(node).memory,
            (memory, true) => memory.saturating_mul(self.conf.node(node).cpus),
            (memory, false) => memory,
        };
        nodes
            .iter()
            .fold(0, |sum: i64, node| sum.saturating_add(of(node)))
    }

    /// Returns the CPUs that a job gets on chosen nodes, if they are known.
    pub(super) fn chosen_cpus(&self, chosen: &ChosenNodes) -> Option<i64> {
        if self.conf.select.is_linear {
            let nodes = chosen.nodes.iter();
            return Some(nodes.map(|node| self.conf.node(node).cpus).sum());
        }
        if chosen.cpus.is_some() {
            return chosen.cpus;
        }
        let shares = &chosen.shares;
        (!shares.is_empty()).then(|| shares.iter().map(|share| share.cpus).sum())
    }

    /// Returns the billing units of TRES in a partition (`assoc_mgr_tres_weighted`).
    pub(super) fn billing(&self, partition: usize, tres: &TresAmounts) -> f64 {
        let Some(weights) = &self.conf.partitions[partition].billing_weights else {
            return tres[CPU] as f64;
        };
        let is_largest = self.conf.priority.is_largest_tres;
        let (mut largest, mut sum) = (0.0_f64, 0.0);
        for at in [CPU, MEMORY, NODE, GPU] {
            let value = tres[at] as f64 * weights[at];
            if is_largest {
                largest = largest.max(value);
            } else {
                sum += value;
            }
        }
        largest + sum
    }
}
