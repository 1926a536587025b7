//! Checks messages of commits: a subject in the imperative, and the reason in the body.

use crate::count::Counts;
use crate::steps::root;
use crate::{Done, prose};
use std::process::Command;

/// The last commit before this rule. The rule applies to later commits.
const BEFORE: &str = "9bf6e960e53adb936d03a835d4ea05798da7a858";

/// The longest subject, in characters.
const SUBJECT: usize = 72;

/// Verbs that end like a past tense or a participle.
const VERBS: [&str; 8] = [
    "bring", "embed", "feed", "need", "seed", "shed", "speed", "string",
];

/// Checks the messages of all commits since the rule. Skips the check in a copy without their
/// history.
pub fn check(counts: &mut Counts) -> Done {
    let range = format!("{BEFORE}..HEAD");
    let mut log = Command::new("git");
    log.args(["log", "--no-merges", "--format=%h%x00%B%x01", &range]);
    let answer = log.current_dir(root()).output();
    let Some(answer) = answer.ok().filter(|answer| answer.status.success()) else {
        counts.skipped(
            "commits",
            "the history of this copy does not reach back to the rule",
        );
        return Ok(());
    };
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    let found: Vec<String> = text.split('\u{1}').filter_map(fault_of).collect();
    let done = if found.is_empty() {
        Ok(())
    } else {
        Err(found.join("\n"))
    };
    counts.single("commits", done)
}

/// Checks the message in a file, which Git hands to a `commit-msg` hook.
pub fn check_file(path: &str) -> Done {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    fault(&lines.join("\n")).map_or(Ok(()), |fault| {
        Err(format!("{fault}. CONTRIBUTING.md has the rule."))
    })?;
    prose::check_message(path)
}

fn fault_of(entry: &str) -> Option<String> {
    let (commit, message) = entry.trim_start().split_once('\0')?;
    fault(message).map(|fault| format!("commit {commit}: {fault}"))
}

/// Returns the fault of a message, if it has one.
fn fault(message: &str) -> Option<String> {
    let mut lines = message.trim_end().lines();
    let subject = lines.next().unwrap_or_default();
    let length = subject.chars().count();
    let first = subject.split(' ').next().unwrap_or_default().to_lowercase();
    let is_verb =
        VERBS.contains(&first.as_str()) || !(first.ends_with("ed") || first.ends_with("ing"));
    if subject.is_empty() {
        Some("the subject is missing".into())
    } else if length > SUBJECT {
        Some(format!(
            "the subject has {length} characters, more than {SUBJECT}"
        ))
    } else if !subject.starts_with(char::is_uppercase) || subject.ends_with('.') {
        Some("the subject must begin with a capital letter and have no full stop".into())
    } else if !is_verb {
        Some(format!("`{first}` is not in the imperative"))
    } else if lines.next().is_some_and(|second| !second.is_empty()) {
        Some("the second line must be empty".into())
    } else if lines.next().is_none() {
        Some("the body with the reason is missing".into())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn a_message_has_a_subject_in_the_imperative_and_a_reason() {
        assert_eq!(fault("Add a machine\n\nIt shows how."), None);
        assert_eq!(fault("Speed up the queue\n\nIt was slow.\n"), None);
        let long = format!("Add {}\n\nWhy.", "x".repeat(69));
        for (message, word) in [
            ("", "missing"),
            (long.as_str(), "73 characters"),
            ("add a machine\n\nWhy.", "capital"),
            ("Add a machine.\n\nWhy.", "full stop"),
            ("Added a machine\n\nWhy.", "imperative"),
            ("Adding a machine\n\nWhy.", "imperative"),
            ("Add a machine\nWhy.", "second line"),
            ("Add a machine", "reason"),
        ] {
            assert!(
                fault(message).is_some_and(|fault| fault.contains(word)),
                "{message}"
            );
        }
    }
}
