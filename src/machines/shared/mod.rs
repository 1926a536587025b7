//! What several machine models share.

mod bitmap;
mod counted;
mod dedicated;
mod matrix;
mod spec;

pub use bitmap::Bitmap;
pub use counted::Counted;
pub use dedicated::{Dedicated, START_DELAY};
pub use matrix::{OusterhoutMatrix, PACKING, Packing, STRETCH, Tidying, packing, stretch};
pub use spec::MachineSpec;
