//! The border to JavaScript. No other part of the crate knows of JavaScript.
//!
//! Values cross as plain objects, whose types are generated from the Rust types into
//! `schedscope.d.ts`. Columns and pixels cross as typed arrays. Everything else stays in wasm
//! memory. Arguments from JavaScript are checked like any input: a bad argument fails with a
//! `Problem`, which these functions throw.

mod arguments;
mod clock;
mod convert;
#[cfg(feature = "plans")]
mod forecast;
mod own;
#[cfg(feature = "plans")]
mod plan;
mod pulse;
mod run;
#[cfg(feature = "clusters")]
mod slurm;
mod trace;

pub use arguments::{Flag, Number, Text, Traced};
#[cfg(feature = "plans")]
pub use forecast::{ForecastCalibration, StartForecast};
pub use own::{check_policy, define_policy};
pub use pulse::on_pulse;
pub use run::Run;
#[cfg(feature = "clusters")]
pub use slurm::{slurm_keywords, slurm_lines, slurm_options};
#[cfg(feature = "clusters")]
pub use trace::cluster_description;
#[cfg(feature = "formats")]
pub use trace::describe_table;
pub use trace::{Hasher, Trace, TraceReader, is_plain};

use js_sys::Float64Array;
use wasm_bindgen::prelude::*;

/// The type of colourings, whose text is more than a list of words.
#[wasm_bindgen(typescript_custom_section)]
const COLOURING: &str = "
/** The quantity that colours show. */
export type Colouring = 'user' | 'job' | 'size' | 'wait' | 'slowdown' | 'class' | 'difference' | `attribute:${string}`;
";

/// Sets the panic hook when the module is instantiated. A panic then names its place in the
/// console, and in the global `schedscopePanic` for code that sees it only from outside.
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

/// Returns everything that can be chosen: policies, machines, models, presets, metrics and
/// parameters.
#[wasm_bindgen(unchecked_return_type = "Catalog")]
pub fn catalog() -> JsValue {
    convert::object(&crate::experiment::catalog())
}

/// Returns a seed from the system's random numbers, as a whole number below 2^32.
///
/// # Errors
/// Throws a `Problem` if there is no source of random numbers.
#[wasm_bindgen(js_name = freshSeed)]
pub fn fresh_seed() -> Result<f64, JsValue> {
    crate::random::fresh_seed()
        .map(|seed| seed as f64)
        .map_err(convert::thrown)
}

/// Compares a column of two runs of the same jobs, such as their waits.
///
/// # Errors
/// Throws a `Problem` if an argument is not an array of numbers.
#[wasm_bindgen(unchecked_return_type = "Paired")]
pub fn paired(first: &Float64Array, second: &Float64Array) -> Result<JsValue, JsValue> {
    let (first, second) = (
        arguments::numbers(first, "first")?,
        arguments::numbers(second, "second")?,
    );
    Ok(convert::object(&crate::metrics::paired(&first, &second)))
}
