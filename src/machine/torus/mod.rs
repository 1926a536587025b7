//! The torus: a job gets one box of nodes, which may wrap around. BlueGene/L's machine, in units of
//! its supernodes.
//!
//! E. Krevat, "Scheduling algorithms to improve utilization in toroidal-interconnected systems",
//! MIT 2003.

mod exhaustive;
mod geometry;
mod grid;
mod largest;
mod place;
mod pop;
mod repack;
mod sections;

pub use exhaustive::largest_exhaustive;
pub use geometry::{Extent, Geometry, Partition, volume};
pub use grid::Grid;
pub use largest::{holds, largest, largest_partition};
pub use pop::largest_by_projection;

use super::{Ask, Dedicated, Fit, Machine, MachineSpec, Range, START_DELAY, Space};
use crate::param::{Choice, Kind, Param, Settings};
use place::{Wish, best_fit, first_fit, size};
use std::cell::OnceCell;
use std::sync::Arc;

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
    fit: Fit::Partition,
    processes: false,
    at_once: false,
    moves: true,
    pairing: None,
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
    geometry: Some(geometry),
    capacity: |settings| Some(extent(settings).iter().product()),
    check: |_| Ok(()),
    slots: |_| 1,
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

/// Which nodes are free.
#[derive(Clone)]
struct Torus {
    free: Free,
    first_fit: bool,
    aside: Option<Aside>,
}

/// Free nodes, and how many the largest box of them has, once somebody has asked.
#[derive(Clone)]
struct Free {
    grid: Grid,
    largest: OnceCell<u32>,
}

impl Free {
    fn of(grid: Grid) -> Self {
        Self {
            grid,
            largest: OnceCell::new(),
        }
    }

    fn largest(&self) -> u32 {
        *self.largest.get_or_init(|| largest(&self.grid))
    }
}

/// The free nodes without those that are set aside.
#[derive(Clone)]
struct Aside {
    ranges: Vec<Range>,
    rest: OnceCell<Free>,
}

impl Torus {
    fn new(geometry: Geometry, first_fit: bool) -> Self {
        Self {
            free: Free::of(Grid::new(Arc::new(geometry))),
            first_fit,
            aside: None,
        }
    }

    fn wish(&self, ask: Ask) -> Wish<'_> {
        let rest = self.aside.as_ref().filter(|_| ask.beside).map(|aside| {
            aside.rest.get_or_init(|| {
                let mut grid = self.free.grid.clone();
                grid.take_ranges(&aside.ranges);
                Free::of(grid)
            })
        });
        let within = rest.unwrap_or(&self.free);
        Wish {
            nodes: ask.processors,
            most: ask.most,
            within: &within.grid,
            largest: within.largest(),
        }
    }

    fn place(&self, wish: &Wish<'_>, free: &Free) -> Option<Partition> {
        if self.first_fit {
            first_fit(wish)
        } else {
            best_fit(wish, &free.grid, free.largest())
        }
    }

    fn change(&mut self, change: impl FnOnce(&mut Grid)) {
        change(&mut self.free.grid);
        self.free.largest.take();
        if let Some(aside) = &mut self.aside {
            aside.rest.take();
        }
    }
}

impl Space for Torus {
    fn capacity(&self) -> u32 {
        self.free.grid.geometry.nodes()
    }

    fn free(&self) -> u32 {
        self.free.grid.free()
    }

    fn fits(&self, ask: Ask) -> bool {
        if ask.most == u32::MAX && !ask.beside && self.free.largest.get().is_none() {
            return holds(&self.free.grid, ask.processors);
        }
        let wish = self.wish(ask);
        if wish.most >= wish.largest {
            wish.nodes <= wish.largest
        } else {
            size(&wish).is_some()
        }
    }

    fn claim(&mut self, ask: Ask, placement: &mut Vec<Range>) {
        let Some(partition) = self.place(&self.wish(ask), &self.free) else {
            return;
        };
        self.free.grid.geometry.ranges(&partition, placement);
        self.change(|grid| grid.take(&partition));
    }

    fn release(&mut self, _: u32, placement: &[Range]) {
        if let Some(partition) = self.free.grid.geometry.partition(placement) {
            self.change(|grid| grid.give(&partition));
        }
    }

    fn fork(&self) -> Box<dyn Space> {
        Box::new(self.clone())
    }

    fn empty(&self) -> Box<dyn Space> {
        let grid = Grid::new(Arc::clone(&self.free.grid.geometry));
        Box::new(Self {
            free: Free::of(grid),
            first_fit: self.first_fit,
            aside: None,
        })
    }

    fn has_geometry(&self) -> bool {
        true
    }

    fn raised(&self, processors: u32) -> u32 {
        self.free.grid.geometry.possible(processors)
    }

    fn largest(&self) -> u32 {
        self.free.largest()
    }

    fn set_aside(&mut self, placement: &[Range]) {
        self.aside = (!placement.is_empty()).then(|| Aside {
            ranges: placement.to_vec(),
            rest: OnceCell::new(),
        });
    }

    fn occupy(&mut self, placement: &[Range]) {
        self.change(|grid| grid.take_ranges(placement));
    }

    fn repack(&mut self, held: &[&[Range]]) -> Option<Vec<Vec<Range>>> {
        let geometry = Arc::clone(&self.free.grid.geometry);
        let old: Option<Vec<Partition>> = held
            .iter()
            .map(|placement| geometry.partition(placement))
            .collect();
        let place = |grid: &Grid, nodes: u32| {
            let free = Free::of(grid.clone());
            let wish = Wish {
                nodes,
                most: nodes,
                within: grid,
                largest: free.largest(),
            };
            self.place(&wish, &free)
        };
        let (moved, grid) = repack::repack(&old?, &Grid::new(Arc::clone(&geometry)), place);
        if Free::of(grid.clone()).largest() <= self.largest() {
            return None;
        }
        self.change(|own| *own = grid);
        let ranges = |partition: &Partition| {
            let mut ranges = Vec::new();
            geometry.ranges(partition, &mut ranges);
            ranges
        };
        Some(moved.iter().map(ranges).collect())
    }
}
