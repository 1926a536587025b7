//! The torus at an instant: the box of each job, and the largest free box.

use super::{Grid, Partition, TorusRecord, largest_partition, volume};
use crate::job::JobId;
use crate::machine::Range;
use crate::machines::shared::{Sight, asked};
use crate::param::{Typed, whole};
use crate::problem::Problem;
use crate::schedule::{Closure, Residency, Schedule};
use crate::time::Time;
use crate::view::{Index, packed};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// The number of nodes that one node of the simulated machine stands for.
pub const SUPERNODE: Typed<i64> = whole("supernode", "Nodes each", 1..=1_000_000, 512).help(
    "Number of nodes that a node of this machine stands for, for display only; the unit of \
            allocation of BlueGene/L is 8 x 8 x 8 nodes",
);

/// Largest number of parts for which the largest free box is computed.
const PARTS: usize = 4096;

/// A question about the torus. Instants are in seconds.
#[derive(Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum TorusQuestion {
    /// The shape of the machine: [`GeometryFacts`].
    Geometry {},
    /// The boxes that jobs hold at an instant: [`OccupancyFacts`].
    Occupancy {
        /// The instant.
        at: f64,
    },
    /// The share of the free nodes in the largest free box, at the middle of each of `count` parts
    /// of [from, to): an array of numbers. A part is null if no node is free.
    Contiguity {
        /// Start of the period.
        from: f64,
        /// End of the period.
        to: f64,
        /// Number of parts.
        count: u32,
    },
}

/// Answers a question about the torus.
pub(super) fn show(sight: &Sight<'_>, question: Value) -> Result<Value, Problem> {
    Ok(match asked(question)? {
        TorusQuestion::Geometry {} => json!(shape(sight)),
        TorusQuestion::Occupancy { at } => json!(boxes(sight, at)),
        TorusQuestion::Contiguity { from, to, count } => {
            let (from, to) = (Time::near(from), Time::near(to));
            let count = (count as usize).min(PARTS);
            let shares = contiguity(sight.schedule, sight.index, from, to, count);
            let known = |share: f32| (!share.is_nan()).then_some(share);
            json!(shares.into_iter().map(known).collect::<Vec<_>>())
        }
    })
}

fn shape(sight: &Sight<'_>) -> Option<GeometryFacts> {
    let geometry = &sight.schedule.of::<TorusRecord>()?.geometry;
    Some(GeometryFacts {
        extent: geometry.extent,
        wraps: geometry.wraps,
        supernode: sight.settings.get(&SUPERNODE) as u32,
    })
}

fn boxes(sight: &Sight<'_>, at: f64) -> Option<OccupancyFacts> {
    let schedule = sight.schedule;
    let found = occupancy(schedule, sight.index, Time::near(at))?;
    let resident = |resident: &Resident| {
        let request = schedule.workload.request(resident.job);
        ResidentFacts {
            job: resident.job.0,
            record: schedule.workload.sources[resident.job.index()],
            number: request.number,
            processors: request.processors,
            partition: resident.partition.into(),
            from: resident.from.seconds(),
            to: resident.to.seconds(),
            moved: resident.moved,
            colour: packed(sight.colours.of(resident.job)),
        }
    };
    Some(OccupancyFacts {
        at,
        residents: found.residents.iter().map(resident).collect(),
        closed: found
            .closed
            .iter()
            .map(|range| [range.first, range.count])
            .collect(),
        free: found.free,
        largest: found.largest.map(Into::into),
        waiting: sight.past.waiting(Time::near(at)),
    })
}

/// A box of nodes: its first node, and its numbers of nodes along x, y and z.
#[derive(Copy, Clone, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct BoxFacts {
    /// Coordinates of the first node.
    pub at: [u32; 3],
    /// Number of nodes along each axis.
    pub extent: [u32; 3],
}

impl From<Partition> for BoxFacts {
    fn from(Partition { at, extent }: Partition) -> Self {
        Self { at, extent }
    }
}

/// The shape of a torus.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct GeometryFacts {
    /// Number of nodes along each axis.
    pub extent: [u32; 3],
    /// True for each axis that is closed to a ring.
    pub wraps: [bool; 3],
    /// Number of nodes that a node of the machine stands for.
    pub supernode: u32,
}

/// A job and its box at an instant.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ResidentFacts {
    /// Index of the job in the run.
    pub job: u32,
    /// Record of the trace that became the job.
    pub record: u32,
    /// Number of the job in the trace.
    pub number: i64,
    /// Size of the job.
    pub processors: u32,
    /// Box of the job.
    #[serde(rename = "box")]
    pub partition: BoxFacts,
    /// Instant from which the job holds this box, in seconds.
    pub from: f64,
    /// Instant until which the job holds this box, in seconds.
    pub to: f64,
    /// True if the job held another box before.
    pub moved: bool,
    /// Colour of the job, as 0xrrggbb.
    pub colour: u32,
}

/// The torus at an instant.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct OccupancyFacts {
    /// The instant, in seconds.
    pub at: f64,
    /// Jobs that hold boxes.
    pub residents: Vec<ResidentFacts>,
    /// Nodes that are out of service, or will be when their jobs end: the first one and their number.
    pub closed: Vec<[u32; 2]>,
    /// Number of nodes that are in service, and that no job holds.
    pub free: u32,
    /// A largest free box, if a node is free.
    pub largest: Option<BoxFacts>,
    /// Number of jobs that wait.
    pub waiting: u32,
}

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
    /// True if the job has moved to this box.
    pub moved: bool,
}

/// The jobs and the free nodes of the machine at an instant.
#[derive(Clone, Debug)]
pub struct Occupancy {
    /// Jobs that hold boxes, in order of starting.
    pub residents: Vec<Resident>,
    /// Nodes that are out of service, or will be when their jobs end.
    pub closed: Vec<Range>,
    /// Number of nodes that are in service, and that no job holds.
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
        let entry = schedule.attempt(place);
        let is_here = |stay: &Residency<'_>| stay.from <= at && at < stay.to;
        for Residency {
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
                    moved: from > entry.from,
                });
            }
        }
    }
    let mut closed = Vec::new();
    let lasts = |outage: &&Closure| outage.at <= at && at < outage.until;
    for outage in schedule.closed.iter().filter(lasts) {
        let ranges = schedule.at(outage.placed).ranges;
        grid.take_ranges(ranges);
        closed.extend_from_slice(ranges);
    }
    Some(Occupancy {
        residents,
        closed,
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
