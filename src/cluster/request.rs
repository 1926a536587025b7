//! The request of a job for nodes of a cluster.

use super::amounts::{Amounts, CORES, NOTHING};

/// The request of a job for nodes.
///
/// A job has tasks. Each of its nodes runs at least one task. A node that runs `n` tasks gives the
/// job `per_node + n x per_task` of each resource, or all that it has if the job asks for whole
/// nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeRequest {
    /// Number of tasks.
    pub tasks: u32,
    /// Resources of a task: at least one core.
    pub per_task: Amounts,
    /// Resources on each node beside those of tasks: no cores.
    pub per_node: Amounts,
    /// The least number of nodes.
    pub least_nodes: u32,
    /// The largest number of nodes.
    pub most_nodes: u32,
    /// The least and the largest number of nodes that the job itself asks for, whatever its partitions allow. The
    /// largest is 0 if it names none.
    pub asked_nodes: Option<[u32; 2]>,
    /// The largest number of tasks on a node.
    pub most_tasks: u32,
    /// True if the job gets whole nodes. It then fits only on nodes that no other job uses.
    pub is_whole: bool,
    /// The partitions whose nodes serve, as bits; all bits if any node serves.
    pub partitions: u64,
    /// The features that a node must have, by their numbers, as bits.
    pub features: u64,
    /// True if it asks for a feature that the cluster does not know, so that no node serves.
    pub has_no_node: bool,
    /// The advance reservations that admit the job, as bits.
    pub admitted: u64,
    /// The number of the advance reservation that it asks for by name.
    pub reservation: Option<u8>,
    /// True if it asks for a licence that the cluster does not have.
    pub lacks_licence: bool,
    /// The number of each licence.
    pub licences: Amounts,
    /// The highest tier of the job's partitions.
    pub tier: u32,
}

/// The tasks of a job on a node.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NodeUse {
    /// The node.
    pub node: u32,
    /// Number of tasks.
    pub tasks: u32,
}

impl NodeRequest {
    /// Returns a request for this number of cores, wherever they are.
    pub const fn of_cores(cores: u32) -> Self {
        let mut per_task = NOTHING;
        per_task[CORES] = 1;
        Self {
            tasks: cores,
            per_task,
            per_node: NOTHING,
            least_nodes: 1,
            most_nodes: u32::MAX,
            asked_nodes: None,
            most_tasks: u32::MAX,
            is_whole: false,
            partitions: u64::MAX,
            features: 0,
            has_no_node: false,
            admitted: 0,
            reservation: None,
            lacks_licence: false,
            licences: NOTHING,
            tier: 0,
        }
    }

    /// Returns what `tasks` tasks use of a node, unless the job gets whole nodes.
    pub fn used(&self, tasks: u32) -> Amounts {
        let mut used = self.per_node;
        for (used, each) in used.iter_mut().zip(self.per_task) {
            *used = used.saturating_add(each.saturating_mul(tasks));
        }
        used
    }

    /// Returns what a job holds of a node, of which `all` is the whole, and on which it has this number of
    /// cores.
    pub fn held(&self, all: &Amounts, cores: u32) -> Amounts {
        if self.is_whole {
            *all
        } else {
            self.used(self.tasks_of(cores))
        }
    }

    /// Returns the number of tasks that a node can run that has `free` left of `all`. It is at most
    /// `most_tasks` and at most the number of tasks of the job.
    pub fn tasks_on(&self, free: &Amounts, all: &Amounts) -> u32 {
        if self.is_whole && free != all {
            return 0;
        }
        let mut tasks = self.most_tasks.min(self.tasks);
        let needs = self.per_node.iter().zip(&self.per_task);
        for (free, (fixed, each)) in free.iter().zip(needs) {
            let Some(left) = free.checked_sub(*fixed) else {
                return 0;
            };
            tasks = tasks.min(left.checked_div(*each).unwrap_or(tasks));
        }
        tasks
    }

    /// Returns the number of such tasks for which `free` suffices, however many the job has.
    pub fn room(&self, free: &Amounts) -> u32 {
        let needs = self.per_node.iter().zip(&self.per_task);
        let each = free.iter().zip(needs).map(|(free, (fixed, each))| {
            let left = free.saturating_sub(*fixed);
            left.checked_div(*each).unwrap_or(u32::MAX)
        });
        each.min().unwrap_or(0)
    }

    /// Returns the number of tasks on a node that gives the job this number of cores. Whole nodes
    /// give more cores than tasks use, so that the result is then an upper bound.
    pub fn tasks_of(&self, cores: u32) -> u32 {
        cores / self.per_task[CORES].max(1)
    }

    /// Returns the number of cores that all tasks use together.
    pub fn cores(&self) -> u64 {
        u64::from(self.tasks) * u64::from(self.per_task[CORES])
    }

    /// Returns the same request for another number of cores, on the same number of nodes.
    pub fn resized(&self, cores: u32) -> Self {
        let tasks = cores.div_ceil(self.per_task[CORES].max(1));
        let nodes = self.most_nodes.min(tasks);
        Self {
            tasks,
            least_nodes: self.least_nodes.min(tasks),
            most_nodes: if self.most_nodes == u32::MAX {
                u32::MAX
            } else {
                nodes
            },
            most_tasks: if self.most_tasks == u32::MAX {
                u32::MAX
            } else {
                tasks.div_ceil(nodes.max(1))
            },
            ..self.clone()
        }
    }

    /// True if every node of the job runs the same number of tasks, which the request fixes.
    pub fn is_even(&self) -> bool {
        self.least_nodes == self.most_nodes
            && u64::from(self.most_nodes) * u64::from(self.most_tasks) == u64::from(self.tasks)
    }
}
