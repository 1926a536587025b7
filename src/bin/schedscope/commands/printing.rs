//! Prints runs and workloads in the terminal.

use crate::terminal::output::{count, say};
use crate::terminal::result::Result;
use crate::terminal::table;
use schedscope::experiment::Run;
use schedscope::job::JobId;
use schedscope::machines;
use schedscope::metrics::{self, Measures, paired};
use schedscope::problem::Problem;
use schedscope::schedule::audit::overbooking;
use schedscope::sim::Why;
use schedscope::trace::{Effect, MachineSize, Report};
use schedscope::workload::{LogPartitions, Workload};

/// The largest number of jobs of a list that are named. Longer lists end in an ellipsis.
pub(super) const NAMED: usize = 12;

pub(super) fn print_why(run: &Run, number: i64) -> Result<()> {
    let workload = &run.schedule().workload;
    let job = workload
        .ids()
        .find(|job| workload.request(*job).number == number)
        .ok_or_else(|| {
            Problem::new(
                format!("Job {number} is not in the run."),
                "A job is named by its number in the trace.",
                "`inspect` says which jobs were left out.",
            )
        })?;
    let wait = run.why(job);
    let named = |job: JobId| workload.request(job).number;
    let waited = match run.schedule().wait(job) {
        Some(wait) => format!("it waited {} s.", wait.seconds()),
        None => "it never starts; up to the end of the run:".to_owned(),
    };
    say!("");
    say!("Job {number} under {}: {waited}", run.scenario.policy.name);
    for cause in &wait.causes {
        let because = match cause.why {
            Why::Processors { .. } => format!(
                "it needs {} processors, and fewer were free",
                workload.request(job).processors
            ),
            Why::Partition { .. } => {
                "enough processors were free, but no free partition suited it".to_owned()
            }
            Why::Nodes { short: 0 } => {
                "enough cores were free, but not on nodes that serve it".to_owned()
            }
            Why::Nodes { short } => format!(
                "enough cores were free, but not with enough {}",
                workload.resource(short)
            ),
            Why::Behind { ahead } => format!("it may not pass job {}", named(ahead)),
            Why::Reserved { by } => format!(
                "there was room, but it would have delayed the reservation of job {}",
                named(by)
            ),
            Why::NotChosen => "other jobs made better use of the processors".to_owned(),
            Why::NotTried => "the policy did not look at it".to_owned(),
            Why::StartDelay => "it had its processors: the machine's start delay".to_owned(),
            Why::Slurm { word } => format!("Slurm's reason is {word}"),
            Why::Lost => "it ran in vain: it was preempted and started anew".to_owned(),
            Why::Recorded => "the log has a later start, and does not say why".to_owned(),
        };
        say!("  {:>12} s  {because}", cause.total.seconds());
    }
    for (at, rank) in &wait.ranks {
        say!(
            "  at {} s: place {} of {} in the queue, priority {}",
            at.seconds(),
            rank.place,
            rank.waiting,
            table::figure(rank.priority)
        );
        for (name, value) in &rank.parts {
            say!("  {:>14} from {name}", table::figure(*value));
        }
        for look in &rank.looks {
            let by = look.by.map(|job| format!(" (job {})", named(job)));
            let planned = look
                .planned
                .map(|start| format!(", for {} s", start.seconds()));
            say!(
                "  last pass of the {} scheduler, at {} s: the job {}{}{}",
                look.scheduler,
                look.at.seconds(),
                look.found,
                by.unwrap_or_default(),
                planned.unwrap_or_default()
            );
        }
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

pub(super) fn print_runs(runs: &[(Run, Measures)]) {
    let Some((first, _)) = runs.first() else {
        return;
    };
    let workload = &first.schedule().workload;
    print_workload(workload);
    print_report(&workload.report);
    for (run, _) in runs {
        for left_out in run.not_modelled() {
            say!("! {}: {left_out}", run.scenario.policy.id);
        }
    }
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
            let unit = match spec.unit_of(figure).symbol() {
                "" => String::new(),
                symbol => format!(" ({symbol})"),
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
    for (run, _) in runs {
        if let Some(overbooked) = overbooking(run.schedule()) {
            say!("! {overbooked}");
        }
    }
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

/// Returns the runs whose schedule equals that of an earlier run, each with the first such run.
pub(super) fn same_schedules(digests: &[u64]) -> Vec<(usize, usize)> {
    let first = |at: usize| digests[..at].iter().position(|other| *other == digests[at]);
    (1..digests.len())
        .filter_map(|at| Some((at, first(at)?)))
        .collect()
}

pub(super) fn print_paired(runs: &[(Run, Measures)]) {
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
        // Jobs can be paired only if both workloads have the same records of the trace.
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

pub(super) fn print_workload(workload: &Workload) {
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
    if let Some(used) = workload.report.size.as_ref().and_then(|size| size.recorded) {
        say!(
            "  recorded: at most {} processors at once, at most {} for 99.9 % of the time",
            used.most,
            used.usual
        );
    }
    if let Some(note) = workload.report.size.as_ref().and_then(MachineSize::note) {
        say!(
            "! {note} Every figure depends on the size: confirm it or give another one with \
                `--procs {}`.",
            workload.processors
        );
        for proposal in workload.report.size.iter().flat_map(|size| &size.proposals) {
            let unit = if proposal.in_nodes {
                " --set sizes=nodes"
            } else {
                ""
            };
            say!(
                "  {} `--procs {}{unit}`",
                proposal.text,
                proposal.processors
            );
        }
    }
}

pub(super) fn print_report(report: &Report) {
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
    if !report.columns.is_empty() {
        say!("columns (change them with --columns; docs/formats/tables.md)");
    }
    for note in &report.columns {
        say!("  {}: {}", note.column, note.text);
    }
}

/// Prints the partitions of a trace, if there are several.
pub(super) fn print_partitions(partitions: &LogPartitions) {
    if partitions.all.len() < 2 {
        return;
    }
    let of = if partitions.are_queues {
        "queues"
    } else {
        "partitions"
    };
    say!(
        "{} {of}; `--set partition=NAME` keeps one:",
        partitions.all.len()
    );
    for partition in partitions.all.iter().take(NAMED) {
        say!(
            "  {:>8}  {} (widest: {})",
            partition.jobs,
            partition.name,
            count(partition.widest as usize, "processor")
        );
    }
    if partitions.all.len() > NAMED {
        say!("  {:>8}  more", partitions.all.len() - NAMED);
    }
}
