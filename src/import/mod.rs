//! Reading logs: bytes become the records of a [`Trace`](crate::trace::Trace), whatever the format.
//!
//! `rows/` says what becomes of a row, under the same rules for all formats. `formats/` has a file
//! for each kind of log.

#[cfg(not(target_arch = "wasm32"))]
pub mod file;
mod formats;
mod reader;
mod rows;

pub use formats::{Mapping, TableFacts, names, table_facts};
pub use reader::{Reader, read};
pub use rows::BadLines;
