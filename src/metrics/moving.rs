//! Migrations, and how much of what is free is in one piece.

use crate::machine::torus::{Grid, largest};
use crate::schedule::Schedule;
use crate::time::Time;
use std::sync::Arc;

/// What became of the attempts to move running jobs together.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Migrations {
    pub attempted: f64,
    pub successful: f64,
    pub moves: f64,
    /// Mean time between two successful ones, in seconds; 0 where there were no two.
    pub gap: f64,
}

pub(super) fn migrations(schedule: &Schedule) -> Migrations {
    let successful: Vec<Time> = schedule
        .migrations
        .iter()
        .filter(|migration| migration.successful)
        .map(|migration| migration.at)
        .collect();
    let gap = match successful[..] {
        [first, .., last] => (last - first).seconds() / (successful.len() - 1) as f64,
        _ => 0.0,
    };
    Migrations {
        attempted: schedule.migrations.len() as f64,
        successful: successful.len() as f64,
        moves: schedule.moves.values().map(Vec::len).sum::<usize>() as f64,
        gap,
    }
}

/// The largest free partitions of all instants are found as long as they have no more nodes than
/// this in all; beyond, instants are evenly drawn.
const NODES: u64 = 1 << 26;

/// External fragmentation: 1 - largest free partition / free processors, over the time in which
/// some are free. None on machines where any free processors serve.
pub(super) fn fragmentation(schedule: &Schedule) -> f64 {
    let Some(geometry) = &schedule.geometry else {
        return 0.0;
    };
    let stays: Vec<_> = schedule
        .order
        .iter()
        .flat_map(|entry| schedule.stays(entry))
        .collect();
    let mut changes: Vec<(Time, bool, usize)> = Vec::with_capacity(2 * stays.len());
    for (at, stay) in stays.iter().enumerate() {
        changes.push((stay.to, false, at));
        changes.push((stay.from, true, at));
    }
    crate::sorting::by(&mut changes, |(at, takes, stay)| {
        [
            at.microseconds().into(),
            i128::from(*takes) << 64 | *stay as i128,
        ]
    });
    let every = (changes.len() as u64 * u64::from(geometry.nodes()))
        .div_ceil(NODES)
        .max(1) as usize;
    let mut grid = Grid::new(Arc::clone(geometry));
    let (mut scattered, mut total) = (0.0, 0.0);
    for (at, pair) in changes.windows(2).enumerate() {
        let [(now, starts, stay), (next, ..)] = *pair else {
            continue;
        };
        if let Some(partition) = geometry.partition(stays[stay].placement) {
            if starts {
                grid.take(&partition);
            } else {
                grid.give(&partition);
            }
        }
        let span = (next - now).seconds();
        if span > 0.0 && grid.free() > 0 && at % every == 0 {
            let share = f64::from(largest(&grid)) / f64::from(grid.free());
            scattered += span * (1.0 - share);
            total += span;
        }
    }
    if total > 0.0 { scattered / total } else { 0.0 }
}
