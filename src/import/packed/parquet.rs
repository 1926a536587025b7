//! Parquet files: their columns become a table in CSV, which the reader of tables reads.
//!
//! docs/formats/tables.md says how values are written. Pages are unpacked here and not by the
//! library, which would need a library in C for zstd, and which takes as much memory as a file says.

use super::parquet_schema::check_schema;
use crate::limits::TABLE_COLUMNS;
use crate::problem::Problem;
use crate::time::date_of;
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, TimeUnit};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::{SerializedFileReader, SerializedPageReader};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use ruzstd::decoding::StreamingDecoder;
use std::fmt::{Display, Write};
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows that are written at once.
const ROWS: usize = 4096;

/// Most bytes of the cells that are written at once. A few bytes of a file can stand for any number
/// of long cells.
const CELLS: usize = 1 << 26;

/// Rows of a column that are read at once, while their cells are short.
const SHORT: usize = 64;

/// Most bytes of unpacked pages at one time, over all columns.
const PAGES: usize = 1 << 30;

/// The text of a Parquet file, as CSV.
pub struct ParquetText {
    bytes: Bytes,
    file: SerializedFileReader<Bytes>,
    columns: Vec<ParquetColumn>,
    /// Most bytes of an unpacked page.
    largest_page: usize,
    /// Bytes of all unpacked pages at present.
    held: Arc<AtomicUsize>,
    /// The next group of rows.
    group: usize,
    readers: Vec<Option<ColumnReader>>,
    /// Rows of the present group that are left.
    left: usize,
    text: String,
    /// Bytes of the text that were read.
    read: usize,
}

/// A column of the table.
struct ParquetColumn {
    name: String,
    /// The index among the columns of the file; `None` for lists and groups, which are not read.
    index: Option<usize>,
    kind: Representation,
}

/// The kind of a column's values.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Representation {
    /// As the values are.
    Plain,
    /// Whole numbers without a sign.
    Unsigned,
    /// Days since 1970.
    Days,
    /// Instants since 1970, in this many parts of a second.
    Instant {
        per_second: i64,
        /// True if they are without a zone.
        is_local: bool,
    },
    /// Whole numbers with this many digits after the point.
    Decimal(usize),
}

impl ParquetText {
    /// Reads the directory of a file, which is at its end.
    ///
    /// # Errors
    /// Returns a problem if the file is damaged or cut short.
    pub fn new(
        bytes: Vec<u8>,
        name: &str,
        largest_page: usize,
    ) -> std::result::Result<Self, Problem> {
        let opened = guarded(|| {
            check_schema(&bytes).map_err(wrong)?;
            let bytes = Bytes::from(bytes);
            let file = SerializedFileReader::new(bytes.clone())?;
            let columns = columns(file.metadata().file_metadata().schema_descr());
            if columns.len() > TABLE_COLUMNS {
                return Err(wrong("it has too many columns"));
            }
            if columns.iter().all(|column| column.index.is_none()) {
                return Err(wrong("it has no column of single values"));
            }
            Ok((bytes, file, columns))
        });
        let (bytes, file, columns) = opened.map_err(|error| damaged(name, &error))?;
        let heads: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
        Ok(Self {
            bytes,
            file,
            columns,
            largest_page,
            held: Arc::default(),
            group: 0,
            readers: Vec::new(),
            left: 0,
            text: heads.join(",") + "\n",
            read: 0,
        })
    }

    /// Writes the next rows. Leaves the text empty at the end of the file.
    fn write_rows(&mut self) -> Result<()> {
        self.text.clear();
        self.read = 0;
        while self.left == 0 {
            if self.group >= self.file.num_row_groups() {
                return Ok(());
            }
            self.open_group()?;
        }
        let rows = self.left.min(ROWS);
        self.left -= rows;
        let mut cells = Vec::with_capacity(self.columns.len());
        let mut room = CELLS;
        for (column, reader) in self.columns.iter().zip(&mut self.readers) {
            let Some(reader) = reader else {
                cells.push(None);
                continue;
            };
            let read = cells_of(reader, column.kind, rows, room)?;
            room -= read.text.len();
            cells.push(Some(read));
        }
        for row in 0..rows {
            for (at, column) in cells.iter().enumerate() {
                if at > 0 {
                    self.text.push(',');
                }
                self.text
                    .push_str(column.as_ref().map_or("", |cells| cells.get(row)));
            }
            self.text.push('\n');
        }
        Ok(())
    }

    fn open_group(&mut self) -> Result<()> {
        let group = self.file.get_row_group(self.group)?;
        let rows = group.metadata().num_rows();
        self.left = usize::try_from(rows).map_err(|_| wrong("a group has a negative length"))?;
        self.readers = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            let reader = column.index.map(|index| {
                let chunk = group.metadata().column(index);
                if chunk.num_values() != rows {
                    return Err(wrong("a column has more or fewer values than rows"));
                }
                let pages = Pages::new(self, chunk, self.left)?;
                Ok::<_, ParquetError>(get_column_reader(chunk.column_descr_ptr(), Box::new(pages)))
            });
            self.readers.push(reader.transpose()?);
        }
        self.group += 1;
        Ok(())
    }
}

impl Read for ParquetText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.text.len() {
            guarded(|| self.write_rows()).map_err(io::Error::other)?;
        }
        let rest = &self.text.as_bytes()[self.read..];
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        self.read += n;
        Ok(n)
    }
}

/// Returns an error also where the library panics, which it does at some damaged files.
fn guarded<T>(act: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(act))
        .unwrap_or_else(|_| Err(wrong("its values do not fit its schema")))
}

fn wrong(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// Returns the problem of a file that cannot be read.
pub fn damaged(name: &str, error: &dyn Display) -> Problem {
    let error = error.to_string();
    let error = error.strip_prefix("Parquet error: ").unwrap_or(&error);
    let error: String = error.trim_end_matches('.').chars().take(200).collect();
    Problem::new(
        format!("The Parquet file {name} cannot be read: {error}."),
        "It is damaged, cut short, encrypted, or packed in a way that is not read (brotli, LZO, the old LZ4).",
        "Write it again, for example with pandas (`df.to_parquet(name)`), or save it as CSV.",
    )
}

/// Returns the columns of a table, one for each field of the schema.
fn columns(schema: &SchemaDescriptor) -> Vec<ParquetColumn> {
    let mut columns: Vec<ParquetColumn> = Vec::new();
    let mut last = None;
    for (index, leaf) in schema.columns().iter().enumerate() {
        let at = schema.get_column_root_idx(index);
        let root = schema.get_column_root(index);
        let is_single =
            root.is_primitive() && root.get_basic_info().repetition() != Repetition::REPEATED;
        if is_single {
            let kind = kind(leaf);
            let name = root.name();
            columns.push(ParquetColumn {
                name: if kind.is_some() {
                    name.to_owned()
                } else {
                    format!("{name} (type not read)")
                },
                index: kind.map(|_| index),
                kind: kind.unwrap_or(Representation::Plain),
            });
        } else if last != Some(at) {
            columns.push(ParquetColumn {
                name: format!("{} (list or group: not read)", root.name()),
                index: None,
                kind: Representation::Plain,
            });
        }
        last = Some(at);
    }
    columns
}

/// Returns how the values of a column are written; `None` for types that no log needs.
fn kind(column: &ColumnDescriptor) -> Option<Representation> {
    let kind = match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(time)), _) => Representation::Instant {
            per_second: match time.unit {
                TimeUnit::MILLIS => 1000,
                TimeUnit::MICROS => 1_000_000,
                TimeUnit::NANOS => 1_000_000_000,
            },
            is_local: !time.is_adjusted_to_u_t_c,
        },
        (Some(LogicalType::Date), _) | (_, ConvertedType::DATE) => Representation::Days,
        (_, ConvertedType::TIMESTAMP_MILLIS) => Representation::Instant {
            per_second: 1000,
            is_local: false,
        },
        (_, ConvertedType::TIMESTAMP_MICROS) => Representation::Instant {
            per_second: 1_000_000,
            is_local: false,
        },
        (
            _,
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64,
        ) => Representation::Unsigned,
        (_, ConvertedType::DECIMAL) => {
            let is_read = column.type_precision() <= 38 && column.type_length() <= 16;
            let scale = usize::try_from(column.type_scale()).ok();
            Representation::Decimal(scale.filter(|scale| is_read && *scale <= 38)?)
        }
        (Some(LogicalType::Float16 | LogicalType::Uuid), _) | (_, ConvertedType::INTERVAL) => {
            return None;
        }
        _ => Representation::Plain,
    };
    Some(kind)
}

/// The cells of a column, as they stand in CSV.
#[derive(Default)]
struct ColumnText {
    text: String,
    ends: Vec<usize>,
}

impl ColumnText {
    fn get(&self, row: usize) -> &str {
        let from = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[from..self.ends[row]]
    }
}

/// Reads the cells of a column: so many rows, and at most `room` bytes.
fn cells_of(
    reader: &mut ColumnReader,
    kind: Representation,
    rows: usize,
    room: usize,
) -> Result<ColumnText> {
    match reader {
        ColumnReader::BoolColumnReader(reader) => fill(reader, rows, room, |text, value| {
            let _ = write!(text, "{value}");
        }),
        ColumnReader::Int32ColumnReader(reader) => {
            fill(reader, rows, room, |text, value| match kind {
                Representation::Unsigned => {
                    let _ = write!(text, "{}", value.cast_unsigned());
                }
                _ => write_whole(text, i64::from(*value), kind),
            })
        }
        ColumnReader::Int64ColumnReader(reader) => {
            fill(reader, rows, room, |text, value| match kind {
                Representation::Unsigned => {
                    let _ = write!(text, "{}", value.cast_unsigned());
                }
                _ => write_whole(text, *value, kind),
            })
        }
        ColumnReader::Int96ColumnReader(reader) => fill(reader, rows, room, |text, value| {
            let _ = write!(text, "{}", value.to_seconds());
        }),
        ColumnReader::FloatColumnReader(reader) => fill(reader, rows, room, |text, value| {
            if value.is_finite() {
                let _ = write!(text, "{value}");
            }
        }),
        ColumnReader::DoubleColumnReader(reader) => fill(reader, rows, room, |text, value| {
            if value.is_finite() {
                let _ = write!(text, "{value}");
            }
        }),
        ColumnReader::ByteArrayColumnReader(reader) => fill(reader, rows, room, |text, value| {
            write_bytes(text, value.data(), kind);
        }),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            fill(reader, rows, room, |text, value| {
                write_bytes(text, value.data(), kind);
            })
        }
    }
}

/// Reads values of a column. A value that is missing gives an empty cell.
fn fill<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    room: usize,
    mut write: impl FnMut(&mut String, &T::T),
) -> Result<ColumnText> {
    let mut cells = ColumnText::default();
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    // The library makes long values of short ones, so a few rows of them are enough at once.
    let mut at_once = SHORT;
    while read < rows {
        levels.clear();
        values.clear();
        let before = cells.text.len();
        let (records, ..) = reader.read_records(
            (rows - read).min(at_once),
            Some(&mut levels),
            None,
            &mut values,
        )?;
        if records == 0 {
            return Err(wrong("a column has fewer values than the table has rows"));
        }
        read += records;
        let mut values = values.iter();
        // A column in which no value can be missing has no levels.
        for row in 0..records {
            if levels.get(row).is_none_or(|level| *level > 0) {
                let value = values
                    .next()
                    .ok_or_else(|| wrong("a column has fewer values than it says"))?;
                write(&mut cells.text, value);
                if cells.text.len() > room {
                    return Err(wrong("its cells are too long"));
                }
            }
            cells.ends.push(cells.text.len());
        }
        if cells.text.len() - before > 1 << 16 {
            at_once = 1;
        }
    }
    Ok(cells)
}

fn write_whole(text: &mut String, value: i64, kind: Representation) {
    match kind {
        Representation::Days => write_date(text, value),
        Representation::Instant {
            per_second,
            is_local,
        } => {
            let seconds = value.div_euclid(per_second);
            if is_local {
                write_local(text, seconds);
            } else {
                let _ = write!(text, "{seconds}");
            }
        }
        Representation::Decimal(scale) => write_decimal(text, i128::from(value), scale),
        Representation::Plain | Representation::Unsigned => {
            let _ = write!(text, "{value}");
        }
    }
}

fn write_bytes(text: &mut String, bytes: &[u8], kind: Representation) {
    match kind {
        Representation::Decimal(scale) if (1..=16).contains(&bytes.len()) => {
            let sign = if bytes[0] >= 0x80 { -1 } else { 0 };
            let value = bytes
                .iter()
                .fold(sign, |value: i128, byte| value << 8 | i128::from(*byte));
            write_decimal(text, value, scale);
        }
        _ => {
            let word = String::from_utf8_lossy(bytes);
            if word.contains([',', '"', '\n', '\r']) {
                text.push_str(&quoted(&word));
            } else {
                text.push_str(&word);
            }
        }
    }
}

fn write_decimal(text: &mut String, value: i128, scale: usize) {
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, part) = digits.split_at(digits.len() - scale);
    let sign = if value < 0 { "-" } else { "" };
    let point = if part.is_empty() { "" } else { "." };
    let _ = write!(text, "{sign}{whole}{point}{part}");
}

fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}

/// Writes the day that is `days` after the first of 1970.
fn write_date(text: &mut String, days: i64) {
    let [year, month, day] = date_of(days);
    let _ = write!(text, "{year:04}-{month:02}-{day:02}");
}

fn write_local(text: &mut String, seconds: i64) {
    write_date(text, seconds.div_euclid(86_400));
    let of_day = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let _ = write!(text, "T{hour:02}:{minute:02}:{second:02}");
}

/// The pages of a column.
struct Pages {
    packed: SerializedPageReader<Bytes>,
    compression: Compression,
    largest: usize,
    held: Arc<AtomicUsize>,
    /// Bytes of the last page, and of the dictionary, which stays.
    page: usize,
    dictionary: usize,
}

impl Pages {
    fn new(table: &ParquetText, chunk: &ColumnChunkMetaData, rows: usize) -> Result<Self> {
        // The library passes the pages of a column that is not packed as they are.
        let plain = chunk
            .clone()
            .into_builder()
            .set_compression(Compression::UNCOMPRESSED)
            .build()?;
        let file = Arc::new(table.bytes.clone());
        Ok(Self {
            packed: SerializedPageReader::new(file, &plain, rows, None)?,
            compression: chunk.compression(),
            largest: table.largest_page,
            held: Arc::clone(&table.held),
            page: 0,
            dictionary: 0,
        })
    }

    /// Unpacks what follows the first `offset` bytes.
    fn unpack(&self, packed: &Bytes, offset: usize) -> Result<Bytes> {
        let (start, rest) = packed
            .split_at_checked(offset)
            .ok_or_else(|| wrong("a page is cut short"))?;
        if rest.is_empty() || self.compression == Compression::UNCOMPRESSED {
            return Ok(packed.clone());
        }
        let mut all = start.to_vec();
        let broken = || wrong("a page is damaged or too large");
        let most = self.largest as u64 + 1;
        match self.compression {
            Compression::ZSTD(_) => {
                let frame = StreamingDecoder::new(rest).map_err(|_| broken())?;
                frame.take(most).read_to_end(&mut all).map(drop)
            }
            Compression::GZIP(_) => MultiGzDecoder::new(rest)
                .take(most)
                .read_to_end(&mut all)
                .map(drop),
            Compression::SNAPPY => {
                let length = snap::raw::decompress_len(rest).map_err(|_| broken())?;
                if length > self.largest {
                    return Err(broken());
                }
                all.resize(offset + length, 0);
                let unpacked = snap::raw::Decoder::new().decompress(rest, &mut all[offset..]);
                unpacked.map(drop).map_err(io::Error::other)
            }
            Compression::LZ4_RAW => unpack_lz4(rest, self.largest)
                .map(|unpacked| all.extend(unpacked))
                .ok_or_else(|| io::ErrorKind::InvalidData.into()),
            Compression::BROTLI(_) => return Err(wrong("it is packed with brotli")),
            _ => return Err(wrong("it is packed with LZO or the old LZ4")),
        }
        .map_err(|_| broken())?;
        if all.len() > self.largest {
            return Err(broken());
        }
        Ok(all.into())
    }

    /// Counts a page that is unpacked from now on, in place of the last one.
    fn hold(&mut self, page: &Page) -> Result<()> {
        let bytes = page.buffer().len();
        let own = if page.is_dictionary_page() {
            &mut self.dictionary
        } else {
            &mut self.page
        };
        self.held.fetch_sub(*own, Ordering::Relaxed);
        *own = bytes;
        if self.held.fetch_add(bytes, Ordering::Relaxed) + bytes > PAGES {
            return Err(wrong("its pages are too large"));
        }
        Ok(())
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.held
            .fetch_sub(self.page + self.dictionary, Ordering::Relaxed);
    }
}

/// Unpacks a block of LZ4, which does not say how long it becomes.
fn unpack_lz4(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut length = (4 * packed.len()).clamp(1 << 12, most);
    loop {
        match lz4_flex::block::decompress(packed, length) {
            Ok(unpacked) => return Some(unpacked),
            Err(lz4_flex::block::DecompressError::OutputTooSmall { .. }) if length < most => {
                length = (4 * length).min(most);
            }
            Err(_) => return None,
        }
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.packed.get_next_page()? else {
            return Ok(None);
        };
        match &mut page {
            Page::DataPage { buf, .. } => *buf = self.unpack(buf, 0)?,
            Page::DictionaryPage {
                buf, num_values, ..
            } => {
                *buf = self.unpack(buf, 0)?;
                // Room is made for as many values as the page says. Each has a byte or more.
                if *num_values as usize > buf.len() {
                    return Err(wrong("a dictionary has fewer values than it says"));
                }
            }
            Page::DataPageV2 {
                buf,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                ..
            } => {
                if *is_compressed {
                    let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                    *buf = self.unpack(buf, levels)?;
                }
            }
        }
        self.hold(&page)?;
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.packed.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.packed.skip_next_page()
    }
}
