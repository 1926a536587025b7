//! Associations: while a text is read, and when it is read.

use super::amounts::{COUNTED, LimitSet};
use super::known::{
    Association, MOST_ASSOCIATIONS, MOST_LEVELS, MOST_QOS, SlurmAccounts, SlurmQos, bad, short,
};
use super::usage::{UsageRow, settle};
use crate::limits;
use crate::problem::Problem;
use crate::slurm::text::facts::{KeywordEffect, LineFact};
use crate::sorting;
use std::collections::BTreeMap;

/// An association while the text is read.
#[derive(Debug)]
pub struct Draft {
    pub parent: Option<usize>,
    pub account: String,
    /// Empty for an account.
    pub user: String,
    pub shares: Option<i64>,
    pub limits: LimitSet,
    pub priority: Option<i64>,
    pub default_qos: String,
    /// The QOS, if the association has a list of its own.
    pub qos: Option<Vec<String>>,
    /// QOS more or fewer than those of the parent.
    pub qos_changes: Vec<(bool, String)>,
    children: Vec<usize>,
    level: usize,
}

/// The part of a text that is read so far.
#[derive(Debug)]
pub struct Drafts {
    pub list: Vec<Draft>,
    pub qos: Vec<SlurmQos>,
    /// True as long as the QOS normal is the one that every database has.
    pub is_default_qos: bool,
    pub facts: Vec<LineFact>,
    pub defaults: BTreeMap<String, String>,
    /// The account of the lines `User` and `Account` of a dump.
    pub parent: usize,
    pub accounts: BTreeMap<String, usize>,
    /// The number of options of associations that are set so far.
    pub changes: usize,
    /// The rows of usage.
    pub usage: Vec<UsageRow>,
    /// The associations of users, by user, account and partition.
    pub by_name: BTreeMap<(String, String, String), usize>,
    by_user: BTreeMap<String, Vec<usize>>,
}

impl Default for Drafts {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            qos: vec![SlurmQos::new("normal")],
            is_default_qos: true,
            facts: Vec::new(),
            defaults: BTreeMap::new(),
            parent: 0,
            accounts: BTreeMap::new(),
            changes: 0,
            usage: Vec::new(),
            by_name: BTreeMap::new(),
            by_user: BTreeMap::new(),
        }
    }
}

impl Drafts {
    pub fn note(&mut self, line: u64, keyword: &str, value: &str, effect: KeywordEffect) {
        self.facts.push(LineFact {
            line,
            keyword: keyword.to_owned(),
            value: value.to_owned(),
            effect,
        });
    }

    /// Returns the account root. The first call makes it, and its user root, as a new cluster does.
    pub fn root(&mut self) -> Result<usize, Problem> {
        if self.list.is_empty() {
            self.push(None, "root", "", "", None)?;
            self.list[0].qos = Some(vec!["normal".to_owned()]);
            self.push(Some(0), "root", "root", "", None)?;
            self.defaults.insert("root".to_owned(), "root".to_owned());
        }
        Ok(0)
    }

    /// Adds an account, or returns the known one. `place` is its place among its parent's children; the
    /// default is the last one.
    pub fn add_account(
        &mut self,
        name: &str,
        parent: usize,
        place: Option<usize>,
    ) -> Result<usize, Problem> {
        let name = name.to_lowercase();
        match self.accounts.get(&name) {
            Some(known) => Ok(*known),
            None => self.push(Some(parent), &name, "", "", place),
        }
    }

    /// Adds an association of a user with an account, or returns the known one.
    pub fn add_user(
        &mut self,
        name: &str,
        account: usize,
        partition: &str,
        place: Option<usize>,
    ) -> Result<usize, Problem> {
        let name = name.to_lowercase();
        let account_name = self.list[account].account.clone();
        let partition = partition.to_lowercase();
        let key = (name, account_name, partition);
        if let Some(known) = self.by_name.get(&key) {
            return Ok(*known);
        }
        if !self.defaults.contains_key(&key.0) {
            self.defaults.insert(key.0.clone(), key.1.clone());
        }
        self.push(Some(account), &key.1, &key.0, &key.2, place)
    }

    /// Returns the associations of a user.
    pub fn of_user(&self, name: &str) -> Vec<usize> {
        let known = self.by_user.get(&name.to_lowercase());
        known.cloned().unwrap_or_default()
    }

    fn push(
        &mut self,
        parent: Option<usize>,
        account: &str,
        user: &str,
        partition: &str,
        place: Option<usize>,
    ) -> Result<usize, Problem> {
        if account.is_empty() || account.len().max(user.len()) > limits::NAME_BYTES {
            return Err(bad(
                format!("`{}` is no name.", short(account)),
                "Accounts and users have short names.",
            ));
        }
        limits::check(
            "The file of accounts",
            self.list.len() + 1,
            MOST_ASSOCIATIONS,
            "associations",
        )?;
        let level = parent.map_or(0, |parent| self.list[parent].level + 1);
        limits::check("The tree of accounts", level, MOST_LEVELS, "levels")?;
        let at = self.list.len();
        if let Some(parent) = parent {
            let children = &mut self.list[parent].children;
            let place = place.unwrap_or(children.len()).min(children.len());
            children.insert(place, at);
        }
        if user.is_empty() {
            self.accounts.insert(account.to_owned(), at);
        } else {
            let key = (user.to_owned(), account.to_owned(), partition.to_owned());
            self.by_name.insert(key, at);
            self.by_user.entry(user.to_owned()).or_default().push(at);
        }
        self.list.push(Draft {
            parent,
            account: account.to_owned(),
            user: user.to_owned(),
            shares: Some(1),
            limits: LimitSet::default(),
            priority: None,
            default_qos: String::new(),
            qos: None,
            qos_changes: Vec::new(),
            children: Vec::new(),
            level,
        });
        Ok(at)
    }

    /// Returns the number of a QOS, and adds it if it is new.
    pub fn add_qos(&mut self, name: &str) -> Result<usize, Problem> {
        let name = name.to_lowercase();
        if let Some(known) = self.qos.iter().position(|one| one.name == name) {
            return Ok(known);
        }
        limits::check(
            "The file of accounts",
            self.qos.len() + 1,
            MOST_QOS,
            "different QOS",
        )?;
        if name.is_empty() || name.len() > limits::NAME_BYTES {
            return Err(bad(
                format!("`{}` is no name.", short(&name)),
                "A QOS has a short name.",
            ));
        }
        self.qos.push(SlurmQos::new(&name));
        Ok(self.qos.len() - 1)
    }

    /// Gives associations the usage of their rows, and notes the rows without effect. Returns the number of
    /// associations with a row.
    fn settle_usage(&mut self, associations: &mut [Association]) -> usize {
        let rows = std::mem::take(&mut self.usage);
        let find = |key: &(String, String, String)| {
            let known = if key.0.is_empty() {
                self.accounts.get(&key.1)
            } else {
                self.by_name.get(key)
            };
            known.copied()
        };
        let settled = settle(&rows, find, associations);
        for (line, name) in &settled.left_out {
            self.note(*line, name, "", KeywordEffect::NotModelled);
        }
        sorting::by(&mut self.facts, |fact| [fact.line.into(), 0]);
        settled.known
    }

    /// Makes the accounts of what is read.
    pub fn finish(mut self) -> Result<SlurmAccounts, Problem> {
        let mut undefined = Vec::new();
        let mut associations: Vec<Association> = Vec::new();
        for mut draft in std::mem::take(&mut self.list) {
            let parent = draft.parent.map(|at| &associations[at]);
            let inherited = parent.map(|one| one.qos.clone()).unwrap_or_default();
            let mut number = |name: &str| {
                let known = self.qos.len();
                let at = self.add_qos(name)?;
                if at >= known {
                    undefined.push(self.qos[at].name.clone());
                }
                Ok::<usize, Problem>(at)
            };
            let mut qos = sorting::set(inherited.into_iter());
            if let Some(own) = &draft.qos {
                qos.clear();
                for name in own {
                    qos.insert(number(name)?);
                }
            }
            for (is_more, name) in &draft.qos_changes {
                let at = number(name)?;
                if *is_more {
                    qos.insert(at);
                } else {
                    qos.remove(&at);
                }
            }
            let own_default = if draft.default_qos.is_empty() {
                None
            } else {
                Some(number(&draft.default_qos)?)
            };
            if let Some(parent) = parent {
                draft.limits.inherit(&parent.limits);
            }
            let is_user = !draft.user.is_empty();
            let inherited = parent.and_then(|one| one.default_qos);
            // A user whose default is none of its QOS has no default.
            let default_qos = own_default
                .or(inherited)
                .filter(|at| !is_user || qos.contains(at));
            associations.push(Association {
                parent: draft.parent,
                is_user,
                shares: draft.shares,
                limits: draft.limits,
                priority: draft
                    .priority
                    .or(parent.map(|one| one.priority))
                    .unwrap_or(0),
                priority_share: 0.0,
                default_qos,
                qos: qos.into_iter().collect(),
                children: draft.children,
                usage: 0.0,
                raw: [0.0; COUNTED],
            });
        }
        let usage_rows = self.settle_usage(&mut associations);
        let most = associations.iter().map(|one| one.priority).max();
        let most = most.unwrap_or(0).max(1) as f64;
        for one in &mut associations {
            one.priority_share = one.priority as f64 / most;
        }
        for at in 0..self.qos.len() {
            let names = std::mem::take(&mut self.qos[at].preempted_names);
            for name in names {
                let number = self.add_qos(&name)?;
                self.qos[at].preempts.push(number);
            }
        }
        super::loops::check(&self.qos)?;
        let most = self.qos.iter().map(|one| one.priority).max();
        let most = most.unwrap_or(0).max(1) as f64;
        for one in &mut self.qos {
            one.share = one.priority as f64 / most;
        }
        Ok(SlurmAccounts {
            facts: self.facts,
            associations,
            qos: self.qos,
            defaults: self.defaults,
            by_name: self.by_name,
            undefined,
            usage_rows,
        })
    }
}

/// Reads a number of shares; `parent` is none. The second result is false if the text is neither.
pub fn shares(text: &str) -> (Option<i64>, bool) {
    const PARENT: i64 = 0x7fff_ffff;
    if text.eq_ignore_ascii_case("parent") {
        return (None, true);
    }
    match text.parse() {
        Ok(-1) => (Some(1), true),
        Ok(PARENT) => (None, true),
        Ok(shares @ 0..PARENT) => (Some(shares), true),
        _ => (None, false),
    }
}

/// Reads a priority; -1 is that of the parent. The second result is false if the text is none.
pub fn priority(text: &str) -> (Option<i64>, bool) {
    match text.parse() {
        Ok(-1) => (None, true),
        Ok(priority @ 0..=0xffff_ffff) => (Some(priority), true),
        _ => (None, false),
    }
}
