//! Plans in the terminal: runs their cells on all cores, resumes sweeps, splits them into shards
//! and merges them.
//!
//! Each cell has its own file, named by its key. The file is written completely or not at all.
//! Therefore a sweep can be stopped at any time, and shards need not communicate.

mod folder;
mod merge;
mod printing;
mod running;
mod stored;
mod traces;

pub use merge::merge;
pub use running::sweep;
