//! The comparison of two builds: each case runs in turn under both, and the ratio of their times is
//! told with an interval.

use super::{Measured, build, measure, median};
use crate::Done;
use crate::steps::root;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The cases: a name, and the arguments of `examples/measure.rs`.
const CASES: [(&str, &str); 16] = [
    ("read", "work=read file=target/bench/log.swf"),
    ("fcfs", "policy=fcfs jobs=200000 load=0.9"),
    ("easy", "policy=easy jobs=200000 load=0.9"),
    ("easy-all", "work=all policy=easy jobs=100000 load=0.9"),
    ("easy-overload", "policy=easy jobs=100000 load=1.3"),
    ("conservative", "policy=conservative jobs=50000 load=0.9"),
    (
        "conservative-exact",
        "policy=conservative jobs=100000 load=0.9 overestimate=1",
    ),
    (
        "conservative-overload",
        "policy=conservative jobs=20000 load=1.3",
    ),
    ("selective", "policy=selective jobs=50000 load=0.9"),
    ("maui", "policy=maui jobs=100000 load=0.9"),
    ("flex", "policy=flex jobs=10000 load=0.9"),
    ("look-ahead", "policy=lookahead jobs=100000 load=0.9"),
    ("pbas", "policy=pbas jobs=10000 load=0.7"),
    (
        "torus",
        "machine=torus policy=bm jobs=2000 load=0.7 processors=512 x=8 y=8 z=8",
    ),
    (
        "lomarc",
        "machine=smt policy=lomarc jobs=3000 load=0.9 processors=128",
    ),
    (
        "spin-block",
        "machine=bsp coscheduling=spin_block policy=fcfs jobs=20 processors=32 runtime_factor=0.01",
    ),
];

/// Compares this folder with a commit. `names` choose cases; none means all.
pub fn compare(commit: &str, rounds: usize, names: &[&str]) -> Done {
    let unknown = names
        .iter()
        .find(|name| !CASES.iter().any(|(known, _)| known == *name));
    if let Some(name) = unknown {
        let known: Vec<&str> = CASES.iter().map(|(name, _)| *name).collect();
        return Err(format!(
            "There is no case {name}. The cases are {}.",
            known.join(", ")
        ));
    }
    let new = build(&root(), &root().join("target"))?;
    let old = build_commit(commit)?;
    write_log(&new)?;
    println!("| case | old | new | new / old | interval |\n|---|---|---|---|---|");
    let mut changed = Vec::new();
    for (name, case) in CASES
        .iter()
        .filter(|(name, _)| names.is_empty() || names.contains(name))
    {
        // The first runs fill the system's caches.
        let digests = (measure(&old, case)?.digest, measure(&new, case)?.digest);
        if digests.0 != digests.1 {
            changed.push(*name);
        }
        let mut times = (Vec::new(), Vec::new());
        for round in 0..rounds.max(1) {
            // Neither build is always the first.
            let programs = if round % 2 == 0 {
                [&old, &new]
            } else {
                [&new, &old]
            };
            for program in programs {
                let Measured { seconds, .. } = measure(program, case)?;
                if program == &old {
                    times.0.push(seconds);
                } else {
                    times.1.push(seconds);
                }
            }
        }
        let ratios: Vec<f64> = times
            .0
            .iter()
            .zip(&times.1)
            .map(|(old, new)| new / old)
            .collect();
        let (low, high) = interval(&ratios);
        println!(
            "| {name} | {:.3} s | {:.3} s | {:.3} | {low:.3} to {high:.3} |",
            median(&times.0),
            median(&times.1),
            median(&ratios)
        );
    }
    println!(
        "\nRatios are medians of {rounds} rounds; intervals hold the true median with a probability of 95 %, or have all rounds if these are too few."
    );
    if changed.is_empty() {
        println!("All schedules are the same.");
        Ok(())
    } else {
        Err(format!(
            "Other schedules than before: {}.",
            changed.join(", ")
        ))
    }
}

/// Returns an interval that holds the true median with a probability of at least 95 %: from the k-th
/// smallest number to the k-th largest one, for the largest k that allows it. It has all numbers if
/// they are fewer than six.
fn interval(numbers: &[f64]) -> (f64, f64) {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    // The number of values below the median is binomial: `below` is the probability of at most
    // `more` of them, `ways` that of exactly `more`.
    let mut ways = 0.5_f64.powi(count as i32);
    let (mut below, mut skipped) = (ways, 0);
    for more in 1..count / 2 {
        ways *= (count + 1 - more) as f64 / more as f64;
        below += ways;
        if 2.0 * below > 0.05 {
            break;
        }
        skipped = more;
    }
    (sorted[skipped], sorted[count - 1 - skipped])
}

/// Builds a commit in a folder of its own, with this version of `examples/measure.rs`.
fn build_commit(commit: &str) -> Result<PathBuf, String> {
    let folder = root().join("target/bench/old");
    let git = |args: &[&str], folder: &Path| -> Done {
        let status = Command::new("git").args(args).current_dir(folder).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            _ => Err(format!("failed: git {}", args.join(" "))),
        }
    };
    let shown = folder.display().to_string();
    if folder.exists() {
        git(&["worktree", "remove", "--force", &shown], &root())?;
    }
    git(&["worktree", "prune"], &root())?;
    git(
        &["worktree", "add", "--detach", "--quiet", &shown, commit],
        &root(),
    )?;
    fs::copy(
        root().join("examples/measure.rs"),
        folder.join("examples/measure.rs"),
    )
    .map_err(|error| format!("cannot copy examples/measure.rs: {error}"))?;
    build(&folder, &root().join("target/bench/build")).map_err(|error| {
        format!("{error}\nThe library of {commit} may have another interface. Compare with a later commit, or adapt the copy of examples/measure.rs there.")
    })
}

/// Writes the log that the case `read` reads.
fn write_log(program: &Path) -> Done {
    let log = root().join("target/bench/log.swf");
    if log.exists() {
        return Ok(());
    }
    measure(program, "work=write file=target/bench/log.swf jobs=200000").map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_sign_test() {
        let numbers = |count: usize| (1..=count).map(|n| n as f64).collect::<Vec<_>>();
        // From tables of confidence intervals for medians.
        assert_eq!(interval(&numbers(5)), (1.0, 5.0));
        assert_eq!(interval(&numbers(6)), (1.0, 6.0));
        assert_eq!(interval(&numbers(8)), (1.0, 8.0));
        assert_eq!(interval(&numbers(9)), (2.0, 8.0));
        assert_eq!(interval(&numbers(20)), (6.0, 15.0));
        assert_eq!(interval(&numbers(25)), (8.0, 18.0));
    }
}
