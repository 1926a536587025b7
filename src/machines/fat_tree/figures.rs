//! The spread of jobs over switches and pods.

use super::Tree;
use crate::schedule::Schedule;
use std::collections::BTreeSet;

/// Returns two figures. The first is the mean over jobs of the switches of a job over the least
/// number that its size needs. The second is the share of jobs that are in several pods although
/// their sizes need one.
pub(super) fn spread(schedule: &Schedule, tree: Tree) -> (f64, f64) {
    let (mut switches, mut scattered, mut jobs) = (0.0, 0_u32, 0_u32);
    for start in &schedule.order {
        let placement = schedule.at(start.placed);
        if placement.is_empty() {
            continue;
        }
        let of = |unit: fn(Tree, u32) -> u32| -> usize {
            let units: BTreeSet<u32> = placement.columns().map(|host| unit(tree, host)).collect();
            units.len()
        };
        let size = placement.size();
        switches += of(Tree::switch_of) as f64 / f64::from(size.div_ceil(tree.half()));
        scattered += u32::from(size <= tree.pod() && of(Tree::pod_of) > 1);
        jobs += 1;
    }
    if jobs == 0 {
        return (0.0, 0.0);
    }
    (
        switches / f64::from(jobs),
        f64::from(scattered) / f64::from(jobs),
    )
}
