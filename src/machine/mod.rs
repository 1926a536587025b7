//! Machines: where jobs can be ([`Space`]) and how they progress ([`Execution`]). They know no policy and no event loop.
//!
//! A machine model is one file with its [`MachineSpec`] and one line in [`ALL`].

mod dedicated;
pub mod flat;

use crate::job::{JobId, Program};
use crate::param::{Param, Settings, closest};
use crate::problem::Problem;
use crate::time::Time;

pub use dedicated::Dedicated;

/// A run of consecutive processors: the first and how many.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Range {
    /// Lowest processor number.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl Range {
    /// One past the highest processor number.
    pub const fn end(self) -> u32 {
        self.first + self.count
    }
}

/// Where jobs can be: which processors are free and which a job gets.
///
/// Policies that only need counts ask [`Space::free`]; on machines with geometry [`Space::fits`] says more.
pub trait Space: Send {
    /// All processors.
    fn capacity(&self) -> u32;
    /// Processors that are free now.
    fn free(&self) -> u32;
    /// Whether a job of this size could start now.
    fn fits(&self, processors: u32) -> bool;
    /// Gives a job processors, appended to `placement` in rising order. The caller has asked `fits`.
    fn claim(&mut self, processors: u32, placement: &mut Vec<Range>);
    /// Takes back what `claim` gave. `processors` is the claim's.
    fn release(&mut self, processors: u32, placement: &[Range]);
    /// A copy that goes its own way.
    fn fork(&self) -> Box<dyn Space>;
}

/// How running jobs progress, and when they end.
pub trait Execution: Send {
    /// A job starts to run.
    fn start(&mut self, job: JobId, program: &Program, now: Time);
    /// When the next job ends, if any runs.
    fn next(&self) -> Option<Time>;
    /// Lets time pass until `now`; jobs that end then are appended, in the order in which they started.
    fn advance(&mut self, now: Time, ended: &mut Vec<JobId>);
    /// A copy that goes its own way.
    fn fork(&self) -> Box<dyn Execution>;
}

/// A machine: a space and an execution.
pub struct Machine {
    /// Where jobs can be.
    pub space: Box<dyn Space>,
    /// How they progress.
    pub execution: Box<dyn Execution>,
}

impl Machine {
    /// A copy that goes its own way.
    pub fn fork(&self) -> Self {
        Self { space: self.space.fork(), execution: self.execution.fork() }
    }
}

/// Whether placements are recorded: pictures need processor numbers, figures do not.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Placements {
    /// Each job gets real processor numbers.
    #[default]
    Recorded,
    /// Only counts.
    Counted,
}

/// A machine model's description and how to build it.
#[derive(Debug)]
pub struct MachineSpec {
    /// Stable id.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// One sentence on what it is.
    pub summary: &'static str,
    /// Its parameters, beside the number of processors, which every machine has.
    pub params: &'static [Param],
    /// Builds a machine of so many processors.
    pub build: fn(u32, &Settings, Placements) -> Machine,
}

/// Every machine model.
pub const ALL: &[&MachineSpec] = &[&flat::SPEC];

/// The machine model named `id`.
///
/// # Errors
/// If there is none.
pub fn find(id: &str) -> Result<&'static MachineSpec, Problem> {
    let ids: Vec<&str> = ALL.iter().map(|spec| spec.id).collect();
    ALL.iter().copied().find(|spec| spec.id == id).ok_or_else(|| {
        Problem::new(
            format!("There is no machine model `{id}`."),
            "A machine model is named by its id.",
            format!("{}The machine models are: {}.", closest(id, &ids), ids.join(", ")),
        )
    })
}
