//! The instants at which the state of the machine changes.

use crate::schedule::Schedule;
use crate::time::Time;

/// Returns every instant at which a job gets processors, moves or ends, in ascending order.
pub fn changes(schedule: &Schedule) -> Vec<Time> {
    let mut instants: Vec<Time> = schedule
        .attempts()
        .flat_map(|attempt| schedule.stays(attempt))
        .flat_map(|stay| [stay.from, stay.to])
        .collect();
    crate::sorting::by(&mut instants, |instant| [instant.microseconds().into(), 0]);
    instants.dedup();
    instants
}
