//! One trace with what is known at an instant: the jobs of the queue, and the earlier jobs of the log.

use super::failure::ForecastFailure;
use super::left_out::{HELD, LeftOut, UNKNOWN};
use super::ratios::Belongings;
use super::standing::Standing;
use crate::limits;
use crate::problem::Problem;
use crate::pulse::beat;
use crate::trace::{
    Column, ColumnValues, Names, QUEUE_INSTANT, QUEUE_STATE, QUEUE_WAITS, Record, Records, Trace,
    UNKNOWN as UNKNOWN_NUMBER, Words,
};
use std::sync::Arc;

/// The limit, in seconds, of a job without one if no job has ended.
const DAY: i64 = 86_400;

/// Reasons for which a waiting job cannot start by itself.
const HELD_FOR: [&str; 5] = [
    "JobHeldUser",
    "JobHeldAdmin",
    "BeginTime",
    "Dependency",
    "DependencyNeverSatisfied",
];

/// A record of the joined trace.
#[derive(Copy, Clone, Debug)]
pub struct KnownRecord {
    /// Index of its record in the trace of the queue; `None` for a record of another log.
    pub record: Option<u32>,
    /// State of its job at the instant.
    pub standing: Standing,
    /// True if the job is a part of the log, from which run times and arrivals are drawn.
    pub is_past: bool,
    /// The limit, in seconds.
    pub limit: i64,
    /// True if the log tells the limit.
    pub has_limit: bool,
    /// The submission, in seconds after the zero of the queue's trace.
    pub submit: i64,
}

/// The knowledge at an instant.
pub struct Joined {
    /// The trace. Its records say nothing that is not known at the instant, and run until their limits.
    pub trace: Trace,
    /// The knowledge about each record.
    pub known: Vec<KnownRecord>,
    /// The instant, in seconds after the zero of the queue's trace.
    pub at: i64,
    /// The jobs that take no part.
    pub left_out: LeftOut,
}

/// A trace of which records are taken.
struct Part<'a> {
    trace: &'a Trace,
    /// The seconds that are added to its times.
    shift: i64,
    /// The indices of the records that are taken.
    taken: Vec<usize>,
}

/// Returns the column with the states of a queue.
pub fn states(trace: &Trace) -> impl Fn(usize) -> i64 {
    let column = trace.column(QUEUE_STATE);
    move |at| column.and_then(|column| column.number(at)).unwrap_or(0)
}

/// Joins a queue with the log before it. Without a log, the queue's trace is the log.
///
/// # Errors
/// Fails if the two traces cannot be brought to one zero, or if too many jobs run or wait.
pub fn joined(queue: &Trace, log: Option<&Trace>, at: i64) -> Result<Joined, ForecastFailure> {
    let shift = log.map_or(Ok(0), |log| shift(queue, log))?;
    let mut left_out = LeftOut::default();
    let mut known = Vec::new();
    let own = take_queue(queue, log.is_none(), at, &mut known, &mut left_out)?;
    let mut parts = vec![own];
    if let Some(log) = log {
        parts.push(take_log(log, shift, at, &mut known));
    }
    let longest = known.iter().filter_map(|one| match one.standing {
        Standing::Ended { run_time, .. } if one.is_past => Some(run_time.max(1)),
        _ => None,
    });
    let unlimited = longest.max().unwrap_or(DAY);
    for one in &mut known {
        if !one.has_limit {
            one.limit = unlimited;
        }
    }
    let trace = trace(&parts, &known);
    Ok(Joined {
        trace,
        known,
        at,
        left_out,
    })
}

/// Returns the seconds to add to the times of the log.
fn shift(queue: &Trace, log: &Trace) -> Result<i64, Problem> {
    let zero = |trace: &Trace| {
        trace.unix_start().ok_or_else(|| {
            Problem::new(
                format!("{} does not tell the date of its zero.", trace.name),
                "A queue and another log are brought to one time by `UnixStartTime`.",
                "Give a log with dates, or one file with both the queue and the jobs before it.",
            )
        })
    };
    Ok(zero(log)? - zero(queue)?)
}

fn take_queue<'a>(
    queue: &'a Trace,
    is_log: bool,
    at: i64,
    known: &mut Vec<KnownRecord>,
    left_out: &mut LeftOut,
) -> Result<Part<'a>, ForecastFailure> {
    let state = states(queue);
    let reasons = queue.column("reason");
    let mut taken = Vec::new();
    let mut present = 0;
    for (index, record) in queue.records.iter().enumerate() {
        beat(64);
        let standing = Standing::of(record, state(index), at);
        let is_held = || {
            let reason = reasons.and_then(|column| column.word(index));
            state(index) == QUEUE_WAITS && reason.is_some_and(|word| HELD_FOR.contains(&word))
        };
        match standing {
            Standing::Unknown => {
                left_out.count(&UNKNOWN, record.number);
                continue;
            }
            Standing::Waits if is_held() => {
                left_out.count(&HELD, record.number);
                continue;
            }
            Standing::Waits | Standing::Runs(_) => present += 1,
            Standing::Ended { .. } if is_log => {}
            Standing::Ended { .. } | Standing::Later | Standing::Left => continue,
        }
        taken.push(index);
        known.push(KnownRecord {
            record: Some(index as u32),
            standing,
            is_past: is_log,
            limit: record.requested_time,
            has_limit: record.requested_time > 0,
            submit: record.submit,
        });
    }
    let what = "The queue at the instant of the forecast";
    ForecastFailure::check_limit(what, present, limits::FORECAST_JOBS, "jobs")?;
    Ok(Part {
        trace: queue,
        shift: 0,
        taken,
    })
}

fn take_log<'a>(log: &'a Trace, shift: i64, at: i64, known: &mut Vec<KnownRecord>) -> Part<'a> {
    let state = states(log);
    let mut taken = Vec::new();
    for (index, record) in log.records.iter().enumerate() {
        beat(64);
        let standing = Standing::of(record, state(index), at.saturating_sub(shift));
        let standing = match standing {
            Standing::Waits => standing,
            Standing::Ended { run_time, end } => Standing::Ended {
                run_time,
                end: end + shift,
            },
            Standing::Runs(start) => Standing::Runs(start + shift),
            Standing::Later | Standing::Left | Standing::Unknown => continue,
        };
        taken.push(index);
        known.push(KnownRecord {
            record: None,
            standing,
            is_past: true,
            limit: record.requested_time,
            has_limit: record.requested_time > 0,
            submit: record.submit + shift,
        });
    }
    Part {
        trace: log,
        shift,
        taken,
    }
}

impl KnownRecord {
    /// True if the job runs or waits in the queue, and not only in the log.
    pub const fn is_present(&self) -> bool {
        self.record.is_some() && matches!(self.standing, Standing::Waits | Standing::Runs(_))
    }
}

impl Joined {
    /// Returns the user, the account and the partition of a record of a joined trace.
    pub fn belongings_in(trace: &Trace, at: usize) -> Belongings {
        let record = trace.records.get(at);
        let known = |number: i32| (number >= 0).then_some(i64::from(number));
        let account = match trace.column("account").map(|column| &column.values) {
            Some(ColumnValues::Words { numbers, .. }) => {
                let number = numbers.get(at).copied().unwrap_or(0);
                (number > 0).then_some(i64::from(number))
            }
            _ => known(record.group),
        };
        [known(record.user), account, known(record.queue)]
    }
}

/// Returns the trace of all parts.
fn trace(parts: &[Part<'_>], known: &[KnownRecord]) -> Trace {
    let mut names = Names::default();
    let mut records = Records::default();
    let mut known = known.iter();
    let is_one = parts.len() == 1;
    if is_one {
        names = parts[0].trace.names.clone();
    }
    let has_names = |words: fn(&Names) -> &Words| {
        parts
            .iter()
            .any(|part| !words(&part.trace.names).is_empty())
    };
    let has_word = [
        has_names(|names| &names.users),
        has_names(|names| &names.groups),
        has_names(|names| &names.applications),
        has_names(|names| &names.queues),
    ];
    for part in parts {
        let old = &part.trace.names;
        for index in &part.taken {
            beat(128);
            let Some(one) = known.next() else {
                continue;
            };
            let mut record = blind(part.trace.records.get(*index), one);
            record.submit += part.shift;
            if !is_one {
                renamed(&mut record.user, has_word[0], &old.users, &mut names.users);
                renamed(
                    &mut record.group,
                    has_word[1],
                    &old.groups,
                    &mut names.groups,
                );
                let application = &mut record.application;
                renamed(
                    application,
                    has_word[2],
                    &old.applications,
                    &mut names.applications,
                );
                renamed(
                    &mut record.queue,
                    has_word[3],
                    &old.queues,
                    &mut names.queues,
                );
                renamed(
                    &mut record.partition,
                    has_word[3],
                    &old.queues,
                    &mut names.queues,
                );
            }
            records.push(record);
        }
    }
    let mut header: Vec<String> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let is_of_first = |line: &&String| {
            at == 0 || !line.contains("UnixStartTime") && !line.contains(QUEUE_INSTANT)
        };
        header.extend(part.trace.header.iter().filter(is_of_first).cloned());
    }
    let first = parts.first().map(|part| part.trace);
    Trace {
        name: first.map(|trace| trace.name.clone()).unwrap_or_default(),
        format: first.map(|trace| trace.format.clone()).unwrap_or_default(),
        sha256: first.map(|trace| trace.sha256.clone()).unwrap_or_default(),
        header,
        records,
        names,
        columns: columns(parts),
        ..Trace::default()
    }
}

/// Returns a record without what is not known at the instant. Its run time is its limit.
fn blind(record: &Record, known: &KnownRecord) -> Record {
    let has_ended = matches!(known.standing, Standing::Ended { .. });
    Record {
        wait: match known.standing {
            Standing::Runs(_) => record.wait,
            _ => -1,
        },
        run_time: known.limit,
        requested_time: known.limit,
        cpu_time: -1.0,
        used_memory: if has_ended { record.used_memory } else { -1.0 },
        // A part of a job is left out where the whole job is told.
        status: if (2..=4).contains(&record.status) {
            record.status
        } else {
            1
        },
        ..*record
    }
}

/// Gives a name its number among the names of all parts. A number without a name is its own name.
fn renamed(number: &mut i32, is_named: bool, old: &Words, new: &mut Words) {
    if !is_named || *number < 0 {
        return;
    }
    let name = old.get(*number as u32);
    *number = match name {
        Some(name) => new.number(name) as i32,
        None => new.number(&number.to_string()) as i32,
    };
}

/// Returns the columns of all parts, of which each can lack some.
fn columns(parts: &[Part<'_>]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    let mut before = 0;
    for part in parts {
        for column in &part.trace.columns {
            beat(64 * part.taken.len());
            let place = columns.iter().position(|known| known.id == column.id);
            let place = place.unwrap_or_else(|| {
                columns.push(Column {
                    id: column.id.clone(),
                    name: column.name.clone(),
                    values: match column.values {
                        ColumnValues::Numbers(_) => ColumnValues::Numbers(Vec::new()),
                        ColumnValues::Words { .. } => ColumnValues::Words {
                            words: Words::default(),
                            numbers: Vec::new(),
                        },
                    },
                });
                columns.len() - 1
            });
            let shift = if column.id == "eligible" {
                part.shift
            } else {
                0
            };
            match &mut columns[place].values {
                ColumnValues::Numbers(numbers) => {
                    numbers.resize(before, UNKNOWN_NUMBER);
                    let number = |at: &usize| column.number(*at).map(|number| number + shift);
                    let values = part.taken.iter().map(number);
                    numbers.extend(values.map(|number| number.unwrap_or(UNKNOWN_NUMBER)));
                }
                ColumnValues::Words { words, numbers } => {
                    numbers.resize(before, 0);
                    for at in &part.taken {
                        numbers.push(column.word(*at).map_or(0, |word| words.number(word)));
                    }
                }
            }
        }
        before += part.taken.len();
    }
    columns
}

/// Returns the same trace with the records of the queue only, for the report on them.
pub fn present_only(joined: &Joined) -> Arc<Trace> {
    let taken = (0..joined.known.len()).filter(|at| joined.known[*at].is_present());
    let taken: Vec<usize> = taken.collect();
    let part = Part {
        trace: &joined.trace,
        shift: 0,
        taken,
    };
    let records = part.taken.iter().map(|at| *joined.trace.records.get(*at));
    Arc::new(Trace {
        name: joined.trace.name.clone(),
        header: joined.trace.header.clone(),
        names: joined.trace.names.clone(),
        records: records.collect(),
        columns: columns(&[part]),
        ..Trace::default()
    })
}
