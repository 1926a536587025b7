//! The GPUs of each job. The machine counts them for each node; here every job gets the lowest free ones of
//! its nodes, so that timelines can have a row for each GPU.

use super::figures::used_on;
use crate::cluster::{Cluster, GPUS, UNLIMITED};
use crate::machine::Range;
use crate::schedule::{Schedule, UnitRows};
use crate::time::Time;
use crate::workload::NodeRequests;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Largest number of GPUs of a cluster, and of a node, that have rows.
const MOST: (u64, u32) = (1 << 20, 1 << 10);

/// Returns the number of GPUs of a cluster; 0 if they are too many for rows.
pub(super) fn count(cluster: &Cluster) -> u32 {
    let all = cluster.total(GPUS);
    let is_too_much = |amount: u32| amount != UNLIMITED && amount > MOST.1;
    let mut kinds = cluster.kinds.iter().map(|kind| kind.amounts[GPUS]);
    if all > MOST.0 || kinds.any(is_too_much) {
        return 0;
    }
    all as u32
}

/// Returns the GPUs of every attempt. GPUs are numbered node by node.
pub(super) fn rows(schedule: &Schedule, needs: &NodeRequests) -> UnitRows {
    let cluster = &needs.cluster;
    let mut is_taken = vec![false; count(cluster) as usize];
    let of_node = |node: u32| match cluster.amounts(node)[GPUS] {
        UNLIMITED => 0,
        amount => amount,
    };
    let mut firsts = vec![0];
    for node in 0..cluster.nodes() {
        firsts.push(firsts[node as usize] + of_node(node));
    }
    let mut rows = UnitRows::default();
    let mut ends: BinaryHeap<Reverse<(Time, u32)>> = BinaryHeap::new();
    for attempt in schedule.attempts() {
        crate::pulse::beat(1);
        while let Some(Reverse((_, place))) = ends
            .peek()
            .copied()
            .filter(|Reverse((end, _))| *end <= attempt.from)
        {
            ends.pop();
            for range in rows.of(schedule.attempt(place as usize)) {
                is_taken[range.first as usize..range.end() as usize].fill(false);
            }
        }
        if is_taken.is_empty() || attempt.from >= attempt.end {
            rows.push([]);
            continue;
        }
        let mut units: Vec<Range> = Vec::new();
        for (node, used) in used_on(schedule, needs, &attempt) {
            let first = firsts[node as usize];
            let mut left = used[GPUS];
            for unit in first..first + of_node(node) {
                if left == 0 {
                    break;
                }
                if std::mem::replace(&mut is_taken[unit as usize], true) {
                    continue;
                }
                left -= 1;
                match units.last_mut() {
                    Some(last) if last.end() == unit => last.count += 1,
                    _ => units.push(Range {
                        first: unit,
                        count: 1,
                    }),
                }
            }
        }
        rows.push(units);
        if attempt.has_ended() {
            ends.push(Reverse((attempt.end, attempt.place)));
        }
    }
    rows
}
