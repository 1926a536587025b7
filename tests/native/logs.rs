//! Golden cases of logs: a file of each format, with every trap that the format has.
//!
//! `tests/logs/NAME` is the log. `tests/logs/NAME.expected` has the report, the 18 fields of each
//! job, and the further columns. `SCHEDSCOPE_BLESS=1 cargo test --test native logs` writes it where
//! it is missing.

use super::support::root;
use schedscope::import::{BadLines, Reader, is_swf, read};
use schedscope::trace::{Trace, Words, record_line};
use std::fmt::Write;
use std::fs;

/// Returns all that a reader says about a log.
fn told(name: &str, bytes: &[u8]) -> String {
    match read(name, bytes, BadLines::Stop) {
        Ok(trace) => all_of(&trace),
        Err(problem) => format!("{}\n{}\n{}\n", problem.what, problem.why, problem.next),
    }
}

fn all_of(trace: &Trace) -> String {
    let mut text = trace.header.join("\n");
    text.push('\n');
    for rule in &trace.report.rules {
        let _ = writeln!(
            text,
            "{} {} {:?}: {}",
            rule.count, rule.id, rule.lines, rule.text
        );
    }
    for note in &trace.report.columns {
        let _ = writeln!(text, "column `{}`: {}", note.column, note.text);
    }
    let names = |words: &Words| words.iter().collect::<Vec<_>>().join(", ");
    for (kind, words) in [
        ("users", &trace.names.users),
        ("groups", &trace.names.groups),
        ("applications", &trace.names.applications),
        ("queues", &trace.names.queues),
    ] {
        if !words.is_empty() {
            let _ = writeln!(text, "{kind}: {}", names(words));
        }
    }
    for (at, record) in trace.records.iter().enumerate() {
        let mut line = String::new();
        record_line(record, &mut line);
        let _ = write!(text, "line {}: {line}", record.line);
        for column in &trace.columns {
            if let Some(number) = column.number(at) {
                let _ = write!(text, ", {} {number}", column.id);
            } else if let Some(word) = column.word(at) {
                let _ = write!(text, ", {} `{word}`", column.id);
            }
        }
        text.push('\n');
    }
    text
}

/// The docs have a line for each format, and each format has a golden case.
#[test]
fn every_format_is_described_and_tried() {
    let docs = fs::read_to_string(root().join("docs/formats/logs.md")).unwrap();
    let cases: String = fs::read_dir(root().join("tests/logs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "expected"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    for (id, name) in schedscope::import::names().skip(1) {
        assert!(docs.contains(&format!("| {name} |")), "{id}: {name}");
        assert!(cases.contains(&format!("from a log of {name}\n")), "{id}");
    }
}

#[test]
fn every_log_gives_what_it_expects() {
    let folder = root().join("tests/logs");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".expected"))
        .collect();
    names.sort();
    assert!(names.len() >= 13, "logs are missing");
    let mut faults = Vec::new();
    for name in names {
        let bytes = fs::read(folder.join(&name)).unwrap();
        let found = told(&name, &bytes);
        let path = folder.join(format!("{name}.expected"));
        if !path.exists() && std::env::var_os("SCHEDSCOPE_BLESS").is_some() {
            fs::write(&path, &found).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if found != expected {
            faults.push(format!("{name} gives\n{found}\nand not\n{expected}"));
        }
        // A file that arrives in pieces of any size is the same file.
        for size in [1, 7, 100] {
            let mut reader = Reader::new(BadLines::Stop);
            let pushed = bytes.chunks(size).try_for_each(|piece| reader.push(piece));
            let again = match pushed.and_then(|()| reader.finish(&name)) {
                Ok(trace) => all_of(&trace),
                Err(problem) => format!("{}\n{}\n{}\n", problem.what, problem.why, problem.next),
            };
            assert_eq!(again, found, "{name} in pieces of {size}");
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The page asks this before it loads the engine that reads other logs. A file of which the answer
/// is "no" may still be SWF, with a mistake: the whole engine reads it and says so.
#[test]
fn swf_is_told_from_other_logs_by_its_first_lines() {
    for entry in fs::read_dir(root().join("tests/logs")).expect("the logs are there") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.ends_with(".expected") {
            let bytes = fs::read(&path).expect("the log is there");
            assert_eq!(is_swf(&bytes), name.ends_with(".swf"), "{name}");
        }
    }
    let line = "1 0 -1 10 4 -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 -1";
    let file = |lines: &[&str]| is_swf(lines.join("\n").as_bytes());
    assert!(file(&[line]));
    assert!(file(&[
        "\u{feff}; MaxProcs: 4",
        "",
        "  ; more",
        line,
        "no job"
    ]));
    assert!(file(&["; MaxProcs: 4"]));
    assert!(file(&[]));
    assert!(!file(&["17 numbers: 1 0 -1 10 4"]));
    assert!(!file(&["; MaxProcs: 4", &line[..line.len() - 3]]));
    assert!(!file(&["job,submit", line]));
}
