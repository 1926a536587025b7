//! The accounts and QOS that may use a partition.

use super::accounts::names;
use super::text::words::ConfLine;

/// `AllowAccounts`, `AllowQos` and their opposites. Empty lists are none.
#[derive(Clone, Debug, Default)]
pub(super) struct PartitionAccess {
    pub accounts: AccessLists,
    pub qos: AccessLists,
}

/// A list of those that may, which hides the list of those that may not.
#[derive(Clone, Debug, Default)]
pub(super) struct AccessLists {
    allowed: Vec<String>,
    denied: Vec<String>,
}

impl AccessLists {
    fn read(line: &ConfLine, allowed: &str, denied: &str) -> Self {
        let list = |key: &str| {
            let names: Vec<String> = names(line.text(key)).collect();
            let is_all = names.iter().any(|name| name == "all");
            if is_all { Vec::new() } else { names }
        };
        Self {
            allowed: list(allowed),
            denied: list(denied),
        }
    }

    pub fn takes(&self, name: Option<&str>) -> bool {
        let has = |list: &[String]| list.iter().any(|known| Some(known.as_str()) == name);
        if self.allowed.is_empty() {
            !has(&self.denied)
        } else {
            has(&self.allowed)
        }
    }
}

impl PartitionAccess {
    /// Reads the lists of a partition.
    pub fn read(line: &ConfLine) -> Self {
        Self {
            accounts: AccessLists::read(line, "allowaccounts", "denyaccounts"),
            qos: AccessLists::read(line, "allowqos", "denyqos"),
        }
    }
}
