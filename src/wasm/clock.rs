//! Real time, for slices that end when they should. The core knows no clock.

use wasm_bindgen::JsCast;
use web_sys::Performance;

/// Milliseconds of a clock that never goes back; 0 for ever where there is none.
pub struct Clock(Option<Performance>);

impl Clock {
    /// The clock of this worker, page or Node process.
    pub fn new() -> Self {
        let global = js_sys::global();
        Self(
            js_sys::Reflect::get(&global, &"performance".into())
                .ok()
                .and_then(|found| found.dyn_into().ok()),
        )
    }

    /// Milliseconds since some fixed instant.
    pub fn milliseconds(&self) -> f64 {
        self.0.as_ref().map_or(0.0, Performance::now)
    }
}
