//! select/cons_tres: the CPUs and cores that a job gets on each of its nodes (`dist_tasks`).

use super::super::controller::Controller;
use super::super::nodeset::NodeSet;
use super::super::record::{JobTerms, NodeShare};
use super::ask::CoreAsk;

/// A node, while tasks are dealt.
struct DealtNode {
    node: usize,
    room: i64,
    core_cpus: i64,
    cpus: i64,
    tasks: i64,
}

impl DealtNode {
    /// Places a task. Without room it takes no CPUs.
    fn place(&mut self, facts: &JobTerms) {
        self.tasks += 1;
        self.cpus = self.cpus.max(self.room.min(self.cpus + facts.task_cpus));
    }

    fn has_room(&self, facts: &JobTerms) -> bool {
        self.room - self.cpus >= facts.task_cpus
    }

    fn takes_more(&self, facts: &JobTerms) -> bool {
        self.has_room(facts) && (facts.node_tasks == 0 || self.tasks < facts.node_tasks)
    }
}

impl Controller {
    /// Deals the tasks of a job to its nodes, and returns what it takes there.
    pub(super) fn deal(
        &self,
        ask: &CoreAsk<'_>,
        chosen: &NodeSet,
        room: &dyn Fn(usize) -> i64,
        free: &dyn Fn(usize) -> i64,
    ) -> Vec<NodeShare> {
        let share = |node: usize, cores: i64, cpus: i64| NodeShare {
            node: node as u32,
            cores,
            cpus,
            memory: 0,
        };
        if ask.is_whole {
            let whole = |node: usize| {
                let line = self.conf.node(node);
                share(node, line.cores, line.cpus)
            };
            return chosen.iter().map(whole).collect();
        }
        let of = |node: usize| DealtNode {
            node,
            room: room(node),
            core_cpus: self.conf.node(node).core_cpus,
            cpus: 0,
            tasks: 0,
        };
        let mut nodes: Vec<DealtNode> = chosen.iter().map(of).collect();
        deal_tasks(ask.facts, &mut nodes);
        let select = &self.conf.select;
        let taken = |one: &DealtNode| {
            let cores = if select.by_socket {
                self.whole_sockets(ask.facts, one, free(one.node))
            } else {
                one.cpus.div_euclid(one.core_cpus) + i64::from(one.cpus % one.core_cpus > 0)
            };
            let cpus = if select.by_core || select.by_socket {
                cores * one.core_cpus
            } else {
                one.cpus
            };
            share(one.node, cores, cpus)
        };
        nodes.iter().map(taken).collect()
    }

    /// Returns the cores of all sockets that a job touches (`_cyclic_sync_core_bitmap` with CR_Socket).
    fn whole_sockets(&self, facts: &JobTerms, one: &DealtNode, free: i64) -> i64 {
        let line = self.conf.node(one.node);
        let size = line.socket_cores;
        let mut left = vec![size; (free / size) as usize];
        let mut cpus = one.cpus;
        if facts.task_cpus > 1 {
            for socket in &mut left {
                let mut room = size * line.core_cpus;
                room -= room % facts.task_cpus;
                while *socket > 0 && room > 0 && cpus > 0 {
                    *socket -= 1;
                    room -= line.core_cpus;
                    cpus -= line.core_cpus;
                }
            }
        }
        while cpus > 0 && left.iter().any(|socket| *socket > 0) {
            for socket in &mut left {
                if *socket > 0 && cpus > 0 {
                    *socket -= 1;
                    cpus -= line.core_cpus;
                }
            }
        }
        left.iter().filter(|socket| **socket < size).count() as i64 * size
    }
}

fn deal_tasks(facts: &JobTerms, nodes: &mut [DealtNode]) {
    let count = nodes.len() as i64;
    let all = (count * facts.node_tasks.max(1))
        .max(facts.least_cpus)
        .max(count * facts.node_cpus);
    let mut tasks = all;
    if !facts.overcommits && facts.task_cpus > 1 {
        tasks = match facts.node_tasks {
            0 => all / facts.task_cpus,
            each => each * count,
        };
    }
    let tasks = tasks.max(1);
    let mut placed = 0;
    let mut has_space = false;
    for node in nodes.iter_mut() {
        if placed >= tasks {
            break;
        }
        if node.room > 0 {
            placed += 1;
            node.place(facts);
            has_space |= node.cpus < node.room;
        }
    }
    let mut is_over = !has_space;
    // Fill the cores that are begun.
    for node in nodes.iter_mut() {
        for _ in 0..(node.cpus % node.core_cpus) / facts.task_cpus {
            if placed >= tasks || !node.takes_more(facts) {
                break;
            }
            placed += 1;
            node.place(facts);
        }
    }
    if facts.overcommits || nodes.is_empty() {
        return;
    }
    while placed < tasks {
        if !is_over {
            placed += deal_rounds(facts, nodes, tasks - placed);
        }
        has_space = false;
        for node in nodes.iter_mut() {
            for _ in 0..(node.core_cpus / facts.task_cpus).max(1) {
                if placed >= tasks || !is_over && !node.takes_more(facts) {
                    break;
                }
                placed += 1;
                node.place(facts);
                has_space |= node.has_room(facts);
            }
        }
        is_over |= !has_space;
    }
}

/// Deals whole rounds at once, as long as each node with room takes all its tasks of a round and has room for
/// more, and tasks are left. Returns the number of tasks.
fn deal_rounds(facts: &JobTerms, nodes: &mut [DealtNode], tasks: i64) -> i64 {
    let of_round = |node: &DealtNode| (node.core_cpus / facts.task_cpus).max(1);
    let is_open = |node: &&mut DealtNode| node.takes_more(facts);
    let (mut rounds, mut dealt) = (i64::MAX, 0);
    for node in nodes.iter_mut().filter(is_open) {
        let mut room = (node.room - node.cpus) / facts.task_cpus;
        if facts.node_tasks > 0 {
            room = room.min(facts.node_tasks - node.tasks);
        }
        rounds = rounds.min((room - 1) / of_round(node));
        dealt += of_round(node);
    }
    if dealt == 0 {
        return 0;
    }
    // The last round may end amid the nodes.
    let rounds = rounds.min((tasks - 1) / dealt);
    if rounds <= 0 {
        return 0;
    }
    for node in nodes.iter_mut().filter(is_open) {
        let more = rounds * of_round(node);
        node.tasks += more;
        node.cpus += more * facts.task_cpus;
    }
    rounds * dealt
}
