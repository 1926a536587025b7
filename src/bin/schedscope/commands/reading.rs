//! Reads the files and settings that a command names.

use crate::terminal::args::SlurmFiles;
use crate::terminal::input::{read_bytes, read_text};
use crate::terminal::result::Result;
use indicatif::{ProgressBar, ProgressStyle};
use schedscope::cluster;
use schedscope::experiment::WhatIf;
use schedscope::import::file::{read_file_with, read_queue_file};
use schedscope::import::{BadLines, Mapping};
use schedscope::limits;
use schedscope::param::{Settings, Value};
use schedscope::plan::{check_keys, json};
use schedscope::problem::Problem;
use schedscope::slurm::scheduling_lines;
use schedscope::trace::{Demands, Trace};
use schedscope::workload::clean;
use std::path::Path;
use std::time::Instant;

/// The policy whose options slurm.conf has.
const SLURM: &str = "slurm";

/// Parses the mapping of `--columns`.
pub(super) fn parse_columns(columns: Option<&str>) -> Result<Option<Mapping>> {
    columns.map(Mapping::parse).transpose()
}

pub(super) fn read(path: &Path, skip_bad_lines: bool, mapping: Option<&Mapping>) -> Result<Trace> {
    read_by(skip_bad_lines, |bad_lines, progress| {
        read_file_with(path, bad_lines, mapping, progress)
    })
}

/// Reads a log, and keeps the jobs that have not ended.
pub(super) fn read_with_queue(
    path: &Path,
    skip_bad_lines: bool,
    mapping: Option<&Mapping>,
) -> Result<Trace> {
    read_by(skip_bad_lines, |bad_lines, progress| {
        read_queue_file(path, bad_lines, mapping, progress)
    })
}

fn read_by(
    skip_bad_lines: bool,
    read: impl FnOnce(BadLines, &mut dyn FnMut(u64, u64)) -> Result<Trace>,
) -> Result<Trace> {
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
    let trace = read(bad_lines, &mut |read, length| {
        if began.elapsed().as_millis() > 200 {
            bar.set_length(length);
            bar.set_position(read);
        }
    });
    bar.finish_and_clear();
    trace
}

pub(super) fn read_what_if(path: &Path) -> Result<WhatIf> {
    let why = "A what-if is a JSON object; docs/what-if.md describes its fields.";
    let problem = |error: &dyn std::fmt::Display| {
        Problem::new(
            format!("{} is not understood: {error}.", path.display()),
            why,
            "Correct the named place.",
        )
    };
    let text = read_text(path, limits::WHAT_IF_BYTES).map_err(|error| problem(&error))?;
    let text = text.trim_start_matches('\u{feff}');
    check_keys(text)
        .and_then(|()| json::parse(text))
        .map_err(|json::Misread { path, error }| {
            if path.is_empty() {
                problem(&error)
            } else {
                problem(&format_args!("{error} (at `{path}`)"))
            }
        })
}

pub(super) fn read_demands(path: &Path) -> Result<Demands> {
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

/// Reads the description of a cluster from a file: slurm.conf, JSON or CSV.
fn read_cluster(path: &Path) -> Result<String> {
    cluster::description(&text_of(path, "A description of a cluster")?)
}

/// Reads a text that has a purpose.
fn text_of(path: &Path, what: &str) -> Result<String> {
    let shown = path.display();
    let problem = |error: &dyn std::fmt::Display| {
        Problem::new(
            format!("Cannot read {shown}: {error}."),
            format!("{what} is a readable text file."),
            "Check the path and its permissions.",
        )
    };
    let bytes = read_bytes(path, limits::NODE_LIST_BYTES).map_err(|error| problem(&error))?;
    String::from_utf8(bytes).map_err(|error| problem(&error))
}

/// Parses `key=value` pairs, and adds the machine's size.
pub(super) fn parse_settings(pairs: &[String], procs: Option<&str>) -> Result<Settings> {
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

pub(super) fn check_new(settings: &Settings, key: &str) -> Result<()> {
    if settings.0.contains_key(key) {
        return Err(Problem::new(
            format!("`{key}` is set twice."),
            "A parameter has one value.",
            "Leave one of the two out.",
        ));
    }
    Ok(())
}

/// Puts the description of a cluster from a file into settings that have none.
pub(super) fn put_cluster(settings: &mut Settings, path: &Path) -> Result<()> {
    let text = Value::Text(read_cluster(path)?);
    if settings.0.insert("cluster".into(), text).is_none() {
        return Ok(());
    }
    Err(Problem::new(
        "`--cluster` and `--set cluster` contradict each other.",
        "Both describe the cluster.",
        "Leave one of the two out.",
    ))
}

/// Puts the files of a cluster that Slurm schedules into settings that do not have them.
pub(super) fn put_slurm(
    settings: &mut Settings,
    files: &SlurmFiles,
    (cluster, policies): (Option<&Path>, &[String]),
) -> Result<()> {
    if let Some(path) = cluster.or(files.slurm_conf.as_deref()) {
        put_cluster(settings, path)?;
    }
    let has_policy = policies.iter().any(|policy| policy == SLURM);
    if let Some(path) = files.slurm_conf.as_deref().filter(|_| has_policy) {
        check_new(settings, "conf")?;
        let text = text_of(path, "A slurm.conf")?;
        let lines = Value::Text(scheduling_lines(&text));
        settings.0.insert("conf".into(), lines);
    }
    if files.accounts.is_empty() {
        return Ok(());
    }
    if !has_policy {
        return Err(Problem::new(
            "`--accounts` changes nothing here.",
            "Accounts belong to the policy `slurm`.",
            "Add --policy slurm, or leave the option out.",
        ));
    }
    check_new(settings, "accounts")?;
    let texts = files.accounts.iter();
    let texts = texts.map(|path| text_of(path, "A file of accounts"));
    let texts = texts.collect::<Result<Vec<_>>>()?;
    let text = Value::Text(texts.join("\n"));
    settings.0.insert("accounts".into(), text);
    Ok(())
}
