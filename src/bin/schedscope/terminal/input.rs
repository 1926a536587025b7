//! Reads small files, and no more bytes of them than their limits allow.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Reads a file of at most `most` bytes.
pub fn read_bytes(path: &Path, most: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(most as u64 + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(Error::new(
            ErrorKind::FileTooLarge,
            format!("it has more than {most} bytes (docs/limits.md)"),
        ));
    }
    Ok(bytes)
}

/// Reads a text of at most `most` bytes.
pub fn read_text(path: &Path, most: usize) -> Result<String> {
    String::from_utf8(read_bytes(path, most)?)
        .map_err(|error| Error::new(ErrorKind::InvalidData, error))
}
