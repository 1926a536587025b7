//! The torus: a job gets one box of nodes, which may wrap around. The machine is BlueGene/L, in
//! units of its supernodes.
//!
//! E. Krevat, "Scheduling algorithms to improve utilization in toroidal-interconnected systems",
//! MIT 2003.

mod audit;
mod boxes;
mod exhaustive;
mod figures;
mod geometry;
mod grid;
mod largest;
mod place;
mod pop;
mod record;
mod repack;
mod scattered;
mod sections;
mod space;
mod view;

pub use exhaustive::largest_exhaustive;
pub use geometry::{Extent, Geometry, Partition, volume};
pub use grid::Grid;
pub use largest::{holds, largest, largest_partition};
pub use pop::largest_by_projection;
pub use record::TorusRecord;
pub use view::{
    BoxFacts, GeometryFacts, Occupancy, OccupancyFacts, Resident, ResidentFacts, SUPERNODE,
    TorusQuestion, contiguity, occupancy,
};

use super::shared::{Dedicated, MachineSpec, asks_no_more, start_delay};
use crate::machine::{Fit, Machine, Offer};
use crate::param::{Settings, Typed, whole, words};
use space::Torus;
use std::sync::Arc;

const LONGEST: i64 = 64;

const fn edge(key: &'static str, name: &'static str, default: i64) -> Typed<i64> {
    whole(key, name, 1..=LONGEST, default)
        .unit("nodes")
        .help("Number of nodes along this axis")
}

words! {
    /// The form of an axis.
    enum Axis {
        Torus = "torus": "closed to a ring, so that boxes may wrap",
        Mesh = "mesh": "open at both ends, so that boxes do not wrap",
    }
}

const fn wrap(key: &'static str, name: &'static str) -> Typed<Axis> {
    Axis::param(key, name, Axis::Torus).help("Form of the axis: a ring, or open at both ends")
}

const X: Typed<i64> = edge("x", "X", 4);
const Y: Typed<i64> = edge("y", "Y", 4);
const Z: Typed<i64> = edge("z", "Z", 8);
const WRAP_X: Typed<Axis> = wrap("wrap_x", "X axis");
const WRAP_Y: Typed<Axis> = wrap("wrap_y", "Y axis");
const WRAP_Z: Typed<Axis> = wrap("wrap_z", "Z axis");
const START_DELAY: Typed<i64> = start_delay(1);

words! {
    /// The rule that chooses a partition for a job.
    enum PartitionChoice {
        LargestLeft = "largest_left": "the partition that leaves the largest free partition",
        FirstFit = "first_fit": "the first free partition, most cubic shapes first",
    }
}

const PLACEMENT: Typed<PartitionChoice> =
    PartitionChoice::param("placement", "Placement", PartitionChoice::LargestLeft)
        .help("Rule that chooses among the free partitions of a job's size");

/// Description of the torus.
pub const SPEC: MachineSpec = MachineSpec {
    id: "torus",
    name: "3D torus",
    summary: "Nodes form a box whose axes may be closed to rings; a job gets one free box of nodes \
        and has it to itself until it ends.",
    only_whole: false,
    offer: Offer {
        fit: Fit::Partition,
        processes: false,
        at_once: false,
        moves: true,
        records: false,
    },
    small: &[("x", 2.0), ("y", 2.0), ("z", 3.0)],
    params: &[
        X.param,
        Y.param,
        Z.param,
        WRAP_X.param,
        WRAP_Y.param,
        WRAP_Z.param,
        PLACEMENT.param,
        START_DELAY.param,
        SUPERNODE.param,
    ],
    metrics: &[],
    capacity: |settings| Some(extent(settings).iter().product()),
    check: |_, _| Ok(()),
    slots: |_| 1,
    prepare: asks_no_more,
    record: |settings| Box::new(TorusRecord::new(geometry(settings))),
    show: view::show,
    build: |_, settings, _| Machine {
        space: Box::new(Torus::new(
            Arc::new(geometry(settings)),
            settings.get(&PLACEMENT) == PartitionChoice::FirstFit,
        )),
        execution: Box::new(Dedicated::after(crate::time::Span::from_seconds(
            settings.get(&START_DELAY),
        ))),
    },
};

fn extent(settings: &Settings) -> Extent {
    [X, Y, Z].map(|edge| settings.get(&edge) as u32)
}

/// Returns the shape that the settings describe.
pub fn geometry(settings: &Settings) -> Geometry {
    Geometry::new(
        extent(settings),
        [WRAP_X, WRAP_Y, WRAP_Z].map(|axis| settings.get(&axis) == Axis::Torus),
    )
}
