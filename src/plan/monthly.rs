//! Comparison of policies month by month: the months that each wins, the differences, and their
//! correlation with the workload.
//!
//! D. Talby and D. G. Feitelson, "Improving and stabilizing parallel computer performance using
//! adaptive backfilling", IPDPS 2005, sections 2.3 and 4.1.

use super::result::CellResult;
use crate::machines;
use crate::metrics::{JobClass, MONTH_FIGURES, MONTHLY, MetricSpec};
use std::collections::BTreeMap;

/// Returns the keys of all figures that a plan can show: those of a run, and the monthly ones.
pub fn keys() -> Vec<String> {
    let monthly = MONTHLY.iter().flat_map(MetricSpec::keys);
    machines::metric_keys().into_iter().chain(monthly).collect()
}

type Figures = BTreeMap<String, f64>;

/// Returns the monthly figures of each run. The runs have the same jobs under several policies,
/// with the plan's first policy first. The figures are empty if the runs cannot be compared.
pub(super) fn monthly(runs: &[&CellResult]) -> Vec<Figures> {
    let mut figures = vec![Figures::new(); runs.len()];
    let Some(first) = runs
        .first()
        .filter(|first| runs.len() > 1 && !first.months.is_empty())
    else {
        return figures;
    };
    let is_same = |run: &&CellResult| {
        run.identity == first.identity && run.months.len() == first.months.len()
    };
    if !runs.iter().all(is_same) {
        return figures;
    }
    for (name, key) in [
        ("wait", "wait.mean"),
        ("bounded_slowdown", "bounded_slowdown.mean"),
    ] {
        let value = |run: &CellResult, month: usize| {
            run.months[month]
                .figures
                .get(key)
                .copied()
                .unwrap_or(f64::INFINITY)
        };
        for (run, figures) in runs.iter().zip(&mut figures) {
            let wins = |month: &usize| {
                runs.iter()
                    .all(|other| value(run, *month) <= value(other, *month))
            };
            let won = (0..first.months.len()).filter(wins).count() as f64;
            figures.insert(format!("months_won.{name}"), won);
            figures.insert(
                format!("months_won.{name}_share"),
                won / first.months.len() as f64,
            );
        }
    }
    for (at, figures) in figures.iter_mut().enumerate() {
        against(runs[usize::from(at == 0)], runs[at], figures);
    }
    figures
}

/// A month under a policy, with its mean wait under this policy and under another one.
struct MonthOfRuns<'a> {
    class: &'a JobClass,
    own: f64,
    other: f64,
}

impl MonthOfRuns<'_> {
    /// Returns the mean wait under the other policy minus the own mean wait.
    fn absolute(&self) -> f64 {
        self.other - self.own
    }

    /// Returns the same difference as a share of the shorter wait. `None` if that wait is 0.
    fn relative(&self) -> Option<f64> {
        let shorter = self.own.min(self.other);
        (shorter > 0.0).then(|| self.absolute() / shorter)
    }

    fn attribute(&self, name: &str) -> Option<f64> {
        self.class.figures.get(&format!("workload.{name}")).copied()
    }
}

/// Adds the comparison of `run` with `other` to `figures`.
fn against(other: &CellResult, run: &CellResult, figures: &mut Figures) {
    let wait = |class: &JobClass| class.figures.get("wait.mean").copied().unwrap_or_default();
    let pairs = run.months.iter().zip(&other.months);
    let months: Vec<MonthOfRuns<'_>> = pairs
        .map(|(class, other)| MonthOfRuns {
            class,
            own: wait(class),
            other: wait(other),
        })
        .collect();
    let gaps: Vec<f64> = months
        .iter()
        .filter_map(MonthOfRuns::relative)
        .filter(|gap| *gap > 0.0)
        .collect();
    figures.insert("monthly_gap.months".into(), gaps.len() as f64);
    if !gaps.is_empty() {
        figures.insert(
            "monthly_gap.mean".into(),
            gaps.iter().sum::<f64>() / gaps.len() as f64,
        );
        figures.insert(
            "monthly_gap.max".into(),
            gaps.iter().copied().fold(0.0, f64::max),
        );
    }
    let relative: Vec<Option<f64>> = months.iter().map(MonthOfRuns::relative).collect();
    let absolute = months.iter().map(|month| Some(month.absolute())).collect();
    for (kind, differences) in [("relative", relative), ("absolute", absolute)] {
        for name in MONTH_FIGURES {
            let both = months.iter().zip(&differences);
            let pairs: Vec<(f64, f64)> = both
                .filter_map(|(month, difference)| Some((month.attribute(name)?, (*difference)?)))
                .collect();
            if let Some(coefficient) = pearson(&pairs) {
                figures.insert(format!("correlation_{kind}.{name}"), coefficient);
            }
        }
    }
}

/// Returns Pearson's coefficient. `None` if one side does not vary.
fn pearson(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| {
        pairs
            .iter()
            .map(|pair| of(pair.0 - x, pair.1 - y))
            .sum::<f64>()
    };
    let spread = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    (spread > 0.0).then(|| sum(&|x, y| x * y) / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(waits: [f64; 4], jobs: [f64; 4]) -> CellResult {
        let month = |(wait, jobs): (&f64, &f64)| JobClass {
            name: String::new(),
            jobs: 1,
            work: 0.0,
            figures: [
                ("wait.mean", *wait),
                ("bounded_slowdown.mean", 1.0),
                ("workload.jobs", *jobs),
            ]
            .map(|(key, value)| (key.to_owned(), value))
            .into(),
        };
        CellResult {
            months: waits.iter().zip(&jobs).map(month).collect(),
            ..CellResult::default()
        }
    }

    #[test]
    fn by_hand() {
        let jobs = [1.0, 2.0, 3.0, 4.0];
        let (first, second, third) = (
            run([10.0, 20.0, 30.0, 40.0], jobs),
            run([20.0, 10.0, 60.0, 40.0], jobs),
            run([90.0; 4], jobs),
        );
        let figures = monthly(&[&first, &second, &third]);
        let all = |key: &str| {
            figures
                .iter()
                .map(|figures| figures.get(key).copied())
                .collect::<Vec<_>>()
        };
        // Two policies tie in the last month. All three tie in bounded slowdown.
        assert_eq!(all("months_won.wait"), [Some(3.0), Some(2.0), Some(0.0)]);
        assert_eq!(
            all("months_won.wait_share"),
            [Some(0.75), Some(0.5), Some(0.0)]
        );
        assert_eq!(all("months_won.bounded_slowdown"), [Some(4.0); 3]);
        // In two months the second policy has waits that are 100 % longer than those of the first; in
        // one month it is the other way round.
        assert_eq!(all("monthly_gap.mean"), [Some(1.0), Some(1.0), None]);
        assert_eq!(all("monthly_gap.months"), [Some(2.0), Some(1.0), Some(0.0)]);
        // The differences -10, 10, -30, 0 are correlated with the numbers of jobs 1, 2, 3, 4. The
        // deviations from the means are -2.5, 17.5, -22.5, 7.5 and -1.5, -0.5, 0.5, 1.5.
        let coefficient =
            (3.75 - 8.75 - 11.25 + 11.25) / (5.0_f64 * (6.25 + 306.25 + 506.25 + 56.25)).sqrt();
        assert!((all("correlation_absolute.jobs")[1].unwrap() - coefficient).abs() < 1e-12);
        assert!((all("correlation_absolute.jobs")[0].unwrap() + coefficient).abs() < 1e-12);
        // The relative differences are -1, 1, -1, 0, with mean -0.25. The deviations are -0.75,
        // 1.25, -0.75, 0.25.
        let coefficient = (1.125 - 0.625 - 0.375 + 0.375)
            / (5.0_f64 * (0.5625 + 1.5625 + 0.5625 + 0.0625)).sqrt();
        assert!((all("correlation_relative.jobs")[1].unwrap() - coefficient).abs() < 1e-12);
        // A column without variation correlates with nothing.
        assert_eq!(all("correlation_relative.load"), [None; 3]);
    }

    #[test]
    fn other_jobs_are_not_compared() {
        let (one, mut other) = (run([1.0; 4], [1.0; 4]), run([2.0; 4], [1.0; 4]));
        other.identity = "other jobs".into();
        assert_eq!(monthly(&[&one, &other]), [Figures::new(), Figures::new()]);
        assert_eq!(monthly(&[&one]), [Figures::new()]);
    }
}
