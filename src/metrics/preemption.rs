//! Preemption: how much of it there was, and the work that it wasted.

use crate::schedule::Schedule;

/// Puts the figures of the metrics `preempted` and `wasted`.
pub fn put_preemption(schedule: &Schedule, put: &mut dyn FnMut(&str, f64)) {
    put("preempted.requeues", schedule.lost.len() as f64);
    put("preempted.jobs", schedule.lost_places.len() as f64);
    put("preempted.cancelled", schedule.cancelled.len() as f64);
    let suspended = schedule.suspensions.values();
    put(
        "suspended.times",
        suspended.map(Vec::len).sum::<usize>() as f64,
    );
    let attempts = schedule.suspensions.keys();
    let attempts = attempts.map(|place| schedule.attempt(*place as usize));
    let jobs = crate::sorting::set(attempts.clone().map(|attempt| attempt.job));
    put("suspended.jobs", jobs.len() as f64);
    let held = attempts.map(|attempt| schedule.suspended(attempt).microseconds());
    put("suspended.time", held.sum::<i64>() as f64 / 1e6);
    let (wasted, (first, last)) = (schedule.wasted() as f64 / 1e6, schedule.span());
    let capacity = (last - first).seconds() * f64::from(schedule.workload.processors);
    let share = if wasted > 0.0 { wasted / capacity } else { 0.0 };
    put("wasted.share", share);
    put("wasted.work", wasted);
}
