//! Where a job is: runs of processors.

/// A run of consecutive processors: the first and how many.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Range {
    /// Lowest processor number.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl Range {
    /// One past the highest processor number.
    pub const fn end(self) -> u32 {
        self.first + self.count
    }
}

/// Where a job is: its row, and runs of processors in it, in rising order. Machines whose
/// processors are dedicated have one row, row 0.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Placement<'a> {
    /// The row.
    pub row: u32,
    /// The processors; none where they are only counted.
    pub ranges: &'a [Range],
}

impl Placement<'_> {
    /// No processor.
    pub const NOWHERE: Self = Self {
        row: 0,
        ranges: &[],
    };

    /// Whether it names no processor.
    pub const fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many processors it names.
    pub fn size(&self) -> u32 {
        self.ranges.iter().map(|range| range.count).sum()
    }

    /// The processors one by one, by their columns.
    pub fn columns(&self) -> impl Iterator<Item = u32> {
        self.ranges
            .iter()
            .flat_map(|range| range.first..range.end())
    }

    /// The same with processors of its own.
    pub fn to_owned(&self) -> PlacementBuf {
        let ranges = self.ranges.to_vec();
        PlacementBuf {
            row: self.row,
            ranges,
        }
    }
}

/// A placement that owns its processors.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlacementBuf {
    /// The row.
    pub row: u32,
    /// The processors.
    pub ranges: Vec<Range>,
}

impl PlacementBuf {
    /// The placement.
    pub fn get(&self) -> Placement<'_> {
        Placement {
            row: self.row,
            ranges: &self.ranges,
        }
    }

    /// Empties it, and keeps its memory.
    pub fn clear(&mut self) {
        self.row = 0;
        self.ranges.clear();
    }

    /// Takes another placement's processors in place of its own.
    pub fn set(&mut self, placement: Placement<'_>) {
        self.clear();
        self.row = placement.row;
        self.ranges.extend_from_slice(placement.ranges);
    }
}
