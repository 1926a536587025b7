//! A table of the largest box of every occupancy of a small section. A look-up replaces a search.
//!
//! A section has at most 16 nodes. It is a row of a machine whose axes have at most 16 nodes, or
//! all nodes at one coordinate of a machine such as 4 x 4 x 8. A word holds its free nodes. The
//! nodes that are free in each of several sections are the common bits of their words.

use std::fmt::{self, Debug, Formatter};

/// Largest number of nodes in a section, of sections in a layer, and of layers.
pub(super) const MOST: usize = 16;

/// The words of a layer: its sections one behind the other along an axis. Words beyond the last
/// section are 0.
pub(super) type Layer = [u16; MOST];

/// The table, and the way in which sections make up layers.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Sections {
    /// Number of nodes of the largest box, by the free nodes of a section.
    nodes: Box<[u8; 1 << MOST]>,
    /// Number of sections in a layer.
    count: usize,
    /// True if layers are closed to rings.
    is_ring: bool,
}

impl Debug for Sections {
    /// Leaves out the table, which would hide everything else.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} sections, {}",
            self.count,
            if self.is_ring { "a ring" } else { "a row" }
        )
    }
}

impl Sections {
    /// Returns the table for sections of `height` x `width` nodes in layers of `count` sections;
    /// `None` if a section or a layer is too large.
    pub(super) fn of(
        [height, width]: [u32; 2],
        wraps: [bool; 2],
        count: u32,
        is_ring: bool,
    ) -> Option<Self> {
        if height * width > MOST as u32 || count > MOST as u32 {
            return None;
        }
        let mut nodes = vec![0; 1 << MOST];
        let shapes = (1..=height).flat_map(|tall| (1..=width).map(move |wide| (tall, wide)));
        for (tall, wide) in shapes {
            for (top, left) in (0..height).flat_map(|top| (0..width).map(move |left| (top, left))) {
                if (wraps[0] || top + tall <= height) && (wraps[1] || left + wide <= width) {
                    let bit = |node: u32| {
                        1_usize
                            << ((top + node / wide) % height * width + (left + node % wide) % width)
                    };
                    nodes[(0..tall * wide).map(bit).sum::<usize>()] = (tall * wide) as u8;
                }
            }
        }
        // A set of free nodes has all boxes of its subsets. The loop adds the nodes one by one, for
        // all occupancies at once.
        for node in 0..height * width {
            for both in nodes[..1 << (height * width)].chunks_exact_mut(2 << node) {
                let (without, rest) = both.split_at_mut(1 << node);
                rest.iter_mut()
                    .zip(without)
                    .for_each(|(with, without)| *with = (*with).max(*without));
            }
        }
        Some(Self {
            nodes: nodes.try_into().ok()?,
            count: count as usize,
            is_ring,
        })
    }

    /// Searches a layer for boxes. `layer` holds the nodes that are free in each of `depth` layers.
    /// Raises `best` to the size of the largest box of this depth, if that is larger. Returns an
    /// upper bound on the nodes that a box has in one layer.
    pub(super) fn search(&self, layer: &Layer, depth: u32, best: &mut u32) -> u32 {
        let mut ring = [0; 2 * MOST];
        ring[..MOST].copy_from_slice(layer);
        if self.is_ring {
            ring[self.count..2 * self.count].copy_from_slice(&layer[..self.count]);
        }
        let mut free = *layer;
        // Cuts the loop to the sections that exist: a short loop is faster than one of fixed
        // length.
        let free = &mut free[..self.count];
        let mut bound = 0;
        for length in 1..=self.count {
            if length > 1 {
                // Keeps the nodes of each section that are also free in the `length - 1` sections
                // behind it.
                free.iter_mut()
                    .zip(&ring[length - 1..])
                    .for_each(|(word, next)| *word &= next);
            }
            let most = free
                .iter()
                .fold(0, |most, word| self.nodes[*word as usize].max(most));
            let most = u32::from(most);
            bound = bound.max(most * length as u32);
            *best = (*best).max(most * length as u32 * depth);
            let longest = most * self.count as u32;
            if longest * depth <= *best {
                return bound.max(longest);
            }
        }
        bound
    }
}
