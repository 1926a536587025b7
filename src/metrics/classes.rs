//! Job metrics by class: size, run time, user, month.

use super::Sample;
use super::calendar::Month;
use super::distribution::distributions;
use super::month::attributes;
use crate::schedule::Schedule;
use crate::sorting::falling;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A division of jobs into classes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// By size: 1, 2, 3 to 4, 5 to 8, ... processors.
    Size,
    /// By run time: up to 1 min, 10 min, 1 h, 6 h, longer.
    RunTime,
    /// By user: the ten with the most work, then all others.
    User,
    /// By month of submission.
    Month,
}

/// A class and its figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct JobClass {
    /// Name of the class.
    pub name: String,
    /// Number of jobs.
    pub jobs: usize,
    /// Work of the jobs, in processor seconds.
    pub work: f64,
    /// Figures by key, such as `wait.mean`.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, number>"))]
    pub figures: BTreeMap<String, f64>,
}

const RUN_TIMES: [(f64, &str); 5] = [
    (60.0, "up to 1 min"),
    (600.0, "1 to 10 min"),
    (3600.0, "10 min to 1 h"),
    (21_600.0, "1 to 6 h"),
    (f64::INFINITY, "over 6 h"),
];

const HEAVIEST_USERS: usize = 10;

/// A classifier that puts jobs into the classes of a grouping.
pub(super) struct Classifier {
    grouping: Grouping,
    heaviest: Vec<i32>,
}

impl Classifier {
    pub(super) fn new(schedule: &Schedule, samples: &[Sample], grouping: Grouping) -> Self {
        let heaviest = if grouping == Grouping::User {
            heaviest_users(schedule, samples)
        } else {
            Vec::new()
        };
        Self { grouping, heaviest }
    }

    /// Returns the class of a job: a rank to sort by, and a name.
    pub(super) fn class(&self, schedule: &Schedule, sample: &Sample) -> (i64, String) {
        let request = schedule.workload.request(sample.job);
        match self.grouping {
            Grouping::Size => {
                let top = i64::from(request.processors.next_power_of_two());
                (
                    top,
                    if top <= 2 {
                        top.to_string()
                    } else {
                        format!("{} to {top}", top / 2 + 1)
                    },
                )
            }
            Grouping::RunTime => {
                // The last class has no limit, so the index is in range.
                let at = RUN_TIMES.partition_point(|(limit, _)| *limit < sample.runtime);
                (at as i64, RUN_TIMES[at].1.to_owned())
            }
            Grouping::User => match self.heaviest.iter().position(|user| *user == request.user) {
                Some(rank) => (rank as i64, format!("user {}", request.user)),
                None => (i64::MAX, "all others".to_owned()),
            },
            Grouping::Month => {
                let month = Month::of(request.submitted, schedule.workload.provenance.unix_start);
                (month.rank(), month.name())
            }
        }
    }
}

pub(super) fn measure(
    schedule: &Schedule,
    samples: &[Sample],
    grouping: Grouping,
) -> Vec<JobClass> {
    let classifier = Classifier::new(schedule, samples, grouping);
    let mut classes: BTreeMap<(i64, String), Vec<Sample>> = BTreeMap::new();
    for sample in samples {
        classes
            .entry(classifier.class(schedule, sample))
            .or_default()
            .push(*sample);
    }
    classes
        .into_iter()
        .map(|((_, name), samples)| {
            let mut figures = BTreeMap::new();
            distributions("", &samples, &mut figures);
            if grouping == Grouping::Month {
                attributes(schedule, &samples, &mut figures);
            }
            let work = samples
                .iter()
                .map(|s| s.runtime * f64::from(schedule.workload.request(s.job).processors))
                .sum();
            JobClass {
                name,
                jobs: samples.len(),
                work,
                figures,
            }
        })
        .collect()
}

/// Returns the users with the most work, most first, ties by number.
fn heaviest_users(schedule: &Schedule, samples: &[Sample]) -> Vec<i32> {
    let mut work: BTreeMap<i32, f64> = BTreeMap::new();
    for sample in samples {
        let request = schedule.workload.request(sample.job);
        *work.entry(request.user).or_default() += sample.runtime * f64::from(request.processors);
    }
    let (users, work): (Vec<i32>, Vec<f64>) = work.into_iter().unzip();
    falling(&work)
        .into_iter()
        .take(HEAVIEST_USERS)
        .map(|place| users[place])
        .collect()
}

/// Returns the standard deviation (over months, population form) of the monthly mean waits.
pub(super) fn stability(schedule: &Schedule, samples: &[Sample]) -> f64 {
    let mut months: BTreeMap<Month, (f64, f64)> = BTreeMap::new();
    for sample in samples {
        let month = Month::of(
            schedule.workload.request(sample.job).submitted,
            schedule.workload.provenance.unix_start,
        );
        let (sum, count) = months.entry(month).or_default();
        *sum += sample.wait;
        *count += 1.0;
    }
    let means: Vec<f64> = months.values().map(|(sum, count)| sum / count).collect();
    let mean = means.iter().sum::<f64>() / means.len().max(1) as f64;
    (means.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>() / means.len().max(1) as f64).sqrt()
}
