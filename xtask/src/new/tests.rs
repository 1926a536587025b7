use super::*;
use crate::steps;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A copy of what `new` reads and writes, in a folder of its own.
fn tree(test: &str) -> PathBuf {
    let to = steps::root().join(format!("target/tests/new-{test}-{}", std::process::id()));
    fs::remove_dir_all(&to).ok();
    for folder in ["src", "tests", "docs"] {
        copy(&steps::root().join(folder), &to.join(folder));
    }
    // rustfmt follows a test to it.
    fs::copy(steps::root().join("build.rs"), to.join("build.rs")).unwrap();
    to
}

/// Every file below a folder, with its text.
fn texts(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            found.extend(texts(&entry.path()));
        } else {
            found.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    found
}

/// A path, and a line that is added there.
type Added = (&'static str, &'static str);

/// The kinds, each with a name that no part has, and the lines that it adds to old files.
const NEW: [(&str, &str, &[Added]); 4] = [
    (
        "policy",
        "trial_policy",
        &[
            ("src/policy/mod.rs", "mod trial_policy;"),
            ("src/policy/mod.rs", "    &trial_policy::SPEC,"),
            (
                "docs/README.md",
                "* [Trial + EASY](policies/trial_policy.md)",
            ),
            ("tests/native/twins/mod.rs", "mod trial_policy;"),
            (
                "tests/native/twins/mod.rs",
                "    trial_policy by_default trial_policy_by_default on 1200;",
            ),
            ("tests/same_digests.txt", "run trial_policy:"),
        ],
    ),
    (
        "order",
        "trial_order",
        &[
            (
                "src/policy/tools/order/parameters.rs",
                "        TrialOrder = \"trial_order\": \"longest wait first\",",
            ),
            (
                "src/policy/tools/order/ranking.rs",
                "        Order::TrialOrder => -wait,",
            ),
            (
                "tests/native/twins/orders.rs",
                "    Order(\"trial_order\"),",
            ),
            (
                "tests/native/twins/orders.rs",
                "            \"trial_order\" => -wait,",
            ),
            (
                "docs/orders.md",
                "| `trial_order` | the longest wait *w* | |",
            ),
        ],
    ),
    (
        "metric",
        "trial_metric",
        &[
            ("src/metrics/mod.rs", "mod trial_metric;"),
            ("src/metrics/mod.rs", "        \"trial_metric\","),
            (
                "src/metrics/mod.rs",
                "    put(\"trial_metric.value\", trial_metric::trial_metric(&samples));",
            ),
            (
                "tests/native/figures.rs",
                "    put_trial_metric(&mut figures, &rows);",
            ),
            ("tests/same_digests.txt", "plan trial_metric:"),
        ],
    ),
    (
        "machine",
        "trial_4",
        &[
            ("src/machines/mod.rs", "pub mod trial_4;"),
            ("src/machines/mod.rs", "    &trial_4::SPEC,"),
            ("docs/README.md", "* [Trial 4](machines/trial_4.md)"),
            ("tests/native/twins/mod.rs", "mod trial_4;"),
            (
                "tests/native/twins/mod.rs",
                "    trial_4 processors trial_4_processors on 1200;",
            ),
            (
                "tests/same_digests.txt",
                "run easy machine=trial_4 jobs=1500:",
            ),
        ],
    ),
];

#[test]
fn each_kind_gets_its_files_and_lines() {
    let root = tree("kinds");
    let old = texts(&root);
    for (kind, name, lines) in NEW {
        let title = (name == "trial_policy").then_some("Trial + EASY");
        let told = write(&root, kind, &Name::new(name, title).unwrap()).unwrap();
        for path in told.iter().filter_map(|line| line.strip_prefix("new     ")) {
            assert!(!old.contains_key(&root.join(path)), "{path}");
            assert!(root.join(path).exists(), "{path}");
        }
        for (path, line) in lines {
            let text = fs::read_to_string(root.join(path)).unwrap();
            let count = text.lines().filter(|own| own == line).count();
            assert_eq!(count, 1, "{path}: {line}");
            assert!(told.contains(&format!("changed {path}")), "{path}");
        }
        assert_eq!(
            told.len() - told.iter().position(String::is_empty).unwrap(),
            4
        );
    }
    // Old lines stay; new ones are added.
    let new = texts(&root);
    for (path, text) in &old {
        let (old, new) = (
            String::from_utf8_lossy(text),
            String::from_utf8_lossy(&new[path]),
        );
        let mut lines = new.lines();
        for line in old.lines() {
            assert!(lines.any(|own| own == line), "{}: {line}", path.display());
        }
    }
    for (path, text) in new.iter().filter(|(path, _)| !old.contains_key(*path)) {
        let text = String::from_utf8_lossy(text);
        assert!(!text.contains("@name@"), "{}", path.display());
        assert!(
            !text.contains("@Ti") && !text.contains("@Ty"),
            "{}",
            path.display()
        );
    }
    let registries = [
        "src/policy/mod.rs",
        "src/machines/mod.rs",
        "src/metrics/mod.rs",
        "tests/native/main.rs",
    ];
    let mut check = Command::new("rustfmt");
    check
        .args(["--edition", "2024", "--check"])
        .args(registries);
    assert!(check.current_dir(&root).status().unwrap().success());
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn a_refusal_changes_nothing() {
    let root = tree("refusals");
    let mod_rs = root.join("src/machines/mod.rs");
    let other = fs::read_to_string(&mod_rs)
        .unwrap()
        .replace("pub const ALL: &[", "pub static ALL: &[");
    fs::write(&mod_rs, other).unwrap();
    let old = texts(&root);
    for (kind, name, why) in [
        ("policy", "easy", "src/policy/easy.rs is there already"),
        ("policy", "tools", "means something"),
        ("policy", "turn", "has the struct `Turn`"),
        (
            "policy",
            "bsp_microseconds",
            "tests/native/twins/bsp_microseconds.rs is there already",
        ),
        ("order", "wfp3", "There is an order `wfp3` already"),
        ("order", "Wfp3", "cannot be a name"),
        ("order", "3wfp", "cannot be a name"),
        ("order", "", "cannot be a name"),
        ("metric", "wait", "There is a metric `wait` already"),
        (
            "metric",
            "spread",
            "has a metric or a machine `spread` already",
        ),
        ("metric", "match", "means something"),
        ("metric", "a_name_that_is_much_too_long", "longer than 24"),
        (
            "machine",
            "torus",
            "src/machines/torus/mod.rs is there already",
        ),
        (
            "machine",
            "ring",
            "src/machines/mod.rs: `pub const ALL: &[&MachineSpec] = &[` is not there",
        ),
        ("view", "ring", "There is no kind of part `view`"),
    ] {
        let made = Name::new(name, None).and_then(|name| write(&root, kind, &name));
        let refused = made.unwrap_err();
        assert!(refused.contains(why), "{kind} {name}: {refused}");
    }
    for title in ["", " Trial", "a \"quote\"", "[link]", "a | b"] {
        assert!(Name::new("trial", Some(title)).is_err(), "{title}");
    }
    assert_eq!(texts(&root), old);
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn lines_go_to_the_end_of_their_list() {
    let list = "const A: &[u8] = &[\n    1,\n];\nconst B: &[u8] = &[\n];\n";
    let with = |opening: &str| before(list, opening, "];\n", "    9,\n");
    assert_eq!(
        with("const A: &[u8] = &[\n").unwrap(),
        "const A: &[u8] = &[\n    1,\n    9,\n];\nconst B: &[u8] = &[\n];\n"
    );
    assert_eq!(
        with("const B: &[u8] = &[\n").unwrap(),
        "const A: &[u8] = &[\n    1,\n];\nconst B: &[u8] = &[\n    9,\n];\n"
    );
    assert!(with("const").unwrap_err().contains("not there once"));
    assert!(with("const C").is_err());
    let mods = "//! A.\n\nmod a;\npub mod c;\n\nuse b;\n";
    assert_eq!(
        among_mods(mods, "mod a;", "mod b;").unwrap(),
        "//! A.\n\nmod a;\nmod b;\npub mod c;\n\nuse b;\n"
    );
    assert!(among_mods(mods, "mod a;", "mod c;").is_err());
}
