//! The shape of a torus or mesh, and the boxes in it that jobs get: partitions.

use super::grid::{GridLayout, ones};
use super::sections::Sections;
use crate::machine::Range;
use crate::sorting;

/// Nodes along x, y and z.
pub type Extent = [u32; 3];

/// A box of nodes. It may wrap around an axis that does.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Partition {
    /// Its first node.
    pub at: Extent,
    /// Its nodes along each axis.
    pub extent: Extent,
}

/// How many nodes a box of this extent has.
pub const fn volume(extent: Extent) -> u32 {
    extent[0] * extent[1] * extent[2]
}

/// The shape of a machine: its nodes along each axis, and along which it is closed to a ring.
///
/// Nodes are numbered x first, then y, then z: node (x, y, z) has the number x + X (y + Y z).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Nodes along each axis; at most 64.
    pub extent: Extent,
    /// Whether an axis is closed to a ring.
    pub wraps: [bool; 3],
    /// Every extent of a box, largest volume first; among equals the most cubic ones (least sum of
    /// edges) first, then in order of x, y, z.
    pub extents: Vec<Extent>,
    /// By number of nodes, where the extents of that volume stand in `extents`.
    places: Vec<(u32, u32)>,
    pub(super) layout: GridLayout,
    pub(super) layers: Layers,
}

/// What the largest free partition is looked for in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layers {
    /// The whole machine is one layer, along the last of the axes.
    One(Sections),
    /// A layer for each coordinate of the first axis; its sections are rows.
    Several(Sections),
    /// Rows are too long for a table.
    Rows,
}

impl Geometry {
    /// A machine of `extent`, which is at least 1 and at most 64 along each axis.
    pub fn new(extent: Extent, wraps: [bool; 3]) -> Self {
        let all = |axis: usize| 1..=extent[axis];
        let mut extents: Vec<Extent> = all(0)
            .flat_map(|x| all(1).flat_map(move |y| all(2).map(move |z| [x, y, z])))
            .collect();
        // They are in order of their edges already.
        sorting::by(&mut extents, |edges| {
            [
                -i128::from(volume(*edges)),
                edges.iter().sum::<u32>().into(),
            ]
        });
        let mut places = vec![(0, 0); volume(extent) as usize + 1];
        for (at, edges) in extents.iter().enumerate() {
            let (from, to) = &mut places[volume(*edges) as usize];
            if from == to {
                *from = at as u32;
            }
            *to = at as u32 + 1;
        }
        // The longest axis goes within rows: fewest rows, and most done at once. Of the others the
        // longer one goes with it.
        let mut axes = [0, 1, 2];
        axes.sort_by_key(|axis| extent[*axis]);
        let [
            (outer, outer_wraps),
            (inner, inner_wraps),
            (within, within_wraps),
        ] = axes.map(|axis| (extent[axis], wraps[axis]));
        let one = || {
            Sections::of(
                [outer, inner],
                [outer_wraps, inner_wraps],
                within,
                within_wraps,
            )
            .map(Layers::One)
        };
        let several = || {
            Sections::of([1, within], [false, within_wraps], inner, inner_wraps)
                .map(Layers::Several)
        };
        let layers = one().or_else(several).unwrap_or(Layers::Rows);
        let layout = GridLayout::new(extent, wraps, axes, layers != Layers::Rows);
        Self {
            extent,
            wraps,
            extents,
            places,
            layout,
            layers,
        }
    }

    /// All nodes.
    pub const fn nodes(&self) -> u32 {
        volume(self.extent)
    }

    /// The extents of boxes of exactly so many nodes, in the order of [`Geometry::extents`].
    pub fn of_volume(&self, nodes: u32) -> &[Extent] {
        let (from, to) = self.places.get(nodes as usize).copied().unwrap_or_default();
        &self.extents[from as usize..to as usize]
    }

    /// The extents of boxes of at most so many nodes, largest first.
    pub fn up_to(&self, nodes: u32) -> &[Extent] {
        let from = (0..=nodes.min(self.nodes())).rev().find_map(|nodes| {
            let (from, to) = self.places[nodes as usize];
            (from < to).then_some(from)
        });
        from.map_or(&[], |from| &self.extents[from as usize..])
    }

    /// The least size that a box has and that is at least `nodes`; all nodes if there is none.
    pub fn possible(&self, nodes: u32) -> u32 {
        (nodes..=self.nodes())
            .find(|nodes| !self.of_volume(*nodes).is_empty())
            .unwrap_or_else(|| self.nodes())
    }

    /// The number of a node.
    pub const fn number(&self, [x, y, z]: Extent) -> u32 {
        x + self.extent[0] * (y + self.extent[1] * z)
    }

    /// The node with a number.
    pub const fn node(&self, number: u32) -> Extent {
        let [x, y, _] = self.extent;
        [number % x, number / x % y, number / (x * y)]
    }

    /// Along an axis, the coordinates of an interval that may wrap, in rising order of distance
    /// from its start.
    pub(super) fn along(
        &self,
        axis: usize,
        at: u32,
        length: u32,
    ) -> impl Iterator<Item = u32> + Clone {
        let nodes = self.extent[axis];
        (at..at + length).map(move |coordinate| {
            if coordinate < nodes {
                coordinate
            } else {
                coordinate - nodes
            }
        })
    }

    /// The nodes of a box, as ranges in rising order.
    pub fn ranges(&self, partition: &Partition, ranges: &mut Vec<Range>) {
        let from = ranges.len();
        let [(x, left), (y, _), (z, _)] =
            [0, 1, 2].map(|axis| (partition.at[axis], partition.extent[axis]));
        // Along x, the part up to the edge of the machine and the part that wraps, lower numbers
        // first.
        let [width, _, _] = self.extent;
        let wrapped = (x + left).saturating_sub(width);
        let mut rows: Vec<u32> = self
            .along(2, z, partition.extent[2])
            .flat_map(|z| self.along(1, y, partition.extent[1]).map(move |y| (y, z)))
            .map(|(y, z)| self.number([0, y, z]))
            .collect();
        sorting::by(&mut rows, |row| [(*row).into(), 0]);
        for row in rows {
            for (first, count) in [(0, wrapped), (x, left - wrapped)] {
                match ranges[from..].last_mut() {
                    _ if count == 0 => {}
                    Some(last) if last.end() == row + first => last.count += count,
                    _ => ranges.push(Range {
                        first: row + first,
                        count,
                    }),
                }
            }
        }
    }

    /// The box that has just these nodes, given as ranges in rising order; none if they are no box.
    pub fn partition(&self, ranges: &[Range]) -> Option<Partition> {
        let mut seen = [0_u64; 3];
        let mut nodes = 0;
        for range in ranges {
            let mut first = range.first;
            while first < range.end() {
                // As many nodes as follow along x.
                let [x, y, z] = self.node(first);
                let count = (self.extent[0] - x).min(range.end() - first);
                seen[0] |= ones(count) << x;
                seen[1] |= 1 << y;
                seen[2] |= 1 << z;
                nodes += count;
                first += count;
            }
        }
        let mut partition = Partition {
            at: [0; 3],
            extent: [0; 3],
        };
        for (axis, seen) in seen.into_iter().enumerate() {
            let (at, length) = self.interval(axis, seen)?;
            (partition.at[axis], partition.extent[axis]) = (at, length);
        }
        (volume(partition.extent) == nodes).then_some(partition)
    }

    /// Start and length of the one interval of an axis that these coordinates are; a whole ring
    /// starts at 0.
    fn interval(&self, axis: usize, coordinates: u64) -> Option<(u32, u32)> {
        let nodes = self.extent[axis];
        let length = coordinates.count_ones();
        let is_in = |at: u32| coordinates >> at & 1 == 1;
        let starts = |at: &u32| is_in(*at) && !is_in(if *at == 0 { nodes - 1 } else { at - 1 });
        if length == nodes {
            return Some((0, nodes));
        }
        let mut found = (0..nodes).filter(starts);
        let (at, others) = (found.next()?, found.count());
        (others == 0 && (self.wraps[axis] || at + length <= nodes)).then_some((at, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_ranges_and_back() {
        for wraps in [[true; 3], [false; 3], [true, false, true]] {
            let geometry = Geometry::new([3, 4, 2], wraps);
            for (extent, number) in geometry
                .extents
                .iter()
                .flat_map(|extent| (0..24).map(move |number| (*extent, number)))
            {
                let at = geometry.node(number);
                let fits = (0..3).all(|axis| {
                    wraps[axis] && extent[axis] < geometry.extent[axis]
                        || at[axis] + extent[axis] <= geometry.extent[axis]
                });
                if !fits {
                    continue;
                }
                let mut ranges = Vec::new();
                geometry.ranges(&Partition { at, extent }, &mut ranges);
                assert!(
                    ranges.is_sorted()
                        && ranges.windows(2).all(|pair| pair[0].end() < pair[1].first),
                    "{ranges:?}"
                );
                assert_eq!(
                    ranges.iter().map(|range| range.count).sum::<u32>(),
                    volume(extent)
                );
                assert_eq!(
                    geometry.partition(&ranges),
                    Some(Partition { at, extent }),
                    "{ranges:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_box_is_none() {
        let range = |first, count| Range { first, count };
        let torus = Geometry::new([4, 4, 1], [true; 3]);
        assert_eq!(torus.partition(&[range(0, 2), range(5, 2)]), None);
        assert_eq!(torus.partition(&[range(0, 1), range(2, 1)]), None);
        assert_eq!(
            torus.partition(&[range(0, 1), range(3, 1)]),
            Some(Partition {
                at: [3, 0, 0],
                extent: [2, 1, 1]
            })
        );
        let mesh = Geometry::new([4, 4, 1], [false; 3]);
        assert_eq!(mesh.partition(&[range(0, 1), range(3, 1)]), None);
    }

    #[test]
    fn impossible_sizes_are_raised() {
        let torus = Geometry::new([4, 4, 8], [true; 3]);
        let raised: Vec<u32> = [1, 5, 9, 11, 13, 31, 97, 113, 127, 128]
            .map(|nodes| torus.possible(nodes))
            .to_vec();
        assert_eq!(raised, [1, 5, 9, 12, 14, 32, 112, 128, 128, 128]);
    }
}
