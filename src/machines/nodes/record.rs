//! The record of a run on nodes: the rule that places jobs.

use super::placing::Placing;
use super::{audit, figures, units};
use crate::job::JobId;
use crate::schedule::audit::Finding;
use crate::schedule::{self, Schedule, UnitRows};
use crate::workload::Workload;

/// The record of a run on nodes.
#[derive(Clone, Debug)]
pub struct NodesRecord {
    /// The rule that chose nodes.
    pub placing: Placing,
    /// Grams of carbon dioxide of a kWh, by hour.
    carbon: Vec<f64>,
}

impl NodesRecord {
    /// Returns the record of a run with this rule, and with these grams of carbon dioxide of a kWh.
    pub const fn new(placing: Placing, carbon: Vec<f64>) -> Self {
        Self { placing, carbon }
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
        let power = figures::power(schedule, &self.carbon);
        put("node_power.mean", power.mean);
        put("node_power.peak", power.peak);
        put("node_power.energy", power.energy);
        put("node_power.carbon", power.carbon);
        figures::preemption(schedule, put);
    }

    fn unit_count(&self, workload: &Workload) -> u32 {
        let nodes = workload.nodes.as_ref();
        nodes.map_or(0, |nodes| units::count(&nodes.cluster))
    }

    fn unit_rows(&self, schedule: &Schedule) -> Option<UnitRows> {
        let nodes = schedule.workload.nodes.as_ref()?;
        (units::count(&nodes.cluster) > 0).then(|| units::rows(schedule, nodes))
    }

    fn class_figures(&self, schedule: &Schedule, jobs: &[JobId], put: &mut dyn FnMut(&str, f64)) {
        let [memory, gpus] = figures::class_shares(schedule, jobs);
        put("node_use.memory", memory);
        put("node_use.gpus", gpus);
    }

    fn fork(&self) -> Box<dyn schedule::MachineRecord> {
        Box::new(self.clone())
    }
}
