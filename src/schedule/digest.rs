//! The digest of a schedule: FNV-1a, 64 bits, over all its columns as little-endian bytes.
//!
//! Tests compare digests to check that a run gives the same schedule natively and in wasm, whatever
//! the slices in which it was advanced.

use super::{Placed, Schedule};

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

pub(super) fn digest(schedule: &Schedule) -> u64 {
    let mut hash = OFFSET;
    let mut take = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
    };
    for job in schedule.workload.ids() {
        let request = schedule.workload.request(job);
        for value in [
            request.number,
            request.submitted.microseconds(),
            schedule.starts[job.index()].microseconds(),
            schedule.ends[job.index()].microseconds(),
        ] {
            take(&value.to_le_bytes());
        }
        take(&[schedule.outcome(job) as u8]);
    }
    // The digest counts rows as if they stood one below the other.
    for start in &schedule.order {
        take(&start.job.0.to_le_bytes());
        take_placement(schedule, start.placed, &mut take);
    }
    for (job, moves) in &schedule.moves {
        for to in moves {
            take(&job.0.to_le_bytes());
            take(&to.at.microseconds().to_le_bytes());
            take_placement(schedule, to.placed, &mut take);
        }
    }
    for switch in &schedule.switches {
        take(&switch.at.microseconds().to_le_bytes());
        take(&switch.policy.to_le_bytes());
    }
    hash
}

fn take_placement(schedule: &Schedule, placed: Placed, take: &mut impl FnMut(&[u8])) {
    let placement = schedule.at(placed);
    for range in placement.ranges {
        take(&schedule.lane(placement.row, range.first).to_le_bytes());
        take(&range.count.to_le_bytes());
    }
}
