//! Tests of words: the names behind numbers, and the further columns of a log that have words.

use super::test::{TestText, wrong};
use crate::job::JobId;
use crate::param::closest;
use crate::problem::Problem;
use crate::workload::{Attribute, Workload};

/// Number of words among which a problem looks for the closest.
const NEAR: usize = 10_000;

/// Number of words that a problem lists.
const LISTED: usize = 8;

/// A test of words: a job passes if it has one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WordTest {
    attribute: Attribute,
    /// True for each wanted word, by its number.
    wanted: Vec<bool>,
}

impl WordTest {
    /// True if the values of a test are words. Users and queues have numbers too: values that are
    /// all numbers stand for these, unless one of them is a name.
    pub fn is_meant(workload: &Workload, attribute: Attribute, text: &TestText<'_>) -> bool {
        let Some(words) = workload.words(attribute) else {
            return false;
        };
        if matches!(attribute, Attribute::Column(_)) || text.operator == "~" {
            return true;
        }
        let is_number = |value: &String| {
            let mut parts = value.split("..");
            parts.all(|part| part.parse::<f64>().is_ok())
        };
        let is_name = |value: &String| words.iter().any(|word| word == value);
        text.is_equal() && (!text.values.iter().all(is_number) || text.values.iter().any(is_name))
    }

    /// Parses the words of a test.
    ///
    /// # Errors
    /// Returns a problem if no job of the log has one of the words, or if the test compares.
    pub fn parse(
        workload: &Workload,
        attribute: Attribute,
        text: &TestText<'_>,
    ) -> Result<Self, Problem> {
        let name = text.name;
        let known: Vec<&str> = workload
            .words(attribute)
            .map_or_else(Vec::new, |words| words.iter().collect());
        let example = format!("{name}:{}", quoted(known.first().unwrap_or(&"x")));
        if !text.is_equal() && text.operator != "~" {
            let why = "Words are equal (`:` or `=`) or contain a text (`~`).";
            return Err(wrong(text.shown, "words have no order", why, &example));
        }
        let mut wanted = vec![false; known.len() + 1];
        for value in &text.values {
            let lower = value.to_ascii_lowercase();
            let is_wanted = |word: &str| {
                if text.operator == "~" {
                    !value.is_empty() && word.to_ascii_lowercase().contains(&lower)
                } else {
                    word.eq_ignore_ascii_case(value)
                }
            };
            let mut is_there = false;
            for (number, word) in known.iter().enumerate() {
                if is_wanted(word) {
                    (wanted[number + 1], is_there) = (true, true);
                }
            }
            if !is_there {
                let listed = &known[..known.len().min(LISTED)];
                let more = if known.len() > LISTED { ", ..." } else { "" };
                let why = format!(
                    "{}No job of the trace has it. Values of `{name}` are {}{more}.",
                    closest(value, &known[..known.len().min(NEAR)]),
                    listed.join(", ")
                );
                return Err(wrong(text.shown, "unknown value", &why, &example));
            }
        }
        Ok(Self { attribute, wanted })
    }

    /// True if the job has one of the words.
    pub fn keeps(&self, workload: &Workload, job: JobId) -> bool {
        let number = workload.key(self.attribute, job);
        number.is_some_and(|number| self.wanted.get(number as usize) == Some(&true))
    }
}

/// Returns a word as a filter needs it: in quotes if it has a space, a comma or a quotation mark.
fn quoted(word: &str) -> String {
    if word.is_empty() || word.contains([' ', ',', '"', '\t']) {
        format!("\"{}\"", word.replace('"', "\"\""))
    } else {
        word.to_owned()
    }
}
