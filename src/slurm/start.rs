//! The start of a job (`select_nodes`), and the split of arrays.

use super::choice::ChosenNodes;
use super::controller::Controller;
use super::nodeset::NodeSet;
use super::record::{JobState, NodeShare};
use super::text::words::INFINITE;

/// Seconds of a job without a time limit.
pub(super) const YEAR_SECONDS: i64 = 365 * 24 * 3600;

/// Returns the second at which a limit of so many minutes ends a job.
pub(super) const fn end_of(start: i64, limit: i64) -> i64 {
    start
        + if limit >= INFINITE {
            YEAR_SECONDS
        } else {
            limit * 60
        }
}

impl Controller {
    /// Starts a job on its nodes.
    pub(super) fn start(&mut self, record: usize, partition: usize, chosen: ChosenNodes, now: i64) {
        let part = &self.conf.partitions[partition];
        let (is_exclusive, is_forced) = (part.is_exclusive, part.is_forced);
        let shares = if self.conf.select.is_linear {
            self.whole_nodes(&chosen.nodes)
        } else {
            chosen.shares
        };
        let cores = if self.conf.select.is_linear {
            // A node is one unit.
            vec![1; shares.len()]
        } else {
            chosen.cores
        };
        let job = &mut self.records[record];
        let limit = match job.limit {
            Some(limit) if limit <= part.most_time => limit,
            _ => {
                job.is_limit_defaulted = true;
                part.default_time.unwrap_or(part.most_time)
            }
        };
        job.limit = Some(limit);
        self.split_array(record);
        let job = &mut self.records[record];
        job.start = now;
        job.end = end_of(now, limit);
        job.nodes = chosen.nodes;
        job.state = JobState::Running;
        job.partition = partition;
        (job.is_in_exclusive, job.is_in_forced) = (is_exclusive, is_forced);
        job.cpus = shares.iter().map(|share| share.cpus).sum();
        job.shares = shares;
        if self.gang.is_some() {
            job.cores = cores;
        }
        job.reason = super::reason::WaitReason::None;
        job.expected_end = Some(job.end);
        self.records[record].gres = self.take_gres(record);
        self.count_tres(record);
        self.unlist_pending(record);
        self.list_running(record);
        self.occupy(record, now);
        self.begin_use(record);
        self.join_gang(record, now);
    }

    /// Counts the TRES of a job that starts (`job_set_alloc_tres`).
    fn count_tres(&mut self, record: usize) {
        let job = &self.records[record];
        let memory = self.chosen_memory(record, &job.nodes, &job.shares);
        let tres = self.request(record, job.nodes.count(), Some((&job.nodes, memory)));
        let billable = self.billing(job.partition, &tres);
        let job = &mut self.records[record];
        job.tres = tres;
        job.billable = billable;
    }

    /// Starts a waiting job on these nodes, whatever else they run: the caller knows that it runs there.
    /// Each entry has the number of a node, and the CPUs of the job on it.
    pub fn adopt(&mut self, record: usize, on_nodes: &[(u32, i64)], now: i64) {
        let mut nodes = NodeSet::none(self.conf.node_count());
        let mut shares = Vec::new();
        let facts = std::sync::Arc::clone(&self.records[record].facts);
        for (node, cpus) in on_nodes {
            let line = self.conf.node(*node as usize);
            nodes.insert(*node as usize);
            shares.push(NodeShare {
                node: *node,
                cores: (cpus + line.core_cpus - 1) / line.core_cpus.max(1),
                cpus: *cpus,
                memory: match (facts.memory, facts.is_memory_per_cpu) {
                    _ if !self.conf.select.by_memory => 0,
                    (0, _) => line.memory,
                    (memory, true) => memory.saturating_mul(*cpus),
                    (memory, false) => memory,
                },
            });
        }
        let partition = self.records[record].partition;
        let chosen = ChosenNodes {
            nodes,
            start: now,
            cpus: None,
            cores: self.free_cores(&shares, facts.task_cpus),
            shares,
            victims: Vec::new(),
        };
        self.start(record, partition, chosen, now);
        self.free_elapsed(record);
    }

    fn whole_nodes(&self, nodes: &NodeSet) -> Vec<NodeShare> {
        let share = |node: usize| NodeShare {
            node: node as u32,
            cores: 0,
            cpus: self.conf.node(node).cpus,
            memory: 0,
        };
        nodes.iter().map(share).collect()
    }

    /// Splits the task that starts off its array (`job_array_post_sched`, `job_array_split`): the
    /// record becomes the task under a new id, and the rest goes on under the old one.
    fn split_array(&mut self, record: usize) {
        let job = &mut self.records[record];
        let Some(array) = &mut job.array else {
            return;
        };
        if array.tasks.len() <= 1 {
            array.tasks.clear();
            return;
        }
        let task = job.task;
        array.tasks.retain(|one| Some(*one) != task);
        let mut rest = job.clone();
        job.array = None;
        rest.start = 0;
        rest.task = None;
        rest.preempt.began = 0;
        if let Some(array) = &mut rest.array
            && array.tasks.len() <= 1
        {
            rest.task = array.tasks.pop_front();
        }
        let new = self.next_id(record);
        self.records[record].id = new;
        self.add_pending(rest);
    }
}
