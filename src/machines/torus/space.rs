//! The space of a torus: the free nodes, and the box that a job gets.

use super::largest::search;
use super::place::{Wish, best_fit, boxes, first_fit, fits};
use super::repack::{LayoutStep, repack};
use super::{Geometry, Grid, Partition};
use crate::machine::{Ask, Placement, PlacementBuf, Range, Space};
use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;
use std::{mem, ptr};

/// The free nodes of a torus, and the rule that places jobs.
pub struct Torus {
    free: Free,
    first_fit: bool,
    aside: Option<Aside>,
    /// The partitions of jobs, each with the lowest number of its nodes.
    held: Vec<(u32, Partition)>,
    /// Steps of earlier layouts, which start alike as long as the sizes of the jobs are alike.
    steps: Vec<LayoutStep>,
}

/// Free nodes, and what is known of the size of their largest box.
#[derive(Clone)]
pub(super) struct Free {
    pub grid: Grid,
    /// The least and the largest size that the largest box can have.
    bounds: Cell<[u32; 2]>,
    /// A number of nodes and the result of [`boxes`] for it, once somebody has asked for it.
    boxes: RefCell<(u32, Vec<Partition>)>,
}

impl Free {
    fn of(grid: Grid) -> Self {
        Self {
            bounds: Cell::new([0, grid.free()]),
            boxes: RefCell::new((u32::MAX, Vec::new())),
            grid,
        }
    }

    /// Passes a request on to `answer`.
    fn wish<T>(&self, nodes: u32, most: u32, answer: impl FnOnce(&Wish<'_>) -> T) -> T {
        let mut known = self.boxes.borrow_mut();
        if nodes < known.0 {
            *known = (nodes, boxes(&self.grid, nodes));
        }
        answer(&Wish {
            nodes,
            most: most.min(self.bounds.get()[1]),
            boxes: &known.1,
            geometry: &self.grid.geometry,
        })
    }

    /// Returns the size of the largest box.
    fn largest(&self) -> u32 {
        let [least, most] = self.bounds.get();
        if least < most {
            let found = search(&self.grid, least, most);
            self.bounds.set([found; 2]);
        }
        self.bounds.get()[0]
    }

    /// True if a box of at least `nodes` nodes is free.
    fn holds(&self, nodes: u32) -> bool {
        let [least, most] = self.bounds.get();
        if nodes > least && nodes <= most {
            let found = search(&self.grid, nodes - 1, nodes);
            self.bounds.set(if found >= nodes {
                [found, most]
            } else {
                [least, found]
            });
        }
        nodes <= self.bounds.get()[0]
    }

    /// Takes the nodes of a box. The size of the largest box that is left may be known.
    pub fn take(&mut self, partition: &Partition, left: Option<u32>) {
        self.grid.take(partition);
        self.now_within(left.map_or([0, self.bounds.get()[1]], |left| [left; 2]));
    }

    fn take_ranges(&mut self, ranges: &[Range]) {
        self.grid.take_ranges(ranges);
        self.now_within([0, self.bounds.get()[1]]);
    }

    fn give(&mut self, partition: &Partition) {
        self.grid.give(partition);
        self.now_within([self.bounds.get()[0], u32::MAX]);
    }

    /// Sets the bounds after a change, and forgets the boxes.
    fn now_within(&mut self, [least, most]: [u32; 2]) {
        self.bounds.set([least, most.min(self.grid.free())]);
        self.boxes.get_mut().0 = u32::MAX;
    }
}

/// The processors that are set aside, and the free nodes without them once they have been computed.
#[derive(Clone)]
struct Aside {
    ranges: Vec<Range>,
    rest: OnceCell<Free>,
}

impl Torus {
    pub fn new(geometry: Arc<Geometry>, first_fit: bool) -> Self {
        Self {
            free: Free::of(Grid::new(geometry)),
            first_fit,
            aside: None,
            held: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Returns the nodes that a request may get.
    fn within(&self, ask: Ask) -> &Free {
        let aside = self.aside.as_ref().filter(|_| ask.beside);
        aside.map_or(&self.free, |aside| {
            aside.rest.get_or_init(|| {
                let mut free = self.free.clone();
                free.take_ranges(&aside.ranges);
                free
            })
        })
    }

    /// Returns a partition for a job and, if that is known, the size of the largest free box that
    /// it leaves.
    fn place(&self, ask: Ask, within: &Free, free: &Free) -> Option<(Partition, Option<u32>)> {
        within.wish(ask.processors, ask.most, |wish| {
            if self.first_fit {
                return Some((first_fit(wish)?, None));
            }
            let (partition, left) = best_fit(wish, &free.grid, ptr::eq(within, free))?;
            Some((partition, Some(left)))
        })
    }

    /// Writes a partition that a job gets into `placement`.
    fn hold(&mut self, partition: &Partition, placement: &mut PlacementBuf) {
        let ranges = &mut placement.ranges;
        self.free.grid.geometry.ranges(partition, ranges);
        self.held.push((ranges[0].first, *partition));
    }

    /// Returns the partition of a job.
    fn held(&self, placement: Placement<'_>) -> Option<Partition> {
        let first = placement.ranges.first()?.first;
        let held = self.held.iter().find(|(lowest, _)| *lowest == first);
        held.map(|(_, partition)| *partition)
            .or_else(|| self.free.grid.geometry.partition(placement.ranges))
    }

    fn change(&mut self, change: impl FnOnce(&mut Free)) {
        change(&mut self.free);
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
        let within = self.within(ask);
        within.holds(ask.processors)
            && (ask.most >= within.bounds.get()[1]
                || ask.most >= within.largest()
                || within.wish(ask.processors, ask.most, fits))
    }

    fn claim(&mut self, ask: Ask, placement: &mut PlacementBuf) {
        let Some((partition, left)) = self.place(ask, self.within(ask), &self.free) else {
            return;
        };
        self.hold(&partition, placement);
        self.change(|free| free.take(&partition, left));
    }

    fn release(&mut self, _: u32, placement: Placement<'_>) {
        if let Some(partition) = self.held(placement) {
            self.held.retain(|(_, held)| *held != partition);
            self.change(|free| free.give(&partition));
        }
    }

    fn fork(&self) -> Box<dyn Space> {
        // A copy is mostly a forecast, which lays nothing out anew.
        Box::new(Self {
            free: self.free.clone(),
            first_fit: self.first_fit,
            aside: self.aside.clone(),
            held: self.held.clone(),
            steps: Vec::new(),
        })
    }

    fn empty(&self) -> Box<dyn Space> {
        let geometry = Arc::clone(&self.free.grid.geometry);
        Box::new(Self::new(geometry, self.first_fit))
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
        self.change(|free| free.take_ranges(placement.ranges));
    }

    fn repack(&mut self, held: &[Placement<'_>]) -> Option<Vec<PlacementBuf>> {
        let old: Option<Vec<Partition>> = held.iter().map(|at| self.held(*at)).collect();
        let empty = Free::of(Grid::new(Arc::clone(&self.free.grid.geometry)));
        let mut steps = mem::take(&mut self.steps);
        let (moved, free) = repack(&old?, &empty, &mut steps, |free, nodes| {
            let ask = Ask {
                most: nodes,
                ..Ask::of(nodes)
            };
            self.place(ask, free, free)
        });
        self.steps = steps;
        if free.largest() <= self.largest() {
            return None;
        }
        self.change(|own| *own = free);
        self.held.clear();
        let placed = |partition: &Partition| {
            let mut placement = PlacementBuf::default();
            self.hold(partition, &mut placement);
            placement
        };
        Some(moved.iter().map(placed).collect())
    }
}
