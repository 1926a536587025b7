//! Amounts of trackable resources (TRES), and the limits that associations and QOS can have.

use super::super::text::words::megabytes;

/// A limit that is not set.
pub const NO_LIMIT: i64 = i64::MAX;

/// The largest amount that counts as it is written.
const MOST: i64 = 1 << 50;

/// The largest weight of a TRES. With it, no sum of weighted amounts overflows.
const LARGEST_WEIGHT: f64 = 1e9;

/// The TRES that the controller counts, in Slurm's order.
pub const CPU: usize = 0;
pub const MEMORY: usize = 1;
pub const NODE: usize = 2;
pub const BILLING: usize = 3;
pub const GPU: usize = 4;

/// The number of TRES that are counted.
pub const COUNTED: usize = 5;

/// Amounts of CPUs, megabytes, nodes, billing units and GPUs.
pub type TresAmounts = [i64; COUNTED];

/// Weights of the TRES.
pub type TresWeights = [f64; COUNTED];

/// The limits of an association or of a QOS. Times are minutes.
#[derive(Clone, Debug)]
pub struct LimitSet {
    pub group: TresAmounts,
    pub group_minutes: TresAmounts,
    pub group_run_minutes: TresAmounts,
    pub job: TresAmounts,
    pub job_minutes: TresAmounts,
    pub job_node: TresAmounts,
    pub user: TresAmounts,
    pub account: TresAmounts,
    /// The least of a job; 0 and `NO_LIMIT` are none.
    pub least: TresAmounts,
    pub group_jobs: i64,
    pub group_submitted: i64,
    pub group_wall: i64,
    pub wall: i64,
    /// Jobs of an association.
    pub jobs: i64,
    pub submitted: i64,
    /// Jobs of a user, and of an account, in a QOS.
    pub user_jobs: i64,
    pub user_submitted: i64,
    pub account_jobs: i64,
    pub account_submitted: i64,
}

impl Default for LimitSet {
    fn default() -> Self {
        const NONE: TresAmounts = [NO_LIMIT; COUNTED];
        Self {
            group: NONE,
            group_minutes: NONE,
            group_run_minutes: NONE,
            job: NONE,
            job_minutes: NONE,
            job_node: NONE,
            user: NONE,
            account: NONE,
            least: NONE,
            group_jobs: NO_LIMIT,
            group_submitted: NO_LIMIT,
            group_wall: NO_LIMIT,
            wall: NO_LIMIT,
            jobs: NO_LIMIT,
            submitted: NO_LIMIT,
            user_jobs: NO_LIMIT,
            user_submitted: NO_LIMIT,
            account_jobs: NO_LIMIT,
            account_submitted: NO_LIMIT,
        }
    }
}

impl LimitSet {
    /// True if running jobs can use up one of the limits.
    pub fn has_minutes(&self) -> bool {
        let tres = self.group_minutes.iter().chain(&self.job_minutes);
        self.group_wall != NO_LIMIT || tres.into_iter().any(|limit| *limit != NO_LIMIT)
    }

    /// True if the use that counts for a limit changes while nothing starts or ends.
    pub fn has_usage(&self) -> bool {
        self.has_minutes()
            || self
                .group_run_minutes
                .iter()
                .any(|limit| *limit != NO_LIMIT)
    }

    /// Takes the limits of the parent that pass to its children, where this one sets none.
    pub fn inherit(&mut self, parent: &Self) {
        let each = |own: &mut TresAmounts, other: &TresAmounts| {
            for (own, other) in own.iter_mut().zip(other) {
                if *own == NO_LIMIT {
                    *own = *other;
                }
            }
        };
        each(&mut self.job, &parent.job);
        each(&mut self.job_minutes, &parent.job_minutes);
        each(&mut self.job_node, &parent.job_node);
        for (own, other) in [
            (&mut self.wall, parent.wall),
            (&mut self.jobs, parent.jobs),
            (&mut self.submitted, parent.submitted),
        ] {
            if *own == NO_LIMIT {
                *own = other;
            }
        }
    }
}

/// Reads a limit; -1 is none.
pub fn limit(text: &str) -> Option<i64> {
    let number: i64 = text.trim().parse().ok()?;
    match number {
        -1 => Some(NO_LIMIT),
        0.. => Some(number.min(MOST)),
        _ => None,
    }
}

/// Returns the place of a TRES by its name.
pub fn place_of(name: &str) -> Option<usize> {
    match name.to_ascii_lowercase().as_str() {
        "cpu" | "1" => Some(CPU),
        "mem" | "2" => Some(MEMORY),
        "node" | "4" => Some(NODE),
        "billing" | "5" => Some(BILLING),
        "gres/gpu" => Some(GPU),
        _ => None,
    }
}

fn amount(at: usize, text: &str) -> Option<i64> {
    if text.trim() == "-1" {
        return Some(NO_LIMIT);
    }
    if at == MEMORY {
        return megabytes(text);
    }
    limit(text)
}

/// Reads a list such as `cpu=10,mem=5G` into limits. Returns false if it names another TRES, which is
/// not counted, and `None` if it is wrong.
pub fn read_tres(limits: &mut TresAmounts, text: &str) -> Option<bool> {
    let mut is_known = true;
    for item in text.split(',').filter(|item| !item.trim().is_empty()) {
        let (name, value) = item.trim().split_once('=')?;
        match place_of(name) {
            Some(at) => limits[at] = amount(at, value)?,
            None => is_known = false,
        }
    }
    Some(is_known)
}

/// Reads weights such as `CPU=1.0,Mem=0.25G`. Returns `None` if they are wrong; the second result is
/// false if they name another TRES.
pub fn read_weights(text: &str) -> Option<(TresWeights, bool)> {
    let mut weights = [0.0; COUNTED];
    let mut is_known = true;
    for item in text.split(',').filter(|item| !item.trim().is_empty()) {
        let (name, value) = item.trim().split_once('=')?;
        let digits = value.trim_end_matches(|char: char| char.is_ascii_alphabetic());
        let weight: f64 = digits.parse().ok()?;
        if !(0.0..=LARGEST_WEIGHT).contains(&weight) {
            return None;
        }
        // A weight for each gigabyte is 1/1024 of it for each megabyte.
        let divisor = match (name.to_ascii_lowercase().as_str(), &value[digits.len()..]) {
            ("mem", "G" | "g") => 1024.0,
            ("mem", "T" | "t") => 1_048_576.0,
            ("mem", "K" | "k") | (_, "" | "M" | "m") => 1.0,
            _ => return None,
        };
        match place_of(name) {
            Some(at) => weights[at] = weight / divisor,
            None => is_known = false,
        }
    }
    Some((weights, is_known))
}
