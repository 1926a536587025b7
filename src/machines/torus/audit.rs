//! The audit of a torus: every job has a box of nodes at all times.

use super::Geometry;
use crate::machine::Range;
use crate::schedule::Schedule;
use crate::schedule::audit::{Finding, name};
use std::collections::BTreeSet;

/// Appends a finding for each placement that is not a box.
pub(super) fn audit(schedule: &Schedule, geometry: &Geometry, findings: &mut Vec<Finding>) {
    for start in schedule.attempts() {
        for stay in schedule.stays(start) {
            if !stay.placement.is_empty() && !is_box(stay.placement.ranges, geometry) {
                let (job, at) = (name(schedule, start.job), stay.from.seconds());
                findings.push(format!("{job} got processors that are not a box at {at} s"));
            }
        }
    }
}

/// True if these nodes are a box: all nodes whose x, y and z lie in three intervals, which wrap
/// only along rings. The function reads the numbers of the nodes alone and shares nothing with the
/// machine.
fn is_box(placement: &[Range], geometry: &Geometry) -> bool {
    let [width, height, _] = geometry.extent;
    let mut coordinates: [BTreeSet<u32>; 3] = Default::default();
    let mut nodes = 0;
    for number in placement.iter().flat_map(|range| range.first..range.end()) {
        let node = [
            number % width,
            number / width % height,
            number / (width * height),
        ];
        for axis in 0..3 {
            coordinates[axis].insert(node[axis]);
        }
        nodes += 1;
    }
    let is_interval = |axis: usize| {
        let seen = &coordinates[axis];
        let last = geometry.extent[axis] - 1;
        let gaps = seen
            .iter()
            .filter(|at| **at < last && !seen.contains(&(**at + 1)))
            .count();
        let wraps = geometry.wraps[axis] && seen.contains(&0) && seen.contains(&last);
        // Each interval ends in a gap, except one that reaches the last coordinate.
        gaps + usize::from(seen.contains(&last)) - usize::from(wraps && gaps > 0) == 1
    };
    (0..3).all(is_interval) && coordinates.iter().map(BTreeSet::len).product::<usize>() == nodes
}
