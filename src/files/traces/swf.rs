//! A trace as SWF. The header tells where the trace comes from, and what its numbers mean.

use super::field_columns::FieldColumns;
use crate::limits::{HEADER_BYTES, HEADER_LINES};
use crate::sorting::set;
use crate::trace::{
    Column, Declared, Effect, LONGEST_SECONDS, Record, Trace, WRITTEN, encoded_comment, name_lines,
    record_line,
};

/// Writes the trace with these further columns. Returns what the file does not hold.
pub fn write(trace: &Trace, columns: &[Column], mut piece: impl FnMut(&str)) -> Vec<String> {
    let cells = FieldColumns::new(columns);
    let kept = columns.len().min(cells.lines().count());
    let mut left_out = Vec::new();
    told(
        &mut left_out,
        trace.columns.len() - kept,
        "further column",
        "not in this file",
    );
    told(
        &mut left_out,
        cells.cut(trace.records.len()),
        "job",
        "with a word left out, because its line would be too long",
    );
    told(
        &mut left_out,
        trace
            .records
            .iter()
            .filter(|record| storable(record) != **record)
            .count(),
        "job",
        "with a value beyond the range of its field, which is left out",
    );
    let mut head = provenance(trace);
    head.extend(cells.lines());
    let own = trace
        .header
        .iter()
        .filter(|line| Declared::parse(line).is_none());
    head.extend(own.cloned());
    let names = names_within(trace, &mut head, &mut left_out);
    let notes = left_out
        .iter()
        .map(|sentence| format!("; Note: {sentence}"));
    // The first line, which says who wrote the file, stays the first.
    head.splice(1..1, notes.collect::<Vec<_>>());
    head.extend(names);
    piece(&(head.join("\n") + "\n"));
    let mut line = String::new();
    for (at, record) in trace.records.iter().enumerate() {
        line.clear();
        record_line(&storable(record), &mut line);
        cells.push(at, &mut line);
        line.push('\n');
        piece(&line);
    }
    left_out
}

/// Adds a sentence such as `2 further columns: not in this file`.
pub fn told(sentences: &mut Vec<String>, count: usize, thing: &str, what: &str) {
    if count > 0 {
        let plural = if count == 1 { "" } else { "s" };
        sentences.push(format!("{count} {thing}{plural}: {what}"));
    }
}

/// Returns the notes on where the trace comes from, and on what became of it at reading.
fn provenance(trace: &Trace) -> Vec<String> {
    let mut lines = vec![format!("{WRITTEN}{}", env!("CARGO_PKG_VERSION"))];
    let mut note = |text: &str| lines.push(format!("; Note: {}", encoded_comment(text)));
    for (key, value) in [
        ("source:", &trace.name),
        ("SHA-256 of the source:", &trace.sha256),
        ("format of the source:", &trace.format),
    ] {
        if !value.is_empty() {
            note(&format!("{key} {value}"));
        }
    }
    for rule in &trace.report.rules {
        let effect = match rule.effect {
            Effect::Noted => continue,
            Effect::Skipped => "skipped",
            Effect::Repaired => "repaired",
        };
        note(&format!(
            "{effect} {} ({}): {}",
            rule.count, rule.id, rule.text
        ));
    }
    lines
}

/// Returns the comments with names, as many as a reader keeps beside `head`. Takes from `head` those
/// that an earlier conversion wrote.
fn names_within(trace: &Trace, head: &mut Vec<String>, left_out: &mut Vec<String>) -> Vec<String> {
    let has_partitions = trace.format != "SWF"
        || trace
            .header
            .iter()
            .any(|line| line.starts_with("; Partition: 1 "));
    let mut names: Vec<String> = name_lines(&trace.names, has_partitions).collect();
    let known = set(names.iter().map(String::as_str));
    head.retain(|line| !known.contains(line.as_str()));
    let mut bytes: usize = head.iter().map(String::len).sum();
    // Some room is for the notes on what is left out.
    let mut fitting = HEADER_LINES.saturating_sub(head.len() + 10);
    bytes += 1000;
    fitting = names
        .iter()
        .take(fitting)
        .take_while(|line| {
            bytes += line.len();
            bytes <= HEADER_BYTES
        })
        .count();
    told(
        left_out,
        names.len() - fitting,
        "name",
        "not in the header, which would be too long",
    );
    names.truncate(fitting);
    names
}

/// Returns the record with -1 for values that SWF cannot hold.
fn storable(record: &Record) -> Record {
    let seconds = |value: i64| {
        if value.abs() <= LONGEST_SECONDS {
            value
        } else {
            -1
        }
    };
    let amount = |value: f64| {
        if value.abs() <= LONGEST_SECONDS as f64 {
            value
        } else {
            -1.0
        }
    };
    Record {
        number: seconds(record.number),
        submit: seconds(record.submit),
        wait: seconds(record.wait),
        run_time: seconds(record.run_time),
        requested_time: seconds(record.requested_time),
        preceding: seconds(record.preceding),
        think_time: seconds(record.think_time),
        cpu_time: amount(record.cpu_time),
        used_memory: amount(record.used_memory),
        requested_memory: amount(record.requested_memory),
        ..*record
    }
}
