//! The stored results of a sweep: writes and reads them, and makes the tables.

use super::folder::{ANALYSIS, PLAN, TABLE, cell_file, claim};
use super::printing::{print, print_guesses, results_csv};
use crate::terminal::input;
use crate::terminal::output::say;
use crate::terminal::result::Result;
use crate::terminal::save::write_own;
use schedscope::limits;
use schedscope::plan::{Cell, CellResult, Doubt, Plan, analyse, read_stored};
use schedscope::problem::Problem;
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Returns each experiment once, in order.
pub(super) fn unique(cells: &[Cell]) -> Vec<&Cell> {
    let mut seen = BTreeSet::new();
    cells
        .iter()
        .filter(|cell| seen.insert(cell.key.as_str()))
        .collect()
}

/// Claims the folder for the plan, and writes the plan into it.
pub(super) fn prepare(out: &Path, plan: &Plan, force: bool) -> Result<()> {
    claim(out, force)?;
    // Tables of an earlier plan must not stand beside this plan.
    for name in [TABLE, ANALYSIS] {
        fs::remove_file(out.join(name)).ok();
    }
    let text = plan.text();
    write_own(&out.join(PLAN), |line| line(&text))
}

/// Returns the stored result of a cell, or the reason why it cannot be used. `None` if there is no
/// result.
pub(super) fn stored(
    folder: &Path,
    cell: &Cell,
    plan: &Plan,
) -> Option<std::result::Result<CellResult, Doubt>> {
    let text = match fs::read_to_string(cell_file(folder, &cell.key)) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(_) => return Some(Err(Doubt::Damaged)),
    };
    let keeps_all = |result: &CellResult| plan.keep.iter().all(|keep| result.keep.contains(keep));
    Some(read_stored(&text, &cell.key).and_then(|result| {
        if keeps_all(&result) {
            Ok(result)
        } else {
            Err(Doubt::Keep)
        }
    }))
}

pub(super) fn store(folder: &Path, result: &CellResult) -> Result<()> {
    let text = serde_json::to_string(result).unwrap_or_default() + "\n";
    write_own(&cell_file(folder, &result.key), |line| line(&text))
}

/// Writes table and analysis. Fails if a cell has no result.
pub(super) fn finish(plan: &Plan, cells: &[Cell], out: &Path) -> Result<()> {
    let results: Vec<CellResult> = unique(cells)
        .into_iter()
        .filter_map(|cell| stored(out, cell, plan)?.ok())
        .collect();
    let missing = unique(cells).len() - results.len();
    if missing > 0 {
        return Err(Problem::new(
            format!(
                "{missing} of {} cells are missing in {}.",
                unique(cells).len(),
                out.display()
            ),
            "A plan is finished when every cell has its result.",
            "Run the missing shards, or `schedscope sweep` with this folder as --out.",
        ));
    }
    let analysis = analyse(plan, cells, &results);
    let table = results_csv(cells, &results);
    write_own(&out.join(TABLE), |line| line(&table))?;
    let text = serde_json::to_string_pretty(&analysis).unwrap_or_default() + "\n";
    write_own(&out.join(ANALYSIS), |line| line(&text))?;
    print(plan, &analysis);
    print_guesses(&results);
    say!("");
    say!("{TABLE}, {ANALYSIS} and cells/ are in {}", out.display());
    Ok(())
}

pub(super) fn read_text(path: &Path) -> Result<String> {
    input::read_text(path, limits::PLAN_BYTES).map_err(|error| {
        Problem::new(
            format!("Cannot read {}: {error}.", path.display()),
            "A plan is a readable text file.",
            "Check the path.",
        )
    })
}
