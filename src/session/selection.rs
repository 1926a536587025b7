//! Jobs that are selected: by a filter, by an area of a timeline, by rank.

use super::state::Session;
use crate::job::JobId;
use crate::metrics::measure_jobs;
use crate::problem::Problem;
use crate::view::{Filter, Lanes, Viewport, area, ranked};
use serde::Serialize;
use std::collections::BTreeMap;

/// Areas are looked at as if they had so many pixels.
const AREA: (usize, usize) = (1000, 1000);

/// Some jobs of a run.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SelectionFacts {
    /// How many.
    pub jobs: usize,
    /// Processor seconds: of an area, those in it.
    pub work: f64,
    /// Figures of those that ended, by key, such as `wait.mean`; `jobs.value` is how many these
    /// are.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, number>"))]
    pub figures: BTreeMap<String, f64>,
}

impl Session {
    /// Dims all jobs but those that a filter such as `user:7 wait>1h` names; none if it is empty.
    /// Returns the facts of the others.
    ///
    /// # Errors
    /// A word of the filter that is not understood.
    pub fn filter(&mut self, text: &str) -> Result<SelectionFacts, Problem> {
        let unix_start = self.schedule().workload.provenance.unix_start;
        let filter = Filter::parse(text, unix_start)?.bounding(self.run().threshold());
        self.set_filter(filter);
        let jobs = self.kept_jobs();
        let workload = &self.schedule().workload;
        let work = |job: &JobId| {
            workload.program(*job).runtime.seconds() * f64::from(workload.request(*job).processors)
        };
        Ok(self.selection(&jobs, jobs.iter().map(work).sum()))
    }

    /// Returns the facts of the jobs in an area of a timeline that pass the filter.
    pub fn area(&mut self, window: &Viewport, shared: bool) -> SelectionFacts {
        self.update_index();
        let session = &*self;
        let (schedule, index, overlaps) = session.as_indexed();
        let lanes = Lanes::new(schedule, overlaps, window, AREA, shared);
        let found = area(schedule, index, window, &lanes, |job| session.keeps(job));
        self.selection(&found.jobs, found.used)
    }

    /// Returns the indexes of up to `count` jobs that pass the filter, from a place on: in order of
    /// arrival, or, if a field of filters is named, by that field, the greatest first.
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
