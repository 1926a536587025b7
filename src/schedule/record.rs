//! What only machines of one kind record of a run, and what the rest of us may ask of it.

use super::Schedule;
use super::audit::Finding;
use crate::job::JobId;
use crate::machine::Note;
use crate::time::Time;
use std::any::Any;
use std::fmt::Debug;

/// From here on a processor of a job has the colour of another class.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Tint {
    /// The job.
    pub job: JobId,
    /// Which of its processors, in their order.
    pub rank: u32,
    /// When.
    pub at: Time,
    /// The class, by its number in [`MachineRecord::classes`].
    pub class: u8,
}

/// What only machines of one kind record. A machine without a record of its own has [`Nothing`].
pub trait MachineRecord: Any + Debug + Send + Sync {
    /// The machine, or a policy made for it, told something at `at`.
    fn note(&mut self, _at: Time, _note: &dyn Note) {}
    /// The run goes on with other numbers of jobs; some have none.
    fn renumber(&mut self, _number: &dyn Fn(JobId) -> Option<JobId>) {}
    /// How long each process of a job computed, in microseconds and in the order of its processors,
    /// where the machine sees processes: its run time is then only about what it takes.
    fn computed(&self, _job: JobId) -> Option<&[i64]> {
        None
    }
    /// Whether jobs can be given more processors than they ask for.
    fn gives_more(&self) -> bool {
        false
    }
    /// What is wrong with a complete schedule by the rules of machines of this kind.
    fn audit(&self, _schedule: &Schedule, _findings: &mut Vec<Finding>) {}
    /// Figures of metrics that only machines of this kind have, by their keys.
    fn figures(&self, _schedule: &Schedule, _put: &mut dyn FnMut(&str, f64)) {}
    /// Names of the classes of processes, where there are any. Every process begins in the first.
    fn classes(&self) -> &'static [&'static str] {
        &[]
    }
    /// Changes of classes in order of time, from a place among them on.
    fn tints(&self, _from: usize) -> Vec<Tint> {
        Vec::new()
    }
    /// A copy.
    fn fork(&self) -> Box<dyn MachineRecord>;
}

/// The record of a machine that tells nothing of its own.
#[derive(Copy, Clone, Debug, Default)]
pub struct Nothing;

impl MachineRecord for Nothing {
    fn fork(&self) -> Box<dyn MachineRecord> {
        Box::new(*self)
    }
}

impl Clone for Box<dyn MachineRecord> {
    fn clone(&self) -> Self {
        self.fork()
    }
}
