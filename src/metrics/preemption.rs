//! Preemption: how much of it there was, and the work that it wasted.

use crate::schedule::Schedule;

/// Puts the figures of the metrics `preempted` and `wasted`.
pub fn put_preemption(schedule: &Schedule, put: &mut dyn FnMut(&str, f64)) {
    put("preempted.requeues", schedule.lost.len() as f64);
    put("preempted.jobs", schedule.lost_places.len() as f64);
    put("preempted.cancelled", schedule.cancelled.len() as f64);
    let (wasted, (first, last)) = (schedule.wasted() as f64 / 1e6, schedule.span());
    let capacity = (last - first).seconds() * f64::from(schedule.workload.processors);
    let share = if wasted > 0.0 { wasted / capacity } else { 0.0 };
    put("wasted.share", share);
    put("wasted.work", wasted);
}
