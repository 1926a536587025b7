//! The table of jobs, and its provenance.

use super::log::Log;
use crate::cluster::{ADVANCE_RESERVATION, Cluster, NodeRequest, RESOURCES};
use crate::job::{Demand, Follow, JobId, Program, Request, Shape};
use crate::problem::Problem;
use crate::pulse::beat;
use crate::time::{Span, Time};
use crate::trace::Report;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The source of a workload, and the steps that changed it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Provenance {
    /// File name of the trace, or the name of the model with its parameters.
    pub name: String,
    /// SHA-256 of the trace's text. For a model, of the generated text.
    pub sha256: String,
    /// `UnixStartTime` of the trace: the date of its zero, in seconds since 1970.
    pub unix_start: Option<i64>,
    /// The steps that changed the workload, in order, in words.
    pub steps: Vec<String>,
}

/// The requests of jobs for nodes of a cluster.
#[derive(Clone, Debug)]
pub struct NodeRequests {
    /// The cluster.
    pub cluster: Arc<Cluster>,
    /// The different requests.
    pub table: Arc<Vec<NodeRequest>>,
    /// Index of the request of each job.
    pub of: Vec<u32>,
}

/// A table of jobs, sorted by submission.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// The source of the jobs.
    pub provenance: Provenance,
    /// The import report: reading and cleaning, with a count for each rule.
    pub report: Report,
    /// The request of each job.
    pub requests: Vec<Request>,
    /// The program of each job, which decides what happens when the job runs.
    pub programs: Vec<Program>,
    /// Descriptions of processes. A program names the one that applies to its job, if any.
    pub shapes: Vec<Arc<Shape>>,
    /// The demand of each job for a node's resources. Empty if no demands are known.
    pub demands: Vec<Option<Demand>>,
    /// The index of each job's record in the trace.
    pub sources: Vec<u32>,
    /// The recorded start of each job; [`Time::NEVER`] where the log has none. Empty if the log has
    /// no starts, or if jobs arrive or run at other times than in the log.
    pub recorded: Vec<Time>,
    /// The earlier job that each job follows, where the run decides when jobs arrive. Empty if all
    /// jobs arrive as in the log.
    pub follows: Vec<Option<Follow>>,
    /// The log that has these records, for names and further columns.
    pub log: Log,
    /// The requests of the jobs for nodes of a cluster, if the machine has nodes.
    pub nodes: Option<NodeRequests>,
    /// Number of processors of the machine.
    pub processors: u32,
    /// Number of processors beyond those of the machine that the recorded schedule needs. 0 for all
    /// simulated runs.
    pub overbooked: u32,
    /// The identity of the workload that simulated runs have, if this is the recorded schedule of
    /// the same jobs. Its run times are those of the log, also beyond estimates.
    pub compared_as: Option<String>,
}

impl Workload {
    /// Returns the number of jobs.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Returns true if the table has no job.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Returns the request of `job`.
    pub fn request(&self, job: JobId) -> &Request {
        &self.requests[job.index()]
    }

    /// Returns the program of `job`.
    pub fn program(&self, job: JobId) -> &Program {
        &self.programs[job.index()]
    }

    /// Returns the description of the processes of `job`, if there is one.
    pub fn shape(&self, job: JobId) -> Option<&Arc<Shape>> {
        self.shapes.get(self.program(job).shape? as usize)
    }

    /// Returns the demand of `job` for a node's resources, if it is known.
    pub fn demand(&self, job: JobId) -> Option<&Demand> {
        self.demands.get(job.index())?.as_ref()
    }

    /// Returns the index of the request for nodes of `job`; [`u32::MAX`] if it has none.
    pub fn node_request(&self, job: JobId) -> u32 {
        let of = self
            .nodes
            .as_ref()
            .and_then(|nodes| nodes.of.get(job.index()));
        of.copied().unwrap_or(u32::MAX)
    }

    /// Returns the highest tier of the partitions of `job`; 0 if the machine has no nodes.
    pub fn tier(&self, job: JobId) -> u32 {
        let nodes = self.nodes.as_ref();
        let request = nodes.and_then(|nodes| nodes.table.get(self.node_request(job) as usize));
        request.map_or(0, |request| request.tier)
    }

    /// Returns the name of what was short: a resource of nodes, a licence, or nodes that an advance
    /// reservation keeps.
    pub fn resource(&self, number: u32) -> String {
        let name = self.nodes.as_ref().and_then(|nodes| {
            let at = number as usize;
            if number == ADVANCE_RESERVATION {
                return Some("nodes that are not reserved in advance".into());
            }
            let licence = || nodes.cluster.licences.get(at.checked_sub(RESOURCES)?);
            let resource = nodes.cluster.resources.get(at).cloned();
            if nodes.cluster.power.map(|power| power + RESOURCES) == Some(at) {
                return Some("power".into());
            }
            resource.or_else(|| licence().map(|(name, _)| format!("licences of {name}")))
        });
        name.unwrap_or_else(|| "cores".into())
    }

    /// Returns the recorded start of `job`, if the log has it.
    pub fn recorded_start(&self, job: JobId) -> Option<Time> {
        let start = *self.recorded.get(job.index())?;
        (start != Time::NEVER).then_some(start)
    }

    /// Returns the number of processors that placements can name: those of the machine, and those
    /// that the recorded schedule needs beyond them.
    pub fn all_processors(&self) -> u32 {
        self.processors + self.overbooked
    }

    /// Exchanges two jobs, with everything that the table knows of them.
    pub fn exchange(&mut self, one: usize, other: usize) {
        let Self {
            provenance: _,
            report: _,
            requests,
            programs,
            shapes: _,
            demands,
            sources,
            recorded,
            // The links are complete only when the order is final.
            follows: _,
            log: _,
            nodes,
            processors: _,
            overbooked: _,
            compared_as: _,
        } = self;
        requests.swap(one, other);
        programs.swap(one, other);
        sources.swap(one, other);
        if !demands.is_empty() {
            demands.swap(one, other);
        }
        if !recorded.is_empty() {
            recorded.swap(one, other);
        }
        if let Some(nodes) = nodes {
            nodes.of.swap(one, other);
        }
    }

    /// Sets when a job arrives. The caller keeps the table sorted.
    pub fn arrives(&mut self, place: usize, at: Time) {
        self.requests[place].submitted = at;
    }

    /// Keeps the jobs with these indices only.
    pub fn keep(&mut self, is_kept: &[bool]) {
        fn some<T>(list: &mut Vec<T>, is_kept: &[bool]) {
            let mut at = 0;
            list.retain(|_| {
                at += 1;
                is_kept[at - 1]
            });
        }
        some(&mut self.requests, is_kept);
        some(&mut self.programs, is_kept);
        some(&mut self.sources, is_kept);
        if !self.demands.is_empty() {
            some(&mut self.demands, is_kept);
        }
        if !self.recorded.is_empty() {
            some(&mut self.recorded, is_kept);
        }
        if let Some(nodes) = &mut self.nodes {
            some(&mut nodes.of, is_kept);
        }
        self.report.kept = self.len() as u64;
    }

    /// Returns a hash of what decides the work: the size of the machine, and the record,
    /// submission, size, run time and processes of every job. Runs of workloads with the same hash
    /// can be compared job by job, even if their estimates differ.
    pub fn identity(&self) -> String {
        if let Some(identity) = &self.compared_as {
            return identity.clone();
        }
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

    /// Returns all job ids, in order of arrival.
    pub fn ids(&self) -> impl Iterator<Item = JobId> + use<> {
        (0..self.len() as u32).map(JobId)
    }

    /// Returns the offered load: the work of all jobs over what the machine can do between the
    /// first and the last submission. Returns 0 if that time is 0.
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

    /// Returns mean, median, p90, p95, p99, maximum and standard deviation of four columns, each
    /// with its name: sizes, run times, estimates and inter-arrival times. Times are in seconds.
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

    /// Checks the conditions that every simulation relies on: there are jobs, they are sorted, none
    /// is wider than the machine, and no schedule of them can leave the range of [`Time`].
    ///
    /// # Errors
    /// Fails if there are no jobs, too many jobs, or times out of range.
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
                "Times are exact, in microseconds, and cannot be longer.",
                "Check the trace's run times, or reduce the run-time factor.",
            ));
        }
        Ok(())
    }
}
