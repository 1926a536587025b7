//! The torus at an instant: the box of each job, and the largest free box.

use super::{Grid, Partition, TorusRecord, largest_partition, volume};
use crate::job::JobId;
use crate::schedule::{Schedule, Stay};
use crate::time::Time;
use crate::view::Index;
use std::sync::Arc;

/// A job and its box.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Resident {
    /// The job that holds the box.
    pub job: JobId,
    /// The box of the job.
    pub partition: Partition,
    /// Instant from which the job holds this box.
    pub from: Time,
    /// Instant until which the job holds this box.
    pub to: Time,
}

/// The jobs and the free nodes of the machine at an instant.
#[derive(Clone, Debug)]
pub struct Occupancy {
    /// Jobs that hold boxes, in order of starting.
    pub residents: Vec<Resident>,
    /// Number of nodes that no job holds.
    pub free: u32,
    /// A largest free box; `None` if no node is free.
    pub largest: Option<Partition>,
}

/// Returns the occupancy at `at`; `None` if the machine is not a torus.
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

/// Returns the share of the free nodes that are in the largest free box, at the middle of each of
/// `count` parts of [from, to). A part is NaN if no node is free, or if the machine is not a torus.
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
