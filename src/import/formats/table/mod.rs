//! Tables of any kind: CSV, TSV, and text with semicolons or pipes. A mapping says which column
//! holds what; what it does not say is guessed, and told in the report.

mod cells;
mod facts;
mod further;
mod guess;
mod header;
mod mapping;
mod names;
mod reader;
mod split;

pub use facts::TableFacts;
pub use header::TableStart;
pub use mapping::Mapping;
pub use reader::{FORMAT, open};
