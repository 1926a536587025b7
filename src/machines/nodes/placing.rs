//! The nodes that a job gets: seven rules that choose among the nodes that can run its tasks.

use crate::cluster::{NodeRequest, NodeUse};
use crate::param::words;

words! {
    /// The rule that chooses among the nodes that can run a job's tasks.
    pub enum Placing {
        First = "first": "first fit: nodes in the order of the description",
        Best = "best": "best fit: the most loaded nodes first; the load of a node is the largest \
            share of one of its resources that is in use",
        Least = "least": "the least loaded nodes first",
        Packed = "packed": "as few nodes as possible, the tightest last",
        Spread = "spread": "as many nodes as possible: one task on each in turn, the least loaded \
            first",
        Fragmentation = "fragmentation": "the nodes on which the job adds least to the fragmentation \
            of GPUs first: free GPUs that jobs of the log could not use",
        Weight = "weight": "nodes with the lowest weight first, then in the order of the \
            description, as Slurm",
    }
}

impl Placing {
    /// True if the rule tries nodes in an order that never changes.
    pub const fn is_in_order(self) -> bool {
        matches!(self, Self::First | Self::Weight)
    }
}

/// A node that can run some tasks of a job.
#[derive(Copy, Clone, Debug)]
pub struct UsableNode {
    /// Its place in the order of nodes.
    pub place: u32,
    /// The number of tasks of the job that it can run: at least one.
    pub tasks: u32,
    /// The number of such tasks for which its resources suffice. Only [`Placing::Packed`] looks at
    /// it.
    pub room: u32,
    /// Its load or, for [`Placing::Fragmentation`], what the job adds to the fragmentation of its GPUs.
    pub load: i128,
}

/// Returns the nodes that a request gets, as places, and their tasks. The candidates are in the
/// order of their places. Returns `None` if the request does not fit on them.
pub fn choose(
    mut candidates: Vec<UsableNode>,
    request: &NodeRequest,
    placing: Placing,
) -> Option<Vec<NodeUse>> {
    if !fits(&candidates, request) {
        return None;
    }
    let load = |candidate: &UsableNode| candidate.load;
    if request.most_nodes == 1 {
        // One node is found without sorting. All candidates can run all tasks, unless some cannot.
        candidates.retain(|one| one.tasks >= request.tasks);
        let place = |one: &UsableNode| i128::from(one.place);
        let key = |one: &UsableNode| match placing {
            Placing::First | Placing::Weight => [0, place(one)],
            Placing::Best => [-load(one), place(one)],
            Placing::Least | Placing::Spread | Placing::Fragmentation => [load(one), place(one)],
            Placing::Packed => [one.room.into(), place(one)],
        };
        return candidates.iter().min_by_key(|one| key(one)).map(|one| {
            vec![NodeUse {
                node: one.place,
                tasks: request.tasks,
            }]
        });
    }
    match placing {
        Placing::First | Placing::Weight => {}
        Placing::Best => crate::sorting::by(&mut candidates, |one| [-load(one), 0]),
        Placing::Least | Placing::Spread | Placing::Fragmentation => {
            crate::sorting::by(&mut candidates, |one| [load(one), 0]);
        }
        Placing::Packed => return Some(pack(candidates, request)),
    }
    if placing == Placing::Spread {
        return Some(deal(candidates, request));
    }
    Some(fill(candidates, request))
}

/// True if the candidates can run all tasks, within the limits on the number of nodes.
fn fits(candidates: &[UsableNode], request: &NodeRequest) -> bool {
    let tasks = |candidates: &[UsableNode]| -> u64 {
        candidates.iter().map(|one| u64::from(one.tasks)).sum()
    };
    let most = request.most_nodes as usize;
    let most_tasks = if candidates.len() <= most {
        tasks(candidates)
    } else {
        let mut sorted = candidates.to_vec();
        crate::sorting::by(&mut sorted, |one| [-i128::from(one.tasks), 0]);
        tasks(&sorted[..most])
    };
    most_tasks >= request.tasks.into()
        && candidates.len() as u64 >= request.least_nodes.into()
        && request.least_nodes <= request.most_nodes.min(request.tasks)
}

/// The tasks that are still to be placed, and the nodes that may serve them.
struct Rest {
    tasks: u32,
    least_nodes: u32,
    most_nodes: u32,
}

impl Rest {
    fn of(request: &NodeRequest) -> Self {
        Self {
            tasks: request.tasks,
            least_nodes: request.least_nodes,
            most_nodes: request.most_nodes,
        }
    }

    /// Returns the number of tasks that the next node must be able to run, so that the other nodes
    /// can run the rest.
    fn needed(&self) -> u32 {
        self.tasks.div_ceil(self.most_nodes.max(1)).max(1)
    }

    /// Takes a node that can run `most` tasks. Returns the number of tasks that it gets: all that it
    /// can run, but at least one is left for each further node that the job must have.
    fn take(&mut self, most: u32) -> u32 {
        let kept = self.least_nodes.saturating_sub(1);
        let tasks = most.min(self.tasks - kept);
        self.tasks -= tasks;
        self.least_nodes = kept;
        self.most_nodes -= 1;
        tasks
    }
}

/// Takes again and again the first candidate that can run the tasks that the next node needs.
fn fill(candidates: Vec<UsableNode>, request: &NodeRequest) -> Vec<NodeUse> {
    let mut rest = Rest::of(request);
    let mut chosen = Vec::new();
    let mut passed: Vec<UsableNode> = Vec::new();
    let mut left = candidates;
    while rest.tasks > 0 {
        let before = rest.needed();
        let mut is_lower = false;
        for candidate in std::mem::take(&mut left) {
            if rest.tasks > 0 && !is_lower && candidate.tasks >= rest.needed() {
                chosen.push(NodeUse {
                    node: candidate.place,
                    tasks: rest.take(candidate.tasks),
                });
                // Fewer tasks are needed now, so that a candidate that was passed may serve.
                is_lower = rest.tasks > 0 && rest.needed() < before && !passed.is_empty();
            } else {
                passed.push(candidate);
            }
        }
        if passed.is_empty() {
            break;
        }
        left = std::mem::take(&mut passed);
    }
    debug_assert_eq!(rest.tasks, 0);
    chosen
}

/// Takes the candidate that can run the most tasks, again and again, and last the one with the least
/// room of those that suffice.
fn pack(mut candidates: Vec<UsableNode>, request: &NodeRequest) -> Vec<NodeUse> {
    let mut rest = Rest::of(request);
    let mut chosen = Vec::new();
    let mut take = |rest: &mut Rest, one: &UsableNode| {
        chosen.push(NodeUse {
            node: one.place,
            tasks: rest.take(one.tasks),
        });
    };
    crate::sorting::by(&mut candidates, |one| [-i128::from(one.tasks), 0]);
    let wanted = |rest: &Rest| rest.tasks - rest.least_nodes.saturating_sub(1);
    let mut first = 0;
    while first < candidates.len() && candidates[first].tasks < wanted(&rest) {
        take(&mut rest, &candidates[first]);
        first += 1;
    }
    // From here on a candidate suffices, and then one task for each further node is left.
    let mut others = candidates.split_off(first);
    let suffice = others.partition_point(|one| one.tasks >= wanted(&rest));
    let tightest = others[..suffice]
        .iter()
        .enumerate()
        .min_by_key(|(_, one)| (one.room, one.place));
    if let Some((at, _)) = tightest {
        take(&mut rest, &others.remove(at));
        crate::sorting::by(&mut others, |one| [one.room.into(), one.place.into()]);
        for one in others {
            if rest.tasks == 0 {
                break;
            }
            take(&mut rest, &one);
        }
    }
    chosen
}

/// Deals the tasks to the candidates, one task to each in turn.
fn deal(mut candidates: Vec<UsableNode>, request: &NodeRequest) -> Vec<NodeUse> {
    let most = request.most_nodes as usize;
    if candidates.len() > most {
        // Those that can run the most tasks serve, so that all tasks find a place.
        let order: Vec<u32> = candidates.iter().map(|one| one.place).collect();
        crate::sorting::by(&mut candidates, |one| [-i128::from(one.tasks), 0]);
        candidates.truncate(most);
        let kept = crate::sorting::set(candidates.iter().map(|one| one.place));
        let rank = crate::sorting::map(order.into_iter().zip(0_i128..));
        candidates.retain(|one| kept.contains(&one.place));
        crate::sorting::by(&mut candidates, |one| {
            [rank.get(&one.place).copied().unwrap_or(0), 0]
        });
    }
    let mut dealt = vec![0_u32; candidates.len()];
    let mut rest = request.tasks;
    let mut open: Vec<usize> = (0..candidates.len()).collect();
    while rest > 0 && !open.is_empty() {
        open.truncate(rest as usize);
        open.iter().for_each(|at| dealt[*at] += 1);
        rest -= open.len() as u32;
        open.retain(|at| dealt[*at] < candidates[*at].tasks);
    }
    candidates
        .iter()
        .zip(dealt)
        .filter(|(_, tasks)| *tasks > 0)
        .map(|(candidate, tasks)| NodeUse {
            node: candidate.place,
            tasks,
        })
        .collect()
}
