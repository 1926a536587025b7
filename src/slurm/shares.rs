//! Fair share: the factor of each association by its shares and its usage. Fair Tree is the default,
//! `NO_FAIR_TREE` and `DEPTH_OBLIVIOUS` are the older rules.
//!
//! Slurm uses numbers of 80 bits here; these are of 64 bits.

use super::accounts::SlurmAccounts;

/// The rule for fair shares.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum FairRule {
    #[default]
    Tree,
    Classic,
    DepthOblivious,
}

/// The shares of an association, and its use of the cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct ShareState {
    /// The next ancestor whose shares are numbers (`fs_assoc_ptr`).
    parent: Option<usize>,
    /// Its children by that rule, in the order of the database.
    children: Vec<usize>,
    shares: Option<i64>,
    level_shares: i64,
    /// Its part of the shares.
    norm: f64,
    is_user: bool,
    /// Billing units times seconds, decayed.
    pub usage: f64,
    usage_norm: f64,
    /// The effective usage; `None` if it has to be computed.
    effective: Option<f64>,
    level: f64,
    factor: f64,
}

/// The tree of shares.
#[derive(Clone, Debug, Default)]
pub(super) struct ShareTree {
    pub list: Vec<ShareState>,
    rule: FairRule,
    damping: f64,
    users: u32,
}

/// The rank of users while the tree is walked.
struct FairRank {
    rank: u32,
    next: u32,
}

impl ShareTree {
    pub fn new(accounts: &SlurmAccounts, rule: FairRule, damping: f64) -> Self {
        let all = &accounts.associations;
        let mut list: Vec<ShareState> = Vec::new();
        for one in all {
            // Ancestors with `Fairshare=parent` count as their parents.
            let mut parent = one.parent;
            while let Some(at) = parent
                && all[at].shares.is_none()
                && all[at].parent.is_some()
            {
                parent = all[at].parent;
            }
            list.push(ShareState {
                parent,
                shares: one.shares,
                is_user: one.is_user,
                ..ShareState::default()
            });
        }
        let mut tree = Self {
            users: list.iter().filter(|one| one.is_user).count() as u32,
            list,
            rule,
            damping,
        };
        if !tree.list.is_empty() {
            let mut order = Vec::new();
            in_database_order(accounts, &mut order);
            for at in order {
                if let Some(parent) = tree.list[at].parent {
                    tree.list[parent].children.push(at);
                }
            }
            tree.set_levels();
            tree.list[0].effective = Some(1.0);
        }
        tree
    }

    /// Sets the shares of all siblings, and the normalised ones.
    fn set_levels(&mut self) {
        for at in 0..self.list.len() {
            let children = std::mem::take(&mut self.list[at].children);
            let sum: i64 = children
                .iter()
                .map(|child| self.list[*child].shares.unwrap_or(0))
                .sum();
            for child in &children {
                self.list[*child].level_shares = sum;
            }
            self.list[at].children = children;
        }
        for at in 0..self.list.len() {
            let one = &self.list[at];
            let share = |one: &ShareState| match (one.level_shares, one.shares) {
                (0, _) | (_, None) => 0.0,
                (all, Some(own)) => own as f64 / all as f64,
            };
            let norm = match (self.rule, one.shares, one.parent) {
                (FairRule::Tree, None, Some(parent)) => share(&self.list[parent]),
                (FairRule::Tree, ..) => share(one),
                (_, None, Some(parent)) => self.list[parent].norm,
                (_, _, None) => 1.0,
                (_, Some(_), Some(_)) => {
                    // From the association upward, as Slurm multiplies.
                    let mut norm = 1.0;
                    let mut next = Some(at);
                    while let Some(place) = next {
                        let one = &self.list[place];
                        if let Some(parent) = one.parent {
                            norm *= share(one);
                            next = Some(parent);
                        } else {
                            next = None;
                        }
                    }
                    norm
                }
            };
            self.list[at].norm = norm;
        }
    }

    /// Computes everything anew from usage that comes from elsewhere.
    pub fn renew(&mut self) {
        for at in 0..self.list.len() {
            self.list[at].usage_norm = self.usage_norm(at);
        }
        self.refresh_classic();
        self.refresh_tree();
    }

    /// Prepares the factors before new usage is added (`_set_children_usage_efctv`). Fair Tree does so
    /// later.
    pub fn refresh_classic(&mut self) {
        if self.rule == FairRule::Tree || self.list.is_empty() {
            return;
        }
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            let children = self.list[at].children.clone();
            for child in children.iter().rev() {
                stack.push(*child);
            }
            if at == 0 {
                continue;
            }
            if self.list[at].is_user {
                self.list[at].effective = None;
            } else {
                self.set_effective(at);
            }
        }
    }

    /// Computes the factors of Fair Tree (`_apply_priority_fs`).
    pub fn refresh_tree(&mut self) {
        if self.rule != FairRule::Tree || self.list.is_empty() {
            return;
        }
        let mut rank = FairRank {
            rank: self.users,
            next: self.users,
        };
        let children = self.list[0].children.clone();
        self.rank(children, &mut rank, false);
    }

    /// Ranks siblings (`_calc_tree_fs`). The depth of the tree is bounded.
    fn rank(&mut self, mut siblings: Vec<usize>, rank: &mut FairRank, is_tied: bool) {
        for at in &siblings {
            self.set_level(*at);
        }
        let list = &self.list;
        // The largest level first; users before accounts among equals.
        let order = crate::sorting::falling(
            &siblings
                .iter()
                .map(|at| list[*at].level + 0.0)
                .collect::<Vec<f64>>(),
        );
        siblings = order.into_iter().map(|place| siblings[place]).collect();
        let mut first = 0;
        while first < siblings.len() {
            let level = list[siblings[first]].level;
            let rest = &siblings[first..];
            let equal = rest.iter().take_while(|at| list[**at].level == level);
            let count = equal.count().max(1);
            crate::sorting::by(&mut siblings[first..first + count], |at| {
                [i128::from(!list[*at].is_user), 0]
            });
            first += count;
        }
        let mut previous = None;
        for (place, at) in siblings.into_iter().enumerate() {
            let one = &self.list[at];
            let (level, is_user) = (one.level, one.is_user);
            let tied = if place == 0 && is_tied {
                true
            } else {
                previous == Some(level)
            };
            if is_user {
                if !tied {
                    rank.rank = rank.next;
                }
                self.list[at].factor = f64::from(rank.rank) / f64::from(self.users);
                rank.next = rank.next.saturating_sub(1);
            } else {
                let children = self.list[at].children.clone();
                self.rank(children, rank, tied);
            }
            previous = Some(level);
        }
    }

    /// Computes the level of an association among its siblings (`_calc_assoc_fs`).
    fn set_level(&mut self, at: usize) {
        /// The level of accounts with `Fairshare=parent`, which have no children here.
        const NO_LEVEL: f64 = 4_294_967_294.0;
        let one = &self.list[at];
        let parent_usage = one.parent.map_or(0.0, |parent| self.list[parent].usage);
        let effective = if parent_usage == 0.0 {
            0.0
        } else {
            one.usage / parent_usage
        };
        let level = match (one.shares, one.is_user) {
            (None, true) => f64::INFINITY,
            (None, false) => NO_LEVEL,
            (Some(_), _) if one.norm == 0.0 => 0.0,
            (Some(_), _) => one.norm / effective,
        };
        let norm = self.usage_norm(at);
        let one = &mut self.list[at];
        one.effective = Some(effective);
        one.usage_norm = norm;
        one.level = level;
    }

    fn usage_norm(&self, at: usize) -> f64 {
        let root = self.list[0].usage;
        if root == 0.0 {
            return 0.0;
        }
        (self.list[at].usage / root).min(1.0)
    }

    /// Computes the effective usage of the older rules (`priority_p_set_assoc_usage`).
    fn set_effective(&mut self, at: usize) {
        let norm = self.usage_norm(at);
        self.list[at].usage_norm = norm;
        let one = &self.list[at];
        let effective = match one.parent {
            None => 1.0,
            Some(0) => norm,
            Some(parent) => {
                let of_parent = self.list[parent].effective.unwrap_or(0.0);
                match (one.shares, self.rule) {
                    (None, _) => of_parent,
                    (Some(_), FairRule::DepthOblivious) => self.oblivious(at, parent),
                    (Some(_), _) if one.level_shares == 0 => of_parent,
                    (Some(own), _) => {
                        norm + (of_parent - norm) * (own as f64 / one.level_shares as f64)
                    }
                }
            }
        };
        self.list[at].effective = Some(effective);
    }

    /// The effective usage of `DEPTH_OBLIVIOUS` (`_depth_oblivious_set_usage_efctv`).
    fn oblivious(&self, at: usize, parent: usize) -> f64 {
        let (one, above) = (&self.list[at], &self.list[parent]);
        let of_parent = above.effective.unwrap_or(0.0);
        if one.norm == 0.0 || above.norm == 0.0 || of_parent == 0.0 || one.usage_norm == 0.0 {
            return one.usage_norm;
        }
        let by_parent = of_parent / above.norm;
        let siblings = above.children.iter().map(|child| &self.list[*child]);
        let siblings = siblings.filter(|child| child.shares.is_some());
        let all: f64 = siblings.map(|child| child.usage_norm).sum();
        let by_siblings = (one.usage_norm / one.norm) / (all / above.norm);
        let (first, second) = (libm::log(by_parent), libm::log(by_siblings));
        let exponent = if by_siblings == 0.0 || first * second >= 0.0 {
            1.0
        } else {
            1.0 / (1.0 + libm::pow(5.0 * first, 2.0))
        };
        by_parent * libm::pow(by_siblings, exponent) * one.norm
    }

    /// Returns the factor of the jobs of an association, from 0 to 1 (`_get_fairshare_priority`).
    pub fn factor(&mut self, at: usize) -> f64 {
        if self.rule == FairRule::Tree {
            return self.list[at].factor;
        }
        let source = match (self.list[at].shares, self.list[at].parent) {
            (None, Some(parent)) => parent,
            _ => at,
        };
        if self.list[source].effective.is_none() {
            self.set_effective(source);
        }
        self.known_factor(at)
    }

    /// Returns the factor without computing anything anew.
    pub fn known_factor(&self, at: usize) -> f64 {
        if self.rule == FairRule::Tree {
            return self.list[at].factor;
        }
        let source = match (self.list[at].shares, self.list[at].parent) {
            (None, Some(parent)) => parent,
            _ => at,
        };
        let source = &self.list[source];
        match source.effective {
            Some(effective) if source.norm > 0.0 => {
                libm::pow(2.0, -((effective / source.norm) / self.damping))
            }
            _ => 0.0,
        }
    }
}

/// Lists all associations, children after their parents, in the order of the database.
fn in_database_order(accounts: &SlurmAccounts, order: &mut Vec<usize>) {
    let mut stack = vec![0];
    while let Some(at) = stack.pop() {
        order.push(at);
        let children = &accounts.associations[at].children;
        stack.extend(children.iter().rev());
    }
}
