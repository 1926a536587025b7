//! What lies in an area of a timeline.

use super::select::each;
use super::{Index, JobBox, Lanes, Viewport};
use crate::job::JobId;
use crate::schedule::Schedule;

/// The jobs of an area, and how much of it is theirs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Area {
    /// Jobs that run at some time of it on some of its processors, in order of starting.
    pub jobs: Vec<JobId>,
    /// The part of the area that is in use, in processor seconds.
    pub used: f64,
}

/// Looks at the jobs of a window that are wanted.
pub fn area(
    schedule: &Schedule,
    index: &Index,
    window: &Viewport,
    lanes: &Lanes,
    wanted: impl Fn(JobId) -> bool,
) -> Area {
    let mut area = Area::default();
    if !window.is_valid() {
        return area;
    }
    each(
        schedule,
        index,
        window,
        lanes,
        &mut |JobBox {
                  job,
                  from,
                  to,
                  top,
                  bottom,
              }| {
            let length = (to.min(window.to) - from.max(window.from))
                .seconds()
                .max(0.0);
            let used = length * (bottom.min(window.bottom) - top.max(window.top)).max(0.0);
            if used > 0.0 && wanted(job) {
                area.used += used;
                // A job's rectangles come one after the other.
                if area.jobs.last() != Some(&job) {
                    area.jobs.push(job);
                }
            }
            true
        },
    );
    area
}
