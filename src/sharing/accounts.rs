//! Accounts and QOS without the names of the site, line by line.

use super::left_out::Losses;
use super::names::{NameKind, OTHER, SiteNames, is_amount};
use crate::slurm::{
    AccountLine, AccountOption, DumpKind, OptionKind, account_line, is_usage_head, option_kind,
};
use std::fmt::Write;

/// Flags of a QOS.
const FLAGS: [&str; 9] = [
    "DenyOnLimit",
    "EnforceUsageThreshold",
    "NoDecay",
    "NoReserve",
    "OverPartQOS",
    "PartitionMaxNodes",
    "PartitionMinNodes",
    "PartitionTimeLimit",
    "UsageFactorSafe",
];

/// Modes of preemption.
const MODES: [&str; 7] = [
    "cancel", "cluster", "gang", "off", "requeue", "suspend", "within",
];

/// Rewrites a text of accounts.
pub struct AccountsWriter<'a> {
    pub names: &'a mut SiteNames,
    pub losses: &'a mut Losses,
    /// The columns of the last table; `None` for one that is left out.
    head: Vec<Option<CellKind>>,
}

/// The meaning of a column of a table.
enum CellKind {
    Name(NameKind),
    /// The option of a QOS.
    Option(String),
    /// A whole number.
    Number,
    /// A list of TRES with amounts.
    Tres,
}

impl<'a> AccountsWriter<'a> {
    pub fn new(names: &'a mut SiteNames, losses: &'a mut Losses) -> Self {
        Self {
            names,
            losses,
            head: Vec::new(),
        }
    }

    /// Returns the text without names.
    pub fn text(&mut self, text: &str) -> String {
        let mut written = String::new();
        for line in text.lines() {
            let new = match account_line(line) {
                None => None,
                Some(AccountLine::Row(cells)) => self.row(&cells),
                Some(AccountLine::Dump {
                    kind,
                    name,
                    options,
                }) => Some(self.dump(kind, name, &options)),
                Some(AccountLine::Command(words)) => self.command(&words),
            };
            if let Some(new) = new {
                written.push_str(&new);
                written.push('\n');
            }
        }
        written
    }

    /// Returns a row of a table, or its head.
    fn row(&mut self, cells: &[&str]) -> Option<String> {
        if let Some(head) = head_of(cells) {
            for (cell, kind) in cells.iter().zip(&head) {
                if kind.is_none() && !cell.is_empty() {
                    self.losses.count(cell);
                }
            }
            let kept = cells.iter().zip(&head).filter(|(_, kind)| kind.is_some());
            let cells: Vec<&str> = kept.map(|(cell, _)| *cell).collect();
            self.head = head;
            return Some(cells.join("|") + "|");
        }
        if self.head.is_empty() {
            self.losses.count("row without a head");
            return None;
        }
        let head = std::mem::take(&mut self.head);
        let mut row = String::new();
        for (kind, cell) in head.iter().zip(cells) {
            let Some(kind) = kind else {
                continue;
            };
            match kind {
                _ if cell.is_empty() => {}
                CellKind::Name(kind) => row.push_str(&self.names.of(*kind, cell)),
                CellKind::Option(key) => {
                    let value = self.value(&option(key, cell), true);
                    row.push_str(&value.unwrap_or_default());
                }
                CellKind::Number => match cell.parse::<u64>() {
                    Ok(number) => row.push_str(&number.to_string()),
                    Err(_) => self.losses.count("value of RawUsage"),
                },
                CellKind::Tres => match self.names.tres(cell) {
                    Some(tres) => row.push_str(&tres),
                    None => self.losses.count("value of GrpTRESRaw"),
                },
            }
            row.push('|');
        }
        self.head = head;
        Some(row)
    }

    /// Returns a line of a dump.
    fn dump(&mut self, kind: DumpKind, name: &str, options: &[AccountOption]) -> String {
        let (word, of) = match kind {
            DumpKind::Cluster => ("Cluster", NameKind::Cluster),
            DumpKind::Parent => ("Parent", NameKind::Account),
            DumpKind::Account => ("Account", NameKind::Account),
            DumpKind::User => ("User", NameKind::User),
        };
        let mut line = format!("{word} - '{}'", self.names.of(of, name));
        for option in options {
            let special = if kind != DumpKind::User {
                None
            } else if option.is("defaultaccount", 8) {
                Some(NameKind::Account)
            } else if option.is("partition", 1) {
                Some(NameKind::Partition)
            } else {
                None
            };
            let value = match special {
                Some(kind) => Some(self.names.of(kind, &option.value)),
                None => self.value(option, false),
            };
            if let Some(value) = value {
                let sign = sign(option);
                let _ = write!(line, ":{}{sign}='{value}'", option.key);
            }
        }
        line
    }

    /// Returns a command. Commands that change nothing are left out.
    fn command(&mut self, words: &[String]) -> Option<String> {
        let written = self.command_of(words);
        if written.is_none() {
            self.losses.count("command");
        }
        written
    }

    fn command_of(&mut self, words: &[String]) -> Option<String> {
        let [verb, entity, rest @ ..] = words else {
            return None;
        };
        let (verb, entity) = (verb.to_ascii_lowercase(), entity.to_ascii_lowercase());
        let mut command = CommandWords {
            of: match entity.as_str() {
                "qos" => NameKind::Qos,
                "account" | "accounts" => NameKind::Account,
                "user" | "users" => NameKind::User,
                "cluster" | "clusters" => NameKind::Cluster,
                _ => return None,
            },
            adds: ["add", "create"].contains(&verb.as_str()),
            is_set: !["modify", "update"].contains(&verb.as_str()),
        };
        let removes = ["remove", "delete"].contains(&verb.as_str());
        if !command.adds && command.is_set && !(removes && command.of == NameKind::Qos) {
            return None;
        }
        let mut written = format!("{verb} {entity}");
        for word in rest {
            let Some(option) = AccountOption::read(word) else {
                let key = word.to_ascii_lowercase();
                let new = match key.as_str() {
                    "set" | "where" => {
                        command.is_set = key == "set";
                        key
                    }
                    _ => self.names.list(command.of, word, &[]),
                };
                let _ = write!(written, " {new}");
                continue;
            };
            let value = match command.meaning(&option) {
                Meaning::List(kind) => Some(self.names.list(kind, &option.value, &[])),
                Meaning::Name(kind) => Some(self.names.of(kind, &option.value)),
                Meaning::Value => self.value(&option, command.of == NameKind::Qos),
                // A change of accounts with another condition has no effect, and must not get one.
                Meaning::Condition if command.is_conditional() => return None,
                Meaning::Condition => None,
            };
            if let Some(value) = value {
                let _ = write!(written, " {}{}={value}", option.key, sign(&option));
            }
        }
        Some(written)
    }

    /// Returns the value of an option without names, or counts the option.
    fn value(&mut self, option: &AccountOption, is_of_qos: bool) -> Option<String> {
        let Some(kind) = option_kind(option, is_of_qos) else {
            self.losses.count(&option.key);
            return None;
        };
        let value = option.value.as_str();
        let new = match kind {
            _ if value.is_empty() => Some(String::new()),
            OptionKind::Amount | OptionKind::Shares => {
                is_amount(value).then(|| value.trim().to_owned())
            }
            OptionKind::Tres if value == "-1" => Some(value.to_owned()),
            OptionKind::Tres => self.names.tres(value),
            // A list of QOS to preempt that is cleared.
            OptionKind::Qos if value == "-1" && is_of_qos => Some(value.to_owned()),
            OptionKind::Qos if option.is("defaultqos", 8) => {
                Some(self.names.of(NameKind::Qos, value))
            }
            OptionKind::Qos => Some(self.names.list(NameKind::Qos, value, &[])),
            OptionKind::Flags => Some(self.fixed(option, &FLAGS)),
            OptionKind::Mode => Some(self.fixed(option, &MODES)),
        };
        Some(new.unwrap_or_else(|| {
            self.losses.count(&format!("value of {}", option.key));
            OTHER.to_owned()
        }))
    }

    fn fixed(&mut self, option: &AccountOption, known: &[&str]) -> String {
        let mut of_piece = |piece: &str| {
            let piece = piece.trim();
            if piece == "-1" || known.iter().any(|one| one.eq_ignore_ascii_case(piece)) {
                return piece.to_owned();
            }
            self.losses.count(&format!("value of {}", option.key));
            OTHER.to_owned()
        };
        let words: Vec<String> = option.value.split(',').map(&mut of_piece).collect();
        words.join(",")
    }
}

/// The words of a command as far as they are read.
struct CommandWords {
    /// The kind of what the command adds or changes.
    of: NameKind,
    /// True for `add`.
    adds: bool,
    /// True if options set something, false if they are conditions.
    is_set: bool,
}

/// The meaning of an option of a command.
enum Meaning {
    List(NameKind),
    Name(NameKind),
    /// An option of an account, a user or a QOS.
    Value,
    /// A condition beside names.
    Condition,
}

impl CommandWords {
    fn meaning(&self, option: &AccountOption) -> Meaning {
        let adds = |kind: NameKind| self.adds && self.of == kind;
        let is_name = option.is("names", 1) || option.is("users", 1) && !self.is_set;
        let is_account = adds(NameKind::Account) && option.is("parent", 1)
            || adds(NameKind::User) && option.is("defaultaccount", 8);
        if is_name {
            Meaning::List(self.of)
        } else if option.is("accounts", 2) || option.is("acct", 4) {
            Meaning::List(NameKind::Account)
        } else if option.is("cluster", 1) {
            Meaning::List(NameKind::Cluster)
        } else if !self.is_set {
            Meaning::Condition
        } else if is_account {
            Meaning::Name(NameKind::Account)
        } else if adds(NameKind::User) && option.is("partitions", 1) {
            Meaning::List(NameKind::Partition)
        } else {
            Meaning::Value
        }
    }

    /// True if conditions beside names decide about a change.
    fn is_conditional(&self) -> bool {
        [NameKind::Account, NameKind::User].contains(&self.of)
    }
}

/// Returns the kinds of the columns if the cells are the head of a table; `None` for a column that is
/// left out.
fn head_of(cells: &[&str]) -> Option<Vec<Option<CellKind>>> {
    if is_usage_head(cells) {
        let kind = |(at, cell): (usize, &&str)| {
            let is_same = |other: &&str| other.eq_ignore_ascii_case(cell);
            // A second column of a name is not read.
            if cells[..at].iter().any(is_same) {
                return None;
            }
            match cell.to_ascii_lowercase().as_str() {
                "account" => Some(CellKind::Name(NameKind::Account)),
                "user" => Some(CellKind::Name(NameKind::User)),
                "partition" => Some(CellKind::Name(NameKind::Partition)),
                "rawusage" => Some(CellKind::Number),
                "grptresraw" => Some(CellKind::Tres),
                _ => None,
            }
        };
        return Some(cells.iter().enumerate().map(kind).collect());
    }
    let is_name = |cell: &str| cell.eq_ignore_ascii_case("name");
    let first = cells.iter().position(|cell| is_name(cell))?;
    let kind = |(at, cell): (usize, &&str)| match option_kind(&option(cell, ""), true) {
        _ if at == first => Some(CellKind::Name(NameKind::Qos)),
        // A second column of this name is no option.
        Some(_) if !is_name(cell) => Some(CellKind::Option((*cell).to_owned())),
        _ => None,
    };
    Some(cells.iter().enumerate().map(kind).collect())
}

fn option(key: &str, value: &str) -> AccountOption {
    AccountOption {
        key: key.to_owned(),
        sign: ' ',
        value: value.to_owned(),
    }
}

/// Returns the sign of an option as it stands before `=`.
fn sign(option: &AccountOption) -> &'static str {
    match option.sign {
        '+' => "+",
        '-' => "-",
        _ => "",
    }
}
