//! Standard output and files, with every failed write noticed.

use schedscope::problem::Problem;
use std::fmt::Arguments;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Prints a line. A reader that has seen enough, such as `head`, ends the program quietly; anything else is an error.
pub fn say(line: Arguments<'_>) {
    check(writeln!(io::stdout().lock(), "{line}"));
}

/// As `println!`, by way of [`say`].
#[macro_export]
macro_rules! say {
    ($($part:tt)*) => { $crate::output::say(format_args!($($part)*)) };
}

/// Writes a long text to standard output, a line at a time.
pub fn write_out(write: impl FnOnce(&mut dyn FnMut(&str))) {
    let mut out = BufWriter::new(io::stdout().lock());
    write(&mut |line| check(out.write_all(line.as_bytes())));
    check(out.flush());
}

fn check(result: io::Result<()>) {
    if let Err(error) = result {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        eprintln!("error: Cannot write to standard output: {error}.");
        std::process::exit(1);
    }
}

/// Writes a file a line at a time. A regular file is written beside its name and renamed, so that it is never half
/// written; a link is followed, and a pipe or device is written to as it is.
pub fn write_file(name: &Path, write: impl FnOnce(&mut dyn FnMut(&str))) -> Result<(), Problem> {
    let problem = |error: io::Error| {
        Problem::new(
            format!("Cannot write {}: {error}.", name.display()),
            "The folder must exist, allow writing and have room.",
            "Check the path.",
        )
    };
    let target = fs::canonicalize(name).unwrap_or_else(|_| name.to_owned());
    let is_special = fs::metadata(&target).is_ok_and(|meta| !meta.is_file());
    if is_special {
        return fill(&target, write).map_err(problem);
    }
    let mut partial = target.clone().into_os_string();
    // Programs on several machines may write to one folder, and have one process number.
    let own = schedscope::random::fresh_seed().unwrap_or_default();
    partial.push(format!(".{}-{own:x}.partial", std::process::id()));
    let partial = PathBuf::from(partial);
    let result = fill(&partial, write).and_then(|()| fs::rename(&partial, &target));
    if result.is_err() {
        let _ = fs::remove_file(&partial);
    }
    result.map_err(problem)
}

fn fill(path: &Path, write: impl FnOnce(&mut dyn FnMut(&str))) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut result = Ok(());
    write(&mut |line| {
        if result.is_ok() {
            result = out.write_all(line.as_bytes());
        }
    });
    result.and_then(|()| out.flush())
}
