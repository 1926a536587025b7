//! The digest of a schedule: FNV-1a, 64 bits, over all its columns as little-endian bytes.
//!
//! Tests compare digests to check that a run gives the same schedule natively and in wasm, whatever
//! the slices in which it was advanced.

use super::{Placed, Schedule};
use fnv::FnvHasher;
use std::hash::Hasher;

pub(super) fn digest(schedule: &Schedule) -> u64 {
    let mut hash = FnvHasher::default();
    for job in schedule.workload.ids() {
        let request = schedule.workload.request(job);
        for value in [
            request.number,
            request.submitted.microseconds(),
            schedule.starts[job.index()].microseconds(),
            schedule.ends[job.index()].microseconds(),
        ] {
            hash.write(&value.to_le_bytes());
        }
        hash.write(&[schedule.outcome(job) as u8]);
    }
    // The digest counts rows as if they stood one below the other.
    for start in &schedule.order {
        hash.write(&start.job.0.to_le_bytes());
        take_placement(schedule, start.placed, &mut hash);
    }
    for (job, moves) in &schedule.moves {
        for to in moves {
            hash.write(&job.0.to_le_bytes());
            hash.write(&to.at.microseconds().to_le_bytes());
            take_placement(schedule, to.placed, &mut hash);
        }
    }
    for (place, lost) in &schedule.lost {
        hash.write(&place.to_le_bytes());
        hash.write(&lost.job.0.to_le_bytes());
        for time in [lost.from, lost.start, lost.end] {
            hash.write(&time.microseconds().to_le_bytes());
        }
        for to in &lost.moves {
            hash.write(&to.at.microseconds().to_le_bytes());
            take_placement(schedule, to.placed, &mut hash);
        }
    }
    for (place, suspensions) in &schedule.suspensions {
        for one in suspensions {
            hash.write(&place.to_le_bytes());
            hash.write(&one.from.microseconds().to_le_bytes());
            hash.write(&one.to.microseconds().to_le_bytes());
            take_placement(schedule, one.placed, &mut hash);
        }
    }
    for (job, from) in &schedule.cancelled {
        hash.write(&job.0.to_le_bytes());
        hash.write(&from.microseconds().to_le_bytes());
    }
    for switch in &schedule.switches {
        hash.write(&switch.at.microseconds().to_le_bytes());
        hash.write(&switch.policy.to_le_bytes());
    }
    hash.finish()
}

fn take_placement(schedule: &Schedule, placed: Placed, hash: &mut FnvHasher) {
    let placement = schedule.at(placed);
    for range in placement.ranges {
        hash.write(&schedule.lane(placement.row, range.first).to_le_bytes());
        hash.write(&range.count.to_le_bytes());
    }
}
