//! Accounts and QOS as they are known once a text is read.

use super::amounts::{LimitSet, TresWeights};
use crate::problem::Problem;
use crate::slurm::text::facts::LineFact;
use crate::slurm::text::modes::PreemptMode;
use std::collections::BTreeMap;

/// Bytes in the text, associations, and QOS.
pub const MOST_BYTES: usize = 4 << 20;
pub const MOST_ASSOCIATIONS: usize = 50_000;
pub const MOST_QOS: usize = 1_000;
/// Options of associations that a text sets.
pub const MOST_CHANGES: usize = 5_000_000;
/// Levels of accounts below root.
pub const MOST_LEVELS: usize = 60;

/// The accounts of a cluster. The default has none: then jobs have no association and no limit.
#[derive(Clone, Debug, Default)]
pub struct SlurmAccounts {
    /// Every option of the text, in the order of its lines.
    pub facts: Vec<LineFact>,
    /// All associations; parents come before their children. The first one is the account root.
    pub(in crate::slurm) associations: Vec<Association>,
    pub(in crate::slurm) qos: Vec<SlurmQos>,
    /// The default account of each user.
    pub(in crate::slurm) defaults: BTreeMap<String, String>,
    /// The associations by user, account and partition (empty: any).
    pub(in crate::slurm) by_name: BTreeMap<(String, String, String), usize>,
    pub(in crate::slurm) undefined: Vec<String>,
    pub(in crate::slurm) usage_rows: usize,
}

/// A quality of service.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of a QOS in sacctmgr"
)]
pub struct SlurmQos {
    pub name: String,
    pub limits: LimitSet,
    pub priority: i64,
    /// The priority, divided by the largest one of all QOS.
    pub share: f64,
    pub usage_factor: f64,
    /// The factor by which the QOS multiplies limits of associations; `None` is none.
    pub limit_factor: Option<f64>,
    pub denies: bool,
    pub is_over_partition: bool,
    pub has_no_decay: bool,
    pub has_no_reservation: bool,
    pub is_factor_safe: bool,
    /// The QOS whose jobs its jobs may preempt, by name until the text is read.
    pub preempted_names: Vec<String>,
    pub preempts: Vec<usize>,
    /// The fate of its jobs if they are preempted; `None` is the mode of the cluster.
    pub preempt_mode: Option<PreemptMode>,
    /// Seconds that a preempted job runs on, and seconds after its start without preemption.
    pub grace: i64,
    pub exempt: Option<i64>,
}

impl SlurmQos {
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            limits: LimitSet::default(),
            priority: 0,
            share: 0.0,
            usage_factor: 1.0,
            limit_factor: None,
            denies: false,
            is_over_partition: false,
            has_no_decay: false,
            has_no_reservation: false,
            is_factor_safe: false,
            preempted_names: Vec::new(),
            preempts: Vec::new(),
            preempt_mode: None,
            grace: 0,
            exempt: None,
        }
    }
}

/// An association of a user with an account, or an account itself.
#[derive(Clone, Debug)]
pub struct Association {
    pub parent: Option<usize>,
    /// False for an account.
    pub is_user: bool,
    /// `None` is `Fairshare=parent`.
    pub shares: Option<i64>,
    /// Its limits, with those that the account passes on.
    pub limits: LimitSet,
    pub priority: i64,
    /// The priority, divided by the largest one of all associations.
    pub priority_share: f64,
    pub default_qos: Option<usize>,
    /// The QOS that its jobs may use, in rising order.
    pub qos: Vec<usize>,
    /// Its children in the order of the database.
    pub children: Vec<usize>,
    /// Billing units times seconds, as the text tells them; 0 if it does not.
    pub usage: f64,
    /// TRES times seconds, likewise.
    pub raw: TresWeights,
}

impl SlurmAccounts {
    /// Returns the QOS that an association or a user names, and that the text does not define. They
    /// count as QOS without limits.
    pub fn undefined_qos(&self) -> &[String] {
        &self.undefined
    }

    /// Returns the number of rows that tell the usage of an association.
    pub fn usage_rows(&self) -> usize {
        self.usage_rows
    }

    /// True if there is no association.
    pub fn is_empty(&self) -> bool {
        self.associations.is_empty()
    }

    /// Returns the number of the QOS with a name.
    pub(in crate::slurm) fn find_qos(&self, name: &str) -> Option<usize> {
        let name = name.to_lowercase();
        self.qos.iter().position(|one| one.name == name)
    }

    /// Returns the name of an account, or of the user's default account.
    pub(in crate::slurm) fn account_name(&self, user: &str, account: &str) -> String {
        if account.is_empty() {
            let default = self.defaults.get(&user.to_lowercase());
            return default.cloned().unwrap_or_default();
        }
        account.to_lowercase()
    }

    /// Returns the association of a user with an account, in a partition or in any
    /// (`assoc_mgr_fill_in_assoc`). Without an account it is that with the default account.
    pub(in crate::slurm) fn find(
        &self,
        user: &str,
        account: &str,
        partition: &str,
    ) -> Option<usize> {
        let user = user.to_lowercase();
        let account = self.account_name(&user, account);
        let mut key = (user, account, partition.to_lowercase());
        self.by_name.get(&key).copied().or_else(|| {
            key.2.clear();
            self.by_name.get(&key).copied()
        })
    }

    /// Returns the QOS of a job that names none (`assoc_mgr_get_default_qos_info`).
    pub(in crate::slurm) fn default_qos(&self, association: Option<usize>) -> Option<usize> {
        let root = self.associations.first();
        let of_root = || root.and_then(|root| root.default_qos);
        let of_all = || of_root().or_else(|| self.find_qos("normal"));
        let Some(one) = association.map(|at| &self.associations[at]) else {
            return of_all();
        };
        match (one.default_qos, one.qos.len()) {
            (Some(qos), _) => Some(qos),
            (None, 1) => one.qos.first().copied(),
            _ => of_all(),
        }
    }
}

/// Returns a problem of a text of accounts.
pub fn bad(what: impl Into<String>, why: &str) -> Problem {
    Problem::new(what, why, "See sacctmgr(1) of Slurm 22.05.")
}

/// Shortens a text of a problem.
pub fn short(text: &str) -> String {
    text.chars().take(60).collect()
}
