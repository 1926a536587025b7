//! Reads the accounting of PBS, Torque and OpenPBS: `date time;type;id;key=value key=value ...`.

use crate::import::rows::{
    Builder, EndState, FirstBytes, Format, Instant, LineReader, LogRow, Reading, Rows, bad_value,
    count, digits, instant, length, memory,
};
use crate::problem::Problem;
use crate::sorting::set;
use crate::trace::{Effect, ImportRule};
use std::collections::BTreeSet;

pub const FORMAT: Format = Format {
    id: "pbs",
    name: Pbs::NAME,
    open,
};

const OTHER_RECORD: ImportRule = ImportRule {
    id: "other_record",
    effect: Effect::Noted,
    text: "a record of another event (queued, started, deleted): the record of the job's end tells \
        all",
};
const RERUN: ImportRule = ImportRule {
    id: "rerun",
    effect: Effect::Noted,
    text: "a run that was stopped to be run again: read as a job of its own, like the run after it",
};
const ARRAY_PARENT: ImportRule = ImportRule {
    id: "array_parent",
    effect: Effect::Noted,
    text: "the record of a whole array: its jobs have records of their own",
};

fn open(start: &FirstBytes<'_>) -> Option<Box<dyn Reading>> {
    let is_record = |line: &str| {
        let mut parts = line.splitn(4, ';');
        let (time, kind) = (parts.next()?, parts.next()?);
        let shape: String = time
            .bytes()
            .map(|byte| {
                if byte.is_ascii_digit() {
                    '0'
                } else {
                    char::from(byte)
                }
            })
            .collect();
        let is_good = shape.starts_with("00/00/0000 00:00:00") && matches!(kind.len(), 1 | 2);
        is_good.then_some(())
    };
    start.lines().take(3).find_map(is_record)?;
    Some(Box::new(LineReader::new(Pbs)))
}

#[derive(Debug)]
struct Pbs;

impl Rows for Pbs {
    const NAME: &'static str = "PBS or Torque (accounting)";

    fn row(&mut self, line: &str, number: u64, builder: &mut Builder) -> Result<bool, Problem> {
        let mut parts = line.splitn(4, ';');
        let (Some(_), Some(kind), Some(id)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(bad_value(
                number,
                "record",
                line,
                "A record is date, type, id and message, with semicolons between them.",
            ));
        };
        if !matches!(kind, "E" | "R") {
            builder.count(&OTHER_RECORD, number);
            return Ok(true);
        }
        let mut row = LogRow {
            line: number,
            ..LogRow::default()
        };
        let digits_end = id
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(id.len());
        let Some(of_id) = digits(&id[..digits_end]) else {
            return Err(bad_value(number, "id", id, "An id begins with a number."));
        };
        row.number = of_id;
        if let Some(rest) = id[digits_end..].strip_prefix('[') {
            let task = rest.split(']').next().unwrap_or_default();
            if task.is_empty() {
                builder.count(&ARRAY_PARENT, number);
                return Ok(true);
            }
            row.task = digits(task);
        }
        read(parts.next().unwrap_or_default(), number, &mut row)?;
        if kind == "R" {
            if row.start.is_none() || row.end.is_none() {
                builder.count(&OTHER_RECORD, number);
                return Ok(true);
            }
            builder.count(&RERUN, number);
            row.state = EndState::Failed;
        }
        builder.push(&row);
        Ok(true)
    }
}

/// Splits a message into keys and values. A value reaches to the last space before the next key, so
/// it may hold spaces.
fn pairs(message: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_key = |word: &str| {
        word.split_once('=').is_some_and(|(key, _)| {
            !key.is_empty()
                && key
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
                && key.as_bytes()[0].is_ascii_alphabetic()
        })
    };
    let mut rest = message.trim();
    std::iter::from_fn(move || {
        let (key, value) = rest.split_once('=')?;
        let mut end = 0;
        loop {
            match value[end..].find(' ') {
                None => {
                    end = value.len();
                    break;
                }
                Some(space) => {
                    let next = value[end + space..].trim_start();
                    end += space;
                    if next.is_empty() || is_key(next.split(' ').next().unwrap_or_default()) {
                        break;
                    }
                    end += 1;
                }
            }
        }
        rest = value[end..].trim_start();
        Some((key.trim(), value[..end].trim()))
    })
}

/// Sizes in a message, which it tells in several ways.
#[derive(Default)]
struct Sizes {
    exec: Option<(i64, i64)>,
    selected: Option<(i64, i64)>,
    processors: Option<i64>,
    nodes: Option<i64>,
    gpus: Option<i64>,
    exit: Option<i64>,
}

fn read<'a>(message: &'a str, line: u64, row: &mut LogRow<'a>) -> Result<(), Problem> {
    let mut sizes = Sizes::default();
    let mut queued = None;
    for (key, value) in pairs(message) {
        let value = value.trim_matches('"');
        let time = || match instant(value) {
            Instant::Bad => Err(bad_value(line, key, value, "A time is seconds since 1970.")),
            known => Ok(known.seconds()),
        };
        match key {
            "user" => row.user = value,
            "group" => row.group = value,
            "account" | "project" if value != "_pbs_project_default" => row.account = value,
            "jobname" => row.name = value,
            "queue" => row.queue = value,
            "ctime" => row.submit = time()?,
            "qtime" => queued = time()?,
            "etime" | "eligible_time" if value.len() > 8 && !value.contains(':') => {
                row.eligible = time()?;
            }
            "start" => row.start = time()?,
            "end" => row.end = time()?,
            "exec_host" => sizes.exec = Some(hosts(value)),
            "exec_vnode" if sizes.exec.is_none() => sizes.selected = Some(vnodes(value)),
            "Resource_List.nodect" => sizes.nodes = count(value),
            "Resource_List.ncpus" => sizes.processors = count(value),
            "Resource_List.ngpus" | "Resource_List.gpus" => sizes.gpus = count(value),
            "Resource_List.nodes" | "Resource_List.neednodes" => {
                sizes.selected = sizes.selected.or(chunks(value, '+', "ppn"));
            }
            "Resource_List.select" => {
                sizes.selected = chunks(value, '+', "ncpus").or(sizes.selected);
            }
            "Resource_List.walltime" => row.limit = length(value).or_else(|| digits(value)),
            "Resource_List.mem" => row.memory = memory(value, 1.0 / 1024.0),
            "resources_used.walltime" => row.elapsed = length(value).or_else(|| digits(value)),
            "resources_used.mem" => row.used_memory = memory(value, 1.0 / 1024.0),
            "resources_used.cput" => row.cpu_time = length(value).map(|seconds| seconds as f64),
            "Exit_status" => sizes.exit = value.parse().ok(),
            "depend" | "Resource_List.depend" => row.dependency = value,
            _ => {}
        }
    }
    row.submit = row.submit.or(queued);
    row.processors = sizes.exec.map(|(all, _)| all).filter(|all| *all > 0);
    let chosen = sizes.selected.map(|(all, _)| all);
    row.requested = [sizes.processors, chosen].into_iter().flatten().max();
    row.nodes = sizes
        .exec
        .map(|(_, nodes)| nodes)
        .or(sizes.nodes)
        .or(sizes.selected.map(|(_, nodes)| nodes));
    row.gpus = sizes.gpus;
    row.state = match sizes.exit {
        Some(0) => EndState::Completed,
        // A job that a user deletes ends by SIGTERM or SIGKILL: 128 (Torque: 256) and the signal.
        Some(271 | 265 | 143 | 137) => EndState::Cancelled,
        Some(_) => EndState::Failed,
        None => EndState::Unknown,
    };
    Ok(())
}

/// Counts processors and nodes of `n1/0*8+n2/0-7+n3/1`.
fn hosts(value: &str) -> (i64, i64) {
    let mut processors = 0_i64;
    let (mut names, mut last) = (BTreeSet::new(), None);
    for part in value.split('+') {
        let (host, slots) = part.split_once('/').unwrap_or((part, "0"));
        // The slots of a host stand together.
        if last != Some(host) {
            last = Some(host);
            names.insert(host);
        }
        let of_part: i64 = match slots.split_once('*') {
            Some((_, times)) => digits(times).unwrap_or(1),
            None => slots
                .split(',')
                .map(|range| match range.split_once('-') {
                    Some((first, last)) => digits(last)
                        .zip(digits(first))
                        .map_or(1, |(last, first)| (last - first + 1).max(1)),
                    None => 1,
                })
                .sum(),
        };
        processors = processors.saturating_add(of_part);
    }
    (processors, names.len() as i64)
}

/// Counts processors and nodes of `(n1:ncpus=8:mem=4gb)+(n2:ncpus=8)`.
fn vnodes(value: &str) -> (i64, i64) {
    let processors = value
        .split("ncpus=")
        .skip(1)
        .filter_map(|rest| digits(rest.split([':', ')', '+']).next()?))
        .fold(0_i64, i64::saturating_add);
    let parts = value.split('+');
    let names = set(parts.filter_map(|part| part.trim_start_matches('(').split(':').next()));
    (processors, names.len() as i64)
}

/// Counts processors and chunks of `4:ppn=8` or `2:ncpus=16:mpiprocs=16+1:ncpus=4`. A chunk without
/// a number is one named host.
fn chunks(value: &str, plus: char, each: &str) -> Option<(i64, i64)> {
    let (mut processors, mut nodes) = (0_i64, 0_i64);
    for chunk in value.split(plus) {
        let mut parts = chunk.split(':');
        let first = parts.next()?;
        let count = digits(first).unwrap_or(1);
        let of_each = parts
            .chain([first])
            .find_map(|part| digits(part.strip_prefix(each)?.strip_prefix('=')?))
            .unwrap_or(1);
        processors = processors.saturating_add(count.saturating_mul(of_each));
        nodes = nodes.saturating_add(count);
    }
    (nodes > 0).then_some((processors, nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_counted() {
        assert_eq!(hosts("n1/7+n1/6+n2/1+n2/0"), (4, 2));
        assert_eq!(hosts("n1/0*8+n2/0*8"), (16, 2));
        assert_eq!(hosts("n1/0-7+n2/0,2-3"), (11, 2));
        assert_eq!(vnodes("(n1:ncpus=8:mem=4gb)+(n2:ncpus=4)"), (12, 2));
        assert_eq!(chunks("4:ppn=8", '+', "ppn"), Some((32, 4)));
        assert_eq!(
            chunks("2:ncpus=16:mpiprocs=16+1:ncpus=4", '+', "ncpus"),
            Some((36, 3))
        );
        assert_eq!(chunks("ncpus=4", '+', "ncpus"), Some((4, 1)));
        assert_eq!(chunks("host1:ppn=2", '+', "ppn"), Some((2, 1)));
    }

    #[test]
    fn values_may_hold_spaces() {
        let all: Vec<_> = pairs("user=me jobname=a b = c group=us x=").collect();
        assert_eq!(
            all,
            [
                ("user", "me"),
                ("jobname", "a b = c"),
                ("group", "us"),
                ("x", "")
            ]
        );
    }
}
