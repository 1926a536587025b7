//! The searches for partners that a policy reports.

use crate::job::JobId;

/// A search for a partner, with which a job shares nodes. While nobody watches the policy, it tells
/// only what the record counts: a search among running jobs is told if it found a partner, and
/// without the jobs that were considered.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The job that looks for a partner.
    pub job: JobId,
    /// True if the search is among the running jobs, whose nodes the job would share; false if it
    /// is among the waiting jobs, which would share the job's nodes.
    pub among_running: bool,
    /// The jobs that were considered, in this order.
    pub tried: Vec<Tried>,
    /// The partner that was chosen, if any.
    pub chosen: Option<JobId>,
}

/// A job that was considered as a partner.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Tried {
    /// The job that was considered.
    pub job: JobId,
    /// The result of the tests.
    pub verdict: Verdict,
    /// Slowdown of the two jobs beside each other, the larger of both, in ten-thousandths; 0 if it
    /// was not computed.
    pub slowdown: i64,
    /// Worth of the pair to the heuristic; 0 if it was not computed.
    pub gain: f64,
}

/// The test that ruled a job out as a partner, in the order of the tests.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The job is too short to be worth the effort.
    Short,
    /// The job has more nodes than the job whose nodes it would share.
    Size,
    /// The two jobs do not fit into the memory together, or the demand of one is not known.
    Memory,
    /// The resources that the two jobs need most do not go together.
    Class,
    /// The two jobs would slow each other down too much.
    Slowdown,
    /// The job passed all tests, but it would delay a reservation.
    Reservation,
    /// The job passed all tests.
    Candidate,
}
