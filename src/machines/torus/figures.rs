//! External fragmentation: the share of the free nodes outside the largest free partition.

use super::{Geometry, Grid, largest};
use crate::schedule::Schedule;
use crate::time::Time;
use std::sync::Arc;

/// Limit on the number of instants times the number of nodes. Above the limit, only every nth
/// instant counts.
const NODES: u64 = 1 << 26;

/// Index of a change that is of no job.
const NO_STAY: usize = usize::MAX;

/// Returns the external fragmentation: 1 - largest free partition / free nodes, as a mean over the
/// time in which some nodes are free; 0 if there is no such time. Nodes that are out of service are not free.
pub(super) fn fragmentation(schedule: &Schedule, geometry: &Arc<Geometry>) -> f64 {
    let stays: Vec<_> = schedule
        .attempts()
        .flat_map(|attempt| schedule.stays(attempt))
        .collect();
    let mut changes: Vec<(Time, bool, usize)> = Vec::with_capacity(2 * stays.len());
    for (at, stay) in stays.iter().enumerate() {
        changes.push((stay.to, false, at));
        changes.push((stay.from, true, at));
    }
    // Outages begin and end between these changes, and change no job.
    let first = stays.iter().map(|stay| stay.from).min();
    let last = stays.iter().map(|stay| stay.to).max();
    for outage in &schedule.closed {
        let ends = [outage.at, outage.until].into_iter();
        let within = ends.filter(|at| first < Some(*at) && Some(*at) < last);
        changes.extend(within.map(|at| (at, false, NO_STAY)));
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
        let stay = stays.get(stay);
        if let Some(partition) = stay.and_then(|stay| geometry.partition(stay.placement.ranges)) {
            if starts {
                grid.take(&partition);
            } else {
                grid.give(&partition);
            }
        }
        let span = (next - now).seconds();
        if span <= 0.0 || at % every != 0 {
            continue;
        }
        let mut open = None;
        for outage in schedule
            .closed
            .iter()
            .filter(|outage| outage.at <= now && now < outage.until)
        {
            let grid = open.get_or_insert_with(|| grid.clone());
            grid.take_ranges(schedule.at(outage.placed).ranges);
        }
        let free = open.as_ref().unwrap_or(&grid);
        if free.free() > 0 {
            let share = f64::from(largest(free)) / f64::from(free.free());
            scattered += span * (1.0 - share);
            total += span;
        }
    }
    if total > 0.0 { scattered / total } else { 0.0 }
}
