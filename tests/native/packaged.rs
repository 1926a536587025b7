//! The test files themselves: each is compiled, and each finds in the published crate what it
//! reads.

use super::support::root;
use std::fs;

/// The names and texts of the files beside this one, without folders.
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

/// Nobody compiles a file that main.rs does not name, and nobody notices that its tests are gone.
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

/// A test that reads a part of the repository that the crate leaves out asks for it by
/// `unpublished`.
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
