//! The audit, which derives from a schedule alone whether it can have happened. It trusts neither
//! the engine nor the machine.
//!
//! The tests audit every run, and the command line audits on request, because figures are only as
//! good as the schedules behind them.

use super::{Attempt, Promise, Residency, Schedule};
use crate::job::{Follow, JobId};
use crate::machine::Range;
use crate::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// A sentence that names a broken rule.
pub type Finding = String;

/// Returns at most `limit` findings about a complete schedule; none if it obeys every rule.
pub fn audit(schedule: &Schedule, limit: usize) -> Vec<Finding> {
    audit_but(schedule, &BTreeSet::new(), limit)
}

/// Returns the same for a schedule that is complete but for jobs that wait for ever. Those must wait at its end.
pub fn audit_but(schedule: &Schedule, pending: &BTreeSet<JobId>, limit: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    check_jobs(schedule, pending, &mut findings);
    check_follows(schedule, &mut findings);
    check_promises(schedule, &mut findings);
    check_occupancy(schedule, &mut findings);
    findings.extend(overbooking(schedule));
    check_closures(schedule, &mut findings);
    let mut jobs = schedule.order.iter().map(|start| start.job);
    if schedule.slots > 1 || jobs.any(|job| schedule.own.computed(job).is_some()) {
        check_sharing(schedule, &mut findings);
    }
    schedule.own.audit(schedule, &mut findings);
    findings.truncate(limit);
    findings
}

/// Returns the index of a job and its number in the trace, as findings name it.
pub fn name(schedule: &Schedule, job: JobId) -> String {
    format!(
        "job {} (number {})",
        job.0,
        schedule.workload.request(job).number
    )
}

/// Checks that each job runs once from start to end, not before its submission and for exactly its
/// run time. A job that was requeued has lost attempts before that, each shorter than its run time. Those of
/// `pending` have only lost attempts.
fn check_jobs(schedule: &Schedule, pending: &BTreeSet<JobId>, findings: &mut Vec<Finding>) {
    let mut started = vec![0_u32; schedule.workload.len()];
    let mut suspended = vec![Span::ZERO; schedule.workload.len()];
    let mut stopped: BTreeMap<JobId, Time> = BTreeMap::new();
    for attempt in schedule.attempts() {
        if !attempt.is_lost {
            suspended[attempt.job.index()] = schedule.suspended(attempt);
        }
        check_suspensions(schedule, attempt, findings);
        let who = || name(schedule, attempt.job);
        started[attempt.job.index()] += u32::from(!attempt.is_lost);
        if attempt.from < schedule.workload.request(attempt.job).submitted {
            findings.push(format!("{} started before it was submitted", who()));
        }
        if let Some(end) = stopped.get(&attempt.job)
            && attempt.from < *end
        {
            findings.push(format!("{} started again before it was stopped", who()));
        }
        if attempt.is_lost {
            if started[attempt.job.index()] > 0 {
                findings.push(format!("{} was requeued after its last start", who()));
            }
            stopped.insert(attempt.job, attempt.end);
            check_stopped(schedule, attempt, findings);
        } else if schedule.cancelled.contains_key(&attempt.job) && attempt.has_ended() {
            check_stopped(schedule, attempt, findings);
        }
    }
    for job in schedule.workload.ids() {
        let program = schedule.workload.program(job);
        let (start, end) = (schedule.starts[job.index()], schedule.ends[job.index()]);
        let who = || name(schedule, job);
        let starts = u32::from(!pending.contains(&job));
        if started[job.index()] != starts || (start == Time::NEVER) != (starts == 0) {
            findings.push(format!("{} started {} times", who(), started[job.index()]));
        } else if starts == 0 {
            // It waits.
        } else if end == Time::NEVER {
            findings.push(format!("{} never ended", who()));
        } else {
            let moves = schedule.moves.get(&job).map_or(&[][..], Vec::as_slice);
            let suspended = suspended[job.index()];
            let expected = moves
                .iter()
                .fold(program.runtime + suspended, |runtime, _| {
                    runtime + schedule.move_cost
                });
            if schedule.own.computed(job).is_none()
                && !schedule.cancelled.contains_key(&job)
                && end - start != expected
                && (schedule.slots == 1 || end - start < expected)
            {
                findings.push(format!(
                    "{} ran for {} s, not {} s",
                    who(),
                    (end - start).seconds(),
                    expected.seconds()
                ));
            }
        }
    }
    for attempt in schedule.attempts() {
        let moves = schedule.moves_of(attempt);
        if moves
            .iter()
            .any(|to| to.at < attempt.from || to.at > attempt.end)
            || !moves.is_sorted_by_key(|to| to.at)
        {
            findings.push(format!(
                "{} moved when it did not run",
                name(schedule, attempt.job)
            ));
        }
    }
    if !schedule.attempts().map(|attempt| attempt.from).is_sorted() {
        findings.push("starts are out of order".into());
    }
}

/// Checks that a job was suspended only while it ran, and not twice at once.
fn check_suspensions(schedule: &Schedule, attempt: Attempt, findings: &mut Vec<Finding>) {
    let mut before = attempt.from;
    for one in schedule.suspensions_of(attempt) {
        if one.from < before || one.to < one.from || attempt.end < one.to {
            findings.push(format!(
                "{} was suspended when it did not run",
                name(schedule, attempt.job)
            ));
        }
        before = one.to;
    }
}

/// Checks that an attempt that was stopped lasted no longer than the run time of the job.
fn check_stopped(schedule: &Schedule, attempt: Attempt, findings: &mut Vec<Finding>) {
    let longest = schedule.moves_of(attempt).iter().fold(
        schedule.workload.program(attempt.job).runtime + schedule.suspended(attempt),
        |longest, _| longest + schedule.move_cost,
    );
    let is_within_start_delay = attempt.start == attempt.end
        && attempt.end - attempt.from <= schedule.start_delay
        && attempt.from <= attempt.end;
    let is_whole = attempt.from + schedule.start_delay == attempt.start
        && attempt.start <= attempt.end
        && attempt.end - attempt.start <= longest;
    if !is_within_start_delay && !is_whole {
        findings.push(format!(
            "{} was stopped when it did not run",
            name(schedule, attempt.job)
        ));
    }
}

/// Checks that each job of a closed loop is submitted its think time after the end of the job that
/// it follows.
fn check_follows(schedule: &Schedule, findings: &mut Vec<Finding>) {
    let workload = &schedule.workload;
    for (job, follow) in workload.ids().zip(&workload.follows) {
        let Some(Follow { job: before, think }) = *follow else {
            continue;
        };
        let due = schedule.ends[before.index()].saturating_add(think);
        if workload.request(job).submitted != due {
            findings.push(format!(
                "{} was not submitted {} s after the end of {}",
                name(schedule, job),
                think.seconds(),
                name(schedule, before)
            ));
        }
    }
}

/// Checks that no job first starts after its promise, and that the policy replaces a promise only while a
/// running job has outlived its estimate. Promises do not bind a candidate that takes over later.
fn check_promises(schedule: &Schedule, findings: &mut Vec<Finding>) {
    let is_void = |promise: &Promise, at: Time| {
        schedule
            .switches
            .get(promise.switches)
            .is_some_and(|switch| switch.at <= at)
    };
    let outlived = |attempt: Attempt| {
        (
            attempt.start + schedule.workload.request(attempt.job).estimate,
            attempt.end,
        )
    };
    let overdue: Vec<(Time, Time)> = schedule
        .attempts()
        .map(outlived)
        .filter(|(due, end)| due < end)
        .collect();
    let mut last: BTreeMap<JobId, Promise> = BTreeMap::new();
    for promise in &schedule.promises {
        if let Some(before) = last.insert(promise.job, *promise) {
            let is_overdue = || {
                overdue
                    .iter()
                    .any(|(due, end)| *due <= promise.at && promise.at <= *end)
            };
            if schedule.believes_estimates && before.switches == promise.switches && !is_overdue() {
                findings.push(format!(
                    "{} got a new promise although no running job had outlived its estimate",
                    name(schedule, promise.job)
                ));
            }
        }
    }
    for (job, promise) in last {
        let start = schedule.first_held_from(job);
        if start > promise.latest && !is_void(&promise, start) {
            findings.push(format!(
                "{} started later than promised",
                name(schedule, job)
            ));
        }
    }
}

/// Checks that no two jobs hold a processor of a row at the same time, that jobs use no more
/// processors than all rows have, and that each job gets its size. On machines that hand out
/// partitions a job may get more, but always the same number.
fn check_occupancy(schedule: &Schedule, findings: &mut Vec<Finding>) {
    let stays: Vec<(Attempt, Residency<'_>)> = schedule
        .attempts()
        .filter(Attempt::has_ended)
        .flat_map(|entry| schedule.stays(entry).map(move |stay| (entry, stay)))
        .collect();
    // (instant, starts, index of the stay). Ends sort before starts.
    let mut changes: Vec<(Time, bool, u32)> = Vec::with_capacity(2 * stays.len());
    for (at, (_, stay)) in stays.iter().enumerate() {
        changes.push((stay.to, false, at as u32));
        changes.push((stay.from, true, at as u32));
    }
    crate::sorting::by(&mut changes, |(at, starts, stay)| {
        [
            at.microseconds().into(),
            i128::from(*starts) << 64 | i128::from(*stay),
        ]
    });
    let capacity = schedule.workload.processors * schedule.slots;
    // The recorded schedule has a finding of its own for this.
    let is_recorded = schedule.workload.overbooked > 0;
    let mut used = 0_u64;
    // Row and first processor of each occupied range: (number after its last processor, job).
    let mut occupied: BTreeMap<(u32, u32), (u32, JobId)> = BTreeMap::new();
    for (time, starts, at) in changes {
        let (entry, Residency { placement, .. }) = stays[at as usize];
        let asked = schedule.workload.request(entry.job).processors;
        let size = u64::from(schedule.held(entry));
        if !starts {
            used -= size;
            for range in placement.ranges {
                occupied.remove(&(placement.row, range.first));
            }
            continue;
        }
        used += size;
        if used > u64::from(capacity) && !is_recorded {
            findings.push(format!(
                "{used} processors of {capacity} are used at {} s",
                time.seconds()
            ));
        }
        if placement.is_empty() {
            continue;
        }
        let given: u64 = placement
            .ranges
            .iter()
            .map(|range| u64::from(range.count))
            .sum();
        let asked = if schedule.own.gives_more() {
            size.max(u64::from(asked))
        } else {
            u64::from(asked)
        };
        if given != asked {
            findings.push(format!(
                "{} got {given} processors, not {asked}",
                name(schedule, entry.job)
            ));
        }
        let row = placement.row;
        for range in placement.ranges {
            let is_there =
                row < schedule.slots && range.end() <= schedule.workload.all_processors();
            if range.count == 0 || !is_there {
                findings.push(format!(
                    "{} got processors that do not exist",
                    name(schedule, entry.job)
                ));
            }
            let overlaps = occupied
                .range((row, 0)..(row, range.end()))
                .next_back()
                .filter(|(_, (end, _))| *end > range.first);
            if let Some((_, (_, other))) = overlaps {
                findings.push(format!(
                    "{} and {} share a processor at {} s",
                    name(schedule, entry.job),
                    name(schedule, *other),
                    time.seconds()
                ));
            }
            occupied.insert((row, range.first), (range.end(), entry.job));
        }
    }
}

/// Returns by how much a recorded schedule overbooks the machine, and for how long. `None` if it
/// does not.
pub fn overbooking(schedule: &Schedule) -> Option<Finding> {
    let workload = &schedule.workload;
    if workload.overbooked == 0 {
        return None;
    }
    let (first, last) = schedule.span();
    let capacity = i64::from(workload.processors);
    let (mut used, mut before, mut over) = (0, first, Span::ZERO);
    let (mut most, mut most_at) = (0, first);
    let mut changes = schedule.changes_in_use().into_iter().peekable();
    while let Some((at, by)) = changes.next() {
        if used > capacity {
            over += at - before;
        }
        (used, before) = (used + by, at);
        while let Some((_, by)) = changes.next_if(|(next, _)| *next == at) {
            used += by;
        }
        if used > most {
            (most, most_at) = (used, at);
        }
    }
    let share = 100.0 * over.seconds() / (last - first).seconds().max(1.0);
    Some(format!(
        "the recorded schedule needs up to {} processors, and the machine has {capacity}: for {} s \
            ({share:.3} % of the time) it uses more than there are, most at {} s ({most})",
        workload.all_processors(),
        over.seconds(),
        most_at.seconds(),
    ))
}

/// Checks that no job starts on a processor that is out of service, or moves to one, in any row.
fn check_closures(schedule: &Schedule, findings: &mut Vec<Finding>) {
    for closure in &schedule.closed {
        let closed = schedule.at(closure.placed);
        let meets = |range: &Range| {
            let apart = |other: &Range| other.end() <= range.first || range.end() <= other.first;
            !closed.ranges.iter().all(apart)
        };
        for attempt in schedule.attempts() {
            let started = (attempt.from, schedule.at(attempt.placed), "started on");
            let moves = schedule.moves_of(attempt).iter();
            let later = moves.map(|to| (to.at, schedule.at(to.placed), "moved to"));
            for (from, placement, how) in std::iter::once(started).chain(later) {
                let is_within = closure.at < from && from < closure.until;
                if is_within && placement.ranges.iter().any(meets) {
                    let job = name(schedule, attempt.job);
                    findings.push(format!("{job} {how} a processor that is out of service"));
                }
            }
        }
    }
}

/// Checks that no processor does more work than fits into its time. For each period in which a
/// processor has jobs, the sum of their run times must not exceed the length of the period, or that
/// length times the rows if these run at the same time. If the computing times of processes are
/// known, they count in place of run times. Jobs that moved and lost attempts do not count.
fn check_sharing(schedule: &Schedule, findings: &mut Vec<Finding>) {
    let mut jobs: Vec<Vec<(Time, Time, Span)>> =
        vec![Vec::new(); schedule.workload.processors as usize];
    let stayed = |attempt: &Attempt| {
        attempt.has_ended() && !attempt.is_lost && !schedule.moves.contains_key(&attempt.job)
    };
    for start in schedule.attempts().filter(stayed) {
        let (from, to) = (start.start, start.end);
        let computed = schedule.own.computed(start.job);
        for (rank, column) in schedule.at(start.placed).columns().enumerate() {
            let runtime = schedule.run_time(start.job);
            let work = computed.map_or(runtime, |computed| {
                Span::from_microseconds(computed.get(rank).copied().unwrap_or(i64::MAX))
            });
            if let Some(jobs) = jobs.get_mut(column as usize) {
                jobs.push((from, to, work));
            }
        }
    }
    for (number, mut jobs) in jobs.into_iter().enumerate() {
        jobs.sort_unstable();
        let mut busy: Option<(Time, Time, Span)> = None;
        for (start, end, runtime) in jobs {
            let (from, to, work) =
                busy.filter(|(_, to, _)| start < *to)
                    .unwrap_or((start, start, Span::ZERO));
            let now = (from, to.max(end), work + runtime);
            busy = Some(now);
            let at_most = if schedule.at_once { schedule.slots } else { 1 };
            if now.2
                > Span::from_microseconds(
                    (now.1 - now.0)
                        .microseconds()
                        .saturating_mul(i64::from(at_most)),
                )
            {
                findings.push(format!(
                    "processor {number} did more work than fits into the time from {} s on",
                    from.seconds()
                ));
                return;
            }
        }
    }
}
