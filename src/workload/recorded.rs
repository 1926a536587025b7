//! The recorded schedule: the starts that the log has for its jobs.
//!
//! The recorded schedule is a run like any other, except that its jobs may need more processors
//! than the machine has: logs overlap by seconds, and headers are wrong. Such processors are told,
//! and never count as processors of the machine.

use super::Workload;
use super::resample::{RESAMPLE, Resample};
use super::shape::{ARRIVAL_FACTOR, LOAD, RUNTIME_FACTOR};
use crate::job::Program;
use crate::param::Settings;
use crate::problem::Problem;
use crate::sorting;
use crate::time::{Span, Time};
use crate::trace::{Effect, ImportRule, Trace};

const NO_START: ImportRule = ImportRule {
    id: "start_missing",
    effect: Effect::Skipped,
    text: "no recorded start: not in the recorded schedule",
};

/// Returns the key of a setting under which jobs arrive at other times or run for other times than
/// in the log, so that its starts say nothing about them.
fn reshapes(settings: &Settings) -> Option<&'static str> {
    [
        (
            settings.get(&RESAMPLE) != Resample::None,
            RESAMPLE.param.key,
        ),
        (
            settings.get(&ARRIVAL_FACTOR) != 1.0,
            ARRIVAL_FACTOR.param.key,
        ),
        (
            settings.get(&RUNTIME_FACTOR) != 1.0,
            RUNTIME_FACTOR.param.key,
        ),
        (settings.get(&LOAD) != 0.0, LOAD.param.key),
    ]
    .into_iter()
    .find_map(|(is_set, key)| is_set.then_some(key))
}

/// Gives the jobs their recorded starts, unless the settings move jobs in time. A start is recorded
/// if the record has a wait of at least 0. In a closed loop, jobs arrive at other times than in the
/// log, so that only the recorded schedule itself has recorded starts.
pub fn give_recorded_starts(workload: &mut Workload, trace: &Trace, settings: &Settings) {
    if reshapes(settings).is_some() {
        return;
    }
    let start = |(source, submitted): (&u32, Time)| {
        let record = trace.records.get(*source as usize);
        let start = Time::from_seconds(record.submit.saturating_add(record.wait));
        if record.wait < 0 || start < submitted {
            Time::NEVER
        } else {
            start
        }
    };
    let submitted = workload.requests.iter().map(|request| request.submitted);
    let starts: Vec<Time> = workload.sources.iter().zip(submitted).map(start).collect();
    if starts.iter().any(|start| *start != Time::NEVER) {
        workload.recorded = starts;
    }
}

/// Makes the workload of the recorded schedule: only jobs with recorded starts, which run for as
/// long as the log says. The workload says how many processors they need beyond the machine's.
///
/// # Errors
/// Fails if the log has no starts, or if the settings move jobs in time.
pub fn as_recorded(
    mut workload: Workload,
    trace: &Trace,
    settings: &Settings,
) -> Result<Workload, Problem> {
    if let Some(key) = reshapes(settings) {
        return Err(Problem::new(
            format!("There is no recorded schedule with `{key}`."),
            "With this setting, jobs arrive at other times or run for other times than in the log.",
            format!("Leave `{key}` out, or compare simulated schedules only."),
        ));
    }
    if workload.recorded.is_empty() {
        return Err(Problem::new(
            "There is no recorded schedule.",
            "The log has no start for any job (in SWF, a wait time of at least 0).",
            "Choose a policy, or a log with starts.",
        ));
    }
    let identity = workload.identity();
    let is_known: Vec<bool> = workload
        .recorded
        .iter()
        .map(|start| *start != Time::NEVER)
        .collect();
    let unknown: Vec<usize> = (0..workload.len()).filter(|at| !is_known[*at]).collect();
    for at in &unknown {
        let record = trace.records.get(workload.sources[*at] as usize);
        workload.report.count(&NO_START, record.line.into());
    }
    if unknown.is_empty() {
        workload.compared_as = Some(identity);
    } else {
        workload.keep(&is_known);
    }
    for (program, source) in workload.programs.iter_mut().zip(&workload.sources) {
        let run_time = trace.records.get(*source as usize).run_time.max(0);
        *program = Program {
            shape: program.shape,
            ..Program::rigid(Span::from_seconds(run_time))
        };
    }
    workload.check()?;
    let needed = most_at_once(&workload);
    workload.overbooked = needed.saturating_sub(workload.processors);
    Ok(workload)
}

/// Returns the largest number of processors that the recorded schedule uses at once. At one
/// instant, jobs end before others start.
fn most_at_once(workload: &Workload) -> u32 {
    let mut changes: Vec<(Time, u8, i64)> = Vec::with_capacity(2 * workload.len());
    for ((request, program), start) in workload
        .requests
        .iter()
        .zip(&workload.programs)
        .zip(&workload.recorded)
    {
        let size = i64::from(request.processors);
        let end = *start + program.runtime;
        // A job without length ends after it has started.
        let order = if program.runtime == Span::ZERO { 2 } else { 0 };
        changes.push((*start, 1, size));
        changes.push((end, order, -size));
    }
    sorting::by(&mut changes, |(at, order, _)| {
        [at.microseconds().into(), i128::from(*order)]
    });
    let (mut used, mut most) = (0, 0);
    for (_, _, by) in changes {
        used += by;
        most = most.max(used);
    }
    u32::try_from(most).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Request;

    fn of(jobs: &[(i64, i64, u32)]) -> Workload {
        let request = |processors| Request {
            number: 1,
            submitted: Time::ZERO,
            estimate: Span::SECOND,
            processors,
            user: 1,
            group: 1,
            application: 1,
            queue: 1,
        };
        Workload {
            requests: jobs.iter().map(|job| request(job.2)).collect(),
            programs: jobs
                .iter()
                .map(|job| Program::rigid(Span::from_seconds(job.1)))
                .collect(),
            recorded: jobs.iter().map(|job| Time::from_seconds(job.0)).collect(),
            processors: 4,
            ..Workload::default()
        }
    }

    #[test]
    fn jobs_end_before_others_start() {
        assert_eq!(most_at_once(&of(&[(0, 10, 3), (10, 5, 4)])), 4);
        assert_eq!(most_at_once(&of(&[(0, 11, 3), (10, 5, 4)])), 7);
        // A job without length needs its processors all the same.
        assert_eq!(most_at_once(&of(&[(10, 0, 2), (10, 5, 4)])), 6);
    }
}
