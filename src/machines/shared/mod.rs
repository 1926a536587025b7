//! Parts that several machine models share.

mod bitmap;
mod counted;
mod dedicated;
mod matrix;
mod sight;
mod spec;

pub use bitmap::Bitmap;
pub use counted::Counted;
pub use dedicated::{Dedicated, start_delay};
pub use matrix::{OusterhoutMatrix, PACKING, Packing, STRETCH, Tidying, stretch};
pub use sight::{Past, Sight, asked, has_no_pictures};
pub use spec::{MachineSpec, asks_no_more};
