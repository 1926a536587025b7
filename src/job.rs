//! Jobs: what is asked for, and what will happen.
//!
//! The two halves are separate types because a policy must see the first and never the second: a
//! scheduler that reads true run times is the commonest silent error of simulators in this field.

use crate::time::{Span, Time};

/// A job's index in its workload: jobs are numbered by arrival, ties in trace order.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(pub u32);

impl JobId {
    /// The index, for slices.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a job asks for. A policy sees this.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The job's number in its trace.
    pub number: i64,
    /// When it was submitted.
    pub submitted: Time,
    /// Requested time: what a scheduler may believe of the run time.
    pub estimate: Span,
    /// Size: how many processors it needs, all at once.
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

/// What will happen when a job runs. A policy never sees this.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// How long it runs on dedicated processors.
    pub runtime: Span,
    /// Whether it is killed then, having reached its estimate, rather than ending by itself.
    pub killed: bool,
    /// Which of the workload's shapes it has, where its processes are described: else it just holds
    /// its processors so long.
    pub shape: Option<u32>,
}

impl Program {
    /// Runs for so long and ends by itself.
    pub const fn rigid(runtime: Span) -> Self {
        Self {
            runtime,
            killed: false,
            shape: None,
        }
    }
}

/// What a job needs of a node's resources, in ten-thousandths of its time there and of the memory.
/// A policy may see this.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Time on the CPU.
    pub cpu: i64,
    /// Time on the network.
    pub network: i64,
    /// Time on the disk.
    pub disk: i64,
    /// Share of a node's memory.
    pub memory: i64,
    /// A number that says, with another job's, whether the instructions of the two go well
    /// together.
    pub mark: u64,
}

/// What a job can need most of.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// It computes.
    Cpu,
    /// It communicates.
    Network,
    /// It reads and writes.
    Disk,
}

impl Demand {
    /// What it needs most of; the CPU, and then the network, where it needs as much of several.
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

/// Whom the processes of a job communicate with after each of their computing phases.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Nobody.
    None,
    /// The process before and the one behind, of a ring of all.
    Ring,
    /// The four neighbours in a grid that is closed to a torus, as square as the number of
    /// processes allows.
    Grid,
    /// All of them: a barrier.
    Barrier,
}

/// What the processes of a job do: each repeats to compute for its own time, and to exchange
/// messages with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Whom they communicate with.
    pub pattern: Pattern,
    /// Computing time of an iteration, in microseconds: by groups of processes, over and over.
    pub compute: Vec<i64>,
    /// Processes in a group.
    pub group: u32,
    /// By how much a computing phase is longer or shorter, at most, drawn anew for every one: in
    /// millionths of it.
    pub jitter: i64,
    /// Seed of these draws.
    pub seed: u64,
}

impl Shape {
    /// Computing time of an iteration of a process, without jitter.
    pub fn compute_of(&self, rank: u32) -> i64 {
        let group = (rank / self.group.max(1)) as usize;
        self.compute[group % self.compute.len()]
    }
}
