//! Stored results: decides which of them can be used again.
//!
//! A result names the engine that made it, and has a checksum. docs/formats/results.md states the
//! rule.

use super::result::CellResult;
use crate::experiment::ENGINE;
use crate::trace::Fingerprint;
use serde::{Deserialize, Serialize};

/// A reason not to use a stored result. Its cell runs again.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// Another build of the engine made the result, or the result names no engine.
    Engine,
    /// The result is damaged, or was edited after it was written.
    Damaged,
    /// The result is of another trace with the same name.
    Trace,
    /// The result lacks a part that the plan keeps.
    Keep,
}

impl Doubt {
    /// Returns the reason as the end of a sentence that begins with "a stored result".
    pub fn text(self) -> &'static str {
        match self {
            Self::Engine => "was made by another build of the engine",
            Self::Damaged => "is damaged, or was edited after it was written",
            Self::Trace => "is of another trace of the same name",
            Self::Keep => "lacks something that the plan keeps",
        }
    }
}

/// The field that names the engine. All versions of results have it except the oldest.
#[derive(Deserialize)]
struct Origin {
    #[serde(default)]
    engine: String,
}

/// Reads the stored result of a cell from its JSON.
///
/// # Errors
/// Returns the reason why the result cannot be used.
pub fn read_stored(text: &str, key: &str) -> Result<CellResult, Doubt> {
    // The engine is checked before the other fields, because another build can have other fields.
    let origin: Origin = serde_json::from_str(text).map_err(|_| Doubt::Damaged)?;
    if origin.engine != ENGINE {
        return Err(Doubt::Engine);
    }
    let result: CellResult = serde_json::from_str(text).map_err(|_| Doubt::Damaged)?;
    if result.key == key && result.checksum == result.sum() {
        Ok(result)
    } else {
        Err(Doubt::Damaged)
    }
}

impl CellResult {
    /// Returns the result with its checksum.
    pub fn sealed(mut self) -> Self {
        self.checksum = self.sum();
        self
    }

    /// Returns SHA-256 of the JSON without the checksum. JavaScript writes 0 for -0, so both count
    /// as 0.
    fn sum(&self) -> String {
        let bare = Self {
            checksum: String::new(),
            ..self.clone()
        };
        let text = serde_json::to_string(&bare).unwrap_or_default();
        let text = [",", "]", "}"].iter().fold(text, |text, end| {
            text.replace(&format!("-0.0{end}"), &format!("0.0{end}"))
        });
        let mut print = Fingerprint::default();
        print.push(text.as_bytes());
        print.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result() -> CellResult {
        let figures = [
            ("wait.mean", 0.1 + 0.2),
            ("utilisation.value", 1.0),
            ("stability.value", -0.0),
        ];
        CellResult {
            key: "k".into(),
            engine: ENGINE.into(),
            figures: figures
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
            ..CellResult::default()
        }
        .sealed()
    }

    #[test]
    fn what_was_written_is_read() {
        let text = serde_json::to_string(&result()).unwrap();
        assert_eq!(read_stored(&text, "k"), Ok(result()));
        // JavaScript writes the same result like this.
        let text = text
            .replace(":1.0,", ":1,")
            .replace("-0.0", "0")
            .replace("\":", "\" : ");
        assert!(read_stored(&text, "k").is_ok(), "{text}");
    }

    #[test]
    fn whatever_is_changed_is_noticed() {
        let text = serde_json::to_string(&result()).unwrap();
        for (from, to) in [
            ("0.30000000000000004", "0.3"),
            ("\"jobs\":0", "\"jobs\":1"),
            ("\"checksum\":\"", "\"checksum\":\"0"),
            ("{", "{\"k\":"),
        ] {
            assert!(text.contains(from), "{from}");
            assert_eq!(
                read_stored(&text.replacen(from, to, 1), "k"),
                Err(Doubt::Damaged),
                "{from}"
            );
        }
        assert_eq!(read_stored(&text, "another key"), Err(Doubt::Damaged));
        assert_eq!(
            read_stored(&text[..text.len() / 2], "k"),
            Err(Doubt::Damaged)
        );
        assert_eq!(read_stored("", "k"), Err(Doubt::Damaged));
    }

    #[test]
    fn another_engine_is_told_whatever_else_it_wrote() {
        for text in [
            "{}",
            "{\"version\":\"0.1.0\",\"figures\":{\"wait.mean\":1.0}}",
            "{\"engine\":\"0\",\"new\":[1]}",
        ] {
            assert_eq!(read_stored(text, "k"), Err(Doubt::Engine), "{text}");
        }
    }
}
