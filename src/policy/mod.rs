//! Policies: who starts when. A policy is one file with its [`Spec`] and one line in [`ALL`]; the
//! page's form, the terminal's help, its docs page and the conformance tests are drawn from the
//! spec.

mod bm;
mod conservative;
mod easy;
mod fcfs;
mod flex;
mod lomarc;
mod lookahead;
mod maui;
mod migration;
mod multiqueue;
mod pbas;
mod priority;
mod selective;
pub mod tools;
mod wbas;

use crate::job::{JobId, Request};
use crate::machine::Fit;
use crate::param::{Param, Settings, closest};
use crate::problem::Problem;
use crate::sim::Turn;
use crate::time::Span;

/// Decides which waiting jobs start.
pub trait Policy: Send {
    /// Asked once for each instant in which something happened.
    fn decide(&mut self, turn: &mut Turn<'_>);

    /// A copy with the same future.
    fn fork(&self) -> Box<dyn Policy>;

    /// What the policy believes of the run time of a job that arrives now.
    fn believe(&mut self, _job: JobId, request: &Request) -> Span {
        request.estimate
    }

    /// A job ended after running for `ran`.
    fn completed(&mut self, _job: JobId, _request: &Request, _ran: Span) {}

    /// A running job has outlived `believed`: a longer belief, or none if the policy has no better
    /// one.
    fn outlived(&mut self, _job: JobId, _request: &Request, _believed: Span) -> Option<Span> {
        None
    }
}

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
    pub fn runs_on(&self, machine: &crate::machine::MachineSpec) -> bool {
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

/// Every policy.
pub const ALL: &[&Spec] = &[
    &fcfs::SPEC,
    &easy::SPEC,
    &conservative::SPEC,
    &selective::SPEC,
    &maui::SPEC,
    &flex::SPEC,
    &lookahead::SPEC,
    &multiqueue::SPEC,
    &priority::SPEC,
    &migration::SPEC,
    &bm::SPEC,
    &pbas::SPEC,
    &wbas::SPEC,
    &lomarc::SPEC,
];

/// The policy named `id`.
///
/// # Errors
/// If there is none.
pub fn find(id: &str) -> Result<&'static Spec, Problem> {
    let ids: Vec<&str> = ALL.iter().map(|spec| spec.id).collect();
    ALL.iter()
        .copied()
        .find(|spec| spec.id == id)
        .ok_or_else(|| {
            Problem::new(
                format!(
                    "There is no policy `{}`.",
                    id.chars().take(60).collect::<String>()
                ),
                "A policy is named by its id.",
                format!("{}The policies are: {}.", closest(id, &ids), ids.join(", ")),
            )
        })
}
