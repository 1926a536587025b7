//! The settings of a forecast.

use crate::limits;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// The jobs that arrive after the instant of the forecast.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum LaterArrivals {
    /// No job arrives.
    None,
    /// In each sample, jobs of earlier weeks or days arrive again.
    #[default]
    Resampled,
}

/// The source of the run times of a forecast.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum RunTimes {
    /// The ratios of run times to limits of earlier jobs.
    #[default]
    Log,
    /// Each job runs until its limit.
    Limit,
    /// The run time is drawn uniformly between nothing and the limit.
    Uniform,
}

/// The settings of a forecast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, default)]
pub struct ForecastSettings {
    /// The instant of the forecast, in seconds after the zero of the queue's trace; rounded down to
    /// whole seconds. `None` if the file tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// Number of samples.
    pub samples: u32,
    /// Seed of all draws.
    pub seed: u32,
    /// Time after the instant at which each sample ends, in seconds.
    pub horizon: f64,
    /// The jobs that arrive after the instant.
    pub arrivals: LaterArrivals,
    /// The source of run times.
    pub run_times: RunTimes,
}

impl Default for ForecastSettings {
    fn default() -> Self {
        Self {
            at: None,
            samples: 200,
            seed: 1,
            horizon: 14.0 * 86_400.0,
            arrivals: LaterArrivals::default(),
            run_times: RunTimes::default(),
        }
    }
}

impl ForecastSettings {
    /// Checks that the values are in range.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let range = |name: &str, value: f64, least: f64, most: f64| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(Problem::new(
                format!("The {name} of a forecast cannot be {value}."),
                format!("It is a number from {least} to {most} (docs/limits.md)."),
                "Correct the value.",
            ))
        };
        let samples = limits::FORECAST_SAMPLES as f64;
        range("number of samples", self.samples.into(), 1.0, samples)?;
        let horizon = limits::FORECAST_HORIZON as f64;
        range("horizon in seconds", self.horizon, 1.0, horizon)?;
        self.at
            .map_or(Ok(()), |at| range("instant in seconds", at, -1e10, 1e10))
    }

    /// Returns the horizon in whole seconds.
    pub(super) const fn horizon_seconds(&self) -> i64 {
        self.horizon as i64
    }
}
