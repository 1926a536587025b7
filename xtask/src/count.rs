//! The closing count of `cargo xtask test`: the passed and skipped tests by the runners' own
//! counts, with the names of the skipped ones.
//!
//! A test that cannot run writes a line to the file that `SCHEDSCOPE_SKIPPED` names: the test and
//! the reason, with a tab between. Its runner counts such a native test as passed; this count moves
//! it to the skipped tests.

use crate::Done;
use crate::steps::root;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The variable that names the file of skipped tests.
const SKIPPED: &str = "SCHEDSCOPE_SKIPPED";

/// The tests of one runner.
#[derive(Debug, Default, PartialEq, Eq)]
struct Suite {
    name: String,
    passed: usize,
    failed: usize,
    /// Names of the skipped tests, with the reasons.
    skipped: BTreeSet<String>,
}

/// All suites that have run so far.
#[derive(Debug, Default)]
pub struct Counts(Vec<Suite>);

impl Counts {
    /// Runs a command that runs tests, in a folder of the project. Returns its error if it fails.
    pub fn run(&mut self, suite: &str, command: &mut Command, folder: &str) -> Done {
        let shown = format!("{command:?}");
        let list = root().join("target/skipped.txt");
        let _ = fs::remove_file(&list);
        let failed = |error: std::io::Error| format!("cannot run {shown}: {error}");
        let mut child = command
            .current_dir(root().join(folder))
            .env(SKIPPED, &list)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut found = Suite {
            name: suite.into(),
            ..Suite::default()
        };
        for line in child
            .stdout
            .take()
            .into_iter()
            .flat_map(|stdout| BufReader::new(stdout).lines())
            .map_while(Result::ok)
        {
            println!("{line}");
            found.count(&line);
        }
        let status = child.wait().map_err(failed)?;
        found.skip(&list);
        self.0.push(found);
        if status.success() {
            Ok(())
        } else {
            Err(format!("failed: {shown}"))
        }
    }

    /// Adds a suite whose runner does not count: one test that passed, or failed.
    pub fn single(&mut self, suite: &str, done: Done) -> Done {
        let (passed, failed) = if done.is_ok() { (1, 0) } else { (0, 1) };
        self.0.push(Suite {
            name: suite.into(),
            passed,
            failed,
            ..Suite::default()
        });
        done
    }

    /// Adds a suite that cannot run here.
    pub fn skipped(&mut self, suite: &str, why: &str) {
        self.0.push(Suite {
            name: suite.into(),
            skipped: BTreeSet::from([format!("all of it: {why}")]),
            ..Suite::default()
        });
    }

    /// Prints the closing count.
    pub fn tell(&self) {
        let rows = self.0.iter().map(|suite| {
            format!(
                "{}: {} passed, {} failed, {} skipped",
                suite.name,
                suite.passed,
                suite.failed,
                suite.skipped.len()
            )
        });
        println!("\n{}", rows.collect::<Vec<_>>().join("\n"));
        let skipped: Vec<String> = self
            .0
            .iter()
            .flat_map(|suite| {
                suite
                    .skipped
                    .iter()
                    .map(|test| format!("  {}: {test}", suite.name))
            })
            .collect();
        match skipped.len() {
            0 => println!("No test was skipped."),
            1 => println!("1 was skipped:\n{}", skipped[0]),
            count => println!("{count} were skipped:\n{}", skipped.join("\n")),
        }
    }
}

impl Suite {
    /// Adds the counts of a line of a runner: libtest's `test result: ok. 5 passed; 0 failed; ...`,
    /// or node's `ℹ pass 5` and `ℹ fail 0`. Adds the tests that the line names as skipped.
    fn count(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let before = |unit: &str| {
            words
                .windows(2)
                .find(|pair| pair[1] == unit)
                .and_then(|pair| pair[0].parse::<usize>().ok())
        };
        match words[..] {
            ["test", "result:", ..] => {
                self.passed += before("passed;").unwrap_or(0);
                self.failed += before("failed;").unwrap_or(0);
            }
            ["test", name, "...", "ignored"] => drop(
                self.skipped
                    .insert(format!("{name}: ignored, it is run by hand")),
            ),
            ["ℹ", "pass", count] => self.passed += count.parse().unwrap_or(0),
            ["ℹ", "fail", count] => self.failed += count.parse().unwrap_or(0),
            // `﹣ name (0.1ms) # reason`
            ["﹣", ..] => {
                let (test, why) = line
                    .trim_start_matches([' ', '﹣'])
                    .rsplit_once(" # ")
                    .unwrap_or((line, "no reason is given"));
                let name = test.rsplit_once(" (").map_or(test, |(name, _)| name);
                self.skipped.insert(format!("{name}: {why}"));
            }
            _ => {}
        }
    }

    /// Moves tests that skipped themselves from the passed to the skipped ones.
    fn skip(&mut self, list: &PathBuf) {
        let text = fs::read_to_string(list).unwrap_or_default();
        let said: BTreeSet<String> = text.lines().map(|line| line.replace('\t', ": ")).collect();
        let tests: BTreeSet<&str> = text
            .lines()
            .filter_map(|line| line.split('\t').next())
            .collect();
        self.passed = self.passed.saturating_sub(tests.len());
        self.skipped.extend(said);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_are_counted_by_what_they_print() {
        let mut suite = Suite::default();
        for line in [
            "test published::kth ... ok",
            "test slow::all ... ignored",
            "test result: ok. 150 passed; 1 failed; 1 ignored; 0 measured; 2 filtered out; \
                finished in 3.41s",
            "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished \
                in 0.00s",
            "  ﹣ no step takes longer (a person waits) (0.112208ms) # the machine is busy: a load \
                of 9.1 on 2 cores",
            "ℹ pass 7",
            "ℹ fail 2",
        ] {
            suite.count(line);
        }
        assert_eq!((suite.passed, suite.failed), (161, 3));
        let skipped: Vec<&str> = suite.skipped.iter().map(String::as_str).collect();
        let busy =
            "no step takes longer (a person waits): the machine is busy: a load of 9.1 on 2 cores";
        assert_eq!(skipped, [busy, "slow::all: ignored, it is run by hand"]);
    }

    #[test]
    fn who_says_that_it_skips_has_not_passed() {
        let list = std::env::temp_dir().join(format!("schedscope-skipped-{}", std::process::id()));
        fs::write(
            &list,
            "published::kth\tKTH is absent\npublished::kth\tNASA is \
            absent\npublished::all\tKTH is absent\n",
        )
        .unwrap();
        let mut suite = Suite {
            passed: 10,
            ..Suite::default()
        };
        suite.skip(&list);
        fs::remove_file(&list).unwrap();
        assert_eq!((suite.passed, suite.skipped.len()), (8, 3));
        assert!(suite.skipped.contains("published::kth: NASA is absent"));
    }
}
