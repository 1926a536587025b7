//! Reads logs that have a row in each line.

use super::builder::Builder;
use super::reading::Reading;
use crate::limits::LOG_LINE_BYTES;
use crate::problem::Problem;
use crate::pulse::{Doing, beat, during};
use crate::trace::{Effect, ImportRule, Trace};
use std::fmt::Debug;

/// The rule of rows that cannot be read.
pub const BAD_ROW: ImportRule = ImportRule {
    id: "bad_row",
    effect: Effect::Skipped,
    text: "not a row of this format: skipped",
};

/// The meaning of the lines of a format.
pub trait Rows: Debug {
    /// Name of the format for readers.
    const NAME: &'static str;

    /// Reads a line. `false` means that the row goes on in the next line: it comes again with that
    /// line behind it.
    ///
    /// # Errors
    /// Returns a problem if the line is not a row.
    fn row(&mut self, line: &str, number: u64, builder: &mut Builder) -> Result<bool, Problem>;

    /// Returns true if a line is certainly the first of a row, so that a row before it that has
    /// not ended will not end.
    fn begins(&self, _line: &str) -> bool {
        false
    }

    /// Reads the lines of a row that did not end.
    fn rest(&mut self, line: &str, number: u64, builder: &mut Builder) -> Result<(), Problem> {
        self.row(line, number, builder).map(|_| ())
    }
}

/// A reader of lines.
#[derive(Debug)]
pub struct LineReader<R> {
    rows: R,
    builder: Builder,
    /// The beginning of a line whose end has not arrived yet.
    partial: Vec<u8>,
    /// The lines of a row whose end has not arrived yet, and the number of the first.
    open: Option<(String, u64)>,
    line: u64,
    first_bad: Option<Problem>,
}

impl<R: Rows> LineReader<R> {
    pub fn new(rows: R) -> Self {
        Self {
            rows,
            builder: Builder::default(),
            partial: Vec::new(),
            open: None,
            line: 0,
            first_bad: None,
        }
    }

    fn take_line(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        self.line += 1;
        beat(32);
        let text = String::from_utf8_lossy(bytes);
        let mut text = text.trim_end_matches(['\r', '\n']);
        if self.line == 1 {
            text = text.trim_start_matches('\u{feff}');
        }
        if text.len() > LOG_LINE_BYTES {
            return Err(too_long(self.line));
        }
        if let Some((open, first)) = self.open.take_if(|_| self.rows.begins(text)) {
            self.take_rest(&open, first);
        }
        match self.open.take() {
            None if text.trim().is_empty() => {}
            None => self.take_row(text, self.line),
            Some((mut whole, first)) => {
                whole.push('\n');
                whole.push_str(text);
                if whole.len() > LOG_LINE_BYTES {
                    return Err(too_long(first));
                }
                self.take_row(&whole, first);
            }
        }
        Ok(())
    }

    fn take_row(&mut self, text: &str, first: u64) {
        match self.rows.row(text, first, &mut self.builder) {
            Ok(true) => {}
            Ok(false) => self.open = Some((text.to_owned(), first)),
            Err(problem) => self.bad(problem, first),
        }
    }

    fn take_rest(&mut self, text: &str, first: u64) {
        if let Err(problem) = self.rows.rest(text, first, &mut self.builder) {
            self.bad(problem, first);
        }
    }

    fn bad(&mut self, problem: Problem, line: u64) {
        self.builder.count(&BAD_ROW, line);
        self.first_bad.get_or_insert(problem);
    }
}

impl<R: Rows> Reading for LineReader<R> {
    fn push(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let jobs = self.builder.records() as u64;
        during(Doing::Reading { jobs }, || {
            let mut bytes = bytes;
            if !self.partial.is_empty()
                && let Some(end) = memchr::memchr(b'\n', bytes)
            {
                let mut whole = std::mem::take(&mut self.partial);
                whole.extend_from_slice(&bytes[..end]);
                self.take_line(&whole)?;
                bytes = &bytes[end + 1..];
            }
            if self.partial.is_empty() {
                while let Some(end) = memchr::memchr(b'\n', bytes) {
                    self.take_line(&bytes[..end])?;
                    bytes = &bytes[end + 1..];
                }
            }
            self.partial.extend_from_slice(bytes);
            if self.partial.len() > LOG_LINE_BYTES {
                Err(too_long(self.line + 1))
            } else {
                Ok(())
            }
        })
    }

    fn keep_queue(&mut self) {
        self.builder.keep_queue();
    }

    fn records(&self) -> usize {
        self.builder.records()
    }

    fn finish(mut self: Box<Self>, name: &str) -> Result<Trace, Problem> {
        if !self.partial.is_empty() {
            let last = std::mem::take(&mut self.partial);
            self.take_line(&last)?;
        }
        if let Some((text, first)) = self.open.take() {
            self.take_rest(&text, first);
        }
        if self.builder.records() == 0
            && let Some(problem) = self.first_bad
        {
            return Err(problem);
        }
        self.builder.finish(name, R::NAME)
    }
}

/// Returns the problem of a row that is too long.
pub fn too_long(line: u64) -> Problem {
    Problem::new(
        format!("Line {line} is longer than {LOG_LINE_BYTES} bytes."),
        "A row of a log is shorter, so the file is damaged or of another kind.",
        "Check that the file is the log itself, unpacked.",
    )
    .at_line(line)
}

/// Returns a problem about a value of a row.
pub fn bad_value(line: u64, column: &str, value: &str, why: &str) -> Problem {
    let value: String = value.chars().take(40).collect();
    Problem::new(
        format!("Line {line}, {column}: `{value}`."),
        why,
        "Correct the line; other lines are read without it.",
    )
    .at_line(line)
}
