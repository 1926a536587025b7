//! Benchmarks: `cargo xtask bench --against COMMIT` compares two builds, and `cargo xtask bench
//! --report` writes how time and memory grow with the size of what is simulated.
//!
//! Both start `examples/measure.rs` once for every figure, so that no run finds memory or caches that
//! an earlier one has left.

#![expect(
    clippy::disallowed_methods,
    reason = "last bits of a benchmark's figures do not matter"
)]

mod against;
mod report;

use crate::Done;
use crate::steps::root;
use std::path::{Path, PathBuf};
use std::process::Command;

const HELP: &str = "\
cargo xtask bench --against COMMIT [--rounds N] [CASE...]   compare the speed with that of a commit
cargo xtask bench --report [--up-to JOBS]                   measure scaling, write it to docs/performance.md";

/// Runs the benchmark that the options name.
pub fn run(options: &[String]) -> Done {
    let value = |name: &str| {
        let at = options.iter().position(|option| option == name)?;
        options.get(at + 1).map(String::as_str)
    };
    let number = |name: &str, otherwise: usize| match value(name) {
        None => Ok(otherwise),
        Some(text) => text
            .parse()
            .map_err(|_| format!("{name} needs a number, not {text}")),
    };
    if let Some(commit) = value("--against") {
        let cases: Vec<&str> = (0..options.len())
            .filter(|at| {
                let is_value = *at > 0 && options[at - 1].starts_with("--");
                !is_value && !options[*at].starts_with("--")
            })
            .map(|at| options[at].as_str())
            .collect();
        return against::compare(commit, number("--rounds", 9)?, &cases);
    }
    if options.iter().any(|option| option == "--report") {
        return report::write(number("--up-to", 10_000_000)?);
    }
    Err(HELP.into())
}

/// A run that has been measured.
struct Measured {
    seconds: f64,
    /// The largest memory of the process, in bytes; 0 if the system does not tell.
    memory: f64,
    digest: String,
}

/// Builds `examples/measure.rs` in a folder, and returns the program.
fn build(folder: &Path, target: &Path) -> Result<PathBuf, String> {
    let status = Command::new("cargo")
        .args([
            "build",
            "--release",
            "--package",
            "schedscope",
            "--example",
            "measure",
        ])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() {
        Ok(target.join("release/examples/measure"))
    } else {
        Err(format!(
            "examples/measure.rs does not compile in {}",
            folder.display()
        ))
    }
}

/// Measures a run. `case` has the arguments of `examples/measure.rs`, with a space between them.
fn measure(program: &Path, case: &str) -> Result<Measured, String> {
    let output = Command::new(program)
        .args(case.split_whitespace())
        .current_dir(root())
        .output()
        .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        [seconds, _, _, memory, digest] if output.status.success() => Ok(Measured {
            seconds: seconds.parse().unwrap_or(f64::NAN),
            memory: memory.parse().unwrap_or(0.0),
            digest: digest.to_owned(),
        }),
        _ => Err(format!(
            "`{case}` failed: {}",
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// Returns the median of some numbers.
fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}
