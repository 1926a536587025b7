//! select/cons_tres: single cores (`common_job_test`, `_job_test`, `_select_nodes`).

use super::super::choice::{AskMode, ChosenNodes, NodeBounds};
use super::super::conf::SlurmPartition;
use super::super::controller::{Controller, CoreUse, release};
use super::super::gres::GresAsk;
use super::super::nodeset::NodeSet;
use super::super::record::JobTerms;
use super::super::text::words::INFINITE;
use crate::pulse::beat;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Seconds of the first window in which ends of jobs are joined.
const FIRST_WINDOW: i64 = 30;

/// Jobs that are taken away at most between two tests.
const MOST_ENDS: usize = 200;

/// The CPUs that a node offers. Choices lower `cpus`, and later ones see it.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct CpuOffer {
    pub cpus: i64,
    /// The offer by which small nodes are dropped.
    pub kept: i64,
    /// All free CPUs.
    pub free: i64,
    /// Free GPUs, if the job asks for some.
    pub gpus: i64,
    /// The CPUs of the cores that a job with generic resources keeps, once they are known.
    pub capped: Option<i64>,
}

/// A job and its partition, as the choice of cores sees them.
pub(super) struct CoreAsk<'a> {
    pub facts: &'a JobTerms,
    pub part: &'a SlurmPartition,
    pub partition: usize,
    /// True if the job gets whole nodes.
    pub is_whole: bool,
    /// True only for `--exclusive`, or if it was once tried in an exclusive partition.
    pub is_marked_whole: bool,
    pub mode: AskMode,
    /// True with `bf_busy_nodes`.
    pub is_busy_first: bool,
}

impl Controller {
    pub(super) fn select_cores(
        &self,
        record: usize,
        nodes: &NodeSet,
        bounds: NodeBounds,
        (mode, now, candidates): (AskMode, i64, &[u32]),
    ) -> Option<ChosenNodes> {
        let job = &self.records[record];
        let part = &self.conf.partitions[job.partition];
        let mut ask = CoreAsk {
            facts: &job.facts,
            part,
            partition: job.partition,
            is_whole: job.is_whole || part.is_exclusive,
            is_marked_whole: job.is_whole,
            mode,
            is_busy_first: false,
        };
        let is_plan = mode == AskMode::Will { is_now: false };
        // With generic resources, also a choice that fails leaves weights behind.
        let has_room = is_plan && job.facts.gres.is_empty();
        let mut room = has_room.then(|| self.free_room(&ask, nodes, bounds, &self.used));
        if room.as_ref().is_none_or(|room| room.sum.suffices())
            && let Some(mut chosen) = self.fit_cores(&ask, nodes, bounds, &self.used)
        {
            chosen.start = now;
            return Some(chosen);
        }
        if mode == AskMode::Run {
            let mut chosen = self.preempt_cores(&mut ask, nodes, bounds, candidates)?;
            chosen.start = now;
            return Some(chosen);
        }
        let mut used = Cow::Borrowed(&self.used);
        let mut running = Cow::Borrowed(&self.running);
        if !candidates.is_empty() {
            for candidate in candidates {
                release(used.to_mut(), &self.records[*candidate as usize]);
            }
            let running = running.to_mut();
            let released: BTreeSet<u32> = candidates.iter().copied().collect();
            running.retain(|(_, other)| !released.contains(other));
            if let Some(mut chosen) = self.fit_cores(&ask, nodes, bounds, &used) {
                chosen.start = now;
                return Some(chosen);
            }
            room = has_room.then(|| self.free_room(&ask, nodes, bounds, &used));
        }
        if !is_plan {
            return None;
        }
        ask.is_busy_first = self.conf.backfill.flags.is_busy_first;
        self.fit_after_ends(&ask, nodes, bounds, (now, used), (&running, room))
    }

    /// Returns what the free cores of the nodes offer.
    fn free_room(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        used: &CoreUse,
    ) -> FreeRoom {
        let mut room = FreeRoom {
            offers: vec![0; self.conf.node_count()],
            sum: OfferSum::new(ask.facts, bounds, self.conf.node_count()),
        };
        for node in nodes.without(&used.full).iter() {
            room.offers[node] = self.free_offer(ask, node, used);
            room.sum.add(room.offers[node], 1);
        }
        room
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
        let conf = &self.conf.preempt;
        // The candidates and their usable nodes.
        let mut order: Vec<(u32, i64)> = candidates.iter().map(|other| (*other, 0)).collect();
        let nodes_of = |other: u32| &self.records[other as usize].nodes;
        let mut passes = 0;
        let mut chosen = 'again: loop {
            let mut used = self.used.clone();
            for at in 0..order.len() {
                let other = order[at].0;
                if !nodes_of(other).meets(nodes) {
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
            if !nodes_of(other).meets(&chosen.nodes) {
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

    /// Takes running jobs away in the order of their ends, until the job fits (`_will_run_test`).
    fn fit_after_ends(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        (now, mut used): (i64, Cow<'_, CoreUse>),
        (running, mut room): (&[(i64, u32)], Option<FreeRoom>),
    ) -> Option<ChosenNodes> {
        let mut window = FIRST_WINDOW;
        let mut border = 0;
        let mut rest = running;
        while !rest.is_empty() {
            let mut last = None;
            let mut taken = 0;
            let mut is_early = false;
            while let Some(((end, other), after)) = rest.split_first() {
                rest = after;
                let other = &self.records[*other as usize];
                if !other.nodes.meets(nodes) {
                    continue;
                }
                if border == 0 {
                    border = end + (window - end % window);
                }
                beat(64);
                last = Some(other);
                release(used.to_mut(), other);
                if let Some(room) = &mut room {
                    // The other nodes offer what they did.
                    for node in other.nodes.iter().filter(|node| nodes.contains(*node)) {
                        let offer = self.free_offer(ask, node, &used);
                        room.sum
                            .add(std::mem::replace(&mut room.offers[node], offer), -1);
                        room.sum.add(offer, 1);
                    }
                }
                let Some((next, _)) = rest.first() else {
                    break;
                };
                if *next > border + window {
                    break;
                }
                if taken > MOST_ENDS {
                    is_early = true;
                    break;
                }
                taken += 1;
            }
            if is_early {
                continue;
            }
            let last = last?;
            loop {
                window = match self.conf.backfill.window_linear {
                    0 => window.saturating_mul(2),
                    step => {
                        // As many steps as it takes, at least one.
                        let end = border.saturating_add(window + step);
                        let missing = rest.first().map_or(0, |(next, _)| (next - end).max(0));
                        window + step + (missing + step - 1) / step * step
                    }
                };
                let next = rest.first();
                if next.is_none_or(|(next, _)| *next <= border.saturating_add(window)) {
                    break;
                }
            }
            if room.as_ref().is_some_and(|room| !room.sum.suffices()) {
                continue;
            }
            if let Some(mut chosen) = self.fit_cores(ask, nodes, bounds, &used) {
                chosen.start = if last.end > now {
                    last.end
                } else {
                    self.late_start(last.end, last.limit, now)
                };
                return Some(chosen);
            }
        }
        None
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
            for node in nodes.clone().iter() {
                if !self.is_usable(ask, node, used) {
                    nodes.remove(node);
                }
            }
            if !ask.facts.required.is_within(&nodes) {
                return None;
            }
        }
        let of = |nodes: NodeSet| ChosenNodes {
            nodes,
            start: 0,
            shares: Vec::new(),
            victims: Vec::new(),
        };
        // Slurm first asks whether the job would fit if all cores were free.
        if !is_any_good {
            let all_free = |node: usize| self.conf.node(node).cores;
            let (chosen, _) = self.fit_offers(ask, &nodes, bounds, (&all_free, used, false))?;
            if is_test {
                return Some(of(chosen));
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
        let mut shares = self.deal(ask, &chosen, &offers, &free);
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
            ..of(chosen)
        })
    }

    /// True if any nodes that offer enough CPUs in all are a choice: the job asks for no number of nodes, no
    /// arrangement, and CPUs one by one. More free cores then never do harm, so that a choice among the
    /// free cores proves one among all cores.
    fn is_any_choice_good(&self, ask: &CoreAsk<'_>, bounds: NodeBounds) -> bool {
        let facts = ask.facts;
        let select = &self.conf.select;
        let takes_runs = !(ask.is_busy_first
            || select.is_least_loaded
            || ask.part.is_least_loaded
            || select.packs_serial);
        takes_runs
            && !facts.is_contiguous
            && facts.gres.is_empty()
            && facts.required_count == 0
            && facts.node_tasks == 0
            && facts.task_cpus <= 1
            && (facts.tasks == 0 || facts.least_cpus <= facts.tasks)
            && bounds.least <= 1
            && bounds.wanted <= 1
            && bounds.most >= self.conf.node_count() as i64
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
        let mut sum = OfferSum::new(ask.facts, bounds, self.conf.node_count());
        for node in nodes.without(&used.full).iter() {
            sum.add(self.free_offer(ask, node, used), 1);
            if sum.by_size.is_empty() && sum.suffices() {
                return true;
            }
        }
        sum.suffices()
    }

    /// Returns what the free cores of a node offer, 0 if the job may not use it.
    fn free_offer(&self, ask: &CoreAsk<'_>, node: usize, used: &CoreUse) -> i64 {
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
        used.exclusive[node] == 0 && !(ask.part.is_exclusive && used.jobs[node] > 0)
    }

    /// Computes the offer of each node, then chooses (`_select_nodes`, `choose_nodes`).
    fn fit_offers(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        mut bounds: NodeBounds,
        (free, used, counts_partition): (&dyn Fn(usize) -> i64, &CoreUse, bool),
    ) -> Option<(NodeSet, Vec<CpuOffer>)> {
        let facts = ask.facts;
        if nodes.count() < bounds.least {
            return None;
        }
        let mut nodes = nodes.clone();
        let mut offers = vec![CpuOffer::default(); self.conf.node_count()];
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
        let mut sum = OfferSum::new(facts, bounds, self.conf.node_count());
        nodes.iter().for_each(|node| sum.add(offers[node].cpus, 1));
        if !sum.suffices() {
            return None;
        }
        if facts.node_tasks > 0 && facts.tasks > 0 {
            bounds.least = bounds
                .least
                .max((facts.tasks + facts.node_tasks - 1) / facts.node_tasks);
        }
        if facts.tasks > 0 && bounds.most > facts.tasks {
            bounds.most = facts.tasks.max(bounds.least);
        }
        if let Some(chosen) = self.rank(ask, &nodes, bounds, &mut offers) {
            cap(&chosen, &mut offers);
            return Some((chosen, offers));
        }
        let mut left = nodes.count();
        if left <= bounds.least {
            let chosen = self.rank(ask, &nodes, bounds, &mut offers)?;
            cap(&chosen, &mut offers);
            return Some((chosen, offers));
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
            if let Some(chosen) = self.rank(ask, &nodes, bounds, &mut offers) {
                cap(&chosen, &mut offers);
                return Some((chosen, offers));
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
        self.near[node].set(u8::MAX - u8::try_from(near).unwrap_or(u8::MAX));
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

/// Offers of the free cores of nodes, one by one and together.
struct FreeRoom {
    offers: Vec<i64>,
    sum: OfferSum,
}

/// The offers of nodes together. No choice exceeds those of the nodes that offer most, as many as the job
/// may get.
struct OfferSum {
    cpus: i64,
    count: i64,
    /// The numbers of nodes by their offers, if the job may not get all nodes.
    by_size: Vec<i64>,
    least_cpus: i64,
    least: i64,
    most: i64,
}

impl OfferSum {
    fn new(facts: &JobTerms, bounds: NodeBounds, nodes: usize) -> Self {
        let mut most = bounds.most;
        if facts.tasks > 0 {
            // `choose_nodes` lowers the bound to the tasks, or to the least number of nodes.
            most = most.min(facts.tasks.max(bounds.least));
        }
        Self {
            cpus: 0,
            count: 0,
            by_size: vec![0; usize::from(most < nodes as i64)],
            least_cpus: facts.least_cpus,
            least: bounds.least,
            most,
        }
    }

    /// Adds, or with the sign -1 takes off, the offer of a node.
    fn add(&mut self, offer: i64, sign: i64) {
        self.cpus += sign * offer;
        self.count += sign * i64::from(offer > 0);
        if !self.by_size.is_empty() {
            let size = offer.max(0) as usize;
            if size >= self.by_size.len() {
                self.by_size.resize(size + 1, 0);
            }
            self.by_size[size] += sign;
        }
    }

    fn suffices(&self) -> bool {
        if self.cpus < self.least_cpus || self.count < self.least {
            return false;
        }
        if self.by_size.is_empty() {
            return true;
        }
        let (mut left, mut missing) = (self.most, self.least_cpus);
        for (size, nodes) in self.by_size.iter().enumerate().rev() {
            let taken = left.min(*nodes);
            left -= taken;
            missing = missing.saturating_sub(taken.saturating_mul(size as i64));
            if missing <= 0 {
                return true;
            }
            if left == 0 {
                return false;
            }
        }
        false
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
