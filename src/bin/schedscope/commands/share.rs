//! The command `share`, which writes the files of a site without its names.

use super::convert::{check_other, tell_jobs};
use super::reading::{parse_columns, read};
use crate::terminal::args::ShareArgs;
use crate::terminal::input::read_bytes;
use crate::terminal::output::{complain, say};
use crate::terminal::result::Result;
use crate::terminal::save::{Existing, check_free, write_file};
use schedscope::files::{TraceKind, write_trace_as};
use schedscope::limits;
use schedscope::problem::Problem;
use schedscope::sharing::{LostKeyword, SharedFiles, SiteFiles, shared};
use std::borrow::Cow;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Keywords that are told for a file.
const TOLD: usize = 40;

/// Characters of a keyword that are told.
const CHARACTERS: usize = 40;

pub(super) fn share(args: &ShareArgs) -> Result<()> {
    let mapping = parse_columns(args.columns.as_deref())?;
    let existing = Existing::with(args.force);
    let out = ["log.swf", "slurm.conf", "accounts.txt"].map(|name| args.folder.join(name));
    make(&args.folder)?;
    for out in &out {
        let inputs = [&args.log].into_iter().chain(&args.slurm_conf);
        for input in inputs.chain(&args.accounts) {
            check_other(input, out)?;
        }
        check_free(out, existing)?;
    }
    let joined = |paths: &[PathBuf]| -> Result<String> {
        let texts = paths.iter().map(|path| text(path));
        Ok(texts.collect::<Result<Vec<String>>>()?.join("\n"))
    };
    let conf = joined(&args.slurm_conf)?;
    let accounts = joined(&args.accounts)?;
    let log = read(&args.log, args.skip_bad_lines, mapping.as_ref())?;
    let files = shared(&SiteFiles {
        log: &log,
        conf: &conf,
        accounts: &accounts,
        keeps_date: args.keep_date,
    })?;
    let mut left_out = Vec::new();
    let [to_log, to_conf, to_accounts] = &out;
    write_file(to_log, existing, |line| {
        left_out = write_trace_as(&files.log, TraceKind::SwfExtended, line);
    })?;
    write_file(to_conf, existing, |line| line(&files.conf))?;
    if !args.accounts.is_empty() {
        write_file(to_accounts, existing, |line| line(&files.accounts))?;
    }
    tell_jobs(&files.log, &left_out);
    tell(&files);
    say_run(&files, &out, args);
    Ok(())
}

/// Makes the folder if nothing has its name.
fn make(folder: &Path) -> Result<()> {
    if folder.symlink_metadata().is_ok() {
        return Ok(());
    }
    fs::create_dir(folder).map_err(|error| {
        Problem::new(
            format!("Cannot make the folder {}: {error}.", folder.display()),
            "The folder above it must exist and allow writing.",
            "Check the path.",
        )
    })
}

/// Reads a text. Bytes that are no text are only in names and comments, which are not shared.
fn text(path: &Path) -> Result<String> {
    let bytes = read_bytes(path, limits::NODE_LIST_BYTES).map_err(|error| {
        Problem::new(
            format!("Cannot read {}: {error}.", path.display()),
            "slurm.conf and accounts are readable text files.",
            "Check the path and its permissions.",
        )
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Says on standard error what the files do not have, by keyword.
fn tell(files: &SharedFiles) {
    for file in ["the log", "slurm.conf", "accounts"] {
        let lost: Vec<&LostKeyword> = files
            .left_out
            .iter()
            .filter(|one| one.file == file)
            .collect();
        if lost.is_empty() {
            continue;
        }
        let named = lost.iter().take(TOLD).map(|one| {
            let what: String = one.what.chars().take(CHARACTERS).collect();
            if one.count == 1 {
                what
            } else {
                format!("{what} ({} times)", one.count)
            }
        });
        let named = named.collect::<Vec<_>>().join(", ");
        let more = match lost.len().saturating_sub(TOLD) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        complain(&format!("left out of {file}: {named}{more}"));
    }
    if files.resets_differ {
        complain(
            "PriorityUsageResetPeriod counts months, which begin on other days now: usage is \
                forgotten at other times. --keep-date keeps the dates.",
        );
    }
    complain("Look at the files before you share them: what stays can still identify somebody.");
}

/// Prints the command that runs the policy `slurm` on the files.
fn say_run(files: &SharedFiles, out: &[PathBuf; 3], args: &ShareArgs) {
    let [log, conf, accounts] = out.each_ref().map(|path| quoted(path));
    let mut line = format!("schedscope run {log} --policy slurm --slurm-conf {conf}");
    if !args.accounts.is_empty() {
        let _ = write!(line, " --accounts {accounts}");
    }
    if files.log.column("eligible").is_some() {
        line.push_str(" --set arrive=eligible");
    }
    say!("{line}");
}

/// Returns a path for a shell: in quotation marks, if it has other signs than those of plain names.
fn quoted(path: &Path) -> Cow<'static, str> {
    let text = path.to_string_lossy().into_owned();
    let is_plain = |char: char| char.is_alphanumeric() || "/._-+@%,:".contains(char);
    if text.chars().all(is_plain) {
        text.into()
    } else {
        format!("'{}'", text.replace('\'', "'\\''")).into()
    }
}
