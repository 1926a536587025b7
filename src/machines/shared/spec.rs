//! The description of a machine model.

use super::sight::Sight;
use crate::machine::{Machine, Offer, Placements};
use crate::metrics::MetricSpec;
use crate::param::{Param, Settings};
use crate::problem::Problem;
use crate::schedule::MachineRecord;
use crate::trace::Trace;
use crate::workload::Workload;
use serde_json::Value;

/// Description of a machine model, and the function that builds the machine.
#[derive(Debug)]
pub struct MachineSpec {
    /// Stable id of the machine model.
    pub id: &'static str,
    /// Name that users see.
    pub name: &'static str,
    /// Summary of the machine, in a sentence or two.
    pub summary: &'static str,
    /// True if the engine with which the page begins lacks the machine, and only describes it.
    pub only_whole: bool,
    /// Abilities of the machine that policies may need.
    pub offer: Offer,
    /// Settings for tests. If a machine's settings determine its number of processors, these make
    /// it so small that a few jobs of at most 12 processors fill it.
    pub small: &'static [(&'static str, f64)],
    /// Parameters besides the number of processors, which every machine has.
    pub params: &'static [Param],
    /// Metrics besides those that every run has.
    pub metrics: &'static [MetricSpec],
    /// Returns the number of processors if it follows from the machine's own parameters.
    pub capacity: fn(&Settings) -> Option<u32>,
    /// Rejects settings that contradict each other or do not go with the policy. `chooses_nodes` is
    /// true if the policy chooses the nodes of jobs itself.
    pub check: fn(&Settings, chooses_nodes: bool) -> Result<(), Problem>,
    /// Returns the number of rows of the Ousterhout matrix. It is 1 if processors are dedicated.
    pub slots: fn(&Settings) -> u32,
    /// Returns an empty record for what only machines of this kind record of a run.
    pub record: fn(&Settings) -> Box<dyn MachineRecord>,
    /// Answers a question of a picture that only machines of this kind have.
    pub show: fn(&Sight<'_>, question: Value) -> Result<Value, Problem>,
    /// Finds out what the jobs of a workload ask of the machine beside processors.
    pub prepare: fn(&mut Workload, &Trace, &Settings) -> Result<(), Problem>,
    /// Builds the machine on which this workload runs.
    pub build: fn(&Workload, &Settings, Placements) -> Machine,
}

/// Asks for nothing beside processors.
///
/// # Errors
/// Never.
#[expect(clippy::unnecessary_wraps, reason = "other machines can fail")]
pub const fn asks_no_more(_: &mut Workload, _: &Trace, _: &Settings) -> Result<(), Problem> {
    Ok(())
}
