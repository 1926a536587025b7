//! Tests of the test files: each is compiled, and finds all files that it reads in the published
//! crate.

use super::support::root;
use std::fs;

/// Returns the names and texts of the files beside this one, without folders.
fn files() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join("tests/native"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let texts = entries.filter(|path| path.is_file());
    texts
        .map(|path| {
            (
                path.file_stem().unwrap().to_string_lossy().into_owned(),
                fs::read_to_string(&path).unwrap(),
            )
        })
        .collect()
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
    for (name, text) in files() {
        for (_, rest) in text
            .match_indices("root().join(\"")
            .map(|(at, start)| text.split_at(at + start.len()))
        {
            let top = rest.split(['/', '"']).next().unwrap();
            let is_there = ["Cargo.toml", "Cargo.toml.orig", "target"].contains(&top)
                || manifest.contains(&format!("\"/{top}\""));
            assert!(
                is_there,
                "tests/native/{name}.rs reads {top}/, which the crate leaves out: ask for it by \
                    `unpublished`"
            );
        }
    }
}
