//! Runs the linter of prose, whose rules are in `xtask/prose/`.

use crate::Done;
use crate::count::Counts;
use crate::steps::{packages, root, run};
use std::process::Command;

/// Checks the prose of all files and of the newer commits; with paths, of these files only.
pub fn check(options: &[String]) -> Done {
    packages()?;
    run(linter().args(options), ".")
}

/// Checks the wording of a commit's message. Without the npm packages, only the later check of all
/// messages finds its faults.
pub fn check_message(path: &str) -> Done {
    if !root().join("www/node_modules/@textlint").exists() {
        return Ok(());
    }
    let status = linter()
        .arg("--message")
        .arg(path)
        .status()
        .map_err(|error| format!("cannot run node: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err("CONTRIBUTING.md has the rules.".into())
    }
}

/// Tests each rule on its examples.
pub fn test(counts: &mut Counts) -> Done {
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec"])
        .arg(root().join("xtask/prose/prose.test.mjs"));
    counts.run("prose", &mut node, ".")
}

fn linter() -> Command {
    let mut node = Command::new("node");
    node.arg(root().join("xtask/prose/main.mjs"));
    node
}
