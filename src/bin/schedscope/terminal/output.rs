//! Standard output and standard error: every failed write is noticed, and no control character gets
//! through raw.

use schedscope::problem::Problem;
use std::borrow::Cow;
use std::fmt::{Arguments, Write as _};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

/// Prints a line. A reader that has seen enough, such as `head`, ends the program quietly; anything
/// else is an error.
pub fn say_line(line: Arguments<'_>) {
    check(writeln!(
        io::stdout().lock(),
        "{}",
        harmless(&line.to_string(), "")
    ));
}

/// As `println!`, by way of [`say_line`].
macro_rules! say {
    ($($part:tt)*) => { $crate::terminal::output::say_line(format_args!($($part)*)) };
}
pub(crate) use say;

/// A number of things: `1 job`, `2 jobs`.
pub fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Prints a JSON document, which stays the same document: control characters are escaped as JSON
/// escapes them.
pub fn say_json(document: &serde_json::Value) {
    check(writeln!(
        io::stdout().lock(),
        "{}",
        harmless(&format!("{document:#}"), "\n")
    ));
}

/// Prints on standard error what went wrong.
pub fn say_problem(problem: &Problem) {
    for (head, text) in [
        ("error: ", &problem.what),
        ("  why:  ", &problem.why),
        ("  next: ", &problem.next),
    ] {
        complain(&format!("{head}{}", harmless(text, "")));
    }
}

/// Prints a text of several lines on standard error.
pub fn complain(text: &str) {
    // Nobody is left to tell if this fails.
    let _ = writeln!(io::stderr().lock(), "{}", harmless(text, "\n"));
}

/// Writes a file's text to standard output, piece by piece: byte for byte, unless a terminal would
/// obey its control characters.
pub fn write_out(write: impl FnOnce(&mut dyn FnMut(&str))) {
    let mut out = BufWriter::new(io::stdout().lock());
    let is_terminal = io::stdout().is_terminal();
    write(&mut |piece| check(out.write_all(for_reader(piece, is_terminal).as_bytes())));
    check(out.flush());
}

/// A piece of a file's text as it is, or for a terminal without raw control characters.
pub fn for_reader(piece: &str, is_terminal: bool) -> Cow<'_, str> {
    if is_terminal {
        harmless(piece, "\n\t")
    } else {
        Cow::Borrowed(piece)
    }
}

/// The text with control characters and changes of writing direction as `\u001b`, but for those in
/// `kept`. A name in a file could otherwise move the cursor, forge lines, or show its letters in
/// another order.
pub fn harmless<'a>(text: &'a str, kept: &str) -> Cow<'a, str> {
    let is_raw = |letter: char| is_control(letter) && !kept.contains(letter);
    if !text.contains(is_raw) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().fold(
        String::with_capacity(text.len() + 16),
        |mut shown, letter| {
            if is_raw(letter) {
                let _ = write!(shown, "\\u{:04x}", u32::from(letter));
            } else {
                shown.push(letter);
            }
            shown
        },
    );
    Cow::Owned(escaped)
}

/// C0, DEL and C1; line and paragraph separators; marks, embeddings, overrides and isolates of
/// writing direction.
fn is_control(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}')
        || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn check(result: io::Result<()>) {
    if let Err(error) = result {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        complain(&format!("error: Cannot write to standard output: {error}."));
        std::process::exit(1);
    }
}
