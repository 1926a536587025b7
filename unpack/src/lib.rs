//! Unpacks traces on the page. This is a wasm file of its own, because few readers need it: it loads
//! with the first file that is packed with zstd, xz, bzip2 or zip, or that is a Parquet file.
//!
//! The code is that of the terminal program, `src/import/packed/unpack.rs`.

#![cfg(target_arch = "wasm32")]

#[path = "../../src/limits.rs"]
pub mod limits;
#[path = "../../src/import/packed/packing.rs"]
pub mod packing;
#[path = "../../src/import/packed/parquet.rs"]
mod parquet;
#[path = "../../src/import/packed/parquet_schema.rs"]
mod parquet_schema;
#[path = "../../src/problem.rs"]
pub mod problem;
#[path = "../../src/time.rs"]
pub mod time;
#[path = "../../src/import/packed/unpack.rs"]
pub mod unpack;

use js_sys::{Function, Uint8Array};
use packing::Packing;
use problem::Problem;
use serde::Serialize;
use std::io::{self, Read, Seek, SeekFrom};
use wasm_bindgen::prelude::*;

/// Bytes that are unpacked at once.
const PIECE: usize = 1 << 20;

/// A file that is unpacked piece by piece.
#[wasm_bindgen]
pub struct Unpacker {
    unpacked: unpack::Unpacked,
    buffer: Vec<u8>,
}

#[wasm_bindgen]
impl Unpacker {
    /// Unpacks a file of `size` bytes, called `name` in messages, that begins with the bytes
    /// `start`. `read(from, count)` returns `count` bytes of the file, or fewer at its end, as a
    /// `Uint8Array`.
    ///
    /// # Errors
    /// Throws a `Problem` if the file is not packed in a known way, or if its directory cannot be
    /// read.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, size: f64, start: &[u8], read: Function) -> Result<Self, JsValue> {
        let packing = Packing::of(start).ok_or_else(|| {
            thrown(&Problem::new(
                format!("{name} is not packed in a known way."),
                "Files packed with gzip, zstd, xz, bzip2 or zip are unpacked, and Parquet is read.",
                "Unpack it first.",
            ))
        })?;
        let file = File {
            size: size as u64,
            at: 0,
            read,
        };
        let unpacked =
            unpack::Unpacked::new(packing, file, name).map_err(|problem| thrown(&problem))?;
        Ok(Self {
            unpacked,
            buffer: vec![0; PIECE],
        })
    }

    /// Returns the next unpacked bytes; none at the end of the file.
    ///
    /// # Errors
    /// Throws a `Problem` if the data is damaged, cut short, or needs too much memory.
    pub fn next(&mut self) -> Result<Uint8Array, JsValue> {
        let n = self
            .unpacked
            .read(&mut self.buffer)
            .map_err(|problem| thrown(&problem))?;
        Ok(Uint8Array::from(&self.buffer[..n]))
    }
}

/// Returns a problem as the value that JavaScript catches.
fn thrown(problem: &Problem) -> JsValue {
    problem
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .unwrap_or(JsValue::NULL)
}

/// A file of the page.
struct File {
    size: u64,
    at: u64,
    read: Function,
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self
            .read
            .call2(
                &JsValue::NULL,
                &(self.at as f64).into(),
                &(buffer.len() as f64).into(),
            )
            .ok()
            .and_then(|bytes| bytes.dyn_into::<Uint8Array>().ok())
            .filter(|bytes| bytes.length() as usize <= buffer.len())
            .ok_or_else(|| io::Error::other("the file cannot be read"))?;
        let n = bytes.length() as usize;
        bytes.copy_to(&mut buffer[..n]);
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
