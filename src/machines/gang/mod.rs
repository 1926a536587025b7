//! Gang scheduling: the rows of an Ousterhout matrix take turns, and all processes of a job run at
//! the same time.
//!
//! * H. Rajaei and M. B. Dadfar, "High-performance computing student projects", ASEE 2007, section
//!   3.6.
//! * D. G. Feitelson, "Packing schemes for gang scheduling", JSSPP 1996.
//! * Y. Zhang, H. Franke, J. Moreira and A. Sivasubramaniam, "An integrated approach to parallel
//!   scheduling using gang-scheduling, backfilling, and migration", IEEE TPDS 14(3), 2003.

mod execution;

use super::shared::{
    MachineSpec, OusterhoutMatrix, PACKING, STRETCH, Tidying, asks_no_more, has_no_pictures,
    stretch,
};
use crate::machine::{Fit, MOST_ROWS, Machine, Offer, Rotation};
use crate::param::{Settings, Typed, real, whole, words};
use crate::problem::Problem;
use crate::schedule::Nothing;
use crate::time::Span;
use execution::Gang;

const SLOTS: Typed<i64> = whole("slots", "Time slots", 1..=MOST_ROWS as i64, 3)
    .unit("rows")
    .help(
        "Rows of the Ousterhout matrix: the number of jobs that can share a processor (the \
            multiprogramming level); 1 is batch",
    );

const QUANTUM: Typed<f64> = real("quantum", "Quantum", 0.001..=86_400.0, 10.0)
    .unit("s")
    .help("Time that a row runs before the next row has its turn");

const SWITCH_COST: Typed<f64> = real("switch_cost", "Context switch", 0.0..=3600.0, 0.0)
    .unit("s")
    .help("Time that a switch between rows takes from the quantum; no job runs meanwhile");

words! {
    /// The state of a rule that users can switch on.
    enum Switch {
        Off = "off": "the rule does not apply",
        On = "on": "the rule applies",
    }
}

const fn switch(key: &'static str, name: &'static str) -> Typed<Switch> {
    Switch::param(key, name, Switch::Off)
}

const UNIFY: Typed<Switch> = switch("unify", "Slot unification").help(
    "When jobs have ended, a row joins an earlier row in which all of its processors are idle",
);

const MOVE: Typed<Switch> = switch("move_jobs", "Migration").help(
    "When jobs have ended, a job moves to the first earlier row that has room, on any processors",
);

const ALTERNATE: Typed<Switch> = switch("alternate", "Alternative scheduling")
    .help("A job also runs in the slots of other rows in which all of its processors are idle");

/// Description of the gang-scheduled machine.
pub const SPEC: MachineSpec = MachineSpec {
    id: "gang",
    name: "Gang scheduling",
    summary: "Several jobs share the processors: the rows of an Ousterhout matrix take turns of \
        one quantum each.",
    only_whole: false,
    offer: Offer {
        fit: Fit::InARow,
        processes: false,
        at_once: false,
        moves: false,
        records: false,
    },
    small: &[],
    params: &[
        SLOTS.param,
        QUANTUM.param,
        SWITCH_COST.param,
        PACKING.param,
        UNIFY.param,
        MOVE.param,
        ALTERNATE.param,
        STRETCH.param,
    ],
    metrics: &[],
    capacity: |_| None,
    check: |settings, _| check(settings),
    slots,
    prepare: asks_no_more,
    record: |_| Box::new(Nothing),
    show: has_no_pictures,
    build: |workload, settings, _| {
        let processors = workload.all_processors();
        let slots = slots(settings);
        let is_on = |param| settings.get(param) == Switch::On;
        let tidying = Tidying {
            unifies: is_on(&UNIFY),
            moves: is_on(&MOVE),
        };
        let rotation = Rotation::new(seconds(settings, &QUANTUM), seconds(settings, &SWITCH_COST));
        Machine {
            space: Box::new(OusterhoutMatrix::new(
                processors,
                slots,
                settings.get(&PACKING),
                tidying,
            )),
            execution: Box::new(Gang::new(
                rotation,
                is_on(&ALTERNATE),
                stretch(settings, slots),
            )),
        }
    },
};

fn slots(settings: &Settings) -> u32 {
    settings.get(&SLOTS) as u32
}

fn seconds(settings: &Settings, param: &Typed<f64>) -> Span {
    Span::from_microseconds((settings.get(param) * 1e6).round() as i64)
}

fn check(settings: &Settings) -> Result<(), Problem> {
    if settings.get(&SWITCH_COST) <= 0.9 * settings.get(&QUANTUM) {
        return Ok(());
    }
    Err(Problem::new(
        format!(
            "`switch_cost={}` leaves less than a tenth of `quantum={}`.",
            settings.get(&SWITCH_COST),
            settings.get(&QUANTUM)
        ),
        "A switch takes its time from the quantum that begins with it, so jobs would hardly make \
            progress.",
        "Raise `quantum`, or lower `switch_cost`.",
    ))
}
