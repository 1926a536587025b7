//! A twin shares nothing with the engine: every path in its file leads to the standard library, to
//! a library of numbers, to the twins' words or to another twin.

use super::super::layers::source::Source;
use super::engine::texts;
use std::collections::BTreeSet;

/// Files that are not twins: they may name the engine, or read sources.
const NOT_TWINS: &[&str] = &["mod", "engine", "compare", "independence"];

/// Names with which a path may begin, beside the twins themselves. `clippy` names lints.
const LIBRARIES: &[&str] = &[
    "std",
    "core",
    "alloc",
    "libm",
    "rand",
    "rand_chacha",
    "clippy",
];

/// Types that have a path without an import.
const PRIMITIVES: &[&str] = &[
    "i32", "i64", "i128", "u8", "u32", "u64", "u128", "usize", "f64", "str", "char", "bool",
];

/// Words that no line of a twin's code may have.
const FORBIDDEN: &[&str] = &["schedscope", "crate", "extern", "include", "mod"];

/// Returns the faults in a twin's text: paths that lead elsewhere, and forbidden words.
fn faults(name: &str, text: &str, twins: &BTreeSet<String>) -> Vec<String> {
    let source = Source::read(name, text);
    let mut faults = Vec::new();
    for path in source.paths.iter().filter(|path| !path.is_empty()) {
        let first = path[0].as_str();
        let leads = match path.get(1) {
            // A name alone is the file's own, or imported. The path of a type leads where the type
            // does.
            None => true,
            Some(second) if first == "super" => twins.contains(second),
            Some(_) => {
                LIBRARIES.contains(&first)
                    || PRIMITIVES.contains(&first)
                    || first == "Self"
                    || first == "self"
                    || first.starts_with(char::is_uppercase)
                    || source.imports.contains_key(first)
            }
        };
        if !leads {
            faults.push(format!("{name}.rs names {}", path.join("::")));
        }
    }
    for line in text.lines().map(str::trim_start) {
        let is_code = !line.starts_with("//");
        let leads_out = |word: &&&str| {
            line.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .any(|name| name == **word)
        };
        if is_code && let Some(word) = FORBIDDEN.iter().find(leads_out) {
            faults.push(format!("{name}.rs says `{word}`: {line}"));
        }
    }
    faults
}

fn twins() -> (BTreeSet<String>, Vec<(String, String)>) {
    let texts = texts();
    let is_twin = |name: &&String| !NOT_TWINS.contains(&name.as_str());
    let names = texts.keys().filter(is_twin).cloned().collect();
    let texts = texts.into_iter().filter(|(name, _)| is_twin(&name));
    (names, texts.collect())
}

#[test]
fn twins_share_nothing_with_the_engine() {
    let (names, texts) = twins();
    assert!(texts.len() > 20);
    let found: Vec<String> = texts
        .iter()
        .flat_map(|(name, text)| faults(name, text, &names))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_way_to_the_engine_is_found() {
    let (names, texts) = twins();
    let text = &texts.iter().find(|(name, _)| name == "bsp").unwrap().1;
    for line in [
        "use schedscope::machines::bsp::Class;",
        "use schedscope as s;",
        "extern crate schedscope as s;",
        "use ::schedscope::policy::tools::order::Order as O;",
        "use super::engine::play;",
        "use super::super::support::schedule;",
        "use super::{compare::Row, words::Job};",
        "use crate::support::random_jobs;",
        "fn f() -> u64 { schedscope::random::Stream::new(1, \"a\").below(2) }",
        "fn f() { let _ = super::super::bsp::classes(\"a\"); }",
        "fn f() { let _ = vec![schedscope::metrics::ALL.len()]; }",
        "fn f() { let _ = syn::parse_file(\"\"); }",
        "#[path = \"../../../src/machines/bsp/cluster/class.rs\"] mod class;",
        "include!(\"../../../src/machines/bsp/cluster/class.rs\");",
    ] {
        // A file's own comment stands first.
        let at = text.find("\nuse ").unwrap();
        let mut with = text.clone();
        with.insert_str(at, &format!("\n{line}\n"));
        assert!(
            !faults("bsp", &with, &names).is_empty(),
            "`{line}` is not found"
        );
    }
}
