//! The torus: a job gets one box of nodes, which may wrap around. BlueGene/L's machine, in units of its supernodes.
//!
//! E. Krevat, "Scheduling algorithms to improve utilization in toroidal-interconnected systems", MIT 2003.

mod dense;
mod exhaustive;
mod geometry;
mod grid;
mod largest;
mod place;
mod pop;
mod repack;
mod table;

pub use exhaustive::largest_exhaustive;
pub use geometry::{Extent, Geometry, Partition, volume};
pub use grid::Grid;
pub use largest::{holds, largest};
pub use pop::largest_by_projection;

use super::{Ask, Dedicated, Machine, MachineSpec, Range, START_DELAY, Space};
use crate::param::{Choice, Kind, Param, Settings};
use place::{Wish, best_fit, first_fit, size};
use std::cell::OnceCell;
use std::sync::Arc;
use table::Table;

const LONGEST: i64 = 64;

const fn edge(key: &'static str, name: &'static str, default: i64) -> Param {
    Param {
        key,
        name,
        kind: Kind::Whole { min: 1, max: LONGEST, default: Some(default) },
        unit: "nodes",
        when: None,
        help: "Nodes along this axis",
    }
}

const fn wrap(key: &'static str, name: &'static str) -> Param {
    let options = &[Choice { id: "torus", help: "closed to a ring: boxes may wrap" }, Choice { id: "mesh", help: "open: boxes may not" }];
    Param {
        key,
        name,
        kind: Kind::Choice { options, default: "torus" },
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
            Choice { id: "largest_left", help: "the partition that leaves the largest free partition" },
            Choice { id: "first_fit", help: "the first free partition, most cubic shapes first" },
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
    kind: Kind::Whole { min: 1, max: 1_000_000, default: Some(512) },
    unit: "",
    when: None,
    help: "What a node of this machine stands for, for display only: BlueGene/L's unit of allocation is 8 x 8 x 8 nodes",
};

/// The machine's description.
pub const SPEC: MachineSpec = MachineSpec {
    id: "torus",
    name: "3D torus",
    summary: "Nodes in a box that may be closed to rings; a job gets one free box of them and has it to itself until it ends.",
    counts: false,
    moves: true,
    params: &[X, Y, Z, WRAP_X, WRAP_Y, WRAP_Z, PLACEMENT, START_DELAY, SUPERNODE],
    geometry: Some(geometry),
    capacity: |settings| Some(extent(settings).iter().product()),
    build: |_, settings, _| Machine {
        space: Box::new(Torus::new(geometry(settings), settings.choice(&PLACEMENT) == "first_fit")),
        execution: Box::new(Dedicated::after(crate::time::Span::from_seconds(settings.whole(&START_DELAY)))),
    },
};

fn extent(settings: &Settings) -> Extent {
    [X, Y, Z].map(|edge| settings.whole(&edge) as u32)
}

/// The shape that settings describe.
pub fn geometry(settings: &Settings) -> Geometry {
    Geometry::new(extent(settings), [WRAP_X, WRAP_Y, WRAP_Z].map(|axis| settings.choice(&axis) == "torus"))
}

/// Which nodes are free.
#[derive(Clone)]
struct Torus {
    grid: Grid,
    first_fit: bool,
    /// The free boxes, once somebody has asked since the last change.
    table: OnceCell<Table>,
    aside: Option<Aside>,
}

/// The free nodes without those that are set aside.
#[derive(Clone)]
struct Aside {
    ranges: Vec<Range>,
    rest: OnceCell<(Grid, Table)>,
}

impl Torus {
    fn new(geometry: Geometry, first_fit: bool) -> Self {
        Self { grid: Grid::new(Arc::new(geometry)), first_fit, table: OnceCell::new(), aside: None }
    }

    fn table(&self) -> &Table {
        self.table.get_or_init(|| Table::of(&self.grid))
    }

    fn wish(&self, ask: Ask) -> Wish<'_> {
        let within = self.aside.as_ref().filter(|_| ask.beside).map(|aside| {
            let (grid, table) = aside.rest.get_or_init(|| {
                let mut grid = self.grid.clone();
                grid.take_ranges(&aside.ranges);
                let table = Table::of(&grid);
                (grid, table)
            });
            (grid, table)
        });
        Wish { nodes: ask.processors, most: ask.most, within }
    }

    fn place(&self, wish: &Wish<'_>, grid: &Grid, table: &Table) -> Option<Partition> {
        if self.first_fit { first_fit(wish, grid, table) } else { best_fit(wish, grid, table) }
    }

    fn changed(&mut self) {
        self.table.take();
        if let Some(aside) = &mut self.aside {
            aside.rest.take();
        }
    }
}

impl Space for Torus {
    fn capacity(&self) -> u32 {
        self.grid.geometry.nodes()
    }

    fn free(&self) -> u32 {
        self.grid.free()
    }

    fn fits(&self, ask: Ask) -> bool {
        if ask.most == u32::MAX && !ask.beside && self.table.get().is_none() {
            return holds(&self.grid, ask.processors);
        }
        size(&self.wish(ask), &self.grid, self.table()).is_some()
    }

    fn claim(&mut self, ask: Ask, placement: &mut Vec<Range>) {
        let Some(partition) = self.place(&self.wish(ask), &self.grid, self.table()) else { return };
        self.grid.geometry.ranges(&partition, placement);
        self.grid.take(&partition);
        self.changed();
    }

    fn release(&mut self, _: u32, placement: &[Range]) {
        if let Some(partition) = self.grid.geometry.partition(placement) {
            self.grid.give(&partition);
            self.changed();
        }
    }

    fn fork(&self) -> Box<dyn Space> {
        Box::new(self.clone())
    }

    fn empty(&self) -> Box<dyn Space> {
        let grid = Grid::new(Arc::clone(&self.grid.geometry));
        Box::new(Self { grid, first_fit: self.first_fit, table: OnceCell::new(), aside: None })
    }

    fn has_geometry(&self) -> bool {
        true
    }

    fn raised(&self, processors: u32) -> u32 {
        self.grid.geometry.possible(processors)
    }

    fn largest(&self) -> u32 {
        self.table().largest
    }

    fn set_aside(&mut self, placement: &[Range]) {
        self.aside = (!placement.is_empty()).then(|| Aside { ranges: placement.to_vec(), rest: OnceCell::new() });
    }

    fn occupy(&mut self, placement: &[Range]) {
        self.grid.take_ranges(placement);
        self.changed();
    }

    fn repack(&mut self, held: &[&[Range]]) -> Option<Vec<Vec<Range>>> {
        let geometry = Arc::clone(&self.grid.geometry);
        let old: Option<Vec<Partition>> = held.iter().map(|placement| geometry.partition(placement)).collect();
        let place = |grid: &Grid, nodes: u32| {
            let wish = Wish { nodes, most: nodes, within: None };
            self.place(&wish, grid, &Table::of(grid))
        };
        let (moved, grid) = repack::repack(&old?, &Grid::new(Arc::clone(&geometry)), place);
        let table = Table::of(&grid);
        if table.largest <= self.largest() {
            return None;
        }
        self.grid = grid;
        self.changed();
        let ranges = |partition: &Partition| {
            let mut ranges = Vec::new();
            geometry.ranges(partition, &mut ranges);
            ranges
        };
        Some(moved.iter().map(ranges).collect())
    }
}
