//! Which of an adaptive policy's candidates decided, and for how long.

use crate::schedule::Schedule;
use crate::time::Time;

/// How often and for how long.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Switching {
    pub count: f64,
    pub per_day: f64,
    pub shares: [f64; 8],
}

pub(super) fn switching(schedule: &Schedule) -> Switching {
    let (first, last) = schedule.span();
    let length = (last - first).seconds();
    // Who decides first is recorded too, so that there is nothing only where nobody else could have decided.
    if schedule.switches.is_empty() || length <= 0.0 {
        return Switching::default();
    }
    let mut shares = [0.0; 8];
    let (mut since, mut deciding) = (first, 0);
    let mut count = |until: Time, policy: usize| {
        let until = until.min(last);
        if let Some(share) = shares.get_mut(policy) {
            *share += (until - since).seconds() / length;
        }
        since = until;
    };
    for switch in &schedule.switches {
        count(switch.at, deciding);
        deciding = switch.policy as usize;
    }
    count(last, deciding);
    let switches = schedule.switches.len() as f64 - 1.0;
    Switching { count: switches, per_day: switches / (length / 86_400.0), shares }
}
