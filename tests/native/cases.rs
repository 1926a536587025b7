//! Golden cases: one folder each, small enough for a check by eye.
//!
//! The comments in `trace.swf` say what the case shows. `expected` has a line for each job, in the
//! order of the trace: number, start, end, processors, and the instants and targets of its moves.

use super::support::{root, run};
use schedscope::experiment::Scenario;
use schedscope::files::interval_set;
use schedscope::import::{BadLines, read};
use schedscope::machine::Range;
use schedscope::schedule::{Outcome, Placed, Schedule};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

#[test]
fn every_case_gives_what_it_expects() {
    let mut folders: Vec<_> = std::fs::read_dir(root().join("tests/cases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    assert!(folders.len() >= 9, "cases are missing");
    folders.iter().for_each(|folder| check(folder));
}

/// Returns the processors of a placement, numbered through all rows.
fn lanes(schedule: &Schedule, placed: Placed) -> Vec<Range> {
    let placement = schedule.at(placed);
    let lane = |range: &Range| Range {
        first: schedule.lane(placement.row, range.first),
        ..*range
    };
    placement.ranges.iter().map(lane).collect()
}

fn check(folder: &Path) {
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let scenario: Scenario = serde_json::from_str(&text("scenario.json")).unwrap();
    let trace = Arc::new(read("trace.swf", text("trace.swf").as_bytes(), BadLines::Stop).unwrap());
    let run = run(&scenario, &trace);
    let schedule = run.schedule();
    let mut lines: Vec<(u32, String)> = Vec::new();
    for start in &schedule.order {
        let job = start.job;
        let mut line = format!(
            "{} {} {} ",
            schedule.workload.request(job).number,
            schedule.starts[job.index()].whole_seconds(),
            schedule.ends[job.index()].whole_seconds()
        );
        interval_set(&lanes(schedule, start.placed), &mut line);
        for to in schedule.moves.get(&job).into_iter().flatten() {
            write!(line, " moved {} ", to.at.whole_seconds()).unwrap();
            interval_set(&lanes(schedule, to.placed), &mut line);
        }
        if schedule.outcome(job) == Outcome::Killed {
            line.push_str(" killed");
        }
        lines.push((schedule.workload.sources[job.index()], line));
    }
    lines.sort();
    let mut found = "number start end processors\n".to_owned();
    lines
        .iter()
        .for_each(|(_, line)| writeln!(found, "{line}").unwrap());
    assert_eq!(found, text("expected"), "{}", folder.display());
}
