//! The free boxes of at least a given size.
//!
//! The search projects planes onto each other, and then the rows of a projected plane: a box is a
//! run of nodes that are free in each of its rows. It skips boxes that can grow into a neighbouring
//! row or plane, and every part of the machine in which no box can be large enough.

use super::Grid;
use super::geometry::Partition;
use super::grid::{GridLayout, interval, ones};
use crate::pulse::beat;

/// Largest number of rows in a plane.
const ROWS: usize = 64;

/// Passes the free boxes that cannot grow along any axis and have at least `least` nodes to `found`,
/// which returns the new `least`. A whole ring starts at 0.
pub(super) fn each_box(grid: &Grid, least: u32, found: &mut dyn FnMut(&Partition) -> u32) {
    let layout = &grid.geometry.layout;
    let mut search = BoxSearch {
        layout,
        words: &grid.words,
        least,
        found,
        beyond: [None; 2],
        rows: [0; ROWS],
        columns: [0; ROWS],
        narrowed: [0; ROWS],
    };
    let plane_at = |at: usize| &grid.words[at * layout.words..][..layout.words];
    let mut plane = [0; ROWS];
    let plane = &mut plane[..layout.words];
    plane.copy_from_slice(plane_at(0));
    (1..layout.outer).for_each(|at| and(plane, plane_at(at)));
    search.in_plane(plane, 0, layout.outer as u32);
    for first in 0..layout.outer {
        plane.copy_from_slice(plane_at(first));
        let before = ahead(first, layout.outer, layout.outer_wraps);
        for depth in 1..layout.outer {
            let nodes: u32 = plane.iter().map(|row| row.count_ones()).sum();
            // A box that could begin one plane earlier is found from there.
            if nodes * (layout.outer as u32) < search.least
                || before.is_some_and(|before| is_within(plane, plane_at(before)))
            {
                break;
            }
            let after = behind(first + depth, layout.outer, layout.outer_wraps);
            let next = after.map(plane_at);
            // A box that could end one plane later is found there.
            if nodes * depth as u32 >= search.least
                && next.is_none_or(|next| !is_within(plane, next))
            {
                search.beyond = [before, after];
                search.in_plane(plane, first as u32, depth as u32);
            }
            let Some(next) = next else { break };
            and(plane, next);
        }
    }
}

fn and(rows: &mut [u64], with: &[u64]) {
    rows.iter_mut()
        .zip(with)
        .for_each(|(row, with)| *row &= with);
}

fn is_within(rows: &[u64], others: &[u64]) -> bool {
    let outside = rows.iter().zip(others);
    outside.fold(0, |all, (row, other)| all | row & !other) == 0
}

/// Returns the coordinate before `at` on an axis of `nodes` nodes; `None` if there is none.
fn ahead(at: usize, nodes: usize, wraps: bool) -> Option<usize> {
    match at {
        0 => wraps.then(|| nodes - 1),
        at => Some(at - 1),
    }
}

/// Returns the coordinate `at`, which may be one round too large, on an axis of `nodes` nodes; `None`
/// if it is behind the end of an axis that does not wrap.
fn behind(at: usize, nodes: usize, wraps: bool) -> Option<usize> {
    match at {
        at if at < nodes => Some(at),
        at => wraps.then(|| at - nodes),
    }
}

struct BoxSearch<'a> {
    layout: &'a GridLayout,
    /// The free nodes of the machine.
    words: &'a [u64],
    least: u32,
    found: &'a mut dyn FnMut(&Partition) -> u32,
    /// The planes before and after the ones that are searched.
    beyond: [Option<usize>; 2],
    /// Scratch memory: the rows of a projected plane.
    rows: [u64; ROWS],
    /// Scratch memory: its nodes from which on a column is long enough.
    columns: [u64; ROWS],
    /// Scratch memory: the positions in it at which a large enough box can begin.
    narrowed: [u64; ROWS],
}

impl BoxSearch<'_> {
    /// Searches the nodes that are free in each of `depth` planes.
    fn in_plane(&mut self, plane: &[u64], first: u32, depth: u32) {
        let layout = self.layout;
        let count = layout.inner;
        beat(8 * count);
        // Fewer rows, even whole ones, would not make a large enough box.
        let height = self.least.div_ceil(depth * layout.length);
        if height as usize > count {
            return;
        }
        let narrowed = &mut self.narrowed[..layout.words];
        narrowed.copy_from_slice(plane);
        layout.narrow_inner_to(narrowed, height);
        if narrowed.iter().all(|word| *word == 0) {
            return;
        }
        let (columns, mut begins) = (&mut self.columns, 0_u64);
        layout.each_row(narrowed, |_, at, row| {
            columns[at] = row;
            begins |= u64::from(row != 0) << at;
        });
        let rows = &mut self.rows;
        let mut all = u64::MAX;
        layout.each_row(plane, |_, at, row| {
            rows[at] = row;
            all &= row;
        });
        self.in_row(all, [0; 2], [first, 0], [depth, count as u32]);
        while begins != 0 {
            let at = begins.trailing_zeros() as usize;
            begins &= begins - 1;
            let before = ahead(at, count, layout.inner_wraps).map_or(0, |before| self.rows[before]);
            let (mut row, mut longest) = (self.columns[at], layout.length);
            for height in height as usize..count {
                let nodes = row.count_ones().min(longest) * depth;
                // A box that could begin one row earlier is found from there.
                if row & !before == 0 || nodes * (count as u32) < self.least {
                    break;
                }
                let next = behind(at + height, count, layout.inner_wraps);
                let next = next.map_or(0, |next| self.rows[next]);
                // A box that could end one row later is found there.
                if nodes * height as u32 >= self.least && row & !next != 0 {
                    let least = self.least.div_ceil(depth * height as u32);
                    let beside = [before, next];
                    if !self.in_row(row, beside, [first, at as u32], [depth, height as u32]) {
                        // More rows have no longer runs.
                        longest = least - 1;
                    }
                }
                row &= next;
            }
        }
    }

    /// Searches the nodes that are free in each of some rows for the longest runs. `beside` are the
    /// rows before and after them. Returns false if no run is long enough.
    fn in_row(
        &mut self,
        row: u64,
        beside: [u64; 2],
        [outer, inner]: [u32; 2],
        [depth, height]: [u32; 2],
    ) -> bool {
        beat(32);
        let layout = self.layout;
        let length = layout.length;
        let least = self.least.div_ceil(depth * height);
        if row.count_ones() < least || row == 0 {
            return false;
        }
        let mut starts = if row == ones(length) {
            1
        } else {
            let wrapped = if layout.length_wraps {
                row >> (length - 1)
            } else {
                0
            };
            layout.runs(row, least.max(1)) & !(row << 1 | wrapped)
        };
        if starts == 0 {
            return false;
        }
        while starts != 0 {
            let at = starts.trailing_zeros();
            starts &= starts - 1;
            let mut run = (row >> at).trailing_ones();
            // A run that wraps goes on at the first node of the row.
            if layout.length_wraps && at != 0 && at + run == length {
                run += row.trailing_ones();
            }
            let nodes = interval(at, run, length);
            if run >= self.least.div_ceil(depth * height)
                && beside.iter().all(|row| nodes & !row != 0)
                && !self.grows(nodes, inner, height)
            {
                self.tell([outer, inner, at], [depth, height, run]);
            }
        }
        true
    }

    /// True if the plane before or after the ones that are searched has these nodes free in each of
    /// these rows.
    fn grows(&self, nodes: u64, inner: u32, height: u32) -> bool {
        let (layout, inner) = (self.layout, inner as usize);
        self.beyond.iter().flatten().any(|plane| {
            (inner..inner + height as usize).all(|row| {
                let (word, bit) = layout.row(*plane, row % layout.inner);
                nodes & !(self.words[word] >> bit) == 0
            })
        })
    }

    fn tell(&mut self, at: [u32; 3], extent: [u32; 3]) {
        let mut partition = Partition {
            at: [0; 3],
            extent: [0; 3],
        };
        for (place, axis) in self.layout.axes.into_iter().enumerate() {
            (partition.at[axis], partition.extent[axis]) = (at[place], extent[place]);
        }
        self.least = (self.found)(&partition);
    }
}
