//! Changes of files, which are all made or none, and the places of new lines in lists.

use super::name::Name;
use crate::Done;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Planned changes, by path from the project's folder.
pub struct Changes<'a> {
    root: &'a Path,
    texts: BTreeMap<String, String>,
    created: Vec<String>,
}

impl<'a> Changes<'a> {
    pub const fn new(root: &'a Path) -> Self {
        Self {
            root,
            texts: BTreeMap::new(),
            created: Vec::new(),
        }
    }

    /// Returns a file's text as it will be.
    pub fn read(&self, path: &str) -> Result<String, String> {
        if let Some(text) = self.texts.get(path) {
            return Ok(text.clone());
        }
        fs::read_to_string(self.root.join(path))
            .map_err(|error| format!("Nothing was changed, because {path} cannot be read: {error}"))
    }

    /// Adds a file that is not there yet.
    pub fn create(&mut self, path: &str, text: String) -> Done {
        if self.root.join(path).exists() {
            return Err(format!(
                "{path} is there already. Choose another name; nothing was changed."
            ));
        }
        self.texts.insert(path.to_owned(), text);
        self.created.push(path.to_owned());
        Ok(())
    }

    /// Changes the text of a file.
    pub fn edit(
        &mut self,
        path: &str,
        change: impl FnOnce(&str) -> Result<String, String>,
    ) -> Done {
        let text = change(&self.read(path)?)
            .map_err(|why| format!("{path}: {why} Nothing was changed."))?;
        self.texts.insert(path.to_owned(), text);
        Ok(())
    }

    /// Returns the Rust files below a folder.
    pub fn below(&self, folder: &str) -> Result<Vec<String>, String> {
        let unreadable = |error: std::io::Error| format!("{folder} cannot be read: {error}");
        let mut found = Vec::new();
        for entry in fs::read_dir(self.root.join(folder)).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                found.extend(self.below(&path)?);
            } else if is_rust(&path) {
                found.push(path);
            }
        }
        Ok(found)
    }

    /// No two types have one name: refuses a name whose type the engine has.
    pub fn has_no_type(&self, name: &Name) -> Done {
        for path in self.below("src")? {
            let text = self.read(&path)?;
            let has = |kind: &&&str| {
                let start = format!("{kind} {}", name.type_name);
                let ends = |(at, _): (usize, &str)| {
                    let rest = &text[at + start.len()..];
                    !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
                };
                text.match_indices(&start).any(ends)
            };
            if let Some(kind) = ["struct", "enum", "trait", "type"].iter().find(has) {
                return Err(format!(
                    "{path} has the {kind} `{}`. Choose another name; nothing was changed.",
                    name.type_name
                ));
            }
        }
        Ok(())
    }

    /// Returns a line for each file.
    pub fn told(&self) -> Vec<String> {
        let line = |path: &String| {
            let verb = if self.created.contains(path) {
                "new     "
            } else {
                "changed "
            };
            format!("{verb}{path}")
        };
        self.texts.keys().map(line).collect()
    }

    /// Writes everything. Returns the paths.
    pub fn write(self) -> Result<Vec<String>, String> {
        for (path, text) in &self.texts {
            let to = self.root.join(path);
            to.parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::write(&to, text))
                .map_err(|error| format!("{path} cannot be written: {error}"))?;
        }
        Ok(self.texts.into_keys().collect())
    }
}

/// True for a file of Rust's.
pub fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|end| end == "rs")
}

/// Inserts lines before the first line that begins with `closing` after the only place of
/// `opening`.
pub fn before(text: &str, opening: &str, closing: &str, lines: &str) -> Result<String, String> {
    let mut places = text.match_indices(opening);
    let (Some((at, _)), None) = (places.next(), places.next()) else {
        return Err(format!("`{}` is not there once.", opening.trim()));
    };
    let from = at + opening.len();
    let end = if text[..from].ends_with('\n') && text[from..].starts_with(closing) {
        from
    } else {
        let closing_line = format!("\n{closing}");
        let found = text[from..].find(&closing_line);
        from + found.ok_or_else(|| format!("`{}` has no end.", opening.trim()))? + 1
    };
    Ok(format!("{}{lines}{}", &text[..end], &text[end..]))
}

/// Inserts a line after the last line that begins with `like`, of those after `opening`.
pub fn after_last(text: &str, opening: &str, like: &str, new: &str) -> Result<String, String> {
    let start = text
        .find(opening)
        .ok_or_else(|| format!("`{}` is not there.", opening.trim()))?;
    let (head, rest) = text.split_at(start);
    let last = rest
        .rfind(&format!("\n{like}"))
        .ok_or_else(|| format!("No line begins with `{like}`."))?
        + 1;
    let end = rest[last..]
        .find('\n')
        .map_or(rest.len(), |length| last + length);
    Ok(format!("{head}{}\n{new}{}", &rest[..end], &rest[end..]))
}

/// Inserts a line after the last line of the whole text that begins with `like`.
pub fn at_end(text: &str, like: &str, new: &str) -> Result<String, String> {
    if text.lines().any(|old| old.starts_with(new)) {
        return Err(format!("`{new}` is there already."));
    }
    after_last(text, "", like, new)
}

/// Inserts a `mod` line in alphabetical order among the lines around `known`, which is one of them.
pub fn among_mods(text: &str, known: &str, line: &str) -> Result<String, String> {
    let bare = |line: &str| {
        let name = line.strip_prefix("pub ").unwrap_or(line);
        Some(name.strip_prefix("mod ")?.strip_suffix(';')?.to_owned())
    };
    let lines: Vec<&str> = text.lines().collect();
    let at = lines
        .iter()
        .position(|old| *old == known)
        .ok_or_else(|| format!("`{known}` is not there."))?;
    let start = lines[..at]
        .iter()
        .rposition(|old| bare(old).is_none())
        .map_or(0, |before| before + 1);
    let block = lines[start..]
        .iter()
        .take_while(|old| bare(old).is_some())
        .count();
    let names: Vec<_> = lines[start..start + block]
        .iter()
        .map(|old| bare(old))
        .collect();
    let own = bare(line);
    if names.contains(&own) {
        return Err(format!("`{line}` is there already."));
    }
    let place = start + names.iter().filter(|name| **name < own).count();
    let mut lines = lines;
    lines.insert(place, line);
    Ok(lines.join("\n") + "\n")
}
