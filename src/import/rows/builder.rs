//! Makes the records of a trace from the rows of an accounting log.
//!
//! A reader of a format says what a row means; the builder decides what becomes of it, under the
//! same rules for all formats.

use super::dependency::followed;
use crate::limits::{ARRAY_TASKS, WORDS_BYTES};
use crate::problem::Problem;
use crate::trace::{
    Column, ColumnValues, Effect, ImportRule, LONGEST_SECONDS, Names, QUEUE_INSTANT, QUEUE_LATEST,
    QUEUE_RUNS, QUEUE_STATE, QUEUE_WAITS, QUEUE_WRITTEN, Record, Records, Report, Trace, UNKNOWN,
    Words,
};

/// The state in which a job left the system.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum EndState {
    /// It completed.
    Completed,
    /// It failed, ran into a limit, or lost its nodes.
    Failed,
    /// A user or an administrator cancelled it.
    Cancelled,
    /// It has not ended: it waits or runs.
    Alive,
    /// The log does not say.
    #[default]
    Unknown,
}

impl EndState {
    /// Returns the status of the Standard Workload Format.
    const fn status(self) -> i32 {
        match self {
            Self::Completed => 1,
            Self::Failed => 0,
            Self::Cancelled => 5,
            Self::Alive | Self::Unknown => -1,
        }
    }
}

/// A row of an accounting log: a job, or one run of it. Instants are seconds since 1970.
#[derive(Clone, Debug, Default)]
pub struct LogRow<'a> {
    /// Line of the file, from 1.
    pub line: u64,
    /// The job's number.
    pub number: i64,
    /// Number of jobs that the row stands for: the tasks of an array that the log tells together.
    pub tasks: u64,
    /// The task of an array that the row is.
    pub task: Option<i64>,
    /// The instant of the submission.
    pub submit: Option<i64>,
    /// The instant from which the job could have started.
    pub eligible: Option<i64>,
    /// The instant of the start.
    pub start: Option<i64>,
    /// The instant of the end.
    pub end: Option<i64>,
    /// Seconds that the job ran, as the log tells them.
    pub elapsed: Option<i64>,
    /// Seconds that the job asked for.
    pub limit: Option<i64>,
    /// Processors that the job had.
    pub processors: Option<i64>,
    /// Processors that the job asked for.
    pub requested: Option<i64>,
    /// Nodes that the job had, or else asked for.
    pub nodes: Option<i64>,
    /// The least number of nodes that the job asked for, if it takes more of them too.
    pub least_nodes: Option<i64>,
    /// GPUs that the job had, or else asked for.
    pub gpus: Option<i64>,
    /// Memory that the job asked for, in kilobytes over all its nodes.
    pub memory: Option<f64>,
    /// Memory that the job asked for on each of its nodes, in kilobytes, if it asked for that.
    pub node_memory: Option<i64>,
    /// Memory that the job used, in kilobytes over all its nodes.
    pub used_memory: Option<f64>,
    /// Seconds of processors that the job used.
    pub cpu_time: Option<f64>,
    /// Priority when the job started.
    pub priority: Option<i64>,
    /// State of the job.
    pub state: EndState,
    /// State in the words of the log.
    pub state_word: &'a str,
    /// User who submitted the job.
    pub user: &'a str,
    /// Group of this user.
    pub group: &'a str,
    /// Account or project that pays.
    pub account: &'a str,
    /// Name of the job.
    pub name: &'a str,
    /// Queue or partition.
    pub queue: &'a str,
    /// Quality of service.
    pub qos: &'a str,
    /// Reason why the job waited.
    pub reason: &'a str,
    /// Nodes on which the job ran, in the log's notation.
    pub node_list: &'a str,
    /// Jobs that had to end before.
    pub dependency: &'a str,
    /// Features that the nodes must have.
    pub features: &'a str,
    /// The advance reservation for which the job asked.
    pub reservation: &'a str,
}

const NO_SUBMISSION: ImportRule = ImportRule {
    id: "submit_missing",
    effect: Effect::Skipped,
    text: "no time of submission, eligibility or start: skipped",
};
const OTHER_SUBMISSION: ImportRule = ImportRule {
    id: "submit_from_other_time",
    effect: Effect::Repaired,
    text: "no time of submission: the time from which the job was eligible, or its start, is used",
};
const START_FIRST: ImportRule = ImportRule {
    id: "start_before_submit",
    effect: Effect::Repaired,
    text: "started before it was submitted (its record was made later): submitted when it started",
};
const END_FIRST: ImportRule = ImportRule {
    id: "end_before_start",
    effect: Effect::Skipped,
    text: "ended before it started: skipped",
};
const OUT_OF_RANGE: ImportRule = ImportRule {
    id: "time_out_of_range",
    effect: Effect::Skipped,
    text: "a time after the year 2286, a length of more than 317 years, or a job number above \
        10,000,000,000: skipped",
};
const NUMBER_LEFT_OUT: ImportRule = ImportRule {
    id: "number_left_out",
    effect: Effect::Noted,
    text: "a memory or a processor time above 10,000,000,000 (kB or s a processor): left out",
};
const STILL_RUNNING: ImportRule = ImportRule {
    id: "still_running",
    effect: Effect::Repaired,
    text: "still running when the log was written: its run time so far is used",
};
const STILL_WAITING: ImportRule = ImportRule {
    id: "still_waiting",
    effect: Effect::Skipped,
    text: "still waiting when the log was written: skipped",
};
const SUSPENDED: ImportRule = ImportRule {
    id: "suspended",
    effect: Effect::Noted,
    text: "run time shorter than from start to end (suspended in between): the time from start to \
        end is used",
};
const NODES: ImportRule = ImportRule {
    id: "size_in_nodes",
    effect: Effect::Noted,
    text: "no number of processors: the number of nodes is the size",
};
const HELD: ImportRule = ImportRule {
    id: "eligible_later",
    effect: Effect::Noted,
    text: "eligible later than submitted (held, dependent on other jobs, or with a time of begin)",
};
const ARRAY_ROWS: ImportRule = ImportRule {
    id: "array_row",
    effect: Effect::Noted,
    text: "a row for several tasks of an array: read as one job for each task",
};
const ARRAY_TOO_LONG: ImportRule = ImportRule {
    id: "array_too_long",
    effect: Effect::Skipped,
    text: "a row for more than 10,000 tasks that ran: skipped",
};
const WORDS_LEFT_OUT: ImportRule = ImportRule {
    id: "words_left_out",
    effect: Effect::Noted,
    text: "names beyond 64 MiB in their column: left out",
};

/// The further columns, in the order of the page.
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
const WORDS: [(&str, &str); 8] = [
    ("account", "Account"),
    ("qos", "QOS"),
    ("state", "State"),
    ("reason", "Reason"),
    ("node_list", "Node list"),
    ("dependency", "Dependency"),
    ("features", "Features"),
    ("reservation", "Reservation"),
];

/// A trace that grows row by row.
#[derive(Debug, Default)]
pub struct Builder {
    records: Records,
    report: Report,
    names: Names,
    numbers: [Vec<i64>; NUMBERS.len()],
    words: [(Words, Vec<u32>); WORDS.len()],
    /// The first instant of the log.
    zero: Option<i64>,
    /// True if the jobs have not run yet: times count from the begin, and 0 is a run time.
    is_workload: bool,
    /// The jobs that have not ended and their instant, if they are kept.
    queue: Option<KeptQueue>,
}

/// The jobs that had not ended when the file was written.
#[derive(Debug, Default)]
struct KeptQueue {
    /// The state of each record.
    states: Vec<i64>,
    /// The instant that the file tells as its own, in seconds since 1970.
    written: Option<i64>,
    /// The latest instant that has passed.
    latest: Option<i64>,
}

impl Builder {
    /// Returns the number of records so far.
    pub fn records(&self) -> usize {
        self.records.len()
    }

    /// Keeps the jobs that have not ended.
    pub fn keep_queue(&mut self) {
        self.queue = Some(KeptQueue::default());
    }

    /// Tells the instant at which the file was written, in seconds since 1970.
    pub fn written_at(&mut self, at: i64) {
        if let Some(queue) = self.queue.as_mut().filter(|_| at > 0) {
            queue.written = queue.written.max(Some(at));
        }
    }

    /// Tells an instant that has passed, in seconds since 1970.
    pub fn has_passed(&mut self, at: Option<i64>) {
        if let Some(queue) = &mut self.queue {
            let known = at.filter(|at| (1..=LONGEST_SECONDS).contains(at));
            queue.latest = queue.latest.max(known);
        }
    }

    /// Counts a row that `rule` met.
    pub fn count(&mut self, rule: &ImportRule, line: u64) {
        self.report.count(rule, line);
    }

    /// Says that the jobs have not run yet: times count from the begin, and 0 is a run time.
    pub fn as_workload(&mut self) {
        self.is_workload = true;
    }

    /// Adds the jobs of a row, unless a rule leaves it out.
    pub fn push(&mut self, row: &LogRow<'_>) {
        let line = row.line;
        let Some(mut submit) = row.submit.or(row.eligible).or(row.start) else {
            return self.count(&NO_SUBMISSION, line);
        };
        let numbers = [
            Some(row.number),
            row.submit,
            row.eligible,
            row.start,
            row.end,
            row.elapsed,
        ];
        if numbers
            .iter()
            .flatten()
            .any(|number| *number > LONGEST_SECONDS)
        {
            return self.count(&OUT_OF_RANGE, line);
        }
        if row.submit.is_none() {
            self.count(&OTHER_SUBMISSION, line);
        }
        let waits = row.state == EndState::Alive && row.start.is_none();
        if waits && self.queue.is_none() {
            return self
                .report
                .count_many(&STILL_WAITING, row.tasks.max(1), line);
        }
        let mut run_time = -1;
        if let Some(start) = row.start {
            let between = row.end.map(|end| end - start);
            run_time = match (between, row.elapsed) {
                _ if row.state == EndState::Alive => {
                    if self.queue.is_none() {
                        self.count(&STILL_RUNNING, line);
                    }
                    row.elapsed.or(between).unwrap_or(-1)
                }
                (Some(between), _) if between < 0 => {
                    return self.count(&END_FIRST, line);
                }
                (Some(between), Some(elapsed)) if elapsed + 1 < between => {
                    self.count(&SUSPENDED, line);
                    between
                }
                (Some(between), _) => between,
                (None, elapsed) => elapsed.unwrap_or(-1),
            };
            if start < submit {
                self.count(&START_FIRST, line);
                submit = start;
            }
        } else if let Some(elapsed) = row
            .elapsed
            .filter(|elapsed| *elapsed > 0 || self.is_workload)
        {
            run_time = elapsed;
        }
        if row.eligible.is_some_and(|eligible| eligible > submit) {
            self.count(&HELD, line);
        }
        let tasks = row.tasks.max(1);
        if tasks > 1 {
            self.count(&ARRAY_ROWS, line);
            if tasks > ARRAY_TASKS {
                return self.report.count_many(&ARRAY_TOO_LONG, tasks, line);
            }
        }
        self.zero = Some(self.zero.map_or(submit, |zero| zero.min(submit)));
        let record = self.record(row, submit, run_time);
        // Reports of jobs that have not ended tell times to come.
        let is_past = row.state != EndState::Alive;
        for passed in [row.submit, row.start, row.end.filter(|_| is_past)] {
            self.has_passed(passed);
        }
        let state = match row.state {
            EndState::Alive if waits => QUEUE_WAITS,
            EndState::Alive => QUEUE_RUNS,
            _ => 0,
        };
        for _ in 0..tasks {
            self.records.push(record);
            if let Some(queue) = &mut self.queue {
                queue.states.push(state);
            }
            self.further(row);
        }
    }

    fn record(&mut self, row: &LogRow<'_>, submit: i64, run_time: i64) -> Record {
        let size = |count: Option<i64>| {
            count
                .filter(|count| *count > 0)
                .and_then(|count| i32::try_from(count).ok())
                .unwrap_or(-1)
        };
        let mut processors = size(row.processors);
        if processors < 0 && size(row.requested) < 0 && size(row.nodes) > 0 {
            processors = size(row.nodes);
            self.report.count(&NODES, row.line);
        }
        let line = row.line;
        let mut held = |value: f64| {
            if value > LONGEST_SECONDS as f64 {
                self.report.count(&NUMBER_LEFT_OUT, line);
                -1.0
            } else {
                value
            }
        };
        let mut share = |kilobytes: Option<f64>| {
            kilobytes.map_or(-1.0, |all| {
                let of = processors.max(size(row.requested)).max(1);
                held((all / f64::from(of)).round())
            })
        };
        let (used_memory, requested_memory) = (share(row.used_memory), share(row.memory));
        let cpu_time = held(row.cpu_time.unwrap_or(-1.0));
        let mut number = |words: &mut Words, word: &str| {
            if word.is_empty() {
                return -1;
            }
            let number = words.number_unless(words.bytes() > WORDS_BYTES, word);
            if number.is_none() {
                self.report.count(&WORDS_LEFT_OUT, line);
            }
            number.map_or(-1, |number| number as i32)
        };
        let names = &mut self.names;
        let queue = number(&mut names.queues, row.queue);
        let seconds = |value: Option<i64>| value.filter(|value| *value <= LONGEST_SECONDS);
        // A job that never ran waited until it left the queue.
        let is_over = run_time < 0 && row.state == EndState::Cancelled;
        let left = row.end.filter(|_| is_over);
        Record {
            number: row.number,
            submit,
            wait: row.start.or(left).map_or(-1, |at| (at - submit).max(0)),
            run_time,
            requested_time: seconds(row.limit).unwrap_or(-1),
            preceding: followed(row.dependency)
                .filter(|number| *number <= LONGEST_SECONDS)
                .unwrap_or(-1),
            think_time: -1,
            cpu_time,
            used_memory,
            requested_memory,
            allocated: processors,
            requested: size(row.requested),
            status: row.state.status(),
            user: number(&mut names.users, row.user),
            group: number(&mut names.groups, row.group),
            application: number(&mut names.applications, row.name),
            queue,
            partition: queue,
            line: u32::try_from(line).unwrap_or(u32::MAX),
        }
    }

    /// Adds the values of the further columns. A column begins with its first known value.
    fn further(&mut self, row: &LogRow<'_>) {
        let at = self.records.len() - 1;
        let numbers = [
            row.eligible,
            row.nodes,
            row.least_nodes,
            row.gpus,
            row.task,
            row.priority,
            row.memory.map(|kilobytes| kilobytes as i64),
            row.node_memory
                .filter(|kilobytes| (1..=LONGEST_SECONDS).contains(kilobytes)),
        ];
        for (values, value) in self.numbers.iter_mut().zip(numbers) {
            if value.is_some() || !values.is_empty() {
                values.resize(at, UNKNOWN);
                values.push(value.unwrap_or(UNKNOWN));
            }
        }
        let words = [
            row.account,
            row.qos,
            row.state_word,
            row.reason,
            row.node_list,
            row.dependency,
            row.features,
            row.reservation,
        ];
        for ((words, numbers), word) in self.words.iter_mut().zip(words) {
            if word.is_empty() && numbers.is_empty() {
                continue;
            }
            numbers.resize(at, 0);
            if word.is_empty() {
                numbers.push(0);
                continue;
            }
            let number = words.number_unless(words.bytes() > WORDS_BYTES, word);
            if number.is_none() {
                self.report.count(&WORDS_LEFT_OUT, row.line);
            }
            numbers.push(number.unwrap_or(0));
        }
    }

    /// Returns the trace. Its zero is the first submission.
    ///
    /// # Errors
    /// Returns a problem if no row became a job.
    pub fn finish(self, name: &str, format: &str) -> Result<Trace, Problem> {
        let Some(zero) = self.zero else {
            return Err(Problem::new(
                format!("The file is a log of {format}, but no row of it is a job."),
                self.report.rules.first().map_or_else(
                    || "It has no row for a job.".to_owned(),
                    |rule| format!("Row {}: {}.", rule.lines.first().unwrap_or(&0), rule.text),
                ),
                "Choose a log with jobs that have ended; docs/formats has the commands that write \
                    one.",
            ));
        };
        let mut header = vec![format!("; Note: from a log of {format}")];
        if !self.is_workload {
            header.push(format!("; UnixStartTime: {zero}"));
        }
        if let Some(queue) = &self.queue {
            let written = queue.written.map(|at| (at, QUEUE_WRITTEN));
            if let Some((at, rule)) = written.or(queue.latest.map(|at| (at, QUEUE_LATEST))) {
                header.push(format!("; {QUEUE_INSTANT}: {at} {rule}"));
            }
        }
        let records = self.records.shifted(zero);
        let len = records.len();
        let numbers = NUMBERS.iter().zip(self.numbers);
        let words = WORDS.iter().zip(self.words);
        let mut columns: Vec<Column> = numbers
            .filter(|(_, values)| !values.is_empty())
            .map(|((id, name), mut values)| {
                values.resize(len, UNKNOWN);
                if *id == "eligible" {
                    let known = values.iter_mut().filter(|value| **value != UNKNOWN);
                    known.for_each(|value| *value -= zero);
                }
                Column {
                    id: (*id).into(),
                    name: (*name).into(),
                    values: ColumnValues::Numbers(values),
                }
            })
            .collect();
        columns.extend(words.filter(|(_, (_, numbers))| !numbers.is_empty()).map(
            |((id, name), (words, mut numbers))| {
                numbers.resize(len, 0);
                Column {
                    id: (*id).into(),
                    name: (*name).into(),
                    values: ColumnValues::Words { words, numbers },
                }
            },
        ));
        columns.extend(self.queue.map(|queue| Column {
            id: QUEUE_STATE.into(),
            name: "State in the queue".into(),
            values: ColumnValues::Numbers(queue.states),
        }));
        let mut report = self.report;
        report.read = len as u64;
        Ok(Trace {
            name: name.into(),
            format: format.into(),
            header,
            records,
            report,
            names: self.names,
            columns,
            ..Trace::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a row for each word.
    fn read<'a>(words: &[&'a str], row: impl Fn(&'a str) -> LogRow<'a>) -> Trace {
        let mut builder = Builder::default();
        for (line, word) in (1..).zip(words) {
            builder.push(&LogRow {
                line,
                submit: Some(1),
                start: Some(1),
                end: Some(2),
                ..row(word)
            });
        }
        builder.finish("log", "a test").unwrap()
    }

    /// The first word has as many bytes as a column keeps: 64 MiB.
    #[test]
    fn names_beyond_the_limit_are_left_out_and_counted() {
        let long = "a".repeat(WORDS_BYTES);
        let words = [long.as_str(), "b", "c", "b"];
        let trace = read(&words, |name| LogRow {
            name,
            ..LogRow::default()
        });
        let names: Vec<i32> = trace
            .records
            .iter()
            .map(|record| record.application)
            .collect();
        // A word that has its place is known in later rows too.
        assert_eq!(names, [1, 2, -1, 2]);
        assert_eq!(trace.report.of(WORDS_LEFT_OUT.id), 1);
        drop(trace);
        // The further columns have the same limit.
        let trace = read(&words, |account| LogRow {
            account,
            ..LogRow::default()
        });
        let accounts = &trace.columns[0];
        assert_eq!((accounts.word(1), accounts.word(2)), (Some("b"), None));
        assert_eq!(trace.report.of(WORDS_LEFT_OUT.id), 1);
    }
}
