//! The free nodes of a torus as bits, many of them in a word.
//!
//! A *row* is the nodes along the longest axis, a bit each. A *plane* is the rows along the next
//! longest axis. A word holds as many rows of a plane as fit evenly. Narrowing finds the positions
//! at which several rows, or nodes of a row, are free. A length a + b, with b at most a, is free at a
//! position if the length a is free there and also b positions further on.

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
    /// Number of words in a plane.
    pub words: usize,
    /// Number of rows in a word.
    rows: usize,
    /// Bits of the first nodes of the rows in a word.
    firsts: u64,
}

impl GridLayout {
    /// Returns the layout.
    pub(super) fn new(extent: Extent, wraps: [bool; 3], axes: [usize; 3]) -> Self {
        let [outer, inner, length] = axes.map(|axis| extent[axis]);
        let [outer_wraps, inner_wraps, length_wraps] = axes.map(|axis| wraps[axis]);
        let (outer, inner) = (outer as usize, inner as usize);
        let fits = |rows: &usize| inner % rows == 0 && *rows as u32 * length <= 64;
        let rows = (1..=inner).rev().find(fits).unwrap_or(1);
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
            rows,
            firsts,
        }
    }

    /// Returns the word in which a row begins, and the first bit of the row there.
    pub(super) const fn row(&self, outer: usize, inner: usize) -> (usize, u32) {
        (
            outer * self.words + inner / self.rows,
            (inner % self.rows) as u32 * self.length,
        )
    }

    /// Passes each row to `tell`: its plane, its place in the plane, and its bits.
    pub(super) fn each_row(&self, words: &[u64], mut tell: impl FnMut(usize, usize, u64)) {
        for (outer, plane) in words.chunks_exact(self.words).enumerate() {
            for (at, word) in plane.iter().enumerate() {
                for row in 0..self.rows {
                    let bits = word >> (row as u32 * self.length) & ones(self.length);
                    tell(outer, at * self.rows + row, bits);
                }
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

    /// Narrows positions in the same way along the inner axis, in one plane.
    fn narrow_inner(&self, plane: &mut [u64], by: usize) {
        let bits = self.rows as u32 * self.length;
        let (skip, low) = (by / self.rows, (by % self.rows) as u32 * self.length);
        // Moves rows down from the next word. If `low` is 0, the bits end up where no row is.
        let moved = |word: u64, next: u64| word >> low | next << 1 << (bits - 1 - low);
        if let [word] = plane {
            *word &= moved(*word, if self.inner_wraps { *word } else { 0 });
            return;
        }
        let mut ring = [0; 2 * 64 + 1];
        let ring = &mut ring[..=2 * self.words];
        ring[..self.words].copy_from_slice(plane);
        if self.inner_wraps {
            ring[self.words..2 * self.words].copy_from_slice(plane);
        }
        plane
            .iter_mut()
            .zip(ring[skip..].windows(2))
            .for_each(|(word, pair)| *word &= moved(pair[0], pair[1]));
    }

    /// Narrows free nodes to the positions at which `length` consecutive rows have free nodes.
    pub(super) fn narrow_inner_to(&self, plane: &mut [u64], length: u32) {
        doubled(length, |by| self.narrow_inner(plane, by));
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
    pub(super) fn runs(&self, mut row: u64, length: u32) -> u64 {
        doubled(length, |by| {
            let wrapped = row << (self.length - by as u32) & ones(self.length);
            row &= row >> by | if self.length_wraps { wrapped } else { 0 };
        });
        row
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

/// Returns an interval of coordinates on an axis of `nodes` nodes, as bits. It may wrap.
pub(super) const fn interval(at: u32, length: u32, nodes: u32) -> u64 {
    match at {
        0 => ones(length),
        at => (ones(length) << at | ones(length) >> (nodes - at)) & ones(nodes),
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
        if let Some(partition) = self.geometry.partition(ranges) {
            return self.take(&partition);
        }
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
        let layout = &self.geometry.layout;
        let [outer, inner, within] = layout.axes;
        let along =
            |axis: usize| (self.geometry).along(axis, partition.at[axis], partition.extent[axis]);
        let bits = along(within).fold(0, |bits, at| bits | 1_u64 << at);
        let mut plane = [0; 64];
        for row in along(inner) {
            let (word, bit) = layout.row(0, row as usize);
            plane[word] |= bits << bit;
        }
        let mut free = self.free;
        for at in along(outer) {
            let words = &mut self.words[at as usize * layout.words..][..layout.words];
            for (word, bits) in words.iter_mut().zip(plane).filter(|(_, bits)| *bits != 0) {
                free -= word.count_ones();
                change(word, bits);
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
        for plane in words.chunks_exact_mut(layout.words) {
            layout.narrow_inner_to(plane, inner);
        }
        doubled(outer, |by| layout.narrow_outer(words, by));
        !is_none(words)
    }

    /// Returns the coordinates at which free boxes of this extent start along each axis, as bits.
    /// All are 0 if no such box is free. `words` is scratch memory.
    pub(super) fn starts(&self, extent: Extent, words: &mut Vec<u64>) -> [u64; 3] {
        let mut starts = [0; 3];
        if self.positions(extent, words) {
            let [outer, inner, within] = self.geometry.layout.axes;
            self.geometry.layout.each_row(words, |o, i, row| {
                let some = u64::from(row != 0);
                starts[outer] |= some << o;
                starts[inner] |= some << i;
                starts[within] |= row;
            });
        }
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
