//! The use of nodes by running jobs, as select/cons_tres counts it.

use super::conf::SlurmConf;
use super::core_rows::CoreRows;
use super::gres::GresUse;
use super::nodeset::NodeSet;
use super::record::JobRecord;
use std::collections::BTreeMap;

/// The use of nodes by running jobs, as select/cons_tres counts it.
#[derive(Clone, Debug, Default)]
pub(super) struct CoreUse {
    pub cores: Vec<i64>,
    /// The nodes without a free core.
    pub full: NodeSet,
    pub memory: Vec<i64>,
    /// Running jobs, and those of exclusive partitions.
    pub jobs: Vec<u32>,
    pub exclusive: Vec<u32>,
    /// Running jobs of partitions with `OverSubscribe=FORCE`; empty if all partitions are such, or none shares cores.
    pub forced: Vec<u32>,
    pub gres: GresUse,
    /// Cores by partition, for the partitions with MaxCPUsPerNode.
    pub by_partition: BTreeMap<usize, Vec<i64>>,
    /// The single cores (gang scheduling only): jobs can hold the same ones, and the count has them once.
    pub rows: Option<CoreRows>,
    /// The nodes where another partition shares cores, as far as a question knows them.
    pub shared: Option<NodeSet>,
}

impl CoreUse {
    /// Makes the count a copy of another one, in its own memory: the lists are long, and new memory for them is slow.
    pub fn copy_from(&mut self, other: &Self) {
        let Self {
            cores,
            full,
            memory,
            jobs,
            exclusive,
            forced,
            gres,
            by_partition,
            rows,
            shared,
        } = other;
        self.cores.clone_from(cores);
        self.full.copy_from(full);
        self.memory.clone_from(memory);
        self.jobs.clone_from(jobs);
        self.exclusive.clone_from(exclusive);
        self.forced.clone_from(forced);
        self.gres.clone_from(gres);
        self.by_partition.clone_from(by_partition);
        self.rows.clone_from(rows);
        self.shared.clone_from(shared);
    }

    /// Returns the use of nodes if only these cores are in use.
    pub fn with_cores(&self, rows: &CoreRows, held: &[u64], conf: &SlurmConf) -> Self {
        let mut used = Self {
            cores: self.cores.clone(),
            full: self.full.clone(),
            memory: self.memory.clone(),
            jobs: self.jobs.clone(),
            exclusive: self.exclusive.clone(),
            forced: self.forced.clone(),
            gres: self.gres.clone(),
            by_partition: self.by_partition.clone(),
            rows: None,
            shared: self.shared.clone(),
        };
        for node in 0..conf.node_count() {
            used.cores[node] = rows.count_in(held, node);
            if used.cores[node] >= conf.node(node).cores {
                used.full.insert(node);
            } else {
                used.full.remove(node);
            }
        }
        used
    }
}

/// The use of nodes without some of the running jobs.
#[derive(Debug, Default)]
pub(super) struct ReleasedUse {
    pub used: CoreUse,
    /// These jobs, the last one at the end.
    pub released: Vec<u32>,
}

impl ReleasedUse {
    /// Takes a job away.
    pub fn release(&mut self, job: &JobRecord, record: u32) {
        release(&mut self.used, job);
        self.released.push(record);
    }
}

/// Adds the resources of a running job to a count.
pub(super) fn take_up(used: &mut CoreUse, conf: &SlurmConf, job: &JobRecord) {
    if let Some(rows) = &mut used.rows {
        rows.change(job, true);
    }
    for share in &job.shares {
        let node = share.node as usize;
        used.cores[node] = match &used.rows {
            Some(rows) => rows.count(node),
            None => used.cores[node] + share.cores,
        };
        if used.cores[node] >= conf.node(node).cores {
            used.full.insert(node);
        }
        used.memory[node] += share.memory;
        used.jobs[node] += 1;
        used.exclusive[node] += u32::from(job.is_in_exclusive);
        if let Some(forced) = used.forced.get_mut(node) {
            *forced += u32::from(job.is_in_forced);
        }
    }
    used.gres.count(&job.gres, 1);
    if let Some(cores) = used.by_partition.get_mut(&job.partition) {
        for share in &job.shares {
            cores[share.node as usize] += share.cores;
        }
    }
}

/// Takes the resources of a running job out of a count.
pub(super) fn release(used: &mut CoreUse, job: &JobRecord) {
    release_cores(used, job);
    for share in &job.shares {
        used.memory[share.node as usize] -= share.memory;
    }
    used.gres.count(&job.gres, -1);
}

/// Takes a running job and its cores out of a count, and leaves its memory and its generic resources.
pub(super) fn release_cores(used: &mut CoreUse, job: &JobRecord) {
    if let Some(rows) = &mut used.rows {
        rows.change(job, false);
    }
    for share in &job.shares {
        let node = share.node as usize;
        let before = used.cores[node];
        used.cores[node] = match &used.rows {
            Some(rows) => rows.count(node),
            None => before - share.cores,
        };
        if used.cores[node] < before {
            used.full.remove(node);
        }
        used.jobs[node] -= 1;
        used.exclusive[node] -= u32::from(job.is_in_exclusive);
        if let Some(forced) = used.forced.get_mut(node) {
            *forced -= u32::from(job.is_in_forced);
        }
    }
    if let Some(cores) = used.by_partition.get_mut(&job.partition) {
        for share in &job.shares {
            cores[share.node as usize] -= share.cores;
        }
    }
}
