//! Selected jobs: by a filter, by an area of a timeline, by rank.

use super::state::Session;
use crate::job::JobId;
use crate::metrics::measure_jobs;
use crate::problem::Problem;
use crate::view::{Filter, RowsBy, Viewport, area, ranked};
use serde::Serialize;
use std::collections::BTreeMap;

/// Number of pixels, as (width, height), with which the lanes of an area are computed.
const AREA: (usize, usize) = (1000, 1000);

/// The facts about some jobs of a run.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SelectionFacts {
    /// Number of jobs.
    pub jobs: usize,
    /// Work in processor seconds. For an area, only the work in it counts; on rows of GPUs, in GPU seconds.
    pub work: f64,
    /// Figures of the jobs that ended, by key, such as `wait.mean`; `jobs.value` is the number of
    /// these jobs.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, number>"))]
    pub figures: BTreeMap<String, f64>,
}

impl Session {
    /// Dims all jobs that do not pass a filter such as `user:7 wait>1h`; dims none if it is empty.
    /// Returns the facts about the jobs that pass.
    ///
    /// # Errors
    /// If a word of the filter is not understood.
    pub fn filter(&mut self, text: &str) -> Result<SelectionFacts, Problem> {
        let filter =
            Filter::for_workload(text, &self.schedule().workload)?.bounding(self.run().threshold());
        self.set_filter(filter);
        let jobs = self.kept_jobs();
        let schedule = self.schedule();
        let workload = &schedule.workload;
        let work = |job: &JobId| {
            schedule.run_time(*job).seconds() * f64::from(workload.request(*job).processors)
        };
        Ok(self.selection(&jobs, jobs.iter().map(work).sum()))
    }

    /// Returns the facts about the jobs in an area of a timeline that pass the filter.
    pub fn area(&mut self, window: &Viewport, rows: RowsBy) -> SelectionFacts {
        let lanes = self.lanes(window, AREA, rows);
        let session = &*self;
        let (schedule, index) = session.as_indexed();
        let found = area(schedule, index, window, &lanes, |job| session.keeps(job));
        self.selection(&found.jobs, found.used)
    }

    /// Returns the indices of up to `count` jobs that pass the filter, from place `from` on. They
    /// are in order of arrival or, if `field` names a field of filters, in the order of that field,
    /// the greatest first.
    pub fn listed(&mut self, field: &str, from: usize, count: usize) -> Vec<u32> {
        let rank = |session: &Self, jobs: Vec<JobId>| {
            let threshold = session.run().threshold();
            ranked(session.schedule(), &jobs, field, threshold).unwrap_or(jobs)
        };
        let jobs = self.ranked(field, rank);
        jobs.iter()
            .skip(from)
            .take(count)
            .map(|job| job.0)
            .collect()
    }

    fn selection(&self, jobs: &[JobId], work: f64) -> SelectionFacts {
        SelectionFacts {
            jobs: jobs.len(),
            work,
            figures: measure_jobs(self.schedule(), &self.run().scenario.settings, jobs),
        }
    }
}
