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
