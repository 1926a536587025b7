//! Reading logs: bytes become the records of a [`Trace`](crate::trace::Trace), whatever the format.
//!
//! `rows/` says what becomes of a row, under the same rules for all formats. `formats/` has a file
//! for each kind of log. `packing.rs` recognises packed files, and `unpack.rs` unpacks them.

#[cfg(not(target_arch = "wasm32"))]
pub mod file;
mod formats;
mod packed;
mod reader;
mod rows;

pub use formats::{Mapping, TableFacts, is_swf, names, table_facts};
pub use packed::packing::Packing;
#[cfg(not(target_arch = "wasm32"))]
pub use packed::unpack::Unpacked;
pub use reader::{Reader, read, read_queue};
pub use rows::BadLines;
