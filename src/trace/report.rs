//! The import report. Every repair and every skipped line belongs to a rule, with a count and the
//! first lines that the rule met.
//!
//! No repair is silent: a figure that rests on dropped or repaired jobs must say so.

use super::MachineSize;
use serde::{Deserialize, Serialize};

/// Number of line numbers that the report keeps for each rule.
const LINES: usize = 5;

/// The effect of a rule on the jobs that it meets.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// The job is kept as it is; the reader should know.
    Noted,
    /// The job is kept, with a changed value.
    Repaired,
    /// The job or line takes no part.
    Skipped,
}

/// A rule of reading or cleaning, under a stable id.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ImportRule {
    /// Stable id, as in the summary JSON.
    pub id: &'static str,
    /// Effect on a job.
    pub effect: Effect,
    /// The case and its treatment, in a few words.
    pub text: &'static str,
}

/// A rule, and the jobs that it met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RuleCount {
    /// Stable id.
    pub id: String,
    /// Effect on a job.
    pub effect: Effect,
    /// The case and its treatment, in a few words.
    pub text: String,
    /// Number of jobs.
    pub count: u64,
    /// The first lines of the file on which the rule met a job; empty for generated workloads.
    pub lines: Vec<u64>,
}

/// A column of a table, and its use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ColumnNote {
    /// Name of the column in the header.
    pub column: String,
    /// The fact that the column holds, its unit, and the reasons, in a few words.
    pub text: String,
}

/// The import report: the results of reading and cleaning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Report {
    /// Number of job lines that were 18 numbers.
    pub read: u64,
    /// Number of jobs that take part.
    pub kept: u64,
    /// The machine's size and its source; `None` until records become jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<MachineSize>,
    /// The rules that met a job, in the order of their first jobs.
    pub rules: Vec<RuleCount>,
    /// The use of each column, if the file is a table of no known format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnNote>,
}

/// The count of one rule that meets nearly every job. Looking up the rule in the report each time
/// would take too long.
#[derive(Clone, Debug, Default)]
pub struct RuleTally {
    count: u64,
    lines: Vec<u64>,
}

impl RuleTally {
    /// Counts one job on `line`.
    pub fn count(&mut self, line: u64) {
        self.count += 1;
        if self.lines.len() < LINES {
            self.lines.push(line);
        }
    }
}

impl RuleTally {
    /// Adds the count of a later part of the same file.
    pub fn append(&mut self, other: Self) {
        self.count += other.count;
        self.lines
            .extend(other.lines.into_iter().take(LINES - self.lines.len()));
    }
}

impl Report {
    /// Adds the count of a rule that was kept apart.
    pub fn add(&mut self, rule: &ImportRule, tally: RuleTally) {
        if tally.count > 0 {
            let RuleTally { count, lines } = tally;
            self.append(Self {
                rules: vec![RuleCount {
                    id: rule.id.into(),
                    effect: rule.effect,
                    text: rule.text.into(),
                    count,
                    lines,
                }],
                ..Self::default()
            });
        }
    }

    /// Counts one job that `rule` met on `line` (0 without a file).
    pub fn count(&mut self, rule: &ImportRule, line: u64) {
        self.count_many(rule, 1, line);
    }

    /// Counts `count` jobs at once, the first of them on `line`.
    pub fn count_many(&mut self, rule: &ImportRule, count: u64, line: u64) {
        let at = self
            .rules
            .iter()
            .position(|met| met.id == rule.id)
            .unwrap_or_else(|| {
                self.rules.push(RuleCount {
                    id: rule.id.into(),
                    effect: rule.effect,
                    text: rule.text.into(),
                    count: 0,
                    lines: Vec::new(),
                });
                self.rules.len() - 1
            });
        let met = &mut self.rules[at];
        met.count += count;
        if line > 0 && met.lines.len() < LINES {
            met.lines.push(line);
        }
    }

    /// Adds the report of a later part of the same file.
    pub fn append(&mut self, other: Self) {
        for RuleCount {
            id,
            effect,
            text,
            count,
            lines,
        } in other.rules
        {
            match self.rules.iter_mut().find(|met| met.id == id) {
                Some(met) => {
                    met.count += count;
                    met.lines
                        .extend(lines.into_iter().take(LINES - met.lines.len()));
                }
                None => self.rules.push(RuleCount {
                    id,
                    effect,
                    text,
                    count,
                    lines,
                }),
            }
        }
    }

    /// Returns the number of jobs that rules with this effect met. A job that two rules met counts
    /// twice.
    pub fn total(&self, effect: Effect) -> u64 {
        self.rules
            .iter()
            .filter(|rule| rule.effect == effect)
            .map(|rule| rule.count)
            .sum()
    }

    /// Returns the number of jobs that a rule met.
    pub fn of(&self, id: &str) -> u64 {
        self.rules
            .iter()
            .find(|rule| rule.id == id)
            .map_or(0, |rule| rule.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: ImportRule = ImportRule {
        id: "rule",
        effect: Effect::Noted,
        text: "a rule",
    };
    const OTHER: ImportRule = ImportRule {
        id: "other",
        effect: Effect::Repaired,
        text: "another",
    };

    #[test]
    fn counts_all_and_keeps_the_first_lines() {
        let mut tally = RuleTally::default();
        (1..=8).for_each(|line| tally.count(line));
        let mut report = Report::default();
        report.add(&RULE, tally);
        report.add(&OTHER, RuleTally::default());
        assert_eq!(
            report.rules.len(),
            1,
            "a rule that met no job is not listed"
        );
        assert_eq!(
            (report.of("rule"), &report.rules[0].lines[..]),
            (8, &[1, 2, 3, 4, 5][..])
        );
        (1..=7).for_each(|line| report.count(&OTHER, line));
        assert_eq!(
            (report.of("other"), &report.rules[1].lines[..]),
            (7, &[1, 2, 3, 4, 5][..])
        );
        report.append(report.clone());
        assert_eq!(
            (
                report.total(Effect::Noted),
                report.total(Effect::Repaired),
                report.total(Effect::Skipped)
            ),
            (16, 14, 0)
        );
        assert_eq!(report.rules[1].lines, [1, 2, 3, 4, 5]);
    }
}
