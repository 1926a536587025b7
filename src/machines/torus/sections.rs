//! The largest box of every occupancy of a small section, in a table: looked up and not searched
//! for.
//!
//! A section has at most 16 nodes: a row of a machine whose axes have no more, or all nodes of one
//! coordinate of a machine such as 4 x 4 x 8. Its free nodes are a word; those that are free in
//! each of several sections are the words' common bits.

use std::fmt::{self, Debug, Formatter};

/// Nodes in a section at most, sections in a layer, and layers.
pub(super) const MOST: usize = 16;

/// The words of a layer: sections one behind the other along an axis. Those that it does not have
/// are empty.
pub(super) type Layer = [u16; MOST];

/// The table, and how sections make up layers.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Sections {
    /// By the free nodes of a section, how many the largest box of them has.
    nodes: Box<[u8; 1 << MOST]>,
    /// Sections in a layer.
    count: usize,
    /// Whether layers are closed to rings.
    is_ring: bool,
}

impl Debug for Sections {
    /// Without the table, which would hide everything else.
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
    /// Sections of `height` x `width` nodes, `count` of them in a layer; none if these are too
    /// many.
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
        // What is free without a node has its boxes with it too: node by node, for all occupancies
        // at once.
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

    /// Several layers, `depth` of them, were projected onto each other: `layer` has the nodes that
    /// are free in all. Raises `best` to the largest box that is as deep, if that is larger.
    /// Returns how many nodes no box of `layer` exceeds.
    pub(super) fn search(&self, layer: &Layer, depth: u32, best: &mut u32) -> u32 {
        let mut ring = [0; 2 * MOST];
        ring[..MOST].copy_from_slice(layer);
        if self.is_ring {
            ring[self.count..2 * self.count].copy_from_slice(&layer[..self.count]);
        }
        let mut free = *layer;
        // Only those that there are: a shorter loop is worth more than one of a fixed length.
        let free = &mut free[..self.count];
        let mut bound = 0;
        for length in 1..=self.count {
            if length > 1 {
                // For every section at once: the nodes that are free in it and in the `length - 1`
                // sections behind it.
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
