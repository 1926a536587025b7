//! Reads a trace from a file, plain or packed. Not in wasm, which has no files.

use super::packed::packing::{PACKING_BYTES, Packing};
use super::packed::unpack::{PackedBytes, Unpacked};
use super::{BadLines, Mapping, Reader};
use crate::problem::Problem;
use crate::trace::{Fingerprint, Trace};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
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

/// Reads `path` as [`read_file`] does. With a mapping, the file is a table with
/// these columns, unless the mapping only gives the zone.
///
/// # Errors
/// Returns the problems of [`read_file`], and those of a mapping that does not fit the table.
pub fn read_file_with(
    path: &Path,
    bad_lines: BadLines,
    mapping: Option<&Mapping>,
    progress: impl FnMut(u64, u64),
) -> Result<Trace, Problem> {
    let reader = Reader::new(bad_lines).with_mapping(mapping.cloned());
    read_by(path, reader, progress)
}

/// Reads `path` as [`read_file_with`] does, and keeps the jobs that have not ended.
///
/// # Errors
/// Returns the problems of [`read_file_with`].
pub fn read_queue_file(
    path: &Path,
    bad_lines: BadLines,
    mapping: Option<&Mapping>,
    progress: impl FnMut(u64, u64),
) -> Result<Trace, Problem> {
    let reader = Reader::new(bad_lines).with_mapping(mapping.cloned());
    read_by(path, reader.keeping_queue(), progress)
}

fn read_by(
    path: &Path,
    mut reader: Reader,
    mut progress: impl FnMut(u64, u64),
) -> Result<Trace, Problem> {
    let shown = path.display().to_string();
    let open_problem = |error: io::Error| {
        Problem::new(
            format!("Cannot read {shown}: {error}."),
            "A trace is a readable file.",
            "Check the path and its permissions.",
        )
    };
    let file = File::open(path).map_err(open_problem)?;
    let meta = file.metadata().map_err(open_problem)?;
    let mut counted = CountingReader {
        inner: file,
        read: std::cell::Cell::new(0).into(),
    };
    let count = counted.read.clone();
    let mut start = [0; PACKING_BYTES];
    let n = fill(&mut counted, &mut start).map_err(open_problem)?;
    let packing = Packing::of(&start[..n]);
    let source: Box<dyn PackedBytes> = if meta.is_file() {
        counted.rewind().map_err(open_problem)?;
        Box::new(counted)
    } else {
        // A pipe cannot be read again after its first bytes.
        Box::new(Piped(Cursor::new(start[..n].to_vec()).chain(counted)))
    };
    let mut content = match packing {
        Some(Packing::Zip) if !meta.is_file() => return Err(zip_from_pipe(&shown)),
        Some(packing) => Content::Packed(Unpacked::new(packing, source, &shown)?),
        None => Content::Plain(source),
    };
    let name = path
        .file_name()
        .map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
    let mut print = Fingerprint::default();
    // The buffer is long enough for the reader to use all cores, and short against a long log.
    let mut buffer = vec![0; 1 << 22];
    loop {
        let n = match &mut content {
            Content::Packed(unpacked) => unpacked.read(&mut buffer)?,
            Content::Plain(stream) => {
                fill(stream, &mut buffer).map_err(|error| read_problem(&shown, &error))?
            }
        };
        if n == 0 {
            break;
        }
        print.push(&buffer[..n]);
        reader.push(&buffer[..n])?;
        progress(count.get(), meta.len());
    }
    let mut trace = reader.finish(&name)?;
    trace.sha256 = print.finish();
    Ok(trace)
}

/// The bytes of a file.
enum Content {
    Plain(Box<dyn PackedBytes>),
    Packed(Unpacked),
}

/// A stream that cannot go back, such as a pipe.
struct Piped<R>(R);

impl<R: Read> Read for Piped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R> Seek for Piped<R> {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::NotSeekable.into())
    }
}

fn zip_from_pipe(shown: &str) -> Problem {
    Problem::new(
        format!("{shown} is zip data from a pipe."),
        "The directory of a zip file is at its end, so the file is read from there.",
        "Give the file itself, or unpack it with `unzip -p`.",
    )
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

fn read_problem(shown: &str, error: &io::Error) -> Problem {
    Problem::new(
        format!("Reading {shown} failed: {error}."),
        "The whole file must be readable.",
        "Try again.",
    )
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

impl Seek for CountingReader {
    /// Counts from the new place on, so that the first bytes are not counted twice.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = self.inner.seek(to)?;
        self.read.set(place);
        Ok(place)
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
