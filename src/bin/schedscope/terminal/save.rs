//! Writes files completely or not at all, and replaces an existing file only if the user asks for
//! it.

use crate::terminal::output::{for_reader, write_out};
use schedscope::problem::Problem;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The treatment of an existing file.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Existing {
    /// Keeps the existing file, and writes nothing.
    Keep,
    /// Replaces the existing file.
    Replace,
}

impl Existing {
    /// Returns the treatment that `--force` stands for.
    pub fn with(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// The kind of thing that a file name stands for.
enum Place {
    /// A file, or a name that is free. The path is that of the target of a link.
    File(PathBuf),
    /// Standard output, which `write_out` writes to.
    StandardOutput,
    /// A pipe, a device, or a file that the shell has opened. The program appends to it.
    Stream,
}

fn place(name: &Path) -> io::Result<Place> {
    if ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
        .iter()
        .any(|output| name == Path::new(output))
    {
        return Ok(Place::StandardOutput);
    }
    if name.starts_with("/dev/fd")
        || name.starts_with("/proc/self/fd")
        || name == Path::new("/dev/stderr")
    {
        return Ok(Place::Stream);
    }
    match fs::metadata(name) {
        Ok(meta) if meta.is_dir() => Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder")),
        Ok(meta) if !meta.is_file() => Ok(Place::Stream),
        Ok(_) => fs::canonicalize(name).map(Place::File),
        // The name is free, or is that of a link that leads nowhere. In both cases the name itself
        // is the place.
        Err(_) => Ok(Place::File(name.to_owned())),
    }
}

/// Returns true if the name stands for a pipe, a device or a stream. Several outputs can go there.
pub fn is_stream(name: &Path) -> bool {
    place(name).is_ok_and(|place| !matches!(place, Place::File(_)))
}

/// Checks that a file can be written under this name. Called before the work whose results it will
/// hold.
pub fn check_free(name: &Path, existing: Existing) -> Result<(), Problem> {
    let Place::File(target) = place(name).map_err(|error| cannot_write(name, &error))? else {
        return Ok(());
    };
    if existing == Existing::Keep && target.symlink_metadata().is_ok() {
        return Err(is_there(name));
    }
    let folder = folder_of(&target);
    if folder.is_dir() {
        Ok(())
    } else {
        Err(cannot_write(
            name,
            &format!("there is no folder {}", folder.display()),
        ))
    }
}

/// Writes a file under a name that the user gave. The file is complete on disk before it gets the
/// name.
pub fn write_file(
    name: &Path,
    existing: Existing,
    write: impl FnOnce(&mut dyn FnMut(&str)),
) -> Result<(), Problem> {
    match place(name).map_err(|error| cannot_write(name, &error))? {
        Place::StandardOutput => {
            write_out(write);
            Ok(())
        }
        // The stream is not emptied when it is opened: a file that the shell has opened can already
        // have content.
        Place::Stream => fs::OpenOptions::new()
            .append(true)
            .open(name)
            .and_then(|file| fill(&file, write))
            .map_err(|error| cannot_write(name, &error)),
        Place::File(target) => {
            put(&target, existing, true, write).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => is_there(name),
                _ => cannot_write(name, &error),
            })
        }
    }
}

/// Writes a file into a folder that belongs to the program. Replaces a file or link of that name.
/// Does not force the file to disk: a result can be checked, and computed again.
pub fn write_own(path: &Path, write: impl FnOnce(&mut dyn FnMut(&str))) -> Result<(), Problem> {
    put(path, Existing::Replace, false, write).map_err(|error| cannot_write(path, &error))
}

/// Writes a file unless one of that name exists. Returns true if it has written the file.
pub fn write_first(path: &Path, text: &str) -> Result<bool, Problem> {
    match put(path, Existing::Keep, true, |line| line(text)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(cannot_write(path, &error)),
    }
}

/// Writes beside the target, then renames. With `Keep`, the rename fails if the name was taken
/// meanwhile. If any step fails, the file beside the target is deleted.
fn put(
    target: &Path,
    existing: Existing,
    is_durable: bool,
    write: impl FnOnce(&mut dyn FnMut(&str)),
) -> io::Result<()> {
    let file = beside(target)?;
    fill(file.as_file(), write)?;
    if is_durable {
        file.as_file().sync_all()?;
    }
    let placed = match existing {
        Existing::Keep => file.persist_noclobber(target),
        Existing::Replace => {
            // The new file keeps the permissions of the file that it replaces.
            if let Ok(meta) = target.symlink_metadata()
                && meta.is_file()
            {
                file.as_file().set_permissions(meta.permissions())?;
            }
            file.persist(target)
        }
    };
    placed.map(drop).map_err(|error| error.error)
}

/// Makes an empty file in the target's folder, with the permissions that any new file gets there.
fn beside(target: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".schedscope-").suffix(".partial");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder_of(target))
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

fn fill(file: &File, write: impl FnOnce(&mut dyn FnMut(&str))) -> io::Result<()> {
    let is_terminal = file.is_terminal();
    let mut out = BufWriter::new(file);
    let mut result = Ok(());
    write(&mut |piece| {
        if result.is_ok() {
            result = out.write_all(for_reader(piece, is_terminal).as_bytes());
        }
    });
    result.and_then(|()| out.flush())
}

fn is_there(name: &Path) -> Problem {
    Problem::new(
        format!("{} already exists.", name.display()),
        "No file is overwritten without --force.",
        "Choose another name, or add --force to replace it.",
    )
}

fn cannot_write(name: &Path, error: &dyn std::fmt::Display) -> Problem {
    Problem::new(
        format!("Cannot write {}: {error}.", name.display()),
        "The folder must exist, allow writing and have room.",
        "Check the path.",
    )
}
