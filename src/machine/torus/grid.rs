//! The free nodes of a torus as bits, many of them in a word.
//!
//! A *row* is the nodes along the longest axis, a bit each; rows are numbered along the two other axes. The positions at
//! which a box is free are found by narrowing: a box of length a + b along an axis is free at a node, where b is at most a,
//! if one of length a is free there and another one b further.

use super::Geometry;
use super::geometry::{Extent, Partition};
use crate::machine::Range;
use std::sync::Arc;

/// The free nodes.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The machine's shape.
    pub geometry: Arc<Geometry>,
    pub(super) rows: Vec<u64>,
    free: u32,
}

/// The rows' layout: how many along each of the two axes that number them, their length, and what wraps.
#[derive(Copy, Clone, Debug)]
pub(super) struct Layout {
    pub outer: usize,
    pub inner: usize,
    pub length: u32,
    pub outer_wraps: bool,
    pub inner_wraps: bool,
    pub length_wraps: bool,
}

impl Layout {
    pub(super) fn of(geometry: &Geometry) -> Self {
        let [outer, inner, within] = geometry.axes;
        let [nodes, wraps] = [geometry.extent.map(|nodes| nodes as usize), geometry.wraps.map(usize::from)];
        Self {
            outer: nodes[outer],
            inner: nodes[inner],
            length: nodes[within] as u32,
            outer_wraps: wraps[outer] == 1,
            inner_wraps: wraps[inner] == 1,
            length_wraps: wraps[within] == 1,
        }
    }

    /// Narrows `rows`, where boxes of one length along the outer axis are free, to where the one `by` further is too.
    fn narrow_outer(&self, rows: &mut [u64], by: usize) {
        let wrapped = rows[..by * self.inner].to_vec();
        let split = (self.outer - by) * self.inner;
        // Rows further on are read before they are written.
        for at in 0..split {
            rows[at] &= rows[at + by * self.inner];
        }
        let rest = &mut rows[split..];
        if self.outer_wraps { rest.iter_mut().zip(wrapped).for_each(|(row, with)| *row &= with) } else { rest.fill(0) }
    }

    /// The same along the inner axis.
    fn narrow_inner(&self, rows: &mut [u64], by: usize) {
        let mut wrapped = [0; 64];
        let split = self.inner - by;
        for plane in rows.chunks_exact_mut(self.inner) {
            wrapped[..by].copy_from_slice(&plane[..by]);
            for at in 0..split {
                plane[at] &= plane[at + by];
            }
            let rest = &mut plane[split..];
            if self.inner_wraps { rest.iter_mut().zip(wrapped).for_each(|(row, with)| *row &= with) } else { rest.fill(0) }
        }
    }

    /// Narrows free nodes to where so many rows in a row are free.
    pub(super) fn narrow_inner_to(&self, rows: &mut [u64], length: u32) {
        doubled(length, |by| self.narrow_inner(rows, by));
    }

    /// The bits of a row, `by` nodes further.
    pub(super) const fn shifted(&self, row: u64, by: u32) -> u64 {
        if self.length_wraps { row >> by | row << (self.length - by) & ones(self.length) } else { row >> by }
    }

    /// The positions in a row at which `length` nodes are free.
    pub(super) const fn runs(&self, row: u64, length: u32) -> u64 {
        let (mut runs, mut have) = (row, 1);
        while have < length && runs != 0 {
            let by = if have < length - have { have } else { length - have };
            runs &= self.shifted(runs, by);
            have += by;
        }
        runs
    }
}

/// Steps from length 1 to `length`, each at most as long as what there is: with them an interval is covered twice at most.
fn doubled(length: u32, mut narrow: impl FnMut(usize)) {
    let mut have = 1;
    while have < length {
        let by = have.min(length - have);
        narrow(by as usize);
        have += by;
    }
}

pub(super) const fn ones(count: u32) -> u64 {
    if count == 64 { u64::MAX } else { (1 << count) - 1 }
}

impl Grid {
    /// All nodes free.
    pub fn new(geometry: Arc<Geometry>) -> Self {
        let layout = Layout::of(&geometry);
        Self { free: geometry.nodes(), rows: vec![ones(layout.length); layout.outer * layout.inner], geometry }
    }

    /// How many nodes are free.
    pub const fn free(&self) -> u32 {
        self.free
    }

    /// Whether a node is free.
    pub fn is_free(&self, node: Extent) -> bool {
        let (row, bit) = self.place(node);
        self.rows[row] >> bit & 1 == 1
    }

    /// Takes the nodes of a box.
    pub fn take(&mut self, partition: &Partition) {
        self.each_row(partition, |row, bits| *row &= !bits);
    }

    /// Gives the nodes of a box back.
    pub fn give(&mut self, partition: &Partition) {
        self.each_row(partition, |row, bits| *row |= bits);
    }

    /// Takes nodes by their numbers.
    pub fn take_ranges(&mut self, ranges: &[Range]) {
        for number in ranges.iter().flat_map(|range| range.first..range.end()) {
            let (row, bit) = self.place(self.geometry.node(number));
            self.free -= (self.rows[row] >> bit & 1) as u32;
            self.rows[row] &= !(1 << bit);
        }
    }

    fn place(&self, node: Extent) -> (usize, u32) {
        let [outer, inner, within] = self.geometry.axes;
        ((node[outer] * self.geometry.extent[inner] + node[inner]) as usize, node[within])
    }

    fn each_row(&mut self, partition: &Partition, change: impl Fn(&mut u64, u64)) {
        let geometry = &self.geometry;
        let [outer, inner, within] = geometry.axes;
        let along = |axis: usize| geometry.along(axis, partition.at[axis], partition.extent[axis]);
        let bits = along(within).fold(0, |bits, at| bits | 1_u64 << at);
        let mut free = self.free;
        for row in along(outer) {
            for at in along(inner) {
                let row = &mut self.rows[(row * geometry.extent[inner] + at) as usize];
                free -= row.count_ones();
                change(row, bits);
                free += row.count_ones();
            }
        }
        self.free = free;
    }

    /// The positions at which a box of this extent is free, as rows; none if there are none.
    pub(super) fn positions(&self, extent: Extent) -> Option<Vec<u64>> {
        let layout = Layout::of(&self.geometry);
        let [outer, inner, within] = self.geometry.axes.map(|axis| extent[axis]);
        let mut some = 0;
        let mut rows: Vec<u64> = self.rows.iter().map(|row| layout.runs(*row, within)).inspect(|row| some |= row).collect();
        if some == 0 {
            return None;
        }
        layout.narrow_inner_to(&mut rows, inner);
        doubled(outer, |by| layout.narrow_outer(&mut rows, by));
        rows.iter().any(|row| *row != 0).then_some(rows)
    }

    /// For each axis the coordinates at which a box of this extent starts that is free; all zero if there is none.
    pub(super) fn starts(&self, extent: Extent) -> [u64; 3] {
        let mut starts = [0; 3];
        let Some(rows) = self.positions(extent) else { return starts };
        let [outer, inner, within] = self.geometry.axes;
        for (at, plane) in rows.chunks_exact(self.geometry.extent[inner] as usize).enumerate() {
            for (row, bits) in plane.iter().enumerate().filter(|(_, bits)| **bits != 0) {
                starts[outer] |= 1 << at;
                starts[inner] |= 1 << row;
                starts[within] |= bits;
            }
        }
        starts
    }

    /// The node of the lowest number that is set in `rows` and whose coordinates are all in `allowed` for at least one axis.
    pub(super) fn lowest(&self, rows: &[u64], allowed: [u64; 3]) -> Option<Extent> {
        let geometry = &self.geometry;
        let [outer, inner, within] = geometry.axes;
        let inner_length = geometry.extent[inner] as usize;
        let node = |(index, row): (usize, &u64)| {
            let (o, i) = ((index / inner_length) as u32, (index % inner_length) as u32);
            let is_allowed = allowed[outer] >> o & 1 == 1 || allowed[inner] >> i & 1 == 1;
            let bits = if is_allowed { *row } else { row & allowed[within] };
            let mut node = [0; 3];
            (node[outer], node[inner], node[within]) = (o, i, bits.trailing_zeros());
            (bits != 0).then_some(node)
        };
        rows.iter().enumerate().filter_map(node).min_by_key(|node| geometry.number(*node))
    }
}
