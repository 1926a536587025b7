//! A forecast, in steps.

use super::failure::ForecastFailure;
use super::quantiles::quantiles;
use super::ratios::RatioLevel;
use super::result::{ForecastResult, JobForecast, LevelCount};
use super::sample::ForecastSample;
use super::settings::ForecastSettings;
use super::situation::Situation;
use crate::experiment::{ENGINE, Scenario, VERSION};
use crate::problem::Problem;
use crate::time::Time;
use crate::trace::{Trace, Words};
use serde::Serialize;

/// The progress of a forecast.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ForecastProgress {
    /// Number of complete samples.
    pub samples: u32,
    /// Number of all samples.
    pub of: u32,
    /// True if all samples are complete.
    pub done: bool,
}

/// A forecast that advances in slices of any size. The result does not depend on the slices.
pub struct QueueForecast {
    situation: Situation,
    queue: String,
    log: Option<String>,
    done: u32,
    current: Option<ForecastSample>,
    /// The starts of each waiting job, sample by sample.
    starts: Vec<Vec<Time>>,
}

impl QueueForecast {
    /// Prepares the forecast of the jobs that wait in `queue`, under the policy of a scenario. Run times
    /// and arrivals come from `log`, or from `queue` itself.
    ///
    /// # Errors
    /// Fails if the scenario makes no forecast, if the instant is not known, if no job waits, or if
    /// there are too many jobs.
    pub fn new(
        scenario: &Scenario,
        queue: &Trace,
        log: Option<&Trace>,
        settings: &ForecastSettings,
    ) -> Result<Self, Problem> {
        let situation = Situation::new(scenario, queue, log, settings)?;
        situation.check_waiting()?;
        Ok(Self::of(
            situation,
            queue.name.clone(),
            log.map(|log| log.name.clone()),
        ))
    }

    /// Returns the forecast of a situation.
    pub(super) fn of(situation: Situation, queue: String, log: Option<String>) -> Self {
        let waiting = situation.waiting().count();
        Self {
            situation,
            queue,
            log,
            done: 0,
            current: None,
            starts: vec![Vec::new(); waiting],
        }
    }

    /// Returns the situation from which the forecast begins.
    pub(super) const fn situation(&self) -> &Situation {
        &self.situation
    }

    /// Returns the progress.
    pub const fn progress(&self) -> ForecastProgress {
        let of = self.situation.settings.samples;
        ForecastProgress {
            samples: self.done,
            of,
            done: self.done == of,
        }
    }

    /// Advances by about `budget` events.
    ///
    /// # Errors
    /// Fails if the policy cannot go on, or if too many jobs arrive.
    pub fn advance(&mut self, budget: u64) -> Result<ForecastProgress, Problem> {
        Ok(self.work(budget)?)
    }

    /// Advances by about `budget` events, and tells a crowded instant from other failures.
    pub(super) fn work(&mut self, budget: u64) -> Result<ForecastProgress, ForecastFailure> {
        let mut left = budget.max(1);
        while left > 0 && !self.progress().done {
            let mut sample = match self.current.take() {
                Some(sample) => sample,
                None => ForecastSample::draw(&self.situation, self.done)?,
            };
            let Some(unused) = sample.advance(&self.situation, left)? else {
                self.current = Some(sample);
                break;
            };
            let starts = sample.starts(self.situation.horizon());
            for (own, start) in self.starts.iter_mut().zip(starts) {
                own.push(start);
            }
            self.done += 1;
            // A sample without an event is work too.
            left = unused.min(left - 1);
        }
        Ok(self.progress())
    }

    /// Returns the quantiles of each waiting job, and the number of samples in which it had not started,
    /// from the samples so far.
    pub(super) fn quantiles(&self) -> impl Iterator<Item = ([Time; 5], usize)> + '_ {
        self.starts.iter().map(|starts| {
            let late = starts.iter().filter(|start| **start == Time::NEVER).count();
            (quantiles(&mut starts.clone()), late)
        })
    }

    /// Returns the result of the samples so far.
    pub fn result(&self) -> ForecastResult {
        let situation = &self.situation;
        let Situation {
            resolved,
            settings,
            all,
            present,
            ..
        } = situation;
        let trace = situation.trace();
        let level = |level: &RatioLevel| LevelCount {
            level: *level,
            jobs: present
                .iter()
                .filter(|job| job.source.level == *level)
                .count() as u64,
        };
        let jobs = situation.waiting().zip(self.quantiles());
        let jobs = jobs.map(|(at, (starts, late))| {
            let job = &present[at];
            let request = &all.requests[job.place];
            let source = all.sources[job.place] as usize;
            let seconds = |start: Time| (start != Time::NEVER).then(|| start.seconds());
            JobForecast {
                record: job.record,
                number: request.number,
                task: trace
                    .column("task")
                    .and_then(|column| column.number(source)),
                user: label(request.user, &trace.names.users),
                queue: label(request.queue, &trace.names.queues),
                processors: request.processors,
                limit: request.estimate.seconds(),
                submitted: request.submitted.seconds(),
                level: job.source.level,
                starts: starts.map(seconds),
                not_started: late as f64 / f64::from(self.done.max(1)),
            }
        });
        ForecastResult {
            version: VERSION.into(),
            engine: ENGINE.into(),
            queue: self.queue.clone(),
            log: self.log.clone(),
            at: situation.at().seconds(),
            at_source: situation.at_source,
            unix_start: trace.unix_start(),
            machine: resolved.machine.id.into(),
            processors: all.processors,
            policy: resolved.policy.id.into(),
            samples: self.done,
            seed: settings.seed,
            horizon: settings.horizon_seconds() as f64,
            arrivals: settings.arrivals,
            arrival_block: situation.earlier.block().map(|block| block as f64),
            run_times: settings.run_times,
            ended: situation.ended,
            levels: RatioLevel::EVERY.iter().map(level).collect(),
            running: (present.len() - self.starts.len()) as u64,
            elsewhere: situation.elsewhere,
            left_out: situation.left_out().rules().to_vec(),
            report: situation.report.clone(),
            jobs: jobs.collect(),
        }
    }
}

fn label(number: i32, names: &Words) -> String {
    let name = u32::try_from(number).ok().and_then(|at| names.get(at));
    match name {
        Some(name) => name.to_owned(),
        None if number < 0 => String::new(),
        None => number.to_string(),
    }
}
