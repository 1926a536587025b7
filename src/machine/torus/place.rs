//! Which partition a job gets: of all shapes and positions, one that leaves the largest free partition.
//!
//! E. Krevat, 2003, chapter 2, says so and not which one where several do. Here the most cubic shape (least sum of edges)
//! wins, then the order of x, y, z of its edges, then the lowest number of its first node.

use super::Grid;
use super::geometry::{Partition, volume};
use super::table::Table;

/// What a job may get.
#[derive(Copy, Clone, Debug)]
pub(super) struct Wish<'a> {
    /// Nodes that it needs.
    pub nodes: u32,
    /// Nodes that it may get at most, where no box has just so many.
    pub most: u32,
    /// The nodes that it may get, if not all the free ones: they and the boxes in them.
    pub within: Option<(&'a Grid, &'a Table)>,
}

/// The least size from `nodes` to `most` of which a box is free.
pub(super) fn size(wish: &Wish<'_>, grid: &Grid, table: &Table) -> Option<u32> {
    let geometry = &*grid.geometry;
    let table = wish.within.map_or(table, |(_, table)| table);
    let most = wish.most.min(table.largest);
    (wish.nodes..=most).find(|nodes| geometry.of_volume(*nodes).iter().any(|extent| table.is_free(geometry, *extent)))
}

/// The first free box of that size.
pub(super) fn first_fit(wish: &Wish<'_>, grid: &Grid, table: &Table) -> Option<Partition> {
    let size = size(wish, grid, table)?;
    let within = wish.within.map_or(grid, |(grid, _)| grid);
    let all = [u64::MAX; 3];
    grid.geometry.of_volume(size).iter().find_map(|extent| {
        let at = within.lowest(&within.positions(*extent), all)?;
        Some(Partition { at, extent: *extent })
    })
}

/// The free box of that size that leaves the largest free partition.
pub(super) fn best_fit(wish: &Wish<'_>, grid: &Grid, table: &Table) -> Option<Partition> {
    let geometry = &*grid.geometry;
    let size = size(wish, grid, table)?;
    let candidates = wish.within.map_or(table, |(_, table)| table);
    let within = wish.within.map_or(grid, |(grid, _)| grid);
    let shapes = || geometry.of_volume(size).iter().filter(|extent| candidates.is_free(geometry, **extent));
    // What is left has at most so many nodes; from there on, the first volume that some candidate leaves is the largest.
    let mut left = geometry.up_to(table.largest.min(grid.free() - size));
    while let Some(first) = left.first() {
        let equal = left.iter().take_while(|other| volume(**other) == volume(*first)).count();
        for extent in shapes() {
            let mut allowed = [0; 3];
            for other in &left[..equal] {
                let leaving = table.leaving(geometry, *extent, *other);
                (0..3).for_each(|axis| allowed[axis] |= leaving[axis]);
            }
            if allowed != [0; 3]
                && let Some(at) = within.lowest(&within.positions(*extent), allowed)
            {
                return Some(Partition { at, extent: *extent });
            }
        }
        left = &left[equal..];
    }
    first_fit(wish, grid, table)
}
