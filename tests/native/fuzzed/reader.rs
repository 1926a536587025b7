//! Targets that read any bytes as a trace.

use super::{LONGEST, Outcome, check, finish, refused};
use schedscope::experiment::Scenario;
use schedscope::import::{BadLines, Reader, read};
use schedscope::problem::Problem;
use schedscope::trace::{Record, Trace, write_trace};
use std::sync::Arc;

/// Reads bytes as a trace, in one piece and in two. The results must be equal, and the written
/// trace must be read as the same one.
pub fn reader(bytes: &[u8]) -> Outcome {
    if bytes.len() > LONGEST {
        return Outcome::Unused;
    }
    let bad_lines = if bytes.len().is_multiple_of(2) {
        BadLines::Stop
    } else {
        BadLines::Skip
    };
    let whole = read("fuzzed", bytes, bad_lines);
    let pieces = in_two_pieces(bytes, bad_lines);
    match (whole, pieces) {
        (Ok(whole), Ok(pieces)) => {
            assert!(
                whole.records.iter().eq(pieces.records.iter())
                    && whole.header == pieces.header
                    && whole.report == pieces.report
            );
            let again = read("fuzzed", written(&whole).as_bytes(), BadLines::Stop)
                .expect("a written text can be read");
            assert!(again.header == whole.header && again.records.len() == whole.records.len());
            assert!(
                again
                    .records
                    .iter()
                    .zip(whole.records.iter())
                    .all(|(again, whole)| Record {
                        line: whole.line,
                        ..*again
                    } == *whole)
            );
            Outcome::Held
        }
        // The first piece alone decides about problems with the beginning of a file.
        (Err(whole), pieces) if pieces.is_err() || whole.what.starts_with("The file is") => {
            if let Err(problem) = pieces {
                refused(&problem);
            }
            refused(&whole)
        }
        (whole, pieces) => panic!("in one piece {:?}, in two {:?}", whole.err(), pieces.err()),
    }
}

fn in_two_pieces(bytes: &[u8], bad_lines: BadLines) -> Result<Trace, Problem> {
    // The place of the cut is arbitrary, but the same for the same bytes.
    let any = bytes.iter().fold(bytes.len(), |sum, byte| {
        sum.wrapping_mul(31).wrapping_add((*byte).into())
    });
    let cut = any % (bytes.len() + 1);
    let mut reader = Reader::new(bad_lines);
    reader.push(&bytes[..cut])?;
    reader.push(&bytes[cut..])?;
    reader.finish("fuzzed")
}

fn written(trace: &Trace) -> String {
    let mut text = String::new();
    write_trace(trace, |line| text.push_str(line));
    text
}

/// Reads bytes as a trace. If they are one, cleans, simulates and measures it.
pub fn swf(bytes: &[u8]) -> Outcome {
    if bytes.len() > LONGEST {
        return Outcome::Unused;
    }
    let bad_lines = if bytes.len().is_multiple_of(2) {
        BadLines::Stop
    } else {
        BadLines::Skip
    };
    let trace = match read("fuzzed", bytes, bad_lines) {
        Ok(trace) => Arc::new(trace),
        Err(problem) => return refused(&problem),
    };
    let mut outcome = Outcome::Refused;
    for scenario in [
        Scenario::new("fcfs"),
        Scenario::new("easy")
            .with("overrun", "continue")
            .with("processors", 64.0),
    ] {
        let mut run = match scenario
            .resolve()
            .and_then(|resolved| resolved.run(Arc::clone(&trace)))
        {
            Ok(run) => run,
            Err(problem) => {
                refused(&problem);
                continue;
            }
        };
        if !finish(&mut run) {
            return Outcome::GivenUp;
        }
        run.check_complete()
            .expect("a policy starts every job in the end");
        check(&run);
        outcome = Outcome::Held;
    }
    outcome
}
