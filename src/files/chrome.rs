//! A schedule in Chrome's trace event format (JSON), which Perfetto and chrome://tracing open.
//!
//! Each range of processors of a job is a complete event on the track of its first processor, so
//! that events of a track never overlap. Processors in use and waiting jobs are counters. Times are
//! whole microseconds after the trace's zero. "Trace Event Format" by N. Duca and D. Sinclair
//! describes the format.

use crate::schedule::Schedule;
use crate::time::Time;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Ids of the tracks of processors and of the counters. Perfetto shows each id as a process.
const PROCESSORS: u32 = 1;
const COUNTERS: u32 = 2;

/// Writes the file, piece by piece.
pub fn chrome_trace(schedule: &Schedule, mut piece: impl FnMut(&str)) {
    let name = serde_json::Value::from(schedule.workload.provenance.name.as_str());
    let mut text = format!(
        "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"trace\":{name}}},\"traceEvents\":[\n"
    );
    for (process, name) in [(PROCESSORS, "Processors"), (COUNTERS, "Machine")] {
        let _ = writeln!(
            text,
            "{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{process},\"args\":{{\"name\":\"{name}\"}}}},"
        );
    }
    piece(&text);
    let mut tracks = BTreeSet::new();
    for start in &schedule.order {
        let job = start.job;
        let request = schedule.workload.request(job);
        for stay in schedule.stays(start) {
            let row = stay.placement.row;
            for range in stay.placement.ranges {
                text.clear();
                let (track, column) = (schedule.lane(row, range.first), range.first);
                if tracks.insert(track) {
                    let slot = if schedule.slots > 1 {
                        format!(" in slot {}", row + 1)
                    } else {
                        String::new()
                    };
                    let head = format!(
                        "\"ph\":\"M\",\"pid\":{PROCESSORS},\"tid\":{},\"args\":",
                        track + 1
                    );
                    let _ = writeln!(
                        text,
                        "{{\"name\":\"thread_name\",{head}{{\"name\":\"from processor \
                            {column}{slot}\"}}}},"
                    );
                    let _ = writeln!(
                        text,
                        "{{\"name\":\"thread_sort_index\",{head}{{\"sort_index\":{track}}}}},"
                    );
                }
                let _ = writeln!(
                    text,
                    "{{\"name\":\"job \
                        {}\",\"cat\":\"job\",\"ph\":\"X\",\"pid\":{PROCESSORS},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{\"job\":{},\"user\":{},\"size\":{},\"processors\":\"{}-{}\",\"submitted\":{},\"wait\":{},\"estimate\":{}}}}},",
                    request.number,
                    track + 1,
                    stay.from.microseconds(),
                    (stay.to - stay.from).microseconds(),
                    request.number,
                    request.user,
                    request.processors,
                    range.first,
                    range.end() - 1,
                    request.submitted.seconds(),
                    schedule.wait(job).map_or(0.0, crate::time::Span::seconds),
                    request.estimate.seconds(),
                );
                piece(&text);
            }
        }
    }
    counters(schedule, &mut piece);
    // A last entry without a comma keeps the JSON valid.
    piece("{\"name\":\"end\",\"ph\":\"M\",\"pid\":2,\"args\":{}}\n]}\n");
}

/// Writes the number of waiting jobs and the number of processors that running jobs asked for, at
/// each change of either.
fn counters(schedule: &Schedule, piece: &mut impl FnMut(&str)) {
    // (instant, change of the number of waiting jobs, change of processors in use).
    let mut changes: Vec<(Time, i64, i64)> = Vec::new();
    for job in schedule.workload.ids() {
        let request = schedule.workload.request(job);
        let (start, end) = (schedule.starts[job.index()], schedule.ends[job.index()]);
        changes.push((request.submitted, 1, 0));
        changes.push((start, -1, request.processors.into()));
        changes.push((end, 0, -i64::from(request.processors)));
    }
    changes.retain(|(at, ..)| *at <= schedule.until);
    crate::sorting::by(&mut changes, |(at, ..)| [at.microseconds().into(), 0]);
    let (mut waiting, mut used, mut text) = (0, 0, String::new());
    for instant in changes.chunk_by(|one, other| one.0 == other.0) {
        for (_, more_waiting, more_used) in instant {
            (waiting, used) = (waiting + more_waiting, used + more_used);
        }
        text.clear();
        for (name, value) in [("waiting jobs", waiting), ("used processors", used)] {
            let at = instant[0].0.microseconds();
            let _ = writeln!(
                text,
                "{{\"name\":\"{name}\",\"ph\":\"C\",\"pid\":{COUNTERS},\"ts\":{at},\"args\":{{\"value\":{value}}}}},"
            );
        }
        piece(&text);
    }
}
