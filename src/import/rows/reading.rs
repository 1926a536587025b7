//! The interface of every reader of a format.

use super::zone::Zone;
use crate::problem::Problem;
use crate::trace::Trace;
use std::fmt::Debug;

/// The treatment of a line of SWF that is not 18 numbers.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum BadLines {
    /// Stop with the error.
    #[default]
    Stop,
    /// Skip and count the line.
    Skip,
}

/// The first bytes of a file, as text, from which its format is recognised.
pub struct FirstBytes<'a> {
    /// Whole lines, but for the last one.
    pub text: &'a str,
    /// True if the text is the whole file.
    pub is_whole: bool,
    /// The zone of times that tell none, if the caller knows it.
    pub zone: Option<&'a Zone>,
}

impl<'a> FirstBytes<'a> {
    /// Returns the lines that are not empty.
    pub fn lines(&self) -> impl Iterator<Item = &'a str> {
        self.text
            .lines()
            .map(str::trim_end)
            .filter(|line| !line.trim_start().is_empty())
    }
}

/// A reader of a file of one format.
pub trait Reading: Debug {
    /// Reads the next bytes.
    fn push(&mut self, bytes: &[u8]) -> Result<(), Problem>;

    /// Keeps the jobs that have not ended, which are otherwise skipped or cut. A format that does not
    /// tell them has none to keep.
    fn keep_queue(&mut self) {}

    /// Returns the number of records so far.
    fn records(&self) -> usize;

    /// Returns the trace, after the last byte.
    fn finish(self: Box<Self>, name: &str) -> Result<Trace, Problem>;
}

/// A format of logs.
pub struct Format {
    /// Stable id.
    pub id: &'static str,
    /// Name for readers.
    pub name: &'static str,
    /// Returns a reader if the file begins like one of this format.
    pub open: fn(&FirstBytes<'_>) -> Option<Box<dyn Reading>>,
}
