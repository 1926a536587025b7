//! The terminal: arguments, files that are read and written, and printed text.

pub mod args;
pub mod input;
pub mod output;
pub mod result;
pub mod save;
pub mod table;
