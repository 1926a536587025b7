//! The jobs that gang scheduling knows, by partition.

use super::conf::SlurmConf;
use super::core_rows::first_words;
use super::record::SuspendedJob;

/// The jobs that gang scheduling knows.
#[derive(Clone, Debug)]
pub(super) struct GangState {
    /// The first word of each node in sets of cores.
    pub first: Vec<usize>,
    /// The partitions, the highest tier first.
    pub order: Vec<usize>,
    /// The jobs of each partition from their start until their nodes are clean, in the order of their starts.
    pub jobs: Vec<Vec<u32>>,
    /// The suspended jobs on each node.
    pub suspended: Vec<u32>,
    pub told: Vec<SuspendedJob>,
}

impl GangState {
    /// Returns the state without jobs, if the configuration has gang scheduling.
    pub fn of(conf: &SlurmConf) -> Option<Self> {
        if !conf.preempt.is_gang {
            return None;
        }
        let mut order: Vec<usize> = (0..conf.partitions.len()).collect();
        crate::sorting::by(&mut order, |one| {
            [-i128::from(conf.partitions[*one].tier), 0]
        });
        Some(Self {
            first: first_words(conf),
            order,
            jobs: vec![Vec::new(); conf.partitions.len()],
            suspended: vec![0; conf.node_count()],
            told: Vec::new(),
        })
    }
}
