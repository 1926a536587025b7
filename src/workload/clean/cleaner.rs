//! The cleaner: it makes a job of each record of a trace, or drops the record and counts it under
//! the rule that applies.

use super::parameters::{
    ARRIVE, Arrive, CANCELLED, Cancelled, INCOMPLETE, Incomplete, OVERRUN, Overrun, PARTITION,
    PROCESSORS, SIZES, Sizes, TOO_WIDE, TooWide,
};
use super::rules::{
    AT_ELIGIBLE, CANCELLED_DROPPED, CLAMPED, DUPLICATE, INCOMPLETE_DROPPED, KILLED,
    NEGATIVE_SUBMIT, NEVER_RAN, NO_ESTIMATE, NO_SIZE, ONE_SECOND, OTHER_PARTITION, OTHER_SIZE,
    PARTIAL, PARTIAL_KEPT, PRECEDING, RAISED, RECORDED_WAIT, RUNS_ON, SWAPPED, THINK_TIME,
    UNSORTED, WIDE, ZERO_DROPPED, ZERO_LENGTH,
};
use crate::job::{Program, Request};
use crate::param::Settings;
use crate::problem::Problem;
use crate::pulse::{Doing, beat, reached};
use crate::sorting;
use crate::time::{Span, Time};
use crate::trace::{
    Column, ImportRule, LARGEST_MACHINE, MachineSize, Record, RecordedUse, Report, RuleTally,
    SizeEvidence, SizeSource, Trace,
};
use crate::workload::{
    CLOSED_LOOP, ClosedLoop, Log, LogPartition, LogPartitions, Provenance, Workload,
};
use std::collections::BTreeSet;

/// The format's status values of records that describe a part of a job: a part after which the job
/// continued (2), or the last part of a job that completed (3) or failed (4).
const STATUS_PARTIAL: std::ops::RangeInclusive<i32> = 2..=4;

/// The format's status values of records that describe a whole job: failed, completed, cancelled.
const STATUS_WHOLE: [i32; 3] = [0, 1, STATUS_CANCELLED];

/// The format's status value of a cancelled job, whether the user cancelled it before it started or
/// while it ran.
const STATUS_CANCELLED: i32 = 5;

/// Returns the partitions of a trace, with the sizes of jobs that the settings choose.
pub fn partitions(trace: &Trace, settings: &Settings) -> LogPartitions {
    let sizer = Sizer::of(trace, settings.get(&SIZES));
    LogPartitions::of(trace, |index| sizer.size(index, trace.records.get(index)).0)
}

/// Makes a workload of a trace. The caller has checked the settings against [`PARAMS`].
///
/// # Errors
/// Fails if no job is left, if every job is wider than the machine, or if the machine would be
/// larger than [`LARGEST_MACHINE`].
pub fn clean(trace: &Trace, settings: &Settings) -> Result<Workload, Problem> {
    let rules = Rules::of(settings);
    let sizer = Sizer::of(trace, rules.sizes);
    let widest = || {
        let all = trace.records.iter().enumerate();
        all.map(|(index, record)| sizer.size(index, record).0)
            .max()
            .unwrap_or(0)
            .max(1) as u32
    };
    let given = settings
        .get(&PROCESSORS)
        .map(|n| MachineSize::set(n as u32));
    let counts_nodes = rules.sizes == Sizes::Nodes;
    let partition = settings
        .get(&PARTITION)
        .map(|name| partitions(trace, settings).find(&name))
        .transpose()?;
    let mut machine = match (given, &partition) {
        (Some(given), _) => given,
        (None, Some(partition)) => {
            partition.size(trace, |index| sizer.size(index, trace.records.get(index)).0)
        }
        (None, None) => MachineSize::guessed(trace, counts_nodes, widest),
    };
    let processors = machine.processors;
    if i64::from(processors) > LARGEST_MACHINE {
        return Err(Problem::new(
            format!(
                "The machine would have {processors} processors ({}), and the header gives no \
                    size of it.",
                machine.origin()
            ),
            format!("A machine has at most {LARGEST_MACHINE} processors."),
            "Give the number of processors yourself.",
        ));
    }
    let mut cleaner = Cleaner {
        rules,
        sizer,
        eligible: trace
            .column("eligible")
            .filter(|_| settings.get(&ARRIVE) == Arrive::Eligible),
        processors,
        widest: 0,
        unused: Unused::default(),
        report: trace.report.clone(),
    };
    // Only few logs have records of parts, so the numbers of whole jobs are collected at the first
    // one.
    let mut whole: Option<BTreeSet<i64>> = None;
    let mut jobs = Vec::with_capacity(trace.records.len());
    let mut others = RuleTally::default();
    for (index, record) in trace.records.iter().enumerate() {
        reached(Doing::Preparing {
            jobs: index as u64,
            of: trace.records.len() as u64,
        });
        beat(64);
        if partition.as_ref().is_some_and(|own| !own.has(record)) {
            others.count(record.line.into());
            continue;
        }
        if STATUS_PARTIAL.contains(&record.status) {
            let is_told = whole
                .get_or_insert_with(|| whole_jobs(trace))
                .contains(&record.number);
            cleaner.report.count(
                if is_told { &PARTIAL } else { &PARTIAL_KEPT },
                record.line.into(),
            );
            if is_told {
                continue;
            }
        }
        if let Some((request, program)) = cleaner.job(index, record) {
            jobs.push((request, program, index as u32));
        }
    }
    let Cleaner {
        widest,
        unused,
        mut report,
        ..
    } = cleaner;
    report.add(&OTHER_PARTITION, others);
    report.add(&RECORDED_WAIT, unused.wait);
    if settings.get(&CLOSED_LOOP) == ClosedLoop::Off {
        report.add(&PRECEDING, unused.preceding);
        report.add(&THINK_TIME, unused.think_time);
    }
    machine.doubt_width(report.of(WIDE.id) + report.of(CLAMPED.id), widest);
    sort_by_submission(trace, &mut jobs, &mut report);
    count_duplicates(trace, &jobs, &mut report);
    report.kept = jobs.len() as u64;
    let mut workload = Workload {
        provenance: Provenance {
            name: trace.name.clone(),
            sha256: trace.sha256.clone(),
            unix_start: trace.unix_start(),
            steps: partition.iter().map(LogPartition::step).collect(),
        },
        report,
        requests: Vec::with_capacity(jobs.len()),
        programs: Vec::with_capacity(jobs.len()),
        shapes: Vec::new(),
        demands: Vec::new(),
        sources: Vec::with_capacity(jobs.len()),
        log: Log::default(),
        processors,
        ..Workload::default()
    };
    for (request, program, source) in jobs {
        workload.requests.push(request);
        workload.programs.push(program);
        workload.sources.push(source);
    }
    // The size of a partition is its own recorded use.
    if machine.source != SizeSource::Setting && partition.is_none() {
        machine.judge(&evidence(trace, rules.sizes, &workload));
    }
    workload.report.size = Some(machine);
    let own = trace.records.len() as u64 - workload.report.of(OTHER_PARTITION.id);
    if workload.is_empty() && workload.report.of(WIDE.id) == own {
        return Err(Problem::new(
            format!("All {own} jobs are wider than the machine of {processors} processors."),
            "A job must fit into the machine.",
            "Give the machine more processors, or choose `too_wide=clamp`.",
        ));
    }
    workload.check()?;
    Ok(workload)
}

/// Returns what the log says about the size of its machine.
fn evidence(trace: &Trace, sizes: Sizes, workload: &Workload) -> SizeEvidence {
    let used = |sizes: Sizes| {
        trace.uses.get(sizes as usize, || {
            let own = Sizer::of(trace, sizes);
            RecordedUse::of(trace, |at| own.size(at, trace.records.get(at)).0)
        })
    };
    let seconds = match (workload.requests.first(), workload.requests.last()) {
        (Some(first), Some(last)) => (last.submitted - first.submitted).seconds(),
        _ => 0.0,
    };
    let has_nodes = sizes != Sizes::Nodes && trace.column("nodes").is_some();
    SizeEvidence {
        recorded: used(sizes),
        in_nodes: if has_nodes { used(Sizes::Nodes) } else { None },
        counts_nodes: sizes == Sizes::Nodes,
        offered_load: workload.offered_load(),
        seconds,
    }
}

/// Returns the numbers of the jobs that have a record for the whole job.
fn whole_jobs(trace: &Trace) -> BTreeSet<i64> {
    let whole = trace
        .records
        .iter()
        .filter(|record| STATUS_WHOLE.contains(&record.status));
    sorting::set(whole.map(|record| record.number))
}

/// Tallies of the jobs with fields that the simulation does not use.
#[derive(Default)]
struct Unused {
    wait: RuleTally,
    preceding: RuleTally,
    think_time: RuleTally,
}

/// The cleaning rules that the settings choose.
#[derive(Copy, Clone)]
struct Rules {
    sizes: Sizes,
    overrun: Overrun,
    too_wide: TooWide,
    incomplete: Incomplete,
    cancelled: Cancelled,
}

impl Rules {
    fn of(settings: &Settings) -> Self {
        Self {
            sizes: settings.get(&SIZES),
            overrun: settings.get(&OVERRUN),
            too_wide: settings.get(&TOO_WIDE),
            incomplete: settings.get(&INCOMPLETE),
            cancelled: settings.get(&CANCELLED),
        }
    }
}

struct Cleaner<'a> {
    rules: Rules,
    sizer: Sizer<'a>,
    /// The instants at which jobs became eligible, if these count.
    eligible: Option<&'a Column>,
    processors: u32,
    /// Processors of the widest job among those that are wider than the machine; 0 if there is
    /// none.
    widest: u32,
    unused: Unused,
    report: Report,
}

impl Cleaner<'_> {
    /// Returns the job of one second that replaces an invalid record under `incomplete=one_second`.
    /// `None` if the record is valid or another rule applies.
    fn of_one_second(&mut self, record: &Record, wanted: i32) -> Option<Record> {
        let is_valid = record.run_time > 0 && wanted > 0 && record.submit >= 0;
        if is_valid || self.rules.incomplete != Incomplete::OneSecond {
            return None;
        }
        self.report.count(&ONE_SECOND, u64::from(record.line));
        let size = wanted.max(1);
        Some(Record {
            run_time: 1,
            requested_time: 1,
            submit: record.submit.max(1),
            requested: size,
            allocated: size,
            ..*record
        })
    }

    /// Makes a job of a record. Returns `None` if a rule drops the record.
    fn job(&mut self, index: usize, record: &Record) -> Option<(Request, Program)> {
        let line = u64::from(record.line);
        let sized = self.sizer.size(index, record);
        let replaced = self.of_one_second(record, sized.0);
        let record = replaced.as_ref().unwrap_or(record);
        let (wanted, other_field) = if replaced.is_some() {
            self.sizer.size(index, record)
        } else {
            sized
        };
        let is_wide = wanted > 0 && wanted as u32 > self.processors;
        let rule = if record.run_time < 0 {
            Some(&NEVER_RAN)
        } else if wanted <= 0 {
            Some(&NO_SIZE)
        } else if record.status == STATUS_CANCELLED && self.rules.cancelled == Cancelled::Drop {
            Some(&CANCELLED_DROPPED)
        } else if self.rules.incomplete == Incomplete::Drop
            && (record.run_time == 0 || record.requested_time <= 0)
        {
            Some(&INCOMPLETE_DROPPED)
        } else if self.rules.incomplete == Incomplete::DropZero && record.run_time == 0 {
            Some(&ZERO_DROPPED)
        } else if is_wide && self.rules.too_wide == TooWide::Skip {
            Some(&WIDE)
        } else {
            None
        };
        if is_wide && rule.is_none_or(|rule| *rule == WIDE) {
            self.widest = self.widest.max(wanted as u32);
        }
        if let Some(rule) = rule {
            self.report.count(rule, line);
            return None;
        }
        for (value, least, tally) in [
            (record.wait, 0, &mut self.unused.wait),
            (record.preceding, 1, &mut self.unused.preceding),
            (record.think_time, 1, &mut self.unused.think_time),
        ] {
            if value >= least {
                tally.count(line);
            }
        }
        let mut met = |condition: bool, rule: &ImportRule| {
            if condition {
                self.report.count(rule, line);
            }
            condition
        };
        let eligible = self.eligible.and_then(|column| column.number(index));
        let later = eligible.filter(|eligible| *eligible > record.submit);
        met(later.is_some(), &AT_ELIGIBLE);
        met(other_field, &OTHER_SIZE);
        met(is_wide, &CLAMPED);
        met(record.submit < 0, &NEGATIVE_SUBMIT);
        met(record.run_time == 0, &ZERO_LENGTH);
        let mut runtime = Span::from_seconds(record.run_time);
        let mut estimate = Span::from_seconds(record.requested_time);
        if record.run_time > record.requested_time.max(0) && self.rules.overrun == Overrun::Swap {
            (estimate, runtime) = (runtime, estimate.max(Span::SECOND));
            met(true, &SWAPPED);
        } else if met(record.requested_time <= 0, &NO_ESTIMATE) {
            estimate = runtime.max(Span::SECOND);
        }
        let mut killed = false;
        if runtime > estimate {
            match self.rules.overrun {
                Overrun::Raise => {
                    estimate = runtime;
                    self.report.count(&RAISED, line);
                }
                Overrun::Continue => self.report.count(&RUNS_ON, line),
                Overrun::Kill | Overrun::Swap => {
                    runtime = estimate;
                    killed = true;
                    self.report.count(&KILLED, line);
                }
            }
        }
        let request = Request {
            number: record.number,
            submitted: Time::from_seconds(later.unwrap_or(record.submit)),
            estimate,
            processors: (wanted as u32).min(self.processors),
            user: record.user,
            group: record.group,
            application: record.application,
            queue: record.queue,
        };
        Some((
            request,
            Program {
                killed,
                ..Program::rigid(runtime)
            },
        ))
    }
}

/// The sizes of the records of a trace, by the field that the setting chooses.
#[derive(Copy, Clone)]
struct Sizer<'a> {
    sizes: Sizes,
    nodes: Option<&'a Column>,
}

impl<'a> Sizer<'a> {
    fn of(trace: &'a Trace, sizes: Sizes) -> Self {
        Self {
            sizes,
            nodes: trace.column("nodes").filter(|_| sizes == Sizes::Nodes),
        }
    }

    /// Returns the size of a record, and true if the size comes from the field that the setting did
    /// not choose.
    fn size(&self, index: usize, record: &Record) -> (i32, bool) {
        if self.sizes == Sizes::Nodes {
            let nodes = self.nodes.and_then(|nodes| nodes.number(index));
            let known = nodes.and_then(|nodes| i32::try_from(nodes).ok());
            return (known.unwrap_or(-1), false);
        }
        of_fields(record, self.sizes)
    }
}

fn of_fields(record: &Record, sizes: Sizes) -> (i32, bool) {
    let (first, second) = match sizes {
        Sizes::Allocated => (record.allocated, record.requested),
        Sizes::AllocatedOnly => return (record.allocated, false),
        Sizes::Larger => return (record.allocated.max(record.requested), false),
        Sizes::Requested | Sizes::Nodes => (record.requested, record.allocated),
    };
    if first > 0 {
        (first, false)
    } else {
        (second, second > 0)
    }
}

fn sort_by_submission(trace: &Trace, jobs: &mut [(Request, Program, u32)], report: &mut Report) {
    let mut latest = Time::from_microseconds(i64::MIN);
    let mut sorted = true;
    for (request, _, source) in jobs.iter() {
        if request.submitted < latest {
            sorted = false;
            report.count(
                &UNSORTED,
                u64::from(trace.records.get(*source as usize).line),
            );
        }
        latest = latest.max(request.submitted);
    }
    if !sorted {
        sorting::by(jobs, |(request, _, _)| {
            [request.submitted.microseconds().into(), 0]
        });
    }
}

fn count_duplicates(trace: &Trace, jobs: &[(Request, Program, u32)], report: &mut Report) {
    // The numbers nearly always rise along a trace, and rising numbers have no duplicates.
    if jobs.is_sorted_by(|a, b| a.0.number < b.0.number) {
        return;
    }
    let mut numbers: Vec<(i64, u32)> = jobs
        .iter()
        .map(|(request, _, source)| (request.number, *source))
        .collect();
    sorting::by(&mut numbers, |(number, source)| {
        [(*number).into(), (*source).into()]
    });
    let mut again: Vec<u32> = numbers
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .map(|pair| pair[1].1)
        .collect();
    sorting::by(&mut again, |source| [(*source).into(), 0]);
    for source in again {
        report.count(
            &DUPLICATE,
            u64::from(trace.records.get(source as usize).line),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{BadLines, read};
    use crate::trace::Effect;

    fn workload(lines: &[&str], settings: &Settings) -> Result<Workload, Problem> {
        clean(
            &read("test", lines.join("\n").as_bytes(), BadLines::Stop).unwrap(),
            settings,
        )
    }

    fn job(number: i64, submit: i64, run: i64, size: i32, estimate: i64) -> String {
        format!("{number} {submit} -1 {run} {size} -1 -1 {size} {estimate} -1 1 1 1 1 1 1 -1 -1")
    }

    #[test]
    fn every_rule_counts_its_jobs() {
        let lines = [
            job(1, 5, 10, 4, 20),
            job(2, 3, 30, 4, 20),
            job(2, -6, 0, 9, 20),
            job(4, 7, -1, 4, 20),
            job(5, 8, 5, -1, 20),
            job(6, 9, 5, 2, -1),
            "7 10 -1 5 3 -1 -1 -1 20 -1 1 1 1 1 1 1 -1 -1".into(),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let w = workload(&lines, &Settings::default().with("processors", 8.0)).unwrap();
        for (id, count) in [
            ("killed_at_estimate", 1),
            ("too_wide", 1),
            ("run_time_missing", 1),
            ("size_missing", 1),
            ("estimate_missing", 1),
            ("size_from_other_field", 1),
            ("out_of_order", 1),
        ] {
            assert_eq!(w.report.of(id), count, "{id}");
        }
        assert_eq!(
            w.requests.iter().map(|r| r.number).collect::<Vec<_>>(),
            [2, 1, 6, 7]
        );
        let clamped = workload(
            &lines,
            &Settings::default()
                .with("processors", 8.0)
                .with("too_wide", "clamp"),
        )
        .unwrap();
        assert_eq!(
            (
                clamped.report.of("clamped"),
                clamped.report.of("duplicate_number"),
                clamped.report.of("submit_negative")
            ),
            (1, 1, 1)
        );
        assert_eq!(clamped.report.of("run_time_zero"), 1);
    }

    #[test]
    fn invalid_jobs_and_swapped_estimates() {
        let lines = [
            job(1, 0, 0, 4, 20),
            job(2, 7, 30, 4, 20),
            job(3, 8, 9, 4, -1),
            job(4, 9, 5, -1, 20),
            job(5, 9, 5, 3, 8),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let settings = Settings::default()
            .with("incomplete", "one_second")
            .with("overrun", "swap")
            .with("sizes", "allocated_only");
        let w = workload(&lines, &settings).unwrap();
        assert_eq!(
            (w.report.of("one_second"), w.report.of("estimate_swapped")),
            (2, 2)
        );
        let found: Vec<_> = w
            .requests
            .iter()
            .zip(&w.programs)
            .map(|(r, p)| {
                (
                    r.number,
                    r.submitted.whole_seconds(),
                    r.processors,
                    r.estimate.whole_seconds(),
                    p.runtime.whole_seconds(),
                    p.killed,
                )
            })
            .collect();
        let job_of_one_second = |number, submit, size| (number, submit, size, 1, 1, false);
        assert_eq!(
            found,
            [
                job_of_one_second(1, 1, 4),
                (2, 7, 4, 30, 20, false),
                (3, 8, 4, 9, 1, false),
                job_of_one_second(4, 9, 1),
                (5, 9, 3, 8, 5, false)
            ]
        );
        // With `swap`, a job with a run time of 0 and no estimate gets an estimate of 1 s, because
        // an estimate of 0 would be invalid.
        let swapped = workload(
            &[&job(1, 0, 0, 4, -1)],
            &Settings::default().with("overrun", "swap"),
        )
        .unwrap();
        assert_eq!(swapped.requests[0].estimate, Span::SECOND);
    }

    #[test]
    fn sizes_by_field() {
        let line = "1 0 -1 5 3 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1";
        for (word, size) in [
            ("requested", 2),
            ("allocated", 3),
            ("allocated_only", 3),
            ("larger", 3),
        ] {
            assert_eq!(
                workload(&[line], &Settings::default().with("sizes", word))
                    .unwrap()
                    .requests[0]
                    .processors,
                size,
                "{word}"
            );
        }
        let without = "1 0 -1 5 -1 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1";
        let counted = |word: &str| {
            workload(&[without], &Settings::default().with("sizes", word)).map(|w| w.requests.len())
        };
        assert_eq!(counted("larger").unwrap(), 1);
        assert!(counted("allocated_only").map_or(true, |jobs| jobs == 0));
    }

    #[test]
    fn cancelled_jobs() {
        let lines = [
            job(1, 0, 30, 1, 40),
            "2 1 -1 30 1 -1 -1 1 40 -1 5 1 1 1 1 1 -1 -1".into(),
            "3 2 -1 -1 1 -1 -1 1 40 -1 5 1 1 1 1 1 -1 -1".into(),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(
            workload(&lines, &Settings::default())
                .unwrap()
                .requests
                .len(),
            2
        );
        let dropped = workload(&lines, &Settings::default().with("cancelled", "drop")).unwrap();
        assert_eq!(dropped.requests.len(), 1);
        assert_eq!(
            (
                dropped.report.of("cancelled_dropped"),
                dropped.report.of("run_time_missing")
            ),
            (1, 1)
        );
    }

    #[test]
    fn fields_that_are_not_used_are_noted() {
        let lines = [
            "1 0 7 30 1 -1 -1 1 40 -1 1 1 1 1 1 1 -1 -1",
            "2 1 0 30 1 -1 -1 1 40 -1 1 1 1 1 1 1 1 60",
            "3 2 -1 30 1 -1 -1 1 40 -1 1 1 1 1 1 1 2 0",
            "4 2 9 -1 1 -1 -1 1 40 -1 1 1 1 1 1 1 2 9",
            "5 3 -1 30 1 -1 -1 1 40 -1 1 1 1 1 1 1 0 -1",
        ];
        let report = workload(&lines, &Settings::default()).unwrap().report;
        let rule = |id: &str| {
            report
                .rules
                .iter()
                .find(|rule| rule.id == id)
                .map(|rule| (rule.count, rule.lines.clone(), rule.effect))
        };
        assert_eq!(rule("recorded_wait"), Some((2, vec![1, 2], Effect::Noted)));
        assert_eq!(rule("preceding_job"), Some((2, vec![2, 3], Effect::Noted)));
        assert_eq!(rule("think_time"), Some((1, vec![2], Effect::Noted)));
    }

    #[test]
    fn parts_of_jobs_are_left_out_where_the_whole_job_is_told() {
        let line = |number: u32, submit: i64, run: i64, status: i32| {
            format!("{number} {submit} -1 {run} 1 -1 -1 1 90 -1 {status} 1 1 1 1 1 -1 -1")
        };
        // The record for the whole of job 1 comes after its parts, that of job 2 before them. Job 3
        // has parts only. Job 4 was cancelled.
        let lines = [
            line(1, 0, 10, 2),
            line(1, 20, 20, 3),
            line(1, 0, 30, 1),
            line(2, 5, 50, 0),
            line(2, 5, 40, 2),
            line(2, 60, 10, 4),
            line(3, 6, 11, 2),
            line(3, 80, 12, 3),
            line(4, 7, 13, 5),
            line(4, 7, 13, 4),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let w = workload(&lines, &Settings::default()).unwrap();
        let jobs: Vec<(i64, i64)> = w
            .requests
            .iter()
            .zip(&w.programs)
            .map(|(request, program)| (request.number, program.runtime.whole_seconds()))
            .collect();
        assert_eq!(jobs, [(1, 30), (2, 50), (3, 11), (4, 13), (3, 12)]);
        assert_eq!(
            (
                w.report.of("partial_execution"),
                w.report.of("partial_execution_kept")
            ),
            (5, 2)
        );
        assert_eq!(w.report.rules[0].lines, [1, 2, 5, 6, 10]);
    }

    #[test]
    fn overrun_options() {
        let lines = [job(1, 0, 30, 1, 20)];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let of = |how: &str| {
            let w = workload(&lines, &Settings::default().with("overrun", how)).unwrap();
            (
                w.programs[0].runtime.whole_seconds(),
                w.requests[0].estimate.whole_seconds(),
                w.programs[0].killed,
            )
        };
        assert_eq!(of("kill"), (20, 20, true));
        assert_eq!(of("raise"), (30, 30, false));
        assert_eq!(of("continue"), (30, 20, false));
    }

    #[test]
    fn no_job_left_is_an_error() {
        let wide = [job(1, 0, 30, 64, 20)];
        let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
        let problem = workload(&wide, &Settings::default().with("processors", 8.0)).unwrap_err();
        assert!(problem.what.contains("wider than the machine"), "{problem}");
        let never = [job(1, 0, -1, 64, 20)];
        let never: Vec<&str> = never.iter().map(String::as_str).collect();
        assert!(
            workload(&never, &Settings::default())
                .unwrap_err()
                .what
                .contains("No job is left")
        );
    }
}
