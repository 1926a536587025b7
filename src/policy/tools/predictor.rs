//! Run-time predictions from a user's last two jobs, corrected when they prove too short (EASY++).
//!
//! D. Tsafrir, Y. Etsion, D. G. Feitelson, "Backfilling using system-generated predictions rather than user runtime
//! estimates", IEEE TPDS 18(6), 2007.

use crate::job::{JobId, Request};
use crate::time::Span;
use std::collections::BTreeMap;

/// By how much a belief that proved too short is raised, the first time, the second, ... in seconds.
const RAISES: [i64; 11] = [60, 300, 900, 1800, 3600, 7200, 18_000, 36_000, 72_000, 180_000, 360_000];

/// What is known of users' run times.
#[derive(Clone, Debug, Default)]
pub struct Predictor {
    /// The last run time of each user, and the one before.
    last_two: BTreeMap<i32, (Span, Option<Span>)>,
    /// How often the belief of a running job was raised.
    raised: BTreeMap<JobId, usize>,
}

impl Predictor {
    /// The belief for a job that arrives: the mean of its user's last two run times, in whole seconds, at most its
    /// estimate; the estimate with fewer than two, or an unknown user.
    pub fn believe(&self, request: &Request) -> Span {
        match self.last_two.get(&request.user) {
            Some(&(last, Some(before))) if request.user >= 0 => {
                Span::from_seconds((last + before).whole_seconds().div_euclid(2)).min(request.estimate)
            }
            _ => request.estimate,
        }
    }

    /// Learns from a job that ended.
    pub fn completed(&mut self, job: JobId, request: &Request, ran: Span) {
        self.raised.remove(&job);
        let last = self.last_two.get(&request.user).map(|&(last, _)| last);
        self.last_two.insert(request.user, (ran, last));
    }

    /// The next belief for a running job that outlived one.
    pub fn outlived(&mut self, job: JobId, request: &Request, believed: Span) -> Option<Span> {
        if believed >= request.estimate {
            return None;
        }
        let count = self.raised.entry(job).or_default();
        let raise = RAISES[(*count).min(RAISES.len() - 1)];
        *count += 1;
        Some((believed + Span::from_seconds(raise)).min(request.estimate))
    }
}
