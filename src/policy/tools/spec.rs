//! Descriptions of policies.

use crate::machine::{Fit, Offer};
use crate::param::{Param, Settings};
use crate::problem::Problem;
use crate::sim::Policy;
use std::fmt;

/// A function that builds a policy from settings.
pub type Build = dyn Fn(&Settings) -> Box<dyn Policy> + Send + Sync;

/// A function that checks settings before a run. It returns sentences on what the policy leaves out of
/// them.
pub type Check = dyn Fn(&Settings) -> Result<Vec<String>, Problem> + Send + Sync;

/// The description of a policy, and the function that builds the policy.
pub struct Spec {
    /// Id in `--policy easy`, links and plans. It never changes.
    pub id: &'static str,
    /// The name that the page and the docs show.
    pub name: &'static str,
    /// One sentence that says what the policy does.
    pub summary: &'static str,
    /// Publication that describes the policy.
    pub paper: &'static str,
    /// Requirement on the machine.
    pub needs: Needs,
    /// Parameters of the policy.
    pub params: &'static [Param],
    /// Checks what the parameters alone do not tell, before a run.
    pub check: &'static Check,
    /// Builds the policy from settings that have been checked against `params`.
    pub build: &'static Build,
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spec")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl Spec {
    /// True if the machine meets the requirement of the policy.
    pub fn runs_on(&self, machine: Offer) -> bool {
        match self.needs {
            Needs::Room => true,
            Needs::Rows => !matches!(machine.fit, Fit::Partition | Fit::Nodes),
            Needs::Times => matches!(machine.fit, Fit::Anywhere | Fit::Nodes),
            Needs::Nodes => machine.fit == Fit::Nodes,
            Needs::Counts => machine.fit == Fit::Anywhere,
            Needs::Moves => machine.moves,
            Needs::Sharing => machine.at_once,
            Needs::Record => machine.records,
        }
    }
}

/// The requirement of a policy on its machine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    /// No requirement: the policy only asks whether a job fits, and every machine can answer.
    Room,
    /// A job fits if enough processors are free in one row, whichever they are.
    Rows,
    /// The machine can tell what will be free when: processors in numbers, or nodes.
    Times,
    /// Jobs ask for nodes of a cluster.
    Nodes,
    /// A job fits if enough processors are free, whichever they are.
    Counts,
    /// The machine can move running jobs.
    Moves,
    /// Two jobs can get the same nodes and run on them at the same time.
    Sharing,
    /// A schedule that was recorded elsewhere can be shown on the machine.
    Record,
}
