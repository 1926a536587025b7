//! Real time, so that slices end when they should. The core has no clock.

use wasm_bindgen::prelude::*;
use web_sys::Performance;

#[wasm_bindgen]
extern "C" {
    // The name itself, and not a member of the global object: a sandbox takes that away from the code
    // of policies, and keeps this for the engine.
    #[wasm_bindgen(thread_local_v2, js_name = performance)]
    static PERFORMANCE: Option<Performance>;
}

/// A clock in milliseconds that never goes back. It stays at 0 if the environment has no clock.
pub struct Clock(Option<Performance>);

impl Clock {
    /// Returns the clock of this worker, page or Node process.
    pub fn new() -> Self {
        Self(PERFORMANCE.with(Clone::clone))
    }

    /// Returns the milliseconds since some fixed instant.
    pub fn milliseconds(&self) -> f64 {
        self.0.as_ref().map_or(0.0, Performance::now)
    }
}
