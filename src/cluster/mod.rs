//! Clusters: nodes with cores, memory and other resources, partitions of nodes, and the requests of
//! jobs for nodes.

mod advance;
mod amounts;
mod description;
mod hosts;
mod kinds;
mod list;
mod partition;
mod request;

pub use advance::{AdvanceKind, AdvanceReservation};
pub use amounts::{
    ADVANCE_RESERVATION, Amounts, CORES, GPUS, MEMORY, NOTHING, RESOURCES, UNLIMITED,
};
pub use description::{licence, read};
pub(crate) use hosts::expand;
pub use kinds::{Cluster, NodeClass, NodeKind};
pub use list::description;
pub use partition::ClusterPartition;
pub use request::{NodeRequest, NodeUse};
