//! The space of a torus: the free nodes, and the box that a job gets.

use super::place::{Wish, best_fit, first_fit, size};
use super::{Geometry, Grid, Partition, holds, largest, repack};
use crate::machine::{Ask, Placement, PlacementBuf, Range, Space};
use std::cell::OnceCell;
use std::sync::Arc;

/// The free nodes of a torus, and the rule that places jobs.
#[derive(Clone)]
pub struct Torus {
    free: Free,
    first_fit: bool,
    aside: Option<Aside>,
}

/// Free nodes, and the size of their largest box once it has been computed.
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

/// The processors that are set aside, and the free nodes without them once they have been computed.
#[derive(Clone)]
struct Aside {
    ranges: Vec<Range>,
    rest: OnceCell<Free>,
}

impl Torus {
    pub fn new(geometry: Geometry, first_fit: bool) -> Self {
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

    fn claim(&mut self, ask: Ask, placement: &mut PlacementBuf) {
        let Some(partition) = self.place(&self.wish(ask), &self.free) else {
            return;
        };
        self.free
            .grid
            .geometry
            .ranges(&partition, &mut placement.ranges);
        self.change(|grid| grid.take(&partition));
    }

    fn release(&mut self, _: u32, placement: Placement<'_>) {
        if let Some(partition) = self.free.grid.geometry.partition(placement.ranges) {
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

    fn set_aside(&mut self, placements: &[Placement<'_>]) {
        let ranges: Vec<Range> = placements
            .iter()
            .flat_map(|at| at.ranges)
            .copied()
            .collect();
        self.aside = (!ranges.is_empty()).then(|| Aside {
            ranges,
            rest: OnceCell::new(),
        });
    }

    fn occupy(&mut self, placement: Placement<'_>) {
        self.change(|grid| grid.take_ranges(placement.ranges));
    }

    fn repack(&mut self, held: &[Placement<'_>]) -> Option<Vec<PlacementBuf>> {
        let geometry = Arc::clone(&self.free.grid.geometry);
        let old: Option<Vec<Partition>> = held
            .iter()
            .map(|placement| geometry.partition(placement.ranges))
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
            let mut placement = PlacementBuf::default();
            geometry.ranges(partition, &mut placement.ranges);
            placement
        };
        Some(moved.iter().map(ranges).collect())
    }
}
