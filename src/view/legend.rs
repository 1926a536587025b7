//! The legend of a picture.

use super::palette::{Rgb, hex};
use serde::Serialize;

/// The legend of a picture: the meaning of its colours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Legend {
    /// Name of the quantity.
    pub title: String,
    /// Colours and their meanings, in order.
    pub entries: Vec<LegendEntry>,
    /// True if the entries are points of a continuous scale.
    pub continuous: bool,
}

/// One colour and its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LegendEntry {
    /// The meaning.
    pub label: String,
    /// The colour, as `#rrggbb`.
    pub colour: String,
}

impl LegendEntry {
    /// Returns an entry.
    pub(super) fn new(label: String, colour: Rgb) -> Self {
        let colour = hex(colour);
        Self { label, colour }
    }
}
