//! The jobs that take no part in a forecast, by rules.

use super::result::LeftOutJobs;

/// A rule by which jobs take no part.
pub struct Rule {
    /// Stable id.
    pub id: &'static str,
    /// The case, in a few words.
    pub text: &'static str,
}

/// The log does not tell when the job started or left.
pub const UNKNOWN: Rule = Rule {
    id: "start_unknown",
    text: "submitted before the instant, and the log does not tell when it started or left the queue",
};
/// A waiting job that cannot start.
pub const HELD: Rule = Rule {
    id: "held",
    text: "waits because somebody holds it, for its time of begin, or for another job",
};
/// A job that cleaning or the machine refuses.
pub const REFUSED: Rule = Rule {
    id: "refused",
    text: "a rule of cleaning or of the machine leaves it out; the import report has the rules",
};
/// A running job without room.
pub const NO_ROOM: Rule = Rule {
    id: "no_room",
    text: "runs, but does not fit on the machine beside the jobs that started before it",
};

/// Numbers of jobs that each rule names.
const NAMED: usize = 5;

/// The jobs that rules have left out.
#[derive(Clone, Debug, Default)]
pub struct LeftOut(Vec<LeftOutJobs>);

impl LeftOut {
    /// Counts a job, by its number in the trace.
    pub fn count(&mut self, rule: &Rule, number: i64) {
        let at = self.0.iter().position(|met| met.id == rule.id);
        let at = at.unwrap_or_else(|| {
            self.0.push(LeftOutJobs {
                id: rule.id.into(),
                text: rule.text.into(),
                count: 0,
                jobs: Vec::new(),
            });
            self.0.len() - 1
        });
        let met = &mut self.0[at];
        met.count += 1;
        if met.jobs.len() < NAMED {
            met.jobs.push(number);
        }
    }

    /// Returns the rules that met a job.
    pub fn rules(&self) -> &[LeftOutJobs] {
        &self.0
    }
}
