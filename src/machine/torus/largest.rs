//! The largest free partition, found with bits: many positions are narrowed by one instruction, and what cannot become
//! larger than the best so far is not looked at.

use super::Grid;
use super::dense::{Dense, Word};
use super::geometry::{Extent, Layers, Partition, volume};
use super::grid::{Layout, ones};

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
    let enough = enough.min(grid.free());
    if enough == 0 {
        return None;
    }
    let mut best = Best { volume: 0, enough, at: [0; 3], extent: [0; 3] };
    match &grid.geometry.layers {
        Layers::Words(dense) if dense.outer <= 8 => in_words(dense, &dense.planes::<8>(grid), &mut best),
        Layers::Words(dense) => in_words(dense, &dense.planes::<64>(grid), &mut best),
        Layers::Double(dense) => in_words(dense, &dense.planes::<64>(grid), &mut best),
        Layers::Rows => in_rows(grid, &mut best),
    }
    let mut partition = Partition { at: [0; 3], extent: [0; 3] };
    for (place, axis) in grid.geometry.axes.into_iter().enumerate() {
        (partition.at[axis], partition.extent[axis]) = (best.at[place], best.extent[place]);
    }
    Some(partition)
}

/// The largest box so far, along the axes in the grid's order.
struct Best {
    volume: u32,
    enough: u32,
    at: Extent,
    extent: Extent,
}

impl Best {
    fn take(&mut self, at: Extent, extent: Extent) {
        (self.volume, self.at, self.extent) = (volume(extent), at, extent);
    }

    const fn is_enough(&self) -> bool {
        self.volume >= self.enough
    }
}

/// Planes that are words: every row and every position of a plane at once.
fn in_words<W: Word>(dense: &Dense<W>, planes: &[W], best: &mut Best) {
    let all = (0..dense.outer).fold(planes[0], |all, at| all & planes[at]);
    in_word(dense, all, 0, dense.outer as u32, best);
    for first in 0..dense.outer {
        let before = dense.before(planes, first);
        let mut plane = planes[first];
        for outer in 1..dense.outer {
            if outer > 1 {
                let Some(next) = dense.further(planes, first, outer - 1) else { break };
                plane &= next;
            }
            // A box that could begin one plane earlier is found from there, with all deeper ones; and not even all the planes
            // that may follow would help.
            let nodes = plane.count();
            if plane & !before == W::ZERO || nodes * dense.outer as u32 <= best.volume {
                break;
            }
            if nodes * outer as u32 <= best.volume {
                continue;
            }
            in_word(dense, plane, first as u32, outer as u32, best);
        }
    }
}

/// The largest box of depth `outer` in a projected plane.
fn in_word<W: Word>(dense: &Dense<W>, plane: W, first: u32, outer: u32, best: &mut Best) {
    if outer * dense.inner * dense.within <= best.volume {
        return;
    }
    let mut rows = plane;
    let mut length = dense.within;
    for inner in 1..=dense.inner {
        if inner > 1 {
            rows &= dense.rows_further(plane, inner - 1);
        }
        if rows == W::ZERO {
            return;
        }
        let section = outer * inner;
        if section * dense.within <= best.volume {
            continue;
        }
        // The least length that makes a larger box; it falls from row to row, and divisions are dear.
        while length > 1 && (length - 1) * section > best.volume {
            length -= 1;
        }
        let mut runs = dense.runs(rows, length);
        while runs != W::ZERO {
            let node = runs.lowest();
            best.take([first, node / dense.within, node % dense.within], [outer, inner, length]);
            if length == dense.within || best.is_enough() {
                break;
            }
            length += 1;
            runs = dense.runs(rows, length);
        }
    }
}

/// Planes that are rows of words.
fn in_rows(grid: &Grid, best: &mut Best) {
    let layout = Layout::of(&grid.geometry);
    let packing = Packing::of(&layout);
    let free = packing.pack(&grid.rows);
    let plane_at = |at: usize| &free[at * packing.words..][..packing.words];
    let and = |plane: &mut [u64], with: &[u64]| plane.iter_mut().zip(with).for_each(|(word, with)| *word &= with);
    let mut plane = plane_at(0).to_vec();
    (1..layout.outer).for_each(|at| and(&mut plane, plane_at(at)));
    in_plane(&layout, &packing.unpack(&plane), layout.outer as u32, 0, best);
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
            // A box that could begin one plane earlier is found from there, with all deeper ones; and not even all the
            // planes that may follow would help.
            let is_found = before.is_some_and(|before| plane.iter().zip(before).all(|(word, before)| word & !before == 0));
            let nodes: u32 = plane.iter().map(|word| word.count_ones()).sum();
            if is_found || nodes * layout.outer as u32 <= best.volume || best.is_enough() {
                break;
            }
            if nodes * outer as u32 > best.volume {
                in_plane(&layout, &packing.unpack(&plane), outer as u32, first as u32, best);
            }
        }
    }
}

/// Several short rows in a word: fewer words to project and to count.
struct Packing {
    /// Rows in a word.
    rows: usize,
    length: u32,
    /// Words of a plane.
    words: usize,
    /// Rows of a plane.
    height: usize,
}

impl Packing {
    fn of(layout: &Layout) -> Self {
        let rows = (64 / layout.length) as usize;
        Self { rows, length: layout.length, words: layout.inner.div_ceil(rows), height: layout.inner }
    }

    fn pack(&self, rows: &[u64]) -> Vec<u64> {
        let word = |rows: &[u64]| rows.iter().enumerate().fold(0, |word, (at, row)| word | row << (at as u32 * self.length));
        rows.chunks_exact(self.height).flat_map(|plane| plane.chunks(self.rows).map(word)).collect()
    }

    fn unpack(&self, plane: &[u64]) -> [u64; 64] {
        let mut rows = [0; 64];
        for (at, row) in rows.iter_mut().enumerate().take(self.height) {
            *row = plane[at / self.rows] >> ((at % self.rows) as u32 * self.length) & ones(self.length);
        }
        rows
    }
}

/// The largest box of depth `outer` in a projected plane: rows are projected onto each other as planes were.
fn in_plane(layout: &Layout, plane: &[u64; 64], outer: u32, first: u32, best: &mut Best) {
    let height = layout.inner as u32;
    let all = plane[..layout.inner].iter().fold(u64::MAX, |all, row| all & row);
    in_row(layout, all, [first, 0], [outer, height], best);
    // Even whole rows make a larger box only if they are so many: no fewer are looked at.
    let least = best.volume / (outer * layout.length) + 1;
    if least >= height {
        return;
    }
    let mut narrowed = *plane;
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
            // A box that could begin one row earlier is found from there, and so are all with more rows; and not even all
            // the rows that may follow would help.
            if row & !before == 0 || row.count_ones() * outer * height <= best.volume {
                break;
            }
            in_row(layout, row, [first, at], [outer, inner], best);
        }
    }
}

/// The longest box of that cross-section in a projected row.
fn in_row(layout: &Layout, row: u64, [first, at]: [u32; 2], [outer, inner]: [u32; 2], best: &mut Best) {
    let nodes = row.count_ones();
    if nodes * outer * inner <= best.volume {
        return;
    }
    let mut length = best.volume / (outer * inner) + 1;
    let mut runs = layout.runs(row, length);
    while runs != 0 {
        best.take([first, at, runs.trailing_zeros()], [outer, inner, length]);
        if length == nodes || best.is_enough() {
            return;
        }
        length += 1;
        runs = layout.runs(row, length);
    }
}
