//! The plugins of the policy slurm that choose nodes: select/linear and select/cons_tres without
//! memory (docs/policies/slurm.md, rules 18 to 28). Rules are named by their numbers there.

/// The largest number of nodes of any job.
const MOST: i64 = 500_000;

/// A set of nodes: bit n stands for node n.
pub type Nodes = u64;

/// Nodes and the CPUs that they give to a job.
pub type Parts = Vec<(usize, i64)>;

fn listed(nodes: Nodes) -> impl Iterator<Item = usize> {
    (0..64).filter(move |node| has(nodes, *node))
}

const fn has(nodes: Nodes, node: usize) -> bool {
    nodes >> node & 1 == 1
}

pub fn nodes_of(parts: &[(usize, i64)]) -> Nodes {
    parts.iter().fold(0, |nodes, (node, _)| nodes | 1 << node)
}

/// Nodes whose cores have one thread.
#[derive(Clone)]
pub struct Cluster {
    /// By node.
    pub cores: Vec<i64>,
    pub weights: Vec<i64>,
    /// The nodes of each line, by weight, then in the order of the lines.
    pub sets: Vec<Nodes>,
    /// The plugin is select/linear.
    pub is_linear: bool,
    /// Jobs get whole nodes.
    pub is_exclusive: bool,
}

/// The request of a job (rule 13). A job without a number of nodes wants one node and may have any
/// number.
#[derive(Copy, Clone, Debug)]
pub struct Ask {
    pub cpus: i64,
    /// The number of nodes that the job asks for.
    pub nodes: Option<i64>,
    /// The largest number of tasks on a node.
    pub per_node: Option<i64>,
}

impl Ask {
    /// Makes the request of a job that may name the number of its nodes.
    pub fn new(cpus: i64, nodes: Option<i64>) -> Self {
        let nodes = nodes.filter(|nodes| *nodes > 1 || *nodes < cpus);
        let tasks = nodes.map(|nodes| (cpus + nodes - 1) / nodes);
        Self {
            cpus,
            nodes,
            per_node: tasks.filter(|tasks| *tasks < cpus),
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

    fn wanted(&self) -> Wanted {
        Wanted {
            cpus: self.cpus,
            nodes: self.least(),
            most: self.nodes.unwrap_or(MOST),
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
struct Wanted {
    cpus: i64,
    nodes: i64,
    /// The number of nodes that may still be taken.
    most: i64,
}

impl Wanted {
    const fn is_full(&self) -> bool {
        self.cpus <= 0 && self.nodes <= 0
    }

    /// True if nothing is left to find, or if no node may be taken.
    const fn is_over(&self) -> bool {
        self.is_full() || self.most <= 0
    }

    const fn take(&mut self, cpus: i64) {
        self.cpus -= cpus;
        self.nodes -= 1;
        self.most -= 1;
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

    /// Maximal series of consecutive nodes with an offer. `by_weight` ends them where the weight
    /// changes.
    fn stretches(&self, offers: &[i64], by_weight: bool) -> Vec<Stretch> {
        let mut stretches: Vec<Stretch> = Vec::new();
        for node in (0..offers.len()).filter(|node| offers[*node] > 0) {
            let weight = if by_weight { self.weights[node] } else { 0 };
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

    /// Returns what the plugin gives a job on nodes of a set, beside the CPUs that are in use.
    pub fn choose(&self, ask: Ask, set: Nodes, used: &[i64]) -> Option<Parts> {
        let offers = |used: &[i64], is_whole: bool| -> Vec<i64> {
            let offer = |node: usize| match used[node] {
                _ if !has(set, node) => 0,
                used if used > 0 && is_whole => 0,
                used => self.cores[node] - used,
            };
            (0..self.cores.len()).map(offer).collect()
        };
        if self.is_linear {
            return self.whole(ask, &offers(used, true));
        }
        // Rule 23.
        self.tries(ask, &mut offers(&vec![0; used.len()], false))?;
        let mut offers = offers(used, self.is_exclusive);
        let nodes = self.tries(ask, &mut offers)?;
        if self.is_exclusive {
            return Some(listed(nodes).map(|node| (node, self.cores[node])).collect());
        }
        Some(Self::deal(ask, nodes, &offers))
    }

    /// Finds whole nodes (rule 21). `given` has the CPUs of each free node.
    fn whole(&self, ask: Ask, given: &[i64]) -> Option<Parts> {
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
            let mut stretches = self.stretches(&offers, false);
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

    /// Removes nodes with small offers until rule 26 finds nodes (rules 24 and 25).
    fn tries(&self, ask: Ask, offers: &mut [i64]) -> Option<Nodes> {
        // Rule 24.
        for offer in offers.iter_mut() {
            let is_alone = ask.nodes == Some(1) && ask.per_node.is_none();
            if *offer < ask.least_cpus() || is_alone && *offer < ask.cpus {
                *offer = 0;
            }
        }
        let left = |offers: &[i64]| offers.iter().filter(|offer| **offer > 0).count() as i64;
        if left(offers) < ask.least() {
            return None;
        }
        let by_tasks = ask
            .per_node
            .map_or(1, |tasks| (ask.cpus + tasks - 1) / tasks);
        let least = ask.least().max(by_tasks);
        if let Some(nodes) = self.evaluate(ask, least, offers) {
            return Some(nodes);
        }
        if left(offers) <= least {
            return self.evaluate(ask, least, offers);
        }
        let largest = *offers.iter().max()?;
        for small in 1..largest {
            let mut is_removed = false;
            for node in 0..offers.len() {
                if (1..=small).contains(&offers[node]) && left(offers) > least {
                    offers[node] = 0;
                    is_removed = true;
                }
            }
            if !is_removed && small > 1 {
                continue;
            }
            if let Some(nodes) = self.evaluate(ask, least, offers) {
                return Some(nodes);
            }
            if left(offers) <= least {
                return None;
            }
        }
        None
    }

    /// Chooses nodes, and lowers their offers to what they give (rules 26 and 27).
    fn evaluate(&self, ask: Ask, least: i64, offers: &mut [i64]) -> Option<Nodes> {
        if (offers.iter().filter(|offer| **offer > 0).count() as i64) < least {
            return None;
        }
        let mut wanted = ask.wanted();
        wanted.nodes = least.max(ask.least());
        if wanted.most > ask.cpus {
            wanted.most = ask.cpus.max(least);
        }
        // CPUs that may be used, and nodes that must be found.
        let (mut usable, mut needed) = (ask.cpus, least);
        let mut stretches = self.stretches(offers, true);
        let mut chosen = 0;
        while wanted.most > 0 {
            let Some(run) = Self::best(&mut stretches, wanted) else {
                break;
            };
            let mut nodes = run.nodes;
            if wanted.nodes <= 1 {
                let alone = nodes
                    .iter()
                    .copied()
                    .filter(|node| offers[*node] >= wanted.cpus)
                    .min_by_key(|node| offers[*node]);
                if let Some(alone) = alone {
                    nodes = vec![alone];
                }
            }
            for node in nodes {
                if wanted.most == 1 && offers[node] < wanted.cpus {
                    continue;
                }
                let left = usable - (needed - 1).max(0);
                if offers[node] > left && !self.is_exclusive {
                    offers[node] = left.max(ask.least_cpus());
                }
                usable -= offers[node];
                needed -= 1;
                wanted.take(offers[node]);
                chosen |= 1 << node;
                if wanted.is_full() {
                    return Some(chosen);
                }
                if wanted.most == 0 {
                    break;
                }
            }
        }
        wanted.is_full().then_some(chosen)
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
