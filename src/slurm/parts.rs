//! The parts of a priority.

/// The parts of a priority of priority/multifactor, each multiplied by its weight. The priority is their
/// sum, less the nice value.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct PriorityParts {
    /// The time since the job is eligible.
    pub age: f64,
    /// The priority of the association.
    pub association: f64,
    /// The fair share of the association.
    pub fair_share: f64,
    /// The size of the job.
    pub job_size: f64,
    /// The factor of the partition.
    pub partition: f64,
    /// The priority of the QOS.
    pub qos: f64,
    /// The resources that the job asks for.
    pub tres: f64,
    /// The nice value, which lowers the priority.
    pub nice: f64,
}

impl PriorityParts {
    /// Returns the priority of a job.
    pub fn priority(&self) -> i64 {
        // The order of the sums is Slurm's.
        cut(self.age
            + self.association
            + self.fair_share
            + self.job_size
            + self.partition
            + self.qos
            + self.tres
            - self.nice)
    }

    /// Returns the priority in one of several partitions, which Slurm adds up in another order.
    pub(super) fn in_one_of(&self) -> i64 {
        let others =
            self.age + self.association + self.fair_share + self.job_size + self.qos + self.tres
                - self.nice;
        cut(self.partition + others)
    }
}

/// Makes a priority of a sum: priority 0 is that of held jobs.
fn cut(sum: f64) -> i64 {
    if sum.is_nan() {
        return 1;
    }
    sum.clamp(1.0, 4_294_967_295.0) as i64
}
