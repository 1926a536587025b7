//! Plans of the backfill scheduler that come again: as long as no job starts or ends, the same question has
//! the same answer, whatever the time.

use super::choice::{AskMode, NodeBounds};
use super::controller::Controller;
use super::known::{KnownPlan, PlanAnswer, note};
use super::nodeset::NodeSet;
use std::cell::Cell;
use std::sync::Arc;

/// The most answers that are kept.
const MOST_PLANS: usize = 2048;

impl Controller {
    /// Finds nodes and a start for a job, from what is known if the same was asked since the last start or
    /// end. Only for a job that leaves nothing behind when it asks.
    pub(super) fn plan_again(
        &self,
        record: usize,
        nodes: &NodeSet,
        bounds: NodeBounds,
        now: i64,
    ) -> Option<PlanAnswer> {
        let mode = (AskMode::Will { is_now: false }, now);
        // An overdue job ends at a time that depends on the present, and idle nodes change by themselves.
        let is_overdue = self.running.first().is_some_and(|(end, _)| *end <= now);
        if is_overdue || self.conf.backfill.flags.is_busy_first {
            return self.plan_anew(record, nodes, bounds, mode);
        }
        let near = self.near_now();
        let known = &mut *self.plans.0.borrow_mut();
        let known = known.renew(self.uses);
        let job = &self.records[record];
        let (partition, is_whole) = (job.partition, job.is_whole);
        let mut of_job = known.list.iter().filter(|plan| plan.record == record);
        let same = of_job.find(|plan| {
            (plan.partition, plan.bounds, plan.is_whole) == (partition, bounds, is_whole)
                && plan.nodes == *nodes
                && plan.near == near
        });
        if let Some(plan) = same {
            let mut answer = plan.answer.clone();
            if let Some(answer) = answer.as_mut().filter(|_| plan.is_now) {
                answer.start = now;
            }
            return answer;
        }
        let answer = self.plan_anew(record, nodes, bounds, mode);
        let mut plan = known.spare.pop().unwrap_or_default();
        plan.nodes.copy_from(nodes);
        plan.answer.clone_from(&answer);
        let plan = KnownPlan {
            record,
            partition,
            bounds,
            is_whole,
            near,
            is_now: answer.as_ref().is_some_and(|answer| answer.start <= now),
            ..plan
        };
        note(&mut known.list, MOST_PLANS, plan);
        answer
    }

    /// Notes the last byte of the weight of a node.
    pub(super) fn set_near(&self, node: usize, near: u8) {
        if self.near[node].replace(near) != near {
            *self.near_now.borrow_mut() = None;
        }
    }

    /// Returns the last bytes of the weights of nodes, as jobs with generic resources have left them.
    pub(super) fn near_now(&self) -> Arc<[u8]> {
        let known = &mut *self.near_now.borrow_mut();
        let known = known.get_or_insert_with(|| self.near.iter().map(Cell::get).collect());
        Arc::clone(known)
    }

    /// True if these are the last bytes of the weights of nodes.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub(super) fn is_near(&self, near: &Arc<[u8]>) -> bool {
        let now = self.near_now.borrow();
        let is_same = now.as_ref().is_some_and(|now| Arc::ptr_eq(now, near));
        is_same || self.near.iter().map(Cell::get).eq(near.iter().copied())
    }

    /// Finds nodes and a start for a job.
    pub(super) fn plan_anew(
        &self,
        record: usize,
        nodes: &NodeSet,
        bounds: NodeBounds,
        (mode, now): (AskMode, i64),
    ) -> Option<PlanAnswer> {
        let candidates = self.preemptable(record, now);
        let chosen = self.select(record, nodes, bounds, mode, (now, &candidates))?;
        Some(PlanAnswer {
            cpus: self.chosen_cpus(&chosen),
            start: chosen.start,
            nodes: chosen.nodes,
        })
    }
}
