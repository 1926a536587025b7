//! What crosses the border as plain objects. Times are seconds after the trace's zero.

use super::explain::JobName;
use crate::machine::Placement;
use crate::machines::torus::Partition;
use crate::schedule::Outcome;
use crate::trace::Report;
use crate::workload::Provenance;
use serde::Serialize;
use tsify::Tsify;

/// A workload in short.
#[derive(Serialize, Tsify)]
pub struct WorkloadFacts {
    /// Where it comes from.
    pub provenance: Provenance,
    /// Reading and cleaning, each rule counted.
    pub report: Report,
    /// Jobs.
    pub jobs: usize,
    /// Processors of the machine.
    pub processors: u32,
    /// First submission.
    pub first: f64,
    /// Last submission.
    pub last: f64,
    /// Offered load, as a fraction of the machine.
    pub offered_load: f64,
    /// Different users.
    pub users: usize,
    /// Hash of machine size and jobs: runs with the same can be compared job by job.
    pub identity: String,
}

/// How far a run is.
#[derive(Serialize, Tsify)]
pub struct RunProgress {
    /// The instant reached.
    pub now: f64,
    /// Jobs that ended.
    pub finished: u32,
    /// Jobs of the workload.
    pub jobs: u32,
    /// Jobs that wait now.
    pub waiting: usize,
    /// Whether the run is over.
    pub done: bool,
}

/// What a run is about.
#[derive(Serialize, Tsify)]
pub struct RunFacts {
    /// The workload, after reading and shaping.
    pub workload: WorkloadFacts,
    /// Name of the policy.
    pub policy: &'static str,
    /// Number of rows of the Ousterhout matrix: 1 where processors are dedicated.
    pub slots: u32,
    /// Whether the machine sees processes.
    pub processes: bool,
    /// Whether two jobs on a node run at the same time.
    pub at_once: bool,
    /// Whether the policy looks for partners.
    pub matches: bool,
    /// The candidates of an adaptive policy.
    pub candidates: Vec<CandidateFacts>,
}

/// A candidate of an adaptive policy.
#[derive(Serialize, Tsify)]
pub struct CandidateFacts {
    /// Its name among the candidates.
    pub name: String,
    /// Name of the policy.
    pub policy: &'static str,
}

/// A complete run's figures.
#[derive(Serialize, Tsify)]
pub struct RunResult {
    /// Figures by key, such as `wait.mean`.
    #[tsify(type = "Record<string, number>")]
    pub figures: std::collections::BTreeMap<String, f64>,
    /// Digest of the schedule, in hex.
    pub digest: String,
    /// Last end.
    pub end: f64,
}

/// A box of nodes: its first node, and how many it has along x, y and z.
#[derive(Copy, Clone, Serialize, Tsify)]
pub struct BoxFacts {
    /// First node.
    pub at: [u32; 3],
    /// Nodes along each axis.
    pub extent: [u32; 3],
}

impl From<Partition> for BoxFacts {
    fn from(Partition { at, extent }: Partition) -> Self {
        Self { at, extent }
    }
}

/// The shape of a machine.
#[derive(Serialize, Tsify)]
pub struct GeometryFacts {
    /// Nodes along each axis.
    pub extent: [u32; 3],
    /// Whether an axis is closed to a ring.
    pub wraps: [bool; 3],
    /// What a node stands for.
    pub supernode: u32,
}

/// A job and its box at an instant.
#[derive(Serialize, Tsify)]
pub struct ResidentFacts {
    /// Index in the run.
    pub job: u32,
    /// Which record of the trace it is.
    pub record: u32,
    /// Number in the trace.
    pub number: i64,
    /// The size it asked for.
    pub processors: u32,
    /// Its box.
    #[serde(rename = "box")]
    pub partition: BoxFacts,
    /// From when on it has this box.
    pub from: f64,
    /// Until when.
    pub to: f64,
    /// Whether it had another box before.
    pub moved: bool,
    /// Its colour, as 0xrrggbb.
    pub colour: u32,
}

/// The machine at an instant.
#[derive(Serialize, Tsify)]
pub struct OccupancyFacts {
    /// The instant.
    pub at: f64,
    /// Who is where.
    pub residents: Vec<ResidentFacts>,
    /// Nodes that nobody holds.
    pub free: u32,
    /// A largest free box.
    pub largest: Option<BoxFacts>,
    /// Jobs that wait.
    pub waiting: u32,
}

/// A job and what happened to it.
#[derive(Serialize, Tsify)]
pub struct JobFacts {
    /// Index in the run.
    pub job: u32,
    /// Which record of the trace it is: the same in every run.
    pub record: u32,
    /// Number in the trace.
    pub number: i64,
    /// User, -1 if unknown.
    pub user: i32,
    /// Group, -1 if unknown.
    pub group: i32,
    /// Application, -1 if unknown.
    pub application: i32,
    /// Queue, -1 if unknown.
    pub queue: i32,
    /// Size.
    pub processors: u32,
    /// Submission.
    pub submitted: f64,
    /// Requested time.
    pub estimate: f64,
    /// Run time.
    pub runtime: f64,
    /// What happened.
    pub outcome: Outcome,
    /// Start, once started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// End, once ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
    /// Wait, once started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<f64>,
    /// Bounded slowdown with the threshold of the run's settings, once ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounded_slowdown: Option<f64>,
    /// The processors that it started on, once started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement: Option<PlacementFacts>,
    /// How often it moved to others.
    pub moves: usize,
    /// With whom it shared nodes, in order of time; not all of very many.
    pub partners: Vec<PartnerFacts>,
    /// How many there were.
    pub partner_count: usize,
}

/// Where a job is.
#[derive(Serialize, Tsify)]
pub struct PlacementFacts {
    /// The row; 0 where processors are dedicated.
    pub row: u32,
    /// Its processors as [first, count] pairs.
    pub ranges: Vec<(u32, u32)>,
}

impl PlacementFacts {
    /// What JavaScript sees of a placement.
    pub(super) fn of(placement: Placement<'_>) -> Self {
        let ranges = placement
            .ranges
            .iter()
            .map(|range| (range.first, range.count));
        Self {
            row: placement.row,
            ranges: ranges.collect(),
        }
    }
}

/// A time in which two jobs shared nodes.
#[derive(Serialize, Tsify)]
pub struct PartnerFacts {
    /// Index of the other one in the run.
    pub job: u32,
    /// Which record of the trace it is.
    pub record: u32,
    /// Its number in the trace.
    pub number: i64,
    /// From when on.
    pub from: f64,
    /// Until when.
    pub to: f64,
    /// How many nodes.
    pub nodes: u32,
    /// How many times longer the job takes beside this one alone.
    pub slowdown: f64,
    /// By how much it got on less than by itself, in seconds; nothing where one of the two had
    /// others beside it as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<f64>,
    /// By how much the two got on more than one after the other, in seconds; less than 0 where it
    /// was less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub won: Option<f64>,
}

/// Some jobs of a run.
#[derive(Serialize, Tsify)]
pub struct SelectionFacts {
    /// How many.
    pub jobs: usize,
    /// Processor seconds: of an area, those in it.
    pub work: f64,
    /// Figures of those that ended, by key, such as `wait.mean`; `jobs.value` is how many these
    /// are.
    #[tsify(type = "Record<string, number>")]
    pub figures: std::collections::BTreeMap<String, f64>,
}

/// A search for a partner.
#[derive(Serialize, Tsify)]
pub struct SearchFacts {
    /// For whom.
    pub job: JobName,
    /// Whether among the running jobs.
    pub among_running: bool,
    /// Who was chosen, by its number in the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<i64>,
    /// How many came into question.
    pub count: usize,
    /// How many each test ruled out: short jobs, size, memory, class, slowdown, reservation; and
    /// how many none did.
    pub left: [usize; 7],
    /// Who came into question: candidates first, the best first; not all of very many.
    pub tried: Vec<TriedFacts>,
}

/// A job that came into question.
#[derive(Serialize, Tsify)]
pub struct TriedFacts {
    /// Which.
    pub job: JobName,
    /// The test that ruled it out, by its number in the order of tests; 6 if none did.
    pub verdict: u8,
    /// By how much the two would slow each other down; 0 where that was not asked.
    pub slowdown: f64,
    /// What it was worth.
    pub gain: f64,
}

/// Searches of one decision.
#[derive(Serialize, Tsify)]
pub struct SearchesFacts {
    /// When.
    pub at: f64,
    /// The searches; not all of very many.
    pub searches: Vec<SearchFacts>,
    /// How many there were.
    pub count: usize,
}
