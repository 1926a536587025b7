//! Arguments from JavaScript, which may have any type. Each is checked, and fails with a `Problem`
//! if it has the wrong type.

use super::convert::thrown;
use super::trace::Trace;
use crate::problem::Problem;
use js_sys::{Float64Array, Function, Reflect, Uint8Array, Uint32Array};
use wasm_bindgen::convert::TryFromJsValue;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// A value that was passed for a number.
    #[wasm_bindgen(typescript_type = "number")]
    pub type Number;
    /// A value that was passed for a string.
    #[wasm_bindgen(typescript_type = "string")]
    pub type Text;
    /// A value that was passed for true or false.
    #[wasm_bindgen(typescript_type = "boolean")]
    pub type Flag;
    /// A value that was passed for a trace.
    #[wasm_bindgen(typescript_type = "Trace")]
    pub type Traced;
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        JsValue::from_f64(value).unchecked_into()
    }
}

impl From<&str> for Text {
    fn from(value: &str) -> Self {
        JsValue::from_str(value).unchecked_into()
    }
}

impl From<bool> for Flag {
    fn from(value: bool) -> Self {
        JsValue::from_bool(value).unchecked_into()
    }
}

impl Number {
    /// Returns the number, which may be infinite or NaN.
    pub(super) fn get(&self, name: &str) -> Result<f64, JsValue> {
        self.as_f64().ok_or_else(|| wrong(name, "a number", self))
    }

    /// Returns the number as a count or an index: truncated, and clamped to the range of the type.
    pub(super) fn count(&self, name: &str) -> Result<usize, JsValue> {
        self.get(name).map(|number| number as usize)
    }

    /// Returns the number as [`Number::count`] does, in 32 bits.
    pub(super) fn index(&self, name: &str) -> Result<u32, JsValue> {
        self.get(name).map(|number| number as u32)
    }

    /// Returns the number as a budget of work or time, which must be at least 0.
    pub(super) fn budget(&self, name: &str) -> Result<f64, JsValue> {
        self.as_f64()
            .filter(|number| *number >= 0.0)
            .ok_or_else(|| wrong(name, "a number of at least 0", self))
    }
}

impl Text {
    /// Returns the string.
    pub(super) fn get(&self, name: &str) -> Result<String, JsValue> {
        self.as_string()
            .ok_or_else(|| wrong(name, "a string", self))
    }
}

impl Flag {
    /// Returns true or false.
    pub(super) fn get(&self, name: &str) -> Result<bool, JsValue> {
        self.as_bool()
            .ok_or_else(|| wrong(name, "true or false", self))
    }
}

impl Traced {
    /// Returns the trace. JavaScript keeps its own.
    pub(super) fn get(&self, name: &str) -> Result<Trace, JsValue> {
        let shared = Reflect::get(self, &"share".into())
            .and_then(JsCast::dyn_into::<Function>)
            .and_then(|share| share.call0(self));
        shared
            .ok()
            .and_then(|shared| Trace::try_from_js_value(shared).ok())
            .ok_or_else(|| wrong(name, "a Trace that is not freed", self))
    }
}

/// Returns the values of an array of numbers.
pub(super) fn numbers(array: &Float64Array, name: &str) -> Result<Vec<f64>, JsValue> {
    if array.is_instance_of::<Float64Array>() {
        Ok(array.to_vec())
    } else {
        Err(wrong(name, "a Float64Array", array))
    }
}

/// Returns the values of an array of whole numbers.
pub(super) fn indexes(array: &Uint32Array, name: &str) -> Result<Vec<u32>, JsValue> {
    if array.is_instance_of::<Uint32Array>() {
        Ok(array.to_vec())
    } else {
        Err(wrong(name, "a Uint32Array", array))
    }
}

/// Returns the bytes of an array of bytes.
pub(super) fn bytes(array: &Uint8Array, name: &str) -> Result<Vec<u8>, JsValue> {
    if array.is_instance_of::<Uint8Array>() {
        Ok(array.to_vec())
    } else {
        Err(wrong(name, "a Uint8Array", array))
    }
}

/// Returns the value if it is a function.
pub(super) fn function<'a>(value: &'a Function, name: &str) -> Result<&'a Function, JsValue> {
    if value.is_function() {
        Ok(value)
    } else {
        Err(wrong(name, "a function", value))
    }
}

fn wrong(name: &str, wanted: &str, got: &JsValue) -> JsValue {
    thrown(Problem::new(
        format!(
            "The argument `{name}` is {}, and not {wanted}.",
            described(got)
        ),
        "Every argument has the type that schedscope.d.ts gives it.",
        format!("Pass {wanted}."),
    ))
}

/// Describes a value in a few words.
pub(super) fn described(value: &JsValue) -> String {
    if let Some(text) = value.as_string() {
        return format!("the string `{}`", text.chars().take(40).collect::<String>());
    }
    if let Some(number) = value.as_f64() {
        return format!("the number {number}");
    }
    match value.js_typeof().as_string().unwrap_or_default().as_str() {
        "undefined" => "not given".to_owned(),
        "object" if value.is_null() => "null".to_owned(),
        "object" => "an object of another kind".to_owned(),
        "boolean" => "true or false".to_owned(),
        other => format!("a {other}"),
    }
}
