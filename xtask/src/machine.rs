//! Provides the steps' needs on this machine: Rust's target and components, Node, Debian packages.
//!
//! rustup installs Rust's parts and keeps them apart from the system. Debian packages change the
//! system, so this program installs them only with `--yes`, and in CI.

use crate::Done;
use crate::steps::{WASM, root, run};
use semver::Version;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest Node.js that runs all packages of www/package-lock.json.
const NODE: Version = Version::new(20, 19, 0);

/// Returns true if this run may install Debian packages: with `--yes`, or in CI.
pub fn may_install(options: &[String]) -> bool {
    options.iter().any(|option| option == "--yes") || is_ci(env::var("CI").ok().as_deref())
}

/// Returns true if the value of the variable CI means yes. A developer may switch it off.
fn is_ci(value: Option<&str>) -> bool {
    !matches!(value, None | Some("" | "0" | "false"))
}

/// Returns the first program of this name on PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    which::which(name).ok()
}

/// Returns the output of a program, if the program exists and succeeds.
fn output(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(args)
        .current_dir(root())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The way to get the Debian packages that a step lacks.
#[derive(Debug, PartialEq)]
enum Way {
    Install,
    /// This program can install them, but nobody has allowed it.
    AskForYes,
    ByHand,
}

fn way(is_root: bool, has_apt: bool, may_install: bool) -> Way {
    match (is_root && has_apt, may_install) {
        (true, true) => Way::Install,
        (true, false) => Way::AskForYes,
        (false, _) => Way::ByHand,
    }
}

/// Installs Debian packages if possible and allowed. Otherwise returns a sentence on how to install
/// them.
pub fn install_debian(packages: &[&str], may_install: bool) -> Done {
    let is_root = output("id", &["-u"]).as_deref() == Some("0");
    let names = packages.join(" ");
    match way(is_root, on_path("apt-get").is_some(), may_install) {
        Way::Install => {
            println!("Installing Debian packages: {names}");
            let apt = || {
                let mut command = Command::new("apt-get");
                command
                    .arg("--quiet")
                    .env("DEBIAN_FRONTEND", "noninteractive");
                command
            };
            run(apt().arg("update"), ".")?;
            run(apt().args(["install", "--yes"]).args(packages), ".")
        }
        Way::AskForYes => Err(format!(
            "With --yes this command installs them from Debian: apt-get install {names}."
        )),
        Way::ByHand => Err(format!("On Debian, install the packages {names}.")),
    }
}

/// Makes sure that Rust can compile for the page.
pub fn wasm_target() -> Done {
    let is_there = || {
        output("rustc", &["--print", "sysroot"])
            .is_some_and(|sysroot| has_target(Path::new(&sysroot), WASM))
    };
    rust_part(
        is_there,
        &format!("Rust's target {WASM}"),
        &["target", "add", WASM],
    )
}

fn has_target(sysroot: &Path, target: &str) -> bool {
    sysroot
        .join("lib/rustlib")
        .join(target)
        .join("lib")
        .is_dir()
}

/// Makes sure that formatting and lints can be checked.
pub fn lint_components() -> Done {
    for (component, program) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        let is_there = || output("cargo", &[program, "--version"]).is_some();
        rust_part(
            is_there,
            &format!("Rust's component {component}"),
            &["component", "add", component],
        )?;
    }
    Ok(())
}

/// Adds a missing part of the Rust toolchain by rustup. rustup itself adds the parts in
/// rust-toolchain.toml, but not with `RUSTUP_AUTO_INSTALL=0`.
fn rust_part(is_there: impl Fn() -> bool, part: &str, rustup: &[&str]) -> Done {
    if is_there() {
        return Ok(());
    }
    if on_path("rustup").is_none() {
        return Err(without_rustup(part));
    }
    println!("{part} is missing. Running: rustup {}", rustup.join(" "));
    run(Command::new("rustup").args(rustup), ".")?;
    if is_there() {
        Ok(())
    } else {
        Err(without_rustup(part))
    }
}

/// Returns the advice for a Rust that did not come from rustup.
fn without_rustup(part: &str) -> String {
    format!(
        "{part} is missing, and the Rust in use is not rustup's: install rustup \
            (https://rustup.rs), or add the part as you installed Rust."
    )
}

/// Makes sure that there is a Node.js that runs the page's packages, with npm.
pub fn node() -> Done {
    check_node(
        output("node", &["--version"]).as_deref(),
        output("npm", &["--version"]).is_some(),
    )
}

fn check_node(version: Option<&str>, has_npm: bool) -> Done {
    let wanted = format!(
        "Node.js {}.{} or newer with npm is needed: https://nodejs.org",
        NODE.major, NODE.minor
    );
    let Some(version) = version else {
        return Err(format!("There is no node on PATH. {wanted}"));
    };
    let number = Version::parse(version.trim_start_matches('v')).ok();
    if number.is_none_or(|number| number < NODE) {
        return Err(format!("Node.js {version} is too old. {wanted}"));
    }
    if has_npm {
        Ok(())
    } else {
        Err(format!("There is no npm on PATH. {wanted}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use semver::{Op, VersionReq};

    #[test]
    fn debian_packages_come_only_where_somebody_allowed_it() {
        assert_eq!(way(true, true, true), Way::Install);
        assert_eq!(way(true, true, false), Way::AskForYes);
        for (is_root, has_apt) in [(true, false), (false, true), (false, false)] {
            assert_eq!(way(is_root, has_apt, true), Way::ByHand);
            assert_eq!(way(is_root, has_apt, false), Way::ByHand);
        }
        assert!(is_ci(Some("true")) && is_ci(Some("1")));
        assert!(
            [None, Some(""), Some("0"), Some("false")]
                .iter()
                .all(|value| !is_ci(*value))
        );
        assert!(may_install(&["--yes".into()]));
    }

    #[test]
    fn a_missing_target_is_seen() {
        let sysroot = env::temp_dir().join(format!("xtask-sysroot-{}", std::process::id()));
        std::fs::create_dir_all(sysroot.join("lib/rustlib/x86_64-unknown-linux-gnu/lib")).unwrap();
        assert!(has_target(&sysroot, "x86_64-unknown-linux-gnu"));
        assert!(!has_target(&sysroot, WASM));
        std::fs::remove_dir_all(sysroot).unwrap();
    }

    #[test]
    fn an_added_part_must_be_there_afterwards() {
        assert_eq!(rust_part(|| true, "A part", &["no-such-command"]), Ok(()));
        assert!(
            rust_part(|| false, "A part", &["--version"])
                .unwrap_err()
                .starts_with("A part is missing, and the Rust in use")
        );
    }

    #[test]
    fn an_old_node_is_refused_in_one_line() {
        assert_eq!(check_node(Some("v20.19.0"), true), Ok(()));
        assert_eq!(check_node(Some("v22.1.0"), true), Ok(()));
        for (version, has_npm) in [
            (None, true),
            (Some("v20.18.9"), true),
            (Some("v18.20.4"), true),
            (Some("?"), true),
            (Some("v22.1.0"), false),
        ] {
            let sentence = check_node(version, has_npm).unwrap_err();
            assert!(
                sentence.contains("20.19 or newer") && !sentence.contains('\n'),
                "{sentence}"
            );
        }
    }

    /// The lock file names the Node.js that each package needs, for example `>=20.19.0`.
    #[test]
    fn the_oldest_node_is_that_of_the_packages() {
        let lock = std::fs::read_to_string(root().join("www/package-lock.json")).unwrap();
        let lock: serde_json::Value = serde_json::from_str(&lock).unwrap();
        let wanted = lock["packages"].as_object().unwrap().values();
        let oldest = wanted
            .filter_map(|package| package["engines"]["node"].as_str())
            .filter_map(|wanted| VersionReq::parse(wanted).ok())
            .flat_map(|wanted| wanted.comparators)
            .filter(|wanted| wanted.op == Op::GreaterEq)
            .map(|least| {
                let (minor, patch) = (least.minor.unwrap_or(0), least.patch.unwrap_or(0));
                Version::new(least.major, minor, patch)
            });
        assert_eq!(oldest.max(), Some(NODE));
    }
}
