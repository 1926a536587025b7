//! Migration: where the running jobs would stand if they were laid out anew in an empty machine.
//!
//! E. Krevat, 2003, chapter 2: largest first, each as at its start. No job is raised to a larger
//! size: one that would have to be keeps its partition, and the layout starts over with the others.

use super::Grid;
use super::geometry::{Partition, volume};

/// New partitions for the running jobs, which stand largest first; `place` chooses one of exactly
/// so many nodes.
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
