//! The record of a run on nodes: the rule that places jobs.

use super::placing::Placing;
use super::{audit, figures};
use crate::schedule::audit::Finding;
use crate::schedule::{self, Schedule};

/// The record of a run on nodes.
#[derive(Copy, Clone, Debug)]
pub struct NodesRecord {
    /// The rule that chose nodes.
    pub placing: Placing,
}

impl NodesRecord {
    /// Returns the record of a run with this rule.
    pub const fn new(placing: Placing) -> Self {
        Self { placing }
    }
}

impl schedule::MachineRecord for NodesRecord {
    fn gives_more(&self) -> bool {
        true
    }

    fn audit(&self, schedule: &Schedule, findings: &mut Vec<Finding>) {
        audit::audit(schedule, findings);
    }

    fn figures(&self, schedule: &Schedule, put: &mut dyn FnMut(&str, f64)) {
        let [memory, gpus] = figures::shares(schedule);
        put("node_use.memory", memory.held);
        put("node_use.gpus", gpus.held);
        put("node_stranded.memory", memory.stranded);
        put("node_stranded.gpus", gpus.stranded);
    }

    fn fork(&self) -> Box<dyn schedule::MachineRecord> {
        Box::new(*self)
    }
}
