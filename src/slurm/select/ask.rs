//! A question to select/cons_tres.

use super::super::choice::AskMode;
use super::super::conf::SlurmPartition;
use super::super::record::JobTerms;

/// A job and its partition, as the choice of cores sees them.
#[expect(clippy::struct_excessive_bools, reason = "these are independent")]
pub(super) struct CoreAsk<'a> {
    pub facts: &'a JobTerms,
    pub part: &'a SlurmPartition,
    pub partition: usize,
    /// True if the job gets whole nodes.
    pub is_whole: bool,
    /// True only for `--exclusive`, or if it was once tried in an exclusive partition.
    pub is_marked_whole: bool,
    pub mode: AskMode,
    /// True with `bf_busy_nodes`.
    pub is_busy_first: bool,
    /// True if the job may have the row of cores that is kept for jobs whose QOS suspends others.
    pub has_extra_row: bool,
}

impl CoreAsk<'_> {
    /// Returns the fewest tasks on a node.
    pub fn least_tasks(&self) -> i64 {
        match self.facts.node_tasks {
            0 if self.facts.most_nodes == 1 => self.facts.tasks.max(1),
            0 => 1,
            tasks => tasks,
        }
    }

    /// Returns the CPUs of the fewest tasks on a node.
    pub fn least_task_cpus(&self) -> i64 {
        self.least_tasks().saturating_mul(self.facts.task_cpus)
    }
}
