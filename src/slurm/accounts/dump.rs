//! Lines of `sacctmgr dump`: `Kind - 'name':Option=value:...`.

use super::known::{bad, short};
use super::options::{AccountOption, set_all, unquoted};
use super::tree::Drafts;
use crate::problem::Problem;
use crate::slurm::text::facts::KeywordEffect;

/// The kind of a line of `sacctmgr dump`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DumpKind {
    /// Options of the account `root`.
    Cluster,
    /// The account of the lines below.
    Parent,
    /// An account.
    Account,
    /// A user.
    User,
}

/// Returns the kind of a line, and what follows. Returns `None` if it is no line of a dump.
pub fn kind_of(line: &str) -> Option<(DumpKind, &str)> {
    let (word, rest) = line.split_once(char::is_whitespace)?;
    let rest = rest.trim_start().strip_prefix('-')?;
    if !rest.starts_with([' ', '\t', '\'', '"']) {
        return None;
    }
    let kind = match word.to_ascii_lowercase().as_str() {
        "cluster" | "machine" => DumpKind::Cluster,
        "parent" => DumpKind::Parent,
        "account" | "project" => DumpKind::Account,
        "user" => DumpKind::User,
        _ => return None,
    };
    Some((kind, rest.trim_start()))
}

/// Splits at colons that stand outside quotation marks.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut quote = None;
    let mut first = 0;
    for (at, char) in text.char_indices() {
        match quote {
            Some(open) if char == open => quote = None,
            None if char == '\'' || char == '"' => quote = Some(char),
            None if char == ':' => {
                pieces.push(&text[first..at]);
                first = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&text[first..]);
    pieces
}

/// Reads a line.
pub fn read(drafts: &mut Drafts, kind: DumpKind, rest: &str, line: u64) -> Result<(), Problem> {
    let pieces = pieces(rest);
    let name = unquoted(pieces[0]).to_owned();
    let mut options = Vec::new();
    for piece in &pieces[1..] {
        if piece.trim().is_empty() {
            continue;
        }
        let Some(option) = AccountOption::read(piece) else {
            return Err(bad(
                format!("`{}` is no option.", short(piece)),
                "Options are `Name=value`, with colons between them.",
            ));
        };
        // A blank value says nothing.
        if !option.value.is_empty() {
            options.push(option);
        }
    }
    let mut take = |key: &str, least: usize| {
        let place = options.iter().position(|one| one.is(key, least));
        place.map(|place| options.remove(place))
    };
    let root = drafts.root()?;
    match kind {
        DumpKind::Cluster => set_all(drafts, &[root], &options, line),
        DumpKind::Parent => {
            let known = drafts.accounts.get(&name.to_lowercase());
            let Some(known) = known else {
                return Err(bad(
                    format!("No account is called `{}`.", short(&name)),
                    "A parent is an account of a line above.",
                ));
            };
            drafts.parent = *known;
            Ok(())
        }
        DumpKind::Account => {
            let at = drafts.add_account(&name, drafts.parent, None)?;
            set_all(drafts, &[at], &options, line)
        }
        DumpKind::User => {
            let default = take("defaultaccount", 8);
            let partition = take("partition", 1);
            if let Some(default) = &default {
                let account = default.value.to_lowercase();
                drafts.defaults.insert(name.to_lowercase(), account);
                drafts.note(line, &default.key, &default.value, KeywordEffect::Used);
            }
            let of = partition.map(|one| one.value).unwrap_or_default();
            let at = drafts.add_user(&name, drafts.parent, &of, None)?;
            set_all(drafts, &[at], &options, line)
        }
    }
}
