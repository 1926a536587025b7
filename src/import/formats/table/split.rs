//! Splits text into rows of cells, as it comes in pieces of any size.

use crate::limits::LOG_LINE_BYTES;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use std::borrow::Cow;

/// A row of cells.
#[derive(Copy, Clone, Debug)]
pub struct CellRow<'a> {
    bytes: &'a [u8],
    /// The end of each cell in `bytes`.
    ends: &'a [usize],
    /// Line on which the row begins, from 1.
    pub line: u64,
}

impl<'a> CellRow<'a> {
    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns a cell without the spaces around it; an empty one beyond the last.
    pub fn get(&self, at: usize) -> Cow<'a, str> {
        let end = self.ends.get(at).copied().unwrap_or_default();
        let start = match at.checked_sub(1) {
            Some(before) if end > 0 => self.ends[before],
            _ => 0,
        };
        match String::from_utf8_lossy(&self.bytes[start.min(end)..end]) {
            Cow::Borrowed(text) => text.trim().into(),
            Cow::Owned(text) => text.trim().to_owned().into(),
        }
    }

    /// True if no cell has anything but spaces in it.
    pub fn is_blank(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }

    /// True if a cell has a line end in it.
    pub fn has_line_end(&self) -> bool {
        memchr::memchr(b'\n', self.bytes).is_some()
    }
}

/// The outcome of a step of a [`Splitter`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A row is complete.
    Row,
    /// A row is too long: a quote does not end, or the file is no table.
    TooLong,
    /// The input is used up.
    Empty,
}

/// Splits a table into rows. The library `csv_core` knows the quotes.
#[derive(Debug)]
pub struct Splitter {
    core: Reader,
    separator: u8,
    cells: Vec<u8>,
    ends: Vec<usize>,
    /// Bytes and cells of the present row.
    filled: (usize, usize),
    /// The text of the present row, for a second look at rows with a quote that does not end.
    raw: Vec<u8>,
    /// Line of the next byte, and that of the present row.
    line: u64,
    first: u64,
    is_complete: bool,
}

impl Splitter {
    /// Creates a splitter at the beginning of a file.
    pub fn new(separator: u8) -> Self {
        Self {
            core: ReaderBuilder::new().delimiter(separator).build(),
            separator,
            cells: vec![0; 1024],
            ends: vec![0; 64],
            filled: (0, 0),
            raw: Vec::new(),
            line: 1,
            first: 1,
            is_complete: true,
        }
    }

    /// Reads from the front of `input` until a row is complete. An empty input ends the last row.
    pub fn step(&mut self, input: &mut &[u8]) -> Step {
        let is_end = input.is_empty();
        if self.is_complete {
            // Empty lines between rows.
            while let Some((byte @ (b'\n' | b'\r'), rest)) = input.split_first() {
                self.line += u64::from(*byte == b'\n');
                *input = rest;
            }
            if input.is_empty() {
                return Step::Empty;
            }
            self.begin();
        }
        loop {
            let (result, read, cells, ends) = self.core.read_record(
                input,
                &mut self.cells[self.filled.0..],
                &mut self.ends[self.filled.1..],
            );
            let (used, rest) = input.split_at(read);
            self.raw.extend_from_slice(used);
            self.line += memchr::memchr_iter(b'\n', used).count() as u64;
            *input = rest;
            self.filled.0 += cells;
            self.filled.1 += ends;
            match result {
                ReadRecordResult::OutputFull => self.cells.resize(2 * self.cells.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => {
                    self.is_complete = true;
                    return Step::Row;
                }
                ReadRecordResult::InputEmpty | ReadRecordResult::End => {
                    if self.is_too_long() {
                        return Step::TooLong;
                    }
                    if !is_end {
                        return Step::Empty;
                    }
                    if result == ReadRecordResult::End {
                        self.is_complete = true;
                        return Step::Empty;
                    }
                }
            }
        }
    }

    fn begin(&mut self) {
        self.is_complete = false;
        self.filled = (0, 0);
        self.raw.clear();
        self.first = self.line;
    }

    /// True if the present row is longer than a row may be, without the end of its last line.
    pub fn is_too_long(&self) -> bool {
        let row = self.raw.strip_suffix(b"\n").unwrap_or(&self.raw);
        row.strip_suffix(b"\r").unwrap_or(row).len() > LOG_LINE_BYTES
    }

    /// True if the present row has a quote without its end: the number of quotes is odd.
    pub fn has_open_quote(&self) -> bool {
        memchr::memchr_iter(b'"', &self.raw).count() % 2 == 1
    }

    /// Returns the row that is complete.
    pub fn row(&self) -> CellRow<'_> {
        let (cells, ends) = self.filled;
        CellRow {
            bytes: &self.cells[..cells],
            ends: &self.ends[..ends],
            line: self.first,
        }
    }

    /// Returns the lines of the present row, split at every separator, as if a quote were a letter
    /// like any other; and the text after the last line end, if the row is not complete.
    pub fn without_quotes(&mut self) -> (Vec<Plain>, Vec<u8>) {
        let mut lines = Vec::new();
        let mut line = self.first;
        let mut rest = &self.raw[..];
        while let Some(end) = memchr::memchr(b'\n', rest) {
            lines.push(self.plain(&rest[..end], line));
            rest = &rest[end + 1..];
            line += 1;
        }
        let mut left = Vec::new();
        if self.is_complete {
            lines.push(self.plain(rest, line));
        } else {
            left = rest.to_vec();
            self.core.reset();
            self.line = line;
            self.is_complete = true;
        }
        lines.retain(|line| !line.row().is_blank());
        (lines, left)
    }

    fn plain(&self, text: &[u8], line: u64) -> Plain {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let mut plain = Plain {
            bytes: Vec::with_capacity(text.len()),
            ends: Vec::new(),
            line,
        };
        for cell in text.split(|byte| *byte == self.separator) {
            plain.bytes.extend_from_slice(cell);
            plain.ends.push(plain.bytes.len());
        }
        plain
    }
}

/// A row that owns its cells.
#[derive(Debug)]
pub struct Plain {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    line: u64,
}

impl Plain {
    /// Returns the row.
    pub fn row(&self) -> CellRow<'_> {
        CellRow {
            bytes: &self.bytes,
            ends: &self.ends,
            line: self.line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, size: usize) -> Vec<(u64, Vec<String>)> {
        let mut splitter = Splitter::new(b',');
        let mut found = Vec::new();
        let mut take = |splitter: &mut Splitter, mut input: &[u8]| loop {
            match splitter.step(&mut input) {
                Step::Row => {
                    let row = splitter.row();
                    let cells = (0..row.len()).map(|at| row.get(at).into_owned()).collect();
                    found.push((row.line, cells));
                }
                Step::Empty => break,
                Step::TooLong => panic!("too long"),
            }
        };
        for piece in text.as_bytes().chunks(size) {
            take(&mut splitter, piece);
        }
        take(&mut splitter, b"");
        found
    }

    #[test]
    fn rows_have_their_cells_and_lines() {
        let text = "a,b\r\n\r\n1,\"x, \"\"y\"\"\nz\"\n\n 2 ,é\n3,";
        let cells = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let expected = vec![
            (1, cells(["a", "b"])),
            (3, cells(["1", "x, \"y\"\nz"])),
            (6, cells(["2", "é"])),
            (7, cells(["3", ""])),
        ];
        for size in [1, 2, 3, 7, 100] {
            assert_eq!(rows(text, size), expected, "pieces of {size}");
        }
        assert_eq!(rows("", 1), []);
        assert_eq!(rows("\n\r\n", 1), []);
    }

    #[test]
    fn a_quote_that_does_not_end_can_be_read_as_a_letter() {
        let mut splitter = Splitter::new(b',');
        let mut input: &[u8] = b"1,\"a\n2,b\n3,c";
        assert_eq!(splitter.step(&mut input), Step::Empty);
        assert_eq!(splitter.step(&mut input), Step::Row);
        let (lines, left) = splitter.without_quotes();
        let found: Vec<_> = lines
            .iter()
            .map(|line| (line.row().line, line.row().get(1).into_owned()))
            .collect();
        assert_eq!(
            found,
            [(1, "\"a".to_owned()), (2, "b".into()), (3, "c".into())]
        );
        assert_eq!(left, b"");
    }
}
