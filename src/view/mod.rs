//! Views: what a picture needs, computed here so that it is fast and can be tested without a browser.

mod colour;
mod deciding;
mod raster;
mod select;
mod space;
mod steps;

pub use colour::{Colouring, Colours, Legend, LegendEntry, Theme};
pub use deciding::deciding;
pub use raster::{Frame, raster};
pub use select::{Box as JobBox, Index, job_at, visible};
pub use space::{Occupancy, Resident, changes, contiguity, occupancy};
pub use steps::{Bins, Steps};

use crate::time::Time;

/// A window of a timeline: an interval of time, and of processors.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Window {
    /// Left edge.
    pub from: Time,
    /// Right edge.
    pub to: Time,
    /// Upper edge: a processor number, where a fraction lies within a processor's lane.
    pub top: f64,
    /// Lower edge.
    pub bottom: f64,
}

impl Window {
    /// Whether the window has an area.
    pub fn is_valid(&self) -> bool {
        self.from < self.to && self.top < self.bottom && self.top.is_finite() && self.bottom.is_finite()
    }
}
