//! The words of twins: jobs, workloads, experiments and schedules as plain numbers. Nothing here
//! comes from the engine, so that a twin cannot share a mistake with it.

use std::collections::BTreeMap;
use std::rc::Rc;

/// A job. Its times are in ticks of its workload.
#[derive(Copy, Clone, Debug)]
pub struct Job {
    pub submit: i64,
    pub runtime: i64,
    pub estimate: i64,
    pub processors: u32,
    pub user: i32,
}

/// The run times of a random workload, compared with the estimates.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Overruns {
    /// Run times keep to estimates, as when jobs are killed at them.
    Never,
    /// Some jobs run past their estimates.
    Sometimes,
}

/// The pattern by which the processes of a job communicate.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    None,
    Ring,
    Grid,
    Barrier,
}

/// The behaviour of the processes of a job. Process p computes for `compute[p]` ticks in each
/// iteration, longer or shorter by at most `jitter` millionths.
#[derive(Clone, Debug)]
pub struct Program {
    pub pattern: Pattern,
    pub compute: Vec<i64>,
    pub jitter: i64,
    pub seed: u64,
}

/// The demand of a job: its shares of a node in ten-thousandths. The marks of two jobs decide
/// whether their instructions go well together.
#[derive(Copy, Clone, Debug)]
pub struct Demand {
    pub cpu: i64,
    pub network: i64,
    pub disk: i64,
    pub memory: i64,
    pub mark: u64,
}

/// The place and the number of iterations of a job that no policy places.
#[derive(Clone, Debug)]
pub struct Placed {
    pub row: usize,
    pub columns: Vec<usize>,
    pub iterations: i64,
}

/// The request of a job for nodes. Amounts are cores, memory in MB, and GPUs.
#[derive(Clone, Debug)]
pub struct NodeAsk {
    pub tasks: u32,
    pub per_task: [u32; 3],
    pub per_node: [u32; 3],
    /// Amounts on each node of the further resources, in the order of the description.
    pub others: Vec<u32>,
    pub least_nodes: u32,
    pub most_nodes: u32,
    /// The largest number of tasks on a node.
    pub most_tasks: u32,
    /// The job gets whole nodes.
    pub is_whole: bool,
    /// Indices of the partitions that serve the job; all if there are no partitions.
    pub partitions: Vec<usize>,
    /// Indices of the advance reservations that admit the job.
    pub admitted: Vec<usize>,
    /// Number of each licence, in the order of the description; power, if there is a cap, comes last.
    pub licences: Vec<u32>,
    /// The highest tier of its partitions.
    pub tier: u32,
}

/// Jobs in order of arrival, and the machine that they are for.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Ticks in a second.
    pub second: i64,
    pub processors: u32,
    pub jobs: Vec<Job>,
    /// By job; the vector is empty if jobs only hold their processors.
    pub programs: Vec<Program>,
    /// By job; the vector is empty if no demands are known.
    pub demands: Vec<Option<Demand>>,
    /// By job; the vector is empty if a policy places the jobs.
    pub placed: Vec<Placed>,
    /// By job; the vector is empty if jobs ask for processors alone.
    pub node_asks: Vec<NodeAsk>,
}

impl Workload {
    /// Returns a workload of jobs that only hold their processors. Its ticks are seconds.
    pub const fn new(processors: u32, jobs: Vec<Job>) -> Self {
        Self {
            second: 1,
            processors,
            jobs,
            programs: Vec::new(),
            demands: Vec::new(),
            placed: Vec::new(),
            node_asks: Vec::new(),
        }
    }
}

/// The value of a parameter.
#[derive(Clone, Debug)]
pub enum Setting {
    Number(f64),
    Word(String),
}

impl From<f64> for Setting {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Setting {
    fn from(word: &str) -> Self {
        Self::Word(word.to_owned())
    }
}

/// A run for the engine to make: names and values, as a user would type them.
#[derive(Clone, Debug)]
pub struct Experiment {
    pub policy: &'static str,
    pub machine: &'static str,
    pub settings: Vec<(&'static str, Setting)>,
    pub outage: Option<Outage>,
}

/// Processors that go out of service: the first one, their number, from when on and how long, in ticks of
/// the workload.
#[derive(Copy, Clone, Debug)]
pub struct Outage {
    pub at: i64,
    pub first: u32,
    pub count: u32,
    pub length: i64,
}

impl Outage {
    pub const fn until(&self) -> i64 {
        self.at + self.length
    }

    pub const fn has(&self, processor: usize) -> bool {
        self.first as usize <= processor && processor < (self.first + self.count) as usize
    }
}

impl Experiment {
    /// Returns an experiment with a policy on the flat machine.
    pub const fn new(policy: &'static str) -> Self {
        Self::on("flat", policy)
    }

    pub const fn on(machine: &'static str, policy: &'static str) -> Self {
        Self {
            policy,
            machine,
            settings: Vec::new(),
            outage: None,
        }
    }

    pub fn with(mut self, key: &'static str, value: impl Into<Setting>) -> Self {
        self.settings.push((key, value.into()));
        self
    }

    /// Adds settings to the experiment.
    pub fn with_all(self, settings: &[(&'static str, &str)]) -> Self {
        settings
            .iter()
            .fold(self, |experiment, (key, word)| experiment.with(key, *word))
    }
}

/// The schedule that a twin makes of a workload. Events that the twin does not tell are not
/// compared.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// By job, in ticks.
    pub starts: Vec<i64>,
    pub ends: Option<Vec<i64>>,
    /// The processors that each job gets, in ascending order.
    pub processors: Option<Vec<Vec<u32>>>,
    /// Other events, as lines in order of time, under a name that `engine.rs` knows.
    pub told: BTreeMap<&'static str, Vec<String>>,
    /// Numbers of times that something happened, for the rows of the table that ask for them.
    pub counts: BTreeMap<&'static str, u64>,
}

impl Schedule {
    pub fn of(starts: Vec<i64>) -> Self {
        Self {
            starts,
            ..Self::default()
        }
    }
}

/// An event that an observer sees in a run. Jobs are numbered from 0, by arrival.
#[derive(Clone, Debug)]
pub enum Event {
    Submitted(usize),
    /// A job and the processors that it gets.
    Started(usize, Vec<u32>),
    Finished(usize),
    /// A job, and the start that is reserved for it, in microseconds.
    Reserved(usize, i64),
    Searched(Search),
    /// Nodes go out of service, until this instant in microseconds.
    Closed(Vec<u32>, i64),
}

/// A search for a partner, as the policy tells of it.
#[derive(Clone, Debug)]
pub struct Search {
    pub job: usize,
    pub among_running: bool,
    pub tried: Vec<Tried>,
    pub chosen: Option<usize>,
}

/// A job that a search looked at: the word of the verdict, the slowdown in ten-thousandths, and the
/// worth of the match.
#[derive(Clone, Debug)]
pub struct Tried {
    pub job: usize,
    pub verdict: String,
    pub slowdown: i64,
    pub gain: f64,
}

/// The report of a twin that watches and found no fault.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    pub counts: BTreeMap<&'static str, u64>,
    /// Figures of the run as the twin has them, by their keys.
    pub figures: Vec<(&'static str, f64)>,
}

/// Says what is wrong if something does not hold.
pub fn must(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// Events with their times in microseconds.
pub type Log = [(i64, Event)];

type Plays = Box<dyn FnOnce(&Workload) -> Schedule>;
type Watches = Box<dyn FnOnce(&Workload, &Log) -> Result<Watched, String>>;

/// A twin, by the way in which it is compared with the engine.
pub enum Twin {
    /// The twin plays the workload by itself.
    Plays(Plays),
    /// The twin is told what happened in the engine, and checks each event against the rules.
    Watches(Watches),
}

/// The jobs of a case.
#[derive(Clone, Debug)]
pub enum Jobs {
    Drawn(Rc<Workload>),
    /// Lublin's model with these settings.
    Model(Vec<(&'static str, f64)>),
}

/// An experiment on a workload, and its twin.
pub struct Case {
    pub experiment: Experiment,
    pub jobs: Jobs,
    pub twin: Twin,
}

impl Case {
    pub fn plays(
        experiment: Experiment,
        workload: &Rc<Workload>,
        twin: impl FnOnce(&Workload) -> Schedule + 'static,
    ) -> Self {
        Self {
            experiment,
            jobs: Jobs::Drawn(Rc::clone(workload)),
            twin: Twin::Plays(Box::new(twin)),
        }
    }

    pub fn watches(
        experiment: Experiment,
        jobs: Jobs,
        twin: impl FnOnce(&Workload, &Log) -> Result<Watched, String> + 'static,
    ) -> Self {
        Self {
            experiment,
            jobs,
            twin: Twin::Watches(Box::new(twin)),
        }
    }
}
