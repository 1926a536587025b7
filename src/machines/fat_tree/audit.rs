//! The audit of a fat tree: no job is spread over several switches, or pods, if one of them had
//! room.

use super::Tree;
use crate::schedule::audit::{Finding, name};
use crate::schedule::{Attempt, Schedule};
use crate::time::Time;
use std::collections::BTreeSet;

/// Appends a finding for each job that is in several switches although one switch had enough free
/// hosts when the job started, and likewise for pods. The audit reads the numbers of hosts alone
/// and shares nothing with the space.
pub(super) fn audit(schedule: &Schedule, tree: Tree, findings: &mut Vec<Finding>) {
    if !schedule.closed.is_empty() {
        // A host that is out of service holds no job and serves none.
        return;
    }
    // Number of jobs that hold each host. At an instant one job may end and another one begin.
    let mut holders = vec![0_u32; tree.hosts() as usize];
    // (end, place in the order of starts) of the jobs that hold hosts. A job that ends at the very
    // instant of a start may not have ended yet.
    let mut ends: BTreeSet<(Time, u32)> = BTreeSet::new();
    for start in schedule.attempts() {
        let from = start.from;
        while let Some((end, other)) = ends.first().copied()
            && end < from
        {
            ends.remove(&(end, other));
            let gone = schedule.attempt(other as usize);
            mark(schedule, gone, &mut holders, u32::wrapping_sub);
        }
        let hosts: Vec<u32> = schedule.at(start.placed).columns().collect();
        for (unit, size) in [("switches", tree.half()), ("pods", tree.pod())] {
            let units: BTreeSet<u32> = hosts.iter().map(|host| host / size).collect();
            let is_free = |host: &u32| holders.get(*host as usize) == Some(&0);
            let room = |unit: u32| (unit * size..(unit + 1) * size).filter(is_free).count();
            if units.len() > 1 && (0..tree.hosts() / size).any(|unit| room(unit) >= hosts.len()) {
                let (job, at) = (name(schedule, start.job), from.seconds());
                findings.push(format!(
                    "{job} is in several {unit} at {at} s, but one had room"
                ));
            }
        }
        mark(schedule, start, &mut holders, u32::wrapping_add);
        ends.insert((start.end, start.place));
    }
}

fn mark(schedule: &Schedule, start: Attempt, holders: &mut [u32], by: fn(u32, u32) -> u32) {
    for host in schedule.at(start.placed).columns() {
        if let Some(count) = holders.get_mut(host as usize) {
            *count = by(*count, 1);
        }
    }
}
