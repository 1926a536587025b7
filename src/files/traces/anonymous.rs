//! A trace without words: users, groups, jobs and all names become numbers in the order of their
//! first records, and times count from the first submission. docs/formats/writing.md says what is
//! kept, and what that can reveal.

use super::swf::told;
use crate::trace::{
    Column, ColumnValues, MachineSize, Names, Record, Records, SizeSource, Trace, UNKNOWN, Words,
};
use std::collections::BTreeMap;

/// Columns of numbers that are kept, with their names. The name in the file may be a word of the
/// source.
const NUMBERS: [(&str, &str); 8] = [
    ("eligible", "Eligible"),
    ("nodes", "Nodes"),
    ("least_nodes", "Least nodes"),
    ("gpus", "GPUs"),
    ("task", "Array task"),
    ("priority", "Priority"),
    ("memory", "Memory (kB)"),
    ("node_memory", "Memory of a node (kB)"),
];

/// Columns of words that are kept as numbered words.
const WORDS: [(&str, &str); 7] = [
    ("account", "Account"),
    ("qos", "QOS"),
    ("state", "State"),
    ("reason", "Reason"),
    ("node_list", "Node list"),
    ("dependency", "Dependency"),
    ("reservation", "Reservation"),
];

/// States that schedulers have, which name nobody. Any other state is numbered.
const STATES: [&str; 19] = [
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "COMPLETING",
    "CONFIGURING",
    "DEADLINE",
    "DONE",
    "EXIT",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PENDING",
    "PREEMPTED",
    "REQUEUED",
    "RESIZING",
    "REVOKED",
    "RUNNING",
    "SUSPENDED",
    "TIMEOUT",
];

/// Numbers in the order of their first appearance, from 1. Unknown ones, below 0, stay.
#[derive(Default)]
struct Numbered(BTreeMap<i64, i64>);

impl Numbered {
    fn of(&mut self, value: i64) -> i64 {
        if value < 0 {
            return -1;
        }
        let next = self.0.len() as i64 + 1;
        *self.0.entry(value).or_insert(next)
    }

    fn narrow(&mut self, value: i32) -> i32 {
        self.of(value.into()) as i32
    }
}

/// Returns the trace without words. Its first submission is at `first`, in seconds.
pub fn anonymised(trace: &Trace, first: i64) -> Trace {
    let earliest = trace.records.iter().map(|record| record.submit).min();
    let shift = first - earliest.unwrap_or(0);
    let mut numbers: [Numbered; 5] = Default::default();
    let mut latest = BTreeMap::new();
    let mut lost = 0;
    let mut records = Records::default();
    for (at, record) in trace.records.iter().enumerate() {
        let number = at as i64 + 1;
        let before: Option<&i64> = latest.get(&record.preceding);
        lost += usize::from(record.preceding > 0 && before.is_none());
        let [users, groups, applications, queues, partitions] = &mut numbers;
        records.push(Record {
            number,
            submit: record.submit + shift,
            preceding: before.copied().unwrap_or(-1),
            user: users.narrow(record.user),
            group: groups.narrow(record.group),
            application: applications.narrow(record.application),
            queue: queues.narrow(record.queue),
            partition: partitions.narrow(record.partition),
            ..*record
        });
        latest.insert(record.number, number);
    }
    let columns: Vec<Column> = trace
        .columns
        .iter()
        .filter_map(|column| without_words(column, shift))
        .collect();
    let mut left_out =
        vec!["anonymised: names are numbers, and times count from the first submission".to_owned()];
    told(
        &mut left_out,
        trace.columns.len() - columns.len(),
        "column",
        "left out, because what it holds is not known",
    );
    told(
        &mut left_out,
        lost,
        "preceding job",
        "not among the earlier jobs, left out",
    );
    let mut header = header(trace);
    for sentence in &left_out {
        header.push(format!("; Note: {sentence}"));
    }
    Trace {
        header,
        format: trace.format.clone(),
        report: trace.report.clone(),
        records,
        columns,
        names: Names::default(),
        ..Trace::default()
    }
}

/// Returns the comments that are kept: the sizes of the machine, as numbers.
fn header(trace: &Trace) -> Vec<String> {
    let size = MachineSize::guessed(trace, false, || 0);
    match size.source {
        SizeSource::MaxProcs => vec![format!("; MaxProcs: {}", size.processors)],
        SizeSource::MaxNodes => vec![format!("; MaxNodes: {}", size.processors)],
        _ => Vec::new(),
    }
}

fn without_words(column: &Column, shift: i64) -> Option<Column> {
    let known = |all: &[(&str, &str)]| {
        let (id, name) = all.iter().find(|(id, _)| *id == column.id)?;
        Some(((*id).to_owned(), (*name).to_owned()))
    };
    let ((id, name), values) = match &column.values {
        ColumnValues::Numbers(numbers) => {
            let by = if column.id == "eligible" { shift } else { 0 };
            let moved = |number: &i64| {
                if *number == UNKNOWN {
                    UNKNOWN
                } else {
                    number.saturating_add(by)
                }
            };
            let numbers = numbers.iter().map(moved).collect();
            (known(&NUMBERS)?, ColumnValues::Numbers(numbers))
        }
        ColumnValues::Words { words, numbers } => {
            let known = known(&WORDS)?;
            (known, numbered(&column.id, words, numbers))
        }
    };
    Some(Column { id, name, values })
}

/// Returns words such as `account1`, in the order of their first records.
fn numbered(id: &str, words: &Words, numbers: &[u32]) -> ColumnValues {
    let mut order = Numbered::default();
    let mut other = Words::default();
    let mut number = |number: u32| {
        let Some(word) = words.get(number) else {
            return 0;
        };
        if id == "state" && STATES.contains(&word) {
            other.number(word)
        } else {
            other.number(&format!("{id}{}", order.of(number.into())))
        }
    };
    let numbers = numbers.iter().map(|at| number(*at)).collect();
    ColumnValues::Words {
        words: other,
        numbers,
    }
}
