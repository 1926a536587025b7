//! The record of a torus: its shape.

use super::{Geometry, audit, figures};
use crate::schedule::audit::Finding;
use crate::schedule::{self, Schedule};
use std::sync::Arc;

/// The record of a torus.
#[derive(Clone, Debug)]
pub struct TorusRecord {
    /// The shape of the machine.
    pub geometry: Arc<Geometry>,
}

impl TorusRecord {
    /// Returns the record of a machine with this shape.
    pub fn new(geometry: Geometry) -> Self {
        let geometry = Arc::new(geometry);
        Self { geometry }
    }
}

impl schedule::MachineRecord for TorusRecord {
    fn gives_more(&self) -> bool {
        true
    }

    fn audit(&self, schedule: &Schedule, findings: &mut Vec<Finding>) {
        audit::audit(schedule, &self.geometry, findings);
    }

    fn figures(&self, schedule: &Schedule, put: &mut dyn FnMut(&str, f64)) {
        put(
            "fragmentation.value",
            figures::fragmentation(schedule, &self.geometry),
        );
    }

    fn fork(&self) -> Box<dyn schedule::MachineRecord> {
        Box::new(self.clone())
    }
}
