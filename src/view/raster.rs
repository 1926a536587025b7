//! The timeline raster: jobs as rectangles in time x processors. Each pixel is the exact
//! area-weighted mean of what it covers.
//!
//! A browser's canvas takes seconds for a million rectangles, and it invents or loses those thinner
//! than a pixel (L. Schnorr and A. Legrand, "Visualizing more performance data than what fits on
//! your screen", 2013). Here a rectangle adds at most 16 entries to an image of second differences,
//! and one prefix sum over both axes turns these into pixels. The cost does not depend on the size
//! of a rectangle.
//!
//! All arithmetic uses wrapping integers. Edges are rounded to 1/4096 of a pixel, so coverage has
//! 24 bits. Colour has 8 bits and jobs do not overlap, so no final sum exceeds 32 bits. Adjacent
//! jobs share their rounded edge, so nothing is lost or counted twice, and the picture is the same
//! on every platform.

use super::{Colours, Index, Lanes, Viewport};
use crate::schedule::Schedule;
use crate::time::Time;

/// Positions are in 1/4096 pixels.
const SUBPIXEL_BITS: u32 = 12;
const SUBPIXEL: i64 = 1 << SUBPIXEL_BITS;

/// Number of columns that are transposed together, so that each row is written one cache line at a
/// time.
const TILE: usize = 16;

/// Premultiplied red, green, blue, and coverage.
type PixelSums = [u32; 4];

/// The size of a picture in pixels, and the background behind the jobs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Colour where no job runs.
    pub background: [u8; 3],
}

/// Draws the window of a schedule as RGBA bytes, row by row. An invalid window or an empty frame
/// gives only background.
pub fn raster(
    schedule: &Schedule,
    index: &Index,
    colours: &Colours,
    window: &Viewport,
    frame: &Frame,
    lanes: &Lanes,
) -> Vec<u8> {
    let mut image = Differences::new(frame);
    if window.is_valid() && frame.width > 0 && frame.height > 0 {
        let across = Axis::new(
            0.0,
            (window.to - window.from).microseconds() as f64,
            frame.width,
        );
        let down = Axis::new(window.top, window.bottom, frame.height);
        for at in index.candidates(schedule, window.from, window.to) {
            let entry = schedule.attempt(at);
            let edge = |time: Time| {
                across.position(
                    (time.max(window.from).min(window.to) - window.from).microseconds() as f64,
                )
            };
            for stay in lanes.stays(schedule, entry) {
                if edge(stay.from) == edge(stay.to) {
                    continue;
                }
                let row = stay.placement.row;
                colours.pieces(
                    entry.job,
                    stay.placement,
                    stay.from,
                    stay.to,
                    |from, to, range, colour| {
                        let [red, green, blue] = colours.of_attempt(entry.is_lost, colour);
                        lanes.place(
                            entry.job,
                            from,
                            to,
                            (row, range),
                            |from, to, top, bottom| {
                                let columns = Edges::new(edge(from), edge(to));
                                let rows = Edges::new(down.position(top), down.position(bottom));
                                image.add(
                                    &columns,
                                    &rows,
                                    [u32::from(red), u32::from(green), u32::from(blue), 1],
                                );
                            },
                        );
                    },
                );
            }
        }
    }
    image.pixels()
}

/// Converts values into positions in 1/4096 pixels, clipped to the frame.
struct Axis {
    origin: f64,
    scale: f64,
    end: f64,
}

impl Axis {
    fn new(from: f64, to: f64, pixels: usize) -> Self {
        let end = pixels as f64 * SUBPIXEL as f64;
        Self {
            origin: from,
            scale: end / (to - from),
            end,
        }
    }

    fn position(&self, value: f64) -> i64 {
        // The cast rounds down. Clipped values are never negative, so adding a half first rounds to
        // nearest.
        (((value - self.origin) * self.scale).clamp(0.0, self.end) + 0.5) as i64
    }
}

/// The first differences along one axis of the coverage of each pixel by an interval. At most four
/// differ from zero.
struct Edges {
    at: [u32; 4],
    by: [i32; 4],
    count: usize,
}

impl Edges {
    fn new(from: i64, to: i64) -> Self {
        let mut edges = Self {
            at: [0; 4],
            by: [0; 4],
            count: 0,
        };
        if from < to {
            let (first, last) = ((from >> SUBPIXEL_BITS) as u32, (to >> SUBPIXEL_BITS) as u32);
            let (into_first, into_last) =
                ((from & (SUBPIXEL - 1)) as i32, (to & (SUBPIXEL - 1)) as i32);
            let whole = SUBPIXEL as i32;
            if first == last {
                edges.push(first, into_last - into_first);
                edges.push(first + 1, into_first - into_last);
            } else if first + 1 == last {
                edges.push(first, whole - into_first);
                edges.push(last, into_first - (whole - into_last));
                edges.push(last + 1, -into_last);
            } else {
                edges.push(first, whole - into_first);
                edges.push(first + 1, into_first);
                edges.push(last, into_last - whole);
                edges.push(last + 1, -into_last);
            }
        }
        edges
    }

    fn push(&mut self, at: u32, by: i32) {
        if by != 0 {
            self.at[self.count] = at;
            self.by[self.count] = by;
            self.count += 1;
        }
    }
}

/// An image of second differences, column by column. Jobs come in order of starting, so neighbours
/// in time stay in the cache.
struct Differences {
    frame: Frame,
    /// Two more rows than the picture has, for differences after its last row.
    rows: usize,
    sums: Vec<PixelSums>,
}

impl Differences {
    fn new(frame: &Frame) -> Self {
        let rows = frame.height + 2;
        Self {
            frame: *frame,
            rows,
            sums: vec![[0; 4]; rows * (frame.width + 2)],
        }
    }

    fn add(&mut self, columns: &Edges, rows: &Edges, colour: PixelSums) {
        for column in 0..columns.count {
            let from = columns.at[column] as usize * self.rows;
            let sums = &mut self.sums[from..from + self.rows];
            for row in 0..rows.count {
                let by = (columns.by[column] * rows.by[row]) as u32;
                let sum = &mut sums[rows.at[row] as usize];
                for channel in 0..4 {
                    sum[channel] = sum[channel].wrapping_add(by.wrapping_mul(colour[channel]));
                }
            }
        }
    }

    fn pixels(self) -> Vec<u8> {
        let Frame {
            width,
            height,
            background,
        } = self.frame;
        let mut pixels = vec![0; width * height * 4];
        let mut across: Vec<PixelSums> = vec![[0; 4]; height];
        let mut tile = vec![[0_u8; 4]; TILE * height];
        for left in (0..width).step_by(TILE) {
            let columns = TILE.min(width - left);
            for column in 0..columns {
                let differences = &self.sums[(left + column) * self.rows..][..height];
                let mut down: PixelSums = [0; 4];
                for (row, (sum, difference)) in across.iter_mut().zip(differences).enumerate() {
                    for channel in 0..4 {
                        sum[channel] = sum[channel].wrapping_add(difference[channel]);
                        down[channel] = down[channel].wrapping_add(sum[channel]);
                    }
                    tile[row * TILE + column] = blend(down, background);
                }
            }
            for row in 0..height {
                let at = (row * width + left) * 4;
                pixels[at..at + columns * 4]
                    .copy_from_slice(tile[row * TILE..row * TILE + columns].as_flattened());
            }
        }
        pixels
    }
}

/// Returns the pixel: the jobs that cover it, and the background where no job does.
fn blend([red, green, blue, coverage]: PixelSums, background: [u8; 3]) -> [u8; 4] {
    const WHOLE: u32 = 1 << (2 * SUBPIXEL_BITS);
    let bare = WHOLE.wrapping_sub(coverage);
    let channel = |sum: u32, behind: u8| {
        (sum.wrapping_add(u32::from(behind).wrapping_mul(bare))
            .wrapping_add(WHOLE / 2)
            >> (2 * SUBPIXEL_BITS)) as u8
    };
    [
        channel(red, background[0]),
        channel(green, background[1]),
        channel(blue, background[2]),
        255,
    ]
}
