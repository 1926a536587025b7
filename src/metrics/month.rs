//! Attributes of a month's workload: load and parallelism, with medians and intervals, because
//! averages of heavy tails say little.
//!
//! The attributes are those of D. Talby, D. G. Feitelson, A. Raveh, "Comparing logs and models of
//! parallel workloads using the Co-Plot method", JSSPP 1999, as far as table 7 of the paper on
//! adaptive policies (IPDPS 2005) uses them.

use super::{Better, MetricSpec, Sample, Unit};
use crate::schedule::Schedule;
use crate::sorting::set;
use crate::statistics::quantile;
use std::collections::BTreeMap;

/// Names of the attributes. An interval is that of the middle 90 %. Work is processors x run time.
/// A gap is the time between two arrivals.
pub const MONTH_FIGURES: &[&str] = &[
    "jobs",
    "load",
    "users_per_job",
    "run_time_median",
    "run_time_interval",
    "processors_median",
    "processors_interval",
    "work_median",
    "work_interval",
    "gap_median",
    "gap_interval",
];

/// Metrics that compare the months of several policies, in plans that keep months. Each run is
/// compared with the run of the plan's first policy on the same jobs; the run of the first policy
/// is compared with that of the second.
pub const MONTHLY: &[MetricSpec] = &[
    MetricSpec {
        id: "months_won",
        name: "Months won",
        unit: Unit::Number,
        units: &[
            ("wait_share", Unit::Share),
            ("bounded_slowdown_share", Unit::Share),
        ],
        better: Better::Higher,
        help: "Months in which no other policy of the plan has a lower mean wait, or a lower mean \
            bounded slowdown; number and share",
        figures: &[
            "wait",
            "wait_share",
            "bounded_slowdown",
            "bounded_slowdown_share",
        ],
    },
    MetricSpec {
        id: "monthly_gap",
        name: "Gap in months won",
        unit: Unit::Number,
        units: &[],
        better: Better::Neither,
        help: "Relative excess of the other policy's mean wait, over the months in which this \
            policy has the shorter one",
        figures: &["mean", "max", "months"],
    },
    MetricSpec {
        id: "correlation_relative",
        name: "Correlation with the relative difference",
        unit: Unit::Number,
        units: &[],
        better: Better::Neither,
        help: "Pearson correlation, over months, of the workload with the relative excess of the \
            other policy's mean wait (negative if it is shorter)",
        figures: MONTH_FIGURES,
    },
    MetricSpec {
        id: "correlation_absolute",
        name: "Correlation with the absolute difference",
        unit: Unit::Number,
        units: &[],
        better: Better::Neither,
        help: "Pearson correlation, over months, of the workload with the other policy's mean \
            wait minus this policy's",
        figures: MONTH_FIGURES,
    },
];

/// Computes the attributes of the jobs of a month, under keys such as `workload.jobs`.
pub(super) fn attributes(
    schedule: &Schedule,
    samples: &[Sample],
    figures: &mut BTreeMap<String, f64>,
) {
    let workload = &schedule.workload;
    let requests: Vec<_> = samples
        .iter()
        .map(|sample| workload.request(sample.job))
        .collect();
    let submitted: Vec<f64> = requests
        .iter()
        .map(|request| request.submitted.seconds())
        .collect();
    let run_times: Vec<f64> = samples.iter().map(|sample| sample.runtime).collect();
    let sizes: Vec<f64> = requests
        .iter()
        .map(|request| f64::from(request.processors))
        .collect();
    let work: Vec<f64> = run_times
        .iter()
        .zip(&sizes)
        .map(|(time, size)| time * size)
        .collect();
    let gaps: Vec<f64> = submitted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let length = gaps.iter().sum::<f64>();
    let mut put = |name: &str, value: f64| figures.insert(format!("workload.{name}"), value);
    put("jobs", samples.len() as f64);
    if length > 0.0 {
        put(
            "load",
            work.iter().sum::<f64>() / length / f64::from(workload.processors),
        );
    }
    put(
        "users_per_job",
        set(requests.iter().map(|request| i64::from(request.user))).len() as f64
            / samples.len() as f64,
    );
    for (name, mut values) in [
        ("run_time", run_times),
        ("processors", sizes),
        ("work", work),
        ("gap", gaps),
    ] {
        if !values.is_empty() {
            put(&format!("{name}_median"), quantile(&mut values, 0.5));
            put(
                &format!("{name}_interval"),
                quantile(&mut values, 0.95) - quantile(&mut values, 0.05),
            );
        }
    }
}
