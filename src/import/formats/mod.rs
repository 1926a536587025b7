//! The formats of logs. Each is a file here and a line of [`FORMATS`].
//!
//! A file is recognised by its first bytes, never by its name.

mod grid_engine;
mod jobcomp;
mod lsf;
mod more_fields;
mod pbs;
mod sacct;
mod simulator_events;
mod slurm_json;
mod slurm_words;
mod swf;
mod swf_line;
mod table;

pub use swf::is_swf;
pub use table::{Mapping, TableFacts};

use super::rows::{BadLines, FirstBytes, Format, Reading, Zone};
use crate::problem::Problem;
use swf::SwfReader;

/// All formats but SWF, in the order in which they are tried. Without the feature, there are none.
pub const FORMATS: &[&Format] = if cfg!(feature = "formats") {
    &[
        &sacct::FORMAT,
        &slurm_json::FORMAT,
        &jobcomp::FORMAT,
        &simulator_events::FORMAT,
        &pbs::FORMAT,
        &lsf::FORMAT,
        &grid_engine::FORMAT,
        &table::FORMAT,
    ]
} else {
    &[]
};

/// Returns the ids and names of all formats, SWF first.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let others = FORMATS.iter().map(|format| (format.id, format.name));
    std::iter::once(("swf", "SWF")).chain(others)
}

/// The number of first bytes from which a format is recognised, and the columns of a table are
/// guessed.
pub const START: usize = 1 << 16;

/// Returns the first bytes of a file as text. Fewer than [`START`] are the whole file.
fn first_text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(&bytes[..bytes.len().min(START)])
}

fn first_bytes<'a>(bytes: &[u8], text: &'a str, zone: Option<&'a Zone>) -> FirstBytes<'a> {
    FirstBytes {
        text: text.trim_start_matches('\u{feff}'),
        is_whole: bytes.len() < START,
        zone,
    }
}

/// Returns the reader of a file that begins with `bytes`. A file that is like none of the formats
/// is read as SWF, whose reader says what is wrong with it. With a mapping, the file is a table.
/// With one that only gives the zone, other formats go first, as without a mapping.
pub fn open(bytes: &[u8], bad_lines: BadLines, mapping: Option<&Mapping>) -> Box<dyn Reading> {
    let text = first_text(bytes);
    let as_swf = || -> Box<dyn Reading> { Box::new(SwfReader::new(bad_lines)) };
    let has_columns = mapping.is_some_and(|mapping| !mapping.is_zone_alone());
    if !cfg!(feature = "formats") || !has_columns && is_swf(&bytes[..bytes.len().min(START)]) {
        return as_swf();
    }
    let zone = mapping.and_then(Mapping::zone);
    let start = first_bytes(bytes, &text, zone.as_ref());
    let as_table = || table::open(&start, mapping);
    let as_other = || {
        let mut others = FORMATS
            .iter()
            .filter(|format| format.id != table::FORMAT.id);
        others.find_map(|format| (format.open)(&start))
    };
    if has_columns {
        as_table().or_else(as_other)
    } else {
        as_other().or_else(as_table)
    }
    .unwrap_or_else(as_swf)
}

/// Describes the beginning of a table. Returns `None` if a file that begins with `bytes` is not
/// read as a table: without a mapping, other formats go first.
///
/// # Errors
/// Returns a problem if the mapping contradicts itself.
pub fn table_facts(bytes: &[u8], mapping: Option<&Mapping>) -> Result<Option<TableFacts>, Problem> {
    let text = first_text(bytes);
    let start = first_bytes(bytes, &text, None);
    let columns = mapping.filter(|mapping| !mapping.is_zone_alone());
    if let Some(mapping) = mapping {
        mapping.check()?;
    }
    if !cfg!(feature = "formats") {
        return Ok(None);
    }
    let beginning = match columns {
        Some(_) => table::TableStart::of_any(start.text, start.is_whole),
        None => {
            let mut others = FORMATS
                .iter()
                .filter(|format| format.id != table::FORMAT.id);
            if others.any(|format| (format.open)(&start).is_some()) {
                return Ok(None);
            }
            table::TableStart::of(start.text, start.is_whole)
        }
    };
    let mapping = mapping.cloned().unwrap_or_default();
    Ok(beginning.map(|table| TableFacts::of(&table, &mapping)))
}
