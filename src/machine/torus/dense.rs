//! Planes of a small machine, each in one word: 64 or 128 nodes are narrowed by one instruction.
//!
//! A plane is the nodes of one coordinate along the outer axis, row after row. It fits a word where the two other axes have
//! at most so many nodes, as on 4 x 4 x 8 or 8 x 8 x 16.

use super::Geometry;
use super::grid::Grid;
use std::ops::{BitAnd, BitAndAssign, BitOr, Not, Shl, Shr};

/// What a plane is kept in.
pub(super) trait Word:
    Copy
    + Eq
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + From<u64>
{
    /// Bits of a word.
    const BITS: u32;
    /// No bit.
    const ZERO: Self;
    /// The place of the lowest bit.
    fn lowest(self) -> u32;
    /// How many bits are set.
    fn count(self) -> u32;
}

impl Word for u64 {
    const BITS: u32 = 64;
    const ZERO: Self = 0;
    fn lowest(self) -> u32 {
        self.trailing_zeros()
    }
    fn count(self) -> u32 {
        self.count_ones()
    }
}

impl Word for u128 {
    const BITS: u32 = 128;
    const ZERO: Self = 0;
    fn lowest(self) -> u32 {
        self.trailing_zeros()
    }
    fn count(self) -> u32 {
        self.count_ones()
    }
}

/// How planes are laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dense<W> {
    pub outer: usize,
    pub inner: u32,
    pub within: u32,
    outer_wraps: bool,
    inner_wraps: bool,
    /// Every node of a plane.
    full: W,
    /// By distance along the rows, the nodes that are reached without wrapping and those, where it wraps, that are by it.
    reached: Vec<(W, W)>,
}

impl<W: Word> Dense<W> {
    /// The layout, if a plane fits a word.
    pub(super) fn of(geometry: &Geometry) -> Option<Self> {
        let [outer, inner, within] = geometry.axes.map(|axis| geometry.extent[axis]);
        let [outer_wraps, inner_wraps, within_wraps] = geometry.axes.map(|axis| geometry.wraps[axis]);
        if inner * within > W::BITS {
            return None;
        }
        let pick = |is_in: &dyn Fn(u32) -> bool| {
            let nodes = (0..inner * within).filter(|node| is_in(node % within));
            nodes.fold(W::ZERO, |word, node| word | W::from(1) << node)
        };
        let reached = |by: u32| (pick(&|at| at + by < within), pick(&|at| within_wraps && at + by >= within));
        let (full, reached) = (pick(&|_| true), (0..within).map(reached).collect());
        Some(Self { outer: outer as usize, inner, within, outer_wraps, inner_wraps, full, reached })
    }

    /// The planes of a grid, which has no more than `MOST`.
    pub(super) fn planes<const MOST: usize>(&self, grid: &Grid) -> [W; MOST] {
        let mut planes = [W::ZERO; MOST];
        for (plane, rows) in planes.iter_mut().zip(grid.rows.chunks_exact(self.inner as usize)) {
            for row in rows.iter().rev() {
                // A word that is all one row is never shifted out.
                let shifted = if self.within < W::BITS { *plane << self.within } else { W::ZERO };
                *plane = shifted | W::from(*row);
            }
        }
        planes
    }

    /// The plane `by` further along the outer axis, where there is one.
    pub(super) fn further(&self, planes: &[W], at: usize, by: usize) -> Option<W> {
        match at + by {
            at if at < self.outer => Some(planes[at]),
            at => self.outer_wraps.then(|| planes[at - self.outer]),
        }
    }

    /// The plane before another, empty where there is none.
    pub(super) fn before(&self, planes: &[W], at: usize) -> W {
        match at {
            0 if self.outer_wraps => planes[self.outer - 1],
            0 => W::ZERO,
            at => planes[at - 1],
        }
    }

    /// The nodes of a plane, each at the place of the one `by` rows before it.
    pub(super) fn rows_further(&self, plane: W, by: u32) -> W {
        let ahead = plane >> (by * self.within);
        if self.inner_wraps { (ahead | plane << ((self.inner - by) * self.within)) & self.full } else { ahead }
    }

    /// The nodes of a plane, each at the place of the one `by` nodes before it in its row.
    pub(super) fn nodes_further(&self, plane: W, by: u32) -> W {
        let (ahead, wrapped) = self.reached[by as usize];
        ((plane >> by) & ahead) | ((plane << (self.within - by)) & wrapped)
    }

    /// The positions in a plane at which `length` nodes in a row are free.
    pub(super) fn runs(&self, plane: W, length: u32) -> W {
        let (mut runs, mut have) = (plane, 1);
        while have < length && runs != W::ZERO {
            let by = have.min(length - have);
            runs &= self.nodes_further(runs, by);
            have += by;
        }
        runs
    }
}
