//! The space of a torus: the free nodes, and the box that a job gets.

use super::largest::search;
use super::place::{LISTED, Wish, best_fit, boxes, first_fit, fits};
use super::repack::{LayoutStep, repack};
use super::{Geometry, Grid, Partition};
use crate::machine::{Ask, Placement, PlacementBuf, Range, Space, common};
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
    /// The nodes that are out of service, or will be when their jobs end.
    closed: Vec<Range>,
    /// Steps of earlier layouts, which start alike as long as the sizes of the jobs are alike.
    steps: Vec<LayoutStep>,
}

/// Free nodes, and what is known of the size of their largest box.
pub(super) struct Free {
    pub grid: Grid,
    /// The least and the largest size that the largest box can have.
    bounds: Cell<[u32; 2]>,
    /// A number of nodes, and the result of [`boxes`] for it once that has been asked for.
    boxes: RefCell<(u32, Option<Vec<Partition>>)>,
    /// A number of nodes for which the boxes were too many, and how often they are taken to be so
    /// without another look.
    crowded: Cell<(u32, u32)>,
    /// Largest number of boxes that are listed.
    limit: usize,
}

/// Number of times that boxes which were too many are taken to be so. A look costs as much as a
/// placement, and a machine changes little from one job to the next.
const CROWDED: u32 = 32;

impl Free {
    fn of(grid: Grid) -> Self {
        Self {
            bounds: Cell::new([0, grid.free()]),
            boxes: RefCell::default(),
            crowded: Cell::default(),
            limit: LISTED,
            grid,
        }
    }

    /// Passes a request on to `answer`.
    fn wish<T>(&self, nodes: u32, most: u32, answer: impl FnOnce(&Wish<'_>) -> T) -> T {
        let mut known = self.boxes.borrow_mut();
        let is_known = if known.1.is_some() {
            known.0 <= nodes
        } else {
            // Even more boxes have fewer nodes.
            nodes <= known.0
        };
        if !is_known {
            let (crowded, times) = self.crowded.get();
            let are_too_many = times > 0 && nodes <= crowded;
            let list = (!are_too_many)
                .then(|| boxes(&self.grid, nodes, self.limit))
                .flatten();
            if are_too_many {
                self.crowded.set((crowded, times - 1));
            } else if list.is_none() {
                self.crowded.set((nodes, CROWDED));
            }
            *known = (nodes, list);
        }
        answer(&Wish {
            nodes,
            most: most.min(self.bounds.get()[1]),
            within: &self.grid,
            boxes: known.1.as_deref(),
            limit: self.limit,
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

    /// Frees the nodes of a box, but for those that are out of service.
    fn give(&mut self, partition: &Partition, closed: &[Range]) {
        self.grid.give(partition);
        if !closed.is_empty() {
            self.grid.take_ranges(closed);
        }
        self.now_within([self.bounds.get()[0], u32::MAX]);
    }

    /// Sets the bounds after a change, and forgets the boxes.
    fn now_within(&mut self, [least, most]: [u32; 2]) {
        self.bounds.set([least, most.min(self.grid.free())]);
        self.boxes.take();
    }
}

impl Clone for Free {
    /// Leaves the boxes behind, which a copy mostly does not need.
    fn clone(&self) -> Self {
        Self {
            grid: self.grid.clone(),
            bounds: self.bounds.clone(),
            boxes: RefCell::default(),
            crowded: self.crowded.clone(),
            limit: self.limit,
        }
    }
}

/// The processors that are set aside, and the free nodes without them once they have been computed.
#[derive(Clone)]
struct Aside {
    placements: Vec<Vec<Range>>,
    rest: OnceCell<Free>,
}

impl Torus {
    pub fn new(geometry: Arc<Geometry>, first_fit: bool) -> Self {
        Self {
            free: Free::of(Grid::new(geometry)),
            first_fit,
            aside: None,
            held: Vec::new(),
            closed: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Returns the nodes that a request may get.
    fn within(&self, ask: Ask) -> &Free {
        let aside = self.aside.as_ref().filter(|_| ask.beside);
        aside.map_or(&self.free, |aside| {
            aside.rest.get_or_init(|| {
                let mut free = self.free.clone();
                // One by one, because they may overlap.
                for ranges in &aside.placements {
                    free.take_ranges(ranges);
                }
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
            let is_all = ptr::eq(within, free);
            let (partition, left) = best_fit(wish, &free.grid, || free.largest(), is_all)?;
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

    fn release(&mut self, _: Ask, placement: Placement<'_>) {
        if let Some(partition) = self.held(placement) {
            let at = self.held.iter().position(|(_, held)| *held == partition);
            at.map(|at| self.held.swap_remove(at));
            let closed = common(placement.ranges, &self.closed);
            self.change(|free| free.give(&partition, &closed));
        }
    }

    fn fork(&self) -> Box<dyn Space> {
        // A copy is mostly a forecast, which lays nothing out anew.
        Box::new(Self {
            free: self.free.clone(),
            first_fit: self.first_fit,
            aside: self.aside.clone(),
            held: self.held.clone(),
            closed: self.closed.clone(),
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
        let placements = placements.iter().map(|at| at.ranges.to_vec());
        let placements: Vec<Vec<Range>> = placements.filter(|at| !at.is_empty()).collect();
        self.aside = (!placements.is_empty()).then(|| Aside {
            placements,
            rest: OnceCell::new(),
        });
    }

    fn occupy(&mut self, placement: Placement<'_>) {
        self.change(|free| free.take_ranges(placement.ranges));
    }

    fn close(&mut self, placement: Placement<'_>) {
        self.occupy(placement);
        self.closed = placement.ranges.to_vec();
        self.steps.clear();
    }

    fn reopen(&mut self, _: Ask, _: Placement<'_>) {
        self.closed.clear();
        self.steps.clear();
        let mut grid = Grid::new(Arc::clone(&self.free.grid.geometry));
        for (_, partition) in &self.held {
            grid.take(partition);
        }
        self.change(|free| {
            let least = free.bounds.get()[0];
            free.grid = grid;
            free.now_within([least, u32::MAX]);
        });
    }

    fn repack(&mut self, held: &[Placement<'_>]) -> Option<Vec<PlacementBuf>> {
        let old: Option<Vec<Partition>> = held.iter().map(|at| self.held(*at)).collect();
        let mut empty = Free::of(Grid::new(Arc::clone(&self.free.grid.geometry)));
        empty.take_ranges(&self.closed);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Reservations may name the same nodes at different times. Here the two boxes have five nodes
    /// of the six around them, and six if the common one is counted twice.
    #[test]
    fn nodes_that_are_set_aside_twice_are_one_node() {
        let geometry = Arc::new(Geometry::new([3, 2, 1], [false; 3]));
        let mut torus = Torus::new(Arc::clone(&geometry), false);
        let boxes = [([0, 0, 0], [2, 2, 1]), ([1, 0, 0], [2, 1, 1])].map(|(at, extent)| {
            let mut placement = PlacementBuf::default();
            geometry.ranges(&Partition { at, extent }, &mut placement.ranges);
            placement
        });
        torus.set_aside(&boxes.each_ref().map(PlacementBuf::get));
        let ask = Ask {
            beside: true,
            ..Ask::of(1)
        };
        assert!(torus.fits(ask));
        let mut placement = PlacementBuf::default();
        torus.claim(ask, &mut placement);
        assert_eq!(placement.ranges, [Range { first: 5, count: 1 }]);
        assert!(!torus.fits(ask));
    }

    /// Two machines with different limits of the list are asked, change, and are copied alike.
    #[test]
    fn the_limit_of_the_list_changes_nothing() {
        let mut stream = Stream::new(3, "boxes");
        let mut placed = 0;
        for round in 0..120 {
            let extent = [[4, 4, 8], [3, 5, 7], [6, 6, 6], [1, 9, 8]][round % 4];
            let wraps = [0, 1, 2].map(|_| stream.below(2) == 0);
            let geometry = Arc::new(Geometry::new(extent, wraps));
            let limit = 1 + stream.below(6) as usize;
            let mut machines: [Box<Torus>; 2] = [LISTED, limit].map(|limit| {
                let mut torus = Torus::new(Arc::clone(&geometry), round % 5 == 0);
                torus.free.limit = limit;
                Box::new(torus)
            });
            let mut jobs: Vec<PlacementBuf> = Vec::new();
            for _ in 0..60 {
                if stream.below(3) == 0 && !jobs.is_empty() {
                    let job = jobs.swap_remove(stream.below(jobs.len() as u64) as usize);
                    machines
                        .iter_mut()
                        .for_each(|torus| torus.release(Ask::of(0), job.get()));
                    continue;
                }
                let aside = jobs.first().filter(|_| stream.below(4) == 0);
                let ask = Ask {
                    beside: aside.is_some(),
                    most: [u32::MAX, 12][stream.below(2) as usize],
                    ..Ask::of(1 + stream.below(12) as u32)
                };
                let aside: Vec<Placement<'_>> = aside.map(PlacementBuf::get).into_iter().collect();
                let [one, two] = machines.each_mut().map(|torus| {
                    torus.set_aside(&aside);
                    let fits = torus.fits(ask);
                    let mut placement = PlacementBuf::default();
                    if fits {
                        torus.claim(ask, &mut placement);
                    }
                    (fits, placement.ranges, torus.largest())
                });
                assert_eq!(one, two, "round {round}");
                if one.0 {
                    placed += 1;
                    let ranges = one.1;
                    jobs.push(PlacementBuf {
                        ranges,
                        ..PlacementBuf::default()
                    });
                }
            }
        }
        assert!(placed > 1000, "{placed}");
    }
}
