//! The command `merge`, which puts the results of several folders together.

use super::folder::{PLAN, check_claim};
use super::stored::{finish, prepare, read_text, store, stored, unique};
use crate::own::define_for_plan;
use crate::terminal::args::MergeArgs;
use crate::terminal::output::say;
use crate::terminal::result::Result;
use schedscope::experiment::ENGINE;
use schedscope::plan::{Cell, CellResult, Doubt, Plan, cells};
use schedscope::problem::Problem;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub fn merge(args: &MergeArgs) -> Result<()> {
    check_claim(&args.out, args.force)?;
    let texts = args
        .folders
        .iter()
        .map(|folder| read_text(&folder.join(PLAN)))
        .collect::<Result<Vec<_>>>()?;
    if let Some(at) = texts.iter().position(|text| *text != texts[0]) {
        return Err(Problem::new(
            format!(
                "{} holds results of a different plan from {}.",
                args.folders[at].display(),
                args.folders[0].display()
            ),
            "Only shards of the same plan can be merged.",
            "Merge folders of one plan.",
        ));
    }
    define_for_plan(&texts[0], &args.own)?;
    let plan = Plan::parse(&texts[0])?;
    let cells = cells(&plan)?;
    let found = found(&args.folders, &cells, &plan)?;
    check_same(&found, &cells)?;
    prepare(&args.out, &plan, args.force)?;
    found.values().try_for_each(|results| {
        results
            .first()
            .map_or(Ok(()), |(_, result)| store(&args.out, result))
    })?;
    finish(&plan, &cells, &args.out)
}

/// Results of each cell, with the folders that hold them.
pub(super) type Found<'a> = BTreeMap<&'a str, Vec<(&'a Path, CellResult)>>;

/// Returns the results that can be used. Fails if another build of the engine made a result,
/// because figures of two engines are not comparable. Skips other unusable results, and prints
/// their number.
pub(super) fn found<'a>(
    folders: &'a [PathBuf],
    cells: &'a [Cell],
    plan: &Plan,
) -> Result<Found<'a>> {
    let mut found = Found::new();
    for folder in folders {
        let mut doubts: BTreeMap<Doubt, usize> = BTreeMap::new();
        for cell in unique(cells) {
            match stored(folder, cell, plan) {
                None => {}
                Some(Ok(result)) => found.entry(&cell.key).or_default().push((folder, result)),
                Some(Err(doubt)) => *doubts.entry(doubt).or_default() += 1,
            }
        }
        if let Some(count) = doubts.get(&Doubt::Engine) {
            return Err(Problem::new(
                format!(
                    "{count} results in {} were made by another build of the engine than this \
                        one, {ENGINE}.",
                    folder.display()
                ),
                "All results of a plan must be of one engine; `cells/KEY.json` names the engine \
                    of each.",
                "Merge with the program that ran the shards, or run `sweep` on that folder again \
                    with this one.",
            ));
        }
        for (doubt, count) in doubts {
            say!(
                "{count} results in {} are left out: each {}",
                folder.display(),
                doubt.text()
            );
        }
    }
    Ok(found)
}

/// Checks that all results of one trace are of the same file, and that all results of one cell are
/// equal.
pub(super) fn check_same(found: &Found, cells: &[Cell]) -> Result<()> {
    let mut hashes: BTreeMap<&str, (&Path, &str)> = BTreeMap::new();
    for cell in unique(cells) {
        let results = found
            .get(cell.key.as_str())
            .map(Vec::as_slice)
            .unwrap_or_default();
        let Some((first, result)) = results.first() else {
            continue;
        };
        for (folder, result) in results {
            let Some(trace) = &cell.source.trace else {
                continue;
            };
            let (other, hash) = hashes
                .entry(trace.bare())
                .or_insert((folder, &result.sha256));
            if *hash != result.sha256 {
                return Err(Problem::new(
                    format!(
                        "{} and {} have results of two different traces named {}.",
                        other.display(),
                        folder.display(),
                        trace.name
                    ),
                    "A plan has one trace of each name, and these two differ in their SHA-256.",
                    "Run the shards of one folder again, and give the trace's sha256 in the plan.",
                ));
            }
        }
        // The other parts of results can differ, because a folder may have been used for a plan
        // that kept more.
        let said = |result: &CellResult| {
            (
                result.identity.clone(),
                result.digest.clone(),
                result.jobs,
                result.figures.clone(),
            )
        };
        if let Some((other, _)) = results
            .iter()
            .find(|(_, other)| said(other) != said(result))
        {
            return Err(Problem::new(
                format!(
                    "{} and {} differ in cell {}.",
                    first.display(),
                    other.display(),
                    cell.key
                ),
                "A cell has the same result everywhere, so at least one of the two is wrong.",
                "Check that both ran on the same trace, and run the cell again.",
            ));
        }
    }
    Ok(())
}
