//! The request of a job to Slurm, and the tasks that it has on the nodes that it gets.

use crate::cluster::{CORES, Cluster, GPUS, MEMORY, NodeRequest, NodeUse};
use crate::job::JobId;
use crate::sim::Turn;
use crate::slurm::{AskedJob, MemoryAsked, NodeShare, NodesAsked};
use crate::time::Span;
use std::sync::Arc;

/// The name of the partition of a cluster that has none.
pub const ALL_NODES: &str = "all";

/// Turns requests for nodes into the words of sbatch, and nodes of Slurm into those of the machine.
#[derive(Clone)]
pub struct JobAsker {
    pub cluster: Arc<Cluster>,
    /// The machine's number of each node of Slurm, which has an order of its own.
    pub node_of: Arc<[u32]>,
}

impl JobAsker {
    /// Returns the job as its user asks for it.
    pub fn asked(&self, turn: &Turn<'_>, job: JobId) -> AskedJob {
        let request = turn.request(job);
        let [user, account, qos] = turn.account_words(job);
        let needs = node_request(turn, job);
        let tasks = needs.tasks;
        AskedJob {
            number: job.index() as u64,
            // Slurm knows the bounds of its partitions.
            nodes: needs
                .asked_nodes
                .map(|[least, most]| NodesAsked { least, most }),
            ntasks: Some(tasks),
            cpus_per_task: Some(needs.per_task[CORES]).filter(|cores| *cores > 1),
            ntasks_per_node: Some(needs.most_tasks).filter(|most| *most < tasks),
            minutes: Some(minutes(request.estimate)),
            partitions: self.partitions(needs.partitions),
            memory: match (needs.per_node[MEMORY], needs.per_task[MEMORY]) {
                (0, 0) => MemoryAsked::Unset,
                (0, each) => {
                    MemoryAsked::PerCpu(each.div_ceil(needs.per_task[CORES].max(1)).into())
                }
                (node, _) => MemoryAsked::PerNode(node.into()),
            },
            exclusive: needs.is_whole,
            licences: self.licences(&needs),
            features: self.features(needs.features),
            gres: self.resources(&needs),
            user,
            account,
            qos,
            admitted: needs.admitted,
            reservation: self.reservation(&needs),
            ..AskedJob::default()
        }
    }

    /// Returns the tasks of a job on each of its nodes: one on each, and then as many as its CPUs there
    /// can run, node by node.
    pub fn tasks_on(&self, turn: &Turn<'_>, job: JobId, shares: &[NodeShare]) -> Vec<NodeUse> {
        let needs = node_request(turn, job);
        let each = i64::from(needs.per_task[CORES].max(1));
        let mut left = needs.tasks.saturating_sub(shares.len() as u32);
        let of_share = |share: &NodeShare| {
            let most = u32::try_from(share.cpus / each).unwrap_or(u32::MAX);
            let more = most.min(needs.most_tasks).saturating_sub(1).min(left);
            left -= more;
            NodeUse {
                node: self.node_of[share.node as usize],
                tasks: 1 + more,
            }
        };
        let mut uses: Vec<NodeUse> = shares.iter().map(of_share).collect();
        crate::sorting::by(&mut uses, |one| [one.node.into(), 0]);
        uses
    }

    fn partitions(&self, bits: u64) -> Vec<String> {
        let all = self.cluster.partitions.iter().enumerate();
        let chosen = all.filter(|(at, _)| bits >> at & 1 == 1);
        let names: Vec<String> = chosen.map(|(_, one)| one.name.clone()).collect();
        if names.is_empty() {
            vec![ALL_NODES.into()]
        } else {
            names
        }
    }

    fn reservation(&self, needs: &NodeRequest) -> String {
        let asked = needs.reservation.map(usize::from);
        let asked = asked.and_then(|at| self.cluster.advance.get(at));
        asked.map_or_else(String::new, |one| one.name.clone())
    }

    fn features(&self, bits: u64) -> String {
        let all = self.cluster.features.iter().enumerate();
        let chosen = all.filter(|(at, _)| bits >> at & 1 == 1);
        let names: Vec<&str> = chosen.map(|(_, name)| name.as_str()).collect();
        names.join("&")
    }

    /// Returns what the job asks for on each node beside cores and memory.
    fn resources(&self, needs: &NodeRequest) -> String {
        let all = self.cluster.resources.iter().zip(needs.per_node).skip(GPUS);
        let asked = all.filter(|(_, count)| *count > 0);
        let words: Vec<String> = asked
            .map(|(name, count)| format!("{name}:{count}"))
            .collect();
        words.join(",")
    }

    fn licences(&self, needs: &NodeRequest) -> Vec<(String, u32)> {
        let all = self.cluster.licences.iter().zip(needs.licences);
        let asked = all.filter(|(_, count)| *count > 0);
        asked
            .map(|((name, _), count)| (name.clone(), count))
            .collect()
    }
}

/// Returns the request of a job for nodes. Without one, it asks for cores.
pub fn node_request(turn: &Turn<'_>, job: JobId) -> NodeRequest {
    let of_job = turn.node_requests().and_then(|nodes| {
        let at = nodes.of.get(job.index())?;
        nodes.table.get(*at as usize)
    });
    of_job
        .cloned()
        .unwrap_or_else(|| NodeRequest::of_cores(turn.request(job).processors))
}

/// True if a request has a resource other than cores and memory for each task.
pub fn has_others(needs: &NodeRequest) -> bool {
    needs.per_task[GPUS..].iter().any(|amount| *amount > 0)
}

/// Returns the time limit in minutes, rounded up, and at least one.
fn minutes(estimate: Span) -> i64 {
    let minute = Span::from_seconds(60).microseconds();
    let whole = estimate.microseconds() / minute;
    let rest = estimate.microseconds() % minute;
    (whole + i64::from(rest > 0)).max(1)
}
