//! The torus: a job gets one box of nodes, which may wrap around. BlueGene/L's machine, in units of
//! its supernodes.
//!
//! E. Krevat, "Scheduling algorithms to improve utilization in toroidal-interconnected systems",
//! MIT 2003.

mod audit;
mod exhaustive;
mod figures;
mod geometry;
mod grid;
mod largest;
mod place;
mod pop;
mod record;
mod repack;
mod sections;
mod space;
mod view;

pub use exhaustive::largest_exhaustive;
pub use geometry::{Extent, Geometry, Partition, volume};
pub use grid::Grid;
pub use largest::{holds, largest, largest_partition};
pub use pop::largest_by_projection;
pub use record::TorusRecord;
pub use view::{Occupancy, Resident, contiguity, occupancy};

use super::shared::{Dedicated, MachineSpec, START_DELAY};
use crate::machine::{Fit, Machine, Offer};
use crate::param::{Choice, Kind, Param, Settings};
use space::Torus;

const LONGEST: i64 = 64;

const fn edge(key: &'static str, name: &'static str, default: i64) -> Param {
    Param {
        key,
        name,
        kind: Kind::Whole {
            min: 1,
            max: LONGEST,
            default: Some(default),
        },
        unit: "nodes",
        when: None,
        help: "Nodes along this axis",
    }
}

const fn wrap(key: &'static str, name: &'static str) -> Param {
    let options = &[
        Choice {
            id: "torus",
            help: "closed to a ring: boxes may wrap",
        },
        Choice {
            id: "mesh",
            help: "open: boxes may not",
        },
    ];
    Param {
        key,
        name,
        kind: Kind::Choice {
            options,
            default: "torus",
        },
        unit: "",
        when: None,
        help: "Whether the axis is closed to a ring",
    }
}

const X: Param = edge("x", "X", 4);
const Y: Param = edge("y", "Y", 4);
const Z: Param = edge("z", "Z", 8);
const WRAP_X: Param = wrap("wrap_x", "X axis");
const WRAP_Y: Param = wrap("wrap_y", "Y axis");
const WRAP_Z: Param = wrap("wrap_z", "Z axis");

const PLACEMENT: Param = Param {
    key: "placement",
    name: "Placement",
    kind: Kind::Choice {
        options: &[
            Choice {
                id: "largest_left",
                help: "the partition that leaves the largest free partition",
            },
            Choice {
                id: "first_fit",
                help: "the first free partition, most cubic shapes first",
            },
        ],
        default: "largest_left",
    },
    unit: "",
    when: None,
    help: "Which of the free partitions of its size a job gets",
};

/// What a node stands for.
pub const SUPERNODE: Param = Param {
    key: "supernode",
    name: "Nodes each",
    kind: Kind::Whole {
        min: 1,
        max: 1_000_000,
        default: Some(512),
    },
    unit: "",
    when: None,
    help: "What a node of this machine stands for, for display only: BlueGene/L's unit of \
        allocation is 8 x 8 x 8 nodes",
};

/// The machine's description.
pub const SPEC: MachineSpec = MachineSpec {
    id: "torus",
    name: "3D torus",
    summary: "Nodes in a box that may be closed to rings; a job gets one free box of them and has \
        it to itself until it ends.",
    offer: Offer {
        fit: Fit::Partition,
        processes: false,
        at_once: false,
        moves: true,
    },
    small: &[("x", 2.0), ("y", 2.0), ("z", 3.0)],
    params: &[
        X,
        Y,
        Z,
        WRAP_X,
        WRAP_Y,
        WRAP_Z,
        PLACEMENT,
        START_DELAY,
        SUPERNODE,
    ],
    metrics: &[],
    capacity: |settings| Some(extent(settings).iter().product()),
    check: |_, _| Ok(()),
    slots: |_| 1,
    record: |settings| Box::new(TorusRecord::new(geometry(settings))),
    build: |_, settings, _| Machine {
        space: Box::new(Torus::new(
            geometry(settings),
            settings.choice(&PLACEMENT) == "first_fit",
        )),
        execution: Box::new(Dedicated::after(crate::time::Span::from_seconds(
            settings.whole(&START_DELAY),
        ))),
    },
};

fn extent(settings: &Settings) -> Extent {
    [X, Y, Z].map(|edge| settings.whole(&edge) as u32)
}

/// The shape that settings describe.
pub fn geometry(settings: &Settings) -> Geometry {
    Geometry::new(
        extent(settings),
        [WRAP_X, WRAP_Y, WRAP_Z].map(|axis| settings.choice(&axis) == "torus"),
    )
}
