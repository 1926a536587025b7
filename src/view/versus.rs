//! Two runs of the same jobs: who runs in one of them while it waits in the other.

use super::viewport::Parts;
use crate::schedule::Schedule;
use crate::time::Time;

/// Submission, start and end of each job in another run; [`Time::NEVER`] where there is none.
pub type Other = [(Time, Time, Time)];

/// Processors of the jobs that run here and wait there, then of those that wait here and run there:
/// means over `count` equal parts of [from, to).
pub fn versus(schedule: &Schedule, other: &Other, from: Time, to: Time, count: usize) -> Vec<f32> {
    let mut sums = vec![0.0_f64; 2 * count];
    let Some(parts) = Parts::of(from, to, count) else {
        return vec![0.0; 2 * count];
    };
    for job in schedule.workload.ids() {
        // Who never starts there is not there.
        let Some((asked, start, end)) = other
            .get(job.index())
            .filter(|(_, start, _)| *start != Time::NEVER)
        else {
            continue;
        };
        let (own, own_end) = (schedule.starts[job.index()], schedule.ends[job.index()]);
        let request = schedule.workload.request(job);
        let size = f64::from(request.processors);
        // At most one of the two is an interval.
        for (begin, until, place) in [
            (own.max(*asked), own_end.min(*start), 0),
            ((*start).max(request.submitted), (*end).min(own), count),
        ] {
            let (begin, until) = (begin.max(from), until.min(to).min(schedule.until));
            if begin < until {
                parts.cover(begin, until, |part, share| {
                    sums[place + part] += share * size;
                });
            }
        }
    }
    sums.into_iter().map(|sum| sum as f32).collect()
}
