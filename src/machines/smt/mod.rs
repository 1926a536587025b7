//! Hyperthreaded nodes: two jobs can run on a node at the same time. They slow each other down by
//! what both need.
//!
//! A. C. Sodan and L. Lan, "LOMARC: lookahead matchmaking for multi-resource coscheduling", JSSPP
//! 2004.

mod execution;
mod record;
mod search;
mod slowdown;
mod view;
mod watch;

pub use execution::Sharing;
pub use record::{Match, Searches, SmtRecord};
pub use search::{Search, Tried, Verdict};
pub use slowdown::{By, Pairing, WHOLE};
pub use view::{SearchFacts, SearchesFacts, SmtQuestion, TriedFacts, searches};

use super::shared::{
    MachineSpec, OusterhoutMatrix, PACKING, Packing, STRETCH, Tidying, asks_no_more, stretch,
};
use crate::machine::{Fit, Machine, Offer};
use crate::param::{Settings, Typed, When, real, whole, words};
use crate::problem::Problem;
use execution::Smt;

const THREADS: Typed<i64> = whole("threads", "Jobs on a node", 1..=2, 2)
    .unit("jobs")
    .help("Number of jobs that can run on a node at the same time; 1 is space sharing");

words! {
    /// The kind of a node's CPU.
    enum Cpu {
        Hyperthreaded = "hyperthreaded": "two jobs compute at the same time",
        Standard = "standard": "two jobs take turns on the CPU; communication and the disk go on \
            meanwhile",
    }
}

const CPU: Typed<Cpu> =
    Cpu::param("cpu", "CPUs", Cpu::Hyperthreaded).help("Kind of CPU that the nodes have");

words! {
    /// The rule for the slowdown of two jobs on a node.
    enum Slowdowns {
        Shares = "shares": "a sum of what both jobs need of each resource, as in table 2 of the \
            paper",
        Printed = "printed": "the same sum as the paper prints it, with the shared parts alone; at \
            least 1",
        Measured = "measured": "the measurements of the paper's tables 1 and 3",
        Classes = "classes": "a figure for each pair of classes; a job's class is the resource \
            that it needs most",
    }
}

const SLOWDOWNS: Typed<Slowdowns> = Slowdowns::param("slowdowns", "Slowdowns", Slowdowns::Shares)
    .help("Rule for how much two jobs on a node slow each other down");

const BY_SHARES: When = When {
    keys: &["slowdowns"],
    words: &["shares", "printed"],
};
const BY_CLASSES: When = When {
    keys: &["slowdowns"],
    words: &["classes"],
};

/// Describes the parameter for the slowdown of two classes.
const fn classes(key: &'static str, name: &'static str, default: f64) -> Typed<f64> {
    real(key, name, 1.0..=10.0, default)
        .unit("times")
        .when(BY_CLASSES)
        .help("Slowdown of two jobs of these classes")
}

const BY_CLASS: [Typed<f64>; 6] = [
    classes("cpu_cpu", "CPU and CPU", 1.4),
    classes("cpu_network", "CPU and network", 1.0),
    classes("cpu_disk", "CPU and disk", 1.2),
    classes("network_network", "Network and network", 1.4),
    classes("network_disk", "Network and disk", 1.3),
    classes("disk_disk", "Disk and disk", 1.2),
];

const COMPATIBLE: Typed<f64> = real("compatible", "Compatible pairs", 0.0..=1.0, 0.33)
    .unit("of all pairs")
    .when(BY_SHARES)
    .help("Share of the pairs of jobs whose instructions go well together; drawn for each pair");
const GOOD: Typed<f64> = real("cpu_good", "CPU slowdown, compatible", 1.0..=2.5, 1.4)
    .unit("times")
    .when(BY_SHARES)
    .help("Slowdown of the CPU part of two jobs whose instructions go well together");
const POOR: Typed<f64> = real("cpu_poor", "CPU slowdown, others", 1.0..=2.5, 2.0)
    .unit("times")
    .when(BY_SHARES)
    .help("Slowdown of the CPU part of two jobs that compete for the CPU, or take turns on it");
const PAGING: Typed<f64> = real("paging", "Slowdown by paging", 1.0..=10.0, 2.5)
    .unit("times")
    .help("Slowdown of two jobs that do not fit into a node's memory together");
const UNKNOWN: Typed<f64> = real("unknown", "Slowdown if unknown", 1.0..=10.0, 1.4)
    .unit("times")
    .help("Slowdown of two jobs if the demand of one is not known (`demands=none`)");

/// Description of the machine with hyperthreaded nodes.
pub const SPEC: MachineSpec = MachineSpec {
    id: "smt",
    name: "Hyperthreaded nodes",
    summary: "Two jobs can run on a node at once; both become slower by what both need of CPU, \
        network, disk and memory.",
    only_whole: false,
    offer: Offer {
        fit: Fit::InARow,
        processes: false,
        at_once: true,
        moves: false,
        records: false,
    },
    small: &[],
    params: &[
        THREADS.param,
        CPU.param,
        SLOWDOWNS.param,
        COMPATIBLE.param,
        GOOD.param,
        POOR.param,
        BY_CLASS[0].param,
        BY_CLASS[1].param,
        BY_CLASS[2].param,
        BY_CLASS[3].param,
        BY_CLASS[4].param,
        BY_CLASS[5].param,
        PAGING.param,
        UNKNOWN.param,
        PACKING.param,
        STRETCH.param,
    ],
    metrics: &[],
    capacity: |_| None,
    check,
    slots,
    prepare: asks_no_more,
    record: |settings| Box::new(SmtRecord::new(pairing(settings))),
    show: view::show,
    build: |workload, settings, _| {
        let processors = workload.all_processors();
        let slots = slots(settings);
        Machine {
            space: Box::new(OusterhoutMatrix::new(
                processors,
                slots,
                settings.get(&PACKING),
                Tidying::default(),
            )),
            execution: Box::new(Smt::new(
                processors,
                pairing(settings),
                stretch(settings, slots),
            )),
        }
    },
};

/// Rejects buddies under a policy that chooses the nodes of jobs itself, because it cannot choose
/// whole blocks.
fn check(settings: &Settings, chooses_nodes: bool) -> Result<(), Problem> {
    if !chooses_nodes || settings.get(&PACKING) != Packing::Buddy {
        return Ok(());
    }
    Err(Problem::new(
        "`packing=buddy` has no meaning under this policy.",
        "The policy chooses nodes one by one, and buddies keep other jobs out of whole blocks.",
        "Leave `packing` at `first_fit`, or choose another policy.",
    ))
}

fn slots(settings: &Settings) -> u32 {
    settings.get(&THREADS) as u32
}

/// Returns the rules for slowdowns that the settings describe.
pub fn pairing(settings: &Settings) -> Pairing {
    let scaled = |param: &Typed<f64>| (settings.get(param) * WHOLE as f64).round() as i64;
    let by = match settings.get(&SLOWDOWNS) {
        Slowdowns::Measured => By::Measured,
        Slowdowns::Classes => By::Classes(BY_CLASS.each_ref().map(scaled)),
        word @ (Slowdowns::Shares | Slowdowns::Printed) => By::Shares {
            compatible: scaled(&COMPATIBLE),
            good: scaled(&GOOD),
            poor: scaled(&POOR),
            printed: word == Slowdowns::Printed,
        },
    };
    Pairing {
        standard: settings.get(&CPU) == Cpu::Standard,
        by,
        paging: scaled(&PAGING),
        unknown: scaled(&UNKNOWN),
    }
}
