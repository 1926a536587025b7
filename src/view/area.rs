//! The jobs in an area of a timeline.

use super::select::each;
use super::{Index, JobBox, Lanes, Viewport};
use crate::job::JobId;
use crate::schedule::Schedule;
use std::collections::BTreeSet;

/// The jobs of an area, and their part of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Area {
    /// The jobs that run on some of its processors at some time in it, in order of starting. A job that
    /// was requeued is here once.
    pub jobs: Vec<JobId>,
    /// The part of the area that these jobs use, in processor seconds.
    pub used: f64,
}

/// Returns the jobs of a window that `wanted` accepts.
pub fn area(
    schedule: &Schedule,
    index: &Index,
    window: &Viewport,
    lanes: &Lanes,
    wanted: impl Fn(JobId) -> bool,
) -> Area {
    let mut area = Area::default();
    // The rectangles of a job follow one another, but for those of a job with several attempts.
    let mut requeued = BTreeSet::new();
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
                let is_new = schedule.requeues(job) == 0 || requeued.insert(job);
                if is_new && area.jobs.last() != Some(&job) {
                    area.jobs.push(job);
                }
            }
            true
        },
    );
    area
}
