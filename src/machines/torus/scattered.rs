//! The choice of a partition on a machine whose free nodes are scattered, so that too many boxes
//! are free to go through them one by one. The rule is the one of [`super::place`].
//!
//! The search narrows all nodes of the machine at once to the positions of free boxes, for one extent
//! after the other. Its cost depends on the machine and the extents, not on the free nodes.

use super::Grid;
use super::geometry::{Extent, Geometry, Partition, volume};
use super::grid::{doubled, ones};
use super::place::Wish;
use crate::pulse::beat;
use std::mem;

/// Returns the extents of the least size from `nodes` to `most` of which a box is free, each with
/// the positions of its free boxes. They are all such extents, or the first one if `one` is true.
fn shapes(wish: &Wish<'_>, one: bool) -> Vec<(Extent, Vec<u64>)> {
    let (mut shapes, mut words) = (Vec::new(), Vec::new());
    for nodes in wish.nodes..=wish.most {
        for extent in wish.within.geometry.of_volume(nodes) {
            beat(4 * wish.within.words.len());
            if wish.within.positions(*extent, &mut words) {
                shapes.push((*extent, mem::take(&mut words)));
                if one {
                    return shapes;
                }
            }
        }
        if !shapes.is_empty() {
            break;
        }
    }
    shapes
}

/// True if a box of a size from `nodes` to `most` is free.
pub(super) fn fits(wish: &Wish<'_>) -> bool {
    !shapes(wish, true).is_empty()
}

/// Returns the first free box of the least possible size.
pub(super) fn first_fit(wish: &Wish<'_>) -> Option<Partition> {
    let (extent, words) = shapes(wish, true).pop()?;
    Some(Partition {
        at: wish.within.lowest(&words, [u64::MAX; 3])?,
        extent,
    })
}

/// Returns the free box, of the least possible size, that leaves the largest free partition of
/// `grid`, and the number of nodes of that partition. `largest` is the number of nodes of the
/// largest free partition of `grid` now.
pub(super) fn best_fit(wish: &Wish<'_>, grid: &Grid, largest: u32) -> Option<(Partition, u32)> {
    let geometry = &*grid.geometry;
    let shapes = shapes(wish, false);
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
            let fits_beside = |extent: &Extent| {
                (0..3).any(|axis| extent[axis] + other[axis] <= geometry.extent[axis])
            };
            if !shapes.iter().any(|(extent, _)| fits_beside(extent)) {
                continue;
            }
            beat(4 * grid.words.len());
            let starts = grid.starts(*other, &mut words);
            if starts[0] != 0 {
                for ((extent, _), allowed) in shapes.iter().zip(&mut allowed) {
                    leave(geometry, *extent, *other, starts, allowed);
                }
            }
        }
        let mut candidates = shapes.iter().zip(&allowed);
        let found = candidates.find_map(|((extent, words), allowed)| {
            Some(Partition {
                at: wish.within.lowest(words, *allowed)?,
                extent: *extent,
            })
        });
        if let Some(found) = found {
            return Some((found, volume(*first)));
        }
        left = &left[equal..];
    }
    let (extent, words) = shapes.first()?;
    let found = Partition {
        at: wish.within.lowest(words, [u64::MAX; 3])?,
        extent: *extent,
    };
    Some((found, 0))
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
