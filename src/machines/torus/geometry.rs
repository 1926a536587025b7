//! The shape of a torus or mesh, and the boxes in it that jobs get: partitions.

use super::grid::{GridLayout, ones};
use super::sections::Sections;
use crate::machine::Range;
use crate::sorting;

/// Numbers of nodes along x, y and z, or the coordinates of a node.
pub type Extent = [u32; 3];

/// A box of nodes. It may wrap around an axis that is closed to a ring.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Partition {
    /// Coordinates of the first node.
    pub at: Extent,
    /// Number of nodes along each axis.
    pub extent: Extent,
}

impl Partition {
    /// True if a box of this extent fits into this one.
    pub(super) fn holds(&self, extent: Extent) -> bool {
        (0..3).all(|axis| extent[axis] <= self.extent[axis])
    }
}

/// Returns the number of nodes of a box of this extent.
pub const fn volume(extent: Extent) -> u32 {
    extent[0] * extent[1] * extent[2]
}

/// The shape of a machine: its nodes along each axis, and which axes are closed to rings.
///
/// Nodes are numbered x first, then y, then z: node (x, y, z) has the number x + X (y + Y z).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Number of nodes along each axis, at most 64.
    pub extent: Extent,
    /// True for each axis that is closed to a ring.
    pub wraps: [bool; 3],
    /// Extents of all boxes, largest volume first. Among equals, the most cubic extent (least sum
    /// of edges) comes first, then the order of x, y, z decides.
    pub extents: Vec<Extent>,
    /// Range of the extents of each volume in `extents`, by volume.
    places: Vec<(u32, u32)>,
    pub(super) layout: GridLayout,
    pub(super) layers: Layers,
}

/// The unit in which the search looks for the largest free partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layers {
    /// The whole machine is one layer. Its sections follow each other along the longest axis.
    One(Sections),
    /// Each coordinate of the shortest axis is a layer. Its sections are rows.
    Several(Sections),
    /// Rows are too long for a table.
    Rows,
}

impl Geometry {
    /// Returns a shape. Each axis must have 1 to 64 nodes.
    pub fn new(extent: Extent, wraps: [bool; 3]) -> Self {
        let all = |axis: usize| 1..=extent[axis];
        let mut extents: Vec<Extent> = all(0)
            .flat_map(|x| all(1).flat_map(move |y| all(2).map(move |z| [x, y, z])))
            .collect();
        // The extents are in order of their edges already, and the sort is stable.
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
        // Rows go along the longest axis: they are then fewest, and an instruction covers most
        // nodes. For the same reason, planes go along the next longest axis.
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
        let layout = GridLayout::new(extent, wraps, axes);
        Self {
            extent,
            wraps,
            extents,
            places,
            layout,
            layers,
        }
    }

    /// Returns the number of nodes of the machine.
    pub const fn nodes(&self) -> u32 {
        volume(self.extent)
    }

    /// Returns the extents of boxes with exactly `nodes` nodes, in the order of
    /// [`Geometry::extents`].
    pub fn of_volume(&self, nodes: u32) -> &[Extent] {
        let (from, to) = self.places.get(nodes as usize).copied().unwrap_or_default();
        &self.extents[from as usize..to as usize]
    }

    /// Returns the extents of boxes with at most `nodes` nodes, largest first.
    pub fn up_to(&self, nodes: u32) -> &[Extent] {
        let from = (0..=nodes.min(self.nodes())).rev().find_map(|nodes| {
            let (from, to) = self.places[nodes as usize];
            (from < to).then_some(from)
        });
        from.map_or(&[], |from| &self.extents[from as usize..])
    }

    /// Returns the least size of a box with at least `nodes` nodes; the size of the machine if
    /// there is none.
    pub fn possible(&self, nodes: u32) -> u32 {
        (nodes..=self.nodes())
            .find(|nodes| !self.of_volume(*nodes).is_empty())
            .unwrap_or_else(|| self.nodes())
    }

    /// Returns the number of a node.
    pub const fn number(&self, [x, y, z]: Extent) -> u32 {
        x + self.extent[0] * (y + self.extent[1] * z)
    }

    /// Returns the node with this number.
    pub const fn node(&self, number: u32) -> Extent {
        let [x, y, _] = self.extent;
        [number % x, number / x % y, number / (x * y)]
    }

    /// Returns the coordinates of an interval on an axis, in order of distance from its start. The
    /// interval may wrap.
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

    /// Appends the nodes of a box to `ranges`, in ascending order.
    pub fn ranges(&self, partition: &Partition, ranges: &mut Vec<Range>) {
        let from = ranges.len();
        // Along each axis, a box has a part up to the edge of the machine and a part that wraps.
        // Lower numbers come first.
        let parts = [0, 1, 2].map(|axis| {
            let (at, nodes) = (partition.at[axis], self.extent[axis]);
            let end = at + partition.extent[axis];
            [0..end.saturating_sub(nodes), at..end.min(nodes)]
        });
        let [columns, rows, planes] = parts;
        for z in planes.into_iter().flatten() {
            for y in rows.iter().cloned().flatten() {
                for part in columns.iter().filter(|part| !part.is_empty()) {
                    let first = self.number([part.start, y, z]);
                    let count = part.end - part.start;
                    match ranges[from..].last_mut() {
                        Some(last) if last.end() == first => last.count += count,
                        _ => ranges.push(Range { first, count }),
                    }
                }
            }
        }
    }

    /// Returns the box that has exactly these nodes, each given once, in ascending order; `None` if
    /// they are not a box.
    pub fn partition(&self, ranges: &[Range]) -> Option<Partition> {
        let mut seen = [0_u64; 3];
        let mut nodes = 0;
        for range in ranges {
            let mut first = range.first;
            while first < range.end() {
                // Counts the nodes of the range that follow each other along x.
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

    /// Returns start and length of the interval that these coordinates form on an axis; `None` if
    /// they do not form one. A whole ring starts at 0.
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
