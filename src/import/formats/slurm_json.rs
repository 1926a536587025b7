//! Reads the JSON of `sacct --json` and `squeue --json`: an object with a list `jobs`.
//!
//! The jobs of a large cluster fill gigabytes, so the reader keeps one job at a time.

use super::slurm_words::{self as words, HETEROGENEOUS, NO_LIMIT, REQUEUED, TimeLimit};
use crate::import::rows::{Builder, EndState, FirstBytes, Format, LogRow, Reading};
use crate::limits::LOG_LINE_BYTES;
use crate::problem::Problem;
use crate::pulse::{Doing, beat, during};
use crate::trace::{Effect, ImportRule, Trace};
use serde_json::Value;

pub const FORMAT: Format = Format {
    id: "slurm_json",
    name: NAME,
    open,
};

const NAME: &str = "Slurm (JSON)";

const BAD_JOB: ImportRule = ImportRule {
    id: "bad_row",
    effect: Effect::Skipped,
    text: "not a row of this format: skipped",
};

const START_FROM_END: ImportRule = ImportRule {
    id: "start_from_end",
    effect: Effect::Repaired,
    text: "the start is the eligible time, too early for the run time (Slurm 21.08 and 22.05): the end less the run \
        time is the start",
};

fn open(start: &FirstBytes<'_>) -> Option<Box<dyn Reading>> {
    let text = start.text.trim_start();
    let is_jobs = text.starts_with('{') && text.contains("\"jobs\"");
    is_jobs.then(|| Box::new(JsonReader::default()) as Box<dyn Reading>)
}

/// Finds the objects in the list `jobs`, byte by byte.
#[derive(Debug, Default)]
struct JsonReader {
    builder: Builder,
    /// Bytes of the job that has begun.
    job: Vec<u8>,
    /// Depth of objects and lists.
    depth: u32,
    in_string: bool,
    is_escaped: bool,
    /// The string that was read last, outside of jobs: the key of what follows.
    key: Vec<u8>,
    /// The key of the object or list that is open, outside of jobs.
    outer: Vec<u8>,
    /// Digits of the number that is being read, outside of jobs.
    digits: Vec<u8>,
    /// True inside of the list `jobs`.
    in_jobs: bool,
    line: u64,
    /// The line on which the job began.
    begun: u64,
    first_bad: Option<Problem>,
}

/// The depth of a job: inside of the outer object and the list.
const JOB: u32 = 3;

impl JsonReader {
    fn byte(&mut self, byte: u8) -> Result<(), Problem> {
        self.line += u64::from(byte == b'\n');
        if self.depth >= JOB && self.in_jobs {
            self.job.push(byte);
            if self.job.len() > LOG_LINE_BYTES {
                return Err(self.problem("A job is longer than a row of a log may be."));
            }
        }
        if self.in_string {
            if self.is_escaped {
                self.is_escaped = false;
            } else if byte == b'\\' {
                self.is_escaped = true;
            } else if byte == b'"' {
                self.in_string = false;
            } else if self.depth < JOB && self.key.len() < 64 {
                self.key.push(byte);
            }
            return Ok(());
        }
        match byte {
            b'"' => {
                self.in_string = true;
                if self.depth < JOB {
                    self.key.clear();
                }
            }
            b'0'..=b'9' if self.depth < JOB && self.digits.len() < 20 => self.digits.push(byte),
            b'{' | b'[' => {
                if self.depth == 1 {
                    self.outer.clone_from(&self.key);
                }
                self.depth += 1;
                if self.depth > 200 {
                    return Err(self.problem("Objects and lists are nested too deeply."));
                }
                if self.depth == 2 && byte == b'[' && self.key == b"jobs" {
                    self.in_jobs = true;
                } else if self.depth == JOB && self.in_jobs {
                    self.job.clear();
                    self.job.push(byte);
                    self.begun = self.line + 1;
                }
            }
            b'}' | b']' => {
                self.end_number();
                if self.depth == JOB && self.in_jobs {
                    self.end_job();
                } else if self.depth == 2 {
                    self.in_jobs = false;
                }
                self.depth = self
                    .depth
                    .checked_sub(1)
                    .ok_or_else(|| self.problem("A bracket closes that was not open."))?;
            }
            b',' => self.end_number(),
            _ => {}
        }
        Ok(())
    }

    /// Takes the number that ends here, if it is the instant of the file. Newer versions wrap it as
    /// they wrap other numbers.
    fn end_number(&mut self) {
        if self.digits.is_empty() || self.depth >= JOB {
            return;
        }
        let digits = std::mem::take(&mut self.digits);
        let name: &[u8] = match (self.depth, &*self.key) {
            (1, key) => key,
            (2, b"number") => &self.outer,
            _ => return,
        };
        let number = str::from_utf8(&digits)
            .ok()
            .and_then(|all| all.parse().ok());
        if let Some(at) = number.filter(|_| name == b"last_update") {
            self.builder.written_at(at);
        }
    }

    fn problem(&self, why: &str) -> Problem {
        Problem::new(
            format!("Line {}: the file is no JSON of Slurm.", self.line + 1),
            why,
            "Write it again with `sacct --json` or `squeue --json`.",
        )
        .at_line(self.line + 1)
    }

    fn end_job(&mut self) {
        beat(8);
        let line = self.begun;
        let job = std::mem::take(&mut self.job);
        let text = str::from_utf8(&job).map_err(|error| error.to_string());
        let value = text.and_then(|text| serde_json::from_str(text).map_err(|e| e.to_string()));
        match value {
            Ok(value) => push(&value, line, &mut self.builder),
            Err(why) => {
                self.builder.count(&BAD_JOB, line);
                let problem = self.problem(&format!("A job cannot be read: {why}."));
                self.first_bad.get_or_insert(problem);
            }
        }
        self.job = job;
    }
}

impl Reading for JsonReader {
    fn push(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let jobs = self.builder.records() as u64;
        during(Doing::Reading { jobs }, || {
            bytes.iter().try_for_each(|byte| self.byte(*byte))
        })
    }

    fn keep_queue(&mut self) {
        self.builder.keep_queue();
    }

    fn records(&self) -> usize {
        self.builder.records()
    }

    fn finish(self: Box<Self>, name: &str) -> Result<Trace, Problem> {
        if self.depth > 0 && self.builder.records() == 0 {
            return Err(self.problem("The file ends before its last bracket."));
        }
        if self.builder.records() == 0
            && let Some(problem) = self.first_bad
        {
            return Err(problem);
        }
        let Self {
            mut builder,
            depth,
            line,
            ..
        } = *self;
        if depth > 0 {
            builder.count(&CUT_SHORT, line + 1);
        }
        builder.finish(name, NAME)
    }
}

const CUT_SHORT: ImportRule = ImportRule {
    id: "cut_short",
    effect: Effect::Skipped,
    text: "the file ends inside of a job: that job was skipped",
};

/// Returns the first of these members that is there. A dot goes into an object.
fn member<'a>(job: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| {
        let found = name
            .split('.')
            .try_fold(job, |value, part| value.get(part))?;
        (!found.is_null()).then_some(found)
    })
}

/// Returns a number, which newer versions wrap as `{"set": true, "infinite": false, "number": 7}`.
/// `None` if it is not set.
fn number(job: &Value, names: &[&str]) -> Option<i64> {
    let value = member(job, names)?;
    if let Some(wrapped) = value.get("number") {
        let is =
            |flag: &str, usual: bool| value.get(flag).and_then(Value::as_bool).unwrap_or(usual);
        return (is("set", true) && !is("infinite", false))
            .then(|| whole(wrapped))
            .flatten();
    }
    whole(value)
}

fn whole(value: &Value) -> Option<i64> {
    value
        .as_i64()
        .or_else(|| value.as_f64().map(|value| value as i64))
        .or_else(|| value.as_str()?.parse().ok())
}

fn text<'a>(job: &'a Value, names: &[&str]) -> &'a str {
    member(job, names)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Sums the counts of a kind of trackable resources, such as `{"type": "cpu", "count": 4}`.
fn tres(job: &Value, names: &[&str], kind: &str, of: &str) -> Option<i64> {
    let list = member(job, names)?.as_array()?;
    let mut all = None;
    let mut typed = None;
    for each in list.iter().filter(|each| text(each, &["type"]) == kind) {
        let name = text(each, &["name"]);
        let count = number(each, &["count"]);
        if name == of {
            all = count;
        } else if !of.is_empty() && name.starts_with(of) {
            typed = Some(typed.unwrap_or(0) + count.unwrap_or(0));
        }
    }
    all.or(typed)
}

/// The members with the megabytes of each node. `required.memory` of older versions may be those of a processor: the
/// flag that tells is cut off.
const NODE_MEMORY: [&str; 2] = ["required.memory_per_node", "memory_per_node"];

fn push(job: &Value, line: u64, builder: &mut Builder) {
    let Some(of_id) = number(job, &["job_id"]) else {
        return builder.count(&BAD_JOB, line);
    };
    // A time of 0 never came.
    let time = |names: &[&str]| number(job, names).filter(|seconds| *seconds > 0);
    builder.has_passed(time(&["last_sched_evaluation"]));
    // `squeue` writes resources as sacct does in a table.
    let asked = words::tres(text(job, &["tres_req_str"]));
    let given = words::tres(text(job, &["tres_alloc_str"]));
    let sum = |kind: &str| tres(job, &["tres.requested"], kind, "");
    let sums = words::Tres {
        processors: sum("cpu").or(asked.processors),
        nodes: sum("node").or(asked.nodes),
        gpus: None,
        memory: sum("mem")
            .map(|megabytes| megabytes as f64 * 1024.0)
            .or(asked.memory),
    };
    let mut row = LogRow {
        line,
        number: of_id,
        submit: time(&["time.submission", "submit_time"]),
        eligible: time(&["time.eligible", "eligible_time"]),
        start: time(&["time.start", "start_time"]),
        end: time(&["time.end", "end_time"]),
        elapsed: number(job, &["time.elapsed"]),
        processors: tres(job, &["tres.allocated"], "cpu", "").or_else(|| number(job, &["cpus"])),
        requested: number(job, &["required.CPUs"]).or(sums.processors),
        nodes: tres(job, &["tres.allocated"], "node", "")
            .or_else(|| number(job, &["allocation_nodes", "node_count"])),
        gpus: tres(job, &["tres.allocated"], "gres", "gpu")
            .or_else(|| tres(job, &["tres.requested"], "gres", "gpu"))
            .or(given.gpus)
            .or(asked.gpus),
        memory: tres(job, &["tres.requested", "tres.allocated"], "mem", "")
            .map(|megabytes| megabytes as f64 * 1024.0)
            .or(asked.memory),
        node_memory: number(job, &NODE_MEMORY)
            .and_then(|megabytes| megabytes.checked_mul(1024))
            .or_else(|| words::node_memory(&sums)),
        priority: number(job, &["priority"]),
        user: text(job, &["user", "association.user", "user_name"]),
        group: text(job, &["group", "group_name"]),
        account: text(job, &["account", "association.account"]),
        name: text(job, &["name"]),
        queue: text(job, &["partition", "association.partition"]),
        qos: text(job, &["qos"]),
        reason: text(job, &["state.reason", "state_reason"]),
        node_list: text(job, &["nodes"]),
        features: text(job, &["constraints", "features"]),
        reservation: text(job, &["reservation.name", "resv_name"]),
        dependency: text(job, &["dependency"]),
        tasks: 1,
        ..LogRow::default()
    };
    if row.dependency.is_empty() {
        row.dependency = words::dependency(text(job, &["submit_line"]));
    }
    if matches!(row.reason, "None" | "") {
        row.reason = "";
    }
    let array = number(job, &["array.job_id", "array_job_id"]).filter(|id| *id > 0);
    if array.is_some() {
        row.task = number(job, &["array.task_id", "array_task_id"]);
        let list = text(job, &["array.task", "array_task_string"]);
        if row.task.is_none() && !list.is_empty() {
            let told = || words::job_id(&format!("{of_id}_[{list}]")).map(|id| id.tasks);
            row.tasks = words::tasks_of_bits(list).or_else(told).unwrap_or(1);
        }
    }
    if number(job, &["het.job_id", "het_job_id"]).is_some_and(|id| id > 0) {
        builder.count(&HETEROGENEOUS, line);
    }
    let states = member(job, &["state.current", "job_state", "state"]);
    let word = match states {
        Some(Value::Array(all)) => all.first().and_then(Value::as_str),
        Some(other) => other.as_str(),
        None => None,
    };
    if let Some((state, is_requeued)) = word.and_then(words::state) {
        row.state = state;
        row.state_word = word.unwrap_or_default();
        if is_requeued {
            builder.count(&REQUEUED, line);
        }
    }
    // `squeue` expects a start for jobs that wait.
    if row.state_word == "PENDING" || row.node_list == "None assigned" {
        row.start = None;
        row.node_list = "";
    }
    let least = tres(job, &["tres.requested"], "node", "").or(asked.nodes);
    row.least_nodes = least.filter(|least| row.nodes.is_some_and(|nodes| *least < nodes));
    if row.least_nodes.is_some() {
        // The amount asked for counts the least number of nodes.
        let had =
            tres(job, &["tres.allocated"], "mem", "").map(|megabytes| megabytes as f64 * 1024.0);
        row.memory = had.or(given.memory).or(row.memory);
    }
    if row.state_word == "PENDING" {
        let most = number(job, &["max_nodes"]);
        (row.nodes, row.least_nodes) = words::nodes_of_waiting(least.or(row.nodes), most);
    }
    if let (Some(start), Some(end), Some(elapsed)) = (row.start, row.end, row.elapsed)
        && row.state != EndState::Alive
        && row.eligible == row.start
    {
        let suspended = number(job, &["time.suspended"]).unwrap_or(0);
        // No job runs for longer than the numbers reach.
        if let Some(ran) = elapsed.checked_add(suspended)
            && (0..end - start - 1).contains(&ran)
        {
            builder.count(&START_FROM_END, line);
            row.start = Some(end - ran);
        }
    }
    // The end of a job that runs is the one that Slurm expects.
    if row.state == EndState::Alive {
        row.end = None;
        row.elapsed = row.elapsed.or(time(&["last_sched_evaluation"])
            .zip(row.start)
            .map(|(now, start)| (now - start).max(0)));
    }
    match member(job, &["time.limit", "time_limit"]) {
        Some(limit) if limit.get("infinite").and_then(Value::as_bool) == Some(true) => {
            builder.count(&NO_LIMIT, line);
        }
        Some(Value::String(limit)) => match words::limit(limit) {
            TimeLimit::Seconds(seconds) => row.limit = Some(seconds),
            _ => builder.count(&NO_LIMIT, line),
        },
        Some(_) => {
            row.limit = number(job, &["time.limit", "time_limit"])
                .and_then(|minutes| minutes.checked_mul(60));
        }
        None => {}
    }
    builder.push(&row);
}
