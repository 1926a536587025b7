//! A calibration, in steps: forecasts at past moments of a log, compared with the recorded starts.

use super::engine::QueueForecast;
use super::failure::ForecastFailure;
use super::joined::states;
use super::moments::moments;
use super::result::{CalibrationResult, ClassCoverage, Coverage, MomentCoverage};
use super::settings::ForecastSettings;
use super::situation::Situation;
use super::standing::Standing;
use crate::experiment::Scenario;
use crate::limits;
use crate::problem::Problem;
use crate::sorting;
use crate::time::Time;
use crate::trace::Trace;
use serde::Serialize;
use std::sync::Arc;

/// The edges of the classes by the recorded wait after the moment, in seconds.
const EDGES: [i64; 5] = [0, 3_600, 4 * 3_600, 24 * 3_600, i64::MAX];

/// The progress of a calibration.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CalibrationProgress {
    /// Number of complete moments.
    pub moments: u32,
    /// Number of all moments.
    pub of: u32,
    /// Number of complete samples of the present moment.
    pub samples: u32,
    /// True if all moments are complete.
    pub done: bool,
}

/// A waiting job with its forecast and its recorded start. Times are in microseconds; a time beyond the
/// horizon is [`Time::NEVER`].
#[derive(Copy, Clone, Debug)]
struct Compared {
    at: Time,
    horizon: Time,
    quantiles: [Time; 5],
    start: Time,
}

impl Compared {
    fn is_inside(&self, from: usize, to: usize) -> bool {
        (self.quantiles[from]..=self.quantiles[to]).contains(&self.start)
    }

    /// Returns the seconds from the moment to a time. One beyond the horizon counts as the horizon.
    fn seconds(&self, time: Time) -> i64 {
        (time.min(self.horizon) - self.at).whole_seconds()
    }
}

/// A calibration that advances in slices of any size. The result does not depend on the slices.
pub struct Calibration {
    scenario: Scenario,
    log: Arc<Trace>,
    settings: ForecastSettings,
    moments: Vec<i64>,
    /// The last instant at which a start is known.
    end: Option<i64>,
    without_queue: u64,
    /// Number of moments beyond a limit of forecasts, and the problem of the first.
    crowded: u64,
    first_crowded: Option<Problem>,
    /// Number of moments that are complete.
    done: usize,
    current: Option<QueueForecast>,
    compared: Vec<Compared>,
    results: Vec<MomentCoverage>,
}

impl Calibration {
    /// Prepares forecasts at up to `count` moments of a log, before the instant of the settings if they
    /// have one.
    ///
    /// # Errors
    /// Fails if the settings are out of range, or if no job of the log waits.
    pub fn new(
        scenario: &Scenario,
        log: Arc<Trace>,
        settings: &ForecastSettings,
        count: usize,
    ) -> Result<Self, Problem> {
        settings.check()?;
        limits::check("A calibration", count, limits::FORECAST_MOMENTS, "moments")?;
        let end = settings.at.map(|at| at.floor() as i64);
        let (moments, without_queue) = moments(&log, count, end);
        if moments.is_empty() {
            return Err(Problem::new(
                format!("{} has no moment at which jobs wait.", log.name),
                "A calibration compares forecasts with recorded waits, after the first fifth of the log.",
                "Choose a longer log, or one with waits (in SWF, field 3).",
            ));
        }
        Ok(Self {
            scenario: scenario.clone(),
            log,
            settings: settings.clone(),
            moments,
            end,
            without_queue,
            crowded: 0,
            first_crowded: None,
            done: 0,
            current: None,
            compared: Vec::new(),
            results: Vec::new(),
        })
    }

    /// Returns the progress.
    pub fn progress(&self) -> CalibrationProgress {
        let current = self.current.as_ref();
        CalibrationProgress {
            moments: self.done as u32,
            of: self.moments.len() as u32,
            samples: current.map_or(0, |forecast| forecast.progress().samples),
            done: self.done == self.moments.len(),
        }
    }

    /// Advances by about `budget` events.
    ///
    /// A moment beyond a limit of forecasts is left out and counted.
    ///
    /// # Errors
    /// Fails if a forecast does for another reason, or if all moments are beyond limits.
    pub fn advance(&mut self, budget: u64) -> Result<CalibrationProgress, Problem> {
        if self.done == self.moments.len() {
            return Ok(self.progress());
        }
        match self.work(budget) {
            Ok(()) => {}
            Err(ForecastFailure::Crowded(problem)) => {
                self.crowded += 1;
                self.first_crowded.get_or_insert(problem);
                self.done += 1;
            }
            Err(ForecastFailure::Other(problem)) => return Err(problem),
        }
        let is_last = self.done == self.moments.len() && self.results.is_empty();
        match &self.first_crowded {
            Some(problem) if is_last => Err(problem.clone()),
            _ => Ok(self.progress()),
        }
    }

    /// Advances the forecast of the present moment, and compares it when it is complete.
    fn work(&mut self, budget: u64) -> Result<(), ForecastFailure> {
        let mut forecast = match self.current.take() {
            Some(forecast) => forecast,
            None => {
                let settings = ForecastSettings {
                    at: Some(self.moments[self.done] as f64),
                    ..self.settings.clone()
                };
                let situation = Situation::new(&self.scenario, &self.log, None, &settings)?;
                QueueForecast::of(situation, String::new(), None)
            }
        };
        let has_queue = forecast.situation().check_waiting().is_ok();
        if has_queue && !forecast.work(budget)?.done {
            self.current = Some(forecast);
            return Ok(());
        }
        if has_queue {
            self.compare(&forecast);
        } else {
            self.without_queue += 1;
        }
        self.done += 1;
        Ok(())
    }

    /// Compares a complete forecast with the recorded starts.
    fn compare(&mut self, forecast: &QueueForecast) {
        let situation = forecast.situation();
        let (at, horizon) = (situation.at(), situation.horizon());
        let state = states(&self.log);
        let mut compared = Vec::new();
        let mut censored = 0;
        for (place, (quantiles, _)) in situation.waiting().zip(forecast.quantiles()) {
            let record = situation.present[place].record as usize;
            let start = Standing::start_of(self.log.records.get(record), state(record));
            let is_known = |start: &i64| self.end.is_none_or(|end| *start <= end);
            let Some(start) = start.filter(is_known) else {
                censored += 1;
                continue;
            };
            let start = Time::from_seconds(start);
            compared.push(Compared {
                at,
                horizon,
                quantiles,
                start: if start > horizon { Time::NEVER } else { start },
            });
        }
        let waiting = situation.waiting().count();
        self.results.push(MomentCoverage {
            at: at.seconds(),
            running: (situation.present.len() - waiting) as u64,
            waiting: waiting as u64,
            censored,
            coverage: coverage(&compared),
        });
        self.compared.extend(compared);
    }

    /// Returns the result of the moments so far.
    pub fn result(&self) -> CalibrationResult {
        let class = |edges: &[i64]| {
            let is_in = |one: &&Compared| {
                let wait = (one.start.min(one.horizon) - one.at).whole_seconds();
                (edges[0]..edges[1]).contains(&wait)
            };
            let own: Vec<Compared> = self.compared.iter().filter(is_in).copied().collect();
            ClassCoverage {
                from: edges[0] as f64,
                below: (edges[1] != i64::MAX).then_some(edges[1] as f64),
                coverage: coverage(&own),
            }
        };
        let with_jobs = self.results.iter().map(|result| &result.coverage);
        let with_jobs: Vec<&Coverage> = with_jobs.filter(|own| own.jobs > 0).collect();
        let mean = |inside: fn(&Coverage) -> u64| {
            let shares = with_jobs
                .iter()
                .map(|own| inside(own) as f64 / own.jobs as f64);
            shares.sum::<f64>() / (with_jobs.len().max(1)) as f64
        };
        CalibrationResult {
            log: self.log.name.clone(),
            policy: self.scenario.policy.clone(),
            machine: self.scenario.machine.clone(),
            samples: self.settings.samples,
            seed: self.settings.seed,
            arrivals: self.settings.arrivals,
            run_times: self.settings.run_times,
            without_queue: self.without_queue,
            crowded: self.crowded,
            censored: self.results.iter().map(|result| result.censored).sum(),
            coverage: coverage(&self.compared),
            mean_50: mean(|own| own.inside_50),
            mean_90: mean(|own| own.inside_90),
            classes: EDGES.windows(2).map(class).collect(),
            moments: self.results.clone(),
        }
    }
}

/// Returns how the starts of jobs lie in their intervals.
fn coverage(compared: &[Compared]) -> Coverage {
    let count =
        |is_so: &dyn Fn(&Compared) -> bool| compared.iter().filter(|one| is_so(one)).count() as u64;
    let median_of = |value: &dyn Fn(&Compared) -> i64| median(compared.iter().map(value).collect());
    let late = |one: &Compared| one.seconds(one.start) - one.seconds(one.quantiles[2]);
    Coverage {
        jobs: compared.len() as u64,
        inside_50: count(&|one| one.is_inside(1, 3)),
        inside_90: count(&|one| one.is_inside(0, 4)),
        before_90: count(&|one| one.start < one.quantiles[0]),
        after_90: count(&|one| one.start > one.quantiles[4]),
        median_error: median_of(&|one| late(one).abs()),
        median_bias: median_of(&late),
        median_width: median_of(&|one| {
            one.seconds(one.quantiles[4]) - one.seconds(one.quantiles[0])
        }),
    }
}

/// Returns the median: the value in the middle, or the lower one of two. 0 if there is none.
fn median(mut values: Vec<i64>) -> f64 {
    sorting::by(&mut values, |value| [i128::from(*value), 0]);
    let middle = values.len().saturating_sub(1) / 2;
    values.get(middle).copied().unwrap_or(0) as f64
}
