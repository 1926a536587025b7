//! The fit of a schedule to the recorded one: how far the starts of jobs are from the starts that
//! the log has for them.

use super::classes::Classifier;
use super::{Better, Grouping, MetricSpec, Sample, Unit, per_job};
use crate::param::Settings;
use crate::schedule::Schedule;
use crate::sorting::{map, rising_places};
use crate::statistics::quantiles;
use serde::Serialize;
use std::collections::BTreeMap;

/// The metrics of the fit. Only runs of logs with starts have them.
pub const FIT: &[MetricSpec] = &[
    MetricSpec {
        id: "start_error",
        name: "Error of start",
        unit: Unit::Seconds,
        units: &[("jobs", Unit::Jobs)],
        better: Better::Lower,
        help: "Time between a job's start and its recorded start, whichever is earlier; jobs \
            compared",
        figures: &["median", "p90", "jobs"],
    },
    MetricSpec {
        id: "start_within",
        name: "Starts as recorded",
        unit: Unit::Share,
        units: &[],
        better: Better::Higher,
        help: "Share of the jobs that start at most a minute, ten minutes, an hour before or after \
            their recorded start",
        figures: &["minute", "ten_minutes", "hour"],
    },
    MetricSpec {
        id: "wait_rank",
        name: "Rank correlation of waits",
        unit: Unit::Number,
        units: &[],
        better: Better::Higher,
        help: "Spearman's rank correlation of the jobs' waits with their recorded waits",
        figures: &["value"],
    },
    MetricSpec {
        id: "recorded_wait",
        name: "Recorded wait",
        unit: Unit::Seconds,
        units: &[],
        better: Better::Neither,
        help: "Mean of the recorded waits of the jobs compared",
        figures: &["mean"],
    },
];

/// The fit of a schedule, or of a class of its jobs. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LogFit {
    /// Name of the class; empty for all jobs.
    pub name: String,
    /// Number of jobs compared: those that job metrics count and whose start is recorded.
    pub jobs: usize,
    /// Median of the errors of start.
    pub median: f64,
    /// 90th percentile of the errors of start.
    pub p90: f64,
    /// Share of the jobs with an error of at most a minute.
    pub minute: f64,
    /// Share of the jobs with an error of at most ten minutes.
    pub ten_minutes: f64,
    /// Share of the jobs with an error of at most an hour.
    pub hour: f64,
    /// Share of the jobs that start earlier than recorded.
    pub earlier: f64,
    /// Spearman's rank correlation of the waits.
    pub rank: f64,
    /// Mean wait of these jobs in this schedule.
    pub wait: f64,
    /// Mean of their recorded waits.
    pub recorded_wait: f64,
}

/// The fit of a schedule, over all jobs and by class.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct FitCard {
    /// The fit over all jobs.
    pub all: LogFit,
    /// The fit by class: by `size`; by `user`, `queue`, `partition`, `account` and `qos` if the log
    /// has several.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, LogFit[]>"))]
    pub classes: BTreeMap<&'static str, Vec<LogFit>>,
}

/// The groupings of the card, by id.
const GROUPINGS: [(&str, Grouping); 6] = [
    ("size", Grouping::Size),
    ("user", Grouping::User),
    ("queue", Grouping::Queue),
    ("partition", Grouping::Partition),
    ("account", Grouping::Account),
    ("qos", Grouping::Qos),
];

/// The waits of a job in seconds: in the schedule, and as recorded.
type Waits = (f64, f64);

fn waits(schedule: &Schedule, sample: &Sample) -> Option<Waits> {
    let start = schedule.workload.recorded_start(sample.job)?;
    let submitted = schedule.workload.request(sample.job).submitted;
    Some((sample.wait, (start - submitted).seconds()))
}

/// Returns the fit of a schedule; `None` if no job that job metrics count has a recorded start.
pub fn fit(schedule: &Schedule, settings: &Settings) -> Option<FitCard> {
    let samples = per_job(schedule, settings);
    let known: Vec<(Sample, Waits)> = samples
        .iter()
        .filter_map(|sample| Some((*sample, waits(schedule, sample)?)))
        .collect();
    let all = of_waits(
        "",
        &known.iter().map(|(_, waits)| *waits).collect::<Vec<_>>(),
    )?;
    let by = |grouping| {
        let classifier = Classifier::new(schedule, &samples, grouping);
        let mut classes: BTreeMap<i64, (Sample, Vec<Waits>)> = BTreeMap::new();
        for (sample, waits) in &known {
            let rank = classifier.rank(schedule, sample);
            let class = classes.entry(rank).or_insert((*sample, Vec::new()));
            class.1.push(*waits);
        }
        classes
            .iter()
            .filter_map(|(rank, (sample, waits))| {
                of_waits(&classifier.name(schedule, sample, *rank), waits)
            })
            .collect::<Vec<LogFit>>()
    };
    let classes = GROUPINGS
        .map(|(name, grouping)| (name, by(grouping)))
        .into_iter()
        // A log without such a column has one class.
        .filter(|(name, classes)| *name == "size" || classes.len() > 1);
    Some(FitCard {
        all,
        classes: map(classes),
    })
}

/// Puts the figures of the fit, if the log has starts.
pub(super) fn put_fit(schedule: &Schedule, samples: &[Sample], put: &mut impl FnMut(&str, f64)) {
    if schedule.workload.recorded.is_empty() {
        return;
    }
    let known: Vec<Waits> = samples
        .iter()
        .filter_map(|sample| waits(schedule, sample))
        .collect();
    let Some(fit) = of_waits("", &known) else {
        return;
    };
    put("start_error.median", fit.median);
    put("start_error.p90", fit.p90);
    put("start_error.jobs", fit.jobs as f64);
    put("start_within.minute", fit.minute);
    put("start_within.ten_minutes", fit.ten_minutes);
    put("start_within.hour", fit.hour);
    put("wait_rank.value", fit.rank);
    put("recorded_wait.mean", fit.recorded_wait);
}

fn of_waits(name: &str, waits: &[Waits]) -> Option<LogFit> {
    if waits.is_empty() {
        return None;
    }
    let n = waits.len() as f64;
    let mut errors: Vec<f64> = waits
        .iter()
        .map(|(wait, recorded)| (wait - recorded).abs())
        .collect();
    let within = |seconds: f64| errors.iter().filter(|error| **error <= seconds).count() as f64 / n;
    let (minute, ten_minutes, hour) = (within(60.0), within(600.0), within(3600.0));
    let [median, p90] = quantiles(&mut errors, [0.5, 0.9]);
    let mean = |of: fn(&Waits) -> f64| waits.iter().map(of).sum::<f64>() / n;
    Some(LogFit {
        name: name.into(),
        jobs: waits.len(),
        median,
        p90,
        minute,
        ten_minutes,
        hour,
        earlier: waits
            .iter()
            .filter(|(wait, recorded)| wait < recorded)
            .count() as f64
            / n,
        rank: rank_correlation(waits),
        wait: mean(|(wait, _)| *wait),
        recorded_wait: mean(|(_, recorded)| *recorded),
    })
}

/// Returns Spearman's rank correlation: Pearson's, of ranks. Equal values share the mean of their
/// ranks. If one column has only equal values, the correlation is 0; if both have, it is 1.
fn rank_correlation(waits: &[Waits]) -> f64 {
    let ranks = |of: fn(&Waits) -> f64| ranks(&waits.iter().map(of).collect::<Vec<_>>());
    let (first, second) = (ranks(|waits| waits.0), ranks(|waits| waits.1));
    let mean = f64::midpoint(waits.len() as f64, 1.0);
    let (mut both, mut one, mut other) = (0.0, 0.0, 0.0);
    for (a, b) in first.iter().zip(&second) {
        both += (a - mean) * (b - mean);
        one += (a - mean) * (a - mean);
        other += (b - mean) * (b - mean);
    }
    match (one > 0.0, other > 0.0) {
        (true, true) => both / (one * other).sqrt(),
        (false, false) => 1.0,
        _ => 0.0,
    }
}

/// Returns the rank of each value, from 1.
fn ranks(values: &[f64]) -> Vec<f64> {
    let order = rising_places(values);
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let value = values[order[from]];
        let count = order[from..]
            .iter()
            .take_while(|place| values[**place] == value)
            .count();
        let rank = from as f64 + f64::midpoint(count as f64, 1.0);
        order[from..from + count]
            .iter()
            .for_each(|place| ranks[*place] = rank);
        from += count;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_mean_of_their_ranks() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 0.0]), [3.5, 2.0, 3.5, 1.0]);
        assert_eq!(ranks(&[]), [0.0; 0]);
    }

    #[test]
    fn correlations_are_those_of_ranks() {
        let of = |pairs: &[(f64, f64)]| rank_correlation(pairs);
        assert_eq!(of(&[(1.0, 10.0), (2.0, 1e6), (3.0, 1e7)]), 1.0);
        assert_eq!(of(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), -1.0);
        // By hand: ranks 1 2 3 4 and 2 1 4 3, so 1 - 6 * 4 / (4 * 15) = 0.6.
        let crossed = of(&[(1.0, 20.0), (2.0, 10.0), (3.0, 40.0), (4.0, 30.0)]);
        assert!((crossed - 0.6).abs() < 1e-12);
        assert_eq!(of(&[(1.0, 3.0), (2.0, 3.0)]), 0.0);
        assert_eq!(of(&[(7.0, 3.0), (7.0, 3.0)]), 1.0);
    }
}
