//! Migration: a new layout of the running jobs on an empty machine.
//!
//! E. Krevat, 2003, chapter 2: the largest job comes first, and each job is placed as at its start.
//! No job is raised to a larger size. A job that would need it keeps its partition, and the layout
//! starts over with the other jobs.

use super::geometry::{Partition, volume};
use super::space::Free;

/// Largest number of steps that are kept.
const STEPS: usize = 1024;

/// A step of a layout that begins on an empty machine: the partition of a job.
#[derive(Clone)]
pub(super) struct LayoutStep {
    /// Number of the step before, counted from 1; 0 if this is the first one.
    after: usize,
    partition: Partition,
    left: Option<u32>,
}

/// Returns new partitions for the running jobs, and the nodes that these leave free. `held` has the
/// largest partition first. `place` chooses a partition of exactly the given number of nodes. Its
/// choices are kept in `steps`, each with the steps before it.
pub(super) fn repack(
    held: &[Partition],
    empty: &Free,
    steps: &mut Vec<LayoutStep>,
    place: impl Fn(&Free, u32) -> Option<(Partition, Option<u32>)>,
) -> (Vec<Partition>, Free) {
    if steps.len() >= STEPS {
        steps.clear();
    }
    let mut stays = vec![false; held.len()];
    'anew: loop {
        let mut free = empty.clone();
        held.iter()
            .zip(&stays)
            .filter(|(_, stays)| **stays)
            .for_each(|(partition, _)| free.take(partition, None));
        let is_empty = !stays.contains(&true);
        let mut after = 0;
        let mut moved = Vec::with_capacity(held.len());
        for (at, partition) in held.iter().enumerate() {
            if stays[at] {
                moved.push(*partition);
                continue;
            }
            let nodes = volume(partition.extent);
            let is_next =
                |step: &LayoutStep| step.after == after && volume(step.partition.extent) == nodes;
            let known = (is_empty.then(|| steps[after..].iter().position(is_next))).flatten();
            let (found, left) = match known {
                Some(step) => {
                    after += step + 1;
                    (steps[after - 1].partition, steps[after - 1].left)
                }
                None => {
                    let Some((partition, left)) = place(&free, nodes) else {
                        stays[at] = true;
                        continue 'anew;
                    };
                    if is_empty {
                        steps.push(LayoutStep {
                            after,
                            partition,
                            left,
                        });
                        after = steps.len();
                    }
                    (partition, left)
                }
            };
            free.take(&found, left);
            moved.push(found);
        }
        return (moved, free);
    }
}
