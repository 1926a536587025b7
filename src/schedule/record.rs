//! The part of a run's record that only machines of one kind have, and the interface to it.

use super::audit::Finding;
use super::{Schedule, UnitRows};
use crate::job::{Demand, JobId};
use crate::machine::Note;
use crate::time::Time;
use crate::workload::Workload;
use std::any::Any;
use std::fmt::Debug;

/// A change of the class of one process of a job, and so of its colour.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Tint {
    /// The job.
    pub job: JobId,
    /// Index of the process among the job's processors.
    pub rank: u32,
    /// The instant of the change.
    pub at: Time,
    /// Number of the class in [`MachineRecord::classes`].
    pub class: u8,
}

/// The part of the record that only machines of one kind have. Other machines have [`Nothing`].
pub trait MachineRecord: Any + Debug + Send + Sync {
    /// Receives a note that the machine, or a policy made for it, told at `at`.
    fn note(&mut self, _at: Time, _note: &dyn Note) {}
    /// Gives the jobs new ids, after a what-if. A job without a new id is no longer in the
    /// workload.
    fn renumber(&mut self, _number: &dyn Fn(JobId) -> Option<JobId>) {}
    /// Returns the computing time of each process of a job, in microseconds and in the order of its
    /// processors, if the machine simulates processes. The run time then only approximates the time
    /// that the job takes.
    fn computed(&self, _job: JobId) -> Option<&[i64]> {
        None
    }
    /// True if a job may get more processors than it asks for.
    fn gives_more(&self) -> bool {
        false
    }
    /// Checks a complete schedule by the rules of machines of this kind and appends the findings.
    fn audit(&self, _schedule: &Schedule, _findings: &mut Vec<Finding>) {}
    /// Computes the metrics that only machines of this kind have and passes each figure with its
    /// key to `put`.
    fn figures(&self, _schedule: &Schedule, _put: &mut dyn FnMut(&str, f64)) {}
    /// Computes the metrics of a class of jobs that only machines of this kind have, and passes each
    /// figure with its key to `put`.
    fn class_figures(
        &self,
        _schedule: &Schedule,
        _jobs: &[JobId],
        _put: &mut dyn FnMut(&str, f64),
    ) {
    }
    /// Returns the number of units, such as GPUs, that have rows of their own in timelines; 0 if there are
    /// none.
    fn unit_count(&self, _workload: &Workload) -> u32 {
        0
    }
    /// Returns the units that each attempt held; `None` if there are none.
    fn unit_rows(&self, _schedule: &Schedule) -> Option<UnitRows> {
        None
    }
    /// Returns the names of the classes of processes, if there are any. Every process begins in the
    /// first class.
    fn classes(&self) -> &'static [&'static str] {
        &[]
    }
    /// Returns the changes of classes in order of time, from index `from` on.
    fn tints(&self, _from: usize) -> Vec<Tint> {
        Vec::new()
    }
    /// Returns the slowdown of a job with this demand beside a job with the demand `other`, on the
    /// same nodes; 1 if jobs do not slow each other down.
    fn slowdown(&self, _demand: Option<&Demand>, _other: Option<&Demand>) -> f64 {
        1.0
    }
    /// Returns a copy.
    fn fork(&self) -> Box<dyn MachineRecord>;
}

/// The record of a machine without notes of its own.
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
