//! Finds the path of a place in a JSON text, from the line and column at which reading failed.
//!
//! Following the path while reading, as `serde_path_to_error` does, would make a second copy of all
//! reading code: some 10 kB that every visitor of the page would load. The tests compare this
//! module with that crate.

/// Returns the path of the value at a line and column of a JSON text, such as
/// `policies[1].settings`. Line and column count from 1, the column in bytes. The path of the whole
/// document is empty. A value that has just ended still counts.
pub fn path(text: &str, line: usize, column: usize) -> String {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let end = (before + column).min(text.len());
    let bytes = text.as_bytes();
    // The open objects and arrays. An object has the key that was read last, an array the index of
    // the current value.
    let mut open: Vec<Result<&str, usize>> = Vec::new();
    let (mut at, mut is_key) = (0, false);
    while at < end {
        match bytes[at] {
            b'{' => {
                open.push(Ok(""));
                is_key = true;
            }
            b'[' => {
                open.push(Err(0));
                is_key = false;
            }
            b'}' | b']' => {
                open.pop();
                is_key = false;
            }
            b',' => match open.last_mut() {
                Some(Err(place)) => *place += 1,
                Some(Ok(_)) => is_key = true,
                None => {}
            },
            b'"' => {
                let from = at + 1;
                at = from;
                while at < end && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if let (true, Some(Ok(key))) = (is_key, open.last_mut()) {
                    *key = text.get(from..at).unwrap_or_default();
                    is_key = false;
                }
            }
            _ => {}
        }
        at += 1;
    }
    let mut path = String::new();
    for part in open {
        match part {
            Ok("") => {}
            Ok(key) if path.is_empty() => path.push_str(key),
            Ok(key) => path = format!("{path}.{key}"),
            Err(place) => path = format!("{path}[{place}]"),
        }
    }
    path
}
