//! Reads the accounting of Grid Engine (SGE, Univa, Altair, Open Grid Scheduler): fields with
//! colons between them.
//!
//! The order of the fields is that of the manual page `accounting(5)`.

use crate::import::rows::{
    Builder, EndState, FirstBytes, Format, Instant, LineReader, LogRow, Reading, Rows, bad_value,
    digits, instant, length, memory,
};
use crate::problem::Problem;
use crate::trace::{Effect, ImportRule};

pub const FORMAT: Format = Format {
    id: "grid_engine",
    name: GridEngine::NAME,
    open,
};

const PART_OF_TASK: ImportRule = ImportRule {
    id: "parallel_task",
    effect: Effect::Noted,
    text: "a task of a parallel job: part of its job, not read by itself",
};

/// The fields that a record has in the oldest version that is read.
const FIELDS: usize = 43;

/// Index of the options of the submission.
const OPTIONS: usize = 39;

/// Index of the first field after the name of the job, which may hold colons.
const NUMBER: usize = 5;

fn open(start: &FirstBytes<'_>) -> Option<Box<dyn Reading>> {
    let first = start.lines().find(|line| !line.starts_with('#'))?;
    let fields = split(first)?;
    let is_time = |at: usize| fields[at].len() >= 9 && digits_of(fields[at]).is_some();
    let is_record = digits_of(fields[NUMBER]).is_some() && is_time(8);
    is_record.then(|| Box::new(LineReader::new(GridEngine)) as Box<dyn Reading>)
}

fn digits_of(word: &str) -> Option<i64> {
    (word.len() <= 13 && word.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| word.parse().ok())?
}

/// Splits a record. Colons in the name of the job do not separate: the fields behind it are
/// numbers, which tell where they begin.
fn split(line: &str) -> Option<Vec<&str>> {
    let all: Vec<&str> = line.split(':').collect();
    if all.len() < FIELDS {
        return None;
    }
    // Number, account, priority, submission, start and end.
    let fits = |at: usize| {
        all.get(at + 5).is_some()
            && digits_of(all[at]).is_some()
            && [at + 3, at + 4, at + 5]
                .iter()
                .all(|at| digits_of(all[*at]).is_some())
            && all[at + 3].len() >= 9
    };
    let number = (NUMBER..=(all.len() - FIELDS + NUMBER)).find(|at| fits(*at))?;
    let place = |field: &str| field.as_ptr() as usize - line.as_ptr() as usize;
    let name = &line[place(all[4])..place(all[number]) - 1];
    let mut fields = all[..4].to_vec();
    fields.push(name);
    fields.extend_from_slice(&all[number..]);
    // The options may hold colons too. Behind them are a number, the id of a task, and a number.
    let is_number = |at: usize| {
        fields
            .get(at)
            .is_some_and(|word| word.parse::<f64>().is_ok())
    };
    let after = (OPTIONS + 1..fields.len())
        .find(|at| is_number(*at) && !is_number(at + 1) && is_number(at + 2))
        .unwrap_or(OPTIONS + 1);
    let options = &line[place(fields[OPTIONS])..place(fields[after]) - 1];
    fields.splice(OPTIONS..after, [options]);
    Some(fields)
}

#[derive(Debug)]
struct GridEngine;

impl Rows for GridEngine {
    const NAME: &'static str = "Grid Engine (accounting)";

    fn row(&mut self, line: &str, number: u64, builder: &mut Builder) -> Result<bool, Problem> {
        if line.starts_with('#') {
            return Ok(true);
        }
        let Some(fields) = split(line) else {
            return Err(bad_value(
                number,
                "record",
                line,
                "A record has 43 fields or more, with colons between them.",
            ));
        };
        let word = |at: usize| fields.get(at).copied().unwrap_or_default();
        if !matches!(word(41), "" | "NONE") {
            builder.count(&PART_OF_TASK, number);
            return Ok(true);
        }
        let time = |at: usize, name: &str| match instant(word(at)) {
            Instant::Bad => Err(bad_value(
                number,
                name,
                word(at),
                "A time is seconds or milliseconds since 1970.",
            )),
            known => Ok(known.seconds()),
        };
        let category = word(OPTIONS);
        let asked = |name: &str| {
            category
                .split([' ', ','])
                .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
        };
        let slots = digits(word(34));
        let seconds = |at: usize| word(at).parse::<f64>().ok().filter(|value| *value >= 0.0);
        let (failed, exit) = (word(11), word(12));
        let known = |word: &'static str, value| if value == word { "" } else { value };
        let row = LogRow {
            line: number,
            number: digits(word(5)).unwrap_or(0),
            task: digits(word(35)).filter(|task| *task > 0),
            submit: time(8, "submission_time")?,
            start: time(9, "start_time")?,
            end: time(10, "end_time")?,
            limit: asked("h_rt").and_then(|limit| length(limit).or_else(|| digits(limit))),
            processors: slots,
            requested: slots,
            gpus: asked("gpu").or_else(|| asked("ngpus")).and_then(digits),
            memory: asked("mem_free")
                .or_else(|| asked("h_vmem"))
                .and_then(|amount| memory(amount, 1.0 / 1024.0))
                .map(|kilobytes| kilobytes * slots.unwrap_or(1).max(1) as f64),
            used_memory: seconds(42).map(|bytes| bytes / 1024.0),
            cpu_time: seconds(36),
            user: word(3),
            group: word(2),
            account: known("NONE", word(31)),
            name: word(4),
            queue: word(0),
            node_list: known("UNKNOWN", word(1)),
            state: match (failed, exit) {
                ("0", "0") => EndState::Completed,
                // 100: the job was killed by a signal; 137 and 143 are those of a deletion.
                ("0" | "100", "137" | "143") => EndState::Cancelled,
                _ => EndState::Failed,
            },
            ..LogRow::default()
        };
        builder.push(&row);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_colons() {
        let line = format!(
            "q:host:g:u:na:me:22947:sge:0:1310761621:1311095354:1311095414:0:0{}",
            ":0".repeat(31)
        );
        let fields = split(&line).unwrap();
        assert_eq!(
            (fields[4], fields[5], fields[8]),
            ("na:me", "22947", "1310761621")
        );
    }
}
