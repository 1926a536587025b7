//! Recordings of a real slurmctld, and runs of the controller on their workloads.

use schedscope::slurm::{
    ArrayAsked, AskedJob, ClockFigures, Controller, DependencyAsked, DependencyKind, JobState,
    MemoryAsked, NodeReservation, NodeSet, NodesAsked, PreemptedJob, SlurmAccounts, SlurmClock,
    SlurmConf, megabytes, minutes,
};
use schedscope::time::{Span, Time};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

pub type Row = BTreeMap<String, String>;

/// The number of a job in its workload, its task, and the number of its earlier runs.
pub type Key = (u64, Option<u32>, u32);

/// The number of suspensions in an end that comes at a recorded instant, however often the job was suspended: its
/// last process can have ended as the controller suspended it.
const ANY: u32 = u32::MAX;

/// Microseconds from the call of sbatch until the job is known.
const SUBMIT_DELAY: i64 = 3_500;
/// Microseconds from the start of the recorded controller to the start of the workload.
const BEFORE: i64 = 4_550_000;
/// The same with slurmdbd.
const BEFORE_WITH_ACCOUNTS: i64 = 4_930_000;
/// Microseconds by which a line of the log comes after the submission.
const LOG_LATE: i64 = 500;

pub fn rows(path: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(path).unwrap_or_else(|error| panic!("{error}"));
    let heads = reader.headers().unwrap().clone();
    let row = |record: csv::StringRecord| -> Row {
        let cells = heads.iter().zip(record.iter());
        let cells = cells.filter(|(_, cell)| !cell.is_empty());
        cells
            .map(|(head, cell)| (head.to_owned(), cell.to_owned()))
            .collect()
    };
    reader.records().map(|one| row(one.unwrap())).collect()
}

pub fn micros(text: &str) -> i64 {
    (text.parse::<f64>().unwrap() * 1e6).round() as i64
}

/// A recording: times in microseconds.
pub struct Recording {
    pub conf: SlurmConf,
    pub accounts: SlurmAccounts,
    pub jobs: Vec<Row>,
    pub reservations: Vec<NodeReservation>,
    /// Passes of each kind, after the start of the workload.
    pub passes: Vec<(String, i64)>,
    pub life: BTreeMap<Key, Life>,
    /// The nodes of preempted jobs and when they were clean, by job and task.
    pub cleanings: BTreeMap<(u64, Option<u32>), Vec<Cleaning>>,
    /// The suspensions of each job: beginning and end of each.
    pub suspensions: BTreeMap<u64, Vec<(i64, i64)>>,
    /// True if only the recording tells how long the jobs ran.
    pub has_steps: bool,
    /// The reasons for which jobs waited: time, job and word.
    pub reasons: Vec<(i64, u64, String)>,
    /// Instants since 1970: `t0`, `controller`, and `submit` with the number of a job.
    pub phase: BTreeMap<String, i64>,
    pub figures: ClockFigures,
}

/// An instant at which a node was clean, and the name of the node.
pub type Cleaning = (i64, String);

pub struct Life {
    pub started: i64,
    pub done: Option<i64>,
    pub is_backfilled: bool,
    pub nodes: Option<String>,
}

impl Recording {
    /// Reads a workload and its configuration, without a recording.
    pub fn workload(conf: &Path, jobs: &Path) -> Self {
        let text = std::fs::read_to_string(conf).unwrap();
        let mut jobs = rows(jobs);
        jobs.sort_by_key(|row| micros(&row["submit"]));
        Self {
            conf: SlurmConf::read(&text).unwrap_or_else(|problem| panic!("{problem}")),
            accounts: SlurmAccounts::default(),
            jobs,
            reservations: Vec::new(),
            passes: Vec::new(),
            life: BTreeMap::new(),
            cleanings: BTreeMap::new(),
            suspensions: BTreeMap::new(),
            has_steps: false,
            reasons: Vec::new(),
            phase: BTreeMap::new(),
            figures: ClockFigures::default(),
        }
    }

    /// Reads a recording: `path` gives the path of each of its files.
    pub fn read(path: &dyn Fn(&str) -> std::path::PathBuf) -> Self {
        let mut all = Self::workload(&path("conf"), &path("jobs"));
        if let Ok(text) = std::fs::read_to_string(path("accounts")) {
            all.accounts = SlurmAccounts::read(&text).unwrap_or_else(|problem| panic!("{problem}"));
        }
        if path("reasons").exists() {
            for row in rows(&path("reasons")) {
                let job = row["job"].parse().unwrap();
                let look = (micros(&row["at"]), job, row["reason"].clone());
                all.reasons.push(look);
            }
        }
        if path("reservations").exists() {
            for row in rows(&path("reservations")) {
                all.reservations.push(reservation(&all.conf, &row));
            }
        }
        if path("cleanings").exists() {
            for row in rows(&path("cleanings")) {
                let task = row.get("task").map(|task| task.parse().unwrap());
                let key = (row["job"].parse().unwrap(), task);
                let known = all.cleanings.entry(key).or_default();
                known.push((micros(&row["at"]), row["node"].clone()));
            }
        }
        all.has_steps = path("suspensions").exists();
        if all.has_steps {
            for row in rows(&path("suspensions")) {
                let known = all.suspensions.entry(row["job"].parse().unwrap());
                let period = (micros(&row["from"]), micros(&row["to"]));
                known.or_default().push(period);
            }
        }
        for row in rows(&path("passes")) {
            all.passes.push((row["pass"].clone(), micros(&row["at"])));
        }
        for row in rows(&path("phase")) {
            let what = row["what"].replace(' ', "");
            let what = if what == "ctld" {
                "controller".to_owned()
            } else {
                what
            };
            all.phase.insert(what, micros(&row["epoch"]));
        }
        let outs = rows(&path("nodes"));
        // Ids count submissions and splits of arrays; the order of arrays and jobs is that of submission.
        let owner = |row: &Row| -> u32 {
            let array = row.get("array").and_then(|array| array.split_once('_'));
            array
                .map_or(row["id"].as_str(), |(id, _)| id)
                .parse()
                .unwrap()
        };
        let owners: std::collections::BTreeSet<u32> = outs.iter().map(owner).collect();
        let order: BTreeMap<u32, u64> = owners.into_iter().zip(1..).collect();
        let mut nodes = BTreeMap::new();
        for row in &outs {
            let array = row.get("array").and_then(|array| array.split_once('_'));
            let task = array.map(|(_, task)| task.parse::<u32>().unwrap());
            let list = row.get("node_list").cloned().unwrap_or_default();
            nodes.insert((order[&owner(row)], task), list);
        }
        for row in rows(&path("life")) {
            let (Some(job), Some(started)) = (row.get("job"), row.get("started")) else {
                continue;
            };
            let task = row.get("task").map(|task| task.parse().unwrap());
            let job = job.parse().unwrap();
            let earlier = all.life.range((job, task, 0)..=(job, task, u32::MAX));
            let key = (job, task, earlier.count() as u32);
            let of_run = row.get("nodes").cloned();
            let life = Life {
                started: micros(started),
                done: row.get("done").map(|done| micros(done)),
                nodes: of_run.or_else(|| nodes.get(&(job, task)).cloned()),
                is_backfilled: row.get("by").is_some_and(|by| by != "main"),
            };
            all.life.insert(key, life);
        }
        all
    }

    /// Returns the microseconds between two computations of all priorities, if there are any.
    fn period(&self) -> Option<i64> {
        let fact = |name: &str| self.conf.facts.iter().find(|fact| fact.keyword == name);
        fact("AccountingStorageType")?;
        let period = fact("PriorityCalcPeriod").map_or("5", |fact| &fact.value);
        Some(minutes(period).unwrap() * 60_000_000)
    }

    /// Returns the seconds from the start of the workload to a job's submission.
    pub fn submitted(&self, job: u64) -> f64 {
        let start = self.phase["t0"];
        let at = self.phase.get(&format!("submit{job}")).copied();
        (at.unwrap_or(start) - start) as f64 / 1e6
    }
}

/// Returns the reservation that a row asks for.
fn reservation(conf: &SlurmConf, row: &Row) -> NodeReservation {
    let words = |key: &str| -> Vec<String> {
        let text = row.get(key).map_or("", String::as_str);
        let words = text.split(',').filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let has = |flag: &str| words("flags").iter().any(|word| word == flag);
    let is_all = row["nodes"] == "ALL";
    NodeReservation {
        name: row["name"].clone(),
        start: row["start"].parse().unwrap(),
        end: row["end"].parse().unwrap(),
        every: 0,
        periods: 1,
        nodes: if is_all {
            NodeSet::all(conf.names.len())
        } else {
            conf.nodes_of(&row["nodes"]).unwrap()
        },
        users: words("users"),
        accounts: words("accounts"),
        is_maintenance: has("MAINT"),
        is_overlapping: has("OVERLAP"),
        has_all_nodes: is_all,
        is_magnetic: has("MAGNETIC"),
    }
}

/// Returns the words of sbatch by the columns of a workload and its column `extra`.
fn options(row: &Row) -> BTreeMap<&'static str, String> {
    const OPTIONS: &[(&str, &[&str])] = &[
        ("licenses", &["-L", "--licenses"]),
        ("features", &["-C", "--constraint"]),
        ("gres", &["--gres"]),
        ("mem_per_cpu", &["--mem-per-cpu"]),
        ("nodelist", &["-w", "--nodelist"]),
        ("exclude", &["-x", "--exclude"]),
        ("tasks_per_node", &["--ntasks-per-node"]),
        ("name", &["-J", "--job-name"]),
        ("dependency", &["-d", "--dependency"]),
        ("nodes", &["-N", "--nodes"]),
        ("ntasks", &["-n", "--ntasks"]),
        ("cpus_per_task", &["-c", "--cpus-per-task"]),
        ("minutes", &["-t", "--time"]),
        ("partition", &["-p", "--partition"]),
        ("mem", &["--mem"]),
        ("nice", &["--nice"]),
        ("array", &["-a", "--array"]),
        ("begin", &["-b", "--begin"]),
        ("time_min", &["--time-min"]),
        ("mincpus", &["--mincpus"]),
        ("uid", &["--uid"]),
        ("user", &[]),
        ("account", &["-A", "--account"]),
        ("qos", &["-q", "--qos"]),
        ("contiguous", &["--contiguous"]),
        ("exclusive", &["--exclusive"]),
        ("hold", &["-H", "--hold"]),
        ("overcommit", &["-O", "--overcommit"]),
        ("kill_invalid", &["--kill-on-invalid-dep"]),
        ("reservation", &["--reservation"]),
    ];
    const FLAGS: &[&str] = &["contiguous", "exclusive", "hold", "overcommit"];
    let mut found = BTreeMap::new();
    for (name, _) in OPTIONS {
        if let Some(value) = row.get(*name) {
            found.insert(*name, value.clone());
        }
    }
    let extra = row.get("extra").cloned().unwrap_or_default();
    let mut words = extra.split_whitespace();
    while let Some(word) = words.next() {
        let (key, value) = match word.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (word, None),
        };
        let (name, _) = OPTIONS
            .iter()
            .find(|(_, words)| words.contains(&key))
            .unwrap_or_else(|| panic!("unknown option {word}"));
        let value = match value {
            Some(value) => value,
            None if FLAGS.contains(name) => "1",
            None => words.next().unwrap(),
        };
        found.insert(*name, value.to_owned());
    }
    found
}

fn dependencies(text: &str) -> Vec<DependencyAsked> {
    let mut all = Vec::new();
    for group in text.split([',', '?']).filter(|group| !group.is_empty()) {
        let (kind, ids) = group.split_once(':').unwrap_or((group, ""));
        let kind = match kind {
            "after" => DependencyKind::After,
            "afterany" => DependencyKind::AfterAny,
            "afterok" => DependencyKind::AfterOk,
            "afternotok" => DependencyKind::AfterNotOk,
            "aftercorr" => DependencyKind::AfterCorr,
            "singleton" => DependencyKind::Singleton,
            _ => panic!("unknown dependency {kind}"),
        };
        let of = |id: &str| {
            let (id, minutes) = id.split_once('+').unwrap_or((id, "0"));
            let (id, task) = match id.split_once('_') {
                Some((id, task)) => (id, Some(task.parse().unwrap())),
                None => (id, None),
            };
            DependencyAsked {
                kind,
                job: id.parse().unwrap(),
                task,
                minutes: minutes.parse().unwrap(),
            }
        };
        if kind == DependencyKind::Singleton {
            all.push(of("0"));
        }
        all.extend(ids.split(':').filter(|id| !id.is_empty()).map(of));
    }
    all
}

fn array(text: &str) -> ArrayAsked {
    let (spec, most) = text.split_once('%').unwrap_or((text, "0"));
    let mut tasks = Vec::new();
    for piece in spec.split(',') {
        let (range, step) = piece.split_once(':').unwrap_or((piece, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().unwrap(), last.parse().unwrap());
        tasks.extend((first..=last).step_by(step.parse().unwrap()));
    }
    ArrayAsked {
        tasks,
        most_running: most.parse().unwrap(),
    }
}

/// Returns the job that a row of a workload asks for.
pub fn asked(row: &Row, number: u64) -> AskedJob {
    let options = options(row);
    let text = |key: &str| options.get(key).cloned().unwrap_or_default();
    let count = |key: &str| options.get(key).map(|value| value.parse::<u32>().unwrap());
    let memory = |key: &str| options.get(key).map(|value| megabytes(value).unwrap());
    let dependency = text("dependency");
    AskedJob {
        number,
        nodes: options.get("nodes").map(|value| {
            let (least, most) = value.split_once('-').unwrap_or((value, value));
            NodesAsked {
                least: least.parse().unwrap(),
                most: most.parse().unwrap(),
            }
        }),
        ntasks: count("ntasks"),
        cpus_per_task: count("cpus_per_task"),
        ntasks_per_node: count("tasks_per_node"),
        mincpus: count("mincpus"),
        minutes: options.get("minutes").map(|value| minutes(value).unwrap()),
        least_minutes: options.get("time_min").map(|value| minutes(value).unwrap()),
        partitions: text("partition")
            .split(',')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
        memory: match (memory("mem"), memory("mem_per_cpu")) {
            (Some(memory), _) => MemoryAsked::PerNode(memory),
            (_, Some(memory)) => MemoryAsked::PerCpu(memory),
            _ => MemoryAsked::Unset,
        },
        exclusive: options.contains_key("exclusive"),
        overcommit: options.contains_key("overcommit"),
        contiguous: options.contains_key("contiguous"),
        hold: options.contains_key("hold"),
        nice: options.get("nice").map_or(0, |nice| nice.parse().unwrap()),
        any_dependency: dependency.contains('?'),
        dependencies: dependencies(&dependency),
        kill_on_invalid_dependency: text("kill_invalid") == "yes",
        array: options.get("array").map(|text| array(text)),
        begin_after: options.get("begin").map(|text| {
            let text = text.strip_prefix("now+").unwrap();
            let digits = text.trim_end_matches(|char: char| char.is_ascii_alphabetic());
            let unit = match text[digits.len()..].chars().next() {
                None | Some('s') => 1,
                Some('m') => 60,
                Some('h') => 3600,
                _ => 86400,
            };
            digits.parse::<i64>().unwrap() * unit
        }),
        licences: text("licenses")
            .split(',')
            .filter(|word| !word.is_empty())
            .map(|word| {
                let (name, count) = word.split_once([':', '=']).unwrap_or((word, "1"));
                (name.to_owned(), count.parse().unwrap())
            })
            .collect(),
        features: text("features"),
        gres: text("gres"),
        nodelist: text("nodelist"),
        exclude: text("exclude"),
        user: options
            .get("user")
            .or_else(|| options.get("uid"))
            .cloned()
            .unwrap_or_else(|| "0".to_owned()),
        account: text("account"),
        qos: text("qos"),
        name: options
            .get("name")
            .cloned()
            .unwrap_or_else(|| "job.sh".to_owned()),
        reservation: text("reservation"),
        admitted: 0,
    }
}

/// The sources of the times of passes and ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Passes and run times as recorded.
    Driven,
    /// Passes as recorded.
    Passes,
    /// Nothing as recorded: passes come from the clock.
    Free,
    /// The same, and no pass and no plan is left out.
    Unshortened,
    /// Nothing as recorded, and the controller starts so many microseconds earlier.
    Shifted(i64),
    /// Passes come from the clock, with the recorded start of the controller and its first passes.
    Phase,
}

/// A start in seconds after the start of the workload, and the names of the nodes.
pub struct Start {
    pub at: f64,
    pub nodes: Vec<String>,
    pub is_backfilled: bool,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Submit(usize),
    Main {
        is_full: bool,
    },
    Backfill,
    Priorities,
    Look,
    /// The test of time limits, which also ends grace times.
    Limits,
    /// The end of a time slice.
    Slice,
    /// The end of a run of a record: its number of earlier runs, and of suspensions before.
    End(usize, u32, u32),
    Clean(usize),
    CleanNode(usize, usize),
}

/// A run in progress: the events from outside, in order of time.
struct Driver<'a> {
    recording: &'a Recording,
    mode: Mode,
    zero: i64,
    /// Microseconds that a job runs longer than its own run time: launch and report.
    extra: i64,
    events: BinaryHeap<Reverse<(i64, usize, Event)>>,
    pushed: usize,
    controller: Controller,
    starts: BTreeMap<Key, Start>,
    priorities: BTreeMap<u64, Vec<(f64, i64)>>,
    reasons: BTreeMap<(i64, u64), &'static str>,
    suspensions: BTreeMap<u64, Vec<(f64, f64)>>,
    /// The jobs that were preempted by the present work.
    preempted: Vec<PreemptedJob>,
    /// The planned end of each record, its number of suspensions, and its last one.
    ends: BTreeMap<usize, (i64, u32, i64)>,
    states: Vec<(i64, u64)>,
}

/// The result of a run.
pub struct Run {
    pub starts: BTreeMap<Key, Start>,
    /// The priorities computed for each job, and the times in seconds after the start of the workload.
    pub priorities: BTreeMap<u64, Vec<(f64, i64)>>,
    /// The reasons of jobs at the times of the recorded ones.
    pub reasons: BTreeMap<(i64, u64), &'static str>,
    /// The suspensions of each job: seconds after the start of the workload.
    pub suspensions: BTreeMap<u64, Vec<(f64, f64)>>,
    /// Digests of the records of waiting jobs after each work of the clock, and its times, without recorded passes.
    pub states: Vec<(i64, u64)>,
}

impl Driver<'_> {
    fn push(&mut self, at: i64, event: Event) {
        self.pushed += 1;
        self.events.push(Reverse((at, self.pushed, event)));
    }

    /// Notes the starts of the work at an instant, and plans their ends.
    fn collect(&mut self, at: i64) {
        self.preempted = self.controller.take_preempted();
        for (place, started) in self.controller.take_started().into_iter().enumerate() {
            let restarts = self.controller.record(started.record).restarts;
            // A job can be requeued in the second of its start.
            let since = self
                .preempted
                .iter()
                .filter(|one| one.record == started.record && one.is_requeued && one.after > place);
            let restarts = restarts - since.count() as u32;
            let key = (started.number, started.task, restarts);
            let names = &self.controller.conf().names;
            let nodes = started.shares.iter().map(|share| share.node as usize);
            let start = Start {
                at: (at - self.zero) as f64 / 1e6,
                nodes: nodes.map(|node| names[node].clone()).collect(),
                is_backfilled: started.is_backfilled,
            };
            self.starts.insert(key, start);
            let row = &self.recording.jobs[started.number as usize - 1];
            let life = self.recording.life.get(&key);
            let paused = self.recording.suspensions.get(&started.number);
            let paused: i64 = paused
                .into_iter()
                .flatten()
                .map(|(from, to)| to - from)
                .sum();
            // A suspended `sleep` sleeps on. The jobs of these recordings count short sleeps instead, and take
            // longer than asked by times that only the recording tells.
            let has_steps = self.recording.has_steps;
            let recorded = life.and_then(|life| Some(life.done? - life.started - paused));
            let run = match recorded {
                Some(run) if self.mode == Mode::Driven || has_steps => run,
                _ => micros(&row["seconds"]) + self.extra,
            };
            self.ends.insert(started.record, (at + run, 0, 0));
            match life.and_then(|life| life.done) {
                Some(done) if has_steps && self.mode == Mode::Driven => {
                    let at = self.zero + done - LOG_LATE;
                    self.push(at, Event::End(started.record, restarts, ANY));
                }
                _ => self.push(at + run, Event::End(started.record, restarts, 0)),
            }
        }
        self.collect_suspended(at);
    }

    /// Puts off the ends of jobs that were suspended.
    fn collect_suspended(&mut self, at: i64) {
        for suspended in self.controller.take_suspended() {
            let restarts = self.controller.record(suspended.record).restarts;
            let (end, times, since) = self.ends.get_mut(&suspended.record).unwrap();
            if suspended.is_resumed {
                *end += at - *since;
                let seconds = |time: i64| (time - self.zero) as f64 / 1e6;
                let period = (seconds(*since), seconds(at));
                let (end, times) = (*end, *times);
                let known = self.suspensions.entry(suspended.number).or_default();
                known.push(period);
                self.push(end, Event::End(suspended.record, restarts, times));
            } else {
                *times += 1;
                *since = at;
            }
        }
    }

    /// Plans when the nodes of jobs that the controller has ended are clean: as recorded, or as measured.
    fn collect_ended(&mut self, at: i64, figures: &ClockFigures) {
        let preempted = std::mem::take(&mut self.preempted);
        let preempted = preempted.iter();
        let preempted = preempted.map(|job| (job.record, (job.number, job.task)));
        let killed = self.controller.take_killed().into_iter();
        let killed = killed.map(|record| {
            let job = self.controller.record(record);
            (record, (job.number, job.task))
        });
        for (record, key) in preempted.chain(killed).collect::<Vec<_>>() {
            let nodes: Vec<usize> = self.controller.record(record).nodes.iter().collect();
            for (place, node) in nodes.into_iter().enumerate() {
                let name = &self.controller.conf().names[node];
                let all = self.recording.cleanings.get(&key);
                let mut near = all.into_iter().flatten().filter(|(time, known)| {
                    known == name && (-10_000..10_000_000).contains(&(self.zero + time - at))
                });
                let measured = if place == 0 {
                    figures.kill
                } else {
                    figures.kill_others
                };
                let time = match near.next() {
                    Some((time, _)) => self.zero + time - LOG_LATE,
                    _ => at + measured.microseconds(),
                };
                self.push(time, Event::CleanNode(record, node));
            }
        }
    }

    /// True if the record still has the run whose end was planned.
    fn has_run(&self, record: usize, restarts: u32, suspensions: u32) -> bool {
        let job = self.controller.record(record);
        job.state == JobState::Running
            && job.restarts == restarts
            && (suspensions == ANY || self.counts_suspensions(record, suspensions))
    }

    /// True if the end of a record was planned since its last suspension, and no recorded instant counts instead.
    fn counts_suspensions(&self, record: usize, suspensions: u32) -> bool {
        let is_recorded = self.recording.has_steps && self.mode == Mode::Driven;
        let is_suspended = self.controller.record(record).is_suspended();
        !is_recorded && !is_suspended && self.ends[&record].1 == suspensions
    }

    fn submit(&mut self, at: usize, second: i64) {
        let job = asked(&self.recording.jobs[at], at as u64 + 1);
        self.controller
            .submit(&job, second)
            .unwrap_or_else(|problem| panic!("{problem}"));
    }

    /// Notes the priority of a job that waits.
    fn note_priority(&mut self, at: i64, record: usize) {
        let job = self.controller.record(record);
        if job.state == JobState::Pending && job.priority > 0 {
            let at = (at - self.zero) as f64 / 1e6;
            let known = self.priorities.entry(job.number).or_default();
            known.push((at, job.priority));
        }
    }

    /// Runs with the recorded passes.
    fn run_recorded(&mut self, clock: &SlurmClock, figures: &ClockFigures) {
        while let Some(Reverse((at, _, event))) = self.events.pop() {
            let second = clock.second(Time::from_microseconds(at));
            match event {
                Event::Submit(job) => {
                    self.submit(job, second);
                    let last = self.controller.records().len() - 1;
                    self.note_priority(at, last);
                }
                Event::Priorities => {
                    self.controller.update_priorities(second);
                    let count = self.controller.records().len();
                    for record in 0..count {
                        self.note_priority(at, record);
                    }
                }
                Event::Look => {
                    for job in self.controller.records() {
                        if job.state == JobState::Pending {
                            let key = (at - self.zero, job.number);
                            self.reasons.insert(key, job.reason.as_str());
                        }
                    }
                }
                Event::Main { is_full } => self.controller.main_pass(second, is_full),
                Event::Backfill => self.controller.backfill_pass(second),
                Event::Limits => {
                    self.controller.end_overdue(second);
                }
                Event::Slice => self.controller.end_slice(second),
                Event::End(record, restarts, times) => {
                    if self.has_run(record, restarts, times) {
                        self.controller.finish(record, second, JobState::Completed);
                        let cleanup = figures.cleanup.microseconds();
                        self.push(at + cleanup, Event::Clean(record));
                    }
                }
                Event::Clean(record) => self.controller.clean(record, second),
                Event::CleanNode(record, node) => {
                    self.controller.clean_node(record, node, second);
                }
            }
            self.collect(at);
            self.collect_ended(at, figures);
        }
    }

    /// Notes what the records of waiting jobs say.
    fn note_state(&mut self, at: i64) {
        let mut digest = DefaultHasher::new();
        for job in self.controller.records() {
            if job.state == JobState::Pending {
                let times = (job.start, job.planned, job.limit);
                let place = (job.number, job.partition, job.priority);
                (place, times, job.reason.as_str()).hash(&mut digest);
            }
        }
        self.states.push((at, digest.finish()));
    }

    /// Runs with the passes of the clock.
    fn run_free(&mut self, clock: &mut SlurmClock) {
        loop {
            let outside = self.events.peek().map(|Reverse((at, ..))| *at);
            let next = clock.next(&self.controller, outside.is_some());
            let next = next.filter(|next| outside.is_none_or(|at| next.microseconds() < at));
            if let Some(next) = next {
                clock.work(&mut self.controller, next);
                self.collect(next.microseconds());
                self.note_state(next.microseconds());
                continue;
            }
            let Some(Reverse((at, _, event))) = self.events.pop() else {
                return;
            };
            let time = Time::from_microseconds(at);
            clock.skip_to(&mut self.controller, time);
            assert!(self.controller.take_started().is_empty(), "a missed pass");
            let second = clock.second(time);
            match event {
                Event::Submit(job) => self.submit(job, second),
                Event::End(record, restarts, times) if self.has_run(record, restarts, times) => {
                    self.controller.finish(record, second, JobState::Completed);
                    clock.ended(record, time);
                }
                _ => {}
            }
        }
    }
}

/// Runs the workload of a recording. Each job runs `extra` microseconds longer than its own run time,
/// unless the end is recorded.
pub fn run(recording: &Recording, mode: Mode, extra: i64) -> Run {
    let figures = recording.figures;
    let zero = recording.phase.get("t0").copied();
    let zero = zero.unwrap_or(1_795_411_200_300_000);
    let mut controller =
        Controller::with_accounts(recording.conf.clone(), recording.accounts.clone());
    for one in &recording.reservations {
        controller
            .reserve_nodes(one.clone(), zero.div_euclid(1_000_000) - 3)
            .unwrap_or_else(|problem| panic!("{problem}"));
    }
    let before = if recording.accounts.is_empty() {
        BEFORE
    } else {
        BEFORE_WITH_ACCOUNTS
    };
    let recorded_start = recording.phase.get("controller").copied();
    let start = match (mode, recorded_start) {
        (Mode::Phase | Mode::Driven | Mode::Passes, Some(start)) => start,
        (Mode::Shifted(earlier), _) => zero - before - earlier,
        _ => zero - before,
    };
    let start_time = Time::from_microseconds(start);
    let mut clock = SlurmClock::of_new_controller(&controller, start_time, figures);
    let mut driver = Driver {
        recording,
        mode,
        zero,
        extra,
        events: BinaryHeap::new(),
        pushed: 0,
        controller,
        starts: BTreeMap::new(),
        priorities: BTreeMap::new(),
        reasons: BTreeMap::new(),
        suspensions: BTreeMap::new(),
        preempted: Vec::new(),
        ends: BTreeMap::new(),
        states: Vec::new(),
    };
    let is_free = !matches!(mode, Mode::Driven | Mode::Passes);
    if mode == Mode::Unshortened {
        driver.controller.run_all_passes();
    }
    for (at, row) in recording.jobs.iter().enumerate() {
        let logged = recording.phase.get(&format!("submit{}", at + 1)).copied();
        match logged {
            _ if is_free => {
                let time = zero + micros(&row["submit"]) + SUBMIT_DELAY;
                driver.push(time, Event::Submit(at));
            }
            Some(logged) => driver.push(logged - LOG_LATE, Event::Submit(at)),
            None => {}
        }
    }
    let is_backfill = |pass: &str| pass == "bf" || pass == "backfill";
    if is_free {
        if mode == Mode::Phase {
            let first = recording.phase.get("submit1").copied().unwrap_or(0);
            let before = recording.passes.iter();
            let before = before.filter(|(pass, at)| !is_backfill(pass) && zero + at < first);
            let half = Span::from_microseconds(500_000);
            let times: Vec<Time> = before
                .map(|(_, at)| Time::from_microseconds(zero + at) - half)
                .collect();
            if !times.is_empty() {
                clock.set_registrations(&times);
            }
        }
        driver.run_free(&mut clock);
    } else {
        for (pass, at) in &recording.passes {
            let event = match pass.as_str() {
                pass if is_backfill(pass) => Event::Backfill,
                "limits" => Event::Limits,
                "slice" => Event::Slice,
                pass => Event::Main {
                    is_full: pass == "full",
                },
            };
            driver.push(zero + at, event);
        }
        if let Some(period) = recording.period() {
            let last = recording.passes.last().map_or(0, |(_, at)| zero + at);
            let mut at = start;
            while at < last {
                driver.push(at, Event::Priorities);
                at += period;
            }
        }
        let looks: std::collections::BTreeSet<i64> =
            recording.reasons.iter().map(|(at, ..)| *at).collect();
        for at in looks {
            driver.push(zero + at, Event::Look);
        }
        driver.run_recorded(&clock, &figures);
    }
    Run {
        starts: driver.starts,
        priorities: driver.priorities,
        reasons: driver.reasons,
        suspensions: driver.suspensions,
        states: driver.states,
    }
}
