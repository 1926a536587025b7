//! Where boxes of every extent are free: for each, the coordinates along each axis at which some free one starts.
//!
//! That is all that placement needs to know of a free box: two boxes are disjoint just when their intervals are disjoint
//! along some axis, and whether they are along one axis depends on their coordinates on that axis alone.

use super::Grid;
use super::geometry::{Extent, Geometry};
use super::grid::{Layout, ones};

/// The coordinates at which free boxes start.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// By [`Geometry::index`] of an extent, a bit for each coordinate along x, y and z; all zero where none is free.
    starts: Vec<[u64; 3]>,
    /// Nodes of the largest free box.
    pub largest: u32,
}

impl Table {
    pub(super) fn of(grid: &Grid) -> Self {
        let geometry = &*grid.geometry;
        let layout = Layout::of(geometry);
        let axes = geometry.axes;
        let [outer_axis, inner_axis, within_axis] = axes;
        let mut table = Self { starts: vec![[0; 3]; geometry.nodes() as usize], largest: 0 };
        if grid.free() == 0 {
            return table;
        }
        let stride = geometry.index({
            let mut second = [1; 3];
            second[within_axis] = geometry.extent[within_axis].min(2);
            second
        });
        let mut planes = grid.rows.clone();
        let mut rows = planes.clone();
        let mut found = vec![[0_u64; 3]; layout.length as usize];
        for outer in 1..=layout.outer {
            if outer > 1 {
                layout.project(&mut planes, &grid.rows, outer - 1);
            }
            rows.copy_from_slice(&planes);
            let mut is_any_outer = false;
            for inner in 1..=layout.inner {
                if inner > 1 {
                    layout.narrow_inner(&mut rows, &planes, inner - 1);
                }
                let mut longest = 0;
                for (o, line) in rows.chunks_exact(layout.inner).enumerate() {
                    for (i, row) in line.iter().enumerate().filter(|(_, row)| **row != 0) {
                        let mut runs = *row;
                        let mut length = 0;
                        while runs != 0 {
                            let [outer, inner, within] = &mut found[length];
                            *outer |= 1 << o;
                            *inner |= 1 << i;
                            *within |= runs;
                            length += 1;
                            if length == layout.length as usize {
                                break;
                            }
                            runs &= layout.shifted(*row, length as u32);
                        }
                        longest = longest.max(length);
                    }
                }
                if longest == 0 {
                    break;
                }
                is_any_outer = true;
                let mut extent = [1; 3];
                (extent[outer_axis], extent[inner_axis]) = (outer as u32, inner as u32);
                let first = geometry.index(extent);
                table.largest = table.largest.max((outer * inner * longest) as u32);
                for (length, found) in found[..longest].iter_mut().enumerate() {
                    let starts = &mut table.starts[first + length * stride];
                    (0..3).for_each(|place| starts[axes[place]] = found[place]);
                    *found = [0; 3];
                }
            }
            if !is_any_outer {
                break;
            }
        }
        table
    }

    /// Whether a box of this extent is free.
    pub(super) fn is_free(&self, geometry: &Geometry, extent: Extent) -> bool {
        self.starts[geometry.index(extent)][0] != 0
    }

    /// For each axis, the coordinates at which a box of `extent` leaves a free box of `other` beside it along that axis.
    pub(super) fn leaving(&self, geometry: &Geometry, extent: Extent, other: Extent) -> [u64; 3] {
        let starts = &self.starts[geometry.index(other)];
        if starts[0] == 0 {
            return [0; 3];
        }
        [0, 1, 2].map(|axis| {
            let nodes = geometry.extent[axis];
            if extent[axis] + other[axis] > nodes {
                return 0;
            }
            let mut allowed = 0;
            for at in 0..nodes {
                allowed |= u64::from(starts[axis] & beside(nodes, at, extent[axis], other[axis]) != 0) << at;
            }
            allowed
        })
    }
}

/// The coordinates at which an interval of length `other` does not meet the one of length `length` at `at`, on a ring. On
/// an axis that does not wrap, no box starts where it would have to wrap, so that nothing else need be known there.
const fn beside(nodes: u32, at: u32, length: u32, other: u32) -> u64 {
    let count = nodes - length - other + 1;
    let from = (at + length) % nodes;
    let bits = ones(count);
    if from + count <= nodes { bits << from } else { (bits << from | bits >> (nodes - from)) & ones(nodes) }
}
