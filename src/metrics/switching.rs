//! The switches of an adaptive policy, and the shares of time in which its candidates decided.

use crate::schedule::Schedule;
use crate::time::Time;

/// Number of switches, switches per day, and each candidate's share of the time.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Switching {
    pub count: f64,
    pub per_day: f64,
    pub shares: [f64; 8],
}

pub(super) fn switching(schedule: &Schedule) -> Switching {
    let (first, last) = schedule.span();
    let length = (last - first).seconds();
    // The first entry names the first candidate. Without it the policy is not adaptive.
    let [beginning, switches @ ..] = &schedule.switches[..] else {
        return Switching::default();
    };
    if length <= 0.0 {
        return Switching::default();
    }
    let mut shares = [0.0; 8];
    // If a what-if lets an adaptive policy take over, its time begins then.
    let (mut since, mut deciding) = (beginning.at, beginning.policy as usize);
    let mut count = |until: Time, policy: usize| {
        let until = until.min(last);
        if let Some(share) = shares.get_mut(policy) {
            *share += (until - since).seconds().max(0.0) / length;
        }
        since = until;
    };
    for switch in switches {
        count(switch.at, deciding);
        deciding = switch.policy as usize;
    }
    count(last, deciding);
    let switches = switches.len() as f64;
    Switching {
        count: switches,
        per_day: switches / (length / 86_400.0),
        shares,
    }
}
