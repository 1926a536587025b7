//! One job: what it asked for, what happened to it, and with whom it shared nodes.

use super::names::PlacementFacts;
use super::state::Session;
use crate::job::JobId;
use crate::machines::smt::SmtRecord;
use crate::metrics::bounded_slowdown;
use crate::schedule::{Outcome, Overlap};
use crate::time::{Span, Time};
use serde::Serialize;

/// Partners of a job that are told.
const PARTNERS: usize = 50;

/// A job and what happened to it.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct JobFacts {
    /// Index in the run.
    pub job: u32,
    /// Which record of the trace it is: the same in every run.
    pub record: u32,
    /// Number in the trace.
    pub number: i64,
    /// User, -1 if unknown.
    pub user: i32,
    /// Group, -1 if unknown.
    pub group: i32,
    /// Application, -1 if unknown.
    pub application: i32,
    /// Queue, -1 if unknown.
    pub queue: i32,
    /// Size.
    pub processors: u32,
    /// Submission.
    pub submitted: f64,
    /// Requested time.
    pub estimate: f64,
    /// Run time.
    pub runtime: f64,
    /// What happened.
    pub outcome: Outcome,
    /// Start, once started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// End, once ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
    /// Wait, once started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<f64>,
    /// Bounded slowdown with the threshold of the run's settings, once ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounded_slowdown: Option<f64>,
    /// The processors that it started on, once started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement: Option<PlacementFacts>,
    /// How often it moved to others.
    pub moves: usize,
    /// With whom it shared nodes, in order of time; not all of very many.
    pub partners: Vec<PartnerFacts>,
    /// How many there were.
    pub partner_count: usize,
}

/// A time in which two jobs shared nodes.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PartnerFacts {
    /// Index of the other one in the run.
    pub job: u32,
    /// Which record of the trace it is.
    pub record: u32,
    /// Its number in the trace.
    pub number: i64,
    /// From when on.
    pub from: f64,
    /// Until when.
    pub to: f64,
    /// How many nodes.
    pub nodes: u32,
    /// How many times longer the job takes beside this one alone.
    pub slowdown: f64,
    /// By how much it got on less than by itself, in seconds; nothing where one of the two had
    /// others beside it as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<f64>,
    /// By how much the two got on more than one after the other, in seconds; less than 0 where it
    /// was less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub won: Option<f64>,
}

impl Session {
    /// Returns the facts of a job, by its index; none if there is no such job.
    pub fn job(&mut self, job: u32) -> Option<JobFacts> {
        self.update_index();
        let schedule = self.schedule();
        if job as usize >= schedule.workload.len() {
            return None;
        }
        let job = JobId(job);
        let (request, program) = (
            schedule.workload.request(job),
            schedule.workload.program(job),
        );
        let known = |at: Time| (at != Time::NEVER).then(|| at.seconds());
        let (start, end) = (
            known(schedule.starts[job.index()]),
            known(schedule.ends[job.index()]),
        );
        let runtime = program.runtime.seconds();
        // Starts stand in order of time, so the job is among those that share its start.
        let first = schedule.order.partition_point(|entry| {
            schedule.starts[entry.job.index()] < schedule.starts[job.index()]
        });
        let mut entries = schedule.order[first..].iter();
        let entry = entries.find(|entry| entry.job == job);
        let placement = entry.map(|entry| PlacementFacts::of(schedule.placement(entry)));
        let mut partners = self.partners(job);
        let partner_count = partners.len();
        partners.truncate(PARTNERS);
        Some(JobFacts {
            job: job.0,
            record: schedule.workload.sources[job.index()],
            number: request.number,
            user: request.user,
            group: request.group,
            application: request.application,
            queue: request.queue,
            processors: request.processors,
            submitted: request.submitted.seconds(),
            estimate: request.estimate.seconds(),
            runtime,
            outcome: schedule.outcome(job),
            start,
            end,
            wait: schedule.wait(job).map(Span::seconds),
            bounded_slowdown: end.map(|end| {
                bounded_slowdown(
                    end - request.submitted.seconds(),
                    runtime,
                    self.run().threshold(),
                )
            }),
            placement,
            moves: schedule.moves.get(&job).map_or(0, Vec::len),
            partners,
            partner_count,
        })
    }

    /// Returns the index of the first job with this number in the trace.
    pub fn find_job(&self, number: i64) -> Option<u32> {
        let requests = &self.schedule().workload.requests;
        let found = requests.iter().position(|request| request.number == number);
        found.map(|at| at as u32)
    }

    /// Returns the facts of the job that a record of the trace became; none if it takes no part.
    pub fn job_of_record(&mut self, record: u32) -> Option<JobFacts> {
        let sources = &self.schedule().workload.sources;
        let found = sources.iter().position(|source| *source == record)?;
        self.job(found as u32)
    }

    /// Returns how many times longer a job takes beside another one.
    pub fn slowdown(&self, job: JobId, other: JobId) -> f64 {
        let workload = &self.schedule().workload;
        let record: Option<&SmtRecord> = self.schedule().of();
        let pairing = record.map(|record| record.pairing);
        pairing.map_or(1.0, |pairing| {
            pairing.slowdown(workload.demand(job), workload.demand(other)) as f64 / 1e4
        })
    }

    /// Returns the jobs that shared nodes with `job`, in order of time.
    fn partners(&self, job: JobId) -> Vec<PartnerFacts> {
        let workload = &self.schedule().workload;
        let mut overlaps: Vec<Overlap> = Vec::new();
        // Nodes that do not follow one another are told together.
        for overlap in self.overlaps().of(job) {
            match overlaps.last_mut() {
                Some(last) if (last.other, last.from) == (overlap.other, overlap.from) => {
                    last.nodes.count += overlap.nodes.count;
                }
                _ => overlaps.push(*overlap),
            }
        }
        crate::sorting::by(&mut overlaps, |overlap| {
            [overlap.from.microseconds().into(), 0]
        });
        let facts = |overlap: &Overlap| {
            let (own, others) = (
                self.slowdown(job, overlap.other),
                self.slowdown(overlap.other, job),
            );
            let length = (overlap.to - overlap.from).seconds();
            // A job is as slow as its slowest node: with several partners at a time what a pair
            // does is not the pair's alone.
            let meets = |found: &Overlap| found.from < overlap.to && overlap.from < found.to;
            let is_pair = |one: JobId, other: JobId| {
                !self
                    .overlaps()
                    .of(one)
                    .iter()
                    .any(|found| found.other != other && meets(found))
            };
            let is_pair = is_pair(job, overlap.other) && is_pair(overlap.other, job);
            PartnerFacts {
                job: overlap.other.0,
                record: workload.sources[overlap.other.index()],
                number: workload.request(overlap.other).number,
                from: overlap.from.seconds(),
                to: overlap.to.seconds(),
                nodes: overlap.nodes.count,
                slowdown: own,
                lost: is_pair.then(|| length - length / own),
                won: is_pair.then(|| length / own + length / others - length),
            }
        };
        overlaps.iter().map(facts).collect()
    }
}
