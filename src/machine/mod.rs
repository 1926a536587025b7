//! Machines: where jobs can be ([`Space`]) and how they progress ([`Execution`]). They know no
//! policy and no event loop.
//!
//! A machine model is one file with its [`MachineSpec`] and one line in [`ALL`].

pub mod bsp;
mod dedicated;
pub mod flat;
pub mod gang;
mod matrix;
pub mod smt;
pub mod torus;
mod wheel;

use crate::job::{Demand, JobId, Program, Shape};
use crate::param::{Kind, Param, Settings, closest};
use crate::problem::Problem;
use crate::time::{Span, Time};
use std::sync::Arc;

pub use bsp::{Activity, Class, Note, Probe, Probed, Stretch};
pub use dedicated::Dedicated;
pub use smt::Pairing;
pub use wheel::Wheel;

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

/// What a job asks of a machine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Processors that it needs.
    pub processors: u32,
    /// Processors that it may get at most, where geometry has no room for just so many.
    pub most: u32,
    /// Whether it must leave alone what was set aside.
    pub beside: bool,
    /// The row of an Ousterhout matrix in which they must be, if it is to be a certain one.
    pub row: Option<u32>,
}

impl Ask {
    /// So many processors, or as few more as geometry needs.
    pub const fn of(processors: u32) -> Self {
        Self {
            processors,
            most: u32::MAX,
            beside: false,
            row: None,
        }
    }
}

/// What is free in a row of an Ousterhout matrix.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Processors that are free.
    pub free: u32,
    /// Those of them that are not set aside.
    pub beside: u32,
}

/// Where jobs can be: which processors are free and which a job gets.
///
/// Policies that only need counts ask [`Space::free`]; on machines with geometry [`Space::fits`]
/// says more. What only those have is empty for the others.
pub trait Space: Send {
    /// All processors.
    fn capacity(&self) -> u32;
    /// Processors that are free now.
    fn free(&self) -> u32;
    /// Whether a job could start now.
    fn fits(&self, ask: Ask) -> bool;
    /// Gives a job processors, appended to `placement` in rising order. The caller has asked
    /// `fits`.
    fn claim(&mut self, ask: Ask, placement: &mut Vec<Range>);
    /// Takes back what `claim` gave: so many processors, these.
    fn release(&mut self, processors: u32, placement: &[Range]);
    /// A copy that goes its own way.
    fn fork(&self) -> Box<dyn Space>;

    /// The same machine with all processors free. Where it does not matter which ones are, it need
    /// not say which it gives.
    fn empty(&self) -> Box<dyn Space>;

    /// Whether it matters which processors are free, not only how many.
    fn has_geometry(&self) -> bool {
        false
    }
    /// The size that a job of so many processors has here: more, where no partition has just so
    /// many.
    fn raised(&self, processors: u32) -> u32 {
        processors
    }
    /// Processors of the largest job that could start now.
    fn largest(&self) -> u32 {
        self.free()
    }
    /// Sets processors aside, in place of those that were before; none are with an empty placement.
    /// They are no less free, but asks can be to leave them alone.
    fn set_aside(&mut self, _placement: &[Range]) {}
    /// What is free, row by row: a job must find room in one of them. Where there are no rows, all
    /// is one.
    fn rooms(&self) -> Vec<Room> {
        vec![Room {
            free: self.free(),
            beside: self.free(),
        }]
    }
    /// After jobs have ended: which of the running jobs, that hold these placements, it moves, and
    /// where to. They hold the new placements then.
    fn tidy(&mut self, _held: &[&[Range]]) -> Vec<(usize, Vec<Range>)> {
        Vec::new()
    }
    /// Whether it ever does.
    fn tidies(&self) -> bool {
        false
    }
    /// Whether these processors are all free, where jobs can be given certain ones.
    fn is_free(&self, _placement: &[Range]) -> bool {
        false
    }
    /// Takes processors, whether they were free or not.
    fn occupy(&mut self, _placement: &[Range]) {}
    /// Lays out the running jobs anew, which hold these placements. Adopts what it finds and
    /// returns the new placements, if they leave a larger free partition.
    fn repack(&mut self, _held: &[&[Range]]) -> Option<Vec<Vec<Range>>> {
        None
    }
}

/// The parameter of machines on which jobs do not begin to run at once.
pub const START_DELAY: Param = Param {
    key: "start_delay",
    name: "Start delay",
    kind: Kind::Whole {
        min: 0,
        max: 86_400,
        default: Some(1),
    },
    unit: "s",
    when: None,
    help: "From a job's being given its processors to its beginning to run; it holds them \
        meanwhile",
};

/// A job that starts.
#[derive(Copy, Clone, Debug)]
pub struct Starting<'a> {
    /// Which.
    pub job: JobId,
    /// What will happen.
    pub program: &'a Program,
    /// What its processes do, where that is described.
    pub shape: Option<&'a Arc<Shape>>,
    /// What it needs of a node's resources, if that is known.
    pub demand: Option<&'a Demand>,
    /// Its processors; none where they are only counted.
    pub placement: &'a [Range],
}

/// How running jobs progress, and when they end.
pub trait Execution: Send {
    /// How long a job that was given processors holds them before it begins to run.
    fn start_delay(&self) -> Span {
        Span::ZERO
    }
    /// How many times longer than on dedicated processors a job must be expected to take, at most.
    fn stretch(&self) -> i64 {
        1
    }
    /// What two jobs on the same nodes do to each other, where jobs share nodes.
    fn pairing(&self) -> Option<&Pairing> {
        None
    }
    /// How much of a running job is done, in time on nodes of its own: where that does not follow
    /// from when it started.
    fn done(&self, _job: JobId, _now: Time) -> Span {
        Span::ZERO
    }
    /// A job starts to run.
    fn start(&mut self, starting: Starting<'_>, now: Time);
    /// Running jobs go on on other processors.
    fn relocate(&mut self, _moved: &[(JobId, Vec<Range>)]) {}
    /// Finds out when the next job ends, or that none does until `until`: where [`Execution::next`]
    /// cannot say that at once. Whether it did with about so much work.
    fn look_ahead(&mut self, _until: Time, _budget: u64) -> bool {
        true
    }
    /// Whether jobs run.
    fn is_busy(&self) -> bool {
        self.next().is_some()
    }
    /// How far it has looked ahead.
    fn reached(&self) -> Option<Time> {
        None
    }
    /// How long each process of the jobs that ended since this was last asked has computed, in
    /// microseconds, in the order of their processors: where run times are only what the jobs would
    /// need on dedicated processors.
    fn worked(&mut self) -> Vec<(JobId, Vec<i64>)> {
        Vec::new()
    }
    /// What happened to processes since it was last asked, in order of time.
    fn notes(&mut self) -> Vec<Note> {
        Vec::new()
    }
    /// Notes what every process of a processor does, where a machine sees processes.
    fn probe(&mut self, _probe: Probe) {}
    /// What was noted, if anything was to be.
    fn take_probed(&mut self) -> Option<Probed> {
        None
    }
    /// Who has processors that are shared, from now on; none where they are dedicated.
    fn wheel(&self) -> Option<Wheel> {
        None
    }
    /// When the next job ends, if any runs.
    fn next(&self) -> Option<Time>;
    /// Lets time pass until `now`; jobs that end then are appended, in the order in which they
    /// started.
    fn advance(&mut self, now: Time, ended: &mut Vec<JobId>);
    /// These running jobs end later by `span`, because they were laid out anew: for machines whose
    /// [`Space::repack`] does that.
    fn postpone(&mut self, _jobs: &[JobId], _span: Span) {}
    /// Running jobs have these numbers from now on. False, with nothing changed, if it cannot do
    /// that.
    fn renumber(&mut self, _number: &dyn Fn(JobId) -> JobId) -> bool {
        false
    }
    /// A copy that goes its own way.
    fn fork(&self) -> Box<dyn Execution>;
    /// The same with no job on it.
    fn idle(&self) -> Box<dyn Execution>;
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
        Self {
            space: self.space.fork(),
            execution: self.execution.fork(),
        }
    }

    /// The same machine with nothing on it.
    pub fn empty(&self) -> Self {
        Self {
            space: self.space.empty(),
            execution: self.execution.idle(),
        }
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

/// When a job fits on a machine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// If enough processors are free, whichever they are.
    Anywhere,
    /// If enough are free in one of its rows, whichever they are.
    InARow,
    /// If a partition of its size is free.
    Partition,
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
    /// When a job fits.
    pub fit: Fit,
    /// Whether it sees the processes of jobs: then a run time says about how long a job takes by
    /// itself.
    pub processes: bool,
    /// Whether jobs in different rows of it run at the same time.
    pub at_once: bool,
    /// Whether running jobs can be moved.
    pub moves: bool,
    /// What two jobs on the same nodes do to each other, where they share nodes.
    pub pairing: Option<fn(&Settings) -> Pairing>,
    /// Its parameters, beside the number of processors, which every machine has.
    pub params: &'static [Param],
    /// Its shape, if it has one.
    pub geometry: Option<fn(&Settings) -> torus::Geometry>,
    /// How many processors it has, where its own parameters say so.
    pub capacity: fn(&Settings) -> Option<u32>,
    /// What settings say together that cannot be.
    pub check: fn(&Settings) -> Result<(), Problem>,
    /// How many rows of an Ousterhout matrix it has: processors are numbered row by row. 1 where
    /// processors are dedicated.
    pub slots: fn(&Settings) -> u32,
    /// Builds a machine of so many processors.
    pub build: fn(u32, &Settings, Placements) -> Machine,
}

/// Every machine model.
pub const ALL: &[&MachineSpec] = &[
    &flat::SPEC,
    &torus::SPEC,
    &gang::SPEC,
    &bsp::SPEC,
    &smt::SPEC,
];

/// The machine model named `id`.
///
/// # Errors
/// If there is none.
pub fn find(id: &str) -> Result<&'static MachineSpec, Problem> {
    let ids: Vec<&str> = ALL.iter().map(|spec| spec.id).collect();
    ALL.iter()
        .copied()
        .find(|spec| spec.id == id)
        .ok_or_else(|| {
            Problem::new(
                format!("There is no machine model `{id}`."),
                "A machine model is named by its id.",
                format!(
                    "{}The machine models are: {}.",
                    closest(id, &ids),
                    ids.join(", ")
                ),
            )
        })
}
