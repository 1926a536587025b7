//! Jobs that follow others: the feedback from the schedule to the arrivals.
//!
//! A log says which job a user waited for (field 17 of SWF, dependencies of Slurm) and how long the
//! user then thought (field 18). In a closed loop, a job that follows another arrives when the
//! other has ended in the simulated run and the think time is over. See
//! Feitelson, "Workload Modeling for Computer Systems Performance Evaluation", 2015, section 8.4.

use super::Workload;
use super::resample::{RESAMPLE, Resample};
use crate::job::{Follow, JobId};
use crate::param::{Settings, Typed, words};
use crate::problem::Problem;
use crate::time::Span;
use crate::trace::{Effect, ImportRule, Record, Trace};
use std::collections::BTreeMap;

words! {
    /// The jobs that arrive when another has ended.
    pub enum ClosedLoop {
        Off = "off": "none: every job arrives as in the log",
        On = "on": "jobs that follow another arrive their think time after its end in this run",
    }
}

/// Parameter for the feedback from the schedule to the arrivals.
pub const CLOSED_LOOP: Typed<ClosedLoop> =
    ClosedLoop::param("closed_loop", "Closed loop", ClosedLoop::Off)
        .help("Jobs that arrive when another has ended, by fields 17 and 18 of the log");

/// The shortest think time. Nobody can submit a job in the same second in which another ends, and
/// logs have whole seconds.
const SHORTEST: Span = Span::SECOND;

const FOLLOWS: ImportRule = ImportRule {
    id: "follows",
    effect: Effect::Noted,
    text: "follows another job: arrives its think time after the other's end in this run",
};
const FOLLOWS_NONE: ImportRule = ImportRule {
    id: "follows_none",
    effect: Effect::Noted,
    text: "the job that it follows takes no part, or is not earlier in the log: arrives as in the \
        log",
};
const THINK_DERIVED: ImportRule = ImportRule {
    id: "think_time_derived",
    effect: Effect::Noted,
    text: "no think time: the time from the other's end to this submission in the log counts",
};
const THINK_SHORTEST: ImportRule = ImportRule {
    id: "think_time_shortest",
    effect: Effect::Noted,
    text: "think time below a second, unknown, or submitted before the other's end in the log: a \
        second counts",
};

/// Rejects settings that contradict a closed loop.
///
/// # Errors
/// Fails if a closed loop is wanted and the jobs of the log are mixed, so that numbers name no single
/// job.
pub fn check_closed_loop(settings: &Settings) -> Result<(), Problem> {
    if settings.get(&CLOSED_LOOP) == ClosedLoop::On && settings.get(&RESAMPLE) != Resample::None {
        return Err(Problem::new(
            "`closed_loop=on` and `resample` contradict each other.",
            "A resampled workload has a job several times, so that it is not known which of them a \
                job follows.",
            "Choose one of the two.",
        ));
    }
    Ok(())
}

/// Returns the think time of a job that follows the job of `before`, and whether it is derived
/// from the log's schedule.
fn think_time(record: &Record, before: &Record) -> (Span, bool) {
    if record.think_time >= 0 {
        return (Span::from_seconds(record.think_time), false);
    }
    let is_known = before.wait >= 0 && before.run_time >= 0;
    let end = before
        .submit
        .saturating_add(before.wait)
        .saturating_add(before.run_time);
    let gap = if is_known {
        record.submit.saturating_sub(end).max(0)
    } else {
        0
    };
    (Span::from_seconds(gap), true)
}

/// Finds out which jobs follow others, and counts them in the report. Jobs refer to earlier jobs of
/// the table only, so that no job waits for itself. Where several jobs have one number, the last
/// one before counts. Returns an empty list if the setting is off or no job follows another.
///
/// # Errors
/// Fails if the think times are too long.
pub fn followed_jobs(
    workload: &mut Workload,
    trace: &Trace,
    settings: &Settings,
) -> Result<Vec<Option<Follow>>, Problem> {
    if settings.get(&CLOSED_LOOP) == ClosedLoop::Off {
        return Ok(Vec::new());
    }
    let mut latest: BTreeMap<i64, JobId> = BTreeMap::new();
    let mut follows = vec![None; workload.len()];
    let mut has_any = false;
    let mut thinking = 0_i128;
    for job in workload.ids() {
        let record = trace.records.get(workload.sources[job.index()] as usize);
        let line = u64::from(record.line);
        if record.preceding > 0 {
            if let Some(earlier) = latest.get(&record.preceding).copied() {
                let before = trace
                    .records
                    .get(workload.sources[earlier.index()] as usize);
                let (think, is_derived) = think_time(record, before);
                thinking += i128::from(think.microseconds());
                follows[job.index()] = Some(Follow {
                    job: earlier,
                    think: think.max(SHORTEST),
                });
                has_any = true;
                workload.report.count(&FOLLOWS, line);
                if is_derived {
                    workload.report.count(&THINK_DERIVED, line);
                }
                if think < SHORTEST {
                    workload.report.count(&THINK_SHORTEST, line);
                }
            } else {
                workload.report.count(&FOLLOWS_NONE, line);
            }
        }
        latest.insert(record.number, job);
    }
    if thinking > i128::from(Span::LONGEST_TOTAL.microseconds() / 64) {
        return Err(Problem::new(
            "The think times add up to more than 2,283 years.",
            "Times are exact, in microseconds, and cannot be longer.",
            "Check field 18 of the trace, or use `closed_loop=off`.",
        ));
    }
    if !has_any {
        follows.clear();
    }
    Ok(follows)
}
