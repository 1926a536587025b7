//! The flat machine: any free processors serve a job (variable partitioning).
//!
//! The free processors are a bitmap, and a job gets the lowest of them. Schedules are then the same
//! everywhere, and timelines show few fragments. If no picture needs placements, the machine only
//! counts processors.

use super::shared::{
    Bitmap, Counted, Dedicated, MachineSpec, asks_no_more, has_no_pictures, start_delay,
};
use crate::machine::{Fit, Machine, Offer, Placements};
use crate::param::Typed;
use crate::schedule::Nothing;
use crate::time::Span;

/// Parameter for the start delay.
pub const DELAY: Typed<i64> = start_delay(0);

/// Description of the flat machine.
pub const SPEC: MachineSpec = MachineSpec {
    id: "flat",
    name: "Flat",
    summary: "Any free processors serve a job, which has them to itself until it ends.",
    only_whole: false,
    offer: Offer {
        fit: Fit::Anywhere,
        processes: false,
        at_once: false,
        moves: false,
        records: true,
    },
    small: &[],
    params: &[DELAY.param],
    metrics: &[],
    capacity: |_| None,
    check: |_, _| Ok(()),
    slots: |_| 1,
    prepare: asks_no_more,
    record: |_| Box::new(Nothing),
    show: has_no_pictures,
    build: |workload, settings, placements| Machine {
        space: match placements {
            Placements::Recorded => Box::new(Bitmap::new(workload.all_processors())),
            Placements::Counted => Box::new(Counted::new(workload.all_processors())),
        },
        execution: Box::new(Dedicated::after(Span::from_seconds(settings.get(&DELAY)))),
    },
};
