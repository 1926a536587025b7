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
    /// Which.
    pub job: JobId,
    /// What will happen.
    pub program: &'a Program,
    /// What its processes do, where that is described.
    pub shape: Option<&'a Arc<Shape>>,
    /// What it needs of a node's resources, if that is known.
    pub demand: Option<&'a Demand>,
    /// Its processors; none where they are only counted.
    pub placement: Placement<'a>,
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
    /// What policies that are made for machines of this kind may ask it.
    fn offers(&self) -> Option<&dyn Any> {
        None
    }
    /// A job starts to run.
    fn start(&mut self, starting: Starting<'_>, now: Time);
    /// Running jobs go on on other processors.
    fn relocate(&mut self, _moved: &[(JobId, PlacementBuf)]) {}
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
    /// Tells what happened since it was last asked that only machines of this kind tell, in order of
    /// time.
    fn tell(&mut self, _told: &mut dyn FnMut(Time, &dyn Note)) {}
    /// Answers those who look closer at a run of a machine of this kind, on a fork.
    fn look(&mut self, _question: &dyn Any) -> Option<Box<dyn Any>> {
        None
    }
    /// Who has processors that are shared, from now on; none where they are dedicated.
    fn rotation(&self) -> Option<Rotation> {
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
