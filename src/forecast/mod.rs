//! Forecasts: when the jobs that wait at an instant are expected to start.
//!
//! A [`QueueForecast`] takes the jobs that run and wait at an instant, draws run times for them from the
//! run times of earlier jobs, and lets a policy go on from there; many times over. The quantiles of the
//! starts are the result. A [`Calibration`] makes forecasts at past instants of a log, and counts how
//! many of the recorded starts were in the intervals. docs/forecast.md has the rules.

mod arrivals;
mod calibration;
mod engine;
mod failure;
mod instant;
mod joined;
mod left_out;
mod moments;
mod quantiles;
mod ratios;
mod result;
mod sample;
mod settings;
mod situation;
mod standing;
mod starter;
mod watch;

pub use calibration::{Calibration, CalibrationProgress};
pub use engine::{ForecastProgress, QueueForecast};
pub use instant::told as told_instant;
pub use quantiles::{QUANTILES, quantiles};
pub use ratios::RatioLevel;
pub use result::{
    CalibrationResult, ClassCoverage, Coverage, ForecastResult, InstantSource, JobForecast,
    LeftOutJobs, LevelCount, MomentCoverage,
};
pub use settings::{ForecastSettings, LaterArrivals, RunTimes};
