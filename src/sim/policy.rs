//! The interface of policies: the event loop asks one at every instant who starts.

use super::Turn;
use crate::job::{JobId, Request};
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
