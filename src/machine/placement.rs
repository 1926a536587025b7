//! Placements: a row, and ranges of processors in it.

/// A range of consecutive processors.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Range {
    /// Lowest processor number.
    pub first: u32,
    /// Number of processors.
    pub count: u32,
}

impl Range {
    /// Returns the number after the highest processor number.
    pub const fn end(self) -> u32 {
        self.first + self.count
    }
}

/// Returns the processors of `ranges` that `others` have too. `others` must ascend.
pub fn common(ranges: &[Range], others: &[Range]) -> Vec<Range> {
    let mut common = Vec::new();
    for range in ranges {
        let from = others.partition_point(|other| other.end() <= range.first);
        let meet = others[from..]
            .iter()
            .take_while(|other| other.first < range.end());
        common.extend(meet.map(|other| {
            let first = range.first.max(other.first);
            let count = range.end().min(other.end()) - first;
            Range { first, count }
        }));
    }
    common
}

/// The place of a job: its row, and ranges of processors in the row, in ascending order. Machines
/// with dedicated processors have one row, row 0.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Placement<'a> {
    /// The row.
    pub row: u32,
    /// The processors; empty if the machine only counts them.
    pub ranges: &'a [Range],
}

impl Placement<'_> {
    /// A placement without processors.
    pub const NOWHERE: Self = Self {
        row: 0,
        ranges: &[],
    };

    /// True if the placement names no processor.
    pub const fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the number of processors.
    pub fn size(&self) -> u32 {
        self.ranges.iter().map(|range| range.count).sum()
    }

    /// Returns the processors one by one, in order of their ranges.
    pub fn columns(&self) -> impl Iterator<Item = u32> {
        self.ranges
            .iter()
            .flat_map(|range| range.first..range.end())
    }

    /// Returns a copy that owns its ranges.
    pub fn to_owned(&self) -> PlacementBuf {
        let ranges = self.ranges.to_vec();
        PlacementBuf {
            row: self.row,
            ranges,
        }
    }
}

/// A placement that owns its ranges.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlacementBuf {
    /// The row.
    pub row: u32,
    /// The processors.
    pub ranges: Vec<Range>,
}

impl PlacementBuf {
    /// Returns the placement as a borrowed value.
    pub fn get(&self) -> Placement<'_> {
        Placement {
            row: self.row,
            ranges: &self.ranges,
        }
    }

    /// Empties the placement and keeps its memory.
    pub fn clear(&mut self) {
        self.row = 0;
        self.ranges.clear();
    }

    /// Replaces the placement by a copy of `placement`.
    pub fn set(&mut self, placement: Placement<'_>) {
        self.clear();
        self.row = placement.row;
        self.ranges.extend_from_slice(placement.ranges);
    }
}
