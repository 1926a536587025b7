//! The limits of TRES at a start, with the nodes that the job would get
//! (`acct_policy_job_runnable_post_select`), and those that end running jobs.

use super::accounts::{LimitSet, NO_LIMIT, NODE, TresAmounts};
use super::controller::Controller;
use super::group::GroupUse;
use super::nodeset::NodeSet;
use super::policy::{ENDLESS, TresAsk, beyond, broken, is_wall_over, scaled};
use super::reason::{self, ReasonWords, WaitReason};
use super::text::words::INFINITE;

fn word(words: ReasonWords) -> impl Fn(usize) -> WaitReason {
    move |at| WaitReason::Limit(words[at])
}

impl Controller {
    /// Tests the TRES that a job would get. `nodes` are those chosen, if they are. Returns the reason if
    /// the job must wait.
    pub(super) fn after_choice(
        &mut self,
        record: usize,
        tres: &TresAmounts,
        nodes: Option<&NodeSet>,
    ) -> Option<WaitReason> {
        if !self.conf.enforce.limits {
            return None;
        }
        let association = self.records[record].facts.association?;
        let job = &mut self.records[record];
        if job.reason.is_tested_limit() {
            job.reason = WaitReason::None;
        }
        job.blocking_qos = None;
        match self.limit_after_choice(record, association, tres, nodes) {
            None => None,
            Some((reason, qos)) => {
                let job = &mut self.records[record];
                job.reason = reason;
                job.blocking_qos = qos;
                Some(reason)
            }
        }
    }

    fn limit_after_choice(
        &self,
        record: usize,
        association: usize,
        tres: &TresAmounts,
        nodes: Option<&NodeSet>,
    ) -> Option<(WaitReason, Option<usize>)> {
        let accounts = &self.accounts;
        let job = &self.records[record];
        let partition = &self.conf.partitions[job.partition];
        let unset = partition.default_time.filter(|minutes| *minutes > 0);
        let mut minutes = job.limit.unwrap_or(unset.unwrap_or(partition.most_time));
        if let Some(factor) = self.safe_factor(record)
            && (minutes < INFINITE || factor < 1.0)
        {
            minutes = (minutes.min(ENDLESS) as f64 * factor) as i64;
        }
        let minutes = minutes.min(ENDLESS);
        let times = tres.map(|amount| amount.saturating_mul(minutes));
        let is_safe = self.conf.enforce.safe;
        let factor = job
            .facts
            .qos
            .map(|at| accounts.accounts.qos[at].usage_factor);
        let is_free = factor == Some(0.0);
        let spent = |group: &GroupUse| {
            group
                .raw
                .map(|raw| if is_free { 0 } else { (raw / 60.0) as i64 })
        };
        let running = |group: &GroupUse| {
            let running = group.run_seconds;
            running.map(|seconds| if is_free { 0 } else { seconds / 60 })
        };
        let with_new_nodes = |group: &GroupUse| self.with_new_nodes(record, tres, nodes, group);
        let mut hidden = LimitSet::default();
        let order = self.qos_order(record, job.partition);
        for qos in order.into_iter().flatten() {
            let (limits, group) = (accounts.qos_limits(qos), &accounts.qos[qos]);
            let account = accounts.account_of(association);
            let (of_user, of_account) = accounts.in_qos(qos, job.facts.user, account);
            let (before, running) = (spent(group), running(group));
            let in_group = with_new_nodes(group);
            let reason = broken(
                &TresAsk::new(&times, &running, Some(&before), is_safe),
                &limits.group_minutes,
                &mut hidden.group_minutes,
                true,
            )
            .map(word(reason::QOS_GROUP_MINUTES))
            .or_else(|| {
                let ask = TresAsk::new(&in_group, &group.tres, None, true);
                broken(&ask, &limits.group, &mut hidden.group, true).map(word(reason::QOS_GROUP))
            })
            .or_else(|| {
                let ask = TresAsk::new(&times, &running, None, true);
                let hidden = &mut hidden.group_run_minutes;
                broken(&ask, &limits.group_run_minutes, hidden, true)
                    .map(word(reason::QOS_GROUP_RUN_MINUTES))
            })
            .or_else(|| {
                let hidden = &mut hidden.job_minutes;
                beyond(&times, 0, &limits.job_minutes, hidden, (true, false))
                    .map(word(reason::QOS_JOB_MINUTES))
            })
            .or_else(|| {
                beyond(tres, 0, &limits.job, &mut hidden.job, (true, false))
                    .map(word(reason::QOS_JOB))
            })
            .or_else(|| {
                let hidden = &mut hidden.job_node;
                beyond(tres, tres[NODE], &limits.job_node, hidden, (true, false))
                    .map(word(reason::QOS_JOB_NODE))
            })
            .or_else(|| {
                beyond(tres, 0, &limits.least, &mut hidden.least, (true, true))
                    .map(word(reason::QOS_LEAST))
            })
            .or_else(|| {
                let request = with_new_nodes(of_account);
                let ask = TresAsk::new(&request, &of_account.tres, None, true);
                broken(&ask, &limits.account, &mut hidden.account, true)
                    .map(word(reason::QOS_ACCOUNT))
            })
            .or_else(|| {
                let request = with_new_nodes(of_user);
                let ask = TresAsk::new(&request, &of_user.tres, None, true);
                broken(&ask, &limits.user, &mut hidden.user, true).map(word(reason::QOS_USER))
            });
            if let Some(reason) = reason {
                return Some((reason, Some(qos)));
            }
        }
        let factor = self.limit_factor(order);
        for (level, at) in accounts.chain(Some(association)).enumerate() {
            let limits = &accounts.accounts.associations[at].limits;
            let group = &accounts.groups[at];
            let (before, running) = (spent(group), running(group));
            let (in_group, most) = (with_new_nodes(group), scaled(&limits.group, factor));
            let times_ask = TresAsk::new(&times, &running, Some(&before), is_safe);
            let group_ask = TresAsk::new(&in_group, &group.tres, None, true);
            let run_ask = TresAsk::new(&times, &running, None, true);
            let minutes = &mut hidden.group_minutes;
            let mut reason = broken(&times_ask, &limits.group_minutes, minutes, false)
                .map(word(reason::ASSOC_GROUP_MINUTES))
                .or_else(|| {
                    broken(&group_ask, &most, &mut hidden.group, false)
                        .map(word(reason::ASSOC_GROUP))
                })
                .or_else(|| {
                    let hidden = &mut hidden.group_run_minutes;
                    broken(&run_ask, &limits.group_run_minutes, hidden, false)
                        .map(word(reason::ASSOC_GROUP_RUN_MINUTES))
                });
            if level == 0 {
                let most = scaled(&limits.job, factor);
                let plain = (false, false);
                reason = reason
                    .or_else(|| {
                        let hidden = &mut hidden.job_minutes;
                        beyond(&times, 0, &limits.job_minutes, hidden, plain)
                            .map(word(reason::ASSOC_JOB_MINUTES))
                    })
                    .or_else(|| {
                        beyond(tres, 0, &most, &mut hidden.job, plain).map(word(reason::ASSOC_JOB))
                    })
                    .or_else(|| {
                        let hidden = &mut hidden.job_node;
                        beyond(tres, tres[NODE], &limits.job_node, hidden, plain)
                            .map(word(reason::ASSOC_JOB_NODE))
                    });
            }
            if let Some(reason) = reason {
                return Some((reason, None));
            }
        }
        None
    }

    /// True if limits of accounts can end running jobs.
    pub(super) fn ends_jobs_at_limits(&self) -> bool {
        self.conf.enforce.limits
            && !self.conf.enforce.safe
            && self.accounts.has_minutes
            && !self.accepts_all
    }

    /// True if a running job has used up the minutes of its association or of its QOS
    /// (`acct_policy_job_time_out`).
    pub(super) fn is_out_of_minutes(&self, record: usize, now: i64) -> bool {
        let accounts = &self.accounts;
        let job = &self.records[record];
        let minutes = (now - job.start).max(0) / 60;
        // One more than used: so a test for more is one for as much.
        let times = job.tres.map(|amount| match amount {
            0 => 0,
            amount => amount.saturating_mul(minutes).saturating_add(1),
        });
        let mut hidden = LimitSet::default();
        let mut is_over = |limits: &LimitSet, group: &GroupUse, times: &TresAmounts, sets: bool| {
            let past = group.raw.map(|raw| (raw / 60.0) as i64);
            let in_past = TresAsk {
                request: times,
                used: None,
                past: Some(&past),
                is_safe: false,
            };
            let minutes = &mut hidden.group_minutes;
            if broken(&in_past, &limits.group_minutes, minutes, sets).is_some() {
                return true;
            }
            if hidden.group_wall == NO_LIMIT && limits.group_wall != NO_LIMIT {
                if sets {
                    hidden.group_wall = limits.group_wall;
                }
                if is_wall_over(group, limits.group_wall, 0, false) {
                    return true;
                }
            }
            let mut request = *times;
            if !sets {
                request[NODE] = 0;
            }
            let ask = TresAsk {
                request: &request,
                used: None,
                past: None,
                is_safe: true,
            };
            broken(&ask, &limits.job_minutes, &mut hidden.job_minutes, sets).is_some()
        };
        for qos in self.qos_order(record, job.partition).into_iter().flatten() {
            if is_over(accounts.qos_limits(qos), &accounts.qos[qos], &times, true) {
                return true;
            }
        }
        // The limits of root do not count here.
        let mut chain = accounts.chain(job.facts.association).filter(|at| *at > 0);
        chain.any(|at| {
            let limits = &accounts.accounts.associations[at].limits;
            is_over(limits, &accounts.groups[at], &times, false)
        })
    }

    /// Returns a request in which only nodes count that the group does not use
    /// (`_get_unique_job_node_cnt`).
    fn with_new_nodes(
        &self,
        record: usize,
        tres: &TresAmounts,
        nodes: Option<&NodeSet>,
        group: &GroupUse,
    ) -> TresAmounts {
        let mut request = *tres;
        let facts = &self.records[record].facts;
        match nodes {
            Some(nodes) => request[NODE] = group.new_nodes(nodes),
            None if facts.required_count > 0 => {
                let known = facts.required_count - group.new_nodes(&facts.required);
                if known <= request[NODE] {
                    request[NODE] -= known;
                }
            }
            None => {}
        }
        request
    }
}
