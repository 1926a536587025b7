//! Paired differences between two runs of the same jobs. They are far sharper than a comparison of
//! two means, because whatever is hard in the trace is hard for both runs.

use crate::statistics::{confidence, quantile};
use serde::Serialize;

/// The differences of a second run from a first, over the jobs that ended in both.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Paired {
    /// Number of jobs compared.
    pub jobs: usize,
    /// Mean of second minus first.
    pub mean: f64,
    /// Half width of the 95 % confidence interval of that mean, by batch means.
    pub ci95: f64,
    /// Median of second minus first.
    pub median: f64,
    /// Share of jobs with a smaller value in the second run.
    pub smaller: f64,
    /// Share of jobs with a larger value in the second run.
    pub larger: f64,
}

/// Compares two columns of the same jobs. Entries that are not numbers (jobs that did not end) do
/// not count.
pub fn paired(first: &[f64], second: &[f64]) -> Paired {
    let mut differences: Vec<f64> = first
        .iter()
        .zip(second)
        .map(|(a, b)| b - a)
        .filter(|d| d.is_finite())
        .collect();
    let jobs = differences.len();
    if jobs == 0 {
        return Paired {
            jobs,
            mean: 0.0,
            ci95: 0.0,
            median: 0.0,
            smaller: 0.0,
            larger: 0.0,
        };
    }
    let share = |count: usize| count as f64 / jobs as f64;
    Paired {
        jobs,
        mean: differences.iter().sum::<f64>() / jobs as f64,
        ci95: confidence(&differences),
        smaller: share(differences.iter().filter(|d| **d < 0.0).count()),
        larger: share(differences.iter().filter(|d| **d > 0.0).count()),
        median: quantile(&mut differences, 0.5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_job_by_job() {
        let p = paired(&[1.0, 2.0, 3.0, f64::NAN], &[1.0, 0.0, 7.0, 5.0]);
        assert_eq!((p.jobs, p.median, p.mean), (3, 0.0, 2.0 / 3.0));
        assert_eq!((p.smaller, p.larger), (1.0 / 3.0, 1.0 / 3.0));
    }
}
