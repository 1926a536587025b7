//! A trace as a file: SWF, SWF with further fields, or jobs CSV; anonymised on request.
//! docs/formats/writing.md has the rules.

mod anonymous;
mod csv;
mod field_columns;
mod swf;

pub use anonymous::anonymised;

use crate::trace::Trace;

/// A kind of file for a trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// The 18 fields of SWF.
    Swf,
    /// The 18 fields, and a field for each further column.
    SwfExtended,
    /// A table with a row for each job.
    Csv,
}

impl TraceKind {
    /// All kinds, with their ids.
    pub const ALL: [(&'static str, Self); 3] = [
        ("swf", Self::Swf),
        ("swf-extended", Self::SwfExtended),
        ("csv", Self::Csv),
    ];

    /// Returns the kind with this id.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == id)
            .map(|(_, kind)| *kind)
    }
}

/// Writes a trace, piece by piece. Returns a sentence for each thing that the file does not hold.
pub fn write_trace_as(trace: &Trace, kind: TraceKind, piece: impl FnMut(&str)) -> Vec<String> {
    match kind {
        TraceKind::Swf => swf::write(trace, &[], piece),
        TraceKind::SwfExtended => swf::write(trace, &trace.columns, piece),
        TraceKind::Csv => csv::write(trace, piece),
    }
}
