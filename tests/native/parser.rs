//! The reader with invalid input: it never panics, gives the same result in pieces of any size, and
//! has exact messages.

use super::support::{root, unpublished};
use proptest::prelude::*;
use schedscope::experiment::Scenario;
use schedscope::import::{BadLines, Reader, read};
use schedscope::problem::Problem;
use schedscope::trace::{Record, Trace, record_line};
use std::sync::Arc;

/// Reads, cleans, simulates and measures the bytes of a dropped file.
fn drop_bytes(bytes: &[u8], bad_lines: BadLines) -> Result<(), Problem> {
    let trace = Arc::new(read("dropped", bytes, bad_lines)?);
    for settings in [
        Scenario::new("fcfs"),
        Scenario::new("easy")
            .with("too_wide", "clamp")
            .with("overrun", "continue")
            .with("processors", 64.0),
    ] {
        let mut run = settings.resolve()?.run(Arc::clone(&trace))?;
        run.advance(u64::MAX);
        run.check_complete()?;
        run.measures();
    }
    Ok(())
}

fn in_pieces(bytes: &[u8], size: usize) -> Result<Trace, Problem> {
    let mut reader = Reader::new(BadLines::Stop);
    bytes
        .chunks(size.max(1))
        .try_for_each(|piece| reader.push(piece))?;
    reader.finish("dropped")
}

fn record() -> impl Strategy<Value = Record> {
    let seconds = -1..1_000_000_000_i64;
    let small = -1..100_000_i32;
    let decimal = prop_oneof![Just(-1.0), (0..1_000_000_i64).prop_map(|n| n as f64 / 8.0)];
    (
        (
            seconds.clone(),
            seconds.clone(),
            seconds.clone(),
            seconds.clone(),
            seconds.clone(),
            seconds.clone(),
            seconds,
        ),
        (decimal.clone(), decimal.clone(), decimal),
        (
            small.clone(),
            small.clone(),
            small.clone(),
            small.clone(),
            small.clone(),
            small.clone(),
            small.clone(),
            small,
        ),
    )
        .prop_map(|(s, d, i)| Record {
            number: s.0,
            submit: s.1,
            wait: s.2,
            run_time: s.3,
            requested_time: s.4,
            preceding: s.5,
            think_time: s.6,
            cpu_time: d.0,
            used_memory: d.1,
            requested_memory: d.2,
            allocated: i.0,
            requested: i.1,
            status: i.2,
            user: i.3,
            group: i.4,
            application: i.5,
            queue: i.6,
            partition: i.7,
            line: 1,
        })
}

proptest! {
    #[test]
    fn any_bytes_give_a_trace_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = drop_bytes(&bytes, BadLines::Stop);
        let _ = drop_bytes(&bytes, BadLines::Skip);
    }

    #[test]
    fn anything_that_looks_like_a_trace_too(text in "((-?[0-9]{1,13}|[0-9.eE+-]{1,6}|NaN)[ \
        \t]{1,2}){15,20}\n?") {
        let _ = drop_bytes(text.as_bytes(), BadLines::Stop);
        let _ = drop_bytes(text.repeat(3).as_bytes(), BadLines::Skip);
    }

    #[test]
    fn numbers_of_any_size_in_every_field_are_simulated_or_refused(fields in proptest::collection::vec(prop_oneof![-2..20_i64, any::<i64>(), 0..20_000_000_000_i64], 18 * 3)) {
        let lines: Vec<String> = fields.chunks(18).map(|line| line.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")).collect();
        let _ = drop_bytes(lines.join("\n").as_bytes(), BadLines::Skip);
    }

    #[test]
    fn what_is_written_is_read(records in proptest::collection::vec(record(), 1..20), size in 1..200_usize) {
        let mut text = String::from("; MaxProcs: 64\n");
        for record in &records {
            record_line(record, &mut text);
            text.push('\n');
        }
        let trace = in_pieces(text.as_bytes(), size).unwrap();
        let found: Vec<Record> = trace.records.iter().map(|r| Record { line: 1, ..*r }).collect();
        prop_assert_eq!(found, records);
    }

    #[test]
    fn the_size_of_the_pieces_never_shows(text in "([0-9 ;\n\r\t.-]|1 0 5 10 4 -1 -1 4 20 -1 1 3 \
        2 -1 0 -1 -1 -1\n){0,60}", size in 1..50_usize) {
        let whole = read("dropped", text.as_bytes(), BadLines::Stop);
        let pieces = in_pieces(text.as_bytes(), size);
        match (whole, pieces) {
            (Ok(a), Ok(b)) => prop_assert!(a.records.iter().eq(b.records.iter()) && a.header == b.header),
            (Err(a), Err(b)) => prop_assert_eq!(a, b),
            (a, b) => prop_assert!(false, "{:?} in one piece, {:?} in pieces", a.err(), b.err()),
        }
    }
}

/// Each file of the corpus of bad files has its exact message. The tests of the page check the same
/// messages.
#[test]
fn bad_files_have_their_exact_messages() {
    let folder = root().join("tests/bad");
    let messages: std::collections::BTreeMap<String, String> =
        serde_json::from_str(&std::fs::read_to_string(folder.join("messages.json")).unwrap())
            .unwrap();
    assert!(messages.len() >= 15);
    for (name, message) in &messages {
        let path = folder.join(name);
        let result = schedscope::import::file::read_file(&path, BadLines::Stop, |_, _| ())
            .and_then(|trace| Scenario::new("fcfs").resolve()?.workload(&trace).map(drop));
        let problem = result.expect_err(name);
        assert_eq!(
            problem.what.replace(&path.display().to_string(), name),
            *message,
            "{name}"
        );
        assert!(!problem.why.is_empty() && !problem.next.is_empty());
    }
    let files = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(
        files,
        messages.len() + 1,
        "a file of tests/bad has no message"
    );
}

/// Checks inputs that a fuzzer found interesting, and the seeds of the fuzzer.
#[test]
fn the_fuzz_corpus_is_harmless() {
    let Some(corpus) = unpublished("fuzz/corpus/swf") else {
        return;
    };
    let mut count = 0;
    for entry in std::fs::read_dir(corpus).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let _ = drop_bytes(&bytes, BadLines::Stop);
        let _ = drop_bytes(&bytes, BadLines::Skip);
        count += 1;
    }
    assert!(count >= 5);
}
