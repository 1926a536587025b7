//! What every machine model says of itself.

use crate::machine::{Machine, Offer, Placements};
use crate::metrics::MetricSpec;
use crate::param::{Param, Settings};
use crate::problem::Problem;
use crate::schedule::MachineRecord;

/// A machine model's description and how to build it.
#[derive(Debug)]
pub struct MachineSpec {
    /// Stable id.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// One sentence on what it is.
    pub summary: &'static str,
    /// What it offers to policies.
    pub offer: Offer,
    /// Settings with which a few jobs of at most 12 processors fill it, where its size follows from
    /// them: for tests.
    pub small: &'static [(&'static str, f64)],
    /// Its parameters, beside the number of processors, which every machine has.
    pub params: &'static [Param],
    /// Metrics of its own, beside those that every run has.
    pub metrics: &'static [MetricSpec],
    /// How many processors it has, where its own parameters say so.
    pub capacity: fn(&Settings) -> Option<u32>,
    /// Rejects settings that contradict each other, or a policy that chooses the nodes of jobs
    /// itself, if there is one.
    pub check: fn(&Settings, chooses_nodes: bool) -> Result<(), Problem>,
    /// Returns the number of rows of its Ousterhout matrix: 1 where processors are dedicated.
    pub slots: fn(&Settings) -> u32,
    /// What only machines of this kind record of a run.
    pub record: fn(&Settings) -> Box<dyn MachineRecord>,
    /// Builds a machine of so many processors.
    pub build: fn(u32, &Settings, Placements) -> Machine,
}
