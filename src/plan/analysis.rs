//! The analysis of a plan's results: means over seeds, differences between policies, saturation.

use super::cell::Cell;
use super::document::Plan;
use super::monthly::monthly;
use super::result::CellResult;
use crate::param::Value;
use crate::sorting::{falling, map, set};
use crate::statistics::{batch_interval, student_t};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A mean with half the width of its 95 % confidence interval.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Interval {
    /// The mean of the values.
    pub mean: f64,
    /// Half the width of the interval. Absent if the values do not determine it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci95: Option<f64>,
}

type Axes = BTreeMap<String, Value>;

/// The cells that differ only in their seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Point {
    /// The varied settings with their values, without the seed.
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "Record<string, number | string>")
    )]
    pub axes: Axes,
    /// Keys of the finished cells of this point, in the order of seeds.
    pub cells: Vec<String>,
    /// The mean offered load of these cells.
    pub offered_load: f64,
    /// Every figure with its interval. Several seeds have Student's interval over the runs. A
    /// single run has the interval of its batch means, if it has batches.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, Interval>"))]
    pub figures: BTreeMap<String, Interval>,
}

/// A policy compared with the first policy of the plan, on the same jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Difference {
    /// The varied settings with their values, without the seed.
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "Record<string, number | string>")
    )]
    pub axes: Axes,
    /// The name of the first policy of the plan.
    pub baseline: String,
    /// Number of pairs of runs.
    pub pairs: usize,
    /// The figure of this policy minus the figure of the first policy. Several seeds have Student's
    /// interval over the pairs. A single pair has the interval of the differences of batch means.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, Interval>"))]
    pub figures: BTreeMap<String, Interval>,
}

/// The load at which a policy saturates in a sweep of loads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Saturation {
    /// The varied settings with their values, without load and seed.
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "Record<string, number | string>")
    )]
    pub axes: Axes,
    /// The highest offered load at which the accepted load follows the offered load, there and at
    /// every lower load of the sweep. Absent if the accepted load does not even follow at the
    /// lowest load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// True if the accepted load does not follow at some load of the sweep. Otherwise saturation
    /// lies beyond the sweep.
    pub reached: bool,
    /// The highest accepted load of the sweep.
    pub accepted: f64,
    /// The offered load at which the share of the work that is done falls below that of saturation:
    /// interpolated between two loads of the sweep for each seed, then the mean over seeds. Absent
    /// if a seed has no such load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crossing: Option<Interval>,
}

/// Everything that the results of a plan show together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Analysis {
    /// Points in the order of the plan. A point is absent while none of its cells has finished.
    pub points: Vec<Point>,
    /// Differences between policies, in the order of the plan.
    pub differences: Vec<Difference>,
    /// Saturation of each policy. Empty if the plan does not sweep loads.
    pub saturations: Vec<Saturation>,
}

/// The largest share of missing work at which the accepted load still follows the offered load.
/// Missing work is what a machine without limits would have done in addition in the same time.
pub const SATURATED: f64 = 0.05;

/// Analyses the results of a plan's cells. Ignores results of other cells.
pub fn analyse(plan: &Plan, cells: &[Cell], results: &[CellResult]) -> Analysis {
    let by_key: BTreeMap<&str, &CellResult> =
        map(results.iter().map(|result| (result.key.as_str(), result)));
    let found: Vec<(&Axes, &CellResult)> = cells
        .iter()
        .filter_map(|cell| Some((&cell.axes, *by_key.get(cell.key.as_str())?)))
        .collect();
    let points: Vec<Point> = grouped(&found, &["seed"])
        .into_iter()
        .map(|(axes, results)| point(axes, &different(&results, |result| *result)))
        .collect();
    let points = with_months(points, &by_key);
    let saturations = if plan.loads.is_some() {
        saturations(&points, &found)
    } else {
        Vec::new()
    };
    Analysis {
        points,
        differences: differences(plan, &found),
        saturations,
    }
}

/// Adds the monthly comparison of policies to the points. A point with several runs contributes its
/// first.
fn with_months(mut points: Vec<Point>, by_key: &BTreeMap<&str, &CellResult>) -> Vec<Point> {
    let places: Vec<usize> = (0..points.len()).collect();
    let entries: Vec<(&Axes, usize)> = points.iter().map(|point| &point.axes).zip(places).collect();
    let groups: Vec<Vec<usize>> = grouped(&entries, &["policy"])
        .into_iter()
        .map(|(_, places)| places)
        .collect();
    for places in groups {
        let runs: Vec<&CellResult> = places
            .iter()
            .filter_map(|place| by_key.get(points[*place].cells.first()?.as_str()).copied())
            .collect();
        for (place, figures) in places.iter().zip(monthly(&runs)) {
            points[*place].figures.extend(
                figures
                    .into_iter()
                    .map(|(key, mean)| (key, Interval { mean, ci95: None })),
            );
        }
    }
    points
}

/// Groups entries that differ only in `axes`, in the order of first occurrence.
fn grouped<T: Copy>(entries: &[(&Axes, T)], axes: &[&str]) -> Vec<(Axes, Vec<T>)> {
    let mut groups: Vec<(Axes, Vec<T>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (entry_axes, entry) in entries {
        let rest: Axes = map(entry_axes
            .iter()
            .filter(|(name, _)| !axes.contains(&name.as_str()))
            .map(|(k, v)| (k.clone(), v.clone())));
        let name = serde_json::to_string(&rest).unwrap_or_default();
        let place = *places.entry(name).or_insert_with(|| {
            groups.push((rest, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(*entry);
    }
    groups
}

/// Returns the keys of all figures that at least one of the results has. Machines have figures of
/// their own.
fn keys<'a>(results: impl Iterator<Item = &'a CellResult>) -> BTreeSet<&'a str> {
    set(results.flat_map(|result| result.figures.keys().map(String::as_str)))
}

fn point(axes: Axes, results: &[&CellResult]) -> Point {
    let mut figures = BTreeMap::new();
    for key in keys(results.iter().copied()) {
        let values: Vec<f64> = results
            .iter()
            .filter_map(|result| result.figures.get(key).copied())
            .collect();
        let of_batches = || {
            let (metric, statistic) = key.split_once('.')?;
            let ci = results[0].figures.get(&format!("{metric}.ci95"))?;
            (statistic == "mean" && *ci > 0.0).then_some(*ci)
        };
        figures.insert(key.to_owned(), interval(&values, of_batches));
    }
    let offered_load = results
        .iter()
        .map(|result| result.offered_load)
        .sum::<f64>()
        / results.len() as f64;
    Point {
        axes,
        cells: results.iter().map(|result| result.key.clone()).collect(),
        offered_load,
        figures,
    }
}

/// Drops repetitions of the same run. If a trace is not resampled, a seed can change nothing: such
/// runs are not replications.
fn different<T: Copy>(entries: &[T], result: impl Fn(&T) -> &CellResult) -> Vec<T> {
    let mut seen = std::collections::BTreeSet::new();
    entries
        .iter()
        .filter(|entry| {
            let CellResult {
                identity,
                digest,
                key,
                ..
            } = result(entry);
            let name = if digest.is_empty() { key } else { digest };
            seen.insert(format!("{name}\n{identity}"))
        })
        .copied()
        .collect()
}

/// Returns the mean of the values of independent runs with its interval. A single value has the
/// interval that `of_one` returns.
fn interval(values: &[f64], of_one: impl FnOnce() -> Option<f64>) -> Interval {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return Interval {
            mean,
            ci95: of_one(),
        };
    }
    let variance = values
        .iter()
        .map(|value| (value - mean) * (value - mean))
        .sum::<f64>()
        / (n - 1.0);
    Interval {
        mean,
        ci95: Some(student_t(values.len() - 1) * (variance / n).sqrt()),
    }
}

fn differences(plan: &Plan, found: &[(&Axes, &CellResult)]) -> Vec<Difference> {
    let Some(baseline) = plan.policies.first().map(super::PolicyChoice::name) else {
        return Vec::new();
    };
    let policy = |axes: &Axes| axes.get("policy").cloned();
    let base = Some(Value::Text(baseline.clone()));
    let without_policy = |axes: &Axes| {
        map(axes
            .iter()
            .filter(|(name, _)| *name != "policy")
            .map(|(k, v)| (k.clone(), v.clone())))
    };
    let text = |axes: &Axes| serde_json::to_string(&without_policy(axes)).unwrap_or_default();
    let bases: BTreeMap<String, &CellResult> = map(found
        .iter()
        .filter(|(axes, _)| policy(axes) == base)
        .map(|(axes, result)| (text(axes), *result)));
    let pairs: Vec<(&Axes, (&CellResult, &CellResult))> = found
        .iter()
        .filter(|(axes, _)| policy(axes) != base)
        .filter_map(|(axes, result)| Some((*axes, (*bases.get(&text(axes))?, *result))))
        .filter(|(_, (base, other))| base.identity == other.identity)
        .collect();
    grouped(&pairs, &["seed"])
        .into_iter()
        .map(|(axes, pairs)| difference(axes, &baseline, &different(&pairs, |(_, other)| other)))
        .collect()
}

fn difference(axes: Axes, baseline: &str, pairs: &[(&CellResult, &CellResult)]) -> Difference {
    let mut figures = BTreeMap::new();
    let all = keys(pairs.iter().map(|(base, _)| *base));
    for key in all
        .into_iter()
        .filter(|key| !matches!(key.split_once('.'), Some((_, "ci95"))))
    {
        let values: Vec<f64> = pairs
            .iter()
            .filter_map(|(base, other)| Some(other.figures.get(key)? - base.figures.get(key)?))
            .collect();
        let of_batches = || {
            let (metric, statistic) = key.split_once('.')?;
            let (base, other) = (
                pairs[0].0.batches.get(metric)?,
                pairs[0].1.batches.get(metric)?,
            );
            let batches: Vec<f64> = base
                .iter()
                .zip(other)
                .map(|(base, other)| other - base)
                .collect();
            (statistic == "mean")
                .then(|| batch_interval(&batches))
                .flatten()
        };
        figures.insert(key.to_owned(), interval(&values, of_batches));
    }
    Difference {
        axes,
        baseline: baseline.into(),
        pairs: pairs.len(),
        figures,
    }
}

fn saturations(points: &[Point], found: &[(&Axes, &CellResult)]) -> Vec<Saturation> {
    let entries: Vec<(&Axes, &Point)> = points.iter().map(|point| (&point.axes, point)).collect();
    // The runs of each seed, then the seeds of each policy.
    let seeds = grouped(found, &["load"]);
    let sweeps: Vec<(&Axes, &Vec<&CellResult>)> =
        seeds.iter().map(|(axes, runs)| (axes, runs)).collect();
    let crossings = grouped(&sweeps, &["seed"]);
    grouped(&entries, &["load"])
        .into_iter()
        .map(|(axes, points)| {
            let points = by_load(&points, |point| point.offered_load);
            let figure = |point: &Point, key: &str| {
                point.figures.get(key).map_or(0.0, |interval| interval.mean)
            };
            let following = points
                .iter()
                .take_while(|point| figure(point, "accepted.share") >= 1.0 - SATURATED)
                .count();
            let load = following
                .checked_sub(1)
                .map(|last| points[last].offered_load);
            let own = crossings.iter().find(|(other, _)| *other == axes);
            let values: Option<Vec<f64>> =
                own.and_then(|(_, sweeps)| sweeps.iter().map(|runs| crossing(runs)).collect());
            Saturation {
                load,
                reached: following < points.len(),
                accepted: points
                    .iter()
                    .map(|point| figure(point, "accepted.value"))
                    .fold(0.0, f64::max),
                crossing: values.map(|values| interval(&values, || None)),
                axes,
            }
        })
        .collect()
}

/// Returns the entries from the lowest load to the highest.
fn by_load<T: Copy>(entries: &[T], load: impl Fn(&T) -> f64) -> Vec<T> {
    let lightness: Vec<f64> = entries.iter().map(|entry| -load(entry)).collect();
    falling(&lightness)
        .into_iter()
        .map(|place| entries[place])
        .collect()
}

/// Returns the offered load at which the share of the work that is done first falls below that of
/// saturation, between two of these runs.
fn crossing(runs: &[&CellResult]) -> Option<f64> {
    let share = |run: &CellResult| run.figures.get("accepted.share").copied().unwrap_or(0.0);
    let runs = by_load(runs, |run| run.offered_load);
    let limit = 1.0 - SATURATED;
    let at = runs.iter().position(|run| share(run) < limit)?;
    let (last, next) = (runs[at.checked_sub(1)?], runs[at]);
    let part = (share(last) - limit) / (share(last) - share(next));
    Some(last.offered_load + part * (next.offered_load - last.offered_load))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::cells;

    fn result(key: &str, offered: f64, figures: &[(&str, f64)], batches: Vec<f64>) -> CellResult {
        CellResult {
            key: key.into(),
            identity: "same".into(),
            jobs: 1,
            processors: 1,
            offered_load: offered,
            figures: map(figures
                .iter()
                .map(|(key, value)| ((*key).to_owned(), *value))),
            batches: [("wait".to_owned(), batches)].into(),
            ..CellResult::default()
        }
    }

    fn plan(more: &str) -> (Plan, Vec<Cell>) {
        let text = format!(
            r#"{{"schedscope_plan": 1, "workloads": [{{"model": {{"id": "lublin"}}}}], "policies": [{{"policy": "fcfs"}}, {{"policy": "easy"}}]{more}}}"#
        );
        let plan = Plan::parse(&text).unwrap();
        let cells = cells(&plan).unwrap();
        (plan, cells)
    }

    #[test]
    fn seeds_make_intervals_and_pairs() {
        let (plan, cells) = plan(r#", "seeds": [1, 2, 3]"#);
        // Seeds vary slower than policies, so the results of FCFS and EASY alternate.
        let waits = [10.0, 5.0, 20.0, 13.0, 30.0, 24.0];
        let results: Vec<CellResult> = cells
            .iter()
            .zip(waits)
            .map(|(cell, wait)| result(&cell.key, 0.5, &[("wait.mean", wait)], Vec::new()))
            .collect();
        let analysis = analyse(&plan, &cells, &results);
        assert_eq!(analysis.points.len(), 2);
        let fcfs = analysis.points[0].figures["wait.mean"];
        // The mean is 20, the standard deviation 10, and t with 2 degrees of freedom 4.30265.
        assert!(
            (fcfs.mean - 20.0).abs() < 1e-12
                && (fcfs.ci95.unwrap() - 4.302_653 * 10.0 / 3.0_f64.sqrt()).abs() < 1e-4
        );
        let difference = &analysis.differences[0];
        assert_eq!(
            (difference.pairs, difference.baseline.as_str()),
            (3, "FCFS")
        );
        // The differences are -5, -7 and -6: mean -6, standard deviation 1.
        let wait = difference.figures["wait.mean"];
        assert!(
            (wait.mean + 6.0).abs() < 1e-12
                && (wait.ci95.unwrap() - 4.302_653 / 3.0_f64.sqrt()).abs() < 1e-5
        );
    }

    /// A trace that is not resampled gives the same run under every seed. It counts as one run, not
    /// as three runs that agree.
    #[test]
    fn seeds_that_change_nothing_are_no_replications() {
        let (plan, cells) = plan(r#", "seeds": [1, 2, 3]"#);
        let results: Vec<CellResult> = cells
            .iter()
            .map(|cell| {
                let digest = cell.scenario.policy.clone();
                CellResult {
                    digest,
                    ..result(
                        &cell.key,
                        0.5,
                        &[("wait.mean", 7.0), ("wait.ci95", 2.0)],
                        Vec::new(),
                    )
                }
            })
            .collect();
        let analysis = analyse(&plan, &cells, &results);
        assert_eq!(
            analysis.points[0].figures["wait.mean"],
            Interval {
                mean: 7.0,
                ci95: Some(2.0)
            }
        );
        assert_eq!(
            (
                analysis.points[0].cells.len(),
                analysis.differences[0].pairs
            ),
            (1, 1)
        );
    }

    #[test]
    fn one_run_has_the_interval_of_its_batches() {
        let (plan, cells) = plan("");
        let base: Vec<f64> = (0..20).map(f64::from).collect();
        // The batches differ by +1 and +2 in turn.
        let other: Vec<f64> = base
            .iter()
            .enumerate()
            .map(|(at, wait)| wait + 1.0 + (at % 2) as f64)
            .collect();
        let figures = |wait: f64, ci: f64| [("wait.mean", wait), ("wait.ci95", ci)];
        let results = [
            result(&cells[0].key, 0.5, &figures(9.5, 2.0), base),
            result(&cells[1].key, 0.5, &figures(11.0, 2.1), other),
        ];
        let analysis = analyse(&plan, &cells, &results);
        assert_eq!(
            analysis.points[1].figures["wait.mean"],
            Interval {
                mean: 11.0,
                ci95: Some(2.1)
            }
        );
        let wait = analysis.differences[0].figures["wait.mean"];
        // Ten differences are 1 and ten are 2: the variance of the 20 batches is 5/19 = 0.2632.
        assert!(
            (wait.mean - 1.5).abs() < 1e-12
                && (wait.ci95.unwrap() - 2.093_024 * (5.0_f64 / 19.0 / 20.0).sqrt()).abs() < 1e-9
        );
    }

    #[test]
    fn saturation_is_the_last_load_that_is_followed_from_below() {
        let (plan, cells) = plan(r#", "loads": {"offered": [0.9, 0.5, 0.7, 0.8]}"#);
        // The accepted load of FCFS follows up to 0.7, fails at 0.8 and follows again at 0.9. That
        // of EASY follows everywhere.
        let share = |policy: &str, load: f64| {
            if (policy, load) == ("fcfs", 0.8) {
                0.949
            } else {
                0.95
            }
        };
        let results: Vec<CellResult> = cells
            .iter()
            .map(|cell| {
                let Value::Number(load) = cell.axes["load"] else {
                    panic!("a load is a number")
                };
                result(
                    &cell.key,
                    load,
                    &[("accepted.share", share(&cell.scenario.policy, load))],
                    Vec::new(),
                )
            })
            .collect();
        let found = analyse(&plan, &cells, &results).saturations;
        assert_eq!((found[0].load, found[0].reached), (Some(0.7), true));
        assert_eq!((found[1].load, found[1].reached), (Some(0.9), false));
        // FCFS has just the limit at 0.7; EASY never falls below it.
        let fcfs = found[0].crossing.unwrap();
        assert!((fcfs.mean - 0.7).abs() < 1e-12 && fcfs.ci95.is_none());
        assert_eq!(found[1].crossing, None);
    }

    #[test]
    fn saturation_is_interpolated_for_each_seed() {
        let (plan, cells) = plan(r#", "loads": {"offered": [0.6, 0.8]}, "seeds": [1, 2, 3]"#);
        // The share is 0.98 at a load of 0.6, and falls to 0.92, 0.90 and 0.86 at a load of 0.8, so it
        // passes 0.95 after a half, three eighths and a quarter of the way. EASY has no crossing
        // under the last seed.
        let share = |policy: &str, load: f64, seed: f64| match (load, seed, policy) {
            (0.6, ..) => 0.98,
            (_, 1.0, _) => 0.92,
            (_, 2.0, _) => 0.90,
            (_, _, "easy") => 0.96,
            _ => 0.86,
        };
        let number = |cell: &Cell, axis: &str| match cell.axes[axis] {
            Value::Number(number) => number,
            Value::Text(_) => panic!("{axis} is a number"),
        };
        let results: Vec<CellResult> = cells
            .iter()
            .map(|cell| {
                let load = number(cell, "load");
                let share = share(&cell.scenario.policy, load, number(cell, "seed"));
                result(&cell.key, load, &[("accepted.share", share)], Vec::new())
            })
            .collect();
        let found = analyse(&plan, &cells, &results).saturations;
        let Interval { mean, ci95 } = found[0].crossing.unwrap();
        assert!((mean - 0.675).abs() < 1e-12);
        // The three loads 0.65, 0.675 and 0.7 have a standard deviation of 0.025.
        assert!((ci95.unwrap() - 4.302_653 * 0.025 / 3.0_f64.sqrt()).abs() < 1e-6);
        assert_eq!(found[1].crossing, None);
    }
}
