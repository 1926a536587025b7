//! Unpacks files, as streams: gzip, Zstandard, xz, bzip2, and zip with one file inside.
//!
//! Several members, frames or streams one after the other count as one file. The crate in `unpack/`
//! compiles this file to wasm, for the page.

use super::packing::Packing;
use super::parquet::{ParquetText, damaged as damaged_table};
use crate::limits::{PARQUET_BYTES, PARQUET_PAGE, UNPACK_WINDOW};
use crate::problem::Problem;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// Most names of files in a zip file that a message lists.
const LISTED: usize = 5;

/// Bytes that are read of a packed file at once.
const PIECE: usize = 1 << 16;

/// A source of a zip file's bytes: its directory is at its end.
pub trait PackedBytes: Read + Seek {}

impl<S: Read + Seek> PackedBytes for S {}

/// The unpacked bytes of a file.
pub struct Unpacked {
    stream: Box<dyn Read>,
    packing: Packing,
    name: String,
}

impl Unpacked {
    /// Unpacks a file; `source` is at its first byte. Messages call it `name`.
    ///
    /// # Errors
    /// Returns a problem if a zip file cannot be read, or does not hold exactly one file.
    pub fn new(
        packing: Packing,
        source: impl PackedBytes + 'static,
        name: &str,
    ) -> Result<Self, Problem> {
        let buffered = |source| BufReader::with_capacity(PIECE, source);
        let stream: Box<dyn Read> = match packing {
            Packing::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered(source))),
            Packing::Zstd => Box::new(ZstdFrames::new(buffered(source), name)),
            // The limit is in KiB; beside the dictionary, the decoder needs some 100 KiB.
            Packing::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(
                buffered(source),
                true,
                (UNPACK_WINDOW >> 10) as u32 + 128,
            )),
            Packing::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered(source))),
            Packing::Zip => zipped(source, name)?,
            Packing::Parquet => Box::new(table(source, name)?),
        };
        Ok(Self {
            stream,
            packing,
            name: name.to_owned(),
        })
    }

    /// Reads unpacked bytes, until the buffer is full or the file ends. Returns their number.
    ///
    /// # Errors
    /// Returns a problem if the data is damaged or cut short, or needs too much memory.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        let mut full = 0;
        while full < buffer.len() {
            match self.stream.read(&mut buffer[full..]) {
                Ok(0) => break,
                Ok(n) => full += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.problem(error)),
            }
        }
        Ok(full)
    }

    fn problem(&self, error: io::Error) -> Problem {
        let (kind, name) = (self.packing.name(), &self.name);
        let is_too_large =
            self.packing == Packing::Xz && error.kind() == io::ErrorKind::OutOfMemory;
        match error.downcast::<Problem>() {
            Ok(problem) => problem,
            Err(_) if is_too_large => too_large(name, kind, "dictionary"),
            Err(error) if self.packing == Packing::Parquet => damaged_table(name, &error),
            Err(_) => damaged(name, self.packing),
        }
    }
}

fn damaged(name: &str, packing: Packing) -> Problem {
    Problem::new(
        format!(
            "The {} data of {name} is damaged or cut short.",
            packing.name()
        ),
        match packing {
            Packing::Gzip => "A gzip file carries a checksum at its end.".to_owned(),
            _ => format!("A {} file carries checksums.", packing.name()),
        },
        format!("Download it again; `{}` should pass.", packing.test()),
    )
}

fn too_large(name: &str, kind: &str, what: &str) -> Problem {
    Problem::new(
        format!("{name} needs too much memory to unpack: the {what} of its {kind} data."),
        format!("A {what} may have at most {UNPACK_WINDOW} bytes (docs/limits.md)."),
        format!("Unpack it first, or pack it again without `--long` or `--ultra`: `{kind} -9`."),
    )
}

/// The frames of Zstandard data, one after the other. Each has its checksum tested.
struct ZstdFrames<S> {
    source: S,
    /// Name of the file in messages.
    name: String,
    decoder: FrameDecoder,
    is_in_frame: bool,
}

impl<S: BufRead> ZstdFrames<S> {
    fn new(source: S, name: &str) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(UNPACK_WINDOW as u64);
        Self {
            source,
            name: name.to_owned(),
            decoder,
            is_in_frame: false,
        }
    }

    /// Begins the next frame with data. Returns false at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {
                    self.is_in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut skipped = (&mut self.source).take(length.into());
                    if io::copy(&mut skipped, &mut io::sink())? < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(FrameDecoderError::WindowSizeTooBig { .. }) => {
                    return Err(io::Error::other(too_large(&self.name, "zstd", "window")));
                }
                Err(FrameDecoderError::DictNotProvided { .. }) => {
                    return Err(io::Error::other(Problem::new(
                        "The zstd data needs a dictionary.",
                        "It was packed with `zstd -D`; the dictionary is another file.",
                        "Unpack it first, with this dictionary.",
                    )));
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }
}

impl<S: BufRead> Read for ZstdFrames<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() && (self.is_in_frame || self.begin()?) {
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(io::Error::other)?;
            }
            let n = self.decoder.read(buffer)?;
            if n > 0 {
                return Ok(n);
            }
            let told = self.decoder.get_checksum_from_data();
            if told.is_some() && told != self.decoder.get_calculated_checksum() {
                return Err(io::ErrorKind::InvalidData.into());
            }
            self.is_in_frame = false;
        }
        Ok(0)
    }
}

/// Returns the text of a Parquet file. Its directory is at its end, and a pipe cannot go back, so the
/// whole file is read.
fn table(source: impl Read, name: &str) -> Result<ParquetText, Problem> {
    let bytes = whole(source, name, PARQUET_BYTES)?;
    ParquetText::new(bytes, name, PARQUET_PAGE)
}

/// Reads a Parquet file of at most `most` bytes.
fn whole(source: impl Read, name: &str, most: usize) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    source
        .take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| damaged_table(name, &error))?;
    if bytes.len() > most {
        return Err(Problem::new(
            format!("{name} is too large for a Parquet file."),
            format!("A Parquet file may have at most {most} bytes (docs/limits.md)."),
            "Write fewer columns or rows, or save it as CSV, which is read piece by piece.",
        ));
    }
    Ok(bytes)
}

/// Returns the bytes of the only file in a zip file. Folders do not count, nor does what macOS adds.
fn zipped(source: impl PackedBytes + 'static, name: &str) -> Result<Box<dyn Read>, Problem> {
    let broken = |_| damaged(name, Packing::Zip);
    let mut buffer = vec![0; rawzip::RECOMMENDED_BUFFER_SIZE];
    let archive = rawzip::ZipArchive::from_seekable(source, &mut buffer).map_err(broken)?;
    let (mut only, mut count, mut names) = (None, 0_u64, Vec::new());
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().map_err(broken)? {
        let path = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        if entry.is_dir() || path.starts_with("__MACOSX/") || path.ends_with(".DS_Store") {
            continue;
        }
        count += 1;
        if names.len() < LISTED {
            names.push(path.chars().take(100).collect::<String>());
        }
        only = Some((
            entry.wayfinder(),
            entry.flags().is_encrypted(),
            entry.compression_method(),
            (entry.crc32(), entry.uncompressed_size_hint()),
        ));
    }
    let (place, is_encrypted, method, wanted) = match only {
        Some(only) if count == 1 => only,
        _ => return Err(not_one(name, count, &names)),
    };
    if is_encrypted {
        return Err(Problem::new(
            format!("{} in {name} is encrypted.", names[0]),
            "An encrypted file needs a password.",
            "Unpack it first.",
        ));
    }
    let entry = archive.get_entry(place).map_err(broken)?;
    let (from, to) = entry.compressed_data_range();
    let mut source = archive.into_inner().into_inner();
    source
        .seek(SeekFrom::Start(from))
        .map_err(|_| damaged(name, Packing::Zip))?;
    let packed = BufReader::with_capacity(PIECE, source.take(to.saturating_sub(from)));
    let stream: Box<dyn Read> = match method {
        rawzip::CompressionMethod::STORE => Box::new(packed),
        rawzip::CompressionMethod::DEFLATE => {
            Box::new(flate2::bufread::DeflateDecoder::new(packed))
        }
        other => {
            return Err(Problem::new(
                format!(
                    "{} in {name} is packed in a rare way ({}).",
                    names[0],
                    format!("{other:?}").trim_start_matches("CompressionMethod::")
                ),
                "A file in a zip file is read if it is packed with `deflate`, or not at all.",
                "Unpack it first, or pack it with `zip`.",
            ));
        }
    };
    Ok(Box::new(Checked {
        stream,
        sum: flate2::Crc::new(),
        size: 0,
        wanted,
    }))
}

fn not_one(name: &str, count: u64, names: &[String]) -> Problem {
    let more = count - names.len() as u64;
    let list = names.join(", ");
    Problem::new(
        match (count, more) {
            (0, _) => format!("{name} is a zip file without a file."),
            (_, 0) => format!("{name} is a zip file with {count} files: {list}."),
            _ => format!("{name} is a zip file with {count} files: {list}, and {more} more."),
        },
        "A zip file is read if it holds one file.",
        "Unpack it, and open the log.",
    )
}

/// The bytes of a file in a zip file, tested against its checksum and size at its end.
struct Checked {
    stream: Box<dyn Read>,
    sum: flate2::Crc,
    size: u64,
    /// Checksum and size that the directory tells.
    wanted: (u32, u64),
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(buffer)?;
        self.sum.update(&buffer[..n]);
        self.size += n as u64;
        let is_whole = (self.sum.sum(), self.size) == self.wanted;
        if n == 0 && !buffer.is_empty() && !is_whole {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test has a limit of its own, because a file of 512 MiB would take as much memory.
    #[test]
    fn a_parquet_file_beyond_the_limit_is_refused() {
        let read = |bytes: u64| whole(io::repeat(0).take(bytes), "it", 1000);
        assert_eq!(read(1000).unwrap().len(), 1000);
        let problem = read(1001).unwrap_err();
        assert_eq!(problem.what, "it is too large for a Parquet file.");
        assert!(problem.why.contains("at most 1000 bytes"), "{problem}");
        // A source without an end is read no further.
        assert_eq!(whole(io::repeat(0), "it", 1000), Err(problem));
    }
}
