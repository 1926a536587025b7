//! Tools that policies share, one folder for each purpose.

pub mod adaptive;
pub mod moving;
pub mod order;
pub mod prediction;
pub mod reservation;
pub mod selection;
pub mod sharing;
pub mod slurm;
pub mod spec;
