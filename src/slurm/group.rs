//! The use of an association, of a QOS, or of a user or an account in a QOS.

use super::accounts::{NODE, TresAmounts, TresWeights};
use super::nodeset::NodeSet;
use super::record::JobRecord;
use std::collections::BTreeMap;

/// The use of an association, of a QOS, or of a user or account in a QOS.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupUse {
    pub jobs: i64,
    pub submitted: i64,
    pub tres: TresAmounts,
    /// TRES times the seconds that running jobs may still use.
    pub run_seconds: TresAmounts,
    /// TRES times seconds used, and seconds used, both decayed.
    pub raw: TresWeights,
    pub wall: f64,
    /// The running jobs on each node.
    pub nodes: BTreeMap<u32, u32>,
}

impl GroupUse {
    /// Counts a job that starts.
    pub fn begin(&mut self, job: &JobRecord, run_seconds: &TresAmounts) {
        self.jobs += 1;
        for (at, amount) in job.tres.iter().enumerate() {
            self.tres[at] = self.tres[at].saturating_add(*amount);
            self.run_seconds[at] = self.run_seconds[at].saturating_add(run_seconds[at]);
        }
        for node in job.nodes.iter() {
            *self.nodes.entry(node as u32).or_insert(0) += 1;
        }
        // Nodes that several jobs share count once.
        self.tres[NODE] = self.nodes.len() as i64;
    }

    /// Takes a job off that ends.
    pub fn end(&mut self, job: &JobRecord) {
        self.jobs = (self.jobs - 1).max(0);
        for (at, amount) in job.tres.iter().enumerate() {
            self.tres[at] = self.tres[at].saturating_sub(*amount).max(0);
        }
        for node in job.nodes.iter() {
            if let Some(count) = self.nodes.get_mut(&(node as u32)) {
                *count -= 1;
                if *count == 0 {
                    self.nodes.remove(&(node as u32));
                }
            }
        }
        self.tres[NODE] = self.nodes.len() as i64;
    }

    /// Adds usage, and takes off what running jobs may still use.
    pub fn add_run_seconds(&mut self, delta: &TresAmounts, raw: &TresWeights) {
        for (at, raw) in raw.iter().enumerate() {
            self.raw[at] += raw;
            self.run_seconds[at] = self.run_seconds[at].saturating_sub(delta[at]).max(0);
        }
    }

    pub fn decay(&mut self, factor: f64) {
        self.raw.iter_mut().for_each(|raw| *raw *= factor);
        self.wall *= factor;
    }

    /// Returns the nodes of a set that the group does not use yet.
    pub fn new_nodes(&self, nodes: &NodeSet) -> i64 {
        let mut count = nodes.count();
        if count > 0 && !self.nodes.is_empty() {
            let known = nodes
                .iter()
                .filter(|at| self.nodes.contains_key(&(*at as u32)));
            count -= known.count() as i64;
        }
        count
    }
}
