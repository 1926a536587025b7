//! Reads JSON that people write: an error comes with the path of its place.

use serde::Deserialize;
use std::fmt::Write;

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
    serde_json::from_str(text).map_err(|error| Misread {
        path: path_at(text, error.line(), error.column()),
        error,
    })
}

/// A list or an object around a place in a text.
enum Around<'a> {
    /// A list, and the index of the element at the place.
    List(usize),
    /// An object, and the name of the member at the place; `None` before it.
    Object(Option<&'a str>),
}

/// Returns the path of the value that ends at this line and column, or that contains them. The text
/// is correct JSON up to there.
fn path_at(text: &str, line: usize, column: usize) -> String {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let end = (before + column).min(text.len());
    let mut around: Vec<Around<'_>> = Vec::new();
    let mut at = 0;
    while let Some(letter) = text.as_bytes().get(at).filter(|_| at < end) {
        match letter {
            b'"' => {
                let length = text_length(&text[at..]);
                // The first text of a member is its name.
                if let Some(Around::Object(member @ None)) = around.last_mut() {
                    *member = text.get(at + 1..at + length - 1);
                }
                at += length - 1;
            }
            b',' => match around.last_mut() {
                Some(Around::List(index)) => *index += 1,
                Some(Around::Object(member)) => *member = None,
                None => {}
            },
            b'[' => around.push(Around::List(0)),
            b'{' => around.push(Around::Object(None)),
            b']' | b'}' => {
                around.pop();
            }
            _ => {}
        }
        at += 1;
    }
    let mut path = String::new();
    for level in around {
        match level {
            Around::List(index) => {
                let _ = write!(path, "[{index}]");
            }
            Around::Object(Some(member)) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(member);
            }
            Around::Object(None) => {}
        }
    }
    path
}

/// Returns the number of bytes of the text in quotes at the beginning of `text`.
fn text_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|letter| {
        let ends = letter == b'"' && !is_escaped;
        is_escaped = letter == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}
