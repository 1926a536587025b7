//! The deciding candidates of an adaptive policy, over the pixels of a band.

use super::viewport::Parts;
use crate::schedule::Schedule;
use crate::time::Time;

/// Returns the share of each of `count` equal parts of [from, to) in which each candidate decided:
/// all parts of the first candidate, then of the second, and so on. Before the run and after the
/// end of the record no candidate decides.
pub fn deciding(
    schedule: &Schedule,
    candidates: usize,
    from: Time,
    to: Time,
    count: usize,
) -> Vec<f32> {
    let mut shares = vec![0.0_f64; candidates * count];
    let Some(parts) = Parts::of(from, to, count) else {
        return vec![0.0; shares.len()];
    };
    let first = schedule
        .switches
        .partition_point(|switch| switch.at <= from)
        .saturating_sub(1);
    for (at, switch) in schedule.switches.iter().enumerate().skip(first) {
        let end = schedule
            .switches
            .get(at + 1)
            .map_or(schedule.until, |next| next.at);
        if switch.at >= to {
            break;
        }
        parts.cover(switch.at, end, |part, share| {
            if let Some(sum) = shares.get_mut(switch.policy as usize * count + part) {
                *sum += share;
            }
        });
    }
    shares.into_iter().map(|share| share as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Recorder, Switch};
    use crate::workload::Workload;
    use std::sync::Arc;

    #[test]
    fn shares_of_each_part() {
        let at = Time::from_seconds;
        let mut schedule = Recorder::new(Arc::new(Workload::default())).into_schedule();
        schedule.switches = [(0, 0), (15, 1), (30, 0)]
            .map(|(seconds, policy)| Switch {
                at: at(seconds),
                policy,
            })
            .into();
        schedule.until = at(35);
        assert_eq!(
            deciding(&schedule, 2, at(0), at(40), 4),
            [1.0, 0.5, 0.0, 0.5, 0.0, 0.5, 1.0, 0.0]
        );
        // The first window begins in the middle of the run, the second one before it.
        assert_eq!(deciding(&schedule, 2, at(20), at(30), 1), [0.0, 1.0]);
        assert_eq!(
            deciding(&schedule, 2, at(-10), at(10), 2),
            [0.0, 1.0, 0.0, 0.0]
        );
        assert_eq!(deciding(&schedule, 2, at(50), at(60), 1), [0.0, 0.0]);
    }
}
