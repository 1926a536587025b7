//! Views: the data of pictures, computed here because Rust is fast and testable without a browser.

mod area;
mod attributes;
mod colour;
mod deciding;
mod filter;
mod instants;
mod lanes;
mod legend;
mod matrix;
mod names;
mod palette;
mod raster;
mod select;
mod steps;
mod test;
mod versus;
mod viewport;
mod word;

pub use area::{Area, area};
pub use colour::{Colouring, Colours};
pub use deciding::deciding;
pub use filter::{Filter, ranked};
pub use instants::changes;
pub use lanes::{Lanes, NodeLanes, RowsBy, Shares};
pub use legend::{Legend, LegendEntry};
pub use matrix::{MatrixView, Seats, matrix};
pub use names::{JobList, JobName, PlacementFacts};
pub use palette::{Theme, packed};
pub use raster::{Frame, raster};
pub use select::{Box as JobBox, Index, job_at, visible};
pub use steps::{Bins, Steps};
pub use versus::versus;
pub use viewport::Viewport;
