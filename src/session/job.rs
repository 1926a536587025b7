//! A job: what it asked for, what happened to it, and the jobs with which it shared nodes.

use super::state::Session;
use crate::job::JobId;
use crate::metrics::bounded_slowdown;
use crate::schedule::{Outcome, Overlap};
use crate::time::{Span, Time};
use crate::view::PlacementFacts;
use crate::workload::{Attribute, AttributeKind, Workload};
use serde::Serialize;

/// Largest number of partners, and of lost attempts, of a job that are told.
const PARTNERS: usize = 50;

/// A job, and what happened to it.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct JobFacts {
    /// Index of the job in the run.
    pub job: u32,
    /// Record of the trace that became the job. It is the same in every run.
    pub record: u32,
    /// Number of the job in the trace.
    pub number: i64,
    /// Number of the user; -1 if unknown.
    pub user: i32,
    /// Number of the group; -1 if unknown.
    pub group: i32,
    /// Number of the application; -1 if unknown.
    pub application: i32,
    /// Number of the queue; -1 if unknown.
    pub queue: i32,
    /// Values that the log has of the job beside sizes and times: names, partition, further columns.
    pub told: Vec<AttributeValue>,
    /// Size of the job.
    pub processors: u32,
    /// Submission, in seconds.
    pub submitted: f64,
    /// The job whose end the submission followed, in a closed loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<FollowFacts>,
    /// Requested time, in seconds.
    pub estimate: f64,
    /// Run time, in seconds.
    pub runtime: f64,
    /// Outcome of the job.
    pub outcome: Outcome,
    /// Start in seconds, if the job has started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// Recorded start in seconds, if the log has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<f64>,
    /// End in seconds, if the job has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
    /// Wait in seconds, if the job has started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<f64>,
    /// Bounded slowdown with the threshold of the run's settings, if the job has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounded_slowdown: Option<f64>,
    /// Processors on which the job started, if it has started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement: Option<PlacementFacts>,
    /// GPUs of the job, numbered node by node. Each attempt has the lowest free ones of its nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus: Option<PlacementFacts>,
    /// Number of moves to other processors.
    pub moves: usize,
    /// Number of times that the job was preempted and put back into the queue.
    pub requeues: usize,
    /// Periods of the last attempt in which the job was suspended, in seconds. One that lasts ends with the record.
    pub suspensions: Vec<(f64, f64)>,
    /// The first attempts that were lost so, in order of time.
    pub lost: Vec<AttemptFacts>,
    /// Jobs with which it shared nodes, in order of time. A long list is cut.
    pub partners: Vec<PartnerFacts>,
    /// Number of all entries of that list.
    pub partner_count: usize,
}

/// An attempt of a job that was preempted.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct AttemptFacts {
    /// The instant at which the job got its processors, in seconds.
    pub start: f64,
    /// The instant of the preemption, in seconds.
    pub end: f64,
    /// Processors on which the job started.
    pub placement: PlacementFacts,
    /// GPUs of the job, numbered node by node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus: Option<PlacementFacts>,
}

/// The job that another one follows.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct FollowFacts {
    /// Index of the earlier job in the run.
    pub job: u32,
    /// Number of the earlier job in the trace.
    pub number: i64,
    /// Time from its end to the submission, in seconds.
    pub think: f64,
}

/// A value that the log has of a job.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct AttributeValue {
    /// Id of the attribute, as in filters.
    pub id: String,
    /// Name of the attribute for readers.
    pub name: String,
    /// Kind of the value.
    pub kind: AttributeKind,
    /// The value as text; an instant in seconds.
    pub text: String,
}

/// A period in which two jobs shared nodes.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PartnerFacts {
    /// Index of the other job in the run.
    pub job: u32,
    /// Record of the trace that became the other job.
    pub record: u32,
    /// Number of the other job in the trace.
    pub number: i64,
    /// Beginning of the period, in seconds.
    pub from: f64,
    /// End of the period, in seconds.
    pub to: f64,
    /// Number of nodes that the two jobs shared.
    pub nodes: u32,
    /// Slowdown of the job beside this partner alone.
    pub slowdown: f64,
    /// Time that the job lost by sharing, in seconds. Absent if one of the two jobs had other
    /// partners at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<f64>,
    /// Time that the two jobs gained over running one after the other, in seconds. It is below 0 if
    /// they lost time, and absent in the same case as `lost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub won: Option<f64>,
}

impl Session {
    /// Returns the facts about a job, by its index; `None` if there is no such job.
    pub fn job(&mut self, job: u32) -> Option<JobFacts> {
        self.update_index();
        self.update_few_units();
        let schedule = self.schedule();
        if job as usize >= schedule.workload.len() {
            return None;
        }
        let job = JobId(job);
        let request = schedule.workload.request(job);
        let known = |at: Time| (at != Time::NEVER).then(|| at.seconds());
        let (start, end) = (
            known(schedule.starts[job.index()]),
            known(schedule.ends[job.index()]),
        );
        let runtime = schedule.run_time(job).seconds();
        let place = schedule.place_of(job);
        let placement =
            place.map(|place| PlacementFacts::of(schedule.placement(&schedule.order[place])));
        let suspensions = place.map_or(&[][..], |place| {
            schedule.suspensions_of(schedule.attempt(place))
        });
        let seconds = |at: Time| at.min(schedule.until).seconds();
        let suspensions = suspensions.iter();
        let suspensions = suspensions
            .map(|one| (seconds(one.from), seconds(one.to)))
            .collect();
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
            told: told(&schedule.workload, job),
            processors: request.processors,
            submitted: request.submitted.seconds(),
            follows: follows(&schedule.workload, job),
            estimate: request.estimate.seconds(),
            runtime,
            outcome: schedule.outcome(job),
            start,
            recorded: schedule.workload.recorded_start(job).map(Time::seconds),
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
            gpus: place.and_then(|place| self.units(schedule.attempt(place))),
            moves: schedule.moves.get(&job).map_or(0, Vec::len),
            requeues: schedule.requeues(job),
            suspensions,
            lost: schedule
                .lost_of(job)
                .take(PARTNERS)
                .map(|(place, lost)| AttemptFacts {
                    start: lost.from.seconds(),
                    end: lost.end.seconds(),
                    placement: PlacementFacts::of(
                        schedule.placement(&schedule.order[place as usize]),
                    ),
                    gpus: self.units(schedule.attempt(place as usize)),
                })
                .collect(),
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

    /// Returns the facts about the job that a record of the trace became; `None` if no job came of
    /// it.
    pub fn job_of_record(&mut self, record: u32) -> Option<JobFacts> {
        let sources = &self.schedule().workload.sources;
        let found = sources.iter().position(|source| *source == record)?;
        self.job(found as u32)
    }

    /// Returns the slowdown of a job beside another job.
    pub fn slowdown(&self, job: JobId, other: JobId) -> f64 {
        let (own, workload) = (&self.schedule().own, &self.schedule().workload);
        own.slowdown(workload.demand(job), workload.demand(other))
    }

    /// Returns the jobs that shared nodes with `job`, in order of time.
    fn partners(&self, job: JobId) -> Vec<PartnerFacts> {
        let workload = &self.schedule().workload;
        let mut overlaps: Vec<Overlap> = Vec::new();
        // The ranges of nodes that two jobs begin to share at an instant make one entry.
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
            // A job is as slow as on its slowest node. With several partners at a time, a loss or a
            // gain does not belong to one pair.
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

/// Returns the job that `job` follows, in a closed loop.
fn follows(workload: &Workload, job: JobId) -> Option<FollowFacts> {
    let follow = (*workload.follows.get(job.index())?)?;
    Some(FollowFacts {
        job: follow.job.0,
        number: workload.request(follow.job).number,
        think: follow.think.seconds(),
    })
}

/// Returns what the log has of a job beside sizes and times, as far as it is known.
fn told(workload: &Workload, job: JobId) -> Vec<AttributeValue> {
    let fields = [
        ("user", Attribute::User),
        ("group", Attribute::Group),
        ("app", Attribute::Application),
        ("queue", Attribute::Queue),
    ];
    let named = fields.map(|(id, field)| (id, field, workload.words(field).is_some()));
    let is_other = workload.key(Attribute::Partition, job) != workload.key(Attribute::Queue, job);
    let partition = ("partition", Attribute::Partition, is_other);
    let columns = (0..).zip(workload.columns());
    let columns = columns.map(|(at, column)| (&*column.id, Attribute::Column(at), true));
    let value = |(id, attribute, is_told): (&str, Attribute, bool)| {
        let key = workload.key(attribute, job).filter(|_| is_told)?;
        Some(AttributeValue {
            id: id.to_owned(),
            name: workload.name_of(attribute),
            kind: workload.kind(attribute),
            text: workload.label(attribute, key),
        })
    };
    let all = named.into_iter().chain([partition]).chain(columns);
    all.filter_map(value).collect()
}
