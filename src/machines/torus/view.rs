//! A machine with geometry at an instant: who has which box, and which free one is the largest.

use super::{Grid, Partition, TorusRecord, largest_partition, volume};
use crate::job::JobId;
use crate::schedule::{Schedule, Stay};
use crate::time::Time;
use crate::view::Index;
use std::sync::Arc;

/// A job and its box.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Resident {
    /// The job.
    pub job: JobId,
    /// Its box.
    pub partition: Partition,
    /// From when on it has this box.
    pub from: Time,
    /// Until when.
    pub to: Time,
}

/// What the machine holds at an instant.
#[derive(Clone, Debug)]
pub struct Occupancy {
    /// The jobs, in order of starting.
    pub residents: Vec<Resident>,
    /// Nodes that nobody holds.
    pub free: u32,
    /// A largest free box.
    pub largest: Option<Partition>,
}

/// Who is where at `at`; none on a machine without geometry.
pub fn occupancy(schedule: &Schedule, index: &Index, at: Time) -> Option<Occupancy> {
    let geometry = &schedule.of::<TorusRecord>()?.geometry;
    let mut grid = Grid::new(Arc::clone(geometry));
    let after = Time::from_microseconds(at.microseconds().saturating_add(1));
    let mut residents = Vec::new();
    for place in index.candidates(schedule, at, after) {
        let entry = &schedule.order[place];
        let is_here = |stay: &Stay<'_>| stay.from <= at && at < stay.to;
        for Stay {
            from,
            to,
            placement,
        } in schedule.stays(entry).filter(is_here)
        {
            if let Some(partition) = geometry.partition(placement.ranges) {
                grid.take(&partition);
                residents.push(Resident {
                    job: entry.job,
                    partition,
                    from,
                    to,
                });
            }
        }
    }
    Some(Occupancy {
        residents,
        free: grid.free(),
        largest: largest_partition(&grid),
    })
}

/// The share of the free nodes that are in the largest free box, at the middle of each of `count`
/// parts of [from, to); not a number where none is free, or there is no geometry.
pub fn contiguity(
    schedule: &Schedule,
    index: &Index,
    from: Time,
    to: Time,
    count: usize,
) -> Vec<f32> {
    let part = (to - from).microseconds() as f64 / count.max(1) as f64;
    let share = |bin: usize| {
        let at = Time::from_microseconds(from.microseconds() + ((bin as f64 + 0.5) * part) as i64);
        let found = occupancy(schedule, index, at)?;
        let largest = found.largest.map(|partition| volume(partition.extent))?;
        Some(largest as f32 / found.free as f32)
    };
    (0..count)
        .map(|bin| share(bin).unwrap_or(f32::NAN))
        .collect()
}
