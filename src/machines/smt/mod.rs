//! Hyperthreaded nodes: two jobs can run on a node at the same time, and slow each other down by
//! what they both need.
//!
//! A. C. Sodan and L. Lan, "LOMARC: lookahead matchmaking for multi-resource coscheduling", JSSPP
//! 2004.

mod execution;
mod record;
mod search;
mod slowdown;
mod watch;

pub use execution::Sharing;
pub use record::{Match, Searches, SmtRecord};
pub use search::{Search, Tried, Verdict};
pub use slowdown::{By, Pairing, WHOLE};
pub use watch::Searcher;

use super::shared::{
    MachineSpec, OusterhoutMatrix, PACKING, Packing, STRETCH, Tidying, packing, stretch,
};
use crate::machine::{Fit, Machine, Offer};
use crate::param::{Choice, Kind, Param, Settings, When};
use crate::problem::Problem;
use execution::Smt;

const THREADS: Param = Param {
    key: "threads",
    name: "Jobs on a node",
    kind: Kind::Whole {
        min: 1,
        max: 2,
        default: Some(2),
    },
    unit: "jobs",
    when: None,
    help: "How many jobs may run on a node at the same time; 1 is space sharing",
};

const CPU: Param = Param {
    key: "cpu",
    name: "CPUs",
    kind: Kind::Choice {
        options: &[
            Choice {
                id: "hyperthreaded",
                help: "two jobs compute at the same time",
            },
            Choice {
                id: "standard",
                help: "two jobs take turns on the CPU; communication and the disk go on meanwhile",
            },
        ],
        default: "hyperthreaded",
    },
    unit: "",
    when: None,
    help: "Whether a node's CPU has hardware threads",
};

const SLOWDOWNS: Param = Param {
    key: "slowdowns",
    name: "Slowdowns",
    kind: Kind::Choice {
        options: &[
            Choice {
                id: "shares",
                help: "by what both jobs need of each resource, as the paper's table 2",
            },
            Choice {
                id: "printed",
                help: "by the same sum as it is printed, with the shared parts alone; never below \
                    1",
            },
            Choice {
                id: "measured",
                help: "as in the paper's tables 1 and 3",
            },
            Choice {
                id: "classes",
                help: "a figure for each two classes, by the resource that a job needs most",
            },
        ],
        default: "shares",
    },
    unit: "",
    when: None,
    help: "How it is found by how much two jobs on a node slow each other down",
};

const BY_SHARES: Option<When> = Some(When {
    keys: &["slowdowns"],
    words: &["shares", "printed"],
});
const BY_CLASSES: Option<When> = Some(When {
    keys: &["slowdowns"],
    words: &["classes"],
});

/// The slowdown of two classes.
const fn classes(key: &'static str, name: &'static str, default: f64) -> Param {
    Param::real(
        key,
        name,
        "times",
        (1.0, 10.0, default),
        BY_CLASSES,
        "Slowdown of two jobs of these classes",
    )
}

const BY_CLASS: [Param; 6] = [
    classes("cpu_cpu", "CPU and CPU", 1.4),
    classes("cpu_network", "CPU and network", 1.0),
    classes("cpu_disk", "CPU and disk", 1.2),
    classes("network_network", "Network and network", 1.4),
    classes("network_disk", "Network and disk", 1.3),
    classes("disk_disk", "Disk and disk", 1.2),
];

const COMPATIBLE: Param = Param::real(
    "compatible",
    "Compatible pairs",
    "of all pairs",
    (0.0, 1.0, 0.33),
    BY_SHARES,
    "How many pairs of jobs have instructions that go well together: drawn for each pair",
);
const GOOD: Param = Param::real(
    "cpu_good",
    "CPU slowdown, compatible",
    "times",
    (1.0, 2.5, 1.4),
    BY_SHARES,
    "Slowdown of the CPU part of two jobs that go well together",
);
const POOR: Param = Param::real(
    "cpu_poor",
    "CPU slowdown, others",
    "times",
    (1.0, 2.5, 2.0),
    BY_SHARES,
    "And of two that compete, or take turns",
);
const PAGING: Param = Param::real(
    "paging",
    "Slowdown by paging",
    "times",
    (1.0, 10.0, 2.5),
    None,
    "Slowdown of two jobs that do not fit into a node's memory together",
);
const UNKNOWN: Param = Param::real(
    "unknown",
    "Slowdown if unknown",
    "times",
    (1.0, 10.0, 1.4),
    None,
    "Slowdown of two jobs of which it is not known what they need (`demands=none`)",
);

/// The machine's description.
pub const SPEC: MachineSpec = MachineSpec {
    id: "smt",
    name: "Hyperthreaded nodes",
    summary: "Two jobs can run on a node at once, each slower by what they both need of CPU, \
        network, disk and memory.",
    offer: Offer {
        fit: Fit::InARow,
        processes: false,
        at_once: true,
        moves: false,
    },
    small: &[],
    params: &[
        THREADS,
        CPU,
        SLOWDOWNS,
        COMPATIBLE,
        GOOD,
        POOR,
        BY_CLASS[0],
        BY_CLASS[1],
        BY_CLASS[2],
        BY_CLASS[3],
        BY_CLASS[4],
        BY_CLASS[5],
        PAGING,
        UNKNOWN,
        PACKING,
        STRETCH,
    ],
    metrics: &[],
    capacity: |_| None,
    check,
    slots,
    record: |settings| Box::new(SmtRecord::new(pairing(settings))),
    build: |processors, settings, _| {
        let slots = slots(settings);
        Machine {
            space: Box::new(OusterhoutMatrix::new(
                processors,
                slots,
                packing(settings),
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

/// A policy that chooses the nodes of jobs itself cannot do so in blocks.
fn check(settings: &Settings, chooses_nodes: bool) -> Result<(), Problem> {
    if !chooses_nodes || packing(settings) != Packing::Buddy {
        return Ok(());
    }
    Err(Problem::new(
        "`packing=buddy` has no meaning under this policy.",
        "It chooses nodes one by one, and buddies keep others out of whole blocks of them.",
        "Leave `packing` at `first_fit`, or choose another policy.",
    ))
}

fn slots(settings: &Settings) -> u32 {
    settings.whole(&THREADS) as u32
}

/// What two jobs on the same nodes do to each other.
pub fn pairing(settings: &Settings) -> Pairing {
    let scaled = |param: &Param| (settings.real(param) * WHOLE as f64).round() as i64;
    let by = match settings.choice(&SLOWDOWNS) {
        "measured" => By::Measured,
        "classes" => By::Classes(BY_CLASS.each_ref().map(scaled)),
        word => By::Shares {
            compatible: scaled(&COMPATIBLE),
            good: scaled(&GOOD),
            poor: scaled(&POOR),
            printed: word == "printed",
        },
    };
    Pairing {
        standard: settings.choice(&CPU) == "standard",
        by,
        paging: scaled(&PAGING),
        unknown: scaled(&UNKNOWN),
    }
}
