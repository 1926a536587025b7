//! The largest free partition, found with bit operations. On small machines, a table gives the
//! largest box of a section of at most 16 nodes, such as a row. In longer rows, each bit of a word
//! stands for a position, and one instruction handles all positions of a word. The search skips
//! every shape that cannot become larger than the best box so far.

use super::Grid;
use super::geometry::{Layers, Partition};
use super::grid::GridLayout;
use super::sections::{self, Layer, Sections};
use crate::pulse::beat;

/// Returns the number of nodes of the largest free box.
pub fn largest(grid: &Grid) -> u32 {
    search(grid, u32::MAX)
}

/// Returns a free box with the largest number of nodes, and of these the most cubic one. Returns
/// `None` if no node is free.
pub fn largest_partition(grid: &Grid) -> Option<Partition> {
    let mut words = Vec::new();
    let extent = *grid
        .geometry
        .of_volume(largest(grid))
        .iter()
        .find(|extent| grid.positions(**extent, &mut words))?;
    Some(Partition {
        at: grid.lowest(&words, [u64::MAX; 3])?,
        extent,
    })
}

/// True if a box of at least `nodes` nodes is free.
pub fn holds(grid: &Grid, nodes: u32) -> bool {
    grid.free() >= nodes && (nodes <= 1 || search(grid, nodes) >= nodes)
}

/// Returns the number of nodes of the largest free box, or of any free box with at least `enough`
/// nodes.
fn search(grid: &Grid, enough: u32) -> u32 {
    beat(1024);
    let mut best = BestBox {
        nodes: 0,
        enough: enough.min(grid.free()),
    };
    match &grid.geometry.layers {
        Layers::One(sections) => in_one(grid, sections, &mut best),
        Layers::Several(sections) => in_several(grid, sections, &mut best),
        Layers::Rows => in_rows(grid, &mut best),
    }
    best.nodes
}

/// The size of the largest box so far, and the size that ends the search.
struct BestBox {
    nodes: u32,
    enough: u32,
}

impl BestBox {
    const fn is_enough(&self) -> bool {
        self.nodes >= self.enough
    }
}

/// Searches a machine that is one layer, after turning its rows into sections.
fn in_one(grid: &Grid, sections: &Sections, best: &mut BestBox) {
    let layout = &grid.geometry.layout;
    let mut layer = [0; sections::MOST];
    for (at, four) in layer
        .chunks_exact_mut(4)
        .enumerate()
        .take(layout.length.div_ceil(4) as usize)
    {
        // Spreads four nodes of a row over four sections, 16 bits apart.
        let apart = |row: u64| ((row >> (4 * at) & 0xf) * 0x2000_4000_8001) & 0x1_0001_0001_0001;
        let mut nodes = 0;
        layout.each_row(&grid.words, |outer, inner, row| {
            nodes |= apart(row) << (outer * layout.inner + inner);
        });
        four.iter_mut()
            .enumerate()
            .for_each(|(part, section)| *section = (nodes >> (16 * part)) as u16);
    }
    sections.search(&layer, 1, &mut best.nodes);
}

/// Searches a machine of several layers by projecting them onto each other.
fn in_several(grid: &Grid, sections: &Sections, best: &mut BestBox) {
    let layout = &grid.geometry.layout;
    let mut layers = [[0; sections::MOST]; sections::MOST];
    layout.each_row(&grid.words, |outer, inner, row| {
        layers[outer][inner] = row as u16;
    });
    let layers = &layers[..layout.outer];
    let and = |layer: &mut Layer, with: &Layer| {
        layer
            .iter_mut()
            .zip(with)
            .for_each(|(section, with)| *section &= with);
    };
    let mut layer = layers[0];
    layers.iter().for_each(|with| and(&mut layer, with));
    sections.search(&layer, layout.outer as u32, &mut best.nodes);
    for first in 0..layout.outer {
        let before = match first {
            0 if layout.outer_wraps => layers[layout.outer - 1],
            0 => [0; sections::MOST],
            first => layers[first - 1],
        };
        layer = layers[first];
        for depth in 1..layout.outer {
            if depth > 1 {
                match first + depth - 1 {
                    at if at < layout.outer => and(&mut layer, &layers[at]),
                    at if layout.outer_wraps => and(&mut layer, &layers[at - layout.outer]),
                    _ => break,
                }
            }
            // If each box could begin one layer earlier, the search from there finds it and all
            // deeper boxes.
            if layer
                .iter()
                .zip(&before)
                .all(|(section, before)| section & !before == 0)
                || best.is_enough()
            {
                break;
            }
            let bound = sections.search(&layer, depth as u32, &mut best.nodes);
            // Even all layers together would not make a larger box.
            if bound * layout.outer as u32 <= best.nodes {
                break;
            }
        }
    }
}

/// Searches a machine whose rows are too long for a table. Its planes are rows of words.
fn in_rows(grid: &Grid, best: &mut BestBox) {
    let layout = &grid.geometry.layout;
    let plane_at = |at: usize| &grid.words[at * layout.inner..][..layout.inner];
    let and = |plane: &mut [u64], with: &[u64]| {
        plane
            .iter_mut()
            .zip(with)
            .for_each(|(row, with)| *row &= with);
    };
    let mut plane = plane_at(0).to_vec();
    (1..layout.outer).for_each(|at| and(&mut plane, plane_at(at)));
    in_plane(layout, &plane, layout.outer as u32, best);
    for first in 0..layout.outer {
        let before = match first {
            0 if layout.outer_wraps => Some(plane_at(layout.outer - 1)),
            0 => None,
            first => Some(plane_at(first - 1)),
        };
        plane.copy_from_slice(plane_at(first));
        for outer in 1..layout.outer {
            if outer > 1 {
                match first + outer - 1 {
                    at if at < layout.outer => and(&mut plane, plane_at(at)),
                    at if layout.outer_wraps => and(&mut plane, plane_at(at - layout.outer)),
                    _ => break,
                }
            }
            let is_found = before.is_some_and(|before| {
                plane
                    .iter()
                    .zip(before)
                    .all(|(row, before)| row & !before == 0)
            });
            let nodes: u32 = plane.iter().map(|row| row.count_ones()).sum();
            if is_found || nodes * layout.outer as u32 <= best.nodes || best.is_enough() {
                break;
            }
            if nodes * outer as u32 > best.nodes {
                in_plane(layout, &plane, outer as u32, best);
            }
        }
    }
}

/// Searches a projected plane for a larger box of depth `outer`. Projects rows onto each other as
/// the caller did with planes.
fn in_plane(layout: &GridLayout, plane: &[u64], outer: u32, best: &mut BestBox) {
    let height = layout.inner as u32;
    let all = plane.iter().fold(u64::MAX, |all, row| all & row);
    in_row(layout, all, outer * height, best);
    // Even of whole rows, fewer than `least` would not make a larger box.
    let least = best.nodes / (outer * layout.length) + 1;
    if least >= height {
        return;
    }
    let mut narrowed = [0; 64];
    narrowed[..layout.inner].copy_from_slice(plane);
    layout.narrow_inner_to(&mut narrowed[..layout.inner], least);
    for at in (0..height).filter(|at| narrowed[*at as usize] != 0) {
        let mut row = narrowed[at as usize];
        let before = match at {
            0 if layout.inner_wraps => plane[height as usize - 1],
            0 => 0,
            at => plane[at as usize - 1],
        };
        for inner in least..height {
            if inner > least {
                let next = at + inner - 1;
                match () {
                    () if next < height => row &= plane[next as usize],
                    () if layout.inner_wraps => row &= plane[(next - height) as usize],
                    () => break,
                }
            }
            // If each box could begin one row earlier, the search from there finds it and all boxes
            // of more rows. The second condition holds if even all rows together would not make a
            // larger box.
            if row & !before == 0 || row.count_ones() * outer * height <= best.nodes {
                break;
            }
            in_row(layout, row, outer * inner, best);
        }
    }
}

/// Searches a projected row for a run that makes a larger box. Each position of the row stands for
/// `section` nodes.
fn in_row(layout: &GridLayout, row: u64, section: u32, best: &mut BestBox) {
    let nodes = row.count_ones();
    let mut length = best.nodes / section + 1;
    if length > nodes {
        return;
    }
    while length <= nodes && layout.runs(row, length) != 0 && !best.is_enough() {
        best.nodes = length * section;
        length += 1;
    }
}
