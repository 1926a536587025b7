//! The tests of a filter as text: field, operator and values.

use crate::problem::Problem;

/// A test as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestText<'a> {
    /// The test as typed.
    pub shown: &'a str,
    /// True if a minus inverts the test.
    pub is_negated: bool,
    /// Name of the field; `job` for a bare number.
    pub name: &'a str,
    /// The operator; empty if there is none.
    pub operator: &'a str,
    /// The values, without quotes.
    pub values: Vec<String>,
}

impl TestText<'_> {
    /// True if the operator asks for equal values.
    pub fn is_equal(&self) -> bool {
        matches!(self.operator, ":" | "=" | "")
    }
}

/// The operators. An operator stands before those with which it begins.
const OPERATORS: [&str; 7] = [">=", "<=", ">", "<", ":", "=", "~"];

/// The first characters of operators, which end the name of a field.
const STARTS: [char; 5] = [':', '=', '<', '>', '~'];

/// Returns a problem about a test.
pub(super) fn wrong(test: &str, what: &str, why: &str, example: &str) -> Problem {
    Problem::new(
        format!("`{test}` is not a valid test: {what}."),
        why,
        format!("Write, for example, `{example}`."),
    )
}

/// Splits a filter into its tests. There may be spaces around an operator, after a comma, and in a
/// value in quotes.
///
/// # Errors
/// Returns a problem if a quoted value has no end.
pub(super) fn texts(filter: &str) -> Result<Vec<TestText<'_>>, Problem> {
    let mut tests = Vec::new();
    let mut rest = filter.trim();
    while !rest.is_empty() {
        let test = text(rest)?;
        rest = rest[test.shown.len()..].trim_start();
        tests.push(test);
    }
    Ok(tests)
}

/// Returns the test at the start of `rest`, which begins with no space.
fn text(rest: &str) -> Result<TestText<'_>, Problem> {
    let bare = rest.strip_prefix('-').unwrap_or(rest);
    let is_negated = bare.len() < rest.len();
    let is_end = |letter: char| letter.is_whitespace() || STARTS.contains(&letter);
    let (name, after) = bare.split_at(bare.find(is_end).unwrap_or(bare.len()));
    let next = after.trim_start();
    let starts = |operator: &&str| next.starts_with(*operator);
    let Some(operator) = OPERATORS.into_iter().find(starts) else {
        let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        return Ok(TestText {
            shown: &rest[..rest.len() - after.len()],
            is_negated,
            name: if is_number { "job" } else { name },
            operator: "",
            values: vec![name.to_owned()],
        });
    };
    let mut after = next[operator.len()..].trim_start();
    let mut values = Vec::new();
    loop {
        let Some((value, end)) = value(after) else {
            return Err(wrong(
                rest,
                "a quoted value has no end",
                "A value that begins with a quotation mark ends with one.",
                "account:\"big project\"",
            ));
        };
        values.push(value);
        let Some(next) = end.strip_prefix(',') else {
            return Ok(TestText {
                shown: rest[..rest.len() - end.len()].trim_end(),
                is_negated,
                name,
                operator,
                values,
            });
        };
        after = next.trim_start();
    }
}

/// Returns the value at the start of a text, without its quotes, and what follows it. A quotation
/// mark in a quoted value is written twice.
fn value(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let is_end = |letter: char| letter.is_whitespace() || letter == ',';
        let (value, rest) = text.split_at(text.find(is_end).unwrap_or(text.len()));
        return Some((value.to_owned(), rest));
    };
    let (mut value, mut rest) = (String::new(), quoted);
    loop {
        let (part, after) = rest.split_once('"')?;
        value.push_str(part);
        let Some(more) = after.strip_prefix('"') else {
            return Some((value, after));
        };
        value.push('"');
        rest = more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(filter: &str) -> Vec<String> {
        let line = |test: &TestText<'_>| {
            let minus = if test.is_negated { "not " } else { "" };
            let values = test.values.join("|");
            format!("{minus}{} {} {values}", test.name, test.operator)
        };
        texts(filter).unwrap().iter().map(line).collect()
    }

    #[test]
    fn spaces_quotes_and_lists() {
        for (filter, expected) in [
            ("", &[][..]),
            ("7", &["job  7"]),
            (" -7 user:8 ", &["not job  7", "user : 8"]),
            ("gpus > 0", &["gpus > 0"]),
            ("qos = a, b wait>=1h", &["qos = a|b", "wait >= 1h"]),
            ("qos:\"a b\",\"c\"\"d\" x", &["qos : a b|c\"d", "x  x"]),
            ("-reason~QOS", &["not reason ~ QOS"]),
            ("end>1996-09-22T10:30", &["end > 1996-09-22T10:30"]),
            ("wait>", &["wait > "]),
        ] {
            assert_eq!(told(filter), expected, "{filter}");
        }
        assert!(texts("qos:\"a b").is_err());
        let tests = texts("gpus  >  0   -qos:\"a b\"").unwrap();
        let shown: Vec<&str> = tests.iter().map(|test| test.shown).collect();
        assert_eq!(shown, ["gpus  >  0", "-qos:\"a b\""]);
    }
}
