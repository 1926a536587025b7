//! The command `run`: it runs policies on traces and writes their files.

use super::printing::{print_runs, print_why};
use super::reading::read;
use super::reading::{parse_columns, parse_settings, put_slurm, read_demands, read_what_if};
use crate::own::policy_id;
use crate::terminal::args::RunArgs;
use crate::terminal::output::{count, say};
use crate::terminal::result::Result;
use crate::terminal::save::{Existing, check_free, is_stream, write_file};
use indicatif::{ProgressBar, ProgressStyle};
use schedscope::experiment::{Run, Scenario, summary};
use schedscope::machines::{flat, nodes};
use schedscope::metrics::Measures;
use schedscope::param::{Settings, Value};
use schedscope::policy::RECORDED;
use schedscope::policy::candidates::{is_setting, without_others};
use schedscope::problem::Problem;
use schedscope::schedule::audit::{audit_but, overbooking};
use schedscope::trace::{Trace, unpacked_name};
use schedscope::workload::clean;
use schedscope::{machines, policy};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of events between two updates of the progress bar.
pub(super) const SLICE: u64 = 100_000;

pub(super) fn run(args: &RunArgs) -> Result<()> {
    // Every name and value is checked before the first trace is read, because reading can take
    // long.
    let mut settings = parse_settings(&args.settings, args.procs.as_deref())?;
    let mapping = parse_columns(args.columns.as_deref())?;
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
                "A table of demands needs `demands=file`.",
                "Leave one of the two out.",
            ));
        }
    }
    let policies = args.policy.iter().map(|named| policy_id(named));
    let policies = policies.collect::<Result<Vec<_>>>()?;
    put_slurm(
        &mut settings,
        &args.slurm,
        (args.cluster.as_deref(), &policies),
    )?;
    let recorded = args.recorded.then(|| RECORDED.id.to_owned());
    let scenarios = recorded
        .iter()
        .chain(&policies)
        .map(|policy| scenario(args, policy, &settings))
        .collect::<Result<Vec<_>>>()?;
    check_all_used(&settings, &scenarios)?;
    check_outputs(args, &scenarios)?;
    check_partitions(args, &settings)?;
    for path in &args.traces {
        let trace = Arc::new(Trace {
            demands: demands.clone(),
            ..read(path, args.skip_bad_lines, mapping.as_ref())?
        });
        if args.each_partition {
            run_partitions(args, path, &scenarios, &trace)?;
        } else {
            run_scenarios(args, path, &scenarios, &trace)?;
        }
    }
    Ok(())
}

/// Runs scenarios on a trace, writes their files and prints their table.
fn run_scenarios(
    args: &RunArgs,
    path: &Path,
    scenarios: &[Scenario],
    trace: &Arc<Trace>,
) -> Result<()> {
    let mut runs = Vec::new();
    for scenario in scenarios {
        let run = simulate(scenario, trace)?;
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
    Ok(())
}

/// Checks that each partition has a size and files of its own.
fn check_partitions(args: &RunArgs, settings: &Settings) -> Result<()> {
    if !args.each_partition {
        return Ok(());
    }
    for key in [clean::PROCESSORS.key, clean::PARTITION.key] {
        if settings.0.contains_key(key) {
            return Err(Problem::new(
                format!("`--each-partition` and `{key}` contradict each other."),
                "Each partition is run with all its jobs, on a machine of its own size.",
                "Leave one of the two out.",
            ));
        }
    }
    if args.why.is_some() {
        return Err(Problem::new(
            "`--each-partition` and `--why` contradict each other.",
            "A job is in one partition only.",
            "Run its partition alone, with `--set partition=NAME`.",
        ));
    }
    let templates = [&args.jobs, &args.swf, &args.chrome, &args.summary];
    match templates
        .into_iter()
        .flatten()
        .find(|name| !name.contains("{partition}"))
    {
        Some(name) => Err(Problem::new(
            format!("`{name}` would be written for each partition."),
            "Each partition has files of its own.",
            "Put {partition} into the name.",
        )),
        None => Ok(()),
    }
}

/// Runs scenarios on each partition of a trace.
fn run_partitions(
    args: &RunArgs,
    path: &Path,
    scenarios: &[Scenario],
    trace: &Arc<Trace>,
) -> Result<()> {
    let settings = scenarios.first().map(|first| first.settings.clone());
    let partitions = clean::partitions(trace, &settings.unwrap_or_default());
    if partitions.all.is_empty() {
        return Err(Problem::new(
            format!("{} has no partitions.", path.display()),
            "No job of the trace names its partition or queue.",
            "Leave `--each-partition` out.",
        ));
    }
    for partition in &partitions.all {
        say!(
            "partition {}: {}, the widest on {}",
            partition.name,
            count(partition.jobs as usize, "record"),
            count(partition.widest as usize, "processor")
        );
        let scenarios: Vec<Scenario> = scenarios
            .iter()
            .map(|scenario| {
                let name = partition.name.as_str();
                scenario.clone().with(clean::PARTITION.key, name)
            })
            .collect();
        // A partition without a job that can run is told, and the others run all the same.
        if let Err(problem) = run_scenarios(args, path, &scenarios, trace) {
            say!("! not run: {problem}");
            say!("");
        }
    }
    Ok(())
}

pub(super) fn scenario(args: &RunArgs, policy: &str, settings: &Settings) -> Result<Scenario> {
    let machine = if policy == RECORDED.id {
        // The log does not say which processors a job had.
        flat::SPEC.id
    } else if args
        .cluster
        .iter()
        .chain(&args.slurm.slurm_conf)
        .next()
        .is_some()
        && args.machine == flat::SPEC.id
    {
        nodes::SPEC.id
    } else {
        &args.machine
    };
    let mut scenario = Scenario {
        machine: machine.into(),
        preset: args.preset.clone(),
        ..Scenario::new(policy)
    };
    let known = scenario.resolve()?.groups();
    let keys: Vec<&str> = known
        .iter()
        .flat_map(|(_, params)| params.iter().map(|param| param.key))
        .collect();
    let is_known = |key: &str| is_setting(&keys, key);
    // With several policies, a parameter of one policy is not an error for the others.
    scenario.settings = if args.policy.len() + usize::from(args.recorded) > 1 {
        let known = settings
            .0
            .iter()
            .filter(|(key, _)| is_known(key))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        without_others(
            policy::find(policy)?,
            Settings(known),
            machines::find(machine)?.offer,
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

pub(super) fn check_all_used(settings: &Settings, scenarios: &[Scenario]) -> Result<()> {
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

pub(super) fn simulate(scenario: &Scenario, trace: &Arc<Trace>) -> Result<Run> {
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
    run.check_ended()?;
    Ok(run)
}

pub(super) fn check_audit(run: &Run) -> Result<()> {
    // A log may overbook its machine. That is told beside the results, and is no fault of this run.
    let overbooked = overbooking(run.schedule());
    let findings: Vec<String> = audit_but(run.schedule(), &run.pending(), 6)
        .into_iter()
        .filter(|finding| Some(finding) != overbooked.as_ref())
        .collect();
    if findings.is_empty() {
        return Ok(());
    }
    Err(Problem::new(
        format!(
            "The schedule cannot have happened: {}.",
            findings.join("; ")
        ),
        "The audit checks every schedule independently of the simulation.",
        "This is a defect; please report it with the command.",
    ))
}

#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum OutputKind {
    Jobs,
    Swf,
    Chrome,
    Summary,
}

/// The files that a run writes, each as its kind and its name.
pub(super) type Outputs = Vec<(OutputKind, PathBuf)>;

/// Returns the files of one run.
pub(super) fn outputs(args: &RunArgs, path: &Path, scenario: &Scenario) -> Outputs {
    let stem = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let stem = unpacked_name(&stem).trim_end_matches(".swf").to_owned();
    let templates = [
        (OutputKind::Jobs, &args.jobs),
        (OutputKind::Swf, &args.swf),
        (OutputKind::Chrome, &args.chrome),
        (OutputKind::Summary, &args.summary),
    ];
    // The name of a partition can hold anything; a file name cannot.
    let partition: String = scenario
        .settings
        .get(&clean::PARTITION)
        .unwrap_or_else(|| "{partition}".to_owned())
        .chars()
        .map(|letter| {
            if "/\\:\0".contains(letter) {
                '_'
            } else {
                letter
            }
        })
        .collect();
    let name = |template: &String| {
        PathBuf::from(
            template
                .replace("{trace}", &stem)
                .replace("{policy}", &scenario.policy)
                .replace("{partition}", &partition),
        )
    };
    templates
        .into_iter()
        .filter_map(|(kind, template)| Some((kind, name(template.as_ref()?))))
        .collect()
}

/// Checks the outputs before the first run: no two are the same file, none is an input, and none
/// exists unless the user allows that it is replaced.
pub(super) fn check_outputs(args: &RunArgs, scenarios: &[Scenario]) -> Result<()> {
    let same = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let inputs = args
        .traces
        .iter()
        .chain(&args.demands)
        .chain(&args.cluster)
        .chain(&args.slurm.slurm_conf)
        .chain(&args.slurm.accounts)
        .chain(&args.what_if);
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
                "Put {trace} and {policy} into the name, or choose another name.",
            ));
        }
        check_free(&name, Existing::with(args.force))?;
        taken.push(path);
    }
    Ok(())
}

pub(super) fn write_files(
    args: &RunArgs,
    outputs: &Outputs,
    run: &Run,
    measures: &Measures,
) -> Result<()> {
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
