//! The command `convert`, which writes any log as SWF or as a table.

use super::reading::{parse_columns, read};
use crate::terminal::args::ConvertArgs;
use crate::terminal::output::{complain, count, write_out};
use crate::terminal::result::Result;
use crate::terminal::save::{Existing, check_free, is_stream, write_file};
use schedscope::files::{TraceKind, anonymised, write_trace_as};
use schedscope::problem::Problem;
use schedscope::trace::{Effect, Trace};
use std::path::Path;

pub(super) fn convert(args: &ConvertArgs) -> Result<()> {
    let kind = kind(args)?;
    let mapping = parse_columns(args.columns.as_deref())?;
    let is_output = args.out == Path::new("-");
    let existing = Existing::with(args.force);
    if !is_output {
        check_other(&args.trace, &args.out)?;
        check_free(&args.out, existing)?;
    }
    let mut trace = read(&args.trace, args.skip_bad_lines, mapping.as_ref())?;
    if args.anonymise {
        trace = anonymised(&trace, args.shift_times);
    }
    let mut left_out = Vec::new();
    let mut write = |line: &mut dyn FnMut(&str)| left_out = write_trace_as(&trace, kind, line);
    if is_output {
        write_out(write);
    } else {
        write_file(&args.out, existing, &mut write)?;
    }
    tell(&trace, kind, &left_out);
    Ok(())
}

/// Returns the kind that `--to` names, else that of the name's ending.
fn kind(args: &ConvertArgs) -> Result<TraceKind> {
    let ids = || TraceKind::ALL.map(|(id, _)| id).join(", ");
    if let Some(id) = &args.to {
        return TraceKind::find(id).ok_or_else(|| {
            Problem::new(
                format!("There is no kind of file `{id}`."),
                format!("The kinds are {}.", ids()),
                "Choose one of them with --to.",
            )
        });
    }
    let ending = args
        .out
        .extension()
        .map(std::ffi::OsStr::to_ascii_lowercase);
    match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("swf") => Ok(TraceKind::Swf),
        Some("csv") => Ok(TraceKind::Csv),
        _ => Err(Problem::new(
            format!(
                "The name `{}` does not say what to write.",
                args.out.display()
            ),
            "Names that end in .swf or .csv do. Files are written unpacked.",
            format!("Give the kind with --to: {}.", ids()),
        )),
    }
}

/// Checks that an input is not replaced, not even with --force.
pub(super) fn check_other(trace: &Path, out: &Path) -> Result<()> {
    let same = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if is_stream(out) || same(trace) != same(out) {
        return Ok(());
    }
    Err(Problem::new(
        format!("`{}` would be written over.", out.display()),
        "An input is never replaced.",
        "Choose another name.",
    ))
}

/// Says on standard error what became of the log, because standard output may be the file.
fn tell(trace: &Trace, kind: TraceKind, left_out: &[String]) {
    tell_jobs(trace, left_out);
    if kind == TraceKind::Swf && !trace.columns.is_empty() {
        complain("  `--to swf-extended` keeps further columns.");
    }
}

/// Says how many jobs were written, which rules changed the log, and what the file does not hold.
pub(super) fn tell_jobs(trace: &Trace, left_out: &[String]) {
    complain(&format!("wrote {}", count(trace.records.len(), "job")));
    let rules = trace
        .report
        .rules
        .iter()
        .filter(|rule| rule.effect != Effect::Noted);
    for rule in rules {
        complain(&format!("  {:>8}  {}", rule.count, rule.text));
    }
    for sentence in left_out {
        complain(&format!("  {sentence}"));
    }
}
