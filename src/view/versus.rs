//! The difference of two runs of the same jobs: the processors of jobs that run in one run while
//! they wait in the other.

use super::viewport::Parts;
use crate::schedule::Schedule;
use crate::time::Time;

/// Submission, start and end of each job in another run; [`Time::NEVER`] if the job has none.
pub type Other = [(Time, Time, Time)];

/// Returns the processors of jobs that run in this run and wait in the other, then of jobs that
/// wait in this run and run in the other. Each is given as means over `count` equal parts of [from,
/// to). A lost attempt in this run counts as running. Those of the other run are not known here: the job
/// waits until its last start.
pub fn versus(schedule: &Schedule, other: &Other, from: Time, to: Time, count: usize) -> Vec<f32> {
    let mut sums = vec![0.0_f64; 2 * count];
    let Some(parts) = Parts::of(from, to, count) else {
        return vec![0.0; 2 * count];
    };
    for job in schedule.workload.ids() {
        // A job that never starts in the other run is not in it.
        let Some((asked, start, end)) = other
            .get(job.index())
            .filter(|(_, start, _)| *start != Time::NEVER)
        else {
            continue;
        };
        let (own, own_end) = (schedule.starts[job.index()], schedule.ends[job.index()]);
        let request = schedule.workload.request(job);
        let size = f64::from(request.processors);
        let mut cover = |begin: Time, until: Time, place: usize, size: f64| {
            let (begin, until) = (begin.max(from), until.min(to).min(schedule.until));
            if begin < until {
                parts.cover(begin, until, |part, share| {
                    sums[place + part] += share * size;
                });
            }
        };
        // At most one of the two is a proper interval.
        cover(own.max(*asked), own_end.min(*start), 0, size);
        let waits = ((*start).max(request.submitted), (*end).min(own));
        cover(waits.0, waits.1, count, size);
        for (_, lost) in schedule.lost_of(job) {
            cover(lost.from.max(*asked), lost.end.min(*start), 0, size);
            cover(lost.from.max(waits.0), lost.end.min(waits.1), count, -size);
        }
    }
    sums.into_iter().map(|sum| sum as f32).collect()
}
