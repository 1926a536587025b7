//! The interface of policies. At every instant the event loop asks the policy which jobs start.

use super::Turn;
use crate::job::{JobId, Request};
use crate::time::Span;

/// Decides which waiting jobs start.
pub trait Policy: Send {
    /// Decides which jobs start now. The event loop calls it once for each instant at which
    /// something happened, or after each event if [`super::Ties`] says so.
    fn decide(&mut self, turn: &mut Turn<'_>);

    /// Returns an independent copy that decides in the same way.
    fn fork(&self) -> Box<dyn Policy>;

    /// Returns the policy's belief about the run time of a job that arrives now.
    fn believe(&mut self, _job: JobId, request: &Request) -> Span {
        request.estimate
    }

    /// Tells the policy that a job has ended after running for `ran`.
    fn completed(&mut self, _job: JobId, _request: &Request, _ran: Span) {}

    /// Returns a longer belief for a running job that has outlived `believed`; `None` if the policy
    /// has none.
    fn outlived(&mut self, _job: JobId, _request: &Request, _believed: Span) -> Option<Span> {
        None
    }

    /// Tells the policy, before its first decision, that the decisions begin at the instant at which the
    /// files about the cluster were taken, so that what they tell of the past holds.
    fn begin_now(&mut self) {}

    /// Returns sentences on what the policy could not heed so far.
    #[cfg(feature = "clusters")]
    fn unheeded(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns a sentence on the jobs that wait when nothing is left to happen, given with their numbers in the
    /// log and the number of all jobs. `None` if no rule of the policy leaves them waiting for ever.
    #[cfg(feature = "clusters")]
    fn left_pending(&self, _waiting: &[(JobId, i64)], _jobs: usize) -> Option<String> {
        None
    }
}
