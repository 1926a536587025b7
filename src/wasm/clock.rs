//! Real time, so that slices end when they should. The core has no clock.

use wasm_bindgen::JsCast;
use web_sys::Performance;

/// A clock in milliseconds that never goes back. It stays at 0 if the environment has no clock.
pub struct Clock(Option<Performance>);

impl Clock {
    /// Returns the clock of this worker, page or Node process.
    pub fn new() -> Self {
        let global = js_sys::global();
        Self(
            js_sys::Reflect::get(&global, &"performance".into())
                .ok()
                .and_then(|found| found.dyn_into().ok()),
        )
    }

    /// Returns the milliseconds since some fixed instant.
    pub fn milliseconds(&self) -> f64 {
        self.0.as_ref().map_or(0.0, Performance::now)
    }
}
