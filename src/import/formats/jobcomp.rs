//! Reads the file of `JobCompType=jobcomp/filetxt`: `JobId=1 UserId=me(1000) ...` in each line.

use super::slurm_words::{self as words, NO_LIMIT, REQUEUED, TimeLimit};
use crate::import::rows::{
    Builder, FirstBytes, Format, Instant, LineReader, LocalTimes, LogRow, Reading, Rows, Zone,
    bad_value, count, digits, instant,
};
use crate::problem::Problem;
use crate::trace::{Effect, ImportRule};

pub const FORMAT: Format = Format {
    id: "jobcomp",
    name: JobComp::NAME,
    open,
};

const LOCAL_TIMES: ImportRule = ImportRule {
    id: "times_without_zone",
    effect: Effect::Noted,
    text: "times without a zone: read as UTC",
};

fn open(start: &FirstBytes<'_>) -> Option<Box<dyn Reading>> {
    let first = start.lines().next()?;
    let is_row = first.starts_with("JobId=") && first.contains(" StartTime=");
    let zone = start.zone.cloned();
    is_row.then(|| Box::new(LineReader::new(JobComp { zone })) as Box<dyn Reading>)
}

#[derive(Debug)]
struct JobComp {
    /// The zone of times that tell none, if it is given.
    zone: Option<Zone>,
}

impl Rows for JobComp {
    const NAME: &'static str = "Slurm (jobcomp)";

    fn row(&mut self, line: &str, number: u64, builder: &mut Builder) -> Result<bool, Problem> {
        let mut row = LogRow {
            line: number,
            ..LogRow::default()
        };
        let mut local = LocalTimes::default();
        for (key, value) in words_of(line) {
            let mut time = || match instant(value) {
                Instant::Bad => Err(bad_value(
                    number,
                    key,
                    value,
                    "A time is seconds since 1970 or like 2024-05-06T07:08:09.",
                )),
                Instant::Local(seconds) => Ok(Some(local.take(seconds, self.zone.as_ref()))),
                known => Ok(known.seconds()),
            };
            match key {
                "JobId" => {
                    let id = words::job_id(value).ok_or_else(|| {
                        bad_value(number, key, value, "The id of a job is a number.")
                    })?;
                    (row.number, row.task) = (id.number, id.task);
                }
                "UserId" => row.user = value.split('(').next().unwrap_or(value),
                "GroupId" => row.group = value.split('(').next().unwrap_or(value),
                "Name" => row.name = value,
                "JobState" => {
                    let (state, is_requeued) = words::state(value).ok_or_else(|| {
                        bad_value(number, key, value, "A state is like COMPLETED.")
                    })?;
                    (row.state, row.state_word) = (state, value);
                    if is_requeued {
                        builder.count(&REQUEUED, number);
                    }
                }
                "Partition" => row.queue = value,
                "TimeLimit" => match words::limit(value) {
                    TimeLimit::Seconds(seconds) => row.limit = Some(seconds),
                    TimeLimit::Unnumbered => builder.count(&NO_LIMIT, number),
                    TimeLimit::Unknown | TimeLimit::Bad => {}
                },
                "SubmitTime" => row.submit = time()?,
                "EligibleTime" => row.eligible = time()?,
                "StartTime" => row.start = time()?,
                "EndTime" => row.end = time()?,
                "NodeList" if value != "(null)" => row.node_list = value,
                "NodeCnt" => row.nodes = count(value).filter(|nodes| *nodes > 0),
                "ProcCnt" => row.processors = digits(value),
                "Account" => row.account = value,
                "QOS" => row.qos = value,
                "Tres" => {
                    let tres = words::tres(value);
                    (row.gpus, row.memory) = (tres.gpus, tres.memory);
                    row.processors = row.processors.or(tres.processors);
                }
                _ => {}
            }
        }
        local.count(self.zone.as_ref(), &LOCAL_TIMES, number, builder);
        row.requested = row.processors;
        // A job that was cancelled while it waited has no nodes.
        if row.nodes.is_none() && row.node_list.is_empty() {
            row.start = None;
        }
        builder.push(&row);
        Ok(true)
    }
}

/// Splits a row into keys and values. A value may hold spaces.
fn words_of(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = line.trim();
    std::iter::from_fn(move || {
        let (key, value) = rest.split_once('=')?;
        let is_key = |word: &str| {
            word.split_once('=').is_some_and(|(key, _)| {
                !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic())
            })
        };
        let mut end = 0;
        let end = loop {
            match value[end..].find(' ') {
                None => break value.len(),
                Some(space) => {
                    let next = value[end + space..].trim_start();
                    end += space;
                    if is_key(next.split(' ').next().unwrap_or_default()) {
                        break end;
                    }
                    end += 1;
                }
            }
        };
        rest = value[end..].trim_start();
        Some((key, value[..end].trim()))
    })
}
