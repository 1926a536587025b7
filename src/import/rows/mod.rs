//! Rows of logs: how they are split, what their words mean, and what becomes of them.

mod builder;
mod clock_changes;
mod dependency;
mod lines;
mod reading;
mod values;
mod zone;

pub use builder::{Builder, EndState, LogRow};
pub use lines::{BAD_ROW, LineReader, Rows, bad_value, too_long};
pub use reading::{BadLines, FirstBytes, Format, Reading};
pub use values::{Instant, count, digits, instant, is_unknown, length, memory};
pub use zone::{LocalTimes, Zone};
