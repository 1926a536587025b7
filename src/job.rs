//! Jobs: what they ask for, and what will happen when they run.
//!
//! The two halves are separate types because a policy must see the first and never the second. A
//! scheduler that reads true run times is the most frequent silent error of simulators in this
//! field.

use crate::time::{Span, Time};

/// Index of a job in its workload. Jobs are numbered in order of arrival, ties in trace order.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(pub u32);

impl JobId {
    /// Returns the index, for slices.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The request of a job. A policy sees it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Number of the job in its trace.
    pub number: i64,
    /// Submission of the job.
    pub submitted: Time,
    /// Requested time: the run time that a scheduler may believe.
    pub estimate: Span,
    /// Size: the number of processors that the job needs at the same time.
    pub processors: u32,
    /// User number, -1 if unknown.
    pub user: i32,
    /// Group number, -1 if unknown.
    pub group: i32,
    /// Application number, -1 if unknown.
    pub application: i32,
    /// Queue number, -1 if unknown.
    pub queue: i32,
}

/// The outcome of a job when it runs. A policy never sees it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Run time on dedicated processors.
    pub runtime: Span,
    /// True if the job is killed at its estimate, false if it ends by itself.
    pub killed: bool,
    /// Index of the job's shape in the workload, if its processes are described. Without a shape,
    /// the job holds its processors for its run time.
    pub shape: Option<u32>,
}

impl Program {
    /// Returns a program that runs for `runtime` and ends by itself.
    pub const fn rigid(runtime: Span) -> Self {
        Self {
            runtime,
            killed: false,
            shape: None,
        }
    }
}

/// The demand of a job for a node's resources. Times are ten-thousandths of the job's time on the
/// node; memory is ten-thousandths of the node's memory. A policy may see it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Time on the CPU.
    pub cpu: i64,
    /// Time on the network.
    pub network: i64,
    /// Time on the disk.
    pub disk: i64,
    /// Share of the node's memory.
    pub memory: i64,
    /// A number that tells, together with another job's, whether the instructions of the two jobs
    /// go well together.
    pub mark: u64,
}

/// A resource of a node.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// The CPU: the job computes.
    Cpu,
    /// The network: the job communicates.
    Network,
    /// The disk: the job reads and writes.
    Disk,
}

impl Demand {
    /// Returns the resource that the job needs most. Ties go to the CPU, then to the network.
    pub const fn most(&self) -> Resource {
        if self.cpu >= self.network && self.cpu >= self.disk {
            Resource::Cpu
        } else if self.network >= self.disk {
            Resource::Network
        } else {
            Resource::Disk
        }
    }
}

/// The partners with which a process communicates after each of its computing phases.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// No process: the job does not communicate.
    None,
    /// The previous and the next process in a ring of all.
    Ring,
    /// The four neighbours in a grid that wraps around as a torus, and is as square as the number of
    /// processes allows.
    Grid,
    /// All processes: a barrier.
    Barrier,
}

/// The behaviour of the processes of a job: each repeatedly computes for its own time and then
/// exchanges messages with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The partners in communication.
    pub pattern: Pattern,
    /// Computing times of an iteration, in microseconds. Successive groups of processes take them
    /// in turn, over and over.
    pub compute: Vec<i64>,
    /// Number of processes in a group.
    pub group: u32,
    /// Largest deviation of a computing phase, in millionths of its length. Each phase draws its
    /// own.
    pub jitter: i64,
    /// Seed of these draws.
    pub seed: u64,
}

impl Shape {
    /// Returns the computing time of an iteration of a process, without jitter, in microseconds.
    pub fn compute_of(&self, rank: u32) -> i64 {
        let group = (rank / self.group.max(1)) as usize;
        self.compute[group % self.compute.len()]
    }
}

/// The job that another one follows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Follow {
    /// The earlier job.
    pub job: JobId,
    /// The time from the end of the earlier job to the submission of the later one.
    pub think: Span,
}
