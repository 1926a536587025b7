//! Files of a schedule: Batsim's jobs CSV, SWF and Chrome trace; and files of a trace. The summary is in `experiment/`,
//! which knows the scenario of the run.

mod chrome;
mod csv;
mod traces;

pub use chrome::chrome_trace;
pub use csv::csv_field;
pub use traces::{TraceKind, anonymised, write_trace_as};

use crate::job::JobId;
use crate::machine::Range;
use crate::schedule::{Outcome, Schedule};
use crate::time::Span;
use crate::trace::{Trace, header_lines, record_line};
use crate::workload::{Attribute, Workload};
use std::fmt::Write;

/// Head of the jobs CSV: Batsim's columns, then those of Schedscope.
pub const CSV_HEAD: &str = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,\
starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,user,bounded_slowdown";

/// Writes the jobs CSV: Batsim's `_jobs.csv` columns, times in seconds, one job a line in order of
/// arrival. If jobs were requeued, two more columns have the number of requeues and the time that the
/// job held processors in vain, in seconds. If jobs were suspended, two more have the number of suspensions of
/// the last attempt and their time, in seconds.
///
/// Stretch is the turnaround time over the execution time; it is empty for jobs of zero length.
/// `threshold` is that of the bounded slowdown, in seconds. Like Batsim, the file leaves out jobs
/// that did not end.
pub fn jobs_csv(schedule: &Schedule, threshold: f64, mut line: impl FnMut(&str)) {
    let further = further(&schedule.workload);
    let mut text = CSV_HEAD.to_owned();
    for (name, _) in &further {
        text.push(',');
        text.push_str(&csv_field(name));
    }
    let has_lost = !schedule.lost.is_empty();
    if has_lost {
        text.push_str(",requeues,lost_time");
    }
    let has_suspended = !schedule.suspensions.is_empty();
    if has_suspended {
        text.push_str(",suspensions,suspended_time");
    }
    text.push('\n');
    line(&text);
    let mut place = vec![u32::MAX; schedule.workload.len()];
    for (at, start) in schedule.order.iter().enumerate() {
        place[start.job.index()] = at as u32;
    }
    let workload_name = csv_field(&schedule.workload.provenance.name);
    for job in schedule
        .workload
        .ids()
        .filter(|job| schedule.outcome(*job) != Outcome::Unfinished)
    {
        let request = schedule.workload.request(job);
        let (start, end) = (schedule.starts[job.index()], schedule.ends[job.index()]);
        let (runtime, turnaround) = ((end - start).seconds(), (end - request.submitted).seconds());
        let outcome = schedule.outcome(job);
        text.clear();
        let _ = write!(
            text,
            "{},{workload_name},{},{},{},{},{},{},{},{},{},{},{},",
            request.number,
            job.0,
            request.submitted.seconds(),
            request.processors,
            request.estimate.seconds(),
            u8::from(outcome == Outcome::Finished),
            match outcome {
                Outcome::Killed => "COMPLETED_WALLTIME_REACHED",
                Outcome::Preempted => "COMPLETED_KILLED",
                _ => "COMPLETED_SUCCESSFULLY",
            },
            start.seconds(),
            runtime,
            end.seconds(),
            (start - request.submitted).seconds(),
            turnaround,
        );
        if runtime > 0.0 {
            let _ = write!(text, "{}", turnaround / runtime);
        }
        text.push(',');
        let placement = schedule.at(schedule.order[place[job.index()] as usize].placed);
        interval_set(placement.ranges, &mut text);
        let _ = write!(
            text,
            ",{},{}",
            request.user,
            crate::metrics::bounded_slowdown(
                turnaround,
                schedule.run_time(job).seconds(),
                threshold
            )
        );
        for (_, attribute) in &further {
            text.push(',');
            if let Some(key) = schedule.workload.key(*attribute, job) {
                text.push_str(&csv_field(&schedule.workload.label(*attribute, key)));
            }
        }
        if has_lost {
            let lost = schedule.lost_of(job);
            let time = lost.fold(Span::ZERO, |sum, (_, lost)| sum + (lost.end - lost.from));
            let _ = write!(text, ",{},{}", schedule.requeues(job), time.seconds());
        }
        if has_suspended {
            let attempt = schedule.attempt(place[job.index()] as usize);
            let times = schedule.suspensions_of(attempt).len();
            let time = schedule.suspended(attempt);
            let _ = write!(text, ",{times},{}", time.seconds());
        }
        text.push('\n');
        line(&text);
    }
}

/// Returns the attributes that follow the other columns, with the names of their columns: names of
/// users, groups, applications and queues if the log has names, and its further columns. docs/
/// formats/jobs-csv.md lists them.
fn further(workload: &Workload) -> Vec<(String, Attribute)> {
    let mut further = Vec::new();
    for facts in workload.attributes() {
        let Some(attribute) = workload.attribute(&facts.id) else {
            continue;
        };
        if facts.further {
            further.push((facts.id, attribute));
        } else if workload.words(attribute).is_some() {
            further.push((format!("{}_name", facts.id), attribute));
        }
    }
    further
}

/// Writes processors as `0-3 5`.
pub fn interval_set(placement: &[Range], text: &mut String) {
    for (at, range) in placement.iter().enumerate() {
        let space = if at == 0 { "" } else { " " };
        let _ = if range.count == 1 {
            write!(text, "{space}{}", range.first)
        } else {
            write!(text, "{space}{}-{}", range.first, range.end() - 1)
        };
    }
}

/// Writes the trace with wait time, run time, allocated processors and status as simulated. Only
/// jobs that took part and ended are in it.
///
/// Fields 2, 8 and 9 are those of the workload, after any scaling. `MaxProcs` is that of the
/// simulated machine.
pub fn swf(schedule: &Schedule, trace: &Trace, notes: &[String], mut line: impl FnMut(&str)) {
    let mut text = String::new();
    header_lines(trace, Some(schedule.workload.processors), notes, &mut text);
    line(&text);
    for index in 0..schedule.workload.len() {
        let job = JobId(index as u32);
        let outcome = schedule.outcome(job);
        if outcome == Outcome::Unfinished {
            continue;
        }
        let request = schedule.workload.request(job);
        let start = schedule.starts[index];
        let mut record = *trace.records.get(schedule.workload.sources[index] as usize);
        record.submit = request.submitted.whole_seconds();
        record.wait = (start - request.submitted).whole_seconds();
        record.run_time = (schedule.ends[index] - start).whole_seconds();
        record.allocated = request.processors as i32;
        record.requested = request.processors as i32;
        record.requested_time = request.estimate.whole_seconds();
        record.status = i32::from(outcome == Outcome::Finished);
        text.clear();
        record_line(&record, &mut text);
        text.push('\n');
        line(&text);
    }
}
