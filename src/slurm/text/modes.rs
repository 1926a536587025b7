//! The modes of preemption, which slurm.conf and QOS name.

/// The fate of a preempted job (`PreemptMode`).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum PreemptMode {
    #[default]
    Off,
    Cancel,
    Requeue,
    /// Gang scheduling suspends the job.
    Suspend,
}

impl PreemptMode {
    /// Reads a mode. Returns `None` for one that is not modelled or unknown.
    pub fn read(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "" | "off" | "cluster" => Some(Self::Off),
            "cancel" => Some(Self::Cancel),
            "requeue" => Some(Self::Requeue),
            "suspend" => Some(Self::Suspend),
            _ => None,
        }
    }
}
