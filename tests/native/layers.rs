//! The invariants of ARCHITECTURE.md, which are mostly absences, checked on the text of the source.

use super::support::root;
use std::fs;
use std::path::{Path, PathBuf};

struct Source {
    /// Path below src/, with forward slashes.
    path: String,
    /// The text without comments and without its test module.
    code: String,
}

fn sources() -> Vec<Source> {
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
    paths.sort();
    assert!(paths.len() > 40);
    let source = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let tested = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code: Vec<&str> = tested
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default())
            .collect();
        Source {
            path: path
                .strip_prefix(&src)
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/"),
            code: code.join("\n"),
        }
    };
    paths.into_iter().map(source).collect()
}

/// No source outside `allowed` contains one of `words`.
fn only_in(allowed: &[&str], words: &[&str]) {
    for source in sources() {
        if allowed.iter().any(|place| source.path.starts_with(place)) {
            continue;
        }
        for word in words {
            assert!(
                !source.code.contains(word),
                "src/{} contains {word}, which belongs to {allowed:?} only",
                source.path
            );
        }
    }
}

/// No source below `folder` contains one of `words`.
fn never_in(folder: &str, words: &[&str]) {
    let below: Vec<Source> = sources()
        .into_iter()
        .filter(|source| source.path.starts_with(folder))
        .collect();
    assert!(!below.is_empty(), "nothing below src/{folder}");
    for source in below {
        for word in words {
            assert!(
                !source.code.contains(word),
                "src/{} contains {word}",
                source.path
            );
        }
    }
}

#[test]
fn the_browser_is_only_in_wasm() {
    only_in(
        &["wasm/"],
        &[
            "wasm_bindgen",
            "js_sys",
            "web_sys",
            "console_error_panic_hook",
        ],
    );
}

#[test]
fn the_event_loop_knows_no_policy_and_machines_know_neither() {
    for source in sources()
        .iter()
        .filter(|source| source.path.starts_with("sim/"))
    {
        let without_trait = source.code.replace("crate::policy::Policy", "");
        assert!(
            !without_trait.contains("policy::"),
            "src/{} names more of policies than their trait",
            source.path
        );
    }
    never_in("machine/", &["crate::sim", "crate::policy"]);
    never_in("policy/", &["crate::machine::{", "Program", "program("]);
}

#[test]
fn schedules_metrics_and_views_know_no_policy() {
    for folder in ["schedule/", "metrics/", "view/", "explain/"] {
        never_in(folder, &["crate::policy"]);
    }
    never_in("trace/", &["crate::workload", "crate::sim"]);
    never_in(
        "workload/",
        &["crate::sim", "crate::machine", "crate::policy"],
    );
}

#[test]
fn no_transcendental_function_of_std() {
    only_in(
        &[],
        &[
            ".ln()",
            ".log(",
            ".log2()",
            ".log10()",
            ".exp()",
            ".exp2()",
            ".powf(",
            ".powi(",
            ".sin()",
            ".cos()",
            ".mul_add(",
        ],
    );
}

#[test]
fn no_clock_thread_environment_file_or_hash_order_in_the_core() {
    let outside = ["wasm/", "bin/", "trace/file.rs"];
    only_in(
        &outside,
        &[
            "std::time",
            "Instant",
            "SystemTime",
            "std::thread",
            "std::env",
            "std::fs",
            "HashMap",
            "HashSet",
            "println!",
            "std::io",
        ],
    );
}

#[test]
fn a_policy_is_one_file_and_one_line() {
    let registry = fs::read_to_string(root().join("src/policy/mod.rs")).unwrap();
    let sources = sources();
    let policies: Vec<&str> = sources
        .iter()
        .filter_map(|source| source.path.strip_prefix("policy/")?.strip_suffix(".rs"))
        .filter(|name| !name.contains('/') && *name != "mod")
        .collect();
    assert_eq!(policies.len(), schedscope::policy::ALL.len());
    for name in policies {
        assert_eq!(
            registry.matches(&format!("{name}::SPEC")).count(),
            1,
            "{name} has one line in the registry"
        );
        for source in sources
            .iter()
            .filter(|source| !source.path.starts_with("policy/"))
        {
            assert!(
                !source.code.contains(&format!("policy::{name}")),
                "src/{} names the policy {name}",
                source.path
            );
        }
    }
}

#[test]
fn nothing_in_the_library_panics_on_purpose() {
    let library = |source: &Source| !source.path.starts_with("bin/");
    for source in sources().iter().filter(|source| library(source)) {
        for word in [
            ".unwrap()",
            ".expect(",
            "panic!(",
            "unreachable!(",
            "todo!(",
            "unimplemented!(",
        ] {
            assert!(
                !source.code.contains(word),
                "src/{} contains {word}",
                source.path
            );
        }
    }
}
