//! Failures of forecasts, told apart by whether another instant may do better.

use crate::limits;
use crate::problem::Problem;

/// The reason for which a forecast fails.
pub enum ForecastFailure {
    /// A limit of [`crate::limits`]: too many jobs run, wait or arrive at this instant.
    Crowded(Problem),
    /// Any other problem.
    Other(Problem),
}

impl ForecastFailure {
    /// Fails if a moment has more than a limit allows.
    pub fn check_limit(what: &str, size: usize, most: usize, unit: &str) -> Result<(), Self> {
        limits::check(what, size, most, unit).map_err(Self::Crowded)
    }
}

impl From<Problem> for ForecastFailure {
    fn from(problem: Problem) -> Self {
        Self::Other(problem)
    }
}

impl From<ForecastFailure> for Problem {
    fn from(failure: ForecastFailure) -> Self {
        match failure {
            ForecastFailure::Crowded(problem) | ForecastFailure::Other(problem) => problem,
        }
    }
}
