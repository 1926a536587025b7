//! The free nodes of a torus as bits, many of them in a word.
//!
//! A *row* is the nodes along the longest axis, a bit each. A *plane* is the rows along the next
//! longest axis. A word holds a row or, on a machine that is small enough, a plane. Narrowing finds
//! the positions at which a box is free. A box of length a + b along an axis, with b at most a, is
//! free at a node if a box of length a is free there and another one is free b nodes further on.

use super::Geometry;
use super::geometry::{Extent, Partition};
use crate::machine::Range;
use std::sync::Arc;

/// The free nodes of a torus.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The shape of the machine.
    pub geometry: Arc<Geometry>,
    pub(super) words: Vec<u64>,
    free: u32,
}

/// The layout of nodes in words.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct GridLayout {
    /// The axes. Planes are numbered along the first axis, the rows of a plane along the second
    /// axis, and the nodes of a row along the last axis.
    pub axes: [usize; 3],
    /// Number of planes.
    pub outer: usize,
    /// Number of rows in a plane.
    pub inner: usize,
    /// Number of nodes in a row.
    pub length: u32,
    pub outer_wraps: bool,
    pub inner_wraps: bool,
    pub length_wraps: bool,
    /// Number of words in a plane: 1, or the number of its rows.
    words: usize,
    /// Bits of the first nodes of the rows in a word.
    firsts: u64,
}

impl GridLayout {
    /// Returns the layout. If `in_planes` is true, a plane of at most 64 nodes is one word.
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

    /// Returns the word in which a row begins, and the first bit of the row there.
    const fn row(&self, outer: usize, inner: usize) -> (usize, u32) {
        if self.words == self.inner {
            (outer * self.inner + inner, 0)
        } else {
            (outer, inner as u32 * self.length)
        }
    }

    /// Passes each row to `tell`: its plane, its place in the plane, and its bits.
    pub(super) fn each_row(&self, words: &[u64], mut tell: impl FnMut(usize, usize, u64)) {
        for (outer, plane) in words.chunks_exact(self.words).enumerate() {
            for inner in 0..self.inner {
                let (word, bit) = self.row(0, inner);
                tell(outer, inner, plane[word] >> bit & ones(self.length));
            }
        }
    }

    /// Narrows the positions of free boxes along the outer axis. Keeps the positions for which the
    /// position `by` further on is free too.
    fn narrow_outer(&self, words: &mut Vec<u64>, by: usize) {
        let (all, by) = (words.len(), by * self.words);
        // Appends what lies behind the last plane. The loop reads a word before it changes it.
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

    /// Narrows positions in the same way along the inner axis.
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

    /// Narrows free nodes to the positions at which `length` consecutive rows have free nodes.
    pub(super) fn narrow_inner_to(&self, words: &mut [u64], length: u32) {
        doubled(length, |by| self.narrow_inner(words, by));
    }

    /// Narrows positions in the same way within rows.
    fn narrow_within(&self, words: &mut [u64], by: u32) {
        // Nodes of the rows for which the node `by` further on is in the row without wrapping.
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

    /// Returns the positions in a row at which `length` nodes are free. The row is alone in its
    /// word.
    pub(super) fn runs(&self, row: u64, length: u32) -> u64 {
        let mut row = [row];
        doubled(length, |by| self.narrow_within(&mut row, by as u32));
        row[0]
    }
}

/// Calls `narrow` with the steps that lead from length 1 to `length`. A step is at most as long as
/// the length before it, so that the two intervals it combines leave no gap.
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
    /// Returns a grid whose nodes are all free.
    pub fn new(geometry: Arc<Geometry>) -> Self {
        let layout = &geometry.layout;
        let words = vec![layout.firsts * ones(layout.length); layout.outer * layout.words];
        Self {
            free: geometry.nodes(),
            words,
            geometry,
        }
    }

    /// Returns the number of free nodes.
    pub const fn free(&self) -> u32 {
        self.free
    }

    /// True if the node is free.
    pub fn is_free(&self, node: Extent) -> bool {
        let (word, bit) = self.place(node);
        self.words[word] >> bit & 1 == 1
    }

    /// Takes the nodes of a box.
    pub fn take(&mut self, partition: &Partition) {
        self.change(partition, |row, bits| *row &= !bits);
    }

    /// Frees the nodes of a box.
    pub fn give(&mut self, partition: &Partition) {
        self.change(partition, |row, bits| *row |= bits);
    }

    /// Takes the nodes with these numbers, free or not.
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

    /// Writes the positions at which a box of this extent is free into `words`, as bits. Returns
    /// false if no such box is free.
    pub(super) fn positions(&self, extent: Extent, words: &mut Vec<u64>) -> bool {
        let layout = &self.geometry.layout;
        let [outer, inner, within] = layout.axes.map(|axis| extent[axis]);
        words.clear();
        // Narrowing along the outer axis appends words for a moment.
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

    /// Returns the coordinates at which free boxes of this extent start along each axis, as bits.
    /// All are 0 if no such box is free. `words` is scratch memory.
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

    /// Returns the node with the lowest number that is set in `words` and has a coordinate in
    /// `allowed` on at least one axis.
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
