//! The record of a fat tree: its shape and the rule that places jobs.

use super::space::Placing;
use super::{Tree, audit, figures};
use crate::schedule::audit::Finding;
use crate::schedule::{self, Schedule};

/// The record of a fat tree.
#[derive(Copy, Clone, Debug)]
pub struct FatTreeRecord {
    /// The shape of the machine.
    pub tree: Tree,
    placing: Placing,
}

impl FatTreeRecord {
    /// Returns the record of a tree with this rule.
    pub const fn new(tree: Tree, placing: Placing) -> Self {
        Self { tree, placing }
    }
}

impl schedule::MachineRecord for FatTreeRecord {
    fn audit(&self, schedule: &Schedule, findings: &mut Vec<Finding>) {
        if self.placing == Placing::Switches {
            audit::audit(schedule, self.tree, findings);
        }
    }

    fn figures(&self, schedule: &Schedule, put: &mut dyn FnMut(&str, f64)) {
        let (switches, pods) = figures::spread(schedule, self.tree);
        put("spread.switches", switches);
        put("spread.pods", pods);
    }

    fn fork(&self) -> Box<dyn schedule::MachineRecord> {
        Box::new(*self)
    }
}
