//! Reads a log of any format that the program knows, as a stream of bytes in pieces of any size.

use super::formats::{Mapping, START, open};
use super::rows::{BadLines, Reading};
use crate::problem::Problem;
use crate::trace::Trace;

/// A reader that takes a log piece by piece.
#[derive(Debug)]
pub struct Reader {
    bad_lines: BadLines,
    /// True if jobs that have not ended are kept.
    keeps_queue: bool,
    /// The columns of a table, if they are given.
    mapping: Option<Mapping>,
    /// The first bytes, until there are enough of them.
    start: Vec<u8>,
    reading: Option<Box<dyn Reading>>,
}

/// Reads a log that is in memory as one piece.
///
/// # Errors
/// Returns the problems of [`Reader::push`] and [`Reader::finish`].
pub fn read(name: &str, bytes: &[u8], bad_lines: BadLines) -> Result<Trace, Problem> {
    let mut reader = Reader::new(bad_lines);
    reader.push(bytes)?;
    reader.finish(name)
}

/// Reads a queue, or a log with a queue, that is in memory as one piece: jobs that have not ended are
/// kept.
///
/// # Errors
/// Returns the problems of [`Reader::push`] and [`Reader::finish`].
pub fn read_queue(name: &str, bytes: &[u8], bad_lines: BadLines) -> Result<Trace, Problem> {
    let mut reader = Reader::new(bad_lines).keeping_queue();
    reader.push(bytes)?;
    reader.finish(name)
}

impl Reader {
    /// Creates a reader at the beginning of a file.
    pub fn new(bad_lines: BadLines) -> Self {
        Self {
            bad_lines,
            keeps_queue: false,
            mapping: None,
            start: Vec::new(),
            reading: None,
        }
    }

    /// Returns the reader, which reads the file as a table with these columns,
    /// unless the mapping only gives the zone.
    #[must_use]
    pub fn with_mapping(mut self, mapping: Option<Mapping>) -> Self {
        self.mapping = mapping;
        self
    }

    /// Returns the reader, which keeps the jobs that have not ended: a job that waits has no run time,
    /// and the column [`QUEUE_STATE`](crate::trace::QUEUE_STATE) says which jobs wait and run.
    #[must_use]
    pub fn keeping_queue(mut self) -> Self {
        self.keeps_queue = true;
        self
    }

    /// Reads the next bytes of the file.
    ///
    /// # Errors
    /// Returns a problem if the file is not text, or if a line is not a job and the reader stops at
    /// such lines.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        if let Some(reading) = &mut self.reading {
            return reading.push(bytes);
        }
        if self.start.is_empty() && bytes.len() >= START {
            return self.begin(&bytes[..START]).push(bytes);
        }
        self.start.extend_from_slice(bytes);
        if self.start.len() < START {
            return Ok(());
        }
        self.take_start()
    }

    /// Recognises the format, and reads the first bytes.
    fn take_start(&mut self) -> Result<(), Problem> {
        let start = std::mem::take(&mut self.start);
        self.begin(&start).push(&start)
    }

    fn begin(&mut self, start: &[u8]) -> &mut dyn Reading {
        let reading = open(start, self.bad_lines, self.mapping.as_ref());
        let reading = &mut **self.reading.insert(reading);
        if self.keeps_queue {
            reading.keep_queue();
        }
        reading
    }

    /// Returns the number of jobs read so far.
    pub fn records(&self) -> usize {
        self.reading.as_ref().map_or(0, |reading| reading.records())
    }

    /// Returns the trace, after the last byte.
    ///
    /// # Errors
    /// Returns a problem if the file was empty or had no job.
    pub fn finish(mut self, name: &str) -> Result<Trace, Problem> {
        if self.reading.is_none() {
            self.take_start()?;
        }
        match self.reading {
            Some(reading) => reading.finish(name),
            None => Ok(Trace::default()),
        }
    }
}
