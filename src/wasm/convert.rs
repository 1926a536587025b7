//! Conversion of values at the border to JavaScript.

use super::arguments;
use crate::problem::Problem;
use js_sys::Function;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

/// Approximate number of bytes in a piece of text that is handed over.
const PIECE: usize = 1 << 20;

/// Returns a value as a plain JavaScript object.
pub fn object<T: Serialize>(value: &T) -> JsValue {
    // The types of this crate always serialise into objects. The page's types would reveal a null
    // at once.
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .unwrap_or(JsValue::NULL)
}

/// Returns a problem as the value that JavaScript catches.
#[expect(clippy::needless_pass_by_value, reason = "it is for map_err")]
pub fn thrown(problem: Problem) -> JsValue {
    object(&problem)
}

/// Reads a JavaScript object as a value. It goes through JSON, because an unknown field is then an
/// error and does not pass unnoticed.
pub fn value<T: DeserializeOwned>(from: &JsValue, name: &str) -> Result<T, JsValue> {
    let problem = |what: &dyn std::fmt::Display| {
        thrown(Problem::new(
            format!("The {name} is not understood: {what}."),
            "Its fields and their types are in schedscope.d.ts.",
            "Correct the field that is named.",
        ))
    };
    // A BigInt, or an object that contains itself, is not JSON. JSON leaves out undefined and
    // functions without an error.
    let text = js_sys::JSON::stringify(from)
        .map_err(|_| problem(&"it holds something that is not JSON, such as a BigInt"))?;
    let text = text
        .as_string()
        .ok_or_else(|| problem(&format_args!("it is {}", super::arguments::described(from))))?;
    serde_json::from_str(&text).map_err(|error| {
        let error = error.to_string();
        // A place in a text that the caller never saw does not help.
        problem(&error.split(" at line ").next().unwrap_or_default())
    })
}

/// Hands a text over, piece by piece.
pub fn in_pieces(sink: &Function, write: impl FnOnce(&mut dyn FnMut(&str))) -> Result<(), JsValue> {
    arguments::function(sink, "sink")?;
    let mut piece = String::with_capacity(PIECE + 4096);
    let mut failed = None;
    write(&mut |line| {
        piece.push_str(line);
        if piece.len() >= PIECE && failed.is_none() {
            failed = sink.call1(&JsValue::NULL, &piece.as_str().into()).err();
            piece.clear();
        }
    });
    failed.map_or_else(
        || sink.call1(&JsValue::NULL, &piece.as_str().into()).map(drop),
        Err,
    )
}
