//! Watches which jobs start, when and where.

use crate::job::JobId;
use crate::machine::Placement;
use crate::sim::{Event, Observer};
use crate::time::Time;
use crate::workload::NodeRequests;

/// The starts of jobs.
pub struct Watch<'a> {
    /// The start of each job; [`Time::NEVER`] before it.
    pub starts: Vec<Time>,
    /// The nodes of each job, if the machine has nodes.
    pub nodes: Vec<Vec<u32>>,
    cluster: Option<&'a NodeRequests>,
}

impl<'a> Watch<'a> {
    /// Returns an observer of so many jobs. It keeps their nodes if it gets the cluster.
    pub fn new(jobs: usize, cluster: Option<&'a NodeRequests>) -> Self {
        Self {
            starts: vec![Time::NEVER; jobs],
            nodes: vec![Vec::new(); if cluster.is_some() { jobs } else { 0 }],
            cluster,
        }
    }

    fn keep_nodes(&mut self, job: JobId, placement: Placement<'_>) {
        let Some(nodes) = self.cluster else {
            return;
        };
        let mut own: Vec<u32> = placement
            .columns()
            .map(|core| nodes.cluster.node_of(core))
            .collect();
        own.dedup();
        self.nodes[job.index()] = own;
    }
}

impl Observer for Watch<'_> {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        if let Event::Started(job, placement, delay) = event
            // A job that is preempted may start again. The forecast is about its first start.
            && self.starts[job.index()] == Time::NEVER
        {
            self.starts[job.index()] = at + *delay;
            self.keep_nodes(*job, *placement);
        }
    }
}
