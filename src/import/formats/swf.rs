//! Reads the Standard Workload Format (SWF 2.2), as a stream of bytes in pieces of any size.
//!
//! The reader is strict: a line that does not begin with 18 numbers is an error that names line, field,
//! text and rule. The caller chooses whether such a line stops the reading, or whether the reader
//! skips and counts it.

use super::more_fields::{MORE, MoreFields};
use super::swf_line::{SwfLine, is_space, parse_line};
use crate::import::packed::packing::Packing;
use crate::import::rows::{BadLines, Reading};
use crate::limits::{HEADER_BYTES, HEADER_LINES, LINE_BYTES};
use crate::problem::Problem;
use crate::pulse::{Doing, beat, during};
use crate::trace::{Effect, ImportRule, Report, RuleTally, Trace, names};

/// Smallest size of a piece that is read in parallel, in bytes, on platforms with threads.
#[cfg(not(target_arch = "wasm32"))]
const PIECE: usize = 1 << 18;

const BAD_LINE: ImportRule = ImportRule {
    id: "bad_line",
    effect: Effect::Skipped,
    text: "not 18 numbers: the line was skipped",
};

const WHOLE_DECIMAL: ImportRule = ImportRule {
    id: "whole_decimal",
    effect: Effect::Noted,
    text: "whole numbers written with decimals, such as 33.00: read as whole numbers",
};

const COMMENTS_LEFT_OUT: ImportRule = ImportRule {
    id: "comments_left_out",
    effect: Effect::Noted,
    text: "comment lines beyond 10,000 lines or 1 MiB: left out",
};

const FORMAT_NEXT: &str = "Check that the file is a log in the Standard Workload Format, such as \
    those of the Parallel Workloads Archive.";

/// True if a file that begins with `bytes` is SWF, whatever its name: its first line that is
/// neither blank nor a comment begins with 18 numbers, or there is none. Other files may be SWF too,
/// with a mistake in that line.
pub fn is_swf(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes
        .split(|byte| *byte == b'\n')
        .find(|line| {
            let first = line.iter().find(|byte| !is_space(**byte));
            first.is_some_and(|first| *first != b';')
        })
        .is_none_or(|line| parse_line(line, 0).is_ok())
}

/// A reader that takes a trace piece by piece.
#[derive(Debug, Default)]
pub struct SwfReader {
    bad_lines: BadLines,
    trace: Trace,
    /// The beginning of a line whose end has not arrived yet.
    partial: Vec<u8>,
    line: u64,
    started: bool,
    /// The line numbers of the comment lines that are kept, and their size in bytes.
    comments: (Vec<u64>, usize),
    first_skipped: Option<Problem>,
    /// The fields beyond 18, and the lines that have some.
    more: MoreFields,
    more_lines: RuleTally,
}

impl SwfReader {
    /// Creates a reader at the beginning of a file.
    pub fn new(bad_lines: BadLines) -> Self {
        Self {
            bad_lines,
            ..Self::default()
        }
    }

    /// Reads lines one after the other, and keeps the beginning of the last one.
    fn push_lines(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let mut bytes = self.push_rest_of_line(bytes)?;
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.take_line(&bytes[..end])?;
            bytes = &bytes[end + 1..];
        }
        self.partial.extend_from_slice(bytes);
        if self.partial.len() > LINE_BYTES {
            Err(too_long(self.line + 1))
        } else {
            Ok(())
        }
    }

    /// Reads the rest of a line that began in an earlier piece, if there is one, and returns the
    /// bytes after it.
    fn push_rest_of_line<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], Problem> {
        let end = if self.partial.is_empty() {
            None
        } else {
            memchr::memchr(b'\n', bytes)
        };
        let Some(end) = end else { return Ok(bytes) };
        let mut whole = std::mem::take(&mut self.partial);
        whole.extend_from_slice(&bytes[..end]);
        self.take_line(&whole)?;
        whole.clear();
        self.partial = whole;
        Ok(&bytes[end + 1..])
    }

    /// Reads all whole lines, in parallel pieces, and returns the rest.
    #[cfg(not(target_arch = "wasm32"))]
    fn push_pieces<'a>(&mut self, mut bytes: &'a [u8]) -> Result<&'a [u8], Problem> {
        use rayon::prelude::*;
        if !self.partial.is_empty() {
            return Ok(bytes);
        }
        let mut pieces = Vec::new();
        while bytes.len() > PIECE
            && let Some(end) = memchr::memchr(b'\n', &bytes[PIECE..])
        {
            let (piece, rest) = bytes.split_at(PIECE + end + 1);
            pieces.push((self.line, piece));
            self.line += memchr::memchr_iter(b'\n', piece).count() as u64;
            bytes = rest;
        }
        let read = |(line, piece): (u64, &[u8])| {
            let mut reader = Self {
                bad_lines: self.bad_lines,
                line,
                ..Self::default()
            };
            reader.push_lines(piece).map(|()| reader)
        };
        let pieces: Vec<Result<Self, Problem>> = pieces.into_par_iter().map(read).collect();
        for piece in pieces {
            let Self {
                trace,
                first_skipped,
                comments: (places, _),
                more,
                more_lines,
                ..
            } = piece?;
            trace
                .header
                .into_iter()
                .zip(places)
                .for_each(|(comment, line)| self.take_comment(comment, line));
            self.more.append(more, self.trace.records.len());
            self.more_lines.append(more_lines);
            self.trace.records.append(trace.records);
            self.trace.report.append(trace.report);
            self.first_skipped = self.first_skipped.take().or(first_skipped);
        }
        Ok(bytes)
    }

    /// Keeps a comment line as text. Once one is left out, so are all that follow.
    fn take_comment_bytes(&mut self, line: &[u8]) {
        if self.trace.report.of(COMMENTS_LEFT_OUT.id) > 0 {
            self.trace.report.count(&COMMENTS_LEFT_OUT, self.line);
        } else {
            self.take_comment(
                String::from_utf8_lossy(line).trim_end().to_owned(),
                self.line,
            );
        }
    }

    /// Keeps a comment line if it fits into the limits.
    fn take_comment(&mut self, comment: String, line: u64) {
        let (places, bytes) = &mut self.comments;
        let all = *bytes + comment.len();
        if places.len() >= HEADER_LINES
            || all > HEADER_BYTES
            || self.trace.report.of(COMMENTS_LEFT_OUT.id) > 0
        {
            return self.trace.report.count(&COMMENTS_LEFT_OUT, line);
        }
        *bytes = all;
        places.push(line);
        self.trace.header.push(comment);
    }

    fn take_line(&mut self, mut line: &[u8]) -> Result<(), Problem> {
        self.line += 1;
        beat(128);
        if self.line == 1 {
            // The check is here and not at the first bytes, because the mark can arrive in two
            // pieces.
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.len() > LINE_BYTES {
            return Err(too_long(self.line));
        }
        match line.iter().find(|byte| !is_space(**byte)) {
            None => return Ok(()),
            Some(b';') => {
                self.take_comment_bytes(line);
                return Ok(());
            }
            Some(_) => {}
        }
        match parse_line(line, self.line) {
            Ok(SwfLine {
                record,
                has_decimals,
                rest,
            }) => {
                if has_decimals {
                    self.trace.report.count(&WHOLE_DECIMAL, self.line);
                }
                if !rest.is_empty() {
                    self.more_lines.count(self.line);
                    self.more.read(rest, self.trace.records.len());
                }
                self.trace.records.push(record);
            }
            Err(problem) if self.bad_lines == BadLines::Stop => return Err(problem),
            Err(problem) => {
                let report: &mut Report = &mut self.trace.report;
                report.count(&BAD_LINE, self.line);
                self.first_skipped.get_or_insert(problem);
            }
        }
        Ok(())
    }
}

impl Reading for SwfReader {
    fn push(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        if !self.started && !bytes.is_empty() {
            self.started = true;
            check_start(bytes)?;
        }
        #[cfg(not(target_arch = "wasm32"))]
        let bytes = if bytes.len() > 2 * PIECE {
            let bytes = self.push_rest_of_line(bytes)?;
            self.push_pieces(bytes)?
        } else {
            bytes
        };
        during(
            Doing::Reading {
                jobs: self.records() as u64,
            },
            || self.push_lines(bytes),
        )
    }

    fn records(&self) -> usize {
        self.trace.records.len()
    }

    fn finish(mut self: Box<Self>, name: &str) -> Result<Trace, Problem> {
        if !self.partial.is_empty() {
            let last = std::mem::take(&mut self.partial);
            self.take_line(&last)?;
        }
        if !self.started {
            return Err(Problem::new(
                "The file is empty.",
                "A trace has one line for each job.",
                "Choose another file.",
            ));
        }
        if self.trace.records.is_empty() {
            return Err(self.first_skipped.unwrap_or_else(|| {
                Problem::new(
                    "The file has no job line.",
                    "A job line is 18 numbers; lines starting with `;` are comments.",
                    FORMAT_NEXT,
                )
            }));
        }
        self.trace.name = name.into();
        self.trace.format = "SWF".into();
        self.trace.names = names(&self.trace.header);
        self.trace.report.read = self.trace.records.len() as u64;
        self.trace.report.add(&MORE, self.more_lines);
        self.trace.columns = self
            .more
            .columns(self.trace.records.len(), &self.trace.header);
        // The reports of parallel pieces are appended one by one, so sort the rules by their first
        // lines.
        crate::sorting::by(&mut self.trace.report.rules, |rule| {
            [rule.lines.first().copied().unwrap_or_default().into(), 0]
        });
        Ok(self.trace)
    }
}

fn too_long(line: u64) -> Problem {
    Problem::new(
        format!("Line {line} is longer than {LINE_BYTES} bytes."),
        "A job line is 18 numbers.",
        FORMAT_NEXT,
    )
    .at_line(line)
}

/// Recognises files that people often drop by mistake, from the first bytes.
fn check_start(bytes: &[u8]) -> Result<(), Problem> {
    let start = &bytes[..bytes.len().min(4096)];
    let (what, next) = if let Some(packing) = Packing::of(start) {
        return Err(Problem::new(
            format!("The bytes are {} data, not text.", packing.name()),
            "A file is unpacked once, and must then be the text of a log.",
            "Unpack it first, and open the log itself.",
        ));
    } else if start.get(257..262) == Some(b"ustar") {
        (
            "The file is a tar archive.",
            "Unpack it (`tar -x`), and open the log that is in it.",
        )
    } else if start.starts_with(b"PAR1") {
        (
            "The file begins like Parquet, but does not go on like it.",
            "Write it again, or save it as CSV, for example with pandas.",
        )
    } else if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        (
            "The file is UTF-16 text.",
            "Save it as plain text (ASCII or UTF-8).",
        )
    } else if start.contains(&0) {
        ("The file is not text: it holds zero bytes.", FORMAT_NEXT)
    } else if start.iter().find(|byte| !is_space(**byte)) == Some(&b'<') {
        (
            "The file is a web page, not a trace.",
            "Download the log itself: the link's target, not the page that shows it.",
        )
    } else {
        return Ok(());
    };
    Err(Problem::new(
        what,
        "A trace is text, plain or packed.",
        next,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Reader, read};
    use crate::trace::LONGEST_SECONDS;

    const LINE: &str = "1 0 5 10 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1\n";

    fn problem(text: &str) -> Problem {
        read("test", text.as_bytes(), BadLines::Stop).expect_err("a bad trace was read")
    }

    #[test]
    fn reads_all_fields_and_the_header() {
        let text =
            "; MaxProcs: 128\n;   a note\n\n7 -3 5 10 4 9.25 1.5 8 20 2.5 5 3 2 6 0 9 4 11\r\n";
        let trace = read("test", text.as_bytes(), BadLines::Stop).unwrap();
        let record = trace.records.get(0);
        assert_eq!(
            (record.number, record.submit, record.wait, record.run_time),
            (7, -3, 5, 10)
        );
        assert_eq!(
            (
                record.allocated,
                record.cpu_time,
                record.used_memory,
                record.requested
            ),
            (4, 9.25, 1.5, 8)
        );
        assert_eq!(
            (
                record.requested_time,
                record.requested_memory,
                record.status
            ),
            (20, 2.5, 5)
        );
        assert_eq!(
            (record.user, record.group, record.application, record.queue),
            (3, 2, 6, 0)
        );
        assert_eq!(
            (
                record.partition,
                record.preceding,
                record.think_time,
                record.line
            ),
            (9, 4, 11, 4)
        );
        assert_eq!(
            (trace.header_value("maxprocs"), trace.header.len()),
            (Some("128"), 2)
        );
    }

    #[test]
    fn pieces_of_any_size_give_the_same_trace() {
        let text =
            format!("\u{feff}; MaxProcs: 4\n{LINE}{LINE}2 7 -1 0 1 -1 -1 1 1 -1 1 1 1 1 1 1 1 1");
        let whole = read("test", text.as_bytes(), BadLines::Stop).unwrap();
        for size in 1..40 {
            let mut reader = Reader::new(BadLines::Stop);
            text.as_bytes()
                .chunks(size)
                .for_each(|piece| reader.push(piece).unwrap());
            let trace = reader.finish("test").unwrap();
            assert!(
                whole.records.iter().eq(trace.records.iter()) && whole.header == trace.header,
                "pieces of {size}"
            );
        }
    }

    /// The text is long enough to be read in parallel pieces, and has lines of many kinds.
    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn long_pieces_give_the_same_trace() {
        let line = |number: u32| match number % 9_999 {
            7 => "; a comment\n".to_owned(),
            8 => "\n".to_owned(),
            9 if number > 10_009 => "garbage\n".to_owned(),
            _ => format!("{number} {number} 5 10 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1\n"),
        };
        let text =
            "\u{feff}; MaxProcs: 4\n".to_owned() + &(0..90_000).map(line).collect::<String>();
        assert!(text.len() > 3 * PIECE);
        let mut reader = Reader::new(BadLines::Skip);
        text.as_bytes()
            .chunks(1 << 12)
            .for_each(|piece| reader.push(piece).unwrap());
        let pieces = reader.finish("test").unwrap();
        let whole = read("test", text.as_bytes(), BadLines::Skip).unwrap();
        assert!(whole.records.iter().eq(pieces.records.iter()));
        assert!(
            (0..whole.records.len())
                .all(|index| whole.records.get(index) == pieces.records.get(index))
        );
        assert_eq!(
            (&whole.header, &whole.report),
            (&pieces.header, &pieces.report)
        );
        assert_eq!(
            whole.report.rules[0].lines,
            [20_009, 30_008, 40_007, 50_006, 60_005]
        );
        // Pieces that begin in the middle of a line, and a line that is longer than a piece.
        let mut reader = Reader::new(BadLines::Skip);
        text.as_bytes()
            .chunks(5 * PIECE / 2)
            .for_each(|piece| reader.push(piece).unwrap());
        assert!(
            reader
                .finish("test")
                .unwrap()
                .records
                .iter()
                .eq(whole.records.iter())
        );
        for long in [LINE_BYTES + 1, 3 * PIECE] {
            let text = format!("{text}; {}\n", "x".repeat(long));
            let problem = read("test", text.as_bytes(), BadLines::Skip).unwrap_err();
            assert!(problem.what.contains("Line 90002 is longer"), "{problem}");
        }
        let mut reader = Reader::new(BadLines::Stop);
        let sooner = text
            .as_bytes()
            .chunks(1 << 12)
            .find_map(|piece| reader.push(piece).err());
        assert_eq!(
            Some(read("test", text.as_bytes(), BadLines::Stop).unwrap_err()),
            sooner
        );
    }

    #[test]
    fn comments_beyond_the_limits_are_left_out_and_counted() {
        let read = |text: &str| read("test", text.as_bytes(), BadLines::Stop).unwrap();
        let fits = read(&format!("{}{LINE}", ";\n".repeat(HEADER_LINES)));
        assert_eq!(
            (fits.header.len(), fits.report.rules.len()),
            (HEADER_LINES, 0)
        );
        let many = read(&format!("{LINE}{}{LINE}", "; x\n".repeat(HEADER_LINES + 7)));
        assert_eq!(
            (
                many.header.len(),
                many.report.of("comments_left_out"),
                many.report.rules[0].lines[0]
            ),
            (HEADER_LINES, 7, 10_002)
        );
        // 32 lines of 32 KiB are 1 MiB. The next line is left out, and so is a short one after it.
        let long = format!("; {}\n", "x".repeat(32_766));
        let wide = read(&format!("{}; y\n{LINE}; z\n", long.repeat(32)));
        assert_eq!(
            (wide.header.len(), wide.report.of("comments_left_out")),
            (32, 2)
        );
        let first = read(&format!("{};{long}; y\n{LINE}", long.repeat(31)));
        assert_eq!(
            (first.header.len(), first.report.of("comments_left_out")),
            (31, 2)
        );
    }

    /// The text is long enough for parallel pieces, and each piece has more comments than the whole
    /// file may have.
    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn comments_are_left_out_alike_in_pieces_of_any_size() {
        let line = |number: u32| match number % 3 {
            0 => format!("{LINE}garbage\n"),
            _ => format!("; {}\n", number % 100),
        };
        let text = (0..120_000).map(line).collect::<String>();
        assert!(text.len() > 4 * PIECE);
        let whole = read("test", text.as_bytes(), BadLines::Skip).unwrap();
        let mut reader = Reader::new(BadLines::Skip);
        text.as_bytes()
            .chunks(1 << 12)
            .for_each(|piece| reader.push(piece).unwrap());
        let pieces = reader.finish("test").unwrap();
        assert_eq!(whole.header, pieces.header);
        assert_eq!(whole.report, pieces.report);
        assert_eq!(
            (whole.header.len(), whole.report.of("comments_left_out")),
            (HEADER_LINES, 70_000)
        );
        // The limit in bytes: a line that is too long for the rest of the limit precedes shorter
        // ones that would fit.
        let long = |length: usize| format!("; {}\n", "x".repeat(length));
        let text = long(32_000).repeat(32) + &long(32_700) + &format!("{LINE};y\n").repeat(50_000);
        assert!(text.len() > 4 * PIECE);
        let whole = read("test", text.as_bytes(), BadLines::Skip).unwrap();
        assert_eq!(
            (whole.header.len(), whole.report.of("comments_left_out")),
            (32, 50_001)
        );
        let mut reader = Reader::new(BadLines::Skip);
        for piece in text.as_bytes().chunks(1 << 12) {
            reader.push(piece).unwrap();
            assert!(reader.records() <= 50_000);
        }
        assert_eq!(reader.records(), 50_000);
        let pieces = reader.finish("test").unwrap();
        assert_eq!((whole.header, whole.report), (pieces.header, pieces.report));
    }

    #[test]
    fn the_time_of_the_first_second_is_read_from_the_header() {
        let start = |text: &str| {
            read(
                "test",
                format!("; UnixStartTime: {text}\n{LINE}").as_bytes(),
                BadLines::Stop,
            )
            .unwrap()
            .unix_start()
        };
        assert_eq!(
            (start("843480031 (1996)"), start("-5"), start("late")),
            (Some(843_480_031), Some(-5), None)
        );
        let most = LONGEST_SECONDS;
        assert_eq!(
            (
                start(&most.to_string()),
                start(&(-most).to_string()),
                start(&(most + 1).to_string())
            ),
            (Some(most), Some(-most), None)
        );
    }

    #[test]
    fn a_line_that_never_ends_is_refused_while_it_comes() {
        for size in [1, 7, 4096, LINE_BYTES] {
            let piece = vec![b';'; size];
            let mut reader = Reader::new(BadLines::Skip);
            reader.push(LINE.as_bytes()).unwrap();
            let taken = (0..).find_map(|taken: usize| {
                reader
                    .push(&piece)
                    .err()
                    .map(|problem| (taken, problem))
                    .or_else(|| {
                        assert!(
                            taken * size <= 3 * LINE_BYTES,
                            "{} bytes without a line end were taken in",
                            taken * size
                        );
                        None
                    })
            });
            let (taken, problem) = taken.unwrap();
            assert_eq!(problem, too_long(2));
            assert!(taken * size <= LINE_BYTES, "pieces of {size}");
        }
        // A line of exactly the largest length.
        let mut reader = Reader::new(BadLines::Stop);
        reader.push(b"; ").unwrap();
        (2..LINE_BYTES).for_each(|_| reader.push(b"x").unwrap());
        reader.push(b"\n").unwrap();
        reader.push(LINE.as_bytes()).unwrap();
        assert_eq!(reader.finish("test").unwrap().header[0].len(), LINE_BYTES);
    }

    #[test]
    fn things_dropped_by_mistake_are_recognised() {
        assert!(problem("").what.contains("empty"));
        assert!(problem("; only a comment\n").what.contains("no job line"));
        assert!(problem("<!DOCTYPE html>\n").what.contains("web page"));
        assert!(
            problem("\x1f\u{8b}").what.contains("Not a number")
                || !problem("\x1f\u{8b}").what.is_empty()
        );
        assert!(
            read("t", &[0x1f, 0x8b, 8], BadLines::Stop)
                .unwrap_err()
                .what
                .contains("gzip")
        );
        assert!(problem("PAR1\u{15}\0").what.contains("Parquet"));
        assert!(
            read("t", &[1, 0, 2], BadLines::Stop)
                .unwrap_err()
                .what
                .contains("zero bytes")
        );
        assert!(
            read("t", &vec![b'1'; 100_000], BadLines::Stop)
                .unwrap_err()
                .what
                .contains("longer")
        );
    }

    #[test]
    fn bad_lines_are_skipped_on_request_and_counted() {
        let text = format!("{LINE}garbage\n{LINE}");
        let trace = read("test", text.as_bytes(), BadLines::Skip).unwrap();
        assert_eq!((trace.records.len(), trace.report.of("bad_line")), (2, 1));
        assert_eq!(trace.report.rules[0].lines, [2]);
        assert!(read("test", b"garbage\n", BadLines::Skip).is_err());
    }
}
