//! The hash of the engine changes with the sources that decide figures, and with nothing else.

use super::support::{folder, root};
use schedscope::experiment::ENGINE;
use std::fs;
use std::path::Path;

#[path = "../../build.rs"]
#[allow(dead_code, reason = "its main function is Cargo's")]
mod script;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn the_engine_is_named_by_what_decides_figures() {
    let home = folder("engine");
    copy(&root().join("src"), &home.join("src"));
    fs::copy(root().join("Cargo.lock"), home.join("Cargo.lock")).unwrap();
    fs::create_dir(home.join("pkg")).unwrap();
    for host in ["pkg/compiled.js", "pkg/policy.js"] {
        fs::copy(root().join(host), home.join(host)).unwrap();
    }
    assert_eq!(
        script::engine(&home),
        ENGINE,
        "the hash does not depend on the place of the package"
    );
    let changed = |path: &str, change: &dyn Fn(String) -> String| {
        let path = home.join(path);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, change(text.clone())).unwrap();
        let engine = script::engine(&home);
        fs::write(&path, text).unwrap();
        engine
    };
    for path in [
        "src/policy/easy.rs",
        "src/metrics/mod.rs",
        "src/machines/torus/figures.rs",
        "src/plan/cell.rs",
        "src/workload/programs/library.json",
        "src/lib.rs",
        // These run the code of own policies.
        "src/bin/schedscope/own/javascript.rs",
        "src/wasm/own.rs",
        "pkg/compiled.js",
        "pkg/policy.js",
    ] {
        assert_ne!(changed(path, &|text| text + " "), ENGINE, "{path}");
    }
    for path in [
        "src/bin/schedscope/terminal/table.rs",
        "src/wasm/mod.rs",
        "src/view/raster.rs",
        "src/explain/mod.rs",
        "src/session/state.rs",
        "src/machines/torus/view.rs",
        "src/machines/smt/watch.rs",
    ] {
        assert_eq!(changed(path, &|text| text + " "), ENGINE, "{path}");
    }
    assert_eq!(
        changed("src/policy/easy.rs", &|text| text.replace('\n', "\r\n")),
        ENGINE,
        "another checkout's line ends"
    );
    // A file that moves counts as another file.
    fs::rename(
        home.join("src/policy/easy.rs"),
        home.join("src/policy/hard.rs"),
    )
    .unwrap();
    assert_ne!(script::engine(&home), ENGINE);
    fs::remove_dir_all(home).unwrap();
}

/// A packaged crate has a lock file without the other packages of the workspace. The hashed
/// libraries stay the same.
#[test]
fn the_libraries_are_those_of_this_package() {
    let package = |name: &str, version: &str, needs: &[&str]| {
        let needs = needs
            .iter()
            .map(|need| format!(" \"{need}\",\n"))
            .collect::<Vec<_>>()
            .concat();
        format!(
            "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\ndependencies = \
                [\n{needs}]\n\n"
        )
    };
    let both = [
        package("ppv-lite86", "0.2.21", &["zerocopy"]),
        package("rand_chacha", "0.10.0", &["ppv-lite86", "rand_core 0.10.1"]),
    ]
    .concat();
    let workspace = [
        package("rand", "0.8.8", &["rand_core 0.6.4"]),
        package("rand", "0.10.3", &["rand_core 0.10.1"]),
        package("rand_core", "0.6.4", &[]),
        package("rand_core", "0.10.1", &[]),
        package("libm", "0.2.16", &[]),
        package(
            "schedscope",
            "0.1.0",
            &["clap", "libm", "rand 0.10.3", "rand_chacha"],
        ),
        package("xtask", "0.1.0", &["rand 0.8.8"]),
        both.clone(),
    ]
    .concat();
    let alone = [
        both.replace("rand_core 0.10.1", "rand_core"),
        package("libm", "0.2.16", &[]),
        package("rand", "0.10.3", &["rand_core"]),
        package("rand_core", "0.10.1", &[]),
        package("schedscope", "0.1.0", &["libm", "rand", "rand_chacha"]),
    ]
    .concat();
    let found = script::libraries(&workspace);
    assert_eq!(found.len(), 5, "{found:?}");
    assert_eq!(found, script::libraries(&alone));
    assert_ne!(
        found,
        script::libraries(&workspace.replace("0.2.16", "0.2.17"))
    );
    assert_eq!(
        found,
        script::libraries(&workspace.replace("0.8.8", "0.8.9"))
    );
    let own = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    assert!(
        script::libraries(&own)
            .iter()
            .any(|library| library.contains("\"libm\"")),
        "the lock file is understood"
    );
}

/// The sources outside the hash decide no figure: only the run that returns pictures and
/// explanations uses them, and no metric does. (`forecast/` has a `watch.rs` that is hashed.)
#[test]
fn what_is_left_out_decides_nothing() {
    let mut looked = 0;
    for folder in [
        "job.rs",
        "machine",
        "machines",
        "metrics",
        "plan",
        "policy",
        "schedule",
        "sim",
        "statistics.rs",
        "trace",
        "workload",
    ] {
        let mut places = vec![root().join("src").join(folder)];
        while let Some(place) = places.pop() {
            if place.is_dir() {
                places.extend(
                    fs::read_dir(place)
                        .unwrap()
                        .map(|entry| entry.unwrap().path()),
                );
                continue;
            }
            let is = |name: &&str| place.ends_with(name);
            if ["sight.rs", "view.rs", "watch.rs"].iter().any(is) {
                continue;
            }
            let text = fs::read_to_string(&place).unwrap();
            looked += 1;
            for word in [
                "crate::view",
                "crate::explain",
                "crate::session",
                "crate::wasm",
                "super::view::",
                "super::watch::",
            ] {
                assert!(!text.contains(word), "{} uses {word}", place.display());
            }
        }
    }
    assert!(looked > 80, "{looked}");
}
