//! Forecasts for JavaScript.

use super::arguments::{Number, Traced};
use super::clock::Clock;
use super::convert::{object, thrown, value};
use super::trace::Trace;
use crate::experiment::Scenario;
use crate::forecast::{Calibration, ForecastSettings, QueueForecast};
use wasm_bindgen::prelude::*;

/// Number of events between two looks at the clock.
const STEP: u64 = 2_048;

/// A forecast of the starts of the jobs that wait in a queue.
#[wasm_bindgen]
pub struct StartForecast {
    forecast: QueueForecast,
    clock: Clock,
}

#[wasm_bindgen]
impl StartForecast {
    /// Prepares the forecast of the jobs that wait in `queue`, under the policy of a scenario. Run times and
    /// arrivals come from `log`. The same trace can be both.
    ///
    /// # Errors
    /// Throws a `Problem` if the scenario makes no forecast, if the instant is not known, if no job waits,
    /// or if there are too many jobs.
    #[wasm_bindgen(constructor)]
    pub fn new(
        queue: &Traced,
        log: &Traced,
        #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "ForecastSettings")] settings: &JsValue,
    ) -> Result<Self, JsValue> {
        let (queue, log): (Trace, Trace) = (queue.get("queue")?, log.get("log")?);
        let scenario: Scenario = value(scenario, "scenario")?;
        let settings: ForecastSettings = value(settings, "settings")?;
        let is_same = std::sync::Arc::ptr_eq(&queue.0, &log.0);
        let forecast = QueueForecast::new(
            &scenario,
            &queue.0,
            (!is_same).then_some(&*log.0),
            &settings,
        );
        Ok(Self {
            forecast: forecast.map_err(thrown)?,
            clock: Clock::new(),
        })
    }

    /// Draws samples for about this number of milliseconds.
    ///
    /// # Errors
    /// Throws a `Problem` if the policy cannot go on, or if the argument has the wrong type.
    #[wasm_bindgen(js_name = advanceFor, unchecked_return_type = "ForecastProgress")]
    pub fn advance_for(&mut self, milliseconds: &Number) -> Result<JsValue, JsValue> {
        let until = self.clock.milliseconds() + milliseconds.budget("milliseconds")?;
        let forecast = &mut self.forecast;
        let progress = repeated(&self.clock, until, || {
            let progress = forecast.advance(STEP);
            progress.map(|progress| (progress, progress.done))
        });
        Ok(object(&progress.map_err(thrown)?))
    }

    /// Returns the result of the samples so far.
    #[wasm_bindgen(unchecked_return_type = "ForecastResult")]
    pub fn result(&self) -> JsValue {
        object(&self.forecast.result())
    }
}

/// Forecasts at past moments of a log, compared with the recorded starts.
#[wasm_bindgen]
pub struct ForecastCalibration {
    calibration: Calibration,
    clock: Clock,
}

#[wasm_bindgen]
impl ForecastCalibration {
    /// Prepares forecasts at up to `moments` moments of a log, under the policy of a scenario.
    ///
    /// # Errors
    /// Throws a `Problem` if the scenario makes no forecast, or if the log has no recorded starts.
    #[wasm_bindgen(constructor)]
    pub fn new(
        log: &Traced,
        #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "ForecastSettings")] settings: &JsValue,
        moments: &Number,
    ) -> Result<Self, JsValue> {
        let log: Trace = log.get("log")?;
        let scenario: Scenario = value(scenario, "scenario")?;
        let settings: ForecastSettings = value(settings, "settings")?;
        let moments = moments.count("moments")?;
        let calibration = Calibration::new(&scenario, log.0, &settings, moments);
        Ok(Self {
            calibration: calibration.map_err(thrown)?,
            clock: Clock::new(),
        })
    }

    /// Draws samples for about this number of milliseconds.
    ///
    /// # Errors
    /// Throws a `Problem` if the policy cannot go on, or if the argument has the wrong type.
    #[wasm_bindgen(js_name = advanceFor, unchecked_return_type = "CalibrationProgress")]
    pub fn advance_for(&mut self, milliseconds: &Number) -> Result<JsValue, JsValue> {
        let until = self.clock.milliseconds() + milliseconds.budget("milliseconds")?;
        let calibration = &mut self.calibration;
        let progress = repeated(&self.clock, until, || {
            let progress = calibration.advance(STEP);
            progress.map(|progress| (progress, progress.done))
        });
        Ok(object(&progress.map_err(thrown)?))
    }

    /// Returns the result of the moments so far.
    #[wasm_bindgen(unchecked_return_type = "CalibrationResult")]
    pub fn result(&self) -> JsValue {
        object(&self.calibration.result())
    }
}

/// Repeats a step until the clock reaches an instant, or until it says that all is done.
fn repeated<P, E>(
    clock: &Clock,
    until: f64,
    mut step: impl FnMut() -> Result<(P, bool), E>,
) -> Result<P, E> {
    loop {
        let (progress, done) = step()?;
        if done || clock.milliseconds() >= until {
            return Ok(progress);
        }
    }
}
