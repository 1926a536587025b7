//! A cluster seen process by process: bulk-synchronous jobs, of which several can share a
//! processor.
//!
//! E. Frachtenberg, D. G. Feitelson, F. Petrini and J. Fernandez, "Adaptive parallel job scheduling
//! with flexible coscheduling", IEEE TPDS 16(11), 2005: batch scheduling, gang scheduling,
//! spin-block and flexible coscheduling.

mod cluster;
mod execution;
mod note;
mod record;

pub use cluster::{
    Activity, Algorithm, Arrival, Class, Cluster, Constants, FFirst, History, LocalRule, Probe,
    ProbeSpan, Probed, Thresholds, first_daemon,
};

pub use execution::{ReadProbe, iteration};
pub use note::{Classified, Worked};
pub use record::BspRecord;

use super::shared::{MachineSpec, OusterhoutMatrix, PACKING, STRETCH, Tidying, packing, stretch};
use crate::machine::{Fit, MOST_ROWS, Machine, Offer};
use crate::param::{Choice, Kind, Param, Settings, When};
use crate::problem::Problem;
use execution::Bsp;

const ALGORITHM: Param = Param {
    key: "coscheduling",
    name: "Coscheduling",
    kind: Kind::Choice {
        options: &[
            Choice {
                id: "batch",
                help: "none: a processor has one process until its job ends",
            },
            Choice {
                id: "gang",
                help: "rows take turns; a process that waits for messages spins (GS)",
            },
            Choice {
                id: "spin_block",
                help: "every processor for itself; a process that waits spins for a while, then \
                    blocks (SB)",
            },
            Choice {
                id: "flexible",
                help: "rows take turns for processes that need it; others fill the gaps (FCS)",
            },
        ],
        default: "flexible",
    },
    unit: "",
    when: None,
    help: "What decides which of the processes that share a processor runs",
};

const SHARED: Option<When> = Some(When {
    keys: &["coscheduling"],
    words: &["gang", "spin_block", "flexible"],
});
const TURNS: Option<When> = Some(When {
    keys: &["coscheduling"],
    words: &["gang", "flexible"],
});
const LOCALLY: Option<When> = Some(When {
    keys: &["coscheduling"],
    words: &["spin_block", "flexible"],
});
const CLASSED: Option<When> = Some(When {
    keys: &["coscheduling"],
    words: &["flexible"],
});

const MPL: Param = Param {
    key: "mpl",
    name: "Multiprogramming level",
    kind: Kind::Whole {
        min: 1,
        max: MOST_ROWS as i64,
        default: Some(3),
    },
    unit: "jobs",
    when: SHARED,
    help: "How many processes may share a processor: the rows of the Ousterhout matrix",
};

const SLICE: Param = Param::real(
    "slice",
    "Time slice",
    "ms",
    (1.0, 1e6, 100.0),
    TURNS,
    "T_slice: how long a row's turn is",
);
const SPIN: Param = Param::real(
    "spin",
    "Spin time",
    "us",
    (0.0, 1e6, 120.0),
    LOCALLY,
    "T_spin: how long a process spins before it blocks",
);
const LATENCY: Param = Param::real(
    "latency",
    "Latency",
    "us",
    (1.0, 1e6, 40.0),
    None,
    "From sending a message to its being there",
);
const SWITCH: Param = Param::real(
    "process_switch",
    "Process switch",
    "us",
    (0.0, 1e6, 5.0),
    SHARED,
    "What changing from one process to another costs",
);
const TURN: Param = Param::real(
    "turn_cost",
    "Change of turns",
    "us",
    (0.0, 1e6, 500.0),
    TURNS,
    "What a processor loses when rows change turns: its node's daemon decides what runs now",
);
const RELOAD: Param = Param::real(
    "reload",
    "Cache reload",
    "us",
    (0.0, 1e6, 1500.0),
    SHARED,
    "What a process needs at most to fill the cache again after others ran",
);
const DISPLACED: Param = Param::real(
    "displaced",
    "Displaced",
    "of the time",
    (0.0, 1.0, 0.018),
    SHARED,
    "How fast others displace the cache: reloading costs this share of the time they ran, up to \
        the whole",
);
const MEASURE: Param = Param::real(
    "measure",
    "Measuring",
    "us",
    (0.0, 1e4, 5.0),
    CLASSED,
    "What measuring a communication costs a process",
);
const NOISE_PERIOD: Param = Param::real(
    "noise_period",
    "Noise period",
    "ms",
    (0.0, 1e7, 1000.0),
    None,
    "A daemon of the system comes to every processor so often, each at its own time; 0 is never",
);
const NOISE_LENGTH: Param = Param::real(
    "noise_length",
    "Noise length",
    "us",
    (0.0, 1e6, 100.0),
    None,
    "And takes so long",
);
const CS_THRESH: Param = Param::real(
    "cs_thresh",
    "CS threshold",
    "ms",
    (0.0, 1e6, 2.0),
    CLASSED,
    "CS_thresh: processes of a finer granularity are CS",
);
const DC_THRESH: Param = Param::real(
    "dc_thresh",
    "DC threshold",
    "ms",
    (0.0, 1e7, 1000.0),
    CLASSED,
    "DC_thresh: processes of a coarser granularity are DC",
);
const F_THRESH: Param = Param::real(
    "f_thresh",
    "F threshold",
    "of CS threshold",
    (0.0, 100.0, 0.85),
    CLASSED,
    "F_thresh: processes that compute less than this per communication, but take longer than CS, \
        are F",
);
const LEAST_SLOTS: Param = Param {
    key: "cslots_min",
    name: "Slots in a class",
    kind: Kind::Whole {
        min: 1,
        max: 1_000_000,
        default: Some(20),
    },
    unit: "slots",
    when: CLASSED,
    help: "cslots_MIN: slots in a class before a process is judged again",
};
const MOST_SLOTS: Param = Param {
    key: "tslots_max",
    name: "Reset after",
    kind: Kind::Whole {
        min: 1,
        max: 1_000_000_000,
        default: Some(32_768),
    },
    unit: "slots",
    when: CLASSED,
    help: "tslots_MAX: after every so many slots a process is CS again",
};
const LOCAL: Param = Param {
    key: "local",
    name: "Local scheduler",
    kind: Kind::Choice {
        options: &[
            Choice {
                id: "linux24",
                help: "Linux 2.4's: epochs, counters, who slept goes first",
            },
            Choice {
                id: "round_robin",
                help: "one after the other",
            },
        ],
        default: "linux24",
    },
    unit: "",
    when: LOCALLY,
    help: "How a processor chooses among its processes where it decides for itself",
};
const FAVOUR: Param = Param {
    key: "f_first",
    name: "F goes first",
    kind: Kind::Choice {
        options: &[
            Choice {
                id: "gently",
                help: "in its own slot it is chosen first; in every slot, those that do not \
                    communicate make way",
            },
            Choice {
                id: "every_slot",
                help: "in its own slot all make way, in others those that do not communicate",
            },
            Choice {
                id: "own_slot",
                help: "in its own slot all make way (Algorithm 1 to the letter)",
            },
        ],
        default: "gently",
    },
    unit: "",
    when: CLASSED,
    help: "When a process of class F goes before others, whatever the local scheduler says",
};
const LOCAL_QUANTUM: Param = Param::real(
    "local_quantum",
    "Local quantum",
    "ms",
    (0.1, 1e5, 5.25),
    LOCALLY,
    "A full counter of Linux, or a turn of round robin",
);
const TICK: Param = Param::real(
    "tick",
    "Tick",
    "us",
    (1.0, 1e6, 5250.0),
    LOCALLY,
    "What Linux compares counters in",
);
const SEED: Param = Param {
    key: "noise_seed",
    name: "Noise seed",
    kind: Kind::Whole {
        min: 0,
        max: 4_294_967_295,
        default: Some(1),
    },
    unit: "",
    when: None,
    help: "When daemons come to which processor first",
};

/// The machine's description.
pub const SPEC: MachineSpec = MachineSpec {
    id: "bsp",
    name: "Cluster of processes",
    summary: "Bulk-synchronous processes that compute, exchange messages and share processors: \
        batch, gang, spin-block, flexible coscheduling. For workloads of minutes and hours: every \
        millisecond of every processor is work.",
    offer: Offer {
        fit: Fit::InARow,
        processes: true,
        at_once: false,
        moves: false,
    },
    small: &[],
    params: &[
        ALGORITHM,
        MPL,
        SLICE,
        SPIN,
        LATENCY,
        SWITCH,
        TURN,
        RELOAD,
        DISPLACED,
        MEASURE,
        NOISE_PERIOD,
        NOISE_LENGTH,
        SEED,
        LOCAL,
        LOCAL_QUANTUM,
        TICK,
        CS_THRESH,
        DC_THRESH,
        F_THRESH,
        LEAST_SLOTS,
        MOST_SLOTS,
        FAVOUR,
        PACKING,
        STRETCH,
    ],
    metrics: &[],
    capacity: |_| None,
    check: |settings, _| check(settings),
    slots,
    record: |_| Box::new(BspRecord::default()),
    build: |processors, settings, _| {
        let slots = slots(settings);
        Machine {
            space: Box::new(OusterhoutMatrix::new(
                processors,
                slots,
                packing(settings),
                Tidying::default(),
            )),
            execution: Box::new(Bsp::new(
                (processors, slots),
                constants(settings),
                settings.whole(&SEED) as u64,
                stretch(settings, slots),
            )),
        }
    },
};

fn slots(settings: &Settings) -> u32 {
    if settings.choice(&ALGORITHM) == "batch" {
        1
    } else {
        settings.whole(&MPL) as u32
    }
}

/// Nothing may take so much time that processes never get on.
fn check(settings: &Settings) -> Result<(), Problem> {
    let problem = |what: String, why: &str, next: &str| Err(Problem::new(what, why, next));
    // As the cluster has them: in whole microseconds.
    let (period, length) = (
        (settings.real(&NOISE_PERIOD) * 1000.0).round(),
        settings.real(&NOISE_LENGTH).round(),
    );
    if period > 0.0 && 2.0 * length > period {
        return problem(
            format!(
                "`noise_length={length}` is more than half of `noise_period={}`.",
                settings.real(&NOISE_PERIOD)
            ),
            "Daemons that take most of the time are no noise, and at all of it no process would \
                ever get on.",
            "Shorten `noise_length` (in microseconds), or lengthen `noise_period` (in \
                milliseconds).",
        );
    }
    let cost = settings.real(&SWITCH) + settings.real(&TURN) + settings.real(&RELOAD);
    let algorithm = settings.choice(&ALGORITHM);
    let turn = match algorithm {
        "gang" | "flexible" => settings.real(&SLICE) * 1000.0,
        _ => f64::INFINITY,
    };
    let local = if matches!(algorithm, "spin_block" | "flexible") {
        settings.real(&LOCAL_QUANTUM) * 1000.0
    } else {
        f64::INFINITY
    };
    let shortest = turn.min(local);
    let daemons = if period > 0.0 && shortest.is_finite() {
        ((shortest / period).floor() + 1.0) * length
    } else {
        0.0
    };
    if cost + daemons >= shortest {
        return problem(
            format!(
                "A switch of up to {cost} us, and {daemons} us of daemons, leave nothing of a \
                    turn of {shortest} us."
            ),
            "Process switch, change of turns, cache reload and daemons together must be shorter \
                than a time slice and a local quantum.",
            "Make those longer, or these less.",
        );
    }
    Ok(())
}

fn constants(settings: &Settings) -> Constants {
    let scaled = |param: &Param, by: f64| (settings.real(param) * by).round() as i64;
    let (micro, milli) = (
        |param: &Param| scaled(param, 1.0),
        |param: &Param| scaled(param, 1000.0),
    );
    // In batch a processor never switches: a job begins on it when the one before has gone.
    let is_shared = settings.choice(&ALGORITHM) != "batch";
    Constants {
        algorithm: match settings.choice(&ALGORITHM) {
            "batch" => Algorithm::Batch,
            "gang" => Algorithm::Gang,
            "spin_block" => Algorithm::SpinBlock,
            _ => Algorithm::Flexible,
        },
        local: if settings.choice(&LOCAL) == "round_robin" {
            LocalRule::RoundRobin {
                quantum: milli(&LOCAL_QUANTUM),
            }
        } else {
            LocalRule::Epochs {
                base: milli(&LOCAL_QUANTUM),
                tick: micro(&TICK).max(1),
            }
        },
        latency: micro(&LATENCY),
        spin: micro(&SPIN),
        switch: if is_shared { micro(&SWITCH) } else { 0 },
        turn: micro(&TURN),
        reload: micro(&RELOAD),
        displaced: scaled(&DISPLACED, 1000.0),
        measure: micro(&MEASURE),
        f_first: match settings.choice(&FAVOUR) {
            "own_slot" => FFirst::OwnSlot,
            "every_slot" => FFirst::EverySlot,
            _ => FFirst::Gently,
        },
        noise_period: milli(&NOISE_PERIOD),
        noise_length: micro(&NOISE_LENGTH),
        thresholds: Thresholds {
            slice: milli(&SLICE),
            cs: milli(&CS_THRESH),
            dc: milli(&DC_THRESH),
            f: (settings.real(&F_THRESH) * settings.real(&CS_THRESH) * 1000.0).round() as i64,
            least_slots: settings.whole(&LEAST_SLOTS) as u32,
            most_slots: settings.whole(&MOST_SLOTS) as u32,
        },
    }
}
