//! Packed files: how a file is packed, and what is inside.

pub mod packing;
#[cfg(not(target_arch = "wasm32"))]
mod parquet;
#[cfg(not(target_arch = "wasm32"))]
mod parquet_schema;
#[cfg(not(target_arch = "wasm32"))]
pub mod unpack;
