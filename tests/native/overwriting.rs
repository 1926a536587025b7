//! Files of others stay as they are: the program refuses to overwrite them, with a message.

use super::support::{check, folder, refused, schedscope};
use std::fs;
use std::path::{Path, PathBuf};

const PLAN: &str = r#"{"schedscope_plan": 1, "workloads": [{"model": {"id": "lublin", "settings": {"jobs": 50, "processors": 16}}}],
  "policies": [{"policy": "fcfs"}, {"policy": "easy"}]}"#;
const FOREIGN: &str = "not of this program\n";

fn file(home: &Path, name: &str, text: &str) -> PathBuf {
    let path = home.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn trace(home: &Path) -> PathBuf {
    let trace = home.join("log.swf");
    check(&schedscope(&[
        &"generate",
        &"lublin",
        &"--set",
        &"jobs=50",
        &"--out",
        &trace,
    ]));
    trace
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_that_is_there_is_overwritten_only_by_force() {
    let home = folder("overwriting-files");
    let trace = trace(&home);
    for option in ["--jobs", "--swf", "--chrome", "--summary"] {
        let out = file(&home, "out", FOREIGN);
        let said = refused(&schedscope(&[
            &"run",
            &trace,
            &"--policy",
            &"easy",
            &option,
            &out,
        ]));
        assert!(
            said.contains("out already exists") && said.contains("--force"),
            "{option}: {said}"
        );
        assert_eq!(fs::read_to_string(&out).unwrap(), FOREIGN, "{option}");
        check(&schedscope(&[
            &"run",
            &trace,
            &"--policy",
            &"easy",
            &option,
            &out,
            &"--force",
        ]));
        assert_ne!(fs::read_to_string(&out).unwrap(), FOREIGN, "{option}");
        // The program treats files of its own like all others here.
        refused(&schedscope(&[
            &"run",
            &trace,
            &"--policy",
            &"easy",
            &option,
            &out,
        ]));
    }
    let out = file(&home, "out", FOREIGN);
    refused(&schedscope(&[
        &"generate",
        &"lublin",
        &"--set",
        &"jobs=50",
        &"--out",
        &out,
    ]));
    assert_eq!(fs::read_to_string(&out).unwrap(), FOREIGN);
    check(&schedscope(&[
        &"generate",
        &"lublin",
        &"--set",
        &"jobs=50",
        &"--out",
        &out,
        &"--force",
    ]));
    assert_eq!(fs::read(&out).unwrap(), fs::read(&trace).unwrap());
    assert_eq!(
        names(&home),
        ["log.swf", "out"],
        "no temporary file is left"
    );
    fs::remove_dir_all(home).unwrap();
}

#[test]
fn convert_replaces_a_file_by_force_and_never_its_input() {
    let home = folder("overwriting-convert");
    let trace = trace(&home);
    let log = fs::read_to_string(&trace).unwrap();
    let out = file(&home, "out.swf", FOREIGN);
    let said = refused(&schedscope(&[&"convert", &trace, &out]));
    assert!(
        said.contains("out.swf already exists") && said.contains("--force"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&out).unwrap(), FOREIGN);
    check(&schedscope(&[&"convert", &trace, &out, &"--force"]));
    assert!(fs::read_to_string(&out).unwrap().contains("\n50 "));
    // The input has another name here.
    let same = home.join(".").join("log.swf");
    let said = refused(&schedscope(&[&"convert", &trace, &same, &"--force"]));
    assert!(said.contains("would be written over"), "{said}");
    assert_eq!(fs::read_to_string(&trace).unwrap(), log);
    assert_eq!(names(&home), ["log.swf", "out.swf"]);
    fs::remove_dir_all(home).unwrap();
}

/// The refusal comes before the first run. The outputs of the second trace are known before the
/// first trace is read.
#[test]
fn names_are_checked_before_anything_is_simulated() {
    let home = folder("overwriting-before");
    let trace = trace(&home);
    file(&home, "easy.csv", FOREIGN);
    let jobs = home.join("{policy}.csv");
    refused(&schedscope(&[
        &"run",
        &trace,
        &"--policy",
        &"fcfs",
        &"--policy",
        &"easy",
        &"--jobs",
        &jobs,
    ]));
    assert_eq!(
        names(&home),
        ["easy.csv", "log.swf"],
        "fcfs.csv was not written"
    );
    let said = refused(&schedscope(&[
        &"run",
        &trace,
        &"--policy",
        &"fcfs",
        &"--jobs",
        &home.join("none/jobs.csv"),
    ]));
    assert!(said.contains("there is no folder"), "{said}");
    let said = refused(&schedscope(&[
        &"run",
        &trace,
        &"--policy",
        &"fcfs",
        &"--jobs",
        &home,
    ]));
    assert!(said.contains("it is a folder"), "{said}");
    // An input is not replaced, even with `--force`.
    for (option, name) in [("--demands", "demands.csv"), ("--what-if", "what-if.json")] {
        let input = file(
            &home,
            name,
            if option == "--demands" {
                "job,cpu,network,disk,memory\n1,1,0,0,0\n"
            } else {
                r#"{"at": 5}"#
            },
        );
        let said = refused(&schedscope(&[
            &"run",
            &trace,
            &"--policy",
            &"fcfs",
            &option,
            &input,
            &"--jobs",
            &input,
            &"--force",
        ]));
        assert!(said.contains("would be written over"), "{said}");
    }
    let said = refused(&schedscope(&[
        &"run",
        &trace,
        &"--policy",
        &"fcfs",
        &"--swf",
        &trace,
        &"--force",
    ]));
    assert!(said.contains("would be written over"), "{said}");
    fs::remove_dir_all(home).unwrap();
}

#[cfg(unix)]
#[test]
fn links_and_rights_of_a_file_that_is_replaced_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = folder("overwriting-links");
    let rights = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let generate = |out: &Path, force: &[&dyn AsRef<std::ffi::OsStr>]| {
        schedscope(
            &[
                &[
                    &"generate" as &dyn AsRef<std::ffi::OsStr>,
                    &"lublin",
                    &"--set",
                    &"jobs=50",
                    &"--out",
                    &out,
                ],
                force,
            ]
            .concat(),
        )
    };
    let ordinary = file(&home, "ordinary", FOREIGN);
    let fresh = home.join("fresh");
    check(&generate(&fresh, &[]));
    assert_eq!(
        rights(&fresh),
        rights(&ordinary),
        "the permissions are those of any new file"
    );
    let (target, link) = (file(&home, "target", FOREIGN), home.join("link"));
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("target", &link).unwrap();
    assert!(refused(&generate(&link, &[])).contains("already exists"));
    check(&generate(&link, &[&"--force"]));
    assert!(
        link.symlink_metadata().unwrap().is_symlink(),
        "a link is followed"
    );
    assert_eq!(fs::read(&target).unwrap(), fs::read(&fresh).unwrap());
    assert_eq!(rights(&target), 0o640);
    // A link that leads nowhere counts as an existing file.
    let nowhere = home.join("nowhere");
    symlink("gone", &nowhere).unwrap();
    assert!(refused(&generate(&nowhere, &[])).contains("already exists"));
    assert!(!home.join("gone").exists());
    fs::remove_dir_all(home).unwrap();
}

#[cfg(unix)]
#[test]
fn streams_need_no_force() {
    let home = folder("overwriting-streams");
    let trace = trace(&home);
    let to_output = check(&schedscope(&[
        &"run",
        &trace,
        &"--policy",
        &"fcfs",
        &"--jobs",
        &"/dev/stdout",
    ]));
    assert!(to_output.starts_with("job_id,"), "{to_output}");
    check(&schedscope(&[
        &"run",
        &trace,
        &"--policy",
        &"fcfs",
        &"--jobs",
        &"/dev/null",
        &"--swf",
        &"/dev/null",
    ]));
    // Standard output is a file that the shell has opened. The file gets everything, in order.
    let all = home.join("all");
    let command = format!(
        "{} run {} --policy fcfs --jobs /dev/stdout > {}",
        env!("CARGO_BIN_EXE_schedscope"),
        trace.display(),
        all.display()
    );
    assert!(
        std::process::Command::new("sh")
            .args(["-c", &command])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(fs::read_to_string(&all).unwrap(), to_output);
    // The descriptor belongs to a file that already has content.
    let kept = file(&home, "kept", FOREIGN);
    let command = format!(
        "{} run {} --policy fcfs --jobs /dev/fd/3 3>> {}",
        env!("CARGO_BIN_EXE_schedscope"),
        trace.display(),
        kept.display()
    );
    assert!(
        std::process::Command::new("sh")
            .args(["-c", &command])
            .status()
            .unwrap()
            .success()
    );
    assert!(
        fs::read_to_string(&kept)
            .unwrap()
            .starts_with(&format!("{FOREIGN}job_id,"))
    );
    fs::remove_dir_all(home).unwrap();
}

/// Returns everything in a folder, with the texts of the files.
fn contents(folder: &Path) -> Vec<(String, String)> {
    names(folder)
        .into_iter()
        .map(|name| {
            (
                name.clone(),
                fs::read_to_string(folder.join(&name)).unwrap_or_default(),
            )
        })
        .collect()
}

#[test]
fn a_folder_without_the_mark_keeps_what_it_holds() {
    let home = folder("overwriting-folders");
    let plan = file(&home, "a-plan.json", PLAN);
    let shard = home.join("shard");
    check(&schedscope(&[&"sweep", &plan, &"--out", &shard]));
    for name in ["plan.json", "results.csv", "analysis.json", "cells"] {
        let out = home.join(format!("foreign-{name}"));
        fs::create_dir(&out).unwrap();
        file(&out, name, FOREIGN);
        let before = contents(&out);
        for output in [
            schedscope(&[&"sweep", &plan, &"--out", &out]),
            schedscope(&[&"merge", &shard, &"--out", &out]),
        ] {
            let said = refused(&output);
            assert!(
                said.contains(&format!("holds a {name}")) && said.contains("--force"),
                "{said}"
            );
            assert_eq!(contents(&out), before);
        }
    }
    // With `--force` the folder is used once, and then has the mark.
    let out = home.join("foreign-plan.json");
    check(&schedscope(&[&"sweep", &plan, &"--out", &out, &"--force"]));
    check(&schedscope(&[&"sweep", &plan, &"--out", &out]));
    assert_ne!(fs::read_to_string(out.join("plan.json")).unwrap(), FOREIGN);
    fs::remove_dir_all(home).unwrap();
}

#[test]
fn a_folder_is_taken_if_it_has_the_mark_or_holds_nothing_of_these_names() {
    let home = folder("overwriting-marks");
    let plan = file(&home, "a-plan.json", PLAN);
    let (empty, other) = (home.join("empty"), home.join("other"));
    fs::create_dir(&empty).unwrap();
    fs::create_dir(&other).unwrap();
    let notes = file(&other, "notes.txt", FOREIGN);
    for out in [&empty, &other, &home.join("deep/new")] {
        check(&schedscope(&[&"sweep", &plan, &"--out", out]));
        assert_eq!(
            fs::read_to_string(out.join(".schedscope")).unwrap(),
            "schedscope results 1\n"
        );
    }
    assert_eq!(fs::read_to_string(notes).unwrap(), FOREIGN);
    assert_eq!(
        contents(&empty)
            .iter()
            .filter(|file| !contents(&other).contains(file))
            .count(),
        0
    );
    // Another plan can use the same folder later.
    let second = file(
        &home,
        "second.json",
        &PLAN.replace("\"fcfs\"", "\"conservative\""),
    );
    check(&schedscope(&[&"sweep", &second, &"--out", &empty]));
    assert!(
        fs::read_to_string(empty.join("plan.json"))
            .unwrap()
            .contains("conservative")
    );
    // A mark of another layout is not accepted.
    file(&empty, ".schedscope", "schedscope results 2\n");
    let before = contents(&empty);
    assert!(refused(&schedscope(&[&"sweep", &plan, &"--out", &empty])).contains("layout"));
    assert_eq!(contents(&empty), before);
    // A link in the folder is replaced, and its target stays.
    #[cfg(unix)]
    {
        let foreign = file(&home, "elsewhere.csv", FOREIGN);
        fs::remove_file(other.join("results.csv")).unwrap();
        std::os::unix::fs::symlink(&foreign, other.join("results.csv")).unwrap();
        check(&schedscope(&[&"sweep", &plan, &"--out", &other]));
        assert_eq!(fs::read_to_string(foreign).unwrap(), FOREIGN);
    }
    fs::remove_dir_all(home).unwrap();
}

/// The name of a file is printed as text: no escape sequence, line end or change of direction
/// reaches a terminal.
#[test]
fn control_characters_are_shown_and_not_obeyed() {
    let home = folder("overwriting-controls");
    let name = "a\u{1b}[31m\u{9b}0m\nerror: forged\u{202e}gpj.swf";
    let evil = home.join(name);
    let shown = "a\\u001b[31m\\u009b0m\\u000aerror: forged\\u202egpj.swf";
    // The message names a file that does not exist.
    let said = refused(&schedscope(&[&"inspect", &evil]));
    assert!(
        said.contains(shown) && said.lines().count() == 3,
        "{said:?}"
    );
    // The message is clap's, which repeats its arguments.
    let said = refused(&schedscope(&[&"run\u{1b}]0;x\u{7}"]));
    assert!(
        said.contains("unrecognized subcommand") && !said.contains(['\u{1b}', '\u{7}']),
        "{said:?}"
    );
    let said = refused(&schedscope(&[&"run\u{9b}0m\u{202e}"]));
    assert!(
        said.contains("unrecognized subcommand") && !said.contains(['\u{9b}', '\u{202e}']),
        "{said:?}"
    );
    // The name appears in a table and in JSON, where it keeps its meaning.
    fs::rename(trace(&home), &evil).unwrap();
    let printed = check(&schedscope(&[&"run", &evil, &"--policy", &"fcfs"]));
    assert!(printed.contains(shown), "{printed:?}");
    let json = check(&schedscope(&[&"inspect", &evil, &"--json"]));
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["trace"]["name"], name);
    for text in [&printed, &json] {
        assert!(
            !text.contains(
                |letter: char| letter != '\n' && (letter.is_control() || letter == '\u{202e}')
            ),
            "{text:?}"
        );
    }
    // The bytes of a file are unchanged, also through a pipe.
    let piped = check(&schedscope(&[
        &"run",
        &evil,
        &"--policy",
        &"fcfs",
        &"--jobs",
        &"/dev/stdout",
    ]));
    assert!(
        piped.contains("a\u{1b}[31m\u{9b}0m\nerror: forged\u{202e}gpj.swf"),
        "{piped:?}"
    );
    fs::remove_dir_all(home).unwrap();
}

/// Only one module writes to standard output and standard error.
#[test]
fn everything_printed_goes_through_one_place() {
    let folder = super::support::root().join("src/bin/schedscope");
    let files = files_below(&folder);
    assert!(files.len() > 10);
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let is_output = path.ends_with("output.rs");
        for word in ["println!(", "print!(", "io::stdout()", "io::stderr()"] {
            assert!(
                is_output || !text.contains(word),
                "{} has {word}",
                path.display()
            );
        }
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = |path: PathBuf| {
        if path.is_dir() {
            files_below(&path)
        } else {
            vec![path]
        }
    };
    entries.flat_map(files).collect()
}
