//! Reads JSON that people write: an error comes with the path of its place.

use serde::Deserialize;

/// An error of reading, and its place.
#[derive(Debug)]
pub struct Misread {
    /// Path of the value at which it occurred, such as `policies[1].settings`; empty for the whole
    /// document.
    pub path: String,
    /// The error.
    pub error: serde_json::Error,
}

/// Reads a JSON text.
///
/// # Errors
/// Returns the first mistake in the text, and its path.
pub fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Misread> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| Misread {
        // The library writes `.` for the whole document, and `?` for a key that cannot be read.
        path: error
            .path()
            .to_string()
            .trim_end_matches(['.', '?'])
            .to_owned(),
        error: error.into_inner(),
    })?;
    json.end().map_err(|error| Misread {
        path: String::new(),
        error,
    })?;
    Ok(value)
}
