//! The log behind a workload.

use crate::trace::Trace;
use std::sync::Arc;

/// The log from which the jobs of a workload come. It is shared with the run, so names and further
/// columns are in memory once.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The trace with the record of each job. `None` if no code needs names and further columns.
    pub trace: Option<Arc<Trace>>,
    /// True if the users are draws of resampling, to whom the names of the log do not belong.
    pub users_are_drawn: bool,
}
