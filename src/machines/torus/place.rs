//! The choice of a partition for a job: among all shapes and positions, one that leaves the largest
//! free partition.
//!
//! E. Krevat, 2003, chapter 2, gives this rule, but does not say which partition wins if several
//! leave an equally large one. Here the most cubic shape (least sum of edges) wins, then the order
//! of x, y, z of its edges, then the lowest number of its first node.
//!
//! Two boxes are disjoint exactly if their intervals are disjoint along some axis. A job therefore
//! leaves, of each free box that cannot grow, the longest part beside the job's interval along one
//! axis. The length of that part depends on the coordinates of the job on that axis alone. It is enough to
//! know the coordinates at which the candidates start along each axis.

use super::Grid;
use super::boxes::each_box;
use super::geometry::{Extent, Geometry, Partition, volume};
use super::grid::ones;

/// A request for a partition.
#[derive(Copy, Clone, Debug)]
pub(super) struct Wish<'a> {
    /// Number of nodes that the job needs.
    pub nodes: u32,
    /// Largest number of nodes that the job may get, if no box has exactly `nodes` nodes.
    pub most: u32,
    /// Free boxes of the nodes that the job may get. Each one that is large enough for it is part of
    /// one of them.
    pub boxes: &'a [Partition],
    /// The shape of the machine.
    pub geometry: &'a Geometry,
}

/// Returns free boxes of at least `least` nodes. Each free box of as many nodes is part of one.
pub(super) fn boxes(grid: &Grid, least: u32) -> Vec<Partition> {
    let (least, mut boxes) = (least.max(1), Vec::new());
    each_box(grid, least, &mut |found| {
        boxes.push(*found);
        least
    });
    boxes
}

impl Wish<'_> {
    /// Returns the extents of the least size from `nodes` to `most` of which a box is free. Some of
    /// them may not fit.
    fn shapes(&self) -> Option<&[Extent]> {
        let fits = |extent: &Extent| self.boxes.iter().any(|found| found.holds(*extent));
        (self.nodes..=self.most)
            .map(|nodes| self.geometry.of_volume(nodes))
            .find(|extents| extents.iter().any(fits))
    }
}

/// True if a box of a size from `nodes` to `most` is free.
pub(super) fn fits(wish: &Wish<'_>) -> bool {
    wish.shapes().is_some()
}

/// Returns the first free box of the least possible size.
pub(super) fn first_fit(wish: &Wish<'_>) -> Option<Partition> {
    let mut shapes = wish.shapes()?.iter();
    shapes.find_map(|extent| lowest(wish, *extent, [u64::MAX; 3]))
}

/// Returns the free box, of the least possible size, that leaves the largest free partition of
/// `grid`, and the number of nodes of that partition. `is_all` is true if the job may get all nodes
/// of `grid`.
pub(super) fn best_fit(wish: &Wish<'_>, grid: &Grid, is_all: bool) -> Option<(Partition, u32)> {
    let (geometry, boxes) = (wish.geometry, wish.boxes);
    let shapes = wish.shapes()?;
    let mut slabs: Vec<Slab> = Vec::new();
    for extent in shapes {
        for found in boxes.iter().filter(|found| found.holds(*extent)) {
            for (axis, edge) in extent.iter().copied().enumerate() {
                let starts = starts(geometry, found, axis, edge);
                let equal = |slab: &&mut Slab| (slab.axis, slab.edge) == (axis, edge);
                match slabs.iter_mut().find(equal) {
                    Some(slab) => slab.starts |= starts,
                    None => slabs.push(Slab { axis, edge, starts }),
                }
            }
        }
    }
    let mut left = 0;
    let mut raise = |found: &Partition| {
        if volume(found.extent) <= left {
            return left;
        }
        for slab in &slabs {
            let section = section(found, slab.axis);
            let mut length = left / section + 1;
            while beside(geometry, found, slab.axis, length, slab.edge) & slab.starts != 0 {
                left = length * section;
                length += 1;
            }
        }
        left
    };
    let least = boxes.iter().map(&mut raise).last().unwrap_or(0).max(1);
    // The boxes at hand are all that count, unless a smaller one or one with nodes that the job must
    // not use may be the largest that is left.
    let mut others = Vec::new();
    let are_all = is_all && least >= wish.nodes;
    if !are_all {
        each_box(grid, least, &mut |found| {
            others.push(*found);
            raise(found).max(1)
        });
    }
    let rest = if are_all { boxes } else { &others };
    shapes.iter().find_map(|extent| {
        // If nothing is left beside any candidate, all are equal.
        let mut allowed = [if left == 0 { u64::MAX } else { 0 }; 3];
        for found in rest.iter().filter(|found| volume(found.extent) >= left) {
            for axis in 0..3 {
                let length = left.div_ceil(section(found, axis));
                allowed[axis] |= beside(geometry, found, axis, length, extent[axis]);
            }
        }
        Some((lowest(wish, *extent, allowed)?, left))
    })
}

/// The coordinates along an axis at which candidates with this edge start.
struct Slab {
    axis: usize,
    edge: u32,
    starts: u64,
}

/// Returns the number of nodes of a box at a coordinate along `axis`.
fn section(found: &Partition, axis: usize) -> u32 {
    found.extent[(axis + 1) % 3] * found.extent[(axis + 2) % 3]
}

/// Returns the coordinates along `axis` at which an interval of `edge` nodes within the box starts,
/// as bits.
fn starts(geometry: &Geometry, found: &Partition, axis: usize, edge: u32) -> u64 {
    let (nodes, whole) = (geometry.extent[axis], found.extent[axis]);
    if whole == nodes && geometry.wraps[axis] {
        ones(nodes)
    } else {
        interval(found.at[axis], whole - edge + 1, nodes)
    }
}

/// Returns an interval of coordinates on an axis of `nodes` nodes, as bits.
fn interval(at: u32, length: u32, nodes: u32) -> u64 {
    match at {
        0 => ones(length),
        at => (ones(length) << at | ones(length) >> (nodes - at)) & ones(nodes),
    }
}

/// Returns, of the free boxes of this extent, the one whose first node has the
/// lowest number. Its first node must have a coordinate in `allowed` on at least one axis.
fn lowest(wish: &Wish<'_>, extent: Extent, allowed: [u64; 3]) -> Option<Partition> {
    let geometry = wish.geometry;
    let mut lowest: Option<(u32, Extent)> = None;
    for found in wish.boxes.iter().filter(|found| found.holds(extent)) {
        let all = [0, 1, 2].map(|axis| starts(geometry, found, axis, extent[axis]));
        for axis in 0..3 {
            let mut starts = all;
            starts[axis] &= allowed[axis];
            let at = starts.map(u64::trailing_zeros);
            if starts[axis] != 0 && lowest.is_none_or(|(least, _)| geometry.number(at) < least) {
                lowest = Some((geometry.number(at), at));
            }
        }
    }
    lowest.map(|(_, at)| Partition { at, extent })
}

/// Returns the coordinates along `axis` at which an interval of `edge` nodes is disjoint from some
/// interval of `length` nodes within the box, as bits.
///
/// An interval is disjoint from one that starts at `from` if it starts at least `length` further on,
/// and early enough to end before the ring closes. If `from` moves on by one, so do these
/// coordinates, which are therefore one interval for the whole box. On an axis that does not wrap, no
/// box starts where it would have to wrap, so the same formula holds.
fn beside(geometry: &Geometry, found: &Partition, axis: usize, length: u32, edge: u32) -> u64 {
    let (nodes, whole) = (geometry.extent[axis], found.extent[axis]);
    if length > whole || length + edge > nodes {
        return 0;
    }
    let count = (whole - length) + (nodes - edge - length) + 1;
    if count >= nodes || whole == nodes && geometry.wraps[axis] {
        return ones(nodes);
    }
    interval((found.at[axis] + length) % nodes, count, nodes)
}
