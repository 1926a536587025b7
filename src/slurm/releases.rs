//! Tests what ends of running jobs free by a second, which saves plans that would begin later anyhow.

use super::choice::NodeBounds;
use super::controller::Controller;
use super::known::{FreeNodes, KnownList};
use super::nodeset::NodeSet;
use crate::pulse::beat;

/// The answer to the question whether a job can start up to a second.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Sufficiency {
    Possible,
    /// It cannot.
    Later,
    /// It cannot, as the nodes together offer only so many CPUs.
    TooFewCpus(i64),
}

/// The most seconds that are kept.
const MOST_SECONDS: usize = 256;

impl Controller {
    /// Tests whether a choice among these nodes can plan a job up to a second: not if all that is free on them
    /// by then does not have its CPUs and nodes, wherever they are.
    pub(super) fn is_enough_by(
        &self,
        record: usize,
        nodes: &NodeSet,
        bounds: NodeBounds,
        (second, now): (i64, i64),
    ) -> Sufficiency {
        // With gang scheduling jobs take cores that are not free.
        if self.gang.is_some() {
            return Sufficiency::Possible;
        }
        // An overdue job ends at a time that depends on the present.
        let is_overdue = self.running.first().is_some_and(|(end, _)| *end <= now);
        if !is_overdue && let Some(found) = self.sum_suffices_by(record, nodes, bounds, second) {
            return found;
        }
        let job = &self.records[record];
        let facts = &job.facts;
        let select = &self.conf.select;
        let is_exclusive = self.conf.partitions[job.partition].is_exclusive;
        let is_whole = select.is_linear || job.is_whole || is_exclusive;
        // The fewest CPUs of a node that the job can use.
        let tasks = match facts.node_tasks {
            _ if select.is_linear => 0,
            0 if !facts.overcommits && facts.most_nodes == 1 => facts.tasks.max(1),
            0 => 1,
            tasks => tasks,
        };
        let least = facts.node_cpus.max(tasks * facts.task_cpus).max(1);
        let known = &mut *self.releases.0.borrow_mut();
        let known = known.renew(self.uses);
        if known.list.len() >= MOST_SECONDS {
            known.list.clear();
        }
        let free = self.free_by(known, second);
        let (mut cpus, mut count) = (facts.least_cpus, bounds.least);
        if cpus <= 0 && count <= 0 {
            return Sufficiency::Possible;
        }
        for node in nodes.iter() {
            let offer = i64::from(free[node]);
            if offer < least || is_whole && offer < narrow(self.all_cpus(node)).into() {
                continue;
            }
            cpus = cpus.saturating_sub(offer);
            count -= 1;
            if cpus <= 0 && count <= 0 {
                return Sufficiency::Possible;
            }
        }
        Sufficiency::Later
    }

    fn free_by<'a>(&self, known: &'a mut KnownList<FreeNodes>, second: i64) -> &'a [i32] {
        let KnownList { list, spare, .. } = known;
        let after = list.partition_point(|one| one.second <= second);
        let before = after.checked_sub(1);
        if let Some(before) = before.filter(|before| list[*before].second == second) {
            return &list[before].cpus;
        }
        let mut cpus = spare.pop().map(|one| one.cpus).unwrap_or_default();
        let mut ends = if let Some(before) = before {
            cpus.clone_from(&list[before].cpus);
            list[before].ends
        } else {
            self.write_free(&mut cpus);
            0
        };
        while let Some((end, record)) = self.running.get(ends)
            && *end <= second
        {
            beat(16);
            for share in &self.records[*record as usize].shares {
                let node = share.node as usize;
                cpus[node] = if self.conf.select.is_linear {
                    narrow(self.all_cpus(node))
                } else {
                    let more = share.cores.saturating_mul(self.conf.node(node).core_cpus);
                    cpus[node].saturating_add(narrow(more))
                };
            }
            ends += 1;
        }
        list.insert(after, FreeNodes { second, ends, cpus });
        &list[after].cpus
    }

    /// Writes the free CPUs of each node now. A node that is not shared has none under select/linear.
    fn write_free(&self, cpus: &mut Vec<i32>) {
        let free = |node: usize| {
            if self.conf.select.is_linear {
                let is_taken = self.unshared.contains(node);
                return if is_taken {
                    0
                } else {
                    narrow(self.all_cpus(node))
                };
            }
            narrow(self.all_cpus(node) - self.used.cores[node] * self.conf.node(node).core_cpus)
        };
        cpus.clear();
        cpus.extend((0..self.conf.node_count()).map(free));
    }

    /// Returns the CPUs of all cores of a node.
    fn all_cpus(&self, node: usize) -> i64 {
        let line = self.conf.node(node);
        if self.conf.select.is_linear {
            line.cpus
        } else {
            line.cores * line.core_cpus
        }
    }
}

fn narrow(cpus: i64) -> i32 {
    cpus.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}
