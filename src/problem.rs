//! What is wrong with an input, said so that its owner can mend it.
//!
//! Every input (a file, a form, a link, a plan) fails with this one type, so that the page and the
//! terminal say the same: what is wrong, where, why that is a rule, and what to do next. Nothing a
//! user can say panics.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An input that cannot be used, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Problem {
    /// What is wrong, as a sentence: "Not a number: line 12, field 4 (run time) = `abc`."
    pub what: String,
    /// The rule that it breaks.
    pub why: String,
    /// What the reader can do.
    pub next: String,
    /// Line of the file, from 1, where that applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Field of the line, from 1, where that applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<u8>,
}

impl Problem {
    /// A problem without a place in a file.
    pub fn new(what: impl Into<String>, why: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            why: why.into(),
            next: next.into(),
            line: None,
            field: None,
        }
    }

    /// The same problem, with a further hint on what to do.
    pub fn and_next(mut self, hint: &str) -> Self {
        self.next = format!("{hint}{}", self.next);
        self
    }

    /// The same problem, on line `line` (from 1).
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// The same problem, in field `field` (from 1).
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
