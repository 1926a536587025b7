//! The command `sweep`, which runs the cells of a plan on all cores.

use super::printing::shown;
use super::stored::{finish, prepare, read_text, store, stored, unique};
use super::traces::{Traces, read_trace_file, trace_file};
use crate::own::define_for_plan;
use crate::terminal::args::SweepArgs;
use crate::terminal::output::{count, say};
use crate::terminal::result::Result;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use schedscope::import::Mapping;
use schedscope::plan::{Cell, CellResult, Doubt, Plan, cells, measure_cell};
use schedscope::problem::Problem;
use schedscope::trace::Trace;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest number of threads. More threads would cost more to start than they gain.
const MOST_THREADS: usize = 1024;

pub fn sweep(args: &SweepArgs) -> Result<()> {
    let text = read_text(&args.plan)?;
    define_for_plan(&text, &args.own)?;
    let mut plan = Plan::parse(&text)?;
    take_columns(&mut plan, args.columns.as_deref())?;
    let cells = cells(&plan)?;
    let shard = args.shard.as_deref().map(parse_shard).transpose()?;
    let is_ours =
        |(index, _): &(usize, &Cell)| shard.is_none_or(|(part, of)| index % of == part - 1);
    let wanted: Vec<&Cell> = unique(&cells)
        .into_iter()
        .enumerate()
        .filter(is_ours)
        .map(|(_, cell)| cell)
        .collect();
    let (Some(out), false) = (&args.out, args.list) else {
        let keys: BTreeSet<&str> = wanted.iter().map(|cell| cell.key.as_str()).collect();
        list(cells.iter().filter(|cell| keys.contains(cell.key.as_str())));
        return Ok(());
    };
    let home = args
        .plan
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .map_or_else(|| PathBuf::from("."), Path::to_owned);
    let folders = if args.traces.is_empty() {
        vec![home]
    } else {
        args.traces.clone()
    };
    prepare(out, &plan, args.force)?;
    let hashes = hashes(&plan, &folders, out, &wanted)?;
    let mut doubts: BTreeMap<Doubt, usize> = BTreeMap::new();
    let mut is_missing = |cell: &&Cell| {
        let hash = cell
            .source
            .trace
            .as_ref()
            .and_then(|trace| hashes.get(trace.bare()));
        let doubt = match stored(out, cell, &plan) {
            None => return true,
            Some(Err(doubt)) => doubt,
            Some(Ok(result)) if hash.is_some_and(|hash| *hash != result.sha256) => Doubt::Trace,
            Some(Ok(_)) => return false,
        };
        *doubts.entry(doubt).or_default() += 1;
        true
    };
    let missing: Vec<&Cell> = wanted.iter().copied().filter(&mut is_missing).collect();
    say!(
        "{}, {} of them to run",
        count(wanted.len(), "cell"),
        missing.len()
    );
    for (doubt, count) in doubts {
        say!(
            "  {count} of them again: the stored result {}",
            doubt.text()
        );
    }
    run_all(&plan, &missing, &folders, out, args.threads)?;
    if shard.is_some() {
        say!(
            "results of this shard are in {}; `schedscope merge` puts shards together",
            out.display()
        );
        return Ok(());
    }
    finish(&plan, &cells, out)
}

/// Gives the plan's traces the columns of `--columns`, unless the plan names its own.
fn take_columns(plan: &mut Plan, columns: Option<&str>) -> Result<()> {
    let Some(columns) = columns else {
        return Ok(());
    };
    // Different texts for one mapping must not give different keys.
    let columns = Mapping::parse(columns)?.to_string();
    for source in &mut plan.workloads {
        if let Some(trace) = &mut source.trace
            && trace.columns.is_empty()
        {
            trace.columns.clone_from(&columns);
        }
    }
    Ok(())
}

/// Parses a shard: `2/8` becomes (2, 8).
fn parse_shard(text: &str) -> Result<(usize, usize)> {
    let parts = text
        .split_once('/')
        .and_then(|(part, of)| Some((part.trim().parse().ok()?, of.trim().parse().ok()?)));
    parts
        .filter(|(part, of)| (1..=*of).contains(part))
        .ok_or_else(|| {
            Problem::new(
                format!("`--shard {text}` is not a shard."),
                "A shard is I/N, part I of N, from 1 to N.",
                "For example --shard 2/8.",
            )
        })
}

fn list<'a>(cells: impl Iterator<Item = &'a Cell>) {
    for cell in cells {
        let axes: Vec<String> = cell
            .axes
            .iter()
            .map(|(name, value)| format!("{name}={}", shown(value)))
            .collect();
        say!("{}  {}", cell.key, axes.join(" "));
    }
}

/// Returns the hash that the results of each trace must have: the plan's hash, or else that of the
/// file, if there is one. A file can change under its name.
fn hashes(
    plan: &Plan,
    folders: &[PathBuf],
    out: &Path,
    cells: &[&Cell],
) -> Result<BTreeMap<String, String>> {
    let mut hashes = BTreeMap::new();
    for trace in plan
        .workloads
        .iter()
        .filter_map(|source| source.trace.as_ref())
    {
        let has_results = || {
            let of_trace = |cell: &&&Cell| {
                cell.source
                    .trace
                    .as_ref()
                    .is_some_and(|other| other.bare() == trace.bare())
            };
            cells
                .iter()
                .filter(of_trace)
                .any(|cell| stored(out, cell, plan).is_some_and(|result| result.is_ok()))
        };
        if !trace.sha256.is_empty() {
            hashes.insert(trace.bare().to_owned(), trace.sha256.clone());
        } else if let Some(path) = trace_file(trace, folders).filter(|_| has_results()) {
            hashes.insert(
                trace.bare().to_owned(),
                read_trace_file(trace, &path)?.sha256,
            );
        }
    }
    Ok(hashes)
}

/// Runs cells on all cores. A cell that fails does not stop the others.
fn run_all(
    plan: &Plan,
    missing: &[&Cell],
    folders: &[PathBuf],
    out: &Path,
    threads: Option<usize>,
) -> Result<()> {
    let traces = Traces::new(folders, missing)?;
    let bar = ProgressBar::new(missing.len() as u64).with_style(
        ProgressStyle::with_template("{bar:30} {pos}/{len} cells, {elapsed}, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar.tick();
    let work = |cell: &&Cell| {
        let result = traces
            .take(&cell.source)
            .and_then(|trace| simulate(cell, trace, plan))
            .and_then(|result| store(out, &result));
        traces.give_back(&cell.source);
        bar.inc(1);
        result.err().map(|problem| (cell.key.clone(), problem))
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0).min(missing.len()).min(MOST_THREADS))
        .build()
        .map_err(|error| {
            Problem::new(
                format!("The threads could not be started: {error}."),
                "Cells run on threads.",
                "Try --threads 1.",
            )
        })?;
    let failed: Vec<(String, Problem)> =
        pool.install(|| missing.par_iter().filter_map(work).collect());
    bar.finish_and_clear();
    let Some((key, problem)) = failed.first() else {
        return Ok(());
    };
    Err(Problem::new(
        format!(
            "{} of {} failed; the first, {key}: {}",
            failed.len(),
            count(missing.len(), "cell"),
            problem.what
        ),
        problem.why.clone(),
        format!(
            "{} Then run the same command again: finished cells are kept.",
            problem.next
        ),
    ))
}

fn simulate(cell: &Cell, trace: Arc<Trace>, plan: &Plan) -> Result<CellResult> {
    let mut run = cell.scenario.resolve()?.run(trace)?;
    while !run.advance(u64::MAX).done {}
    run.check_complete()?;
    Ok(measure_cell(&cell.key, &run, &plan.keep))
}
