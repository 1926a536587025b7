//! Records in, jobs out: which size and estimate a job has, and which jobs take part. Each rule
//! that changes or drops a job counts it in the import report.

mod cleaner;
mod parameters;
mod rules;

pub use cleaner::clean;
pub use parameters::{
    CANCELLED, Cancelled, INCOMPLETE, Incomplete, OVERRUN, Overrun, PARAMS, PROCESSORS, SIZES,
    Sizes, TOO_WIDE, TooWide,
};
