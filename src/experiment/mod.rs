//! Experiments: a scenario describes everything that determines a run. Workload, run and summary
//! follow from it.

mod catalog;
mod closed_loop;
mod conformance;
mod preset;
mod run;
mod scenario;
mod summary;
mod what_if;

pub use catalog::{Catalog, catalog, choosable};
pub use conformance::{Shortcoming, conformance};
pub use preset::{PRESETS, Preset};
pub use run::{LONGEST_STORY, Microscope, Run};
pub use scenario::{Resolved, Scenario};
pub use summary::{ENGINE, VERSION, summary};
pub use what_if::{JobChange, Outage, WhatIf};
