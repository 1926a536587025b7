//! The invariants of ARCHITECTURE.md, which are mostly absences, checked on the syntax of the
//! sources.

mod rules;
pub mod source;
mod table;

use super::support::root;
use rules::House;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every source below src/, by its path there.
fn texts() -> BTreeMap<String, String> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let src = root().join("src");
    let mut paths = Vec::new();
    walk(&src, &mut paths);
    let name = |path: &Path| {
        path.strip_prefix(&src)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/")
    };
    let text = |path: &Path| fs::read_to_string(path).unwrap();
    // A folder's tests are compiled only as tests.
    let (tests, sources): (Vec<_>, Vec<_>) =
        paths.iter().partition(|path| path.ends_with("tests.rs"));
    for path in tests {
        let owner = text(&path.with_file_name("mod.rs"));
        assert!(
            owner.contains("#[cfg(test)]\nmod tests;"),
            "{}",
            path.display()
        );
    }
    sources
        .into_iter()
        .map(|path| (name(path), text(path)))
        .collect()
}

fn faults(texts: &BTreeMap<String, String>) -> Vec<String> {
    House::new(
        texts
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    )
    .faults()
}

#[test]
fn the_house_is_as_planned() {
    let texts = texts();
    assert!(texts.len() > 120);
    let found = faults(&texts);
    let house = House::new(
        texts
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    );
    if std::env::var_os("SCHEDSCOPE_ARROWS").is_some() {
        for ((from, to), files) in house.arrows() {
            println!("{from} -> {to} ({files})");
        }
    }
    assert!(
        found.is_empty(),
        "{} faults:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// A violation: the file that gets a line, the line, and a word of the fault that is found.
const VIOLATIONS: &[(&str, &str, &str)] = &[
    (
        "machines/gang/execution.rs",
        "use crate::machines::torus::Grid;",
        "of another machine",
    ),
    (
        "machines/bsp/cluster/lane.rs",
        "use super::super::super::smt::Pairing;",
        "of another machine",
    ),
    (
        "machines/torus/space.rs",
        "use crate::view::Index;",
        "view/",
    ),
    (
        "machines/smt/execution.rs",
        "use crate::schedule::Schedule;",
        "schedule/",
    ),
    (
        "machines/smt/execution.rs",
        "use super::SmtRecord;",
        "record.rs",
    ),
    (
        "machines/torus/record.rs",
        "use crate::policy::Spec;",
        "policy/",
    ),
    (
        "view/lanes.rs",
        "use crate::machines::torus::Grid;",
        "machines/",
    ),
    (
        "schedule/mod.rs",
        "use crate::machines::bsp::Class;",
        "machines/",
    ),
    ("metrics/mod.rs", "use crate::{policy, time};", "policy/"),
    (
        "metrics/occupancy.rs",
        "use crate::{time, policy::{self, Spec}};",
        "policy/",
    ),
    (
        "policy/tools/order/mod.rs",
        "use super::super::super::experiment::Run;",
        "experiment/",
    ),
    (
        "machines/torus/grid.rs",
        "use super::super::super::sim::Turn;",
        "sim/",
    ),
    ("sim/world.rs", "use crate::metrics::Measures;", "metrics/"),
    ("sim/world.rs", "use crate::view::Steps;", "view/"),
    (
        "sim/event.rs",
        "use crate::schedule::Schedule;",
        "schedule/",
    ),
    ("sim/event.rs", "use crate::policy::Spec;", "policy/"),
    ("schedule/recorder.rs", "use crate::metrics;", "metrics/"),
    (
        "schedule/recorder.rs",
        "fn f() -> f64 { crate::metrics::bounded_slowdown(1.0, 1.0, 1.0) }",
        "metrics/",
    ),
    (
        "machines/shared/bitmap.rs",
        "use crate::workload::Workload;",
        "workload/",
    ),
    (
        "machines/shared/bitmap.rs",
        "use crate::metrics::measure as m;",
        "metrics/",
    ),
    (
        "policy/easy.rs",
        "use crate::experiment::Scenario;",
        "experiment/",
    ),
    ("policy/easy.rs", "type T = crate::plan::Keep;", "plan/"),
    (
        "import/formats/swf.rs",
        "use crate::workload::clean;",
        "workload/",
    ),
    ("trace/record.rs", "use crate::import::read;", "import/"),
    (
        "view/raster.rs",
        "use crate::experiment::Run;",
        "experiment/",
    ),
    (
        "view/raster.rs",
        "fn f() { let _ = vec![crate::plan::keys()]; }",
        "plan/",
    ),
    ("time.rs", "use crate::job::JobId;", "job.rs"),
    ("sim/mod.rs", "use rayon::prelude::*;", "rayon"),
    (
        "machine/space.rs",
        "fn f() { rayon::join(|| (), || ()); }",
        "rayon",
    ),
    ("sim/event.rs", "#[derive(tsify::Tsify)] struct S;", "tsify"),
    (
        "job.rs",
        "#[cfg_attr(target_arch = \"wasm32\", derive(tsify::Tsify))] struct S;",
        "tsify",
    ),
    (
        "view/mod.rs",
        "use wasm_bindgen::prelude::*;",
        "wasm_bindgen",
    ),
    (
        "sim/simulation.rs",
        "use std::time::Instant;",
        "time of the standard",
    ),
    (
        "sim/simulation.rs",
        "fn f() { let _ = std::time::SystemTime::now(); }",
        "time of the standard",
    ),
    (
        "policy/fcfs.rs",
        "use std::{fs, mem};",
        "fs of the standard",
    ),
    (
        "experiment/run.rs",
        "fn f() { let _ = std::env::var(\"A\"); }",
        "env of the standard",
    ),
    (
        "plan/mod.rs",
        "use std::{collections::{BTreeMap as M, HashMap}};",
        "HashMap",
    ),
    (
        "workload/mod.rs",
        "type T = std::collections::HashSet<u8>;",
        "HashSet",
    ),
    (
        "workload/clean.rs",
        "fn f(x: u8) { assert!(x > 0); }",
        "assert!",
    ),
    (
        "trace/record.rs",
        "fn f(x: u8) { assert_eq!(x, 1, \"{x}\"); }",
        "assert_eq!",
    ),
    ("policy/maui.rs", "fn f() { panic!(\"no\"); }", "panic!"),
    (
        "policy/maui.rs",
        "fn f(x: Option<u8>) -> u8 { x.unwrap() }",
        "unwrap",
    ),
    (
        "policy/maui.rs",
        "fn f(x: Vec<Option<u8>>) -> Vec<u8> { x.into_iter().map(Option::unwrap).collect() }",
        "unwrap",
    ),
    (
        "metrics/fairness.rs",
        "fn f(x: f64) -> f64 { f64::ln(x) }",
        "ln",
    ),
    (
        "metrics/fairness.rs",
        "fn f(x: f64) -> f64 { x.powi(2) }",
        "powi",
    ),
    (
        "machines/smt/slowdown.rs",
        "fn f(x: f64) -> f64 { dbg!(x) }",
        "dbg!",
    ),
    (
        "explain/story.rs",
        "fn f() { println!(\"here\"); }",
        "println!",
    ),
    (
        "elsewhere/mod.rs",
        "use crate::time::Time;",
        "belongs to no part",
    ),
];

#[test]
fn every_violation_is_found() {
    let texts = texts();
    let before = faults(&texts);
    for (file, line, word) in VIOLATIONS {
        let mut with = texts.clone();
        let text = with.entry((*file).to_owned()).or_default();
        // A file's own comment stands first.
        let at = text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .map(|l| l.len() + 1)
            .sum();
        text.insert_str(at, &format!("\n{line}\n"));
        let new: Vec<String> = faults(&with)
            .into_iter()
            .filter(|fault| !before.contains(fault))
            .collect();
        assert!(
            new.iter().any(|fault| fault.contains(word)),
            "`{line}` in src/{file} is not found: {new:?}"
        );
    }
}

#[test]
fn a_policy_is_one_file_and_one_line() {
    let texts = texts();
    let registry = &texts["policy/mod.rs"];
    let of_policy = |path: &String| {
        let name = path.strip_prefix("policy/")?.strip_suffix(".rs")?;
        let is_policy = !name.contains('/') && !["mod", "candidates"].contains(&name);
        is_policy.then(|| name.to_owned())
    };
    let policies: Vec<String> = texts.keys().filter_map(of_policy).collect();
    // The recorded schedule is a file, and in no list of policies.
    assert_eq!(policies.len(), schedscope::policy::ALL.len() + 1);
    for name in policies {
        assert_eq!(
            registry.matches(&format!("{name}::SPEC")).count(),
            1,
            "{name}"
        );
        for (path, text) in texts
            .iter()
            .filter(|(path, _)| !path.starts_with("policy/"))
        {
            assert!(
                !text.contains(&format!("policy::{name}")),
                "src/{path} names {name}"
            );
        }
    }
}

/// Types that are named alike in several places, because JavaScript knows them by that name.
const NAMED_ALIKE: &[&str] = &["Microscope", "Run", "Trace"];

#[test]
fn no_two_types_have_one_name() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in texts() {
        for item in syn::parse_file(&text).unwrap().items {
            let name = match item {
                syn::Item::Struct(item) => item.ident,
                syn::Item::Enum(item) => item.ident,
                syn::Item::Trait(item) => item.ident,
                syn::Item::Type(item) => item.ident,
                _ => continue,
            };
            places
                .entry(name.to_string())
                .or_default()
                .push(path.clone());
        }
    }
    places.retain(|name, paths| paths.len() > 1 && !NAMED_ALIKE.contains(&name.as_str()));
    assert!(places.is_empty(), "{places:#?}");
}
