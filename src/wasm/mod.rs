//! The border to JavaScript, and the only place that knows of it.
//!
//! Values cross as plain objects whose types are generated from the Rust ones into
//! `schedscope.d.ts`; columns and pixels cross as typed arrays; everything else stays in wasm
//! memory. What JavaScript passes in is checked like any input: it fails with a `Problem`, which is
//! what these functions throw.

mod arguments;
mod clock;
mod convert;
mod plan;
mod pulse;
mod run;
mod trace;

pub use arguments::{Flag, Number, Text, Traced};
pub use pulse::on_pulse;
pub use run::Run;
pub use trace::{Hasher, Trace, TraceReader};

use js_sys::Float64Array;
use wasm_bindgen::prelude::*;

/// Called once when the module is instantiated: a panic then names its place in the console, and in
/// the global `schedscopePanic` for whoever catches what it looks like from outside.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        let _ = js_sys::Reflect::set(
            &js_sys::global(),
            &"schedscopePanic".into(),
            &panic.to_string().into(),
        );
    }));
}

/// Everything that can be chosen: policies, machines, models, presets, metrics and parameters.
#[wasm_bindgen(unchecked_return_type = "Catalog")]
pub fn catalog() -> JsValue {
    convert::object(&crate::experiment::catalog())
}

/// A seed that nobody chose, as a whole number below 2^32.
///
/// # Errors
/// Throws a `Problem` where there is no source of random numbers.
#[wasm_bindgen(js_name = freshSeed)]
pub fn fresh_seed() -> Result<f64, JsValue> {
    crate::random::fresh_seed()
        .map(|seed| seed as f64)
        .map_err(convert::thrown)
}

/// Compares a column of two runs of the same jobs, such as their waits.
///
/// # Errors
/// Throws a `Problem` if they are no arrays of numbers.
#[wasm_bindgen(unchecked_return_type = "Paired")]
pub fn paired(first: &Float64Array, second: &Float64Array) -> Result<JsValue, JsValue> {
    let (first, second) = (
        arguments::numbers(first, "first")?,
        arguments::numbers(second, "second")?,
    );
    Ok(convert::object(&crate::metrics::paired(&first, &second)))
}
