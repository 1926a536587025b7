//! What each command does.

use crate::args::{Args, Command, GenerateArgs, InspectArgs, ListArgs, RunArgs};
use crate::input::{read_bytes, read_text};
use crate::output::{count, say_json, write_out};
use crate::save::{Existing, check_free, is_stream, write_file};
use crate::{say, sweep, table};
use indicatif::{ProgressBar, ProgressStyle};
use schedscope::experiment::{Run, Scenario, WhatIf, catalog, summary};
use schedscope::job::JobId;
use schedscope::limits;
use schedscope::metrics::{self, Measures, paired};
use schedscope::param::{Param, Settings, Value};
use schedscope::plan::{check_keys, place};
use schedscope::policy::candidates::{is_setting, without_others};
use schedscope::problem::Problem;
use schedscope::schedule::audit::audit;
use schedscope::sim::Why;
use schedscope::trace::{
    BadLines, Demands, Effect, MachineSize, Report, Trace, file::read_file, write_trace,
};
use schedscope::workload::{Workload, clean, model, shape};
use schedscope::{machines, policy};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

pub type Result<T> = std::result::Result<T, Problem>;

/// Events between two looks at the progress bar.
const SLICE: u64 = 100_000;

pub fn execute(args: Args) -> Result<()> {
    match args.command {
        Command::Run(args) => run(&args),
        Command::Policies(args) => {
            list(
                &args,
                "policies",
                policy::ALL
                    .iter()
                    .map(|s| (s.id, s.name, s.summary, s.params)),
            );
            Ok(())
        }
        Command::Machines(args) => {
            list(
                &args,
                "machines",
                machines::ALL
                    .iter()
                    .map(|s| (s.id, s.name, s.summary, s.params)),
            );
            Ok(())
        }
        Command::Models(args) => {
            list(
                &args,
                "models",
                model::ALL
                    .iter()
                    .map(|s| (s.id, s.name, s.summary, s.params)),
            );
            Ok(())
        }
        Command::Generate(args) => generate(&args),
        Command::Inspect(args) => inspect(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Merge(args) => sweep::merge(&args),
    }
}

fn run(args: &RunArgs) -> Result<()> {
    // Every name and value is checked before the first trace is read.
    let mut settings = parse_settings(&args.settings, args.procs.as_deref())?;
    let demands = args
        .demands
        .as_ref()
        .map(|path| read_demands(path))
        .transpose()?;
    if demands.is_some() {
        let chosen = settings
            .0
            .entry("demands".into())
            .or_insert(Value::Text("file".into()));
        if *chosen != Value::Text("file".into()) {
            return Err(Problem::new(
                "`--demands` and `--set demands` contradict each other.",
                "A table of demands is taken with `demands=file`.",
                "Leave one of them out.",
            ));
        }
    }
    let scenarios = args
        .policy
        .iter()
        .map(|policy| scenario(args, policy, &settings))
        .collect::<Result<Vec<_>>>()?;
    check_all_used(&settings, &scenarios)?;
    check_outputs(args, &scenarios)?;
    for path in &args.traces {
        let trace = Arc::new(Trace {
            demands: demands.clone(),
            ..read(path, args.skip_bad_lines)?
        });
        let mut runs = Vec::new();
        for scenario in &scenarios {
            let run = simulate(scenario, &trace)?;
            if args.audit {
                check_audit(&run)?;
            }
            let measures = run.measures();
            write_files(args, &outputs(args, path, scenario), &run, &measures)?;
            runs.push((run, measures));
        }
        print_runs(&runs);
        if let Some(number) = args.why {
            runs.iter()
                .try_for_each(|(run, _)| print_why(run, number))?;
        }
    }
    Ok(())
}

/// Jobs of a list that are named; beyond, only their number is told.
const NAMED: usize = 12;

fn print_why(run: &Run, number: i64) -> Result<()> {
    let workload = &run.schedule().workload;
    let job = workload
        .ids()
        .find(|job| workload.request(*job).number == number)
        .ok_or_else(|| {
            Problem::new(
                format!("There is no job {number} among those that take part."),
                "A job is named by its number in the trace.",
                "`inspect` says which jobs were left out.",
            )
        })?;
    let wait = run.why(job);
    let named = |job: JobId| workload.request(job).number;
    let waited = run
        .schedule()
        .wait(job)
        .map_or(0.0, schedscope::time::Span::seconds);
    say!("");
    say!(
        "Job {number} under {}: it waited {waited} s.",
        run.scenario.policy.name
    );
    for cause in &wait.causes {
        let because = match cause.why {
            Why::Processors { .. } => format!(
                "it needs {} processors, more than were free",
                workload.request(job).processors
            ),
            Why::Partition { .. } => {
                "enough processors were free, but no free partition that suits it".to_owned()
            }
            Why::Behind { ahead } => format!("it may not pass job {}", named(ahead)),
            Why::Reserved { by } => format!(
                "there was room, but it would have delayed the reservation of job {}",
                named(by)
            ),
            Why::NotChosen => "other jobs made better use of the processors".to_owned(),
            Why::NotTried => "the policy did not look at it".to_owned(),
            Why::StartDelay => "it had its processors: the machine's start delay".to_owned(),
        };
        say!("  {:>12} s  {because}", cause.total.seconds());
    }
    for (jobs, what) in [
        (&wait.ahead, "waited already when it arrived"),
        (&wait.overtakers, "arrived later and started earlier"),
    ] {
        let first: Vec<String> = jobs
            .iter()
            .take(NAMED)
            .map(|job| named(*job).to_string())
            .collect();
        let more = if jobs.len() > NAMED { ", …" } else { "" };
        say!(
            "  {} {what}{}{}{more}",
            count(jobs.len(), "job"),
            if jobs.is_empty() { "" } else { ": " },
            first.join(", ")
        );
    }
    Ok(())
}

fn scenario(args: &RunArgs, policy: &str, settings: &Settings) -> Result<Scenario> {
    let mut scenario = Scenario {
        machine: args.machine.clone(),
        preset: args.preset.clone(),
        ..Scenario::new(policy)
    };
    let known = scenario.resolve()?.groups();
    let keys: Vec<&str> = known
        .iter()
        .flat_map(|(_, params)| params.iter().map(|param| param.key))
        .collect();
    let is_known = |key: &str| is_setting(&keys, key);
    // With several policies a parameter of one is not an error for the others.
    scenario.settings = if args.policy.len() > 1 {
        let known = settings
            .0
            .iter()
            .filter(|(key, _)| is_known(key))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        without_others(
            policy::find(policy)?,
            Settings(known),
            machines::find(&args.machine)?.offer,
        )
    } else {
        settings.clone()
    };
    scenario.what_if = args
        .what_if
        .as_ref()
        .map(|path| read_what_if(path))
        .transpose()?
        .map(Box::new);
    scenario.resolve()?;
    Ok(scenario)
}

fn check_all_used(settings: &Settings, scenarios: &[Scenario]) -> Result<()> {
    let unused = settings
        .0
        .iter()
        .find(|(key, _)| scenarios.iter().all(|s| !s.settings.0.contains_key(*key)));
    match (unused, scenarios.first()) {
        (Some((key, value)), Some(first)) => {
            first.clone().with(key, value.clone()).resolve().map(drop)
        }
        _ => Ok(()),
    }
}

fn simulate(scenario: &Scenario, trace: &Arc<Trace>) -> Result<Run> {
    let mut run = scenario.resolve()?.run(Arc::clone(trace))?;
    let bar = ProgressBar::new(run.progress().jobs.into()).with_style(
        ProgressStyle::with_template("{msg:8} {bar:30} {pos}/{len} jobs, {per_sec}, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar.set_message(scenario.policy.clone());
    while !run.progress().done {
        bar.set_position(run.advance(SLICE).finished.into());
    }
    bar.finish_and_clear();
    run.check_complete()?;
    Ok(run)
}

fn check_audit(run: &Run) -> Result<()> {
    let findings = audit(run.schedule(), 5);
    if findings.is_empty() {
        return Ok(());
    }
    Err(Problem::new(
        format!(
            "The schedule cannot have happened: {}.",
            findings.join("; ")
        ),
        "The audit re-derives every schedule.",
        "This is a defect; please report it with the command.",
    ))
}

/// The files that each run writes: kind, then name.
type Outputs = Vec<(OutputKind, PathBuf)>;

#[derive(Copy, Clone, PartialEq, Eq)]
enum OutputKind {
    Jobs,
    Swf,
    Chrome,
    Summary,
}

/// The files of one run.
fn outputs(args: &RunArgs, path: &Path, scenario: &Scenario) -> Outputs {
    let stem = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let stem = stem
        .trim_end_matches(".gz")
        .trim_end_matches(".swf")
        .to_owned();
    let templates = [
        (OutputKind::Jobs, &args.jobs),
        (OutputKind::Swf, &args.swf),
        (OutputKind::Chrome, &args.chrome),
        (OutputKind::Summary, &args.summary),
    ];
    let name = |template: &String| {
        PathBuf::from(
            template
                .replace("{trace}", &stem)
                .replace("{policy}", &scenario.policy),
        )
    };
    templates
        .into_iter()
        .filter_map(|(kind, template)| Some((kind, name(template.as_ref()?))))
        .collect()
}

/// Checks, before the first run, that no two outputs are one file, none is an input, and none is
/// there already.
fn check_outputs(args: &RunArgs, scenarios: &[Scenario]) -> Result<()> {
    let same = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let inputs = args.traces.iter().chain(&args.demands).chain(&args.what_if);
    let mut taken: Vec<PathBuf> = inputs.map(|path| same(path)).collect();
    let names = args.traces.iter().flat_map(|path| {
        scenarios
            .iter()
            .flat_map(|scenario| outputs(args, path, scenario))
    });
    for (_, name) in names.filter(|(_, name)| !is_stream(name)) {
        let path = same(&name);
        if taken.contains(&path) {
            return Err(Problem::new(
                format!("`{}` would be written over.", name.display()),
                "Each run has files of its own, and an input is never replaced.",
                "Put {trace} and {policy} into the name, or choose another one.",
            ));
        }
        check_free(&name, Existing::with(args.force))?;
        taken.push(path);
    }
    Ok(())
}

fn write_files(args: &RunArgs, outputs: &Outputs, run: &Run, measures: &Measures) -> Result<()> {
    let existing = Existing::with(args.force);
    for (kind, name) in outputs {
        match kind {
            OutputKind::Jobs => write_file(name, existing, |line| run.jobs_csv(line))?,
            OutputKind::Swf => write_file(name, existing, |line| run.swf(line))?,
            OutputKind::Chrome => write_file(name, existing, |line| run.chrome_trace(line))?,
            OutputKind::Summary => write_file(name, existing, |line| {
                line(&format!("{:#}\n", summary(run, measures)));
            })?,
        }
    }
    Ok(())
}

fn print_runs(runs: &[(Run, Measures)]) {
    let Some((first, _)) = runs.first() else {
        return;
    };
    let workload = &first.schedule().workload;
    print_workload(workload);
    print_report(&workload.report);
    let heads = runs
        .iter()
        .map(|(run, _)| run.scenario.policy.id.to_owned());
    let head: Vec<String> = std::iter::once("metric".to_owned()).chain(heads).collect();
    let mut rows = Vec::new();
    let is_here = |spec: &&metrics::MetricSpec| {
        let has = |key| {
            runs.iter()
                .any(|(_, measures)| measures.figures.contains_key(&key))
        };
        spec.keys().all(has)
    };
    for spec in machines::metrics().filter(is_here) {
        for figure in spec.figures.iter().filter(|figure| **figure != "ci95") {
            let name = if *figure == "value" {
                spec.name.to_owned()
            } else {
                format!("{}, {figure}", spec.name)
            };
            let unit = if spec.unit.is_empty() || ["share", "jobs"].contains(figure) {
                String::new()
            } else {
                format!(" ({})", spec.unit)
            };
            let key = format!("{}.{figure}", spec.id);
            let cell = |(_, measures): &(Run, Measures)| {
                let Some(value) = measures.figures.get(&key).copied() else {
                    return "-".to_owned();
                };
                let ci = measures
                    .figures
                    .get(&format!("{}.ci95", spec.id))
                    .filter(|ci| *figure == "mean" && **ci > 0.0);
                ci.map_or_else(
                    || table::figure(value),
                    |ci| format!("{} ± {}", table::figure(value), table::figure(*ci)),
                )
            };
            rows.push(
                std::iter::once(name + &unit)
                    .chain(runs.iter().map(cell))
                    .collect(),
            );
        }
    }
    let digests: Vec<u64> = runs
        .iter()
        .map(|(run, _)| run.schedule().digest())
        .collect();
    let shown = digests.iter().map(|digest| format!("{digest:016x}"));
    rows.push(
        std::iter::once("Schedule digest".to_owned())
            .chain(shown)
            .collect(),
    );
    say!("");
    table::print(&head, &rows);
    for (later, earlier) in same_schedules(&digests) {
        let name = |at: usize| runs[at].0.scenario.policy.id;
        say!(
            "Same schedule: {} has that of {}, job by job.",
            name(later),
            name(earlier)
        );
    }
    print_paired(runs);
    say!("");
}

/// Each run whose schedule an earlier one has too, with the first of those.
fn same_schedules(digests: &[u64]) -> Vec<(usize, usize)> {
    let first = |at: usize| digests[..at].iter().position(|other| *other == digests[at]);
    (1..digests.len())
        .filter_map(|at| Some((at, first(at)?)))
        .collect()
}

fn print_paired(runs: &[(Run, Measures)]) {
    let waits = |run: &Run| -> Vec<f64> {
        run.schedule()
            .workload
            .ids()
            .map(|job| {
                run.schedule()
                    .wait(job)
                    .map_or(f64::NAN, schedscope::time::Span::seconds)
            })
            .collect()
    };
    let [(first, _), others @ ..] = runs else {
        return;
    };
    for (other, _) in others {
        // By the records of the trace, which must be the same.
        if other.schedule().workload.sources != first.schedule().workload.sources {
            continue;
        }
        let p = paired(&waits(first), &waits(other));
        say!("");
        say!(
            "{} against {}, job by job: mean wait {}{} ± {} s; {:.1} % of the jobs wait less, \
                {:.1} % longer",
            other.scenario.policy.id,
            first.scenario.policy.id,
            if p.mean > 0.0 { "+" } else { "" },
            table::figure(p.mean),
            table::figure(p.ci95),
            100.0 * p.smaller,
            100.0 * p.larger
        );
    }
}

fn print_workload(workload: &Workload) {
    let days = match (workload.requests.first(), workload.requests.last()) {
        (Some(first), Some(last)) => (last.submitted - first.submitted).seconds() / 86_400.0,
        _ => 0.0,
    };
    say!(
        "{}: {} over {days:.1} days on {}, offered load {:.3}",
        workload.provenance.name,
        count(workload.len(), "job"),
        count(workload.processors as usize, "processor"),
        workload.offered_load()
    );
    for step in &workload.provenance.steps {
        say!("  {step}");
    }
    if let Some(note) = workload.report.size.as_ref().and_then(MachineSize::note) {
        say!(
            "! {note} Every figure depends on the size: confirm it or give another one with \
                `--procs {}`.",
            workload.processors
        );
    }
}

fn print_report(report: &Report) {
    say!(
        "read {}, took {} ({} notes, {} repairs, {} skipped)",
        report.read,
        report.kept,
        report.total(Effect::Noted),
        report.total(Effect::Repaired),
        report.total(Effect::Skipped)
    );
    for rule in &report.rules {
        let lines = rule
            .lines
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(", ");
        let place = if lines.is_empty() {
            String::new()
        } else {
            format!(" (first lines: {lines})")
        };
        say!("  {:>8}  {}{place}", rule.count, rule.text);
    }
}

fn list(
    args: &ListArgs,
    key: &str,
    specs: impl Iterator<Item = (&'static str, &'static str, &'static str, &'static [Param])>,
) {
    if args.json {
        let all = serde_json::to_value(catalog()).unwrap_or_default();
        say_json(&all[key]);
        return;
    }
    for (id, name, summary, params) in specs {
        say!("{id}: {name}. {summary}");
        for param in params {
            let unit = if param.unit.is_empty() {
                String::new()
            } else {
                format!(" {}", param.unit)
            };
            let when = param
                .when_text()
                .map_or(String::new(), |when| format!("; with {when}"));
            say!(
                "  {} ({}{unit}; default {}{when})",
                param.key,
                param.range_text(),
                param.default_text()
            );
            say!("      {}", param.help);
        }
    }
}

fn generate(args: &GenerateArgs) -> Result<()> {
    let mut settings = parse_settings(&args.settings, None)?;
    if settings.0.get("seed") == Some(&Value::Text("random".into())) {
        settings = settings.with("seed", schedscope::random::fresh_seed()? as f64);
    }
    let existing = Existing::with(args.force);
    args.out
        .iter()
        .try_for_each(|path| check_free(path, existing))?;
    let trace = model::generate(&args.model, &settings)?;
    match &args.out {
        Some(path) => write_file(path, existing, |line| write_trace(&trace, line)),
        None => {
            write_out(|line| write_trace(&trace, line));
            Ok(())
        }
    }
}

fn inspect(args: &InspectArgs) -> Result<()> {
    let settings = parse_settings(&args.settings, None)?;
    settings.check(&[clean::PARAMS, shape::PARAMS])?;
    for path in &args.traces {
        let trace = read(path, args.skip_bad_lines)?;
        let workload = shape::shape(clean::clean(&trace, &settings)?, &settings)?;
        if args.json {
            say_json(&serde_json::json!({
                "trace": workload.provenance, "import": workload.report,
                "processors": workload.processors,
                "offered_load": workload.offered_load(), "header": trace.header,
                "statistics": workload.statistics(),
            }));
            continue;
        }
        print_workload(&workload);
        say!("sha256 {}", trace.sha256);
        print_report(&workload.report);
        let head = ["", "mean", "median", "p90", "p95", "p99", "max", "sd"].map(str::to_owned);
        let rows: Vec<Vec<String>> = workload
            .statistics()
            .iter()
            .map(|(name, values)| {
                std::iter::once(name.clone())
                    .chain(values.iter().map(|value| table::figure(*value)))
                    .collect()
            })
            .collect();
        say!("");
        table::print(&head, &rows);
        say!("");
    }
    Ok(())
}

fn read(path: &Path, skip_bad_lines: bool) -> Result<Trace> {
    let began = Instant::now();
    let bar = ProgressBar::new(0).with_style(
        ProgressStyle::with_template("reading  {bar:30} {bytes}/{total_bytes}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let bad_lines = if skip_bad_lines {
        BadLines::Skip
    } else {
        BadLines::Stop
    };
    let trace = read_file(path, bad_lines, |read, length| {
        if began.elapsed().as_millis() > 200 {
            bar.set_length(length);
            bar.set_position(read);
        }
    });
    bar.finish_and_clear();
    trace
}

fn read_what_if(path: &Path) -> Result<WhatIf> {
    let why = "What is otherwise from an instant on is a JSON object; docs/what-if.md describes \
        its fields.";
    let problem = |error: &dyn std::fmt::Display| {
        Problem::new(
            format!("{} is not understood: {error}.", path.display()),
            why,
            "Correct the place that is named.",
        )
    };
    let text = read_text(path, limits::WHAT_IF_BYTES).map_err(|error| problem(&error))?;
    let text = text.trim_start_matches('\u{feff}');
    check_keys(text)
        .and_then(|()| serde_json::from_str(text))
        .map_err(|error| {
            let place = place::path(text, error.line(), error.column());
            if place.is_empty() {
                problem(&error)
            } else {
                problem(&format_args!("{error} (at `{place}`)"))
            }
        })
}

fn read_demands(path: &Path) -> Result<Demands> {
    let shown = path.display();
    let text = read_bytes(path, limits::DEMANDS_BYTES).map_err(|error| {
        Problem::new(
            format!("Cannot read {shown}: {error}."),
            "A table of demands is a readable file.",
            "Check the path and its permissions.",
        )
    })?;
    Demands::read(
        &path.file_name().map_or_else(
            || shown.to_string(),
            |name| name.to_string_lossy().into_owned(),
        ),
        &text,
    )
}

/// `key=value` pairs, and the machine's size.
fn parse_settings(pairs: &[String], procs: Option<&str>) -> Result<Settings> {
    let mut settings = Settings::default();
    for pair in pairs {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Problem::new(
                format!("`--set {pair}` has no value."),
                "A setting is written key=value.",
                "For example --set depth=2.",
            ));
        };
        check_new(&settings, key.trim())?;
        settings = settings.with(key.trim(), Value::parse(value));
    }
    if let Some(procs) = procs {
        check_new(&settings, clean::PROCESSORS.key)?;
        settings = settings.with(clean::PROCESSORS.key, Value::parse(procs));
    }
    Ok(settings)
}

fn check_new(settings: &Settings, key: &str) -> Result<()> {
    if settings.0.contains_key(key) {
        return Err(Problem::new(
            format!("`{key}` is set twice."),
            "A parameter has one value.",
            "Leave one of them out.",
        ));
    }
    Ok(())
}
