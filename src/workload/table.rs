//! The table of jobs, and where they come from.

use crate::job::{Demand, JobId, Program, Request, Shape};
use crate::problem::Problem;
use crate::pulse::beat;
use crate::time::{Span, Time};
use crate::trace::Report;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where a workload comes from and what was done to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Provenance {
    /// File name of the trace, or the model with its parameters.
    pub name: String,
    /// SHA-256 of the trace's text; of the generated text for a model.
    pub sha256: String,
    /// `UnixStartTime` of the trace: when its zero was, in seconds since 1970.
    pub unix_start: Option<i64>,
    /// What was done, in order, in words.
    pub steps: Vec<String>,
}

/// A table of jobs, sorted by submit time.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// Where it comes from.
    pub provenance: Provenance,
    /// Reading and cleaning, each rule counted.
    pub report: Report,
    /// What each job asks for.
    pub requests: Vec<Request>,
    /// What will happen when it runs.
    pub programs: Vec<Program>,
    /// What processes do, where that is described: programs say which of these is theirs.
    pub shapes: Vec<Arc<Shape>>,
    /// What each job needs of a node's resources; empty where that is not known.
    pub demands: Vec<Option<Demand>>,
    /// Which record of the trace each job was.
    pub sources: Vec<u32>,
    /// Processors of the machine it is for.
    pub processors: u32,
}

impl Workload {
    /// How many jobs.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// What `job` asks for.
    pub fn request(&self, job: JobId) -> &Request {
        &self.requests[job.index()]
    }

    /// What happens when `job` runs.
    pub fn program(&self, job: JobId) -> &Program {
        &self.programs[job.index()]
    }

    /// What the processes of `job` do, where that is described.
    pub fn shape(&self, job: JobId) -> Option<&Arc<Shape>> {
        self.shapes.get(self.program(job).shape? as usize)
    }

    /// What `job` needs of a node's resources, if that is known.
    pub fn demand(&self, job: JobId) -> Option<&Demand> {
        self.demands.get(job.index())?.as_ref()
    }

    /// A hash of what happens: machine size, and of every job its record, submission, size and run
    /// time. Runs of equal workloads can be compared job by job, whatever schedulers were told of
    /// their lengths.
    pub fn identity(&self) -> String {
        let mut print = crate::trace::Fingerprint::default();
        print.push(&self.processors.to_le_bytes());
        for ((request, program), source) in
            self.requests.iter().zip(&self.programs).zip(&self.sources)
        {
            beat(128);
            print.push(&source.to_le_bytes());
            print.push(&request.submitted.microseconds().to_le_bytes());
            print.push(&request.processors.to_le_bytes());
            print.push(&program.runtime.microseconds().to_le_bytes());
            if let Some(shape) = program.shape {
                print.push(&shape.to_le_bytes());
            }
        }
        for shape in &self.shapes {
            let Shape {
                pattern,
                ref compute,
                group,
                jitter,
                seed,
            } = **shape;
            print.push(&[pattern as u8]);
            compute
                .iter()
                .for_each(|compute| print.push(&compute.to_le_bytes()));
            print.push(&group.to_le_bytes());
            print.push(&jitter.to_le_bytes());
            print.push(&seed.to_le_bytes());
        }
        print.finish()
    }

    /// All job ids, in order of arrival.
    pub fn ids(&self) -> impl Iterator<Item = JobId> + use<> {
        (0..self.len() as u32).map(JobId)
    }

    /// Offered load: work of all jobs over what the machine can do between first and last
    /// submission.
    pub fn offered_load(&self) -> f64 {
        let (Some(first), Some(last)) = (self.requests.first(), self.requests.last()) else {
            return 0.0;
        };
        let work: f64 = self
            .requests
            .iter()
            .zip(&self.programs)
            .map(|(r, p)| f64::from(r.processors) * p.runtime.seconds())
            .sum();
        let capacity = f64::from(self.processors) * (last.submitted - first.submitted).seconds();
        if capacity > 0.0 { work / capacity } else { 0.0 }
    }

    /// Mean, median, p90, p95, p99, maximum and standard deviation of sizes, run times, estimates
    /// and inter-arrival times (in seconds), by name.
    pub fn statistics(&self) -> Vec<(String, [f64; 7])> {
        let gaps = self
            .requests
            .windows(2)
            .map(|pair| (pair[1].submitted - pair[0].submitted).seconds())
            .collect();
        let columns: [(&str, Vec<f64>); 4] = [
            (
                "processors",
                self.requests
                    .iter()
                    .map(|r| f64::from(r.processors))
                    .collect(),
            ),
            (
                "run time (s)",
                self.programs.iter().map(|p| p.runtime.seconds()).collect(),
            ),
            (
                "estimate (s)",
                self.requests.iter().map(|r| r.estimate.seconds()).collect(),
            ),
            ("inter-arrival (s)", gaps),
        ];
        columns
            .into_iter()
            .map(|(name, values)| {
                (
                    name.to_owned(),
                    crate::statistics::Distribution::of(values).without_interval(),
                )
            })
            .collect()
    }

    /// Checks what every simulation relies on: there are jobs, they are sorted, none is wider than
    /// the machine, and no schedule of them can leave the range of [`Time`].
    ///
    /// # Errors
    /// Where one does not hold.
    pub fn check(&self) -> Result<(), Problem> {
        let Some(last) = self.requests.last() else {
            let rules = self
                .report
                .rules
                .iter()
                .filter(|rule| rule.effect == crate::trace::Effect::Skipped);
            let dropped = rules
                .map(|rule| {
                    format!(
                        "{} job{}: {}",
                        rule.count,
                        if rule.count == 1 { "" } else { "s" },
                        rule.text
                    )
                })
                .collect::<Vec<_>>()
                .join("; ");
            return Err(Problem::new(
                format!("No job is left to simulate ({dropped})."),
                "Every job of the trace was dropped.",
                "Change the settings of reading, the machine's size or the window of jobs, or \
                    choose another trace.",
            ));
        };
        if self.len() > u32::MAX as usize / 4 {
            return Err(Problem::new(
                format!("{} jobs are too many.", self.len()),
                "A run holds at most 1,073,741,823 jobs.",
                "Choose a window of jobs.",
            ));
        }
        debug_assert!(self.requests.is_sorted_by_key(|request| request.submitted));
        debug_assert!(
            self.requests
                .iter()
                .all(|request| (1..=self.processors).contains(&request.processors))
        );
        let total: i128 = self
            .programs
            .iter()
            .map(|program| i128::from(program.runtime.microseconds()))
            .sum();
        if total + i128::from((last.submitted - Time::ZERO).microseconds())
            > i128::from(Span::LONGEST_TOTAL.microseconds())
        {
            return Err(Problem::new(
                "The run times add up to more than 146,000 years.",
                "Times are kept exactly, in microseconds, and that is the end of their range.",
                "Check the trace's run times, or reduce the run-time factor.",
            ));
        }
        Ok(())
    }
}
