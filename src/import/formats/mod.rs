//! The formats of logs. Each is a file here and a line of [`FORMATS`].
//!
//! A file is recognised by its first bytes, never by its name.

mod grid_engine;
mod jobcomp;
mod lsf;
mod more_fields;
mod pbs;
mod sacct;
mod slurm_json;
mod slurm_words;
mod swf;
mod swf_line;

use super::rows::{BadLines, FirstBytes, Format, Reading};
use swf::SwfReader;

/// All formats but SWF, in the order in which they are tried.
pub const FORMATS: &[&Format] = &[
    &sacct::FORMAT,
    &slurm_json::FORMAT,
    &jobcomp::FORMAT,
    &pbs::FORMAT,
    &lsf::FORMAT,
    &grid_engine::FORMAT,
];

/// Returns the ids and names of all formats, SWF first.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let others = FORMATS.iter().map(|format| (format.id, format.name));
    std::iter::once(("swf", "SWF")).chain(others)
}

/// Returns the reader of a file that begins with `bytes`. A file that is like none of the formats
/// is read as SWF, whose reader says what is wrong with it.
pub fn open(bytes: &[u8], bad_lines: BadLines) -> Box<dyn Reading> {
    let text = String::from_utf8_lossy(bytes);
    let start = FirstBytes {
        text: text.trim_start_matches('\u{feff}'),
    };
    FORMATS
        .iter()
        .find_map(|format| (format.open)(&start))
        .unwrap_or_else(|| Box::new(SwfReader::new(bad_lines)))
}
