//! The execution of a machine: how running jobs progress.

use super::note::Note;
use super::placement::{Placement, PlacementBuf};
use super::rotation::Rotation;
use crate::job::{Demand, JobId, Program, Shape};
use crate::time::{Span, Time};
use std::any::Any;
use std::sync::Arc;

/// A job that starts.
#[derive(Copy, Clone, Debug)]
pub struct Starting<'a> {
    /// The job.
    pub job: JobId,
    /// The run time of the job and how it ends. Policies never see either.
    pub program: &'a Program,
    /// The phases of its processes, if the workload describes them.
    pub shape: Option<&'a Arc<Shape>>,
    /// The job's demand for a node's resources, if it is known.
    pub demand: Option<&'a Demand>,
    /// The processors of the job; empty if the machine only counts them.
    pub placement: Placement<'a>,
}

/// The progress of running jobs, and their ends.
pub trait Execution: Send {
    /// Returns how long a job holds its processors before it begins to run.
    fn start_delay(&self) -> Span {
        Span::ZERO
    }
    /// Returns the largest factor by which a job may take longer than on dedicated processors.
    fn stretch(&self) -> i64 {
        1
    }
    /// Returns what the machine offers to policies that are made for its kind, if anything.
    fn offers(&self) -> Option<&dyn Any> {
        None
    }
    /// Starts a job at `now`.
    fn start(&mut self, starting: Starting<'_>, now: Time);
    /// Continues running jobs on other processors.
    fn relocate(&mut self, _moved: &[(JobId, PlacementBuf)]) {}
    /// Computes ahead until the next end of a job is known, or until `until` if no job ends before.
    /// Machines whose [`Execution::next`] needs no such work ignore the call. Returns false if
    /// `budget`, a rough amount of work, did not suffice.
    fn look_ahead(&mut self, _until: Time, _budget: u64) -> bool {
        true
    }
    /// True if jobs run.
    fn is_busy(&self) -> bool {
        self.next().is_some()
    }
    /// Returns the instant up to which the machine has looked ahead, if it does.
    fn reached(&self) -> Option<Time> {
        None
    }
    /// Hands over the notes since the last call, in order of time.
    fn tell(&mut self, _told: &mut dyn FnMut(Time, &dyn Note)) {}
    /// Answers a question about the inside of the machine, if the machine knows the type of the
    /// question. Callers ask a fork, because an answer may change the state.
    fn look(&mut self, _question: &dyn Any) -> Option<Box<dyn Any>> {
        None
    }
    /// Returns the rotation of the rows from now on; `None` if processors are dedicated.
    fn rotation(&self) -> Option<Rotation> {
        None
    }
    /// Returns the next end of a job; `None` if no job runs or no end is known yet.
    fn next(&self) -> Option<Time>;
    /// Advances all running jobs to `now`. Appends the jobs that end by then to `ended`, in the
    /// order in which they started.
    fn advance(&mut self, now: Time, ended: &mut Vec<JobId>);
    /// Takes a running job from its processors before its end. Returns false, with nothing changed, if
    /// the job does not run or the machine cannot do that.
    fn stop(&mut self, _job: JobId) -> bool {
        false
    }
    /// Holds a running job back at `now` until [`Execution::resume`]. Returns false, with nothing changed, if the
    /// job does not run or the machine cannot do that.
    fn suspend(&mut self, _job: JobId, _now: Time) -> bool {
        false
    }
    /// Lets a suspended job go on at `now`. Returns false, with nothing changed, if it is not suspended.
    fn resume(&mut self, _job: JobId, _now: Time) -> bool {
        false
    }
    /// Delays the ends of these running jobs by `span`, because they have migrated. Only machines
    /// with [`super::Space::repack`] need it.
    fn postpone(&mut self, _jobs: &[JobId], _span: Span) {}
    /// Gives the running jobs new ids. Returns false, with nothing changed, if the machine cannot
    /// do that.
    fn renumber(&mut self, _number: &dyn Fn(JobId) -> JobId) -> bool {
        false
    }
    /// Returns an independent copy in the same state.
    fn fork(&self) -> Box<dyn Execution>;
    /// Returns the same execution without jobs.
    fn idle(&self) -> Box<dyn Execution>;
}
