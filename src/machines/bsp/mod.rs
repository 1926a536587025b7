//! A cluster, simulated process by process. Jobs are bulk-synchronous, and several jobs can share a
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
    Activity, Algorithm, Arrival, Class, Constants, FFirst, History, LocalRule, Probe, ProbeSpan,
    Probed, ProcessCluster, Thresholds, first_daemon,
};

pub use execution::{ReadProbe, iteration};
pub use note::{Classified, Worked};
pub use record::BspRecord;

use super::shared::{
    MachineSpec, OusterhoutMatrix, PACKING, STRETCH, Tidying, asks_no_more, has_no_pictures,
    stretch,
};
use crate::machine::{Fit, MOST_ROWS, Machine, Offer};
use crate::param::{Settings, Typed, When, real, whole, words};
use crate::problem::Problem;
use execution::Bsp;

const ALGORITHM: Typed<Algorithm> =
    Algorithm::param("coscheduling", "Coscheduling", Algorithm::Flexible)
        .help("Rule that decides which of the processes on a processor runs");

const SHARED: When = When {
    keys: &["coscheduling"],
    words: &["gang", "spin_block", "flexible"],
};
const TURNS: When = When {
    keys: &["coscheduling"],
    words: &["gang", "flexible"],
};
const LOCALLY: When = When {
    keys: &["coscheduling"],
    words: &["spin_block", "flexible"],
};
const CLASSED: When = When {
    keys: &["coscheduling"],
    words: &["flexible"],
};

const MPL: Typed<i64> = whole("mpl", "Multiprogramming level", 1..=MOST_ROWS as i64, 3)
    .unit("jobs")
    .when(SHARED)
    .help("Number of processes that can share a processor: the rows of the Ousterhout matrix");

const SLICE: Typed<f64> = real("slice", "Time slice", 1.0..=1e6, 100.0)
    .unit("ms")
    .when(TURNS)
    .help("T_slice: length of a row's turn");
const SPIN: Typed<f64> = real("spin", "Spin time", 0.0..=1e6, 120.0)
    .unit("us")
    .when(LOCALLY)
    .help("T_spin: time that a process spins before it blocks");
const LATENCY: Typed<f64> = real("latency", "Latency", 1.0..=1e6, 5.0)
    .unit("us")
    .help("Time from sending a message to its arrival");
const SWITCH: Typed<f64> = real("process_switch", "Process switch", 0.0..=1e6, 5.0)
    .unit("us")
    .when(SHARED)
    .help("Cost of a switch from one process to another");
const TURN: Typed<f64> = real("turn_cost", "Change of turns", 0.0..=1e6, 500.0)
    .unit("us")
    .when(TURNS)
    .help(
        "Time that a processor loses when another row has its turn, because the daemon of its node \
            decides what runs",
    );
const RELOAD: Typed<f64> = real("reload", "Cache reload", 0.0..=1e6, 1500.0)
    .unit("us")
    .when(SHARED)
    .help("Longest time that a process needs to fill the cache again after other processes ran");
const DISPLACED: Typed<f64> = real("displaced", "Displaced", 0.0..=1.0, 0.018)
    .unit("of the time")
    .when(SHARED)
    .help(
        "Cost of filling the cache again, as a share of the time that other processes ran; at most \
            the cache reload",
    );
const MEASURE: Typed<f64> = real("measure", "Measuring", 0.0..=1e4, 5.0)
    .unit("us")
    .when(CLASSED)
    .help("Cost of measuring a communication of a process");
const NOISE_PERIOD: Typed<f64> = real("noise_period", "Noise period", 0.0..=1e7, 1000.0)
    .unit("ms")
    .help(
        "Period of a system daemon, which comes to each processor at a time of its own; 0 means \
            never",
    );
const NOISE_LENGTH: Typed<f64> = real("noise_length", "Noise length", 0.0..=1e6, 100.0)
    .unit("us")
    .help("Time that the daemon takes in each period");
const CS_THRESH: Typed<f64> = real("cs_thresh", "CS threshold", 0.0..=1e6, 2.0)
    .unit("ms")
    .when(CLASSED)
    .help("CS_thresh: processes of a finer granularity are CS");
const DC_THRESH: Typed<f64> = real("dc_thresh", "DC threshold", 0.0..=1e7, 1000.0)
    .unit("ms")
    .when(CLASSED)
    .help("DC_thresh: processes of a coarser granularity are DC");
const F_THRESH: Typed<f64> = real("f_thresh", "F threshold", 0.0..=100.0, 0.85)
    .unit("of CS threshold")
    .when(CLASSED)
    .help(
        "F_thresh: processes between the CS and DC thresholds are F if they compute less than this \
            per communication",
    );
const LEAST_SLOTS: Typed<i64> = whole("cslots_min", "Slots in a class", 1..=1_000_000, 20)
    .unit("slots")
    .when(CLASSED)
    .help("cslots_MIN: number of slots in a class before a process is judged again");
const MOST_SLOTS: Typed<i64> = whole("tslots_max", "Reset after", 1..=1_000_000_000, 32_768)
    .unit("slots")
    .when(CLASSED)
    .help("tslots_MAX: number of slots after which a process is CS again");

words! {
    /// The local scheduler of a processor.
    enum Local {
        Linux24 = "linux24": "the scheduler of Linux 2.4, with epochs and counters; processes that \
            slept go first",
        RoundRobin = "round_robin": "one process after the other",
    }
}

const LOCAL: Typed<Local> = Local::param("local", "Local scheduler", Local::Linux24)
    .when(LOCALLY)
    .help("Rule by which a processor chooses among its processes when it decides for itself");
const FAVOUR: Typed<FFirst> = FFirst::param("f_first", "F goes first", FFirst::Gently)
    .when(CLASSED)
    .help("Slots in which a process of class F runs first, whatever the local scheduler says");
const LOCAL_QUANTUM: Typed<f64> = real("local_quantum", "Local quantum", 0.1..=1e5, 19.8)
    .unit("ms")
    .when(LOCALLY)
    .help("Full counter of a process in Linux, or its turn in round robin");
const TICK: Typed<f64> = real("tick", "Tick", 1.0..=1e6, 244.0)
    .unit("us")
    .when(LOCALLY)
    .help("Unit in which Linux compares counters");
const MARGIN: Typed<i64> = whole("wake_margin", "Margin at waking", 0..=1_000_000, 80)
    .unit("ticks")
    .when(LOCALLY)
    .help(
        "A process that wakes preempts the running process in Linux if its counter is larger by \
            more than this",
    );
const SEED: Typed<i64> = whole("noise_seed", "Noise seed", 0..=4_294_967_295, 1)
    .help("Seed that determines when a daemon first comes to each processor");

/// Description of the cluster.
pub const SPEC: MachineSpec = MachineSpec {
    id: "bsp",
    name: "Cluster of processes",
    summary: "Bulk-synchronous processes compute, exchange messages and share processors: batch, \
        gang, spin-block or flexible coscheduling. For workloads of minutes and hours, because \
        every millisecond of every processor takes computing time.",
    only_whole: false,
    offer: Offer {
        fit: Fit::InARow,
        processes: true,
        at_once: false,
        moves: false,
        records: false,
    },
    small: &[],
    params: &[
        ALGORITHM.param,
        MPL.param,
        SLICE.param,
        SPIN.param,
        LATENCY.param,
        SWITCH.param,
        TURN.param,
        RELOAD.param,
        DISPLACED.param,
        MEASURE.param,
        NOISE_PERIOD.param,
        NOISE_LENGTH.param,
        SEED.param,
        LOCAL.param,
        LOCAL_QUANTUM.param,
        TICK.param,
        MARGIN.param,
        CS_THRESH.param,
        DC_THRESH.param,
        F_THRESH.param,
        LEAST_SLOTS.param,
        MOST_SLOTS.param,
        FAVOUR.param,
        PACKING.param,
        STRETCH.param,
    ],
    metrics: &[],
    capacity: |_| None,
    check: |settings, _| check(settings),
    slots,
    prepare: asks_no_more,
    record: |_| Box::new(BspRecord::default()),
    show: has_no_pictures,
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
            execution: Box::new(Bsp::new(
                (processors, slots),
                constants(settings),
                settings.get(&SEED) as u64,
                stretch(settings, slots),
            )),
        }
    },
};

fn slots(settings: &Settings) -> u32 {
    if settings.get(&ALGORITHM) == Algorithm::Batch {
        1
    } else {
        settings.get(&MPL) as u32
    }
}

/// Rejects costs that leave processes no time to compute.
fn check(settings: &Settings) -> Result<(), Problem> {
    let problem = |what: String, why: &str, next: &str| Err(Problem::new(what, why, next));
    // The cluster rounds both values to whole microseconds.
    let (period, length) = (
        (settings.get(&NOISE_PERIOD) * 1000.0).round(),
        settings.get(&NOISE_LENGTH).round(),
    );
    if period > 0.0 && 2.0 * length > period {
        return problem(
            format!(
                "`noise_length={length}` is more than half of `noise_period={}`.",
                settings.get(&NOISE_PERIOD)
            ),
            "Daemons would take most of the time. If they took all of it, no process would make \
                progress.",
            "Shorten `noise_length` (in microseconds), or lengthen `noise_period` (in \
                milliseconds).",
        );
    }
    let cost = settings.get(&SWITCH) + settings.get(&TURN) + settings.get(&RELOAD);
    let algorithm = settings.get(&ALGORITHM);
    let turn = match algorithm {
        Algorithm::Gang | Algorithm::Flexible => settings.get(&SLICE) * 1000.0,
        _ => f64::INFINITY,
    };
    let local = if matches!(algorithm, Algorithm::SpinBlock | Algorithm::Flexible) {
        settings.get(&LOCAL_QUANTUM) * 1000.0
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
                "A switch of up to {cost} us and {daemons} us of daemons leave nothing of a turn \
                    of {shortest} us."
            ),
            "Process switch, change of turns, cache reload and daemons together must take less \
                time than a time slice and a local quantum.",
            "Lengthen `slice` and `local_quantum`, or reduce the costs.",
        );
    }
    Ok(())
}

fn constants(settings: &Settings) -> Constants {
    let scaled = |param: &Typed<f64>, by: f64| (settings.get(param) * by).round() as i64;
    let (micro, milli) = (
        |param: &Typed<f64>| scaled(param, 1.0),
        |param: &Typed<f64>| scaled(param, 1000.0),
    );
    // In batch a processor never switches: a job starts on it after the last job has gone.
    let is_shared = settings.get(&ALGORITHM) != Algorithm::Batch;
    Constants {
        algorithm: settings.get(&ALGORITHM),
        local: if settings.get(&LOCAL) == Local::RoundRobin {
            LocalRule::RoundRobin {
                quantum: milli(&LOCAL_QUANTUM),
            }
        } else {
            LocalRule::Epochs {
                base: milli(&LOCAL_QUANTUM),
                tick: micro(&TICK).max(1),
                margin: settings.get(&MARGIN),
            }
        },
        latency: micro(&LATENCY),
        spin: micro(&SPIN),
        switch: if is_shared { micro(&SWITCH) } else { 0 },
        turn: micro(&TURN),
        reload: micro(&RELOAD),
        displaced: scaled(&DISPLACED, 1000.0),
        measure: micro(&MEASURE),
        f_first: settings.get(&FAVOUR),
        noise_period: milli(&NOISE_PERIOD),
        noise_length: micro(&NOISE_LENGTH),
        thresholds: Thresholds {
            slice: milli(&SLICE),
            cs: milli(&CS_THRESH),
            dc: milli(&DC_THRESH),
            f: (settings.get(&F_THRESH) * settings.get(&CS_THRESH) * 1000.0).round() as i64,
            least_slots: settings.get(&LEAST_SLOTS) as u32,
            most_slots: settings.get(&MOST_SLOTS) as u32,
        },
    }
}
