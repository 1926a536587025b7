//! The result of a cell: what remains of its run.

use super::document::Keep;
use crate::experiment::{ENGINE, Run, VERSION};
use crate::metrics::{self, Grouping, JobClass, measure_classes};
use crate::sorting::{falling, map};
use crate::statistics::{batch_means, percentiles};
use crate::trace::MachineSize;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures of a finished cell, with the other parts that its plan keeps. The result does not depend
/// on when or where the cell ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CellResult {
    /// The key of the cell.
    pub key: String,
    /// The version of the program that ran the cell.
    pub version: String,
    /// The hash of the engine that ran the cell.
    #[serde(default)]
    pub engine: String,
    /// The name of the trace.
    pub trace: String,
    /// SHA-256 of the trace's text.
    pub sha256: String,
    /// The parts that the result keeps beside the figures.
    pub keep: Vec<Keep>,
    /// Hash of the machine, the jobs, and the selection of measured jobs. Cells with the same hash
    /// can be compared job by job.
    pub identity: String,
    /// Number of jobs that took part.
    pub jobs: u32,
    /// Number of processors of the machine.
    pub processors: u32,
    /// The machine's size, if it is a guess that no user has confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<MachineSize>,
    /// Offered load, as a share of the machine.
    pub offered_load: f64,
    /// Digest of the schedule, in hex.
    pub digest: String,
    /// Every figure of the run, by key such as `wait.mean`.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, number>"))]
    pub figures: BTreeMap<String, f64>,
    /// Means of wait, response and bounded slowdown over 20 equal batches of jobs, in the order of
    /// arrival. Confidence intervals and paired differences are computed from them. Empty if there
    /// are too few jobs.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, number[]>"))]
    pub batches: BTreeMap<String, Vec<f64>>,
    /// Figures of each month.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub months: Vec<JobClass>,
    /// Figures of each class, by grouping: `size`, `run_time`, `user`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "Record<string, JobClass[]>", optional)
    )]
    pub classes: BTreeMap<String, Vec<JobClass>>,
    /// Percentiles 0, 1, ... 100 of wait, response and bounded slowdown. A key like `wait.shorter`
    /// or `wait.longer` has those of the half of the jobs with the shorter or longer run times.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "Record<string, number[]>", optional)
    )]
    pub quantiles: BTreeMap<String, Vec<f64>>,
    /// A sample of the jobs, evenly spaced in the order of arrival.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sample: Vec<SampledJob>,
    /// SHA-256 of the result without this field.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub checksum: String,
}

/// A job of a sample. Times are in seconds.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SampledJob {
    /// Index of the job's record in the trace.
    pub record: u32,
    /// The number of the job in the trace.
    pub number: i64,
    /// The submission of the job, in seconds after the trace's zero.
    pub submitted: f64,
    /// Number of processors of the job.
    pub processors: u32,
    /// Estimate of the job, in seconds.
    pub estimate: f64,
    /// Run time of the job, in seconds.
    pub runtime: f64,
    /// Wait of the job, in seconds.
    pub wait: f64,
    /// Bounded slowdown of the job.
    pub bounded_slowdown: f64,
}

/// The largest number of jobs in a sample.
const SAMPLE: usize = 1000;

/// The figures of classes that tables and charts show, beside those of workloads.
const CLASS_FIGURES: [&str; 6] = [
    "node_use.gpus",
    "node_use.memory",
    "wait.mean",
    "wait.median",
    "response.mean",
    "bounded_slowdown.mean",
];

/// Measures a complete run, and returns the result of its cell.
pub fn measure_cell(key: &str, run: &Run, keep: &[Keep]) -> CellResult {
    let schedule = run.schedule();
    let settings = &run.scenario.settings;
    let workload = &schedule.workload;
    let classes = |grouping| {
        let mut classes = measure_classes(schedule, settings, grouping);
        classes.iter_mut().for_each(|class| {
            let all = std::mem::take(&mut class.figures).into_iter();
            class.figures = map(all.filter(|(key, _)| {
                CLASS_FIGURES.contains(&key.as_str()) || key.starts_with("workload.")
            }));
        });
        classes
    };
    let jobs = metrics::per_job(schedule, settings);
    let columns: [(&str, Vec<f64>); 3] = [
        ("wait", jobs.iter().map(|job| job.wait).collect()),
        ("response", jobs.iter().map(|job| job.response).collect()),
        (
            "bounded_slowdown",
            jobs.iter().map(|job| job.bounded_slowdown).collect(),
        ),
    ];
    let halves = || {
        let shortness: Vec<f64> = jobs.iter().map(|job| -job.runtime).collect();
        let mut order = falling(&shortness);
        let longer = order.split_off(jobs.len().div_ceil(2));
        let of = |half: &'static str, order: Vec<usize>| {
            let column = move |(name, values): &(&str, Vec<f64>)| {
                let values: Vec<f64> = order.iter().map(|job| values[*job]).collect();
                (format!("{name}.{half}"), percentiles(&values))
            };
            columns.iter().map(column).collect::<Vec<_>>()
        };
        [of("shorter", order), of("longer", longer)].concat()
    };
    let named = |of: &dyn Fn(&[f64]) -> Vec<f64>| {
        columns
            .iter()
            .map(|(name, values)| ((*name).to_owned(), of(values)))
            .collect()
    };
    let wanted = |what| keep.contains(&what);
    let step = jobs.len().div_ceil(SAMPLE).max(1);
    let sampled = |job: &metrics::Sample| {
        let request = workload.request(job.job);
        SampledJob {
            record: workload.sources[job.job.index()],
            number: request.number,
            submitted: request.submitted.seconds(),
            processors: request.processors,
            estimate: request.estimate.seconds(),
            runtime: job.runtime,
            wait: job.wait,
            bounded_slowdown: job.bounded_slowdown,
        }
    };
    let measured = jobs.first().map_or(0, |first| first.job.0);
    CellResult {
        key: key.into(),
        version: VERSION.into(),
        engine: ENGINE.into(),
        trace: workload.provenance.name.clone(),
        sha256: workload.provenance.sha256.clone(),
        keep: keep.to_vec(),
        identity: format!("{} {measured}+{}", workload.identity(), jobs.len()),
        jobs: workload.len() as u32,
        processors: workload.processors,
        size: workload
            .report
            .size
            .clone()
            .filter(MachineSize::is_doubtful),
        offered_load: workload.offered_load(),
        digest: format!("{:016x}", schedule.digest()),
        figures: run.measures().figures,
        batches: named(&|values| batch_means(values)),
        months: if wanted(Keep::Months) {
            classes(Grouping::Month)
        } else {
            Vec::new()
        },
        classes: if wanted(Keep::Classes) {
            let groupings = Grouping::of(&workload.attributes()).into_iter();
            map(groupings.map(|grouping| (grouping.id().to_owned(), classes(grouping))))
        } else {
            BTreeMap::new()
        },
        quantiles: if wanted(Keep::Quantiles) {
            let mut all: BTreeMap<_, _> = named(&|values| percentiles(values));
            all.extend(halves());
            all
        } else {
            BTreeMap::new()
        },
        sample: if wanted(Keep::Jobs) {
            jobs.iter().step_by(step).map(sampled).collect()
        } else {
            Vec::new()
        },
        checksum: String::new(),
    }
    .sealed()
}
