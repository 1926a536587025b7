//! The use of the cluster by associations and QOS.

use super::accounts::{LimitSet, SlurmAccounts};
use super::conf::SlurmConf;
use super::group::GroupUse;
use super::shares::ShareTree;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The use of the cluster by accounts.
#[derive(Clone, Debug)]
pub(super) struct AccountUse {
    pub accounts: Arc<SlurmAccounts>,
    pub shares: ShareTree,
    pub groups: Vec<GroupUse>,
    pub qos: Vec<GroupUse>,
    /// Users, and accounts, in each QOS.
    users: BTreeMap<(usize, usize), GroupUse>,
    of_accounts: BTreeMap<(usize, usize), GroupUse>,
    /// The use of what is not used.
    unused: GroupUse,
    /// The QOS of each partition.
    pub of_partition: Vec<Option<usize>>,
    /// True if an association or a QOS has a limit of minutes.
    pub has_minutes: bool,
    /// True if one has a limit whose use changes while nothing starts or ends.
    pub has_usage: bool,
    /// The second of the last decay; 0 before the first one.
    pub last_run: i64,
    pub last_reset: i64,
    /// The second up to which the usage of running jobs is known from elsewhere; 0 if it is not.
    pub known_until: i64,
    /// The factor by which usage decays in a second.
    pub decay: f64,
    /// Seconds, and the share of usage that is left after them: most jobs ask for the same number.
    decayed: (i64, f64),
}

impl AccountUse {
    pub fn new(accounts: SlurmAccounts, conf: &SlurmConf) -> Self {
        let priority = &conf.priority;
        let half_life = priority.half_life as f64;
        let partitions = conf.partitions.iter();
        let of_partition = partitions.map(|one| accounts.find_qos(&one.qos));
        let of_qos = accounts.qos.iter().map(|one| &one.limits);
        let limits = of_qos.chain(accounts.associations.iter().map(|one| &one.limits));
        Self {
            shares: ShareTree::new(&accounts, priority.fair_rule, priority.damping as f64),
            groups: vec![GroupUse::default(); accounts.associations.len()],
            qos: vec![GroupUse::default(); accounts.qos.len()],
            users: BTreeMap::new(),
            of_accounts: BTreeMap::new(),
            unused: GroupUse::default(),
            of_partition: of_partition.collect(),
            has_minutes: limits.clone().any(LimitSet::has_minutes),
            has_usage: limits.clone().any(LimitSet::has_usage),
            last_run: 0,
            last_reset: 0,
            known_until: 0,
            decay: if priority.half_life > 0 {
                1.0 - 0.693 / half_life
            } else {
                1.0
            },
            decayed: (0, 1.0),
            accounts: Arc::new(accounts),
        }
    }

    /// Returns the share of usage that is left after some seconds.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn decayed(&mut self, seconds: i64) -> f64 {
        if self.decayed.0 != seconds {
            self.decayed = (seconds, libm::pow(self.decay, seconds as f64));
        }
        self.decayed.1
    }

    /// Returns an association and its ancestors.
    pub fn chain(&self, association: Option<usize>) -> impl Iterator<Item = usize> {
        let all = &self.accounts.associations;
        std::iter::successors(association, |at| all[*at].parent)
    }

    /// Returns the limits of a QOS.
    pub fn qos_limits(&self, qos: usize) -> &LimitSet {
        &self.accounts.qos[qos].limits
    }

    /// Returns the use of a user in a QOS, and that of an account. Unknown ones use nothing.
    pub fn in_qos(&self, qos: usize, user: u32, account: usize) -> (&GroupUse, &GroupUse) {
        let user = self.users.get(&(qos, user as usize));
        let account = self.of_accounts.get(&(qos, account));
        (
            user.unwrap_or(&self.unused),
            account.unwrap_or(&self.unused),
        )
    }

    /// Changes the groups of a QOS.
    pub fn each_in_qos(
        &mut self,
        (qos, user, account): (usize, u32, usize),
        mut change: impl FnMut(&mut GroupUse),
    ) {
        change(&mut self.qos[qos]);
        change(self.users.entry((qos, user as usize)).or_default());
        change(self.of_accounts.entry((qos, account)).or_default());
    }

    /// Counts submitted jobs (`ACCT_POLICY_ADD_SUBMIT`), or takes them off.
    pub fn submit(&mut self, association: usize, user: u32, qos: &[usize], count: i64) {
        let add = |group: &mut GroupUse| group.submitted = (group.submitted + count).max(0);
        let account = self.account_of(association);
        for one in qos {
            self.each_in_qos((*one, user, account), add);
        }
        let chain: Vec<usize> = self.chain(Some(association)).collect();
        for at in chain {
            add(&mut self.groups[at]);
        }
    }

    /// Takes submitted jobs off QOS only.
    pub fn forget(&mut self, association: usize, user: u32, qos: &[usize]) {
        let account = self.account_of(association);
        for one in qos {
            self.each_in_qos((*one, user, account), |group| {
                group.submitted = (group.submitted - 1).max(0);
            });
        }
    }

    /// Returns the account of an association.
    pub fn account_of(&self, association: usize) -> usize {
        let one = &self.accounts.associations[association];
        match one.parent {
            Some(parent) if one.is_user => parent,
            _ => association,
        }
    }
}
