//! The table of a plan, for the terminal and as CSV.

use crate::terminal::output::say;
use crate::terminal::table;
use schedscope::files::csv_field;
use schedscope::machines;
use schedscope::param::Value;
use schedscope::plan::{Analysis, Cell, CellResult, Interval, Plan};
use std::collections::{BTreeMap, BTreeSet};

/// The figures of the printed table if the plan names none.
const USUAL: [&str; 3] = ["wait.mean", "bounded_slowdown.mean", "utilisation.value"];

/// Prints each trace whose machine has a guessed size.
pub(super) fn print_guesses(results: &[CellResult]) {
    let guess = |result: &CellResult| {
        Some(format!(
            "{}: {}",
            result.trace,
            result.size.as_ref()?.note()?
        ))
    };
    for guess in results
        .iter()
        .filter_map(guess)
        .collect::<BTreeSet<String>>()
    {
        say!("! {guess} Set `processors` in the plan.");
    }
}

/// Returns a table of all cells with all figures, as CSV.
pub(super) fn results_csv(cells: &[Cell], results: &[CellResult]) -> String {
    let by_key: BTreeMap<&str, &CellResult> = results
        .iter()
        .map(|result| (result.key.as_str(), result))
        .collect();
    let axes: Vec<&String> = cells
        .first()
        .map(|cell| cell.axes.keys().collect())
        .unwrap_or_default();
    let figures = machines::metric_keys();
    // These names differ from `jobs` and `processors`, which the plan can vary.
    let fixed = ["key", "jobs_run", "machine_size", "offered_load", "digest"];
    let head = axes
        .iter()
        .map(|axis| axis.as_str())
        .chain(fixed)
        .chain(figures.iter().map(String::as_str));
    let mut table = head.map(csv_field).collect::<Vec<_>>().join(",") + "\n";
    for cell in cells {
        let Some(result) = by_key.get(cell.key.as_str()) else {
            continue;
        };
        let mut row: Vec<String> = axes
            .iter()
            .map(|axis| {
                cell.axes
                    .get(*axis)
                    .map(|value| csv_field(&shown(value)))
                    .unwrap_or_default()
            })
            .collect();
        row.extend([
            result.key.clone(),
            result.jobs.to_string(),
            result.processors.to_string(),
            result.offered_load.to_string(),
            result.digest.clone(),
        ]);
        row.extend(figures.iter().map(|key| {
            result
                .figures
                .get(key)
                .map(f64::to_string)
                .unwrap_or_default()
        }));
        table += &(row.join(",") + "\n");
    }
    table
}

pub(super) fn print(plan: &Plan, analysis: &Analysis) {
    let usual = USUAL.map(str::to_owned);
    let wanted: &[String] = if plan.metrics.is_empty() {
        &usual
    } else {
        &plan.metrics
    };
    let Some(first) = analysis.points.first() else {
        return;
    };
    let axes: Vec<String> = first.axes.keys().cloned().collect();
    let head: Vec<String> = axes
        .iter()
        .cloned()
        .chain(["offered".to_owned()])
        .chain(wanted.iter().cloned())
        .collect();
    let cell = |interval: Option<&Interval>| {
        let Some(interval) = interval else {
            return String::new();
        };
        let half = interval
            .ci95
            .map_or(String::new(), |ci| format!(" ± {}", table::figure(ci)));
        table::figure(interval.mean) + &half
    };
    let rows: Vec<Vec<String>> = analysis
        .points
        .iter()
        .map(|point| {
            let places = axes
                .iter()
                .map(|axis| point.axes.get(axis).map(shown).unwrap_or_default());
            let figures = wanted.iter().map(|key| cell(point.figures.get(key)));
            places
                .chain([format!("{:.3}", point.offered_load)])
                .chain(figures)
                .collect()
        })
        .collect();
    say!("");
    table::print(&head, &rows);
    for saturation in &analysis.saturations {
        let name: Vec<String> = saturation.axes.values().map(shown).collect();
        let text = match (saturation.load, saturation.reached) {
            (Some(load), true) => format!("saturates above an offered load of {load:.3}"),
            (Some(load), false) => format!("follows every load up to {load:.3}"),
            (None, _) => "follows no load of the sweep".to_owned(),
        };
        say!(
            "{}: {text}; accepts at most {:.3}",
            name.join(", "),
            saturation.accepted
        );
    }
}

pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.clone(),
    }
}
