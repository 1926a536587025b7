//! Figures of migrations: attempts, successes, moves and the time between them.

use crate::schedule::Schedule;
use crate::time::Time;

/// Numbers of attempted and successful migrations, and of moves.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Migrations {
    pub attempted: f64,
    pub successful: f64,
    pub moves: f64,
    /// Mean time between two successful migrations, in seconds; 0 if there were fewer than two.
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
