//! The choice of nodes (`select_nodes`): which sets of nodes a job may use, and in which order the
//! plugin is asked about them.

mod ask;
mod cores;
mod deal;
mod ends;
mod fit;
mod linear;
mod offers;
mod ranking;
mod rows;
mod sums;
mod tree;

use super::choice::{AskMode, ChosenNodes, NodeBounds, StartOutcome};
use super::controller::Controller;
use super::nodeset::NodeSet;
use super::reason::WaitReason;
use super::reservation::{LeftNodes, NoNodes};

/// Nodes of a job in a pass: those that it may use, and how it shares them.
struct NodePool<'a> {
    /// Sets of nodes and their weights, the lightest first.
    sets: Vec<(i64, NodeSet)>,
    bounds: NodeBounds,
    is_shared: bool,
    /// The nodes that are not closed in this pass.
    open: &'a NodeSet,
    now: i64,
    mode: AskMode,
    /// The running jobs that may be preempted.
    candidates: Vec<u32>,
}

impl Controller {
    /// Tries to start a job on nodes of `open` that are not `excluded`.
    pub(super) fn select_nodes(
        &mut self,
        record: usize,
        partition: usize,
        (open, excluded): (&NodeSet, Option<&NodeSet>),
        now: i64,
    ) -> StartOutcome {
        if self.records[record].partition != partition {
            self.records[record].partition = partition;
        }
        if self.before_choice(record).is_some() {
            return StartOutcome::AccountLimit;
        }
        if let Some(reason) = self.shut_out(record, partition) {
            self.records[record].reason = reason;
            return StartOutcome::PartitionLimit;
        }
        if self.records[record].priority == 0 {
            return StartOutcome::Held;
        }
        let left = match self.reserve_left(record, now) {
            Ok(left) => left,
            Err(outcome) => return outcome,
        };
        let beyond = self.beyond_reservation(&left, excluded);
        let sets = self.node_sets(record, partition, beyond.as_ref().or(excluded));
        let mut required = self.records[record].facts.required.clone();
        sets.iter().for_each(|(_, set)| required.take_away(set));
        if sets.is_empty() || !required.is_empty() {
            return StartOutcome::Never;
        }
        let bounds = self.node_bounds(record, partition);
        if let Some(reason) = self.few_nodes(record, partition, bounds.least) {
            self.records[record].reason = reason;
            return StartOutcome::AccountLimit;
        }
        if bounds.most < bounds.least {
            let tres = self.request(record, bounds.wanted, None);
            if self.after_choice(record, &tres, None).is_some() {
                return StartOutcome::AccountLimit;
            }
            self.records[record].reason = WaitReason::PartitionNodeLimit;
            return StartOutcome::PartitionLimit;
        }
        let is_exclusive = self.conf.partitions[partition].is_exclusive;
        let is_linear = self.conf.select.is_linear;
        let forces_sharing = self.conf.forces_sharing(partition);
        let job = &mut self.records[record];
        let before = (job.is_whole, job.shares_nothing);
        let next_task = job.array.as_ref().and_then(|array| array.tasks.front());
        let takes_task = next_task.copied();
        if takes_task.is_some() {
            job.task = takes_task;
        }
        if is_exclusive {
            job.is_whole = true;
        }
        let is_shared = !is_exclusive && !is_linear && !job.shares_nothing && !job.is_whole;
        let is_shared = is_shared || forces_sharing;
        job.shares_nothing = !is_shared;
        if before != (job.is_whole, job.shares_nothing) {
            self.changes += 1;
        }
        let beside = left.nodes.as_ref().filter(|_| !left.is_reserved);
        let still_open = beside.map(|nodes| open.and(nodes));
        let pool = NodePool {
            sets,
            bounds,
            is_shared,
            open: still_open.as_ref().unwrap_or(open),
            now,
            mode: AskMode::Run,
            candidates: self.preemptable(record, now),
        };
        // A limit of an account counts more than why there are no nodes.
        let outcome = match self.pick_nodes(record, &pool) {
            Ok(chosen) => {
                if let Some(cpus) = self.chosen_cpus(&chosen) {
                    self.records[record].cpus = cpus;
                }
                self.records[record].node_guess = chosen.nodes.count();
                let memory = self.chosen_memory(record, &chosen.nodes, &chosen.shares);
                let tres =
                    self.request(record, chosen.nodes.count(), Some((&chosen.nodes, memory)));
                if self
                    .after_choice(record, &tres, Some(&chosen.nodes))
                    .is_none()
                {
                    if self.will_suspend(&chosen.victims) {
                        self.start(record, partition, chosen, now);
                        return StartOutcome::Started;
                    }
                    self.preempt(record, &chosen.victims, now);
                    StartOutcome::Busy
                } else {
                    StartOutcome::AccountLimit
                }
            }
            Err((outcome, nodes)) => {
                let tres = self.request(record, nodes.unwrap_or(bounds.wanted), None);
                match self.after_choice(record, &tres, None) {
                    Some(_) => StartOutcome::AccountLimit,
                    None => left.outcome(outcome),
                }
            }
        };
        if takes_task.is_some() {
            self.records[record].task = None;
        }
        if outcome == StartOutcome::NotAvailable {
            self.records[record].reason = self.not_available(partition, open);
        }
        let job = &mut self.records[record];
        match outcome {
            StartOutcome::AccountLimit | StartOutcome::NotAvailable => {}
            StartOutcome::PartitionLimit => job.reason = WaitReason::PartitionNodeLimit,
            StartOutcome::Reserved => job.reason = left.reason(),
            _ => job.reason = WaitReason::Resources,
        }
        outcome
    }

    /// Returns the reason for which nodes that nobody uses are not available in a pass.
    fn not_available(&self, partition: usize, open: &NodeSet) -> WaitReason {
        if self.conf.partitions[partition].nodes.is_within(open) {
            WaitReason::MayBeReserved
        } else {
            WaitReason::ReqNodeNotAvail
        }
    }

    /// Returns the nodes that reservations leave a job now. If none can be, notes why, and returns the
    /// outcome.
    fn reserve_left(&mut self, record: usize, now: i64) -> Result<LeftNodes, StartOutcome> {
        let left = self.left_nodes(record, (now, false), now);
        let job = &mut self.records[record];
        let left = left.map_err(|why| {
            job.reason = WaitReason::Reservation;
            match why {
                NoNodes::Later => StartOutcome::Reserved,
                NoNodes::Invalid => StartOutcome::Never,
            }
        })?;
        let is_all_kept = left.nodes.as_ref().is_some_and(NodeSet::is_empty);
        if left.is_reserved && left.is_overlapped && is_all_kept {
            job.reason = WaitReason::Maintenance;
            return Err(StartOutcome::Reserved);
        }
        Ok(left)
    }

    /// Returns the nodes that a job with a reservation may not have: those excluded, and all others.
    fn beyond_reservation(&self, left: &LeftNodes, excluded: Option<&NodeSet>) -> Option<NodeSet> {
        let own = left.nodes.as_ref().filter(|_| left.is_reserved)?;
        let mut beyond = NodeSet::all(self.conf.node_count()).without(own);
        if let Some(excluded) = excluded {
            beyond.add(excluded);
        }
        Some(beyond)
    }

    /// Tests at submission whether a job could start in a partition, and notes why not. In
    /// select/cons_tres the test does not look at running jobs.
    pub(super) fn test_nodes(&mut self, record: usize, partition: usize, now: i64) -> StartOutcome {
        self.records[record].partition = partition;
        if self.before_choice(record).is_some() {
            return StartOutcome::AccountLimit;
        }
        if self.shut_out(record, partition).is_some() {
            return StartOutcome::PartitionLimit;
        }
        if self.records[record].priority == 0 {
            return StartOutcome::Held;
        }
        let mut left = match self.reserve_left(record, now) {
            Ok(left) => left,
            Err(outcome) => return outcome,
        };
        left.is_overlapped = false;
        let excluded = self.beyond_reservation(&left, None);
        let sets = self.node_sets(record, partition, excluded.as_ref());
        let bounds = self.node_bounds(record, partition);
        if sets.is_empty() {
            return StartOutcome::Never;
        }
        if let Some(reason) = self.few_nodes(record, partition, bounds.least) {
            self.records[record].reason = reason;
            return StartOutcome::AccountLimit;
        }
        if bounds.most < bounds.least {
            return StartOutcome::PartitionLimit;
        }
        let is_exclusive = self.conf.partitions[partition].is_exclusive;
        let job = &self.records[record];
        let is_linear = self.conf.select.is_linear;
        let mut all = self.all.clone();
        if let Some(nodes) = left.nodes.as_ref().filter(|_| !left.is_reserved) {
            all.keep(nodes);
        }
        let pool = NodePool {
            sets,
            bounds,
            is_shared: self.conf.forces_sharing(partition)
                || !is_exclusive && !is_linear && !job.shares_nothing && !job.is_whole,
            open: &all,
            now,
            mode: AskMode::Test,
            candidates: Vec::new(),
        };
        let picked = self.pick_nodes(record, &pool);
        let cpus = picked
            .as_ref()
            .ok()
            .and_then(|chosen| self.chosen_cpus(chosen));
        let unavailable = self.not_available(partition, &self.all);
        let job = &mut self.records[record];
        if let Some(cpus) = cpus {
            job.cpus = cpus;
        }
        match picked {
            Ok(chosen) => {
                job.node_guess = chosen.nodes.count();
                StartOutcome::Started
            }
            Err((outcome, _)) => {
                let outcome = left.outcome(outcome);
                match outcome {
                    StartOutcome::Reserved => job.reason = left.reason(),
                    StartOutcome::Busy => job.reason = WaitReason::Resources,
                    StartOutcome::NotAvailable => job.reason = unavailable,
                    _ => {}
                }
                outcome
            }
        }
    }

    /// Returns the reason if limits of accounts leave a job fewer nodes than it needs.
    pub(super) fn few_nodes(
        &self,
        record: usize,
        partition: usize,
        least: i64,
    ) -> Option<WaitReason> {
        let (most, reason) = self.most_limited_nodes(record, partition);
        (most < least).then_some(reason)
    }

    /// Returns the numbers of nodes that a job may get in a partition (`get_node_cnts`).
    pub(super) fn node_bounds(&self, record: usize, partition: usize) -> NodeBounds {
        const MOST_NODES: i64 = 500_000;
        let facts = &self.records[record].facts;
        let limited = self.most_limited_nodes(record, partition).0;
        let partition = &self.conf.partitions[partition];
        let least = facts.least_nodes.max(partition.least_nodes);
        let is_open = facts.most_nodes == 0;
        let most = if is_open {
            partition.most_nodes
        } else {
            facts.most_nodes.min(partition.most_nodes)
        }
        .min(limited)
        .min(MOST_NODES);
        NodeBounds {
            least,
            most,
            wanted: if is_open { least } else { most },
        }
    }

    /// Returns the nodes of a job by lines `NodeName`, the lightest first (`_build_node_list`).
    fn node_sets(
        &self,
        record: usize,
        partition: usize,
        excluded: Option<&NodeSet>,
    ) -> Vec<(i64, NodeSet)> {
        let facts = &self.records[record].facts;
        let mut usable = self.conf.partitions[partition]
            .nodes
            .without(&facts.excluded);
        if let Some(excluded) = excluded {
            usable.take_away(excluded);
        }
        if let Some(featured) = &facts.featured {
            usable.keep(featured);
        }
        let mut sets = Vec::new();
        for line in &self.conf.lines {
            if facts.node_cpus <= line.cpus && facts.memory <= line.memory {
                let set = usable.and(&line.nodes);
                if !set.is_empty() {
                    sets.push((line.weight, set));
                }
            }
        }
        crate::sorting::by(&mut sets, |(weight, _)| [(*weight).into(), 0]);
        sets
    }

    /// Drops the nodes that a job can never use (`job_req_node_filter`).
    pub(super) fn filter_nodes(&self, record: usize, nodes: &mut NodeSet) {
        let facts = &self.records[record].facts;
        for line in &self.conf.lines {
            let each = facts.memory.saturating_mul(facts.node_cpus);
            if facts.node_cpus > line.cpus
                || facts.memory > line.memory
                || facts.is_memory_per_cpu && each > line.memory
            {
                nodes.take_away(&line.nodes);
            }
        }
        if let Some(featured) = &facts.featured {
            nodes.keep(featured);
        }
    }

    /// Finds nodes for a start now (`_pick_best_nodes`). Without success, it also returns how many nodes the
    /// job would get if nothing ran, if it would get any.
    fn pick_nodes(
        &mut self,
        record: usize,
        pool: &NodePool<'_>,
    ) -> Result<ChosenNodes, (StartOutcome, Option<i64>)> {
        let facts = std::sync::Arc::clone(&self.records[record].facts);
        let bounds = pool.bounds;
        let has_required = facts.required_count > 0;
        if has_required {
            if facts.required_count > bounds.most {
                return Err((StartOutcome::PartitionLimit, None));
            }
            if !facts.required.is_within(pool.open) {
                return Err((StartOutcome::NotAvailable, None));
            }
        }
        if !self.near.is_empty() {
            // `_sync_node_weight`
            let nodes = pool.sets.iter().flat_map(|(_, set)| set.iter());
            nodes.for_each(|node| self.set_near(node, u8::MAX));
        }
        let mut closed = self.cleaning.clone();
        // With preemption, nodes in use stay in the sets.
        let preempts = self.conf.preempt.is_on();
        if !preempts {
            closed.add(if pool.is_shared {
                &self.unshared
            } else {
                &self.busy
            });
        }
        let mut total = NodeSet::none(self.conf.node_count());
        let mut found = if has_required {
            facts.required.clone()
        } else {
            total.clone()
        };
        let mut is_busy = false;
        for (at, (weight, set)) in pool.sets.iter().enumerate() {
            let next = pool.sets.get(at + 1);
            total.add(set);
            let mut set = set.and(pool.open);
            is_busy |= set.meets(&closed);
            set.take_away(&closed);
            found.add(&set);
            // cons_tres tries all sets at once. Shared nodes of one weight belong together.
            let is_early = !self.conf.select.is_linear
                || (pool.is_shared || preempts || self.conf.has_switches())
                    && next.is_some_and(|(other, _)| weight == other);
            if next.is_some() && is_early {
                continue;
            }
            let mut tested = found.without(&self.unshared);
            if !has_required {
                tested.keep(pool.open);
            }
            if tested.count() < bounds.least.max(bounds.wanted) && next.is_some() {
                continue;
            }
            let mut candidates = [].as_slice();
            if next.is_none() && !pool.candidates.is_empty() {
                candidates = &pool.candidates;
                self.add_candidates(&mut tested, pool, &total);
            }
            let mode = pool.mode;
            let chosen = self.select(record, &tested, bounds, mode, (pool.now, candidates));
            if let Some(chosen) = chosen {
                if chosen.nodes.count() <= bounds.most {
                    return Ok(chosen);
                }
                // A choice with too many nodes leaves the number of CPUs behind, too.
                if let Some(cpus) = self.chosen_cpus(&chosen) {
                    self.records[record].cpus = cpus;
                }
                break;
            }
        }
        let mut possible = None;
        let mut is_runnable = false;
        if total.count() >= bounds.least && facts.required.is_within(&total) {
            // A test that succeeds leaves the number of CPUs behind.
            let mut test = |nodes: &NodeSet| {
                let now = (pool.now, [].as_slice());
                let chosen = self.select(record, nodes, bounds, AskMode::Test, now)?;
                self.records[record].node_guess = chosen.nodes.count();
                if let Some(cpus) = self.chosen_cpus(&chosen)
                    && self.conf.enforce.limits
                {
                    self.records[record].cpus = cpus;
                }
                Some(chosen.nodes.count())
            };
            if found.count() >= bounds.least {
                possible = test(&total.and(pool.open));
                is_runnable = possible.is_some_and(|count| count <= bounds.most);
            }
            possible = possible.or_else(|| test(&total));
        }
        let outcome = match (possible.is_some(), is_runnable || is_busy) {
            (false, _) => StartOutcome::Never,
            (true, false) => StartOutcome::NotAvailable,
            (true, true) => StartOutcome::Busy,
        };
        Err((outcome, possible))
    }

    /// Adds the nodes of candidates that share theirs with nobody, as far as the job may use them
    /// (`_bit_or_cond`).
    fn add_candidates(&self, tested: &mut NodeSet, pool: &NodePool<'_>, total: &NodeSet) {
        for other in &pool.candidates {
            let other = &self.records[*other as usize];
            if other.shares_nothing {
                tested.add(&other.nodes);
            }
        }
        tested.keep(pool.open);
        tested.keep(total);
    }

    /// Asks the plugin for nodes of a set (`select_p_job_test`). It may take those of the candidates, if
    /// there are no others.
    pub(super) fn select(
        &self,
        record: usize,
        nodes: &NodeSet,
        bounds: NodeBounds,
        mode: AskMode,
        (now, candidates): (i64, &[u32]),
    ) -> Option<ChosenNodes> {
        if self.conf.select.is_linear {
            self.select_linear(record, nodes, bounds, (mode, now, candidates))
        } else {
            self.select_cores(record, nodes, bounds, (mode, now, candidates))
        }
    }
}
