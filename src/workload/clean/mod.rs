//! Cleaning: it turns records into jobs, decides which jobs take part, and gives each job its size
//! and estimate. The import report counts every job that a rule changes or drops.

mod cleaner;
mod parameters;
mod rules;

pub use cleaner::{clean, partitions};
pub use parameters::{
    CANCELLED, Cancelled, INCOMPLETE, Incomplete, OVERRUN, Overrun, PARAMS, PARTITION, PROCESSORS,
    SIZES, Sizes, TOO_WIDE, TooWide,
};
