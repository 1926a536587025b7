//! The torus: its shape, and the boxes that jobs hold.

use super::pictures::{Look, packed};
use super::state::Session;
use crate::machines::torus::{Partition, Resident, SUPERNODE, TorusRecord, contiguity, occupancy};
use crate::time::Time;
use serde::Serialize;

/// Largest number of parts for which the largest free box is computed.
const PARTS: usize = 4096;

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
    /// Number of nodes that no job holds.
    pub free: u32,
    /// A largest free box, if a node is free.
    pub largest: Option<BoxFacts>,
    /// Number of jobs that wait.
    pub waiting: u32,
}

impl Session {
    /// Returns the shape of the machine; `None` if it is not a torus.
    pub fn geometry(&self) -> Option<GeometryFacts> {
        let record: &TorusRecord = self.schedule().of()?;
        Some(GeometryFacts {
            extent: record.geometry.extent,
            wraps: record.geometry.wraps,
            supernode: self.run().scenario.settings.get(&SUPERNODE) as u32,
        })
    }

    /// Returns the boxes that jobs hold at an instant, in seconds; `None` if the machine is not a
    /// torus.
    pub fn occupancy(&mut self, at: f64, look: Look) -> Option<OccupancyFacts> {
        let (schedule, index, _, colours) = self.coloured(look.colouring, look.theme);
        let found = occupancy(schedule, index, Time::near(at))?;
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
                moved: resident.from > schedule.held_from(resident.job),
                colour: packed(colours.of(resident.job)),
            }
        };
        let residents = found.residents.iter().map(resident).collect();
        let until = schedule.until;
        let bins = self
            .run()
            .steps()
            .bins(Time::near(at), Time::near(at + 1e-6), 1, until);
        Some(OccupancyFacts {
            at,
            residents,
            free: found.free,
            largest: found.largest.map(Into::into),
            waiting: bins.waiting.first().map_or(0, |jobs| jobs.round() as u32),
        })
    }

    /// Returns the share of the free nodes in the largest free box, at the middle of each of
    /// `count` parts of [from, to). A part is NaN if no node is free, or if the machine is not a
    /// torus.
    pub fn contiguity(&mut self, from: Time, to: Time, count: usize) -> Vec<f32> {
        let (schedule, index, _) = self.indexed();
        contiguity(schedule, index, from, to, count.min(PARTS))
    }
}
