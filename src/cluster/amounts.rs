//! Amounts of the resources of a node.

/// The largest number of different resources of a node.
pub const RESOURCES: usize = 8;

/// The amount of each resource, by its number: cores, memory in MB (2^20 bytes), GPUs, then further
/// resources in the order in which the description names them.
pub type Amounts = [u32; RESOURCES];

/// The number of the resource that every node has: cores.
pub const CORES: usize = 0;
/// The number of the resource memory.
pub const MEMORY: usize = 1;
/// The number of the resource GPUs.
pub const GPUS: usize = 2;

/// The amount of a resource that is not limited.
pub const UNLIMITED: u32 = u32::MAX;

/// The number that stands for an advance reservation as the reason why a job does not fit. Numbers
/// from [`RESOURCES`] on stand for licences.
pub const ADVANCE_RESERVATION: u32 = 2 * RESOURCES as u32;

/// The amounts of nothing.
pub const NOTHING: Amounts = [0; RESOURCES];
