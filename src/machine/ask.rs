//! The request of a job for processors.

use crate::time::{Span, Time};

/// A request for processors of a machine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Number of processors that the job needs.
    pub processors: u32,
    /// Largest number of processors that the job may get, if no partition has exactly its size.
    pub most: u32,
    /// True if the job must not use processors that were set aside.
    pub beside: bool,
    /// The row of an Ousterhout matrix in which the job must run, if the row is fixed.
    pub row: Option<u32>,
    /// On a machine with nodes, the index of the job's request for nodes; [`ANY_CORES`] for a
    /// request that only names a number of processors. Other machines ignore it.
    pub request: u32,
    /// Beginning of the period over which a waiting job will hold its nodes. Only machines with nodes
    /// look at it; the period of a job that does not wait is empty.
    pub from: Time,
    /// End of this period, by the belief about the job.
    pub until: Time,
}

/// The index that stands for a request which only names a number of processors.
pub const ANY_CORES: u32 = u32::MAX;

impl Ask {
    /// Asks for this number of processors, or for the smallest larger number that the geometry
    /// allows.
    pub const fn of(processors: u32) -> Self {
        Self {
            processors,
            most: u32::MAX,
            beside: false,
            row: None,
            request: ANY_CORES,
            from: Time::ZERO,
            until: Time::ZERO,
        }
    }

    /// Returns the same request from `from` on, for `span`.
    pub fn during(self, from: Time, span: Span) -> Self {
        Self {
            from,
            until: from.saturating_add(span),
            ..self
        }
    }
}
