//! Commands of sacctmgr: `add`, `modify` and `remove`.

use super::known::{bad, short};
use super::options::{AccountOption, set_all, set_qos, unquoted};
use super::tree::Drafts;
use crate::problem::Problem;
use crate::slurm::text::facts::KeywordEffect;
use std::collections::BTreeSet;

/// A command in its parts.
struct AccountCommand {
    names: Vec<String>,
    accounts: Vec<String>,
    /// Options that say which ones are meant, and options to set.
    conditions: Vec<AccountOption>,
    options: Vec<AccountOption>,
}

/// Splits a line at spaces outside quotation marks.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for char in line.chars() {
        match quote {
            Some(open) if char == open => quote = None,
            None if char == '\'' || char == '"' => quote = Some(char),
            None if char == '#' => break,
            None if char.is_whitespace() => words.push(String::new()),
            _ => {
                if let Some(last) = words.last_mut() {
                    last.push(char);
                }
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the words of a command without the name of the program and its own options.
pub fn command_words(line: &str) -> Vec<String> {
    let mut words = words(line);
    if words.first().is_some_and(|word| word.ends_with("sacctmgr")) {
        words.remove(0);
    }
    words.retain(|word| !["-i", "-Q", "-iQ", "-Qi", "--immediate", "--quiet"].contains(&&**word));
    words
}

/// Reads a command.
pub fn read(drafts: &mut Drafts, text: &str, line: u64) -> Result<(), Problem> {
    let words = command_words(text);
    let at = |place: usize| {
        let word = words.get(place).map(|word| word.to_ascii_lowercase());
        word.unwrap_or_default()
    };
    let (verb, entity) = (at(0), at(1));
    let is_add = verb == "add" || verb == "create";
    let is_change = verb == "modify" || verb == "update";
    let is_removal = verb == "remove" || verb == "delete";
    if ["exit", "quit", "list", "show", "dump", "load"].contains(&verb.as_str()) {
        drafts.note(line, &words[0], text, KeywordEffect::WithoutEffect);
        return Ok(());
    }
    if !is_add && !is_change && !is_removal {
        return Err(bad(
            format!("The line `{}` is unknown.", short(text)),
            "Lines are those of `sacctmgr dump` and `sacctmgr show qos -P`, and commands add, modify and \
             remove.",
        ));
    }
    let command = command(&words[2.min(words.len())..], !is_change);
    match (entity.as_str(), is_add, is_change) {
        ("qos", true, _) | ("qos", _, true) => change_qos(drafts, &command, line),
        ("qos", ..) => {
            let names: Vec<String> = command.names.iter().map(|one| one.to_lowercase()).collect();
            drafts.qos.retain(|one| !names.contains(&one.name));
            drafts.note(line, "remove", &names.join(","), KeywordEffect::Used);
            Ok(())
        }
        ("cluster" | "clusters", true, _) | ("cluster" | "clusters", _, true) => {
            let root = drafts.root()?;
            set_all(drafts, &[root], &command.options, line)
        }
        ("account" | "accounts", true, _) => add_accounts(drafts, command, line),
        ("user" | "users", true, _) => add_users(drafts, command, line),
        ("account" | "accounts" | "user" | "users", _, true) => {
            change(drafts, &command, entity.starts_with("user"), line)
        }
        _ => {
            drafts.note(line, &words[0], text, KeywordEffect::NotModelled);
            Ok(())
        }
    }
}

fn listed(value: &str) -> impl Iterator<Item = String> {
    let names = value.split(',').map(|name| unquoted(name).to_owned());
    names.filter(|name| !name.is_empty())
}

/// Sorts the words after the entity. `sets` says whether options without `set` and `where` set something.
fn command(words: &[String], sets: bool) -> AccountCommand {
    let mut command = AccountCommand {
        names: Vec::new(),
        accounts: Vec::new(),
        conditions: Vec::new(),
        options: Vec::new(),
    };
    let mut is_set = sets;
    for word in words {
        let Some(option) = AccountOption::read(word) else {
            match word.to_ascii_lowercase().as_str() {
                "set" => is_set = true,
                "where" => is_set = false,
                _ => command.names.extend(listed(word)),
            }
            continue;
        };
        if option.is("names", 1) || option.is("users", 1) && !is_set {
            command.names.extend(listed(&option.value));
        } else if option.is("accounts", 2) || option.is("acct", 4) {
            command.accounts.extend(listed(&option.value));
        } else if is_set {
            command.options.push(option);
        } else {
            command.conditions.push(option);
        }
    }
    command.names = once(command.names);
    command.accounts = once(command.accounts);
    command
}

/// Returns a list without repetitions, as sacctmgr reads it.
fn once(names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let is_new = |name: &String| seen.insert(name.to_lowercase());
    names.into_iter().filter(is_new).collect()
}

fn take(options: &mut Vec<AccountOption>, name: &str, least: usize) -> Option<AccountOption> {
    let place = options.iter().position(|one| one.is(name, least))?;
    Some(options.remove(place))
}

fn change_qos(drafts: &mut Drafts, command: &AccountCommand, line: u64) -> Result<(), Problem> {
    for name in &command.names {
        let at = drafts.add_qos(name)?;
        for option in &command.options {
            let effect = set_qos(&mut drafts.qos[at], option)?;
            drafts.note(line, &option.key, &option.value, effect);
        }
    }
    Ok(())
}

fn account_of(drafts: &Drafts, name: &str) -> Result<usize, Problem> {
    let known = drafts.accounts.get(&name.to_lowercase());
    known.copied().ok_or_else(|| {
        bad(
            format!("No account is called `{}`.", short(name)),
            "An account is added before its users and its children.",
        )
    })
}

fn add_accounts(
    drafts: &mut Drafts,
    mut command: AccountCommand,
    line: u64,
) -> Result<(), Problem> {
    drafts.root()?;
    take(&mut command.options, "cluster", 1);
    let parent = match take(&mut command.options, "parent", 1) {
        Some(parent) => account_of(drafts, &parent.value)?,
        None => 0,
    };
    let mut added = Vec::new();
    for (place, name) in command.names.iter().enumerate() {
        added.push(drafts.add_account(name, parent, Some(place))?);
    }
    set_all(drafts, &added, &command.options, line)
}

fn add_users(drafts: &mut Drafts, mut command: AccountCommand, line: u64) -> Result<(), Problem> {
    drafts.root()?;
    take(&mut command.options, "cluster", 1);
    let default = take(&mut command.options, "defaultaccount", 8);
    let partition = take(&mut command.options, "partitions", 1);
    let partition = partition.map(|one| one.value).unwrap_or_default();
    let mut added = Vec::new();
    if let Some(default) = &default {
        // The default account is one of the accounts (`slurm_addto_char_list`).
        command.accounts.push(default.value.clone());
        command.accounts = once(command.accounts);
    }
    for (place, name) in command.names.iter().enumerate() {
        if let Some(default) = &default {
            let account = default.value.to_lowercase();
            drafts.defaults.insert(name.to_lowercase(), account);
        }
        for account in &command.accounts {
            let account = account_of(drafts, account)?;
            let mut parts: Vec<String> = listed(&partition).collect();
            if parts.is_empty() {
                parts.push(String::new());
            }
            for part in parts {
                added.push(drafts.add_user(name, account, &part, Some(place))?);
            }
        }
    }
    set_all(drafts, &added, &command.options, line)
}

/// Changes accounts or users.
fn change(
    drafts: &mut Drafts,
    command: &AccountCommand,
    is_user: bool,
    line: u64,
) -> Result<(), Problem> {
    let mut meant = Vec::new();
    if command
        .names
        .iter()
        .any(|name| name.eq_ignore_ascii_case("root"))
    {
        drafts.root()?;
    }
    for name in &command.names {
        if is_user {
            meant.extend(drafts.of_user(name));
        } else {
            meant.push(account_of(drafts, name)?);
        }
    }
    if is_user && !command.accounts.is_empty() {
        let accounts = crate::sorting::set(command.accounts.iter().map(|one| one.to_lowercase()));
        meant.retain(|at| accounts.contains(&drafts.list[*at].account));
    }
    let has_more = command.conditions.iter().any(|one| !one.is("cluster", 1));
    if meant.is_empty() || has_more {
        for option in &command.options {
            drafts.note(line, &option.key, &option.value, KeywordEffect::NotModelled);
        }
        return Ok(());
    }
    set_all(drafts, &meant, &command.options, line)
}
