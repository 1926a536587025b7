//! Distributions of the times of jobs, as figures.

use super::sample::Sample;
use crate::statistics::{Distribution, STATISTICS};
use std::collections::BTreeMap;

pub(super) fn distribution(id: &str, values: Vec<f64>, figures: &mut BTreeMap<String, f64>) {
    for (statistic, value) in STATISTICS.iter().zip(Distribution::of(values).values()) {
        figures.insert(format!("{id}.{statistic}"), value);
    }
}

pub(super) fn distributions(prefix: &str, samples: &[Sample], figures: &mut BTreeMap<String, f64>) {
    let mut put =
        |id: &str, values: Vec<f64>| distribution(&format!("{prefix}{id}"), values, figures);
    put("wait", samples.iter().map(|s| s.wait).collect());
    put("response", samples.iter().map(|s| s.response).collect());
    put(
        "slowdown",
        samples
            .iter()
            .filter(|s| s.runtime > 0.0)
            .map(|s| s.response / s.runtime)
            .collect(),
    );
    put(
        "bounded_slowdown",
        samples.iter().map(|s| s.bounded_slowdown).collect(),
    );
}
