//! The lines of a text of accounts, in their parts, for those that rewrite such a text.

use super::dump::{DumpKind, kind_of, pieces};
use super::options::{AccountOption, unquoted};
use super::script::command_words;
use super::usage::UsageColumns;

/// A line of a text of accounts.
#[derive(Clone, Debug)]
pub enum AccountLine<'a> {
    /// The cells of a row of `sacctmgr show qos -P` or `sshare -P`, or of its head.
    Row(Vec<&'a str>),
    /// A line of `sacctmgr dump`, with the options that have a value.
    Dump {
        /// The first word.
        kind: DumpKind,
        /// The name of the account, the user or the cluster.
        name: &'a str,
        /// The options.
        options: Vec<AccountOption>,
    },
    /// The words of a command of sacctmgr, without the name of the program.
    Command(Vec<String>),
}

/// Splits a line as [`SlurmAccounts::read`](super::SlurmAccounts::read) does. Returns `None` for an empty
/// line and for a comment.
pub fn account_line(line: &str) -> Option<AccountLine<'_>> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    if line.contains('|') {
        return Some(AccountLine::Row(line.split('|').map(str::trim).collect()));
    }
    if let Some((kind, rest)) = kind_of(line) {
        let pieces = pieces(rest);
        let options = pieces[1..].iter();
        let options = options.filter_map(|piece| AccountOption::read(piece));
        return Some(AccountLine::Dump {
            kind,
            name: unquoted(pieces[0]),
            options: options.filter(|one| !one.value.is_empty()).collect(),
        });
    }
    Some(AccountLine::Command(command_words(line)))
}

/// True for the cells of the head of a table of `sshare`.
pub fn is_usage_head(cells: &[&str]) -> bool {
    UsageColumns::of(cells).is_some()
}
