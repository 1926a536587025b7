//! The jobs that a window shows, and the job at a point.

use super::{Lanes, Viewport};
use crate::job::JobId;
use crate::machine::{Placement, Range};
use crate::schedule::Schedule;
use crate::time::Time;

const BLOCK: usize = 256;

/// An index that finds the jobs of a window without looking at all jobs. The schedule lists attempts
/// in order of starting; the index knows the latest end in each block of 256, so that it also finds
/// long jobs that started early.
#[derive(Clone, Debug, Default)]
pub struct Index {
    latest_ends: Vec<Time>,
}

impl Index {
    /// Creates the index of a schedule in its present state.
    pub fn new(schedule: &Schedule) -> Self {
        let count = schedule.order.len();
        let latest = |from: usize| {
            let ends = (from..count.min(from + BLOCK)).map(|place| schedule.attempt(place).end);
            ends.max().unwrap_or(Time::ZERO)
        };
        Self {
            latest_ends: (0..count).step_by(BLOCK).map(latest).collect(),
        }
    }

    /// Returns the positions in [`Schedule::order`] of the attempts that may run at some time in
    /// [from, to), in order of starting.
    pub fn candidates<'a>(
        &'a self,
        schedule: &'a Schedule,
        from: Time,
        to: Time,
    ) -> impl Iterator<Item = usize> + 'a {
        let started = schedule.begun_before(to);
        let blocks = self
            .latest_ends
            .iter()
            .enumerate()
            .take(started.div_ceil(BLOCK));
        blocks
            .filter(move |(_, latest)| **latest > from)
            .flat_map(move |(block, _)| block * BLOCK..((block + 1) * BLOCK).min(started))
    }
}

/// A rectangle of a job: one range of its processors.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Box {
    /// The job.
    pub job: JobId,
    /// Beginning of the rectangle.
    pub from: Time,
    /// End of the rectangle: that of the stay, or the end of the record.
    pub to: Time,
    /// Upper edge, in lanes. A fraction lies within a lane that jobs share.
    pub top: f64,
    /// Lower edge, in lanes.
    pub bottom: f64,
}

/// Returns the rectangles in a window, or `None` if there are more than `limit`, which leaves no
/// room for outlines and labels.
pub fn visible(
    schedule: &Schedule,
    index: &Index,
    window: &Viewport,
    lanes: &Lanes,
    limit: usize,
) -> Option<Vec<Box>> {
    let mut boxes = Vec::new();
    each(schedule, index, window, lanes, &mut |found| {
        boxes.push(found);
        boxes.len() <= limit
    });
    (boxes.len() <= limit).then_some(boxes)
}

/// Passes every rectangle in a window to `tell` until it returns false.
pub(super) fn each(
    schedule: &Schedule,
    index: &Index,
    window: &Viewport,
    lanes: &Lanes,
    tell: &mut dyn FnMut(Box) -> bool,
) {
    let mut goes_on = true;
    for at in index.candidates(schedule, window.from, window.to) {
        let entry = schedule.attempt(at);
        for stay in lanes
            .stays(schedule, entry)
            .filter(|stay| stay.from < window.to && stay.to > window.from)
        {
            for range in stay.placement.ranges {
                lanes.place(
                    entry.job,
                    stay.from,
                    stay.to,
                    (stay.placement.row, *range),
                    |from, to, top, bottom| {
                        if goes_on && bottom > window.top && top < window.bottom {
                            goes_on = tell(Box {
                                job: entry.job,
                                from,
                                to,
                                top,
                                bottom,
                            });
                        }
                    },
                );
            }
        }
        if !goes_on {
            return;
        }
    }
}

/// Returns the job that runs at `time` on a processor of a row, or on a unit.
pub fn job_at(
    schedule: &Schedule,
    index: &Index,
    lanes: &Lanes,
    time: Time,
    (row, column): (u32, u32),
) -> Option<JobId> {
    let after = Time::from_microseconds(time.microseconds().saturating_add(1));
    let is_here = |placement: Placement<'_>| {
        let has = |range: &Range| (range.first..range.end()).contains(&column);
        placement.row == row && placement.ranges.iter().any(has)
    };
    let mut entries = index
        .candidates(schedule, time, after)
        .map(|at| schedule.attempt(at));
    let entry = entries.find(|entry| {
        let mut stays = lanes
            .stays(schedule, *entry)
            .filter(|stay| stay.from <= time && time < stay.to);
        stays.any(|stay| is_here(stay.placement))
    });
    entry.map(|entry| entry.job)
}
