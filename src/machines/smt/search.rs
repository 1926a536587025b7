//! What a policy tells of a search for a partner.

use crate::job::JobId;

/// A search for a partner with which a job shares nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// For whom.
    pub job: JobId,
    /// Whether among the running jobs, whose nodes it would share; else among the waiting ones,
    /// which would share its nodes.
    pub among_running: bool,
    /// All who came into question, in the order in which they were looked at.
    pub tried: Vec<Tried>,
    /// Who was chosen.
    pub chosen: Option<JobId>,
}

/// A job that came into question as a partner.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Tried {
    /// Which.
    pub job: JobId,
    /// What became of it.
    pub verdict: Verdict,
    /// By how much the two would slow each other down, in ten-thousandths; 0 where that was not
    /// asked.
    pub slowdown: i64,
    /// What it was worth to the heuristic; 0 where that was not asked.
    pub gain: f64,
}

/// Which test ruled a job out as a partner, in the order in which they are made.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It is short: not worth the effort.
    Short,
    /// It has more nodes than the job whose nodes it would share.
    Size,
    /// The two do not fit into the memory together, or it is not known what they need.
    Memory,
    /// What they need most does not go together.
    Class,
    /// They would slow each other down too much.
    Slowdown,
    /// None did, but it would delay a reservation.
    Reservation,
    /// None did.
    Candidate,
}
