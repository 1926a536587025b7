//! Values across the border.

use crate::problem::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

/// A value as a plain JavaScript object.
pub fn object<T: Serialize>(value: &T) -> JsValue {
    // Serialising our own types into objects has no way to fail; null would show in the page's types at once.
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).unwrap_or(JsValue::NULL)
}

/// A problem as what gets thrown.
#[expect(clippy::needless_pass_by_value, reason = "it is for map_err")]
pub fn thrown(problem: Problem) -> JsValue {
    object(&problem)
}

/// A JavaScript object as a value. By way of JSON, because a field that nobody knows is then an error and not silence.
pub fn value<T: DeserializeOwned>(from: &JsValue, name: &str) -> Result<T, JsValue> {
    let text = js_sys::JSON::stringify(from).ok().and_then(|text| text.as_string()).unwrap_or_else(|| "null".into());
    serde_json::from_str(&text).map_err(|error| {
        thrown(Problem::new(
            format!("The {name} is not understood: {error}."),
            "Its fields and their types are in schedscope.d.ts.",
            "Correct the field that is named.",
        ))
    })
}
