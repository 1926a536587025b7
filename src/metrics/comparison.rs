//! The comparison of two runs of the same jobs, job by job: gains and losses, by time and by class.

use super::classes::Classifier;
use super::{Grouping, Paired, Sample, paired, per_job};
use crate::param::Settings;
use crate::schedule::Schedule;
use crate::sorting::{falling, map};
use crate::workload::Attribute;
use serde::Serialize;
use std::collections::BTreeMap;

/// The differences of waits between two runs. Times are in seconds, differences are second minus
/// first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Comparison {
    /// The differences over all jobs together.
    pub paired: Paired,
    /// Numbers of jobs by difference.
    pub distribution: Vec<Bar>,
    /// Differences by time of arrival, in equal parts.
    pub over_time: Vec<BarStretch>,
    /// Differences by class, by the ids of groupings: `size`, `run_time`, `user`, and those for which
    /// the log has an attribute.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, ClassChange[]>"))]
    pub classes: BTreeMap<&'static str, Vec<ClassChange>>,
    /// Jobs that wait less in the second run, largest difference first.
    pub winners: Vec<Change>,
    /// Jobs that wait longer in the second run, largest difference first.
    pub losers: Vec<Change>,
}

/// A bar of the distribution: the jobs whose difference is in a range.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Bar {
    /// Name of the range, in words.
    pub name: String,
    /// Number of jobs.
    pub jobs: usize,
}

/// The jobs that arrive in [from, to).
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct BarStretch {
    /// Beginning of the part, in seconds.
    pub from: f64,
    /// End of the part, in seconds.
    pub to: f64,
    /// Number of jobs.
    pub jobs: usize,
    /// Mean difference of these jobs.
    pub mean: f64,
}

/// A class of jobs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ClassChange {
    /// Name of the class.
    pub name: String,
    /// Number of jobs.
    pub jobs: usize,
    /// Mean wait in the first run.
    pub first: f64,
    /// Mean wait in the second run.
    pub second: f64,
    /// Number of jobs that wait less in the second run.
    pub gained: usize,
    /// Number of jobs that wait longer in the second run.
    pub lost: usize,
}

/// A job, with its waits in both runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Change {
    /// Index of its record in the trace.
    pub record: u32,
    /// Its number in the trace.
    pub number: i64,
    /// User number.
    pub user: i32,
    /// Name of the user, else the number as text.
    pub user_name: String,
    /// Size of the job, in processors.
    pub processors: u32,
    /// Run time, in seconds.
    pub runtime: f64,
    /// Submission, in seconds.
    pub submitted: f64,
    /// Wait in the first run, in seconds.
    pub first: f64,
    /// Wait in the second run, in seconds.
    pub second: f64,
}

/// Bounds of the ranges on both sides of no difference.
const BOUNDS: [(f64, &str); 6] = [
    (60.0, "1 min"),
    (600.0, "10 min"),
    (3600.0, "1 h"),
    (21_600.0, "6 h"),
    (86_400.0, "1 day"),
    (604_800.0, "1 week"),
];

/// Number of parts of the time of arrivals.
const PARTS: usize = 120;

/// Number of winners and of losers in a comparison.
const LARGEST: usize = 10;

/// Compares the waits of `second` with `first`, the waits of a first run of the same jobs in order
/// of arrival. A job whose first wait is not a number (it has not started) does not count.
pub fn compare(first: &[f64], second: &Schedule, settings: &Settings) -> Comparison {
    let jobs: Vec<(Sample, f64)> = per_job(second, settings)
        .into_iter()
        .filter_map(|sample| {
            Some((
                sample,
                *first
                    .get(sample.job.index())
                    .filter(|wait| wait.is_finite())?,
            ))
        })
        .collect();
    let (before, after): (Vec<f64>, Vec<f64>) = jobs
        .iter()
        .map(|(sample, first)| (*first, sample.wait))
        .unzip();
    // A stable sort keeps equal differences in order of arrival.
    let largest = |sign: f64| {
        let by: Vec<f64> = jobs
            .iter()
            .map(|(sample, first)| sign * (sample.wait - first))
            .collect();
        let changed = falling(&by).into_iter().take_while(|job| by[*job] > 0.0);
        changed
            .take(LARGEST)
            .map(|job| change(second, &jobs[job]))
            .collect()
    };
    Comparison {
        paired: paired(&before, &after),
        distribution: distribution(&jobs),
        over_time: over_time(second, &jobs),
        classes: map(Grouping::of(&second.workload.attributes())
            .into_iter()
            .map(|grouping| (grouping.id(), classes(second, &jobs, grouping)))),
        winners: largest(-1.0),
        losers: largest(1.0),
    }
}

fn change(schedule: &Schedule, (sample, first): &(Sample, f64)) -> Change {
    let request = schedule.workload.request(sample.job);
    Change {
        record: schedule.workload.sources[sample.job.index()],
        number: request.number,
        user: request.user,
        user_name: schedule
            .workload
            .label(Attribute::User, request.user.into()),
        processors: request.processors,
        runtime: sample.runtime,
        submitted: request.submitted.seconds(),
        first: *first,
        second: sample.wait,
    }
}

fn distribution(jobs: &[(Sample, f64)]) -> Vec<Bar> {
    // The places run from the largest gain over no difference to the largest loss.
    let sides = BOUNDS.len() + 1;
    let mut counts = vec![0; 2 * sides + 1];
    for (sample, first) in jobs {
        let difference = sample.wait - first;
        let size = BOUNDS
            .iter()
            .filter(|(bound, _)| difference.abs() > *bound)
            .count()
            + 1;
        let place = match difference.total_cmp(&0.0) {
            std::cmp::Ordering::Less => sides - size,
            std::cmp::Ordering::Equal => sides,
            std::cmp::Ordering::Greater => sides + size,
        };
        counts[place] += 1;
    }
    let size_name = |size: usize| match size {
        1 => format!("up to {}", BOUNDS[0].1),
        size if size > BOUNDS.len() => format!("over {}", BOUNDS[size - 2].1),
        size => format!("{} to {}", BOUNDS[size - 2].1, BOUNDS[size - 1].1),
    };
    let name = |place: usize| match place.cmp(&sides) {
        std::cmp::Ordering::Less => format!("{} less", size_name(sides - place)),
        std::cmp::Ordering::Equal => "the same".to_owned(),
        std::cmp::Ordering::Greater => format!("{} longer", size_name(place - sides)),
    };
    counts
        .into_iter()
        .enumerate()
        .map(|(place, jobs)| Bar {
            name: name(place),
            jobs,
        })
        .collect()
}

fn over_time(schedule: &Schedule, jobs: &[(Sample, f64)]) -> Vec<BarStretch> {
    let submitted = |sample: &Sample| schedule.workload.request(sample.job).submitted.seconds();
    let (Some((first, _)), Some((last, _))) = (jobs.first(), jobs.last()) else {
        return Vec::new();
    };
    let (from, length) = (
        submitted(first),
        (submitted(last) - submitted(first)).max(1.0),
    );
    let mut parts = vec![(0, 0.0); PARTS];
    for (sample, first) in jobs {
        let part = ((submitted(sample) - from) / length * PARTS as f64) as usize;
        let (jobs, sum) = &mut parts[part.min(PARTS - 1)];
        *jobs += 1;
        *sum += sample.wait - first;
    }
    let at = |part: usize| from + length * part as f64 / PARTS as f64;
    let stretch = |(part, (jobs, sum)): (usize, (usize, f64))| BarStretch {
        from: at(part),
        to: at(part + 1),
        jobs,
        mean: sum / jobs.max(1) as f64,
    };
    parts.into_iter().enumerate().map(stretch).collect()
}

fn classes(schedule: &Schedule, jobs: &[(Sample, f64)], grouping: Grouping) -> Vec<ClassChange> {
    let samples: Vec<Sample> = jobs.iter().map(|(sample, _)| *sample).collect();
    let classifier = Classifier::new(schedule, &samples, grouping);
    let mut classes: BTreeMap<i64, ClassChange> = BTreeMap::new();
    for (sample, first) in jobs {
        let rank = classifier.rank(schedule, sample);
        let empty = || ClassChange {
            name: classifier.name(schedule, sample, rank),
            jobs: 0,
            first: 0.0,
            second: 0.0,
            gained: 0,
            lost: 0,
        };
        let class = classes.entry(rank).or_insert_with(empty);
        class.jobs += 1;
        class.first += first;
        class.second += sample.wait;
        class.gained += usize::from(sample.wait < *first);
        class.lost += usize::from(sample.wait > *first);
    }
    let mean = |class: ClassChange| {
        let jobs = class.jobs as f64;
        ClassChange {
            first: class.first / jobs,
            second: class.second / jobs,
            ..class
        }
    };
    classes.into_values().map(mean).collect()
}
