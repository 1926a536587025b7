//! Checks the schema in the directory of a Parquet file before the library builds its tree: the
//! library calls itself for each level of groups, and takes memory for as many children as a group
//! says that it has. The library goes by the numbers of fields and not by the kinds of their values,
//! so here each field that it knows must have its kind.
//!
//! The library looks at the numbers of fields and not at the kinds of their values, so every field that
//! it knows must have its kind here.
//!
//! The directory is a structure of Thrift's compact protocol
//! (github.com/apache/thrift, doc/specs/thrift-compact-protocol.md); its names and numbers are those
//! of parquet.thrift (github.com/apache/parquet-format).

use crate::limits::{PARQUET_LEVELS, TABLE_COLUMNS};

/// The most elements of a schema: columns, and groups around them.
const ELEMENTS: usize = 4 * TABLE_COLUMNS;

/// Levels of values that no reader looks at.
const UNKNOWN_LEVELS: usize = 64;

/// Kinds of values.
const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const SHORT: u8 = 4;
const WORD: u8 = 5;
const LONG: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;
const UUID: u8 = 13;

/// Checks the schema of a file. A file without a directory is left to the library.
///
/// # Errors
/// Returns the fault if groups are nested too deep, or if the numbers of children are not those of a
/// tree.
pub fn check_schema(file: &[u8]) -> Result<(), &'static str> {
    let Some(directory) = directory(file) else {
        return Ok(());
    };
    let no_structure = "its directory is no structure of Parquet";
    let mut thrift = Thrift(directory);
    let elements = thrift.schema().ok_or(no_structure)?;
    if elements > ELEMENTS {
        return Err("its schema has too many elements");
    }
    let children: Option<Vec<i64>> = (0..elements).map(|_| thrift.element()).collect();
    let children = children.ok_or(no_structure)?;
    // The number of children that are still to come at each level.
    let mut levels = vec![1];
    for (at, own) in children.iter().enumerate() {
        let Some(coming) = levels.last_mut() else {
            return Err("its schema has elements that belong to no group");
        };
        *coming -= 1;
        // No group has more children than elements follow.
        let left = children.len() - at - 1;
        let own = usize::try_from(*own).ok().filter(|own| *own <= left);
        levels.push(own.ok_or("a group of its schema has a wrong number of children")?);
        // Two levels are none of groups: that of the root, and that of the column.
        if levels.len() > PARQUET_LEVELS + 2 {
            return Err("its schema has too many levels of groups");
        }
        while levels.last() == Some(&0) {
            levels.pop();
        }
    }
    Ok(())
}

/// Returns the directory, which is before its length and the mark at the end of the file.
fn directory(file: &[u8]) -> Option<&[u8]> {
    let (rest, end) = file.split_last_chunk::<8>()?;
    let (length, mark) = end.split_first_chunk::<4>()?;
    let from = rest
        .len()
        .checked_sub(u32::from_le_bytes(*length) as usize)?;
    (mark == b"PAR1").then(|| &rest[from..])
}

/// The bytes that are still to be read.
struct Thrift<'a>(&'a [u8]);

impl Thrift<'_> {
    /// Reads up to the first element of the schema, and returns the number of elements. The version
    /// is before it.
    fn schema(&mut self) -> Option<usize> {
        let mut id = 0;
        let version = (self.field(&mut id)?, id);
        self.number()?;
        let schema = (self.field(&mut id)?, id);
        let (size, kind) = self.list()?;
        ((version, schema, kind) == ((WORD, 1), (LIST, 2), STRUCT)).then_some(size)
    }

    /// Reads an element of the schema, and returns the number of its children; 0 for a column.
    fn element(&mut self) -> Option<i64> {
        let (mut id, mut children) = (0, 0);
        loop {
            match (self.field(&mut id)?, id) {
                (STOP, _) => return Some(children),
                (WORD, 5) => children = self.signed()?,
                (kind @ WORD, 1..=3 | 6..=9) | (kind @ BINARY, 4) => self.skip(kind, 1)?,
                (STRUCT, 10) => self.logical_type()?,
                (_, 1..=10) => return None,
                (kind, _) => self.skip(kind, UNKNOWN_LEVELS)?,
            }
        }
    }

    /// Reads a union with one structure for each logical type.
    fn logical_type(&mut self) -> Option<()> {
        let mut id = 0;
        loop {
            match self.field(&mut id)? {
                STOP => return Some(()),
                STRUCT => self.parameters(id)?,
                _ => return None,
            }
        }
    }

    /// Reads the parameters of a logical type. Most have none.
    fn parameters(&mut self, of: i64) -> Option<()> {
        let mut id = 0;
        loop {
            let kind = self.field(&mut id)?;
            match (of, id, kind) {
                (.., STOP) => return Some(()),
                // Decimal; whole number; time and timestamp; variant; geometry and geography.
                (5, 1 | 2, WORD)
                | (10 | 16, 1, BYTE)
                | (10, 2, TRUE | FALSE)
                | (7 | 8, 1, TRUE | FALSE)
                | (17 | 18, 1, BINARY)
                | (18, 2, WORD) => self.skip(kind, 1)?,
                (7 | 8, 2, STRUCT) => self.unit()?,
                _ => return None,
            }
        }
    }

    /// Reads a union of units, which have no parameters.
    fn unit(&mut self) -> Option<()> {
        let mut id = 0;
        loop {
            match self.field(&mut id)? {
                STOP => return Some(()),
                STRUCT if self.byte()? == STOP => {}
                _ => return None,
            }
        }
    }

    /// Reads the beginning of a field, with its number after that of the field before.
    fn field(&mut self, id: &mut i64) -> Option<u8> {
        let byte = self.byte()?;
        let (step, kind) = (byte >> 4, byte & 15);
        if kind != STOP {
            *id = match step {
                0 => self.signed()?,
                step => *id + i64::from(step),
            };
            // The library keeps the lowest 16 bits.
            i16::try_from(*id).ok()?;
        }
        Some(kind)
    }

    /// Reads the size of a list, and the kind of its values. A value has a byte at least.
    fn list(&mut self) -> Option<(usize, u8)> {
        let byte = self.byte()?;
        let size = match byte >> 4 {
            15 => usize::try_from(self.number()?).ok()?,
            size => usize::from(size),
        };
        (size <= self.0.len()).then_some((size, byte & 15))
    }

    fn skip(&mut self, kind: u8, levels: usize) -> Option<()> {
        let inner = levels.checked_sub(1)?;
        match kind {
            TRUE | FALSE => {}
            BYTE => self.drop_bytes(1)?,
            SHORT | WORD | LONG => drop(self.number()?),
            DOUBLE => self.drop_bytes(8)?,
            UUID => self.drop_bytes(16)?,
            BINARY => {
                let size = self.number()?;
                self.drop_bytes(usize::try_from(size).ok()?)?;
            }
            LIST | SET => {
                let (size, kind) = self.list()?;
                (0..size).try_for_each(|_| self.skip_value(kind, inner))?;
            }
            MAP => {
                let size = self.number()?;
                let kinds = if size > 0 { self.byte()? } else { 0 };
                for _ in 0..size {
                    self.skip_value(kinds >> 4, inner)?;
                    self.skip_value(kinds & 15, inner)?;
                }
            }
            STRUCT => {
                let mut id = 0;
                loop {
                    match self.field(&mut id)? {
                        STOP => break,
                        kind => self.skip(kind, inner)?,
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Skips a value of a list or a map. The library takes truth values there for no bytes.
    fn skip_value(&mut self, kind: u8, levels: usize) -> Option<()> {
        match kind {
            TRUE | FALSE => None,
            kind => self.skip(kind, levels),
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn drop_bytes(&mut self, count: usize) -> Option<()> {
        self.0 = self.0.get(count..)?;
        Some(())
    }

    /// Reads a number of seven bits a byte, the lowest first.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    /// Reads a number with its sign in the lowest bit.
    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}
