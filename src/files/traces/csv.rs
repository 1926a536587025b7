//! A trace as jobs CSV: a column for each of the 18 fields, for the names behind their numbers, and
//! for each further column. An unknown value is an empty cell.

use super::super::csv::csv_field;
use crate::trace::{ColumnValues, FIELDS, Trace, Words};
use std::fmt::Write;

/// Writes the table. Returns what the file does not hold.
pub fn write(trace: &Trace, mut piece: impl FnMut(&str)) -> Vec<String> {
    let zero = trace.unix_start();
    let names: Vec<(&str, &Words)> = [
        ("user_name", &trace.names.users),
        ("group_name", &trace.names.groups),
        ("application_name", &trace.names.applications),
        ("queue_name", &trace.names.queues),
    ]
    .into_iter()
    .filter(|(_, words)| !words.is_empty())
    .collect();
    let mut line = FIELDS.map(|field| field.replace(' ', "_")).join(",");
    if zero.is_some() {
        line.push_str(",submit_unix");
    }
    for head in names
        .iter()
        .map(|(head, _)| *head)
        .chain(trace.columns.iter().map(|c| &*c.id))
    {
        line.push(',');
        line.push_str(&csv_field(head));
    }
    line.push('\n');
    piece(&line);
    for (at, r) in trace.records.iter().enumerate() {
        line.clear();
        let whole = |value: i64| {
            if value == -1 {
                String::new()
            } else {
                value.to_string()
            }
        };
        let amount = |value: f64| {
            if value == -1.0 {
                String::new()
            } else {
                value.to_string()
            }
        };
        let cells = [
            whole(r.number),
            r.submit.to_string(),
            whole(r.wait),
            whole(r.run_time),
            whole(r.allocated.into()),
            amount(r.cpu_time),
            amount(r.used_memory),
            whole(r.requested.into()),
            whole(r.requested_time),
            amount(r.requested_memory),
            whole(r.status.into()),
            whole(r.user.into()),
            whole(r.group.into()),
            whole(r.application.into()),
            whole(r.queue.into()),
            whole(r.partition.into()),
            whole(r.preceding),
            whole(r.think_time),
        ];
        line.push_str(&cells.join(","));
        if let Some(zero) = zero {
            let _ = write!(line, ",{}", zero.saturating_add(r.submit));
        }
        let numbers = [
            ("user_name", r.user),
            ("group_name", r.group),
            ("application_name", r.application),
            ("queue_name", r.queue),
        ];
        for (head, words) in &names {
            let number = numbers
                .iter()
                .find(|(known, _)| known == head)
                .map_or(0, |(_, n)| *n);
            line.push(',');
            let name = u32::try_from(number)
                .ok()
                .and_then(|number| words.get(number));
            line.push_str(&csv_field(name.unwrap_or_default()));
        }
        for column in &trace.columns {
            line.push(',');
            match &column.values {
                ColumnValues::Numbers(_) => {
                    if let Some(number) = column.number(at) {
                        let _ = write!(line, "{number}");
                    }
                }
                ColumnValues::Words { .. } => {
                    line.push_str(&csv_field(column.word(at).unwrap_or_default()));
                }
            }
        }
        line.push('\n');
        piece(&line);
    }
    Vec::new()
}
