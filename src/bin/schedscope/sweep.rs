//! Plans in the terminal: their cells on all cores, resumed, in shards, merged.
//!
//! Every cell has a file of its own under its key, written whole or not at all, so that a sweep can be stopped at any
//! time and shards need no word with each other.

use crate::args::{MergeArgs, SweepArgs};
use crate::commands::Result;
use crate::output::write_file;
use crate::{say, table};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use schedscope::experiment::VERSION;
use schedscope::metrics;
use schedscope::param::Value;
use schedscope::plan::{Analysis, Cell, CellResult, Interval, Plan, WorkloadSource, analyse, cells, measure_cell};
use schedscope::problem::Problem;
use schedscope::trace::{BadLines, Trace, file::read_file};
use schedscope::workload::model;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Figures of the printed table, where the plan names none.
const USUAL: [&str; 3] = ["wait.mean", "bounded_slowdown.mean", "utilisation.value"];

pub fn sweep(args: &SweepArgs) -> Result<()> {
    let plan = Plan::parse(&read_text(&args.plan)?)?;
    let cells = cells(&plan)?;
    let (Some(out), false) = (&args.out, args.list) else {
        list(&cells);
        return Ok(());
    };
    let shard = args.shard.as_deref().map(parse_shard).transpose()?;
    let home = args.plan.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
    let folders = if args.traces.is_empty() { vec![home] } else { args.traces.clone() };
    let files = trace_files(&plan, &folders)?;
    prepare(out, &plan)?;
    let wanted: Vec<&Cell> = unique(&cells)
        .into_iter()
        .enumerate()
        .filter(|(index, _)| shard.is_none_or(|(part, of)| index % of == part - 1))
        .map(|(_, cell)| cell)
        .collect();
    let hashes = hashes(&files, out, &wanted, &plan)?;
    let is_missing = |cell: &&Cell| {
        let trace = cell.source.trace.as_ref().map(|trace| trace.name.as_str());
        stored(out, cell, &plan).is_none_or(|result| trace.is_some_and(|name| hashes.get(name).is_some_and(|hash| *hash != result.sha256)))
    };
    let missing: Vec<&Cell> = wanted.iter().copied().filter(is_missing).collect();
    say!("{} cells, {} of them to run", wanted.len(), missing.len());
    run_all(&plan, &missing, &files, out, args.threads)?;
    if shard.is_some() {
        say!("results of this shard are in {}; `schedscope merge` puts shards together", out.display());
        return Ok(());
    }
    finish(&plan, &cells, out)
}

pub fn merge(args: &MergeArgs) -> Result<()> {
    let texts = args.folders.iter().map(|folder| read_text(&folder.join("plan.json"))).collect::<Result<Vec<_>>>()?;
    if let Some(at) = texts.iter().position(|text| *text != texts[0]) {
        return Err(Problem::new(
            format!("{} holds results of another plan than {}.", args.folders[at].display(), args.folders[0].display()),
            "Shards that are put together are shards of one plan.",
            "Merge folders of one plan.",
        ));
    }
    let plan = Plan::parse(&texts[0])?;
    let cells = cells(&plan)?;
    prepare(&args.out, &plan)?;
    for cell in unique(&cells) {
        let found: Vec<(&PathBuf, CellResult)> =
            args.folders.iter().filter_map(|folder| Some((folder, stored(folder, cell, &plan)?))).collect();
        let Some((first, result)) = found.first() else { continue };
        if let Some((other, _)) = found.iter().find(|(_, other)| other != result) {
            return Err(Problem::new(
                format!("{} and {} differ in cell {}.", first.display(), other.display(), cell.key),
                "The same cell has the same result everywhere; two different ones cannot both be right.",
                "Check that both ran on the same trace, and run the cell again.",
            ));
        }
        store(&args.out, result)?;
    }
    finish(&plan, &cells, &args.out)
}

/// `2/8` as (2, 8).
fn parse_shard(text: &str) -> Result<(usize, usize)> {
    let parts = text.split_once('/').and_then(|(part, of)| Some((part.trim().parse().ok()?, of.trim().parse().ok()?)));
    parts.filter(|(part, of)| (1..=*of).contains(part)).ok_or_else(|| {
        Problem::new(format!("`--shard {text}` is no shard."), "A shard is I/N, part I of N, from 1 to N.", "For example --shard 2/8.")
    })
}

fn list(cells: &[Cell]) {
    for cell in cells {
        let axes: Vec<String> = cell.axes.iter().map(|(name, value)| format!("{name}={}", shown(value))).collect();
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
    let mut seen = std::collections::BTreeSet::new();
    cells.iter().filter(|cell| seen.insert(cell.key.as_str())).collect()
}

/// Where each trace of the plan is.
fn trace_files(plan: &Plan, folders: &[PathBuf]) -> Result<BTreeMap<String, PathBuf>> {
    let mut files = BTreeMap::new();
    for trace in plan.workloads.iter().filter_map(|source| source.trace.as_ref()) {
        let bare = trace.name.trim_end_matches(".gz");
        let names = [bare.to_owned(), format!("{bare}.gz")];
        let found = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).find(|path| path.is_file());
        let Some(path) = found else {
            let looked: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
            let archive = if trace.archive.is_empty() { String::new() } else { format!(" It can be had from {}.", trace.archive) };
            return Err(Problem::new(
                format!("The trace {} is not in {}.", trace.name, looked.join(" or ")),
                "A plan names its traces; the files are looked for by these names, with or without .gz.",
                format!("Name their folder with --traces.{archive}"),
            ));
        };
        files.insert(trace.name.clone(), path);
    }
    Ok(files)
}

/// The hashes of the traces of which there are results already: a file may have changed under its name.
fn hashes(files: &BTreeMap<String, PathBuf>, out: &Path, cells: &[&Cell], plan: &Plan) -> Result<BTreeMap<String, String>> {
    let has_results = |name: &str| {
        let of_trace = |cell: &&&Cell| cell.source.trace.as_ref().is_some_and(|trace| trace.name == name);
        cells.iter().filter(of_trace).any(|cell| stored(out, cell, plan).is_some())
    };
    let known = files.iter().filter(|(name, _)| has_results(name));
    known.map(|(name, path)| Ok((name.clone(), read_file(path, BadLines::Stop, |_, _| {})?.sha256))).collect()
}

fn prepare(out: &Path, plan: &Plan) -> Result<()> {
    fs::create_dir_all(out.join("cells")).map_err(|error| {
        Problem::new(format!("Cannot make {}: {error}.", out.display()), "Results need a folder.", "Choose another one with --out.")
    })?;
    let text = plan.text();
    write_file(&out.join("plan.json"), |line| line(&text))
}

fn cell_file(folder: &Path, key: &str) -> PathBuf {
    folder.join("cells").join(format!("{key}.json"))
}

/// The result of a cell, if there is one that this program wrote and that holds all that the plan wants.
fn stored(folder: &Path, cell: &Cell, plan: &Plan) -> Option<CellResult> {
    let result: CellResult = serde_json::from_str(&fs::read_to_string(cell_file(folder, &cell.key)).ok()?).ok()?;
    let is_it = result.key == cell.key && result.version == VERSION && plan.keep.iter().all(|keep| result.keep.contains(keep));
    is_it.then_some(result)
}

fn store(folder: &Path, result: &CellResult) -> Result<()> {
    let text = serde_json::to_string(result).unwrap_or_default() + "\n";
    write_file(&cell_file(folder, &result.key), |line| line(&text))
}

/// Traces that cells share: read when the first needs one, dropped after the last.
struct Traces<'a> {
    files: &'a BTreeMap<String, PathBuf>,
    shelves: Mutex<BTreeMap<String, Arc<Mutex<Shelf>>>>,
}

struct Shelf {
    trace: Option<Result<Arc<Trace>>>,
    /// Cells that still need it.
    left: usize,
}

fn source_key(source: &WorkloadSource) -> String {
    serde_json::to_string(source).unwrap_or_default()
}

impl<'a> Traces<'a> {
    fn new(files: &'a BTreeMap<String, PathBuf>, cells: &[&Cell]) -> Self {
        let mut shelves: BTreeMap<String, Arc<Mutex<Shelf>>> = BTreeMap::new();
        for cell in cells {
            let entry = shelves.entry(source_key(&cell.source));
            entry
                .or_insert_with(|| Arc::new(Mutex::new(Shelf { trace: None, left: 0 })))
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .left += 1;
        }
        Self { files, shelves: Mutex::new(shelves) }
    }

    /// The trace of a cell; other cells of the same one wait while it is read.
    fn take(&self, source: &WorkloadSource) -> Result<Arc<Trace>> {
        let place = self.shelves.lock().unwrap_or_else(PoisonError::into_inner).get(&source_key(source)).cloned();
        let Some(place) = place else { return read(source, self.files).map(Arc::new) };
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        place.trace.get_or_insert_with(|| read(source, self.files).map(Arc::new)).clone()
    }

    fn give_back(&self, source: &WorkloadSource) {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        let key = source_key(source);
        let is_last = shelves.get(&key).is_some_and(|place| {
            let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
            place.left -= 1;
            place.left == 0
        });
        if is_last {
            shelves.remove(&key);
        }
    }
}

fn read(source: &WorkloadSource, files: &BTreeMap<String, PathBuf>) -> Result<Trace> {
    if let Some(model) = &source.model {
        return model::generate(&model.id, &model.settings);
    }
    let wanted = source.trace.clone().unwrap_or_default();
    let path = files.get(&wanted.name).cloned().unwrap_or_default();
    let mut trace = read_file(&path, BadLines::Stop, |_, _| {})?;
    if !wanted.sha256.is_empty() && trace.sha256 != wanted.sha256 {
        return Err(Problem::new(
            format!("{} is not the trace that the plan means: its SHA-256 is {}.", path.display(), trace.sha256),
            format!("The plan was made for {} with {}.", wanted.name, wanted.sha256),
            "Get the version that the plan means, or change the plan.",
        ));
    }
    // The name of a trace does not hang on how it was packed.
    wanted.name.trim_end_matches(".gz").clone_into(&mut trace.name);
    Ok(trace)
}

/// Runs cells on all cores. One that fails does not stop the others.
fn run_all(plan: &Plan, missing: &[&Cell], files: &BTreeMap<String, PathBuf>, out: &Path, threads: Option<usize>) -> Result<()> {
    let traces = Traces::new(files, missing);
    let bar = ProgressBar::new(missing.len() as u64).with_style(
        ProgressStyle::with_template("{bar:30} {pos}/{len} cells, {elapsed}, {eta} left").unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar.tick();
    let work = |cell: &&Cell| {
        let result = traces.take(&cell.source).and_then(|trace| simulate(cell, trace, plan)).and_then(|result| store(out, &result));
        traces.give_back(&cell.source);
        bar.inc(1);
        result.err().map(|problem| (cell.key.clone(), problem))
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|error| Problem::new(format!("Threads could not be started: {error}."), "Cells run on threads.", "Try --threads 1."))?;
    let failed: Vec<(String, Problem)> = pool.install(|| missing.par_iter().filter_map(work).collect());
    bar.finish_and_clear();
    let Some((key, problem)) = failed.first() else { return Ok(()) };
    Err(Problem::new(
        format!("{} of {} cells failed; the first, {key}: {}", failed.len(), missing.len(), problem.what),
        problem.why.clone(),
        format!("{} Then run the same command again: what has finished is kept.", problem.next),
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
    let results: Vec<CellResult> = unique(cells).into_iter().filter_map(|cell| stored(out, cell, plan)).collect();
    let missing = unique(cells).len() - results.len();
    if missing > 0 {
        return Err(Problem::new(
            format!("{missing} of {} cells are missing in {}.", unique(cells).len(), out.display()),
            "A plan is finished when every cell has its result.",
            "Run the missing shards, or `schedscope sweep` with this folder as --out.",
        ));
    }
    let analysis = analyse(plan, cells, &results);
    let table = results_csv(cells, &results)?;
    write_file(&out.join("results.csv"), |line| line(&table))?;
    let text = serde_json::to_string_pretty(&analysis).unwrap_or_default() + "\n";
    write_file(&out.join("analysis.json"), |line| line(&text))?;
    print(plan, &analysis);
    say!("\nresults.csv, analysis.json and cells/ are in {}", out.display());
    Ok(())
}

/// Every cell with every figure.
fn results_csv(cells: &[Cell], results: &[CellResult]) -> Result<String> {
    let by_key: BTreeMap<&str, &CellResult> = results.iter().map(|result| (result.key.as_str(), result)).collect();
    let axes: Vec<&String> = cells.first().map(|cell| cell.axes.keys().collect()).unwrap_or_default();
    let figures = metrics::keys();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let fixed = ["key", "jobs", "processors", "offered_load", "digest"];
    let head = axes.iter().map(|axis| axis.as_str()).chain(fixed).chain(figures.iter().map(String::as_str));
    let mut written = writer.write_record(head);
    for cell in cells {
        let Some(result) = by_key.get(cell.key.as_str()) else { continue };
        let mut row: Vec<String> = axes.iter().map(|axis| cell.axes.get(*axis).map(shown).unwrap_or_default()).collect();
        row.extend([
            result.key.clone(),
            result.jobs.to_string(),
            result.processors.to_string(),
            result.offered_load.to_string(),
            result.digest.clone(),
        ]);
        row.extend(figures.iter().map(|key| result.figures.get(key).map(f64::to_string).unwrap_or_default()));
        written = written.and_then(|()| writer.write_record(&row));
    }
    let text = written.ok().and_then(|()| writer.into_inner().ok()).and_then(|bytes| String::from_utf8(bytes).ok());
    text.ok_or_else(|| Problem::new("The table of results could not be written.", "It is text.", "Please report this with the plan."))
}

fn print(plan: &Plan, analysis: &Analysis) {
    let usual = USUAL.map(str::to_owned);
    let wanted: &[String] = if plan.metrics.is_empty() { &usual } else { &plan.metrics };
    let Some(first) = analysis.points.first() else { return };
    let axes: Vec<String> = first.axes.keys().cloned().collect();
    let head: Vec<String> = axes.iter().cloned().chain(["offered".to_owned()]).chain(wanted.iter().cloned()).collect();
    let cell = |interval: Option<&Interval>| {
        let Some(interval) = interval else { return String::new() };
        let half = interval.ci95.map_or(String::new(), |ci| format!(" ± {}", table::figure(ci)));
        table::figure(interval.mean) + &half
    };
    let rows: Vec<Vec<String>> = analysis
        .points
        .iter()
        .map(|point| {
            let places = axes.iter().map(|axis| point.axes.get(axis).map(shown).unwrap_or_default());
            let figures = wanted.iter().map(|key| cell(point.figures.get(key)));
            places.chain([format!("{:.3}", point.offered_load)]).chain(figures).collect()
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
        say!("{}: {text}; accepts at most {:.3}", name.join(", "), saturation.accepted);
    }
}

fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| {
        Problem::new(format!("Cannot read {}: {error}.", path.display()), "A plan is a readable text file.", "Check the path.")
    })
}
