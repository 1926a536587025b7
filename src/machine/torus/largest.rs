//! The largest free partition, found with bits: many positions are narrowed by one instruction, and what cannot become
//! larger than the best so far is not looked at.

use super::Grid;
use super::geometry::{Partition, volume};
use super::grid::Layout;

/// A free box of the most nodes; none if no node is free.
pub fn largest(grid: &Grid) -> Option<Partition> {
    search(grid, u32::MAX)
}

/// Whether some box of at least `nodes` nodes is free.
pub fn holds(grid: &Grid, nodes: u32) -> bool {
    grid.free() >= nodes && (nodes <= 1 || search(grid, nodes).is_some_and(|partition| volume(partition.extent) >= nodes))
}

/// A free box of at least `enough` nodes, or else one of the most nodes.
fn search(grid: &Grid, enough: u32) -> Option<Partition> {
    let geometry = &*grid.geometry;
    let layout = Layout::of(geometry);
    let [outer_axis, inner_axis, within_axis] = geometry.axes;
    let enough = enough.min(grid.free());
    let mut best = 0;
    let mut found = None;
    let mut planes = grid.rows.clone();
    let mut rows = planes.clone();
    for outer in 1..=layout.outer {
        if outer > 1 {
            layout.narrow_outer(&mut planes, &grid.rows, outer - 1);
        }
        let most = (outer * layout.inner) as u32 * layout.length;
        if most <= best {
            continue;
        }
        if planes.iter().all(|row| *row == 0) {
            break;
        }
        rows.copy_from_slice(&planes);
        for inner in 1..=layout.inner {
            if inner > 1 {
                layout.narrow_inner(&mut rows, &planes, inner - 1);
            }
            let area = (outer * inner) as u32;
            // A box of this cross-section must be longer than that to be larger than the best.
            let mut length = best / area + 1;
            if length > layout.length {
                continue;
            }
            let mut some = 0;
            for (index, row) in rows.iter().enumerate() {
                some |= *row;
                let mut runs = layout.runs(*row, length);
                while runs != 0 {
                    best = length * area;
                    let mut partition = Partition { at: [0; 3], extent: [0; 3] };
                    partition.at[outer_axis] = (index / layout.inner) as u32;
                    partition.at[inner_axis] = (index % layout.inner) as u32;
                    partition.at[within_axis] = runs.trailing_zeros();
                    partition.extent[outer_axis] = outer as u32;
                    partition.extent[inner_axis] = inner as u32;
                    partition.extent[within_axis] = length;
                    found = Some(partition);
                    if best >= enough {
                        return found;
                    }
                    length += 1;
                    runs = if length > layout.length { 0 } else { layout.runs(*row, length) };
                }
                if length > layout.length {
                    break;
                }
            }
            if some == 0 {
                break;
            }
        }
    }
    found
}
