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
use std::path::{Path, PathBuf};
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

/// Reads texts that belong together, one after the other; `None` if there are none.
fn texts_of(paths: &[PathBuf], what: &str) -> Result<Option<String>> {
    let texts = paths.iter().map(|path| text_of(path, what));
    let texts = texts.collect::<Result<Vec<_>>>()?;
    Ok((!texts.is_empty()).then(|| texts.join("\n")))
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
    describe(settings, read_cluster(path)?)
}

fn describe(settings: &mut Settings, cluster: String) -> Result<()> {
    let text = Value::Text(cluster);
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
    let conf = texts_of(&files.slurm_conf, "A slurm.conf")?;
    if let Some(path) = cluster {
        put_cluster(settings, path)?;
    } else if let Some(conf) = &conf {
        describe(settings, cluster::description(conf)?)?;
    }
    let has_policy = policies.iter().any(|policy| policy == SLURM);
    if let Some(conf) = conf.filter(|_| has_policy) {
        check_new(settings, "conf")?;
        let lines = Value::Text(scheduling_lines(&conf));
        settings.0.insert("conf".into(), lines);
    }
    let Some(accounts) = texts_of(&files.accounts, "A file of accounts")? else {
        return Ok(());
    };
    if !has_policy {
        return Err(Problem::new(
            "`--accounts` changes nothing here.",
            "Accounts belong to the policy `slurm`.",
            "Add --policy slurm, or leave the option out.",
        ));
    }
    check_new(settings, "accounts")?;
    settings.0.insert("accounts".into(), Value::Text(accounts));
    Ok(())
}
