//! Jobs: what is asked for, and what will happen.
//!
//! The two halves are separate types because a policy must see the first and never the second: a scheduler that reads
//! true run times is the commonest silent error of simulators in this field.

use crate::time::{Span, Time};

/// A job's index in its workload: jobs are numbered by arrival, ties in trace order.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(pub u32);

impl JobId {
    /// The index, for slices.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a job asks for. A policy sees this.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The job's number in its trace.
    pub number: i64,
    /// When it was submitted.
    pub submitted: Time,
    /// Requested time: what a scheduler may believe of the run time.
    pub estimate: Span,
    /// Size: how many processors it needs, all at once.
    pub processors: u32,
    /// User number, -1 if unknown.
    pub user: i32,
    /// Group number, -1 if unknown.
    pub group: i32,
    /// Application number, -1 if unknown.
    pub application: i32,
    /// Queue number, -1 if unknown.
    pub queue: i32,
}

/// What will happen when a job runs. A policy never sees this.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Program {
    /// Holds all its processors for a fixed time.
    Rigid {
        /// How long it runs on dedicated processors.
        runtime: Span,
        /// Whether it is killed then, having reached its estimate, rather than ending by itself.
        killed: bool,
    },
}

impl Program {
    /// Run time on dedicated processors.
    pub const fn runtime(&self) -> Span {
        match self {
            Self::Rigid { runtime, .. } => *runtime,
        }
    }

    /// Whether the job is killed at the end of that time.
    pub const fn killed(&self) -> bool {
        match self {
            Self::Rigid { killed, .. } => *killed,
        }
    }
}
