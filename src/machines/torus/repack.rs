//! Migration: a new layout of the running jobs on an empty machine.
//!
//! E. Krevat, 2003, chapter 2: the largest job comes first, and each job is placed as at its start.
//! No job is raised to a larger size. A job that would need it keeps its partition, and the layout
//! starts over with the other jobs.

use super::Grid;
use super::geometry::{Partition, volume};

/// Returns new partitions for the running jobs, and the grid in which they are taken. `held` has
/// the largest partition first. `place` chooses a partition of exactly the given number of nodes.
pub(super) fn repack(
    held: &[Partition],
    empty: &Grid,
    place: impl Fn(&Grid, u32) -> Option<Partition>,
) -> (Vec<Partition>, Grid) {
    let mut stays = vec![false; held.len()];
    'anew: loop {
        let mut grid = empty.clone();
        held.iter()
            .zip(&stays)
            .filter(|(_, stays)| **stays)
            .for_each(|(partition, _)| grid.take(partition));
        let mut moved = Vec::with_capacity(held.len());
        for (at, partition) in held.iter().enumerate() {
            if stays[at] {
                moved.push(*partition);
                continue;
            }
            let Some(found) = place(&grid, volume(partition.extent)) else {
                stays[at] = true;
                continue 'anew;
            };
            grid.take(&found);
            moved.push(found);
        }
        return (moved, grid);
    }
}
