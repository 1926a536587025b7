//! Values across the border.

use crate::problem::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

/// A value as a plain JavaScript object.
pub fn object<T: Serialize>(value: &T) -> JsValue {
    // Serialising our own types into objects has no way to fail; null would show in the page's
    // types at once.
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .unwrap_or(JsValue::NULL)
}

/// A problem as what gets thrown.
#[expect(clippy::needless_pass_by_value, reason = "it is for map_err")]
pub fn thrown(problem: Problem) -> JsValue {
    object(&problem)
}

/// A JavaScript object as a value. By way of JSON, because a field that nobody knows is then an
/// error and not silence.
pub fn value<T: DeserializeOwned>(from: &JsValue, name: &str) -> Result<T, JsValue> {
    let problem = |what: &dyn std::fmt::Display| {
        thrown(Problem::new(
            format!("The {name} is not understood: {what}."),
            "Its fields and their types are in schedscope.d.ts.",
            "Correct the field that is named.",
        ))
    };
    // A BigInt in it, or an object that holds itself, is no JSON; undefined and functions are left
    // out of JSON without a word.
    let text = js_sys::JSON::stringify(from)
        .map_err(|_| problem(&"it holds something that is no JSON, such as a BigInt"))?;
    let text = text
        .as_string()
        .ok_or_else(|| problem(&format_args!("it is {}", super::arguments::described(from))))?;
    serde_json::from_str(&text).map_err(|error| {
        let error = error.to_string();
        // Places in a text that the caller never saw help nobody.
        problem(&error.split(" at line ").next().unwrap_or_default())
    })
}
