//! What is kept of a cell's run.

use super::document::Keep;
use crate::experiment::{ENGINE, Run, VERSION};
use crate::metrics::{self, Grouping, JobClass, measure_classes};
use crate::sorting::falling;
use crate::statistics::{batch_means, percentiles};
use crate::trace::MachineSize;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures of a finished cell, and what its plan wants kept beside them. Nothing in it depends on
/// when or where it ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CellResult {
    /// The cell's key.
    pub key: String,
    /// Version of the program.
    pub version: String,
    /// Hash of the engine that made it.
    #[serde(default)]
    pub engine: String,
    /// The trace's name.
    pub trace: String,
    /// SHA-256 of its text.
    pub sha256: String,
    /// What was kept beside the figures.
    pub keep: Vec<Keep>,
    /// Machine and jobs as a hash, and which of them were measured: cells with the same can be
    /// compared job by job.
    pub identity: String,
    /// Jobs that took part.
    pub jobs: u32,
    /// Processors of the machine.
    pub processors: u32,
    /// The machine's size, where it is a guess that nobody confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<MachineSize>,
    /// Offered load, as a share of the machine.
    pub offered_load: f64,
    /// Digest of the schedule, in hex.
    pub digest: String,
    /// Every figure, by key such as `wait.mean`.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, number>"))]
    pub figures: BTreeMap<String, f64>,
    /// Means of 20 equal batches of jobs in order of arrival, of wait, response and bounded
    /// slowdown: what confidence intervals and paired differences rest on. Empty with too few jobs.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, number[]>"))]
    pub batches: BTreeMap<String, Vec<f64>>,
    /// Figures by month.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub months: Vec<JobClass>,
    /// Figures by class: `size`, `run_time`, `user`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "Record<string, JobClass[]>", optional)
    )]
    pub classes: BTreeMap<String, Vec<JobClass>>,
    /// Percentiles 0, 1, ... 100 of wait, response and bounded slowdown; and, with a dot and
    /// `shorter` or `longer`, of the half of the jobs that has the shorter run times and of the
    /// other.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "Record<string, number[]>", optional)
    )]
    pub quantiles: BTreeMap<String, Vec<f64>>,
    /// Jobs, evenly drawn in order of arrival.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sample: Vec<SampledJob>,
    /// SHA-256 of all of this but itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub checksum: String,
}

/// A job of a sample; times in seconds.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SampledJob {
    /// Its record in the trace.
    pub record: u32,
    /// Number in the trace.
    pub number: i64,
    /// Submission.
    pub submitted: f64,
    /// Size.
    pub processors: u32,
    /// Estimate.
    pub estimate: f64,
    /// Run time.
    pub runtime: f64,
    /// Wait.
    pub wait: f64,
    /// Bounded slowdown.
    pub bounded_slowdown: f64,
}

/// Jobs of a sample, at most.
const SAMPLE: usize = 1000;

/// Of a class, the figures that tables and charts show.
const CLASS_FIGURES: [&str; 4] = [
    "wait.mean",
    "wait.median",
    "response.mean",
    "bounded_slowdown.mean",
];

/// Takes the result of a complete run.
pub fn measure_cell(key: &str, run: &Run, keep: &[Keep]) -> CellResult {
    let schedule = run.schedule();
    let settings = &run.scenario.settings;
    let workload = &schedule.workload;
    let classes = |grouping| {
        let mut classes = measure_classes(schedule, settings, grouping);
        classes.iter_mut().for_each(|class| {
            class.figures.retain(|key, _| {
                CLASS_FIGURES.contains(&key.as_str()) || key.starts_with("workload.")
            });
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
            let groupings = [
                ("size", Grouping::Size),
                ("run_time", Grouping::RunTime),
                ("user", Grouping::User),
            ];
            groupings
                .into_iter()
                .map(|(name, grouping)| (name.to_owned(), classes(grouping)))
                .collect()
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
