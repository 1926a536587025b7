//! The limits at submission (`acct_policy_validate`): a job beyond them is refused. Most limits refuse
//! only with the flag DenyOnLimit of the QOS, or without a QOS; otherwise the job waits.

use super::accounts::{LimitSet, NO_LIMIT, NODE, TresAmounts};
use super::controller::Controller;
use super::policy::{TimeAsk, beyond, scaled};
use super::reason::{self, ReasonWords, WaitReason};
use super::record::JobTerms;
use super::text::words::INFINITE;
use crate::problem::Problem;

/// The limits of TRES and times, of which each names the minutes that it leaves a job.
fn bound_minutes(
    time: &mut TimeAsk,
    partition: i64,
    (tres, limit, hidden): (&TresAmounts, &TresAmounts, &mut TresAmounts),
    sets: bool,
) -> Option<usize> {
    for at in 0..limit.len() {
        if tres[at] == 0 || hidden[at] != NO_LIMIT || limit[at] == NO_LIMIT {
            continue;
        }
        let most = limit[at] / tres[at];
        time.bound(partition, most);
        if sets {
            hidden[at] = limit[at];
        }
        if time.minutes.is_some_and(|minutes| minutes > most) {
            return Some(at);
        }
    }
    None
}

fn refused(word: &'static str) -> Problem {
    Problem::new(
        format!("Slurm refuses the job: {word}."),
        "The job is beyond a limit of its association or of its QOS.",
        "Ask for less, submit later, or raise the limit.",
    )
}

fn refuse(words: ReasonWords, at: Option<usize>) -> Result<(), Problem> {
    at.map_or(Ok(()), |at| Err(refused(words[at])))
}

impl Controller {
    /// Returns the number of jobs that have no association, though there are accounts.
    pub fn strangers(&self) -> usize {
        let has_accounts = !self.accounts.accounts.is_empty();
        let jobs = self.records().filter(|_| has_accounts);
        jobs.filter(|job| job.facts.association.is_none()).count()
    }

    /// Finds the association and the QOS of a job.
    ///
    /// # Errors
    /// Returns a problem if the configuration enforces them, and the job has none or may not use it.
    pub(super) fn find_accounts(
        &self,
        facts: &mut JobTerms,
        (user, account, qos): (&str, &str, &str),
        partition: usize,
    ) -> Result<(), Problem> {
        let accounts = &self.accounts.accounts;
        if accounts.is_empty() {
            return Ok(());
        }
        let partition = &self.conf.partitions[partition].name;
        let mut found = accounts.find(user, account, partition);
        if found.is_none() && self.conf.enforce.associations {
            return Err(refused("InvalidAccount"));
        }
        if found.is_none() && self.conf.priority.has_database {
            found = accounts.find(user, "", partition);
        }
        facts.account = accounts.account_name(user, account);
        facts.association = found;
        facts.qos = if qos.is_empty() {
            accounts.default_qos(found)
        } else {
            accounts.find_qos(qos)
        };
        if self.conf.enforce.qos {
            let is_allowed = facts.qos.is_some_and(|qos| {
                found.is_none_or(|at| accounts.associations[at].qos.contains(&qos))
            });
            if !is_allowed {
                return Err(refused("InvalidQOS"));
            }
        }
        Ok(())
    }

    /// Tests the limits of a job that is submitted. Returns its time limit, which a limit may set.
    ///
    /// # Errors
    /// Returns a problem if Slurm refuses the job.
    pub(super) fn admit(
        &self,
        facts: &JobTerms,
        mut time: TimeAsk,
        count: i64,
    ) -> Result<TimeAsk, Problem> {
        let Some(association) = facts.association.filter(|_| self.conf.enforce.limits) else {
            return Ok(time);
        };
        let tres = facts.tres;
        for partition in &facts.partitions {
            let most_time = self.conf.partitions[*partition].most_time;
            let order = self.qos_order_of(facts.qos, *partition);
            let mut all = order.into_iter().flatten();
            let denies = |qos: usize| self.accounts.accounts.qos[qos].denies;
            let is_strict = order[0].is_none() || all.any(denies);
            let mut hidden = LimitSet::default();
            for qos in order.into_iter().flatten() {
                let user = facts.user;
                self.admit_in_qos(
                    (qos, user, association),
                    (&tres, count),
                    (&mut time, most_time, is_strict),
                    &mut hidden,
                )?;
            }
            let factor = self.limit_factor(order);
            for (level, at) in self.accounts.chain(Some(association)).enumerate() {
                let limits = &self.accounts.accounts.associations[at].limits;
                let group = &self.accounts.groups[at];
                let plain = (false, false);
                let strict =
                    |words: ReasonWords, at: Option<usize>| refuse(words, at.filter(|_| is_strict));
                let most = scaled(&limits.group, factor);
                strict(
                    reason::ASSOC_GROUP,
                    beyond(&tres, 0, &most, &mut hidden.group, plain),
                )?;
                if hidden.group_submitted == NO_LIMIT
                    && group.submitted.saturating_add(count) > limits.group_submitted
                {
                    return Err(refused("AssocGrpSubmitJobsLimit"));
                }
                if is_strict {
                    let sets = true;
                    let group = (&tres, &limits.group_minutes, &mut hidden.group_minutes);
                    refuse(
                        reason::ASSOC_GROUP_MINUTES,
                        bound_minutes(&mut time, most_time, group, sets),
                    )?;
                    let hidden = &mut hidden.group_run_minutes;
                    let group = (&tres, &limits.group_run_minutes, hidden);
                    refuse(
                        reason::ASSOC_GROUP_RUN_MINUTES,
                        bound_minutes(&mut time, most_time, group, sets),
                    )?;
                }
                let wall = (limits.group_wall, &mut hidden.group_wall);
                if bound_wall(&mut time, most_time, wall, is_strict) {
                    return Err(refused("AssocGrpWallLimit"));
                }
                if level > 0 {
                    continue;
                }
                let most = scaled(&limits.job, factor);
                strict(
                    reason::ASSOC_JOB,
                    beyond(&tres, 0, &most, &mut hidden.job, plain),
                )?;
                strict(
                    reason::ASSOC_JOB_NODE,
                    beyond(
                        &tres,
                        tres[NODE],
                        &limits.job_node,
                        &mut hidden.job_node,
                        plain,
                    ),
                )?;
                let is_free =
                    hidden.account_submitted == NO_LIMIT && hidden.user_submitted == NO_LIMIT;
                if is_free && group.submitted.saturating_add(count) > limits.submitted {
                    return Err(refused("AssocMaxSubmitJobLimit"));
                }
                if is_strict {
                    let job = (&tres, &limits.job_minutes, &mut hidden.job_minutes);
                    refuse(
                        reason::ASSOC_JOB_MINUTES,
                        bound_minutes(&mut time, most_time, job, true),
                    )?;
                }
                let wall = (limits.wall, &mut hidden.wall);
                if bound_wall(&mut time, most_time, wall, is_strict) {
                    return Err(refused("AssocMaxWallDurationPerJobLimit"));
                }
            }
        }
        Ok(time)
    }

    fn admit_in_qos(
        &self,
        (qos, user, association): (usize, u32, usize),
        (tres, count): (&TresAmounts, i64),
        (time, most_time, is_strict): (&mut TimeAsk, i64, bool),
        hidden: &mut LimitSet,
    ) -> Result<(), Problem> {
        let account = self.accounts.account_of(association);
        let limits = self.accounts.qos_limits(qos);
        let (of_user, of_account) = self.accounts.in_qos(qos, user, account);
        let plain = (true, false);
        if is_strict {
            refuse(
                reason::QOS_ACCOUNT,
                beyond(tres, 0, &limits.account, &mut hidden.account, plain),
            )?;
            refuse(
                reason::QOS_USER,
                beyond(tres, 0, &limits.user, &mut hidden.user, plain),
            )?;
            refuse(
                reason::QOS_GROUP,
                beyond(tres, 0, &limits.group, &mut hidden.group, plain),
            )?;
        }
        let submitted = self.accounts.qos[qos].submitted;
        if takes(
            &mut hidden.group_submitted,
            limits.group_submitted,
            submitted + count,
        ) {
            return Err(refused("QOSGrpSubmitJobsLimit"));
        }
        if is_strict {
            let job = (tres, &limits.job_minutes, &mut hidden.job_minutes);
            refuse(
                reason::QOS_JOB_MINUTES,
                bound_minutes(time, most_time, job, true),
            )?;
            let group = (tres, &limits.group_minutes, &mut hidden.group_minutes);
            refuse(
                reason::QOS_GROUP_MINUTES,
                bound_minutes(time, most_time, group, true),
            )?;
            let run = &mut hidden.group_run_minutes;
            let group = (tres, &limits.group_run_minutes, run);
            refuse(
                reason::QOS_GROUP_RUN_MINUTES,
                bound_minutes(time, most_time, group, true),
            )?;
        }
        for (limit, hidden, word) in [
            (
                limits.wall,
                &mut hidden.wall,
                "QOSMaxWallDurationPerJobLimit",
            ),
            (limits.group_wall, &mut hidden.group_wall, "QOSGrpWallLimit"),
        ] {
            if *hidden == NO_LIMIT && limit != NO_LIMIT {
                time.bound(most_time, limit);
                *hidden = limit;
                if is_strict && time.minutes.is_some_and(|minutes| minutes > limit) {
                    return Err(refused(word));
                }
            }
        }
        if is_strict {
            refuse(
                reason::QOS_JOB,
                beyond(tres, 0, &limits.job, &mut hidden.job, plain),
            )?;
            let nodes = &mut hidden.job_node;
            refuse(
                reason::QOS_JOB_NODE,
                beyond(tres, tres[NODE], &limits.job_node, nodes, plain),
            )?;
        }
        if takes(
            &mut hidden.account_submitted,
            limits.account_submitted,
            of_account.submitted + count,
        ) {
            return Err(refused("MaxSubmitJobsPerAccount"));
        }
        if takes(
            &mut hidden.user_submitted,
            limits.user_submitted,
            of_user.submitted + count,
        ) {
            return Err(refused("QOSMaxSubmitJobPerUserLimit"));
        }
        if is_strict {
            refuse(
                reason::QOS_LEAST,
                beyond(tres, 0, &limits.least, &mut hidden.least, (true, true)),
            )?;
        }
        Ok(())
    }
}

/// Notes a limit of numbers. Returns true if the number is beyond it.
fn takes(hidden: &mut i64, limit: i64, number: i64) -> bool {
    if *hidden != NO_LIMIT || limit == NO_LIMIT {
        return false;
    }
    *hidden = limit;
    number > limit
}

/// Bounds a time limit by a wall limit of an association (`_validate_time_limit`). Returns true if the job
/// is refused.
fn bound_wall(
    time: &mut TimeAsk,
    partition: i64,
    (limit, hidden): (i64, &mut i64),
    is_strict: bool,
) -> bool {
    if time.minutes.is_some() && !is_strict || *hidden != NO_LIMIT || limit == NO_LIMIT {
        return false;
    }
    time.bound(partition.min(INFINITE), limit);
    *hidden = limit;
    time.minutes.is_some_and(|minutes| minutes > limit)
}

impl Controller {
    /// Returns the reason if the QOS or the account of a job may not use a partition
    /// (`part_policy_valid_qos`, `part_policy_valid_acct`).
    pub(super) fn shut_out(&self, record: usize, partition: usize) -> Option<WaitReason> {
        let accounts = &self.accounts.accounts;
        if accounts.is_empty() {
            return None;
        }
        let facts = &self.records[record].facts;
        let access = &self.conf.partitions[partition].access;
        let account = Some(facts.account.as_str()).filter(|name| !name.is_empty());
        let qos = facts.qos.map(|at| accounts.qos[at].name.as_str());
        if !access.qos.takes(qos) {
            return Some(WaitReason::QosNotAllowed);
        }
        (!access.accounts.takes(account)).then_some(WaitReason::AccountNotAllowed)
    }
}
