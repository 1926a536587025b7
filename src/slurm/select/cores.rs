//! select/cons_tres: single cores (`common_job_test`, `_job_test`, `_select_nodes`).

use super::super::choice::{AskMode, ChosenNodes, NodeBounds};
use super::super::conf::NodeLine;
use super::super::conf_preempt::PreemptRule;
use super::super::controller::Controller;
use super::super::core_use::{CoreUse, ReleasedUse, release, release_cores};
use super::super::gres::GresAsk;
use super::super::known::{CpuOffer, OfferKind, TestKind};
use super::super::nodeset::NodeSet;
use super::super::releases::Sufficiency;
use super::super::text::modes::PreemptMode;
use super::super::text::words::INFINITE;
use super::ask::CoreAsk;
use super::ends::{EndWindows, Enough, SumStart};
use super::offers::{FreeRoom, kind_of};
use super::rows::is_node_open;
use crate::pulse::beat;
use std::borrow::Cow;

/// The most answers that are kept as if nothing ran.
const MOST_TESTS: usize = 128;

impl Controller {
    pub(super) fn select_cores(
        &self,
        record: usize,
        nodes: &NodeSet,
        bounds: NodeBounds,
        (mode, now, candidates): (AskMode, i64, &[u32]),
    ) -> Option<ChosenNodes> {
        let mut ask = self.core_ask(record, mode);
        if mode == AskMode::Test {
            return self.test_cores(&ask, nodes, bounds);
        }
        let is_plan = mode == AskMode::Will { is_now: false };
        if is_plan
            && candidates.is_empty()
            && let Some(enough) = self.enough_for(&ask, bounds)
        {
            return self.fit_by_sum(&ask, nodes, (enough, bounds), now);
        }
        // With generic resources, also a choice that fails leaves weights behind.
        let has_room = (is_plan || mode == AskMode::Run) && self.counts_offers(&ask);
        let room = has_room.then(|| self.free_room(&ask, nodes, bounds));
        let fitting = match &room {
            Some(room) => self.fit_room(&ask, nodes, bounds, (&self.used, room)),
            None => self.fit_cores(&ask, nodes, bounds, &self.used),
        };
        if let Some(mut chosen) = fitting {
            chosen.start = now;
            return Some(chosen);
        }
        if mode == AskMode::Run {
            let mut chosen = self.preempt_cores(&mut ask, nodes, bounds, candidates)?;
            chosen.start = now;
            return Some(chosen);
        }
        if let Some(room) = room.filter(|_| is_plan && candidates.is_empty()) {
            ask.is_busy_first = self.conf.backfill.flags.is_busy_first;
            return self.fit_after_ends(&ask, nodes, bounds, (now, room));
        }
        let mut released = self.take_use(0);
        let chosen = self.fit_later(&mut ask, nodes, bounds, (now, candidates, &mut released));
        if self.gang.is_none() {
            self.take_back(&mut released, 0);
            self.keep_use(released);
        }
        chosen
    }

    /// Finds a start after ends of running jobs, the candidates first (`_will_run_test`).
    fn fit_later(
        &self,
        ask: &mut CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        (now, candidates, released): (i64, &[u32], &mut ReleasedUse),
    ) -> Option<ChosenNodes> {
        let mut running = Cow::Borrowed(&self.running);
        if !candidates.is_empty() {
            for candidate in candidates {
                let job = &self.records[*candidate as usize];
                if self.preempt_mode(job) == PreemptMode::Suspend {
                    // A suspended job keeps its memory.
                    release_cores(&mut released.used, job);
                    ask.has_extra_row |= self.conf.preempt.rule == PreemptRule::Qos;
                } else {
                    released.release(job, *candidate);
                }
            }
            let running = running.to_mut();
            let gone = crate::sorting::set(candidates.iter().copied());
            running.retain(|(_, other)| !gone.contains(other));
            if let Some(mut chosen) = self.fit_cores(ask, nodes, bounds, &released.used) {
                chosen.start = now;
                return Some(chosen);
            }
        }
        if ask.mode != (AskMode::Will { is_now: false }) {
            return None;
        }
        ask.is_busy_first = self.conf.backfill.flags.is_busy_first;
        let has_room = self.counts_offers(ask) && !ask.has_extra_row;
        let mut room = has_room.then(|| {
            let mut room = self.free_room(ask, nodes, bounds);
            self.renew_room(ask, &mut room, nodes.iter(), &released.used);
            room
        });
        let mut ends = EndWindows::of(&running);
        while let Some(last) = self.take_window(&mut ends, |_, number| {
            let other = &self.records[number as usize];
            if !other.nodes.meets(nodes) {
                return Some(false);
            }
            beat(64);
            released.release(other, number);
            if let Some(room) = &mut room {
                // The other nodes offer what they did.
                let of_job = other.shares.iter().map(|share| share.node as usize);
                let of_both = of_job.filter(|node| nodes.contains(*node));
                self.renew_room(ask, room, of_both, &released.used);
            }
            Some(true)
        }) {
            let fitting = match &room {
                Some(room) => self.fit_room(ask, nodes, bounds, (&released.used, room)),
                None => self.fit_cores(ask, nodes, bounds, &released.used),
            };
            if let Some(mut chosen) = fitting {
                chosen.start = self.start_after(last, now);
                return Some(chosen);
            }
        }
        None
    }

    /// Takes candidates away until a job fits (`_run_now`), and tries again with others in front to
    /// preempt as few as possible.
    fn preempt_cores(
        &self,
        ask: &mut CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        candidates: &[u32],
    ) -> Option<ChosenNodes> {
        const LAST: i64 = 99_999;
        if candidates.is_empty() {
            return None;
        }
        let conf = &self.conf.preempt;
        let mode = |other: &u32| self.preempt_mode(&self.records[*other as usize]);
        let suspends = candidates.first().map(mode) == Some(PreemptMode::Suspend);
        if suspends && conf.rule == PreemptRule::Qos {
            // The job gets cores of others, and takes turns with them.
            ask.has_extra_row = true;
            return self.fit_cores(ask, nodes, bounds, &self.used);
        }
        // The candidates and their usable nodes.
        let mut order: Vec<(u32, i64)> = candidates.iter().map(|other| (*other, 0)).collect();
        let nodes_of = |other: u32| &self.records[other as usize].nodes;
        // The others are suspended once the job runs.
        let can_end = |other: u32| {
            let mode = self.preempt_mode(&self.records[other as usize]);
            matches!(mode, PreemptMode::Cancel | PreemptMode::Requeue)
        };
        let mut passes = 0;
        let mut chosen = 'again: loop {
            let mut used = self.used.clone();
            for at in 0..order.len() {
                let other = order[at].0;
                if !can_end(other) || !nodes_of(other).meets(nodes) {
                    continue;
                }
                beat(64);
                release(&mut used, &self.records[other as usize]);
                ask.mode = AskMode::Will { is_now: true };
                let chosen = self.fit_cores(ask, nodes, bounds, &used);
                order[at].1 = 0;
                let Some(chosen) = chosen else {
                    continue;
                };
                let is_last = passes > conf.reorders;
                passes += 1;
                if is_last || order.len() as i64 <= passes {
                    order[at + 1..].iter_mut().for_each(|other| other.1 = 1);
                    break 'again chosen;
                }
                if conf.is_strict {
                    order[..=at].rotate_right(1);
                } else {
                    order[at].1 = LAST;
                    for (other, usable) in &mut order[..at] {
                        *usable = chosen.nodes.count_in(nodes_of(*other));
                    }
                    order[at + 1..].iter_mut().for_each(|other| other.1 = 0);
                    crate::sorting::by(&mut order, |(_, usable)| [-i128::from(*usable), 0]);
                }
                // A new try begins as if nothing were preempted, on the nodes that were found.
                ask.mode = AskMode::Run;
                if let Some(chosen) = self.fit_cores(ask, &chosen.nodes, bounds, &self.used) {
                    return Some(chosen);
                }
                continue 'again;
            }
            return None;
        };
        for (other, usable) in order {
            if !can_end(other) || !nodes_of(other).meets(&chosen.nodes) {
                continue;
            }
            if usable != 0 {
                break;
            }
            chosen.victims.push(other);
        }
        // Without a victim, the plugin has chosen no cores, and the start fails.
        (!chosen.victims.is_empty()).then_some(chosen)
    }

    /// Finds a start for a job for which only the offers of nodes count.
    fn fit_by_sum(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        (enough, bounds): (Enough, NodeBounds),
        now: i64,
    ) -> Option<ChosenNodes> {
        let last = match self.sum_start(ask, nodes, (enough, i64::MAX)) {
            SumStart::Now => None,
            SumStart::After(last) => Some(last),
            SumStart::TooFew(_) | SumStart::Never => return None,
        };
        let mut offers = self.offers.cpus.take();
        let open = self.offers_after(ask, nodes, last, &mut offers);
        let chosen = self.choose_open(ask, open, (enough, bounds), &mut offers);
        // This reads nothing of the use of nodes.
        let chosen = chosen.and_then(|chosen| match self.planned_cpus(ask, &chosen, &offers) {
            None => self.share_out(ask, chosen, &|node| offers[node], &self.used),
            cpus => Some(ChosenNodes {
                cpus,
                ..chosen_of(chosen)
            }),
        });
        let _ = self.offers.cpus.replace(offers);
        Some(ChosenNodes {
            start: last.map_or(now, |last| self.start_after(last, now)),
            ..chosen?
        })
    }

    /// Chooses among the nodes that offer something to a job for which only offers count.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn choose_open(
        &self,
        ask: &CoreAsk<'_>,
        open: NodeSet,
        (enough, bounds): (Enough, NodeBounds),
        offers: &mut [i64],
    ) -> Option<NodeSet> {
        match enough {
            Enough::Sum if self.only_weight().is_some() => {
                return Some(self.choose_by_sum(ask, &open, offers));
            }
            Enough::Node(_) => {
                return match self.conf.tree() {
                    Some(tree) => self.choose_below(ask, tree, &open, offers),
                    None => self.choose_one(ask, &open, offers),
                };
            }
            Enough::Sum => {}
        }
        let mut list = self.offers.take_list(self.conf.node_count());
        for node in open.iter() {
            list[node] = CpuOffer::of_cpus(offers[node]);
        }
        let chosen = self.rank_offers(ask, open, bounds, &mut list);
        if let Some(chosen) = &chosen {
            chosen
                .iter()
                .for_each(|node| offers[node] = list[node].cpus);
        }
        self.offers.give_back(list);
        chosen
    }

    /// Returns the CPUs that a job gets for which only the sum of the offers counts, without dealing its tasks.
    /// `None` if the nodes decide how many.
    fn planned_cpus(&self, ask: &CoreAsk<'_>, chosen: &NodeSet, offers: &[i64]) -> Option<i64> {
        let (facts, conf) = (ask.facts, &self.conf);
        let has_threads = conf.lines.iter().any(|line| line.core_cpus != 1);
        let counts_tasks = facts.node_tasks > 0 || facts.task_cpus > 1;
        if ask.is_whole || facts.overcommits || counts_tasks || conf.select.by_core && has_threads {
            return None;
        }
        // Each node has a task, and a task has a CPU.
        let asked = facts
            .least_cpus
            .max(chosen.count() * facts.node_cpus.max(1));
        let offered: i64 = chosen.iter().map(|node| offers[node]).sum();
        Some(asked.min(offered))
    }

    /// Tests whether a job can start up to a second. `None` if the sum of offers does not tell.
    pub(in super::super) fn sum_suffices_by(
        &self,
        record: usize,
        nodes: &NodeSet,
        bounds: NodeBounds,
        second: i64,
    ) -> Option<Sufficiency> {
        let ask = self.core_ask(record, AskMode::Will { is_now: false });
        if self.conf.select.is_linear {
            return None;
        }
        let enough = self.enough_for(&ask, bounds)?;
        Some(match self.sum_start(&ask, nodes, (enough, second)) {
            SumStart::TooFew(cpus) => Sufficiency::TooFewCpus(cpus),
            SumStart::After(last) if self.records[last as usize].end <= second => {
                Sufficiency::Possible
            }
            SumStart::Now => Sufficiency::Possible,
            SumStart::After(_) | SumStart::Never => Sufficiency::Later,
        })
    }

    /// Returns the kind of a job that single cores without generic resources are offered to.
    pub(in super::super) fn offer_kind(&self, record: usize) -> Option<OfferKind> {
        let ask = self.core_ask(record, AskMode::Will { is_now: false });
        let is_counted = !self.conf.select.is_linear && self.counts_offers(&ask);
        is_counted.then(|| kind_of(&ask))
    }

    /// Returns the question of a job.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn core_ask(&self, record: usize, mode: AskMode) -> CoreAsk<'_> {
        let job = &self.records[record];
        let part = &self.conf.partitions[job.partition];
        CoreAsk {
            facts: &job.facts,
            part,
            partition: job.partition,
            is_whole: job.is_whole || part.is_exclusive,
            is_marked_whole: job.is_whole,
            mode,
            is_busy_first: false,
            has_extra_row: false,
        }
    }

    /// Chooses nodes as if nothing ran, from what is known if the same was asked before.
    fn test_cores(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
    ) -> Option<ChosenNodes> {
        let facts = ask.facts;
        let is_plain = facts.gres.is_empty() && facts.required_count == 0 && self.near.is_empty();
        if self.runs_all || !is_plain {
            return self.fit_cores(ask, nodes, bounds, &self.used);
        }
        let kind = TestKind {
            offers: kind_of(ask),
            asked: [facts.least_cpus, facts.tasks, facts.most_nodes],
            is_contiguous: facts.is_contiguous,
            bounds,
            nodes: nodes.clone(),
        };
        let known = &mut *self.offers.tests.borrow_mut();
        if let Some((_, chosen)) = known.iter().find(|(other, _)| *other == kind) {
            return chosen.clone().map(chosen_of);
        }
        let chosen = self.fit_cores(ask, nodes, bounds, &self.used);
        if known.len() >= MOST_TESTS {
            known.clear();
        }
        known.push((kind, chosen.as_ref().map(|chosen| chosen.nodes.clone())));
        chosen
    }

    /// Returns the start of a job that fits after the end of a running one.
    pub(super) fn start_after(&self, last: u32, now: i64) -> i64 {
        let last = &self.records[last as usize];
        if last.end > now {
            last.end
        } else {
            self.late_start(last.end, last.limit, now)
        }
    }

    /// Returns the start after a job that should have ended already.
    fn late_start(&self, end: i64, limit: Option<i64>, now: i64) -> i64 {
        let over = self.conf.over_time_limit;
        let end = if over >= INFINITE {
            super::super::start::end_of(now, limit.unwrap_or(INFINITE))
        } else {
            end + self.conf.kill_wait + over * 60
        };
        end.max(now + 1)
    }

    /// Chooses nodes and cores of a set, with a given use (`_job_test`).
    fn fit_cores(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        used: &CoreUse,
    ) -> Option<ChosenNodes> {
        match &used.rows {
            Some(rows) if ask.mode != AskMode::Test => {
                self.fit_rows(ask, nodes, bounds, (used, rows))
            }
            _ => self.fit_free(ask, nodes, bounds, used),
        }
    }

    /// Chooses among the cores that are free in a given use.
    pub(super) fn fit_free(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        used: &CoreUse,
    ) -> Option<ChosenNodes> {
        let is_test = ask.mode == AskMode::Test;
        // With generic resources, also a choice that fails leaves weights behind.
        let is_plain = !is_test && ask.facts.gres.is_empty();
        if is_plain && !self.has_cores(ask, nodes, bounds, used) {
            return None;
        }
        let mut nodes = nodes.clone();
        let is_any_good = !is_test && self.is_any_choice_good(ask, bounds);
        if is_any_good {
            // Nodes without a free core offer nothing.
            nodes.take_away(&used.full);
        }
        if !is_test {
            self.drop_unusable(ask, &mut nodes, used);
            if !ask.facts.required.is_within(&nodes) {
                return None;
            }
        }
        // Slurm first asks whether the job would fit if all cores were free.
        if !is_any_good {
            let chosen = self.fit_all(ask, &nodes, bounds, used)?;
            if is_test {
                return Some(chosen_of(chosen));
            }
        }
        if ask.is_whole {
            for node in nodes.clone().iter() {
                if used.cores[node] > 0 {
                    nodes.remove(node);
                }
            }
        }
        let free = |node: usize| self.conf.node(node).cores - used.cores[node];
        let (chosen, offers) = self.fit_offers(ask, &nodes, bounds, (&free, used, true))?;
        let chosen = self.share_out(ask, chosen, &|node| offers[node].cpus, used);
        self.offers.give_back(offers);
        chosen
    }

    /// The same for a job without generic resources, with the offers known.
    pub(super) fn fit_room(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        (used, room): (&CoreUse, &FreeRoom),
    ) -> Option<ChosenNodes> {
        let open = &room.open;
        if !room.sum.suffices() || !open.has(bounds.least) {
            return None;
        }
        if !ask.facts.required.is_within(open) {
            return None;
        }
        if let Some(enough) = self.enough_for(ask, bounds) {
            let mut offers = self.offers.cpus.take();
            offers.clone_from(&room.table.offers);
            let chosen = self.choose_open(ask, open.clone(), (enough, bounds), &mut offers);
            let chosen =
                chosen.and_then(|chosen| self.share_out(ask, chosen, &|node| offers[node], used));
            let _ = self.offers.cpus.replace(offers);
            return chosen;
        }
        let mut offers = self.offers.take_list(self.conf.node_count());
        for node in open.iter() {
            let cpus = room.table.offers[node];
            let line = self.conf.node(node);
            offers[node] = CpuOffer {
                cpus,
                kept: cpus,
                free: (line.cores - used.cores[node]) * line.core_cpus,
                gpus: 0,
                capped: None,
            };
        }
        let chosen = self.rank_offers(ask, open.clone(), bounds, &mut offers);
        // The question whether the job would fit if all cores were free comes first in Slurm. It leaves nothing
        // behind, so that it can come second.
        let chosen = chosen.filter(|_| {
            if self.is_any_choice_good(ask, bounds)
                || self.is_any_node_good(ask, bounds)
                || self.are_any_nodes_good(ask, bounds, open)
            {
                return true;
            }
            let mut usable = nodes.clone();
            self.drop_unusable(ask, &mut usable, used);
            self.fit_all(ask, &usable, bounds, used).is_some()
        });
        let chosen =
            chosen.and_then(|chosen| self.share_out(ask, chosen, &|node| offers[node].cpus, used));
        self.offers.give_back(offers);
        chosen
    }

    /// Drops the nodes whose memory or sharing does not allow the job.
    fn drop_unusable(&self, ask: &CoreAsk<'_>, nodes: &mut NodeSet, used: &CoreUse) {
        if !ask.facts.gres.is_empty() {
            // All nodes of a line have the same generic resources, and most have none.
            for line in &self.conf.lines {
                let first = line.nodes.iter().next();
                if first.is_some_and(|node| !self.has_gres(ask.facts, node, None)) {
                    nodes.take_away(&line.nodes);
                }
            }
        }
        for node in nodes.clone().iter() {
            if !self.is_usable(ask, node, used) {
                nodes.remove(node);
            }
        }
    }

    /// Chooses nodes as if all cores were free.
    fn fit_all(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        used: &CoreUse,
    ) -> Option<NodeSet> {
        let all_free = |node: usize| self.conf.node(node).cores;
        let (chosen, offers) = self.fit_offers(ask, nodes, bounds, (&all_free, used, false))?;
        self.offers.give_back(offers);
        Some(chosen)
    }

    /// Deals the tasks to the chosen nodes, which have room for so many CPUs. Returns `None` if the memory does not suffice for a start.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn share_out(
        &self,
        ask: &CoreAsk<'_>,
        chosen: NodeSet,
        room: &dyn Fn(usize) -> i64,
        used: &CoreUse,
    ) -> Option<ChosenNodes> {
        let free = |node: usize| self.conf.node(node).cores - used.cores[node];
        let mut shares = self.deal(ask, &chosen, room, &free);
        if self.conf.select.by_memory {
            let facts = ask.facts;
            for share in &mut shares {
                let all = self.conf.node(share.node as usize).memory;
                share.memory = match (facts.memory, facts.is_memory_per_cpu) {
                    (0, _) => all,
                    (memory, true) => memory.saturating_mul(share.cpus),
                    (memory, false) => memory,
                };
                let in_use = if facts.memory == 0 {
                    0
                } else {
                    used.memory[share.node as usize]
                };
                if ask.mode == AskMode::Run && share.memory > all - in_use {
                    return None;
                }
            }
        }
        Some(ChosenNodes {
            shares,
            ..chosen_of(chosen)
        })
    }

    /// True if any nodes that offer enough CPUs in all are a choice: the job asks for no number of nodes, no
    /// arrangement, and CPUs one by one. More free cores then never do harm, so that a choice among the
    /// free cores proves one among all cores.
    pub(super) fn is_any_choice_good(&self, ask: &CoreAsk<'_>, bounds: NodeBounds) -> bool {
        let facts = ask.facts;
        self.takes_any_runs(ask)
            && facts.node_tasks == 0
            && facts.task_cpus <= 1
            && (facts.tasks == 0 || facts.least_cpus <= facts.tasks)
            && bounds.least <= 1
            && bounds.wanted <= 1
            && bounds.most >= self.conf.node_count() as i64
    }

    /// True if the job gets one node, and every node with enough CPUs is a choice. More free cores then never
    /// do harm, either: memory for each CPU lowers what a node offers to the same, unless whole sockets count.
    pub(super) fn is_any_node_good(&self, ask: &CoreAsk<'_>, bounds: NodeBounds) -> bool {
        let facts = ask.facts;
        // Below one root, the choice is among the lightest nodes that offer something. Each must suffice.
        let is_by_switches = self
            .conf
            .tree()
            .is_some_and(|tree| tree.joins_all && ask.least_task_cpus() >= facts.least_cpus);
        (self.takes_any_runs(ask) || is_by_switches && self.takes_any_order(ask))
            && (facts.node_tasks == 0 || facts.tasks <= facts.node_tasks)
            && !(facts.is_memory_per_cpu && self.conf.select.by_socket)
            && bounds.least <= 1
            && bounds.wanted <= 1
            && bounds.most == 1
    }

    /// True if any nodes are a choice as soon as all their cores are free, as many as the job wants. Each has an
    /// equal part of the CPUs of the job, and as many CPUs are kept for each node to come. `open` are some of the
    /// nodes with memory for it.
    fn are_any_nodes_good(&self, ask: &CoreAsk<'_>, bounds: NodeBounds, open: &NodeSet) -> bool {
        let facts = ask.facts;
        let wanted = bounds.wanted.max(bounds.least).max(1);
        let part = (facts.least_cpus + wanted - 1) / wanted;
        let least = part.max(facts.node_cpus).max(facts.task_cpus);
        let lines = self.conf.lines.iter();
        let mut lines = lines.filter(|line| line.nodes.meets(&ask.part.nodes));
        let by_socket = self.conf.select.by_socket;
        let kept = |line: &NodeLine| line.core_cpus * if by_socket { line.socket_cores } else { 1 };
        let first = lines.clone().next().map_or(0, kept);
        self.takes_any_runs(ask)
            && facts.node_tasks == 0
            && facts.most_nodes != 1
            && !facts.is_memory_per_cpu
            && (facts.tasks == 0 || facts.tasks >= wanted)
            && bounds.most >= wanted
            && open.count() >= wanted
            && lines.all(|line| line.cores * line.core_cpus >= least && kept(line) == first)
    }

    /// True if runs of nodes are taken until the job fits, and it asks for no certain nodes and no arrangement.
    fn takes_any_runs(&self, ask: &CoreAsk<'_>) -> bool {
        self.conf.tree().is_none() && self.takes_any_order(ask)
    }

    /// True if the job asks for no certain nodes and no arrangement, and no nodes come first for their load.
    fn takes_any_order(&self, ask: &CoreAsk<'_>) -> bool {
        let facts = ask.facts;
        let select = &self.conf.select;
        let is_by_load = ask.is_busy_first
            || select.is_least_loaded
            || ask.part.is_least_loaded
            || select.packs_serial;
        !is_by_load
            && !facts.is_contiguous
            && facts.gres.is_empty()
            && facts.required_count == 0
            && ask.part.node_cpus >= INFINITE
    }

    /// True if the offers of all nodes suffice, wherever they are. Without that, there is no choice.
    fn has_cores(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        used: &CoreUse,
    ) -> bool {
        let mut sum = self.sum_of(ask, bounds);
        for node in nodes.without(&used.full).iter() {
            sum.add(self.free_offer(ask, node, used), 1);
            if sum.by_size.is_empty() && sum.suffices() {
                return true;
            }
        }
        sum.suffices()
    }

    /// Returns what the free cores of a node offer, 0 if the job may not use it.
    pub(super) fn free_offer(&self, ask: &CoreAsk<'_>, node: usize, used: &CoreUse) -> i64 {
        let cores = self.conf.node(node).cores - used.cores[node];
        let is_out = cores < 1 || ask.is_whole && used.cores[node] > 0;
        if is_out || !self.is_usable(ask, node, used) {
            return 0;
        }
        self.offer(ask, (node, cores), used, true)
    }

    /// True if a node's memory and sharing allow the job (`_verify_node_state`).
    fn is_usable(&self, ask: &CoreAsk<'_>, node: usize, used: &CoreUse) -> bool {
        let facts = ask.facts;
        if self.conf.select.by_memory {
            if facts.memory == 0 {
                if used.memory[node] != 0 {
                    return false;
                }
            } else {
                let least = facts.node_tasks.max(facts.node_cpus).max(facts.task_cpus);
                let need = if facts.is_memory_per_cpu {
                    facts.memory.saturating_mul(least.max(1))
                } else {
                    facts.memory
                };
                if (self.conf.node(node).memory - used.memory[node]).max(0) < need {
                    return false;
                }
            }
        }
        // Generic resources count here as if all were free.
        if !self.has_gres(facts, node, None) || ask.is_marked_whole && used.gres.is_any(node) {
            return false;
        }
        is_node_open(ask, node, used)
    }

    /// Computes the offer of each node, then chooses (`_select_nodes`, `choose_nodes`).
    fn fit_offers(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        (free, used, counts_partition): (&dyn Fn(usize) -> i64, &CoreUse, bool),
    ) -> Option<(NodeSet, Vec<CpuOffer>)> {
        let facts = ask.facts;
        if nodes.count() < bounds.least {
            return None;
        }
        let mut nodes = nodes.clone();
        let mut offers = self.offers.take_list(self.conf.node_count());
        for node in nodes.clone().iter() {
            let cores = free(node);
            let cpus = self.offer(ask, (node, cores), used, counts_partition);
            if cpus == 0 {
                nodes.remove(node);
            }
            let gpus = self.free_gpus(facts, node, counted(ask, used));
            offers[node] = CpuOffer {
                cpus,
                kept: cpus + gpus,
                free: cores * self.conf.node(node).core_cpus,
                gpus,
                capped: None,
            };
        }
        if nodes.count() < bounds.least || !facts.required.is_within(&nodes) {
            return None;
        }
        let mut sum = self.sum_of(ask, bounds);
        nodes.iter().for_each(|node| sum.add(offers[node].cpus, 1));
        if !sum.suffices() {
            return None;
        }
        let chosen = self.rank_offers(ask, nodes, bounds, &mut offers)?;
        Some((chosen, offers))
    }

    /// Chooses among the nodes by their offers, which suffice together (`choose_nodes`).
    fn rank_offers(
        &self,
        ask: &CoreAsk<'_>,
        mut nodes: NodeSet,
        mut bounds: NodeBounds,
        offers: &mut [CpuOffer],
    ) -> Option<NodeSet> {
        let facts = ask.facts;
        if facts.node_tasks > 0 && facts.tasks > 0 {
            bounds.least = bounds
                .least
                .max((facts.tasks + facts.node_tasks - 1) / facts.node_tasks);
        }
        if facts.tasks > 0 && bounds.most > facts.tasks {
            bounds.most = facts.tasks.max(bounds.least);
        }
        if let Some(chosen) = self.rank(ask, &nodes, bounds, offers) {
            cap(&chosen, offers);
            return Some(chosen);
        }
        let mut left = nodes.count();
        if left <= bounds.least {
            let chosen = self.rank(ask, &nodes, bounds, offers)?;
            cap(&chosen, offers);
            return Some(chosen);
        }
        // Drop the nodes with the smallest offers, step by step.
        let most = nodes.iter().map(|node| offers[node].kept).max()?;
        let mut size = 1;
        while size < most {
            let mut is_same = true;
            for node in nodes.clone().iter() {
                let kept = offers[node].kept;
                if (1..=size).contains(&kept) && !facts.required.contains(node) {
                    is_same = false;
                    nodes.remove(node);
                    left -= 1;
                    if left <= bounds.least {
                        break;
                    }
                }
            }
            if is_same && size != 1 {
                size += 1;
                continue;
            }
            if let Some(chosen) = self.rank(ask, &nodes, bounds, offers) {
                cap(&chosen, offers);
                return Some(chosen);
            }
            if left <= bounds.least {
                return None;
            }
            size += 1;
        }
        None
    }

    /// Returns the CPUs that a node offers, 0 if none (`can_job_run_on_node`).
    fn offer(
        &self,
        ask: &CoreAsk<'_>,
        (node, cores): (usize, i64),
        used: &CoreUse,
        counts_partition: bool,
    ) -> i64 {
        let facts = ask.facts;
        let line = self.conf.node(node);
        if !self.has_gres(facts, node, counted(ask, used)) {
            return 0;
        }
        let mut cpus = cores * line.core_cpus;
        let mut limit = INFINITE;
        if ask.part.node_cpus < INFINITE {
            let by_partition = used.by_partition.get(&ask.partition);
            let in_use = match by_partition {
                Some(cores) if counts_partition => cores[node] * line.core_cpus,
                _ => 0,
            };
            if cpus + in_use > ask.part.node_cpus {
                if ask.is_marked_whole || in_use >= ask.part.node_cpus {
                    return 0;
                }
                limit = ask.part.node_cpus - in_use;
                if limit == 1 && facts.task_cpus > 1 {
                    return 0;
                }
            }
        }
        let is_short = facts.node_tasks > 0 && cpus < facts.node_tasks && !facts.overcommits;
        if cores < 1 || cpus < facts.node_cpus || is_short {
            return 0;
        }
        cpus = cpus.min(limit);
        let tasks = match facts.node_tasks {
            0 if !facts.overcommits && facts.most_nodes == 1 && facts.tasks > 0 => facts.tasks,
            0 => 1,
            tasks => tasks,
        };
        if cpus < tasks * facts.task_cpus {
            return 0;
        }
        self.note_near(ask, node, used);
        if !self.conf.select.by_memory {
            return cpus;
        }
        let in_use = if ask.mode == AskMode::Test {
            0
        } else {
            used.memory[node]
        };
        let room = line.memory - in_use;
        if !facts.is_memory_per_cpu {
            return if facts.memory > room { 0 } else { cpus };
        }
        self.offer_by_memory(ask, node, (cpus, room))
    }

    /// Notes how many GPUs near free cores a job finds on a node. Nodes with more of them come first, also for
    /// the jobs that are tested after it (`can_job_run_on_node`).
    fn note_near(&self, ask: &CoreAsk<'_>, node: usize, used: &CoreUse) {
        let facts = ask.facts;
        if facts.gres.is_empty() {
            return;
        }
        let of = |one: &GresAsk| {
            let free = self.gres_on(one, node, counted(ask, used));
            if ask.is_marked_whole {
                free
            } else {
                free.min(one.count)
            }
        };
        let near: i64 = facts.gres.iter().filter(|one| one.is_gpu).map(of).sum();
        self.set_near(node, u8::MAX - u8::try_from(near).unwrap_or(u8::MAX));
    }

    /// Lowers an offer until the memory per CPU suffices.
    fn offer_by_memory(&self, ask: &CoreAsk<'_>, node: usize, (mut cpus, room): (i64, i64)) -> i64 {
        let facts = ask.facts;
        let line = self.conf.node(node);
        let fits = |cpus: i64| facts.memory.saturating_mul(cpus) <= room;
        if !fits(cpus) && ask.is_marked_whole {
            return 0;
        }
        let step = if self.conf.select.by_socket {
            line.socket_cores * line.core_cpus
        } else if self.conf.select.by_core {
            line.core_cpus
        } else {
            1
        };
        if !fits(cpus) {
            // Step by step, until it fits or nothing is left.
            let most = if facts.memory > 0 {
                room.max(0) / facts.memory
            } else {
                0
            };
            let over = cpus - most;
            cpus = (cpus - (over + step - 1) / step * step).max(0);
        }
        if facts.task_cpus > 1 {
            cpus -= cpus % facts.task_cpus;
        }
        if cpus < facts.node_tasks { 0 } else { cpus }
    }
}

fn chosen_of(nodes: NodeSet) -> ChosenNodes {
    ChosenNodes {
        nodes,
        start: 0,
        cpus: None,
        shares: Vec::new(),
        cores: Vec::new(),
        victims: Vec::new(),
    }
}

/// Returns the use that counts for generic resources: none in a test whether a job can ever start.
fn counted<'a>(ask: &CoreAsk<'_>, used: &'a CoreUse) -> Option<&'a CoreUse> {
    (ask.mode != AskMode::Test).then_some(used)
}

/// Lowers the offers of the chosen nodes to the cores that are left to the job (`choose_nodes`).
fn cap(chosen: &NodeSet, offers: &mut [CpuOffer]) {
    for node in chosen.iter() {
        let offer = &mut offers[node];
        if let Some(most) = offer.capped {
            offer.cpus = offer.cpus.min(most);
        }
    }
}
