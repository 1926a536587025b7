//! Standard output and standard error. Every failed write is reported, and control characters are
//! escaped.

use schedscope::problem::Problem;
use std::borrow::Cow;
use std::fmt::{Arguments, Write as _};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

/// Prints a line. If the reader has closed the pipe, as `head` does, the program ends without a
/// message. Any other failure is an error.
pub fn say_line(line: Arguments<'_>) {
    check(writeln!(
        io::stdout().lock(),
        "{}",
        harmless(&line.to_string(), "")
    ));
}

/// Prints like `println!`, by way of [`say_line`].
macro_rules! say {
    ($($part:tt)*) => { $crate::terminal::output::say_line(format_args!($($part)*)) };
}
pub(crate) use say;

/// Returns a number with the name of what is counted: `1 job`, `2 jobs`.
pub fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Prints a JSON document. Control characters are escaped as JSON escapes them, so the document
/// keeps its meaning.
pub fn say_json(document: &serde_json::Value) {
    check(writeln!(
        io::stdout().lock(),
        "{}",
        harmless(&format!("{document:#}"), "\n")
    ));
}

/// Prints a problem on standard error.
pub fn say_problem(problem: &Problem) {
    for (head, text) in [
        ("error: ", &problem.what),
        ("  why:  ", &problem.why),
        ("  next: ", &problem.next),
    ] {
        complain(&format!("{head}{}", harmless(text, "")));
    }
}

/// Prints a text of one or more lines on standard error.
pub fn complain(text: &str) {
    // If standard error fails too, there is no place left for a message.
    let _ = writeln!(io::stderr().lock(), "{}", harmless(text, "\n"));
}

/// Writes the text of a file to standard output, piece by piece. The bytes are unchanged, unless a
/// terminal would obey control characters in them.
pub fn write_out(write: impl FnOnce(&mut dyn FnMut(&str))) {
    let mut out = BufWriter::new(io::stdout().lock());
    let is_terminal = io::stdout().is_terminal();
    write(&mut |piece| check(out.write_all(for_reader(piece, is_terminal).as_bytes())));
    check(out.flush());
}

/// Returns a piece of a file's text, unchanged for a file and without raw control characters for a
/// terminal.
pub fn for_reader(piece: &str, is_terminal: bool) -> Cow<'_, str> {
    if is_terminal {
        harmless(piece, "\n\t")
    } else {
        Cow::Borrowed(piece)
    }
}

/// Returns the text with control characters and changes of writing direction as `\u001b`, except
/// for those in `kept`. A name in a file could otherwise move the cursor, forge lines, or show its
/// letters in another order.
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

/// Returns true for C0, DEL and C1, for separators of lines and paragraphs, and for characters that
/// change the writing direction.
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
