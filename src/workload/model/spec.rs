//! What every workload model says of itself.

use crate::param::{Param, Settings};
use crate::problem::Problem;
use crate::trace::Trace;

/// A model's description and how to draw from it.
#[derive(Debug)]
pub struct ModelSpec {
    /// Stable id.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// One sentence on what it makes.
    pub summary: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Draws a trace, or says which parameters do not go together. Each was checked against
    /// `params`.
    pub generate: fn(&Settings) -> Result<Trace, Problem>,
}
