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
    // The jobs that have each GPU now. Within an instant, one can be given up before it is taken.
    let mut jobs = vec![0_i32; count(cluster) as usize];
    let of_node = |node: u32| match cluster.amounts(node)[GPUS] {
        UNLIMITED => 0,
        amount => amount,
    };
    let mut firsts = vec![0];
    for node in 0..cluster.nodes() {
        firsts.push(firsts[node as usize] + of_node(node));
    }
    let mut rows = UnitRows::default();
    // Instants at which attempts give their GPUs up, or take them again (true).
    let mut changes: BinaryHeap<Reverse<(Time, bool, u32)>> = BinaryHeap::new();
    for attempt in schedule.attempts() {
        crate::pulse::beat(1);
        while let Some(Reverse((_, takes, place))) = changes
            .peek()
            .copied()
            .filter(|Reverse((at, ..))| *at <= attempt.from)
        {
            changes.pop();
            for range in rows.of(schedule.attempt(place as usize)) {
                for one in &mut jobs[range.first as usize..range.end() as usize] {
                    *one += if takes { 1 } else { -1 };
                }
            }
        }
        if jobs.is_empty() || attempt.from >= attempt.end {
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
                let one = &mut jobs[unit as usize];
                if *one > 0 {
                    continue;
                }
                *one += 1;
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
        let request = needs.of.get(attempt.job.index());
        let request = request.and_then(|at| needs.table.get(*at as usize));
        // Whole nodes are free while their job is suspended.
        let mut has_units = true;
        if request.is_some_and(|request| request.is_whole) {
            for one in schedule.suspensions_of(attempt) {
                changes.push(Reverse((one.from, false, attempt.place)));
                has_units = one.to < attempt.end;
                if has_units {
                    changes.push(Reverse((one.to, true, attempt.place)));
                }
            }
        }
        if attempt.has_ended() && has_units {
            changes.push(Reverse((attempt.end, false, attempt.place)));
        }
    }
    rows
}
