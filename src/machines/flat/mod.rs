//! The flat machine: any free processors serve a job (variable partitioning).
//!
//! Free processors are a bitmap, and a job gets the lowest free ones: schedules are then the same
//! everywhere, and timelines show few fragments. Where no picture is wanted only counts are kept.

use super::shared::{Bitmap, Counted, Dedicated, MachineSpec, start_delay};
use crate::machine::{Fit, Machine, Offer, Placements};
use crate::param::Typed;
use crate::schedule::Nothing;
use crate::time::Span;

const DELAY: Typed<i64> = start_delay(0);

/// The machine's description.
pub const SPEC: MachineSpec = MachineSpec {
    id: "flat",
    name: "Flat",
    summary: "Any free processors serve a job; it has them to itself until it ends.",
    offer: Offer {
        fit: Fit::Anywhere,
        processes: false,
        at_once: false,
        moves: false,
    },
    small: &[],
    params: &[DELAY.param],
    metrics: &[],
    capacity: |_| None,
    check: |_, _| Ok(()),
    slots: |_| 1,
    record: |_| Box::new(Nothing),
    build: |processors, settings, placements| Machine {
        space: match placements {
            Placements::Recorded => Box::new(Bitmap::new(processors)),
            Placements::Counted => Box::new(Counted::new(processors)),
        },
        execution: Box::new(Dedicated::after(Span::from_seconds(settings.get(&DELAY)))),
    },
};
