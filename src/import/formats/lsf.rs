//! Reads the accounting of LSF, `lsb.acct`: words and quoted strings, one record in each line.
//!
//! The order of the fields is that of the manual page `lsb.acct(5)`.

use crate::import::rows::{
    Builder, EndState, FirstBytes, Format, Instant, LineReader, LogRow, Reading, Rows, bad_value,
    digits, instant,
};
use crate::problem::Problem;
use crate::trace::{Effect, ImportRule};
use std::borrow::Cow;
use std::collections::BTreeSet;

pub const FORMAT: Format = Format {
    id: "lsf",
    name: Lsf::NAME,
    open,
};

const OTHER_RECORD: ImportRule = ImportRule {
    id: "other_record",
    effect: Effect::Noted,
    text: "a record of another event: the record of the job's end tells all",
};

/// Fields before the list of asked hosts.
const FIRST_FIELDS: usize = 22;

/// The status of a job that ended well.
const DONE: &str = "64";

fn open(start: &FirstBytes<'_>) -> Option<Box<dyn Reading>> {
    let first = start.lines().next()?;
    let is_record = first.starts_with('"')
        && first[1..].split_once('"').is_some_and(|(kind, rest)| {
            kind.bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
                && rest.trim_start().strip_prefix('"').is_some_and(|version| {
                    version.starts_with(|digit: char| digit.is_ascii_digit())
                })
        });
    is_record.then(|| Box::new(LineReader::new(Lsf)) as Box<dyn Reading>)
}

#[derive(Debug)]
struct Lsf;

/// The words of a record, without their quotes. A quote inside a string is doubled. `None` if the
/// last string does not end.
fn fields(line: &str) -> Option<Vec<Cow<'_, str>>> {
    let mut all = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        if let Some(string) = rest.strip_prefix('"') {
            let mut end = 0;
            let mut has_quotes = false;
            loop {
                end += string[end..].find('"')?;
                if string[end + 1..].starts_with('"') {
                    has_quotes = true;
                    end += 2;
                } else {
                    break;
                }
            }
            let text = &string[..end];
            all.push(if has_quotes {
                text.replace("\"\"", "\"").into()
            } else {
                text.into()
            });
            rest = string[end + 1..].trim_start();
        } else {
            let end = rest.find(' ').unwrap_or(rest.len());
            all.push(rest[..end].into());
            rest = rest[end..].trim_start();
        }
    }
    Some(all)
}

impl Rows for Lsf {
    const NAME: &'static str = "LSF (lsb.acct)";

    fn row(&mut self, line: &str, number: u64, builder: &mut Builder) -> Result<bool, Problem> {
        let Some(all) = fields(line) else {
            return Ok(false);
        };
        if all.first().is_none_or(|kind| kind != "JOB_FINISH") {
            builder.count(&OTHER_RECORD, number);
            return Ok(true);
        }
        let record = read(&all, number)?;
        builder.push(&record);
        Ok(true)
    }

    fn rest(&mut self, line: &str, number: u64, _: &mut Builder) -> Result<(), Problem> {
        Err(bad_value(
            number,
            "record",
            line,
            "A quoted string of the record has no end.",
        ))
    }
}

fn read<'a>(all: &'a [Cow<'a, str>], line: u64) -> Result<LogRow<'a>, Problem> {
    let word = |at: usize| all.get(at).map_or("", |word| word);
    let short = || {
        bad_value(
            line,
            "record",
            word(3),
            "The record of a job has 22 fields, its hosts, and its status.",
        )
    };
    let time = |at: usize, name: &str| match instant(word(at)) {
        Instant::Bad => Err(bad_value(
            line,
            name,
            word(at),
            "A time is seconds since 1970.",
        )),
        known => Ok(known.seconds()),
    };
    let list = |at: usize| {
        let count = digits(word(at))? as usize;
        (all.len() > at + count).then_some((at + 1, count))
    };
    let (_, asked) = list(FIRST_FIELDS).ok_or_else(short)?;
    let (hosts, count) = list(FIRST_FIELDS + 1 + asked).ok_or_else(short)?;
    let after = hosts + count;
    let (mut processors, mut nodes) = (0_i64, BTreeSet::new());
    for host in &all[hosts..after] {
        let (times, name) = host.split_once('*').unwrap_or(("1", host));
        processors = processors.saturating_add(digits(times).unwrap_or(1));
        nodes.insert(name);
    }
    let number = digits(word(3))
        .ok_or_else(|| bad_value(line, "jobId", word(3), "The id of a job is a number."))?;
    let status = word(after);
    let exit = word(after + 25);
    let seconds = |at: usize| word(at).parse::<f64>().ok().filter(|value| *value >= 0.0);
    Ok(LogRow {
        line,
        number,
        submit: time(7, "submitTime")?,
        eligible: time(8, "beginTime")?,
        start: time(10, "startTime")?,
        end: time(2, "event time")?,
        processors: Some(processors),
        requested: digits(word(6)),
        nodes: Some(nodes.len() as i64),
        user: word(11),
        queue: word(12),
        dependency: word(14),
        name: word(after + 2),
        cpu_time: seconds(after + 4)
            .zip(seconds(after + 5))
            .map(|(user, system)| user + system),
        used_memory: seconds(after + 30),
        account: word(after + 24),
        task: digits(word(after + 29)).filter(|task| *task > 0),
        limit: limit(all, after + 53),
        state: match status {
            DONE => EndState::Completed,
            // 130 and 143 are the exits of a job that a user stops.
            _ if matches!(exit, "130" | "143") => EndState::Cancelled,
            _ => EndState::Failed,
        },
        state_word: if status == DONE { "DONE" } else { "EXIT" },
        ..LogRow::default()
    })
}

/// Returns the run limit in seconds. It comes after the further options of the submission and what
/// the job used on each host, in records that have these.
fn limit(all: &[Cow<'_, str>], options: usize) -> Option<i64> {
    let word = |at: usize| all.get(at).map(|word| &**word);
    let hosts = options + 1 + 2 * digits(word(options)?)? as usize;
    let mut at = hosts + 1;
    for _ in 0..digits(word(hosts)?)? {
        // Host, memory, swap, user and system time, and a list of further values.
        at += 6 + digits(word(at + 5)?)? as usize;
    }
    digits(word(at)?).filter(|seconds| *seconds > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_doubled_inside_strings() {
        let all = fields(r#""JOB_FINISH" "9.11" 12 "a ""b"" c" "" -1"#).unwrap();
        assert_eq!(all, ["JOB_FINISH", "9.11", "12", "a \"b\" c", "", "-1"]);
        assert_eq!(fields(r#""JOB_FINISH" "open"#), None);
    }
}
