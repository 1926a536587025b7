//! Simulation: the event loop that lets a policy schedule a workload on a machine. It knows no
//! policy by name.

mod background;
mod event;
mod forecast;
mod policy;
mod queue;
mod rank;
mod running;
mod simulation;
mod turn;
mod world;

pub use background::{BackgroundSimulation, Tally};
pub use event::{Event, Observer, Reasons, Reservation, Silent, Why};
pub use forecast::{Forecast, Later};
pub use policy::Policy;
pub use queue::{Queue, Waiting};
pub use rank::{JobRank, SchedulerLook};
pub use running::{Running, RunningJob, release_time};
pub use simulation::{KERNEL_PARAMS, Progress, Simulation, TIES, Ties, Turning};
pub use turn::{Fate, Turn};
pub use world::Numbers;
