//! Parquet files: their columns become a table in CSV, which the reader of tables reads.
//!
//! docs/formats/tables.md says how values are written. The library unpacks pages, except those of
//! zstd, for which it would need a library in C.

use crate::problem::Problem;
use bytes::Bytes;
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

/// Rows that are written at once.
const ROWS: usize = 4096;

/// Most bytes of the cells of one column that are written at once. A few bytes of a file can stand
/// for any number of long cells.
const CELLS: usize = 1 << 26;

/// The text of a Parquet file, as CSV.
pub struct ParquetText {
    bytes: Bytes,
    file: SerializedFileReader<Bytes>,
    columns: Vec<ParquetColumn>,
    /// Most bytes of an unpacked page.
    largest_page: usize,
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
            let bytes = Bytes::from(bytes);
            let file = SerializedFileReader::new(bytes.clone())?;
            let columns = columns(file.metadata().file_metadata().schema_descr());
            Ok((bytes, file, columns))
        });
        let (bytes, file, columns) = opened.map_err(|error| damaged(name, &error))?;
        let heads: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
        Ok(Self {
            bytes,
            file,
            columns,
            largest_page,
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
        for (column, reader) in self.columns.iter().zip(&mut self.readers) {
            cells.push(match reader {
                Some(reader) => Some(cells_of(reader, column.kind, rows)?),
                None => None,
            });
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
                let pages: Box<dyn PageReader> = match chunk.compression() {
                    Compression::ZSTD(_) => Box::new(ZstdPages::new(
                        &self.bytes,
                        chunk,
                        self.left,
                        self.largest_page,
                    )?),
                    _ => group.get_column_page_reader(index)?,
                };
                Ok::<_, ParquetError>(get_column_reader(chunk.column_descr_ptr(), pages))
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
        "It is damaged, cut short, encrypted, or packed with brotli, LZO or the old LZ4.",
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
            columns.push(ParquetColumn {
                name: root.name().to_owned(),
                index: Some(index),
                kind: kind(leaf),
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

fn kind(column: &ColumnDescriptor) -> Representation {
    match (column.logical_type_ref(), column.converted_type()) {
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
            Representation::Decimal(column.type_scale().clamp(0, 38).unsigned_abs() as usize)
        }
        _ => Representation::Plain,
    }
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

fn cells_of(reader: &mut ColumnReader, kind: Representation, rows: usize) -> Result<ColumnText> {
    match reader {
        ColumnReader::BoolColumnReader(reader) => fill(reader, rows, |text, value| {
            let _ = write!(text, "{value}");
        }),
        ColumnReader::Int32ColumnReader(reader) => fill(reader, rows, |text, value| match kind {
            Representation::Unsigned => {
                let _ = write!(text, "{}", value.cast_unsigned());
            }
            _ => write_whole(text, i64::from(*value), kind),
        }),
        ColumnReader::Int64ColumnReader(reader) => fill(reader, rows, |text, value| match kind {
            Representation::Unsigned => {
                let _ = write!(text, "{}", value.cast_unsigned());
            }
            _ => write_whole(text, *value, kind),
        }),
        ColumnReader::Int96ColumnReader(reader) => fill(reader, rows, |text, value| {
            let _ = write!(text, "{}", value.to_seconds());
        }),
        ColumnReader::FloatColumnReader(reader) => fill(reader, rows, |text, value| {
            write_number(text, f64::from(*value));
        }),
        ColumnReader::DoubleColumnReader(reader) => {
            fill(reader, rows, |text, value| write_number(text, *value))
        }
        ColumnReader::ByteArrayColumnReader(reader) => fill(reader, rows, |text, value| {
            write_bytes(text, value.data(), kind);
        }),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => fill(reader, rows, |text, value| {
            write_bytes(text, value.data(), kind);
        }),
    }
}

/// Reads values of a column. A value that is missing gives an empty cell.
fn fill<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    mut write: impl FnMut(&mut String, &T::T),
) -> Result<ColumnText> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let (records, ..) =
            reader.read_records(rows - read, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Err(wrong("a column has fewer values than the table has rows"));
        }
        read += records;
    }
    let mut cells = ColumnText::default();
    let mut values = values.iter();
    // A column in which no value can be missing has no levels.
    for row in 0..rows {
        if levels.get(row).is_none_or(|level| *level > 0) {
            let value = values
                .next()
                .ok_or_else(|| wrong("a column has fewer values than it says"))?;
            write(&mut cells.text, value);
            if cells.text.len() > CELLS {
                return Err(wrong("its cells are too long"));
            }
        }
        cells.ends.push(cells.text.len());
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

fn write_number(text: &mut String, value: f64) {
    if value.is_finite() {
        let _ = write!(text, "{value}");
    }
}

fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}

/// Writes the day that is `days` after the first of 1970 (H. Hinnant, "chrono-compatible low-level
/// date algorithms", `civil_from_days`).
fn write_date(text: &mut String, days: i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let _ = write!(text, "{year:04}-{month:02}-{day:02}");
}

fn write_local(text: &mut String, seconds: i64) {
    write_date(text, seconds.div_euclid(86_400));
    let of_day = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let _ = write!(text, "T{hour:02}:{minute:02}:{second:02}");
}

/// The pages of a column that is packed with zstd.
struct ZstdPages {
    packed: SerializedPageReader<Bytes>,
    largest: usize,
}

impl ZstdPages {
    fn new(file: &Bytes, chunk: &ColumnChunkMetaData, rows: usize, largest: usize) -> Result<Self> {
        // The library passes the pages of a column that is not packed as they are.
        let plain = chunk
            .clone()
            .into_builder()
            .set_compression(Compression::UNCOMPRESSED)
            .build()?;
        let packed = SerializedPageReader::new(Arc::new(file.clone()), &plain, rows, None)?;
        Ok(Self { packed, largest })
    }

    /// Unpacks what follows the first `offset` bytes.
    fn unpack(&self, packed: &Bytes, offset: usize) -> Result<Bytes> {
        let (start, rest) = packed
            .split_at_checked(offset)
            .ok_or_else(|| wrong("a page is cut short"))?;
        let mut all = start.to_vec();
        if !rest.is_empty() {
            let broken = || wrong("the zstd data of a page is damaged");
            let frame = StreamingDecoder::new(rest).map_err(|_| broken())?;
            let most = self.largest as u64 + 1;
            frame
                .take(most)
                .read_to_end(&mut all)
                .map_err(|_| broken())?;
            if all.len() > self.largest {
                return Err(wrong("a page is too large"));
            }
        }
        Ok(all.into())
    }
}

impl Iterator for ZstdPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for ZstdPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.packed.get_next_page()? else {
            return Ok(None);
        };
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => {
                *buf = self.unpack(buf, 0)?;
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
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.packed.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.packed.skip_next_page()
    }
}
