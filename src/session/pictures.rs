//! Columns and pixels of pictures: timelines, strips, matrices, shared nodes.

use super::state::Session;
use crate::job::JobId;
use crate::problem::Problem;
use crate::time::Time;
use crate::view::{
    Colouring, Frame, RowsBy, Seats, Theme, Viewport, deciding, job_at, matrix, packed, raster,
    visible,
};
use serde_json::Value;

/// Largest number of parts into which a period is divided.
pub(super) const BINS: usize = 16_384;

/// The way in which jobs are coloured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Meaning of the colours.
    pub colouring: Colouring,
    /// Light or dark theme.
    pub theme: Theme,
}

/// A window of a timeline, and its size.
#[derive(Copy, Clone, Debug)]
pub struct Picture {
    /// Window in seconds and processor numbers.
    pub window: Viewport,
    /// Width and height in pixels.
    pub size: (usize, usize),
    /// The rows of the timeline.
    pub rows: RowsBy,
}

impl Session {
    /// Draws a window as RGBA pixels; pixels without jobs have the colour `background`.
    pub fn raster(&mut self, picture: &Picture, background: [u8; 3], look: Look) -> Vec<u8> {
        let window = &picture.window;
        let lanes = self.lanes(window, picture.size, picture.rows);
        let (sight, _) = self.coloured(look.colouring, look.theme);
        let (width, height) = picture.size;
        let frame = Frame {
            width,
            height,
            background,
        };
        let (schedule, index) = (sight.schedule, sight.index);
        raster(schedule, index, sight.colours, window, &frame, &lanes)
    }

    /// Returns the rectangles in a window as [job, number, from, to, top, height, ...]; `None` if
    /// there are more than `limit`. The number of a job that does not pass the filter is NaN.
    pub fn visible(&mut self, picture: &Picture, limit: usize) -> Option<Vec<f64>> {
        let window = &picture.window;
        let lanes = self.lanes(window, picture.size, picture.rows);
        let (schedule, index) = self.as_indexed();
        let boxes = visible(schedule, index, window, &lanes, limit)?;
        let number = |job: JobId| {
            if self.keeps(job) {
                schedule.workload.request(job).number as f64
            } else {
                f64::NAN
            }
        };
        let numbers = boxes.iter().flat_map(|found| {
            [
                f64::from(found.job.0),
                number(found.job),
                found.from.seconds(),
                found.to.seconds(),
                found.top,
                found.bottom - found.top,
            ]
        });
        Some(numbers.collect())
    }

    /// Returns the index of the job that a timeline shows at a time and height. A pixel is `pixel`
    /// seconds wide.
    pub fn job_at(&mut self, at: f64, height: f64, pixel: f64, rows: RowsBy) -> Option<u32> {
        let around = Viewport {
            from: Time::near(at - pixel.max(1e-6)),
            to: Time::near(at + pixel.max(2e-6)),
            top: height,
            bottom: height + 1.0,
        };
        let lanes = self.lanes(&around, (2, 1), rows);
        let (schedule, index) = self.as_indexed();
        let mut places = lanes.at(Time::near(at), height).into_iter();
        let found = places.find_map(|place| job_at(schedule, index, &lanes, Time::near(at), place));
        found.map(|job| job.0)
    }

    /// Returns means over `count` parts of [from, to): first of used processors, then of waiting
    /// jobs, then of the work of waiting jobs in processor seconds.
    pub fn bins(&self, from: Time, to: Time, count: usize) -> Vec<f32> {
        let until = self.schedule().until;
        let bins = self.run().steps().bins(from, to, count.min(BINS), until);
        [bins.used, bins.waiting, bins.work].concat()
    }

    /// Returns the share of each of `count` parts of [from, to) in which each candidate of an
    /// adaptive policy decided: all parts of the first candidate, then of the second. Empty under
    /// any other policy.
    pub fn deciding(&self, from: Time, to: Time, count: usize) -> Vec<f32> {
        let candidates = self.run().scenario.candidates().len();
        deciding(self.schedule(), candidates, from, to, count.min(BINS))
    }

    /// Returns the jobs in the rows of an Ousterhout matrix at an instant. The first two numbers
    /// are the row whose turn it is and the end of the turn; they are NaN if rows do not take
    /// turns. Then come [number, job, record, size, row, first column, columns, colour, ...].
    pub fn matrix(&mut self, at: Time, look: Look) -> Vec<f64> {
        let (sight, _) = self.coloured(look.colouring, look.theme);
        let schedule = sight.schedule;
        let found = matrix(schedule, sight.index, sight.colours, at);
        let mut flat = found.turn.map_or(vec![f64::NAN; 2], |(row, ends)| {
            vec![f64::from(row), ends.seconds()]
        });
        for Seats {
            job,
            row,
            columns,
            colour,
        } in found.seats
        {
            let request = schedule.workload.request(job);
            let numbers = [
                job.0,
                schedule.workload.sources[job.index()],
                request.processors,
                row,
                columns.first,
                columns.count,
                packed(colour),
            ];
            flat.push(request.number as f64);
            flat.extend(numbers.map(f64::from));
        }
        flat
    }

    /// Answers a question of a picture that only machines of this kind have.
    ///
    /// # Errors
    /// If the machine does not understand the question.
    pub fn show(&mut self, question: Value, look: Look) -> Result<Value, Problem> {
        let spec = self.run().scenario.machine;
        (spec.show)(&self.coloured(look.colouring, look.theme).0, question)
    }

    /// Returns the places in a window where two jobs share nodes, as [from, to, first node, nodes,
    /// slowdown, ...]; `None` if there are more than `limit`.
    pub fn shared_nodes(&mut self, from: Time, to: Time, limit: usize) -> Option<Vec<f64>> {
        self.update_index();
        let mut flat = Vec::new();
        let is_seen = |from_: Time, to_: Time| from_ < to && to_ > from;
        for overlap in self.overlaps().iter() {
            if !is_seen(overlap.from, overlap.to) {
                continue;
            }
            if flat.len() / 5 >= limit {
                return None;
            }
            let slowdown = self
                .slowdown(overlap.job, overlap.other)
                .max(self.slowdown(overlap.other, overlap.job));
            flat.extend([
                overlap.from.seconds(),
                overlap.to.seconds(),
                overlap.nodes.first.into(),
                overlap.nodes.count.into(),
                slowdown,
            ]);
        }
        Some(flat)
    }
}

/// Returns an instant. Infinity stands for an unknown instant.
pub(super) fn moment(seconds: f64) -> Time {
    if seconds == f64::INFINITY {
        Time::NEVER
    } else {
        Time::near(seconds)
    }
}
