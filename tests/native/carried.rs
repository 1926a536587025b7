//! A trace that another instance takes piece by piece is the same trace.

use super::support::root;
use schedscope::experiment::Scenario;
use schedscope::import::{BadLines, read};
use schedscope::param::Settings;
use schedscope::trace::{ColumnValues, Demands, Trace};
use schedscope::workload::model;
use std::fs;
use std::sync::Arc;

/// Returns the pieces of a trace.
fn pieces(trace: &Trace) -> Vec<Vec<u8>> {
    (0..).map_while(|at| trace.piece(at)).collect()
}

/// Returns the trace of these pieces, if they are those of one.
fn joined(pieces: &[Vec<u8>]) -> Option<Trace> {
    let (first, rest) = pieces.split_first()?;
    let mut trace = Trace::of_piece(first)?;
    rest.iter()
        .all(|piece| trace.push_piece(piece))
        .then_some(trace)
}

fn compare(name: &str, trace: &Trace) -> usize {
    let pieces = pieces(trace);
    let copy = joined(&pieces).unwrap_or_else(|| panic!("{name}: the pieces were refused"));
    assert!(
        format!("{trace:?}") == format!("{copy:?}"),
        "{name}: the copy differs"
    );
    pieces.len()
}

#[test]
fn each_log_is_the_same_in_pieces() {
    let mut columns = 0;
    for folder in ["tests/logs", "tests/cases"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let Ok(bytes) = fs::read(&path) else { continue };
            let name = path.display().to_string();
            if let Ok(trace) = read(&name, &bytes, BadLines::Skip) {
                compare(&name, &trace);
                columns += trace.columns.len();
            }
        }
    }
    assert!(columns > 20, "{columns} columns");
}

#[test]
fn a_long_trace_comes_in_several_pieces() {
    let settings = Settings::default().with("jobs", 150_000.0);
    let mut trace = model::generate("lublin", &settings).unwrap();
    assert_eq!(compare("model", &trace), 4);
    // The use of the machine, which the first run computes, comes along.
    let before = format!("{:?}", trace.uses);
    let line = "1 0 5 10 4 -1 -1 -1 20 -1 1 3 2 -1 0 -1 -1 -1\n";
    trace = read("line", line.as_bytes(), BadLines::Stop).unwrap();
    let trace = Arc::new(trace);
    Scenario::new("fcfs")
        .resolve()
        .unwrap()
        .workload(&trace)
        .unwrap();
    assert_ne!(before, format!("{:?}", trace.uses));
    assert_eq!(compare("line", &trace), 2);
}

#[test]
fn a_trace_with_demands_has_no_pieces() {
    let line = "1 0 5 10 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1\n";
    let mut trace = read("line", line.as_bytes(), BadLines::Stop).unwrap();
    trace.demands = Some(Demands::default());
    assert_eq!(pieces(&trace).len(), 0);
}

/// Its further values are unknown, and its records are all there.
#[test]
fn a_column_may_end_early() {
    let line = "1 0 5 10 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1 7 word\n";
    let mut trace = read("text", line.repeat(3).as_bytes(), BadLines::Stop).unwrap();
    for column in &mut trace.columns {
        match &mut column.values {
            ColumnValues::Numbers(numbers) => numbers.truncate(1),
            ColumnValues::Words { numbers, .. } => numbers.truncate(1),
        }
    }
    let copy = joined(&pieces(&trace)).unwrap();
    assert_eq!((copy.records.len(), copy.columns.len()), (3, 2));
    for (column, copied) in trace.columns.iter().zip(&copy.columns) {
        for record in 0..3 {
            assert_eq!(column.number(record), copied.number(record));
            assert_eq!(column.word(record), copied.word(record));
        }
    }
}

#[test]
fn other_bytes_are_refused() {
    let text = "; MaxProcs: 4\n1 0 5 10 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1 word\n".repeat(3);
    let good = pieces(&read("text", text.as_bytes(), BadLines::Stop).unwrap());
    assert!(joined(&good).is_some());
    for (at, piece) in good.iter().enumerate() {
        let with = |bytes: &[u8]| {
            let mut other = good.clone();
            other[at] = bytes.to_vec();
            joined(&other)
        };
        for length in 0..piece.len() {
            assert!(
                with(&piece[..length]).is_none(),
                "piece {at} cut at {length}"
            );
        }
        assert!(with(&[&piece[..], &[0]].concat()).is_none());
        for place in 0..piece.len() {
            for byte in [0, 0x7f, 0xff] {
                let mut bytes = piece.clone();
                bytes[place] = byte;
                // It may be another trace, but it neither panics nor takes memory without end.
                let _ = with(&bytes);
            }
        }
    }
}
