//! Tests of the test files: each is compiled, and finds all files that it reads in the published
//! crate.

use super::support::root;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the names and texts of the files beside this one, without folders.
fn files() -> Vec<(String, String)> {
    files_in(&root().join("tests/native"))
}

fn files_in(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).unwrap();
    let rust = |path: &PathBuf| path.extension().is_some_and(|end| end == "rs");
    let texts = entries.map(|entry| entry.unwrap().path()).filter(rust);
    texts
        .map(|path| {
            (
                path.file_stem().unwrap().to_string_lossy().into_owned(),
                fs::read_to_string(&path).unwrap(),
            )
        })
        .collect()
}

/// Returns the tests below tests/, at any depth, by their paths.
fn all_files() -> Vec<(String, String)> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join("tests")]);
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap();
        let below = entries.map(|entry| entry.unwrap().path());
        folders.extend(below.filter(|path| path.is_dir()));
        let shown = folder.strip_prefix(root()).unwrap().display().to_string();
        let files = files_in(&folder).into_iter();
        found.extend(files.map(|(name, text)| (format!("{shown}/{name}.rs"), text)));
    }
    found
}

/// Rust does not compile a file that main.rs does not name, and its tests would be lost without
/// notice.
#[test]
fn every_file_of_tests_is_compiled() {
    let main = fs::read_to_string(root().join("tests/native/main.rs")).unwrap();
    for (name, _) in files() {
        assert!(
            name == "main" || main.contains(&format!("\nmod {name};\n")),
            "tests/native/main.rs does not name {name}"
        );
    }
}

/// A test asks with `unpublished` for a part of the repository that the crate leaves out.
#[test]
fn tests_read_what_the_crate_has() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let all = all_files();
    assert!(all.len() > 60, "{}", all.len());
    for (name, text) in all {
        let starts = ["root().join(\"", "env!(\"CARGO_MANIFEST_DIR\")).join(\""];
        let places = starts.iter().flat_map(|start| text.match_indices(start));
        for (_, rest) in places.map(|(at, start)| text.split_at(at + start.len())) {
            let top = rest.split(['/', '"']).next().unwrap();
            // The folder beside the project may be absent anywhere, and its tests skip then.
            let is_beside = top == ".." && !rest.starts_with("../shared/");
            assert!(!is_beside, "{name} reads beside the project");
            let is_there = ["..", "Cargo.toml", "Cargo.toml.orig", "target"].contains(&top)
                || manifest.contains(&format!("\"/{top}\""));
            assert!(
                is_there,
                "{name} reads {top}/, which the crate leaves out: ask for it by \
                    `unpublished`"
            );
        }
    }
}
