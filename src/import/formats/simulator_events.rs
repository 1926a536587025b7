//! Reads the events of the Slurm simulator of the University at Buffalo: a line for each submission, with
//! the time, and the words of sbatch. Source: its tutorials (ubccr-slurm-simulator/slurm_sim_tools).

use super::slurm_words::{self as words, NO_LIMIT, TimeLimit};
use crate::import::rows::{
    BAD_ROW, Builder, EndState, FirstBytes, Format, LineReader, LogRow, Reading, Rows, bad_value,
    count, digits, memory,
};
use crate::problem::Problem;
use crate::trace::{Effect, ImportRule};

pub const FORMAT: Format = Format {
    id: "simulator_events",
    name: Events::NAME,
    open,
};

/// The event of a submission.
const SUBMISSION: &str = "submit_batch_job";

const OTHER_EVENT: ImportRule = ImportRule {
    id: "other_event",
    effect: Effect::Skipped,
    text: "an event that submits no job: skipped",
};

const TO_THE_LIMIT: ImportRule = ImportRule {
    id: "runs_to_its_limit",
    effect: Effect::Noted,
    text: "a negative run time stands for a job that runs until its time limit",
};

const OPTION_LEFT_OUT: ImportRule = ImportRule {
    id: "option_left_out",
    effect: Effect::Noted,
    text: "an option of sbatch that is not read",
};

fn open(start: &FirstBytes<'_>) -> Option<Box<dyn Reading>> {
    let mut lines = start.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let has = |word: &str| first.split_whitespace().any(|each| each == word);
    let is_event = first.starts_with('-') && has("-dt") && has("-e");
    is_event.then(|| Box::new(LineReader::new(Events)) as Box<dyn Reading>)
}

#[derive(Debug)]
struct Events;

/// The options of a line, each with its value.
struct Options<'a> {
    words: std::str::SplitWhitespace<'a>,
}

impl<'a> Iterator for Options<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        // A word that is no option is the script, or belongs to it.
        let word = self.words.find(|word| word.starts_with('-'))?;
        if let Some((key, value)) = word.split_once('=').filter(|_| word.starts_with("--")) {
            return Some((key, value));
        }
        // `-n4` is `-n 4`.
        if let Some((key, value)) = word.split_at_checked(2)
            && SHORT.contains(&key)
            && !value.is_empty()
            && !LONG.contains(&word)
        {
            return Some((key, value));
        }
        if word == "--exclusive" {
            // The next word may be the script.
            return Some((word, ""));
        }
        // Only a run time may begin with a sign. Any other such word is the next option.
        let mut after = self.words.clone();
        let value = after.next().filter(|value| {
            !value.starts_with('-') || word.trim_start_matches('-') == "sim-walltime"
        });
        if value.is_some() {
            self.words = after;
        }
        Some((word, value.unwrap_or_default()))
    }
}

/// Options of one letter that take a value, which may follow at once.
const SHORT: [&str; 10] = ["-J", "-A", "-p", "-q", "-C", "-d", "-t", "-n", "-c", "-N"];

/// Options of several letters after one hyphen.
const LONG: [&str; 3] = ["-dt", "-jid", "-sim-walltime"];

impl Rows for Events {
    const NAME: &'static str = "Slurm simulator (events)";

    fn row(&mut self, line: &str, number: u64, builder: &mut Builder) -> Result<bool, Problem> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(true);
        }
        let (event, asked) = line.split_once('|').unwrap_or((line, ""));
        let options = |text| Options {
            words: str::split_whitespace(text),
        };
        let find = |key| options(event).find(|(name, _)| *name == key);
        if find("-e").is_none_or(|(_, kind)| kind != SUBMISSION) {
            builder.count(&OTHER_EVENT, number);
            return Ok(true);
        }
        let (_, time) = find("-dt").unwrap_or_default();
        let bad = |key, value| {
            let why = "The event, its options, and their values are those of sbatch.";
            bad_value(number, key, value, why)
        };
        let mut row = LogRow {
            line: number,
            submit: Some(seconds(time).ok_or_else(|| bad("-dt", time))?),
            state: EndState::Unknown,
            ..LogRow::default()
        };
        let mut asks = SubmittedSizes::default();
        let whole_nodes;
        let mut is_exclusive = false;
        for (key, value) in options(asked) {
            let whole = || digits(value).ok_or_else(|| bad(key, value));
            match key {
                "-J" | "--job-name" | "-jid" | "--jid" => {
                    row.number = digits(value.trim_start_matches("jobid_")).unwrap_or(0);
                }
                "-sim-walltime" | "--sim-walltime" => {
                    let run = value.strip_prefix('-').unwrap_or(value);
                    let run = seconds(run).ok_or_else(|| bad(key, value))?;
                    asks.run = Some(run).filter(|_| !value.starts_with('-'));
                    asks.is_to_limit = value.starts_with('-');
                }
                "--uid" => row.user = value,
                "-A" | "--account" => row.account = value,
                "-p" | "--partition" => row.queue = value,
                "-q" | "--qos" => row.qos = value,
                "-C" | "--constraint" => row.features = value,
                "-d" | "--dependency" => row.dependency = value,
                "-t" | "--time" => match words::limit(value) {
                    TimeLimit::Seconds(limit) => row.limit = Some(limit),
                    TimeLimit::Unnumbered => builder.count(&NO_LIMIT, number),
                    TimeLimit::Unknown => {}
                    TimeLimit::Bad => return Err(bad(key, value)),
                },
                "-n" | "--ntasks" => asks.tasks = Some(whole()?),
                "-c" | "--cpus-per-task" => asks.each = Some(whole()?),
                "--ntasks-per-node" => asks.on_a_node = Some(whole()?),
                "-N" | "--nodes" => {
                    let least = value.split('-').next().unwrap_or_default();
                    asks.nodes = Some(count(least).ok_or_else(|| bad(key, value))?);
                }
                "--mem" => asks.memory = Some(kilobytes(value).ok_or_else(|| bad(key, value))?),
                "--mem-per-cpu" => {
                    asks.cpu_memory = Some(kilobytes(value).ok_or_else(|| bad(key, value))?);
                }
                "--gres" | "--gpus-per-node" => asks.gpus = gpus(value),
                "--exclusive" if value.is_empty() => is_exclusive = true,
                _ => builder.count(&OPTION_LEFT_OUT, number),
            }
        }
        if is_exclusive {
            // The word of archives for whole nodes, behind the features.
            whole_nodes = format!("{}:excl", row.features);
            row.features = &whole_nodes;
        }
        asks.give(&mut row);
        if asks.is_to_limit {
            builder.count(&TO_THE_LIMIT, number);
            row.elapsed = row.limit;
        }
        if row.elapsed.is_none() {
            builder.count(&BAD_ROW, number);
            return Ok(true);
        }
        builder.as_workload();
        builder.push(&row);
        Ok(true)
    }
}

/// The sizes that sbatch is asked for.
#[derive(Debug, Default)]
struct SubmittedSizes {
    tasks: Option<i64>,
    each: Option<i64>,
    on_a_node: Option<i64>,
    nodes: Option<i64>,
    /// Kilobytes of a node, and of a CPU.
    memory: Option<f64>,
    cpu_memory: Option<f64>,
    /// GPUs of a node.
    gpus: Option<i64>,
    run: Option<i64>,
    is_to_limit: bool,
}

impl SubmittedSizes {
    /// Gives a row the sizes. Without `-N`, tasks on a node say how many nodes the job needs.
    fn give(&self, row: &mut LogRow<'_>) {
        let of_tasks = |on_a_node: i64| self.tasks.map(|tasks| ceil(tasks, on_a_node));
        row.nodes = self
            .nodes
            .or_else(|| of_tasks(self.on_a_node.filter(|count| *count > 0)?));
        let nodes = row.nodes.unwrap_or(1);
        let tasks = self
            .tasks
            .unwrap_or_else(|| nodes.saturating_mul(self.on_a_node.unwrap_or(1)));
        let cpus = tasks.saturating_mul(self.each.unwrap_or(1));
        row.requested = Some(cpus);
        row.processors = Some(cpus);
        let of_nodes = self.memory.map(|memory| memory * nodes as f64);
        row.memory = of_nodes.or(self.cpu_memory.map(|memory| memory * cpus as f64));
        row.node_memory = self.memory.map(|memory| memory as i64);
        row.gpus = self.gpus.map(|gpus| gpus.saturating_mul(nodes));
        row.elapsed = self.run;
    }
}

fn ceil(amount: i64, by: i64) -> i64 {
    amount / by + i64::from(amount % by != 0)
}

/// Reads seconds, with or without decimals, which are dropped.
fn seconds(word: &str) -> Option<i64> {
    let (whole, decimals) = word.split_once('.').unwrap_or((word, "0"));
    digits(decimals)?;
    digits(whole)
}

/// Reads an amount of memory. Megabytes are the unit of a plain number.
fn kilobytes(word: &str) -> Option<f64> {
    memory(word, 1024.0)
}

/// Reads the GPUs of `gpu:2`, `gpu:a100:2`, `gpu` or `2`.
fn gpus(word: &str) -> Option<i64> {
    words::gres(word).or_else(|| digits(word))
}
