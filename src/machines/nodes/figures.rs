//! The use of memory and GPUs.

use crate::cluster::{CORES, GPUS, MEMORY, UNLIMITED};
use crate::schedule::Schedule;

/// Returns the mean shares of the cluster's memory and GPUs that jobs hold, from the first start to
/// the last end; 0 for a resource that no node limits.
pub(super) fn shares(schedule: &Schedule) -> (f64, f64) {
    let Some(needs) = &schedule.workload.nodes else {
        return (0.0, 0.0);
    };
    let cluster = &needs.cluster;
    let mut held = [0.0_f64; 2];
    let (mut first, mut last) = (f64::INFINITY, 0.0_f64);
    for start in &schedule.order {
        let job = start.job.index();
        let from = schedule.held_from(start.job).seconds();
        let until = schedule.ends[job].seconds();
        (first, last) = (first.min(from), last.max(until));
        let Some(request) = needs
            .of
            .get(job)
            .and_then(|at| needs.table.get(*at as usize))
        else {
            continue;
        };
        let mut of_nodes = std::collections::BTreeMap::new();
        for range in schedule.placement(start).ranges {
            let mut core = range.first;
            while core < range.end() {
                let node = cluster.node_of(core);
                let end = cluster.first_core(node) + cluster.amounts(node)[CORES];
                let count = end.min(range.end()) - core;
                *of_nodes.entry(node).or_insert(0) += count;
                core += count;
            }
        }
        for (node, cores) in of_nodes {
            let all = cluster.amounts(node);
            let used = if request.is_whole {
                *all
            } else {
                request.used(request.tasks_of(cores))
            };
            for (held, resource) in held.iter_mut().zip([MEMORY, GPUS]) {
                if all[resource] != UNLIMITED {
                    *held += f64::from(used[resource]) * (until - from);
                }
            }
        }
    }
    let share = |held: f64, resource: usize| {
        let capacity = cluster.total(resource) as f64 * (last - first);
        if capacity > 0.0 { held / capacity } else { 0.0 }
    };
    (share(held[0], MEMORY), share(held[1], GPUS))
}
