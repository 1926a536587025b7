//! Job metrics by class: size, run time, month, and attributes such as user, queue or account.

use super::Sample;
use super::calendar::Month;
use super::distribution::distributions;
use super::month::attributes;
use crate::job::JobId;
use crate::schedule::Schedule;
use crate::sorting::falling;
use crate::workload::{Attribute, AttributeFacts, Workload};
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
    /// By group of users: the ten with the most work, then all others, then the unknown.
    Group,
    /// By queue, in the same way.
    Queue,
    /// By partition, in the same way, if the trace has partitions beside its queues.
    Partition,
    /// By account, in the same way, if the log has them.
    Account,
    /// By quality of service, in the same way, if the log has them.
    Qos,
    /// By the state in which the log has the job, in the same way.
    State,
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

/// Number of users, queues or words that have a class of their own.
const HEAVIEST: usize = 10;

/// The rank of the class of all others, and of the class of jobs whose value is unknown.
const OTHERS: i64 = i64::MAX - 1;
const UNKNOWN: i64 = i64::MAX;

/// Groupings by attributes, with the ids of these.
const ATTRIBUTES: [(Grouping, &str); 7] = [
    (Grouping::User, "user"),
    (Grouping::Group, "group"),
    (Grouping::Queue, "queue"),
    (Grouping::Partition, "partition"),
    (Grouping::Account, "account"),
    (Grouping::Qos, "qos"),
    (Grouping::State, "state"),
];

impl Grouping {
    /// Returns the id of the grouping in files and forms.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::RunTime => "run_time",
            Self::User => "user",
            Self::Group => "group",
            Self::Queue => "queue",
            Self::Partition => "partition",
            Self::Account => "account",
            Self::Qos => "qos",
            Self::State => "state",
            Self::Month => "month",
        }
    }

    /// Returns the groupings of jobs with these attributes, except months: size, run time and user,
    /// and those by one of the attributes.
    pub fn of(attributes: &[AttributeFacts]) -> Vec<Self> {
        let has = |id: &str| attributes.iter().any(|attribute| attribute.id == id);
        let further = ATTRIBUTES
            .into_iter()
            .filter(|(grouping, id)| *grouping != Self::User && has(id))
            .map(|(grouping, _)| grouping);
        [Self::Size, Self::RunTime, Self::User]
            .into_iter()
            .chain(further)
            .collect()
    }

    fn attribute(self, workload: &Workload) -> Option<Attribute> {
        let (_, id) = ATTRIBUTES.iter().find(|(known, _)| *known == self)?;
        workload.attribute(id)
    }
}

/// A classifier that puts jobs into the classes of a grouping.
pub(super) struct Classifier {
    grouping: Grouping,
    attribute: Option<Attribute>,
    /// The values with a class of their own, most work first.
    heaviest: Vec<i64>,
}

impl Classifier {
    pub(super) fn new(schedule: &Schedule, samples: &[Sample], grouping: Grouping) -> Self {
        let attribute = grouping.attribute(&schedule.workload);
        let mut work: BTreeMap<i64, f64> = BTreeMap::new();
        for sample in samples.iter().filter(|_| attribute.is_some()) {
            if let Some(key) = key(&schedule.workload, attribute, sample.job) {
                let size = schedule.workload.request(sample.job).processors;
                *work.entry(key).or_default() += sample.runtime * f64::from(size);
            }
        }
        let (values, work): (Vec<i64>, Vec<f64>) = work.into_iter().unzip();
        let heaviest = falling(&work).into_iter().take(HEAVIEST);
        Self {
            grouping,
            attribute,
            heaviest: heaviest.map(|place| values[place]).collect(),
        }
    }

    /// Returns the rank of a job's class among the classes of the grouping.
    pub(super) fn rank(&self, schedule: &Schedule, sample: &Sample) -> i64 {
        let request = schedule.workload.request(sample.job);
        match self.grouping {
            Grouping::Size => i64::from(request.processors.next_power_of_two()),
            Grouping::RunTime => {
                // The last class has no limit, so the index is in range.
                RUN_TIMES.partition_point(|(limit, _)| *limit < sample.runtime) as i64
            }
            Grouping::Month => month(schedule, sample).rank(),
            _ => match key(&schedule.workload, self.attribute, sample.job) {
                None => UNKNOWN,
                Some(key) => {
                    let rank = self.heaviest.iter().position(|heavy| *heavy == key);
                    rank.map_or(OTHERS, |rank| rank as i64)
                }
            },
        }
    }

    /// Returns the name of the class of a job, which has this rank.
    pub(super) fn name(&self, schedule: &Schedule, sample: &Sample, rank: i64) -> String {
        let workload = &schedule.workload;
        match (self.grouping, rank) {
            (Grouping::Size, ..=2) => rank.to_string(),
            (Grouping::Size, _) => format!("{} to {rank}", rank / 2 + 1),
            (Grouping::RunTime, _) => RUN_TIMES[rank as usize].1.to_owned(),
            (Grouping::Month, _) => month(schedule, sample).name(),
            (_, OTHERS) => "all others".to_owned(),
            (_, UNKNOWN) => "unknown".to_owned(),
            _ => {
                let (Some(attribute), Some(key)) =
                    (self.attribute, key(workload, self.attribute, sample.job))
                else {
                    return String::new();
                };
                let word = workload.word(attribute, key).map(str::to_owned);
                word.unwrap_or_else(|| format!("{} {key}", self.grouping.id()))
            }
        }
    }
}

/// Returns the value of a job, if it has one. Jobs without a user number share the user -1, as in
/// the trace.
fn key(workload: &Workload, attribute: Option<Attribute>, job: JobId) -> Option<i64> {
    match attribute? {
        Attribute::User => Some(workload.request(job).user.into()),
        attribute => workload.key(attribute, job),
    }
}

fn month(schedule: &Schedule, sample: &Sample) -> Month {
    Month::of(
        schedule.workload.request(sample.job).submitted,
        schedule.workload.provenance.unix_start,
    )
}

pub(super) fn measure(
    schedule: &Schedule,
    samples: &[Sample],
    grouping: Grouping,
) -> Vec<JobClass> {
    let classifier = Classifier::new(schedule, samples, grouping);
    let mut classes: BTreeMap<i64, Vec<Sample>> = BTreeMap::new();
    for sample in samples {
        classes
            .entry(classifier.rank(schedule, sample))
            .or_default()
            .push(*sample);
    }
    classes
        .into_iter()
        .map(|(rank, samples)| {
            let mut figures = BTreeMap::new();
            distributions("", &samples, &mut figures);
            if grouping == Grouping::Month {
                attributes(schedule, &samples, &mut figures);
            }
            let jobs: Vec<JobId> = samples.iter().map(|sample| sample.job).collect();
            let mut put = |key: &str, value| {
                figures.insert(key.to_owned(), value);
            };
            schedule.own.class_figures(schedule, &jobs, &mut put);
            let work = samples
                .iter()
                .map(|s| s.runtime * f64::from(schedule.workload.request(s.job).processors))
                .sum();
            JobClass {
                name: classifier.name(schedule, &samples[0], rank),
                jobs: samples.len(),
                work,
                figures,
            }
        })
        .collect()
}

/// Returns the names of the classes, and the index of the class of each job.
pub(super) fn of_jobs(
    schedule: &Schedule,
    samples: &[Sample],
    grouping: Grouping,
) -> (Vec<String>, Vec<Option<u32>>) {
    let classifier = Classifier::new(schedule, samples, grouping);
    let mut ranks: BTreeMap<i64, Sample> = BTreeMap::new();
    for sample in samples {
        ranks
            .entry(classifier.rank(schedule, sample))
            .or_insert(*sample);
    }
    let names = ranks
        .iter()
        .map(|(rank, first)| classifier.name(schedule, first, *rank));
    let names = names.collect();
    let index = crate::sorting::map(ranks.keys().copied().zip(0_u32..));
    let mut of = vec![None; schedule.workload.len()];
    for sample in samples {
        of[sample.job.index()] = index.get(&classifier.rank(schedule, sample)).copied();
    }
    (names, of)
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
