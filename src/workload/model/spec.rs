//! The description that every workload model gives of itself.

use crate::param::{Param, Settings};
use crate::problem::Problem;
use crate::trace::Trace;

/// The description of a model, and the function that draws from it.
#[derive(Debug)]
pub struct ModelSpec {
    /// The stable id of the model.
    pub id: &'static str,
    /// Name that forms and tables show.
    pub name: &'static str,
    /// One sentence on the jobs that the model makes.
    pub summary: &'static str,
    /// The publication that the model is from.
    pub paper: &'static str,
    /// The parameters of the model.
    pub params: &'static [Param],
    /// Draws a trace. Fails if parameters contradict each other. The caller has checked each
    /// parameter against `params`.
    pub generate: fn(&Settings) -> Result<Trace, Problem>,
}
