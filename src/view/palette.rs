//! Palettes. Users get Petroff's ten colours, which remain distinct under colour-vision
//! deficiencies. Quantities use cividis.
//!
//! M. A. Petroff, "Accessible color sequences for data visualization", arXiv 2107.02270; J. R. Nuñez
//! et al., "Optimizing colormaps with consideration for color vision deficiency", PLOS ONE 13(7),
//! 2018.

use serde::{Deserialize, Serialize};

/// Light or dark surroundings.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// Ten colours of users.
pub(super) const PETROFF: [Rgb; 10] = [
    [0x3f, 0x90, 0xda],
    [0xff, 0xa9, 0x0e],
    [0xbd, 0x1f, 0x01],
    [0x94, 0xa4, 0xa2],
    [0x83, 0x2d, 0xb6],
    [0xa9, 0x6b, 0x59],
    [0xe7, 0x63, 0x00],
    [0xb9, 0xac, 0x70],
    [0x71, 0x75, 0x81],
    [0x92, 0xda, 0xdd],
];

/// Ten equidistant points of cividis.
const CIVIDIS: [Rgb; 10] = [
    [0x00, 0x20, 0x4d],
    [0x00, 0x33, 0x6f],
    [0x39, 0x48, 0x6b],
    [0x57, 0x5c, 0x6d],
    [0x70, 0x71, 0x73],
    [0x8a, 0x87, 0x79],
    [0xa6, 0x9d, 0x75],
    [0xc4, 0xb5, 0x6c],
    [0xe4, 0xcf, 0x5b],
    [0xff, 0xea, 0x46],
];

/// Returns the colour of jobs without a colour of their own.
pub(super) const fn neutral(theme: Theme) -> Rgb {
    match theme {
        Theme::Light => [0xc9, 0xcd, 0xd4],
        Theme::Dark => [0x4a, 0x4f, 0x59],
    }
}

/// Returns the colour at a place of cividis, from 0 to 1.
pub(super) fn cividis(share: f64) -> Rgb {
    let position = share * (CIVIDIS.len() - 1) as f64;
    let low = (position as usize).min(CIVIDIS.len() - 2);
    let fraction = position - low as f64;
    mix(CIVIDIS[low], CIVIDIS[low + 1], fraction)
}

/// Returns a mixture of two colours, with `share` of the second.
pub(super) fn mix(one: Rgb, other: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|channel| {
        let (a, b) = (f64::from(one[channel]), f64::from(other[channel]));
        (a + (b - a) * share).round() as u8
    })
}

/// Returns a colour as `#rrggbb`.
pub(super) fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Returns a colour as 0xrrggbb.
pub fn packed([red, green, blue]: Rgb) -> u32 {
    u32::from_be_bytes([0, red, green, blue])
}
