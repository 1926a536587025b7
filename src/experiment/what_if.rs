//! What-ifs: a run that continues differently from an instant on.
//!
//! Up to that instant, including everything that happens at it, the run is the same as the run that
//! it forks from. From then on it can differ as follows:
//!
//! * Jobs that have not started have other requests, arrive at other times, or are withdrawn.
//! * Processors are out of service for a while.
//! * Another policy, or the same one with other settings, takes over. It starts with empty memory and
//!   sees the machine and the queue as they are, like a candidate that an adaptive policy switches to.

use super::Scenario;
use super::scenario::Resolved;
use crate::cluster::{AdvanceKind, AdvanceReservation, NodeRequest};
use crate::job::{JobId, Program, Request};
use crate::limits;
use crate::machine::Range;
use crate::param::Settings;
use crate::policy;
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::sim::Policy;
use crate::time::{Span, Time};
use crate::workload::clean::{OVERRUN, Overrun};
use crate::workload::{NodeRequests, Workload};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The changes that a what-if makes from an instant on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct WhatIf {
    /// The instant of the change, in seconds after the trace's zero.
    pub at: f64,
    /// The policy from then on. If only `settings` is given, the same policy starts anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Settings of the policy from then on. Another policy has none of the earlier policy's
    /// settings.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub settings: Settings,
    /// Users that submit no more jobs. Their jobs that have not started are withdrawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_users: Vec<i32>,
    /// Jobs whose requests change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobChange>,
    /// Processors that are out of service for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Outage>,
}

/// A changed request of a job that has not started.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct JobChange {
    /// The number of the job in the trace.
    pub number: i64,
    /// The new estimate, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<f64>,
    /// The new size, in processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processors: Option<f64>,
    /// The new submission, in seconds after the trace's zero. Only a job that is not yet submitted
    /// can have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<f64>,
}

/// An outage of processors. A free processor goes out of service at once, a held one when its job
/// ends. Where jobs share processors, all go at once, and jobs that are on them go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// The first processor, counted from 0.
    pub first: f64,
    /// Number of processors, from the first on.
    pub count: f64,
    /// Length of the outage, in seconds.
    pub seconds: f64,
}

/// The policy from the instant of the change on.
pub enum Successor {
    /// The policy of the run, with the same settings.
    Same,
    /// Another policy, or the same policy with other settings.
    Other(&'static policy::Spec, Settings),
}

impl Successor {
    /// Builds the policy, for a run that began with `scenario`.
    #[inline(never)]
    pub fn build(&self, scenario: &Resolved) -> Box<dyn Policy> {
        match self {
            Self::Same => (scenario.policy.build)(&scenario.settings),
            Self::Other(spec, settings) => (spec.build)(settings),
        }
    }
}

/// A what-if whose names and values are checked.
pub struct ResolvedWhatIf {
    /// The instant of the change.
    pub at: Time,
    /// The policy from then on.
    pub policy: Successor,
    /// True if the what-if gives a policy or settings with beliefs that can differ from the
    /// estimates.
    pub predicts: bool,
    /// True if the given policy or settings believe run times until jobs start. `None` if the
    /// what-if gives neither.
    pub known_until_start: Option<bool>,
    /// Processors that are out of service, and the length of the outage.
    pub closed: Option<(Range, Span)>,
    /// True if jobs are killed at their estimates.
    kills: bool,
    /// True if estimates are raised to run times.
    raises: bool,
    what: WhatIf,
}

fn is_empty(settings: &Settings) -> bool {
    settings.0.is_empty()
}

fn refused(what: impl Into<String>, why: &str, next: &str) -> Problem {
    Problem::new(what, why, next)
}

/// Checks a number of seconds, and returns it in microseconds.
fn seconds(value: f64, least: f64, name: &str) -> Result<i64, Problem> {
    // Nearly ten thousand years. More would leave the range of [`Time`].
    const MOST: f64 = 3e11;
    if (least..=MOST).contains(&value) {
        return Ok((value * 1e6).round() as i64);
    }
    Err(refused(
        format!("What if: {name} cannot be {value}."),
        "The value must be a number of seconds in range.",
        "Correct the value.",
    ))
}

impl WhatIf {
    /// Checks the lengths of names and lists.
    pub(super) fn check_length(&self) -> Result<(), Problem> {
        limits::check_name(
            "What if: the policy's name",
            self.policy.as_deref().unwrap_or_default(),
        )?;
        limits::check(
            "What if: the list of users",
            self.without_users.len(),
            limits::WHAT_IF_ENTRIES,
            "users",
        )?;
        limits::check(
            "What if: the list of jobs",
            self.jobs.len(),
            limits::WHAT_IF_ENTRIES,
            "jobs",
        )?;
        self.settings.check_length()
    }

    /// Checks names and values, for a run that begins with `from`. `settings` are those of `from`
    /// with its preset's.
    ///
    /// # Errors
    /// Fails if the policy or a value is not possible, or if the machine does not support the
    /// change.
    pub fn resolve(&self, from: &Scenario, settings: &Settings) -> Result<ResolvedWhatIf, Problem> {
        let at = Time::from_microseconds(seconds(self.at, -3e11, "`at`")?);
        let (mut policy, mut predicts, mut known_until_start) = (Successor::Same, false, None);
        if self.policy.is_some() || !is_empty(&self.settings) {
            let id = self.policy.as_ref().unwrap_or(&from.policy);
            let mut settings = from.settings.clone();
            if *id != from.policy {
                let own = policy::find(&from.policy)?.params;
                settings
                    .retain(&|key| !key.contains('.') && !own.iter().any(|param| param.key == key));
            }
            let known = policy::find(id)?.params;
            if let Some(key) = self
                .settings
                .0
                .keys()
                .find(|key| !key.contains('.') && !known.iter().any(|param| param.key == **key))
            {
                return Err(refused(
                    format!("What if: `{key}` is not a parameter of the policy `{id}`."),
                    "Only the policy can change during a run; machine, workload and metrics are \
                        those of the whole run.",
                    "Leave it out, or set it for the whole run.",
                ));
            }
            settings.extend(&self.settings);
            let preset = from.preset.clone().filter(|_| *id == from.policy);
            let other = Scenario {
                policy: id.clone(),
                preset,
                settings,
                machine: from.machine.clone(),
                what_if: None,
            }
            .resolve()?;
            if other.settings.0.get("estimates") == Some(&"actual".into())
                && from.settings.0.get("estimates") != Some(&"actual".into())
            {
                return Err(refused(
                    "What if: `estimates=actual` cannot begin during a run.",
                    "It makes the estimates of all jobs exact.",
                    "Set it for the whole run.",
                ));
            }
            predicts = other.predicts();
            known_until_start = Some(other.knows_until_start());
            policy = Successor::Other(other.policy, other.settings);
        }
        let closed = self.closed.as_ref().map(Outage::resolve).transpose()?;
        for (at, change) in self.jobs.iter().enumerate() {
            if self.jobs[..at]
                .iter()
                .any(|other| other.number == change.number)
            {
                return Err(refused(
                    format!("What if: job {} is named twice.", change.number),
                    "One entry holds all changes of a job.",
                    "Join the two entries.",
                ));
            }
            change
                .estimate
                .map_or(Ok(0), |estimate| seconds(estimate, 0.0, "an estimate"))?;
            change
                .submitted
                .map_or(Ok(0), |submitted| seconds(submitted, -3e11, "a submission"))?;
        }
        let overrun = settings.get(&OVERRUN);
        let (kills, raises) = (overrun == Overrun::Kill, overrun == Overrun::Raise);
        Ok(ResolvedWhatIf {
            at,
            policy,
            predicts,
            known_until_start,
            closed,
            kills,
            raises,
            what: self.clone(),
        })
    }
}

impl Outage {
    fn resolve(&self) -> Result<(Range, Span), Problem> {
        let whole = |value: f64, least: f64| {
            (value.fract() == 0.0 && (least..=4e9).contains(&value)).then_some(value as u32)
        };
        let (Some(first), Some(count)) = (whole(self.first, 0.0), whole(self.count, 1.0)) else {
            return Err(refused(
                "What if: `first` must be at least 0, and `count` at least 1.",
                "Both are whole numbers.",
                "Correct them.",
            ));
        };
        Ok((
            Range { first, count },
            Span::from_microseconds(seconds(self.seconds, 1.0, "the time out of service")?),
        ))
    }
}

impl ResolvedWhatIf {
    /// True if nothing changes. Then the run continues as it is, and so does its policy.
    pub fn is_nothing(&self) -> bool {
        let WhatIf {
            policy,
            settings,
            without_users,
            jobs,
            closed,
            ..
        } = &self.what;
        policy.is_none()
            && is_empty(settings)
            && without_users.is_empty()
            && jobs.is_empty()
            && closed.is_none()
    }

    /// Returns the what-if as JSON, as it was given.
    pub fn json(&self) -> String {
        serde_json::to_string(&self.what).unwrap_or_default()
    }

    /// Checks that the workload has the users, jobs and processors that the what-if names.
    ///
    /// # Errors
    /// Fails at the first one that the workload does not have, and at a size that the machine does
    /// not have.
    pub fn check(&self, workload: &Workload) -> Result<(), Problem> {
        for user in &self.what.without_users {
            if !workload
                .requests
                .iter()
                .any(|request| request.user == *user)
            {
                return Err(refused(
                    format!("What if: there is no user {user}."),
                    "Users are named by their numbers in the trace.",
                    "Choose another user.",
                ));
            }
        }
        for JobChange {
            number, processors, ..
        } in &self.what.jobs
        {
            if !workload
                .requests
                .iter()
                .any(|request| request.number == *number)
            {
                return Err(refused(
                    format!("What if: there is no job {number}."),
                    "Jobs are named by their numbers in the trace.",
                    "Choose another job.",
                ));
            }
            let size = processors.unwrap_or(1.0);
            if size.fract() != 0.0 || !(1.0..=f64::from(workload.processors)).contains(&size) {
                let why = format!("The machine has {} processors.", workload.processors);
                return Err(refused(
                    format!("What if: job {number} cannot have {size} processors."),
                    &why,
                    "Choose a size from 1 to that number.",
                ));
            }
        }
        if self.closed.is_some_and(|(range, _)| {
            u64::from(range.first) + u64::from(range.count) > u64::from(workload.processors)
        }) {
            let why = format!(
                "The machine has {} processors, counted from 0.",
                workload.processors
            );
            return Err(refused(
                "What if: the machine does not have all processors of the outage.",
                &why,
                "Choose other processors.",
            ));
        }
        Ok(())
    }

    /// Returns the workload from the instant of the change on. `schedule` is that of the run up to
    /// there. The second value gives, for each job of the run, its id in the new workload, or
    /// `None` if the job is withdrawn.
    ///
    /// # Errors
    /// Fails if a change comes too late, or if no job is left.
    pub fn workload(&self, schedule: &Schedule) -> Result<(Workload, Vec<Option<JobId>>), Problem> {
        let before = &schedule.workload;
        if schedule.ends.iter().all(|end| *end != Time::NEVER) {
            return Err(refused(
                "What if: the run is over by then.",
                "Nothing is left to change at that instant.",
                "Choose an earlier instant.",
            ));
        }
        let mut kept: Vec<(JobId, Request, Program)> = Vec::new();
        for job in before.ids() {
            let (mut request, mut program) = (*before.request(job), *before.program(job));
            let has_started = schedule.has_run(job);
            if !has_started && self.what.without_users.contains(&request.user) {
                continue;
            }
            if let Some(change) = self
                .what
                .jobs
                .iter()
                .find(|change| change.number == request.number)
            {
                if has_started {
                    return Err(refused(
                        format!("What if: job {} has started by then.", request.number),
                        "A job that has started cannot change.",
                        "Choose an instant before its start.",
                    ));
                }
                if let Some(estimate) = change.estimate {
                    request.estimate = Span::from_microseconds((estimate * 1e6).round() as i64);
                    // A job that was killed at its old estimate has that estimate as its run time;
                    // how much longer it would run is not known.
                    program.killed = self.kills && program.runtime > request.estimate
                        || program.killed && program.runtime == request.estimate;
                    if self.raises {
                        request.estimate = request.estimate.max(program.runtime);
                    }
                    program.runtime = if self.kills {
                        program.runtime.min(request.estimate)
                    } else {
                        program.runtime
                    };
                }
                if let Some(processors) = change.processors {
                    request.processors = processors as u32;
                }
                if let Some(submitted) = change.submitted {
                    let submitted = Time::from_microseconds((submitted * 1e6).round() as i64);
                    if request.submitted <= self.at || submitted <= self.at {
                        return Err(refused(
                            format!(
                                "What if: job {} cannot be submitted at another time.",
                                request.number
                            ),
                            "Its old and its new submission must both be after the instant of the \
                                change.",
                            "Choose an earlier instant, or a later submission.",
                        ));
                    }
                    request.submitted = submitted;
                }
            }
            kept.push((job, request, program));
        }
        if kept.is_empty() {
            return Err(refused(
                "What if: no job is left.",
                "All of them are withdrawn.",
                "Choose a later instant, or keep some of the users.",
            ));
        }
        crate::sorting::by(&mut kept, |(_, request, _)| {
            [request.submitted.microseconds().into(), 0]
        });
        let mut numbers = vec![None; before.len()];
        for (number, (job, ..)) in (0..).zip(&kept) {
            numbers[job.index()] = Some(JobId(number));
        }
        let of = |job: &JobId| job.index();
        let mut workload = Workload {
            provenance: before.provenance.clone(),
            report: before.report.clone(),
            requests: kept.iter().map(|(_, request, _)| *request).collect(),
            programs: kept.iter().map(|(.., program)| *program).collect(),
            shapes: before.shapes.clone(),
            demands: if before.demands.is_empty() {
                Vec::new()
            } else {
                kept.iter()
                    .map(|(job, ..)| before.demands[of(job)])
                    .collect()
            },
            follows: Vec::new(),
            sources: kept
                .iter()
                .map(|(job, ..)| before.sources[of(job)])
                .collect(),
            recorded: if before.recorded.is_empty() {
                Vec::new()
            } else {
                kept.iter()
                    .map(|(job, ..)| before.recorded[of(job)])
                    .collect()
            },
            log: before.log.clone(),
            nodes: self.node_requests(before, &kept)?,
            processors: before.processors,
            overbooked: before.overbooked,
            compared_as: before
                .compared_as
                .clone()
                .filter(|_| self.what.without_users.is_empty() && self.what.jobs.is_empty()),
        };
        workload
            .provenance
            .steps
            .push(format!("otherwise from {} s on", self.at.seconds()));
        workload.check()?;
        Ok((workload, numbers))
    }

    /// Returns what the jobs ask of nodes after the change, and the nodes with the outage, if the
    /// machine has nodes.
    fn node_requests(
        &self,
        before: &Workload,
        kept: &[(JobId, Request, Program)],
    ) -> Result<Option<NodeRequests>, Problem> {
        let Some(nodes) = &before.nodes else {
            return Ok(None);
        };
        let (table, of) = requests_after(nodes, before, kept)?;
        let mut cluster = Arc::clone(&nodes.cluster);
        if let Some((range, length)) = self.closed {
            let (first, last) = (range.first, range.first + range.count - 1);
            let closed: Vec<u32> = (cluster.node_of(first)..=cluster.node_of(last)).collect();
            let outage = AdvanceReservation {
                kind: AdvanceKind::Outage,
                ..AdvanceReservation::once("outage", self.at, length)
            };
            Arc::make_mut(&mut cluster).keep(outage, &closed)?;
        }
        Ok(Some(NodeRequests { cluster, table, of }))
    }
}

/// Returns the different requests, and the index of each job's one.
fn requests_after(
    nodes: &NodeRequests,
    before: &Workload,
    kept: &[(JobId, Request, Program)],
) -> Result<(Arc<Vec<NodeRequest>>, Vec<u32>), Problem> {
    let mut table = Arc::clone(&nodes.table);
    let mut of = Vec::with_capacity(kept.len());
    for (job, request, _) in kept {
        let mut index = nodes.of[job.index()];
        if request.processors != before.request(*job).processors {
            let mut resized = table[index as usize].resized(request.processors);
            if let Some(power) = nodes.cluster.power {
                resized.licences[power] = nodes.cluster.draw(&resized);
            }
            if !nodes.cluster.fits_empty(&resized) {
                return Err(refused(
                    format!(
                        "What if: job {} cannot have {} processors.",
                        request.number, request.processors
                    ),
                    "The nodes that serve it do not have so many.",
                    "Choose a smaller size.",
                ));
            }
            index = table.len() as u32;
            Arc::make_mut(&mut table).push(resized);
        }
        of.push(index);
    }
    Ok((table, of))
}
