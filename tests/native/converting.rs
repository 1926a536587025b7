//! Traces that are written: reading them gives the same jobs and further columns again, and an
//! anonymised one holds no word of the log.

use super::support::root;
use proptest::prelude::*;
use schedscope::files::{TraceKind, anonymised, write_trace_as};
use schedscope::import::{BadLines, Reader, read};
use schedscope::trace::{
    Column, ColumnValues, Names, Record, Records, Trace, UNKNOWN, Words, record_line,
};
use std::collections::BTreeSet;
use std::fs;

fn written(trace: &Trace, kind: TraceKind) -> String {
    let mut text = String::new();
    write_trace_as(trace, kind, |piece| text.push_str(piece));
    text
}

fn again(trace: &Trace, kind: TraceKind) -> Trace {
    read("again", written(trace, kind).as_bytes(), BadLines::Stop).unwrap()
}

/// The golden logs, and the traces of the cases.
fn logs() -> Vec<(String, Trace)> {
    let entries = fs::read_dir(root().join("tests/logs")).unwrap();
    let mut logs: Vec<(String, Trace)> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_none_or(|ending| ending != "expected"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let trace = read(&name, &fs::read(&path).unwrap(), BadLines::Stop).unwrap();
            (name, trace)
        })
        .collect();
    logs.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(logs.len() >= 13);
    logs
}

fn records(trace: &Trace) -> Vec<Record> {
    let bare = |record: &Record| Record { line: 0, ..*record };
    trace.records.iter().map(bare).collect()
}

/// Columns as what readers see: id, name and the value of each record.
fn columns(trace: &Trace) -> Vec<(String, String, Vec<String>)> {
    let value = |column: &Column, at| match (column.number(at), column.word(at)) {
        (Some(number), _) => format!("{number}"),
        (_, Some(word)) => format!("`{word}`"),
        _ => "unknown".into(),
    };
    let all = trace.columns.iter().map(|column| {
        let values = (0..trace.records.len())
            .map(|at| value(column, at))
            .collect();
        (column.id.clone(), column.name.clone(), values)
    });
    all.collect()
}

fn names(names: &Names) -> Vec<Vec<&str>> {
    [
        &names.users,
        &names.groups,
        &names.applications,
        &names.queues,
    ]
    .map(|words| words.iter().collect())
    .into()
}

#[test]
fn every_log_comes_back_from_extended_swf() {
    for (name, trace) in logs() {
        let other = again(&trace, TraceKind::SwfExtended);
        assert_eq!(records(&other), records(&trace), "{name}");
        assert_eq!(columns(&other), columns(&trace), "{name}");
        assert_eq!(names(&other.names), names(&trace.names), "{name}");
        assert_eq!(other.unix_start(), trace.unix_start(), "{name}");
        // A second conversion changes nothing but the notes on where the file comes from.
        let third = again(&other, TraceKind::SwfExtended);
        assert_eq!(
            (records(&third), columns(&third)),
            (records(&trace), columns(&trace))
        );
        assert_eq!(names(&third.names), names(&trace.names), "{name}");
    }
}

#[test]
fn the_18_fields_and_the_comments_of_every_log_stay() {
    for (name, trace) in logs() {
        let other = again(&trace, TraceKind::Swf);
        assert_eq!(records(&other), records(&trace), "{name}");
        assert!(other.columns.is_empty(), "{name}");
        let mut rest = other.header.iter();
        for line in &trace.header {
            assert!(rest.any(|other| other == line), "{name}: {line}");
        }
        let text = written(&trace, TraceKind::Swf);
        let jobs = text.lines().filter(|line| !line.starts_with(';'));
        assert!(
            jobs.clone().all(|line| line.split(' ').count() == 18),
            "{name}"
        );
        assert_eq!(jobs.count(), trace.records.len());
    }
}

/// The header of a golden log, readable by eye.
#[test]
fn the_header_tells_where_the_jobs_come_from() {
    let (_, trace) = logs()
        .into_iter()
        .find(|(name, _)| name == "sacct.txt")
        .unwrap();
    let trace = Trace {
        sha256: "0123".into(),
        ..trace
    };
    let text = written(&trace, TraceKind::SwfExtended);
    let head: Vec<&str> = text
        .lines()
        .take_while(|line| line.starts_with(';'))
        .collect();
    for line in [
        "; Note: source: sacct.txt",
        "; Note: SHA-256 of the source: 0123",
        "; Note: format of the source: Slurm (sacct)",
        "; Note: skipped 3 (still_waiting): still waiting when the log was written: skipped",
        "; Field 19: Eligible (column eligible, numbers)",
        "; Field 23: Memory (kB) (column memory, numbers)",
        "; Field 24: Memory of a node (kB) (column node_memory, numbers)",
        "; Field 25: Account (column account, words)",
        "; UnixStartTime: 1714982400",
        "; Queue: 1 batch",
        "; Queue: 2 gpu",
        "; Partition: 2 gpu",
        "; Note: user 1 ann",
        "; Note: group 2 chem",
        "; Note: application 2 never started",
    ] {
        assert!(head.contains(&line), "no `{line}` in\n{}", head.join("\n"));
    }
    assert!(head[0].starts_with("; Note: written by Schedscope "));
    let line = text.lines().find(|line| line.starts_with("104 ")).unwrap();
    assert_eq!(
        line,
        "104 1200 1800 310 8 -1 -1 8 300 3072000 0 1 1 4 2 2 -1 -1 1200 1 2 7 24576000 -1 p2 normal \
            TIMEOUT -1 n003 -1"
    );
}

#[test]
fn the_table_has_a_column_for_everything_and_guards_its_cells() {
    let (_, trace) = logs()
        .into_iter()
        .find(|(name, _)| name == "sacct.txt")
        .unwrap();
    let text = written(&trace, TraceKind::Csv);
    let mut lines = text.lines();
    assert_eq!(
        lines.next().unwrap(),
        "job_number,submit_time,wait_time,run_time,allocated_processors,average_CPU_time,\
            used_memory,requested_processors,requested_time,requested_memory,status,user,group,\
            application,queue,partition,preceding_job,think_time,submit_unix,user_name,group_name,\
            application_name,queue_name,eligible,nodes,gpus,task,memory,node_memory,account,qos,state,\
            reason,node_list,dependency"
    );
    assert_eq!(
        lines.next().unwrap(),
        "100,0,600,3600,64,,,64,7200,131072,1,1,1,1,1,1,,,1714982400,ann,physics,solver,batch,0,2,\
            ,,8388608,4194304,p1,normal,COMPLETED,Resources,n[001-002],"
    );
    let mut words = Words::default();
    words.number("=HYPERLINK(\"x\")");
    let formula = Trace {
        records: trace.records.iter().take(1).copied().collect(),
        columns: vec![Column {
            id: "@id".into(),
            name: "Id".into(),
            values: ColumnValues::Words {
                words,
                numbers: vec![1],
            },
        }],
        ..Trace::default()
    };
    let text = written(&formula, TraceKind::Csv);
    assert!(
        text.contains(",'@id\n") && text.contains(",\"'=HYPERLINK(\"\"x\"\")\""),
        "{text}"
    );
}

/// Returns the words of a text, as a reader of the file would search for them.
fn words_of(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.len() > 1)
        .map(str::to_owned)
        .collect()
}

#[test]
fn no_word_of_a_log_is_left_when_anonymised() {
    for (name, trace) in logs() {
        let mut secret: BTreeSet<String> = names(&trace.names)
            .concat()
            .into_iter()
            .flat_map(words_of)
            .collect();
        for column in &trace.columns {
            if let ColumnValues::Words { words, .. } = &column.values
                && column.id != "state"
            {
                secret.extend(words.iter().flat_map(words_of));
            }
        }
        secret.insert(name.clone());
        let is_number = |word: &String| word.parse::<i64>().is_ok();
        secret.retain(|word| !is_number(word));
        let other = anonymised(
            &Trace {
                sha256: "0123abcd".into(),
                ..trace.clone()
            },
            0,
        );
        for (_, kind) in TraceKind::ALL {
            let text = written(&other, kind);
            // The rules of the import report are ours.
            let rules = trace.report.rules.iter();
            let texts = rules.map(|rule| format!("{} {}", rule.text, rule.id));
            let own = texts.collect::<Vec<_>>().join(" ");
            let own = words_of(
                &(own
                    + " words column Account Schedscope left out names numbers first submission count jobs \
                        Eligible Nodes GPUs Array task Priority Memory kB QOS State Reason Node list \
                        Dependency column of the format source written by skipped row read not \
                        anonymised are and times from further columns in this file because what it \
                        holds is known preceding job among earlier repaired noted"),
            );
            let found = words_of(&text);
            let left: Vec<_> = secret
                .intersection(&found)
                .filter(|word| !own.contains(*word))
                .collect();
            assert!(left.is_empty(), "{name}: {left:?} in\n{text}");
            assert!(
                !text.contains("0123abcd") && !text.contains("UnixStartTime"),
                "{name}"
            );
        }
        let all = records(&other);
        assert_eq!(all.iter().map(|record| record.submit).min(), Some(0));
        for (at, (record, own)) in all.iter().zip(trace.records.iter()).enumerate() {
            assert_eq!(record.number, at as i64 + 1);
            assert_eq!(
                (
                    record.run_time,
                    record.allocated,
                    record.requested,
                    record.wait
                ),
                (own.run_time, own.allocated, own.requested, own.wait)
            );
        }
        assert_eq!(
            records(&again(&other, TraceKind::SwfExtended)),
            all,
            "{name}"
        );
    }
}

#[test]
fn comments_and_unknown_columns_go_and_sizes_stay_when_anonymised() {
    let text = "; Computer: Secret\n; UnixStartTime: 1000000000\n; MaxProcs: 64 (of Secret)\n\
        ; 19: secret_GPUs\n; 20: secret_project\n\
        7 100 5 10 4 -1 -1 4 20 -1 1 900 70 -1 0 -1 -1 -1 2 1234\n\
        3 160 5 10 4 -1 -1 4 20 -1 1 800 70 -1 5 -1 7 30 -1 99\n\
        7 170 5 10 4 -1 -1 4 20 -1 1 900 70 -1 0 -1 4 30 -1 99\n";
    let trace = read("secret.swf", text.as_bytes(), BadLines::Stop).unwrap();
    let text = written(&anonymised(&trace, 50), TraceKind::SwfExtended);
    assert!(!text.to_lowercase().contains("secret"), "{text}");
    let (head, jobs): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with(';'));
    assert!(head.contains(&"; MaxProcs: 64"));
    assert!(head.contains(&"; Note: 1 column: left out, because what it holds is not known"));
    assert!(head.contains(&"; Note: 1 preceding job: not among the earlier jobs, left out"));
    assert_eq!(
        jobs,
        [
            "1 50 5 10 4 -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 -1 2",
            "2 110 5 10 4 -1 -1 4 20 -1 1 2 1 -1 2 -1 1 30 -1",
            "3 120 5 10 4 -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 30 -1",
        ]
    );
}

/// Words that would make a line longer than a reader takes are left out, the longest first, and told.
#[test]
fn a_line_never_gets_too_long() {
    let column = |id: &str, word: String| {
        let mut words = Words::default();
        words.number(&word);
        Column {
            id: id.into(),
            name: id.into(),
            values: ColumnValues::Words {
                words,
                numbers: vec![0, 1],
            },
        }
    };
    let record = records(
        &read(
            "x",
            b"1 0 5 10 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1\n",
            BadLines::Stop,
        )
        .unwrap(),
    )[0];
    let trace = Trace {
        records: [record, record].into_iter().collect(),
        columns: vec![
            column("a", "x".repeat(40_000)),
            column("b", "y".repeat(50_000)),
        ],
        ..Trace::default()
    };
    let mut text = String::new();
    let told = write_trace_as(&trace, TraceKind::SwfExtended, |piece| text.push_str(piece));
    assert_eq!(
        told,
        ["1 job: with a word left out, because its line would be too long"]
    );
    assert!(text.contains(&format!("; Note: {}\n", told[0])));
    let other = read("x", text.as_bytes(), BadLines::Stop).unwrap();
    assert_eq!(other.columns[0].word(1).map(str::len), Some(40_000));
    assert_eq!(other.columns[1].word(1), None);
}

/// Any words and numbers come back, in pieces of any size.
fn values(jobs: usize) -> impl Strategy<Value = ColumnValues> {
    let number = prop_oneof![Just(UNKNOWN), Just(-1), Just(0), any::<i64>(), -20..20_i64];
    let word = prop_oneof![
        Just(String::new()),
        "[a-z0-9%;, \u{a0}\t\n-]{1,6}",
        "-?[0-9]{1,3}",
        "\\PC{1,4}"
    ];
    prop_oneof![
        proptest::collection::vec(number, jobs).prop_map(ColumnValues::Numbers),
        proptest::collection::vec(word, jobs).prop_map(|all| {
            let mut words = Words::default();
            let numbers = all
                .iter()
                .map(|word| {
                    if word.is_empty() {
                        0
                    } else {
                        words.number(word)
                    }
                })
                .collect();
            ColumnValues::Words { words, numbers }
        }),
    ]
}

fn traces() -> impl Strategy<Value = Trace> {
    (1..12_usize)
        .prop_flat_map(|jobs| {
            let fields = proptest::collection::vec(-1..10_000_i64, 18 * jobs);
            let columns = proptest::collection::vec(("\\PC{0,8}", "\\PC{0,8}", values(jobs)), 0..5);
            let names = proptest::collection::vec("\\PC{1,5}", 0..5);
            (Just(jobs), fields, columns, names)
        })
        .prop_map(|(jobs, fields, columns, names)| {
            let record = |at: usize| {
                let f = &fields[18 * at..];
                let small = |at: usize| f[at] as i32;
                let amount = |at: usize| if f[at] < 0 { -1.0 } else { f[at] as f64 / 7.0 };
                Record {
                    number: f[0],
                    submit: f[1],
                    wait: f[2],
                    run_time: f[3],
                    allocated: small(4),
                    cpu_time: amount(5),
                    used_memory: amount(6),
                    requested: small(7),
                    requested_time: f[8],
                    requested_memory: amount(9),
                    status: small(10),
                    user: small(11),
                    group: small(12),
                    application: small(13),
                    queue: small(14),
                    partition: small(15),
                    preceding: f[16],
                    think_time: f[17],
                    line: 0,
                }
            };
            let mut users = Words::default();
            for name in &names {
                users.number(name);
            }
            Trace {
                name: "random".into(),
                format: "SWF".into(),
                records: (0..jobs).map(record).collect::<Records>(),
                names: Names {
                    users,
                    ..Names::default()
                },
                columns: columns
                    .into_iter()
                    .map(|(id, name, values)| Column { id, name, values })
                    .collect(),
                ..Trace::default()
            }
        })
}

proptest! {
    #[test]
    fn any_trace_comes_back(trace in traces(), size in 1..300_usize) {
        let text = written(&trace, TraceKind::SwfExtended);
        let mut reader = Reader::new(BadLines::Stop);
        text.as_bytes().chunks(size).try_for_each(|piece| reader.push(piece)).unwrap();
        let other = reader.finish("again").unwrap();
        prop_assert_eq!(records(&other), records(&trace));
        prop_assert_eq!(columns(&other), columns(&trace));
        prop_assert_eq!(names(&other.names), names(&trace.names));
        // Nothing that is anonymised makes the writer or the reader fail.
        let hidden = anonymised(&trace, 0);
        prop_assert_eq!(records(&again(&hidden, TraceKind::SwfExtended)), records(&hidden));
    }
}

/// A long trace is read on all cores, in pieces that are put together.
#[test]
fn a_long_trace_with_columns_comes_back() {
    let jobs = 40_000;
    let record = records(
        &read(
            "x",
            b"1 0 5 10 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1\n",
            BadLines::Stop,
        )
        .unwrap(),
    )[0];
    let mut words = Words::default();
    let numbers = (0..jobs)
        .map(|at| {
            if at % 7 == 0 {
                0
            } else {
                words.number(&format!("{}", at % 1000))
            }
        })
        .collect();
    let trace = Trace {
        records: (0..jobs)
            .map(|at| Record {
                number: at,
                ..record
            })
            .collect(),
        columns: vec![
            Column {
                id: "account".into(),
                name: "Account".into(),
                values: ColumnValues::Words { words, numbers },
            },
            Column {
                id: "priority".into(),
                name: "Priority".into(),
                values: ColumnValues::Numbers((0..jobs).map(|at| at % 5 - 2).collect()),
            },
        ],
        ..Trace::default()
    };
    let other = again(&trace, TraceKind::SwfExtended);
    assert_eq!(columns(&other), columns(&trace));
    let mut line = String::new();
    record_line(other.records.get(39_999), &mut line);
    assert!(line.starts_with("39999 "));
}
