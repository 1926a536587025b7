//! The choice of a partition for a job: among all shapes and positions, one that leaves the largest
//! free partition.
//!
//! E. Krevat, 2003, chapter 2, gives this rule, but does not say which partition wins if several
//! leave an equally large one. Here the most cubic shape (least sum of edges) wins, then the order
//! of x, y, z of its edges, then the lowest number of its first node.
//!
//! Two boxes are disjoint exactly if their intervals are disjoint along some axis. Whether they are
//! disjoint along one axis depends on their coordinates on that axis alone. To see which positions
//! leave one of the free boxes of a shape, it is therefore enough to know the coordinates at which
//! these boxes start along each axis.

use super::Grid;
use super::geometry::{Extent, Geometry, Partition, volume};
use super::grid::{doubled, ones};
use std::mem;

/// A request for a partition.
#[derive(Copy, Clone, Debug)]
pub(super) struct Wish<'a> {
    /// Number of nodes that the job needs.
    pub nodes: u32,
    /// Largest number of nodes that the job may get, if no box has exactly `nodes` nodes.
    pub most: u32,
    /// The free nodes that the job may get.
    pub within: &'a Grid,
    /// Number of nodes of the largest free box in `within`.
    pub largest: u32,
}

/// Returns the least size from `nodes` to `most` of which a box is free.
pub(super) fn size(wish: &Wish<'_>) -> Option<u32> {
    let geometry = &*wish.within.geometry;
    let most = wish.most.min(wish.largest);
    let mut words = Vec::new();
    (wish.nodes..=most).find(|nodes| {
        // A free box of the largest size exists, so this size needs no search.
        *nodes == wish.largest
            || geometry
                .of_volume(*nodes)
                .iter()
                .any(|extent| wish.within.positions(*extent, &mut words))
    })
}

/// Returns the first free box of the size that [`size`] finds.
pub(super) fn first_fit(wish: &Wish<'_>) -> Option<Partition> {
    let mut words = Vec::new();
    let extent = *wish
        .within
        .geometry
        .of_volume(size(wish)?)
        .iter()
        .find(|extent| wish.within.positions(**extent, &mut words))?;
    Some(Partition {
        at: wish.within.lowest(&words, [u64::MAX; 3])?,
        extent,
    })
}

/// Returns the extents of the least size from `nodes` to `most` of which a box is free, each with
/// the positions of its free boxes.
fn shapes(wish: &Wish<'_>) -> Vec<(Extent, Vec<u64>)> {
    let (mut shapes, mut words) = (Vec::new(), Vec::new());
    for nodes in wish.nodes..=wish.most.min(wish.largest) {
        for extent in wish.within.geometry.of_volume(nodes) {
            if wish.within.positions(*extent, &mut words) {
                shapes.push((*extent, mem::take(&mut words)));
            }
        }
        if !shapes.is_empty() {
            break;
        }
    }
    shapes
}

/// Returns the free box, of the least possible size, that leaves the largest free partition of
/// `grid`. `largest` is the number of nodes of the largest free partition of `grid` now.
pub(super) fn best_fit(wish: &Wish<'_>, grid: &Grid, largest: u32) -> Option<Partition> {
    let geometry = &*grid.geometry;
    let shapes = shapes(wish);
    let size = volume(shapes.first()?.0);
    let mut words = Vec::new();
    // The partition that is left has at most this many nodes. Volumes descend, so the first volume
    // that some candidate leaves is the largest.
    let mut left = geometry.up_to(largest.min(grid.free() - size));
    let mut allowed = vec![[0; 3]; shapes.len()];
    while let Some(first) = left.first() {
        let equal = left
            .iter()
            .take_while(|other| volume(**other) == volume(*first))
            .count();
        allowed.fill([0; 3]);
        for other in &left[..equal] {
            if !shapes
                .iter()
                .any(|(extent, _)| fit_beside(geometry, *extent, *other))
            {
                continue;
            }
            let starts = grid.starts(*other, &mut words);
            if starts[0] != 0 {
                shapes
                    .iter()
                    .zip(&mut allowed)
                    .for_each(|((extent, _), allowed)| {
                        leave(geometry, *extent, *other, starts, allowed);
                    });
            }
        }
        let mut candidates = shapes.iter().zip(&allowed);
        let found = candidates.find_map(|((extent, rows), allowed)| {
            Some(Partition {
                at: wish.within.lowest(rows, *allowed)?,
                extent: *extent,
            })
        });
        if found.is_some() {
            return found;
        }
        left = &left[equal..];
    }
    let (extent, rows) = shapes.first()?;
    Some(Partition {
        at: wish.within.lowest(rows, [u64::MAX; 3])?,
        extent: *extent,
    })
}

/// True if boxes of these extents can be disjoint.
fn fit_beside(geometry: &Geometry, extent: Extent, other: Extent) -> bool {
    (0..3).any(|axis| extent[axis] + other[axis] <= geometry.extent[axis])
}

/// Adds to `allowed`, for each axis, the coordinates at which a box of `extent` is disjoint from a
/// free box of extent `other` along that axis. `starts` are the coordinates at which these free
/// boxes start.
fn leave(
    geometry: &Geometry,
    extent: Extent,
    other: Extent,
    starts: [u64; 3],
    allowed: &mut [u64; 3],
) {
    for axis in 0..3 {
        let nodes = geometry.extent[axis];
        if extent[axis] + other[axis] <= nodes {
            // An interval of length `other` is disjoint from one of length `extent` at a coordinate
            // if it starts at least `extent` further on, and early enough to end before the ring
            // closes. On an axis that does not wrap, no box starts where it would have to wrap, so
            // the same formula holds.
            let before = |starts: u64, by: u32| starts >> by | starts << (nodes - by) & ones(nodes);
            let mut leaves = before(starts[axis], extent[axis]);
            doubled(nodes - extent[axis] - other[axis] + 1, |by| {
                leaves |= before(leaves, by as u32);
            });
            allowed[axis] |= leaves;
        }
    }
}
