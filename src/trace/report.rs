//! The import report: every repair and every skipped line is a rule with a count and the first
//! lines it met.
//!
//! Nothing is silently repaired: a figure that rests on dropped or mended jobs must say so.

use super::MachineSize;
use serde::{Deserialize, Serialize};

/// How many line numbers a rule remembers.
const LINES: usize = 5;

/// What a rule does to the jobs it meets.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// The job is kept as it stands; a reader should know.
    Noted,
    /// The job is kept, with a value changed.
    Repaired,
    /// The job or line takes no part.
    Skipped,
}

/// A rule of reading or cleaning, under a stable id.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ImportRule {
    /// Stable id, as in the summary JSON.
    pub id: &'static str,
    /// What it does to a job.
    pub effect: Effect,
    /// What was met and what was done, in a few words.
    pub text: &'static str,
}

/// A rule and what it met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RuleCount {
    /// Stable id.
    pub id: String,
    /// What it does to a job.
    pub effect: Effect,
    /// What was met and what was done.
    pub text: String,
    /// How many jobs.
    pub count: u64,
    /// The first lines of the file where it was met; empty for generated workloads.
    pub lines: Vec<u64>,
}

/// What reading and cleaning did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Report {
    /// Job lines that were 18 numbers.
    pub read: u64,
    /// Jobs that take part.
    pub kept: u64,
    /// The machine's size and where it comes from; nothing before records become jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<MachineSize>,
    /// Rules that met something, in the order of first meeting.
    pub rules: Vec<RuleCount>,
}

/// Counts what a rule meets at nearly every job, where looking the rule up each time would take
/// long.
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

impl Report {
    /// Adds what was counted apart.
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

    /// Counts one job that `rule` met on `line` (0 where there is no file).
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

    /// Adds what was met further on in the same file.
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

    /// How many jobs rules of this effect met; a job that two rules met counts twice.
    pub fn total(&self, effect: Effect) -> u64 {
        self.rules
            .iter()
            .filter(|rule| rule.effect == effect)
            .map(|rule| rule.count)
            .sum()
    }

    /// How often a rule was met.
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
        assert_eq!(report.rules.len(), 1, "what met nothing is not told");
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
