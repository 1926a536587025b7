//! The folder of a plan's results: its mark, and the files in it.
//!
//! A folder belongs to the program if it holds a mark. The program writes the mark before anything
//! else, so a folder without a mark holds nothing of this program. In a marked folder the program
//! replaces the files with the names below, and those under `cells/`, as needed. Everything else in
//! the folder stays.

use crate::terminal::result::Result;
use crate::terminal::save::{write_first, write_own};
use schedscope::problem::Problem;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The name of the file that marks a folder as the program's.
const MARK: &str = ".schedscope";

/// The text of the mark, which names the version of the folder's layout.
const LAYOUT: &str = "schedscope results 1\n";

pub const PLAN: &str = "plan.json";
pub const TABLE: &str = "results.csv";
pub const ANALYSIS: &str = "analysis.json";
const CELLS: &str = "cells";

/// Returns the path of a cell's result.
pub fn cell_file(folder: &Path, key: &str) -> PathBuf {
    folder.join(CELLS).join(format!("{key}.json"))
}

/// Checks that the folder belongs to the program, or can be marked without harm to files that are
/// there.
pub fn check_claim(folder: &Path, force: bool) -> Result<()> {
    if force || is_own(folder)? {
        return Ok(());
    }
    let foreign = [PLAN, TABLE, ANALYSIS, CELLS]
        .into_iter()
        .find(|name| folder.join(name).symlink_metadata().is_ok());
    match foreign {
        // Another process can have marked and filled the folder between the two checks.
        Some(name) if !is_own(folder)? => Err(not_own(folder, name)),
        _ => Ok(()),
    }
}

/// Marks the folder as the program's, and makes it if it does not exist.
pub fn claim(folder: &Path, force: bool) -> Result<()> {
    check_claim(folder, force)?;
    make(folder)?;
    if !is_own(folder).unwrap_or_default() {
        let mark = folder.join(MARK);
        if force {
            write_own(&mark, |line| line(LAYOUT))?;
        } else if !write_first(&mark, LAYOUT)? && !is_own(folder)? {
            return Err(not_own(folder, MARK));
        }
    }
    make(&folder.join(CELLS))
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| {
        Problem::new(
            format!("Cannot make {}: {error}.", folder.display()),
            "Results need a folder.",
            "Choose another folder with --out.",
        )
    })
}

/// Returns true if the folder has the mark.
fn is_own(folder: &Path) -> Result<bool> {
    match fs::read_to_string(folder.join(MARK)) {
        Ok(text) if text.trim_end() == LAYOUT.trim_end() => Ok(true),
        Ok(_) => Err(Problem::new(
            format!(
                "{} holds results in a layout that this program does not know.",
                folder.display()
            ),
            format!("Its file {MARK} does not say `{}`.", LAYOUT.trim_end()),
            "Choose another folder with --out, or add --force to use this one.",
        )),
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            Ok(false)
        }
        Err(error) => Err(Problem::new(
            format!("Cannot read {}: {error}.", folder.join(MARK).display()),
            "The mark says whether the folder is this program's.",
            "Check the permissions.",
        )),
    }
}

fn not_own(folder: &Path, name: &str) -> Problem {
    Problem::new(
        format!(
            "{} holds a {name} that may not be this program's.",
            folder.display()
        ),
        format!(
            "A folder of results has the mark {MARK}, which older versions did not write. Files \
                of others are never overwritten without --force."
        ),
        "Choose another folder with --out. If these are results of an older version, add \
            --force to use the folder.",
    )
}
