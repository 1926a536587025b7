//! Predictions of run times from a user's last two jobs, corrected when they prove too short
//! (EASY++). Users overestimate run times, so predictions let backfilling find more room.
//!
//! D. Tsafrir, Y. Etsion, D. G. Feitelson, "Backfilling using system-generated predictions rather
//! than user runtime estimates", IEEE TPDS 18(6), 2007.

use crate::job::{JobId, Request};
use crate::param::words;
use crate::time::Span;
use std::collections::BTreeMap;

/// The steps of the corrections, in seconds. The first step applies when a belief proves too short
/// for the first time, and so on.
const STEPS: [i64; 11] = [
    60, 300, 900, 1800, 3600, 7200, 18_000, 36_000, 72_000, 180_000, 360_000,
];

words! {
    /// The rule that corrects a belief that proves too short.
    pub enum Correction {
        /// Each step replaces the one before. After the last step, the belief is the estimate.
        Totals = "totals": "to the first prediction plus 60 s, then to the first prediction plus \
            300 s, and so on (predictsim)",
        /// After the last step, that step repeats.
        Added = "added": "by 60 s, then by 300 s more, and so on, so the steps add up",
        Estimate = "estimate": "to the user's estimate at once (pyss)",
    }
}

/// A predictor of run times, with its knowledge about each user's last jobs.
#[derive(Clone, Debug)]
pub struct Predictor {
    correction: Correction,
    /// The last run time of each user, and the one before it.
    last_two: BTreeMap<i32, (Span, Option<Span>)>,
    /// For each running job that has outlived a belief: its first belief, and the number of
    /// corrections.
    corrected: BTreeMap<JobId, (Span, usize)>,
}

impl Predictor {
    /// Returns a predictor that knows no run times yet.
    pub fn new(correction: Correction) -> Self {
        Self {
            correction,
            last_two: BTreeMap::new(),
            corrected: BTreeMap::new(),
        }
    }

    /// Returns the belief about a job that arrives: the mean of its user's last two run times, cut
    /// to whole seconds, at most the estimate. If fewer than two jobs of the user have ended, or if
    /// the user is unknown, the belief is the estimate.
    pub fn believe(&self, request: &Request) -> Span {
        match self.last_two.get(&request.user) {
            Some(&(last, Some(before))) if request.user >= 0 => {
                Span::from_seconds((last + before).whole_seconds().div_euclid(2))
                    .min(request.estimate)
            }
            _ => request.estimate,
        }
    }

    /// Learns the run time of a job that has ended.
    pub fn completed(&mut self, job: JobId, request: &Request, ran: Span) {
        self.corrected.remove(&job);
        let last = self.last_two.get(&request.user).map(|&(last, _)| last);
        self.last_two.insert(request.user, (ran, last));
    }

    /// Returns the next belief about a running job that has outlived `believed`. Returns `None` if
    /// that was the estimate.
    pub fn outlived(&mut self, job: JobId, request: &Request, believed: Span) -> Option<Span> {
        if believed >= request.estimate {
            return None;
        }
        let (first, count) = self.corrected.entry(job).or_insert((believed, 0));
        let step = STEPS
            .get(*count)
            .map(|seconds| Span::from_seconds(*seconds));
        *count += 1;
        let next = match (self.correction, step) {
            (Correction::Estimate, _) | (Correction::Totals, None) => request.estimate,
            (Correction::Totals, Some(step)) => *first + step,
            (Correction::Added, step) => {
                believed + step.unwrap_or(Span::from_seconds(STEPS[STEPS.len() - 1]))
            }
        };
        Some(next.min(request.estimate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;

    /// Returns the corrected beliefs about a job with this first belief, in order, in seconds.
    fn beliefs(correction: Correction, first: i64, estimate: i64) -> Vec<i64> {
        let request = Request {
            number: 1,
            submitted: Time::ZERO,
            estimate: Span::from_seconds(estimate),
            processors: 1,
            user: 1,
            group: 1,
            application: 1,
            queue: 1,
        };
        let mut predictor = Predictor::new(correction);
        let next = |belief: &Span| predictor.outlived(JobId(0), &request, *belief);
        std::iter::successors(Some(Span::from_seconds(first)), next)
            .map(Span::whole_seconds)
            .skip(1)
            .collect()
    }

    #[test]
    fn steps_replace_one_another_or_add_up() {
        assert_eq!(
            beliefs(Correction::Totals, 10, 2000),
            [70, 310, 910, 1810, 2000]
        );
        assert_eq!(beliefs(Correction::Added, 10, 2000), [70, 370, 1270, 2000]);
        assert_eq!(beliefs(Correction::Estimate, 10, 2000), [2000]);
        assert_eq!(beliefs(Correction::Totals, 0, 100), [60, 100]);
    }

    #[test]
    fn after_the_last_step() {
        let totals = beliefs(Correction::Totals, 5, 5_000_000);
        assert_eq!(
            (totals.len(), totals[10], totals[11]),
            (12, 360_005, 5_000_000)
        );
        let added = beliefs(Correction::Added, 5, 5_000_000);
        assert_eq!(
            added[10..13]
                .windows(2)
                .map(|pair| pair[1] - pair[0])
                .collect::<Vec<_>>(),
            [360_000, 360_000]
        );
        assert_eq!(added.last(), Some(&5_000_000));
    }
}
