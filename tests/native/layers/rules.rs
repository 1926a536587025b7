//! The rules of the house: what breaks them, in words.

use super::source::Source;
use super::table::{FILE_CYCLES, LIBRARIES, MACROS, PANICKING, PARTS, STANDARD, TRANSCENDENTAL};
use std::collections::{BTreeMap, BTreeSet};

/// A reference leads to a library, to the standard library, or to a file of ours.
enum Target {
    Library(String),
    Standard(Vec<String>),
    File(String),
}

/// All sources, with what they refer to.
pub struct House {
    sources: Vec<Source>,
    /// The file of each module.
    files: BTreeMap<Vec<String>, usize>,
}

impl House {
    /// A house of these files: their paths below src/, and their texts.
    pub fn new<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let read = |(path, text)| Source::read(path, text);
        let sources: Vec<Source> = texts.into_iter().map(read).collect();
        let modules = sources.iter().enumerate();
        let files = modules
            .map(|(at, source)| (source.module.clone(), at))
            .collect();
        Self { sources, files }
    }

    /// Everything that breaks a rule.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = BTreeSet::new();
        let mut edges: BTreeSet<(String, String)> = BTreeSet::new();
        for source in &self.sources {
            let path = &source.path;
            for written in source.paths.iter().filter(|written| !written.is_empty()) {
                match self.target(source, written) {
                    Some(Target::Library(name)) => check_library(path, &name, &mut faults),
                    Some(Target::Standard(names)) => check_standard(path, &names, &mut faults),
                    Some(Target::File(file)) if file != *path => {
                        check_import(path, &file, &mut faults);
                        edges.insert((path.clone(), file));
                    }
                    _ => {}
                }
                check_function(path, written, &mut faults);
            }
            for method in &source.methods {
                check_name(path, method, &mut faults);
            }
            for name in &source.macros {
                check_macro(path, name, &mut faults);
            }
        }
        for cycle in cycles(&edges, |file| folder(file).to_owned()) {
            faults.insert(format!("folders import each other: {}", cycle.join(", ")));
        }
        for cycle in cycles(&edges, str::to_owned) {
            let is_known = |file: &String| FILE_CYCLES.iter().any(|known| file.starts_with(known));
            if !cycle.iter().all(is_known) {
                faults.insert(format!("files import each other: {}", cycle.join(", ")));
            }
        }
        faults.into_iter().collect()
    }

    /// The arrows between parts, with how many files of one import another's.
    pub fn arrows(&self) -> BTreeMap<(&'static str, &'static str), usize> {
        let mut arrows = BTreeMap::new();
        for source in &self.sources {
            let mut parts = BTreeSet::new();
            for written in source.paths.iter().filter(|written| !written.is_empty()) {
                if let Some(Target::File(file)) = self.target(source, written) {
                    parts.insert(part_of(&file));
                }
            }
            let own = part_of(&source.path);
            for part in parts.into_iter().filter(|part| *part != own) {
                *arrows.entry((own, part)).or_default() += 1;
            }
        }
        arrows
    }

    /// Returns what a path in a source leads to: a library, the standard library or a file of ours.
    /// A path that leads to none of these has no target.
    fn target(&self, source: &Source, written: &[String]) -> Option<Target> {
        let absolute = self.absolute(source, written, 0)?;
        match absolute.first().map(String::as_str) {
            Some("std" | "core" | "alloc") => Some(Target::Standard(absolute)),
            Some("::") => self.file(&absolute[1..], 0).map(Target::File),
            Some(name) => Some(Target::Library(name.to_owned())),
            None => None,
        }
    }

    /// A path from the root: after `::` for our own, else a library's.
    fn absolute(&self, source: &Source, written: &[String], depth: usize) -> Option<Vec<String>> {
        let root = |rest: &[String]| Some([&["::".to_owned()], rest].concat());
        let is_program = source.path.starts_with("bin/");
        let below = |mut module: Vec<String>, rest: &[String]| {
            let mut rest = rest;
            while let [first, more @ ..] = rest
                && first == "super"
            {
                module.pop();
                rest = more;
            }
            root(&[&module[..], rest].concat())
        };
        let (first, rest) = written.split_first()?;
        match first.as_str() {
            "crate" if is_program => root(&[&["bin".to_owned()], rest].concat()),
            "crate" | "schedscope" => root(rest),
            "self" => below(source.module.clone(), rest),
            "super" => below(source.module.clone(), written),
            "std" | "core" | "alloc" => Some(written.to_vec()),
            name => {
                let child = [&source.module[..], &[name.to_owned()]].concat();
                if !rest.is_empty() && self.files.contains_key(&child) {
                    return root(&[&child[..], rest].concat());
                }
                let import = source.imports.get(name).filter(|_| depth < 4);
                match import.filter(|import| ***import != [name.to_owned()]) {
                    Some(import) => {
                        let meant = [&import[..], rest].concat();
                        self.absolute(source, &meant, depth + 1)
                    }
                    None => library(written),
                }
            }
        }
    }

    /// The file in which a name of ours stands, through all that hand it on.
    fn file(&self, path: &[String], depth: usize) -> Option<String> {
        let known = (0..=path.len())
            .rev()
            .find(|count| self.files.contains_key(&path[..*count]))?;
        let source = &self.sources[self.files[&path[..known]]];
        let Some(name) = path.get(known).filter(|_| depth < 8) else {
            return Some(source.path.clone());
        };
        if let Some(handed) = source.exports.get(name) {
            let meant = [&handed[..], &path[known + 1..]].concat();
            return match self.target_of(source, &meant, depth + 1) {
                Some(file) => Some(file),
                None => Some(source.path.clone()),
            };
        }
        Some(source.path.clone())
    }

    fn target_of(&self, source: &Source, written: &[String], depth: usize) -> Option<String> {
        let absolute = self.absolute(source, written, 0)?;
        let (first, rest) = absolute.split_first()?;
        if first == "::" {
            self.file(rest, depth)
        } else {
            None
        }
    }
}

/// A library's path, if its first name is that of one that we know. A name alone is a variable.
fn library(written: &[String]) -> Option<Vec<String>> {
    let is_known = written.len() > 1 && LIBRARIES.iter().any(|(name, _)| *name == written[0]);
    is_known.then(|| written.to_vec())
}

fn folder(file: &str) -> &str {
    file.rfind('/').map_or("", |at| &file[..at])
}

/// Returns the part that a file belongs to, or an empty text if no part has the file. If several
/// parts have it, the one with the longest path counts.
fn part_of(file: &str) -> &'static str {
    let parts = PARTS.iter().map(|part| part.path);
    parts
        .filter(|path| is_at(file, path))
        .max_by_key(|path| path.len())
        .unwrap_or("")
}

/// True if a file is below a path; `*` in the path stands for one folder.
fn is_at(file: &str, path: &str) -> bool {
    match path.split_once('*') {
        Some((folder, name)) => file
            .strip_prefix(folder)
            .and_then(|rest| rest.split_once('/'))
            .is_some_and(|(_, rest)| rest == &name[1..]),
        None => file.starts_with(path),
    }
}

/// Returns the room of a file: the folder of the machine that it belongs to.
fn room(file: &str) -> Option<&str> {
    file.strip_prefix("machines/")?
        .split_once('/')
        .map(|(room, _)| room)
}

fn is_below(file: &str, places: &[&str]) -> bool {
    places.iter().any(|place| is_at(file, place))
}

fn check_import(file: &str, target: &str, faults: &mut BTreeSet<String>) {
    let (from, to) = (part_of(file), part_of(target));
    let Some(part) = PARTS.iter().find(|part| part.path == from) else {
        faults.insert(format!("{file} belongs to no part of the plan"));
        return;
    };
    let rooms = (room(file), room(target));
    if let (Some(one), Some(other)) = rooms
        && one != other
        && other != "shared"
    {
        faults.insert(format!("{file} imports {target} of another machine"));
    }
    if from != to && !part.imports.contains(&to) {
        faults.insert(format!(
            "{file} imports {target}: {from} may not import {to}"
        ));
    }
}

fn check_library(file: &str, name: &str, faults: &mut BTreeSet<String>) {
    let allowed = LIBRARIES.iter().find(|(library, _)| *library == name);
    if allowed.is_some_and(|(_, places)| !is_below(file, places)) {
        faults.insert(format!("{file} uses the library {name}"));
    }
}

fn check_standard(file: &str, names: &[String], faults: &mut BTreeSet<String>) {
    for (words, places) in STANDARD {
        let found = words
            .iter()
            .find(|word| names.iter().any(|name| name == *word));
        if let Some(word) = found.filter(|_| !is_below(file, places)) {
            faults.insert(format!("{file} uses {word} of the standard library"));
        }
    }
}

/// A function of numbers or of results that is called by its path: `f64::ln(x)`.
fn check_function(file: &str, written: &[String], faults: &mut BTreeSet<String>) {
    let [.., of, name] = written else { return };
    let is_number = of == "f64" || of == "f32";
    if is_number || ["Option", "Result"].contains(&of.as_str()) {
        check_name(file, name, faults);
    }
}

fn check_name(file: &str, name: &str, faults: &mut BTreeSet<String>) {
    if TRANSCENDENTAL.contains(&name) {
        faults.insert(format!(
            "{file} calls {name}, whose results differ between platforms"
        ));
    }
    if PANICKING.contains(&name) && !file.starts_with("bin/") {
        faults.insert(format!("{file} calls {name}, which panics"));
    }
}

fn check_macro(file: &str, name: &str, faults: &mut BTreeSet<String>) {
    for (names, places) in MACROS {
        if names.contains(&name) && !is_below(file, places) {
            faults.insert(format!("{file} uses {name}!"));
        }
    }
}

/// Returns the groups of two or more nodes that lead to one another. `of` gives the node of a file.
fn cycles(edges: &BTreeSet<(String, String)>, of: impl Fn(&str) -> String) -> Vec<Vec<String>> {
    let mut next: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in edges {
        let (from, to) = (of(from), of(to));
        if from != to {
            next.entry(from).or_default().insert(to);
        }
    }
    let reached = |from: &String| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![from]);
        while let Some(at) = left.pop() {
            for to in next.get(at).into_iter().flatten() {
                if seen.insert(to) {
                    left.push(to);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        next.keys().map(|from| (from, reached(from))).collect();
    let mut groups: BTreeSet<Vec<String>> = BTreeSet::new();
    for (from, seen) in &reached {
        let leads_back = |to: &&&String| reached.get(**to).is_some_and(|back| back.contains(from));
        let group: Vec<String> = seen
            .iter()
            .filter(leads_back)
            .map(|to| (**to).clone())
            .collect();
        if group.len() > 1 {
            groups.insert(group);
        }
    }
    groups.into_iter().collect()
}
