//! The limits of numbers of jobs and of times at a start (`acct_policy_job_runnable_pre_select`), and the
//! tests that all limits share. A limit that a QOS sets hides the same limit of associations.

use super::accounts::{LimitSet, NO_LIMIT, TresAmounts};
use super::controller::Controller;
use super::group::GroupUse;
use super::reason::WaitReason;
use super::text::words::INFINITE;

/// The time limit of jobs without one in Slurm's numbers of 32 bits.
pub(super) const ENDLESS: i64 = 0xffff_ffff;

/// The request of a start, and all that counts towards the limits of TRES.
pub(super) struct TresAsk<'a> {
    pub request: &'a TresAmounts,
    /// TRES in use.
    pub used: Option<&'a TresAmounts>,
    /// Usage of the past.
    pub past: Option<&'a TresAmounts>,
    pub is_safe: bool,
}

impl<'a> TresAsk<'a> {
    pub fn new(
        request: &'a TresAmounts,
        used: &'a TresAmounts,
        past: Option<&'a TresAmounts>,
        is_safe: bool,
    ) -> Self {
        Self {
            request,
            used: Some(used),
            past,
            is_safe,
        }
    }
}

/// Finds the first TRES that breaks a limit (`_validate_tres_usage_limits`). `hidden` has the limits set
/// before; those that are set here are added if `sets`.
pub(super) fn broken(
    ask: &TresAsk<'_>,
    limit: &TresAmounts,
    hidden: &mut TresAmounts,
    sets: bool,
) -> Option<usize> {
    for at in 0..limit.len() {
        let (most, request) = (limit[at], ask.request[at]);
        if hidden[at] != NO_LIMIT || most == NO_LIMIT {
            continue;
        }
        if sets {
            hidden[at] = most;
        }
        let past = ask.past.map_or(0, |past| past[at]);
        if ask.past.is_some() && request != 0 && past >= most {
            return Some(at);
        }
        if !ask.is_safe {
            continue;
        }
        let used = ask.used.map(|used| used[at]);
        let is_over = used.is_some_and(|used| {
            request != 0 && request.saturating_add(used) > most.saturating_sub(past)
        });
        if request > most || is_over {
            return Some(at);
        }
    }
    None
}

/// Finds the first TRES of a job beyond a limit of jobs (`_validate_tres_limits_for_qos`).
pub(super) fn beyond(
    request: &TresAmounts,
    divisor: i64,
    limit: &TresAmounts,
    hidden: &mut TresAmounts,
    (sets, is_least): (bool, bool),
) -> Option<usize> {
    for at in 0..limit.len() {
        if hidden[at] != NO_LIMIT || limit[at] == NO_LIMIT || !sets && request[at] == 0 {
            continue;
        }
        if sets {
            hidden[at] = limit[at];
        }
        let amount = request[at] / divisor.max(1);
        if is_least && amount < limit[at] || !is_least && amount > limit[at] {
            return Some(at);
        }
    }
    None
}

/// A time limit in minutes, and whether a limit of an account has set it (`_set_time_limit`).
#[derive(Copy, Clone)]
pub(super) struct TimeAsk {
    pub minutes: Option<i64>,
    pub is_set: bool,
}

impl TimeAsk {
    pub fn bound(&mut self, partition: i64, limit: i64) {
        match self.minutes {
            None => {
                self.minutes = Some(if limit > 0 {
                    limit.min(INFINITE)
                } else {
                    partition
                });
                self.is_set = true;
            }
            Some(minutes) if self.is_set && minutes > limit => self.minutes = Some(limit),
            Some(_) => {}
        }
    }
}

impl Controller {
    /// Returns the QOS of a job in the order of their limits (`acct_policy_set_qos_order`).
    pub(super) fn qos_order(&self, record: usize, partition: usize) -> [Option<usize>; 2] {
        self.qos_order_of(self.records[record].facts.qos, partition)
    }

    pub(super) fn qos_order_of(&self, own: Option<usize>, partition: usize) -> [Option<usize>; 2] {
        let of_partition = self.accounts.of_partition[partition];
        let Some(qos) = own else {
            return [of_partition, None];
        };
        let is_first = self.accounts.accounts.qos[qos].is_over_partition;
        match of_partition {
            None => [own, None],
            Some(other) if other == qos => [own, None],
            Some(_) if is_first => [own, of_partition],
            Some(_) => [of_partition, own],
        }
    }

    /// Tests the numbers of jobs and the times, before nodes are chosen. Returns the reason if the job
    /// must wait.
    pub(super) fn before_choice(&mut self, record: usize) -> Option<WaitReason> {
        if !self.conf.enforce.limits {
            return None;
        }
        let association = self.records[record].facts.association?;
        let reason = self.limit_before_choice(record, association);
        let old = self.records[record].reason;
        let free = if old.is_tested_limit() {
            WaitReason::None
        } else {
            old
        };
        // A look at a record costs less than a change.
        let new = reason.unwrap_or(free);
        if new != old {
            self.records[record].reason = new;
        }
        reason
    }

    fn limit_before_choice(&self, record: usize, association: usize) -> Option<WaitReason> {
        let accounts = &self.accounts;
        let job = &self.records[record];
        let (user, account) = (job.facts.user, accounts.account_of(association));
        let most_time = self.conf.partitions[job.partition].most_time;
        let asked = TimeAsk {
            minutes: job.limit,
            is_set: job.is_limit_set,
        };
        let is_safe = self.conf.enforce.safe;
        let factor = self.safe_factor(record);
        let scaled = |minutes: i64| match factor {
            Some(factor) if minutes < INFINITE || factor < 1.0 => {
                (minutes.min(ENDLESS) as f64 * factor) as i64
            }
            _ => minutes,
        };
        let mut hidden = LimitSet::default();
        for qos in self.qos_order(record, job.partition).into_iter().flatten() {
            let (limits, group) = (accounts.qos_limits(qos), &accounts.qos[qos]);
            let (of_user, of_account) = accounts.in_qos(qos, user, account);
            let mut time = None;
            if takes(&mut hidden.group_jobs, limits.group_jobs) && group.jobs >= limits.group_jobs {
                return Some(WaitReason::Limit("QOSGrpJobsLimit"));
            }
            if takes(&mut hidden.group_wall, limits.group_wall) {
                let mut ask = asked;
                ask.bound(most_time, limits.group_wall.min(limits.wall));
                let minutes = scaled(ask.minutes.unwrap_or(INFINITE));
                time = Some(minutes);
                if is_wall_over(group, limits.group_wall, minutes, is_safe) {
                    return Some(WaitReason::Limit("QOSGrpWallLimit"));
                }
            }
            if takes(&mut hidden.account_jobs, limits.account_jobs)
                && of_account.jobs >= limits.account_jobs
            {
                return Some(WaitReason::Limit("MaxJobsPerAccount"));
            }
            if takes(&mut hidden.user_jobs, limits.user_jobs) && of_user.jobs >= limits.user_jobs {
                return Some(WaitReason::Limit("QOSMaxJobsPerUserLimit"));
            }
            if takes(&mut hidden.wall, limits.wall) {
                let minutes = time.unwrap_or_else(|| {
                    let mut ask = asked;
                    ask.bound(most_time, limits.wall);
                    ask.minutes.unwrap_or(INFINITE)
                });
                if scaled(minutes) > limits.wall {
                    return Some(WaitReason::Limit("QOSMaxWallDurationPerJobLimit"));
                }
            }
        }
        let mut time = None;
        for (level, at) in accounts.chain(Some(association)).enumerate() {
            let limits = &accounts.accounts.associations[at].limits;
            let group = &accounts.groups[at];
            if hidden.group_jobs == NO_LIMIT && group.jobs >= limits.group_jobs {
                return Some(WaitReason::Limit("AssocGrpJobsLimit"));
            }
            let mut minutes_for = |limit: i64| {
                *time.get_or_insert_with(|| {
                    let mut ask = asked;
                    ask.bound(most_time, limit);
                    scaled(ask.minutes.unwrap_or(INFINITE))
                })
            };
            if hidden.group_wall == NO_LIMIT && limits.group_wall != NO_LIMIT {
                let minutes = minutes_for(limits.group_wall.min(limits.wall));
                if is_wall_over(group, limits.group_wall, minutes, is_safe) {
                    return Some(WaitReason::Limit("AssocGrpWallLimit"));
                }
            }
            if level > 0 {
                continue;
            }
            let is_free = hidden.account_jobs == NO_LIMIT && hidden.user_jobs == NO_LIMIT;
            if is_free && group.jobs >= limits.jobs {
                return Some(WaitReason::Limit("AssocMaxJobsLimit"));
            }
            if hidden.wall == NO_LIMIT
                && limits.wall != NO_LIMIT
                && minutes_for(limits.wall) > limits.wall
            {
                return Some(WaitReason::Limit("AssocMaxWallDurationPerJobLimit"));
            }
        }
        None
    }

    /// The usage factor by which time limits count for limits (`UsageFactorSafe`).
    pub(super) fn safe_factor(&self, record: usize) -> Option<f64> {
        let qos = &self.accounts.accounts.qos[self.records[record].facts.qos?];
        (qos.is_factor_safe && qos.usage_factor >= 0.0).then_some(qos.usage_factor)
    }

    /// The factor by which QOS multiply the limits of associations.
    pub(super) fn limit_factor(&self, order: [Option<usize>; 2]) -> Option<f64> {
        let mut factors = order.into_iter().flatten();
        factors.find_map(|qos| self.accounts.accounts.qos[qos].limit_factor)
    }
}

/// Notes a limit of a QOS. Returns false if it is none, or hidden.
fn takes(hidden: &mut i64, limit: i64) -> bool {
    if *hidden != NO_LIMIT || limit == NO_LIMIT {
        return false;
    }
    *hidden = limit;
    true
}

pub(super) fn is_wall_over(group: &GroupUse, limit: i64, minutes: i64, is_safe: bool) -> bool {
    let used = (group.wall / 60.0) as i64;
    used >= limit || is_safe && used.saturating_add(minutes) > limit
}

/// Multiplies limits by the factor of a QOS (`_apply_limit_factor`).
pub(super) fn scaled(limits: &TresAmounts, factor: Option<f64>) -> TresAmounts {
    let Some(factor) = factor.filter(|factor| *factor > 0.0) else {
        return *limits;
    };
    limits.map(|limit| {
        if limit == NO_LIMIT {
            limit
        } else {
            (limit as f64 * factor) as i64
        }
    })
}
