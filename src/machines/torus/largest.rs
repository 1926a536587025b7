//! The largest free partition. On small machines, a table gives the largest box of a section of at
//! most 16 nodes, such as a row. On others, the search goes through the free boxes that are larger
//! than the best one so far.

use super::Grid;
use super::boxes::each_box;
use super::geometry::{Layers, Partition, volume};
use super::place::{LISTED, Wish, boxes, first_fit};
use super::sections::{self, Layer, Sections};
use crate::pulse::beat;

/// Returns the number of nodes of the largest free box.
pub fn largest(grid: &Grid) -> u32 {
    search(grid, 0, u32::MAX)
}

/// Returns a free box with the largest number of nodes, and of these the most cubic one. Returns
/// `None` if no node is free.
pub fn largest_partition(grid: &Grid) -> Option<Partition> {
    let nodes = largest(grid);
    first_fit(&Wish {
        nodes,
        most: nodes,
        within: grid,
        boxes: boxes(grid, nodes, LISTED).as_deref(),
        limit: LISTED,
    })
}

/// True if a box of at least `nodes` nodes is free.
pub fn holds(grid: &Grid, nodes: u32) -> bool {
    nodes == 0 || search(grid, nodes - 1, nodes) >= nodes
}

/// Returns the number of nodes of the largest free box, or of any free box with at least `enough`
/// nodes. Returns `known` if no free box has more nodes than that.
pub(super) fn search(grid: &Grid, known: u32, enough: u32) -> u32 {
    beat(1024);
    let mut best = BestBox {
        nodes: known,
        enough: enough.min(grid.free()),
    };
    if known >= grid.free() {
        return known;
    }
    match &grid.geometry.layers {
        Layers::One(sections) => in_one(grid, sections, &mut best),
        Layers::Several(sections) => in_several(grid, sections, &mut best),
        Layers::Rows => each_box(grid, known + 1, &mut |found| {
            best.nodes = volume(found.extent);
            if best.is_enough() {
                u32::MAX
            } else {
                best.nodes + 1
            }
        }),
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
