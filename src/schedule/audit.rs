//! The audit: re-derives from a schedule alone whether it can have happened. It trusts neither engine nor machine.
//!
//! Every run of the tests is audited, and the command line audits on request: a simulator's figures are worth what its
//! schedules are.

use super::Schedule;
use crate::job::JobId;
use crate::time::Time;
use std::collections::BTreeMap;

/// A rule that a schedule breaks, in words.
pub type Finding = String;

/// Everything wrong with a complete schedule; empty if nothing is. At most `limit` findings.
pub fn audit(schedule: &Schedule, limit: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    check_jobs(schedule, &mut findings);
    check_occupancy(schedule, &mut findings);
    findings.truncate(limit);
    findings
}

fn name(schedule: &Schedule, job: JobId) -> String {
    format!("job {} (number {})", job.0, schedule.workload.request(job).number)
}

/// Each job starts once, not before its submission, and runs for exactly its run time.
fn check_jobs(schedule: &Schedule, findings: &mut Vec<Finding>) {
    let mut started = vec![0_u32; schedule.workload.len()];
    for start in &schedule.order {
        started[start.job.index()] += 1;
    }
    for job in schedule.workload.ids() {
        let (request, program) = (schedule.workload.request(job), schedule.workload.program(job));
        let (start, end) = (schedule.starts[job.index()], schedule.ends[job.index()]);
        let who = || name(schedule, job);
        if started[job.index()] != 1 || start == Time::NEVER {
            findings.push(format!("{} started {} times", who(), started[job.index()]));
        } else if start < request.submitted {
            findings.push(format!("{} started before it was submitted", who()));
        } else if end == Time::NEVER {
            findings.push(format!("{} never ended", who()));
        } else if end - start != program.runtime() {
            findings.push(format!("{} ran for {} s, not {} s", who(), (end - start).seconds(), program.runtime().seconds()));
        }
    }
    if !schedule.order.is_sorted_by_key(|start| schedule.starts[start.job.index()]) {
        findings.push("starts are out of order".into());
    }
}

/// Over [start, end) no processor serves two jobs, no more than the machine is used, and each job has its size.
fn check_occupancy(schedule: &Schedule, findings: &mut Vec<Finding>) {
    // (instant, ends before starts, place in the order)
    let mut changes: Vec<(Time, bool, u32)> = Vec::with_capacity(2 * schedule.order.len());
    for (at, entry) in schedule.order.iter().enumerate() {
        let (start, end) = (schedule.starts[entry.job.index()], schedule.ends[entry.job.index()]);
        if start < end && end != Time::NEVER {
            changes.push((end, false, at as u32));
            changes.push((start, true, at as u32));
        }
    }
    changes.sort_unstable();
    let capacity = schedule.workload.processors;
    let mut used = 0_u64;
    // First processor of each occupied range: (one past its last, job).
    let mut occupied: BTreeMap<u32, (u32, JobId)> = BTreeMap::new();
    for (time, starts, at) in changes {
        let entry = &schedule.order[at as usize];
        let size = u64::from(schedule.workload.request(entry.job).processors);
        let placement = schedule.placement(entry);
        if !starts {
            used -= size;
            for range in placement {
                occupied.remove(&range.first);
            }
            continue;
        }
        used += size;
        if used > u64::from(capacity) {
            findings.push(format!("{used} processors of {capacity} are used at {} s", time.seconds()));
        }
        if placement.is_empty() {
            continue;
        }
        let given: u64 = placement.iter().map(|range| u64::from(range.count)).sum();
        if given != size {
            findings.push(format!("{} got {given} processors, not {size}", name(schedule, entry.job)));
        }
        for range in placement {
            if range.count == 0 || range.end() > capacity {
                findings.push(format!("{} got processors that do not exist", name(schedule, entry.job)));
            }
            let overlaps = occupied.range(..range.end()).next_back().filter(|(_, (end, _))| *end > range.first);
            if let Some((_, (_, other))) = overlaps {
                findings.push(format!(
                    "{} and {} share a processor at {} s",
                    name(schedule, entry.job),
                    name(schedule, *other),
                    time.seconds()
                ));
            }
            occupied.insert(range.first, (range.end(), entry.job));
        }
    }
}
