//! Which partition a job gets: of all shapes and positions, one that leaves the largest free
//! partition.
//!
//! E. Krevat, 2003, chapter 2, says so and not which one where several do. Here the most cubic
//! shape (least sum of edges) wins, then the order of x, y, z of its edges, then the lowest number
//! of its first node.
//!
//! Two boxes are disjoint just when their intervals are disjoint along some axis, and whether they
//! are along one axis depends on their coordinates on that axis alone. So what need be known of the
//! free boxes of a shape, to see which positions leave one of them, is where they start along each
//! axis.

use super::Grid;
use super::geometry::{Extent, Geometry, Partition, volume};
use super::grid::{doubled, ones};
use std::mem;

/// What a job may get.
#[derive(Copy, Clone, Debug)]
pub(super) struct Wish<'a> {
    /// Nodes that it needs.
    pub nodes: u32,
    /// Nodes that it may get at most, where no box has just so many.
    pub most: u32,
    /// The nodes that it may get.
    pub within: &'a Grid,
    /// Nodes of the largest free box of these.
    pub largest: u32,
}

/// The least size from `nodes` to `most` of which a box is free.
pub(super) fn size(wish: &Wish<'_>) -> Option<u32> {
    let geometry = &*wish.within.geometry;
    let most = wish.most.min(wish.largest);
    let mut words = Vec::new();
    (wish.nodes..=most).find(|nodes| {
        // The largest box has all smaller ones of its edges, and at least the size itself.
        *nodes == wish.largest
            || geometry
                .of_volume(*nodes)
                .iter()
                .any(|extent| wish.within.positions(*extent, &mut words))
    })
}

/// The first free box of that size.
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

/// The extents of the least size from `nodes` to `most` of which a box is free, and the positions
/// of these boxes.
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

/// The free box of that size that leaves the largest free partition of `grid`, of which `largest`
/// nodes are in one now.
pub(super) fn best_fit(wish: &Wish<'_>, grid: &Grid, largest: u32) -> Option<Partition> {
    let geometry = &*grid.geometry;
    let shapes = shapes(wish);
    let size = volume(shapes.first()?.0);
    let mut words = Vec::new();
    // What is left has at most so many nodes; from there on, the first volume that some candidate
    // leaves is the largest.
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

/// Whether boxes of these extents can be disjoint at all.
fn fit_beside(geometry: &Geometry, extent: Extent, other: Extent) -> bool {
    (0..3).any(|axis| extent[axis] + other[axis] <= geometry.extent[axis])
}

/// Adds the coordinates along each axis at which a box of `extent` leaves one of the boxes of
/// `other` beside it along that axis, which start at `starts`.
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
            // An interval of length `other` does not meet the one of length `extent` at a
            // coordinate if it starts so much further, or up to the rest of the ring more. On an
            // axis that does not wrap, no box starts where it would have to wrap, so that nothing
            // else need be known there.
            let before = |starts: u64, by: u32| starts >> by | starts << (nodes - by) & ones(nodes);
            let mut leaves = before(starts[axis], extent[axis]);
            doubled(nodes - extent[axis] - other[axis] + 1, |by| {
                leaves |= before(leaves, by as u32);
            });
            allowed[axis] |= leaves;
        }
    }
}
