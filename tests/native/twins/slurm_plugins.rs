//! The plugins of the policy slurm that choose nodes: select/linear and select/cons_tres without
//! memory (docs/policies/slurm.md, rules 18 to 28, and 78 to 82 for generic resources). Rules are
//! named by their numbers there. `slurm_switches.rs` has the choice by switches.

use super::slurm_switches::Tree;

/// The largest number of nodes of any job.
const MOST: i64 = 500_000;

/// The number *near* of a node without GPUs for a job (rule 81).
pub const FAR: i64 = 255;

/// A set of nodes: bit n stands for node n.
pub type Nodes = u64;

/// Nodes and the CPUs that they give to a job.
pub type Parts = Vec<(usize, i64)>;

/// Numbers of generic resources of a node: GPUs, and one further kind.
pub type Gres = [i64; 2];

pub fn listed(nodes: Nodes) -> impl Iterator<Item = usize> {
    (0..64).filter(move |node| has(nodes, *node))
}

const fn has(nodes: Nodes, node: usize) -> bool {
    nodes >> node & 1 == 1
}

pub fn nodes_of(parts: &[(usize, i64)]) -> Nodes {
    parts.iter().fold(0, |nodes, (node, _)| nodes | 1 << node)
}

/// Returns true if a node with `free` generic resources has those of a job.
fn has_gres(free: Gres, asked: Gres) -> bool {
    free.iter().zip(asked).all(|(free, asked)| *free >= asked)
}

/// The CPUs and the generic resources that jobs use, by node.
#[derive(Clone)]
pub struct Used {
    pub cpus: Vec<i64>,
    pub gres: Vec<Gres>,
}

/// Nodes whose cores have one thread, in node order.
#[derive(Clone)]
pub struct Cluster {
    /// By node.
    pub cores: Vec<i64>,
    /// By node, the machine's number of the first core.
    pub first_cores: Vec<i64>,
    pub weights: Vec<i64>,
    pub gres: Vec<Gres>,
    /// The nodes of each line, by weight, then in the order of the lines.
    pub sets: Vec<Nodes>,
    /// The plugin is select/linear.
    pub is_linear: bool,
    /// `MaxNodes` of the partition, if it has one.
    pub most_nodes: Option<i64>,
    /// The switches, if they count.
    pub tree: Option<Tree>,
}

/// The request of a job (rule 13). A job without a number of nodes wants one node and may have any
/// number.
#[derive(Copy, Clone, Debug)]
pub struct Ask {
    pub cpus: i64,
    /// The number of nodes that the job asks for.
    pub nodes: Option<i64>,
    /// The largest number of nodes, *hi*.
    pub most_nodes: i64,
    /// The largest number of tasks on a node.
    pub per_node: Option<i64>,
    /// The generic resources on each node.
    pub gres: Gres,
    /// The job gets whole nodes.
    pub is_exclusive: bool,
}

impl Ask {
    /// Makes the request of a job that may name the number of its nodes. It shares nodes, and asks
    /// for no generic resources.
    pub fn new(cpus: i64, nodes: Option<i64>) -> Self {
        let nodes = nodes.filter(|nodes| *nodes > 1 || *nodes < cpus);
        let tasks = nodes.map(|nodes| (cpus + nodes - 1) / nodes);
        Self {
            cpus,
            nodes,
            most_nodes: nodes.unwrap_or(MOST),
            per_node: tasks.filter(|tasks| *tasks < cpus),
            gres: [0; 2],
            is_exclusive: false,
        }
    }

    pub fn has_gres(&self) -> bool {
        self.gres != [0; 2]
    }

    /// Adds the largest number of nodes of a partition (rule 13).
    pub fn within(self, most_nodes: Option<i64>) -> Self {
        Self {
            most_nodes: self.most_nodes.min(most_nodes.unwrap_or(MOST)),
            ..self
        }
    }

    /// The number of nodes that the job needs, which is also the number that it wants.
    pub fn least(&self) -> i64 {
        self.nodes.unwrap_or(1)
    }

    /// The fewest CPUs that a node must give.
    pub fn least_cpus(&self) -> i64 {
        self.per_node.unwrap_or(1)
    }

    /// Returns the largest number of CPUs that a node gives a job with generic resources (rule 80,
    /// step 3), and a number above all offers if nothing bounds it.
    fn most_tasks(&self) -> i64 {
        match (self.per_node, self.nodes) {
            (Some(tasks), _) => tasks,
            (None, Some(1)) => self.cpus,
            (None, _) if self.cpus == 1 => 1,
            (None, Some(nodes)) if nodes == self.cpus => 1,
            (None, _) => i64::MAX,
        }
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            cpus: self.cpus,
            nodes: self.least(),
            most: self.most_nodes,
        }
    }
}

/// A run of consecutive nodes, and the CPUs that it gives.
struct Stretch {
    nodes: Vec<usize>,
    weight: i64,
    cpus: i64,
}

/// The numbers that are left to find (rule 21).
#[derive(Copy, Clone)]
pub struct Wanted {
    pub cpus: i64,
    pub nodes: i64,
    /// The number of nodes that may still be taken.
    pub most: i64,
}

impl Wanted {
    pub const fn is_full(&self) -> bool {
        self.cpus <= 0 && self.nodes <= 0
    }

    /// True if nothing is left to find, or if no node may be taken.
    const fn is_over(&self) -> bool {
        self.is_full() || self.most <= 0
    }

    pub const fn take(&mut self, cpus: i64) {
        self.cpus -= cpus;
        self.nodes -= 1;
        self.most -= 1;
    }
}

/// The choice of nodes with cores (rule 26).
pub struct Taking {
    ask: Ask,
    pub wanted: Wanted,
    /// The CPUs that may be used.
    usable: i64,
    /// The nodes that must be found.
    pub needed: i64,
    pub chosen: Nodes,
}

impl Taking {
    /// Takes a node, and lowers its offer to what it gives (rule 27).
    pub fn take(&mut self, node: usize, offers: &mut [i64]) {
        let left = self.usable - (self.needed - 1).max(0);
        if offers[node] > left && !self.ask.is_exclusive {
            offers[node] = left.max(self.ask.least_cpus());
        }
        self.usable -= offers[node];
        self.needed -= 1;
        self.wanted.take(offers[node]);
        self.chosen |= 1 << node;
    }
}

impl Cluster {
    pub fn all(&self) -> Nodes {
        self.sets.iter().fold(0, |all, set| all | set)
    }

    /// The nodes whose CPUs suffice for the least part of a job.
    pub fn large(&self, ask: Ask) -> Nodes {
        let is_large = |node: &usize| self.cores[*node] >= ask.least_cpus();
        (0..self.cores.len())
            .filter(is_large)
            .fold(0, |nodes, node| nodes | 1 << node)
    }

    /// Returns the use of a cluster on which nothing runs.
    pub fn unused(&self) -> Used {
        Used {
            cpus: vec![0; self.cores.len()],
            gres: vec![[0; 2]; self.cores.len()],
        }
    }

    /// Returns the weight of each node in rule 26 (rule 81).
    fn sched_weights(&self, near: &[i64]) -> Vec<i64> {
        let has_any = self.gres.iter().any(|gres| *gres != [0; 2]);
        let weight = |(weight, near): (&i64, &i64)| {
            if has_any {
                256 * weight + near
            } else {
                *weight
            }
        };
        self.weights.iter().zip(near).map(weight).collect()
    }

    /// Maximal series of consecutive nodes with an offer. They end where the weight changes.
    fn stretches(offers: &[i64], weights: &[i64]) -> Vec<Stretch> {
        let mut stretches: Vec<Stretch> = Vec::new();
        for node in (0..offers.len()).filter(|node| offers[*node] > 0) {
            let weight = weights[node];
            match stretches.last_mut() {
                Some(last)
                    if last.nodes.last().is_some_and(|end| end + 1 == node)
                        && last.weight == weight =>
                {
                    last.nodes.push(node);
                    last.cpus += offers[node];
                }
                _ => stretches.push(Stretch {
                    nodes: vec![node],
                    weight,
                    cpus: offers[node],
                }),
            }
        }
        stretches
    }

    /// Removes the best run and returns it (rule 21, step 2, and rule 26, step 1).
    fn best(stretches: &mut Vec<Stretch>, wanted: Wanted) -> Option<Stretch> {
        let suffices =
            |run: &Stretch| run.cpus >= wanted.cpus && run.nodes.len() as i64 >= wanted.nodes;
        let mut best: Option<usize> = None;
        for at in 0..stretches.len() {
            let run = &stretches[at];
            let replaces = best.is_none_or(|best| {
                let best = &stretches[best];
                if run.weight != best.weight {
                    run.weight < best.weight
                } else if suffices(run) {
                    !suffices(best) || best.cpus > run.cpus
                } else {
                    run.cpus > best.cpus
                }
            });
            if replaces {
                best = Some(at);
            }
        }
        best.map(|at| stretches.remove(at))
    }

    /// Returns the switches if they decide about nodes (rules 101 and 102).
    fn placing_tree(&self) -> Option<&Tree> {
        self.tree.as_ref().filter(|tree| !tree.is_optional)
    }

    /// Returns what the plugin gives a job on nodes of a set, beside what is in use.
    pub fn choose(&self, ask: Ask, set: Nodes, used: &Used, near: &mut [i64]) -> Option<Parts> {
        if self.is_linear {
            return self.whole(ask, set, used);
        }
        // Rule 23, step 1, and rule 80, step 1.
        let stays = |node: &usize| {
            let is_in_use = ask.is_exclusive && used.gres[*node] != [0; 2];
            has_gres(self.gres[*node], ask.gres) && !is_in_use
        };
        let set = listed(set)
            .filter(stays)
            .fold(0, |set, node| set | 1 << node);
        let free = self.free_gres(used);
        // Rule 23, step 2.
        let mut offers = self.offers(set, &self.unused());
        self.tries(ask, (set, &mut offers), &free, near)?;
        // Rule 23, step 3.
        let is_open = |node: &usize| !ask.is_exclusive || used.cpus[*node] == 0;
        let set = listed(set)
            .filter(is_open)
            .fold(0, |set, node| set | 1 << node);
        let mut offers = self.offers(set, used);
        let nodes = self.tries(ask, (set, &mut offers), &free, near)?;
        if ask.is_exclusive {
            return Some(listed(nodes).map(|node| (node, self.cores[node])).collect());
        }
        Some(Self::deal(ask, nodes, &offers))
    }

    /// Returns how many nodes of a set the plugin chooses as if nothing ran (rule 17).
    pub fn chosen_if_empty(&self, ask: Ask, set: Nodes, near: &mut [i64]) -> Option<i64> {
        let unused = self.unused();
        if self.is_linear {
            return Some(self.whole(ask, set, &unused)?.len() as i64);
        }
        let mut offers = self.offers(set, &unused);
        let nodes = self.tries(ask, (set, &mut offers), &self.gres, near)?;
        Some(nodes.count_ones().into())
    }

    /// Returns the free CPUs of the nodes of a set.
    fn offers(&self, set: Nodes, used: &Used) -> Vec<i64> {
        let offer = |node: usize| {
            if has(set, node) {
                self.cores[node] - used.cpus[node]
            } else {
                0
            }
        };
        (0..self.cores.len()).map(offer).collect()
    }

    fn free_gres(&self, used: &Used) -> Vec<Gres> {
        let free = |(all, used): (&Gres, &Gres)| [all[0] - used[0], all[1] - used[1]];
        self.gres.iter().zip(&used.gres).map(free).collect()
    }

    /// Returns the nodes with the generic resources of a job (rule 79).
    pub fn with_gres(&self, ask: Ask) -> Nodes {
        let has = |node: &usize| has_gres(self.gres[*node], ask.gres);
        (0..self.cores.len())
            .filter(has)
            .fold(0, |nodes, node| nodes | 1 << node)
    }

    /// Finds whole nodes (rule 21).
    fn whole(&self, ask: Ask, set: Nodes, used: &Used) -> Option<Parts> {
        let set = set & self.with_gres(ask);
        let is_given = |node: usize| has(set, node) && used.cpus[node] == 0;
        let given = |node: usize| if is_given(node) { self.cores[node] } else { 0 };
        // The CPUs of each free node.
        let given: Vec<i64> = (0..self.cores.len()).map(given).collect();
        let mut wanted = ask.wanted();
        let most = ask.per_node.unwrap_or(ask.cpus.max(MOST));
        let offers: Vec<i64> = given.iter().map(|cpus| *cpus.min(&most)).collect();
        let mut free: Vec<usize> = (0..offers.len()).filter(|at| offers[*at] > 0).collect();
        if (free.len() as i64) < ask.least() {
            return None;
        }
        let least = free.iter().map(|node| offers[*node]).min()?;
        let is_mixed = free.iter().any(|node| offers[*node] != least);
        let mut parts = Vec::new();
        if let Some(tree) = self.placing_tree() {
            let nodes = tree.whole(wanted, ask.least(), &offers)?;
            return Some(listed(nodes).map(|node| (node, given[node])).collect());
        }
        if is_mixed && wanted.cpus > least * wanted.nodes {
            while let Some(node) = free.iter().copied().max_by_key(|node| offers[*node]) {
                free.retain(|other| *other != node);
                wanted.take(offers[node]);
                parts.push((node, given[node]));
                if wanted.is_over() {
                    break;
                }
            }
        } else {
            let mut stretches = Self::stretches(&offers, &vec![0; offers.len()]);
            while let Some(run) = Self::best(&mut stretches, wanted) {
                for node in run.nodes {
                    wanted.take(offers[node]);
                    parts.push((node, given[node]));
                    if wanted.is_over() {
                        break;
                    }
                }
                if wanted.is_over() {
                    break;
                }
            }
        }
        parts.sort_unstable();
        wanted.is_full().then_some(parts)
    }

    /// Removes nodes with small offers until rule 26 finds nodes (rules 24 and 25). `free` has the
    /// free generic resources of each node.
    fn tries(
        &self,
        ask: Ask,
        (set, offers): (Nodes, &mut [i64]),
        free: &[Gres],
        near: &mut [i64],
    ) -> Option<Nodes> {
        if i64::from(set.count_ones()) < ask.least() {
            return None;
        }
        for (node, offer) in offers.iter_mut().enumerate() {
            // Rule 24.
            let is_alone = ask.nodes == Some(1) && ask.per_node.is_none();
            if *offer < ask.least_cpus()
                || is_alone && *offer < ask.cpus
                || !has_gres(free[node], ask.gres)
            {
                *offer = 0;
            }
            // Rule 81, step 2.
            if *offer > 0 && ask.has_gres() {
                let most = if ask.is_exclusive {
                    i64::MAX
                } else {
                    ask.gres[0]
                };
                let gpus = if ask.gres[0] > 0 {
                    free[node][0].min(most)
                } else {
                    0
                };
                near[node] = (FAR - gpus).max(0);
            }
        }
        let weights = self.sched_weights(near);
        // Rule 80, step 4.
        let free_gpus = |node: usize| if ask.gres[0] > 0 { free[node][0] } else { 0 };
        let left = |offers: &[i64]| offers.iter().filter(|offer| **offer > 0).count() as i64;
        if left(offers) < ask.least() {
            return None;
        }
        let by_tasks = ask
            .per_node
            .map_or(1, |tasks| (ask.cpus + tasks - 1) / tasks);
        let least = ask.least().max(by_tasks);
        if let Some(nodes) = self.evaluate(ask, least, offers, &weights) {
            return Some(nodes);
        }
        if left(offers) <= least {
            return self.evaluate(ask, least, offers, &weights);
        }
        let raised = |node: usize, offers: &[i64]| match offers[node] {
            0 => 0,
            offer => offer + free_gpus(node),
        };
        let largest = (0..offers.len()).map(|node| raised(node, offers)).max()?;
        for small in 1..largest {
            let mut is_removed = false;
            for node in 0..offers.len() {
                if (1..=small).contains(&raised(node, offers)) && left(offers) > least {
                    offers[node] = 0;
                    is_removed = true;
                }
            }
            if !is_removed && small > 1 {
                continue;
            }
            if let Some(nodes) = self.evaluate(ask, least, offers, &weights) {
                return Some(nodes);
            }
            if left(offers) <= least {
                return None;
            }
        }
        None
    }

    /// Chooses nodes, and lowers their offers to what they give (rules 26 and 27).
    fn evaluate(&self, ask: Ask, least: i64, offers: &mut [i64], weights: &[i64]) -> Option<Nodes> {
        // Rule 80, step 3.
        if ask.has_gres() {
            for offer in offers.iter_mut() {
                *offer = (*offer).min(ask.most_tasks());
            }
        }
        if (offers.iter().filter(|offer| **offer > 0).count() as i64) < least {
            return None;
        }
        let mut wanted = ask.wanted();
        wanted.nodes = least.max(ask.least());
        if wanted.most > ask.cpus {
            wanted.most = ask.cpus.max(least);
        }
        let mut job = Taking {
            ask,
            wanted,
            usable: ask.cpus,
            needed: least,
            chosen: 0,
        };
        if let Some(tree) = self.placing_tree() {
            return tree.cores(job, offers, weights);
        }
        let mut stretches = Self::stretches(offers, weights);
        while job.wanted.most > 0 {
            let Some(run) = Self::best(&mut stretches, job.wanted) else {
                break;
            };
            let mut nodes = run.nodes;
            if job.wanted.nodes <= 1 {
                let alone = nodes
                    .iter()
                    .copied()
                    .filter(|node| offers[*node] >= job.wanted.cpus)
                    .min_by_key(|node| offers[*node]);
                if let Some(alone) = alone {
                    nodes = vec![alone];
                }
            }
            for node in nodes {
                if job.wanted.most == 1 && offers[node] < job.wanted.cpus {
                    continue;
                }
                job.take(node, offers);
                if job.wanted.is_full() {
                    return Some(job.chosen);
                }
                if job.wanted.most == 0 {
                    break;
                }
            }
        }
        job.wanted.is_full().then_some(job.chosen)
    }

    /// Deals tasks to nodes in rounds (rule 28).
    fn deal(ask: Ask, nodes: Nodes, offers: &[i64]) -> Parts {
        let mut parts: Parts = listed(nodes).map(|node| (node, 0)).collect();
        let most = ask.per_node.unwrap_or(ask.cpus);
        let mut tasks = ask.cpus.max(parts.len() as i64 * ask.least_cpus());
        while tasks > 0 {
            let before = tasks;
            for (node, own) in &mut parts {
                if tasks > 0 && *own < offers[*node].min(most) {
                    *own += 1;
                    tasks -= 1;
                }
            }
            if tasks == before {
                break;
            }
        }
        parts
    }
}
