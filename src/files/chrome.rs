//! A schedule in Chrome's trace event format (JSON), which Perfetto and chrome://tracing open.
//!
//! Each range of processors of a job is a complete event on the track of its first processor, so
//! that events of a track never overlap. Processors in use and waiting jobs are counters. Times are
//! whole microseconds after the trace's zero. "Trace Event Format" by N. Duca and D. Sinclair
//! describes the format.

use crate::schedule::Schedule;
use crate::time::Time;
use serde::Serialize;
use std::collections::BTreeSet;

/// Ids of the tracks of processors and of the counters. Perfetto shows each id as a process.
const PROCESSORS: u32 = 1;
const COUNTERS: u32 = 2;

/// An event of the format. Times are in microseconds.
#[derive(Serialize)]
#[serde(tag = "ph")]
enum ChromeEvent<'a> {
    #[serde(rename = "M")]
    Metadata {
        name: &'a str,
        pid: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        tid: Option<u32>,
        args: TrackLabel<'a>,
    },
    #[serde(rename = "X")]
    Complete {
        name: &'a str,
        cat: &'a str,
        pid: u32,
        tid: u32,
        ts: i64,
        dur: i64,
        args: JobArguments,
    },
    #[serde(rename = "C")]
    Counter {
        name: &'a str,
        pid: u32,
        ts: i64,
        args: CounterValue,
    },
}

/// The name of a process or a track, or the place of a track.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum TrackLabel<'a> {
    Name(&'a str),
    SortIndex(u32),
}

/// Facts about a job. Times are in seconds.
#[derive(Serialize)]
struct JobArguments {
    job: i64,
    user: i32,
    size: u32,
    processors: String,
    submitted: f64,
    wait: f64,
    estimate: f64,
    /// True if the job was preempted and starts anew.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lost: bool,
}

/// The value of a counter.
#[derive(Serialize)]
struct CounterValue {
    value: i64,
}

/// Writes the file, piece by piece.
pub fn chrome_trace(schedule: &Schedule, mut piece: impl FnMut(&str)) {
    let source = serde_json::json!({"trace": schedule.workload.provenance.name});
    piece(&format!(
        "{{\"displayTimeUnit\":\"ms\",\"otherData\":{source},\"traceEvents\":["
    ));
    let mut separator = "\n";
    let mut write = |event: &ChromeEvent<'_>| {
        piece(separator);
        piece(&serde_json::to_string(event).unwrap_or_default());
        separator = ",\n";
    };
    for (pid, name) in [(PROCESSORS, "Processors"), (COUNTERS, "Machine")] {
        write(&ChromeEvent::Metadata {
            name: "process_name",
            pid,
            tid: None,
            args: TrackLabel::Name(name),
        });
    }
    let mut tracks = BTreeSet::new();
    for attempt in schedule.attempts() {
        let job = attempt.job;
        let request = schedule.workload.request(job);
        let name = format!("job {}", request.number);
        for stay in schedule.stays(attempt) {
            let row = stay.placement.row;
            for range in stay.placement.ranges {
                let (track, column) = (schedule.lane(row, range.first), range.first);
                if tracks.insert(track) {
                    let slot = if schedule.slots > 1 {
                        format!(" in slot {}", row + 1)
                    } else {
                        String::new()
                    };
                    let shown = format!("from processor {column}{slot}");
                    for (name, args) in [
                        ("thread_name", TrackLabel::Name(&shown)),
                        ("thread_sort_index", TrackLabel::SortIndex(track)),
                    ] {
                        write(&ChromeEvent::Metadata {
                            name,
                            pid: PROCESSORS,
                            tid: Some(track + 1),
                            args,
                        });
                    }
                }
                write(&ChromeEvent::Complete {
                    name: &name,
                    cat: "job",
                    pid: PROCESSORS,
                    tid: track + 1,
                    ts: stay.from.microseconds(),
                    dur: (stay.to - stay.from).microseconds(),
                    args: JobArguments {
                        job: request.number,
                        user: request.user,
                        size: request.processors,
                        processors: format!("{}-{}", range.first, range.end() - 1),
                        submitted: request.submitted.seconds(),
                        wait: (attempt.start - request.submitted).seconds(),
                        estimate: request.estimate.seconds(),
                        lost: attempt.is_lost,
                    },
                });
            }
        }
    }
    counters(schedule, write);
    piece("\n]}\n");
}

/// Writes the number of waiting jobs and the number of processors that running jobs asked for, at
/// each change of either.
fn counters(schedule: &Schedule, mut write: impl FnMut(&ChromeEvent<'_>)) {
    // (instant, change of the number of waiting jobs, change of processors in use).
    let mut changes: Vec<(Time, i64, i64)> = Vec::new();
    for job in schedule.workload.ids() {
        changes.push((schedule.workload.request(job).submitted, 1, 0));
    }
    for attempt in schedule.attempts() {
        let processors = i64::from(schedule.workload.request(attempt.job).processors);
        changes.push((attempt.start, -1, processors));
        changes.push((attempt.end, i64::from(attempt.is_lost), -processors));
        for one in schedule.suspensions_of(attempt) {
            changes.push((one.from, 0, -processors));
            changes.push((one.to, 0, processors));
        }
    }
    changes.retain(|(at, ..)| *at <= schedule.until);
    crate::sorting::by(&mut changes, |(at, ..)| [at.microseconds().into(), 0]);
    let (mut waiting, mut used) = (0, 0);
    for instant in changes.chunk_by(|one, other| one.0 == other.0) {
        for (_, more_waiting, more_used) in instant {
            (waiting, used) = (waiting + more_waiting, used + more_used);
        }
        for (name, value) in [("waiting jobs", waiting), ("used processors", used)] {
            write(&ChromeEvent::Counter {
                name,
                pid: COUNTERS,
                ts: instant[0].0.microseconds(),
                args: CounterValue { value },
            });
        }
    }
}
