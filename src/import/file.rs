//! Reads a trace from a file, plain or gzipped. Not in wasm, which has no files.

use super::{BadLines, Mapping, Reader};
use crate::problem::Problem;
use crate::trace::{Fingerprint, Trace};
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// Reads `path`, calling `progress` with the bytes of the file read so far and its length.
///
/// # Errors
/// Returns a problem if the file cannot be opened or unpacked, or is not a trace.
pub fn read_file(
    path: &Path,
    bad_lines: BadLines,
    progress: impl FnMut(u64, u64),
) -> Result<Trace, Problem> {
    read_file_with(path, bad_lines, None, progress)
}

/// Reads `path` as [`read_file`] does. With a mapping, the file is a table with these columns.
///
/// # Errors
/// Returns the problems of [`read_file`], and those of a mapping that does not fit the table.
pub fn read_file_with(
    path: &Path,
    bad_lines: BadLines,
    mapping: Option<&Mapping>,
    mut progress: impl FnMut(u64, u64),
) -> Result<Trace, Problem> {
    let shown = path.display();
    let open_problem = |error: io::Error| {
        Problem::new(
            format!("Cannot read {shown}: {error}."),
            "A trace is a readable file.",
            "Check the path and its permissions.",
        )
    };
    let file = File::open(path).map_err(open_problem)?;
    let length = file.metadata().map_err(open_problem)?.len();
    // One handle serves everything, because a pipe cannot be read again after the check for gzip.
    let counted = CountingReader {
        inner: file,
        read: std::cell::Cell::new(0).into(),
    };
    let count = counted.read.clone();
    let mut plain = io::BufReader::with_capacity(1 << 18, counted);
    let start = plain.fill_buf().map_err(open_problem)?;
    let (is_empty, is_gzip) = (start.is_empty(), start.starts_with(&[0x1f, 0x8b]));
    if !is_gzip
        && !is_empty
        && path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("gz"))
    {
        return Err(Problem::new(
            format!("{shown} is named .gz, but is not gzip data."),
            "A gzip file starts with the bytes 1f 8b.",
            "Download it again, or rename it if it is plain text.",
        ));
    }
    let mut stream: Box<dyn Read> = if is_gzip {
        Box::new(flate2::bufread::MultiGzDecoder::new(plain))
    } else {
        Box::new(plain)
    };
    let name = path.file_name().map_or_else(
        || shown.to_string(),
        |name| name.to_string_lossy().into_owned(),
    );
    let mut reader = Reader::new(bad_lines).with_mapping(mapping.cloned());
    let mut print = Fingerprint::default();
    // The buffer is long enough for the reader to use all cores, and short against a long log.
    let mut buffer = vec![0; 1 << 22];
    loop {
        let n = fill(&mut stream, &mut buffer)
            .map_err(|error| unpack_problem(&shown.to_string(), is_gzip, &error))?;
        if n == 0 {
            break;
        }
        print.push(&buffer[..n]);
        reader.push(&buffer[..n])?;
        progress(count.get(), length);
    }
    let mut trace = reader.finish(&name)?;
    trace.sha256 = print.finish();
    Ok(trace)
}

/// Reads until the buffer is full or the stream ends.
fn fill(stream: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut full = 0;
    while full < buffer.len() {
        match stream.read(&mut buffer[full..]) {
            Ok(0) => break,
            Ok(n) => full += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(full)
}

fn unpack_problem(shown: &str, is_gzip: bool, error: &io::Error) -> Problem {
    if is_gzip {
        Problem::new(
            format!("The gzip data of {shown} is damaged or cut short."),
            "A gzip file carries a checksum at its end.",
            "Download it again; `gzip -t` should pass.",
        )
    } else {
        Problem::new(
            format!("Reading {shown} failed: {error}."),
            "The whole file must be readable.",
            "Try again.",
        )
    }
}

struct CountingReader {
    inner: File,
    read: std::rc::Rc<std::cell::Cell<u64>>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.read.set(self.read.get() + n as u64);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that is interrupted once and then returns one byte at a time.
    struct Interrupted(u8);

    impl Read for Interrupted {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 => Err(io::ErrorKind::Interrupted.into()),
                2 | 3 => {
                    buffer[0] = self.0;
                    Ok(1)
                }
                _ => Ok(0),
            }
        }
    }

    #[test]
    fn an_interruption_is_no_error() {
        let mut buffer = [0; 4];
        assert_eq!(fill(&mut Interrupted(0), &mut buffer).unwrap(), 2);
        assert_eq!(buffer, [2, 3, 0, 0]);
    }
}
