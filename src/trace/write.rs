//! Writes trace lines. [`super::read`] gets the same records from them again.

use super::parsed::named;
use super::{MachineSize, Record, SizeSource, Trace};
use std::fmt::Write;

/// Writes one job line, without a line end.
pub fn record_line(record: &Record, line: &mut String) {
    let r = record;
    let _ = write!(
        line,
        "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}",
        r.number,
        r.submit,
        r.wait,
        r.run_time,
        r.allocated,
        r.cpu_time,
        r.used_memory,
        r.requested,
        r.requested_time,
        r.requested_memory,
        r.status,
        r.user,
        r.group,
        r.application,
        r.queue,
        r.partition,
        r.preceding,
        r.think_time
    );
}

/// Writes the trace's own comments, with another machine size if one is given, then one line for
/// each note.
pub fn header_lines(trace: &Trace, processors: Option<u32>, notes: &[String], text: &mut String) {
    let header = MachineSize::guessed(trace, false, || 0);
    let is_sure = header.source == SizeSource::MaxProcs && !header.is_doubtful();
    let processors = processors.filter(|size| !is_sure || header.processors != *size);
    for line in &trace.header {
        let is_size = named(line).is_some_and(|(name, _)| name.eq_ignore_ascii_case("MaxProcs"));
        if processors.is_none() || !is_size {
            text.push_str(line);
            text.push('\n');
        }
    }
    if let Some(size) = processors {
        let _ = writeln!(text, "; MaxProcs: {size}");
    }
    for note in notes {
        // A note must stay one comment line, whatever the name of a file or user.
        let _ = writeln!(text, "; Note: {}", note.replace(['\n', '\r'], " "));
    }
}

/// Writes the whole trace as text, one line at a time, each with its line end.
pub fn write_trace(trace: &Trace, mut line: impl FnMut(&str)) {
    let mut text = String::new();
    header_lines(trace, None, &[], &mut text);
    line(&text);
    for record in trace.records.iter() {
        text.clear();
        record_line(record, &mut text);
        text.push('\n');
        line(&text);
    }
}
