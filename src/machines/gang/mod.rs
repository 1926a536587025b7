//! Gang scheduling: the rows of an Ousterhout matrix take turns, and all processes of a job run at
//! the same time.
//!
//! H. Rajaei and M. B. Dadfar, "High-performance computing student projects", ASEE 2007, section
//! 3.6; D. G. Feitelson, "Packing schemes for gang scheduling", JSSPP 1996; Y. Zhang, H. Franke, J.
//! Moreira and A. Sivasubramaniam, "An integrated approach to parallel scheduling using
//! gang-scheduling, backfilling, and migration", IEEE TPDS 14(3), 2003.

mod execution;

use super::shared::{MachineSpec, OusterhoutMatrix, PACKING, STRETCH, Tidying, packing, stretch};
use crate::machine::{Fit, MOST_ROWS, Machine, Offer, Rotation};
use crate::param::{Choice, Kind, Param, Settings};
use crate::problem::Problem;
use crate::schedule::Nothing;
use crate::time::Span;
use execution::Gang;

const SLOTS: Param = Param {
    key: "slots",
    name: "Time slots",
    kind: Kind::Whole {
        min: 1,
        max: MOST_ROWS as i64,
        default: Some(3),
    },
    unit: "rows",
    when: None,
    help: "Rows of the Ousterhout matrix: how many jobs can share a processor (the \
        multiprogramming level); 1 is batch",
};

const QUANTUM: Param = Param {
    key: "quantum",
    name: "Quantum",
    kind: Kind::Real {
        min: 0.001,
        max: 86_400.0,
        default: 10.0,
    },
    unit: "s",
    when: None,
    help: "How long a row runs before it is the next one's turn",
};

const SWITCH_COST: Param = Param {
    key: "switch_cost",
    name: "Context switch",
    kind: Kind::Real {
        min: 0.0,
        max: 3600.0,
        default: 0.0,
    },
    unit: "s",
    when: None,
    help: "What a switch from one row to another takes of the quantum: nobody runs meanwhile",
};

const fn switch(key: &'static str, name: &'static str, help: &'static str) -> Param {
    const WORDS: &[Choice] = &[
        Choice {
            id: "off",
            help: "no",
        },
        Choice {
            id: "on",
            help: "yes",
        },
    ];
    Param {
        key,
        name,
        kind: Kind::Choice {
            options: WORDS,
            default: "off",
        },
        unit: "",
        when: None,
        help,
    }
}

const UNIFY: Param = switch(
    "unify",
    "Slot unification",
    "When jobs have ended, a row whose processors are all idle in an earlier row joins that one",
);

const MOVE: Param = switch(
    "move_jobs",
    "Migration",
    "When jobs have ended, a job moves to the first row before its own that has room, wherever \
        that is",
);

const ALTERNATE: Param = switch(
    "alternate",
    "Alternative scheduling",
    "A job also runs in the slots of other rows in which all of its processors are idle",
);

/// The machine's description.
pub const SPEC: MachineSpec = MachineSpec {
    id: "gang",
    name: "Gang scheduling",
    summary: "Several jobs share the processors: the rows of an Ousterhout matrix take turns, a \
        quantum each.",
    offer: Offer {
        fit: Fit::InARow,
        processes: false,
        at_once: false,
        moves: false,
    },
    small: &[],
    params: &[
        SLOTS,
        QUANTUM,
        SWITCH_COST,
        PACKING,
        UNIFY,
        MOVE,
        ALTERNATE,
        STRETCH,
    ],
    metrics: &[],
    capacity: |_| None,
    check: |settings, _| check(settings),
    slots,
    record: |_| Box::new(Nothing),
    build: |processors, settings, _| {
        let slots = slots(settings);
        let is_on = |param: &Param| settings.choice(param) == "on";
        let tidying = Tidying {
            unifies: is_on(&UNIFY),
            moves: is_on(&MOVE),
        };
        let rotation = Rotation::new(seconds(settings, &QUANTUM), seconds(settings, &SWITCH_COST));
        Machine {
            space: Box::new(OusterhoutMatrix::new(
                processors,
                slots,
                packing(settings),
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
    settings.whole(&SLOTS) as u32
}

fn seconds(settings: &Settings, param: &Param) -> Span {
    Span::from_microseconds((settings.real(param) * 1e6).round() as i64)
}

fn check(settings: &Settings) -> Result<(), Problem> {
    if settings.real(&SWITCH_COST) <= 0.9 * settings.real(&QUANTUM) {
        return Ok(());
    }
    Err(Problem::new(
        format!(
            "`switch_cost={}` leaves less than a tenth of `quantum={}`.",
            settings.real(&SWITCH_COST),
            settings.real(&QUANTUM)
        ),
        "A switch takes its time of the quantum that begins with it, and jobs would hardly ever \
            end.",
        "Make the quantum longer than a context switch.",
    ))
}
