//! The largest free partition, found by looking at every node of every box: O(M^9) on a torus of M
//! x M x M. The tests use it as an oracle.

use super::Grid;
use super::geometry::volume;

/// Returns the number of nodes of the largest free box.
pub fn largest_exhaustive(grid: &Grid) -> u32 {
    let geometry = &*grid.geometry;
    let is_free = |at: u32, extent: [u32; 3]| {
        let base = geometry.node(at);
        if (0..3)
            .any(|axis| !geometry.wraps[axis] && base[axis] + extent[axis] > geometry.extent[axis])
        {
            return false;
        }
        let along = |axis: usize| {
            (base[axis]..base[axis] + extent[axis]).map(move |at| at % geometry.extent[axis])
        };
        along(0).all(|x| along(1).all(|y| along(2).all(|z| grid.is_free([x, y, z]))))
    };
    let free = geometry
        .extents
        .iter()
        .filter(|extent| (0..geometry.nodes()).any(|at| is_free(at, **extent)));
    free.map(|extent| volume(*extent)).max().unwrap_or(0)
}
