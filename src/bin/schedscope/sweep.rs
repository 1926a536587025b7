//! Plans in the terminal: their cells on all cores, resumed, in shards, merged.
//!
//! Every cell has a file of its own under its key, written whole or not at all, so that a sweep can
//! be stopped at any time and shards need no word with each other.

use crate::args::{MergeArgs, SweepArgs};
use crate::commands::Result;
use crate::folder::{ANALYSIS, PLAN, TABLE, cell_file, check_claim, claim};
use crate::input;
use crate::output::count;
use crate::save::write_own;
use crate::{say, table};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use schedscope::experiment::ENGINE;
use schedscope::files::csv_field;
use schedscope::limits;
use schedscope::machines;
use schedscope::param::Value;
use schedscope::plan::{
    Analysis, Cell, CellResult, Doubt, Interval, Plan, TraceSource, WorkloadSource, analyse, cells,
    measure_cell, read_stored,
};
use schedscope::problem::Problem;
use schedscope::trace::{BadLines, Trace, file::read_file};
use schedscope::workload::model;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Figures of the printed table, where the plan names none.
const USUAL: [&str; 3] = ["wait.mean", "bounded_slowdown.mean", "utilisation.value"];

/// More would cost more to start than they could do.
const MOST_THREADS: usize = 1024;

pub fn sweep(args: &SweepArgs) -> Result<()> {
    let plan = Plan::parse(&read_text(&args.plan)?)?;
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
                "{} holds results of another plan than {}.",
                args.folders[at].display(),
                args.folders[0].display()
            ),
            "Shards that are put together are shards of one plan.",
            "Merge folders of one plan.",
        ));
    }
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

/// Results of each cell, with the folders that they are in.
type Found<'a> = BTreeMap<&'a str, Vec<(&'a Path, CellResult)>>;

/// The results of the folders that can be used. Those of another engine stop it: figures of two
/// engines are no table. Others are left out, and told.
fn found<'a>(folders: &'a [PathBuf], cells: &'a [Cell], plan: &Plan) -> Result<Found<'a>> {
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
                "Results of one plan are of one engine; `cells/KEY.json` says by which it was \
                    made.",
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

/// Checks that results of one trace are of one file, and that those of one cell say the same.
fn check_same(found: &Found, cells: &[Cell]) -> Result<()> {
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
                    "A plan is about one trace of each name; theirs differ in their SHA-256.",
                    "Run the shards of one of them again, and name the trace's sha256 in the plan.",
                ));
            }
        }
        // What is kept beside the figures may differ: a folder may have been used for a plan that
        // kept more.
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
                "The same cell has the same result everywhere; two different ones cannot both be \
                    right.",
                "Check that both ran on the same trace, and run the cell again.",
            ));
        }
    }
    Ok(())
}

/// `2/8` as (2, 8).
fn parse_shard(text: &str) -> Result<(usize, usize)> {
    let parts = text
        .split_once('/')
        .and_then(|(part, of)| Some((part.trim().parse().ok()?, of.trim().parse().ok()?)));
    parts
        .filter(|(part, of)| (1..=*of).contains(part))
        .ok_or_else(|| {
            Problem::new(
                format!("`--shard {text}` is no shard."),
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

fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.clone(),
    }
}

/// Each experiment once, in order.
fn unique(cells: &[Cell]) -> Vec<&Cell> {
    let mut seen = BTreeSet::new();
    cells
        .iter()
        .filter(|cell| seen.insert(cell.key.as_str()))
        .collect()
}

/// Where a trace is, if it is in one of the folders.
fn trace_file(trace: &TraceSource, folders: &[PathBuf]) -> Option<PathBuf> {
    let names = [trace.bare().to_owned(), format!("{}.gz", trace.bare())];
    folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

/// The hashes that results must have, by trace: the plan's, else that of the file, as far as it is
/// there. A file may have changed under its name.
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
                read_file(&path, BadLines::Stop, |_, _| {})?.sha256,
            );
        }
    }
    Ok(hashes)
}

/// Takes the folder for the plan.
fn prepare(out: &Path, plan: &Plan, force: bool) -> Result<()> {
    claim(out, force)?;
    // What was summed up of another plan must not stand beside this one.
    for name in [TABLE, ANALYSIS] {
        fs::remove_file(out.join(name)).ok();
    }
    let text = plan.text();
    write_own(&out.join(PLAN), |line| line(&text))
}

/// The result of a cell, if there is one; or why it cannot be used.
fn stored(
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

fn store(folder: &Path, result: &CellResult) -> Result<()> {
    let text = serde_json::to_string(result).unwrap_or_default() + "\n";
    write_own(&cell_file(folder, &result.key), |line| line(&text))
}

/// Traces that cells share. Those from files are read before the cells begin: reading uses all
/// cores itself, and a lock held meanwhile could wait for itself. Those of models are drawn when
/// the first cell needs one, and dropped after the last.
struct Traces {
    read: BTreeMap<String, Arc<Trace>>,
    drawn: Mutex<BTreeMap<String, Arc<Mutex<Drawn>>>>,
}

struct Drawn {
    trace: Option<Result<Arc<Trace>>>,
    /// Cells that still need it.
    left: usize,
}

fn source_key(source: &WorkloadSource) -> String {
    serde_json::to_string(source).unwrap_or_default()
}

impl Traces {
    fn new(folders: &[PathBuf], cells: &[&Cell]) -> Result<Self> {
        let (mut read, mut drawn) = (
            BTreeMap::new(),
            BTreeMap::<String, Arc<Mutex<Drawn>>>::new(),
        );
        for cell in cells {
            let key = source_key(&cell.source);
            match &cell.source.trace {
                Some(_) if read.contains_key(&key) => {}
                Some(trace) => {
                    read.insert(key, Arc::new(read_trace(trace, folders)?));
                }
                None => {
                    let entry = drawn.entry(key).or_insert_with(|| {
                        Arc::new(Mutex::new(Drawn {
                            trace: None,
                            left: 0,
                        }))
                    });
                    entry.lock().unwrap_or_else(PoisonError::into_inner).left += 1;
                }
            }
        }
        Ok(Self {
            read,
            drawn: Mutex::new(drawn),
        })
    }

    /// The trace of a cell; other cells of the same model wait while it is drawn.
    fn take(&self, source: &WorkloadSource) -> Result<Arc<Trace>> {
        let key = source_key(source);
        if let Some(trace) = self.read.get(&key) {
            return Ok(Arc::clone(trace));
        }
        let draw = || {
            let model = source.model.clone().unwrap_or_default();
            model::generate(&model.id, &model.settings).map(Arc::new)
        };
        let place = self
            .drawn
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
            .cloned();
        let Some(place) = place else { return draw() };
        let mut drawn = place.lock().unwrap_or_else(PoisonError::into_inner);
        drawn.trace.get_or_insert_with(draw).clone()
    }

    fn give_back(&self, source: &WorkloadSource) {
        let mut all = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let key = source_key(source);
        let is_last = all.get(&key).is_some_and(|place| {
            let mut drawn = place.lock().unwrap_or_else(PoisonError::into_inner);
            drawn.left -= 1;
            drawn.left == 0
        });
        if is_last {
            all.remove(&key);
        }
    }
}

fn read_trace(wanted: &TraceSource, folders: &[PathBuf]) -> Result<Trace> {
    let Some(path) = trace_file(wanted, folders) else {
        let looked: Vec<String> = folders
            .iter()
            .map(|folder| folder.display().to_string())
            .collect();
        let archive = if wanted.archive.is_empty() {
            String::new()
        } else {
            format!(" It can be had from {}.", wanted.archive)
        };
        return Err(Problem::new(
            format!(
                "The trace {} is not in {}.",
                wanted.name,
                looked.join(" or ")
            ),
            "A plan names its traces; the files are looked for by these names, with or without \
                .gz.",
            format!("Name their folder with --traces.{archive}"),
        ));
    };
    let mut trace = read_file(&path, BadLines::Stop, |_, _| {})?;
    if !wanted.sha256.is_empty() && trace.sha256 != wanted.sha256 {
        return Err(Problem::new(
            format!(
                "{} is not the trace that the plan means: its SHA-256 is {}.",
                path.display(),
                trace.sha256
            ),
            format!(
                "The plan was made for {} with {}.",
                wanted.name, wanted.sha256
            ),
            "Get the version that the plan means, or change the plan.",
        ));
    }
    // The name of a trace does not hang on how it was packed.
    wanted.bare().clone_into(&mut trace.name);
    Ok(trace)
}

/// Runs cells on all cores. One that fails does not stop the others.
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
                format!("Threads could not be started: {error}."),
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
            "{} Then run the same command again: what has finished is kept.",
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

/// Writes table and analysis of a plan whose cells are all there.
fn finish(plan: &Plan, cells: &[Cell], out: &Path) -> Result<()> {
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

/// Says which traces' machines have a size that is a guess.
fn print_guesses(results: &[CellResult]) {
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

/// Every cell with every figure.
fn results_csv(cells: &[Cell], results: &[CellResult]) -> String {
    let by_key: BTreeMap<&str, &CellResult> = results
        .iter()
        .map(|result| (result.key.as_str(), result))
        .collect();
    let axes: Vec<&String> = cells
        .first()
        .map(|cell| cell.axes.keys().collect())
        .unwrap_or_default();
    let figures = machines::metric_keys();
    // `jobs` and `processors` may be what the plan varies.
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

fn print(plan: &Plan, analysis: &Analysis) {
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

fn read_text(path: &Path) -> Result<String> {
    input::read_text(path, limits::PLAN_BYTES).map_err(|error| {
        Problem::new(
            format!("Cannot read {}: {error}.", path.display()),
            "A plan is a readable text file.",
            "Check the path.",
        )
    })
}
