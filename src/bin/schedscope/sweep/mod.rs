//! Plans in the terminal: their cells on all cores, resumed, in shards, merged.
//!
//! Every cell has a file of its own under its key, written whole or not at all, so that a sweep can
//! be stopped at any time and shards need no word with each other.

mod folder;
mod merge;
mod printing;
mod running;
mod stored;
mod traces;

pub use merge::merge;
pub use running::sweep;
