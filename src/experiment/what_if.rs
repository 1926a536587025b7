//! What if: a run that goes on otherwise from an instant on.
//!
//! Up to that instant, and with all that happens at it, it is the run that it forks from. Then jobs
//! that have not started ask for something else, come at another time or not at all, processors are
//! out of service for a while, and a policy that begins anew decides: it knows machine and queue as
//! they are, as a candidate of an adaptive policy does that takes over.

use super::Scenario;
use super::scenario::Resolved;
use crate::job::{JobId, Program, Request};
use crate::limits;
use crate::machine::{Fit, Range};
use crate::machines;
use crate::param::Settings;
use crate::policy;
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::sim::Policy;
use crate::time::{Span, Time};
use crate::workload::Workload;
use crate::workload::clean::{OVERRUN, Overrun};
use serde::{Deserialize, Serialize};

/// What is otherwise from an instant on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct WhatIf {
    /// The instant, in seconds after the trace's zero.
    pub at: f64,
    /// The policy from then on; the same, begun anew, if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Settings of that policy: another one has none of those before.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub settings: Settings,
    /// Users whose jobs that have not started are withdrawn, and who submit no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_users: Vec<i32>,
    /// Jobs that ask for something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobChange>,
    /// Processors that are out of service for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Outage>,
}

/// A job that has not started and asks for something else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct JobChange {
    /// Its number in the trace.
    pub number: i64,
    /// Its estimate, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<f64>,
    /// Its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processors: Option<f64>,
    /// When it is submitted, in seconds after the trace's zero, if it is not yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<f64>,
}

/// Processors that are out of service: at once if they are free, else when the job that has them
/// ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// The first of them.
    pub first: f64,
    /// How many.
    pub count: f64,
    /// For how long, in seconds.
    pub seconds: f64,
}

/// The policy from the instant on.
pub enum Successor {
    /// The same.
    Same,
    /// Another one, or with other settings.
    Other(&'static policy::Spec, Settings),
}

impl Successor {
    /// Builds it, for a run that began so.
    #[inline(never)]
    pub fn build(&self, scenario: &Resolved) -> Box<dyn Policy> {
        match self {
            Self::Same => (scenario.policy.build)(&scenario.settings),
            Self::Other(spec, settings) => (spec.build)(settings),
        }
    }
}

/// What is otherwise, with names and values that are known to be good.
pub struct Otherwise {
    /// From when on.
    pub at: Time,
    /// Who decides then.
    pub policy: Successor,
    /// Whether its beliefs are others than the estimates.
    pub predicts: bool,
    /// Whether run times are known until jobs start, where another policy or setting says so.
    pub known_until_start: Option<bool>,
    /// Processors that are out of service, and how long.
    pub closed: Option<(Range, Span)>,
    /// Whether jobs are killed at their estimates.
    kills: bool,
    /// Whether estimates are raised to run times.
    raises: bool,
    what: WhatIf,
}

fn is_empty(settings: &Settings) -> bool {
    settings.0.is_empty()
}

fn refused(what: impl Into<String>, why: &str, next: &str) -> Problem {
    Problem::new(what, why, next)
}

/// A number of seconds that time can hold.
fn seconds(value: f64, least: f64, name: &str) -> Result<i64, Problem> {
    // A century of centuries; more would leave the range of time.
    const MOST: f64 = 3e11;
    if (least..=MOST).contains(&value) {
        return Ok((value * 1e6).round() as i64);
    }
    Err(refused(
        format!("What if: {name} cannot be {value}."),
        "It is a number of seconds.",
        "Correct it.",
    ))
}

impl WhatIf {
    /// Checks how long names and lists are.
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

    /// Checks names and values, for a run that begins so, with these settings, its preset's among
    /// them.
    ///
    /// # Errors
    /// A policy, machine or value for which it cannot be.
    pub fn resolve(&self, from: &Scenario, settings: &Settings) -> Result<Otherwise, Problem> {
        let at = Time::from_microseconds(seconds(self.at, -3e11, "`at`")?);
        let (mut policy, mut predicts, mut known_until_start) = (Successor::Same, false, None);
        if self.policy.is_some() || !is_empty(&self.settings) {
            let id = self.policy.as_ref().unwrap_or(&from.policy);
            let mut settings = from.settings.clone();
            if *id != from.policy {
                let own = policy::find(&from.policy)?.params;
                settings.0.retain(|key, _| {
                    !key.contains('.') && !own.iter().any(|param| param.key == key)
                });
            }
            let known = policy::find(id)?.params;
            if let Some(key) = self
                .settings
                .0
                .keys()
                .find(|key| !key.contains('.') && !known.iter().any(|param| param.key == **key))
            {
                return Err(refused(
                    format!("What if: `{key}` is no parameter of the policy `{id}`."),
                    "Only the policy can begin anew on the way; machine, workload and metrics are \
                        the whole run's.",
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
                    "What if: `estimates=actual` cannot begin on the way.",
                    "It makes the jobs' estimates exact from the first one on.",
                    "Set it for the whole run.",
                ));
            }
            predicts = other.predicts();
            known_until_start = Some(other.knows_until_start());
            policy = Successor::Other(other.policy, other.settings);
        }
        let closed = self
            .closed
            .as_ref()
            .map(|closed| closed.resolve(from))
            .transpose()?;
        for (at, change) in self.jobs.iter().enumerate() {
            if self.jobs[..at]
                .iter()
                .any(|other| other.number == change.number)
            {
                return Err(refused(
                    format!("What if: job {} is named twice.", change.number),
                    "All that it asks for stands in one place.",
                    "Join the two.",
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
        Ok(Otherwise {
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
    fn resolve(&self, from: &Scenario) -> Result<(Range, Span), Problem> {
        let machine = machines::find(&from.machine)?;
        if machine.offer.fit != Fit::Anywhere {
            return Err(refused(
                format!(
                    "What if: on the machine `{}` processors cannot be taken out of service.",
                    machine.id
                ),
                "It must not matter which processors a job has, and each must be one job's.",
                "Choose the flat machine.",
            ));
        }
        let whole = |value: f64, least: f64| {
            (value.fract() == 0.0 && (least..=4e9).contains(&value)).then_some(value as u32)
        };
        let (Some(first), Some(count)) = (whole(self.first, 0.0), whole(self.count, 1.0)) else {
            return Err(refused(
                "What if: processors are a first one, from 0 on, and how many, from 1 on.",
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

impl Otherwise {
    /// Whether nothing is otherwise: then the run goes on as it is, its policy too.
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

    /// As it was given, as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(&self.what).unwrap_or_default()
    }

    /// Checks that what it names is in the workload.
    ///
    /// # Errors
    /// A job, user or processor that is not.
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
                    "Choose another one.",
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
                    "Choose another one.",
                ));
            }
            let size = processors.unwrap_or(1.0);
            if size.fract() != 0.0 || !(1.0..=f64::from(workload.processors)).contains(&size) {
                let why = format!("The machine has {} processors.", workload.processors);
                return Err(refused(
                    format!("What if: job {number} cannot have {size} processors."),
                    &why,
                    "Choose a size from 1 up to that.",
                ));
            }
        }
        if self.closed.is_some_and(|(range, _)| {
            u64::from(range.first) + u64::from(range.count) > u64::from(workload.processors)
        }) {
            let why = format!(
                "The machine has {} processors, from 0 on.",
                workload.processors
            );
            return Err(refused(
                "What if: processors are to be out of service that are not there.",
                &why,
                "Choose others.",
            ));
        }
        Ok(())
    }

    /// The workload from the instant on, of a run that has come there: and which of its jobs each
    /// job of the run's is.
    ///
    /// # Errors
    /// What can no longer be.
    pub fn workload(&self, schedule: &Schedule) -> Result<(Workload, Vec<Option<JobId>>), Problem> {
        let before = &schedule.workload;
        if schedule.ends.iter().all(|end| *end != Time::NEVER) {
            return Err(refused(
                "What if: the run is over by then.",
                "From that instant on nothing can be otherwise.",
                "Choose an earlier one.",
            ));
        }
        let mut kept: Vec<(JobId, Request, Program)> = Vec::new();
        for job in before.ids() {
            let (mut request, mut program) = (*before.request(job), *before.program(job));
            let has_started = schedule.starts[job.index()] != Time::NEVER;
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
                        "What has started goes on as it is.",
                        "Choose an instant before its start.",
                    ));
                }
                if let Some(estimate) = change.estimate {
                    request.estimate = Span::from_microseconds((estimate * 1e6).round() as i64);
                    // One that was killed at its old estimate is not known to run on.
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
                            "It was submitted by then, or would have been: what was cannot be \
                                otherwise.",
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
                "Choose a later instant, or leave somebody.",
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
            sources: kept
                .iter()
                .map(|(job, ..)| before.sources[of(job)])
                .collect(),
            processors: before.processors,
        };
        workload
            .provenance
            .steps
            .push(format!("otherwise from {} s on", self.at.seconds()));
        workload.check()?;
        Ok((workload, numbers))
    }
}
