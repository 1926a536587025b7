//! The choice of a partition for a job: among all shapes and positions, one that leaves the largest
//! free partition.
//!
//! E. Krevat, 2003, chapter 2, gives this rule, but does not say which partition wins if several
//! leave an equally large one. Here the most cubic shape (least sum of edges) wins, then the order
//! of x, y, z of its edges, then the lowest number of its first node.
//!
//! Two boxes are disjoint exactly if their intervals are disjoint along some axis. A job therefore
//! leaves, of each free box that cannot grow, the longest part beside the job's interval along one
//! axis. Its length depends on the coordinates of the job on that axis alone. It is enough to
//! know the coordinates at which the candidates start along each axis.

use super::boxes::each_box;
use super::geometry::{Extent, Geometry, Partition, volume};
use super::grid::{interval, ones};
use super::{Grid, scattered};
use crate::pulse::beat;

/// Largest number of boxes that are listed. With more of them, narrowing is faster.
pub(super) const LISTED: usize = 128;

/// A request for a partition.
#[derive(Copy, Clone, Debug)]
pub(super) struct Wish<'a> {
    /// Number of nodes that the job needs.
    pub nodes: u32,
    /// Largest number of nodes that the job may get, if no box has exactly `nodes` nodes.
    pub most: u32,
    /// The free nodes that the job may get.
    pub within: &'a Grid,
    /// Free boxes in `within`. Each free box that is large enough for the job is part of one of
    /// them. `None` if they are too many.
    pub boxes: Option<&'a [Partition]>,
    /// Largest number of boxes that are listed.
    pub limit: usize,
}

/// Returns the free boxes of at least `least` nodes that cannot grow; `None` if they are more than
/// `limit`.
pub(super) fn boxes(grid: &Grid, least: u32, limit: usize) -> Option<Vec<Partition>> {
    let (least, mut boxes) = (least.max(1), Vec::new());
    let mut are_too_many = false;
    each_box(grid, least, &mut |found| {
        are_too_many |= boxes.len() == limit;
        if are_too_many {
            return u32::MAX;
        }
        boxes.push(*found);
        least
    });
    (!are_too_many).then_some(boxes)
}

/// Returns the extents of the least size from `nodes` to `most` of which a box is free. Some of them
/// may not fit.
fn shapes<'a>(wish: &Wish<'a>, boxes: &[Partition]) -> Option<&'a [Extent]> {
    let fits = |extent: &Extent| boxes.iter().any(|found| found.holds(*extent));
    (wish.nodes..=wish.most)
        .map(|nodes| wish.within.geometry.of_volume(nodes))
        .find(|extents| extents.iter().any(fits))
}

/// True if a box of a size from `nodes` to `most` is free.
pub(super) fn fits(wish: &Wish<'_>) -> bool {
    let listed = |boxes| shapes(wish, boxes).is_some();
    wish.boxes.map_or_else(|| scattered::fits(wish), listed)
}

/// Returns the first free box of the least possible size.
pub(super) fn first_fit(wish: &Wish<'_>) -> Option<Partition> {
    let Some(boxes) = wish.boxes else {
        return scattered::first_fit(wish);
    };
    let mut shapes = shapes(wish, boxes)?.iter();
    shapes.find_map(|extent| lowest(&wish.within.geometry, boxes, *extent, [u64::MAX; 3]))
}

/// Returns the free box, of the least possible size, that leaves the largest free partition of
/// `grid`, and the number of nodes of that partition. `largest` returns the number of nodes of
/// the largest free partition of `grid` now. `is_all` is true if the job may get all nodes of `grid`.
pub(super) fn best_fit(
    wish: &Wish<'_>,
    grid: &Grid,
    largest: impl FnOnce() -> u32,
    is_all: bool,
) -> Option<(Partition, u32)> {
    let Some(boxes) = wish.boxes else {
        return scattered::best_fit(wish, grid, largest());
    };
    let geometry = &*grid.geometry;
    let shapes = shapes(wish, boxes)?;
    let mut slabs: Vec<Slab> = Vec::new();
    for extent in shapes {
        beat(64 * boxes.len());
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
    let mut others: Vec<Partition> = Vec::new();
    let are_all = is_all && least >= wish.nodes;
    if !are_all {
        each_box(grid, least, &mut |found| {
            let least = raise(found).max(1);
            if others.len() == wish.limit {
                others.retain(|other| volume(other.extent) >= least);
            }
            others.push(*found);
            if others.len() > wish.limit {
                u32::MAX
            } else {
                least
            }
        });
        if others.len() > wish.limit {
            return scattered::best_fit(wish, grid, largest());
        }
    }
    let rest = if are_all { boxes } else { &others };
    shapes.iter().find_map(|extent| {
        beat(16 * (boxes.len() + rest.len()));
        // If nothing is left beside any candidate, all are equal.
        let mut allowed = [if left == 0 { u64::MAX } else { 0 }; 3];
        for found in rest.iter().filter(|found| volume(found.extent) >= left) {
            for axis in 0..3 {
                let length = left.div_ceil(section(found, axis));
                allowed[axis] |= beside(geometry, found, axis, length, extent[axis]);
            }
        }
        Some((lowest(geometry, boxes, *extent, allowed)?, left))
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

/// Returns, of the free boxes of this extent, the one whose first node has the
/// lowest number. Its first node must have a coordinate in `allowed` on at least one axis.
fn lowest(
    geometry: &Geometry,
    boxes: &[Partition],
    extent: Extent,
    allowed: [u64; 3],
) -> Option<Partition> {
    let mut lowest: Option<(u32, Extent)> = None;
    for found in boxes.iter().filter(|found| found.holds(extent)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::torus::largest;
    use crate::random::Stream;
    use std::collections::BTreeSet;
    use std::sync::Arc;

    const EXTENTS: [Extent; 7] = [
        [4, 4, 8],
        [3, 3, 3],
        [5, 2, 3],
        [1, 9, 5],
        [64, 2, 1],
        [2, 3, 17],
        [1, 1, 6],
    ];

    /// Draws a machine on which boxes of up to three nodes along each axis are taken.
    fn random_grid(stream: &mut Stream) -> Grid {
        let extent = EXTENTS[stream.below(EXTENTS.len() as u64) as usize];
        let wraps = [0, 1, 2].map(|_| stream.below(2) == 0);
        let mut grid = Grid::new(Arc::new(Geometry::new(extent, wraps)));
        for _ in 0..stream.below(20) {
            take_some(&mut grid, stream);
        }
        grid
    }

    fn take_some(grid: &mut Grid, stream: &mut Stream) {
        let geometry = Arc::clone(&grid.geometry);
        let at = geometry.node(stream.below(geometry.nodes().into()) as u32);
        let extent = [0, 1, 2].map(|axis| {
            let room = if geometry.wraps[axis] {
                geometry.extent[axis]
            } else {
                geometry.extent[axis] - at[axis]
            };
            1 + stream.below(room.min(3).into()) as u32
        });
        grid.take(&Partition { at, extent });
    }

    fn is_free(grid: &Grid, partition: &Partition) -> bool {
        let mut taken = grid.clone();
        taken.take(partition);
        grid.free() - taken.free() == volume(partition.extent)
    }

    /// Returns the positions of boxes of this extent. A whole ring starts at 0.
    fn places(geometry: &Geometry, extent: Extent) -> impl Iterator<Item = Partition> {
        let along = [0, 1, 2].map(|axis| {
            let (nodes, length) = (geometry.extent[axis], extent[axis]);
            if geometry.wraps[axis] && length < nodes {
                nodes
            } else {
                nodes - length + 1
            }
        });
        let nodes = (0..geometry.nodes()).map(|number| geometry.node(number));
        nodes
            .filter(move |at| (0..3).all(|axis| at[axis] < along[axis]))
            .map(move |at| Partition { at, extent })
            .collect::<Vec<_>>()
            .into_iter()
    }

    #[test]
    fn the_boxes_are_all_that_cannot_grow() {
        let mut stream = Stream::new(1, "boxes");
        for round in 0..150 {
            let grid = random_grid(&mut stream);
            let geometry = &*grid.geometry;
            let least = 1 + stream.below(8) as u32;
            let can_grow = |found: &Partition| {
                (0..3).any(|axis| {
                    let mut extent = found.extent;
                    extent[axis] += 1;
                    if extent[axis] > geometry.extent[axis] {
                        return false;
                    }
                    let mut before = found.at;
                    before[axis] =
                        (before[axis] + geometry.extent[axis] - 1) % geometry.extent[axis];
                    let mut starts = vec![found.at, before];
                    if extent[axis] == geometry.extent[axis] {
                        let mut ring = found.at;
                        ring[axis] = 0;
                        starts = vec![ring];
                    }
                    places(geometry, extent)
                        .any(|larger| starts.contains(&larger.at) && is_free(&grid, &larger))
                })
            };
            let naive: BTreeSet<(Extent, Extent)> = (least..=geometry.nodes())
                .flat_map(|nodes| geometry.of_volume(nodes))
                .flat_map(|extent| places(geometry, *extent))
                .filter(|found| is_free(&grid, found) && !can_grow(found))
                .map(|found| (found.at, found.extent))
                .collect();
            let listed = boxes(&grid, least, usize::MAX).expect("the list has no limit");
            let limit = listed.len();
            assert_eq!(
                boxes(&grid, least, limit).map(|listed| listed.len()),
                Some(limit)
            );
            assert_eq!(
                limit
                    .checked_sub(1)
                    .and_then(|limit| boxes(&grid, least, limit)),
                None
            );
            let found: BTreeSet<_> = listed
                .iter()
                .map(|found| (found.at, found.extent))
                .collect();
            assert_eq!(found.len(), listed.len(), "round {round}: a box twice");
            assert_eq!(found, naive, "round {round}");
        }
    }

    #[test]
    fn narrowing_chooses_as_the_list_does() {
        let mut stream = Stream::new(2, "boxes");
        let mut placed = 0;
        for round in 0..3000 {
            let grid = random_grid(&mut stream);
            let mut rest = grid.clone();
            let is_all = stream.below(2) == 0;
            if !is_all {
                take_some(&mut rest, &mut stream);
            }
            let nodes = 1 + stream.below(12) as u32;
            let limit = 1 + stream.below(30) as usize;
            let listed = boxes(&rest, nodes, limit);
            let wish = Wish {
                nodes,
                most: nodes + stream.below(4) as u32,
                within: &rest,
                boxes: listed.as_deref(),
                limit,
            };
            let narrowed = Wish {
                boxes: None,
                ..wish
            };
            assert_eq!(fits(&wish), fits(&narrowed), "round {round}");
            assert_eq!(first_fit(&wish), first_fit(&narrowed), "round {round}");
            let best = |wish: &Wish<'_>| best_fit(wish, &grid, || largest(&grid), is_all);
            assert_eq!(best(&wish), best(&narrowed), "round {round}");
            placed += u32::from(listed.is_some() && best(&wish).is_some());
        }
        assert!(placed > 1000, "{placed}");
    }

    /// Every other node of a machine of 64 nodes an axis is free: 131,072 boxes that cannot grow.
    #[test]
    fn too_many_boxes_are_not_listed() {
        let mut grid = Grid::new(Arc::new(Geometry::new([64; 3], [true; 3])));
        for number in 0..grid.geometry.nodes() {
            let at = grid.geometry.node(number);
            if at.iter().sum::<u32>() % 2 == 1 {
                grid.take(&Partition { at, extent: [1; 3] });
            }
        }
        assert!(boxes(&grid, 1, LISTED).is_none());
        assert!(boxes(&grid, 2, LISTED).is_some_and(|boxes| boxes.is_empty()));
        // A job of one node gets the first one, and leaves one node.
        let wish = Wish {
            nodes: 1,
            most: 1,
            within: &grid,
            boxes: None,
            limit: LISTED,
        };
        let (found, left) = best_fit(&wish, &grid, || 1, true).expect("a node is free");
        assert_eq!((found.at, left), ([0; 3], 1));
    }
}
