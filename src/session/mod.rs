//! Sessions: a run that a user looks at. A session keeps what pictures and questions need until the
//! run changes.
//!
//! A [`Session`] answers in plain values: structures for facts, columns of numbers for pictures.
//! Times are seconds after the trace's zero. The border to JavaScript only converts the answers, so
//! that tests of sessions need no browser.

mod comparison;
mod explanation;
mod job;
mod microscope;
mod pictures;
mod progress;
mod selection;
mod state;
mod workload;

pub use explanation::{
    CauseFacts, CauseTotal, ClassCauses, LookFacts, OutlineFacts, PartFacts, PriorityPartFacts,
    RankFacts, Reason, StepFacts, WaitFacts, WaitingFacts,
};
pub use job::{AttributeValue, JobFacts, PartnerFacts};
pub use microscope::Lens;
pub use pictures::{Look, Picture};
pub use progress::{CandidateFacts, RunFacts, RunProgress, RunResult};
pub use selection::SelectionFacts;
pub use state::Session;
pub use workload::WorkloadFacts;
