//! The torus: its shape, and the boxes that jobs hold.

use super::pictures::{Look, packed};
use super::state::Session;
use crate::machines::torus::{Partition, Resident, SUPERNODE, TorusRecord, contiguity, occupancy};
use crate::time::Time;
use serde::Serialize;

/// The most parts for which the largest free box is looked for.
const PARTS: usize = 4096;

/// A box of nodes: its first node, and how many it has along x, y and z.
#[derive(Copy, Clone, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct BoxFacts {
    /// First node.
    pub at: [u32; 3],
    /// Nodes along each axis.
    pub extent: [u32; 3],
}

impl From<Partition> for BoxFacts {
    fn from(Partition { at, extent }: Partition) -> Self {
        Self { at, extent }
    }
}

/// The shape of a machine.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct GeometryFacts {
    /// Nodes along each axis.
    pub extent: [u32; 3],
    /// Whether an axis is closed to a ring.
    pub wraps: [bool; 3],
    /// What a node stands for.
    pub supernode: u32,
}

/// A job and its box at an instant.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ResidentFacts {
    /// Index in the run.
    pub job: u32,
    /// Which record of the trace it is.
    pub record: u32,
    /// Number in the trace.
    pub number: i64,
    /// The size it asked for.
    pub processors: u32,
    /// Its box.
    #[serde(rename = "box")]
    pub partition: BoxFacts,
    /// From when on it has this box.
    pub from: f64,
    /// Until when.
    pub to: f64,
    /// Whether it had another box before.
    pub moved: bool,
    /// Its colour, as 0xrrggbb.
    pub colour: u32,
}

/// The machine at an instant.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct OccupancyFacts {
    /// The instant.
    pub at: f64,
    /// Who is where.
    pub residents: Vec<ResidentFacts>,
    /// Nodes that nobody holds.
    pub free: u32,
    /// A largest free box.
    pub largest: Option<BoxFacts>,
    /// Jobs that wait.
    pub waiting: u32,
}

impl Session {
    /// Returns the machine's shape; none if it is no torus.
    pub fn geometry(&self) -> Option<GeometryFacts> {
        let record: &TorusRecord = self.schedule().of()?;
        Some(GeometryFacts {
            extent: record.geometry.extent,
            wraps: record.geometry.wraps,
            supernode: self.run().scenario.settings.get(&SUPERNODE) as u32,
        })
    }

    /// Returns the boxes that jobs hold at an instant, in seconds; none if the machine is no torus.
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

    /// Returns the share of the free nodes in the largest free box, at the middle of each of `count`
    /// parts of [from, to).
    pub fn contiguity(&mut self, from: Time, to: Time, count: usize) -> Vec<f32> {
        let (schedule, index, _) = self.indexed();
        contiguity(schedule, index, from, to, count.min(PARTS))
    }
}
