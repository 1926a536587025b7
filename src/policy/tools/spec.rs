//! What every policy says of itself.

use crate::machine::{Fit, Offer};
use crate::param::{Param, Settings};
use crate::sim::Policy;

/// A policy's description and how to build it.
#[derive(Debug)]
pub struct Spec {
    /// Stable id, as in `--policy easy`, links and plans.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// One sentence on what it does.
    pub summary: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// What the machine must offer.
    pub needs: Needs,
    /// Its parameters.
    pub params: &'static [Param],
    /// Builds it. The settings were checked against `params`.
    pub build: fn(&Settings) -> Box<dyn Policy>,
}

impl Spec {
    /// Whether a machine offers what the policy needs.
    pub fn runs_on(&self, machine: Offer) -> bool {
        match self.needs {
            Needs::Room => true,
            Needs::Rows => machine.fit != Fit::Partition,
            Needs::Counts => machine.fit == Fit::Anywhere,
            Needs::Moves => machine.moves,
            Needs::Sharing => machine.at_once,
        }
    }
}

/// What a policy needs of a machine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Only to be told whether a job fits: any machine.
    Room,
    /// That a job fits if enough processors are free in one of its rows, whichever they are.
    Rows,
    /// That a job fits if enough processors are free, whichever they are.
    Counts,
    /// That running jobs can be moved.
    Moves,
    /// That jobs can be given nodes on which others run, and both run at the same time.
    Sharing,
}
