//! The free nodes of a torus as bits, many of them in a word.
//!
//! A *row* is the nodes along the longest axis, a bit each; a *plane* is the rows along the next
//! one. A word has a row or, on a machine so small that it fits, a plane. The positions at which a
//! box is free are found by narrowing: a box of length a + b along an axis is free at a node, where
//! b is at most a, if one of length a is free there and another one b further.

use super::Geometry;
use super::geometry::{Extent, Partition};
use crate::machine::Range;
use std::sync::Arc;

/// The free nodes.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The machine's shape.
    pub geometry: Arc<Geometry>,
    pub(super) words: Vec<u64>,
    free: u32,
}

/// How nodes are laid out in words.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct GridLayout {
    /// The axes: planes are numbered along the first one, rows in a plane along the second one, the
    /// last one is within a row.
    pub axes: [usize; 3],
    /// Planes.
    pub outer: usize,
    /// Rows in a plane.
    pub inner: usize,
    /// Nodes in a row.
    pub length: u32,
    pub outer_wraps: bool,
    pub inner_wraps: bool,
    pub length_wraps: bool,
    /// Words in a plane: one, or one for each row.
    words: usize,
    /// The first node of each row of a word.
    firsts: u64,
}

impl GridLayout {
    /// `in_planes`: planes of at most 64 nodes are a word.
    pub(super) fn new(extent: Extent, wraps: [bool; 3], axes: [usize; 3], in_planes: bool) -> Self {
        let [outer, inner, length] = axes.map(|axis| extent[axis]);
        let [outer_wraps, inner_wraps, length_wraps] = axes.map(|axis| wraps[axis]);
        let (outer, inner) = (outer as usize, inner as usize);
        let rows = if in_planes && inner as u32 * length <= 64 {
            inner
        } else {
            1
        };
        let firsts = (0..rows).fold(0, |firsts, row| firsts | 1 << (row as u32 * length));
        Self {
            axes,
            outer,
            inner,
            length,
            outer_wraps,
            inner_wraps,
            length_wraps,
            words: inner / rows,
            firsts,
        }
    }

    /// Where a row begins: its word, and the first bit there.
    const fn row(&self, outer: usize, inner: usize) -> (usize, u32) {
        if self.words == self.inner {
            (outer * self.inner + inner, 0)
        } else {
            (outer, inner as u32 * self.length)
        }
    }

    /// Tells of each row its plane, its place there and its bits.
    pub(super) fn each_row(&self, words: &[u64], mut tell: impl FnMut(usize, usize, u64)) {
        for (outer, plane) in words.chunks_exact(self.words).enumerate() {
            for inner in 0..self.inner {
                let (word, bit) = self.row(0, inner);
                tell(outer, inner, plane[word] >> bit & ones(self.length));
            }
        }
    }

    /// Narrows `words`, where boxes of one length along the outer axis are free, to where the one
    /// `by` further is too.
    fn narrow_outer(&self, words: &mut Vec<u64>, by: usize) {
        let (all, by) = (words.len(), by * self.words);
        // What lies behind the last plane: words further on are read before they are written.
        if self.outer_wraps {
            words.extend_from_within(..by);
        } else {
            words.resize(all + by, 0);
        }
        for at in 0..all {
            words[at] &= words[at + by];
        }
        words.truncate(all);
    }

    /// The same along the inner axis.
    fn narrow_inner(&self, words: &mut [u64], by: usize) {
        if self.words < self.inner {
            let (bits, by) = (self.inner as u32 * self.length, by as u32 * self.length);
            words.iter_mut().for_each(|word| {
                *word &= *word >> by
                    | if self.inner_wraps {
                        *word << (bits - by)
                    } else {
                        0
                    }
            });
            return;
        }
        let mut wrapped = [0; 64];
        let split = self.inner - by;
        for plane in words.chunks_exact_mut(self.inner) {
            wrapped[..by].copy_from_slice(&plane[..by]);
            for at in 0..split {
                plane[at] &= plane[at + by];
            }
            let rest = &mut plane[split..];
            if self.inner_wraps {
                rest.iter_mut()
                    .zip(wrapped)
                    .for_each(|(row, with)| *row &= with);
            } else {
                rest.fill(0);
            }
        }
    }

    /// Narrows free nodes to where so many rows in a row are free.
    pub(super) fn narrow_inner_to(&self, words: &mut [u64], length: u32) {
        doubled(length, |by| self.narrow_inner(words, by));
    }

    /// The same within rows.
    fn narrow_within(&self, words: &mut [u64], by: u32) {
        // The rows' nodes from which the one so much further is not around the corner.
        let near = self.firsts * ones(self.length - by);
        let far = if self.length_wraps {
            (self.firsts * ones(self.length)) ^ near
        } else {
            0
        };
        words
            .iter_mut()
            .for_each(|word| *word &= *word >> by & near | *word << (self.length - by) & far);
    }

    /// The positions in a row of its own at which `length` nodes are free.
    pub(super) fn runs(&self, row: u64, length: u32) -> u64 {
        let mut row = [row];
        doubled(length, |by| self.narrow_within(&mut row, by as u32));
        row[0]
    }
}

/// Steps from length 1 to `length`, each at most as long as what there is: with them an interval is
/// covered twice at most.
pub(super) fn doubled(length: u32, mut narrow: impl FnMut(usize)) {
    let mut have = 1;
    while have < length {
        let by = have.min(length - have);
        narrow(by as usize);
        have += by;
    }
}

pub(super) const fn ones(count: u32) -> u64 {
    if count == 64 {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

impl Grid {
    /// All nodes free.
    pub fn new(geometry: Arc<Geometry>) -> Self {
        let layout = &geometry.layout;
        let words = vec![layout.firsts * ones(layout.length); layout.outer * layout.words];
        Self {
            free: geometry.nodes(),
            words,
            geometry,
        }
    }

    /// How many nodes are free.
    pub const fn free(&self) -> u32 {
        self.free
    }

    /// Whether a node is free.
    pub fn is_free(&self, node: Extent) -> bool {
        let (word, bit) = self.place(node);
        self.words[word] >> bit & 1 == 1
    }

    /// Takes the nodes of a box.
    pub fn take(&mut self, partition: &Partition) {
        self.change(partition, |row, bits| *row &= !bits);
    }

    /// Gives the nodes of a box back.
    pub fn give(&mut self, partition: &Partition) {
        self.change(partition, |row, bits| *row |= bits);
    }

    /// Takes nodes by their numbers.
    pub fn take_ranges(&mut self, ranges: &[Range]) {
        for number in ranges.iter().flat_map(|range| range.first..range.end()) {
            let (word, bit) = self.place(self.geometry.node(number));
            self.free -= (self.words[word] >> bit & 1) as u32;
            self.words[word] &= !(1 << bit);
        }
    }

    fn place(&self, node: Extent) -> (usize, u32) {
        let [outer, inner, within] = self.geometry.layout.axes;
        let (word, bit) = self
            .geometry
            .layout
            .row(node[outer] as usize, node[inner] as usize);
        (word, bit + node[within])
    }

    fn change(&mut self, partition: &Partition, change: impl Fn(&mut u64, u64)) {
        let geometry = &self.geometry;
        let [outer, inner, within] = geometry.layout.axes;
        let along = |axis: usize| geometry.along(axis, partition.at[axis], partition.extent[axis]);
        let bits = along(within).fold(0, |bits, at| bits | 1_u64 << at);
        let mut free = self.free;
        for plane in along(outer) {
            for row in along(inner) {
                let (word, bit) = geometry.layout.row(plane as usize, row as usize);
                let word = &mut self.words[word];
                free -= word.count_ones();
                change(word, bits << bit);
                free += word.count_ones();
            }
        }
        self.free = free;
    }

    /// The positions at which a box of this extent is free, as words, into `words`. Whether there
    /// are any.
    pub(super) fn positions(&self, extent: Extent, words: &mut Vec<u64>) -> bool {
        let layout = &self.geometry.layout;
        let [outer, inner, within] = layout.axes.map(|axis| extent[axis]);
        words.clear();
        // With room to narrow them.
        words.reserve(2 * self.words.len());
        words.extend_from_slice(&self.words);
        let is_none = |words: &[u64]| words.iter().all(|word| *word == 0);
        doubled(within, |by| layout.narrow_within(words, by as u32));
        if is_none(words) {
            return false;
        }
        layout.narrow_inner_to(words, inner);
        doubled(outer, |by| layout.narrow_outer(words, by));
        !is_none(words)
    }

    /// For each axis the coordinates at which a box of this extent starts that is free; all zero if
    /// there is none. `words` is room to work in.
    pub(super) fn starts(&self, extent: Extent, words: &mut Vec<u64>) -> [u64; 3] {
        let mut starts = [0; 3];
        if !self.positions(extent, words) {
            return starts;
        }
        let layout = &self.geometry.layout;
        let [outer, inner, within] = layout.axes;
        let (first, others) = words.split_at_mut(layout.words);
        starts[outer] = u64::from(first.iter().any(|word| *word != 0));
        for (plane, at) in others.chunks_exact(layout.words).zip(1..) {
            let mut some = 0;
            first
                .iter_mut()
                .zip(plane)
                .for_each(|(all, word)| (*all, some) = (*all | word, some | word));
            starts[outer] |= u64::from(some != 0) << at;
        }
        layout.each_row(first, |_, at, row| {
            starts[inner] |= u64::from(row != 0) << at;
            starts[within] |= row;
        });
        starts
    }

    /// The node of the lowest number that is set in `words` and whose coordinates are all in
    /// `allowed` for at least one axis.
    pub(super) fn lowest(&self, words: &[u64], allowed: [u64; 3]) -> Option<Extent> {
        let layout = &self.geometry.layout;
        let [outer, inner, within] = layout.axes;
        let mut lowest = None;
        layout.each_row(words, |o, i, row| {
            let is_allowed = (allowed[outer] >> o | allowed[inner] >> i) & 1 == 1;
            let bits = if is_allowed {
                row
            } else {
                row & allowed[within]
            };
            if bits != 0 {
                let mut node = [0; 3];
                (node[outer], node[inner], node[within]) =
                    (o as u32, i as u32, bits.trailing_zeros());
                let number = self.geometry.number(node);
                if lowest.is_none_or(|(least, _)| number < least) {
                    lowest = Some((number, node));
                }
            }
        });
        lowest.map(|(_, node)| node)
    }
}
