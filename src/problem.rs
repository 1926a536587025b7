//! Errors in inputs, described so that the user can fix them.
//!
//! Every input (a file, a form, a link, a plan) fails with this one type, so that the page and the
//! terminal give the same message: what is wrong, where, which rule it breaks, and what to do next.
//! No input panics.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An error in an input, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Problem {
    /// The error, as a sentence: "Not a number: line 12, field 4 (run time) = `abc`."
    pub what: String,
    /// The rule that the input breaks.
    pub why: String,
    /// The next step for the reader.
    pub next: String,
    /// Line of the file, from 1, if the error is in a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Field of the line, from 1, if the error is in a field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<u8>,
}

impl Problem {
    /// Returns a problem without a place in a file.
    pub fn new(what: impl Into<String>, why: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            why: why.into(),
            next: next.into(),
            line: None,
            field: None,
        }
    }

    /// Returns the same problem with `hint` in front of its next step.
    pub fn and_next(mut self, hint: &str) -> Self {
        self.next = format!("{hint}{}", self.next);
        self
    }

    /// Returns the same problem, on line `line` (from 1).
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Returns the same problem, in field `field` (from 1).
    pub fn in_field(mut self, field: u8) -> Self {
        self.field = Some(field);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.what, self.why, self.next)
    }
}

impl std::error::Error for Problem {}
